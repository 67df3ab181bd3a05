"""What a recording has so far: beside the file that it will become, until that is written.

A program cannot be begun in its middle, so that a recording which is killed outright begins anew;
but the units that were done by then can be read. The simulation of a trace goes on.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from kcc.base.records import dataclass
from kcc.base.scratch import scratch_folder
from kcc.base.trace.rows import from_json
from kcc.sim.sampling.simprof.table import UnitTable
from kcc.stages.recording.callgrind import read_callgrind
from kcc.stages.recording.jvm import read_jvm
from kcc.stages.recording.running import nothing_recorded
from kcc.stages.recording.simulated import SIMULATION, recover_trace

SUFFIX = ".parts"
_ABOUT = "about.json"


@dataclass(frozen=True, slots=True)
class About:
    """Of what the parts are: ``tool`` is "callgrind", "jfr" or "simulation" (whose command is the
    trace, the GPU and its settings), ``unit`` in its unit."""

    tool: str
    command: tuple[str, ...]
    unit: int
    threads: str | None


def open_parts(target: str, about: About, *, resume: bool = False) -> Path:
    """The folder beside ``target``, emptied of what another recording left there; ``resume``: what
    this one left stays. Raises K963."""
    folder = Path(target + SUFFIX)
    if folder.exists() and not (folder / _ABOUT).exists():
        raise nothing_recorded(f"'{folder}' is in the way, which is not of a recording")
    if resume and _about(folder) == about:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir()
        (folder / _ABOUT).write_text(json.dumps(asdict(about)), encoding="utf-8")
    except OSError as error:
        raise nothing_recorded(f"'{folder}' cannot be made: {error.strerror}") from None
    return folder


@contextmanager
def parts_folder(target: str, about: About) -> Generator[Path]:
    """An empty folder beside ``target``, gone afterwards; it stays where the process is killed.
    Raises K963."""
    folder = open_parts(target, about)
    with scratch_folder() as scratch:  # whose name profilers take: no comma, blank or "%"
        link = scratch / "parts"
        link.symlink_to(folder.absolute())
        try:
            yield link
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def recover(target: str) -> UnitTable:
    """What a recording that was killed had so far. Raises K961, K963."""
    folder = Path(target + SUFFIX)
    about = _about(folder)
    if about is None:
        raise nothing_recorded(f"no '{folder}' of a recording that was killed is there")
    if about.tool == SIMULATION:
        return recover_trace(folder, *about.command, count=about.unit)
    if about.tool == "jfr":
        return read_jvm(folder, about.command, about.unit, about.threads, complete=False)
    return read_callgrind(folder, " ".join(about.command), about.unit, complete=False)


def _about(folder: Path) -> About | None:
    try:
        return from_json(About, json.loads((folder / _ABOUT).read_text("utf-8")), "about")
    except (OSError, ValueError):
        return None


def remove_parts(target: str) -> None:
    """They were written to the target."""
    shutil.rmtree(target + SUFFIX, ignore_errors=True)
