"""What a miniature is made from, of a source alone: its static traces in place of a run.

Yu et al., "GPGPU-MiniBench", IEEE Transactions on Computers 64 (11), 2015, section 3, profile a
run; where control flow and addresses follow from launch and scalar arguments, the static trace has
the same. What memory decides is assumed, and nothing is known of what is in buffers: accesses whose
addresses come from it are drawn within their array, conditions by how often they hold.
"""

from __future__ import annotations

from kcc.base.scratch import scratch_folder
from kcc.base.trace.reader import LaunchTrace, open_trace
from kcc.frontend.kernel import CompiledUnit
from kcc.passes.facts import Around, plainly
from kcc.stages.analyze import AnalysisRequest
from kcc.stages.static_tracing import StaticTraces, trace_source, traced_unit
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
    tables, said = launch.tables, launch.launch
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


def _facts(launch: LaunchTrace, unit: CompiledUnit, collector: LaunchCollector) -> KernelFacts:
    """Without what is in buffers: nothing is filled, so all that is found there is drawn."""
    tables = launch.tables
    kernel = next(each for each in unit.kernels if each.name == tables.kernel)
    found = kernel_facts(
        kernel, kernel.function, unit, collector.info, [a.instruction for a in tables.accesses],
        [b.reconvergence for b in tables.blocks],
    )  # fmt: skip
    return found.without_data()
