"""Random programs with loops, branches and arrays, all of whose behaviour is defined.

Arithmetic is on uint, indices are masked, loops count. They exercise what expressions do not:
values that flow through memory and around loops.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

VARIABLES = 4
ARRAY = 8
LARGEST_TRIP = 5
OUTPUTS = 8


@dataclass(slots=True)
class Programs:
    """Draws statements; equal seeds draw equal ones."""

    seed: int
    rng: random.Random = field(init=False)
    loops: int = 0
    budget: int = 40

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def value(self, depth: int = 2) -> str:
        if depth == 0 or self.rng.random() < 0.3:
            return self.rng.choice(
                (
                    f"v{self.rng.randrange(VARIABLES)}",
                    f"v{self.rng.randrange(VARIABLES)}",
                    str(self.rng.choice((0, 1, 2, 3, 7, 100))),
                    f"in[(v{self.rng.randrange(VARIABLES)}) & 15]",
                    self.element(),
                    self.counter(),
                )
            )
        left, right = self.value(depth - 1), self.value(depth - 1)
        op = self.rng.choice(("+", "-", "*", "^", "&", "|", "<<", ">>", "<", "==", "/", "%"))
        return f"({left} {op} (({right} & 7) + 1))" if op in "/%" else f"({left} {op} {right})"

    def element(self) -> str:
        index = self.rng.choice((f"v{self.rng.randrange(VARIABLES)}", self.counter()))
        array = self.rng.choice(("a", "b", "out"))
        return f"{array}[({index}) & {ARRAY - 1}]"

    def counter(self) -> str:
        return f"i{self.rng.randrange(self.loops)}" if self.loops else "n"

    def condition(self) -> str:
        first = f"{self.value(1)} {self.rng.choice(('<', '!=', '>='))} {self.value(1)}"
        if self.rng.random() < 0.3:
            return f"{first} {self.rng.choice(('&&', '||'))} {self.value(1)}"
        return first

    def block(self, depth: int) -> str:
        return "{ " + " ".join(self.statement(depth) for _ in range(self.rng.randint(1, 3))) + " }"

    def statement(self, depth: int) -> str:
        self.budget -= 1
        kind = self.rng.randrange(10) if depth > 0 and self.budget > 0 else self.rng.randrange(4)
        match kind:
            case 0 | 1:
                return f"v{self.rng.randrange(VARIABLES)} = {self.value()};"
            case 2:
                return f"{self.element()} = {self.value()};"
            case 3:
                op = self.rng.choice(("+=", "^=", "-=", "*="))
                target = self.rng.choice((f"v{self.rng.randrange(VARIABLES)}", self.element()))
                return f"{target} {op} {self.value()};"
            case 4 | 5:
                return f"if ({self.condition()}) {self.block(depth - 1)}"
            case 6:
                return (
                    f"if ({self.condition()}) {self.block(depth - 1)} else {self.block(depth - 1)}"
                )
            case 7:
                cases = " ".join(
                    f"case {n}: {self.block(depth - 1)} {self.rng.choice(('break;', ''))}"
                    for n in range(self.rng.randint(1, 3))
                )
                return f"switch ({self.value(1)} & 3) {{ {cases} default: v0++; }}"
            case _:
                return self.loop(depth)

    def loop(self, depth: int) -> str:
        name = f"i{self.loops}"
        limit = self.rng.choice((str(self.rng.randint(1, LARGEST_TRIP)), "(n & 7)"))
        self.loops += 1
        body = self.block(depth - 1)
        if self.rng.random() < 0.3:
            body = f"{{ if ({self.condition()}) {self.rng.choice(('break', 'continue'))}; {body} }}"
        self.loops -= 1
        match self.rng.randrange(3):
            case 0:
                return f"for (uint {name} = 0; {name} < {limit}; {name}++) {body}"
            case 1:
                return f"{{ uint {name} = {limit}; while ({name}-- > 0) {body} }}"
            case _:
                return f"{{ uint {name} = 0; do {body} while (++{name} < {limit}); }}"


def program(seed: int) -> str:
    """A kernel ``k(__global uint* out, __global const uint* in, uint n)`` for one work-item."""
    drawn = Programs(seed)
    body = "\n  ".join(drawn.statement(3) for _ in range(6))
    variables = " ".join(f"uint v{n} = in[{n}];" for n in range(VARIABLES))
    sums = " ".join(f"out[{n}] += v{n} + b[{n}];" for n in range(VARIABLES))
    return (
        "__kernel void k(__global uint* out, __global const uint* in, uint n) {\n"
        f"  {variables} uint a[{ARRAY}] = {{1, 2, 3}}; uint b[{ARRAY}];\n"
        f"  for (int j = 0; j < {ARRAY}; j++) b[j] = in[j + 4] & a[j];\n"
        f"  {body}\n  {sums}\n}}\n"
    )
