"""What a sweep has found so far, kept beside its output: an interrupted sweep loses nothing.

The file has a line for each task that is done, behind one that says of which sweep. A line that was
not written to its end, and everything behind it, counts as not there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from kcc.commands.outputs import STANDARD
from kcc.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.report.estimate_record import EstimateRecord, read_record, record_json

SCHEMA = "kcc/estimate-journal/1"

Done = tuple[tuple[int, ...], EstimateRecord]
"""A record and its place among all of the sweep."""


def journal_path(targets: Iterable[str]) -> Path | None:
    """The journal of a sweep that writes to ``targets``: beside the first file; None without
    one."""
    for target in targets:
        if target != STANDARD and (Path(target).is_file() or not Path(target).exists()):
            return Path(f"{target}.partial")
    return None


class Journal:
    """The journal of one sweep, open for writing; as a context it closes the file. ``done`` are the
    results of earlier runs, by task."""

    def __init__(self, path: Path, sweep: str, *, resume: bool) -> None:
        """Open the journal of the sweep whose digest is ``sweep``.

        :raises DiagnosticError: K893 where it is of another sweep, K008 where it cannot be written.
        """
        self.path = path
        self.done = dict[int, tuple[Done, ...]]()
        kept = [json.dumps({"schema": SCHEMA, "sweep": sweep})]
        if resume and path.exists():
            kept += self._read(sweep)
        try:
            self._file: TextIO = path.open("w", encoding="utf-8")
            self._write(kept)
        except OSError as error:
            message = f"cannot write '{path}': {error.strerror}"
            raise DiagnosticError([Diagnostic("K008", message)]) from error

    def add(self, task: int, found: Sequence[Done]) -> None:
        """Keep what a task found."""
        self._write([_line(task, found)])

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

    def _read(self, sweep: str) -> list[str]:
        """The lines of tasks that are done; fills ``done``."""
        try:
            lines = self.path.read_text(encoding="utf-8").split("\n")
            head = json.loads(lines[0])
            same = head["schema"] == SCHEMA and head["sweep"] == sweep
        except OSError as error:
            raise self._unusable(f"cannot be read: {error.strerror}") from error
        except (ValueError, TypeError, KeyError) as error:
            raise self._unusable("is no journal of a sweep") from error
        if not same:
            raise self._unusable("is of another sweep")
        kept = list[str]()
        for line in lines[1:-1]:
            try:
                task, found = _parsed(line)
            except (ValueError, TypeError, KeyError, AttributeError, IndexError):
                break
            self.done[task] = found
            kept.append(line)
        return kept

    def _unusable(self, reason: str) -> DiagnosticError:
        hint = "without --resume the sweep begins anew"
        return DiagnosticError([Diagnostic("K893", reason, Span(str(self.path), 0), hint=hint)])


def _line(task: int, found: Sequence[Done]) -> str:
    entries = [{"place": list(place), "estimate": record_json(record)} for place, record in found]
    return json.dumps({"task": task, "found": entries}, allow_nan=False)


def _parsed(line: str) -> tuple[int, tuple[Done, ...]]:
    content: Any = json.loads(line)
    found = tuple(
        (tuple(int(n) for n in entry["place"]), read_record(entry["estimate"]))
        for entry in content["found"]
    )
    return int(content["task"]), found
