"""Instructions of the dialect: one class per shape, all with the fields of :class:`Instruction`.

:data:`AnyInstruction` is the closed union of the classes, for ``match`` and ``assert_never``.
Instructions are immutable, belong to one function and compare by identity; ``str`` gives LLVM's
spelling (without metadata) for reports. Blocks are named by their index in the function.
"""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.ir.opcodes import (
    AtomicOperation,
    Flags,
    FloatPredicate,
    IntPredicate,
    Opcode,
    Ordering,
)
from kcc.frontend.ir.types import I32, VOID, IrType
from kcc.frontend.ir.values import ConstantInt, Value, flag_words, local_name, quoted_name


@dataclass(frozen=True, slots=True)
class DebugLocation:
    """A place in the source: ``file`` as the compile unit names it, line and column from 1
    (column 0 is unknown), the function whose text it is, and for inlined code the call's place
    (whose line may be 0: unknown).
    """

    file: str
    line: int
    column: int
    function: str
    inlined_at: DebugLocation | None

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"
        )


@dataclass(frozen=True, slots=True)
class LoopMark:
    """What ``!llvm.loop`` on the branch of a latch says.

    ``start`` and ``end`` are the loop's places in the source (``start``: its keyword).
    ``unroll``: None when nothing was asked for, 0 unroll fully, 1 not at all, n by n, -1 by
    whatever count the compiler likes.
    """

    start: DebugLocation | None
    end: DebugLocation | None
    unroll: int | None


@dataclass(frozen=True, slots=True)
class ParameterAttributes:
    """Attributes of a parameter, at a definition or at a call; ``words`` as LLVM spells them."""

    words: frozenset[str] = frozenset()
    byval: IrType | None = None
    alignment_bytes: int | None = None


ONE = ConstantInt(I32, 1)
"""The count of an alloca that names none."""

NO_ATTRIBUTES = ParameterAttributes()


@dataclass(frozen=True, slots=True, eq=False)
class Instruction:
    """What all instructions have.

    ``index`` counts from 0 through the whole function in block order, ``block`` is the index of
    the block. ``type`` is void and ``name`` empty where there is no result. ``location`` is None
    where the compiler left none (line 0 counts as none).
    """

    index: int
    block: int
    opcode: Opcode
    type: IrType
    name: str
    operands: tuple[Value, ...]
    flags: Flags
    location: DebugLocation | None

    @property
    def line(self) -> int | None:
        """The source line, None where not known."""
        return self.location.line if self.location else None

    def __str__(self) -> str:
        result = "" if self.type == VOID else f"{local_name(self.name)} = "
        return f"{result}{self._body()}"

    def _body(self) -> str:
        return f"{self._words()} {_typed(self.operands)}"

    def _words(self) -> str:
        return " ".join([self.opcode.word, *flag_words(self.flags)])


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Instruction):
    """Two operands of the result's type: integer, float and bitwise arithmetic."""

    @property
    def left(self) -> Value:
        return self.operands[0]

    @property
    def right(self) -> Value:
        return self.operands[1]

    def _body(self) -> str:
        return f"{self._words()} {self.type} {self.left}, {self.right}"


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Instruction):
    """fneg and freeze."""

    @property
    def operand(self) -> Value:
        return self.operands[0]


@dataclass(frozen=True, slots=True, eq=False)
class Cast(Instruction):
    """A conversion of ``operand`` to ``type``."""

    @property
    def operand(self) -> Value:
        return self.operands[0]

    def _body(self) -> str:
        return f"{self._words()} {_typed(self.operands)} to {self.type}"


@dataclass(frozen=True, slots=True, eq=False)
class IntCompare(Instruction):
    """icmp on integers, pointers or vectors of them."""

    predicate: IntPredicate

    @property
    def left(self) -> Value:
        return self.operands[0]

    @property
    def right(self) -> Value:
        return self.operands[1]

    def _body(self) -> str:
        return f"{self._words()} {self.predicate.value} {self.left.type} {self.left}, {self.right}"


@dataclass(frozen=True, slots=True, eq=False)
class FloatCompare(Instruction):
    """fcmp on floats or vectors of them."""

    predicate: FloatPredicate

    @property
    def left(self) -> Value:
        return self.operands[0]

    @property
    def right(self) -> Value:
        return self.operands[1]

    def _body(self) -> str:
        return f"{self._words()} {self.predicate.value} {self.left.type} {self.left}, {self.right}"


@dataclass(frozen=True, slots=True, eq=False)
class Select(Instruction):
    """``condition`` is i1, or a vector of i1 that chooses lane by lane."""

    @property
    def condition(self) -> Value:
        return self.operands[0]

    @property
    def then(self) -> Value:
        return self.operands[1]

    @property
    def otherwise(self) -> Value:
        return self.operands[2]


@dataclass(frozen=True, slots=True, eq=False)
class Phi(Instruction):
    """``operands[i]`` when control comes from block ``incoming[i]``; a block that reaches this
    one by several edges stands once per edge.
    """

    incoming: tuple[int, ...]

    def _body(self) -> str:
        rows = (f"[ {v}, #{b} ]" for v, b in zip(self.operands, self.incoming, strict=True))
        return f"{self._words()} {self.type} {', '.join(rows)}"


@dataclass(frozen=True, slots=True, eq=False)
class Alloca(Instruction):
    """``count`` objects of ``allocated_type`` in private memory."""

    allocated_type: IrType
    alignment_bytes: int

    @property
    def count(self) -> Value:
        return self.operands[0]

    def _body(self) -> str:
        count = "" if self.count == ONE else f", {_typed(self.operands)}"
        return f"alloca {self.allocated_type}{count}, align {self.alignment_bytes}"


@dataclass(frozen=True, slots=True, eq=False)
class Load(Instruction):
    """``ordering`` is None for a plain load; ``scope`` is "" for the whole system."""

    alignment_bytes: int
    volatile: bool
    ordering: Ordering | None
    scope: str
    nontemporal: bool = False
    """CUDA's ``__ldg``, whose address a compiler does not take apart."""

    @property
    def pointer(self) -> Value:
        return self.operands[0]

    def _body(self) -> str:
        words = [
            "load",
            *(["atomic"] if self.ordering else []),
            *(["volatile"] if self.volatile else []),
        ]
        tail = f"{_ordering_words(self.scope, self.ordering)}, align {self.alignment_bytes}"
        return f"{' '.join(words)} {self.type}, {_typed(self.operands)}{tail}"


@dataclass(frozen=True, slots=True, eq=False)
class Store(Instruction):
    """``ordering`` is None for a plain store; ``scope`` is "" for the whole system."""

    alignment_bytes: int
    volatile: bool
    ordering: Ordering | None
    scope: str

    @property
    def value(self) -> Value:
        return self.operands[0]

    @property
    def pointer(self) -> Value:
        return self.operands[1]

    def _body(self) -> str:
        words = [
            "store",
            *(["atomic"] if self.ordering else []),
            *(["volatile"] if self.volatile else []),
        ]
        tail = f"{_ordering_words(self.scope, self.ordering)}, align {self.alignment_bytes}"
        return f"{' '.join(words)} {_typed(self.operands)}{tail}"


@dataclass(frozen=True, slots=True, eq=False)
class GetElementPtr(Instruction):
    """``base`` plus the offset of the element that ``indices`` select: the first index steps over
    whole objects of ``source_type``, the others go into it.
    """

    source_type: IrType

    @property
    def base(self) -> Value:
        return self.operands[0]

    @property
    def indices(self) -> tuple[Value, ...]:
        return self.operands[1:]

    def _body(self) -> str:
        return f"{self._words()} {self.source_type}, {_typed(self.operands)}"


@dataclass(frozen=True, slots=True, eq=False)
class AtomicRmw(Instruction):
    """Gives the old value; ``scope`` is "" for the whole system."""

    operation: AtomicOperation
    ordering: Ordering
    scope: str
    alignment_bytes: int
    volatile: bool

    @property
    def pointer(self) -> Value:
        return self.operands[0]

    @property
    def value(self) -> Value:
        return self.operands[1]

    def _body(self) -> str:
        head = "atomicrmw volatile" if self.volatile else "atomicrmw"
        tail = f"{_ordering_words(self.scope, self.ordering)}, align {self.alignment_bytes}"
        return f"{head} {self.operation.value} {_typed(self.operands)}{tail}"


@dataclass(frozen=True, slots=True, eq=False)
class CompareExchange(Instruction):
    """Gives ``{ old value, i1 success }``."""

    success: Ordering
    failure: Ordering
    scope: str
    alignment_bytes: int
    volatile: bool
    weak: bool

    @property
    def pointer(self) -> Value:
        return self.operands[0]

    @property
    def expected(self) -> Value:
        return self.operands[1]

    @property
    def new(self) -> Value:
        return self.operands[2]

    def _body(self) -> str:
        words = [
            "cmpxchg",
            *(["weak"] if self.weak else []),
            *(["volatile"] if self.volatile else []),
        ]
        tail = f"{_ordering_words(self.scope, self.success)} {self.failure.value}"
        return f"{' '.join(words)} {_typed(self.operands)}{tail}, align {self.alignment_bytes}"


COPIES, PRODUCTS = "copies", "products"
"""Scopes of fences that wait for all of a warp's asynchronous copies to shared memory, or of its
asynchronous matrix products. With ``.group`` after it, what was begun so far becomes a group; with
``.N`` all groups but the last N (from 0 on) are waited for."""

GROUP = "group"

COPIED = "kcc.mem."
COPYING = f"{COPIED}async."
"""Begin the names of the loads and stores that stand for memcpy and its like, and of those that
stand for asynchronous copies, which no register sees."""


def awaited(scope: str) -> tuple[str, int | None] | None:
    """What a fence of this scope waits for: :data:`COPIES` or :data:`PRODUCTS`, and how many groups
    it leaves outstanding, -1 for none at all, what is in no group included; None in its place where
    it makes a group. None for memory fences."""
    of, _, what = scope.partition(".")
    if of not in (COPIES, PRODUCTS):
        return None
    return of, None if what == GROUP else int(what or -1)


@dataclass(frozen=True, slots=True, eq=False)
class Fence(Instruction):
    """A memory fence, or what :func:`awaited` says; ``scope`` is "" for the whole system."""

    ordering: Ordering
    scope: str

    def _body(self) -> str:
        return f"fence{_ordering_words(self.scope, self.ordering)}"


@dataclass(frozen=True, slots=True, eq=False)
class ExtractElement(Instruction):
    """One lane of a vector."""

    @property
    def vector(self) -> Value:
        return self.operands[0]

    @property
    def lane(self) -> Value:
        return self.operands[1]


@dataclass(frozen=True, slots=True, eq=False)
class InsertElement(Instruction):
    """A vector with one lane replaced."""

    @property
    def vector(self) -> Value:
        return self.operands[0]

    @property
    def element(self) -> Value:
        return self.operands[1]

    @property
    def lane(self) -> Value:
        return self.operands[2]


@dataclass(frozen=True, slots=True, eq=False)
class ShuffleVector(Instruction):
    """Lane i is lane ``mask[i]`` of the two vectors one after the other; None is poison."""

    mask: tuple[int | None, ...]

    @property
    def left(self) -> Value:
        return self.operands[0]

    @property
    def right(self) -> Value:
        return self.operands[1]

    def _body(self) -> str:
        lanes = ", ".join("i32 poison" if m is None else f"i32 {m}" for m in self.mask)
        shown = f"<{lanes}>"
        if all(m == 0 for m in self.mask):
            shown = "zeroinitializer"
        elif all(m is None for m in self.mask):
            shown = "poison"
        return f"shufflevector {_typed(self.operands)}, <{len(self.mask)} x i32> {shown}"


@dataclass(frozen=True, slots=True, eq=False)
class ExtractValue(Instruction):
    """The field of an aggregate that ``indices`` lead to."""

    indices: tuple[int, ...]

    @property
    def aggregate(self) -> Value:
        return self.operands[0]

    def _body(self) -> str:
        return f"extractvalue {_typed(self.operands)}, {', '.join(map(str, self.indices))}"


@dataclass(frozen=True, slots=True, eq=False)
class InsertValue(Instruction):
    """An aggregate with the field that ``indices`` lead to replaced."""

    indices: tuple[int, ...]

    @property
    def aggregate(self) -> Value:
        return self.operands[0]

    @property
    def element(self) -> Value:
        return self.operands[1]

    def _body(self) -> str:
        return f"insertvalue {_typed(self.operands)}, {', '.join(map(str, self.indices))}"


@dataclass(frozen=True, slots=True, eq=False)
class Call(Instruction):
    """A direct call; ``operands`` are the arguments, ``argument_attributes`` parallel to them.

    ``attributes`` are those of the call itself, groups resolved; what the callee declares is on
    its :class:`~kcc.frontend.ir.model.Declaration` or function. ``convention`` is "" for C.
    """

    callee: str
    convention: str
    attributes: frozenset[str]
    argument_attributes: tuple[ParameterAttributes, ...]

    @property
    def arguments(self) -> tuple[Value, ...]:
        return self.operands

    @property
    def is_intrinsic(self) -> bool:
        return self.callee.startswith("llvm.")

    def _body(self) -> str:
        words = [self._words(), *([self.convention] if self.convention else []), str(self.type)]
        return f"{' '.join(words)} @{quoted_name(self.callee)}({_typed(self.operands)})"


@dataclass(frozen=True, slots=True, eq=False)
class Branch(Instruction):
    """An unconditional branch."""

    target: int
    loop: LoopMark | None

    @property
    def targets(self) -> tuple[int, ...]:
        return (self.target,)

    def _body(self) -> str:
        return f"br #{self.target}"


@dataclass(frozen=True, slots=True, eq=False)
class CondBranch(Instruction):
    """To ``then`` when ``condition`` is true, else to ``otherwise`` (possibly the same block)."""

    then: int
    otherwise: int
    loop: LoopMark | None

    @property
    def condition(self) -> Value:
        return self.operands[0]

    @property
    def targets(self) -> tuple[int, ...]:
        return (self.then, self.otherwise)

    def _body(self) -> str:
        return f"br {_typed(self.operands)}, #{self.then}, #{self.otherwise}"


@dataclass(frozen=True, slots=True, eq=False)
class Switch(Instruction):
    """``cases`` pair a value (signed reading) with a block."""

    default: int
    cases: tuple[tuple[int, int], ...]
    loop: LoopMark | None

    @property
    def value(self) -> Value:
        return self.operands[0]

    @property
    def targets(self) -> tuple[int, ...]:
        return (self.default, *(block for _, block in self.cases))

    def _body(self) -> str:
        rows = ", ".join(f"{value}: #{block}" for value, block in self.cases)
        return f"switch {_typed(self.operands)}, #{self.default} [{rows}]"


@dataclass(frozen=True, slots=True, eq=False)
class Return(Instruction):
    """No operand, or the returned value."""

    @property
    def targets(self) -> tuple[int, ...]:
        return ()

    @property
    def value(self) -> Value | None:
        return self.operands[0] if self.operands else None

    def _body(self) -> str:
        return f"ret {_typed(self.operands)}" if self.operands else "ret void"


@dataclass(frozen=True, slots=True, eq=False)
class Unreachable(Instruction):
    """Control never comes here."""

    @property
    def targets(self) -> tuple[int, ...]:
        return ()

    def _body(self) -> str:
        return "unreachable"


Terminator = Branch | CondBranch | Switch | Return | Unreachable

AnyInstruction = (
    Binary | Unary | Cast | IntCompare | FloatCompare | Select | Phi | Alloca | Load | Store
    | GetElementPtr | AtomicRmw | CompareExchange | Fence | ExtractElement | InsertElement
    | ShuffleVector | ExtractValue | InsertValue | Call | Terminator
)  # fmt: skip


def _typed(operands: tuple[Value, ...]) -> str:
    return ", ".join(f"{o.type} {o}" for o in operands)


def _ordering_words(scope: str, ordering: Ordering | None) -> str:
    shown = f' syncscope("{scope}")' if scope else ""
    return f"{shown} {ordering.value}" if ordering else shown
