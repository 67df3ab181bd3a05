"""`kcc simulate FILE --gpu NAME --sample simprof`: units drawn of phases for the whole."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.commands.accelsim import DEFAULT_ARCHITECTURE, new_folder
from kcc.commands.console import choose_style
from kcc.commands.outputs import STANDARD, Output
from kcc.commands.simulation_plan import Configuration

if TYPE_CHECKING:
    from kcc.base.trace.reader import LaunchTrace
    from kcc.report.simprof import SimprofRun
    from kcc.sim.sampling.block_profile import LaunchProfile
    from kcc.sim.sampling.simprof.inputs import Recordings
    from kcc.sim.sampling.simprof.table import UnitTable

Say = Callable[[str], None]


def sample_simprof(
    arguments: argparse.Namespace, traces: Sequence[LaunchTrace],
    profiles: Sequence[LaunchProfile], configurations: Sequence[Configuration],
    registers: dict[str, int], identity: str, say: Say,
) -> list[SimprofRun]:  # fmt: skip
    """A run for each configuration; writes kernels for Accel-Sim where that is asked for."""
    from kcc.base.gpu import load_gpu
    from kcc.report.simprof import SimprofRun
    from kcc.sim.sampling.simprof.inputs import sample_new_input
    from kcc.sim.sampling.simprof.launches import sample_launches
    from kcc.sim.sampling.simprof.study import SampleOptions

    options = SampleOptions(arguments.points, arguments.error, seed=arguments.sample_seed)
    recordings = _recordings(arguments, configurations) if arguments.references else None
    runs = list[SimprofRun]()
    for each in configurations:
        gpu = load_gpu(each.gpu, list(each.overrides))
        label = " ".join([gpu.stem, *each.overrides])
        given = traces, profiles, gpu, registers

        def watch(done: int, label: str = label) -> None:
            say(f"{label}: {done:,} warp instructions")

        if recordings is None:
            found = sample_launches(*given, options, watch)
        else:
            found = sample_new_input(*given, recordings, options, watch)
        runs.append(
            SimprofRun(
                arguments.script, identity, label, gpu.stem, arguments.sample_seed,
                tuple(profiles), found,
            )
        )  # fmt: skip
    if arguments.accelsim:
        say("writing kernels for Accel-Sim")
        _write_kernels(arguments.accelsim, traces, runs[0])
    return runs


def _recordings(
    arguments: argparse.Namespace, configurations: Sequence[Configuration]
) -> Recordings:
    """Those of ``--reference``; raises K960, and K964 where they do not go with what is asked."""
    from kcc.base.gpu import load_gpu
    from kcc.sim.sampling.simprof.inputs import compare_recordings
    from kcc.sim.sampling.simprof.launch_units import recorder_of
    from kcc.stages.recording.document import read_units

    (each,) = configurations
    wanted = recorder_of(load_gpu(each.gpu, list(each.overrides)).stem, each.overrides)
    tables: list[UnitTable] = []
    for path in arguments.references:
        table = read_units(Path(path))
        if table.recorder != wanted:
            message = f"'{path}' was recorded with {table.recorder}, not with {wanted}"
            raise DiagnosticError([Diagnostic("K964", message)])
        if not table.complete:
            message = f"the recording '{path}' was cut off: its later phases are missing"
            raise DiagnosticError([Diagnostic("K964", message)])
        tables.append(table)
    return compare_recordings(tables)


def _write_kernels(target: str, traces: Sequence[LaunchTrace], run: SimprofRun) -> None:
    """The launches of which units were drawn, with these alone, and the selection."""
    from kcc.base.gpu import load_gpu
    from kcc.report.simprof import chosen_ranges, simprof_selection_json
    from kcc.sim.accelsim import names
    from kcc.sim.accelsim.writer import ExportOptions, write_list
    from kcc.sim.sampling.reduced import reduced

    gpu = load_gpu(names.ARCHITECTURES[DEFAULT_ARCHITECTURE].gpu, [])
    options = ExportOptions(DEFAULT_ARCHITECTURE, gpu)
    launches = [
        reduced(trace, run.launches[place], [r for _, r in ranges])
        for place, trace in enumerate(traces) if (ranges := chosen_ranges(run, place))
    ]  # fmt: skip
    try:
        with new_folder(Path(target)) as folder:
            for _ in write_list(launches, folder, options, lambda _, __: None):
                pass
            text = simprof_selection_json(run)
            (folder / "selection.json").write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"cannot write '{target}': {error.strerror or error}"
        raise DiagnosticError([Diagnostic("K008", message)]) from error


def simprof_outputs(
    arguments: argparse.Namespace, runs: Sequence[SimprofRun], targets: Sequence[str]
) -> list[Output]:
    """What is asked for."""
    from kcc.report.simprof import (
        simprof_json,
        simprof_selection_json,
        simprof_text,
    )

    outputs = list[Output]()
    if arguments.json:
        outputs.append(Output(arguments.json, simprof_json(runs)))
    if arguments.selection:
        outputs.append(Output(arguments.selection, simprof_selection_json(runs[0])))
    if STANDARD not in targets:
        style = choose_style(arguments.color, arguments.width, STANDARD)
        outputs.append(Output(STANDARD, simprof_text(runs, style)))
    return outputs
