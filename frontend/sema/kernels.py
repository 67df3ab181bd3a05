"""What only kernels must obey (OpenCL C 1.2, sections 6.7 and 6.9)."""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast

from kcc.base.diagnostics import Note
from kcc.frontend.sema.constants import array_element
from kcc.frontend.sema.context import Context, Node
from kcc.frontend.sema.records import HOST_SIZED
from kcc.frontend.sema.spelling import base_spelling, spelled_type
from kcc.frontend.sema.type_names import Signature
from kcc.frontend.tree import ImageAccess, KernelAttributes
from kcc.frontend.types import (
    AddressSpace,
    ArrayType,
    EventType,
    ImageType,
    PointerType,
    QualType,
    RecordType,
    ScalarKind,
    ScalarType,
    Type,
    VoidType,
)


def check_kernel(context: Context, node: c_ast.Decl, found: Signature) -> None:
    """The result and the parameters of a kernel."""
    if found.result is not None and not isinstance(found.result, VoidType):
        message = f"a kernel returns nothing: its result is void, not '{found.result}'"
        context.report("K331", message, node)
    for parameter, type_ in found.parameters:
        if type_ is not None:
            _check_parameter(context, type_, parameter)


def _check_parameter(context: Context, type_: QualType, node: Node) -> None:
    match type_.type:
        case PointerType(pointee):
            _check_pointer(context, pointee, node)
        case RecordType():
            _check_record(context, type_.type, node)
        case _:
            if _is_host_sized(context, type_.type, node) or isinstance(type_.type, EventType):
                hint = "pass a long or ulong" if isinstance(type_.type, ScalarType) else None
                spelled = _base(context, node)
                message = f"a kernel cannot take a parameter of type '{spelled or type_.type}'"
                context.report("K332", message, node, hint=hint)


def _base(context: Context, node: Node) -> str:
    assert isinstance(node, (c_ast.Decl, c_ast.Typename))
    return base_spelling(context, node.type)


def _is_host_sized(context: Context, type_: Type, node: Node) -> bool:
    if isinstance(type_, ScalarType) and type_.kind is ScalarKind.BOOL:
        return True
    return _base(context, node) in HOST_SIZED


def _check_pointer(context: Context, pointee: QualType, node: Node) -> None:
    if isinstance(pointee.type, PointerType):
        context.report("K334", "a kernel cannot take a pointer to a pointer", node)
    elif pointee.space is AddressSpace.PRIVATE:
        hint = "write __global, __constant or __local before the type"
        message = "a pointer that a kernel takes must say which address space it points to"
        context.report("K333", message, node, hint=hint)


def _check_record(context: Context, record: RecordType, node: Node) -> None:
    if not context.half_arithmetic and _holds_half(record):
        message = f"a kernel can take '{record}', which holds a half, only with cl_khr_fp16"
        context.report("K332", message, node)
        return
    if record in context.host_sized:
        message = f"a kernel cannot take '{record}': it has a member such as size_t or bool"
        context.report("K332", message, node)
        return
    culprit = _pointer_member(record)
    if culprit is not None:
        notes = [Note(f"the member '{culprit}' is a pointer")]
        message = f"a kernel cannot take '{record}': pointers in it mean nothing on the device"
        context.report("K335", message, node, notes=notes)


def _holds_half(record: RecordType) -> bool:
    for field in record.fields or ():
        type_ = field.type.type
        inner = array_element(type_) if isinstance(type_, ArrayType) else type_
        if isinstance(inner, ScalarType) and inner.kind is ScalarKind.HALF:
            return True
        if isinstance(inner, RecordType) and _holds_half(inner):
            return True
    return False


def _pointer_member(record: RecordType) -> str | None:
    for field in record.fields or ():
        type_ = field.type.type
        inner = array_element(type_) if isinstance(type_, ArrayType) else type_
        if isinstance(inner, PointerType):
            return field.name
        if isinstance(inner, RecordType):
            below = _pointer_member(inner)
            if below is not None:
                return below
    return None


def with_parameters(attributes: KernelAttributes, found: Signature) -> KernelAttributes:
    """The attributes completed with the spellings that kernel argument info gives."""
    spelled = tuple(_spelled(node) for node, _ in found.parameters)
    access = tuple(_access(type_) for _, type_ in found.parameters)
    return replace(attributes, parameter_types=spelled, parameter_access=access)


def _spelled(node: Node) -> str:
    assert isinstance(node, (c_ast.Decl, c_ast.Typename))
    return spelled_type(node.type)


def _access(type_: QualType | None) -> ImageAccess | None:
    if type_ is None or not isinstance(type_.type, ImageType):
        return None
    return type_.type.access
