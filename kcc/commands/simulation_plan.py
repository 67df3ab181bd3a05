"""Runs the configurations of `kcc simulate`: in this process, or in several.

A task is a configuration, or, where launches begin with cold caches and so do not depend on each
other, some of its launches. Results come in the order of the plan, whatever the number of
processes.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import as_completed
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Diagnostic, DiagnosticError, render
from kcc.base.records import dataclass
from kcc.commands.console import is_terminal, say
from kcc.commands.progress import Show, shown_progress
from kcc.commands.workers import submit, workers

if TYPE_CHECKING:
    from kcc.commands.simulate_journal import KeptLaunches
    from kcc.report.simulation.run import FailedRun, SimulationRun
    from kcc.sim.cycle.launch import LaunchSimulation
    from kcc.sim.interval.options import Options
    from kcc.sim.result import Timing

TASKS_PER_JOB = 4
"""Parts that the launches of a configuration are cut into, for each process."""

MOST_BANKS = 1024
"""Of shared memory, that a GPU's description may have."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there are no results; an exception does not come whole from another process."""

    diagnostics: tuple[Diagnostic, ...]

    @property
    def error(self) -> DiagnosticError:
        return DiagnosticError(self.diagnostics)


Result = Sequence["Timing"] | Failure


@dataclass(frozen=True, slots=True)
class Configuration:
    """A GPU with its overrides, those of --set first, then those of --sweep."""

    gpu: str
    overrides: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is simulated. ``launches`` are those asked for (all if empty); ``cold``: each begins
    with empty caches; ``timeline``: thread blocks of a launch whose times are kept.
    ``interval``: by interval analysis, not by cycles. ``verify``: changes that advice names are
    simulated whatever that takes. ``code``: what `--code` says."""

    path: str
    configurations: tuple[Configuration, ...]
    kernels: tuple[str, ...]
    launches: tuple[range, ...]
    registers: dict[str, int]
    timeline: int
    cold: bool
    interval: Options | None = None
    verify: bool = False
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A part of a plan: a configuration and launches."""

    plan: Plan
    configuration: int
    launches: tuple[range, ...]


def configurations(
    gpus: Sequence[str], overrides: Sequence[str], sweeps: Sequence[tuple[str, tuple[str, ...]]]
) -> tuple[Configuration, ...]:
    """Each GPU with each combination of the values of the sweeps."""
    keys = [key for key, _ in sweeps]
    return tuple(
        Configuration(gpu, (*overrides, *settings))
        for gpu in gpus
        for values in itertools.product(*(values for _, values in sweeps))
        for settings in [tuple(f"{k}={v}" for k, v in zip(keys, values, strict=True))]
    )


def run_plan(
    plan: Plan, jobs: int, kept: KeptLaunches | None = None
) -> list[SimulationRun | FailedRun]:
    """A run for each configuration; launches that are kept are not simulated again.

    :raises DiagnosticError: where the only configuration cannot be simulated; K875 where there is
        no launch.
    """
    from kcc.base.gpu import load_gpu
    from kcc.report.simulation.kept import KeptTimings
    from kcc.report.simulation.run import FailedRun, SimulationRun

    stems = [load_gpu(c.gpu, list(c.overrides)).stem for c in plan.configurations]
    tasks = _tasks(plan, jobs)
    results = (
        _in_processes(tasks, jobs) if jobs > 1 and len(tasks) > 1 else _one_by_one(tasks, kept)
    )
    runs = list["SimulationRun | FailedRun"]()
    for number, configuration in enumerate(plan.configurations):
        own = [r for t, r in zip(tasks, results, strict=True) if t.configuration == number]
        failed = next((r for r in own if isinstance(r, Failure)), None)
        good = [r for r in own if not isinstance(r, Failure)]
        timings = good[0] if len(good) == 1 else KeptTimings(t for r in good for t in r)
        if failed is not None and (len(plan.configurations) == 1 or _is_fatal(failed)):
            raise failed.error
        if failed is not None:
            reason = failed.diagnostics[0].message
            runs.append(FailedRun(stems[number], configuration.overrides, reason))
        elif timings:
            run = SimulationRun(configuration.overrides, timings)
            runs.append(_tried(plan, configuration, run))
        else:
            message = "no launch is there, or none that is asked for"
            raise DiagnosticError([Diagnostic("K875", message)])
    if all(isinstance(run, FailedRun) for run in runs):
        raise next(r.error for r in results if isinstance(r, Failure))
    return runs


def _tried(plan: Plan, configuration: Configuration, run: SimulationRun) -> SimulationRun:
    """The run with what was found of changes that advice names, where they are simulated."""
    from kcc.report.simulation.changes import MOST_ISSUED

    if (
        plan.interval
        or plan.code not in (None, "kcc")
        or (run.issued > MOST_ISSUED and not plan.verify)
    ):
        return run
    return _in_other_blocks(plan, configuration, _without_conflicts(plan, configuration, run))


def _without_conflicts(
    plan: Plan, configuration: Configuration, run: SimulationRun
) -> SimulationRun:
    """The run with what it saves on a machine with so many banks that hardly two requests meet."""
    from kcc.report.simulation.verdict import has_conflicts

    if not has_conflicts(run):
        return run
    overrides = (*configuration.overrides, f"shared_banks={MOST_BANKS}")
    changed = replace(plan, configurations=(replace(configuration, overrides=overrides),))
    result = _simulate(Task(changed, 0, plan.launches))
    if isinstance(result, Failure):
        return run
    return replace(run, without_conflicts_us=run.time_us - sum(t.time_us for t in result))


def _in_other_blocks(plan: Plan, configuration: Configuration, run: SimulationRun) -> SimulationRun:
    """The run with what it takes in smaller thread blocks."""
    from kcc.base.gpu import load_gpu
    from kcc.report.simulation.changes import smaller_blocks
    from kcc.sim.cycle.smaller_blocks import can_be_cut, in_smaller_blocks

    change = smaller_blocks(run)
    if change is None or plan.kernels or plan.launches or plan.path.endswith(".g"):
        return run
    if not can_be_cut(plan.path, change.kernel):
        return run
    gpu = load_gpu(configuration.gpu, list(configuration.overrides))
    timings = in_smaller_blocks(
        plan.path, gpu, change.kernel, change.warps, registers=plan.registers, cold=plan.cold
    )
    return replace(run, tried=(change.advice(run, sum(t.time_us for t in timings)),))


def _is_fatal(failure: Failure) -> bool:
    """Whether what failed is the trace, not the configuration: no block fits, or a value of the GPU
    that is needed is not known, or takes too long."""
    return failure.diagnostics[0].code not in ("K871", "K872", "K807")


def _tasks(plan: Plan, jobs: int) -> list[Task]:
    numbers = range(len(plan.configurations))
    parts: list[tuple[range, ...]] = [plan.launches]
    if plan.cold and jobs > 1 and len(plan.configurations) < TASKS_PER_JOB * jobs:
        parts = _parts(_work(plan), TASKS_PER_JOB * jobs) or parts
    return [Task(plan, number, part) for number in numbers for part in parts]


def _work(plan: Plan) -> list[tuple[int, int]]:
    """The launches that are asked for, and about how much work each is."""
    if plan.path.endswith(".g"):
        from kcc.sim.accelsim.files import read_list

        found = [(n, file.stat().st_size if file.exists() else 1)
                 for n, file in enumerate(read_list(Path(plan.path)))]  # fmt: skip
    else:
        from kcc.base.trace.reader import open_trace

        with open_trace(plan.path) as trace:
            found = [(each.launch.number, each.totals.warp_instructions) for each in trace.launches]
    return [each for each in found if not plan.launches or any(each[0] in r for r in plan.launches)]


def _parts(work: Sequence[tuple[int, int]], count: int) -> list[tuple[range, ...]]:
    """Launches that follow one another, in at most ``count`` parts of about as much work."""
    found: list[list[range]] = []
    share = max(sum(size for _, size in work) / count, 1)
    done = 0.0
    for number, size in work:
        if not found or done >= share * len(found):
            found.append([])
        found[-1].append(range(number, number + 1))
        done += max(size, 1)
    return [tuple(part) for part in found]


def _one_by_one(tasks: Sequence[Task], kept: KeptLaunches | None) -> list[Result]:
    sizes = [dict(_work(replace(task.plan, launches=task.launches))) for task in tasks]
    results: list[Result] = []
    with shown_progress(sum(sum(own.values()) for own in sizes)) as show:
        watch = _Watch(sizes, show)
        for task in tasks:
            results.append(_simulate(task, watch, kept))
            watch.next_task(results[-1])
    return results


class _Watch:
    """Shows how far the tasks are; ``sizes`` are the launches of each."""

    def __init__(self, sizes: Sequence[dict[int, int]], show: Show) -> None:
        self.sizes, self.show = sizes, show
        self.task = self.done_before = self.issued_before = 0
        self.launch, self.done, self.issued = -1, 0.0, 0
        """Of the launch that runs."""
        self.done_in_task, self.issued_in_task = 0.0, 0
        """Of those before it."""

    def __call__(self, simulation: LaunchSimulation) -> None:
        launch = simulation.launch.number
        if launch != self.launch:
            self.done_in_task += self.done
            self.issued_in_task += self.issued
            self.launch = launch
        share = simulation.retired_blocks / max(simulation.launch.thread_blocks, 1)
        self.done = self.sizes[self.task].get(launch, 0) * share
        self.issued = simulation.issued
        count = len(self.sizes)
        where = f"configuration {self.task + 1} of {count}, " if count > 1 else ""
        self.show(
            self.done_before + round(self.done_in_task + self.done),
            self.issued_before + self.issued_in_task + self.issued,
            f"{where}launch {launch}",
        )

    def next_task(self, result: Result) -> None:
        """The task is done."""
        from kcc.report.simulation.run import totals_of

        self.done_before += sum(self.sizes[self.task].values())
        if not isinstance(result, Failure):
            self.issued_before += round(totals_of(result).issued)
        self.launch, self.done, self.issued = -1, 0.0, 0
        self.done_in_task, self.issued_in_task = 0.0, 0
        self.task += 1


def _in_processes(tasks: Sequence[Task], jobs: int) -> list[Result]:
    began = time.monotonic()
    shown = is_terminal(sys.stderr)
    with workers(min(jobs, len(tasks)), "fork") as pool:
        futures = submit(pool, _simulate, [(task,) for task in tasks])
        try:
            for done, _ in enumerate(as_completed(futures), 1):
                if shown:
                    left = (len(tasks) - done) * (time.monotonic() - began) / done
                    words = f"{done} of {len(tasks)} parts done, {left:,.0f} s left"
                    say(f"\r\x1b[K{words}")
                    sys.stderr.flush()
            return [future.result() for future in futures]
        finally:
            if shown:
                say("\r\x1b[K")


def _simulate(
    task: Task, watch: Callable[[LaunchSimulation], None] | None = None,
    kept: KeptLaunches | None = None,
) -> Result:  # fmt: skip
    """The timings of a task, or why there are none."""
    from kcc.base.gpu import load_gpu
    from kcc.commands.machine_code import traced_code
    from kcc.report.simulation.kept import KeptTimings
    from kcc.sim.cycle.sources import no_watcher, simulate_list, simulate_trace

    plan, configuration = task.plan, task.plan.configurations[task.configuration]
    watch = watch or no_watcher
    try:
        gpu = load_gpu(configuration.gpu, list(configuration.overrides))
        if plan.interval is not None:
            from kcc.sim.interval.runs import interval_trace

            return KeptTimings(
                interval_trace(
                    plan.path, gpu, plan.interval, kernels=plan.kernels, launches=task.launches,
                    registers=plan.registers, cold=plan.cold, code=traced_code(plan.code, gpu),
                )
            )  # fmt: skip
        if plan.path.endswith(".g"):
            return KeptTimings(
                simulate_list(
                    plan.path, gpu, kernels=plan.kernels, launches=task.launches,
                    timeline=plan.timeline, cold=plan.cold, watch=watch, warn=_warn,
                )
            )  # fmt: skip
        timings = kept.of(task.configuration) if kept else KeptTimings()
        for timing in simulate_trace(
            plan.path, gpu, kernels=plan.kernels, launches=task.launches,
            registers=plan.registers, timeline=plan.timeline, cold=plan.cold,
            code=traced_code(plan.code, gpu), watch=watch, keeper=kept,
        ):  # fmt: skip
            timings.append(timing)
    except DiagnosticError as error:
        return Failure(error.diagnostics)
    if kept:
        kept.complete()
    return timings


def _warn(diagnostic: Diagnostic) -> None:
    say(f"{render(diagnostic, {})}\n")
