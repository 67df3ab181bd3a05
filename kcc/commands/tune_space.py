"""The search space that `kcc tune` is asked about, whichever way it is written."""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from kcc.base.diagnostics import DiagnosticError, Span
from kcc.commands.clang import provide_clang
from kcc.commands.console import say
from kcc.commands.errors import UsageError, usage_error
from kcc.commands.options import build_options, parse_dialect
from kcc.commands.sources import SourceLines, read_source
from kcc.frontend.options import BuildOptions, SourceText
from kcc.tuning.asked import Overrides
from kcc.tuning.lists import entries_of, from_text, list_problem, read_json
from kcc.tuning.script import read_script
from kcc.tuning.space import Problem, Space, Value, space_of, unreadable
from kcc.tuning.t1 import condition, read_t1

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_EXTENTS = ("global_sizes", "local_sizes", "grids", "blocks")


def read_problem(arguments: argparse.Namespace, sources: SourceLines) -> Problem:
    """The problem that the command line names.

    :raises DiagnosticError: K895 for what is not a search space; UsageError for the rest.
    """
    path, *rest = arguments.source
    if len(rest) > 1:
        raise usage_error("a search space, and one source at most: kcc tune SPACE [FILE]")
    suffix = Path(path).suffix
    source = read_source(rest[0]) if rest else None
    given = _overrides(arguments, source, sources)
    if suffix == ".py":
        say(f"kcc: {path} runs as any script does, up to its call of tune_kernel\n")
        problem = read_script(path, arguments.script_arguments, _dialect, given, arguments.call)
    elif suffix in {".json", ".csv"}:
        problem = _from_document(arguments, path, given)
    elif rest:
        raise usage_error(f"'{path}' is not a search space", "a script (.py), T1, JSON or CSV")
    else:
        problem = _from_sweeps(arguments, path, given, sources)
    problem = replace(problem, space=_restricted(arguments, path, problem.space))
    first = problem.request(problem.space.named(problem.space.configurations[0]))
    provide_clang(first.source, first.options, arguments.frontend)
    return problem


def _overrides(
    arguments: argparse.Namespace, source: SourceText | None, sources: SourceLines
) -> Overrides:
    """What the command line says of the launch, as `kcc estimate` reads it."""
    from kcc.commands.workloads import survey

    if len(arguments.kernels) > 1:
        raise usage_error("a search space is of one kernel: one --kernel")
    if source is not None:
        sources.add(source.name, source.text)
    around = survey(argparse.Namespace(**{**vars(arguments), "no_toml": True}), "-",
                    build_options(arguments), sources)  # fmt: skip
    request = around.other_launch.request
    has_launch = any(getattr(arguments, name) for name in _EXTENTS)
    return Overrides(
        source, request if has_launch else None, around.arguments, around.options,
        arguments.kernels[0] if arguments.kernels else "",
    )  # fmt: skip


def _dialect(words: Sequence[str]) -> BuildOptions:
    """Options of a compiler; those that say nothing to kcc are left out."""
    kept = [w for w in words if w.startswith(("-D", "-I", "-U", "-cl-", "--use_fast_math"))]
    return parse_dialect(kept)


def _from_document(arguments: argparse.Namespace, path: str, given: Overrides) -> Problem:
    if Path(path).suffix == ".csv":
        from kcc.commands.measured_table import read_rows

        rows: Sequence[Mapping[str, Value]] = [
            {name: from_text(cell) for name, cell in row.items()} for _, row in read_rows(path)
        ]
    else:
        content: Any = read_json(path)
        if isinstance(content, dict) and "KernelSpecification" in content:
            return read_t1(path, cast("dict[str, Any]", content), _dialect, given)
        rows = entries_of(path, content)
    if given.source is None:
        raise usage_error(f"'{path}' is a list, and its kernel is not named", "kcc tune LIST FILE")
    return list_problem(path, rows, _parameters(arguments, path, rows, given.source), given)


def _parameters(
    arguments: argparse.Namespace, path: str, rows: Sequence[Mapping[str, Value]],
    source: SourceText,
) -> list[str]:  # fmt: skip
    """The names of a list that are parameters: those asked for, else those that mean anything."""
    if arguments.columns:
        return list(dict.fromkeys(arguments.columns))
    options = [
        t for name in (*_EXTENTS, "arguments", "sizes", "where") for t in getattr(arguments, name)
    ]
    words = set(_WORD.findall(source.text)) | set(_WORD.findall(" ".join(options)))
    if not rows[0]:
        raise unreadable(path, "has no parameters")
    found = [name for name in rows[0] if name in words]
    if not found:
        raise usage_error(
            f"none of {', '.join(rows[0])} stands in '{source.name}' or in the options",
            "name the parameters: --param NAME",
        )
    return found


def _from_sweeps(
    arguments: argparse.Namespace, path: str, given: Overrides, sources: SourceLines
) -> Problem:
    from kcc.base.launch_language import parse_sweep

    if not arguments.sweeps:
        raise usage_error("no search space: --sweep NAME=V1,V2, or a script, T1 or a list")
    sources.add("--sweep", "\n".join(arguments.sweeps))
    try:
        sweeps = [parse_sweep(t, Span("--sweep", n, 1)) for n, t in enumerate(arguments.sweeps, 1)]
    except DiagnosticError as error:
        raise UsageError(error.diagnostics) from error
    values = {sweep.name: tuple(from_text(v) for v in sweep.values) for sweep in sweeps}
    space = _space(path, values, arguments.where)
    rows = [space.named(each) for each in space.configurations]
    source = read_source(path)
    found = list_problem(path, rows, list(values), replace(given, source=source))
    return replace(found, space=space)


def _space(path: str, values: Mapping[str, tuple[Value, ...]], where: Sequence[str]) -> Space:
    try:
        return space_of(path, values, [condition(text, values) for text in where])
    except ValueError as error:
        raise usage_error(f"--where: {error}") from error


def _restricted(arguments: argparse.Namespace, path: str, space: Space) -> Space:
    """What --where leaves of a space."""
    if not arguments.where:
        return space
    try:
        tests = [condition(text, space.parameters)[1] for text in arguments.where]
        left = tuple(each for each in space.configurations
                     if all(test(space.named(each)) for test in tests))  # fmt: skip
    except ValueError as error:
        raise usage_error(f"--where: {error}") from error
    if not left:
        raise usage_error(f"--where leaves no configuration of '{path}'")
    return replace(
        space, configurations=left, whole=space.whole and len(left) == len(space.configurations)
    )
