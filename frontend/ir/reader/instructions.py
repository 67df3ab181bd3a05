"""One instruction in LLVM's text, one function per shape; :data:`SHAPES` says which is whose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from typing import TypeVar

from kcc.frontend.ir.instructions import (
    ONE,
    Alloca,
    AnyInstruction,
    AtomicRmw,
    Binary,
    Branch,
    Call,
    Cast,
    CompareExchange,
    CondBranch,
    ExtractElement,
    ExtractValue,
    Fence,
    FloatCompare,
    GetElementPtr,
    InsertElement,
    InsertValue,
    IntCompare,
    Load,
    ParameterAttributes,
    Phi,
    Return,
    Select,
    ShuffleVector,
    Store,
    Switch,
    Unary,
    Unreachable,
)
from kcc.frontend.ir.opcodes import (
    FLAG_WORDS,
    AtomicOperation,
    Flags,
    FloatPredicate,
    IntPredicate,
    Opcode,
    Ordering,
)
from kcc.frontend.ir.reader.context import Context
from kcc.frontend.ir.reader.tokens import (
    Unreadable,
    accept,
    expect,
    plain_name,
    plain_string,
    unknown,
)
from kcc.frontend.ir.types import (
    I1,
    VOID,
    ArrayTy,
    IrType,
    PtrTy,
    StructTy,
    VecTy,
    align_bytes,
)
from kcc.frontend.ir.values import ConstantInt, ConstantVector, Poison, Undef, Value

CONVENTIONS = frozenset(
    {"spir_func", "spir_kernel", "ptx_kernel", "ptx_device", "fastcc", "coldcc"}
)

_E = TypeVar("_E", bound=Enum)

_INT_PREDICATES = {p.value: p for p in IntPredicate}
_FLOAT_PREDICATES = {p.value: p for p in FloatPredicate}
_ORDERINGS = {o.value: o for o in Ordering}
_ATOMIC_OPERATIONS = {o.value: o for o in AtomicOperation}


def read_instruction(context: Context, tokens: list[str]) -> AnyInstruction:
    """The instruction that the tokens (result and attachments taken off) stand for."""
    word = tokens.pop()
    if word in ("tail", "musttail", "notail"):
        word = tokens.pop()
    found = SHAPES.get(word)
    if found is None:
        if word in REFUSED:
            raise Unreadable("K551", f"'{word}' has no meaning in a GPU kernel")
        raise unknown(f"instruction '{word}' is not known")
    opcode, shape = found
    return shape(context, opcode, tokens)


def _flags(tokens: list[str]) -> Flags:
    if tokens[-1] not in FLAG_WORDS:
        return Flags.NONE
    words = [tokens.pop()]
    while tokens[-1] in FLAG_WORDS:
        words.append(tokens.pop())
    return _flag_set(tuple(words))


@cache
def _flag_set(words: tuple[str, ...]) -> Flags:
    flags = Flags.NONE
    for word in words:
        flags |= FLAG_WORDS[word]
    return flags


def _member(members: Mapping[str, _E], tokens: list[str]) -> _E:
    token = tokens.pop()
    if token not in members:
        raise unknown(f"'{token}' is not known here")
    return members[token]


def _binary(c: Context, opcode: Opcode, tokens: list[str]) -> Binary:
    flags = _flags(tokens)
    type_ = c.types.read(tokens)
    left = c.value(type_, tokens)
    expect(tokens, ",")
    operands = (left, c.value(type_, tokens))
    return Binary(c.index, c.block, opcode, type_, c.name, operands, flags, c.location)


def _unary(c: Context, opcode: Opcode, tokens: list[str]) -> Unary:
    flags = _flags(tokens)
    operand = c.typed_value(tokens)
    return Unary(c.index, c.block, opcode, operand.type, c.name, (operand,), flags, c.location)


def _cast(c: Context, opcode: Opcode, tokens: list[str]) -> Cast:
    flags = _flags(tokens)
    operand = c.typed_value(tokens)
    expect(tokens, "to")
    type_ = c.types.read(tokens)
    return Cast(c.index, c.block, opcode, type_, c.name, (operand,), flags, c.location)


def _truth(type_: IrType) -> IrType:
    """The type of a comparison's result."""
    return VecTy(type_.lanes, I1) if isinstance(type_, VecTy) else I1


def _icmp(c: Context, opcode: Opcode, tokens: list[str]) -> IntCompare:
    flags = _flags(tokens)
    predicate = _member(_INT_PREDICATES, tokens)
    left, right = _two(c, tokens)
    type_ = _truth(left.type)
    return IntCompare(
        c.index, c.block, opcode, type_, c.name, (left, right), flags, c.location, predicate
    )


def _fcmp(c: Context, opcode: Opcode, tokens: list[str]) -> FloatCompare:
    flags = _flags(tokens)
    predicate = _member(_FLOAT_PREDICATES, tokens)
    left, right = _two(c, tokens)
    type_ = _truth(left.type)
    return FloatCompare(
        c.index, c.block, opcode, type_, c.name, (left, right), flags, c.location, predicate
    )


def _two(c: Context, tokens: list[str]) -> tuple[Value, Value]:
    """``T a, b``."""
    left = c.typed_value(tokens)
    expect(tokens, ",")
    return left, c.value(left.type, tokens)


def _typed_list(c: Context, tokens: list[str], count: int) -> tuple[Value, ...]:
    """``T a, U b, ...``: ``count`` of them."""
    values = [c.typed_value(tokens)]
    for _ in range(count - 1):
        expect(tokens, ",")
        values.append(c.typed_value(tokens))
    return tuple(values)


def _select(c: Context, opcode: Opcode, tokens: list[str]) -> Select:
    flags = _flags(tokens)
    operands = _typed_list(c, tokens, 3)
    type_ = operands[1].type
    return Select(c.index, c.block, opcode, type_, c.name, operands, flags, c.location)


def _phi(c: Context, opcode: Opcode, tokens: list[str]) -> Phi:
    flags = _flags(tokens)
    type_ = c.types.read(tokens)
    operands, incoming = list[Value](), list[int]()
    while True:
        expect(tokens, "[")
        operands.append(c.value(type_, tokens))
        expect(tokens, ",")
        incoming.append(c.block_of(tokens.pop()))
        expect(tokens, "]")
        if not accept(tokens, ","):
            break
    return Phi(
        c.index, c.block, opcode, type_, c.name, tuple(operands), flags, c.location, tuple(incoming)
    )


def _alignment(tokens: list[str], type_: IrType) -> int:
    """``, align N``, which LLVM prints always; the type's own where the text has none."""
    if not accept(tokens, ","):
        return align_bytes(type_)
    expect(tokens, "align")
    return int(tokens.pop())


def _alloca(c: Context, opcode: Opcode, tokens: list[str]) -> Alloca:
    type_ = c.types.read(tokens)
    count: Value = ONE
    alignment, space = align_bytes(type_), 0
    while accept(tokens, ","):
        if accept(tokens, "align"):
            alignment = int(tokens.pop())
        elif accept(tokens, "addrspace"):
            expect(tokens, "(")
            space = int(tokens.pop())
            expect(tokens, ")")
        else:
            count = c.typed_value(tokens)
    pointer = PtrTy(space)
    return Alloca(
        c.index,
        c.block,
        opcode,
        pointer,
        c.name,
        (count,),
        Flags.NONE,
        c.location,
        type_,
        alignment,
    )


def _scope(tokens: list[str]) -> str:
    """``syncscope("x")``; "" without one."""
    if not accept(tokens, "syncscope"):
        return ""
    expect(tokens, "(")
    name = plain_string(tokens.pop())
    expect(tokens, ")")
    return name


def _load(c: Context, opcode: Opcode, tokens: list[str]) -> Load:
    atomic = accept(tokens, "atomic")
    volatile = accept(tokens, "volatile")
    type_ = c.types.read(tokens)
    expect(tokens, ",")
    pointer = c.typed_value(tokens)
    scope = _scope(tokens) if atomic else ""
    ordering = _member(_ORDERINGS, tokens) if atomic else None
    alignment = _alignment(tokens, type_)
    return Load(
        c.index, c.block, opcode, type_, c.name, (pointer,), Flags.NONE, c.location,
        alignment, volatile, ordering, scope, c.nontemporal,
    )  # fmt: skip


def _store(c: Context, opcode: Opcode, tokens: list[str]) -> Store:
    atomic = accept(tokens, "atomic")
    volatile = accept(tokens, "volatile")
    operands = _typed_list(c, tokens, 2)
    scope = _scope(tokens) if atomic else ""
    ordering = _member(_ORDERINGS, tokens) if atomic else None
    alignment = _alignment(tokens, operands[0].type)
    return Store(
        c.index, c.block, opcode, VOID, c.name, operands, Flags.NONE, c.location,
        alignment, volatile, ordering, scope,
    )  # fmt: skip


def _getelementptr(c: Context, opcode: Opcode, tokens: list[str]) -> GetElementPtr:
    flags = _flags(tokens)
    source = c.types.read(tokens)
    operands = list[Value]()
    while accept(tokens, ","):
        operands.append(c.typed_value(tokens))
    type_ = operands[0].type
    for operand in operands[1:]:
        if isinstance(operand.type, VecTy) and isinstance(type_, PtrTy):
            type_ = VecTy(operand.type.lanes, type_)
    return GetElementPtr(
        c.index, c.block, opcode, type_, c.name, tuple(operands), flags, c.location, source
    )


def _atomicrmw(c: Context, opcode: Opcode, tokens: list[str]) -> AtomicRmw:
    volatile = accept(tokens, "volatile")
    operation = _member(_ATOMIC_OPERATIONS, tokens)
    operands = _typed_list(c, tokens, 2)
    scope = _scope(tokens)
    ordering = _member(_ORDERINGS, tokens)
    type_ = operands[1].type
    alignment = _alignment(tokens, type_)
    return AtomicRmw(
        c.index, c.block, opcode, type_, c.name, operands, Flags.NONE, c.location,
        operation, ordering, scope, alignment, volatile,
    )  # fmt: skip


def _cmpxchg(c: Context, opcode: Opcode, tokens: list[str]) -> CompareExchange:
    weak = accept(tokens, "weak")
    volatile = accept(tokens, "volatile")
    operands = _typed_list(c, tokens, 3)
    scope = _scope(tokens)
    success, failure = _member(_ORDERINGS, tokens), _member(_ORDERINGS, tokens)
    alignment = _alignment(tokens, operands[1].type)
    type_ = StructTy((operands[1].type, I1))
    return CompareExchange(
        c.index, c.block, opcode, type_, c.name, operands, Flags.NONE, c.location,
        success, failure, scope, alignment, volatile, weak,
    )  # fmt: skip


def _fence(c: Context, opcode: Opcode, tokens: list[str]) -> Fence:
    scope = _scope(tokens)
    ordering = _member(_ORDERINGS, tokens)
    return Fence(c.index, c.block, opcode, VOID, "", (), Flags.NONE, c.location, ordering, scope)


def _extractelement(c: Context, opcode: Opcode, tokens: list[str]) -> ExtractElement:
    operands = _typed_list(c, tokens, 2)
    vector = operands[0].type
    if not isinstance(vector, VecTy):
        raise unknown(f"{vector} is no vector")
    return ExtractElement(
        c.index, c.block, opcode, vector.element, c.name, operands, Flags.NONE, c.location
    )


def _insertelement(c: Context, opcode: Opcode, tokens: list[str]) -> InsertElement:
    operands = _typed_list(c, tokens, 3)
    type_ = operands[0].type
    return InsertElement(c.index, c.block, opcode, type_, c.name, operands, Flags.NONE, c.location)


def _shufflevector(c: Context, opcode: Opcode, tokens: list[str]) -> ShuffleVector:
    left, right, lanes = _typed_list(c, tokens, 3)
    if not isinstance(left.type, VecTy) or not isinstance(lanes.type, VecTy):
        raise unknown("a shuffle of no vectors")
    mask = _mask(lanes, lanes.type.lanes)
    type_ = VecTy(len(mask), left.type.element)
    return ShuffleVector(
        c.index, c.block, opcode, type_, c.name, (left, right), Flags.NONE, c.location, mask
    )


def _mask(lanes: Value, count: int) -> tuple[int | None, ...]:
    match lanes:
        case Undef() | Poison():
            return (None,) * count
        case ConstantVector():
            return tuple(e.value if isinstance(e, ConstantInt) else None for e in lanes.elements)
        case _:
            raise unknown("a shuffle's mask is not constant")


def _indices(tokens: list[str]) -> tuple[int, ...]:
    indices = list[int]()
    while accept(tokens, ","):
        indices.append(int(tokens.pop()))
    return tuple(indices)


def _extractvalue(c: Context, opcode: Opcode, tokens: list[str]) -> ExtractValue:
    operands = _typed_list(c, tokens, 1)
    indices = _indices(tokens)
    type_ = operands[0].type
    for index in indices:
        match type_:
            case StructTy(fields):
                type_ = fields[index]
            case ArrayTy(_, element):
                type_ = element
            case _:
                raise unknown(f"{type_} has no parts")
    return ExtractValue(
        c.index, c.block, opcode, type_, c.name, operands, Flags.NONE, c.location, indices
    )


def _insertvalue(c: Context, opcode: Opcode, tokens: list[str]) -> InsertValue:
    operands = _typed_list(c, tokens, 2)
    indices = _indices(tokens)
    type_ = operands[0].type
    return InsertValue(
        c.index, c.block, opcode, type_, c.name, operands, Flags.NONE, c.location, indices
    )


def _call(c: Context, opcode: Opcode, tokens: list[str]) -> Call:
    flags = _flags(tokens)
    convention = read_convention(tokens)
    while not c.types.starts(tokens[-1]):
        c.readers.attributes.word(tokens)
    type_ = c.types.read(tokens)
    if accept(tokens, "("):
        while tokens.pop() != ")":
            pass
    callee = tokens.pop()
    if callee[0] != "@":
        kind = "inline assembly" if callee == "asm" else "a call through a pointer"
        raise Unreadable("K551", f"{kind} has no meaning in a GPU kernel")
    operands, passed = _arguments(c, tokens)
    attributes = c.readers.attributes.function(tokens)
    name = plain_name(callee)
    if name == "llvm.assume" and accept(tokens, "["):
        while tokens.pop() != "]":
            pass
    return Call(
        c.index, c.block, opcode, type_, c.name, operands, flags, c.location,
        name, convention, attributes, passed,
    )  # fmt: skip


def read_convention(tokens: list[str]) -> str:
    """A calling convention's word; "" for that of C."""
    if tokens[-1] in CONVENTIONS:
        return tokens.pop()
    if tokens[-1] == "cc":
        raise Unreadable("K551", f"calling convention {tokens[-2]} is not that of a GPU kernel")
    return ""


def _arguments(
    c: Context, tokens: list[str]
) -> tuple[tuple[Value, ...], tuple[ParameterAttributes, ...]]:
    """A call's arguments in parentheses, with their attributes."""
    expect(tokens, "(")
    values, passed = list[Value](), list[ParameterAttributes]()
    while not accept(tokens, ")"):
        if tokens[-1] == "metadata":
            values.append(c.typed_value(tokens))
            passed.append(c.readers.attributes.parameter([]))
        else:
            type_ = c.types.read(tokens)
            passed.append(c.readers.attributes.parameter(tokens))
            values.append(c.value(type_, tokens))
        accept(tokens, ",")
    return tuple(values), tuple(passed)


def _br(c: Context, opcode: Opcode, tokens: list[str]) -> Branch | CondBranch:
    if tokens[-1] == "label":
        target = c.label(tokens)
        return Branch(
            c.index, c.block, opcode, VOID, "", (), Flags.NONE, c.location, target, c.loop
        )
    condition = c.typed_value(tokens)
    expect(tokens, ",")
    then = c.label(tokens)
    expect(tokens, ",")
    otherwise = c.label(tokens)
    return CondBranch(
        c.index, c.block, opcode, VOID, "", (condition,), Flags.NONE, c.location,
        then, otherwise, c.loop,
    )  # fmt: skip


def _switch(c: Context, opcode: Opcode, tokens: list[str]) -> Switch:
    value = c.typed_value(tokens)
    expect(tokens, ",")
    default = c.label(tokens)
    expect(tokens, "[")
    cases = list[tuple[int, int]]()
    while not accept(tokens, "]"):
        case = c.typed_value(tokens)
        if not isinstance(case, ConstantInt):
            raise unknown("a case is not an integer")
        expect(tokens, ",")
        cases.append((case.value, c.label(tokens)))
    return Switch(
        c.index, c.block, opcode, VOID, "", (value,), Flags.NONE, c.location,
        default, tuple(cases), c.loop,
    )  # fmt: skip


def _ret(c: Context, opcode: Opcode, tokens: list[str]) -> Return:
    operands = () if accept(tokens, "void") else (c.typed_value(tokens),)
    return Return(c.index, c.block, opcode, VOID, "", operands, Flags.NONE, c.location)


def _unreachable(c: Context, opcode: Opcode, tokens: list[str]) -> Unreachable:  # noqa: ARG001 -- all shapes take the tokens
    return Unreachable(c.index, c.block, opcode, VOID, "", (), Flags.NONE, c.location)


Shape = Callable[[Context, Opcode, list[str]], AnyInstruction]

_BY_SHAPE: tuple[tuple[Shape, tuple[Opcode, ...]], ...] = (
    (
        _binary,
        (
            Opcode.ADD, Opcode.SUB, Opcode.MUL, Opcode.UDIV, Opcode.SDIV, Opcode.UREM, Opcode.SREM,
            Opcode.SHL, Opcode.LSHR, Opcode.ASHR, Opcode.AND, Opcode.OR, Opcode.XOR,
            Opcode.FADD, Opcode.FSUB, Opcode.FMUL, Opcode.FDIV, Opcode.FREM,
        ),
    ),
    (_unary, (Opcode.FNEG, Opcode.FREEZE)),
    (
        _cast,
        (
            Opcode.TRUNC, Opcode.ZEXT, Opcode.SEXT, Opcode.FPTRUNC, Opcode.FPEXT, Opcode.FPTOUI,
            Opcode.FPTOSI, Opcode.UITOFP, Opcode.SITOFP, Opcode.PTRTOINT, Opcode.PTRTOADDR,
            Opcode.INTTOPTR, Opcode.BITCAST, Opcode.ADDRSPACECAST,
        ),
    ),
    (_icmp, (Opcode.ICMP,)),
    (_fcmp, (Opcode.FCMP,)),
    (_select, (Opcode.SELECT,)),
    (_phi, (Opcode.PHI,)),
    (_alloca, (Opcode.ALLOCA,)),
    (_load, (Opcode.LOAD,)),
    (_store, (Opcode.STORE,)),
    (_getelementptr, (Opcode.GETELEMENTPTR,)),
    (_atomicrmw, (Opcode.ATOMICRMW,)),
    (_cmpxchg, (Opcode.CMPXCHG,)),
    (_fence, (Opcode.FENCE,)),
    (_extractelement, (Opcode.EXTRACTELEMENT,)),
    (_insertelement, (Opcode.INSERTELEMENT,)),
    (_shufflevector, (Opcode.SHUFFLEVECTOR,)),
    (_extractvalue, (Opcode.EXTRACTVALUE,)),
    (_insertvalue, (Opcode.INSERTVALUE,)),
    (_call, (Opcode.CALL,)),
    (_br, (Opcode.BR,)),
    (_switch, (Opcode.SWITCH,)),
    (_ret, (Opcode.RET,)),
    (_unreachable, (Opcode.UNREACHABLE,)),
)  # fmt: skip

SHAPES: dict[str, tuple[Opcode, Shape]] = {
    o.word: (o, shape) for shape, opcodes in _BY_SHAPE for o in opcodes
}
"""Who reads which instruction, by LLVM's word for it."""

REFUSED = frozenset(
    {"invoke", "callbr", "resume", "landingpad", "catchpad", "cleanuppad", "catchswitch"}
    | {"catchret", "cleanupret", "indirectbr", "va_arg"}
)
"""Instructions of LLVM that no GPU language leads to."""
