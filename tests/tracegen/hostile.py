"""Runs damaged random programs, in a process that may die: ``python -m tests.tracegen.hostile
FIRST COUNT``. A program may be refused, may run, may be stopped with a coded fault; anything else
ends the process with its seed in the message."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend.options import OptLevel
from kcc.tracegen.execute import ExecutionOptions, NDRange, execute
from tests.tracegen.programs import PREAMBLE, write_kernel
from tests.tracegen.random_launches import LOCAL_SIZE, SCALARS, compiled, inputs

BUDGET = 50_000

Mutation = Callable[[random.Random, str], str]


def _replace_one(pattern: str, choices: tuple[str, ...]) -> Mutation:
    def mutate(rng: random.Random, source: str) -> str:
        found = list(re.finditer(pattern, source))
        if not found:
            return source
        place = rng.choice(found)
        return source[: place.start()] + rng.choice(choices) + source[place.end() :]

    return mutate


def _drop_line(rng: random.Random, source: str) -> str:
    lines = source.splitlines()
    del lines[rng.randrange(len(lines))]
    return "\n".join(lines) + "\n"


def _replace_all(old: str, new: str) -> Mutation:
    return lambda _, source: source.replace(old, new)


NUMBERS = ("0", "-1", "2147483647", "-2147483648", "1000000", "65", "0xffffffffffffffffUL")

MUTATIONS: tuple[Mutation, ...] = (
    _replace_one(r"\) & (63|7|3)", (")", ") & 1023", ") * -1", ") << 20", ") + 0x7fffffff")),
    _replace_one(rf"% {LOCAL_SIZE}u", ("", "% 4000u", "% 0u")),
    _replace_one(r"\b\d+u?\b", NUMBERS),
    _replace_one(r"\b\d+u?\b", NUMBERS),
    _replace_one(r" \| \S*\(1\)", ("", " & 0")),
    _replace_one(r" (<|<=|>|>=|==|!=) ", (" < ", " >= ", " != ")),
    _replace_one(rf"\[{LOCAL_SIZE}\]", ("[3]", "[1]")),
    _replace_one(r"--|\+\+", ("--", "++")),
    _replace_one(r"barrier\(CLK_LOCAL_MEM_FENCE\);", ("", "if (lid & 1) barrier(1);", "return;")),
    _replace_one(r"out\[gid", ("out[gid * 100000007", "out[-gid", "out[la[gid]")),
    _replace_one(
        r"\bia\[",
        (
            "((__global const int *)((__global const char *)ia + 1))[",
            "((__global const int *)la[gid])[",
            "((__global const int *)(size_t)&shared[0])[",
            "((__global const int *)0)[",
        ),
    ),
    _replace_all("for (uint i", "for (int i"),
    _drop_line,
)


def damaged(seed: int) -> str:
    """A random program with up to four faults put in."""
    rng = random.Random(seed)
    source = PREAMBLE + write_kernel(seed, LOCAL_SIZE)
    for _ in range(rng.randint(1, 4)):
        source = rng.choice(MUTATIONS)(rng, source)
    return source


def attempt(seed: int) -> str:
    """What becomes of a program: ``fine`` or the code of the first diagnostic."""
    source = damaged(seed)
    level = OptLevel.O2 if seed % 2 else OptLevel.O1
    options = ExecutionOptions(width=64 if seed % 3 == 0 else 32, budget=BUDGET)
    try:
        unit = compiled(source, level)
        launch = NDRange((2 * LOCAL_SIZE,), (LOCAL_SIZE,))
        execute(unit, unit.kernels[0], launch, [*inputs(2), *SCALARS], options)
    except DiagnosticError as error:
        return error.diagnostics[0].code
    return "fine"


def main() -> None:
    """Run the programs of the seeds asked for; the outcomes go to standard output."""
    first, count = int(sys.argv[1]), int(sys.argv[2])
    for seed in range(first, first + count):
        sys.stdout.write(f"{seed} ")
        sys.stdout.flush()
        sys.stdout.write(f"{attempt(seed)}\n")


if __name__ == "__main__":
    main()
