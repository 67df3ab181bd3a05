"""``kill -9`` at random times, then the same command again: what stands under an output's name is
whole at all times, and the second run gives the bytes of a run that nobody killed."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from kcc import cli
from tests.robustness.commands import entered, run_command
from tests.robustness.damage.samples import LAUNCH, SWEEP, make_samples
from tests.robustness.journal import Entry

LIMIT_SECONDS = 120.0
COLD_SECONDS = 900.0
"""Of wall time for a first run, which may have to compile the models."""
SLACK = 1.05
"""Kills are drawn over so much of the time that the command takes: some come too late."""
SECONDS_TO_SEE = 0.002
OLD = b"from before\n"
BAD = ("half-written", "second run fails", "other bytes")
"""Outcomes that are faults, beside a hang."""
CACHE = "KCC_CACHE_DIR"


@dataclass(frozen=True, slots=True)
class Command:
    """What is run, what it writes, and whether the kill goes to one of its workers."""

    arguments: tuple[str, ...]
    targets: tuple[str, ...]
    of_worker: bool = False


MINIATURE = ("mini/kernel.cl", "mini/workload.py", "mini/kernel.cu", "mini/kernel.ll")
COMMANDS: dict[str, Command] = {
    "trace": Command(("trace", "host.py", "-o", "out.kct"), ("out.kct",)),
    "static trace": Command(("trace", "k.cl", *LAUNCH, "-o", "out.kct"), ("out.kct",)),
    "sweep": Command(
        ("estimate", "k.cl", *LAUNCH, *SWEEP, "--json", "out.json", "--resume"), ("out.json",)
    ),
    "simulate": Command(
        ("simulate", "x.kct", "--gpu", "conf1", "--json", "out.json", "--csv", "out.csv"),
        ("out.json", "out.csv"),
    ),
    "resumed trace": Command(("trace", "host.py", "-o", "out.kct", "--resume"), ("out.kct",)),
    "resumed simulate": Command(
        ("simulate", "x.kct", "--gpu", "conf1,v100", "--json", "out.json", "--resume"),
        ("out.json",),
    ),
    "resumed synth": Command(
        ("synth", "host.py", "--gpu", "conf1", "--reduction", "auto", "-o", "mini", "--resume"),
        MINIATURE,
    ),
    "explore": Command(
        ("explore", "x.kct", "--gpu", "v100", "--sweep", "sms=40,80", "--json", "out.json"),
        ("out.json",),
    ),
    "synth": Command(("synth", "host.py", "-o", "mini"), MINIATURE),
    "a worker of a sweep": Command(
        ("estimate", "k.cl", *LAUNCH, *SWEEP, "--jobs", "2", "--json", "out.json", "--resume"),
        ("out.json",),
        of_worker=True,
    ),
}


@dataclass(frozen=True, slots=True)
class Reference:
    """What an undisturbed run writes, and how long it takes on this machine at this load."""

    written: dict[str, bytes]
    seconds: float


def _started(command: Command) -> int:
    """A child that runs the command in a process group of its own."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        silent = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(silent, descriptor)
        code = 3
        try:
            code = cli.main(command.arguments)
        finally:
            os._exit(code)
    return child


def _ended(child: int, seconds: float) -> int | None:
    """The exit code, or minus the signal; None while it runs on after so many seconds."""
    end = time.monotonic() + seconds
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > end:
            return None
        time.sleep(SECONDS_TO_SEE)


def _end_group(child: int) -> None:
    for number in (child, -child):
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _completed(command: Command, limit_seconds: float = LIMIT_SECONDS) -> int | None:
    """Run to the end; None when it does not come to one."""
    child = _started(command)
    code = _ended(child, limit_seconds)
    if code is None:
        _end_group(child)
        os.waitpid(child, 0)
    return code


def _workers(child: int) -> list[int]:
    """Its children, the helper that counts their resources apart (proc(5): fields of stat)."""
    found = list[int]()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text("ascii").rsplit(")", 1)[1].split()[1])
            if parent == child and b"resource_tracker" not in (path / "cmdline").read_bytes():
                found.append(int(path.name))
        except OSError:
            continue
    return sorted(found)


def reference(command: Command, samples: Path) -> Reference:
    """The second of two undisturbed runs: the first may compile."""
    written, seconds = dict[str, bytes](), 0.0
    for _ in range(2):
        with _copied(samples):
            start = time.monotonic()
            code = _completed(command, COLD_SECONDS)
            assert code == 0, f"{command.arguments} ended with {code}"
            seconds = time.monotonic() - start
            written = {name: Path(name).read_bytes() for name in command.targets}
    return Reference(written, seconds)


class _copied:  # noqa: N801 -- reads as a context
    """A copy of the samples, entered, with a cache of kernels of its own."""

    def __init__(self, samples: Path) -> None:
        self.samples = samples

    def __enter__(self) -> None:
        self._folder = TemporaryDirectory()
        folder = Path(self._folder.name)
        shutil.copytree(self.samples, folder, dirs_exist_ok=True)
        self._inside = entered(folder)
        self._inside.__enter__()
        self._before = os.environ.get(CACHE)
        os.environ[CACHE] = str(folder / "cache")

    def __exit__(self, *_: object) -> None:
        del os.environ[CACHE]
        if self._before is not None:
            os.environ[CACHE] = self._before
        self._inside.__exit__(None, None, None)
        self._folder.cleanup()


def judge(case: str, samples: Path, known: Reference) -> Entry:
    """One kill and one more run."""
    name = case.rsplit(":", 1)[0]
    rng, command = random.Random(case), COMMANDS[name]
    old = rng.random() < 0.5 and command.targets is not MINIATURE
    with _copied(samples):
        if old:
            for target in command.targets:
                Path(target).write_bytes(OLD)
        child = _started(command)
        code = _killed(child, command, rng.uniform(0, SLACK * known.seconds))
        if code is None:
            return Entry(case, f"{name}: hang", "after its worker died")
        if wrong := _half_written(command, known, old=old):
            return Entry(case, f"{name}: half-written", wrong)
        again = _completed(command)
        if again != 0:
            return Entry(case, f"{name}: second run fails", str(again))
        for target, wanted in known.written.items():
            if Path(target).read_bytes() != wanted:
                return Entry(case, f"{name}: other bytes", target)
    return Entry(case, f"{name}: killed" if code < 0 else f"{name}: ended with {code} before")


def _killed(child: int, command: Command, seconds: float) -> int | None:
    """Kill the command, or one of its workers, after so many seconds; how the command ended."""
    code = _ended(child, seconds)
    if code is not None:
        return code
    if not command.of_worker:
        _end_group(child)
        return _ended(child, LIMIT_SECONDS)
    workers = _workers(child)
    for worker in workers[:1]:
        os.kill(worker, signal.SIGKILL)
    code = _ended(child, LIMIT_SECONDS)
    if code is None:
        _end_group(child)
        os.waitpid(child, 0)
    return -signal.SIGKILL if workers and code == 1 else code


def _half_written(command: Command, known: Reference, *, old: bool) -> str | None:
    """The first output that is neither as before nor whole."""
    for target, wanted in known.written.items():
        path = Path(target)
        if not path.exists():
            if old:
                return f"{target} is gone"
            continue
        if path.read_bytes() not in ((wanted, OLD) if old else (wanted,)):
            return target
    return None


def cases(first: int, count: int) -> list[str]:
    """So many kills in all, the commands in turn."""
    names = list(COMMANDS)
    return [f"{names[n % len(names)]}:{n // len(names)}" for n in range(first, first + count)]


def judged(wanted: list[str]) -> Iterator[Entry]:
    """The entries of cases."""
    with TemporaryDirectory() as name:
        samples = Path(name)
        with entered(samples):
            make_samples(samples)
            run_command("gpus", "list")
        known = dict[str, Reference]()
        for case in wanted:
            command = case.rsplit(":", 1)[0]
            if command not in known:
                known[command] = reference(COMMANDS[command], samples)
            yield judge(case, samples, known[command])
