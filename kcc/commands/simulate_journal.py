"""What `kcc simulate` has found so far: launches in a journal, and what the latest of them left in
caches and DRAM in a file beside it. An interrupted simulation goes on after that launch."""

from __future__ import annotations

import base64
import hashlib
import time
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

import kcc
from kcc.base.records import dataclass
from kcc.commands.journal import Journal, Kind
from kcc.report.simulation.kept import KeptTimings, packed, unpacked
from kcc.sim.cycle.kept import Arrays, kept_arrays, restore
from kcc.sim.result import Timing

if TYPE_CHECKING:
    from kcc.commands.simulation_plan import Plan
    from kcc.sim.cycle.launch import CycleSimulator

STATE_SECONDS = 5.0
"""Between two states that are written: what a kill can cost. Each is megabytes."""

OF, PLACE = "of", "place"

Found = tuple[int, Timing]
"""A configuration, and what a launch took on it."""


class KeptLaunches:
    """The journal of a plan that one process simulates."""

    def __init__(self, path: Path, plan: Plan, *, resume: bool) -> None:
        digest = digest_of(plan)
        self._plan, self._digest = plan, digest
        self._state_path = path.with_name(f"{path.name}.state")
        self._state = _State.read(self._state_path, digest) if resume else _State()
        self._timings: list[KeptTimings] = [KeptTimings() for _ in plan.configurations]
        kind: Kind[Found] = Kind("kcc/simulation-journal/1", _write, self._read)
        self._journal = Journal(path, digest, kind, resume=resume)
        self._written = time.monotonic()
        self._configuration = self._done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._journal.__exit__(kind, error, trace)
        if error is None or not (self._done or any(map(len, self._timings))):
            self.remove()

    @property
    def path(self) -> Path:
        return self._journal.path

    def of(self, configuration: int) -> KeptTimings:
        """The launches that are done, of a configuration that comes to its turn."""
        self._configuration, self._done = configuration, len(self._timings[configuration])
        return self._timings[configuration]

    def begin(self, simulator: CycleSimulator) -> int:
        """The simulator as the latest launch of the configuration left it."""
        if self._state.configuration == self._configuration:
            self._state.restore(simulator)
        return self._done

    def ended(self, timing: Timing, simulator: CycleSimulator) -> None:
        """One launch more."""
        self._done += 1
        name = f"{self._configuration}:{self._done}"
        self._journal.add(name, (self._configuration, timing))
        if time.monotonic() - self._written >= STATE_SECONDS:
            state = {} if self._plan.cold else kept_arrays(simulator)
            self._write(_State(self._configuration, self._done, state))

    def complete(self) -> None:
        """The configuration is done."""
        self._write(_State(self._configuration + 1))

    def remove(self) -> None:
        """The outputs are written, or nothing was found."""
        self._journal.remove()
        self._state_path.unlink(missing_ok=True)

    def _write(self, state: _State) -> None:
        state.write(self._state_path, self._digest)
        self._written = time.monotonic()

    def _read(self, found: Any) -> Found:
        """A launch; ValueError for one that no state follows, which is simulated again."""
        number, timing = int(found[0]), unpacked(base64.b64decode(found[1]))
        own = self._timings[number]
        state = self._state
        if number > state.configuration:
            raise ValueError(number)
        if number == state.configuration and len(own) >= state.done:
            raise ValueError(number)
        own.append(timing)
        return number, timing


def _write(found: Found) -> tuple[int, str]:
    return found[0], base64.b64encode(packed(found[1])).decode("ascii")


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """After how many launches of which configuration; configurations before it are done."""

    configuration: int = 0
    done: int = 0
    arrays: Arrays = field(default_factory=dict[str, NDArray[Any]])

    @classmethod
    def read(cls, path: Path, digest: str) -> _State:
        """That of a file; the beginning where there is none of this plan."""
        with suppress(OSError, ValueError, KeyError, EOFError, BadZipFile), np.load(path) as file:
            found = dict(file)
            place = found.pop(PLACE).tolist()
            if str(found.pop(OF)) == digest:
                return cls(place[0], place[1], found)
        return cls()

    def write(self, path: Path, digest: str) -> None:
        """All or nothing."""
        beside = path.with_name(f".{path.name}.tmp")
        said = {OF: np.array(digest), PLACE: np.array([self.configuration, self.done])}
        with beside.open("wb") as file:
            np.savez(file, allow_pickle=False, **said, **self.arrays)
        beside.replace(path)

    def restore(self, simulator: CycleSimulator) -> None:
        """The simulator as the latest launch left it; as it is where nothing is kept."""
        if self.arrays:
            restore(simulator, self.arrays)


def digest_of(plan: Plan) -> str:
    """Of the trace and all that its simulation rests on."""
    from kcc.base.gpu import load_gpu

    gpus = [load_gpu(c.gpu, list(c.overrides)) for c in plan.configurations]
    asked = (
        kcc.__version__, gpus, plan.kernels, plan.launches, sorted(plan.registers.items()),
        plan.timeline, plan.cold, plan.code,
    )  # fmt: skip
    with Path(plan.path).open("rb") as file:
        content = hashlib.file_digest(file, "sha256")
    content.update(repr(asked).encode())
    return content.hexdigest()
