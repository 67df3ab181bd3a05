"""Writes launches of a trace as kernels of an Accel-Sim list: text of version 5.

Thread blocks follow in the order of their numbers; the rows of one are held until it is complete,
so that memory is bounded by the largest.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceBatch, joined
from kcc.base.trace.launches import TraceLaunch
from kcc.base.trace.reader import LaunchTrace
from kcc.base.trace.tables import TracedAccessTable, TraceTables
from kcc.sim.accelsim.lowering import Draft, lower
from kcc.sim.accelsim.names import ARCHITECTURES, piece_sizes
from kcc.sim.accelsim.registers import Allocation, Move, allocate
from kcc.sim.cycle.blocks import LOCAL_BASE, PRIVATE_BASE
from kcc.sim.cycle.compiled import CompiledLaunch
from kcc.sim.cycle.machine import Machine, machine_of
from kcc.sim.cycle.program import program_of

LANES = 32
BUFFER_BYTES = 1 << 22
XZ_PRESET = 1
"""Half as large again as the best, ten times faster."""

BASES = {"local": LOCAL_BASE, "private": PRIVATE_BASE}
"""What is taken off addresses: shared memory counts from its window's begin, and so do stacks."""

PROGRAM_COUNTER_STEP = 16

LIKELY_ADDRESS_BYTES = 24
"""Of an access: mode, base and stride."""

Watcher = Callable[[int, int], None]
"""Called with warp instructions of the trace and bytes written so far."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """``architecture`` is a row of ARCHITECTURES and ``gpu`` one of them; ``lines``: each
    instruction says its line of the source; ``packed``: compressed by xz."""

    architecture: str
    gpu: GpuDescription
    lines: bool = False
    packed: bool = False


@dataclass(frozen=True, slots=True)
class ExportedKernel:
    """What was written of one launch. ``instructions`` are those of SASS; ``moves`` how many of the
    kernel's are moves between registers, ``dropped`` how many sources found no place,
    ``shared`` how many values no register of their own."""

    file: str
    kernel: str
    launch: int
    registers: int
    warp_instructions: int
    instructions: int
    bytes: int
    moves: int
    dropped: int
    shared: int


@dataclass(frozen=True, slots=True)
class Text:
    """A kernel's text in parts, as format_native takes it."""

    pool: NDArray[np.uint8]
    ops: NDArray[np.int64]
    segment_ops: NDArray[np.int64]
    edge_start: NDArray[np.int64]
    edges: NDArray[np.int64]
    words: NDArray[np.int64]
    most: NDArray[np.int64]
    last_op: int


def write_list(
    launches: Sequence[LaunchTrace], folder: Path, options: ExportOptions, watch: Watcher
) -> Iterator[ExportedKernel]:
    """Write ``kernelslist.g`` and the kernels to a folder that is there; gives each when it is
    written. Raises K876 for what the format cannot hold, OSError."""
    lines, copied = list[str](), set[int]()
    before = [0, 0]

    def add(instructions: int, size: int) -> None:
        watch(before[0] + instructions, before[1] + size)

    for number, launch in enumerate(launches, 1):
        _check(launch)
        for buffer in launch.launch.buffers:
            is_memory = buffer.space in ("global", "constant") and buffer.size_bytes
            if is_memory and buffer.address not in copied:
                copied.add(buffer.address)
                lines.append(f"MemcpyHtoD,0x{buffer.address:016x},{buffer.size_bytes}\n")
        name = f"kernel-{number}.traceg" + (".xz" if options.packed else "")
        lines.append(f"{name}\n")
        exported = _write_kernel(launch, folder / name, number, options, add)
        before[0] += exported.warp_instructions
        before[1] += exported.bytes
        yield exported
    (folder / "kernelslist.g").write_text("".join(lines), encoding="utf-8")


def likely_bytes(launches: Iterable[LaunchTrace], options: ExportOptions) -> int:
    """About how much text will be written, before compression."""
    total = 0
    for launch in launches:
        text, _, _ = _prepared(CompiledLaunch(launch).tables, launch.launch, options)
        sizes = text.ops[:, 2] - text.ops[:, 0]
        for block, (executions, _) in zip(launch.tables.blocks, launch.totals.counts, strict=True):
            first = text.segment_ops[block.first_segment, 0]
            last = text.segment_ops[_last_segment(launch.tables, block.end), 1]
            total += executions * int(sizes[first:last].sum() + 11 * (last - first))
        total += launch.totals.accesses * LIKELY_ADDRESS_BYTES
    return total


def _check(launch: LaunchTrace) -> None:
    if not launch.launch.addresses and launch.tables.accesses:
        message = f"launch {launch.launch.number} of {launch.tables.kernel} has no addresses"
        hint = "`kcc trace` without --blocks-only traces them"
        raise DiagnosticError([Diagnostic("K870", message, hint=hint)])
    if launch.tables.width != LANES:
        message = f"Accel-Sim's warps have {LANES} lanes, and the trace's {launch.tables.width}"
        raise DiagnosticError([Diagnostic("K876", message, hint="trace with --warp-size 32")])


def _prepared(
    tables: TraceTables, launch: TraceLaunch, options: ExportOptions
) -> tuple[Text, Allocation, int]:
    """The text of a kernel in parts, its registers, and how many sources found no place."""
    threads = int(np.prod(launch.local_size))
    machine: Machine = machine_of(options.gpu, threads, None, launch.local_bytes)
    version = ARCHITECTURES[options.architecture].binary_version
    lowered = lower(tables, program_of(tables, machine), machine, version)
    allocation = allocate(tables, lowered)
    for block, moves in allocation.tails.items():
        place = lowered.terminators[block]
        own = lowered.segments[_last_segment(tables, tables.blocks[block].end)]
        own[place:place] = [_move(m, own[place].line if place < len(own) else 0) for m in moves]
    return _text(tables, lowered.segments, allocation, options), allocation, lowered.dropped


def _last_segment(tables: TraceTables, end: int) -> int:
    """The segment that ends with instruction ``end``."""
    return next(n for n, s in enumerate(tables.segments) if s.end == end)


def _move(move: Move, line: int) -> Draft:
    return Draft("MOV", move.to, (move.of,), line)


class _Pool:
    """Text under way."""

    def __init__(self, register: Sequence[int], *, lines: bool) -> None:
        self.register, self.lines = register, lines
        self.data, self.rows = bytearray(), list[tuple[int, int, int, int, int, int]]()

    def add(self, text: str) -> tuple[int, int]:
        start = len(self.data)
        self.data += text.encode("ascii")
        return start, len(self.data)

    def instruction(self, draft: Draft, width: int, offset: int) -> None:
        """The next instruction; ``width`` in bytes, 0 without addresses."""
        line = f"{draft.line} " if self.lines else ""
        counter = PROGRAM_COUNTER_STEP * len(self.rows)
        head, body = self.add(f"{line}{counter:04x} ")
        to = f"1 R{self.register[draft.to]}" if draft.to >= 0 else "0"
        of = list(dict.fromkeys(f"R{self.register[v]}" for v in draft.of))
        words = [to, draft.opcode, str(len(of)), *of, str(width)]
        _, end = self.add(" " + " ".join(words))
        is_exit = int(draft.opcode == "EXIT")
        self.rows.append((head, body, end, draft.access, offset, is_exit))


def _text(
    tables: TraceTables,
    segments: list[list[Draft]],
    allocation: Allocation,
    options: ExportOptions,
) -> Text:
    from kcc.sim.accelsim import format_native as native

    pool = _Pool(allocation.register, lines=options.lines)
    segment_ops, most = list[tuple[int, int]](), list[int]()
    for segment, drafts in zip(tables.segments, segments, strict=True):
        start = len(pool.rows)
        for draft in drafts:
            width, offset = 0, 0
            if draft.access >= 0:
                access = tables.accesses[segment.first_access + draft.access]
                width = _width(access.element_bytes, draft.offset)
                offset = draft.offset - _base(access)
            pool.instruction(draft, width, offset)
        segment_ops.append((start, len(pool.rows)))
        most.append(_most(pool.rows[start:], native.MOST_PER_ADDRESS))
    edge_start, edges = _edges(tables, allocation, pool, most)
    last_op = len(pool.rows)
    pool.instruction(Draft("EXIT", -1, (), 0), 0, 0)
    words = [
        pool.add("\n#BEGIN_TB\n\nthread block = "), pool.add("\nwarp = "), pool.add("\ninsts = "),
        pool.add("\n#END_TB\n"),
    ]  # fmt: skip
    # A thread block's line ends where its first warp begins.
    return Text(
        np.frombuffer(bytes(pool.data), np.uint8), np.array(pool.rows, np.int64),
        np.array(segment_ops, np.int64), np.array(edge_start, np.int64),
        np.array(edges or [(0, 0, 0)], np.int64), np.array(words, np.int64),
        np.array(most, np.int64), last_op,
    )  # fmt: skip


def _base(access: TracedAccessTable) -> int:
    """Where the window of an access begins; structs by value are in none."""
    return 0 if access.argument >= 0 else BASES.get(access.space, 0)


def _width(element_bytes: int, offset: int) -> int:
    """Bytes of the piece of an element that begins at an offset."""
    place = 0
    for size in piece_sizes(element_bytes):
        if place == offset:
            return size
        place += size
    raise AssertionError("no piece begins there")


def _most(rows: Sequence[tuple[int, int, int, int, int, int]], per_address: int) -> int:
    """Bytes that instructions take at most."""
    text = sum(end - head + 11 for head, _, end, *_ in rows)
    return text + sum(8 + LANES * per_address for row in rows if row[3] >= 0)


def _edges(
    tables: TraceTables, allocation: Allocation, pool: _Pool, most: list[int]
) -> tuple[list[int], list[tuple[int, int, int]]]:
    """The moves on the way from a block to another, by the first segment of the latter."""
    edges = list[tuple[int, int, int]]()
    starts = [0]
    for number, segment in enumerate(tables.segments):
        if tables.blocks[segment.block].first_segment == number:
            for (before, block), moves in allocation.edges.items():
                if block != segment.block:
                    continue
                start = len(pool.rows)
                for move in moves:
                    pool.instruction(_move(move, 0), 0, 0)
                edges.append((before, start, len(pool.rows)))
                most[number] += _most(pool.rows[start:], 0)
        starts.append(len(edges))
    return starts, edges


def _write_kernel(
    launch: LaunchTrace, path: Path, number: int, options: ExportOptions, watch: Watcher
) -> ExportedKernel:
    compiled = CompiledLaunch(launch)
    text, allocation, dropped = _prepared(compiled.tables, launch.launch, options)
    instructions = size = seen = 0
    counted = np.array([s.counted for s in launch.tables.segments], np.int64)
    with _opened(path, packed=options.packed) as file:
        file.write(_header(launch, number, allocation.words, options).encode("utf-8"))
        for batch in _whole_blocks(compiled.batches()):
            for part, written in _parts(batch, launch, text):
                file.write(part)
                instructions += written
                size += len(part)
                watch(seen, size)
            seen += int(counted[batch.segment].sum())
    moves = sum(len(m) for own in (allocation.tails, allocation.edges) for m in own.values())
    return ExportedKernel(
        path.name, launch.tables.kernel, launch.launch.number, allocation.words,
        launch.totals.warp_instructions, instructions, path.stat().st_size, moves, dropped,
        allocation.shared,
    )  # fmt: skip


def _opened(path: Path, *, packed: bool) -> AbstractContextManager[IO[bytes]]:
    return lzma.open(path, "wb", preset=XZ_PRESET) if packed else path.open("wb")


def _header(launch: LaunchTrace, number: int, registers: int, options: ExportOptions) -> str:
    grid, block = launch.launch.blocks, (*launch.launch.local_size, 1, 1)[:3]
    version = ARCHITECTURES[options.architecture].binary_version
    line = "line_num " if options.lines else ""
    return (
        f"-kernel name = {launch.tables.kernel}\n-kernel id = {number}\n"
        f"-grid dim = ({grid[0]},{grid[1]},{grid[2]})\n"
        f"-block dim = ({block[0]},{block[1]},{block[2]})\n"
        f"-shmem = {launch.launch.local_bytes}\n-nregs = {registers}\n"
        f"-binary version = {version}\n-cuda stream id = 0\n"
        f"-shmem base_addr = 0x{LOCAL_BASE:016x}\n-local mem base_addr = 0x{PRIVATE_BASE:016x}\n"
        "-nvbit version = none\n-accelsim tracer version = 5\n"
        f"-enable lineinfo = {int(options.lines)}\n\n"
        f"#traces format = {line}PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
        "[adrrescompress?] [mem_addresses] immediate\n"
    )


def _whole_blocks(batches: Iterable[TraceBatch]) -> Iterator[TraceBatch]:
    """Batches of whole thread blocks: the last block of each waits for the next."""
    held = list[TraceBatch]()
    for batch in batches:
        if not len(batch):
            continue
        newest = int(batch.thread_block[-1])
        end = int(np.searchsorted(batch.thread_block, newest))
        if held and (end or int(held[-1].thread_block[-1]) != newest):
            yield joined([*held, batch.part(0, end)] if end else held)
            held = []
        elif end:
            yield batch.part(0, end)
        held.append(batch.part(end, len(batch)))
    if held:
        yield joined(held)


def _parts(batch: TraceBatch, launch: LaunchTrace, text: Text) -> Iterator[tuple[bytes, int]]:
    """The text of whole thread blocks, and how many instructions each part has."""
    from kcc.sim.accelsim import format_native as native

    warps = launch.launch.warps(LANES)
    keys = batch.thread_block * warps + batch.warp
    order = np.argsort(keys, kind="stable")
    out = np.empty(max(BUFFER_BYTES, 2 * int(text.most.max(initial=0)) + 4096), np.uint8)
    state = np.zeros(native.STATE, np.int64)
    state[native.KEY] = -1
    columns = (
        keys[order], batch.segment[order], batch.mask[order], batch.block[order],
        batch.access_start[:-1][order], batch.addresses,
    )  # fmt: skip
    threads = int(np.prod(launch.launch.local_size))
    grid = np.array(launch.launch.blocks, np.int64)
    before = 0
    while True:
        size = native.write_rows(
            out, state, *columns, len(keys), warps, threads, grid, text.segment_ops,
            text.edge_start, text.edges, text.ops, text.pool, text.words, text.last_op, text.most,
        )  # fmt: skip
        if size == 0:
            return
        yield out[:size].tobytes(), int(state[native.WRITTEN]) - before
        before = int(state[native.WRITTEN])
