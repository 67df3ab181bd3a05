"""What a recording has so far: beside the file that it will become, until that is written.

A program cannot be begun in its middle, so that a recording which is killed outright begins anew;
but the units that were done by then can be read.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from kcc.base.scratch import scratch_folder
from kcc.base.trace.rows import from_json
from kcc.sim.sampling.simprof.table import UnitTable
from kcc.stages.recording.callgrind import read_callgrind
from kcc.stages.recording.jvm import read_jvm
from kcc.stages.recording.running import nothing_recorded

SUFFIX = ".parts"
_ABOUT = "about.json"


@dataclass(frozen=True, slots=True)
class About:
    """Of what the parts are: ``tool`` is "callgrind" or "jfr", ``unit`` in its unit."""

    tool: str
    command: tuple[str, ...]
    unit: int
    threads: str | None


@contextmanager
def parts_folder(target: str, about: About) -> Generator[Path]:
    """An empty folder beside ``target``, gone afterwards; it stays where the process is killed.
    What another one left there goes. Raises K963."""
    folder = Path(target + SUFFIX)
    if folder.exists() and not (folder / _ABOUT).exists():
        raise nothing_recorded(f"'{folder}' is in the way, which is not of a recording")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        folder.mkdir()
        (folder / _ABOUT).write_text(json.dumps(asdict(about)), encoding="utf-8")
    except OSError as error:
        raise nothing_recorded(f"'{folder}' cannot be made: {error.strerror}") from None
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
    try:
        about = from_json(About, json.loads((folder / _ABOUT).read_text("utf-8")), "about")
    except (OSError, ValueError):
        raise nothing_recorded(f"no '{folder}' of a recording that was killed is there") from None
    if about.tool == "jfr":
        return read_jvm(folder, about.command, about.unit, about.threads, complete=False)
    return read_callgrind(folder, " ".join(about.command), about.unit, complete=False)


def remove_parts(target: str) -> None:
    """They were written to the target."""
    shutil.rmtree(target + SUFFIX, ignore_errors=True)
