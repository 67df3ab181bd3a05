"""Golden files: what kcc prints, reviewed in the diff. `pytest --update-golden` rewrites them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Golden:
    """``golden("analyze/bfs.txt", text)`` asserts that the file of that name holds the text."""

    update: bool

    def __call__(self, name: str, text: str) -> None:
        path = FOLDER / name
        if self.update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"{name} does not exist: write it with --update-golden"
        assert text == path.read_text(encoding="utf-8"), f"{name}: --update-golden rewrites it"
