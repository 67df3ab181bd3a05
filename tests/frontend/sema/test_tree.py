"""What is implicit in the source is explicit in the tree."""

from __future__ import annotations

from kcc.frontend.tree import (
    AddressOf,
    ArrayDecay,
    Assign,
    Binary,
    BinaryOp,
    BuiltinCall,
    Call,
    Comma,
    CompoundAssign,
    CompoundLiteral,
    Conditional,
    Constant,
    Convert,
    Deref,
    Element,
    Increment,
    Load,
    Logical,
    Member,
    PointerDifference,
    PointerOffset,
    Splat,
    StringLiteral,
    Swizzle,
    Unary,
    UnaryOp,
    VariableRef,
    VectorLiteral,
    VectorSelect,
)
from kcc.frontend.types import BOOL, AddressSpace, ArrayType, PointerType, QualType
from tests.frontend.sema.support import in_kernel, last_expression


def expression(body: str) -> object:
    """The last expression statement of a kernel with operands of many types."""
    return last_expression(in_kernel(body))


def test_operands_have_one_type() -> None:
    tree = expression("i + f;")
    assert isinstance(tree, Binary)
    assert str(tree.type) == "float"
    assert isinstance(tree.left, Convert)
    assert tree.left.implicit
    assert isinstance(tree.left.operand, Load)
    assert isinstance(tree.left.operand.operand, VariableRef)
    assert isinstance(tree.right, Load)


def test_small_integers_are_promoted() -> None:
    tree = expression("uchar a = 1; short b = 2; a - b;")
    assert isinstance(tree, Binary)
    assert str(tree.type) == "int"
    assert isinstance(tree.left, Convert)
    assert isinstance(tree.right, Convert)


def test_unsigned_wins_a_tie() -> None:
    tree = expression("uint a = 1; (long)i < a;")
    assert isinstance(tree, Binary)
    assert str(tree.left.type) == "long"
    assert str(tree.type) == "int"
    tree = expression("uint a = 1; i < a;")
    assert isinstance(tree, Binary)
    assert str(tree.left.type) == "uint"


def test_shift_has_the_type_of_its_left_operand() -> None:
    tree = expression("i << 3UL;")
    assert isinstance(tree, Binary)
    assert str(tree.type) == str(tree.right.type) == "int"


def test_constants_are_converted_at_once() -> None:
    tree = expression("f = 2;")
    assert isinstance(tree, Assign)
    assert isinstance(tree.value, Constant)
    assert tree.value.value == 2.0
    assert isinstance(tree.value.value, float)


def test_scalars_widen() -> None:
    tree = expression("w * i;")
    assert isinstance(tree, Binary)
    assert isinstance(tree.right, Splat)
    assert isinstance(tree.right.operand, Convert)
    assert str(tree.right.operand.type) == "float"
    assert str(tree.right.type) == "float4"


def test_true_widens_to_minus_one() -> None:
    tree = expression("bool b = i; v = b;")
    assert isinstance(tree, Assign)
    assert isinstance(tree.value, Splat)
    assert isinstance(tree.value.operand, Unary)
    assert tree.value.operand.op is UnaryOp.NEG


def test_comparison_of_vectors() -> None:
    tree = expression("(double4)(1.0) < (double4)(2.0);")
    assert isinstance(tree, Binary)
    assert str(tree.type) == "long4"


def test_logic_on_scalars_and_vectors() -> None:
    tree = expression("p && f;")
    assert isinstance(tree, Logical)
    assert tree.left.type.type == tree.right.type.type == BOOL
    assert str(tree.type) == "int"
    tree = expression("w || 1.0f;")
    assert isinstance(tree, Logical)
    assert str(tree.type) == "int4"
    assert isinstance(tree.right, Splat)


def test_not() -> None:
    tree = expression("!p;")
    assert isinstance(tree, Unary)
    assert tree.operand.type.type == BOOL
    tree = expression("!w;")
    assert isinstance(tree, Unary)
    assert str(tree.type) == "int4"


def test_conditional_on_scalars() -> None:
    tree = expression("i ? 1 : 2.5f;")
    assert isinstance(tree, Conditional)
    assert tree.condition.type.type == BOOL
    assert str(tree.then.type) == str(tree.otherwise.type) == "float"


def test_conditional_on_vectors() -> None:
    tree = expression("v ? w : 1.0f;")
    assert isinstance(tree, VectorSelect)
    assert isinstance(tree.otherwise, Splat)
    tree = expression("i ? w : 1;")
    assert isinstance(tree, Conditional)
    assert str(tree.type) == "float4"


def test_arrays_decay_and_elements_do_not() -> None:
    tree = expression("int a[3]; i = *a;")
    assert isinstance(tree, Assign)
    assert isinstance(tree.value, Load)
    assert isinstance(tree.value.operand, Deref)
    assert isinstance(tree.value.operand.pointer, ArrayDecay)
    tree = expression("int a[3]; a[i] = 1;")
    assert isinstance(tree, Assign)
    assert isinstance(tree.target, Element)
    assert isinstance(tree.target.base, VariableRef)
    assert str(tree.target.index.type) == "long"


def test_pointers_are_indexed_by_offset() -> None:
    tree = expression("p[get_local_id(0)] = 1;")
    assert isinstance(tree, Assign)
    assert isinstance(tree.target, Deref)
    offset = tree.target.pointer
    assert isinstance(offset, PointerOffset)
    assert str(offset.index.type) == "ulong"
    assert tree.target.type.space is AddressSpace.GLOBAL
    assert isinstance(offset.index, BuiltinCall)


def test_subscripts_may_be_swapped() -> None:
    tree = expression("2[p] = 1;")
    assert isinstance(tree, Assign)
    assert isinstance(tree.target, Deref)


def test_pointer_arithmetic() -> None:
    tree = expression("p - 1;")
    assert isinstance(tree, PointerOffset)
    assert tree.negative
    tree = expression("1 + p;")
    assert isinstance(tree, PointerOffset)
    tree = expression("p - (p + 1);")
    assert isinstance(tree, PointerDifference)
    assert str(tree.type) == "long"


def test_address_and_dereference_cancel() -> None:
    assert isinstance(expression("&*p;"), Load)
    assert isinstance(expression("&p[3];"), PointerOffset)
    assert isinstance(expression("&i;"), AddressOf)


def test_null() -> None:
    tree = expression("p == 0;")
    assert isinstance(tree, Binary)
    assert isinstance(tree.right, Constant)
    assert tree.right.type.type == tree.left.type.type
    tree = expression("l = (void *)0;")
    assert isinstance(tree, Assign)
    assert isinstance(tree.value, Constant)
    assert str(tree.value.type) == "__local int*"


def test_swizzles() -> None:
    tree = expression("w.hi.x = w.s0;")
    assert isinstance(tree, Assign)
    assert isinstance(tree.target, Swizzle)
    assert tree.target.lanes == (2,)
    assert isinstance(tree.target.base, VariableRef)
    assert str(tree.target.type) == "float"
    tree = expression("w.wzyx;")
    assert isinstance(tree, Load)
    assert isinstance(tree.operand, Swizzle)
    assert tree.operand.lanes == (3, 2, 1, 0)
    tree = expression("(w + w).odd;")
    assert isinstance(tree, Swizzle)
    assert tree.lanes == (1, 3)


def test_swizzle_keeps_the_address_space() -> None:
    tree = expression("((global float4 *)q)->y = 1;")
    assert isinstance(tree, Assign)
    assert tree.target.type.space is AddressSpace.GLOBAL


def test_members_inherit_address_space_and_qualifiers() -> None:
    tree = expression(
        "struct S { int a[2]; struct { const int b; }; }; global struct S *t = 0; t->a;"
    )
    assert isinstance(tree, ArrayDecay)
    assert isinstance(tree.operand, Member)
    array = tree.operand.type.type
    assert isinstance(array, ArrayType)
    assert array.element.space is AddressSpace.GLOBAL
    tree = expression("struct S { int a; struct { const int b; }; }; struct S t; t.b;")
    assert isinstance(tree, Load)
    assert tree.operand.type.const
    assert isinstance(tree.operand, Member)
    assert isinstance(tree.operand.base, Member)


def test_arrays_of_values_get_an_object() -> None:
    text = (
        "struct S { int a[2]; };\nstruct S f(void) { struct S s = { { 1 } }; return s; }\n"
        "void k(void) { f().a[1]; }"
    )
    tree = last_expression(text)
    assert isinstance(tree, Load)
    assert isinstance(tree.operand, Element)
    assert isinstance(tree.operand.base, CompoundLiteral)
    assert isinstance(tree.operand.base.initialiser, Member)
    assert isinstance(tree.operand.base.initialiser.base, Call)


def test_compound_assignment() -> None:
    tree = expression("uchar c = 1; c *= 1.5f;")
    assert isinstance(tree, CompoundAssign)
    assert str(tree.computation) == "float"
    assert str(tree.type) == "uchar"
    tree = expression("w += i;")
    assert isinstance(tree, CompoundAssign)
    assert isinstance(tree.value, Splat)
    tree = expression("p += i;")
    assert isinstance(tree, CompoundAssign)
    assert tree.op is BinaryOp.ADD
    assert str(tree.value.type) == "long"
    assert isinstance(tree.computation.type, PointerType)


def test_increments() -> None:
    tree = expression("i--;")
    assert isinstance(tree, Increment)
    assert (tree.delta, tree.prefix) == (-1, False)
    tree = expression("++p;")
    assert isinstance(tree, Increment)
    assert (tree.delta, tree.prefix) == (1, True)


def test_vector_literals() -> None:
    tree = expression("(float4)(w.xy, 1, i);")
    assert isinstance(tree, VectorLiteral)
    assert [str(part.type) for part in tree.parts] == ["float2", "float", "float"]
    assert isinstance(expression("(float4)(1);"), Splat)
    assert isinstance(expression("(float4)(w);"), Load)


def test_casts_are_explicit() -> None:
    tree = expression("(uint)i;")
    assert isinstance(tree, Convert)
    assert not tree.implicit
    tree = expression("(void)i;")
    assert isinstance(tree, Convert)
    assert str(tree.type) == "void"


def test_arguments_have_the_parameter_types() -> None:
    tree = expression("pow(w, 2);")
    assert isinstance(tree, BuiltinCall)
    assert [str(a.type) for a in tree.arguments] == [str(p.type) for p in tree.builtin.parameters]
    tree = last_expression("float g(float a, long b) { return a; }\nvoid k(int i) { g(i, i); }")
    assert isinstance(tree, Call)
    assert [str(a.type) for a in tree.arguments] == ["float", "long"]


def test_variable_arguments_are_promoted() -> None:
    tree = expression('char c = 1; printf("%d %f %v4f", c, f, w);')
    assert isinstance(tree, BuiltinCall)
    assert [str(a.type) for a in tree.arguments[1:]] == ["int", "double", "float4"]
    first = tree.arguments[0]
    while isinstance(first, Convert):
        first = first.operand
    assert isinstance(first, ArrayDecay)
    assert isinstance(first.operand, StringLiteral)
    assert first.operand.data == b"%d %f %v4f\0"


def test_samplers_are_their_values() -> None:
    text = (
        "constant sampler_t s = CLK_FILTER_LINEAR;\n"
        "void k(read_only image2d_t m) { read_imagef(m, s, (int2)(0)); }"
    )
    tree = last_expression(text)
    assert isinstance(tree, BuiltinCall)
    sampler = tree.arguments[1]
    assert isinstance(sampler, Convert)
    assert isinstance(sampler.operand, Constant)


def test_comma_and_sizes() -> None:
    tree = expression("i, f;")
    assert isinstance(tree, Comma)
    assert str(tree.type) == "float"
    tree = expression("sizeof(float3) + vec_step(v) + sizeof v.xy;")
    assert isinstance(tree, Binary)
    assert str(tree.type) == "ulong"


def test_values_are_unqualified() -> None:
    tree = expression("const volatile int a = 1; a + 1;")
    assert isinstance(tree, Binary)
    assert isinstance(tree.left, Load)
    assert tree.left.type == QualType(tree.left.type.type)
    assert tree.left.operand.type.volatile
