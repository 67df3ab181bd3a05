"""Programs for a JVM under the flight recorder (JFR), e.g. Spark jobs.

Stacks are JFR's execution samples. A unit is so much CPU time of the executor threads, which the
kernel counts (/proc): without performance counters instructions cannot be. Huang, dissertation,
section 5.3.1, samples one executor thread, and joins threads that shared a core; here those
whose names agree up to their first digit are joined, which for Spark share one core.
"""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import numpy as np

from kcc.base.records import dataclass
from kcc.sim.sampling.simprof.table import Floats, Metric, UnitTable
from kcc.stages.recording.running import find_tool, nothing_recorded, run_recorded

UNIT_MS = 100
"""CPU time of a unit: ten samples of 10 ms (section 5.3.1 has ten stacks a unit)."""
SAMPLE_MS = 10
"""The least that JFR takes."""
STATISTICS_MS = 20
POLL_SECONDS = 0.02
DEPTH = 64
RECORDING, CHUNKS, CLOCKS = "recording.jfr", "chunks", "clocks.json"
"""In the folder of a recording; the clocks have by thread: seconds since the epoch, and seconds of
CPU time."""
KEPT_SECONDS = 2.0
"""Between what is written of the clocks, in case that the process is killed."""

RATE = Metric(
    "MB/s", "MB allocated", "seconds of CPU time",
    "memory that the threads allocated, per second of their CPU time: a rate of work, higher is "
    "faster; it stands in the place of IPC, which this machine's counters were not read for",
    rate=True,
)  # fmt: skip

_EVENTS = {
    "jdk.ExecutionSample": SAMPLE_MS,
    "jdk.NativeMethodSample": SAMPLE_MS,
    "jdk.ThreadAllocationStatistics": STATISTICS_MS,
}
_READ = "jdk.ExecutionSample,jdk.ThreadAllocationStatistics"


def record_jvm(
    command: Sequence[str], folder: Path, unit_ms: int, threads: str | None,
    show: Callable[[int], None],
) -> UnitTable:  # fmt: skip
    """Run the command with the flight recorder on; ``threads`` is a pattern of thread names (None:
    those with most samples). ``show`` is called with the seconds so far. Raises K961, K962,
    K963."""
    find_tool("jfr", "openjdk-17-jdk-headless")
    recording, settings = folder / RECORDING, folder / "settings.jfc"
    settings.write_text(_settings(), encoding="utf-8")
    options = [
        f"-XX:StartFlightRecording:filename={recording},settings={settings}",
        f"-XX:FlightRecorderOptions:stackdepth={DEPTH},repository={folder / CHUNKS}",
        "-Xlog:jfr*=off",
    ]  # fmt: skip
    clock, began = _CpuClock(), time.monotonic()

    def tick(pid: int) -> None:
        clock.poll(pid)
        if time.monotonic() > clock.kept + KEPT_SECONDS:
            clock.keep(folder)
        show(round(time.monotonic() - began))

    environment = dict[str, str]()
    if Path(command[0]).name == "java":
        command = [command[0], *options, *command[1:]]
    else:
        environment["JAVA_TOOL_OPTIONS"] = " ".join(options)
    complete = run_recorded(command, environment, tick, POLL_SECONDS)
    clock.keep(folder)
    if not recording.exists():
        hint = "the command must be `java ...`, or start one that takes JAVA_TOOL_OPTIONS"
        raise nothing_recorded("the JVM wrote no recording", hint)
    plain = [word for word in command if word not in options]
    return read_jvm(folder, plain, unit_ms, threads, complete=complete)


def read_jvm(
    folder: Path, command: Sequence[str], unit_ms: int, threads: str | None, *, complete: bool
) -> UnitTable:
    """What a recording left in a folder, as units: where the JVM was killed, what it had written
    of its events by then. Raises K961, K963."""
    jfr = find_tool("jfr", "openjdk-17-jdk-headless")
    whole = folder / RECORDING
    parts = sorted((folder / CHUNKS).rglob("*.jfr"))
    if whole.exists() and whole.stat().st_size:
        parts = [whole]
    samples, allocated = list[Sample](), dict[int, Floats]()
    for events in (_events(jfr, part) for part in parts):
        samples += events.samples
        for thread, own in events.allocated.items():
            allocated[thread] = np.concatenate([allocated.get(thread, own[:0]), own])
    try:
        kept = json.loads((folder / CLOCKS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise nothing_recorded("no CPU time of threads is there") from None
    clocks = {int(thread): np.array(own) for thread, own in kept.items()}
    events = Events(tuple(samples), allocated)
    return units_of(" ".join(command), events, clocks, unit_ms, threads, complete=complete)


def _settings() -> str:
    rows = "".join(
        f'<event name="{name}"><setting name="enabled">true</setting>'
        f'<setting name="period">{period} ms</setting></event>'
        for name, period in _EVENTS.items()
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><configuration version="2.0">{rows}</configuration>'
    )


class _CpuClock:
    """CPU time of each thread of a process and its children, as the kernel counts it."""

    def __init__(self) -> None:
        self._rows = dict[int, list[tuple[float, float]]]()
        self.kept = time.monotonic()

    def keep(self, folder: Path) -> None:
        """Write what there is."""
        fresh = folder / f"{CLOCKS}.new"
        fresh.write_text(json.dumps(self._rows), encoding="utf-8")
        fresh.replace(folder / CLOCKS)
        self.kept = time.monotonic()

    def poll(self, pid: int) -> None:
        """Note all threads now. Those that ended meanwhile are left out."""
        for process in (pid, *_children(pid)):
            for task in Path(f"/proc/{process}/task").glob("*"):
                try:
                    spent = int((task / "schedstat").read_bytes().split()[0])
                except (OSError, IndexError, ValueError):
                    continue
                own = self._rows.setdefault(int(task.name), [])
                if not own or own[-1][1] != spent / 1e9:
                    own.append((time.time(), spent / 1e9))


def _children(pid: int) -> list[int]:
    found = list[int]()
    try:
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            found += [int(n) for n in task.read_text(encoding="ascii").split()]
    except (OSError, ValueError):
        return found
    return found


@dataclass(frozen=True, slots=True)
class Sample:
    """The methods on a stack of a thread, each once, and when."""

    when: float
    thread: int
    name: str
    methods: frozenset[str]


@dataclass(frozen=True, slots=True)
class Events:
    """``allocated``: by thread, when and the bytes allocated so far."""

    samples: tuple[Sample, ...]
    allocated: dict[int, Floats]


def _events(jfr: str, recording: Path) -> Events:
    command = [jfr, "print", "--json", "--stack-depth", str(DEPTH), "--events", _READ]
    done = subprocess.run([*command, str(recording)], capture_output=True, check=False)
    try:
        return read_events(json.loads(done.stdout.decode("utf-8", "replace")))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise nothing_recorded("`jfr print` cannot read the recording") from None


def read_events(document: Any) -> Events:
    """From what ``jfr print --json`` writes."""
    samples, allocated = list[Sample](), dict[int, list[tuple[float, float]]]()
    for event in document["recording"]["events"]:
        values = event["values"]
        when = _seconds(values["startTime"])
        if event["type"] == "jdk.ThreadAllocationStatistics":
            thread = values["thread"]
            if thread:
                row = (when, float(values["allocated"]))
                allocated.setdefault(int(thread["osThreadId"]), []).append(row)
        elif (thread := values["sampledThread"]) and (stack := values["stackTrace"]):
            methods = frozenset(map(_method, stack["frames"]))
            name = thread["javaName"] or thread["osName"] or ""
            samples.append(Sample(when, int(thread["osThreadId"]), name, methods))
    samples.sort(key=lambda one: one.when)
    return Events(tuple(samples), {n: np.array(sorted(own)) for n, own in allocated.items()})


_FRACTION = re.compile(r"\.(\d{1,6})\d*")
_LAMBDA = re.compile(r"\$\$Lambda.*|\$\d+(?=\.|$)")


def _seconds(text: str) -> float:
    return datetime.fromisoformat(_FRACTION.sub(r".\1", text)).timestamp()


def _method(frame: Any) -> str:
    """``Class.method``: lambdas and other classes that are numbered at each run as one."""
    method = frame["method"]
    kind = str(method["type"]["name"]).replace("/", ".")
    return f"{_LAMBDA.sub('$', kind)}.{method['name']}"


def units_of(
    source: str, events: Events, clocks: dict[int, Floats], unit_ms: int, threads: str | None,
    *, complete: bool,
) -> UnitTable:  # fmt: skip
    """Cut the CPU time of the threads into units. Raises K963 where there are fewer than two."""
    own = _choose_threads(events.samples, threads)
    samples = [one for one in events.samples if one.name in own]
    numbers = {one.thread for one in samples}
    spent = _together([clocks[n] for n in sorted(numbers) if n in clocks])
    allocated = _together([events.allocated[n] for n in sorted(numbers) if n in events.allocated])
    if not samples or len(spent) < 2 or len(allocated) < 2:
        raise nothing_recorded("no thread was sampled", "--threads PATTERN names others")
    unit = unit_ms / 1000
    count = int(spent[-1, 1] / unit + 0.5)
    if count < 2:
        hint = f"a unit is {unit_ms} ms of CPU time; --unit makes it less"
        raise nothing_recorded("the program ran for less than two units", hint)
    edges = np.interp(np.arange(count + 1) * unit, spent[:, 1], spent[:, 0])
    work = np.full(count, unit)
    cost = np.diff(np.interp(edges, allocated[:, 0], allocated[:, 1])) / 1e6
    features = sorted({m for one in samples for m in one.methods})
    shares, counts = _shares(samples, edges, features)
    kept = counts > 0
    described = f"{unit_ms} ms of CPU time of threads '{_family(samples[0].name)}...'"
    return UnitTable(
        source, "JFR", described, "method", RATE, tuple(features), shares[kept], cost[kept],
        work[kept], {"samples": counts[kept]}, complete,
    )  # fmt: skip


def _shares(
    samples: Sequence[Sample], edges: Floats, features: Sequence[str]
) -> tuple[Floats, Floats]:
    place = {name: n for n, name in enumerate(features)}
    count = len(edges) - 1
    shares, counts = np.zeros((count, len(features))), np.zeros(count)
    for one in samples:
        row = int(np.searchsorted(edges, one.when, side="right")) - 1
        if 0 <= row < count:
            counts[row] += 1
            shares[row, [place[m] for m in one.methods]] += 1
    return shares / np.maximum(counts, 1)[:, None], counts


def _together(columns: Sequence[Floats]) -> Floats:
    """What several threads have counted together, at each time that one was looked at."""
    if not columns:
        return np.zeros((0, 2))
    times: Floats = np.unique(np.concatenate([column[:, 0] for column in columns]))
    total: Floats = np.zeros(len(times))
    for column in columns:
        seen = cast("Floats", np.interp(times, column[:, 0], column[:, 1] - column[0, 1]))
        total = total + seen
    return np.column_stack([times, total])


def _family(name: str) -> str:
    return re.split(r"\d", name, maxsplit=1)[0].rstrip()


def _choose_threads(samples: Sequence[Sample], pattern: str | None) -> set[str]:
    if pattern is not None:
        return {one.name for one in samples if re.search(pattern, one.name)}
    counts = dict[str, int]()
    for one in samples:
        counts[_family(one.name)] = counts.get(_family(one.name), 0) + 1
    if not counts:
        return set()
    most = max(counts, key=lambda name: counts[name])
    return {one.name for one in samples if _family(one.name) == most}
