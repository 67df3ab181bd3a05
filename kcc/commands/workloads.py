"""What surrounds a source: the kernel.toml beside it and the launch options of the command line.

The command line comes first: its sizes, arguments and macros replace those of the file.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kcc.base.diagnostics import Diagnostic, DiagnosticError, DiagnosticSink, Span
from kcc.base.records import dataclass
from kcc.commands.doors import with_door
from kcc.commands.errors import UsageError, usage_error
from kcc.commands.options import DEFAULT_SIZE, SIZE_NAMES, parse_dialect
from kcc.commands.outputs import STANDARD
from kcc.commands.sources import SourceLines
from kcc.frontend.options import BuildOptions, MacroOption
from kcc.stages.analyze import LaunchInputs

if TYPE_CHECKING:
    from kcc.base.arguments import Argument
    from kcc.base.expressions import Value
    from kcc.base.launch import LaunchRequest
    from kcc.base.workload_file import WorkloadFile

T = TypeVar("T")

COMMAND_LINE = "the command line"

_EXTENTS = ("--global", "--local", "--grid", "--block")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Options completed from a kernel.toml, launches by kernel, and what to tell the reader."""

    options: BuildOptions
    launches: Mapping[str, LaunchInputs]
    other_launch: LaunchInputs
    """For kernels that ``launches`` does not have."""
    arguments: tuple[Argument, ...]
    """Those of the command line."""
    remarks: tuple[str, ...]


def survey(
    arguments: argparse.Namespace, source: str, options: BuildOptions, sources: SourceLines
) -> Surroundings:
    """Read the kernel.toml of ``source`` if there is one and it is wanted, and the launch options.

    Raises :class:`UsageError` for launch options that cannot be read, :class:`DiagnosticError` for
    a kernel.toml that cannot.
    """
    found = _survey(arguments, source, options, sources)
    return replace(found, options=with_door(arguments, found.options, found.other_launch.names))


def _survey(
    arguments: argparse.Namespace, source: str, options: BuildOptions, sources: SourceLines
) -> Surroundings:
    workload = None if arguments.no_toml or source == STANDARD else _find(Path(source))
    given = _read_launch_options(arguments, sources)
    if workload is None:
        if given.size is not None:
            raise usage_error(
                f"--size {given.size}: there is no kernel.toml that has sizes",
                "give a name its value: --size n=1024",
            )
        names = {**_macro_values(options.macros), **given.names}
        inputs = LaunchInputs(given.request, names, (), COMMAND_LINE)
        return Surroundings(options, {}, inputs, given.arguments, ignored_words(arguments))
    twin = Path(source).suffix != workload.source.suffix
    found = _with_workload(workload, options, given, twin)
    return replace(found, remarks=(*found.remarks, *ignored_words(arguments)))


def ignored_words(arguments: argparse.Namespace) -> tuple[str, ...]:
    """What to say of options of other compilers that change nothing."""
    words: Sequence[str] = getattr(arguments, "ignored_words", ())
    return (f"without effect here: {' '.join(words)}",) if words else ()


@dataclass(frozen=True, slots=True)
class _Given:
    """The launch options of the command line; ``size`` is the named size that is asked for."""

    request: LaunchRequest
    names: Mapping[str, Value]
    arguments: tuple[Argument, ...]
    size: str | None


def _find(source: Path) -> WorkloadFile | None:
    if not (source.parent / "kernel.toml").is_file():
        return None
    from kcc.base.workload_file import find_workload_file, load_workload_file

    path = find_workload_file(source)
    return None if path is None else load_workload_file(path)


def _read_launch_options(arguments: argparse.Namespace, sources: SourceLines) -> _Given:
    from kcc.base.launch import LaunchRequest

    texts = {
        "--global": arguments.global_sizes,
        "--local": arguments.local_sizes,
        "--grid": arguments.grids,
        "--block": arguments.blocks,
        "--arg": arguments.arguments,
        "--size": [size for size in arguments.sizes if size not in SIZE_NAMES],
    }
    for option, values in texts.items():
        sources.add(option, "\n".join(values))
    named = [size for size in arguments.sizes if size in SIZE_NAMES]
    if len(named) > 1:
        raise usage_error(f"one of the sizes {', '.join(SIZE_NAMES)} at a time")
    if not any(texts.values()):
        return _Given(LaunchRequest(), {}, (), *(named or [None]))
    try:
        return _parse_launch_options(texts, named[0] if named else None)
    except DiagnosticError as error:
        raise UsageError(error.diagnostics) from error


def _parse_launch_options(texts: Mapping[str, Sequence[str]], named: str | None) -> _Given:
    from kcc.base.arguments import Scalar
    from kcc.base.expressions import evaluate, free_names
    from kcc.base.launch import LaunchRequest
    from kcc.base.launch_language import parse_argument, parse_dimensions, parse_size

    for option in _EXTENTS:
        if len(texts[option]) > 1:
            times = f"{option} is given {len(texts[option])} times"
            raise usage_error(times, "give one launch; a comma separates dimensions")
    sizes = _parse_all(parse_size, "--size", texts)
    arguments = _parse_all(parse_argument, "--arg", texts)
    extents = {option: _parse_all(parse_dimensions, option, texts) for option in _EXTENTS}
    names: dict[str, Value] = {}
    for size in sizes:
        names[size.name] = evaluate(size.value, names)
    for argument in arguments:
        if isinstance(argument.value, Scalar) and free_names(argument.value.value) <= names.keys():
            names[argument.name] = evaluate(argument.value.value, names)
    request = LaunchRequest(*(extents[o][0] if extents[o] else None for o in _EXTENTS))
    return _Given(request, names, tuple(arguments), named)


def _parse_all(
    parse: Callable[[str, Span], T], option: str, texts: Mapping[str, Sequence[str]]
) -> list[T]:
    """Every use of an option, read; one message for each that cannot be."""
    parsed, sink = list[T](), DiagnosticSink()
    for index, text in enumerate(texts[option], start=1):
        try:
            parsed.append(parse(text, Span(option, index, 1)))
        except DiagnosticError as error:
            for diagnostic in error.diagnostics:
                sink.add(diagnostic)
    sink.raise_if_errors()
    return parsed


def _with_workload(
    workload: WorkloadFile, options: BuildOptions, given: _Given, twin: bool
) -> Surroundings:
    size = given.size or (DEFAULT_SIZE if DEFAULT_SIZE in workload.sizes else None)
    if size is not None and size not in workload.sizes:
        known = ", ".join(workload.sizes) or "none"
        raise usage_error(f"--size {size}: {workload.path} has no such size", f"it has {known}")
    names = {**workload.names(size), **_macro_values(options.macros), **given.names}
    origin = f"{workload.path.name}, size {size}" if size else workload.path.name
    launches = {
        kernel: LaunchInputs(
            _merge(request, given.request),
            names,
            workload.arguments.get(kernel, ()),
            _origin(origin, given.request),
            twin,
        )
        for kernel, request in workload.launches.items()
    }
    other = LaunchInputs(given.request, names, (), COMMAND_LINE)
    remark = _remark(workload, options.macros)
    return Surroundings(_complete(options, workload), launches, other, given.arguments, (remark,))


def _origin(file: str, given: LaunchRequest) -> str:
    """Where the sizes of a launch come from, in words."""
    whole = given.global_size or given.grid
    part = given.local_size or given.block
    if whole and part:
        return COMMAND_LINE
    return f"{COMMAND_LINE} and {file}" if whole or part else file


def _merge(own: LaunchRequest, given: LaunchRequest) -> LaunchRequest:
    """The launch of a kernel.toml with what the command line says instead."""
    whole = given.global_size or given.grid
    if whole is not None:
        own = replace(own, global_size=given.global_size, grid=given.grid)
        if len(own.local_size or own.block or ()) != len(whole):
            own = replace(own, local_size=None, block=None)
    if given.local_size is not None or given.block is not None:
        own = replace(own, local_size=given.local_size, block=given.block)
    return own


def _macro_values(macros: Iterable[MacroOption]) -> dict[str, Value]:
    """The macros of the command line that are numbers, as names of expressions."""
    from kcc.base.launch_language import macro_value

    values: dict[str, Value] = {}
    for macro in macros:
        value = None if macro.value is None else macro_value(macro.value)
        if value is None:
            values.pop(macro.name, None)
        else:
            values[macro.name] = value
    return values


def _complete(options: BuildOptions, workload: WorkloadFile) -> BuildOptions:
    """The options of the command line after those of the file."""
    try:
        dialect = parse_dialect(workload.options)
    except UsageError as error:
        message = f"[source] options: {error}"
        raise DiagnosticError([Diagnostic("K037", message, Span(str(workload.path), 0))]) from error
    own = _own_macros(workload, options.macros)
    return replace(
        options,
        macros=(*own, *dialect.macros, *options.macros),
        include_dirs=(
            *options.include_dirs,
            *(str(folder) for folder in workload.includes),
            *dialect.include_dirs,
        ),
        fast_relaxed_math=options.fast_relaxed_math or dialect.fast_relaxed_math,
        mad_enable=options.mad_enable or dialect.mad_enable,
        single_precision_constant=(
            options.single_precision_constant or dialect.single_precision_constant
        ),
    )


def _own_macros(workload: WorkloadFile, given: Iterable[MacroOption]) -> list[MacroOption]:
    """The defines of the file, but for those that the command line defines or undefines."""
    replaced = {macro.name.partition("(")[0] for macro in given}
    return [
        MacroOption(name, value) for name, value in workload.defines.items() if name not in replaced
    ]


def _remark(workload: WorkloadFile, given: Iterable[MacroOption]) -> str:
    """What a kernel.toml contributed."""
    parts = [f"-D {macro.name}={macro.value}" for macro in _own_macros(workload, given)]
    parts += [f"-I {folder}" for folder in workload.includes]
    parts += [" ".join(workload.options)] if workload.options else []
    if workload.launches:
        parts.append("launches")
    return f"from {workload.path}: {', '.join(parts) or 'nothing'}"
