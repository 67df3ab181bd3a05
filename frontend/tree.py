"""The typed tree: what the semantic pass makes of a parsed source, and what is lowered to IR.

Everything implicit in the source is explicit here: conversions, lvalue-to-rvalue loads, array
decay, pointer scaling, splats, which overload of a built-in is called. An expression is an lvalue
when it is one of :data:`LVALUES`; its ``type`` then carries address space and qualifiers of the
object; a value's type is unqualified. Operands of a :class:`Binary` already have equal types;
conditions of statements and of :class:`Conditional` are of type bool; indices are long or ulong.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from kcc.base.diagnostics import Span
from kcc.base.records import dataclass
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.types import FunctionType, ImageAccess, QualType, Type


class BinaryOp(Enum):
    ADD = "+"
    SUB = "-"
    MUL = "*"
    DIV = "/"
    REM = "%"
    SHL = "<<"
    SHR = ">>"
    AND = "&"
    OR = "|"
    XOR = "^"
    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="

    # Members are compared by identity; Enum's own hash is a Python function and slow.
    __hash__ = object.__hash__

    @property
    def is_comparison(self) -> bool:
        return self in _COMPARISONS


_COMPARISONS = frozenset(
    {BinaryOp.EQ, BinaryOp.NE, BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE}
)


class UnaryOp(Enum):
    NEG = "-"
    BIT_NOT = "~"
    LOGICAL_NOT = "!"


class LogicalOp(Enum):
    AND = "&&"
    OR = "||"


class Storage(Enum):
    """Where a variable lives."""

    PARAMETER = "parameter"
    AUTOMATIC = "automatic"
    """Private, one per call."""
    LOCAL = "local"
    """``__local`` at kernel scope, one per thread block."""
    CONSTANT = "constant"
    """Program scope or ``static`` ``__constant``, with a constant initialiser."""


@dataclass(slots=True, eq=False)
class Variable:
    """A named object, compared by identity."""

    name: str
    type: QualType
    storage: Storage
    span: Span
    alignment_bytes: int = 0
    """Extra alignment asked for by an attribute; 0 for none."""


# values of lvalue kind


@dataclass(frozen=True, slots=True)
class VariableRef:
    type: QualType
    span: Span
    variable: Variable


@dataclass(frozen=True, slots=True)
class Deref:
    """The object ``pointer`` points to."""

    type: QualType
    span: Span
    pointer: Expr


@dataclass(frozen=True, slots=True)
class Member:
    """Field ``index`` of a record; an lvalue when ``base`` is one."""

    type: QualType
    span: Span
    base: Expr
    index: int


@dataclass(frozen=True, slots=True)
class Swizzle:
    """Lanes of a vector, in order; one lane gives the scalar. An lvalue when ``base`` is one.
    ``hi`` and ``odd`` of a vector of 3 name lane 3: undefined when read, dropped when stored."""

    type: QualType
    span: Span
    base: Expr
    lanes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Element:
    """An element of an array lvalue (or of a vector lvalue or value, by a variable index)."""

    type: QualType
    span: Span
    base: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class CompoundLiteral:
    """``(T){...}``: an unnamed automatic object, initialised where it stands."""

    type: QualType
    span: Span
    variable: Variable
    initialiser: Initialiser


@dataclass(frozen=True, slots=True)
class StringLiteral:
    """An array of char in the constant address space; ``data`` includes the final zero."""

    type: QualType
    span: Span
    data: bytes


# values


@dataclass(frozen=True, slots=True)
class Constant:
    """A scalar constant of integer, bool, floating, pointer or (value 0) event type."""

    type: QualType
    span: Span
    value: int | float


@dataclass(frozen=True, slots=True)
class Load:
    """The value of an lvalue."""

    type: QualType
    span: Span
    operand: Expr


@dataclass(frozen=True, slots=True)
class ArrayDecay:
    """The pointer to the first element of an array lvalue."""

    type: QualType
    span: Span
    operand: Expr


@dataclass(frozen=True, slots=True)
class AddressOf:
    type: QualType
    span: Span
    operand: Expr


@dataclass(frozen=True, slots=True)
class Convert:
    """A conversion between arithmetic types, between vectors of equal lanes, between pointers,
    between pointer and integer, from an integer constant to a sampler, or to void. To bool means
    comparison with zero; from a vector comparison nothing is implied (its lanes are 0 and -1
    already)."""

    type: QualType
    span: Span
    operand: Expr
    implicit: bool


@dataclass(frozen=True, slots=True)
class Splat:
    """A scalar, of the vector's element type, in every lane."""

    type: QualType
    span: Span
    operand: Expr


@dataclass(frozen=True, slots=True)
class VectorLiteral:
    """``(T4)(a, b.xy, c)``: the parts, scalars and vectors of the element type, one after
    another; they fill the vector exactly."""

    type: QualType
    span: Span
    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Unary:
    """NEG and BIT_NOT on scalars and vectors; LOGICAL_NOT gives int, or 0/-1 lanes on vectors."""

    type: QualType
    span: Span
    op: UnaryOp
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    """Arithmetic, shifts (the count already has the left type's lanes and element), comparisons
    (scalars give int 0/1, vectors give 0/-1 lanes of the signed integer type), bit operations.
    Comparisons of pointers too."""

    type: QualType
    span: Span
    op: BinaryOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class PointerOffset:
    """``pointer + index`` (or minus), scaled by the size of the pointee; index is an integer."""

    type: QualType
    span: Span
    pointer: Expr
    index: Expr
    negative: bool


@dataclass(frozen=True, slots=True)
class PointerDifference:
    type: QualType
    span: Span
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Logical:
    """Short-circuit on scalars (operands bool, result int); on vectors element by element with
    both sides evaluated, lanes 0/-1 (OpenCL C 1.2, section 6.3.g)."""

    type: QualType
    span: Span
    op: LogicalOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Conditional:
    """``c ? a : b`` with scalar (bool) condition: only one side is evaluated."""

    type: QualType
    span: Span
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class VectorSelect:
    """``c ? a : b`` with vector condition: lane by lane on the sign bit (section 6.3.i)."""

    type: QualType
    span: Span
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Assign:
    """Stores ``value`` (of the target's unqualified type) and gives it."""

    type: QualType
    span: Span
    target: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class CompoundAssign:
    """``target op= value``: the target's value is converted to ``computation``, combined with
    ``value`` (already of that type), converted back and stored. The target is evaluated once.
    For a pointer target ``computation`` is the pointer type and ``value`` the integer index."""

    type: QualType
    span: Span
    target: Expr
    op: BinaryOp
    value: Expr
    computation: QualType


@dataclass(frozen=True, slots=True)
class Increment:
    """``++x``, ``x--`` on scalars, vectors and pointers; ``delta`` is 1 or -1."""

    type: QualType
    span: Span
    target: Expr
    delta: int
    prefix: bool


@dataclass(frozen=True, slots=True)
class Comma:
    type: QualType
    span: Span
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function of the source; arguments are converted already."""

    type: QualType
    span: Span
    function: Function
    arguments: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class BuiltinCall:
    """A call of a built-in; arguments have exactly the parameter types of the overload (those
    after ``...`` of printf after the default promotions)."""

    type: QualType
    span: Span
    builtin: ResolvedBuiltin
    arguments: tuple[Expr, ...]


Expr = (
    VariableRef | Deref | Member | Swizzle | Element | CompoundLiteral | StringLiteral | Constant
    | Load | ArrayDecay | AddressOf | Convert | Splat | VectorLiteral | Unary | Binary
    | PointerOffset | PointerDifference | Logical | Conditional | VectorSelect | Assign
    | CompoundAssign | Increment | Comma | Call | BuiltinCall
)  # fmt: skip

LVALUES = (VariableRef, Deref, Member, Swizzle, Element, CompoundLiteral, StringLiteral)


# initialisers


@dataclass(frozen=True, slots=True)
class AggregateInit:
    """Elements of an array, vector or record by index, in order; what is absent is zero."""

    type: QualType
    span: Span
    elements: tuple[tuple[int, Initialiser], ...]


Initialiser = Expr | AggregateInit


# statements


@dataclass(frozen=True, slots=True)
class Block:
    span: Span
    statements: tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class ExprStmt:
    span: Span
    expression: Expr


@dataclass(frozen=True, slots=True)
class Declare:
    """A variable comes into scope; AUTOMATIC ones are initialised here each time."""

    span: Span
    variable: Variable
    initialiser: Initialiser | None


@dataclass(frozen=True, slots=True)
class If:
    span: Span
    condition: Expr
    then: Stmt
    otherwise: Stmt | None


@dataclass(frozen=True, slots=True)
class While:
    span: Span
    condition: Expr
    body: Stmt
    unroll: Unroll | None


@dataclass(frozen=True, slots=True)
class DoWhile:
    span: Span
    body: Stmt
    condition: Expr
    unroll: Unroll | None


@dataclass(frozen=True, slots=True)
class For:
    span: Span
    init: tuple[Stmt, ...]
    condition: Expr | None
    step: Expr | None
    body: Stmt
    unroll: Unroll | None


@dataclass(frozen=True, slots=True)
class Unroll:
    """From #pragma unroll or opencl_unroll_hint: 0 fully, 1 not at all, n by n."""

    count: int


@dataclass(frozen=True, slots=True)
class Switch:
    span: Span
    value: Expr
    body: Stmt


@dataclass(frozen=True, slots=True)
class Case:
    """``case value:`` in the innermost switch; ``value`` has the type of the switch value."""

    span: Span
    value: int
    body: Stmt


@dataclass(frozen=True, slots=True)
class Default:
    span: Span
    body: Stmt


@dataclass(frozen=True, slots=True)
class Label:
    span: Span
    name: str
    body: Stmt


@dataclass(frozen=True, slots=True)
class Goto:
    span: Span
    name: str


@dataclass(frozen=True, slots=True)
class Break:
    span: Span


@dataclass(frozen=True, slots=True)
class Continue:
    span: Span


@dataclass(frozen=True, slots=True)
class Return:
    span: Span
    value: Expr | None


Stmt = (
    Block | ExprStmt | Declare | If | While | DoWhile | For | Switch | Case | Default | Label
    | Goto | Break | Continue | Return
)  # fmt: skip


# programs


@dataclass(frozen=True, slots=True)
class KernelAttributes:
    """What a kernel's attributes and parameter spellings say."""

    required_local_size: tuple[int, int, int] | None = None
    local_size_hint: tuple[int, int, int] | None = None
    required_sub_group_size: int | None = None
    vector_type_hint: Type | None = None
    parameter_types: tuple[str, ...] = ()
    """Spelled as OpenCL's kernel argument info does: ``float*``, ``uint``, ``image2d_t``."""
    parameter_access: tuple[ImageAccess | None, ...] = ()


@dataclass(slots=True, eq=False)
class Function:
    """A function of the source, compared by identity; ``body`` is None until defined."""

    name: str
    type: FunctionType
    span: Span
    is_kernel: bool
    parameters: tuple[Variable, ...] = ()
    body: Block | None = None
    attributes: KernelAttributes | None = None
    end: Span | None = None
    """The closing brace."""


@dataclass(slots=True)
class Program:
    """A translation unit."""

    functions: list[Function] = field(default_factory=list[Function])
    constants: list[tuple[Variable, Initialiser]] = field(
        default_factory=list[tuple[Variable, "Initialiser"]]
    )
    """Program-scope and function-scope ``__constant`` objects."""
    locals: list[tuple[Variable, Function]] = field(
        default_factory=list[tuple[Variable, "Function"]]
    )
    """``__local`` objects with the kernel (or function) that declares them."""
