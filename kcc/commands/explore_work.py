"""Design points as pieces of work for :mod:`kcc.commands.engine`, with a journal."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import kcc
from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.gpu.loading import load_gpu
from kcc.base.records import dataclass
from kcc.base.trace.rows import from_json
from kcc.commands.engine import Run
from kcc.commands.journal import Journal, Kind
from kcc.commands.stages import StageRunner
from kcc.commands.traced import IMPOSSIBLE, Launches
from kcc.sim.interval.explore import Explorer, PointSummary

if TYPE_CHECKING:
    from kcc.sim.interval.options import Options

Settings: TypeAlias = tuple[str, ...]
PIECE = 32
"""Design points of a piece at most, about half a second of work; and pieces that a few points are
shared out to at least."""


CYCLE_BY_CYCLE = "cycle by cycle:"
"""Before the settings of a design point, in the name of its cycles by the cycle-level model."""


@dataclass(frozen=True, slots=True)
class Impossible:
    """Why there cannot be a design point."""

    code: str
    message: str
    hint: str | None = None

    def error(self) -> DiagnosticError:
        """As the error that it was."""
        return DiagnosticError([Diagnostic(self.code, self.message, hint=self.hint)])


Found: TypeAlias = PointSummary | Impossible | float
"""By the interval model, or the cycles of the cycle-level model."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Design points whose cache passes are done at once, by one of the models."""

    points: tuple[Settings, ...]
    is_cycle_level: bool = False


@dataclass(frozen=True, slots=True)
class ExploreWork:
    """The launches of a trace on variants of a GPU. ``content`` is the trace where those who do the
    work may not see its file."""

    launches: Launches
    gpu: str
    overrides: Settings
    options: Options
    content: bytes = field(default=b"", repr=False)

    @property
    def name(self) -> str:
        """Tells it from other explorations: by the trace, not by where it lies."""
        content = self.content or Path(self.launches.path).read_bytes()
        gpu = load_gpu(self.gpu, list(self.overrides))
        chosen = (self.launches.kernels, self.launches.numbers, sorted(self.launches.registers))
        asked = (kcc.__version__, gpu, self.options, chosen)
        return hashlib.sha256(content + repr(asked).encode()).hexdigest()

    def explorer(self, path: str = "") -> Explorer:
        """What predicts; to be used in a ``with`` statement."""
        return Explorer(
            path or self.launches.path, self.gpu, self.overrides, self.options,
            kernels=self.launches.kernels, launches=self.launches.numbers,
            registers=self.launches.registers,
        )  # fmt: skip

    def tool(
        self, scratch: Path, _: StageRunner, held: ExitStack
    ) -> Callable[[Asked], tuple[Found, ...]]:
        """What predicts and simulates."""
        path = self.launches.path
        if self.content:
            path = str(scratch / "trace.kct")
            Path(path).write_bytes(self.content)
        explorer = held.enter_context(self.explorer(path))

        def found(asked: Asked) -> tuple[Found, ...]:
            one = _simulated if asked.is_cycle_level else _predicted
            return tuple(one(explorer, path, settings) for settings in asked.points)

        return found


def _predicted(explorer: Explorer, _: str, settings: Settings) -> PointSummary | Impossible:
    try:
        return explorer.summary_at(settings)
    except DiagnosticError as error:
        first = error.diagnostics[0]
        if first.code not in IMPOSSIBLE:
            raise
        return Impossible(first.code, first.message, first.hint)


def _simulated(explorer: Explorer, path: str, settings: Settings) -> float:
    from kcc.sim.cycle.sources import simulate_trace

    gpu = load_gpu(explorer.gpu, [*explorer.overrides, *settings])
    numbers = [launch.launch.number for launch in explorer.launches]
    timings = simulate_trace(
        path, gpu, launches=[range(n, n + 1) for n in numbers], registers=explorer.registers
    )
    return float(sum(t.cycles for t in timings))


def _write(found: Mapping[str, Found]) -> Any:
    return {
        key: each if isinstance(each, float | int) else {"is": type(each).__name__, **asdict(each)}
        for key, each in found.items()
    }


def _read(content: Any) -> dict[str, Found]:
    return {key: _read_one(key, each) for key, each in content.items()}


def _read_one(key: str, each: Any) -> Found:
    if key.startswith(CYCLE_BY_CYCLE):
        return float(from_json(float, each))
    kind = {each.__name__: each for each in (Impossible, PointSummary)}[each["is"]]
    return from_json(kind, each)


EXPLORED: Kind[dict[str, Found]] = Kind("kcc/exploration-journal/1", _write, _read)
"""Design points by their settings."""


class Points:
    """Asks for design points, each once, and remembers what was found of them.

    ``passed`` are the keys whose values decide about cache passes: points that are alike in them
    are one piece where they can be. ``done`` is called with the number of points found.
    """

    def __init__(
        self, run: Run, journal: Journal[dict[str, Found]] | None, passed: Sequence[str],
        done: Callable[[int], None],
    ) -> None:  # fmt: skip
        self._run, self._journal, self._passed, self._done = run, journal, frozenset(passed), done
        self._found = dict[str, Found]()
        for found in journal.done.values() if journal else ():
            self._found.update(found)

    def predicted(self, points: Iterable[Settings]) -> list[PointSummary | Impossible]:
        """What the interval model says of design points, in their order."""
        every = list(points)
        groups = dict[Settings, list[Settings]]()
        for settings in every:
            if " ".join(settings) not in self._found:
                alike = tuple(s for s in settings if s.partition("=")[0] in self._passed)
                groups.setdefault(alike, []).append(settings)
        size = max(1, min(PIECE, len(every) // PIECE))
        self._do(
            Asked(tuple(group[first : first + size]))
            for group in groups.values()
            for first in range(0, len(group), size)
        )
        found = [self._found[" ".join(settings)] for settings in every]
        return [each for each in found if not isinstance(each, float | int)]

    def simulated(self, points: Iterable[Settings]) -> list[float]:
        """Their cycles by the cycle-level model, in their order."""
        every = list(points)
        new = [s for s in every if _cycle_key(s) not in self._found]
        self._do(Asked((settings,), is_cycle_level=True) for settings in new)
        found = [self._found[_cycle_key(settings)] for settings in every]
        return [each for each in found if isinstance(each, float)]

    def _do(self, pieces: Iterable[Asked]) -> None:
        named = {_key(piece.points[0], piece): piece for piece in pieces}
        for key, results in self._run(list(named.items())) if named else ():
            piece = named[str(key)]
            found = {
                _key(settings, piece): each
                for settings, each in zip(piece.points, results, strict=True)
            }
            self._found.update(found)
            if self._journal:
                self._journal.add(key, found)
            self._done(len(found))


def _key(settings: Settings, asked: Asked) -> str:
    return _cycle_key(settings) if asked.is_cycle_level else " ".join(settings)


def _cycle_key(settings: Settings) -> str:
    return " ".join((CYCLE_BY_CYCLE, *settings))
