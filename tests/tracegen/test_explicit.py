"""memcpy, memset and memmove, which clang makes of loops and copies: as loads and stores."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import Execution, ExecutionOptions, NDRange, TraceMode, execute
from kcc.tracegen.simt.explicit import explicit_memory
from kcc.tracegen.trace_stream import TraceReader

SOURCE = """
struct Row { int a[40]; float b; };

__global__ void k(unsigned char *d, Row *rows, int n, unsigned char c) {
    int i = threadIdx.x;
    Row own = rows[i];
    own.a[n] = -1;
    rows[i + 32] = own;
    memset(d + 32 * i, c, n);
    memset(d + 32 * i + 16, 3, 16);
    memcpy(d + 1024 + 8 * i, d + 2048 + 8 * i, 8);
    __builtin_memmove(d + 3000 + 32 * i, d + 3001 + 32 * i, n + 9);
    __builtin_memmove(d + 5001 + 32 * i, d + 5000 + 32 * i, n + 9);
}
"""


def compiled(level: OptLevel = OptLevel.O2) -> CompiledUnit:
    return compile_source(SourceText("k.cu", SOURCE, "."), BuildOptions(opt_level=level))


def expected(data: NDArray[np.uint8], rows: NDArray[np.int32], n: int, c: int) -> None:
    for i in range(32):
        rows[i + 32] = rows[i]
        rows[i + 32, n] = -1
        data[32 * i : 32 * i + n] = c
        data[32 * i + 16 : 32 * i + 32] = 3
        data[1024 + 8 * i : 1032 + 8 * i] = data[2048 + 8 * i : 2056 + 8 * i]
        for to in (3000, 5001):
            start, other = to + 32 * i, (to ^ 1 if to == 3000 else 5000) + 32 * i
            data[start : start + n + 9] = data[other : other + n + 9].copy()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("level", [OptLevel.O1, OptLevel.O2], ids=lambda level: level.value)
def test_results_and_trace(level: OptLevel) -> None:
    unit = compiled(level)
    data = np.random.default_rng(1).integers(0, 256, 6200).astype(np.uint8)
    rows = np.arange(64 * 41, dtype=np.int32).reshape(64, 41)
    words = list[NDArray[np.uint32]]()
    options = ExecutionOptions(trace=TraceMode.ADDRESSES, on_trace=lambda _, w: words.append(w))
    done = execute(unit, unit.kernels[0], NDRange((32,), (32,)), [data, rows, 5, 9], options)
    expected(data, rows, 5, 9)
    assert np.array_equal(done.buffers[0], data)
    assert np.array_equal(done.buffers[1], rows)
    assert bytes_written(done, words) == 32 * (164 + 5 + 16 + 8 + 14 + 14)


def bytes_written(done: Execution, words: list[NDArray[np.uint32]]) -> int:
    """By stores to global memory, over all lanes of the trace."""
    total = 0
    for part in TraceReader(done.plan, addresses=True).read(0, np.concatenate(words)):
        for access in part.accesses:
            instruction = done.plan.function.instructions[access.instruction]
            if instruction.opcode.word == "store" and "addrspace(1)" in str(instruction):
                kind = str(instruction).split()[1]
                total += part.mask.bit_count() * int(kind.removeprefix("i")) // 8
    return total


def test_nothing_to_do_gives_the_same_unit() -> None:
    source = "kernel void k(global int *a) { a[get_global_id(0)] = 1; }"
    unit = compile_source(SourceText("k.cl", source, "."), BuildOptions())
    assert explicit_memory(unit, unit.kernels[0]) == (unit, unit.kernels[0])


def test_races_are_seen() -> None:
    source = "__global__ void k(int *a) { memset(a + threadIdx.x, 1, 8); }"
    unit = compile_source(SourceText("k.cu", source, "."), BuildOptions())
    array = np.zeros(64, np.int32)
    with pytest.raises(DiagnosticError, match="K721: data race: write of 'a'"):
        execute(unit, unit.kernels[0], NDRange((32,), (32,)), [array], ExecutionOptions(races=True))
