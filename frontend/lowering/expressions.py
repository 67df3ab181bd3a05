"""Expressions: :func:`value` computes one, :func:`place` finds an lvalue, :func:`effect` runs one
for what it does, :func:`jump_on` branches on one.

Order of evaluation, where C leaves it open, is clang's: operands from left to right, the right
side of an assignment first.
"""

from __future__ import annotations

from typing import assert_never

from kcc.diagnostics import Span
from kcc.frontend import tree
from kcc.frontend.builtins.lower import declaration
from kcc.frontend.ir import types as ir
from kcc.frontend.ir.builder import Value, const_float, const_int, const_vector, poison, zero
from kcc.frontend.lowering import arithmetic, places
from kcc.frontend.lowering.arithmetic import Product
from kcc.frontend.lowering.context import FunctionContext, pointee_memory, private
from kcc.frontend.lowering.conversions import convert, resize, truth
from kcc.frontend.lowering.initialisers import explicit_parts, implicit_leaves
from kcc.frontend.lowering.layout import (
    is_aggregate,
    is_floating,
    is_signed,
    leaf_count,
    record_layout,
    step_type,
    value_type,
)
from kcc.frontend.lowering.places import Lane, Memory, Place, by_value
from kcc.frontend.tree import BinaryOp, Expr, Initialiser, LogicalOp, Storage, UnaryOp
from kcc.frontend.types import (
    BOOL,
    ArrayType,
    PointerType,
    RecordType,
    SamplerType,
    Type,
    VectorType,
    VoidType,
    size_of,
)

NOTHING = Value(ir.VOID, "void")
"""What an expression of type void gives."""


def value(ctx: FunctionContext, expr: Expr) -> Value:
    """Compute an expression; aggregates come as struct values."""
    match expr:
        case tree.Constant():
            return _constant(expr)
        case tree.Load():
            return _load(ctx, expr)
        case tree.Convert():
            return _convert(ctx, expr)
        case tree.Unary() | tree.Binary() | tree.Logical():
            return _operator(ctx, expr)
        case tree.PointerOffset() | tree.PointerDifference():
            return _pointer_operator(ctx, expr)
        case tree.Conditional() | tree.VectorSelect():
            return _choice(ctx, expr)
        case tree.Assign() | tree.CompoundAssign() | tree.Increment():
            return _assignment(ctx, expr)
        case tree.Call() | tree.BuiltinCall():
            return _call(ctx, expr)
        case tree.ArrayDecay() | tree.AddressOf():
            found = place(ctx, expr.operand)
            assert isinstance(found, Memory)
            return found.pointer
        case tree.Splat():
            assert isinstance(expr.type.type, VectorType)
            scalar = value(ctx, expr.operand)
            ctx.at(expr.span)
            return ctx.build.splat(scalar, expr.type.type.lanes)
        case tree.VectorLiteral():
            return _vector_literal(ctx, expr)
        case tree.Comma():
            effect(ctx, expr.left)
            return value(ctx, expr.right)
        case tree.Member() | tree.Swizzle() | tree.Element():
            return _part_of_value(ctx, expr)
        case tree.VariableRef() | tree.Deref() | tree.CompoundLiteral() | tree.StringLiteral():
            return places.read(ctx.build, place(ctx, expr))
        case _:
            assert_never(expr)


def effect(ctx: FunctionContext, expr: Expr) -> None:
    """Run an expression whose value nobody wants."""
    match expr:
        case tree.Assign() if is_aggregate(expr.type.type):
            _assign_aggregate(ctx, expr)
        case tree.Comma():
            effect(ctx, expr.left)
            effect(ctx, expr.right)
        case tree.Convert() if isinstance(expr.type.type, VoidType):
            effect(ctx, expr.operand)
        case tree.Load() if not expr.operand.type.volatile:
            _find(ctx, expr.operand)
        case _:
            value(ctx, expr)


def _find(ctx: FunctionContext, expr: Expr) -> None:
    """Run the side effects of finding an lvalue."""
    if tree_is_lvalue(expr) and not isinstance(expr, tree.VariableRef):
        place(ctx, expr)
    elif not isinstance(expr, tree.VariableRef):
        value(ctx, expr)


# places


def tree_is_lvalue(expr: Expr) -> bool:
    """Whether an expression denotes an object."""
    match expr:
        case tree.Member() | tree.Swizzle() | tree.Element():
            return tree_is_lvalue(expr.base)
        case _:
            return isinstance(expr, tree.LVALUES)


def place(ctx: FunctionContext, expr: Expr) -> Place:
    """The object an lvalue denotes; the value of anything else is put in a private slot."""
    match expr:
        case tree.VariableRef():
            return ctx.variable(expr.variable)
        case tree.Deref():
            return pointee_memory(value(ctx, expr.pointer), expr.type)
        case tree.Member():
            base = place(ctx, expr.base)
            assert isinstance(base, Memory)
            assert isinstance(base.type.type, RecordType)
            assert base.type.type.fields is not None
            ctx.at(expr.span)
            offset = base.type.type.fields[expr.index].offset
            return places.offset_place(ctx.build, base, offset, expr.type)
        case tree.Swizzle():
            return places.lanes_of(place(ctx, expr.base), expr.lanes, expr.type)
        case tree.Element():
            return _element(ctx, expr)
        case tree.CompoundLiteral():
            memory = ctx.variable(expr.variable)
            initialise(ctx, memory, expr.initialiser)
            return memory
        case tree.StringLiteral():
            return ctx.module.string(expr.data)
        case _:
            held = value(ctx, expr)
            memory = ctx.slot(private(expr.type.type), "temporary")
            places.write(ctx.build, memory, held)
            return memory


def _element(ctx: FunctionContext, expr: tree.Element) -> Place:
    base = place(ctx, expr.base)
    if isinstance(base.type.type, VectorType):
        if isinstance(expr.index, tree.Constant):
            return places.lanes_of(base, (int(expr.index.value),), expr.type)
        assert not isinstance(base, Lane)
        return Lane(expr.type, base, index64(ctx, expr.index))
    assert isinstance(base, Memory)
    index = index64(ctx, expr.index)
    ctx.at(expr.span)
    return places.element_place(ctx.build, base, index, expr.type)


def index64(ctx: FunctionContext, expr: Expr) -> Value:
    """An index as a 64-bit integer."""
    index = value(ctx, expr)
    ctx.at(expr.span)
    return resize(ctx.build, index, ir.I64, signed=is_signed(expr.type.type))


def initialise(ctx: FunctionContext, target: Memory, initialiser: Initialiser) -> None:
    """Give a new object its value."""
    if not isinstance(initialiser, tree.AggregateInit):
        store(ctx, target, initialiser)
        return
    parts = explicit_parts(target.type, initialiser)
    ctx.at(initialiser.span)
    cleared = leaf_count(target.type.type) > places.LARGEST_COPY_LEAVES
    if cleared:
        places.clear(ctx.build, target)
    else:
        for leaf in implicit_leaves(target.type, parts):
            part = places.offset_place(ctx.build, target, leaf.offset, target.type)
            ctx.build.store(zero(leaf.type), part.pointer, part.align)
    for part in parts:
        if cleared and isinstance(part.value, tree.Constant) and str(part.value.value) == "0":
            continue
        ctx.at(part.value.span)
        where = places.offset_place(ctx.build, target, part.offset, part.type)
        store(ctx, where, part.value)


def store(ctx: FunctionContext, target: Memory, expr: Expr) -> None:
    """Store an expression's value; an aggregate is copied straight from where it lies."""
    if is_aggregate(target.type.type):
        _store_aggregate(ctx, target, expr)
        return
    held = value(ctx, expr)
    ctx.at(expr.span)
    places.write(ctx.build, target, held)


def _store_aggregate(ctx: FunctionContext, target: Memory, expr: Expr) -> None:
    source = expr.operand if isinstance(expr, tree.Load) else expr
    if tree_is_lvalue(source):
        origin = place(ctx, source)
        assert isinstance(origin, Memory)
        ctx.at(expr.span)
        length = min(size_of(origin.type.type), size_of(target.type.type))
        if isinstance(target.type.type, ArrayType) and length < size_of(target.type.type):
            places.clear(ctx.build, target)
        places.copy(ctx.build, target, origin)
        return
    held = value(ctx, expr)
    ctx.at(expr.span)
    places.write(ctx.build, target, held)


# values


def _constant(expr: tree.Constant) -> Value:
    type_ = value_type(expr.type.type)
    if isinstance(type_, ir.PtrTy):
        return zero(type_)
    if isinstance(type_, ir.FloatTy):
        return const_float(type_, float(expr.value))
    return const_int(type_, int(expr.value))


def _load(ctx: FunctionContext, expr: tree.Load) -> Value:
    operand = expr.operand
    if isinstance(operand, tree.VariableRef):
        sampler = ctx.sampler(operand.variable)
        if sampler is not None:
            assert not isinstance(sampler, tree.AggregateInit)
            return value(ctx, sampler)
    if not tree_is_lvalue(operand):
        return value(ctx, operand)
    found = place(ctx, operand)
    ctx.at(expr.span)
    return places.read(ctx.build, found)


def _part_of_value(
    ctx: FunctionContext, expr: tree.Member | tree.Swizzle | tree.Element
) -> Value:
    """A part of something that is not an object, such as a call's result."""
    if tree_is_lvalue(expr):
        return places.read(ctx.build, place(ctx, expr))
    base_type = expr.base.type.type
    match expr:
        case tree.Swizzle():
            base = value(ctx, expr.base)
            ctx.at(expr.span)
            return places.pick(ctx.build, base, expr.lanes)
        case tree.Element() if isinstance(base_type, VectorType):
            base = value(ctx, expr.base)
            return ctx.build.extract_element(base, index64(ctx, expr.index))
        case tree.Member() if isinstance(base_type, RecordType) and not base_type.is_union:
            base = value(ctx, expr.base)
            ctx.at(expr.span)
            index = record_layout(base_type).indices[expr.index]
            held = ctx.build.extract_value(base, _field_type(base_type, expr.index), index)
            return ctx.build.cast("trunc", held, value_type(expr.type.type))
        case _:
            return places.read(ctx.build, place(ctx, expr))


def _field_type(record: RecordType, index: int) -> ir.IrType:
    layout = record_layout(record)
    assert isinstance(layout.type, ir.StructTy)
    return layout.type.fields[layout.indices[index]]


def _convert(ctx: FunctionContext, expr: tree.Convert) -> Value:
    target = expr.type.type
    if isinstance(target, VoidType):
        effect(ctx, expr.operand)
        return NOTHING
    if target == BOOL:
        return flag(ctx, expr.operand)
    held = value(ctx, expr.operand)
    ctx.at(expr.span)
    if isinstance(target, SamplerType) and isinstance(held.type, ir.IntTy):
        return _sampler(ctx, held)
    return convert(ctx.build, held, expr.operand.type.type, target)


def _sampler(ctx: FunctionContext, bits: Value) -> Value:
    symbol = "__translate_sampler_initializer"
    type_ = value_type(SamplerType())
    ctx.module.module.declare(
        symbol, f"declare spir_func {type_} @{symbol}(i32) nounwind willreturn memory(none)"
    )
    return ctx.build.call(symbol, type_, [bits])


def _operator(ctx: FunctionContext, expr: tree.Unary | tree.Binary | tree.Logical) -> Value:
    type_ = expr.type.type
    match expr:
        case tree.Logical() if isinstance(type_, VectorType):
            left, right = value(ctx, expr.left), value(ctx, expr.right)
            ctx.at(expr.span)
            opcode = "and" if expr.op is LogicalOp.AND else "or"
            flags = ctx.build.binary(opcode, truth(ctx.build, left), truth(ctx.build, right))
            return arithmetic.lanes_mask(ctx.build, flags, type_)
        case tree.Unary(op=UnaryOp.LOGICAL_NOT) if isinstance(type_, VectorType):
            operand = value(ctx, expr.operand)
            ctx.at(expr.span)
            opcode = ("fcmp", "oeq") if is_floating(expr.operand.type.type) else ("icmp", "eq")
            flags = ctx.build.compare(*opcode, operand, zero(operand.type))
            return arithmetic.lanes_mask(ctx.build, flags, type_)
        case tree.Logical() | tree.Unary(op=UnaryOp.LOGICAL_NOT):
            held = flag(ctx, expr)
            ctx.at(expr.span)
            return arithmetic.lanes_mask(ctx.build, held, type_)
        case tree.Unary():
            operand = value(ctx, expr.operand)
            ctx.at(expr.span)
            return arithmetic.unary(ctx.build, expr.op, operand, type_, ctx.rules)
        case tree.Binary() if expr.op.is_comparison:
            held = _comparison(ctx, expr)
            return arithmetic.lanes_mask(ctx.build, held, type_)
        case tree.Binary():
            return _arithmetic(ctx, expr)


# arithmetic; products are held back, as they may become part of a fused multiply-add


def _operand(ctx: FunctionContext, expr: Expr) -> Value | Product:
    """An operand of + or -, a product of floats not yet multiplied."""
    inner, negative = expr, False
    if isinstance(expr, tree.Unary) and expr.op is UnaryOp.NEG:
        inner, negative = expr.operand, True
    if (
        isinstance(inner, tree.Binary)
        and inner.op is BinaryOp.MUL
        and is_floating(inner.type.type)
        and ctx.rules.contract
    ):
        left, right = value(ctx, inner.left), value(ctx, inner.right)
        return Product(left, right, negative, inner.span)
    return value(ctx, expr)


def _computed(ctx: FunctionContext, operand: Value | Product, type_: Type) -> Value:
    """The value of an operand that was held back in vain."""
    if isinstance(operand, Value):
        return operand
    ctx.at(operand.span)
    product = ctx.build.binary("fmul", operand.left, operand.right, ctx.rules.flags)
    if operand.negative:
        product = arithmetic.unary(ctx.build, UnaryOp.NEG, product, type_, ctx.rules)
    return product


def _arithmetic(ctx: FunctionContext, expr: tree.Binary) -> Value:
    type_ = expr.type.type
    if expr.op not in (BinaryOp.ADD, BinaryOp.SUB) or not is_floating(type_):
        left, right = value(ctx, expr.left), value(ctx, expr.right)
        ctx.at(expr.span)
        return arithmetic.binary(ctx.build, expr.op, left, right, type_, ctx.rules)
    left, right = _operand(ctx, expr.left), _operand(ctx, expr.right)
    return _sum(ctx, expr.op, left, right, expr.span, type_)


def _sum(
    ctx: FunctionContext,
    op: BinaryOp,
    left: Value | Product,
    right: Value | Product,
    span: Span,
    type_: Type,
) -> Value:
    """A sum or difference; of two products the left one is fused."""
    if isinstance(left, Product):
        addend = _computed(ctx, right, type_)
        ctx.at(span)
        if op is BinaryOp.SUB:
            addend = ctx.build.negate_float(addend, ctx.rules.flags)
        return arithmetic.fused(ctx.build, left, addend, negate=left.negative, rules=ctx.rules)
    ctx.at(span)
    if isinstance(right, Product):
        negate = right.negative != (op is BinaryOp.SUB)
        return arithmetic.fused(ctx.build, right, left, negate=negate, rules=ctx.rules)
    return arithmetic.binary(ctx.build, op, left, right, type_, ctx.rules)


def _comparison(ctx: FunctionContext, expr: tree.Binary) -> Value:
    left, right = value(ctx, expr.left), value(ctx, expr.right)
    ctx.at(expr.span)
    operand_type = expr.left.type.type
    return arithmetic.binary(ctx.build, expr.op, left, right, operand_type, ctx.rules)


def _pointer_operator(
    ctx: FunctionContext, expr: tree.PointerOffset | tree.PointerDifference
) -> Value:
    match expr:
        case tree.PointerOffset():
            pointer = value(ctx, expr.pointer)
            index = index64(ctx, expr.index)
            ctx.at(expr.span)
            return _moved(ctx, pointer, index, expr.type.type, negative=expr.negative)
        case tree.PointerDifference():
            left, right = value(ctx, expr.left), value(ctx, expr.right)
            ctx.at(expr.span)
            left = ctx.build.cast("ptrtoint", left, ir.I64)
            right = ctx.build.cast("ptrtoint", right, ir.I64)
            distance = ctx.build.binary("sub", left, right)
            size = const_int(ir.I64, ir.size_bytes(_step(expr.left.type.type)))
            if size.text == "1":
                return distance
            return ctx.build.binary("sdiv", distance, size, "exact")


def _step(pointer: Type) -> ir.IrType:
    assert isinstance(pointer, PointerType)
    return step_type(pointer.pointee.type)


def _moved(
    ctx: FunctionContext, pointer: Value, index: Value, type_: Type, *, negative: bool
) -> Value:
    """A pointer of type ``type_``, ``index`` elements on (or back)."""
    if negative and index.text.isdecimal():
        index = const_int(ir.I64, -int(index.text))
    elif negative:
        index = ctx.build.binary("sub", const_int(ir.I64, 0), index)
    return ctx.build.gep(_step(type_), pointer, [index])


def _vector_literal(ctx: FunctionContext, expr: tree.VectorLiteral) -> Value:
    type_ = value_type(expr.type.type)
    assert isinstance(type_, ir.VecTy)
    parts = [value(ctx, part) for part in expr.parts]
    ctx.at(expr.span)
    lanes = list[Value]()
    for part in parts:
        if isinstance(part.type, ir.VecTy):
            lanes += [ctx.build.extract_element(part, n) for n in range(part.type.lanes)]
        else:
            lanes.append(part)
    assert len(lanes) == type_.lanes
    if not any(lane.text.startswith("%") for lane in lanes):
        return const_vector(type_, lanes)
    whole = poison(type_)
    for number, lane in enumerate(lanes):
        whole = ctx.build.insert_element(whole, lane, number)
    return whole


# conditions


def flag(ctx: FunctionContext, expr: Expr) -> Value:
    """Whether a scalar expression is not zero, as i1."""
    match expr:
        case tree.Constant():
            return const_int(ir.I1, int(expr.value != 0))
        case tree.Convert() if expr.type.type == BOOL:
            return flag(ctx, expr.operand)
        case tree.Convert() if _is_flag(expr.operand) and expr.type.type != BOOL:
            return flag(ctx, expr.operand)
        case tree.Binary() if expr.op.is_comparison:
            return _comparison(ctx, expr)
        case tree.Unary(op=UnaryOp.LOGICAL_NOT):
            held = flag(ctx, expr.operand)
            ctx.at(expr.span)
            return ctx.build.binary("xor", held, const_int(ir.I1, 1))
        case tree.Logical():
            return _logical(ctx, expr)
        case _:
            held = value(ctx, expr)
            ctx.at(expr.span)
            return truth(ctx.build, held)


def _is_flag(expr: Expr) -> bool:
    """Whether an expression is 0 or 1 by its form, so that a conversion keeps its truth."""
    match expr:
        case tree.Binary():
            return expr.op.is_comparison and not isinstance(expr.type.type, VectorType)
        case tree.Unary(op=UnaryOp.LOGICAL_NOT) | tree.Logical():
            return not isinstance(expr.type.type, VectorType)
        case tree.Convert():
            return expr.type.type == BOOL
        case _:
            return False


def _logical(ctx: FunctionContext, expr: tree.Logical) -> Value:
    """``a && b`` as a value: ``b`` is evaluated in a block of its own."""
    stem = "land" if expr.op is LogicalOp.AND else "lor"
    build = ctx.build
    right_label, end = build.new_label(f"{stem}.rhs"), build.new_label(f"{stem}.end")
    left = flag(ctx, expr.left)
    ctx.at(expr.span)
    left_end = build.current
    assert left_end is not None
    labels = (right_label, end) if expr.op is LogicalOp.AND else (end, right_label)
    build.branch_if(left, *labels)
    build.position_at(right_label)
    right = flag(ctx, expr.right)
    ctx.at(expr.span)
    right_end = build.current
    assert right_end is not None
    build.branch(end)
    build.position_at(end)
    known = const_int(ir.I1, int(expr.op is LogicalOp.OR))
    return build.phi(ir.I1, [(known, left_end), (right, right_end)])


def jump_on(ctx: FunctionContext, expr: Expr, then: str, otherwise: str) -> None:
    """Branch to one of two blocks; each operand of ``&&`` and ``||`` is a branch of its own."""
    match expr:
        case tree.Convert() if expr.type.type == BOOL or _is_flag(expr.operand):
            jump_on(ctx, expr.operand, then, otherwise)
        case tree.Unary(op=UnaryOp.LOGICAL_NOT):
            jump_on(ctx, expr.operand, otherwise, then)
        case tree.Logical():
            both = expr.op is LogicalOp.AND
            middle = ctx.build.new_label("land.lhs.true" if both else "lor.lhs.false")
            first = (middle, otherwise) if both else (then, middle)
            jump_on(ctx, expr.left, *first)
            ctx.build.position_at(middle)
            jump_on(ctx, expr.right, then, otherwise)
        case tree.Constant():
            ctx.at(expr.span)
            ctx.build.branch(then if expr.value != 0 else otherwise)
        case _:
            held = flag(ctx, expr)
            ctx.at(expr.span)
            ctx.build.branch_if(held, then, otherwise)


# choices


def _choice(ctx: FunctionContext, expr: tree.Conditional | tree.VectorSelect) -> Value:
    match expr:
        case tree.VectorSelect():
            condition = value(ctx, expr.condition)
            then, otherwise = value(ctx, expr.then), value(ctx, expr.otherwise)
            ctx.at(expr.span)
            below = ctx.build.compare("icmp", "slt", condition, zero(condition.type))
            return ctx.build.select(below, then, otherwise)
        case tree.Conditional() if _is_simple(expr.then) and _is_simple(expr.otherwise):
            condition = flag(ctx, expr.condition)
            then, otherwise = value(ctx, expr.then), value(ctx, expr.otherwise)
            if then.type == ir.VOID:
                return NOTHING
            ctx.at(expr.span)
            return ctx.build.select(condition, then, otherwise)
        case tree.Conditional():
            return _conditional(ctx, expr)


def _is_simple(expr: Expr) -> bool:
    """Whether both sides of ``?:`` may be computed and one selected, as clang chooses: constants
    and private variables, converted or negated or not."""
    match expr:
        case tree.Constant():
            return True
        case tree.Load(operand=tree.VariableRef(variable=variable)):
            private_ = variable.storage in (Storage.AUTOMATIC, Storage.PARAMETER)
            return private_ and not variable.type.volatile and not is_aggregate(expr.type.type)
        case tree.Unary(op=UnaryOp.NEG) | tree.Convert() | tree.Swizzle() | tree.Splat():
            inner = expr.base if isinstance(expr, tree.Swizzle) else expr.operand
            return _is_simple(inner)
        case _:
            return False


def _conditional(ctx: FunctionContext, expr: tree.Conditional) -> Value:
    build, type_ = ctx.build, expr.type.type
    then, otherwise, end = (build.new_label(f"cond.{n}") for n in ("true", "false", "end"))
    held = ctx.slot(private(type_), "cond") if is_aggregate(type_) else None
    jump_on(ctx, expr.condition, then, otherwise)
    incoming = list[tuple[Value, str]]()
    for label, side in ((then, expr.then), (otherwise, expr.otherwise)):
        build.position_at(label)
        if held:
            store(ctx, held, side)
        else:
            result = value(ctx, side)
            assert build.current is not None
            incoming.append((result, build.current))
        ctx.at(expr.span)
        build.branch(end)
    build.position_at(end)
    if held:
        return places.read(build, held)
    if isinstance(type_, VoidType):
        return NOTHING
    return build.phi(value_type(type_), incoming)


# assignments


def _assignment(
    ctx: FunctionContext, expr: tree.Assign | tree.CompoundAssign | tree.Increment
) -> Value:
    match expr:
        case tree.Assign() if is_aggregate(expr.type.type):
            return places.read(ctx.build, _assign_aggregate(ctx, expr))
        case tree.Assign():
            held = value(ctx, expr.value)
            target = place(ctx, expr.target)
            ctx.at(expr.span)
            places.write(ctx.build, target, held)
            return held
        case tree.CompoundAssign():
            return _compound_assign(ctx, expr)
        case tree.Increment():
            target = place(ctx, expr.target)
            ctx.at(expr.span)
            old = places.read(ctx.build, target)
            type_ = expr.type.type
            if isinstance(type_, PointerType):
                new = _moved(ctx, old, const_int(ir.I64, expr.delta), type_, negative=False)
            else:
                new = arithmetic.step(ctx.build, old, expr.delta, type_, ctx.rules)
            places.write(ctx.build, target, new)
            return new if expr.prefix else old


def _assign_aggregate(ctx: FunctionContext, expr: tree.Assign) -> Memory:
    target = place(ctx, expr.target)
    assert isinstance(target, Memory)
    _store_aggregate(ctx, target, expr.value)
    return target


def _compound_assign(ctx: FunctionContext, expr: tree.CompoundAssign) -> Value:
    computation, type_ = expr.computation.type, expr.target.type.type
    if isinstance(computation, PointerType):
        index = index64(ctx, expr.value)
        target = place(ctx, expr.target)
        ctx.at(expr.span)
        old = places.read(ctx.build, target)
        negative = expr.op is BinaryOp.SUB
        new = _moved(ctx, old, index, computation, negative=negative)
        places.write(ctx.build, target, new)
        return new
    fusible = expr.op in (BinaryOp.ADD, BinaryOp.SUB) and is_floating(computation)
    right = _operand(ctx, expr.value) if fusible else value(ctx, expr.value)
    target = place(ctx, expr.target)
    ctx.at(expr.span)
    old = convert(ctx.build, places.read(ctx.build, target), type_, computation)
    if isinstance(right, Product):
        new = _sum(ctx, expr.op, old, right, expr.span, computation)
    else:
        new = arithmetic.binary(ctx.build, expr.op, old, right, computation, ctx.rules)
    new = convert(ctx.build, new, computation, type_)
    places.write(ctx.build, target, new)
    return new


# calls


def _call(ctx: FunctionContext, expr: tree.Call | tree.BuiltinCall) -> Value:
    match expr:
        case tree.Call():
            callee = expr.function
            arguments = [_argument(ctx, a, kernel=callee.is_kernel) for a in expr.arguments]
            ctx.at(expr.span)
            convention = "spir_kernel" if callee.is_kernel else "spir_func"
            return ctx.build.call(
                callee.name,
                value_type(expr.type.type),
                arguments,
                convention=convention,
                attributes="alwaysinline" if callee.is_kernel else "",
            )
        case tree.BuiltinCall():
            builtin = expr.builtin
            ctx.module.module.declare(builtin.symbol, declaration(builtin))
            arguments = [value(ctx, a) for a in expr.arguments]
            ctx.at(expr.span)
            result = value_type(builtin.result)
            signature = None
            if builtin.variadic:
                fixed = ", ".join(str(value_type(p.type)) for p in builtin.parameters)
                signature = f"{result} ({fixed}, ...)"
            return ctx.build.call(builtin.symbol, result, arguments, signature=signature)


def _argument(ctx: FunctionContext, expr: Expr, *, kernel: bool) -> Value:
    """An argument; a record goes to a kernel as a copy in memory, to others as a value."""
    type_ = expr.type.type
    if not kernel or not isinstance(type_, RecordType):
        return value(ctx, expr)
    copied = ctx.slot(private(type_), "byval")
    _store_aggregate(ctx, copied, expr)
    return by_value(copied)
