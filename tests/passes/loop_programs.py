"""Random kernels full of loops: nests, several exits, wrap-around, divergent and dependent bounds.

What decides control flow comes from ids, scalar arguments, loop counters and other variables of
the work-item; with ``data`` some of it from memory as well. Every loop ends: it has a counter of
its own that leaves after at most ``LIMIT`` iterations, unless its form is one of those that end
by themselves.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

LIMIT = 40
"""More iterations than this a loop without a simple form does not do."""

TYPES = ("int", "uint", "char", "uchar", "short", "ushort", "long", "ulong")

PARAMETERS = "__global int *out, __global const int *data, int n, uint m, short s, float f"


@dataclass
class Writer:
    """Writes one kernel. ``names`` are the integer variables in scope, ``counters`` those that no
    statement may change."""

    rng: random.Random
    data: bool
    lines: list[str] = field(default_factory=list[str])
    names: list[str] = field(default_factory=list[str])
    counters: list[str] = field(default_factory=list[str])
    fresh: int = 0
    depth: int = 0
    loops: int = 0

    def put(self, text: str) -> None:
        self.lines.append("  " * (self.depth + 1) + text)

    def name(self, stem: str) -> str:
        self.fresh += 1
        return f"{stem}{self.fresh}"

    def small(self) -> str:
        """A value between 0 and about 12."""
        choices = ["(int)lid % 7", "(n & 7)", "(int)(m % 9u)", "(int)(gid & 3)", "(int)grp + 1",
                   "(s & 5)", str(self.rng.randrange(9)), "(int)get_local_size(0) / 5",
                   "(int)(f * 1.5f)"]  # fmt: skip
        if self.counters:
            choices += [f"((int){c} & 7)" for c in self.counters]
        if self.names:
            choices += [f"({self.rng.choice(self.names)} & 7)"]
        if self.data and self.rng.random() < 0.3:
            return f"(data[{self.rng.choice(['gid', 'lid', '(n & 15)'])}] & 7)"
        return self.rng.choice(choices)

    def condition(self) -> str:
        rng = self.rng
        left = self.small()
        forms = [
            f"{left} {rng.choice(['<', '>', '<=', '!=', '==', '>='])} {self.small()}",
            f"((int)lid & {rng.randrange(1, 8)}) == {rng.randrange(4)}",
            f"({left} ^ {self.small()}) % 3 == {rng.randrange(3)}",
        ]
        text = rng.choice(forms)
        if rng.random() < 0.2:
            text = f"({text}) {rng.choice(['&&', '||'])} ({rng.choice(forms)})"
        return text

    def block(self, budget: int, inside: bool) -> None:
        """Some statements."""
        for _ in range(self.rng.randrange(1, 4)):
            self.statement(budget, inside)

    def statement(self, budget: int, inside: bool) -> None:
        rng = self.rng
        roll = rng.random()
        if roll < 0.45 and budget > 0 and self.loops < 7:
            self.loop(budget)
        elif roll < 0.6 and budget > 0:
            self.put(f"if ({self.condition()}) {{")
            self.nested(budget - 1, inside)
            if rng.random() < 0.5:
                self.put("} else {")
                self.nested(budget - 1, inside)
            self.put("}")
        elif roll < 0.68 and inside:
            word = rng.choice(["break", "continue", "break"])
            self.put(f"if ({self.condition()}) {word};")
        elif roll < 0.72 and rng.random() < 0.4:
            self.put(f"if ({self.condition()}) return;")
        elif roll < 0.76:
            self.put(f"switch ({self.small()}) {{")
            for case in sorted(rng.sample(range(8), rng.randrange(1, 4))):
                self.put(f"case {case}: acc += {case}u;{rng.choice([' break;', ''])}")
            self.put("default: acc ^= 3u;")
            self.put("}")
        elif self.names and rng.random() < 0.7:
            name = rng.choice(self.names)
            self.put(f"{name} = ({name} {rng.choice('+-^*')} {self.small()}) & 1023;")
        else:
            name = self.name("v")
            self.put(f"int {name} = {self.small()};")
            self.names.append(name)

    def nested(self, budget: int, inside: bool) -> None:
        kept = len(self.names)
        self.depth += 1
        self.block(budget, inside)
        self.depth -= 1
        del self.names[kept:]

    def body(self, budget: int, counter: str | None) -> None:
        kept = len(self.names)
        if counter:
            self.counters.append(counter)
        self.depth += 1
        self.put("acc += 1u;")
        self.block(budget - 1, inside=True)
        self.depth -= 1
        if counter:
            self.counters.remove(counter)
        del self.names[kept:]
        self.put("}")

    def loop(self, budget: int) -> None:
        self.loops += 1
        form = self.rng.choice([
            self.counted, self.counted, self.unequal, self.wrapping, self.shifting, self.growing,
            self.guarded, self.floating, self.at_end, self.two_sided, self.polynomial,
        ])  # fmt: skip
        form(budget)

    def counted(self, budget: int) -> None:
        """Plain, of any type, up or down."""
        type_, i, step = self.rng.choice(TYPES), self.name("i"), self.rng.randrange(1, 4)
        first, last = self.small(), self.small()
        if self.rng.random() < 0.6:
            sign = self.rng.choice(["<", "<="])
            self.put(f"for ({type_} {i} = {first}; {i} {sign} {last}; {i} += {step}) {{")
        elif type_[0] == "u":
            self.put(f"for ({type_} {i} = {first}; {i} > 0; {i}--) {{")
        else:
            sign = self.rng.choice([">", ">="])
            self.put(f"for ({type_} {i} = {first}; {i} {sign} {last}; {i} -= {step}) {{")
        self.body(budget, i)

    def unequal(self, budget: int) -> None:
        i, step = self.name("i"), self.rng.choice([1, 2, 3])
        count = self.small()
        self.put(f"for (int {i} = {step} * ({count}); {i} != 0; {i} -= {step}) {{")
        self.body(budget, i)

    def wrapping(self, budget: int) -> None:
        """Narrow unsigned counters that go round."""
        i = self.name("i")
        form = self.rng.randrange(4)
        if form == 0:
            first, last = f"(uchar)(250 + {self.small()})", f"(uchar)({self.small()})"
            self.put(f"for (uchar {i} = {first}; {i} != {last}; {i}++) {{")
        elif form == 1:
            self.put(f"for (uchar {i} = (uchar)({self.small()}); {i} < 200; {i} -= 7) {{")
        elif form == 2:
            self.put(f"for (ushort {i} = (ushort)(65530 + {self.small()}); {i} > 20; {i} += 3) {{")
        else:
            self.put(
                f"for (uint {i} = 0xfffffff0u + (uint)({self.small()}); {i} >= 16u; {i} += 5u) {{"
            )
        self.body(budget, i)

    def shifting(self, budget: int) -> None:
        i = self.name("i")
        form = self.rng.randrange(4)
        start = self.rng.choice(["64", f"(1 << ({self.small()}))", f"({self.small()}) * 9"])
        if form == 0:
            self.put(f"for (int {i} = {start}; {i} > 0; {i} >>= 1) {{")
        elif form == 1:
            self.put(f"for (uint {i} = (uint)({start}); {i} != 0; {i} /= 3) {{")
        elif form == 2:
            self.put(f"for (int {i} = {start}; {i} != 0; {i} /= 2) {{")
        else:
            self.put(f"for (uint {i} = 1u + (uint)({self.small()}); {i} < 300u; {i} *= 2u) {{")
        self.body(budget, i)

    def growing(self, budget: int) -> None:
        """Steps that themselves change."""
        i, d = self.name("i"), self.name("d")
        self.put(f"int {d} = 1 + ({self.small()});")
        self.put(f"for (int {i} = 0; {i} < 60; {i} += {d}) {{")
        self.depth += 1
        self.put(f"{d} += {self.rng.choice(['1', '2', d])};")
        self.depth -= 1
        self.body(budget, i)

    def guarded(self, budget: int) -> None:
        """Anything as a condition, with a counter that ends the loop in any case."""
        i = self.name("i")
        self.put(f"int {i} = 0;")
        self.put(f"while (({self.condition()}) && {i} < {LIMIT}) {{")
        self.depth += 1
        self.put(f"{i}++;")
        if self.names:
            name = self.rng.choice(self.names)
            self.put(f"{name} = ({name} * 5 + {i}) & 255;")
        self.depth -= 1
        self.body(budget, i)

    def floating(self, budget: int) -> None:
        x = self.name("x")
        if self.rng.random() < 0.5:
            self.put(f"float {x} = f + (float)({self.small()});")
            self.put(f"for (; {x} < 20.0f; {x} = {x} * 1.3f + 0.7f) {{")
        else:
            self.put(f"float {x} = (float)({self.small()}) * 0.37f;")
            self.put(f"for (; {x} > 0.01f; {x} *= 0.5f) {{")
        self.body(budget, None)

    def at_end(self, budget: int) -> None:
        """Tested after the body."""
        i = self.name("i")
        self.put(f"int {i} = 0;")
        self.put("do {")
        kept = len(self.names)
        self.depth += 1
        self.put("acc += 1u;")
        self.put(f"{i}++;")
        self.counters.append(i)
        self.block(budget - 1, inside=False)
        self.counters.remove(i)
        self.depth -= 1
        del self.names[kept:]
        self.put(f"}} while ({i} < ({self.small()}));")

    def two_sided(self, budget: int) -> None:
        a, b = self.name("a"), self.name("b")
        self.put(f"int {a} = 0, {b} = {self.small()} + 3;")
        self.put(f"while ({a} < {b}) {{")
        self.depth += 1
        first, second = self.rng.choice([(f"{a}++", f"{b}--"), (f"{a} += 2", f"{b} += 1")])
        self.put(f"{first}; {second};")
        self.depth -= 1
        self.body(budget, a)

    def polynomial(self, budget: int) -> None:
        i = self.name("i")
        self.put(f"for (int {i} = 0; {i} * {i} < {self.small()} * 9; {i}++) {{")
        self.body(budget, i)


def write_loops(seed: int, name: str = "k", *, data: bool = False) -> str:
    """A kernel; equal seeds give equal text."""
    writer = Writer(random.Random(seed), data)
    while not writer.loops:
        writer.block(3, inside=False)
    body = "\n".join(writer.lines)
    return f"""__kernel void {name}({PARAMETERS}) {{
  size_t gid = get_global_id(0), lid = get_local_id(0), grp = get_group_id(0);
  uint acc = 0u;
{body}
  out[gid] = (int)acc;
}}
"""
