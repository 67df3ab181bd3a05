"""Runs one launch of a kernel on the CPU, warp by warp.

:func:`execute` takes numpy buffers and gives new ones, with exact counts and, if asked, the trace.
Whatever a kernel does wrong ends in a :class:`~kcc.base.diagnostics.DiagnosticError` with a K7xx
code.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import DiagnosticError, InternalError
from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import AtomicRmw, Call, CompareExchange, Store
from kcc.frontend.ir.values import ArgumentRef, InstructionRef
from kcc.frontend.kernel import CompiledUnit, Kernel, Language
from kcc.tracegen.arena import Bytes, aligned_bytes, build_arena, shared_arena
from kcc.tracegen.device_memory import DeviceMemory
from kcc.tracegen.faults import Fault, explain
from kcc.tracegen.image_data import ImageData, Sampler, descriptor
from kcc.tracegen.launch_checks import (
    check_arguments,
    check_geometry,
    check_grid_barriers,
    check_intrinsics,
    check_memory,
    check_options,
    check_spaces,
    check_sub_groups,
)
from kcc.tracegen.printf import format_printf
from kcc.tracegen.races import RaceDetector, explain_race
from kcc.tracegen.simt.explicit import explicit_memory
from kcc.tracegen.simt.inlined import inlined
from kcc.tracegen.simt.jit import NativeProgram, compile_program
from kcc.tracegen.simt.layout import (
    LOCAL_BASE,
    MARGIN_BYTES,
    OBJECT_ALIGNMENT,
    FaultKind,
    Worker,
)
from kcc.tracegen.simt.plan import Object, Plan
from kcc.tracegen.simt.program import (
    ProgramOptions,
    TraceMode,
    make_plan,
    program_key,
    write_program,
)
from kcc.tracegen.simt.schedule import BLOCKS_FUNCTION
from kcc.tracegen.simt.target import find_roots
from kcc.tracegen.simt.undefined import is_added, watched
from kcc.tracegen.workers import CrashError, TraceCallback, WorkerLaunch, WorkerPool, is_order_free

SHORT_LAUNCH = 200_000
"""Warp instructions, about a millisecond, below which handing a launch to threads costs more than
it saves; taken to be as many per thread block as in the kernel's latest launch."""

DEFAULT_BUDGET = 1 << 28
"""Warp instructions a single warp may execute before it counts as endless: seconds of run time in
most loops and a minute in one of atomics that all lanes execute; more than ten times what the
longest warp of kernels/ needs at size large."""


@dataclass(frozen=True, slots=True)
class NDRange:
    """A launch: work-items in all and per thread block in each of one to three dimensions."""

    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    offset: tuple[int, ...] = ()
    dynamic_local_bytes: int = 0
    """The size of a CUDA kernel's ``extern __shared__`` arrays."""

    @property
    def dimensions(self) -> int:
        return len(self.global_size)

    @property
    def blocks(self) -> tuple[int, int, int]:
        sizes = zip(_three(self.global_size, 1), _three(self.local_size, 1), strict=True)
        x, y, z = (all_ // own for all_, own in sizes)
        return (x, y, z)


@dataclass(frozen=True, slots=True)
class LocalMemory:
    """The argument for a ``__local`` pointer: that many bytes for each thread block."""

    size_bytes: int


KernelArgument = (
    NDArray[np.generic]
    | np.generic
    | int
    | float
    | bytes
    | LocalMemory
    | ImageData
    | Sampler
    | None
)
"""An array for a pointer to global or constant memory, None for a null pointer; a number for a
scalar; an array or bytes for a vector or a struct by value; an image; a sampler."""


@dataclass(frozen=True, slots=True)
class ExecutionOptions:
    """How to run: ``workers`` threads, ``width`` lanes in a warp, warp instructions allowed to
    one warp, what to trace, where compiled code is kept."""

    workers: int = 1
    width: int = 32
    budget: int = DEFAULT_BUDGET
    trace: TraceMode = TraceMode.OFF
    on_trace: TraceCallback | None = None
    cache_dir: Path | None = None
    counting: bool = True
    check: bool = False
    """Watch every value for bits that were never set; for code that was not optimised."""
    races: bool = False
    """Look for data races first: the launch runs once more, slowly."""
    unwritten: bool = False
    """Let local and private memory be read that was never written: it gives any value."""


@dataclass(frozen=True, slots=True)
class BlockCount:
    """How often warps executed a basic block, and how many lanes were active in all."""

    executions: int
    lanes: int


@dataclass(frozen=True, slots=True)
class Execution:
    """What a launch did. ``buffers`` has, by argument index, every array after the launch (parts
    of the launch's memory: running it again changes them)."""

    buffers: dict[int, NDArray[np.generic]]
    counts: tuple[BlockCount, ...]
    warp_instructions: int
    """Instructions executed by warps with at least one active lane, phis left out."""
    thread_instructions: int
    printed: tuple[str, ...]
    """What printf calls printed, by thread block."""
    plan: Plan = field(repr=False)


DEFAULTS = ExecutionOptions()


def execute(
    unit: CompiledUnit,
    kernel: Kernel,
    launch: NDRange,
    arguments: Sequence[KernelArgument],
    options: ExecutionOptions = DEFAULTS,
    memory: DeviceMemory | None = None,
) -> Execution:
    """Run ``kernel`` of ``unit``; the arrays given are not changed, but for those that lie in
    ``memory``: the kernel works on them where they are.

    Raises :class:`DiagnosticError` for arguments that do not fit the kernel (K70x) and for what
    the kernel does wrong (K71x).
    """
    if options.races:
        look_for_races(unit, kernel, launch, arguments, options)
    return prepare(unit, kernel, launch, arguments, options, memory).run()


def look_for_races(
    unit: CompiledUnit, kernel: Kernel, launch: NDRange, arguments: Sequence[KernelArgument],
    options: ExecutionOptions,
) -> None:  # fmt: skip
    """Run the launch with a trace of addresses; raise K721 for a data race. It goes before other
    faults, which may come of it."""
    tracing = replace(options, workers=1, trace=TraceMode.ADDRESSES, counting=False)
    again = prepare(unit, kernel, launch, arguments, tracing)
    detector = RaceDetector(again.plan)
    again.options = replace(tracing, on_trace=detector.add)
    again.run_regardless()
    race = detector.finish()
    if race is not None:
        item = again.object_at(race.address)
        found = explain_race(race, again.plan, item, again.global_id, kernel.name, kernel.span)
        raise DiagnosticError([found])


def prepare(
    unit: CompiledUnit,
    kernel: Kernel,
    launch: NDRange,
    arguments: Sequence[KernelArgument],
    options: ExecutionOptions = DEFAULTS,
    memory: DeviceMemory | None = None,
) -> PreparedLaunch:
    """What :func:`execute` does before it runs: compile the kernel, place the arguments."""
    check_options(kernel, options.width, options.workers, options.budget)
    check_sub_groups(unit, kernel, options.width)
    check_spaces(kernel)
    unit, kernel = explicit_memory(*inlined(unit, kernel))
    if options.check:
        unit, kernel = watched(unit, kernel)
    program = _program(unit, kernel, _wanted(kernel, launch, options), options.cache_dir)
    return PreparedLaunch(unit, kernel, program, launch, options, list(arguments), memory)


def _wanted(
    kernel: Kernel, launch: NDRange, options: ExecutionOptions, *, precise: bool = False
) -> ProgramOptions:
    return ProgramOptions(
        options.width, options.trace, options.counting, precise or options.check, options.check,
        lenient=kernel.language is Language.CUDA,
        dynamic_local_bytes=launch.dynamic_local_bytes,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Program:
    """A kernel, compiled, with what every launch of it needs to know."""

    plan: Plan
    native: NativeProgram
    order_free: bool
    written: frozenset[int]
    """Arguments it may write through."""
    instructions: NDArray[np.int64]
    """Of each basic block, phis left out."""


@lru_cache(maxsize=64)
def _program(
    unit: CompiledUnit, kernel: Kernel, options: ProgramOptions, cache_dir: Path | None
) -> Program:
    """A kernel compiled, kept for the next launch."""
    check_intrinsics(kernel)
    plan = make_plan(kernel, unit.module, options.width, options.dynamic_local_bytes)

    def write() -> str:
        return write_program(plan, options)

    key = program_key(unit, kernel, options)
    return Program(
        plan,
        compile_program(key, write, BLOCKS_FUNCTION, cache_dir),
        is_order_free(plan.function),
        frozenset(_written_arguments(plan)),
        np.array(
            [
                sum(i.opcode.word != "phi" and not is_added(i) for i in b.instructions)
                for b in plan.function.blocks
            ],
            np.int64,
        ),
    )


def forget_programs() -> None:
    """Drop the compiled kernels kept in memory."""
    _program.cache_clear()


class PreparedLaunch:
    """One launch with its memory in place. Running it again goes on with what the memory holds."""

    def __init__(
        self, unit: CompiledUnit, kernel: Kernel, program: Program, launch: NDRange,
        options: ExecutionOptions, arguments: list[KernelArgument],
        memory: DeviceMemory | None = None,
    ) -> None:  # fmt: skip
        self.unit, self.kernel, self.program = unit, kernel, program
        self.plan, self.native = program.plan, program.native
        self.launch, self.options = launch, options
        self.arguments = arguments
        check_arguments(kernel, arguments, LocalMemory)
        check_geometry(kernel, launch.global_size, launch.local_size, launch.offset)
        check_grid_barriers(kernel, math.prod(launch.blocks))
        self.local_objects, self.local_bytes = self._place_locals()
        check_memory(kernel, self.plan, self.local_bytes - MARGIN_BYTES, launch.dynamic_local_bytes)
        contents = [self._contents(i) for i in range(len(arguments))]
        self.memory = memory
        self.images = {
            i: _Pixels(v, memory) for i, v in enumerate(arguments) if isinstance(v, ImageData)
        }
        self.arena = (
            build_arena(self.plan, contents)
            if memory is None
            else shared_arena(self.plan, contents, memory)
        )
        self.argument_image, self.objects = self._argument_image()
        self.lids, self.live = _local_ids(_three(launch.local_size, 1), options.width)

    def _contents(self, index: int) -> tuple[str, Bytes] | None:
        """The bytes that a pointer argument points to, or of a struct by value."""
        value = self.arguments[index]
        argument = self.plan.function.arguments[index]
        name = self.kernel.arguments[index].name
        is_pointer = str(argument.type).startswith("ptr")
        if argument.attributes.byval is not None:
            return name, np.frombuffer(bytes_of(value), np.uint8)
        if is_pointer and isinstance(value, np.ndarray):
            return name, np.ascontiguousarray(value).reshape(-1).view(np.uint8)
        return None

    def _place_locals(self) -> tuple[dict[int, Object], int]:
        """Local memory handed in as arguments comes after what the kernel declares."""
        position = max(self.plan.local_bytes, MARGIN_BYTES)
        placed = dict[int, Object]()
        for index, value in enumerate(self.arguments):
            if isinstance(value, LocalMemory):
                position = -(-position // OBJECT_ALIGNMENT) * OBJECT_ALIGNMENT
                name = self.kernel.arguments[index].name
                placed[index] = Object(name, LOCAL_BASE + position, value.size_bytes, 3)
                position += value.size_bytes + 16
        return placed, position

    def _argument_image(self) -> tuple[Bytes, NDArray[np.int64]]:
        image = aligned_bytes(self.plan.argument_bytes + 64)
        objects = np.zeros((len(self.arguments) + 1, 2), np.int64)
        for index, value in enumerate(self.arguments):
            offset = self.plan.argument_offsets[index]
            item = self.arena.buffers[index] or self.local_objects.get(index)
            if item is not None:
                objects[index] = item.address, item.size_bytes
                data = item.address.to_bytes(8, "little")
            elif value is None:
                data = bytes(8)
            elif isinstance(value, ImageData):
                data = self.images[index].record.ctypes.data.to_bytes(8, "little")
            elif isinstance(value, Sampler):
                data = value.bits.to_bytes(8, "little")
            else:
                data = _scalar_image(value, str(self.plan.function.arguments[index].type))
            image[offset : offset + len(data)] = np.frombuffer(data, np.uint8)
        return image, objects

    def run(self) -> Execution:
        pool = self._pool(precise=self.options.check)
        before = self._arguments_before()
        record = self._run_pool(pool)
        if pool.is_suspect and not self.options.unwritten:
            self._look_closely(before)
        if record is not None:
            raise DiagnosticError([explain(self._fault(record))])
        return self._result(pool.counts(), pool.printed())

    def run_regardless(self) -> None:
        """Run for the sake of the trace, as far as it goes."""
        self._run_pool(self._pool(precise=False))

    def _run_pool(self, pool: WorkerPool) -> NDArray[np.int64] | None:
        """The record of the first fault, if any."""
        try:
            return pool.run(math.prod(self.launch.blocks))
        except CrashError as crash:
            sizes = (self.launch.global_size, self.launch.local_size)
            shown = " in work-groups of ".join(" x ".join(map(str, each)) for each in sizes)
            what = f"compiled code of kernel '{self.kernel.name}' ({self.kernel.span})"
            message = f"{what} ended in {crash}, launched over {shown}"
            raise InternalError("execution", message) from crash

    def object_at(self, address: int) -> Object | None:
        """The buffer, constant or local array an address lies in."""
        local = (*self.plan.locals.values(), *self.local_objects.values())
        everything = (*self.arena.objects, *local)
        inside = (o for o in everything if o.address <= address < o.address + o.size_bytes)
        return next(inside, None)

    def global_id(self, block: int, item: int) -> tuple[int, int, int]:
        """Of a work-item by its linear number in its thread block."""
        nx, ny, _ = self.launch.blocks
        own = _three(self.launch.local_size, 1)
        group = (block % nx, block // nx % ny, block // (nx * ny))
        local = (item % own[0], item // own[0] % own[1], item // (own[0] * own[1]))
        sides = zip(group, own, local, _three(self.launch.offset, 0), strict=True)
        x, y, z = (g * size + i + o for g, size, i, o in sides)
        return (x, y, z)

    def _pool(self, *, precise: bool) -> WorkerPool:
        blocks, pace = math.prod(self.launch.blocks), self.native.pace
        alone = not self.program.order_free or (pace is not None and pace * blocks < SHORT_LAUNCH)
        workers = 1 if alone else self.options.workers
        launch = self._worker_launch(precise=precise)
        return WorkerPool(self.native, launch, workers, self.options.on_trace, self._print)

    def _arguments_before(self) -> list[KernelArgument]:
        """The arguments as they are now, should the launch have to be repeated: copies of the
        arrays it works on in place, where there is memory whose reads are watched."""
        watched = self.plan.locals or self.plan.allocas or self.local_objects
        if self.memory is None or not watched:
            return self.arguments
        return [
            value.copy()
            if index in self.program.written and isinstance(value, np.ndarray)
            else value
            for index, value in enumerate(self.arguments)
        ]

    def _look_closely(self, arguments: list[KernelArgument]) -> None:
        """Something may have been read that was never written: repeat the launch with memory that
        knows, and raise if so."""
        options = replace(self.options, trace=TraceMode.OFF, on_trace=None, counting=False)
        wanted = _wanted(self.kernel, self.launch, options, precise=True)
        program = _program(self.unit, self.kernel, wanted, options.cache_dir)
        again = PreparedLaunch(self.unit, self.kernel, program, self.launch, options, arguments)
        record = again._run_pool(again._pool(precise=True))
        if record is not None and record[Worker.FAULT_KIND] == FaultKind.UNINITIALISED:
            raise DiagnosticError([explain(again._fault(record))])

    def _worker_launch(self, *, precise: bool) -> WorkerLaunch:
        launch, plan = self.launch, self.plan
        return WorkerLaunch(
            plan=plan,
            tracing=self.options.trace is not TraceMode.OFF,
            warps=len(self.live),
            local_bytes=self.local_bytes,
            precise=precise,
            words={
                Worker.ARENA: self.arena.host_base,
                Worker.ARGUMENTS: self.argument_image.ctypes.data,
                Worker.OBJECTS: self.objects.ctypes.data,
                Worker.LOCAL_IDS: self.lids.ctypes.data,
                Worker.LIVE_MASKS: self.live.ctypes.data,
                Worker.WORK_DIM: launch.dimensions,
                Worker.WARPS: len(self.live),
                Worker.BUDGET: self.options.budget,
                Worker.LOCAL_LOW: LOCAL_BASE + MARGIN_BYTES,
                Worker.LOCAL_BYTES: self.local_bytes - MARGIN_BYTES,
                Worker.PRIVATE_BYTES: plan.private_bytes,
                Worker.ARENA_LOW: self.arena.low,
                Worker.ARENA_BYTES: self.arena.bytes,
                Worker.ARENA_SHADOW: self._shadow_distance(),
                **_words(Worker.GROUPS_X, launch.blocks),
                **_words(Worker.LOCAL_X, _three(launch.local_size, 1)),
                **_words(Worker.GLOBAL_X, _three(launch.global_size, 1)),
                **_words(Worker.OFFSET_X, _three(launch.offset, 0)),
            },
        )

    def _shadow_distance(self) -> int:
        """Bytes from the arena to its shadow, which says what of it was never set; memory of this
        launch alone was set by the caller."""
        if not self.options.check:
            return 0
        if self.memory is not None:
            return self.memory.shadow_distance
        self._shadow = aligned_bytes(len(self.arena.memory))
        return self._shadow.ctypes.data - self.arena.memory.ctypes.data

    def _fault(self, word: NDArray[np.int64]) -> Fault:
        return Fault(
            kind=FaultKind(int(word[Worker.FAULT_KIND])),
            instruction=int(word[Worker.FAULT_INSTRUCTION]),
            lane=int(word[Worker.FAULT_LANE]),
            warp=int(word[Worker.FAULT_WARP]),
            block=int(word[Worker.FAULT_BLOCK]),
            address=int(word[Worker.FAULT_ADDRESS]),
            unit=self.unit,
            kernel=self.kernel,
            plan=self.plan,
            arena=self.arena,
            local_objects=tuple(self.local_objects.values()),
            local_ids=self.lids,
            blocks=self.launch.blocks,
            local_size=_three(self.launch.local_size, 1),
            offset=_three(self.launch.offset, 0),
        )

    def _result(self, counts: NDArray[np.int64], printed: list[str]) -> Execution:
        executions, lanes = counts[::2], counts[1::2]
        sizes = self.program.instructions
        warp_instructions = int(executions @ sizes)
        self.native.pace = warp_instructions / math.prod(self.launch.blocks)
        buffers = dict[int, NDArray[np.generic]]()
        for index, value in enumerate(self.arguments):
            item = self.arena.buffers[index]
            if item is not None and isinstance(value, np.ndarray):
                data = self.arena.view(item).view(value.dtype)
                buffers[index] = data.reshape(value.shape)
            elif index in self.images:
                buffers[index] = self.images[index].pixels
        return Execution(
            buffers,
            tuple(map(BlockCount, executions.tolist(), lanes.tolist())),
            warp_instructions,
            int(lanes @ sizes),
            tuple(printed),
            self.plan,
        )

    def _print(self, words: list[int]) -> str:
        """The text of one printf call of one work-item; the first word is the format's address."""
        return format_printf(self._string(words[0]), words[1:], self._string)

    def _string(self, address: int) -> str:
        """The string at an address."""
        item = self.arena.find(address)
        if item is None:
            return ""
        data = self.arena.view(item)[address - item.address :].tobytes()
        return data.split(b"\0", 1)[0].decode("utf-8", "replace")


class _Pixels:
    """An image's pixels, a copy unless they lie in ``memory``, with their descriptor."""

    def __init__(self, image: ImageData, memory: DeviceMemory | None) -> None:
        stays = memory is not None and memory.offset_of(image.pixels) is not None
        self.pixels = image.pixels if stays else np.array(image.pixels, order="C")
        self.record = descriptor(image, self.pixels)


def _written_arguments(plan: Plan) -> set[int]:
    """Arguments through which the kernel may write; all of them where a pointer is not traced."""
    written = set[int]()
    for instruction in plan.function.instructions:
        if isinstance(instruction, (Store, AtomicRmw, CompareExchange, Call)):
            for operand in instruction.operands:
                if str(operand.type).startswith("ptr"):
                    roots = find_roots(plan, operand)
                    written |= {r.index for r in roots if isinstance(r, ArgumentRef)}
                    if any(
                        isinstance(r, InstructionRef) and r.index not in plan.allocas for r in roots
                    ):
                        return set(range(len(plan.function.arguments)))
    return written


@lru_cache(maxsize=64)
def _local_ids(
    local_size: tuple[int, int, int], width: int
) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
    """Local ids by warp, dimension and lane, and each warp's mask of lanes that exist."""
    x, y, z = local_size
    count = x * y * z
    warps = -(-count // width)
    linear = np.arange(warps * width)
    ids = np.stack([linear % x, linear // x % y, linear // (x * y)])
    table = aligned_bytes(warps * 3 * width * 4).view(np.int32).reshape(warps, 3, width)
    table[:] = ids.reshape(3, warps, width).transpose(1, 0, 2)
    exists = (linear < count).reshape(warps, width)
    masks = [sum(1 << i for i in range(width) if row[i]) for row in exists]
    return table, np.array(masks, np.uint64)


def _words(first: Worker, values: tuple[int, int, int]) -> dict[Worker, int]:
    return {Worker(first + i): value for i, value in enumerate(values)}


def _three(sizes: tuple[int, ...], otherwise: int) -> tuple[int, int, int]:
    x, y, z = (*sizes, otherwise, otherwise, otherwise)[:3]
    return (x, y, z)


def bytes_of(value: KernelArgument) -> bytes:
    """The bytes of an argument passed by value."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tobytes()
    assert isinstance(value, bytes)
    return value


_SCALARS = {
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "half": np.float16,
    "float": np.float32, "double": np.float64,
}  # fmt: skip


def _scalar_image(value: KernelArgument, type_: str) -> bytes:
    if isinstance(value, (int, float)) and type_ == "i1":
        return bytes([bool(value)])  # CUDA's bool
    if isinstance(value, (int, float)):
        wanted = _SCALARS[type_]
        if isinstance(value, int) and np.issubdtype(wanted, np.integer):
            size = np.dtype(wanted).itemsize
            return (value & ((1 << (8 * size)) - 1)).to_bytes(size, "little")
        return wanted(value).tobytes()
    return bytes_of(value)
