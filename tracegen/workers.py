"""Worker threads that run a launch's thread blocks, chunk by chunk.

What comes out does not depend on their number: counts are sums, a trace is handed on in the order
of the blocks, the fault reported is that of the lowest chunk, and kernels whose atomics depend on
order run on one worker. (Data races of a kernel may of course turn out one way or the other.)
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.base.trace.decode import TraceWordsError
from kcc.frontend.ir.instructions import AtomicRmw, CompareExchange
from kcc.frontend.ir.model import Function, users
from kcc.frontend.ir.opcodes import AtomicOperation
from kcc.frontend.ir.types import PtrTy
from kcc.tracegen.arena import aligned_bytes
from kcc.tracegen.interrupts import is_watchable, watched
from kcc.tracegen.simt.guard import Crash, latest_crash
from kcc.tracegen.simt.jit import NativeProgram
from kcc.tracegen.simt.layout import LOCAL_BASE, MARGIN_BYTES, Status, Worker
from kcc.tracegen.simt.plan import Plan
from kcc.tracegen.simt.wide import parts_of

LARGEST_CHUNK = 256
"""Thread blocks per task of a worker, and per chunk of the trace, at most: enough to make the cost
of a task small, few enough to spread and to deliver soon."""

USUAL_CHUNKS = 32
"""Chunks of a launch with at most 32 x 256 thread blocks: enough that workers end together. The
division depends on the launch alone, for traces are to be the same for any number of workers."""


def chunk_blocks(blocks: int) -> int:
    """Thread blocks in a chunk of a launch of so many."""
    return max(1, min(LARGEST_CHUNK, -(-blocks // USUAL_CHUNKS)))


TRACE_BUFFER_BYTES = 4 << 20
HELD_BACK_BYTES = 64 << 20
"""How much of a trace a worker may hold back while earlier chunks are still running."""

MAX_THREADS = 256
"""Workers at once, of all launches that run in a process."""

POLL_SECONDS = 0.1
"""How often the waiting thread looks whether it was interrupted."""

FLUSH_PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
PRINT_PROTOTYPE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64
)


class CrashError(Exception):
    """Compiled code did what no program may: a fault of the engine, never of the kernel."""

    def __init__(self, crash: Crash) -> None:
        super().__init__(str(crash))


def _address_of(function: Any) -> int:
    """Where native code finds it; what `ctypes.cast` returns would be part of a cycle."""
    return ctypes.c_void_p.from_buffer(function).value or 0


TraceCallback = Callable[[int, NDArray[np.uint32]], None]
"""Gets the number of the first thread block of a chunk and some of the chunk's words; a long
chunk comes in several pieces. Called in the order of the chunks, never twice at once."""

ORDER_FREE = frozenset(
    {
        AtomicOperation.ADD, AtomicOperation.SUB, AtomicOperation.AND, AtomicOperation.OR,
        AtomicOperation.XOR, AtomicOperation.MAX, AtomicOperation.MIN, AtomicOperation.UMAX,
        AtomicOperation.UMIN,
    }
)  # fmt: skip
"""Atomic operations whose order does not show in memory."""


def is_order_free(function: Function) -> bool:
    """Whether blocks may run at once: no atomic on global memory gives a value that is used, and
    none changes memory in a way that depends on order."""
    uses = users(function)
    for instruction in function.instructions:
        if not isinstance(instruction, (AtomicRmw, CompareExchange)):
            continue
        if instruction.pointer.type in (PtrTy(3), PtrTy(0)):
            continue
        commutes = isinstance(instruction, AtomicRmw) and instruction.operation in ORDER_FREE
        if uses[instruction.index] or not commutes:
            return False
    return True


@cache
def _threads() -> ThreadPoolExecutor:
    """Threads that wait for work: starting one costs as much as a small launch."""
    return ThreadPoolExecutor(MAX_THREADS, "kcc-worker")


if hasattr(os, "register_at_fork"):  # a forked process has none of them
    os.register_at_fork(after_in_child=_threads.cache_clear)


@dataclass(frozen=True, slots=True)
class WorkerLaunch:
    """What all workers of a launch have in common; ``words`` go into every worker's record."""

    plan: Plan
    tracing: bool
    warps: int
    local_bytes: int
    precise: bool
    words: Mapping[Worker, int]


class _Worker:
    """A worker's record and the memory it points to."""

    def __init__(
        self, launch: WorkerLaunch, flush: Callable[[_Worker], None],
        print_: Callable[[_Worker, int, int], None],
    ) -> None:  # fmt: skip
        plan = launch.plan
        resident = launch.warps if plan.barriers else 1
        self.record = aligned_bytes(int(Worker.SIZE) * 8).view(np.int64)
        self.address = self.record.ctypes.data
        self.states = aligned_bytes(plan.state_bytes * resident)
        copies = 2 if launch.precise else 1
        shadow = -(-(launch.local_bytes + MARGIN_BYTES) // 64) * 64
        self.private = aligned_bytes(plan.private_bytes * plan.width * resident * copies + 64)
        self.local = aligned_bytes(shadow * copies)
        self.counts = np.zeros(2 * len(plan.function.blocks), np.int64)
        self.trace = np.zeros(TRACE_BUFFER_BYTES // 4 if launch.tracing else 1, np.uint32)
        self.patterns = np.zeros((len(plan.accesses) + 1, plan.width), np.int32)
        self.bases = np.zeros(len(plan.accesses) + 1, np.int64)
        self.held = list[NDArray[np.uint32]]()
        self.chunk = 0

        def on_full(_record: int) -> None:
            flush(self)

        def on_print(_record: int, call: int, words: int, _lane: int) -> None:
            print_(self, call, words)

        self._callback = FLUSH_PROTOTYPE(on_full)
        self._printer = PRINT_PROTOTYPE(on_print)
        self.printed = list[tuple[int, str]]()
        for place, value in launch.words.items():
            self.record[place] = value
        self.record[Worker.LOCAL] = self.local.ctypes.data - LOCAL_BASE
        self.record[Worker.LOCAL_SHADOW] = shadow
        self.record[Worker.PRIVATE_START] = self.private.ctypes.data
        self.record[Worker.STATES] = self.states.ctypes.data
        self.record[Worker.COUNTS] = self.counts.ctypes.data
        self.record[Worker.PATTERNS] = self.patterns.ctypes.data
        self.record[Worker.BASES] = self.bases.ctypes.data
        self.record[Worker.FLUSH] = _address_of(self._callback)
        self.record[Worker.PRINT] = _address_of(self._printer)
        self.rewind()

    def release(self) -> None:
        """Nothing runs any more: without callbacks no cycle keeps what the launch took of memory
        until the interpreter looks for cycles, which over thousands of launches is gigabytes."""
        del self._callback, self._printer

    def rewind(self) -> None:
        """Empty the trace buffer."""
        self.record[Worker.TRACE_NEXT] = self.trace.ctypes.data
        self.record[Worker.TRACE_LIMIT] = self.trace.ctypes.data + self.trace.nbytes

    def take_words(self) -> NDArray[np.uint32]:
        """What the trace buffer holds, which is then empty."""
        used = (int(self.record[Worker.TRACE_NEXT]) - self.trace.ctypes.data) // 4
        words = self.trace[:used].copy()
        self.rewind()
        return words

    @property
    def held_bytes(self) -> int:
        return sum(w.nbytes for w in self.held)


@dataclass(slots=True)
class WorkerPool:
    """Runs the chunks of one launch."""

    native: NativeProgram
    launch: WorkerLaunch
    workers: int
    on_trace: TraceCallback | None
    on_print: Callable[[list[int]], str]
    _members: list[_Worker] = field(default_factory=list[_Worker])
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _next_chunk: int = 0
    _delivered: int = 0
    _chunks: int = 0
    _chunk_blocks: int = 1
    _blocks: int = 0
    _working: int = 0
    _failed_chunk: int | None = None
    _failed: NDArray[np.int64] | None = None
    _error: BaseException | None = None

    def run(self, blocks: int) -> NDArray[np.int64] | None:
        """Run all thread blocks; gives the record of the first fault, if any. An interrupt stops
        the workers and is raised again; so is what the trace callback raises."""
        self._blocks = blocks
        self._chunk_blocks = chunk_blocks(blocks)
        self._chunks = -(-blocks // self._chunk_blocks)
        count = max(1, min(self.workers, self._chunks))
        self._members = [_Worker(self.launch, self._flush, self._print) for _ in range(count)]
        try:
            if count == 1 and is_watchable():
                with watched(self._stop):
                    self._work(self._members[0])
            else:
                self._run_in_threads()
        finally:
            for member in self._members:
                member.release()
        if self._error is not None:
            raise self._error
        return self._failed

    def _run_in_threads(self) -> None:
        try:
            running = [_threads().submit(self._work, m) for m in self._members]
            while wait(running, POLL_SECONDS).not_done:
                pass
        except BaseException:  # wherever a signal's came: native code needs what is let go after it
            self._stop()
            with self._changed:
                while self._working:
                    self._changed.wait()
            raise

    def counts(self) -> NDArray[np.int64]:
        """Executions and lanes of every block, over all workers."""
        return np.sum([m.counts for m in self._members], axis=0)

    @property
    def is_suspect(self) -> bool:
        """Whether memory may have been read that was never written."""
        return any(int(m.record[Worker.SUSPECT]) for m in self._members)

    def _stop(self) -> None:
        for member in self._members:
            member.record[Worker.STOP] = 1
        with self._changed:
            self._next_chunk = self._chunks
            self._delivered = self._chunks
            self._changed.notify_all()

    def _work(self, member: _Worker) -> None:
        with self._changed:
            self._working += 1
        try:
            while (chunk := self._take()) is not None:
                self._run_chunk(member, chunk)
        except BaseException as error:  # noqa: BLE001 -- handed to the thread that waits
            self._error = error
            self._stop()
        finally:
            with self._changed:
                self._working -= 1
                self._changed.notify_all()

    def _take(self) -> int | None:
        """The next chunk nobody has, unless an earlier one failed."""
        with self._changed:
            chunk = self._next_chunk
            if chunk >= self._chunks or self._failed_chunk is not None:
                return None
            self._next_chunk += 1
            return chunk

    def _run_chunk(self, member: _Worker, chunk: int) -> None:
        member.chunk = chunk
        first = chunk * self._chunk_blocks
        count = min(self._chunk_blocks, self._blocks - first)
        if self.launch.tracing:
            member.patterns[:] = 0
            member.bases[:] = 0
        status = self.native.blocks(member.address, first, count)
        if status == Status.CRASH:
            raise CrashError(latest_crash())
        if status == Status.FAULT:
            self._note_fault(member, chunk)
        if not self.launch.tracing:
            return
        member.held.append(member.take_words())
        with self._changed:
            while self._delivered < chunk:
                self._changed.wait()
        try:
            self._deliver(member)
        except TraceWordsError:  # the fault has cut a record off; the fault is what is told
            if status != Status.FAULT:
                raise
        with self._changed:
            self._delivered = max(self._delivered, chunk + 1)
            self._changed.notify_all()

    def _note_fault(self, member: _Worker, chunk: int) -> None:
        with self._changed:
            if self._failed_chunk is None or chunk < self._failed_chunk:
                self._failed_chunk = chunk
                self._failed = member.record.copy()

    def _flush(self, member: _Worker) -> None:
        """The trace buffer of a worker is full: hand it on if it is its turn, else keep it; wait
        when too much is kept."""
        try:
            member.held.append(member.take_words())
            with self._changed:
                while self._delivered < member.chunk and member.held_bytes > HELD_BACK_BYTES:
                    self._changed.wait()
                mine = self._delivered >= member.chunk
            if mine:
                self._deliver(member)
        except BaseException as error:  # noqa: BLE001 -- must not pass through native code
            self._error = error
            member.record[Worker.STOP] = 1

    def _print(self, member: _Worker, call: int, words: int) -> None:
        """A work-item prints: format at once, keep with the number of the thread block."""
        try:
            operands = self.launch.plan.function.instructions[call].operands
            count = sum(len(parts_of(o.type)) for o in operands)
            values = list((ctypes.c_int64 * count).from_address(words))
            member.printed.append((int(member.record[Worker.BLOCK]), self.on_print(values)))
        except BaseException as error:  # noqa: BLE001 -- must not pass through native code
            self._error = error
            member.record[Worker.STOP] = 1

    def printed(self) -> list[str]:
        """What was printed, thread block by thread block."""
        rows = [row for member in self._members for row in member.printed]
        return [text for _, text in sorted(rows, key=lambda row: row[0])]

    def _deliver(self, member: _Worker) -> None:
        pieces, member.held = member.held, []
        if self.on_trace is not None and self._error is None:
            for words in pieces:
                if len(words):
                    self.on_trace(member.chunk * self._chunk_blocks, words)
