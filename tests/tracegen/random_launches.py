"""Launches of random programs on the engine, on PoCL and on the plain interpreter."""

from __future__ import annotations

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
from tests.tracegen.programs import INPUTS, PREAMBLE, SLOTS, TOTALS, write_kernel
from tests.tracegen.reference import Array, Step, interpret

if TYPE_CHECKING:
    import pyopencl

LOCAL_SIZE = 40
"""A full and a partial warp of 32 lanes, a partial one of 64."""
MANY_BLOCKS = 70
"""More than one chunk, so that two workers have something to do."""
FEW_BLOCKS = 2
SCALARS = (np.int32(-77), np.uint32(13))


@dataclass(frozen=True, slots=True)
class Setting:
    """How the engine is to run a program."""

    level: OptLevel
    width: int
    workers: int


SETTINGS = (
    Setting(OptLevel.O1, 32, 2), Setting(OptLevel.O2, 64, 1),
    Setting(OptLevel.O2, 32, 1), Setting(OptLevel.O1, 64, 2),
)  # fmt: skip


def sources(first: int, count: int) -> str:
    """Kernels ``k0``, ``k1`` ... in one program."""
    kernels = (write_kernel(first + i, LOCAL_SIZE, f"k{i}") for i in range(count))
    return PREAMBLE + "\n".join(kernels)


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
        np.zeros(items * SLOTS, np.uint64),
        np.zeros(items * SLOTS, np.float32),
        np.zeros(TOTALS, np.uint32),
        np.zeros(TOTALS, np.int32),
    ]


def compiled(source: str, level: OptLevel) -> CompiledUnit:
    return compile_source(SourceText("program.cl", source, "."), BuildOptions(opt_level=level))


def on_pocl(context: pyopencl.Context, source: str, names: list[str]) -> dict[str, list[Array]]:
    """The buffers after a launch of each kernel."""
    import pyopencl as cl

    program = build(context, source, "-cl-std=CL1.2")
    queue, flags = cl.CommandQueue(context), cl.mem_flags
    results = dict[str, list[Array]]()
    for name in names:
        host = inputs(MANY_BLOCKS)
        buffers = [
            cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=h) for h in host
        ]
        kernel: Any = cl.Kernel(program, name)
        kernel(queue, (MANY_BLOCKS * LOCAL_SIZE,), (LOCAL_SIZE,), *buffers, *SCALARS)
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
    launch = NDRange((blocks * LOCAL_SIZE,), (LOCAL_SIZE,))
    done = execute(unit, kernel, launch, [*inputs(blocks), *SCALARS], options)
    return [done.buffers[i] for i in range(7)], collected.steps(done.plan) if trace else {}


def on_reference(
    unit: CompiledUnit, kernel: Kernel, width: int
) -> tuple[list[Array], dict[tuple[int, int], list[Step]]]:
    """The same on the plain interpreter, for few blocks."""
    launch = NDRange((FEW_BLOCKS * LOCAL_SIZE,), (LOCAL_SIZE,))
    given = [*inputs(FEW_BLOCKS), *SCALARS]
    done = interpret(unit, kernel, launch, given, width)  # type: ignore[arg-type]
    return [done.buffers[i] for i in range(7)], done.steps


def difference(found: list[Array], wanted: list[Array]) -> str | None:
    """Where the first buffer differs; all NaNs are the same."""
    names = ("ia", "la", "fa", "out", "fout", "totals", "stotals")
    for name, a, b in zip(names, found, wanted, strict=True):
        same = (a == b) | ((a != a) & (b != b))  # noqa: PLR0124 -- NaN
        if not same.all():
            place = int(np.argmin(same))
            return f"{name}[{place}] is {a[place]}, not {b[place]} ({(~same).sum()} differ)"
    return None


def reference_difference(source: str, setting: Setting) -> str | None:
    """What the engine does otherwise than the interpreter, of the first kernel that differs."""
    unit = compiled(source, setting.level)
    for kernel in unit.kernels:
        found, steps = on_engine(unit, kernel, setting, FEW_BLOCKS, trace=True)
        wanted, wanted_steps = on_reference(unit, kernel, setting.width)
        if (text := difference(found, wanted)) is not None:
            return f"{kernel.name}: {text}"
        for key, own in wanted_steps.items():
            if steps.get(key) != own:
                return f"{kernel.name}: warp {key} took {steps.get(key)}, not {own}"
    return None


def pocl_difference(context: pyopencl.Context, source: str, setting: Setting) -> str | None:
    """What the engine leaves otherwise in memory than PoCL."""
    unit = compiled(source, setting.level)
    wanted = on_pocl(context, source, [k.name for k in unit.kernels])
    for kernel in unit.kernels:
        found, _ = on_engine(unit, kernel, setting, MANY_BLOCKS)
        if (text := difference(found, wanted[kernel.name])) is not None:
            return f"{kernel.name}: {text}"
    return None
