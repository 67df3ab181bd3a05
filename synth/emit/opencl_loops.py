"""Loops in a miniature's OpenCL C: what is set up where one is entered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcc.frontend.ir.types import IntTy, IrType
from kcc.synth.assembly.model import Bound, Kernel, Literal, Loop, LoopControl, Nothing, Result
from kcc.synth.assembly.sharing import ALONE, Sharing
from kcc.synth.emit.expressions import Expressions
from kcc.synth.emit.opencl_draws import Draws
from kcc.synth.emit.opencl_text import Body
from kcc.synth.emit.opencl_types import number, signed, spelled


class Loops:
    """The loops of a kernel, with the factors by which trips are divided."""

    def __init__(
        self, kernel: Kernel, factors: Sequence[int], body: Body, spell: Expressions, draws: Draws
    ) -> None:
        self.kernel, self.factors, self.body = kernel, factors, body
        self.spell, self.draws = spell, draws

    def shifts(self) -> Iterator[str]:
        """The definitions of the factors of reduced bounds."""
        for loop in self.kernel.loops:
            if loop.control is LoopControl.BOUND:
                shift = self.factors[loop.number].bit_length() - 1
                yield f"#define {self._shift_name(loop.number)} {shift}"

    def _shift_name(self, loop: int) -> str:
        return f"SHIFT_{self.kernel.name.upper()}_{loop}"

    def enter(self, loop: Loop) -> None:
        """Set up the counter or the bound of a loop that is about to be entered."""
        n, share = loop.number, ""
        if loop.early is not None:
            share = self._share(loop, loop.early.sharing, loop.early.trips)
            trips = f"a{loop.early.trips}[{share}]"
            if loop.early.counter is None:
                self.body.declare(IntTy(32), f"l{n}")
                self.body.aux(f"l{n} = {trips} - 1u;")
            else:
                self._counted_bound(f"l{n}", loop.early.counter, trips)
        match loop.control:
            case LoopControl.KEPT:
                return
            case LoopControl.COUNT:
                if loop.bound is not None:
                    self._counted_bound(f"e{n}", loop.bound, f"a{loop.trips}")
                    return
                self.body.declare(IntTy(32), f"c{n}")
                self.body.aux(f"c{n} = 0u;")
            case LoopControl.DRAWN:
                if loop.early is None:  # else both ways out go by one draw
                    share = self._share(loop, loop.sharing, loop.trips)
                trips = f"a{loop.trips}[{share}]"
                if loop.bound is not None:
                    self._counted_bound(f"e{n}", loop.bound, trips)
                    return
                self.body.declare(IntTy(32), f"c{n}")
                self.body.declare(IntTy(32), f"e{n}")
                self.body.aux(f"e{n} = {trips}; c{n} = 0u;")
            case LoopControl.BOUND:
                self._bound(loop)

    def _share(self, loop: Loop, sharing: Sharing, table: int) -> str:
        """Which entry of a table of trips: drawn; from evenly spread numbers where a thread enters
        the loop once, so that all shares are met. Of lanes that stay together a warp has so few
        groups that they would be further apart than chance has them, and where a few are long each
        warp would have as many of them."""
        if loop.depth == 1 and sharing == ALONE and not loop.halves:
            found = f"({self.draws.place(sharing, table)})"
        else:
            found = self.draws.draw(sharing, Nothing(), IntTy(32))
        if not loop.halves:
            return f"{found} >> 26"
        # An exponent of 8 to 23 and the two bits behind it.
        return f"(as_uint((float)({found} >> 8 | 256u)) >> 21) - {(127 + 8) * 4}u"

    def _counted_bound(self, name: str, bound: Bound, trips: str) -> None:
        """What the loop's own counter is at the end of its last trip."""
        assert isinstance(bound.start, Result)
        self.body.declare(bound.type, name)
        passed = f"({spelled(bound.type)})({trips} - 1u)"
        if bound.step != Literal(1):
            passed = f"{passed} * {self.spell.operand(bound.step, bound.type)}"
        sign = "+" if bound.rises else "-"
        self.body.aux(f"{name} = p{bound.start.number} {sign} {passed};")

    def _bound(self, loop: Loop) -> None:
        """A bound that is met after as many trips, divided by the factor, as the original's: at
        least 1 (Yu et al., section 4.2.4, step 4), where there are any."""
        bound, n = loop.bound, loop.number
        assert bound is not None
        assert isinstance(bound.start, Result)
        start = f"p{bound.start.number}"
        self.body.declare(bound.type, f"e{n}")
        self.body.declare(bound.type, f"f{n}")
        step = self.spell.operand(bound.step, bound.type)
        sign = "+" if bound.rises else "-"
        first = f"({start} {sign} {step})" if bound.is_ahead else start
        limit = self.spell.operand(bound.limit, bound.type)
        self.body.aux(f"f{n} = {_steps(bound, step, first, limit)};")
        shift, one = self._shift_name(n), number(1, bound.type)
        if bound.tests_first:
            some = f"max(f{n} >> {shift}, {one})"
            self.body.aux(f"f{n} = {_selected(f'f{n} != 0', some, bound.type)};")
        else:
            self.body.aux(f"f{n} = max((f{n} + {one}) >> {shift}, {one}) - {one};")
        self.body.aux(f"e{n} = {first} {sign} f{n} * {step};")


def _steps(bound: Bound, step: str, first: str, limit: str) -> str:
    """How often a loop goes on: the number of steps from ``first`` for which the comparison with
    ``limit`` holds."""
    predicate, type_ = bound.predicate, bound.type
    low, high = (first, limit) if bound.rises else (limit, first)
    if predicate == "ne":
        return _divided(f"({high} - {low})", bound, step)
    includes = predicate.endswith("e")
    size = _constant_step(bound)
    if not size:
        over = f" + {step}" if includes else f" + {step} - {number(1, type_)}"
    else:
        rest = size if includes else size - 1
        over = f" + {number(rest, type_)}" if rest else ""
    cast = signed(type_) if predicate.startswith("s") else spelled(type_)
    holds = f"({cast})({low}) {'<=' if includes else '<'} ({cast})({high})"
    return _selected(holds, _divided(f"({high} - {low}{over})", bound, step), type_)


def _selected(condition: str, value: str, type_: IrType) -> str:
    """A value if a condition holds, else 0, without a branch."""
    return f"select({number(0, type_)}, {value}, ({spelled(type_)})({condition}))"


def _constant_step(bound: Bound) -> int:
    """A step that is a number, 1 or more; 0 for one that is not."""
    match bound.step:
        case Literal(value=int(size)):
            return size
        case _:
            return 0


def _divided(text: str, bound: Bound, step: str) -> str:
    """By the step."""
    size = _constant_step(bound)
    if not size or size & (size - 1):
        return f"{text} / {step}"
    return f"({text} >> {size.bit_length() - 1})" if size > 1 else text
