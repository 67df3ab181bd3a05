"""What attributes say (OpenCL C 1.2, section 6.11): alignment, packing, kernel properties."""

from __future__ import annotations

from pycparser import c_ast

from kcc.frontend.attributes import Attribute
from kcc.frontend.sema.constants import evaluate
from kcc.frontend.sema.context import Context, Node
from kcc.frontend.sema.dispatch import declared_type, rvalue
from kcc.frontend.sema.scope import TypedefName
from kcc.frontend.tree import KernelAttributes
from kcc.frontend.types import (
    VECTOR_LANES,
    WIDEST_LANES,
    EnumType,
    ScalarType,
    Type,
    VectorType,
    is_integer,
)

MAX_ALIGNMENT = 16
"""What ``aligned`` without an argument means: the widest alignment of a scalar (GNU C)."""

_LIMIT = 1 << 28
"""The largest alignment clang takes."""

_KERNEL_ONLY = ("reqd_work_group_size", "work_group_size_hint", "vec_type_hint")

_SUB_GROUP = ("intel_reqd_sub_group_size", "qcom_reqd_sub_group_size")

_ADRENO_SIZES = {'"half"': 64, '"full"': 128}
"""What cl_qcom_reqd_sub_group_size calls the two sizes, on GPUs since Adreno 6xx."""


def has_attribute(context: Context, node: Node, name: str) -> bool:
    """Whether a declaration or tag carries an attribute."""
    return any(a.name == name for a in context.unit.attributes_of(node))


def alignment_of(context: Context, node: Node) -> int:
    """The alignment in bytes that ``aligned`` asks for, 0 without it."""
    largest = 0
    for attribute in context.unit.attributes_of(node):
        if attribute.name == "aligned":
            largest = max(largest, _alignment(context, attribute, node))
    return largest


def named_alignment(context: Context, node: Node) -> int:
    """The alignment that the typedef after a declarator asks for; 0 without one."""
    while isinstance(node, c_ast.ArrayDecl):
        node = node.type
    if isinstance(node, c_ast.TypeDecl) and isinstance(node.type, c_ast.IdentifierType):
        entity = context.scope.find(node.type.names[-1])
        if isinstance(entity, TypedefName):
            return entity.alignment_bytes
    return 0


def _alignment(context: Context, attribute: Attribute, node: Node) -> int:
    if not attribute.arguments:
        return MAX_ALIGNMENT
    value = _integer_argument(context, attribute.arguments[0])
    if value is None or len(attribute.arguments) > 1:
        _malformed(context, attribute, node, "takes one integer constant")
        return 0
    if value <= 0 or value & (value - 1) or value > _LIMIT:
        _malformed(context, attribute, node, f"takes a power of two, not {value}")
        return 0
    return value


def _integer_argument(context: Context, node: Node) -> int | None:
    if isinstance(node, c_ast.Typename):
        return None
    argument = rvalue(context, node)
    if argument is None or not is_integer(argument.type.type):
        return None
    value = evaluate(argument, context.known)
    return value if isinstance(value, int) else None


def _malformed(context: Context, attribute: Attribute, node: Node, what: str) -> None:
    message = f"the attribute '{attribute.name}' {what}"
    context.report("K339", message, node, at=attribute.span)


def kernel_attributes(context: Context, node: Node, *, is_kernel: bool) -> KernelAttributes:
    """The attributes of a function; those of kernels are refused on others."""
    sizes: dict[str, tuple[int, int, int] | None] = {}
    hint: Type | None = None
    sub_group: int | None = None
    for attribute in context.unit.attributes_of(node):
        if attribute.name in _SUB_GROUP:
            sub_group = _sub_group_size(context, attribute, node)
        if attribute.name not in _KERNEL_ONLY:
            continue
        if not is_kernel:
            message = f"the attribute '{attribute.name}' belongs to kernels"
            context.report("K338", message, node, at=attribute.span)
        elif attribute.name == "vec_type_hint":
            hint = _hinted_type(context, attribute, node)
        else:
            sizes[attribute.name] = _three_sizes(context, attribute, node)
    return KernelAttributes(
        sizes.get("reqd_work_group_size"), sizes.get("work_group_size_hint"), sub_group, hint
    )


def _sub_group_size(context: Context, attribute: Attribute, node: Node) -> int | None:
    """A power of two from 8 to 128."""
    argument = attribute.arguments[0] if len(attribute.arguments) == 1 else None
    if isinstance(argument, c_ast.Constant) and argument.type == "string":
        size = _ADRENO_SIZES.get(argument.value)
    else:
        size = None if argument is None else _integer_argument(context, argument)
    if size in (8, 16, 32, 64, 128):
        return size
    _malformed(context, attribute, node, "takes 8, 16, 32, 64 or 128")
    return None


def lanes_of(context: Context, node: Node) -> int | None:
    """The lanes that ``ext_vector_type`` asks for; None without it."""
    for attribute in context.unit.attributes_of(node):
        if attribute.name == "ext_vector_type":
            argument = attribute.arguments[0] if len(attribute.arguments) == 1 else None
            lanes = None if argument is None else _integer_argument(context, argument)
            if lanes in (*VECTOR_LANES, WIDEST_LANES):
                return lanes
            _malformed(context, attribute, node, "takes 2, 3, 4, 8, 16 or 32")
    return None


def _three_sizes(context: Context, attribute: Attribute, node: Node) -> tuple[int, int, int] | None:
    values = [_integer_argument(context, argument) for argument in attribute.arguments]
    sizes = [v for v in values if v is not None and v > 0]
    if len(sizes) != 3 or len(values) != 3:
        _malformed(context, attribute, node, "takes three integer constants greater than 0")
        return None
    return sizes[0], sizes[1], sizes[2]


def _hinted_type(context: Context, attribute: Attribute, node: Node) -> Type | None:
    named = [a for a in attribute.arguments if isinstance(a, c_ast.Typename)]
    type_ = declared_type(context, named[0]) if len(named) == 1 else None
    if type_ is None:
        _malformed(context, attribute, node, "takes a type")
        return None
    scalar = isinstance(type_.type, ScalarType) and type_.type.kind.spelling != "bool"
    if not scalar and not isinstance(type_.type, (VectorType, EnumType)):
        _malformed(context, attribute, node, "takes a scalar or vector type")
        return None
    return type_.type
