"""What is worth a reader's attention in a kernel, each with its lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcc.base.records import dataclass
from kcc.base.terms import WORDS
from kcc.frontend.ir.instructions import AnyInstruction, Binary, DebugLocation
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.values import ArgumentRef, ConstantInt, InstructionRef
from kcc.frontend.kernel import Kernel
from kcc.frontend.options import OptLevel
from kcc.frontend.types import AddressSpace
from kcc.passes.facts import Facts
from kcc.passes.graph.barriers import Barriers
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.loops import Loops
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccesses
from kcc.passes.memory.memory_use import MemoryUse
from kcc.passes.mix.classify import classify
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.passes.unknown import Unknown
from kcc.report.analysis.costs import costly_groups, divergent_barriers, finding_of
from kcc.report.analysis.memory_findings import memory_findings
from kcc.report.analysis.model import Finding, Severity
from kcc.report.shared.words import join, plural

Places = Iterable[DebugLocation | None]


@dataclass(frozen=True, slots=True)
class _Notable:
    """A class of instructions worth a finding: what one and several are called, and why."""

    severity: Severity
    one: str
    several: str
    why: str
    code: str


_NOTABLE: dict[InstructionClass, _Notable] = {
    InstructionClass.FP64: _Notable(
        Severity.WARNING,
        "double-precision operation",
        "double-precision operations",
        "most GPUs run FP64 at a fraction of the FP32 rate",
        "fp64",
    ),
    InstructionClass.INT_DIV: _Notable(
        Severity.REMARK,
        "integer division or remainder by a variable",
        "integer divisions or remainders by variables",
        "each is up to 20 instructions",
        "division",
    ),
    InstructionClass.FP_DIV: _Notable(
        Severity.REMARK,
        "floating-point division",
        "floating-point divisions",
        "each is about 8 instructions, fewer with fast-math",
        "division",
    ),
    InstructionClass.MATH: _Notable(
        Severity.REMARK,
        "call of a mathematical function",
        "calls of mathematical functions",
        "a subroutine in full precision; native functions are cheaper",
        "division",
    ),
    InstructionClass.CALL: _Notable(
        Severity.REMARK,
        "call that is not inlined",
        "calls that are not inlined",
        "its instructions are not counted",
        "unknown",
    ),
}


def find(
    kernel: Kernel, facts: Facts, level: OptLevel, of_launch: Iterable[Finding] = ()
) -> tuple[Finding, ...]:
    """The findings about a kernel, warnings first; those of its launch behind those of accesses."""
    finder = _Finder(kernel, facts)
    found = [
        *divergent_barriers(kernel, facts),
        *_costly_accesses(kernel, facts),
        *of_launch,
        *finder.irreducible_regions(),
        *finder.endless_loops(),
        *finder.private_arrays(level),
        *finder.instruction_classes(),
        *finder.barriers_in_loops(),
        *finder.atomics(),
        *memory_findings(kernel, facts),
        *finder.generic_accesses(),
        *finder.unknown_arrays(),
    ]
    return tuple(sorted(found, key=lambda finding: finding.severity is not Severity.WARNING))


def _costly_accesses(kernel: Kernel, facts: Facts) -> Iterator[Finding]:
    """Uncoalesced accesses and bank conflicts, each with the change that saves most of it."""
    groups = costly_groups(kernel, facts)
    if not groups:
        return
    from kcc.report.analysis.fixes import MAX_TRIED, Fixes

    fixes = Fixes(kernel, facts)
    for number, group in enumerate(groups):
        looked = number < MAX_TRIED
        shared = fixes.shared(group) if looked else ""
        yield finding_of(kernel, group, fixes.fix(group) if looked else "", shared)


def _is_easy_division(function: Function, instruction: AnyInstruction) -> bool:
    """A division by a constant, or of an unsigned number by ``1 << k``: compilers make a
    multiplication or a shift of it."""
    if not isinstance(instruction, Binary) or instruction.opcode not in _DIVISIONS:
        return False
    match instruction.right:
        case ArgumentRef():
            return False
        case InstructionRef(index=index):
            by = function.instructions[index]
            if not isinstance(by, Binary) or by.opcode is not Opcode.SHL:
                return False
            is_one = isinstance(by.left, ConstantInt) and by.left.value == 1
            return is_one and instruction.opcode in (Opcode.UDIV, Opcode.UREM)
        case _:
            return True


_DIVISIONS = frozenset(
    {Opcode.UDIV, Opcode.SDIV, Opcode.UREM, Opcode.SREM, Opcode.FDIV, Opcode.FREM}
)


class _Finder:
    def __init__(self, kernel: Kernel, facts: Facts) -> None:
        self._kernel = kernel
        self._words = WORDS[kernel.language.value]
        self._facts = facts

    def irreducible_regions(self) -> Iterator[Finding]:
        for region in self._facts[Loops].irreducible:
            labels = [self._kernel.function.blocks[block].label for block in region.entries]
            message = f"irreducible loop, entered at {join(labels)}: it has no trip count"
            yield self._finding(Severity.WARNING, message, [region.location], "control-flow")

    def endless_loops(self) -> Iterator[Finding]:
        for loop in self._facts[Loops].loops:
            if not loop.exits:
                yield self._finding(
                    Severity.WARNING,
                    "infinite loop: it has no exit",
                    [loop.location],
                    "control-flow",
                )

    def private_arrays(self, level: OptLevel) -> Iterator[Finding]:
        """Without SSA form (O0) every variable is one: nothing to find."""
        if level is OptLevel.O0:
            return
        hope = "; -O2 may promote it" if level is OptLevel.O1 else ""
        private = self._words.private_memory
        for array in self._facts[MemoryUse].private_arrays:
            size = "" if isinstance(array.size_bytes, Unknown) else f" ({array.size_bytes} bytes)"
            why = " because it is volatile" if array.is_volatile else hope
            message = f"{array.name}{size} is in {private}, not in registers{why}"
            yield self._finding(Severity.WARNING, message, [array.location], "private-memory")

    def instruction_classes(self) -> Iterator[Finding]:
        counts, places = (
            dict[InstructionClass, int](),
            dict[InstructionClass, list[DebugLocation]](),
        )
        reachable = set(self._facts[ControlFlow].order)
        for instruction in self._kernel.function.instructions:
            if instruction.block not in reachable or _is_easy_division(
                self._kernel.function, instruction
            ):
                continue
            for each, count in classify(instruction):
                counts[each] = counts.get(each, 0) + count
                if instruction.location:
                    places.setdefault(each, []).append(instruction.location)
        for each, notable in _NOTABLE.items():
            if each in counts:
                what = plural(counts[each], notable.one, notable.several)
                message = f"{what}: {notable.why}"
                yield self._finding(notable.severity, message, places.get(each, []), notable.code)

    def barriers_in_loops(self) -> Iterator[Finding]:
        loops = self._facts[Loops]
        inside = [b for b in self._facts[Barriers].barriers if loops.innermost[b.block] is not None]
        if inside:
            what = plural(len(inside), "barrier")
            where = "a loop" if len(inside) == 1 else "loops"
            who = f"{self._words.thread}s of a {self._words.block}"
            message = f"{what} in {where}: the trip count must be the same for all {who}"
            yield self._finding(
                Severity.REMARK, message, [b.location for b in inside], "divergent-barrier"
            )

    def atomics(self) -> Iterator[Finding]:
        accesses = self._facts[MemoryAccesses].accesses
        atomics = [access for access in accesses if access.op is AccessOp.ATOMIC]
        if atomics:
            what = plural(len(atomics), "atomic operation")
            message = f"{what}: those for one address are serialised (atomic contention)"
            yield self._finding(
                Severity.REMARK, message, [a.location for a in atomics], "atomic-contention"
            )

    def generic_accesses(self) -> Iterator[Finding]:
        accesses = self._facts[MemoryAccesses].accesses
        generic = [access for access in accesses if access.space is AddressSpace.GENERIC]
        if generic:
            what = plural(len(generic), "access", "accesses")
            message = f"{what} through generic pointers: the address space is not known"
            yield self._finding(Severity.WARNING, message, [a.location for a in generic])

    def unknown_arrays(self) -> Iterator[Finding]:
        by_reason = dict[str, list[DebugLocation | None]]()
        for access in self._facts[MemoryAccesses].accesses:
            if isinstance(access.array, Unknown):
                by_reason.setdefault(access.array.reason, []).append(access.location)
        for reason, places in by_reason.items():
            what = plural(len(places), "access", "accesses")
            yield self._finding(Severity.REMARK, f"{what} to an unknown array: {reason}", places)

    def _finding(
        self, severity: Severity, message: str, places: Places, code: str = "unknown"
    ) -> Finding:
        """A finding with the lines of the kernel's own file among its places."""
        file = self._kernel.span.file
        lines = sorted({place.line for place in places if place and place.file == file})
        return Finding(severity, tuple(lines), message, code=code)
