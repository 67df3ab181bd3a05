"""Launches of random programs on the engine, on PoCL and on the plain interpreter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import ExecutionOptions, NDRange, execute
from kcc.tracegen.simt.program import TraceMode
from tests.pocl import build
from tests.tracegen.block_trace import BlockTrace
from tests.tracegen.program_types import BUFFERS, INPUTS, SLOTS, TOTALS
from tests.tracegen.programs import HALVES, PREAMBLE, write_kernel
from tests.tracegen.reference import Array, Step, interpret

if TYPE_CHECKING:
    import pyopencl

LOCAL_SIZE = 72
"""Two full warps of 32 lanes and a partial one, a full and a partial one of 64."""
MANY_BLOCKS = 70
"""More than one chunk, so that two workers have something to do."""
FEW_BLOCKS = 2
SCALARS = (np.int32(-77), np.uint32(13))


@dataclass(frozen=True, slots=True)
class Setting:
    """How the engine is to run a program; a launch is ``blocks`` thread blocks of ``local_size``,
    in as many dimensions."""

    level: OptLevel
    width: int
    workers: int
    local_size: tuple[int, ...] = (LOCAL_SIZE,)
    offset: tuple[int, ...] = ()

    def launch(self, blocks: int) -> NDRange:
        """The blocks lie along the last dimension, or along two if there are many."""
        groups = [1] * len(self.local_size)
        groups[-1] = blocks
        if len(groups) > 1 and blocks % 7 == 0:
            groups[0], groups[-1] = 7, blocks // 7
        whole = tuple(n * size for n, size in zip(groups, self.local_size, strict=True))
        return NDRange(whole, self.local_size, self.offset)


SETTINGS = (
    Setting(OptLevel.O1, 32, 2), Setting(OptLevel.O2, 64, 1, (9, 8)),
    Setting(OptLevel.O2, 32, 1, (6, 4, 3)), Setting(OptLevel.O1, 64, 2, (72,), (1000,)),
)  # fmt: skip


PER_BUILD = 8
"""Kernels in one program for PoCL, which takes its time for each build."""


def setting_of(seed: int) -> Setting:
    """How the program of a seed is run."""
    return SETTINGS[seed // PER_BUILD % len(SETTINGS)]


def sources(first: int, count: int, *, halves: bool = False) -> str:
    """Kernels ``k0``, ``k1`` ... in one program."""
    kernels = (write_kernel(first + i, LOCAL_SIZE, f"k{i}", halves=halves) for i in range(count))
    return (HALVES if halves else "") + PREAMBLE + "\n".join(kernels)


def inputs(blocks: int, seed: int = 5) -> list[Array]:
    """The buffers in the order of the parameters; floats are small and exact."""
    rng = np.random.default_rng(seed)
    items = blocks * LOCAL_SIZE
    numbers = rng.integers(-40, 300, INPUTS).astype(np.int32)
    numbers[::7] = rng.integers(-(2**31), 2**31, len(numbers[::7]))
    return [
        numbers,
        rng.integers(0, 2**64, INPUTS, dtype=np.uint64),
        (rng.integers(-200, 200, INPUTS) / 8).astype(np.float32),
        (rng.integers(-500, 500, INPUTS) / 32).astype(np.float16),
        np.zeros(items * SLOTS, np.uint64),
        np.zeros(items * SLOTS, np.float32),
        np.zeros(items * SLOTS, np.float16),
        np.zeros(TOTALS, np.uint32),
        np.zeros(TOTALS, np.int32),
        np.zeros(TOTALS, np.uint64),
    ]


def compiled(source: str, level: OptLevel) -> CompiledUnit:
    return compile_source(SourceText("program.cl", source, "."), BuildOptions(opt_level=level))


def on_pocl(
    context: pyopencl.Context, source: str, names: list[str], setting: Setting
) -> dict[str, list[Array]]:
    """The buffers after a launch of each kernel. PoCL builds without its optimiser, which makes
    wrong code of about one program in 300, and takes twice as long."""
    import pyopencl as cl

    program = build(context, source, "-cl-std=CL1.2 -cl-opt-disable")
    queue, flags = cl.CommandQueue(context), cl.mem_flags
    launch, results = setting.launch(MANY_BLOCKS), dict[str, list[Array]]()
    for name in names:
        host = inputs(MANY_BLOCKS)
        buffers = [
            cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=h) for h in host
        ]
        kernel: Any = cl.Kernel(program, name)
        kernel.set_args(*buffers, *SCALARS)
        cl.enqueue_nd_range_kernel(
            queue, kernel, launch.global_size, launch.local_size, launch.offset or None
        )
        for own, device in zip(host, buffers, strict=True):
            cl.enqueue_copy(queue, own, device)
        results[name] = host
    return results


def on_engine(
    unit: CompiledUnit, kernel: Kernel, setting: Setting, blocks: int, *, trace: bool = False
) -> tuple[list[Array], dict[tuple[int, int], list[Step]]]:
    """The buffers, and what the warps did if asked."""
    collected = BlockTrace()
    options = ExecutionOptions(
        workers=setting.workers, width=setting.width,
        trace=TraceMode.BLOCKS if trace else TraceMode.OFF, on_trace=collected.add,
    )  # fmt: skip
    given = [*inputs(blocks), *SCALARS]
    done = execute(unit, kernel, setting.launch(blocks), given, options)
    found = [done.buffers[i] for i in range(len(BUFFERS))]
    return found, collected.steps(done.plan) if trace else {}


def on_reference(
    unit: CompiledUnit, kernel: Kernel, setting: Setting
) -> tuple[list[Array], dict[tuple[int, int], list[Step]]]:
    """The same on the plain interpreter, for few blocks."""
    launch = setting.launch(FEW_BLOCKS)
    given = [*inputs(FEW_BLOCKS), *SCALARS]
    done = interpret(unit, kernel, launch, given, setting.width)  # type: ignore[arg-type]
    return [done.buffers[i] for i in range(len(BUFFERS))], done.steps


def difference(found: list[Array], wanted: list[Array]) -> str | None:
    """Where the first buffer differs; all NaNs are the same."""
    for name, a, b in zip(BUFFERS, found, wanted, strict=True):
        same = (a == b) | ((a != a) & (b != b))  # noqa: PLR0124 -- NaN
        if not same.all():
            place = int(np.argmin(same))
            return f"{name}[{place}] is {a[place]}, not {b[place]} ({(~same).sum()} differ)"
    return None


def reference_difference(source: str, setting: Setting) -> str | None:
    """What the engine does otherwise than the interpreter, of the first kernel that differs."""
    unit = compiled(source, setting.level)
    found = (_steps_difference(unit, kernel, setting) for kernel in unit.kernels)
    return next((text for text in found if text is not None), None)


def _steps_difference(unit: CompiledUnit, kernel: Kernel, setting: Setting) -> str | None:
    found, steps = on_engine(unit, kernel, setting, FEW_BLOCKS, trace=True)
    wanted, wanted_steps = on_reference(unit, kernel, setting)
    if (text := difference(found, wanted)) is not None:
        return f"{kernel.name}: {text}, says the interpreter"
    for key, own in wanted_steps.items():
        if steps.get(key) != own:
            return f"{kernel.name}: warp {key} took {steps.get(key)}, not {own}"
    return None


def compared_kernels(
    unit: CompiledUnit, wanted: dict[str, list[Array]], setting: Setting
) -> Iterator[str | None]:
    """For each kernel what the engine does otherwise than PoCL or than the interpreter."""
    for kernel in unit.kernels:
        found, _ = on_engine(unit, kernel, setting, MANY_BLOCKS, trace=True)
        text = difference(found, wanted[kernel.name])
        yield _steps_difference(unit, kernel, setting) if text is None else f"{text}, says PoCL"


def pocl_difference(context: pyopencl.Context, source: str, setting: Setting) -> str | None:
    """What the engine leaves otherwise in memory than PoCL."""
    unit = compiled(source, setting.level)
    wanted = on_pocl(context, source, [k.name for k in unit.kernels], setting)
    for kernel in unit.kernels:
        found, _ = on_engine(unit, kernel, setting, MANY_BLOCKS)
        if (text := difference(found, wanted[kernel.name])) is not None:
            return f"{kernel.name}: {text}, says PoCL"
    return None
