"""What a search for a miniature has simulated so far, beside the miniature."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from kcc.base.gpu.description import GpuDescription
from kcc.base.trace.rows import from_json, to_json
from kcc.commands.journal import Journal, Kind, digest_of
from kcc.synth.comparison.behaviour import Simulated

Trial = Simulated | int


def _read(found: Any) -> Trial:
    return found if isinstance(found, int) else from_json(Simulated, found)


TRIALS: Kind[Trial] = Kind("kcc/synthesis-journal/1", to_json, _read)


class KeptTrials(Journal[Trial]):
    """Originals and miniatures by name, each with what its simulation found."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        path = Path(f"{str(arguments.output).rstrip('/')}.partial")
        super().__init__(path, digest_of(arguments), TRIALS, resume=arguments.resume)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        super().__exit__(kind, error, trace)
        if not self.done:  # it went wrong before anything was found
            self.path.unlink(missing_ok=True)

    def get(self, name: str) -> Trial | None:
        """None for what was not found yet."""
        return self.done.get(name)

    def keep(self, name: str, found: Trial) -> None:
        """Remember it."""
        self.done[name] = found
        self.add(name, found)

    def originals(self, gpus: Sequence[GpuDescription]) -> list[Simulated]:
        """The original on each GPU; none where one is missing."""
        found = [self.get(f"original: {number}") for number in range(len(gpus))]
        good = [each for each in found if isinstance(each, Simulated)]
        return good if len(good) == len(gpus) else []

    def keep_originals(self, found: Sequence[Simulated]) -> None:
        """Remember the original on each GPU."""
        for number, each in enumerate(found):
            self.keep(f"original: {number}", each)
