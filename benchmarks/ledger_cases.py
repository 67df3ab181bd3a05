"""Rows of measured tables as cases for :mod:`kcc.validation`."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.measured_programs import Program, Row, Step
from benchmarks.measured_tables import DATA, Table
from benchmarks.public_programs import FLUID, MASKS, OF_MASKS, PEAKS, WITH_HALF, unwrapped
from kcc.base.assumptions import Assumptions
from kcc.base.diagnostics import Span
from kcc.base.expressions import Value, evaluate
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_argument, parse_dimensions, parse_expression
from kcc.frontend import FrontendName
from kcc.frontend.options import BuildOptions, DoorOptions, MacroOption, OptLevel, SourceText
from kcc.frontend.source_file import read_source
from kcc.sim.caches.options import CacheOptions
from kcc.sim.machine.launch_overhead import LaunchWay
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.validation.case import Case, Gpu, Work
from kcc.validation.predict import described

OWN = Path(__file__).parent / "data"
"""Where kernels of our own lie."""

NVRTC: FrontendName = "nvrtc"
OLDEST_NVRTC = (5, 0)
"""Of the compute capabilities that NVRTC 12.9 compiles for."""

_OF_OPENCL = ("volatile", "__global__")
"""Macros by which gemm's OpenCL source is read."""

SAMPLES = 9
"""Values of a loop's counter that stand for all: the first, the last and those evenly between."""


def rows_of(table: Table, data: Path) -> list[Row]:
    """All rows of a table, in our own data or in the folder ``data``."""
    own = OWN / table.file
    with (own if own.exists() else data / table.file).open(encoding="utf-8") as file:
        lines = (line for line in file if not line.startswith("#"))
        return table.rows(csv.DictReader(lines))


def drawn(count: int, sample: int, seed: int) -> list[int]:
    """The first ``sample`` (0: all) numbers of rows in an order that the seed draws: a larger
    sample holds a smaller one, and tables with as many rows have the same."""
    order = list(range(count))
    random.Random(seed).shuffle(order)
    return order[: sample or count]


def cases_of(
    table: Table, data: Path, sources: Path, sample: int, seed: int, frontend: FrontendName = "auto"
) -> list[Case]:
    """The cases of a sample of a table's rows."""
    rows = rows_of(table, data)
    return [case_of(table, n, rows[n], sources, frontend) for n in drawn(len(rows), sample, seed)]


def case_of(
    table: Table, number: int, row: Row, sources: Path, frontend: FrontendName = "auto"
) -> Case:
    """The case of a row; public kernels lie in the folder ``sources``. NVRTC compiles for the
    row's GPU."""
    gpu = table.gpu(row)
    measured = table.measured_ms(row)
    if measured is not None:
        measured = measured / _clock_mhz(gpu) if table.in_cycles else measured * 1e3
    choice, aside = table.choice(row), table.aside(row)
    kernel = row.get("app") or row.get("kernel") or row.get("benchmark") or row.get("column")
    return Case(
        table.name, number, kernel or table.name.rpartition("_")[0], gpu,
        lambda: _works(table, row, sources, frontend), measured, table.measures,
        failed=row.get("status", "ok").lower() != "ok",
        caches=CacheOptions(warm=table.warm and not table.cold(row), written=table.written),
        words=_words(row), choice=f"{table.name} {choice}" if choice else "",
        groups=tuple(group(row).strip() for group in table.groups),
        marks=(aside,) if aside else (),
        counters={ours: float(row[column]) for ours, column in table.counters.items()
                  if row.get(column)},
    )  # fmt: skip


def _clock_mhz(gpu: Gpu) -> float:
    boost = described(gpu).core_clock_boost_mhz
    assert boost is not None
    return float(boost.value)


NAMES = (
    "gpu_variant", "elements_f64", "application", "benchmark", "app", "kernel", "size", "n",
    "input_size_1", "run_dir", "column", "block_size",
)  # fmt: skip
"""Columns that say in few words which row it is; a tuning table has none but its kernel's."""


def _words(row: Row) -> str:
    return " ".join(dict.fromkeys(row[name] for name in NAMES if row.get(name)))


def _works(
    table: Table, row: Row, sources: Path, frontend: FrontendName = "auto"
) -> tuple[Work, ...] | str:
    program = table.program(row)
    if isinstance(program, str):
        return program
    if frontend == NVRTC:
        capability = described(table.gpu(row)).capability
        if capability is None or capability < OLDEST_NVRTC:
            return "NVRTC compiles nothing for this GPU"
        program = _by_nvrtc(program)
        works = _launches(program, table, table.launches(row), sources / table.repository)
        door = DoorOptions("", 10 * capability[0] + capability[1])
        return tuple(_through(each, door) for each in works)
    root = OWN if table.repository == DATA else sources / table.repository
    return tuple(_launches(program, table, table.launches(row), root))


def _by_nvrtc(program: Program) -> Program:
    """The program of a table with CLBlast's kernel in CUDA: its OpenCL source after its header
    opencl_to_cuda.h, both without the lines that make them literals of C++, in one file."""
    return replace(program, steps=tuple(
        replace(step, source=step.source.replace("xgemm.cl", "xgemm.cu"),
                macros=tuple(m for m in step.macros if m.partition("=")[0] not in _OF_OPENCL))
        for step in program.steps
    ))  # fmt: skip


def _through(work: Work, door: DoorOptions) -> Work:
    def request() -> AnalysisRequest:
        own = work.request()
        return replace(own, frontend=NVRTC, options=replace(own.options, door=door))

    return replace(work, unit=(work.unit, NVRTC, door.capability), request=request)


def _launches(program: Program, table: Table, way: LaunchWay, root: Path) -> Iterator[Work]:
    """All launches of a program; of a loop of the host a sample stands for all."""
    for step in program.steps:
        own = way if step.waited else LaunchWay.QUEUED
        names = dict[str, Value](program.names)
        count = float(_number(step.times, names))
        if step.over is None:
            yield _work(step, table, names, own, root, count)
            continue
        name, first, end = step.over
        start, stop = int(_number(first, names)), int(_number(end, names))
        values = sorted({round(v) for v in np.linspace(start, stop - 1, SAMPLES)})
        weights = np.ones(len(values))
        if len(values) < stop - start:
            weights = np.gradient(np.array(values, float))
            weights[[0, -1]] /= 2  # the trapezoidal rule
        for value, weight in zip(values, weights / weights.sum(), strict=True):
            times = count * (stop - start) * float(weight)
            yield _work(step, table, {**names, name: value}, own, root, times)


def _work(
    step: Step, table: Table, names: dict[str, Value], way: LaunchWay, root: Path, times: float
) -> Work:
    unit = (str(root / step.source), step.macros, step.kernel)
    key = (unit, step, tuple(sorted(names.items())))
    return Work(unit, key, lambda: _request(step, table, names, root), times, way, step.local_bytes)


def _request(step: Step, table: Table, names: dict[str, Value], root: Path) -> AnalysisRequest:
    source = _source(root / step.source, step.without)
    at = Span(step.source, 0)
    launch = LaunchRequest(grid=parse_dimensions(step.grid, at),
                           block=parse_dimensions(step.block, at))  # fmt: skip
    given = tuple(parse_argument(text, at) for text in step.arguments)
    macros = tuple(MacroOption(*text.split("=", 1)) for text in step.macros)
    include = (str((root / step.source).parent), *(str(root / each) for each in table.include))
    loops = {_line_of(source, text): int(_number(n, names)) for text, n in step.trips}
    branches = {_line_of(source, text): float(_number(n, names)) for text, n in step.branches}
    return AnalysisRequest(
        source=source,
        options=BuildOptions(
            macros,
            include,
            opt_level=OptLevel.O2,
            fast_relaxed_math=step.fast_math,
            instantiate=(step.kernel,) if "<" in step.kernel else (),
        ),
        kernels=(step.kernel,),
        other_launch=LaunchInputs(launch, names, given, "table"),
        assumptions=Assumptions(loops, branches),
    )


@cache
def _source(path: Path, without: tuple[str, ...]) -> SourceText:
    source = read_source(str(path))
    of_peaks = PEAKS in path.parts
    if of_peaks or str(path).endswith(FLUID):
        text = of_peaks * WITH_HALF + unwrapped(source.text)
        return replace(source, name=f"{source.name}.cl", text=text)
    if str(path).endswith(MASKS):
        return replace(source, text=OF_MASKS + source.text)
    if not without:
        return source
    kept = ("" if line.strip() in without else line for line in source.text.split("\n"))
    return replace(source, text="\n".join(kept))


def _number(text: str, names: dict[str, Value]) -> Value:
    return evaluate(parse_expression(text, Span(text, 0)), names)


def _line_of(source: SourceText, text: str) -> int:
    """The line that holds a text, or whose number it is."""
    if text.isdigit():
        return int(text)
    return next(n for n, line in enumerate(source.text.split("\n"), 1) if text in line)
