"""kcc's own lowering beside the compilers' code: registers, spills, instructions by class.

    python -m benchmarks.machine_code [--sources FOLDER] [--target sm_80 ...] [--only TEXT]
        [--draw FOLDER --sample N --seed N] [--every N] [--csv FILE] [--keep FILE] [--so-far FILE]

Kernels are those of kernels/ and, of the public suites in the sources folder (gpu-rodinia,
PolyBench-ACC; see benchmarks/suites), all that kcc compiles; with --draw those of so many CUDA
files, each of another of its folders (HeCBench's src: a folder a program). Each is taken with an
assumed launch of 2^20 work-items in thread blocks of 256 (or its own size), arguments unknown, and
both programs with the same counts of blocks, so that what differs is the code. Targets of NVIDIA
need `kcc[nvidia]`. Counts only: nothing of the compilers' code is kept.
"""

from __future__ import annotations

import argparse
import csv
import random
import statistics
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from benchmarks.cuda_acceptance import options_of
from benchmarks.ptxas_registers import units as own_units
from benchmarks.suite_acceptance import SUITES, build_options
from kcc.base.diagnostics import DiagnosticError, InternalError
from kcc.commands.machine_code import code_for
from kcc.frontend import compile_source
from kcc.frontend.constant_math import fold_math
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.machine_code.model import MachineCode
from kcc.frontend.machine_code.numbering import Numbers
from kcc.frontend.options import OptLevel
from kcc.frontend.source_file import read_source
from kcc.passes.facts import Facts
from kcc.passes.registers.counts import estimate_registers
from kcc.passes.symbolic.ranges import Known
from kcc.sim.estimate.facts import estimate_facts
from kcc.sim.flow.launch_flow import Flow, flow_of
from kcc.sim.machine.costs import Generation, Unit, generation_of
from kcc.sim.program.code_size import code_bytes
from kcc.sim.program.compiled.lowering import compiled_program
from kcc.sim.program.lowering import machine_program
from kcc.sim.program.operations import MachineProgram, Memory
from kcc.sim.program.registers import free_registers, registers_of
from kcc.stages.analyze import used_dimensions
from kcc.stages.machine_code import machine_code

TARGETS = ("sm_52", "sm_61", "sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90")
THREADS = {"sm_75": 1024, "sm_86": 1536, "sm_89": 1536}
"""That an SM holds, else 2,048 (NVIDIA: CUDA C++ Programming Guide, technical specifications)."""

FOLDERS = {
    "rodinia-opencl": "gpu-rodinia/opencl", "rodinia-cuda": "gpu-rodinia/cuda",
    "polybench-cuda": "PolyBench-ACC",
}  # fmt: skip
ITEMS = 1 << 20

MEMORY = (Memory.SHARED_LOAD, Memory.SHARED_STORE, Memory.GLOBAL_LOAD, Memory.GLOBAL_STORE,
          Memory.SHARED_ATOMIC, Memory.GLOBAL_ATOMIC)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """One kernel for one target; counts are warp instructions by a warp. ``fits`` is whether the
    compiler's code was understood: without, only registers and spills are compared."""

    suite: str
    unit: str
    kernel: str
    target: str
    own_registers: int
    registers: int
    own_spills: bool
    spills: bool
    fits: bool
    misfit: float
    unattributed: float
    own_instructions: float
    instructions: float
    own_memory: float
    memory: float
    own_code_bytes: float
    code_bytes: float
    own_classes: str
    classes: str

    @property
    def ratio(self) -> float:
        """Own warp instructions over the compiler's."""
        return self.own_instructions / self.instructions


KEPT: tuple[str, ...] = (
    "unit",
    "kernel",
    "target",
    "registers",
    "spills",
    "instructions",
    "memory",
    "code_bytes",
)
"""Columns of what a test compares with (benchmarks/data/machine_code_sm80.csv)."""


def units(sources: Path | None, only: str) -> Iterator[tuple[str, str, CompiledUnit]]:
    """Suite, name and unit of all that is compared."""
    if only in "kernels":
        for name, unit in own_units():
            yield "kernels", name, unit
    for suite, folder in FOLDERS.items():
        if sources is None or only not in suite:
            continue
        facts: dict[str, Any] = tomllib.loads((SUITES / f"{suite}.toml").read_text())
        for each in _files(facts):
            path, words = sources / folder / each.get("unit", each["file"]), each.get("options", [])
            try:
                options = (
                    build_options({**each, "options": words}, sources / folder, OptLevel.O2)
                    if suite.endswith("opencl")
                    else replace(options_of(words, sources / folder), opt_level=OptLevel.O2)
                )
                yield suite, each["file"], compile_source(read_source(str(path)), options)
            except (DiagnosticError, OSError) as error:
                print(f"left out: {suite} {each['file']}: {str(error)[:100]}", file=sys.stderr)


def drawn(folder: Path, sample: int, seed: int) -> Iterator[tuple[str, str, CompiledUnit]]:
    """As :func:`units`, of files drawn by a seed, until so many were compiled that hold kernels."""
    files = dict[str, list[Path]]()
    for path in sorted(folder.rglob("*.cu")):
        if "__global__" in path.read_text(encoding="utf-8", errors="replace"):
            files.setdefault(path.relative_to(folder).parts[0], []).append(path)
    chance = random.Random(seed)
    order = chance.sample(sorted(files), len(files))
    found = 0
    for path in (chance.choice(files[name]) for name in order):
        if found == sample:
            return
        name = str(path.relative_to(folder))
        try:
            options = replace(options_of([], path.parent), opt_level=OptLevel.O2)
            unit = compile_source(read_source(str(path)), options)
        except (DiagnosticError, InternalError) as error:
            print(f"left out: {name}: {str(error)[:100]}", file=sys.stderr)
            continue
        if unit.kernels:
            found += 1
            yield folder.name, name, unit


def _files(facts: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The units of a suite: each file that includes others once."""
    seen = set[str]()
    for each in facts.get("units", facts.get("files", ())):
        unit = each.get("unit", each["file"])
        if unit not in seen:
            seen.add(unit)
            yield each


def rows_of(
    suite: str, name: str, plain: CompiledUnit, targets: Sequence[str], every: int
) -> Iterator[Row]:
    """The rows of one unit."""
    unit = fold_math(plain)
    for place, target in enumerate(targets):
        if (hash_of(name) + place) % every:
            continue
        try:
            codes = machine_code(unit, code_for(target))
        except DiagnosticError as error:
            print(f"left out: {name} {target}: {str(error)[:100]}", file=sys.stderr)
            continue
        for kernel in unit.kernels:
            if kernel.symbol in codes:
                yield _row(suite, name, unit, kernel, target, codes[kernel.symbol])


def hash_of(name: str) -> int:
    """A number that is the same in every run."""
    return sum(name.encode())


@dataclass(frozen=True, slots=True)
class Own:
    """What kcc makes of a kernel for a target: its program, registers, and how often a warp
    executes each block."""

    program: MachineProgram
    registers: int
    flow: Flow
    facts: Facts

    @property
    def shares(self) -> list[float]:
        """Executions of each block by a warp."""
        return [each / self.flow.warps for each in self.flow.executions]

    @property
    def classes(self) -> dict[str, float]:
        """Warp instructions by unit."""
        return _counts(self.program, self.shares)

    @property
    def accesses(self) -> float:
        """Accesses to global and shared memory by a warp."""
        return _memory(self.program, self.shares)


def own_code(unit: CompiledUnit, kernel: Kernel, target: str) -> Own:
    """Kcc's own lowering of a kernel at the assumed launch."""
    facts = estimate_facts(kernel, unit.module, _launch(kernel), {}, {})
    flow, generation = flow_of(kernel, facts), _generation(target)
    estimate = estimate_registers(kernel.function).count
    program = machine_program(
        kernel, facts, generation, estimate, trips=flow.trips, executions=flow.executions
    )
    free = free_registers(THREADS.get(target, 2048), generation)
    registers = registers_of(kernel, generation, estimate, program, free)
    return Own(program, registers, flow, facts)


def _row(
    suite: str, name: str, unit: CompiledUnit, kernel: Kernel, target: str, code: MachineCode
) -> Row:
    own = own_code(unit, kernel, target)
    theirs = compiled_program(
        kernel, own.facts, code, Numbers.of(unit.module), own.flow.executions, own.flow.warps
    )
    other = {} if theirs is None else _counts(theirs.program, own.shares)
    return Row(
        suite, name, kernel.name, target, own.registers, code.registers,
        any(row.place >= 0 for row in own.program.operations), code.spills, theirs is not None,
        1.0 if theirs is None else theirs.misfit, 1.0 if theirs is None else theirs.unattributed,
        sum(own.classes.values()), sum(other.values()), own.accesses,
        0.0 if theirs is None else _memory(theirs.program, own.shares),
        code_bytes(own.program, _generation(target)), code.code_bytes, _words(own.classes),
        _words(other),
    )  # fmt: skip


def _generation(target: str) -> Generation:
    if target.startswith("gfx"):
        return generation_of(None, is_amd=True)
    return generation_of((int(target[3:-1]), int(target[-1])), is_amd=False)


def _launch(kernel: Kernel) -> Known:
    dimensions = used_dimensions(kernel)
    local = kernel.required_local_size or ((256,), (16, 16), (8, 8, 4))[dimensions - 1]
    side = round(ITEMS ** (1 / dimensions))
    return Known(tuple(max(side // n, 1) * n for n in local), tuple(local), {})


def _counts(program: MachineProgram, shares: Sequence[float]) -> dict[str, float]:
    """Warp instructions by unit."""
    found = dict.fromkeys((unit.name.lower() for unit in Unit), 0.0)
    for block, part in enumerate(program.blocks):
        for number in part:
            row = program.operations[number]
            found[row.unit.name.lower()] += row.slots * shares[block]
    return found


def _memory(program: MachineProgram, shares: Sequence[float]) -> float:
    """Accesses to global and shared memory."""
    return sum(
        program.operations[n].slots * shares[block]
        for block, part in enumerate(program.blocks) for n in part
        if program.operations[n].memory in MEMORY and program.operations[n].access >= 0
    )  # fmt: skip


def _words(counts: Mapping[str, float]) -> str:
    return " ".join(f"{name}={value:.4g}" for name, value in counts.items() if value)


def summary(rows: Sequence[Row]) -> str:
    """The figures over rows: instructions, memory instructions, registers, spills."""
    known = [r for r in rows if r.fits and r.instructions]
    if not known:
        return f"{len(rows)} rows, none understood"
    off = [abs(r.ratio - 1) for r in known]
    equal = [r for r in known if abs(r.own_memory - r.memory) <= 0.01 * max(r.memory, 1)]
    registers = [abs(r.own_registers - r.registers) / r.registers for r in rows]
    spills = sum(r.own_spills == r.spills for r in rows)
    return (
        f"{len(rows)} rows, {len(known)} understood; warp instructions off by "
        f"{statistics.mean(off):.1%} (median {statistics.median(off):.1%}, worst {max(off):.0%}); "
        f"memory instructions equal in {len(equal) / len(known):.1%}; registers off by "
        f"{statistics.median(registers):.1%} in the median; spills right in "
        f"{spills / len(rows):.1%}"
    )


def read_rows(path: Path) -> list[Row]:
    """The rows of a table that was written before."""
    kinds: Mapping[str, Any] = {"int": int, "float": float, "bool": "True".__eq__, "str": str}
    with path.open(encoding="utf-8") as file:
        return [
            Row(**{each.name: kinds[str(each.type)](row[each.name]) for each in fields(Row)})
            for row in csv.DictReader(file)
        ]


def main() -> int:
    """Compare, print, and write the table if wanted."""
    arguments = _arguments()
    rows = read_rows(arguments.so_far) if arguments.so_far else list(_compared(arguments))
    if arguments.csv and rows:
        with arguments.csv.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, asdict(rows[0]), lineterminator="\n")
            table.writeheader()
            table.writerows(asdict(row) for row in rows)
    if arguments.keep and rows:
        with arguments.keep.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, KEPT, extrasaction="ignore", lineterminator="\n")
            table.writeheader()
            table.writerows(asdict(row) for row in rows if row.fits)
    for kind in ("target", "suite"):
        for value in dict.fromkeys(getattr(row, kind) for row in rows):
            print(f"{value}: {summary([r for r in rows if getattr(r, kind) == value])}")
    print(f"all: {summary(rows)}")
    return 0


def _compared(arguments: argparse.Namespace) -> Iterator[Row]:
    found = (
        drawn(arguments.draw, arguments.sample, arguments.seed)
        if arguments.draw
        else units(arguments.sources, arguments.only)
    )
    for suite, name, unit in found:
        for row in rows_of(suite, name, unit, arguments.target or TARGETS, arguments.every):
            said = f"{row.ratio:.2f}" if row.fits and row.instructions else "-"
            print(
                f"{row.target} {row.unit} {row.kernel}: registers {row.own_registers} "
                f"{row.registers}, instructions {said}, memory {row.own_memory:.4g} "
                f"{row.memory:.4g}, misfit {row.misfit:.3f}",
                flush=True,
            )
            yield row


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sources", type=Path, help="the folder of the public suites")
    parser.add_argument("--draw", type=Path, help="a folder with a folder of CUDA for each program")
    parser.add_argument("--sample", type=int, default=80, help="of its files, so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append", help="such as sm_80 or gfx90a (repeatable)")
    parser.add_argument("--only", default="", help="suites whose name holds this")
    parser.add_argument("--every", type=int, default=1, help="of a unit's targets, each n-th")
    parser.add_argument("--csv", type=Path, help="write every row")
    parser.add_argument("--keep", type=Path, help="write the compilers' counts alone")
    parser.add_argument("--so-far", type=Path, help="compare nothing, report a written table")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
