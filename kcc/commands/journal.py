"""What long work has found so far, kept in a file: work that is interrupted loses nothing.

The file has a line for each task that is done, after one that says of which work. A line that was
not written to its end, and everything after it, counts as not there.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Self, TextIO, TypeVar

import kcc
from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.records import dataclass
from kcc.base.trace.rows import refuse_constant
from kcc.commands.errors import usage_error
from kcc.commands.outputs import STANDARD
from kcc.report.estimate.record import EstimateRecord, read_record, record_json

T = TypeVar("T")

Done = tuple[tuple[int, ...], EstimateRecord]
"""A record and its place among all of a sweep."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """What a journal keeps: the schema of its lines, what makes JSON of the result of a task, and
    a result of it again (raising ValueError, TypeError, KeyError, AttributeError or IndexError)."""

    schema: str
    write: Callable[[T], Any]
    read: Callable[[Any], T]


def journal_path(targets: Iterable[str]) -> Path | None:
    """The journal of a sweep that writes to ``targets``: beside the first file; None without
    one."""
    for target in targets:
        if target != STANDARD and (Path(target).is_file() or not Path(target).exists()):
            return Path(f"{target}.partial")
    return None


def kept_in(arguments: argparse.Namespace, targets: Iterable[str]) -> Path | None:
    """The journal of a command that can be resumed.

    :raises UsageError: K009 where ``--resume`` is asked for and there is no file to keep it beside.
    """
    kept = journal_path(targets)
    if arguments.resume and kept is None:
        raise usage_error("--resume needs an output file: its journal is beside it")
    return kept


class Journal(Generic[T]):
    """The journal of one piece of work, open for writing; as a context it closes the file. ``done``
    are the results of earlier runs, by task."""

    def __init__(self, path: Path, sweep: str, kind: Kind[T], *, resume: bool) -> None:
        """Open the journal of the work whose digest is ``sweep``.

        :raises DiagnosticError: K893 where it is of other work, K008 where it cannot be written.
        """
        self.path, self.kind = path, kind
        self.done = dict[int | str, T]()
        kept = self._read(sweep) if resume and path.exists() else ()
        # What earlier runs found must not be lost while it is written again.
        beside = path.with_name(f".{path.name}.tmp")
        try:
            with beside.open("w", encoding="utf-8") as file:
                file.write(json.dumps({"schema": kind.schema, "sweep": sweep}) + "\n")
                file.writelines(kept)
            beside.replace(path)
            self._file: TextIO = path.open("a", encoding="utf-8")
        except OSError as error:
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)
            message = f"cannot write '{path}': {error.strerror}"
            raise DiagnosticError([Diagnostic("K008", message)]) from error

    def add(self, task: int | str, found: T) -> None:
        """Keep what a task found."""
        line = {"task": task, "found": self.kind.write(found)}
        self._write([json.dumps(line, allow_nan=False)])

    def remove(self) -> None:
        """The sweep is complete and its outputs are written."""
        self._file.close()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._file.close()

    def _write(self, lines: Iterable[str]) -> None:
        self._file.writelines(f"{line}\n" for line in lines)
        self._file.flush()

    def _read(self, sweep: str) -> Iterator[str]:
        """The lines of tasks that are done, one by one; fills ``done``."""
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise self._unusable(f"cannot be read: {error.strerror}") from error
        with file:
            try:
                head = json.loads(file.readline())
                same = head["schema"] == self.kind.schema and head["sweep"] == sweep
            except (ValueError, TypeError, KeyError) as error:
                raise self._unusable("is not a journal of such work") from error
            if not same:
                raise self._unusable("is of other work")
            for raw in file:
                try:
                    line = raw.decode("utf-8")
                    content = json.loads(line, parse_constant=refuse_constant)
                    found = self.kind.read(content["found"])
                    self.done[content["task"]] = found
                except (ValueError, TypeError, KeyError, AttributeError, IndexError):
                    break
                if not line.endswith("\n"):
                    break
                yield line

    def _unusable(self, reason: str) -> DiagnosticError:
        hint = "without --resume it begins anew"
        return DiagnosticError([Diagnostic("K893", reason, Span(str(self.path), 0), hint=hint)])


def _write_done(found: Iterable[Done]) -> list[Any]:
    return [{"place": list(place), "estimate": record_json(record)} for place, record in found]


def _read_done(entries: Any) -> tuple[Done, ...]:
    return tuple(
        (tuple(int(n) for n in entry["place"]), read_record(entry["estimate"])) for entry in entries
    )


Sweep = tuple[Done, ...]
ESTIMATES: Kind[Sweep] = Kind("kcc/estimate-journal/1", _write_done, _read_done)
"""That of `kcc estimate`."""

NOTHING: Kind[None] = Kind("kcc/trace-journal/1", lambda _: None, lambda _: None)
"""That of `kcc trace`, whose results are elsewhere."""

OUTPUTS = frozenset(
    {"output", "report", "json", "resume", "error", "color", "width", "workers", "root"}
)
"""Options that change nothing of what a task finds."""


def digest_of(arguments: argparse.Namespace) -> str:
    """Of what the work on a script rests on: its text, the options, and the GPUs as they are."""
    from kcc.base.gpu import load_gpu

    script = Path(arguments.script)
    text = script.read_bytes() if script.is_file() else b""
    asked = [
        (key, repr(value))
        for key, value in sorted(vars(arguments).items())
        if key not in OUTPUTS and not callable(value)
    ]
    gpus = [repr(load_gpu(name, [])) for name in getattr(arguments, "gpus", None) or ()]
    return hashlib.sha256(text + repr((kcc.__version__, asked, gpus)).encode()).hexdigest()
