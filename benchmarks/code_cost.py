"""What the compiler's code costs an estimate: seconds of a configuration beyond NVRTC.

    python -m benchmarks.code_cost --sources FOLDER [--data ../shared] [--sample 32] [--seed 1]
                                   [--only convolution_milo_a100]

Rows of measured tables whose sources are CUDA (benchmarks/ledger.py), a sample of each that the
seed draws. NVRTC makes the PTX, once and stated apart. Of that PTX each row is estimated with
ptxas's code, none of which is kept from before. `the code` is what `--code kcc` has not: until the
estimate need not wait for the tools any more, which work beside it on another core, and has made
the code its machine program; as CPU seconds that and all from PTX to instructions with their
origins, which `alone` is when nothing is done beside it. Median and 95 % of the rows; CPU is that
of all processes, those that stay alive among them (Linux). The first row comes twice: native code
is compiled or loaded.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from benchmarks.ledger import commit
from benchmarks.ledger_cases import NVRTC, cases_of
from benchmarks.measured_tables import TABLES
from kcc.base.diagnostics import DiagnosticError
from kcc.commands.machine_code import code_request
from kcc.frontend.constant_math import fold_math
from kcc.frontend.machine_code.nvidia import nvidia_code
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.ptx.doors import nvrtc
from kcc.stages.analyze import compile_unit
from kcc.stages.estimate import Question, Workshop
from kcc.validation.case import Case
from kcc.validation.predict import described

T = TypeVar("T")

DEFAULT_TABLES = (
    "convolution_milo_a100", "coulomb3d_rtx2080ti_counters", "hotspot_a100", "dedispersion_a100",
)  # fmt: skip
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Seconds:
    """Of the clock on the wall and of all processes' CPUs."""

    wall: float
    cpu: float

    def __sub__(self, other: Seconds) -> Seconds:
        return Seconds(self.wall - other.wall, self.cpu - other.cpu)


def now() -> Seconds:
    """This process, its children that have ended and those that live."""
    return Seconds(time.perf_counter(), sum(os.times()[:4]) + sum(map(_of_child, _processes())))


def _processes() -> Iterator[int]:
    return (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())


def _of_child(process: int) -> float:
    """CPU seconds of a living child with its own children (proc(5), stat)."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0.0
    values = text.rpartition(")")[2].split()
    return sum(map(int, values[11:15])) / TICKS if int(values[1]) == os.getpid() else 0.0


class Clock:
    """Seconds of stages, by name, in their order."""

    def __init__(self) -> None:
        self.stages = defaultdict[str, list[Seconds]](list)

    def __call__(self, name: str, work: Callable[[], T]) -> T:
        """As :data:`kcc.passes.facts.Around`."""
        began = now()
        try:
            return work()
        finally:
            self.stages[name].append(now() - began)


class KeptPtx:
    """NVRTC's PTX, made once of each source and its options."""

    def __init__(self) -> None:
        self._made, self._texts = nvrtc.ptx_text, dict[str, str]()
        self.seconds = Seconds(0.0, 0.0)

    def __call__(self, source: SourceText, options: BuildOptions, library: Path) -> str:
        """As :func:`kcc.frontend.ptx.doors.nvrtc.ptx_text`."""
        key = repr((source, options))
        if key not in self._texts:
            began = now()
            self._texts[key] = self._made(source, options, library)
            self.seconds = now() - began
        return self._texts[key]


def measured(case: Case, kept: KeptPtx) -> dict[str, Seconds] | None:
    """Seconds of a row by what they are of; None where it has no such estimate."""
    works, gpu = case.works(), described(case.gpu)
    asked = code_request("compiler", gpu)
    if isinstance(works, str) or asked is None or asked.tools is None:
        return None
    tools = replace(asked.tools, cache=None)
    code = replace(asked, tools=tools)
    question = Question(analysis=case.caches, codes={gpu.stem: code}, code_needed=True)
    clock = Clock()
    try:
        unit = fold_math(compile_unit(works[0].request()))
        children, began = sum(os.times()[2:4]), now()
        nvidia_code(unit, tools)
        alone, of_tools = now() - began, sum(os.times()[2:4]) - children
        began = now()
        workshop = Workshop(clock, [code])
        (prepared,) = workshop.prepare(works[0].request())
        workshop.estimate(prepared, gpu, question)
        whole = now() - began
    except DiagnosticError as error:
        print(f"{case.key}: {error.diagnostics[0].message}", file=sys.stderr)
        return None
    (waited,), (_, program) = clock.stages["machine code"], clock.stages["machine program"]
    return {
        "NVRTC": kept.seconds,
        "estimate": whole,
        "the code": Seconds(waited.wall + program.wall, alone.cpu + program.cpu),
        "- waited": waited,
        "- its program": program,
        "alone": alone,
        "- tools, CPU": Seconds(0.0, of_tools),
    }


def main() -> int:
    """Time rows, and print what they took."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--sample", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    nvrtc.ptx_text = kept = KeptPtx()
    for table in TABLES:
        if table.name not in (options.only or DEFAULT_TABLES):
            continue
        cases = cases_of(
            table, options.data / "truth", options.sources, options.sample, options.seed, NVRTC
        )
        measured(cases[0], kept)
        rows = list[dict[str, Seconds]]()
        for case in cases:
            found = measured(case, kept)
            if found is not None:
                rows.append(found)
                told = (f"{name} {x.wall:.2f} {x.cpu:.2f}" for name, x in found.items())
                print(f"{case.key}: {', '.join(told)}", file=sys.stderr, flush=True)
        print(f"{table.name} at {commit()}: {len(rows)} rows, load {os.getloadavg()[0]:.1f}")
        print(f"{'seconds: median, 95 %':28s} {'wall':>12s} {'CPU':>14s}")
        for name in rows[0] if rows else ():
            walls, cpus = [r[name].wall for r in rows], [r[name].cpu for r in rows]
            print(f"{name:28s} {_told(walls)}   {_told(cpus)}", flush=True)
    return 0


def _told(values: Iterable[float]) -> str:
    rows = sorted(values)
    last = rows[min(len(rows) - 1, int(0.95 * len(rows)))]
    return f"{statistics.median(rows):6.2f} {last:6.2f}"


if __name__ == "__main__":
    sys.exit(main())
