"""Random structs and unions: nested, anonymous, packed, aligned; and a path to every member."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

SCALARS = (
    "char", "uchar", "short", "int", "uint", "long", "float", "double", "half", "char2", "char3",
    "short4", "int2", "float3", "float4", "long2", "double3", "int8", "float16", "bool",
    "global int *", "enum Colour", "wide_int", "tight_struct", "loose_double",
)  # fmt: skip

PRELUDE = """\
enum Colour { RED, GREEN };
typedef int wide_int __attribute__((aligned(16)));
typedef struct { char a; int b; } __attribute__((packed)) tight_struct;
typedef double loose_double __attribute__((aligned(2)));
"""


@dataclass(slots=True)
class Records:
    """Draws definitions; ``paths`` has type and member of everything drawn."""

    rng: random.Random
    lines: list[str] = field(default_factory=lambda: [PRELUDE])
    paths: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    names: list[str] = field(default_factory=list[str])
    counter: int = 0

    def draw(self) -> None:
        """One more struct or union at file scope."""
        name = f"S{len(self.names)}"
        word = self.rng.choice(("struct", "struct", "struct", "union"))
        members = list[str]()
        body = self._members(members, 2)
        self.lines.append(f"{word} {name} {{ {body} }} {self._attributes()};")
        self.names.append(f"{word} {name}")
        self.paths += [(f"{word} {name}", member) for member in members]

    def _attributes(self) -> str:
        kind = self.rng.randrange(6)
        if kind == 0:
            return "__attribute__((packed))"
        if kind == 1:
            return f"__attribute__((aligned({self.rng.choice((2, 8, 32))})))"
        return ""

    def _members(self, paths: list[str], depth: int) -> str:
        return " ".join(self._member(paths, depth) for _ in range(self.rng.randrange(1, 6)))

    def _member(self, paths: list[str], depth: int) -> str:
        self.counter += 1
        name = f"m{self.counter}"
        kind = self.rng.randrange(10)
        if kind == 0 and depth:
            inner = list[str]()
            body = self._members(inner, depth - 1)
            paths += inner
            return f"{self.rng.choice(('struct', 'union'))} {{ {body} }};"
        if kind == 1 and depth:
            inner = list[str]()
            body = self._members(inner, depth - 1)
            paths.append(name)
            paths += [f"{name}.{path}" for path in inner]
            return f"{self.rng.choice(('struct', 'union'))} {{ {body} }} {name};"
        type_ = self.rng.choice(self.names) if kind == 2 and self.names else None
        type_ = type_ or self.rng.choice(SCALARS)
        array = f"[{self.rng.randrange(1, 4)}]" if kind in (3, 4) and type_ != "wide_int" else ""
        paths.append(name)
        attribute = ""
        if kind == 5:
            attribute = f" __attribute__((aligned({self.rng.choice((1, 4, 16))})))"
        elif kind == 6:
            attribute = " __attribute__((packed))"
        return f"{type_} {name}{array}{attribute};"
