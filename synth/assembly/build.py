"""From a kernel, what it makes known of its addresses, and its profile to a miniature kernel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kcc.base.profile.model import KernelInfo, LaunchProfile, LoopInfo
from kcc.base.records import dataclass
from kcc.frontend.builtins.demangle import demangle
from kcc.frontend.ir.instructions import (
    Alloca,
    AnyInstruction,
    AtomicRmw,
    Binary,
    Branch,
    Call,
    Cast,
    CondBranch,
    FloatCompare,
    GetElementPtr,
    IntCompare,
    Phi,
    Select,
    ShuffleVector,
    Store,
    Switch,
)
from kcc.frontend.ir.model import Function, Module, users
from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.types import FLOAT, I1, I32, IrType, PtrTy, scalar_of, size_bytes
from kcc.frontend.ir.values import (
    ArgumentRef,
    ConstantExpr,
    ConstantFloat,
    ConstantInt,
    ConstantVector,
    GlobalRef,
    InstructionRef,
    Value,
    Zero,
)
from kcc.frontend.kernel import Kernel as SourceKernel
from kcc.synth.assembly import control
from kcc.synth.assembly.constant_places import constant_place
from kcc.synth.assembly.literals import literal_of
from kcc.synth.assembly.model import (
    Block,
    Bound,
    Bounded,
    Choice,
    Counted,
    DeclaredArray,
    Drawn,
    EarlyExit,
    End,
    Ending,
    Fill,
    Fork,
    Input,
    Jump,
    Kernel,
    Known,
    Literal,
    Loop,
    LoopControl,
    Nothing,
    Operand,
    ParameterKind,
    Place,
    Refill,
    Result,
    Role,
    Spread,
    Statement,
)
from kcc.synth.assembly.moving import moved_queries
from kcc.synth.assembly.parameters import Parameters, RateOf, Source, SpanOf, TripsOf
from kcc.synth.assembly.sharing import ALONE, WHOLE_BLOCK
from kcc.synth.assembly.trips import has_rare, is_one_count
from kcc.synth.original.keys import Keys, Redraw
from kcc.synth.original.roles import Roles
from kcc.synth.original.same_counters import sums_without_overflow
from kcc.synth.reduction.spans import Span
from kcc.synth.reduction.thread_blocks import Cut


@dataclass(frozen=True, slots=True)
class Original:
    """What a miniature kernel is made from: the kernel, its profile over all launches
    (``profile``) and for each of them. ``spans`` are where accesses go whose addresses are drawn,
    by instruction; ``refills`` the least and the largest value that may be stored; ``access_of``
    numbers accesses; ``meets`` says where lanes that part at a block
    reconverge."""

    kernel: SourceKernel
    function: Function
    module: Module
    info: KernelInfo
    roles: Roles
    profile: LaunchProfile
    launches: tuple[LaunchProfile, ...]
    spans: Mapping[int, Span]
    refills: Mapping[int, tuple[int, int]]
    access_of: Mapping[int, int]
    meets: Mapping[int, int | None]
    keys: Keys
    codes: Mapping[tuple[int, int], int]
    redraw: Redraw
    """What stands for ``keys``: for constants that data are compared with ``codes``."""
    cuts: tuple[tuple[Cut, ...], ...] = ()
    """For each launch what is kept of each dimension of its grid."""


@dataclass(frozen=True, slots=True)
class Built:
    """A miniature kernel, and where the values of its parameters come from."""

    kernel: Kernel
    sources: tuple[Source, ...]


class _Builder:
    def __init__(self, original: Original, name: str, factors: Sequence[int]) -> None:
        self.original, self.name, self.factors = original, name, factors
        self.function, self.info, self.roles = original.function, original.info, original.roles
        self.parameters = Parameters()
        self.arrays = dict[str, DeclaredArray]()
        self.users = users(self.function)
        self.sums = sums_without_overflow(self.function)
        self.loops = dict[int, Loop]()
        self.governing: dict[int, tuple[LoopInfo, control.Exit]] = {}
        self.early: dict[int, tuple[LoopInfo, control.Exit]] = {}
        self.replaced = set[int]()
        """Instructions in place of which conditions wait for what they are drawn behind."""

    def build(self) -> Built:
        self._take_arguments()
        for loop in self.info.loops:
            self.loops[loop.id] = self._loop(loop)
        blocks = tuple(self._block(number) for number in range(len(self.function.blocks)))
        moved = tuple(moved_queries(self.function, self.original.cuts, self.parameters))
        if _draws(blocks, self.loops.values()):
            self.parameters.add(ParameterKind.SEED, I32, None)
            self.parameters.add(ParameterKind.ZERO, I32, None)
        kernel = Kernel(
            self.name,
            tuple(self.parameters.rows),
            tuple(self.arrays.values()),
            blocks,
            tuple(self.loops[loop.id] for loop in self.info.loops),
            self.function.required_local_size,
            max(_dimensions(x) for x in self.original.launches),
            self.original.launches[0].local_size,
            moved=moved,
        )
        return Built(kernel, tuple(self.parameters.sources))

    def _take_arguments(self) -> None:
        for argument in self.function.arguments:
            said = self.original.kernel.arguments[argument.index]
            byval = argument.attributes.byval
            if byval is not None:
                size = size_bytes(byval)
                self.parameters.add(
                    ParameterKind.STRUCT, argument.type, argument.index, size_bytes=size
                )
            elif said.type.startswith("image"):
                self.parameters.add(
                    ParameterKind.IMAGE, argument.type, argument.index, access=said.access
                )
            elif said.type == "sampler_t":
                self.parameters.add(ParameterKind.SAMPLER, argument.type, argument.index)
            elif isinstance(argument.type, PtrTy):
                local = argument.type.space == 3
                kind = ParameterKind.LOCAL if local else ParameterKind.BUFFER
                self.parameters.add(kind, argument.type, argument.index, space=argument.type.space)
            else:
                self.parameters.add(ParameterKind.SCALAR, argument.type, argument.index)

    def _loop(self, loop: LoopInfo) -> Loop:
        before = self.function.blocks[loop.header].predecessors
        entries = tuple(p for p in before if p not in loop.blocks)
        way = control.governing_exit(self.function, self.info, loop, self.roles)
        count = self.original.profile.loops[loop.id]
        factor = self.factors[loop.id]
        made, bound, trips, sharing = LoopControl.KEPT, None, -1, ALONE
        if way is not None and count.entries:
            known = control.is_foreseen(self.function, loop, way, self.roles)
            if known and factor > 1 and count.most > 1:
                found = control.bound_of(self.function, loop, way, self.roles)
                if found is not None and isinstance(found.step, int):
                    made, bound = LoopControl.BOUND, self._bound(found, loop, way)
                elif all(is_one_count(x.loops[loop.id], factor)
                         for x in self.original.launches):  # fmt: skip
                    made = LoopControl.COUNT
                elif found is not None:
                    made, bound = LoopControl.BOUND, self._bound(found, loop, way)
                else:
                    made = LoopControl.DRAWN
            elif not known:
                made = LoopControl.DRAWN
        if made in (LoopControl.COUNT, LoopControl.DRAWN):
            bound = self._counter(loop)
        early = self._early(loop, way, made)
        if made in (LoopControl.COUNT, LoopControl.DRAWN):
            drawn = made is LoopControl.DRAWN
            kind = ParameterKind.TABLE if drawn else ParameterKind.TRIPS
            source = TripsOf(loop.id, factor, drawn and has_rare(count))
            if early is not None and drawn:
                of_early = self.parameters.sources[early.trips]
                assert isinstance(of_early, TripsOf)
                source = replace(of_early, rest=True)
            trips = self.parameters.add(kind, PtrTy(2) if drawn else I32, source)
            sharing = control.sharing_of_loop(self.original.profile, loop)
            if any(self.info.blocks[b].barriers for b in loop.blocks):
                sharing = WHOLE_BLOCK
        if made is not LoopControl.KEPT and way is not None:
            self.governing[way.block] = loop, way
        return Loop(
            loop.id, loop.header, loop.blocks, loop.depth, entries, made, bound, trips, sharing,
            early, halves=has_rare(count),
        )  # fmt: skip

    def _early(
        self, loop: LoopInfo, way: control.Exit | None, made: LoopControl
    ) -> EarlyExit | None:
        """The exits that data decide beside the one that governs a loop. Drawn trip by trip they
        would be taken after trips of a geometric distribution, whatever those of the original
        are; where there are several, the first of them is taken in the trip that is drawn."""
        count, counter = self.original.profile.loops[loop.id], self._counter(loop)
        if way is None or not count.entries:
            return None
        if counter is None:
            latches = {
                p for p in self.function.blocks[loop.header].predecessors if p in loop.blocks
            }
            if made not in (LoopControl.COUNT, LoopControl.DRAWN) or way.block not in latches:
                return None
        if not self.roles.is_decided(way.branch.condition) and made is not LoopControl.DRAWN:
            return None
        # Where the end of a loop is drawn contents do not say what they said together.
        given = self.roles.is_known if made is LoopControl.DRAWN else self.roles.is_decided
        exits = control.exits_of(self.function, self.info, loop)
        others = [e for e in exits if e.block != way.block and not given(e.branch.condition)]
        if not others:
            return None
        ways = [(e.block, e.branch.otherwise if e.stays_then else e.branch.then) for e in others]
        source = TripsOf(loop.id, self.factors[loop.id], has_rare(count), tuple(ways))
        trips = self.parameters.add(ParameterKind.TABLE, PtrTy(2), source)
        sharing = control.sharing_of_loop(self.original.profile, loop)
        if any(self.info.blocks[b].barriers for b in loop.blocks):
            sharing = WHOLE_BLOCK
        self.early.update((e.block, (loop, e)) for e in others)
        return EarlyExit(counter, trips, sharing)

    def _counter(self, loop: LoopInfo) -> Bound | None:
        """A counter that the loop has anyway, for its trips to be compared with."""
        found = control.induction_of(self.function, loop, self.roles)
        if found is None:
            return None
        phi, step = found
        rises = not isinstance(step, int) or step > 0
        size = Literal(abs(step)) if isinstance(step, int) else self._operand(step, Role.INDEX, 0)
        return Bound(
            start=Result(phi.index), is_ahead=False, step=size, rises=rises, limit=Nothing(),
            predicate="ne", type=phi.type, tests_first=False,
        )  # fmt: skip

    def _bound(self, found: control.FoundBound, loop: LoopInfo, way: control.Exit) -> Bound:
        latches = {p for p in self.function.blocks[loop.header].predecessors if p in loop.blocks}
        return Bound(
            start=Result(found.phi.index),
            is_ahead=found.is_ahead,
            step=(
                Literal(found.step)
                if isinstance(found.step, int)
                else self._operand(found.step, Role.INDEX, 0)
            ),
            rises=found.rises,
            limit=self._operand(found.limit, Role.INDEX, 0),
            predicate=found.predicate,
            type=found.phi.type,
            tests_first=way.block == loop.header and way.block not in latches,
        )

    def _block(self, number: int) -> Block:
        block, ending = self.function.blocks[number], self._ending(number)
        statements = tuple(
            self._statement(i)
            for i in block.instructions[:-1]
            if not _makes_nothing(i) and i.index not in self.replaced
        )
        return Block(number, statements, ending)

    def _statement(self, instruction: AnyInstruction) -> Statement:
        role = Role.INDEX if instruction.index in self.roles.index else Role.CHAIN
        if isinstance(instruction, Call):
            role = Role.INDEX if self._keeps_constants(instruction) else role
        opcode, detail = _names(instruction)
        if instruction.index in self.sums:
            detail = "nsw"
        span = self.original.spans.get(instruction.index)
        operands = tuple(
            self._operand(value, role, place, instruction)
            for place, value in enumerate(instruction.operands)
        )
        if span is not None:
            place = 1 if isinstance(instruction, Store) else 0
            drawn = self._spread(span, instruction.index)
            operands = (*operands[:place], drawn, *operands[place + 1 :])
        limits = self.original.refills.get(instruction.index)
        if limits is not None and isinstance(instruction, Store):
            operands = (self._refill(operands[0], instruction.value.type, *limits), operands[1])
        return Statement(
            number=instruction.index,
            opcode=opcode,
            detail=detail,
            type=instruction.type,
            operands=operands,
            operand_types=tuple(o.type for o in instruction.operands),
            incoming=instruction.incoming if isinstance(instruction, Phi) else (),
            role=role,
            shape=instruction.source_type if isinstance(instruction, GetElementPtr) else None,
            lanes=instruction.mask if isinstance(instruction, ShuffleVector) else (),
            access=self.original.access_of.get(instruction.index, -1),
            alignment_bytes=getattr(instruction, "alignment_bytes", 0),
        )

    def _spread(self, span: Span, instruction: int) -> Operand:
        base = self._operand(span.base, Role.INDEX, 0)
        assert isinstance(base, Input | Place)
        anchor = self._operand(span.anchor, Role.CHAIN, 0)
        counts, own = {count for _, count in span.counts}, None
        if len(counts) > 1:
            own = Input(self._span_parameter(SpanOf(span.counts)))
        access, sharing, hot = self.original.access_of[instruction], ALONE, 0
        if self.info.accesses[access].address_space == "global":  # words count in constant memory
            sharing = control.sharing_of_access(
                self.original.profile, access, span.element_bytes, max(counts), min(counts)
            )
            if sharing == ALONE:
                hot = control.hot_part(self.original.profile, access, span.element_bytes, counts)
        return Spread(
            base, anchor, span.anchor.type, span.low_bytes, max(counts), span.element_bytes,
            sharing, hot, own,
        )  # fmt: skip

    def _span_parameter(self, source: SpanOf) -> int:
        if source in self.parameters.sources:
            return self.parameters.sources.index(source)
        return self.parameters.add(ParameterKind.SPAN, I32, source)

    def _refill(self, anchor: Operand, type_: IrType, least: int, most: int) -> Refill:
        return Refill(anchor, type_, least, max(most - least + 1, 1).bit_length() - 1)

    def _keeps_constants(self, call: Call) -> bool:
        """Barriers' flags and dimensions of ids are part of the opcode."""
        return not any(isinstance(scalar_of(o.type), type(FLOAT)) for o in call.operands)

    def _operand(
        self, value: Value, role: Role, place: int, user: AnyInstruction | None = None
    ) -> Operand:
        match value:
            case InstructionRef():
                made = self.function.instructions[value.index]
                if isinstance(made, Alloca):
                    return Place(self._private_array(made))
                return Result(value.index)
            case ArgumentRef():
                return Input(value.index)
            case GlobalRef():
                return Place(self._array(value))
            case ConstantExpr() if isinstance(value.type, PtrTy):
                base, offset = constant_place(value)
                return Place(self._array(base), offset) if base is not None else Nothing()
            case ConstantInt() | ConstantFloat() | ConstantVector():
                return self._key(value, role, place, user) or literal_of(value, role, place, user)
            case Zero():
                return Literal(0)
            case _:
                return Nothing()

    def _key(
        self, value: Value, role: Role, place: int, user: AnyInstruction | None
    ) -> Literal | None:
        """What stands for a constant that is a key; None for others."""
        if user is None or role is not Role.INDEX or not isinstance(value, ConstantInt):
            return None
        where = user.index, place
        if where in self.original.codes:
            return Literal(self.original.codes[where])
        if where in self.original.keys.mixed:
            return Literal(self.original.redraw.of(value.value, value.type.bits))
        return None

    def _array(self, value: GlobalRef) -> int:
        if value.name not in self.arrays:
            found = self.original.module.globals[value.name]
            size = size_bytes(found.type)
            fill = Fill(0, 4, size // 4, 4, 0, 0, 0, 0, 0) if found.space == 2 else None
            number = len(self.arrays)
            self.arrays[value.name] = DeclaredArray(number, found.space, size, fill)
        return self.arrays[value.name].number

    def _private_array(self, made: Alloca) -> int:
        """Of a work-item, in memory as in the original: indexed by what a run decides or not."""
        name = f"%{made.index}"
        if name not in self.arrays:
            assert isinstance(made.count, ConstantInt)
            size = size_bytes(made.allocated_type) * made.count.value
            self.arrays[name] = DeclaredArray(len(self.arrays), 0, size, None)
        return self.arrays[name].number

    def _ending(self, number: int) -> Ending:
        end = self.function.blocks[number].terminator
        match end:
            case Branch():
                return Jump(end.target)
            case CondBranch() if end.then == end.otherwise:
                return Jump(end.then)
            case CondBranch():
                return Fork(self._condition(number, end), end.then, end.otherwise)
            case Switch():
                return self._choice(number, end)
            case _:
                return End()

    def _condition(self, number: int, end: CondBranch) -> Known | Drawn | Counted | Bounded:
        if number in self.governing:
            loop, way = self.governing[number]
            made = self.loops[loop.id]
            anchor = Nothing(), I32, False
            if not self.roles.is_decided(end.condition):
                anchor = self._waits(end.condition)
            if made.control is LoopControl.BOUND:
                found = control.bound_of(self.function, loop, way, self.roles)
                assert found is not None
                value = self._operand(found.value, Role.INDEX, 0)
                return Bounded(loop.id, value, found.value.type, way.stays_then, *anchor)
            if made.bound is not None:
                counter = made.bound
                return Bounded(loop.id, counter.start, counter.type, way.stays_then, *anchor)
            return Counted(loop.id, way.stays_then, *anchor)
        if number in self.early:
            loop, way = self.early[number]
            early, anchor = self.loops[loop.id].early, self._waits(end.condition)
            assert early is not None
            if early.counter is None:
                return Counted(loop.id, way.stays_then, *anchor, early=True)
            start, type_ = early.counter.start, early.counter.type
            return Bounded(loop.id, start, type_, way.stays_then, *anchor, early=True)
        if self.roles.is_decided(end.condition):
            return Known(self._operand(end.condition, Role.INDEX, 0))
        rates = self._rate(number, (end.then,))
        around = self.info.blocks[number].loop
        loop = None if around is None else self.info.loops[around]
        if loop is not None and not {end.then, end.otherwise} <= set(loop.blocks):
            sharing = control.sharing_of_loop(self.original.profile, loop)
        elif loop is not None and control.falls_apart(self.original.profile, loop):
            sharing = ALONE
        else:
            ways = end.then, end.otherwise
            sharing = control.sharing_of_branch(self.original.profile, number, *ways)
        after = {b.index: b.successors for b in self.function.blocks}
        meets = self.original.meets.get(number)
        if control.holds_barrier(self.info, after, (end.then, end.otherwise), meets):
            sharing = WHOLE_BLOCK
        fixed = self.info.blocks[number].loop is None
        fixed = fixed or control.is_fixed_by_thread(self.original.profile, number)
        anchor, type_, stands = self._waits(end.condition)
        return Drawn(rates, anchor, type_, sharing, fixed, stands)

    def _rate(self, number: int, targets: tuple[int, ...]) -> int:
        factor = 1
        around = self.info.blocks[number].loop
        if around is not None:
            loop = self.info.loops[around]
            if any(t not in loop.blocks for t in targets) or any(
                t not in loop.blocks for t in self.function.blocks[number].successors
            ):
                factor = self.factors[around]
        return self.parameters.add(ParameterKind.RATE, I32, RateOf(number, targets, factor))

    def _anchor(self, condition: Value) -> Value:
        """The value that decides a condition on data: what is compared, where nothing else asks
        for the comparison; of comparisons that are joined, what comes last."""
        made = self.function.definition(condition)
        if made is None or len(self.users[made.index]) != 1:
            return condition
        waits = [o for o in made.operands if isinstance(o, InstructionRef)]
        waits = [o for o in waits if not self.roles.is_known(o)]
        if isinstance(made, Binary | Select) and made.type == I1 and waits:
            anchors = [self._anchor(o) for o in waits]
            return max((a for a in anchors if isinstance(a, InstructionRef)), key=lambda a: a.index)
        if isinstance(made, IntCompare | FloatCompare) and waits:
            return waits[0]
        return condition

    def _waits(self, condition: Value) -> tuple[Operand, IrType, bool]:
        """What a condition on data waits for, its type, and whether it does so in place of an
        instruction of the original: of arithmetic, one short operation, that nothing else asks for.
        Behind it what drives the miniature would make the way through a loop longer."""
        anchor = self._anchor(condition)
        made, stands = self.function.definition(anchor), False
        if isinstance(made, Binary | Select) and _is_short(made):
            waits = [o for o in made.operands if isinstance(o, InstructionRef)]
            waits = [o for o in waits if not self.roles.is_known(o)]
            if waits:
                anchor = max(waits, key=lambda o: o.index)
                stands = len(self.users[made.index]) == 1
                self.replaced |= {made.index} if stands else set()
        return self._operand(anchor, Role.CHAIN, 0), anchor.type, stands

    def _choice(self, number: int, end: Switch) -> Choice:
        if self.roles.is_decided(end.value):
            value = self._operand(end.value, Role.INDEX, 0)
            return Choice(value, end.value.type, end.default, end.cases, ())
        rates = tuple(
            self._rate(number, tuple(t for _, t in end.cases[: n + 1]))
            for n in range(len(end.cases))
        )
        anchor = self._operand(end.value, Role.CHAIN, 0)
        cases = tuple((n, target) for n, (_, target) in enumerate(end.cases))
        return Choice(anchor, end.value.type, end.default, cases, rates)


_LONG = frozenset({Opcode.UDIV, Opcode.SDIV, Opcode.UREM, Opcode.SREM, Opcode.FDIV, Opcode.FREM})
"""Arithmetic of many instructions."""


def _is_short(made: Binary | Select) -> bool:
    """Whether arithmetic is one instruction, on no more than 32 bits."""
    return made.opcode not in _LONG and size_bytes(made.type) <= 4


def build_kernel(original: Original, name: str, factors: Sequence[int]) -> Built:
    """The miniature of a kernel; ``factors`` are those of its loops, by id."""
    return _Builder(original, name, factors).build()


def _dimensions(launch: LaunchProfile) -> int:
    return max([n + 1 for n, size in enumerate(launch.global_size) if size > 1], default=1)


def _draws(blocks: Sequence[Block], loops: Iterable[Loop]) -> bool:
    """Whether anything is drawn while the miniature runs."""
    for block in blocks:
        match block.ending:
            case Fork(condition=Drawn()):
                return True
            case Fork(condition=Counted(anchor=Result()) | Bounded(anchor=Result())):
                return True
            case Choice(rates=rates) if rates:
                return True
            case _:
                pass
        if any(isinstance(o, Spread | Refill) for s in block.statements for o in s.operands):
            return True
    return any(loop.control is LoopControl.DRAWN or loop.early for loop in loops)


def _makes_nothing(instruction: AnyInstruction) -> bool:
    """Promises to the compiler, and arrays, which are declared."""
    if isinstance(instruction, Alloca):
        return True
    return isinstance(instruction, Call) and instruction.callee in (
        "llvm.assume", "llvm.experimental.noalias.scope.decl", "llvm.lifetime.start.p0",
        "llvm.lifetime.end.p0",
    )  # fmt: skip


def _names(instruction: AnyInstruction) -> tuple[str, str]:
    match instruction:
        case Call():
            known = demangle(instruction.callee)
            return "call", known.name if known else instruction.callee
        case IntCompare() | FloatCompare():
            return instruction.opcode.word, instruction.predicate.value
        case AtomicRmw():
            return instruction.opcode.word, instruction.operation.value
        case Binary() if Flags.NSW in instruction.flags:
            return instruction.opcode.word, "nsw"
        case Cast() if Flags.NNEG in instruction.flags:
            return instruction.opcode.word, "nneg"
        case _:
            return instruction.opcode.word, ""
