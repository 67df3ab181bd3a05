"""Structs, unions and enumerations: tags, members, layout, enumerators."""

from __future__ import annotations

from pycparser import c_ast

from kcc.base.diagnostics import Note
from kcc.frontend.sema.attributes import alignment_of, has_attribute, named_alignment
from kcc.frontend.sema.constants import array_element, evaluate
from kcc.frontend.sema.context import Context, Node
from kcc.frontend.sema.dispatch import declared_type, rvalue
from kcc.frontend.sema.numbers import in_range
from kcc.frontend.sema.scope import EnumConstant, TagEntry
from kcc.frontend.sema.spelling import base_spelling, names_private
from kcc.frontend.sema.values import SCALARS, array_of, is_opaque
from kcc.frontend.types import (
    INT,
    AddressSpace,
    ArrayType,
    EnumType,
    EventType,
    FunctionType,
    QualType,
    RecordType,
    ScalarKind,
    ScalarType,
    align_of,
    is_complete,
    is_integer,
)

Member = tuple[str | None, QualType, int]


def record_type(context: Context, node: c_ast.Struct | c_ast.Union) -> RecordType | None:
    """The struct or union a specifier names or defines; None after an error."""
    if id(node) in context.tags:
        seen = context.tags[id(node)]
        assert seen is None or isinstance(seen, RecordType)
        return seen
    is_union = isinstance(node, c_ast.Union)
    record = _tagged_record(context, node, is_union)
    context.tags[id(node)] = record
    if record is not None and node.decls is not None:
        _define_record(context, record, node)
    return record


def forward_record(context: Context, node: c_ast.Struct | c_ast.Union) -> None:
    """``struct S;`` alone: a new type in this scope, whatever S is outside (C99 6.7.2.3)."""
    if node.name is not None and node.name not in context.scope.tags:
        record = RecordType(node.name, isinstance(node, c_ast.Union))
        context.scope.tags[node.name] = TagEntry(record, context.span(node))


def _tagged_record(
    context: Context,
    node: c_ast.Struct | c_ast.Union,
    is_union: bool,
) -> RecordType | None:
    """The record of the tag, a new one where the tag is new in this scope."""
    if node.name is None:
        return RecordType(context.new_tag(), is_union)
    scope, defines = context.scope, node.decls is not None
    entry = scope.tags.get(node.name) if defines else scope.find_tag(node.name)
    if entry is None:
        record = RecordType(node.name, is_union)
        scope.tags[node.name] = TagEntry(record, context.span(node))
        return record
    notes = [Note(f"'{node.name}' was declared here", entry.span)]
    if not isinstance(entry.type, RecordType) or entry.type.is_union != is_union:
        message = f"'{node.name}' was declared as '{entry.type}'"
        context.report("K306", message, node, notes=notes)
        return None
    if defines and entry.type.fields is not None:
        context.report("K307", f"'{entry.type}' is defined twice", node, notes=notes)
        return None
    return entry.type


def _define_record(context: Context, record: RecordType, node: c_ast.Struct | c_ast.Union) -> None:
    members, names = list[Member](), dict[str, Node]()
    packed = has_attribute(context, node, "packed")
    declarations = node.decls or []
    for declaration in declarations:
        assert isinstance(declaration, c_ast.Decl)
        type_ = _member_type(context, declaration, record, last=declaration is declarations[-1])
        if type_ is None:
            continue
        alignment = _member_alignment(context, type_, declaration, packed=packed)
        member = (declaration.name, type_, alignment)
        for name in _visible_names(member):
            if name in names:
                notes = [Note(f"'{name}' was declared here", context.span(names[name]))]
                context.report(
                    "K308", f"the member '{name}' is declared twice", declaration, notes=notes
                )
                break
            names[name] = declaration
        else:
            members.append(member)
    record.complete(members, packed=packed, align=alignment_of(context, node))


def _visible_names(member: Member) -> list[str]:
    """The name of a member, or those that an anonymous record lends its surroundings."""
    name, type_, _ = member
    if name is not None:
        return [name]
    assert isinstance(type_.type, RecordType)
    return [
        inner
        for field in type_.type.fields or ()
        for inner in _visible_names((field.name, field.type, 0))
    ]


def _member_type(
    context: Context, node: c_ast.Decl, record: RecordType, *, last: bool
) -> QualType | None:
    type_ = declared_type(context, node.type)
    if type_ is None:
        return None
    if node.name is None and not isinstance(type_.type, RecordType):
        context.report("K397", "the declaration declares nothing", node)
        return None
    if node.name is None and isinstance(node.type, (c_ast.Struct, c_ast.Union)) and node.type.name:
        context.report("K397", "the declaration declares nothing", node)
        return None
    flexible = last and not record.is_union and isinstance(type_.type, ArrayType)
    if flexible and isinstance(type_.type, ArrayType) and type_.type.length is None:
        type_ = array_of(type_.type.element, 0)
    if not _may_be_member(context, type_, node):
        return None
    _note_host_size(context, record, type_, node)
    return type_


def _member_alignment(context: Context, type_: QualType, node: c_ast.Decl, *, packed: bool) -> int:
    """Of its type, or what the typedef of that asks for, or 1 where packed; an attribute of its
    own can only raise it.
    """
    natural = named_alignment(context, node.type) or align_of(type_.type)
    if packed or has_attribute(context, node, "packed"):
        natural = 1
    return max(natural, alignment_of(context, node))


def _may_be_member(context: Context, type_: QualType, node: c_ast.Decl) -> bool:
    if (
        isinstance(type_.type, FunctionType)
        or is_opaque(type_.type)
        or isinstance(type_.type, EventType)
    ):
        context.report("K316", f"a member cannot have the type '{type_.type}'", node)
    elif type_.space is not AddressSpace.PRIVATE or names_private(node.type):
        hint = "the object that holds it has the address space"
        context.report("K321", "a member is in no address space of its own", node, hint=hint)
    elif not is_complete(type_.type):
        context.report("K310", f"a member of incomplete type '{type_.type}'", node)
    else:
        return True
    return False


HOST_SIZED = frozenset({"size_t", "ptrdiff_t", "intptr_t", "uintptr_t", "bool", "_Bool"})
"""Types that kernels cannot take from the host (section 6.9.k)."""


def _note_host_size(
    context: Context, record: RecordType, type_: QualType, node: c_ast.Decl
) -> None:
    inner = array_element(type_.type) if isinstance(type_.type, ArrayType) else type_.type
    if isinstance(inner, RecordType):
        if inner in context.host_sized:
            context.host_sized.add(record)
    elif base_spelling(context, node.type) in HOST_SIZED:
        context.host_sized.add(record)


# enumerations


def enum_type(context: Context, node: c_ast.Enum) -> EnumType | None:
    """The enumeration a specifier names or defines; None after an error."""
    if id(node) in context.tags:
        seen = context.tags[id(node)]
        assert seen is None or isinstance(seen, EnumType)
        return seen
    enum = _tagged_enum(context, node)
    context.tags[id(node)] = enum
    if node.values is not None:
        _define_enum(context, enum or EnumType(context.new_tag()), node.values)
    return enum


def _tagged_enum(context: Context, node: c_ast.Enum) -> EnumType | None:
    if node.name is None:
        return EnumType(context.new_tag())
    scope, defines = context.scope, node.values is not None
    entry = scope.tags.get(node.name) if defines else scope.find_tag(node.name)
    if entry is None:
        if not defines:
            context.report("K310", f"the enumeration '{node.name}' is not defined", node)
            return None
        enum = EnumType(node.name)
        scope.tags[node.name] = TagEntry(enum, context.span(node))
        return enum
    notes = [Note(f"'{node.name}' was declared here", entry.span)]
    if not isinstance(entry.type, EnumType):
        context.report("K306", f"'{node.name}' was declared as '{entry.type}'", node, notes=notes)
        return None
    if defines:
        context.report("K307", f"'{entry.type}' is defined twice", node, notes=notes)
        return None
    return entry.type


def _define_enum(context: Context, enum: EnumType, values: c_ast.EnumeratorList) -> None:
    constants, value = list[EnumConstant](), -1
    for node in values.enumerators:
        given = value + 1 if node.value is None else _enumerator_value(context, node.value)
        value = value + 1 if given is None else given
        constant = EnumConstant(value, _literal_type(value), context.span(node))
        if context.declare(node.name, constant, node):
            constants.append(constant)
    enum.underlying = _underlying([c.value for c in constants])
    if not all(in_range(ScalarKind.INT, c.value) for c in constants):
        for constant in constants:
            constant.type = enum.underlying


def _enumerator_value(context: Context, node: Node) -> int | None:
    expression = rvalue(context, node)
    if expression is None:
        return None
    value = evaluate(expression, context.known)
    if not isinstance(value, int) or not is_integer(expression.type.type):
        context.report("K319", "the value of an enumerator must be an integer constant", node)
        return None
    return value


def _literal_type(value: int) -> ScalarType:
    return INT if in_range(ScalarKind.INT, value) else _underlying([value])


def _underlying(values: list[int]) -> ScalarType:
    """As clang chooses: unsigned where no value is negative, 64 bits where 32 do not do."""
    signed = any(value < 0 for value in values)
    narrow, wide = (
        (ScalarKind.INT, ScalarKind.LONG) if signed else (ScalarKind.UINT, ScalarKind.ULONG)
    )
    return SCALARS[narrow if all(in_range(narrow, v) for v in values) else wide]
