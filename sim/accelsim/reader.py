"""Reads kernels of Accel-Sim's traces: the first reading of a file collects its distinct
instructions, the second hands on what warps did, in batches, so that memory is bounded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch
from kcc.sim.accelsim.files import opened, wrong
from kcc.sim.accelsim.opcodes import NO_REGISTERS, Access, access_of, is_known

WIDTH = 32
PIECE_BYTES = LARGEST_LINE = 1 << 20
"""Read at once; a line may be as long."""

VERSIONS = ("1", "2", "3", "4", "5")
"""Of Accel-Sim's tracer. Later ones write more in the header; before the third each instruction
begins with its thread block and warp."""
FIRST_WITHOUT_PLACES = 3

MOST_KEYS = 1 << 17
POOL_BYTES = 1 << 23
MOST_HEADER_LINES = 1000
LAST_OF_HEADER = "block dim"
"""What is known of every kernel when its instructions begin."""

LARGEST_DIMENSION = 1 << 31
MOST_THREADS = 1 << 20


@dataclass(frozen=True, slots=True)
class SassInstruction:
    """A distinct instruction: registers that can be waited for, the line of the source (0: not
    known), whether it has addresses, how often warps executed it."""

    opcode: str
    written: tuple[str, ...]
    read: tuple[str, ...]
    line: int
    has_addresses: bool
    executed: int

    @property
    def access(self) -> Access:
        return access_of(self.opcode)


@dataclass(slots=True)
class SassKernel:
    """A kernel of a list: its header, and after the first reading its distinct instructions.

    ``unknown`` are opcodes that are in no table, with how often warps executed them: they run as
    integer operations, or as global loads where they have addresses. ``stack`` is the range of the
    addresses of local memory (LDL, STL) that is touched. ``has_places`` says whether instructions
    begin with their thread block and warp; ``binary_version`` is that of the code (70: sm_70; 0:
    not said). ``unended`` are the warps of which some lane comes to no EXIT: how many, and the
    block and warp of the first."""

    path: Path
    number: int
    name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    local_bytes: int
    registers: int
    has_lines: bool
    has_places: bool = False
    binary_version: int = 0
    instructions: tuple[SassInstruction, ...] = ()
    stack: tuple[int, int] = (0, 0)
    unended: tuple[int, int, int] = (0, 0, 0)
    unknown: Counter[str] = field(default_factory=Counter[str])
    keys: _Keys | None = None

    @property
    def thread_blocks(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def warps(self) -> int:
        """Warps of a thread block."""
        return -(-self.block[0] * self.block[1] * self.block[2] // WIDTH)


@dataclass(slots=True, eq=False)
class _Keys:
    """The hash table of distinct instructions, as text_native has it."""

    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    pool: NDArray[np.uint8]
    state: NDArray[np.int64]
    seen: NDArray[np.uint8]


def read_kernel(path: Path, number: int) -> SassKernel:
    """The first reading of a kernel's file. Raises K001 and K873."""
    from kcc.sim.accelsim import text_native as native

    with opened(path) as file:
        header, lines = _header(path, file)
        kernel = _kernel(path, number, header)
        keys = _Keys(
            np.zeros((MOST_KEYS, native.KEY_COLUMNS), np.int64),
            np.full(2 * MOST_KEYS, -1, np.int64), np.zeros(POOL_BYTES, np.uint8),
            _state(kernel, lines), np.zeros(kernel.thread_blocks // 8 + 1, np.uint8),
        )  # fmt: skip
        keys.state[native.LOWEST] = np.iinfo(np.int64).max
        for _ in _pieces(path, file, keys, first=True):
            pass
    kernel.keys = keys
    kernel.instructions = tuple(_instruction(keys, n) for n in range(keys.state[native.KEYS]))
    lowest, highest = int(keys.state[native.LOWEST]), int(keys.state[native.HIGHEST])
    state = keys.state
    kernel.unended = (
        int(state[native.UNENDED]), int(state[native.UNENDED_BLOCK]),
        int(state[native.UNENDED_WARP]),
    )  # fmt: skip
    kernel.stack = (lowest & ~3, highest + 1) if lowest <= highest else (0, 0)
    for each in kernel.instructions:
        if not is_known(each.opcode):
            kernel.unknown[each.opcode] += each.executed
    return kernel


def read_header(path: Path, number: int) -> SassKernel:
    """What a kernel's header says, without its instructions. Raises K001 and K873."""
    with opened(path) as file:
        return _kernel(path, number, _header(path, file)[0])


def batches_of(kernel: SassKernel) -> Iterator[TraceBatch]:
    """The second reading: what each warp did, thread blocks in the order of the file. A segment is
    a distinct instruction. Raises K001 and K873."""
    from kcc.sim.accelsim import text_native as native

    assert kernel.keys is not None
    access_of_key = np.cumsum([i.has_addresses for i in kernel.instructions], dtype=np.int32) - 1
    with opened(kernel.path) as file:
        _, lines = _header(kernel.path, file)
        kernel.keys.state[:] = _state(kernel, lines)
        for rows, masks, starts, addresses in _pieces(kernel.path, file, kernel.keys, first=False):
            if len(rows):
                yield _batch(kernel, rows, masks, starts, addresses, access_of_key)
    blocks = int(kernel.keys.state[native.BLOCK]) + 1
    if blocks != kernel.thread_blocks:
        message = f"the grid has {kernel.thread_blocks:,} thread blocks, and {blocks:,} are here"
        raise wrong(kernel.path, 1, message)


def _batch(
    kernel: SassKernel,
    rows: NDArray[np.int64],
    masks: NDArray[np.uint64],
    starts: NDArray[np.int64],
    addresses: NDArray[np.int64],
    access_of_key: NDArray[np.int32],
) -> TraceBatch:
    n, keys = len(rows), rows[:, 2]
    with_access = keys[np.diff(starts) > 0]
    if kernel.stack[1]:
        stacks = [i.has_addresses and i.access.space == "private" for i in kernel.instructions]
        addresses[np.array(stacks)[with_access]] -= kernel.stack[0]
    return TraceBatch(
        rows[:, 0].copy(), rows[:, 1].astype(np.int32), keys.astype(np.int32),
        np.zeros(n, np.int32), np.zeros(n, np.bool_), masks, starts, access_of_key[with_access],
        addresses,
    )  # fmt: skip


def _state(kernel: SassKernel, lines: int) -> NDArray[np.int64]:
    from kcc.sim.accelsim import text_native as native

    state = np.zeros(native.STATE, np.int64)
    state[native.LINE], state[native.BLOCK], state[native.WARP] = lines, -1, -1
    state[native.WARPS], state[native.HAS_LINES] = kernel.warps, kernel.has_lines
    state[native.HAS_PLACES] = kernel.has_places
    state[native.GRID_X : native.GRID_Z + 1] = kernel.grid
    return state


_Piece = tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]


def _pieces(path: Path, file: IO[bytes], keys: _Keys, *, first: bool) -> Iterator[_Piece]:
    """Rows, masks, where accesses begin and addresses, piece by piece; on the first reading
    nothing but that it is done."""
    from kcc.sim.accelsim import text_native as native

    lanes = np.zeros(WIDTH, np.int64)
    for text in _whole_lines(path, file, keys.state):
        lines = 1 if first else int(np.count_nonzero(text == native.NEWLINE))
        rows, masks = np.empty((lines, 3), np.int64), np.empty(lines, np.uint64)
        starts = np.zeros(lines + 1, np.int64)
        addresses = np.empty((lines, WIDTH), np.int64)
        error, n, m = native.read_lines(
            text, len(text), keys.state, keys.rows, keys.places, keys.pool, first, keys.seen, rows,
            masks, starts, addresses, lanes,
        )  # fmt: skip
        if error != native.FINE:
            raise wrong(path, int(keys.state[native.LINE]), native.WORDS_OF_ERRORS[error])
        yield rows[:n], masks[:n], starts[: n + 1], addresses[:m]
    if keys.state[native.INSIDE]:
        raise wrong(path, int(keys.state[native.LINE]), "the file is cut off in a thread block")


def _whole_lines(
    path: Path, file: IO[bytes], state: NDArray[np.int64]
) -> Iterator[NDArray[np.uint8]]:
    """What is left of a file, in pieces of whole lines."""
    rest = b""
    while data := file.read(PIECE_BYTES):
        end = data.rfind(b"\n") + 1
        if end == 0:
            rest += data
            if len(rest) > PIECE_BYTES:
                raise wrong(path, int(state[0]) + 1, "the line is too long")
            continue
        yield np.frombuffer(rest + data[:end], np.uint8)
        rest = data[end:]
    if rest:
        yield np.frombuffer(rest + b"\n", np.uint8)


def _instruction(keys: _Keys, number: int) -> SassInstruction:
    from kcc.sim.accelsim import text_native as native

    row = keys.rows[number]
    text = keys.pool[row[native.KEY_START] : row[native.KEY_END]].tobytes()
    words = [word.decode("utf-8", "replace") for word in text.split(b" ") if word]
    written = int(words[0])
    read = int(words[2 + written])
    return SassInstruction(
        words[1 + written],
        tuple(r for r in words[1 : 1 + written] if r not in NO_REGISTERS),
        tuple(r for r in words[3 + written : 3 + written + read] if r not in NO_REGISTERS),
        int(row[native.KEY_LINE]),
        bool(row[native.KEY_WIDTH]),
        int(row[native.KEY_COUNT]),
    )


def _header(path: Path, file: IO[bytes]) -> tuple[dict[str, str], int]:
    """The header and its number of lines, up to the first line that begins with '#' after what a
    header must have."""
    header = dict[str, str]()
    for at in range(1, MOST_HEADER_LINES):
        data = file.readline(PIECE_BYTES)
        line = data.decode("utf-8", "replace").strip()
        if line.startswith("#"):
            if LAST_OF_HEADER in header:
                return header, at
        elif line.startswith("-"):
            name, _, value = line[1:].partition("=")
            header[name.strip()] = value.strip()
        elif line:
            raise wrong(path, at, "this is not a line of a header")
        elif not data:
            raise wrong(path, at, "the file ends in its header")
    raise wrong(path, MOST_HEADER_LINES, "the header does not end")


def _kernel(path: Path, number: int, header: dict[str, str]) -> SassKernel:
    version = header.get("accelsim tracer version", "none")
    if version not in VERSIONS:
        message = f"its version is {version}; versions {VERSIONS[0]} to {VERSIONS[-1]} are read"
        raise wrong(path, 1, f"not a trace that is known: {message}")
    try:
        grid, block = _three(header["grid dim"]), _three(header["block dim"])
        kernel = SassKernel(
            path, number, header["kernel name"], grid, block, _whole(header["shmem"]),
            _whole(header["nregs"]), header.get("enable lineinfo") == "1",
            int(version) < FIRST_WITHOUT_PLACES, _whole(header.get("binary version", "0")),
        )  # fmt: skip
    except (KeyError, ValueError) as error:
        raise wrong(path, 1, f"the header is not complete: {error}") from None
    if kernel.thread_blocks >= LARGEST_DIMENSION or kernel.warps * WIDTH > MOST_THREADS:
        raise wrong(path, 1, "the grid or the thread blocks are larger than can be")
    return kernel


def _three(text: str) -> tuple[int, int, int]:
    x, y, z = (_whole(part) for part in text.strip("()").split(","))
    if min(x, y, z) < 1:
        raise ValueError("a dimension is not positive")
    return x, y, z


def _whole(text: str) -> int:
    value = int(text)
    if not 0 <= value < LARGEST_DIMENSION:
        raise ValueError(f"{value} is out of range")
    return value
