"""Further launches of the kernels of kernels/: other sizes, local sizes, inputs and arguments.

Kernels make demands on their launches that no file states. So each variant is tried on the engine,
which refuses accesses outside buffers and barriers that not all reach, and counts only if it runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend.kernel import CompiledUnit
from kcc.tracegen.execute import NDRange
from tests.kernels.case import Case
from tests.kernels.harness import Launch, launch_of, load
from tests.passes.counting import Run, executed_run
from tests.tracegen import engine

MAX_ITEMS = 1 << 13
"""Work-items of a launch whose block trace is read in a second or two."""

Change = Callable[[Launch], Launch]


def _local(factor: float) -> Change:
    """Thread blocks of another length."""

    def changed(launch: Launch) -> Launch:
        first = int(launch.local_size[0] * factor)
        return replace(launch, local_size=(first, *launch.local_size[1:]))

    return changed


def _fewer_groups(launch: Launch) -> Launch:
    """One thread block less."""
    shorter = launch.global_size[0] - launch.local_size[0]
    return replace(launch, global_size=(shorter, *launch.global_size[1:]))


def _scalars(change: Callable[[int], int], which: int | None = None) -> Change:
    """Other values of the integer arguments: of all, or of the one with that number."""

    def changed(launch: Launch) -> Launch:
        found = [n for n, v in launch.arguments.items() if isinstance(v, (int, np.integer))]
        chosen = found if which is None else found[which : which + 1]
        return launch.given(**{n: change(int(launch.arguments[n])) for n in chosen})

    return changed


CHANGES: tuple[Change, ...] = (
    _local(0.5),
    _scalars(lambda value: max(value - 1, 0)),
    _fewer_groups,
    _scalars(lambda value: value // 2, 0),
    _local(2),
    _scalars(lambda value: value // 2, 1),
    _local(0.25),
    _scalars(lambda _: 1, 0),
    _scalars(lambda _: 0, -1),
)


def _clipped(launch: Launch) -> Launch:
    """Fewer thread blocks, where there are too many."""
    sizes = list(launch.global_size)
    while math.prod(sizes) > MAX_ITEMS:
        groups = [all_ // part for all_, part in zip(sizes, launch.local_size, strict=True)]
        longest = groups.index(max(groups))
        if groups[longest] == 1:
            break
        sizes[longest] = groups[longest] // 2 * launch.local_size[longest]
    return replace(launch, global_size=tuple(sizes))


def variants(case: Case) -> Iterator[Launch]:
    """The case's launch and others, some of which the kernel cannot run."""
    first = case.launch()
    yield first
    yield launch_of(case.name, case.kernel, seed=5)
    sizes = load(case.name).sizes["tiny"]
    for factor, more in ((2, 0), (1, 3), (0.5, 0)):
        names = {key: int(value * factor) + more for key, value in sizes.items()}
        try:
            yield launch_of(case.name, case.kernel, names=names)
        except (ValueError, ZeroDivisionError):
            continue
    for change in CHANGES:
        yield change(first)


def runs(case: Case, unit: CompiledUnit, count: int) -> Iterator[Run]:
    """What ``count`` different launches of a case's kernel did, fewer if no more can run."""
    kernel, seen = engine.kernel_of(unit, case.kernel), set[str]()
    for whole in variants(case):
        if len(seen) == count:
            return
        launch = _clipped(whole) if _is_launch(whole) else whole
        if not _is_launch(launch) or _key(launch) in seen:
            continue
        shape = NDRange(tuple(launch.global_size), tuple(launch.local_size))
        try:
            found = executed_run(unit, kernel, shape, engine.arguments(kernel, launch))
        except (DiagnosticError, OverflowError):
            continue
        seen.add(_key(launch))
        yield found


def _is_launch(launch: Launch) -> bool:
    pairs = zip(launch.global_size, launch.local_size, strict=True)
    return all(part > 0 and all_ > 0 and all_ % part == 0 for all_, part in pairs)


def _key(launch: Launch) -> str:
    """What the passes know of a launch, and the beginnings of its buffers."""
    given = {
        name: value.ravel()[:8].tolist() if isinstance(value, np.ndarray) else repr(value)[:200]
        for name, value in launch.arguments.items()
    }
    return repr((launch.global_size, launch.local_size, given))
