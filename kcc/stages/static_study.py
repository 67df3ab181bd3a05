"""What a miniature is made from, of a source alone: its static traces in place of a run.

Yu et al., "GPGPU-MiniBench", IEEE Transactions on Computers 64 (11), 2015, section 3, profile a
run; where control flow and addresses follow from launch and scalar arguments, the static trace has
the same. What memory decides is assumed, and nothing is known of what is in buffers: accesses whose
addresses come from it are drawn within their array, conditions by how often they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.scratch import scratch_folder
from kcc.base.trace.launches import TracedBuffer
from kcc.base.trace.reader import LaunchTrace, open_trace
from kcc.frontend.kernel import CompiledUnit
from kcc.passes.facts import Around, plainly
from kcc.stages.analyze import AnalysisRequest
from kcc.stages.static_tracing import UNKNOWN_BYTES, StaticTraces, trace_source, traced_unit
from kcc.stages.synth import Study, check_study
from kcc.synth.original.footprints import Footprints
from kcc.synth.original.observed import KernelFacts, LaunchFacts, kernel_facts
from kcc.tracegen.profiling.collect import LaunchCollector


def study_source(request: AnalysisRequest, stage: Around = plainly) -> tuple[Study, StaticTraces]:
    """The study of a source's kernels, each launched once, and what its traces assume.

    Raises what :func:`kcc.stages.static_tracing.trace_source` does, and K951 where nothing is
    left."""
    study = Study(request.kernels)
    with scratch_folder() as folder:
        path = folder / "static.kct"
        traced = trace_source(request, path, stage=stage)
        unit, _ = traced_unit(request, stage)
        with open_trace(str(path)) as file:
            for launch in file.launches:
                _add(study, launch, unit)
    check_study(study)
    return study, traced


def _add(study: Study, launch: LaunchTrace, unit: CompiledUnit) -> None:
    tables = launch.tables
    said = replace(launch.launch, buffers=_as_touched(launch))
    collector = LaunchCollector(tables, said)
    facts = _facts(launch, unit, collector)
    footprints = Footprints(facts, said.buffers)
    for batch in launch.batches():
        collector.add(batch)
        footprints.add(batch)
    number = len(study.kernels)
    starts = sorted({b.address for b in said.buffers} | {a.address for a in tables.arrays})
    spans = dict[int, tuple[int, int]]()
    for access, own in footprints.found.items():
        base = max((start for start in starts if start <= own.low), default=0)
        spans[access] = own.low - base, own.high - base
    study.kernels.append(facts)
    study.launches.append(LaunchFacts(number, said, collector.finish(number), spans, {}, {}))


def _as_touched(launch: LaunchTrace) -> tuple[TracedBuffer, ...]:
    """The buffers of a launch; one of which no size is given ends with what was touched last.

    :raises DiagnosticError: K708 where addresses that are found in memory lie anywhere beside them.
    """
    buffers = launch.launch.buffers
    unsized = [buffer for buffer in buffers if buffer.size_bytes == UNKNOWN_BYTES]
    if not unsized:
        return tuple(buffers)
    ends = _touched_ends(launch, [buffer.address for buffer in unsized])
    sizes = {
        buffer.argument: end - buffer.address for buffer, end in zip(unsized, ends, strict=True)
    }
    if max(sizes.values()) > UNKNOWN_BYTES // 2:
        names = [buffer.name for buffer in unsized]
        message = f"'{launch.tables.kernel}' finds addresses in memory, which may lie anywhere"
        hint = "give sizes: " + " ".join(f"--arg '{name}=TYPE[N]'" for name in names)
        raise DiagnosticError([Diagnostic("K708", message, hint=hint)])
    return tuple(replace(b, size_bytes=sizes.get(b.argument, b.size_bytes)) for b in buffers)


def _touched_ends(launch: LaunchTrace, starts: Sequence[int]) -> list[int]:
    """Where what is touched of each range of :data:`UNKNOWN_BYTES` ends, at its start or behind."""
    largest = max((access.element_bytes for access in launch.tables.accesses), default=1)
    first, found = np.array(starts, np.int64), np.array(starts, np.int64)
    for batch in launch.batches():
        for number, start in enumerate(first):
            own = batch.addresses[
                (batch.addresses >= start) & (batch.addresses < start + UNKNOWN_BYTES)
            ]
            found[number] = max(found[number], int(own.max(initial=start)))
    return [int(end) + largest for end in found]


def _facts(launch: LaunchTrace, unit: CompiledUnit, collector: LaunchCollector) -> KernelFacts:
    """Without what is in buffers: nothing is filled, so all that is found there is drawn."""
    tables = launch.tables
    kernel = next(each for each in unit.kernels if each.name == tables.kernel)
    found = kernel_facts(
        kernel, kernel.function, unit, collector.info, [a.instruction for a in tables.accesses],
        [b.reconvergence for b in tables.blocks],
    )  # fmt: skip
    return found.without_data()
