"""Random kernels full of memory accesses: affine nests, quotients and remainders of ids, guards,
loops whose bounds differ between lanes, early exits, all element sizes, local and global arrays.

Every index stays inside its array by construction: expressions come with the greatest value that
they have; none is negative.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

ELEMENTS = {"char": 1, "short": 2, "int": 4, "float": 4, "double": 8, "float2": 8, "float4": 16,
            "float8": 32, "int3": 16}  # fmt: skip

SHAPES: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((256,), (64,)), ((192,), (32,)), ((160,), (16,)), ((200,), (100,)), ((64, 16), (32, 8)),
    ((32, 32), (16, 16)), ((24, 12), (8, 4)), ((40, 6), (20, 3)), ((8, 8, 8), (4, 4, 4)),
    ((256,), (128,)),
)  # fmt: skip
"""Global and local sizes."""

GLOBAL_BYTES = 1 << 16
LOCAL_BYTES = 1 << 13

Term = tuple[str, int]
"""An expression and the greatest value it has."""


@dataclass
class AccessWriter:
    """Writes one kernel; equal seeds write equal ones."""

    seed: int
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    n: int
    m: int
    data: bool = False
    lines: list[str] = field(default_factory=list[str])
    counters: list[Term] = field(default_factory=list[Term])
    fresh: int = 0
    depth: int = 1

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def put(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def leaf(self) -> Term:
        rng = self.rng
        d = rng.randrange(len(self.local_size))
        whole, own = self.global_size[d], self.local_size[d]
        leaves: list[Term] = [
            (f"get_global_id({d})", whole - 1), (f"get_local_id({d})", own - 1),
            (f"get_group_id({d})", whole // own - 1), ("n", self.n), ("m", self.m),
            ("get_local_id(0)", self.local_size[0] - 1), ("lid", _count(self.local_size) - 1),
            ("get_global_id(0)", self.global_size[0] - 1),
        ]  # fmt: skip
        leaves += self.counters * 2
        text, most = rng.choice(leaves)
        return (f"(int){text}" if "get_" in text else text), most

    def index(self, limit: int, depth: int = 0) -> Term:
        """An index below ``limit``."""
        rng, (text, most) = self.rng, self.leaf()
        for _ in range(rng.randrange(1, 4)):
            other, its = self.leaf() if depth or rng.random() < 0.8 else self.index(limit, 1)
            c = rng.choice((1, 1, 2, 3, 4, 5, 8, 16, 17, 32, 33, 64))
            match rng.randrange(9):
                case 0 | 1 | 2 | 3:
                    text, most = f"({text}) + ({other}) * {c}", most + its * c
                case 4:
                    text, most = f"({text}) * {c} + ({other})", most * c + its
                case 5:
                    text, most = f"({text}) / {c} * {c} + ({other}) % {c}", most + c
                case 6:
                    text, most = f"({text}) + ({its} - ({other})) * {c}", most + its * c
                case 7:
                    bits = (1 << max(most, its).bit_length()) - 1
                    text, most = f"(({text}) ^ ({other}))", bits
                case _:
                    text, most = f"({text}) * n + ({other})", most * self.n + its
        if most >= limit:
            modulus = limit if rng.random() < 0.5 else rng.randrange(limit // 2, limit) + 1
            text, most = f"({text}) % {modulus}", modulus - 1
        return text, most

    def access(self) -> None:
        rng = self.rng
        type_ = rng.choice(tuple(ELEMENTS))
        place = rng.choice(("global", "global", "local"))
        size = GLOBAL_BYTES if place == "global" else LOCAL_BYTES
        limit = size // ELEMENTS[type_]
        index, _ = self.index(limit)
        if self.data and rng.random() < 0.3:
            index = f"(data[({index}) & 255] + ({self.index(64)[0]})) % {limit}"
        target = f"((volatile __{place} {type_} *)({'buffer' if place == 'global' else 'tile'}))"
        place_text = f"{target}[{index}]"
        if rng.random() < 0.5:
            self.put(f"{place_text} = ({type_})(n);")
        else:
            self.fresh += 1
            self.put(f"{type_} v{self.fresh} = {place_text};")

    def condition(self) -> str:
        rng, (a, most), (b, its) = self.rng, self.leaf(), self.leaf()
        forms = [
            f"({a}) < {rng.randrange(most + 2)}", f"({a}) <= ({b})",
            f"(({a}) & {rng.randrange(1, 8)}) == 0", f"({a}) % 3 != ({b}) % 3",
            f"({a}) < n || ({b}) > {its // 2}", f"({a}) < {most // 2 + 1} && ({b}) != 1",
        ]  # fmt: skip
        if self.data and rng.random() < 0.3:
            return f"data[({a}) & 255] < {rng.randrange(256)}"
        return rng.choice(forms)

    def loop(self, budget: int) -> None:
        rng = self.rng
        self.fresh += 1
        name, (bound, most) = f"i{self.fresh}", self.leaf()
        forms: list[tuple[str, Term]] = [
            (f"int {name} = 0; {name} < {(k := rng.randrange(1, 12))}; ++{name}", (name, k - 1)),
            (f"int {name} = 0; {name} < n; ++{name}", (name, self.n)),
            (f"int {name} = 0; {name} < ({bound}) % 7; ++{name}", (name, 6)),
            (f"int {name} = ({bound}) % 5; {name} < 16; {name} += 3", (name, 18)),
            (f"int {name} = 1; {name} < 64; {name} *= 2", (name, 64)),
            (f"int {name} = 40; {name} > ({bound}) % 9; {name} /= 2", (name, 40)),
        ]
        del most
        head, term = rng.choice(forms)
        self.put(f"for ({head}) {{")
        self.depth += 1
        self.counters.append(term)
        if rng.random() < 0.2:
            self.put(f"if ({self.condition()}) {rng.choice(('break', 'continue'))};")
        self.block(budget - 1)
        self.counters.pop()
        self.depth -= 1
        self.put("}")

    def block(self, budget: int) -> None:
        for _ in range(self.rng.randrange(1, 4)):
            roll = self.rng.random()
            if roll < 0.25 and budget > 0:
                self.loop(budget)
            elif roll < 0.45 and budget > 0:
                self.put(f"if ({self.condition()}) {{")
                self.depth += 1
                self.block(budget - 1)
                self.depth -= 1
                if self.rng.random() < 0.4:
                    self.put("} else {")
                    self.depth += 1
                    self.block(budget - 1)
                    self.depth -= 1
                self.put("}")
            elif roll < 0.48 and budget > 1:
                self.put(f"if ({self.condition()}) return;")
            else:
                self.access()

    def write(self) -> str:
        self.block(3)
        self.access()
        own = " + ".join(
            f"get_local_id({d}) * {_count(self.local_size[:d])}"
            for d in range(len(self.local_size))
        )
        return "\n".join(
            [
                "__kernel void k(__global char *buffer, __global const int *data, int n, int m) {",
                f"  __local double8 tile_[{LOCAL_BYTES // 64}];",
                "  __local char *tile = (__local char *)tile_;",
                f"  const int lid = {own};",
                f"  for (int z = lid; z < {LOCAL_BYTES // 4}; z += {_count(self.local_size)})",
                "    ((__local int *)tile)[z] = 0;",
                "  barrier(CLK_LOCAL_MEM_FENCE);",
                *self.lines,
                "}",
                "",
            ]
        )


def _count(sizes: tuple[int, ...]) -> int:
    product = 1
    for size in sizes:
        product *= size
    return product


@dataclass(frozen=True, slots=True)
class AccessProgram:
    """A kernel ``k(buffer, data, n, m)`` and how to launch it."""

    source: str
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    n: int
    m: int


def access_program(seed: int, *, data: bool = False) -> AccessProgram:
    """The program of a seed."""
    rng = random.Random(-seed - 1)
    whole, own = rng.choice(SHAPES)
    n, m = rng.randrange(1, 12), rng.randrange(0, 40)
    writer = AccessWriter(seed, whole, own, n, m, data)
    return AccessProgram(writer.write(), whole, own, n, m)
