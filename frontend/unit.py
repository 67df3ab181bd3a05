"""From IR text with kernel metadata to a :class:`CompiledUnit`: the end of every front end."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from kcc.base.diagnostics import Diagnostic, Span
from kcc.frontend.builtins.lower import SubGroups, definitions, is_lowered
from kcc.frontend.builtins.sub_groups import in_parts, is_written_out, sub_groups_of
from kcc.frontend.full_unrolling import (
    fully_unrolled,
    left_as_they_are,
    outer_loops,
    short_loops,
)
from kcc.frontend.inlining import check_size
from kcc.frontend.ir.model import Function, MetadataLeaf, Module
from kcc.frontend.ir.reader import read_module
from kcc.frontend.kernel import Argument, CompiledUnit, Kernel, Language, Refused, compiled_by_nvvm
from kcc.frontend.optimise import Optimised, optimise
from kcc.frontend.options import Costs, OptLevel
from kcc.frontend.partial_unrolling import has_wishes, wished_counts, with_counts
from kcc.frontend.types import AddressSpace

MOST_NESTED = 4
"""Short loops in each other of which the outer ones are unrolled too."""

_DECLARATION = re.compile(r"^declare [^@\n]*@([\w.$]+)\(.*\n", re.MULTILINE)
_DEFINITION = re.compile(r"^define [^@\n]*@([\w.$]+)\(", re.MULTILINE)


def unit_from_ir(  # noqa: PLR0913 -- what a unit says of itself
    text: str,
    *,
    name: str,
    frontend: str,
    language: Language,
    level: OptLevel,
    costs: Costs = Costs.NVIDIA,
    sources: Mapping[str, Sequence[str]],
    warnings: tuple[Diagnostic, ...] = (),
    refused: tuple[Refused, ...] = (),
    sub_group_size: int = 32,
) -> CompiledUnit:
    """Link the built-in library into a module of the dialect, optimise it and list its kernels.

    ``text`` needs nothing but SPIR's conventions: kernels with their ``kernel_arg_*`` metadata,
    built-ins as declarations with mangled names. Raises
    :class:`kcc.base.diagnostics.DiagnosticError` for what is too large or not known (K502, K55x),
    :class:`kcc.base.diagnostics.InternalError` for a module that LLVM's verifier refuses.
    """
    sub_groups = sub_groups_of(text, sub_group_size)
    linked = link_builtins(text, sub_groups)
    check_size(linked)
    as_nvvm = compiled_by_nvvm(language, costs)
    unrolls = language is not Language.PTX
    again = partial(optimise, level=level, costs=costs, as_nvvm=as_nvvm, unrolls=unrolls)
    optimised = again(linked)
    module = read_module(optimised.text)
    if level is OptLevel.O2:
        linked, optimised, module = _fully_unrolled(linked, optimised, module, costs, again)
    if level is OptLevel.O2 and costs is Costs.NVIDIA and unrolls:
        as_wished = again(linked, unrolls=False) if has_wishes(linked) else None
        if as_wished is not None and as_wished.partly:
            counts = wished_counts(linked, read_module(as_wished.text), as_wished.partly,
                                   by_nvcc=language is Language.CUDA)  # fmt: skip
            if counts:
                optimised = again(with_counts(linked, counts))
                module = read_module(optimised.text)
    kernels = tuple(kernel_of(f, language, name) for f in module.kernels if f.blocks)
    return CompiledUnit(
        name=name,
        frontend=frontend,
        opt_level=level,
        language=language,
        ir=optimised.text,
        module=module,
        kernels=kernels,
        sources=sources,
        warnings=(*warnings, *optimised.warnings),
        refused=refused,
        sub_group_size=sub_groups.size if sub_groups.size >= 32 and is_written_out(text) else None,
        costs=costs,
    )


def _fully_unrolled(
    text: str,
    optimised: Optimised,
    module: Module,
    costs: Costs,
    again: Callable[[str], Optimised],
) -> tuple[str, Optimised, Module]:
    """The text, what becomes of it, and that read, with short loops unrolled as by the GPU's
    compiler: what inner loops have become decides on the outer ones. Nobody asked for it, so that
    nobody is told where LLVM cannot."""
    told = optimised.warnings
    for _ in range(MOST_NESTED):
        marked = fully_unrolled(text, short_loops(module, costs))
        if marked == text:
            break
        text, optimised = marked, again(marked)
        module = read_module(optimised.text)
    partly = frozenset((each.line, each.column) for each in optimised.partly)
    if costs is not Costs.NVIDIA or not partly:
        return text, replace(optimised, warnings=told), module
    marked = left_as_they_are(text, partly & outer_loops(module))
    if marked != text:  # NVVM unrolls none at run time that holds others, LLVM does
        text, optimised = marked, again(marked)
        module = read_module(optimised.text)
    return text, replace(optimised, warnings=told), module


def link_builtins(text: str, sub_groups: SubGroups | None = None) -> str:
    """The module with definitions in place of the declarations that the library can lower."""
    sub_groups = sub_groups or sub_groups_of(text)
    if sub_groups.in_parts:
        text = in_parts(text)
    declared = [m[1] for m in _DECLARATION.finditer(text)]
    lowered = {symbol for symbol in declared if is_lowered(symbol)}
    if not lowered:
        return text
    kept = {symbol for symbol in declared if symbol not in lowered}
    kept.update(m[1] for m in _DEFINITION.finditer(text))
    wanted = [symbol for symbol in declared if symbol in lowered]
    rest = _DECLARATION.sub(lambda m: "" if m[1] in lowered else m[0], text)
    return rest + "\n" + definitions(wanted, kept, sub_groups)


def kernel_of(function: Function, language: Language, unit: str) -> Kernel:
    """The kernel that a function of a unit of this name is."""
    place = function.location
    span = Span(place.file, place.line, place.column) if place else Span(unit, 0)
    return Kernel(
        name=function.source_name,
        symbol=function.name,
        language=language,
        arguments=_arguments(function),
        function=function,
        span=span,
        required_local_size=function.required_local_size,
        required_sub_group_size=function.required_sub_group_size,
    )


def _arguments(function: Function) -> tuple[Argument, ...]:
    """The kernel's arguments as its metadata describes them, in order."""
    names = _column(function, "kernel_arg_name")
    types = _column(function, "kernel_arg_type")
    spaces = _column(function, "kernel_arg_addr_space")
    access = _column(function, "kernel_arg_access_qual")
    qualifiers = _column(function, "kernel_arg_type_qual")
    found = list[Argument]()
    for index, argument in enumerate(function.arguments):
        space = spaces[index] if index < len(spaces) else 0
        found.append(
            Argument(
                name=_text(names, index, argument.name),
                type=_text(types, index, str(argument.type)),
                address_space=AddressSpace(space if isinstance(space, int) else 0),
                access=_text(access, index, "none"),
                qualifiers=tuple(_text(qualifiers, index, "").split()),
            )
        )
    return tuple(found)


def _column(function: Function, name: str) -> tuple[MetadataLeaf, ...]:
    return function.metadata.get(name, ())


def _text(column: tuple[MetadataLeaf, ...], index: int, otherwise: str) -> str:
    item = column[index] if index < len(column) else otherwise
    return item if isinstance(item, str) else otherwise
