"""What a campaign has done so far: a line of JSON per case, so that a killed one goes on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of a case."""

    case: str
    outcome: str
    detail: str = ""


class Journal:
    """Entries by case; without a path they are only counted."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.entries = dict[str, Entry]()
        if path is not None and path.exists():
            self.entries = {entry.case: entry for entry in _whole_entries(path)}

    def add(self, entry: Entry) -> None:
        """Keep an entry, on disk before this returns."""
        self.entries[entry.case] = entry
        if self.path is not None:
            line = json.dumps([entry.case, entry.outcome, entry.detail])
            with self.path.open("a", encoding="utf-8") as stream:
                stream.write(line + "\n")

    def missing(self, cases: Iterator[str]) -> list[str]:
        """Those that are not done yet."""
        return [case for case in cases if case not in self.entries]

    def counts(self) -> Counter[str]:
        return Counter(entry.outcome for entry in self.entries.values())


def _whole_entries(path: Path) -> Iterator[Entry]:
    """Those that were written whole: a line that a killed process left unfinished is done again."""
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield Entry(*json.loads(line))
        except (ValueError, TypeError):
            continue
