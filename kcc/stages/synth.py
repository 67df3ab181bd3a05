"""Miniatures of whole applications: run a host script, see what its kernels do, make others that do
alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import Diagnostic, DiagnosticError, InternalError
from kcc.base.gpu.description import GpuDescription
from kcc.base.profile.document import read_profile_and
from kcc.base.profile.model import Profile
from kcc.base.records import dataclass
from kcc.base.scratch import scratch_folder
from kcc.base.trace.decode import TraceDecoder
from kcc.base.trace.launches import TraceLaunch
from kcc.frontend.kernel import Kernel
from kcc.stages.host import HostLaunch, HostSettings, Progress, run_script
from kcc.stages.profile import Profiler, profile_script
from kcc.stages.proxy_check import Traced, trace_run
from kcc.synth.assembly.assemble import Wishes, assemble
from kcc.synth.assembly.model import Miniature
from kcc.synth.comparison.behaviour import Behaviour, behaviour
from kcc.synth.comparison.compare import FlowDifference, compare_flow, strays
from kcc.synth.emit.cuda_source import cuda_source
from kcc.synth.emit.host_source import host_source
from kcc.synth.emit.llvm_source import compiled, llvm_source
from kcc.synth.emit.opencl_source import opencl_source
from kcc.synth.emit.opencl_text import SourceText
from kcc.synth.original.footprints import Footprints, fills_of
from kcc.synth.original.observed import KernelFacts, LaunchFacts, kernel_facts
from kcc.synth.original.stored import KEY, restored
from kcc.tracegen.execute import Execution
from kcc.tracegen.image_data import ImageData
from kcc.tracegen.profiling.collect import LaunchCollector
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_file import describe_launch
from kcc.tracegen.trace_tables import tables_of
from kcc.tracegen.workers import TraceCallback

SOURCE_NAME, HOST_NAME = "kernel.cl", "workload.py"
"""Of a miniature in a folder of its own."""

ENDLESS = "K717"
"""A loop does not end within the budget."""

LEAST_BUDGET, BUDGET_TIMES = 100_000, 4

NEVER_WRITTEN = "K714"
"""Memory is read that was never written."""


class Study:
    """An observer of a run (:class:`kcc.stages.host.Observer`) that finds out what miniatures of
    its launches are made from. ``kernels`` and ``launches`` choose some; empty means all."""

    def __init__(self, kernels: Sequence[str] = (), launches: Sequence[range] = ()) -> None:
        self.is_strict = False
        self.wanted, self.numbers = frozenset(kernels), tuple(launches)
        self.kernels = list[KernelFacts]()
        self.launches = list[LaunchFacts]()
        self._numbers = dict[Kernel, int]()
        self._current: _Current | None = None

    @property
    def trace(self) -> TraceMode:
        return TraceMode.ADDRESSES

    def before(self, launch: HostLaunch) -> TraceCallback | None:
        self._current = None
        if not self._is_wanted(launch):
            return None
        tables = tables_of(launch.prepared.plan, launch.kernel, launch.unit)
        said = describe_launch(launch.prepared, launch.number, 0, addresses=True)
        collector = LaunchCollector(tables, said)
        if launch.kernel not in self._numbers:
            self._numbers[launch.kernel] = len(self.kernels)
            self.kernels.append(
                kernel_facts(
                    launch.kernel, launch.prepared.plan.function, launch.unit, collector.info,
                    [a.instruction for a in tables.accesses],
                    [b.reconvergence for b in tables.blocks],
                )
            )  # fmt: skip
        number = self._numbers[launch.kernel]
        self._current = _Current(number, self.kernels[number], said, collector, launch)
        decoder = TraceDecoder(tables, addresses=True)
        current = self._current

        def take(first_block: int, words: NDArray[np.uint32]) -> None:
            for batch in decoder.decode(first_block, words):
                collector.add(batch)
                current.footprints.add(batch)

        return take

    def after(self, launch: HostLaunch, execution: Execution) -> None:  # noqa: ARG002
        if self._current is not None:
            self.launches.append(self._current.finish())
            self._current = None

    def _is_wanted(self, launch: HostLaunch) -> bool:
        kernel = not self.wanted or launch.kernel.name in self.wanted
        return kernel and (not self.numbers or any(launch.number in r for r in self.numbers))


class _Current:
    """The launch that runs."""

    def __init__(
        self, number: int, facts: KernelFacts, said: TraceLaunch, collector: LaunchCollector,
        launch: HostLaunch,
    ) -> None:  # fmt: skip
        self.number, self.facts, self.said, self.collector = number, facts, said, collector
        self.footprints = Footprints(facts, said.buffers)
        arguments = launch.prepared.arguments
        self.contents = {
            argument: np.array(arguments[argument], np.uint8).reshape(-1)
            for argument in set(facts.filled.values())
            if isinstance(arguments[argument], np.ndarray)
        }
        self.images = {
            n: tuple(reversed(value.pixels.shape[:-1]))
            for n, value in enumerate(arguments)
            if isinstance(value, ImageData)
        }

    def finish(self) -> LaunchFacts:
        spans = dict[int, tuple[int, int]]()
        for access, own in self.footprints.found.items():
            base = self._base(own.low)
            spans[access] = own.low - base, own.high - base
        return LaunchFacts(
            self.number, self.said, self.collector.finish(self.number), spans,
            fills_of(self.facts, self.footprints, self.contents, self.said), self.images,
        )  # fmt: skip

    def _base(self, address: int) -> int:
        """Where the array begins that holds an address."""
        starts = [b.address for b in self.said.buffers if b.address <= address]
        starts += [a.address for a in self.collector.tables.arrays if a.address <= address]
        return max(starts, default=0)


@dataclass(frozen=True, slots=True)
class Files:
    """What is written of a miniature, as texts by language."""

    opencl: str
    host: str
    llvm: str
    cuda: str


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """A miniature that runs within its buffers, its OpenCL C, its profile, and its trace if that
    was asked for."""

    miniature: Miniature
    source: SourceText
    profile: Profile
    traced: Traced | None = None


def study_script(
    path: str, study: Study, settings: HostSettings, *, size: str = "small", seed: int = 0,
    arguments: Sequence[str] = (),
) -> Study:  # fmt: skip
    """Run a script with a study that watches it; raises what :func:`kcc.stages.host.run_script`
    does, and K951 where nothing was launched that is asked for."""
    run_script(path, size=size, seed=seed, arguments=arguments, observer=study, settings=settings)
    check_study(study)
    return study


def study_profile(path: str, kernels: Sequence[str] = (), launches: Sequence[range] = ()) -> Study:
    """The study that `kcc profile --for-synth` kept in a file.

    :raises DiagnosticError: K001, K780 or K952 where there is none in it.
    """
    profile, part = read_profile_and(path, KEY)
    if part is None:
        message = f"'{path}' does not have what a miniature is made from"
        hint = "`kcc profile FILE.py --for-synth --json FILE.json` writes it too"
        raise DiagnosticError([Diagnostic("K952", message, hint=hint)])
    study = Study(kernels, launches)
    found, rows = restored(part, profile)
    wanted = [
        x
        for x in rows
        if (not kernels or found[x.kernel].kernel.name in kernels)
        and (not launches or any(x.profile.number in r for r in launches))
    ]
    used = sorted({x.kernel for x in wanted})
    study.kernels = [found[n] for n in used]
    study.launches = [replace(x, kernel=used.index(x.kernel)) for x in wanted]
    return study


def without_data(study: Study) -> Study:
    """The same for those who may learn nothing of what is in memory: addresses and conditions that
    come out of it are drawn, rates and trips told to a few bits."""
    found = Study()
    found.is_strict = True
    found.kernels = [facts.without_data() for facts in study.kernels]
    found.launches = [replace(launch, fills={}) for launch in study.launches]
    return found


def check_study(study: Study) -> None:
    """Raise K951 where nothing was launched that is asked for."""
    if not study.launches:
        raise DiagnosticError([Diagnostic("K951", "no launch is there, or none that is asked for")])


Running = Callable[[int], AbstractContextManager[Progress]]
"""Called before a run of so many launches; the progress is filled while it lasts."""


def unwatched(_: int) -> AbstractContextManager[Progress]:
    """Looks at nothing."""
    return nullcontext(Progress())


def settle(  # noqa: PLR0913, PLR0917 -- what a command line says
    study: Study,
    factors: Sequence[Sequence[int]],
    settings: HostSettings,
    seed: int = 0,
    blocks: int = 1,
    gpus: Sequence[GpuDescription] = (),
    running: Running = unwatched,
    trace: Path | None = None,
) -> Settled:
    """A miniature with trips divided by ``factors`` (by kernel and loop), and thread blocks by
    ``blocks``; epochs are those of the largest of ``gpus``. ``running`` sees its runs, and the
    last one is traced into the file ``trace``.

    It is run once in a temporary folder. Where an address made of filled contents leads out of its
    array, the access is one whose address is drawn from then on; where contents decide otherwise
    than the original's, the conditions of the kernel are drawn.
    """
    wishes = Wishes(
        tuple(tuple(row) for row in factors), seed=seed, blocks=blocks, gpus=tuple(gpus),
        is_strict=study.is_strict,
    )  # fmt: skip
    settings = replace(settings, budget=min(settings.budget, _budget(study)))
    while True:
        miniature = assemble(study.kernels, study.launches, wishes)
        source = opencl_source(miniature)
        try:
            profile, traced = _profiled(miniature, source, settings, running, trace)
            settled = Settled(miniature, source, profile, traced)
            undecided = wishes.undecided if blocks > 1 else _strays(study, settled)
            if undecided <= wishes.undecided:
                return settled
            wishes = replace(wishes, undecided=wishes.undecided | undecided)
        except DiagnosticError as error:
            access = _guilty(study, source, error)
            if error.diagnostics[0].code == ENDLESS:
                raise _endless(settings.budget) from error
            if access is None:
                raise InternalError("miniature", str(error)) from error
            kernel, _ = access
            if error.diagnostics[0].code == NEVER_WRITTEN and kernel not in wishes.cleared:
                wishes = replace(wishes, cleared=wishes.cleared | {kernel})
            elif access not in wishes.drawn:
                wishes = replace(wishes, drawn=wishes.drawn | {access})
            else:
                raise InternalError("miniature", str(error)) from error


def _budget(study: Study) -> int:
    """Instructions that a warp of a miniature may execute: more than whole launches of the
    original are a miniature that does not end."""
    most = max(launch.profile.warp_instructions for launch in study.launches)
    return max(LEAST_BUDGET, BUDGET_TIMES * most)


def _endless(budget: int) -> DiagnosticError:
    message = (
        f"a warp of the miniature executes more than {budget:,} instructions, {BUDGET_TIMES} times "
        "those of all warps of the original's largest launch: it does not end"
    )
    return DiagnosticError([Diagnostic("K950", message, hint="try a smaller --reduction")])


def _strays(study: Study, settled: Settled) -> frozenset[int]:
    """Kernels whose contents decide otherwise than those of the original do."""
    found = set[int]()
    for launch, own in zip(study.launches, settled.profile.launches, strict=True):
        facts, mine = study.kernels[launch.kernel], settled.profile.kernels[own.kernel]
        factors = settled.miniature.reductions[launch.kernel]
        if strays(facts, launch.profile, mine, own, factors):
            found.add(launch.kernel)
    return frozenset(found)


def _profiled(
    miniature: Miniature, source: SourceText, settings: HostSettings, running: Running,
    trace: Path | None,
) -> tuple[Profile, Traced | None]:  # fmt: skip
    """The profile of one run, and its trace if that goes into a file."""
    with scratch_folder() as folder, running(len(miniature.launches)) as progress:
        script, seed = str(write_host(miniature, source, folder)), miniature.seed
        profiler = Profiler()
        try:
            if trace is None:
                found = profile_script(script, settings=settings, seed=seed, progress=progress)
                return found, None
            traced = trace_run(
                script, trace, settings, seed=seed, beside=profiler, progress=progress
            )
            found = profiler.profile({"script": script, "size": "small", "seed": seed})
            return found, replace(traced, auxiliary=source.auxiliary)
        except DiagnosticError:
            # What a launch does wrong cuts its trace off; without one it says what it is.
            run_script(script, settings=settings, seed=seed)
            raise


def write_host(miniature: Miniature, source: SourceText, folder: Path) -> Path:
    """The host and the OpenCL C of a miniature, into a folder of one's own; gives the host."""
    script = folder / HOST_NAME
    script.write_text(host_source(miniature, HOST_NAME, SOURCE_NAME), encoding="utf-8")
    script.with_name(SOURCE_NAME).write_text(source.text, encoding="utf-8")
    return script


def flow_differences(study: Study, settled: Settled) -> list[FlowDifference]:
    """How the flow of each launch differs from that of the original."""
    found = list[FlowDifference]()
    for launch, own in zip(study.launches, settled.profile.launches, strict=True):
        info = study.kernels[launch.kernel].info
        mine = settled.profile.kernels[own.kernel]
        found.append(compare_flow(info, launch.profile, mine, own))
    return found


def behaviours(study: Study, settled: Settled) -> tuple[Behaviour, Behaviour]:
    """What original and miniature do, whatever the GPU."""
    original = Profile({}, (), tuple(launch.profile for launch in study.launches))
    return behaviour(original), behaviour(settled.profile)


def _guilty(study: Study, source: SourceText, error: DiagnosticError) -> tuple[int, int] | None:
    """The kernel and instruction of an access that left its array."""
    first = error.diagnostics[0]
    if not first.code.startswith("K71") or first.span is None:
        return None
    found = source.accesses.get(first.span.line)
    if found is None:
        return None
    kernel, access = found
    numbers = study.kernels[kernel].access_of
    return next(((kernel, i) for i, n in numbers.items() if n == access), None)


def files_of(settled: Settled, source_name: str, host_name: str, cuda_name: str) -> Files:
    """The texts of a miniature in all languages."""
    unit = compiled(settled.source.text, source_name)
    return Files(
        opencl=settled.source.text,
        host=host_source(settled.miniature, host_name, source_name),
        llvm=llvm_source(unit),
        cuda=cuda_source(settled.miniature, unit, cuda_name),
    )
