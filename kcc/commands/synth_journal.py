"""What a search for a miniature has simulated so far, beside the miniature."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import kcc
from kcc.base.gpu.description import GpuDescription
from kcc.base.trace.rows import from_json, to_json
from kcc.commands.journal import Journal, Kind
from kcc.synth.comparison.behaviour import Simulated

Trial = Simulated | int

OUTPUTS = frozenset(
    {"output", "report", "json", "resume", "error", "color", "width", "workers", "run"}
)
"""Options that change nothing of what a trial finds."""


def _read(found: Any) -> Trial:
    return found if isinstance(found, int) else from_json(Simulated, found)


TRIALS: Kind[Trial] = Kind("kcc/synthesis-journal/1", to_json, _read)


class KeptTrials(Journal[Trial]):
    """Originals and miniatures by name, each with what its simulation found."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        path = Path(f"{str(arguments.output).rstrip('/')}.partial")
        super().__init__(path, _digest(arguments), TRIALS, resume=arguments.resume)

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


def _digest(arguments: argparse.Namespace) -> str:
    """Of what trials rest on: the script, the options and the GPUs as they are."""
    from kcc.base.gpu import load_gpu

    script = Path(arguments.script)
    text = script.read_bytes() if script.is_file() else b""
    asked = sorted((key, repr(v)) for key, v in vars(arguments).items() if key not in OUTPUTS)
    gpus = [repr(load_gpu(name, [])) for name in arguments.gpus]
    return hashlib.sha256(text + repr((kcc.__version__, asked, gpus)).encode()).hexdigest()
