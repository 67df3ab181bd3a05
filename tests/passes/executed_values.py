"""Which values were the same for whom, from the reference interpreter."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from typing import Any

from kcc.frontend.ir.instructions import AnyInstruction, Call, CondBranch, Switch
from kcc.frontend.ir.types import VOID, FloatTy, IrType, VecTy
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.passes.control.divergence import Divergence, Uniformity, of_values
from kcc.passes.facts import Facts
from kcc.passes.graph.branches import Branches
from kcc.passes.graph.loops import Loops
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.tracegen.execute import NDRange
from tests.tracegen import reference
from tests.tracegen.reference import Reference

Instance = tuple[int, ...]
"""What is compared: an instruction, and the iterations of the loops around it."""

DIFFERENT = object()


class Watch:
    """Remembers for each instance whether all work-items of a group agreed. ``values[u]`` has a
    value, or :data:`DIFFERENT`, by group and instance for u in LAUNCH, BLOCK and WARP."""

    def __init__(self, loops: Loops) -> None:
        self.loops = loops
        self.values: dict[Uniformity, dict[tuple[Any, ...], object]] = {
            each: {} for each in (Uniformity.LAUNCH, Uniformity.BLOCK, Uniformity.WARP)
        }

    def note(self, group: tuple[int, int], instance: Instance, value: object) -> None:
        key = repr(value)
        for each, place in (
            (Uniformity.LAUNCH, ()), (Uniformity.BLOCK, group[:1]), (Uniformity.WARP, group),
        ):  # fmt: skip
            known = self.values[each].setdefault((instance, place), key)
            if known != key:
                self.values[each][instance, place] = DIFFERENT

    def same(self, number: int) -> set[Uniformity]:
        """The groups over which an instruction gave the same wherever it ran."""
        found = set(self.values)
        for each, rows in self.values.items():
            if any(v is DIFFERENT for ((own, *_), _), v in rows.items() if own == number):
                found.discard(each)
        return found


class _Warp(reference._Warp):  # pyright: ignore[reportPrivateUsage] -- with an eye on it
    watch: Watch

    def result(self, instruction: AnyInstruction, lane: int) -> Any:
        found = super().result(instruction, lane)
        if instruction.type != VOID:
            self.see(instruction, lane, found)
        return found

    def _call(self, call: Call, given: list[Any], lane: int) -> Any:
        """Mathematical functions and images give what is a function of their arguments, and as
        unlike for unlike ones as can be: which is all that matters here."""
        found = re.match(r"(?:_Z\d+(?!get_[lgwn])|__translate_)([a-z_]\w*)", call.callee)
        if call.is_intrinsic or not found or call.callee.startswith(reference.IGNORED):
            return super()._call(call, given, lane)
        if found[1].startswith("sincos"):
            self.store(call.type, given[1], _stand_in(call.type, f"cosine of {given[0]}"), lane)
            given = given[:1]
        return _stand_in(call.type, f"{call.callee} of {given}")

    def see(self, instruction: AnyInstruction, lane: int, value: object) -> None:
        counters = self.counters.setdefault(lane, {})
        around = self.watch.loops.around(instruction.block)
        instance = (instruction.index, *(counters.get(loop.id, 0) for loop in around))
        self.watch.note((self.thread_block, self.number), instance, value)

    @property
    def counters(self) -> dict[int, dict[int, int]]:
        return _COUNTERS.setdefault(id(self), {})

    def _move_phis(self, source: int, target: int, lanes: tuple[int, ...]) -> None:
        super()._move_phis(source, target, lanes)
        if target == reference.EXIT:
            return
        for loop in self.watch.loops.loops:
            if loop.header == target:
                for lane in lanes:
                    own = self.counters.setdefault(lane, {})
                    own[loop.id] = own.get(loop.id, 0) + 1 if source in loop.blocks else 0
        for phi in self.launch.function.blocks[target].phis:
            for lane in lanes:
                self.see(phi, lane, self.values[phi.index][lane])


def _stand_in(type_: IrType, what: str) -> Any:
    """A value between 0 and 1, or an integer up to 16."""
    draw = random.Random(what)
    match type_:
        case VecTy():
            return [_stand_in(type_.element, f"{lane} of {what}") for lane in range(type_.lanes)]
        case FloatTy():
            return draw.randrange(1, 256) / 256
        case _:
            return None if type_ == VOID else draw.randint(1, 16)


_COUNTERS: dict[int, dict[int, dict[int, int]]] = {}


class Watched(Reference):
    """A launch of which every value of the first two thread blocks and the last one is seen."""

    def watched(self, loops: Loops) -> Watch:
        watch = Watch(loops)
        count = math.prod(self.local_size)
        last = math.prod(self.groups) - 1
        for block in sorted({0, min(1, last), last}):
            local = {n: bytearray(b"\xcb" * size) for n, size in self.local_sizes.items()}
            warps = list[_Warp]()
            for number in range(-(-count // self.width)):
                size = min(self.width, count - number * self.width)
                warp = _Warp(self, block, number, size, local)
                warp.watch = watch
                _COUNTERS[id(warp)] = {}
                warps.append(warp)
            waiting: list[tuple[_Warp, Iterator[int]]] = [(w, w.run()) for w in warps]
            while waiting:
                waiting = [(w, g) for w, g in waiting if next(g, None) is not None]
        return watch


def watched(
    unit: CompiledUnit, kernel: Kernel, loops: Loops, launch: NDRange, arguments: list[Any]
) -> Watch:
    """Runs a launch and watches."""
    return Watched(unit, kernel, launch, arguments, 32).watched(loops)


def disagreements(kernel: Kernel, facts: Facts, watch: Watch) -> list[str]:
    """Values, branches and addresses that are said to be the same for a group, and were not."""
    function, divergence = kernel.function, facts[Divergence]
    said = {number: (u, "the result") for number, u in of_values(kernel, facts).items()}
    pending = [(index, u, why) for index, (u, why) in said.items()]
    for branch, divided in zip(facts[Branches].branches, divergence.branches, strict=True):
        end = function.blocks[branch.block].terminator
        assert isinstance(end, CondBranch | Switch)
        value = end.condition if isinstance(end, CondBranch) else end.value
        pending += _of(function, value, branch.block, divided.uniformity, "the branch")
    for access, uniformity in zip(
        facts[MemoryAccesses].accesses, divergence.addresses, strict=True
    ):
        pending += _of(function, access.pointer, access.block, uniformity, "the address")
    different = dict[Uniformity, set[int]]()
    for each, rows in watch.values.items():
        different[each] = {instance[0] for (instance, _), v in rows.items() if v is DIFFERENT}
    return [
        f"{kernel.name}: {why} of '{function.instructions[index].name}' (%{index}, line "
        f"{function.instructions[index].line}) differs in a {claim.value}"
        for index, claim, why in pending
        if claim in different and index in different[claim]
    ]


def _of(
    function: Any, value: Any, block: int, uniformity: Uniformity, why: str
) -> list[tuple[int, Uniformity, str]]:
    """A claim about an operand, where it is a result of the same block: elsewhere it may be read
    after its loop, in another instance."""
    index = getattr(value, "index", None)
    if index is None or type(value).__name__ != "InstructionRef":
        return []
    same = function.instructions[index].block == block
    return [(index, uniformity, why)] if same else []
