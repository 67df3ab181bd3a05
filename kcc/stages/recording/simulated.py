"""Traces simulated in full, unit by unit; one that was ended goes on behind its last whole launch.

Each hundredth of the trace, what the simulator keeps from launch to launch is written beside the
recording, with the cycles of the units so far.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

import kcc
from kcc.base.gpu import load_gpu
from kcc.base.records import dataclass
from kcc.base.trace.reader import LaunchTrace, open_trace
from kcc.sim.cycle.kept import Arrays
from kcc.sim.sampling.block_profile import profile_launch
from kcc.sim.sampling.simprof.launch_costs import COST, Progress, Watch, simulate_units
from kcc.sim.sampling.simprof.launch_units import (
    LaunchUnit,
    cut_launches,
    recorder_of,
    unit_table,
)
from kcc.sim.sampling.simprof.table import Floats, UnitTable
from kcc.stages.recording.running import nothing_recorded

SIMULATION = "simulation"
_STATE, _OF = "launches.npz", "of"
_OFTEN = 100


def record_trace(
    folder: Path, trace: str, gpu: str, *overrides: str, count: int, watch: Watch
) -> UnitTable:
    """All units of a trace, about ``count``; goes on from what is in ``folder``. ``watch`` gets the
    share that is done, in percent. Ends early as
    :func:`~kcc.sim.sampling.simprof.launch_costs.simulate_units` does."""

    def simulate(launches: Sequence[LaunchTrace], units: Sequence[LaunchUnit]) -> Floats:
        work = max(sum(unit.work for unit in units), 1)
        keeper = _Keeper(folder / _STATE, _identity(trace), work // _OFTEN)
        progress = Progress(keeper.begun(), keeper.keep)
        return simulate_units(
            launches, units, load_gpu(gpu, overrides), None,
            lambda done: watch(100 * done // work), progress,
        )  # fmt: skip

    return _table(trace, gpu, overrides, count, simulate)


def recover_trace(folder: Path, trace: str, gpu: str, *overrides: str, count: int) -> UnitTable:
    """The units that were written there. Raises K963."""
    begun = _Keeper(folder / _STATE, _identity(trace), 0).begun()
    if not begun:
        raise nothing_recorded(f"'{folder}' has no launch of {trace} that was simulated")
    return _table(trace, gpu, overrides, count, lambda _launches, _units: begun[COST])


def _table(
    trace: str, gpu: str, overrides: Sequence[str], count: int,
    simulate: Callable[[Sequence[LaunchTrace], Sequence[LaunchUnit]], Floats],
) -> UnitTable:  # fmt: skip
    machine = load_gpu(gpu, overrides)
    with open_trace(trace) as file:
        launches = list(file.launches)
        units = cut_launches(launches, list(map(profile_launch, launches)), machine, count=count)
        cost = simulate(launches, units)
        table = unit_table(trace, launches, units[: len(cost)], cost, machine.stem)
    recorder = recorder_of(machine.stem, overrides)
    return replace(table, recorder=recorder, complete=len(cost) == len(units))


def _identity(trace: str) -> str:
    """What a state is of: the same contents, simulated by the same version."""
    try:
        with Path(trace).open("rb") as file:
            return f"{hashlib.file_digest(file, 'sha256').hexdigest()} {kcc.__version__}"
    except OSError:  # which is told when it is read
        return ""


@dataclass(slots=True)
class _Keeper:
    """Writes and reads the state; no more often than each ``often`` warp instructions."""

    path: Path
    identity: str
    often: int
    _at: int = 0

    def begun(self) -> Arrays:
        try:
            with np.load(self.path, allow_pickle=False) as file:
                found = dict(file)
        except (OSError, ValueError, EOFError, BadZipFile):
            return {}
        return found if str(found.pop(_OF, "")) == self.identity else {}

    def keep(self, done: int, arrays: Callable[[], Arrays]) -> None:
        """All or nothing."""
        if done - self._at < self.often:
            return
        self._at = done
        beside = self.path.with_suffix(".new.npz")
        np.savez(beside, allow_pickle=False, **{_OF: np.array(self.identity)}, **arrays())
        beside.replace(self.path)
