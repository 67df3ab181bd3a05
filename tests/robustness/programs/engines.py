"""Runs programs on one engine, in a process of its own that may die:
``python -m tests.robustness.programs.engines ENGINE`` reads seeds or paths of sources, a line each,
and answers each with a digest of the results, or ``!`` and what is wrong.

Engines: ``kcc-O0``, ``kcc-O1``, ``kcc-O2``; ``interpreter`` (the plain one of
tests/tracegen/reference.py on the code as lowered), ``pocl``, ``oclgrind``.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import ExecutionOptions, NDRange, execute
from tests.pocl import build, choose_device
from tests.robustness.programs.drawing import LOCAL_SIZE, SLOTS, TOTALS, draw_program
from tests.robustness.programs.expressions import INPUTS
from tests.tracegen.reference import interpret

if TYPE_CHECKING:
    import pyopencl

Array = NDArray[np.generic]
Engine = Callable[[str], list[Array]]

ITEMS = 2 * LOCAL_SIZE
LAUNCH = NDRange((ITEMS,), (LOCAL_SIZE,))
SCALARS = (np.int32(-77), np.uint32(13))
OUT, TOTAL = 4, 5
PLATFORMS = {"pocl": "Portable Computing Language", "oclgrind": "Oclgrind"}


def inputs() -> list[Array]:
    """The buffers, the same for all programs: small numbers, and the edges of their types."""
    rng = np.random.default_rng(11)
    ints = rng.integers(-40, 300, INPUTS).astype(np.int32)
    ints[::7] = rng.integers(-(2**31), 2**31, len(ints[::7]))
    longs = rng.integers(0, 2**64, INPUTS, dtype=np.uint64)
    longs[::3] %= np.uint64(200)
    floats = (rng.integers(-200, 200, INPUTS) / 8).astype(np.float32)
    floats[:6] = [3e9, -1e20, 0.1, 2**24 + 2, 1e-30, -0.5]
    totals = np.zeros(TOTALS, np.uint32)
    chars = rng.integers(-128, 128, INPUTS).astype(np.int8)
    return [chars, ints, longs, floats, np.zeros(ITEMS * SLOTS, np.uint64), totals]


def unit_of(source: str, level: OptLevel) -> CompiledUnit:
    return compile_source(SourceText("program.cl", source, "."), BuildOptions(opt_level=level))


def on_kcc(source: str, level: OptLevel) -> list[Array]:
    """The results of kcc's engine."""
    unit = unit_of(source, level)
    options = ExecutionOptions(workers=1, budget=1_000_000)
    done = execute(unit, unit.kernels[0], LAUNCH, [*inputs(), *SCALARS], options)
    return [done.buffers[OUT], done.buffers[TOTAL]]


def on_interpreter(source: str) -> list[Array]:
    """The results of the plain interpreter on unoptimised code."""
    unit = unit_of(source, OptLevel.O0)
    given = [*inputs(), *SCALARS]
    done = interpret(unit, unit.kernels[0], LAUNCH, given, 32)  # type: ignore[arg-type]
    return [done.buffers[OUT], done.buffers[TOTAL]]


def on_device(device: pyopencl.Device) -> Engine:
    """The results of an OpenCL device. PoCL builds without its optimiser, which makes wrong code of
    about one program in 300."""
    import pyopencl as cl

    context = cl.Context([device])
    queue, flags = cl.CommandQueue(context), cl.mem_flags

    def results(source: str) -> list[Array]:
        program = build(context, source, "-cl-std=CL1.2 -cl-opt-disable")
        host = inputs()
        buffers = [
            cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=h) for h in host
        ]
        kernel = cl.Kernel(program, "k")
        kernel.set_args(*buffers, *SCALARS)
        cl.enqueue_nd_range_kernel(queue, kernel, LAUNCH.global_size, LAUNCH.local_size)
        for place in (OUT, TOTAL):
            cl.enqueue_copy(queue, host[place], buffers[place])
        return [host[OUT], host[TOTAL]]

    return results


def _device(name: str) -> pyopencl.Device:
    import pyopencl as cl

    if name == "pocl":
        return choose_device()
    (platform,) = (p for p in cl.get_platforms() if p.name == PLATFORMS[name])
    return platform.get_devices()[0]


def engine_of(name: str) -> Engine:
    """The engine of that name."""
    if name.startswith("kcc-"):
        level = OptLevel[name.removeprefix("kcc-")]
        return lambda source: on_kcc(source, level)
    return on_interpreter if name == "interpreter" else on_device(_device(name))


def digest(results: list[Array]) -> str:
    return hashlib.sha256(b"".join(a.tobytes() for a in results)).hexdigest()[:16]


def source_of(case: str) -> str:
    """The source of a seed, or of a file."""
    return draw_program(int(case)).source() if case.isdigit() else Path(case).read_text("utf-8")


def answer(engine: Engine, source: str) -> str:
    """What a program gives, or how it fails: whatever happens is an answer."""
    try:
        return digest(engine(source))
    except DiagnosticError as error:
        first = error.diagnostics[0]
        return f"!{first.code} {first.message}".replace("\n", " ")
    except Exception as error:  # noqa: BLE001 -- whatever it is, it is what we look for
        return f"!{type(error).__name__} {error}".replace("\n", " ")[:300]


def main() -> None:
    """Answer the cases that come on standard input."""
    engine = engine_of(sys.argv[1])
    for line in sys.stdin:
        sys.stdout.write(answer(engine, source_of(line.strip())) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
