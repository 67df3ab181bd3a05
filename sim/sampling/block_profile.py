"""The one-time profile: what each thread block of each launch executed, from a trace.

It knows no GPU (Huang et al., IPDPS 2014, section II: profiled once for a program and its input);
only the clustering is repeated for another one.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.base.trace.decode_native import FINE, WORDS_OF_ERRORS
from kcc.base.trace.launches import CHUNKS
from kcc.base.trace.reader import LaunchTrace, TraceFile
from kcc.base.trace.tables import TraceTables

FORMAT = 1
"""Of the file a profile is kept in."""

COLUMNS = 4
LARGEST_ACCESS_LINES = 2
"""Lines that one lane's access of up to 128 bytes touches."""


@dataclass(frozen=True, slots=True, eq=False)
class LaunchProfile:
    """Of one launch, by thread block: thread instructions, warp instructions, memory requests
    (lines of 128 bytes that warps ask for of global and private memory) and the memory
    instructions that asked."""

    number: int
    kernel: str
    thread_instructions: NDArray[np.int64]
    warp_instructions: NDArray[np.int64]
    requests: NDArray[np.int64]
    accesses: NDArray[np.int64]

    @property
    def thread_blocks(self) -> int:
        return len(self.warp_instructions)


@dataclass(frozen=True, slots=True, eq=False)
class ProgramProfile:
    """All launches of a trace in order. ``trace`` names its contents."""

    trace: str
    launches: tuple[LaunchProfile, ...]


def identity_of(trace: TraceFile) -> str:
    """A name for a trace's contents that another trace has not: its size and the checksum of its
    index, which holds the place and the counts of everything."""
    with trace.path.open("rb") as file:
        file.seek(max(trace.size_bytes - IDENTITY_BYTES, 0))
        return f"{trace.size_bytes}-{zlib.crc32(file.read()):08x}"


IDENTITY_BYTES = 1 << 20


def profile_trace(trace: TraceFile) -> ProgramProfile:
    """Count all launches of a trace. Raises K76x for a file that is no good trace and K870 for a
    launch without addresses."""
    return ProgramProfile(identity_of(trace), tuple(profile_launch(one) for one in trace.launches))


def profile_launch(trace: LaunchTrace) -> LaunchProfile:
    """Count one launch."""
    launch, tables = trace.launch, trace.tables
    if not launch.addresses and tables.accesses:
        message = f"launch {launch.number} of {tables.kernel} was traced without addresses"
        hint = "`kcc trace` without --blocks-only traces them"
        raise DiagnosticError([Diagnostic("K870", message, hint=hint)])
    counter = _Counter(tables, launch.thread_blocks)
    if launch.form == CHUNKS:
        for begins, row, words in trace.pieces():
            if begins:
                counter.restart()
            end, place = counter.add(words)
            if end != FINE:
                raise trace.file.cannot_be(row, f"{WORDS_OF_ERRORS[end]} (word {place})")
        counts = counter.counts
    else:
        counts = _of_classes(trace, tables)
    return LaunchProfile(launch.number, tables.kernel, *(counts[:, n] for n in range(COLUMNS)))


class _Counter:
    """Walks words and adds up."""

    def __init__(self, tables: TraceTables, thread_blocks: int, first_block: int = 0) -> None:
        from kcc.base.trace.decode import SegmentColumns

        self.columns = SegmentColumns(tables)
        self.kinds = np.array([_kind(a.space) for a in tables.accesses], np.int64)
        self.counts = np.zeros((thread_blocks, COLUMNS), np.int64)
        self.first_block = first_block
        self.state = np.zeros(3, np.int64)
        self.patterns = np.zeros((len(tables.accesses), tables.width), np.int64)
        self.bases = np.zeros(len(tables.accesses), np.int64)
        self.known = np.zeros((len(tables.accesses), 4), np.int64)
        largest = max((a.element_bytes for a in tables.accesses), default=1)
        self.lines = np.zeros(tables.width * (largest // 128 + LARGEST_ACCESS_LINES), np.int64)

    def restart(self) -> None:
        for column in (self.state, self.patterns, self.bases, self.known):
            column[...] = 0

    def add(self, words: NDArray[np.uint32]) -> tuple[int, int]:
        from kcc.sim.sampling.profile_native import profile_words

        place, end = profile_words(
            np.ascontiguousarray(words, np.uint32), self.state, self.patterns, self.bases,
            self.known, self.columns.starts, self.columns.sizes, self.kinds, self.columns.counted,
            self.counts, self.lines, self.first_block,
        )  # fmt: skip
        return end, place


def _kind(space: str) -> int:
    from kcc.sim.sampling.profile_native import PRIVATE, SHARED_BY_LANES, UNTOUCHED

    if space in ("local", "constant"):
        return UNTOUCHED
    return PRIVATE if space == "private" else SHARED_BY_LANES


def _of_classes(trace: LaunchTrace, tables: TraceTables) -> NDArray[np.int64]:
    """Of a launch kept as classes of equal warps: each warp counts as its representative does,
    whose addresses may stand otherwise in their lines by a shift."""
    launch = trace.launch
    counts = np.zeros((launch.thread_blocks, COLUMNS), np.int64)
    grid = counts.reshape(*reversed(launch.blocks), COLUMNS)
    classes = trace.classes()
    for number, found in enumerate(classes.classes):
        counter = _Counter(tables, 1, found.thread_block)
        for row, words in classes.words(number):
            end, place = counter.add(words)
            if end != FINE:
                raise trace.file.cannot_be(row, f"{WORDS_OF_ERRORS[end]} (word {place})")
        own = counter.counts[0]
        for box in found.boxes.tolist():
            x, y, z = (slice(a, a + (n - 1) * step + 1, step) for a, n, step in box[:3])
            grid[z, y, x] += own * box[3][1]
    return counts


def save_profile(profile: ProgramProfile) -> bytes:
    """The contents of a profile's file: a zip of arrays."""
    arrays: dict[str, NDArray[np.generic]] = {
        "format": np.array(FORMAT), "trace": np.array(profile.trace),
        "numbers": np.array([p.number for p in profile.launches], np.int64),
        "kernels": np.array([p.kernel for p in profile.launches], np.str_),
        "blocks": np.array([p.thread_blocks for p in profile.launches], np.int64),
    }  # fmt: skip
    for name in _BLOCK_COLUMNS:
        columns = [getattr(p, name) for p in profile.launches]
        arrays[name] = np.concatenate(columns) if columns else np.zeros(0, np.int64)
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


_BLOCK_COLUMNS = ("thread_instructions", "warp_instructions", "requests", "accesses")


def load_profile(path: Path, trace: str) -> ProgramProfile:
    """The profile in a file; raises K782 where it is none, or that of another trace."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            found = _read(arrays)
    except DiagnosticError:
        raise
    except Exception as error:  # noqa: BLE001 - zip, zlib and numpy raise anything
        reason = (
            error.strerror if isinstance(error, OSError) else "it is damaged, or something else"
        )
        message = f"{path} is not a profile of thread blocks: {reason}"
        raise DiagnosticError([Diagnostic("K782", message)]) from None
    if found.trace != trace:
        message = f"{path} is the profile of another trace"
        raise DiagnosticError([Diagnostic("K782", message, hint="remove it to profile anew")])
    return found


def _read(arrays: np.lib.npyio.NpzFile) -> ProgramProfile:
    if int(arrays["format"]) != FORMAT:
        raise DiagnosticError([Diagnostic("K782", "the profile is of another version of kcc")])
    ends = np.cumsum(arrays["blocks"])
    columns: list[Sequence[NDArray[np.int64]]] = [
        np.split(_whole(arrays[name], int(ends[-1]) if len(ends) else 0), ends[:-1])
        for name in _BLOCK_COLUMNS
    ]
    return ProgramProfile(str(arrays["trace"]), tuple(_launches(arrays, columns)))


def _launches(
    arrays: np.lib.npyio.NpzFile, columns: Sequence[Sequence[NDArray[np.int64]]]
) -> Iterator[LaunchProfile]:
    numbers: list[int] = arrays["numbers"].tolist()
    kernels: list[str] = arrays["kernels"].tolist()
    for place, (number, kernel) in enumerate(zip(numbers, kernels, strict=True)):
        yield LaunchProfile(number, kernel, *(column[place] for column in columns))


def _whole(column: NDArray[np.generic], length: int) -> NDArray[np.int64]:
    if column.dtype != np.int64 or column.shape != (length,):
        raise ValueError("a column is not as long as the launches have thread blocks")
    return column.astype(np.int64, copy=False)
