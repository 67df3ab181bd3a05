"""How many registers are live at once, in the order of the IR and after latency is hidden."""

from __future__ import annotations

from bisect import insort
from collections.abc import Sequence
from heapq import heappop, heappush

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    AtomicRmw,
    Call,
    CompareExchange,
    Fence,
    Load,
    Phi,
    Store,
)
from kcc.frontend.ir.model import Block, Function
from kcc.frontend.ir.types import PtrTy
from kcc.frontend.ir.values import InstructionRef
from kcc.passes.registers.scratch import scratch_units
from kcc.passes.registers.values import LOCAL, PRIVATE, RegisterValues

LOAD_LATENCY, MATH_LATENCY, PLAIN_LATENCY = 100, 20, 4
"""Rough cycles of a load, a called function and anything else, for the order of a schedule: only
that they differ by much matters."""


ABREAST_FROM = 32
"""The pressure past which a second schedule is tried: fewer registers gain no occupancy."""

MOST_CANDIDATES = 16
"""How many instructions the frugal schedule chooses among: it bounds the time for huge blocks."""


@dataclass(frozen=True, slots=True)
class Graph:
    """What in a block must come after what: per place in ``body`` those that must come later, and
    how many must come before."""

    body: tuple[AnyInstruction, ...]
    after: tuple[tuple[int, ...], ...]
    waits: tuple[int, ...]


def live_out(function: Function, values: RegisterValues) -> list[int]:
    """Per block, the instructions whose registers are needed after it, as bits."""
    live_in, out = [0] * len(function.blocks), [0] * len(function.blocks)
    gains, kills = zip(*(_effects(block, values) for block in function.blocks), strict=True)
    edges = _edge_uses(function, values)
    changed = True
    while changed:
        changed = False
        for block in reversed(function.blocks):
            b = block.index
            needed = 0
            for successor in block.successors:
                needed |= live_in[successor] | edges.get((b, successor), 0)
            entering = gains[b] | (needed & ~kills[b])
            if needed != out[b] or entering != live_in[b]:
                out[b], live_in[b] = needed, entering
                changed = True
    return out


def _effects(block: Block, values: RegisterValues) -> tuple[int, int]:
    """What a block needs from before it, and what it defines."""
    gained = defined = 0
    for instruction in block.instructions:
        if not isinstance(instruction, Phi):
            gained |= values.uses[instruction.index] & ~defined
        defined |= own(instruction, values)
    return gained, defined


def _edge_uses(function: Function, values: RegisterValues) -> dict[tuple[int, int], int]:
    """What the phis at the end of an edge take from its beginning."""
    found = dict[tuple[int, int], int]()
    for block in function.blocks:
        for phi in block.phis:
            for operand, source in zip(phi.operands, phi.incoming, strict=True):
                bits = _bits(values.roots_of(operand))
                found[source, block.index] = found.get((source, block.index), 0) | bits
    return found


def own(instruction: AnyInstruction, values: RegisterValues) -> int:
    """An instruction's own bit, if its result takes registers."""
    return 1 << instruction.index if values.units[instruction.index] else 0


def _bits(roots: Sequence[int]) -> int:
    found = 0
    for root in roots:
        found |= 1 << root
    return found


def block_pressure(order: Sequence[AnyInstruction], out: int, values: RegisterValues) -> int:
    """The most registers live at once when the instructions of a block run in ``order``."""
    live, units = _numbers(out), values.units
    current = most = sum(units[number] for number in live)
    for instruction in reversed(order):
        if isinstance(instruction, Phi):
            continue
        number = instruction.index
        if number in live:
            live.remove(number)
            current -= units[number]
        else:
            most = max(most, current + units[number])
        for need in values.reads[number]:
            if need not in live:
                live.add(need)
                current += units[need]
        beside = address_units(instruction, values) + scratch_units(instruction)
        most = max(most, current + beside)
    return most


def address_units(instruction: AnyInstruction, values: RegisterValues) -> int:
    """Registers for an address while it is used; one that needs no computation takes none."""
    if not isinstance(instruction, Load | Store | AtomicRmw | CompareExchange):
        return 0
    pointer = instruction.pointer
    if not isinstance(pointer, InstructionRef) or values.units[pointer.index]:
        return 0
    assert isinstance(pointer.type, PtrTy)
    return 1 if pointer.type.space in (PRIVATE, LOCAL) else 2


def latency_order(graph: Graph) -> list[AnyInstruction]:
    """A list schedule by the clock: of what could issue now, first what the longest chain of work
    hangs on; while a load is on its way, whatever does not need it goes on.

    Memory is kept in order where it may matter: stores among each other and with loads of the same
    address space; barriers, fences and atomics with everything.
    """
    body, after, waits = graph.body, graph.after, list(graph.waits)
    height = [0] * len(body)
    for i in range(len(body) - 1, -1, -1):
        height[i] = _latency(body[i]) + max((height[j] for j in after[i]), default=0)
    earliest, clock = [0] * len(body), 0
    ready, later = list[tuple[int, int]](), list[tuple[int, int]]()
    for i, count in enumerate(waits):
        if not count:
            heappush(ready, (-height[i], i))
    order = list[AnyInstruction]()
    while ready or later:
        while later and (later[0][0] <= clock or not ready):
            time, i = heappop(later)
            clock = max(clock, time)
            heappush(ready, (-height[i], i))
        _, i = heappop(ready)
        order.append(body[i])
        clock += 1
        for j in after[i]:
            waits[j] -= 1
            earliest[j] = max(earliest[j], clock - 1 + _latency(body[i]))
            if not waits[j]:
                heappush(later, (earliest[j], j))
    return order


def frugal_order(
    graph: Graph, out: int, values: RegisterValues, *, abreast: bool = False
) -> list[AnyInstruction]:
    """A list schedule from the end of the block to its beginning that keeps few registers live:
    of what nothing waits for any more, first what frees the most, last in the block among equals.
    ``abreast`` takes among equals what the longest chain leads to: sums that share their operands
    then advance together, and what they share is not kept until the next sum's turn.
    """
    body, after = graph.body, graph.after
    depth = [0] * len(body)
    if abreast:
        for i, targets in enumerate(after):
            for j in targets:
                depth[j] = max(depth[j], depth[i] + 1)
    before: list[list[int]] = [[] for _ in body]
    for i, targets in enumerate(after):
        for j in targets:
            before[j].append(i)
    waits = [len(targets) for targets in after]
    ready = [i for i, count in enumerate(waits) if not count]  # ascending
    needs = [values.reads[instruction.index] for instruction in body]
    live, order = _numbers(out), list[AnyInstruction]()
    while ready:
        candidates = reversed(ready[-MOST_CANDIDATES:])
        i = min(candidates, key=lambda i: (_change(body[i], needs[i], live, values), -depth[i]))
        ready.remove(i)
        order.append(body[i])
        live.discard(body[i].index)
        live |= needs[i]
        for j in before[i]:
            waits[j] -= 1
            if not waits[j]:
                insort(ready, j)
    order.reverse()
    return order


def least_pressure(graph: Graph, out: int, values: RegisterValues) -> int:
    """The most registers live at once in the better of the two frugal schedules."""
    found = block_pressure(frugal_order(graph, out, values), out, values)
    if found <= ABREAST_FROM:
        return found
    return min(found, block_pressure(frugal_order(graph, out, values, abreast=True), out, values))


def _numbers(bits: int) -> set[int]:
    found = set[int]()
    while bits:
        low = bits & -bits
        found.add(low.bit_length() - 1)
        bits ^= low
    return found


def _change(
    instruction: AnyInstruction, needs: frozenset[int], live: set[int], values: RegisterValues
) -> int:
    """How many registers more are live before an instruction than after it."""
    units = values.units
    freed = units[instruction.index] if instruction.index in live else 0
    return sum(units[need] for need in needs if need not in live) - freed


def _latency(instruction: AnyInstruction) -> int:
    match instruction:
        case Load() | AtomicRmw() | CompareExchange():
            return LOAD_LATENCY
        case Call():
            return PLAIN_LATENCY if instruction.is_intrinsic else MATH_LATENCY
        case _:
            return PLAIN_LATENCY


def graph_of(block: Block) -> Graph:
    """The dependences of a block."""
    body = block.instructions
    place = {instruction.index: i for i, instruction in enumerate(body)}
    before: list[set[int]] = [set() for _ in body]
    fence, loads, stores = -1, dict[int, list[int]](), dict[int, int]()
    for i, instruction in enumerate(body):
        for operand in instruction.operands:
            if isinstance(operand, InstructionRef) and operand.index in place:
                source = place[operand.index]
                if source < i:
                    before[i].add(source)
        space = _space(instruction)
        if i == len(body) - 1 or _is_fence(instruction):
            before[i].update(range(i))
            fence, loads, stores = i, {}, {}
        elif fence >= 0:
            before[i].add(fence)
        if isinstance(instruction, Load):
            loads.setdefault(space, []).append(i)
            before[i].update({stores[space]} if space in stores else ())
        elif isinstance(instruction, Store):
            before[i].update(loads.pop(space, ()))
            before[i].update({stores[space]} if space in stores else ())
            stores[space] = i
    after: list[list[int]] = [[] for _ in body]
    for i, sources in enumerate(before):
        for source in sources:
            after[source].append(i)
    return Graph(
        tuple(body), tuple(tuple(each) for each in after), tuple(len(each) for each in before)
    )


def _space(instruction: AnyInstruction) -> int:
    if isinstance(instruction, Load | Store) and isinstance(instruction.pointer.type, PtrTy):
        return instruction.pointer.type.space
    return -1


def _is_fence(instruction: AnyInstruction) -> bool:
    if isinstance(instruction, Call):
        return "convergent" in instruction.attributes or "barrier" in instruction.callee
    return isinstance(instruction, Fence | AtomicRmw | CompareExchange | Phi)


def pressures(
    orders: Sequence[Sequence[AnyInstruction]], out: Sequence[int], values: RegisterValues
) -> list[int]:
    """The pressure of every block in an order of its own."""
    return [
        block_pressure(order, needed, values) for order, needed in zip(orders, out, strict=True)
    ]
