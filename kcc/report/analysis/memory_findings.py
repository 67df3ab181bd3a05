"""Memory traffic that registers or local memory would save: accumulators that a loop loads and
stores in each trip, and operands that many work-items of a work-group load each for itself."""

from __future__ import annotations

from collections.abc import Iterator

from kcc.base.terms import WORDS
from kcc.frontend.ir.instructions import AnyInstruction, Binary, Call
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import VecTy
from kcc.frontend.kernel import Kernel
from kcc.frontend.types import AddressSpace
from kcc.passes.facts import Facts
from kcc.passes.graph.loops import Loop, Loops
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccess, MemoryAccesses, moved_bytes
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Node, Symbol, SymbolKind, operands_of
from kcc.passes.unknown import Unknown
from kcc.report.analysis.model import Finding, Severity
from kcc.report.shared.words import join

_FLOATS = {Opcode.FADD: 1, Opcode.FSUB: 1, Opcode.FMUL: 1, Opcode.FDIV: 1}
_FUSED = ("fma", "mad", "fmuladd")
"""Words in the names of built-in functions that multiply and add."""


def memory_findings(kernel: Kernel, facts: Facts) -> Iterator[Finding]:
    """Of each loop, accumulators in memory; of innermost loops, operands loaded many times."""
    accesses = facts[MemoryAccesses].accesses
    for loop in facts[Loops].loops:
        inside = [a for a in accesses if facts[Loops].innermost[a.block] == loop.id]
        yield from _accumulators(kernel, facts, loop, inside)
        if not loop.children:
            yield from _reused(kernel, facts, loop, inside)


def _accumulators(
    kernel: Kernel, facts: Facts, loop: Loop, inside: list[MemoryAccess]
) -> Iterator[Finding]:
    """Loads and stores of one address that the loop does not change, in global memory."""
    values = facts[SymbolicValues]
    stored = {
        values.scalar(a.pointer, a.block): a
        for a in inside
        if a.op is AccessOp.STORE and a.space is AddressSpace.GLOBAL and not a.volatile
    }
    for load in inside:
        if load.op is not AccessOp.LOAD or load.volatile or isinstance(load.array, Unknown):
            continue
        address = values.scalar(load.pointer, load.block)
        store = stored.get(address)
        if store is None or values.varies(address, loop.id):
            continue
        message = (
            f"{load.array.name} is an accumulator in memory: each trip of the loop loads and "
            "stores the same element"
        )
        fix = "add in a private variable, and store it once after the loop"
        yield _finding(kernel, (load, store), message, fix, "accumulator")


def _reused(
    kernel: Kernel, facts: Facts, loop: Loop, inside: list[MemoryAccess]
) -> Iterator[Finding]:
    """Operands of a loop of which one is the same along one dimension of the work-group and another
    along another, as rows and columns in a product of matrices."""
    values = facts[SymbolicValues]
    loads = [
        a for a in inside
        if a.op is AccessOp.LOAD and a.space in (AddressSpace.GLOBAL, AddressSpace.CONSTANT)
        and not isinstance(a.array, Unknown)
        and values.varies(values.scalar(a.pointer, a.block), loop.id)
    ]  # fmt: skip
    dimensions = {a.id: _dimensions(values.scalar(a.pointer, a.block)) for a in loads}
    used = frozenset[int]().union(*dimensions.values())
    shared = {a.id: used - dimensions[a.id] for a in loads}
    if len({s for s in shared.values() if s}) < 2 or not all(shared.values()):
        return
    blocks = set(loop.blocks)
    operations = sum(_operations(i) for i in kernel.function.instructions if i.block in blocks)
    size = sum(moved_bytes(kernel.function.instructions[a.instruction].type) for a in loads)
    if not operations or not size:
        return
    words = WORDS[kernel.language.value]
    known = values.algebra.known.local_size
    who = [_who(a, shared[a.id], known, f"{words.thread}s") for a in loads]
    message = (
        f"{operations / size:.2g} floating-point operations per byte loaded: a trip loads {size} "
        f"bytes for {operations}, and {words.thread}s of a {words.block} load the same elements "
        f"({join(list(dict.fromkeys(who)))})"
    )
    fix = f"stage tiles of them in {words.shared_memory}"
    yield _finding(kernel, tuple(loads), message, fix, "data-reuse")


def _who(
    access: MemoryAccess, along: frozenset[int], sizes: tuple[int, ...] | None, threads: str
) -> str:
    assert not isinstance(access.array, Unknown)
    count = 1
    for dimension in along:
        count *= sizes[dimension] if sizes is not None and dimension < len(sizes) else 1
    axes = join([f"dimension {d}" for d in sorted(along)])
    if count > 1:
        return f"{access.array.name}: {count} {threads} along {axes}"
    return f"{access.array.name}: all along {axes}"


def _dimensions(address: Node) -> frozenset[int]:
    """The dimensions of the ids that an address depends on."""
    found, pending, seen = set[int](), [address], set[int]()
    while pending:
        node = pending.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        if isinstance(node, Symbol) and node.kind in (SymbolKind.GLOBAL_ID, SymbolKind.LOCAL_ID,
                                                      SymbolKind.GROUP_ID):  # fmt: skip
            found.add(int(node.index))
        pending += operands_of(node)
    return frozenset(found)


def _operations(instruction: AnyInstruction) -> int:
    """Floating-point operations of an instruction, of all components."""
    lanes = instruction.type.lanes if isinstance(instruction.type, VecTy) else 1
    if isinstance(instruction, Binary):
        return lanes * _FLOATS.get(instruction.opcode, 0)
    if isinstance(instruction, Call) and any(w in instruction.callee for w in _FUSED):
        return 2 * lanes
    return 0


def _finding(
    kernel: Kernel, accesses: tuple[MemoryAccess, ...], message: str, fix: str, code: str
) -> Finding:
    file = kernel.span.file
    places = (a.location for a in accesses)
    lines = sorted({p.line for p in places if p and p.file == file})
    return Finding(Severity.REMARK, tuple(lines), message, fix=fix, code=code)
