"""Draws expressions of random programs."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tests.robustness.programs.grammar import (
    EDGES,
    FLOATING,
    ROUNDINGS,
    filled,
    integer_templates,
)
from tests.robustness.programs.tree import Expr
from tests.tracegen.program_types import FLOATS, INTEGERS, LANES, SIZES, UINT, Type

INPUTS = 64
"""Elements of each input buffer; a power of two."""
BUFFERS = {"char": "ca", "int": "ia", "ulong": "la", "float": "fa"}
"""Inputs by the type of their elements."""
LETTERS = "0123456789abcdef"


@dataclass(slots=True)
class ExpressionDrawer:
    """Draws expressions from what is declared; equal seeds draw equal ones."""

    seed: int
    widest: int = 16
    """Lanes of the widest vectors; 1 for programs that CUDA must understand too."""
    rng: random.Random = field(init=False)
    variables: list[tuple[str, Type]] = field(default_factory=list[tuple[str, Type]])
    favourites: tuple[Type, ...] = ()
    """A few types that the program uses most, so that values meet."""

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.favourites = tuple(self.any_type() for _ in range(4))

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def any_type(self) -> Type:
        if self.favourites and self.chance(0.7):
            return self.rng.choice(self.favourites)
        scalar = self.rng.choice((*INTEGERS, *INTEGERS, *FLOATS))
        return Type(scalar, self.rng.choice([1, 1, *(n for n in LANES if n <= self.widest)]))

    def expression(self, type_: Type, depth: int = 2) -> Expr:
        """An expression of that type."""
        if depth <= 0 or self.chance(0.15):
            return self.leaf(type_)
        if type_.lanes > 1 and self.chance(0.3):
            return self.shaped(type_, depth)
        if self.chance(0.12):
            return self.chosen(type_, depth)
        if self.chance(0.25):
            return self.converted(type_, depth)
        template = self.rng.choice(FLOATING if type_.is_float else integer_templates(type_))
        return self.made(type_, filled(template, type_) if not type_.is_float else template, depth)

    def made(self, type_: Type, template: str, depth: int, *others: Type) -> Expr:
        """The template with parts of its own type, or of ``others``."""
        count = max((n + 1 for n in range(9) if f"${n}" in template), default=0)
        types = others or (type_,) * count
        return Expr(type_, template, tuple(self.expression(t, depth - 1) for t in types))

    def leaf(self, type_: Type) -> Expr:
        known = [name for name, own in self.variables if own == type_]
        if known and self.chance(0.75):
            return Expr(type_, self.rng.choice(known))
        wider = [(n, own) for n, own in self.variables if own.scalar == type_.scalar]
        wider = [(n, own) for n, own in wider if own.lanes > 1]
        if wider and type_.lanes == 1 and self.chance(0.6):
            name, own = self.rng.choice(wider)
            return Expr(type_, f"{name}.s{LETTERS[self.rng.randrange(own.lanes)]}")
        if type_.lanes == 1:
            return self.input(type_) if self.chance(0.5) else self.literal(type_)
        if type_.scalar in BUFFERS and type_.lanes != 3 and self.chance(0.4):
            last = INPUTS // type_.lanes - 1
            call = f"vload{type_.lanes}($0 & {last}u, {BUFFERS[type_.scalar]})"
            return Expr(type_, call, (self.index(),))
        return Expr(type_, f"(({type_})($0))", (self.leaf(type_.element),))

    def literal(self, type_: Type) -> Expr:
        return Expr(type_, f"(({type_})({self.rng.choice(EDGES[type_.scalar])}))")

    def index(self) -> Expr:
        """An unsigned number; who uses it masks it."""
        return self.leaf(UINT) if self.chance(0.7) else self.expression(UINT, 1)

    def input(self, type_: Type) -> Expr:
        if type_.is_float:
            return Expr(type_, f"(({type_})fa[$0 & {INPUTS - 1}u])", (self.index(),))
        name = self.rng.choice(("ca", "ia", "la", "table"))
        mask = 15 if name == "table" else INPUTS - 1
        return Expr(type_, f"(({type_}){name}[$0 & {mask}u])", (self.index(),))

    def shaped(self, type_: Type, depth: int) -> Expr:
        """A vector of parts of others."""
        lanes, source = type_.lanes, Type(type_.scalar, self.rng.choice((2, 4, 8, 16)))
        picked = "".join(LETTERS[self.rng.randrange(source.lanes)] for _ in range(lanes))
        choices = [(f"$0.s{picked}", [source])]
        choices.append((f"(({type_})({self.places(lanes)}))", [type_.element] * min(lanes, 9)))
        if lanes in (2, 4, 8):
            part = self.rng.choice(("lo", "hi", "even", "odd"))
            choices.append((f"$0.{part}", [Type(type_.scalar, 2 * lanes)]))
        if lanes in (4, 8, 16):
            half = Type(type_.scalar, lanes // 2)
            choices.append((f"(({type_})($0, $1))", [half, half]))
        if lanes != 3 and not type_.is_float:
            choices.append(("shuffle($0, $1)", [source, type_.unsigned]))
        template, types = self.rng.choice(choices)
        return self.made(type_, template, depth, *types)

    @staticmethod
    def places(lanes: int) -> str:
        """Nine parts at most, each of which may stand in several lanes."""
        return ", ".join(f"${lane % 9}" for lane in range(lanes))

    def chosen(self, type_: Type, depth: int) -> Expr:
        if type_.lanes == 1 or self.chance(0.5):
            template = f"(({type_})($0 ? $1 : $2))" if type_.lanes == 1 else "($0 ? $1 : $2)"
            return self.made(type_, template, depth, self.condition_type(), type_, type_)
        integer = {4: "int", 8: "long", 2: "short", 1: "char"}[SIZES[type_.scalar]]
        mask = Type(integer, type_.lanes)
        return self.made(type_, "select($0, $1, $2)", depth, type_, type_, mask)

    def condition_type(self) -> Type:
        return Type(self.rng.choice(("int", "int", "uchar", "long", "ulong")))

    def condition(self) -> Expr:
        """An int that is often zero and often not, and differs between work-items."""
        type_ = Type(self.rng.choice((*INTEGERS, *FLOATS)))
        parts = (self.expression(type_, 1), self.expression(type_, 1))
        template = self.rng.choice(("$0 < $1", "$0 == $1", "$0 >= $1", "$0 != $1"))
        if not type_.is_float and self.chance(0.4):
            template = f"($0 & ({type_}){self.rng.choice((1, 2, 3, 4))})"
        return Expr(Type("int"), template, parts)

    def converted(self, type_: Type, depth: int) -> Expr:
        """From another type of as many lanes, or the bits of another of as many bytes."""
        if not type_.is_float and self.chance(0.25):
            return self.reinterpreted(type_, depth)
        source = Type(self.rng.choice((*INTEGERS, *FLOATS)), type_.lanes)
        rounding = self.rng.choice(ROUNDINGS)
        if type_.is_float:
            return self.made(type_, f"convert_{type_}{rounding}($0)", depth, source)
        if source.is_float:
            return self.made(type_, f"convert_{type_}_sat{rounding}($0)", depth, source)
        if type_.lanes == 1 and self.chance(0.5):
            return self.made(type_, f"(({type_})$0)", depth, source)
        sat = self.rng.choice(("", "_sat"))
        return self.made(type_, f"convert_{type_}{sat}($0)", depth, source)

    def reinterpreted(self, type_: Type, depth: int) -> Expr:
        size = SIZES[type_.scalar] * type_.lanes
        fitting = [
            Type(s, n) for s in INTEGERS for n in (1, 2, 4, 8, 16)
            if SIZES[s] * n == size and n <= self.widest and type_.lanes != 3
        ]  # fmt: skip
        source = self.rng.choice(fitting or [type_])
        return self.made(type_, f"as_{type_}($0)", depth, source)
