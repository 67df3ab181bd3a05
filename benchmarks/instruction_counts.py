"""Instruction counts, opcode by opcode: kcc's engine against oclgrind's on the same IR.

Each kernel's canonical IR is written in the spelling of LLVM 14 and run by oclgrind-kernel with the
same arguments (kernel.toml's launch). oclgrind executes work-item by work-item and counts every
instruction; kcc counts blocks and active lanes. Every opcode must agree, but for what
:func:`differences` takes out: phis, which kcc does not count, and the bitcasts that LLVM 14's typed
pointers need.

    python -m benchmarks.instruction_counts             compare with the counts kept in data/
    python -m benchmarks.instruction_counts --oclgrind  run oclgrind 21.10 and LLVM 14's llvm-as
    python -m benchmarks.instruction_counts --oclgrind --keep   and keep what it counted
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.typed_ir import LEFT_OUT, OTHER_NAMES, TypedWriter, inserted_casts
from kcc.frontend.ir.instructions import AnyInstruction, Call, Load, Store
from kcc.frontend.ir.model import Function, Module
from kcc.frontend.ir.reader import read_module
from kcc.frontend.ir.types import PtrTy
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.tracegen.execute import Execution, KernelArgument, LocalMemory, NDRange, execute
from tests.kernels.harness import launch_of
from tests.tracegen import engine

KERNELS = (
    ("vecadd", "vecadd"),
    ("matmul", "matmul_tiled"),
    ("mandelbrot", "mandelbrot"),
    ("hotspot", "hotspot"),
    ("bfs", "BFS_1"),
    ("kmeans", "kmeans_kernel_c"),
    ("spmv", "spmv_csr_scalar_kernel"),
    ("nbody", "nbody_sim"),
    ("blackscholes", "BlackScholes"),
    ("lud", "lud_internal"),
)
"""Workload and kernel: those of benchmarks.execution, with the launches of their kernel.toml."""

DATA = Path(__file__).parent / "data"
COUNTS = DATA / "instruction_counts.json"

SPACES = {0: "private", 1: "global", 2: "constant", 3: "local", 4: "private"}
LINE = re.compile(r"\s*([\d,.']+) - (.+?)(?: \([\d,.']+ bytes\))?$")

Counts = dict[str, int]


class CountedLaunch:
    """One kernel with its arguments, compiled now or from the IR kept in data/."""

    def __init__(self, workload: str, kernel: str, *, kept: bool) -> None:
        launch = launch_of(workload, kernel)
        self.shape = NDRange(tuple(launch.global_size), tuple(launch.local_size))
        self.unit = engine.compiled(workload)
        self.kernel = engine.kernel_of(self.unit, kernel)
        self.arguments: list[KernelArgument] = engine.arguments(self.kernel, launch)
        if kept:
            self.unit, self.kernel = _from_file(self.unit, self.kernel)

    def run(self) -> Execution:
        """Execute it on kcc's engine."""
        return execute(self.unit, self.kernel, self.shape, self.arguments)


def ir_path(kernel: str) -> Path:
    """Where the IR is kept that oclgrind has run."""
    return DATA / f"{kernel}.ll"


def _from_file(unit: CompiledUnit, kernel: Kernel) -> tuple[CompiledUnit, Kernel]:
    """The unit with the IR kept in data/ in place of today's."""
    text = ir_path(kernel.name).read_text(encoding="utf-8")
    module = read_module(text)
    function = next(f for f in module.kernels if f.name == kernel.symbol)
    return replace(unit, ir=text, module=module), replace(kernel, function=function)


def kcc_counts(function: Function, execution: Execution) -> Counts:
    """Instructions executed by work-items, by oclgrind's names; with the phis, without what
    oclgrind does not know."""
    counts = Counter[str]()
    for block, count in zip(function.blocks, execution.counts, strict=True):
        for instruction in block.instructions:
            if isinstance(instruction, Call) and instruction.callee in LEFT_OUT:
                continue
            counts[oclgrind_name(instruction)] += count.lanes
            counts["bitcast"] += count.lanes * inserted_casts(instruction)
    return {name: count for name, count in counts.items() if count}


def oclgrind_name(instruction: AnyInstruction) -> str:
    """The line of oclgrind's histogram an instruction is counted in."""
    word = instruction.opcode.word
    match instruction:
        case Call():
            return f"call {OTHER_NAMES.get(instruction.callee, instruction.callee)}()"
        case Load() | Store():
            assert isinstance(instruction.pointer.type, PtrTy)
            return f"{word} {SPACES[instruction.pointer.type.space]}"
        case _:
            return word


def differences(ours: Counts, theirs: Counts) -> dict[str, tuple[int, int]]:
    """Names whose counts differ: kcc's and oclgrind's."""
    names = sorted(ours.keys() | theirs.keys())
    pairs = {n: (ours.get(n, 0), theirs.get(n, 0)) for n in names}
    return {n: pair for n, pair in pairs.items() if pair[0] != pair[1]}


def run_oclgrind(item: CountedLaunch) -> Counts:
    """What oclgrind counts for the launch."""
    with tempfile.TemporaryDirectory() as folder:
        program = assemble(item.unit.module, item.kernel.function, Path(folder))
        script = Path(folder) / "kernel.sim"
        script.write_text(simulation(item.kernel, item.shape, item.arguments, program), "utf-8")
        command = ["oclgrind-kernel", "--inst-counts", str(script)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    rows = (LINE.fullmatch(line) for line in done.stdout.splitlines())
    digits = str.maketrans("", "", ",.'")
    return {row[2]: int(row[1].translate(digits)) for row in rows if row}


def _assembler() -> str:
    """LLVM 14's: that of the path may be a later one, whose bitcode oclgrind cannot read."""
    debian = Path("/usr/lib/llvm-14/bin/llvm-as")
    return str(debian) if debian.exists() else "llvm-as-14"


def assemble(module: Module, function: Function, folder: Path) -> Path:
    """A kernel as bitcode that oclgrind reads."""
    text, program = folder / "kernel.ll", folder / "kernel.bc"
    text.write_text(TypedWriter(module, function).write(), "utf-8")
    subprocess.run([_assembler(), str(text), "-o", str(program)], check=True)
    return program


def simulation(
    kernel: Kernel, launch: NDRange, arguments: Sequence[KernelArgument], program: Path
) -> str:
    """A launch as oclgrind-kernel reads it: all data as bytes."""
    sizes = (launch.global_size, launch.local_size)
    rows = [str(program), kernel.symbol]
    rows += [" ".join(map(str, (*size, 1, 1)[:3])) for size in sizes]
    for value in arguments:
        if isinstance(value, LocalMemory):
            rows.append(f"<size={value.size_bytes}>")
            continue
        assert isinstance(value, (np.ndarray, np.generic))
        data = value.tobytes()
        rows += [f"<size={len(data)} uchar>", " ".join(map(str, data))]
    return "\n".join(rows) + "\n"


def keep(measured: dict[str, Counts]) -> None:
    """Keep what oclgrind counted, and the IR it ran."""
    for workload, kernel in KERNELS:
        text = engine.compiled(workload).ir
        ir_path(kernel).write_text(_without_debug(text), encoding="utf-8")
    origin = "oclgrind 21.10 (Debian), oclgrind-kernel --inst-counts, on data/KERNEL.ll"
    record = {"origin": origin, "counts": measured}
    COUNTS.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _without_debug(text: str) -> str:
    """The IR without places in the source and other metadata."""
    lines = (line for line in text.splitlines() if not line.startswith("!"))
    return (
        "\n".join(re.sub(r", ![a-z._]+ !\d+|(?<=\)) !dbg !\d+", "", line) for line in lines) + "\n"
    )


def kept_counts() -> dict[str, Counts]:
    """What oclgrind counted, by kernel."""
    return json.loads(COUNTS.read_text(encoding="utf-8"))["counts"]


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--oclgrind", action="store_true", help="run it instead of kept counts")
    parser.add_argument("--keep", action="store_true", help="write what oclgrind counted to data/")
    options = parser.parse_args()
    measured = {} if options.oclgrind else kept_counts()
    head = f"{'kernel':24}{'thread instr':>14}{'left out':>10}{'phi':>10}{'bitcast':>12}"
    print(f"{head}{'oclgrind':>14}  differ")
    for workload, kernel in KERNELS:
        item = CountedLaunch(workload, kernel, kept=not options.oclgrind)
        if options.oclgrind:
            measured[kernel] = run_oclgrind(item)
        done = item.run()
        ours, theirs = kcc_counts(item.kernel.function, done), measured[kernel]
        found = differences(ours, theirs)
        phis, casts = theirs.get("phi", 0), ours.get("bitcast", 0)
        left_out = done.thread_instructions + phis + casts - sum(ours.values())
        row = f"{kernel:24}{done.thread_instructions:14,}{left_out:10,}{phis:10,}{casts:12,}"
        print(f"{row}{sum(theirs.values()):14,}  {found or 'nothing'}", flush=True)
    if options.keep:
        keep(measured)


if __name__ == "__main__":
    main()
