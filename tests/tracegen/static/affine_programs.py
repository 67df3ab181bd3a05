"""Random kernels whose control flow and addresses depend on ids, loop counters and arguments."""

from __future__ import annotations

import random

ELEMENTS = 1024
MAX_DEPTH = 3


class _Writer:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lines = list[str]()
        self.counters = list[str]()
        self.names = 0
        self.dimensions = self.rng.choice((1, 1, 2, 3))
        self.leaves = ["n", "m"]
        for d in range(self.dimensions):
            self.leaves += [f"g{d}", f"l{d}", f"b{d}"]

    def write(self) -> str:
        for d in range(self.dimensions):
            self.lines.append(f"int g{d} = get_global_id({d}), l{d} = get_local_id({d});")
            self.lines.append(f"int b{d} = get_group_id({d});")
        self.block(0)
        self.store()
        body = "\n".join(self.lines)
        return f"__kernel void k(__global int *a, __global float *c, int n, int m) {{\n{body}\n}}\n"

    def block(self, depth: int) -> None:
        for _ in range(self.rng.randint(1, 3)):
            choices = [self.store, self.store]
            if depth < MAX_DEPTH:
                choices += [
                    lambda: self.loop(depth), lambda: self.branch(depth),
                    lambda: self.branch(depth), lambda: self.switch(depth),
                ]  # fmt: skip
            self.rng.choice(choices)()

    def affine(self) -> str:
        terms = [str(self.rng.randint(-8, 40))]
        for _ in range(self.rng.randint(1, 3)):
            leaf = self.rng.choice(self.leaves + self.counters * 2)
            terms.append(f"{self.rng.choice((-3, -1, 1, 1, 2, 5))} * {leaf}")
        return f"({' + '.join(terms)})"

    def number(self) -> str:
        match self.rng.randint(0, 9):
            case 0:
                return f"({self.affine()} % {self.rng.choice((2, 3, 7, 8, 32, 96))})"
            case 1:
                return f"({self.affine()} / {self.rng.choice((2, 3, 4, 16, 64))})"
            case 2:
                return f"max({self.affine()}, {self.affine()})"
            case 3:
                return f"({self.affine()} & {self.rng.choice((1, 7, 12, 10, 31, 32, -8))})"
            case 4:
                return f"(int)((uint){self.affine()} >> {self.rng.choice((1, 3))})"
            case _:
                return self.affine()

    def condition(self) -> str:
        one = f"{self.number()} {self.rng.choice(('<', '>', '<=', '==', '!='))} {self.number()}"
        if self.rng.random() < 0.3:
            return f"{one} {self.rng.choice(('&&', '||'))} {self.affine()} > {self.affine()}"
        return one

    def store(self) -> None:
        index = f"({self.number()}) & {ELEMENTS - 1}"
        if self.rng.random() < 0.5:
            self.lines.append(f"a[{index}] = {self.affine()};")
        else:
            self.lines.append(f"c[{index}] += a[({self.number()}) & {ELEMENTS - 1}];")

    def loop(self, depth: int) -> None:
        self.names += 1
        name, step = f"i{self.names}", self.rng.choice((1, 1, 2, 3))
        bound = self.rng.choice(
            [
                "n",
                "m",
                str(self.rng.randint(0, 9)),
                f"({self.affine()} & 7)",
                "n / 2",
                *self.counters,
            ]
        )
        head = f"for (int {name} = {self.rng.choice(('0', 'l0 & 3', '1'))}; {name} < {bound};"
        self.lines.append(f"{head} {name} += {step}) {{")
        self.counters.append(name)
        self.block(depth + 1)
        if self.rng.random() < 0.3:
            word = self.rng.choice(("break", "continue"))
            self.lines.append(f"if ({self.condition()}) {word};")
            self.store()
        self.counters.pop()
        self.lines.append("}")

    def branch(self, depth: int) -> None:
        self.lines.append(f"if ({self.condition()}) {{")
        self.block(depth + 1)
        if self.rng.random() < 0.1:
            self.lines.append("return;")
        if self.rng.random() < 0.5:
            self.lines.append("} else {")
            self.block(depth + 1)
        self.lines.append("}")

    def switch(self, depth: int) -> None:
        self.lines.append(f"switch ({self.affine()} & 3) {{")
        for case in self.rng.sample(range(4), self.rng.randint(1, 3)):
            self.lines.append(f"case {case}:")
            self.block(depth + 1)
            if self.rng.random() < 0.7:
                self.lines.append("break;")
        if self.rng.random() < 0.5:
            self.lines.append("default:")
            self.store()
        self.lines.append("}")


def affine_program(seed: int) -> tuple[str, int]:
    """A kernel ``k(int *a, float *c, int n, int m)`` with buffers of :data:`ELEMENTS`, and how
    many dimensions its launch has."""
    writer = _Writer(seed)
    return writer.write(), writer.dimensions


def masking_program(seed: int) -> tuple[str, int]:
    """The same with one store, at a number that is masked, once or twice: few enough carries that
    warps share classes."""
    rng = random.Random(seed)

    def number(depth: int) -> str:
        if depth == 0:
            return rng.choice(("i", "i", "i - i % 16", "i / 4", "3 * i", "-i", "j", "i + j"))
        low, bits = rng.randint(2, 8), rng.randint(1, 4)
        mask = ((1 << bits) - 1) << low | rng.choice((0, 0, 0, 1 << rng.randint(0, 11)))
        mask = rng.choice((mask, mask, ~mask, mask - (1 << 31)))
        return f"({number(depth - 1)} {rng.choice('&|^^')} {mask})"

    test = f"if ({number(1)} {rng.choice(('<', '>', '!='))} {rng.randint(0, 300)}) "
    body = f"{rng.choice((test, '', ''))}a[{number(rng.randint(1, 2))} & {ELEMENTS - 1}] = 1;"
    ids = "int i = get_global_id(0), j = get_group_id(0);"
    text = (
        f"__kernel void k(__global int *a, __global float *c, int n, int m) {{\n{ids}\n{body}}}\n"
    )
    return text, 1
