"""Memory that outlives launches: its allocator, and launches that work in it."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.device_memory import LAUNCH_BYTES, DeviceMemory
from kcc.tracegen.execute import (
    Execution,
    ExecutionOptions,
    KernelArgument,
    LocalMemory,
    NDRange,
    execute,
)
from kcc.tracegen.simt.layout import MARGIN_BYTES, OBJECT_ALIGNMENT

ROOM = 1 << 20
"""Bytes for buffers in the tests' memory."""

SOURCE = """
typedef struct { int by; } Step;
__constant int first[3] = {10, 20, 30};
__constant int second[2] = {1, 2};

__kernel void step(__global int *x, Step s) { x[get_global_id(0)] += s.by + first[0]; }
__kernel void other(__global int *x) { x[get_global_id(0)] *= second[get_global_id(0) % 2]; }
__kernel void swap(__global int *x, __local int *t) {
    int i = get_local_id(0);
    t[i] = x[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = t[get_local_size(0) - 1 - i];
}
__kernel void once(__global int *x, __local int *t) {
    int i = get_local_id(0);
    if (x[i] != 0) t[i] = 1;
    x[i] = 1;
    x[i] += t[i];
}
__kernel void pick(__global const int *maybe, __global int *x) {
    x[get_global_id(0)] = maybe ? maybe[get_global_id(0)] : -1;
}
"""


@pytest.fixture
def memory() -> DeviceMemory:
    return DeviceMemory(2 * LAUNCH_BYTES + MARGIN_BYTES + ROOM)


@pytest.fixture(scope="module")
def unit() -> CompiledUnit:
    return compile_source(SourceText("m.cl", SOURCE, "."), BuildOptions(opt_level=OptLevel.O2))


def run(
    unit: CompiledUnit, name: str, arguments: list[KernelArgument], memory: DeviceMemory | None,
    items: int = 4,
) -> Execution:  # fmt: skip
    (kernel,) = (k for k in unit.kernels if k.name == name)
    launch = NDRange((items,), (items,))
    return execute(unit, kernel, launch, arguments, ExecutionOptions(), memory)


def ints(memory: DeviceMemory, *values: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """A buffer with these values."""
    array = memory.allocate(4 * len(values)).view(np.int32)
    array[:] = values
    return array


def place(memory: DeviceMemory, data: np.ndarray[tuple[int], np.dtype[np.uint8]]) -> int:
    offset = memory.offset_of(data)
    assert offset is not None
    return offset


@pytest.mark.parametrize("seed", range(20))
def test_allocations_do_not_touch(memory: DeviceMemory, seed: int):
    """Random allocations and releases: zeroed, aligned, apart; and everything comes back."""
    choose = random.Random(seed)
    held = list[np.ndarray[tuple[int], np.dtype[np.uint8]]]()
    for _ in range(200):
        if held and choose.random() < 0.45:
            memory.release(held.pop(choose.randrange(len(held))))
            continue
        data = memory.allocate(choose.choice([1, 100, 4096, 9000, 40_000]))
        assert not data.any()
        assert place(memory, data) % OBJECT_ALIGNMENT == 0
        data[:] = 255
        held.append(data)
        ranges = sorted((place(memory, each), each.nbytes) for each in held)
        assert ranges[0][0] >= LAUNCH_BYTES
        assert all(a + n < b for (a, n), (b, _) in pairwise(ranges))
    for data in held:
        memory.release(data)
    whole = memory.allocate(LAUNCH_BYTES + ROOM // 2)
    assert place(memory, whole) == LAUNCH_BYTES
    assert not whole[:100_000].any()


def test_memory_can_run_out(memory: DeviceMemory):
    with pytest.raises(MemoryError):
        memory.allocate(1 << 40)


def test_released_once(memory: DeviceMemory):
    data = memory.allocate(64)
    memory.release(data)
    with pytest.raises(KeyError):
        memory.release(data)


def test_what_lies_elsewhere(memory: DeviceMemory):
    assert memory.offset_of(np.zeros(4)) is None


def test_launches_change_buffers_in_place(unit: CompiledUnit, memory: DeviceMemory):
    x = ints(memory, 1, 2, 3, 4)
    step = np.int32(5).tobytes()
    copied = run(unit, "step", [x.copy(), step], None).buffers[0]
    done = run(unit, "step", [x, step], memory)
    np.testing.assert_array_equal(x, copied)
    assert np.shares_memory(done.buffers[0], x)


def test_constants_follow_the_kernel(unit: CompiledUnit, memory: DeviceMemory):
    """Every kernel finds its own constants, whichever ran before."""
    x = ints(memory, 1, 2, 3, 4)
    wanted = x.copy()
    for _ in range(3):
        run(unit, "step", [x, np.int32(5).tobytes()], memory)
        run(unit, "other", [x], memory)
        wanted += 15
        wanted *= [1, 2, 1, 2]
    np.testing.assert_array_equal(x, wanted)


def test_parts_of_a_buffer(unit: CompiledUnit, memory: DeviceMemory):
    """A part has bounds of its own, and what is written through it is in the whole."""
    whole = ints(memory, *range(256))
    run(unit, "step", [whole[64:68], np.int32(0).tobytes()], memory)
    assert whole[63:69].tolist() == [63, 74, 75, 76, 77, 68]
    with pytest.raises(DiagnosticError, match="outside 'x' at byte offset 16"):
        run(unit, "step", [whole[64:68], np.int32(0).tobytes()], memory, items=8)


def test_local_memory_is_kept_apart(unit: CompiledUnit, memory: DeviceMemory):
    x = ints(memory, 1, 2, 3, 4)
    run(unit, "swap", [x, LocalMemory(16)], memory)
    assert x.tolist() == [4, 3, 2, 1]


def test_looking_closely_starts_anew(unit: CompiledUnit, memory: DeviceMemory):
    """The launch that is repeated, because local memory may have been read that was never written,
    sees the buffers as they were: after the first run no item of x is 0 any more."""
    x = ints(memory, 0, 1, 1, 1)
    with pytest.raises(DiagnosticError, match="never written"):
        run(unit, "once", [x, LocalMemory(16)], memory)
    y = ints(memory, 1, 1, 1, 1)
    run(unit, "once", [y, LocalMemory(16)], memory)
    assert y.tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("shared", [False, True])
def test_null_pointers(unit: CompiledUnit, memory: DeviceMemory, *, shared: bool):
    x = ints(memory, 0, 0, 0, 0)
    done = run(unit, "pick", [None, x], memory if shared else None)
    assert done.buffers[1].tolist() == [-1, -1, -1, -1]
    with pytest.raises(DiagnosticError, match="outside any array"):
        run(unit, "step", [None, np.int32(0).tobytes()], memory if shared else None)
