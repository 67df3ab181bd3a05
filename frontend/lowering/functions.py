"""Functions: signature, attributes, kernel metadata, and the body through statements."""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.ir import types as ir
from kcc.frontend.ir.builder import FunctionBuilder, ModuleBuilder, Value
from kcc.frontend.lowering.cfg import tidy
from kcc.frontend.lowering.context import FunctionContext, ModuleContext, argument_name, private
from kcc.frontend.lowering.contraction import FunctionContraction
from kcc.frontend.lowering.debug import quote
from kcc.frontend.lowering.expressions import RULES
from kcc.frontend.lowering.layout import alignment, is_aggregate, memory_type, value_type
from kcc.frontend.lowering.places import Memory, write
from kcc.frontend.lowering.statements import finish, statement
from kcc.frontend.tree import Function, KernelAttributes, Variable
from kcc.frontend.types import (
    AddressSpace,
    ImageAccess,
    ImageType,
    PointerType,
    QualType,
    Type,
    VoidType,
    element_kind,
)

ATTRIBUTES = 'convergent nounwind "no-builtins"'
"""As clang marks OpenCL functions: none throws, any may meet a barrier, and none is the C
library's, whatever its name."""


def lower_function(
    module: ModuleContext, function: Function, contraction: FunctionContraction, symbol: str
) -> None:
    """Add the definition of a function to the module; a kernel under another symbol than its name
    becomes a function that can be called.
    """
    assert function.body is not None
    scope = module.debug.function(function.name, function.span)
    result = function.type.result
    build = FunctionBuilder(ir.VOID if is_aggregate(result) else value_type(result))
    build.position_at(build.new_label("entry"))
    ctx = FunctionContext(module, RULES, build, scope, function, contraction)
    ctx.at(function.span)
    is_entry = function.is_kernel and symbol == function.name
    parameters = _result(ctx)
    parameters += [_parameter(ctx, p, is_entry=is_entry) for p in function.parameters]
    statement(ctx, function.body)
    finish(ctx, function.end or function.span)
    build.blocks = tidy(build.blocks)
    signature = f"{build.result} @{symbol}({', '.join(parameters)})"
    if is_entry:
        metadata = kernel_metadata(module.module, function)
        attached = "".join(f" !{name} {node}" for name, node in metadata.items())
        header = f"define spir_kernel {signature} {ATTRIBUTES} !dbg {scope.node}{attached}"
    else:
        header = (
            f"define internal spir_func {signature} alwaysinline {ATTRIBUTES} !dbg {scope.node}"
        )
    module.module.define(header, build)


def _result(ctx: FunctionContext) -> list[str]:
    """Make room for the result; an aggregate's is the caller's, which passes its address first."""
    type_ = private(ctx.function.type.result)
    if is_aggregate(type_.type):
        name = ctx.build.new_label("result")
        ctx.result = Memory(type_, Value(ir.PtrTy(0), f"%{name}"), alignment(type_.type))
        return [f"ptr %{name}"]
    if not isinstance(type_.type, VoidType):
        ctx.result = ctx.slot(type_, "retval")
    return []


def _parameter(ctx: FunctionContext, variable: Variable, *, is_entry: bool) -> str:
    """Give a parameter its slot; how the header spells it."""
    type_ = variable.type.type
    name = ctx.build.new_label(argument_name(variable.name))
    if is_aggregate(type_):
        align = alignment(type_)
        pointer = Value(ir.PtrTy(0), f"%{name}")
        ctx.memory[variable] = Memory(variable.type, pointer, align)
        attributes = f"byval({memory_type(type_)}) align {align} " if is_entry else ""
        return f"ptr {attributes}%{name}"
    passed = Value(value_type(type_), f"%{name}")
    slot = ctx.slot(variable.type, f"{variable.name}.addr")
    write(ctx.build, slot, passed)
    ctx.memory[variable] = slot
    noalias = isinstance(type_, PointerType) and variable.type.restrict
    return f"{passed.type} {'noalias ' if noalias else ''}{passed.text}"


# what OpenCL's kernel argument info asks for


def kernel_metadata(module: ModuleBuilder, function: Function) -> dict[str, str]:
    """The metadata nodes of a kernel by name, as clang attaches them for SPIR."""
    attributes = function.attributes or KernelAttributes()
    facts = [
        _argument_facts(parameter, number, attributes)
        for number, parameter in enumerate(function.parameters)
    ]
    rows = {
        "kernel_arg_addr_space": [f"i32 {f.space}" for f in facts],
        "kernel_arg_access_qual": [f"!{quote(f.access)}" for f in facts],
        "kernel_arg_type": [f"!{quote(f.spelling)}" for f in facts],
        "kernel_arg_base_type": [f"!{quote(f.base)}" for f in facts],
        "kernel_arg_type_qual": [f"!{quote(f.qualifiers)}" for f in facts],
        "kernel_arg_name": [f"!{quote(p.name)}" for p in function.parameters],
    }
    nodes = {name: module.node(f"!{{{', '.join(items)}}}") for name, items in rows.items()}
    for name, size in (
        ("reqd_work_group_size", attributes.required_local_size),
        ("work_group_size_hint", attributes.local_size_hint),
    ):
        if size is not None:
            nodes[name] = module.node(f"!{{{', '.join(f'i32 {n}' for n in size)}}}")
    if attributes.required_sub_group_size is not None:
        size = f"i32 {attributes.required_sub_group_size}"
        nodes["intel_reqd_sub_group_size"] = module.node(f"!{{{size}}}")
    if attributes.vector_type_hint is not None:
        hint = attributes.vector_type_hint
        kind = element_kind(hint)
        signed = int(kind is not None and kind.signed and not kind.floating)
        nodes["vec_type_hint"] = module.node(f"!{{{memory_type(hint)} undef, i32 {signed}}}")
    return nodes


@dataclass(frozen=True, slots=True)
class _ArgumentFacts:
    space: int
    access: str
    spelling: str
    base: str
    qualifiers: str


_ACCESS = {
    ImageAccess.READ_ONLY: "read_only",
    ImageAccess.WRITE_ONLY: "write_only",
    ImageAccess.READ_WRITE: "read_write",
}


def _argument_facts(
    parameter: Variable, number: int, attributes: KernelAttributes
) -> _ArgumentFacts:
    type_ = parameter.type.type
    base = _spelled(type_)
    spelling = base
    if number < len(attributes.parameter_types):
        spelling = attributes.parameter_types[number]
    if isinstance(type_, PointerType):
        pointee = type_.pointee
        space, qualifiers = int(pointee.space), _qualifiers(parameter.type, pointee)
    else:
        space = int(AddressSpace.GLOBAL) if isinstance(type_, ImageType) else 0
        qualifiers = ""
    access = _ACCESS[type_.access] if isinstance(type_, ImageType) else "none"
    return _ArgumentFacts(space, access, spelling, base, qualifiers)


def _qualifiers(pointer: QualType, pointee: QualType) -> str:
    """``__constant`` counts as const (OpenCL 1.2, clGetKernelArgInfo)."""
    words = {
        "restrict": pointer.restrict,
        "const": pointee.const or pointee.space is AddressSpace.CONSTANT,
        "volatile": pointee.volatile,
    }
    return " ".join(word for word, present in words.items() if present)


def _spelled(type_: Type) -> str:
    """A type without qualifiers, as argument info spells it."""
    if isinstance(type_, PointerType):
        return f"{_spelled(type_.pointee.type)}*"
    return str(type_)
