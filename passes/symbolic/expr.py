"""Nodes of symbolic values: immutable, one object per distinct value within an
:class:`~kcc.passes.symbolic.algebra.Algebra`.

All arithmetic is that of the machine: an integer node of ``type`` iN stands for a number modulo
2**N, neither signed nor unsigned, as in LLVM. So sums and products are always exact; only
conversions to wider types, divisions and comparisons read a sign. Addresses are i64.

Nodes compare by identity, and an operand's ``id`` is always smaller than that of the node that
uses it: ascending ids are a topological order.
"""

from __future__ import annotations

from enum import Enum

from kcc.base.records import dataclass
from kcc.frontend.ir.opcodes import FloatPredicate, IntPredicate, Opcode
from kcc.frontend.ir.types import FloatTy, IntTy


class SymbolKind(Enum):
    """What a symbol stands for; ``index`` of a :class:`Symbol` in the second column."""

    ARGUMENT = "argument"
    """Index of a scalar kernel argument; of a vector, each component: ``INDEX.COMPONENT``."""
    GLOBAL_ID = "get_global_id"
    """Dimension; so for the six after it."""
    LOCAL_ID = "get_local_id"
    GROUP_ID = "get_group_id"
    GLOBAL_SIZE = "get_global_size"
    LOCAL_SIZE = "get_local_size"
    NUM_GROUPS = "get_num_groups"
    GLOBAL_OFFSET = "get_global_offset"
    WORK_DIM = "get_work_dim"
    LANE = "lane"
    """0: the number of the work-item in its warp."""
    COUNTER = "iteration"
    """Id of a loop: how often its back edges were taken since control entered it."""
    POINTER = "pointer"
    """Index of a pointer argument: the address it holds."""
    GLOBAL = "global"
    """Name of a module's variable: its address."""
    PRIVATE = "private"
    """Instruction index of an alloca: its address."""


ID_KINDS = frozenset({SymbolKind.GLOBAL_ID, SymbolKind.LOCAL_ID, SymbolKind.GROUP_ID,
                      SymbolKind.LANE})  # fmt: skip
"""Symbols that differ between the work-items of a launch."""

BASE_KINDS = frozenset({SymbolKind.POINTER, SymbolKind.GLOBAL, SymbolKind.PRIVATE})
"""Symbols that are addresses of objects."""

NEVER = 1 << 62
"""More than any count: the least of no counts."""

ScalarTy = IntTy | FloatTy


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """What all nodes have."""

    id: int
    type: ScalarTy


@dataclass(frozen=True, slots=True, eq=False)
class Number(Node):
    """A constant: the signed reading of an integer (0 or 1 for i1), the bits of a float."""

    value: int


@dataclass(frozen=True, slots=True, eq=False)
class Symbol(Node):
    """A value that the launch, or the place in the execution, gives; taken modulo 2**N."""

    kind: SymbolKind
    index: int | str


@dataclass(frozen=True, slots=True, eq=False)
class Sum(Node):
    """``constant`` plus each term times its coefficient (signed readings; no coefficient is 0, no
    term a sum or number), by ascending id of the terms.
    """

    constant: int
    terms: tuple[tuple[Node, int], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Product(Node):
    """Integer factors, none a number, by ascending id."""

    factors: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Operation(Node):
    """Any other operation without memory or control.

    ``operator`` is an opcode, an intrinsic of LLVM without ``llvm.`` and types (``smax``,
    ``fma``, ``sqrt`` ...), or one of :mod:`~kcc.passes.symbolic.algebra`'s own: ``power`` (first
    operand to the power of the second), ``choose2`` (n * (n - 1) / 2), ``divpow`` and ``sdivpow``
    (first operand divided, unsigned or signed, by the second one to the power of the third),
    ``ashrmul`` (arithmetic shift right by the product of the second and third), ``iterations``
    (how often ``first + k * second`` stands in the relation ``detail`` to the third, for k = 0,
    1 ..., before it does not for the first time).
    """

    operator: Opcode | str
    operands: tuple[Node, ...]
    detail: IntPredicate | FloatPredicate | None


@dataclass(frozen=True, slots=True, eq=False)
class Loaded(Node):
    """What memory held: component ``component`` of the result of load (or atomic) ``instruction``,
    which reads ``address`` where that is known.
    """

    instruction: int
    component: int
    address: Node | None


@dataclass(frozen=True, slots=True, eq=False)
class Table(Node):
    """An element of a constant array with known contents, ``offset`` bytes (i64) into the variable
    ``variable`` of the module. Outside the array there is no value.
    """

    variable: str
    offset: Node


@dataclass(frozen=True, slots=True, eq=False)
class Recurrence(Node):
    """A variable of loop ``loop`` that has no closed form: component ``component`` of the phi with
    index ``phi`` in the loop's header. How it starts and goes on is asked of the builder.
    """

    loop: int
    phi: int
    component: int


@dataclass(frozen=True, slots=True, eq=False)
class First(Node):
    """The least k = 0, 1 ... at which ``condition`` is true in iteration k of ``loop`` (whose
    counter and recurrences it binds).
    """

    loop: int
    condition: Node


@dataclass(frozen=True, slots=True, eq=False)
class Final(Node):
    """``value`` in iteration ``at`` of ``loop``, whose counter and recurrences it binds in
    ``value``.
    """

    loop: int
    at: Node
    value: Node


class Fold(Enum):
    """How the values of iterations are put together; without any it is the second column."""

    SUM = ("sum", 0)
    LEAST = ("least", NEVER)
    GREATEST = ("greatest", -1)

    def __init__(self, word: str, nothing: int) -> None:
        self.word = word
        self.nothing = nothing


@dataclass(frozen=True, slots=True, eq=False)
class Total(Node):
    """The sum (or least, or greatest) of ``value``, an i64 of which the signed reading counts,
    over the iterations 0 to ``count`` - 1 of ``loop``, whose counter and recurrences it binds in
    ``value``.
    """

    loop: int
    count: Node
    value: Node
    fold: Fold


@dataclass(frozen=True, slots=True, eq=False)
class Opaque(Node):
    """A value that is not analysed: component ``component`` of the result of ``instruction``;
    ``reason`` says why, in words that follow a colon.
    """

    instruction: int
    component: int
    reason: str


Expr = (
    Number | Symbol | Sum | Product | Operation | Loaded | Table | Recurrence | First | Final
    | Total | Opaque
)  # fmt: skip


def operands_of(node: Node) -> tuple[Node, ...]:
    """The nodes that a node is made from, those it binds variables in included."""
    match node:
        case Sum(terms=terms):
            return tuple(term for term, _ in terms)
        case Product(factors=factors):
            return factors
        case Operation(operands=operands):
            return operands
        case Loaded(address=address):
            return () if address is None else (address,)
        case Table(offset=offset):
            return (offset,)
        case First(condition=condition):
            return (condition,)
        case Final(at=at, value=value):
            return (at, value)
        case Total(count=count, value=value):
            return (count, value)
        case _:
            return ()


def constant_of(node: Node) -> int:
    """The constant of a sum: that without its terms."""
    if isinstance(node, Number):
        return node.value
    return node.constant if isinstance(node, Sum) else 0
