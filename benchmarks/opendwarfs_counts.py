"""kcc's profiles of OpenDwarfs kernels against the counts an interpreter made of them.

The counts are those of ../shared/truth/opendwarfs_dynamic_counts.csv: the metrics of AIWC, a plugin
of oclgrind, for the first launch of each kernel. The kernels and the sizes are those of the public
repository BeauJoh/OpenDwarfs (--sources names a copy); inputs are made as its host programs make
them, except the csr matrices, whose generator is seeded by the process id.

    python -m benchmarks.opendwarfs_counts --sources OpenDwarfs --data ../shared
    ... --sizes medium large    only counts: no addresses are traced
    ... --oclgrind     on the IR that oclgrind makes of the source instead of kcc's at -O1; ends if
                       oclgrind does not count as many instructions in it as kcc (oclgrind-kernel
                       21.10 must be on the path)
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from benchmarks.aiwc_metrics import MemoryMetrics, MemoryReplay
from benchmarks.instruction_counts import LINE, simulation
from kcc.base.trace.decode import TraceDecoder
from kcc.frontend import compile_source
from kcc.frontend.ir.reader import read_module
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel
from kcc.frontend.source_file import read_source
from kcc.tracegen.execute import (
    Execution,
    ExecutionOptions,
    KernelArgument,
    NDRange,
    execute,
    prepare,
)
from kcc.tracegen.profiling.collect import LaunchCollector
from kcc.tracegen.simt.plan import is_barrier
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_file import describe_launch
from kcc.tracegen.trace_tables import tables_of

SIZES = ("tiny", "small", "medium", "large")
TRACED = ("tiny", "small")
"""Sizes whose addresses are compared; those of the others take gigabytes."""

FEATURES, CLUSTERS = 30, 5
"""kmeans: -f 30 of opendwarf_application_parameters.py, and the default number of clusters."""
POINTS = {"tiny": 256, "small": 2048, "medium": 65600, "large": 131072}
MATRIX = {"tiny": 80, "small": 240, "medium": 1440, "large": 4096}
ROWS = {"tiny": 736, "small": 2416, "medium": 14336, "large": 16384}
IMAGE = {"tiny": (80, 16), "small": (128, 80), "medium": (1024, 336), "large": (2048, 1024)}
"""All from opendwarf_application_parameters.py."""

DENSITY, DEVIATION = 0.005, 0.01
"""createcsr's defaults: share of elements that are not zero, deviation of a row's by the mean."""
LUD_BLOCK = SRAD_BLOCK = KMEANS_GROUP = 16
MOST_WORK_ITEMS = 1024
"""oclgrind's largest work-group, which csr.c starts from."""

OLD_OPCODES = {"fneg": "fsub"}
"""Before LLVM 8 a number was negated by subtracting it from -0.0."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of a kernel, as the host program makes it first."""

    source: str
    kernel: str
    shape: NDRange
    arguments: Sequence[KernelArgument]
    macros: tuple[MacroOption, ...] = ()


@cache
def rand(seed: int, count: int) -> NDArray[np.uint32]:
    """The first results of glibc's ``rand()`` after ``srand(seed)`` (its additive feedback
    generator, TYPE_3)."""
    state = [seed]
    for _ in range(30):
        state.append(16807 * state[-1] % 2147483647)
    state += state[:3]
    for i in range(34, 344 + count):
        state.append((state[i - 31] + state[i - 3]) & 0xFFFFFFFF)
    return np.array(state[344:], np.uint32) >> np.uint32(1)


def uniform(seed: int, count: int) -> Floats:
    """``(float)rand() / (float)RAND_MAX``."""
    return rand(seed, count).astype(np.float32) / np.float32(2147483647)


def kmeans(kernel: str, size: str) -> Launch:
    """Points as kmeans.c generates them; the centres are the first points."""
    points = POINTS[size]
    features = uniform(1, points * FEATURES)
    shape = NDRange((points,), (KMEANS_GROUP,))
    counts = np.int32(points), np.int32(FEATURES)
    if kernel == "invert_mapping":
        arguments = [features, np.zeros_like(features), *counts]
    else:
        columns = features.reshape(points, FEATURES).T.ravel()
        membership, centres = np.zeros(points, np.int32), features[: CLUSTERS * FEATURES]
        arguments = [columns, *counts[::-1], np.int32(CLUSTERS), membership, centres]
    return Launch("mapreduce/kmeans/kmeans_opencl_kernel.cl", kernel, shape, arguments)


def lud(kernel: str, size: str) -> Launch:
    """The first round, at offset 0."""
    side, block = MATRIX[size], LUD_BLOCK
    rest = side // block - 1
    shape = {
        "lud_diagonal": NDRange((block,), (block,)),
        "lud_perimeter": NDRange((2 * block * rest,), (2 * block,)),
        "lud_internal": NDRange((block * rest, block * rest), (block, block)),
    }[kernel]
    arguments = [matrix(side), np.int32(side), np.int32(0)]
    macros = (MacroOption("BLOCK_SIZE", str(block)),)
    return Launch("dense-linear-algebra/lud/lud_kernel.cl", kernel, shape, arguments, macros)


@cache
def matrix(side: int) -> Floats:
    """Any matrix that can be factored: control flow and addresses do not depend on it."""
    values = np.random.default_rng(side).random((side, side), np.float32)
    values[np.diag_indices(side)] += side
    return values.ravel()


def csr(kernel: str, size: str) -> Launch:
    """A matrix of the generator's distribution."""
    rows, generator = ROWS[size], np.random.default_rng(0)
    mean = rows * DENSITY
    lengths = np.rint(generator.normal(mean, DEVIATION * mean, rows)).clip(0, 2 * mean)
    ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)
    drawn = [generator.choice(rows, int(n), replace=False) for n in lengths]
    columns = np.concatenate([np.sort(d) for d in drawn]).astype(np.uint32)
    values, x, y = (generator.random(n, np.float32) for n in (len(columns), rows, rows))
    local = MOST_WORK_ITEMS if rows % MOST_WORK_ITEMS == 0 else rows & -rows
    source = "sparse-linear-algebra/SPMV/src/spmv_kernel.cl"
    arguments = [np.uint32(rows), ends, columns, values, x, y]
    return Launch(source, kernel, NDRange((rows,), (local,)), arguments)


def srad(kernel: str, size: str) -> Launch:
    """The first iteration on a random image; the speckle's rectangle goes beyond small images,
    where the host program reads what lies beyond: here it ends with them."""
    rows, columns = IMAGE[size]
    image = np.exp(uniform(7, rows * columns).astype(np.float64)).astype(np.float32)
    speckle = image.reshape(rows, columns)[:128, :128].astype(np.float64)
    q0sqr = np.float32(speckle.var() / speckle.mean() ** 2)
    planes = [np.zeros_like(image) for _ in range(4)]
    coefficients = np.zeros_like(image)
    scalars = [np.float32(0.5)] if kernel == "srad_cuda_2" else []
    arguments = [*planes, np.append(image, np.float32(0)), coefficients]
    arguments += [np.int32(columns), np.int32(rows), *scalars, q0sqr]
    shape = NDRange((columns, rows), (SRAD_BLOCK, SRAD_BLOCK))
    return Launch("structured-grids/srad/srad_kernel.cl", kernel, shape, arguments)


APPLICATIONS: dict[str, Callable[[str, str], Launch]] = {
    "kmeans": kmeans,
    "lud": lud,
    "csr": csr,
    "srad": srad,
}


@dataclass(frozen=True, slots=True)
class Measured:
    """What kcc says of a launch. ``instructions`` are those of threads and the phis, which AIWC
    counts and kcc does not; ``opcodes`` how many kinds make up 90 % of them; ``branch_lines`` how
    many lines have a conditional branch that was reached."""

    instructions: int
    opcodes: int
    work_items: int
    barriers: int
    branch_lines: int
    memory: MemoryMetrics | None


@dataclass(frozen=True, slots=True)
class Program:
    """A launch's kernel, compiled; ``interpreted`` is what oclgrind counts for it, if that was
    asked."""

    unit: CompiledUnit
    kernel: Kernel
    interpreted: int | None = None


def compiled(path: Path, launch: Launch, level: OptLevel) -> Program:
    """The launch's kernel as kcc compiles it."""
    options = BuildOptions(macros=launch.macros, opt_level=level)
    unit = compile_source(read_source(str(path / launch.source)), options, "auto")
    return Program(unit, next(k for k in unit.kernels if k.name == launch.kernel))


def compiled_by_oclgrind(path: Path, launch: Launch) -> Program:
    """The launch's kernel as oclgrind compiles it, and how many instructions it executes."""
    own = compiled(path, launch, OptLevel.O1)
    defines = "".join(f"#define {m.name} {m.value}\n" for m in launch.macros)
    text = defines + (path / launch.source).read_text("utf-8") + f"// {launch.kernel}\n"
    with tempfile.TemporaryDirectory() as folder:
        source, script = Path(folder) / "kernel.cl", Path(folder) / "kernel.sim"
        source.write_text(text, "utf-8")
        script.write_text(simulation(own.kernel, launch.shape, launch.arguments, source), "utf-8")
        command = ["oclgrind-kernel", "--inst-counts", str(script)]
        environment = {**os.environ, "OCLGRIND_DUMP_SPIR": "1"}
        done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    digits = str.maketrans("", "", ",.'")
    rows = (LINE.fullmatch(line) for line in done.stdout.splitlines())
    ir = _without_debug_records(_dumped(text))
    module = read_module(ir)
    function = next(f for f in module.kernels if f.name == own.kernel.symbol)
    return Program(
        replace(own.unit, ir=ir, module=module),
        replace(own.kernel, function=function),
        sum(int(row[1].translate(digits)) for row in rows if row),
    )


def _dumped(source: str) -> str:
    """The IR oclgrind has made of a source: it leaves both under the same name in /tmp."""
    for path in Path("/tmp").glob("oclgrind_*.cl"):
        if path.read_text("utf-8") == source:
            bitcode = path.with_suffix(".bc").read_bytes()
            for suffix in (".cl", ".ll", ".bc"):
                path.with_suffix(suffix).unlink()
            with llvm.create_context() as context, llvm.parse_bitcode(bitcode, context) as module:
                return str(module)
    raise SystemExit("oclgrind has left no IR in /tmp")


def _without_debug_records(ir: str) -> str:
    return "\n".join(line for line in ir.splitlines() if not line.lstrip().startswith("#dbg_"))


def measure(program: Program, launch: Launch, *, traced: bool) -> Measured:
    """Run the launch; if it is to be traced, profile it and replay its accesses."""
    unit, kernel = program.unit, program.kernel
    if not traced:
        done = execute(unit, kernel, launch.shape, launch.arguments)
        return _measured(done, launch, None)
    options = ExecutionOptions(trace=TraceMode.ADDRESSES)
    ready = prepare(unit, kernel, launch.shape, launch.arguments, options)
    tables = tables_of(ready.plan, kernel, unit)
    said = describe_launch(ready, 0, 0, addresses=True)
    collector, replay = LaunchCollector(tables, said), MemoryReplay(tables, said)
    decoder = TraceDecoder(tables, addresses=True)

    def take(first_block: int, words: NDArray[np.uint32]) -> None:
        for batch in decoder.decode(first_block, words):
            collector.add(batch)
            replay.add(batch)

    ready.options = ExecutionOptions(trace=TraceMode.ADDRESSES, on_trace=take)
    done = ready.run()
    profile, result = collector.finish(0), _measured(done, launch, replay.finish())
    assert profile.thread_instructions == done.thread_instructions
    assert sum(node.scount for node in profile.nodes) == result.barriers
    return result


def _measured(done: Execution, launch: Launch, memory: MemoryMetrics | None) -> Measured:
    opcodes, lines, barriers = Counter[str](), set[int](), 0
    for block, count in zip(done.plan.function.blocks, done.counts, strict=True):
        for instruction in block.instructions:
            word = instruction.opcode.word
            opcodes[OLD_OPCODES.get(word, word)] += count.lanes
            barriers += count.lanes * is_barrier(instruction)
        end = block.instructions[-1]
        if count.lanes and len(block.successors) > 1 and end.location:
            lines.add(end.location.line)
    most = np.cumsum([n for _, n in opcodes.most_common()])
    return Measured(
        instructions=opcodes.total(),
        opcodes=int(np.searchsorted(most, -(-9 * opcodes.total() // 10))) + 1,
        work_items=math.prod(launch.shape.global_size),
        barriers=barriers,
        branch_lines=len(lines),
        memory=memory,
    )


Row = dict[str, str]


def truth(path: Path, sizes: Sequence[str]) -> Iterator[Row]:
    """The interpreter's rows for those sizes."""
    with (path / "truth" / "opendwarfs_dynamic_counts.csv").open(encoding="utf-8") as file:
        yield from (row for row in csv.DictReader(file) if row["size"] in sizes)


def entropy_difference(row: Row, memory: MemoryMetrics) -> float:
    """The largest difference of the eleven entropies, in bits."""
    names = ["global_memory_address_entropy"]
    names += [f"local_memory_address_entropy_{bits}" for bits in range(1, 11)]
    pairs = zip(names, memory.entropies, strict=True)
    return max(abs(float(row[name]) - ours) for name, ours in pairs)


def _pair(ours: int, theirs: str) -> str:
    """Ours beside AIWC's, which has six digits; "same" where they do not differ in those."""
    same = f"{ours:.6g}" == f"{float(theirs):.6g}"
    return f"{ours:,} same" if same else f"{ours:,} / {float(theirs):,.0f}"


HEAD = (
    "launch", "work-items", "barriers", "AIWC: instructions", "kcc", "by", "opcodes",
    "branch lines", "accesses", "addresses", "footprint", "of 90 %", "entropies off by",
)  # fmt: skip


def report(path: Path, row: Row, *, oclgrind: bool) -> str:
    """The table's row for one row of the interpreter's."""
    launch = APPLICATIONS[row["application"]](row["kernel"], row["size"])
    program = (
        compiled_by_oclgrind(path, launch) if oclgrind else compiled(path, launch, OptLevel.O1)
    )
    ours = measure(program, launch, traced=row["size"] in TRACED)
    if program.interpreted is not None and program.interpreted != ours.instructions:
        raise SystemExit(f"{launch.kernel}: oclgrind counts {program.interpreted:,} instructions, "
                         f"kcc {ours.instructions:,} on the same IR")  # fmt: skip
    theirs = float(row["total_instruction_count"])
    cells = [
        f"{row['kernel']} {row['size']}",
        _pair(ours.work_items, row["workitems"]),
        _pair(ours.barriers, row["total_barriers_hit"]),
        f"{theirs:,.0f}",
        f"{ours.instructions:,}",
        f"{100 * (ours.instructions / theirs - 1):+.1f} %",
        _pair(ours.opcodes, row["opcode"]),
        _pair(ours.branch_lines, row["total_unique_branch_instructions"]),
    ]
    if ours.memory is not None:
        cells += [
            f"{ours.memory.accesses:,}",
            f"{ours.memory.whole_footprint:,}",
            _pair(ours.memory.footprint, row["total_memory_footprint"]),
            _pair(ours.memory.ninety_percent, row["ninety_percent_memory_footprint"]),
            f"{entropy_difference(row, ours.memory):.4f}",
        ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sources", type=Path, required=True, help="a copy of OpenDwarfs")
    parser.add_argument("--data", type=Path, required=True, help="the folder with truth/ in it")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=TRACED)
    parser.add_argument("--kernels", nargs="+", help="only these")
    parser.add_argument("--oclgrind", action="store_true", help="on the IR that oclgrind makes")
    options = parser.parse_args()
    print("| " + " | ".join(HEAD) + " |\n" + "|---" * len(HEAD) + "|")
    for row in truth(options.data, options.sizes):
        if not options.kernels or row["kernel"] in options.kernels:
            print(report(options.sources, row, oclgrind=options.oclgrind), flush=True)


if __name__ == "__main__":
    main()
