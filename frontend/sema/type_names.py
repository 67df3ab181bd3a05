"""Types from their syntax: specifiers, declarators, qualifiers.

A declarator is read from the outside in, as pycparser nests it: ``ArrayDecl(PtrDecl(TypeDecl))``
is an array of pointers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pycparser import c_ast

from kcc.base.diagnostics import Note
from kcc.base.records import dataclass
from kcc.frontend.sema.attributes import named_alignment
from kcc.frontend.sema.builtin_types import BUILTIN_TYPES
from kcc.frontend.sema.constants import evaluate
from kcc.frontend.sema.context import Context, Node, previous_span
from kcc.frontend.sema.dispatch import DECLARATOR_RULES, declared_type, rvalue
from kcc.frontend.sema.records import enum_type, record_type
from kcc.frontend.sema.scope import EnumConstant, Poisoned, TypedefName
from kcc.frontend.sema.spelling import names_private
from kcc.frontend.sema.suggestions import did_you_mean
from kcc.frontend.sema.values import array_of, is_opaque
from kcc.frontend.types import (
    AddressSpace,
    ArrayType,
    FunctionType,
    ImageAccess,
    ImageType,
    PointerType,
    QualType,
    ScalarKind,
    ScalarType,
    Type,
    VectorType,
    VoidType,
    is_complete,
    is_integer,
    size_of,
)

MAX_ARRAY_BYTES = 1 << 61
"""As in clang: sizes must still fit in 64 bits when counted in bits."""

_LONG_LONG = frozenset({"int", "long", "signed", "unsigned"})

_SPACES = {space.name.lower(): space for space in AddressSpace if space.name != "GENERIC"}

_ACCESS = {
    "read_only": ImageAccess.READ_ONLY,
    "write_only": ImageAccess.WRITE_ONLY,
    "read_write": ImageAccess.READ_WRITE,
}


def type_of_name(context: Context, node: c_ast.Typename) -> QualType | None:
    """The type that a cast, sizeof or compound literal names."""
    return declared_type(context, node.type)


# qualifiers


def _qualify(
    context: Context, type_: QualType, quals: Sequence[str], node: Node
) -> QualType | None:
    """The type with the qualifiers as written added; arrays hand them on to their elements."""
    if not quals:
        return type_
    words = [word.strip("_") for word in quals]
    access = [_ACCESS[word] for word in words if word in _ACCESS]
    if access:
        imaged = _with_access(context, type_, access, node)
        if imaged is None:
            return None
        type_ = imaged
    space = _address_space(context, type_, words, node)
    if space is None:
        return None
    if isinstance(type_.type, FunctionType) and any(word in _SPACES for word in words):
        context.report("K321", "a function is in no address space", node)
        return None
    if "restrict" in words and not isinstance(type_.type, PointerType):
        context.report("K329", f"restrict applies to pointers, not to '{type_.type}'", node)
        return None
    return _apply(type_, space, "const" in words, "volatile" in words, "restrict" in words)


def _apply(
    type_: QualType,
    space: AddressSpace,
    const: bool,
    volatile: bool,
    restrict: bool,
) -> QualType:
    if isinstance(type_.type, ArrayType):
        element = _apply(type_.type.element, space, const, volatile, restrict)
        return array_of(element, type_.type.length)
    return QualType(
        type_.type,
        space,
        const=type_.const or const,
        volatile=type_.volatile or volatile,
        restrict=type_.restrict or restrict,
    )


def _address_space(
    context: Context, type_: QualType, words: Sequence[str], node: Node
) -> AddressSpace | None:
    named = {_SPACES[word] for word in words if word in _SPACES}
    if type_.space is not AddressSpace.PRIVATE:
        named.add(type_.space)
    if len(named) > 1:
        names = " and ".join(f"__{s.name.lower()}" for s in sorted(named))
        context.report("K320", f"an object is in one address space, not in {names}", node)
        return None
    return named.pop() if named else type_.space


def _with_access(
    context: Context, type_: QualType, access: list[ImageAccess], node: Node
) -> QualType | None:
    if not isinstance(type_.type, ImageType):
        message = f"an access qualifier applies to images, not to '{type_.type}'"
        context.report("K330", message, node)
        return None
    if len(set(access)) > 1:
        context.report("K330", "an image has one access qualifier", node)
        return None
    if access[0] is ImageAccess.READ_WRITE:
        context.report("K405", "read_write images came with OpenCL C 2.0", node)
        return None
    return replace(type_, type=ImageType(type_.type.kind, access[0]))


# declarators


def _pointer(context: Context, node: c_ast.PtrDecl) -> QualType | None:
    pointee = declared_type(context, node.type)
    if pointee is None:
        return None
    if isinstance(pointee.type, FunctionType):
        context.report("K343", "OpenCL C has no pointers to functions", node)
        return None
    if is_opaque(pointee.type):
        context.report("K315", f"there are no pointers to '{pointee.type}'", node)
        return None
    return _qualify(context, QualType(PointerType(pointee)), node.quals or (), node)


def _array(context: Context, node: c_ast.ArrayDecl) -> QualType | None:
    element = declared_type(context, node.type)
    if element is None:
        return None
    if isinstance(element.type, FunctionType) or is_opaque(element.type):
        context.report("K315", f"there are no arrays of '{element.type}'", node)
        return None
    if not is_complete(element.type):
        context.report("K310", f"array elements of incomplete type '{element.type}'", node)
        return None
    alignment = named_alignment(context, node.type)
    if alignment and size_of(element.type) % alignment:
        message = (
            f"there are no arrays of elements of {size_of(element.type)} bytes that are aligned "
            f"to {alignment}"
        )
        context.report("K315", message, node)
        return None
    if node.dim is None:
        return array_of(element, None)
    length = array_length(context, node.dim)
    if length is not None and size_of(element.type) * length > MAX_ARRAY_BYTES:
        context.report("K313", f"an array of {length} elements is too large", node.dim)
        return None
    return None if length is None else array_of(element, length)


def array_length(context: Context, dim: Node) -> int | None:
    """The value of an array size or designator: a constant that is not negative."""
    size = rvalue(context, dim)
    if size is None:
        return None
    if not is_integer(size.type.type):
        context.report("K313", f"an array size is an integer, not '{size.type.type}'", dim)
        return None
    value = evaluate(size, context.known)
    if not isinstance(value, int):
        hint = "OpenCL C has no arrays of variable length"
        context.report("K312", "the size of an array must be a constant", dim, hint=hint)
        return None
    if value < 0:
        context.report("K313", f"the size of an array is negative ({value})", dim)
        return None
    return value


def _function(context: Context, node: c_ast.FuncDecl) -> QualType | None:
    context.push_scope()
    found = signature(context, node)
    context.pop_scope()
    return QualType(found.type) if found.is_valid else None


@dataclass(frozen=True, slots=True)
class Signature:
    """A function declarator as read: the parameters with their types, None where one is wrong."""

    result: Type | None
    parameters: tuple[tuple[Node, QualType | None], ...]

    @property
    def is_valid(self) -> bool:
        wrong = any(type_ is None for _, type_ in self.parameters)
        return self.result is not None and not wrong

    @property
    def type(self) -> FunctionType:
        """The function type; only of a valid signature."""
        assert self.result is not None
        return FunctionType(self.result, tuple(t for _, t in self.parameters if t is not None))


def signature(context: Context, node: c_ast.FuncDecl) -> Signature:
    """Read a function declarator; tags of its parameters go to the current scope."""
    result = declared_type(context, node.type)
    if result is not None and not _may_be_result(context, result, node):
        result = None
    parameters = list[tuple[Node, QualType | None]]()
    nodes = node.args.params if node.args else []
    for parameter in nodes:
        assert isinstance(parameter, (c_ast.Decl, c_ast.Typename))
        type_ = declared_type(context, parameter.type)
        if type_ is not None and isinstance(type_.type, VoidType) and parameter.name is None:
            if len(nodes) == 1:
                break
            context.report("K316", "void must be the only parameter", parameter)
            type_ = None
        elif type_ is not None:
            type_ = adjust_parameter(context, type_, parameter)
            _check_parameter_words(context, parameter)
        parameters.append((parameter, type_))
    return Signature(None if result is None else result.type, tuple(parameters))


def _check_parameter_words(context: Context, node: c_ast.Decl | c_ast.Typename) -> None:
    if not isinstance(node, c_ast.Decl):
        return
    if node.storage:
        context.report("K327", f"a parameter cannot be {node.storage[0]}", node)
    if any(word.strip("_") == "kernel" for word in node.funcspec or ()):
        context.report("K338", "'kernel' belongs to functions", node)


def _may_be_result(context: Context, result: QualType, node: c_ast.FuncDecl) -> bool:
    type_ = result.type
    if isinstance(type_, (ArrayType, FunctionType)) or is_opaque(type_):
        context.report("K316", f"a function cannot return '{type_}'", node)
    elif result.space is not AddressSpace.PRIVATE or names_private(node.type):
        context.report("K321", "a result is a value, in no address space", node)
    elif context.is_half_storage(type_):
        context.report("K317", "a half can be returned only with cl_khr_fp16", node)
    else:
        return True
    return False


def adjust_parameter(context: Context, type_: QualType, node: Node) -> QualType | None:
    """An array becomes a pointer (C99 6.7.5.3); what cannot be passed is reported."""
    if isinstance(type_.type, ArrayType):
        return QualType(PointerType(type_.type.element))
    if isinstance(type_.type, FunctionType):
        context.report("K343", "OpenCL C has no pointers to functions", node)
        return None
    if isinstance(type_.type, VoidType):
        context.report("K316", "a parameter cannot be void", node)
        return None
    if type_.space is not AddressSpace.PRIVATE:
        hint = "a pointer may point there: T *"
        context.report("K321", "a parameter is in the private address space", node, hint=hint)
        return None
    if context.is_half_storage(type_.type):
        message = "a half can be passed only with cl_khr_fp16"
        context.report("K317", message, node, hint="pass a pointer to it")
        return None
    return type_


def _declared_base(context: Context, node: c_ast.TypeDecl) -> QualType | None:
    base = base_type(context, node.type)
    return None if base is None else _qualify(context, base, node.quals or (), node)


# specifiers


def base_type(context: Context, node: Node) -> QualType | None:
    """The type that specifiers name: built in, a typedef, a struct, union or enum."""
    if isinstance(node, c_ast.IdentifierType):
        return _named_type(context, node)
    if isinstance(node, (c_ast.Struct, c_ast.Union)):
        record = record_type(context, node)
        return None if record is None else QualType(record)
    assert isinstance(node, c_ast.Enum)
    enum = enum_type(context, node)
    return None if enum is None else QualType(enum)


def _named_type(context: Context, node: c_ast.IdentifierType) -> QualType | None:
    names = node.names
    if len(names) == 1:
        entity = context.scope.find(names[0])
        if isinstance(entity, TypedefName):
            return entity.type
        if isinstance(entity, Poisoned):
            return None
        if entity is not None:
            kind = "an enumerator" if isinstance(entity, EnumConstant) else "not a type"
            notes = [Note(f"'{names[0]}' was declared here", previous_span(entity))]
            context.report("K311", f"'{names[0]}' is {kind}", node, notes=notes)
            return None
    found = BUILTIN_TYPES.get(names[0] if len(names) == 1 else " ".join(sorted(names)))
    if isinstance(found, VectorType) and context.is_half_storage(found):
        context.report("K317", "vectors of half need the extension cl_khr_fp16", node)
        return None
    if found is not None:
        return QualType(found)
    return _unusual_type(context, node)


def _unusual_type(context: Context, node: c_ast.IdentifierType) -> QualType | None:
    """Long long, which devices take as long, and what is wrong."""
    names, shown = node.names, " ".join(node.names)
    if (
        names.count("long") == 2
        and _LONG_LONG.issuperset(names)
        and len(set(names)) >= len(names) - 1
    ):
        context.report("K402", f"'{shown}' is taken as the 64-bit 'long'", node)
        return QualType(ScalarType(ScalarKind.ULONG if "unsigned" in names else ScalarKind.LONG))
    hint = did_you_mean(names[0], BUILTIN_TYPES) if len(names) == 1 else None
    context.report("K311", f"'{shown}' is not a type", node, hint=hint)
    return None


DECLARATOR_RULES.update(
    {
        c_ast.PtrDecl: _pointer,
        c_ast.ArrayDecl: _array,
        c_ast.FuncDecl: _function,
        c_ast.TypeDecl: _declared_base,
        c_ast.Typename: type_of_name,
        c_ast.IdentifierType: base_type,
        c_ast.Struct: base_type,
        c_ast.Union: base_type,
        c_ast.Enum: base_type,
    }
)
