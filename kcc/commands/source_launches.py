"""Kernels of a source as launches, for the commands that model a trace: of a source they make a
static one."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TypeVar

from kcc.base.scratch import scratch_folder
from kcc.commands.console import say
from kcc.commands.hosts import lanes_of_warp
from kcc.commands.options import (
    add_argv,
    add_assumptions,
    add_compilation,
    add_launch,
    add_source,
    single_source,
)
from kcc.commands.sources import SourceLines
from kcc.commands.stages import StageRunner
from kcc.commands.static_trace import (
    add_observed,
    assumed_notes,
    observed_profile,
    static_request,
    write_messages,
)
from kcc.commands.traced import Launches
from kcc.frontend.options import OptLevel

Found = TypeVar("Found")


def add_source_launches(parser: argparse.ArgumentParser) -> None:
    """The options that say which kernels, compiled how, launched how, and what is assumed."""
    add_source(parser)
    add_compilation(parser, OptLevel.O2)
    add_argv(add_launch(parser))
    add_assumptions(parser)
    add_observed(parser)


def run_source_launches(
    arguments: argparse.Namespace,
    sources: SourceLines,
    name: str,
    check: Callable[[argparse.Namespace, str], list[str]],
    model: Callable[[str, Launches, Sequence[str]], Found],
    write: Callable[[argparse.Namespace, Sequence[str], Found], None],
) -> int:
    """Trace the source, give its launches and what they rest on to ``model``, write what it found;
    the exit code."""
    from kcc.stages.static_tracing import kernel_registers, trace_source

    path = single_source(arguments.source)
    targets = check(arguments, path)
    stage = StageRunner()
    request, remarks = stage("read", lambda: static_request(arguments, path, sources))
    profile = stage("read", lambda: observed_profile(arguments.profile))
    with scratch_folder() as folder:
        trace = folder / "trace.kct"
        traced = trace_source(
            request, trace, width=lanes_of_warp(arguments), profile=profile, stage=stage
        )
        launches = Launches(str(trace), kernel_registers(request, stage))
        notes = (*remarks, *assumed_notes(traced))
        found = stage(name, lambda: model(path, launches, notes))
    write_messages((*traced.warnings, *traced.failures), sources)
    write(arguments, targets, found)
    if arguments.time:
        say(stage.table())
    return 1 if traced.failures else 0
