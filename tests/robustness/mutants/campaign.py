"""Mutated kernels through analyze, estimate, trace and a run: what the commands answer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import tests.frontend
from kcc.base.diagnostics import DiagnosticError, DiagnosticSink
from kcc.frontend import compile_source, tree
from kcc.frontend.kernel import Kernel
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel, SourceText
from kcc.frontend.parser import parse
from kcc.frontend.sema.program import analyse
from kcc.tracegen.execute import ExecutionOptions, LocalMemory, NDRange, execute
from tests.kernels.harness import WORKLOADS, load
from tests.robustness.children import in_children
from tests.robustness.commands import BAD, FINE, REFUSED, in_folder, outcome_of, run_command
from tests.robustness.journal import Entry
from tests.robustness.mutants.mutating import Mutator
from tests.robustness.mutants.printing import program_text
from tests.robustness.programs.drawing import draw_program

SMALL = Path(tests.frontend.__file__).parent / "programs"
RANDOM_SHARE, SMALL_SHARE = 0.15, 0.5
"""Mutants of random programs and of the small programs of the front end's tests; the others are
those of kernels/."""

LIMIT_SECONDS = 120.0
"""Of CPU time for a mutant; a static trace gives up after a million blocks of a warp, a minute."""
BUDGET = 200_000
"""Warp instructions of a warp: a mutant may be endless."""
MOST_CHANGES = 4
BUFFER_BYTES = 4096
STEPS = ("analyze", "estimate", "trace", "run")
ESTIMATES = ("estimate", "interval", "memory")
"""Ways to the time of a source, in turn."""


@dataclass(frozen=True, slots=True)
class Base:
    """A source that is mutated."""

    name: str
    text: str
    folder: str = "."
    macros: tuple[MacroOption, ...] = ()


@cache
def small_names() -> tuple[str, ...]:
    return tuple(sorted(path.name for path in SMALL.glob("*.cl")))


def base_of(rng: random.Random) -> Base:
    """Any source."""
    drawn = rng.random()
    if drawn < RANDOM_SHARE:
        return Base("random.cl", draw_program(rng.randrange(10**6)).source())
    if drawn < RANDOM_SHARE + SMALL_SHARE:
        name = rng.choice(small_names())
        return Base(name, (SMALL / name).read_text("utf-8"))
    workload = load(rng.choice(WORKLOADS))
    macros = tuple(MacroOption(k, str(v)) for k, v in workload.defines.items())
    source = workload.source
    return Base(source.name, source.read_text("utf-8"), str(source.parent), macros)


def typed(base: Base) -> tree.Program:
    """The typed tree; functions of sources without a kernel become kernels."""
    sink, options = DiagnosticSink(), BuildOptions(macros=base.macros)
    program = analyse(
        parse(SourceText(base.name, base.text, base.folder), options, sink), options, sink
    )
    sink.raise_if_errors()
    if not any(f.is_kernel for f in program.functions):
        for function in program.functions:
            function.is_kernel = str(function.type.result) == "void" and function.body is not None
    return program


def mutant(seed: int) -> str:
    """The source of a mutant."""
    rng = random.Random(seed)
    program = typed(base_of(rng))
    wanted, tried = rng.randint(1, MOST_CHANGES), 0
    while wanted and tried < 50:
        tried += 1
        function = rng.choice([f for f in program.functions if f.body is not None])
        body = Mutator(rng, function).changed()
        if body is not None:
            function.body, wanted = body, wanted - 1
    return program_text(program)


def judge(case: str) -> Entry:
    """One of the commands on a mutant, the next one on the next."""
    seed = int(case)
    step, text = STEPS[seed % len(STEPS)], mutant(seed)
    if step == "estimate":
        step = ESTIMATES[seed // len(STEPS) % len(ESTIMATES)]
    with in_folder() as folder:
        path = folder / "mutant.cl"
        path.write_text(text, "utf-8")
        outcome, detail = _step(step, path, text)
    if outcome in BAD:
        return Entry(case, outcome, f"{step}: {detail}")
    of_front_end = outcome == REFUSED and "K100" <= detail < "K500"
    return Entry(
        case, f"not valid: {detail}" if of_front_end else f"{step} {outcome} {detail}".strip()
    )


def _step(step: str, path: Path, text: str) -> tuple[str, str]:
    fixed = "reqd_work_group_size" in text
    launch = () if fixed else ("--global", "192", "--local", "64")
    match step:
        case "analyze":
            return outcome_of(*run_command("analyze", path, *launch))
        case "estimate":
            return outcome_of(*run_command("estimate", path, "--gpu", "v100", *launch))
        case "interval":
            options = ("--gpu", "a100", "--model", "interval")
            return outcome_of(*run_command("estimate", path, *options, *launch))
        case "memory":
            return outcome_of(*run_command("memory", path, "--gpu", "v100", *launch))
        case "trace":
            target = path.with_suffix(".kct")
            return outcome_of(*run_command("trace", path, "-o", target, *launch))
        case _:
            return run_kernels(text)


def run_kernels(text: str) -> tuple[str, str]:
    """What becomes of every kernel on buffers of small numbers, as :func:`outcome_of` has it."""
    try:
        unit = compile_source(
            SourceText("mutant.cl", text, "."), BuildOptions(opt_level=OptLevel.O2)
        )
    except DiagnosticError as error:
        return REFUSED, error.diagnostics[0].code
    for kernel in unit.kernels:
        size = kernel.required_local_size or (64,)
        launch = NDRange(tuple(2 * n if i == 0 else n for i, n in enumerate(size)), tuple(size))
        try:
            execute(
                unit, kernel, launch, _arguments(kernel), ExecutionOptions(workers=1, budget=BUDGET)
            )
        except DiagnosticError as error:
            if error.diagnostics[0].code == "K732":
                return "internal error", str(error)
            return REFUSED, error.diagnostics[0].code
    return FINE, ""


def _arguments(kernel: Kernel) -> list[NDArray[np.generic] | int | float | LocalMemory]:
    found = list[NDArray[np.generic] | int | float | LocalMemory]()
    for number, argument in enumerate(kernel.arguments):
        if argument.type.endswith("*"):
            local = argument.address_space.name == "LOCAL"
            data = np.arange(BUFFER_BYTES // 4, dtype=np.int32) % (7 + number)
            found.append(LocalMemory(BUFFER_BYTES) if local else data)
        else:
            found.append(_scalar(argument.type))
    return found


def _scalar(type_: str) -> NDArray[np.generic] | int | float:
    """Five in every lane."""
    if type_.startswith(("struct ", "union ")):
        return np.full(BUFFER_BYTES, 5, np.uint8)
    scalar = type_.rstrip("0123456789")
    lanes = int(type_[len(scalar) :] or 1)
    if lanes == 1:
        return 5.0 if scalar in ("float", "double", "half") else 5
    names = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
             "long": "i8", "ulong": "u8", "half": "f2", "float": "f4", "double": "f8"}  # fmt: skip
    return np.full(4 if lanes == 3 else lanes, 5, names[scalar])


def judged(cases: list[str]) -> Iterator[Entry]:
    """The entries of seeds."""
    run_command("analyze", _warm())  # compiled and loaded once, before children are forked
    return in_children(cases, judge, LIMIT_SECONDS)


def _warm() -> Path:
    return load("saxpy").source
