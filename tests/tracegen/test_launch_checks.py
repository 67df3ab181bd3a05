"""Launches that do not fit their kernel are refused before anything runs."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.tracegen.execute import ExecutionOptions, KernelArgument, LocalMemory, NDRange
from tests.tracegen.launches import BOTH, SIZE, failure, ints, run

SIMPLE = "__kernel void k(__global int *a, int n) { a[get_global_id(0)] = n; }"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], "K701", "kernel 'k' takes 2 arguments, 0 given"),
        ([ints(32), 1, 2], "K701", "kernel 'k' takes 2 arguments, 3 given"),
        ([3, 4], "K703", "argument 'a' needs an array, not int"),
        ([LocalMemory(64), 4], "K703", "argument 'a' needs an array, not LocalMemory"),
        ([ints(32), LocalMemory(64)], "K703", "argument 'n' needs a number, not LocalMemory"),
        ([ints(32), "five"], "K703", "argument 'n' needs a number, not str"),
        ([ints(32), np.int64(5)], "K703", "argument 'n' has 4 bytes, int64 has 8"),
        ([ints(32), ints(3)], "K703", "argument 'n' has 4 bytes, ndarray has 12"),
        ([ints(32), b"12345"], "K703", "argument 'n' has 4 bytes, bytes has 5"),
        ([ints(32), 2**40], "K703", "argument 'n' does not hold 1099511627776"),
    ],
    ids=str,
)
def test_arguments_that_do_not_fit(arguments: list[KernelArgument], code: str, message: str):
    found = failure(SIMPLE, arguments)
    assert (found.code, found.message) == (code, message)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("whole", "own"),
    [
        ((33,), (16,)), ((0,), (16,)), ((32,), (0,)), ((-32,), (16,)), ((32,), (16, 1)), ((), ()),
        ((2, 2, 2, 2), (1, 1, 1, 1)), ((1 << 31,), (1 << 20,)), ((1 << 20,), (1 << 20,)),
    ],
    ids=str,
)  # fmt: skip
def test_geometry_that_does_not_fit(whole: tuple[int, ...], own: tuple[int, ...]):
    assert failure(SIMPLE, [ints(32), 1], NDRange(whole, own)).code == "K702"


def test_required_local_size():
    source = f"__attribute__((reqd_work_group_size(8, 1, 1))) {SIMPLE}"
    found = failure(source, [ints(32), 1])
    assert found.code == "K702"
    assert "(8, 1, 1)" in found.message


def test_arguments_are_not_changed():
    given = ints(32)
    run(SIMPLE, [given, 5])
    assert not given.any()


def test_too_many_thread_blocks():
    whole = ((1 << 31) - 1,) * 3
    found = failure(SIMPLE, [ints(32), 1], NDRange(whole, (1, 1, 1)))
    assert found.code == "K702"
    assert found.message.endswith("has 2^62 or more thread blocks of (1, 1, 1)")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ExecutionOptions(width=16), "a warp has 32 or 64 lanes, not 16"),
        (ExecutionOptions(workers=0), "a launch needs a worker or more, not 0"),
        (ExecutionOptions(budget=-1), "the budget of instructions must be above zero, not -1"),
    ],
    ids=["width", "workers", "budget"],
)
def test_options_that_cannot_be(options: ExecutionOptions, message: str):
    found = failure(SIMPLE, [ints(32), 1], BOTH, options)
    assert (found.code, found.message) == ("K705", message)


LOCAL = """__kernel void k(__global int *a, __local int *l) {
  __local int own[BYTES / 4];
  l[0] = own[get_local_id(0)] = 1;
  a[get_global_id(0)] = own[0];
}"""


@pytest.mark.parametrize(
    ("declared", "given"), [(1 << 30, 4), (4, (1 << 31) - 4), (600000, 600000)]
)
def test_more_local_memory_than_any_gpu_has(declared: int, given: int):
    source = LOCAL.replace("BYTES", str(declared))
    found = failure(source, [ints(32), LocalMemory(given)])
    assert (found.code, found.span and found.span.line) == ("K704", 1)
    assert found.message.startswith("kernel 'k' needs ")
    assert found.message.endswith(" bytes of local memory; the limit is 1048576")


def test_more_private_memory_than_any_gpu_has():
    source = """__kernel void k(__global int *a) {
      int p[200000], i = get_global_id(0);
      for (int j = 0; j < 8; ++j) p[a[j] * i + j] = i;
      a[i] = p[a[i]];
    }"""
    found = failure(source, [ints(32)])
    assert (found.code, found.span and found.span.line) == ("K704", 1)
    assert found.message == (
        "a work-item of kernel 'k' needs 800032 bytes of private memory; the limit is 524288"
    )


SHARED = """extern __shared__ float values[];
extern __shared__ int bits[];
__global__ void k(int *out, int shift) {
  values[threadIdx.x] = 1.0f + threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = bits[threadIdx.x + shift];
}
"""


def test_size_of_extern_shared_arrays():
    """All of them are the same memory, as large as the launch says."""
    launch = NDRange((SIZE,), (SIZE,), dynamic_local_bytes=4 * SIZE)
    done = run(SHARED, [ints(), np.int32(0)], launch, name="shared.cu")
    wanted = (1 + np.arange(SIZE, dtype=np.float32)).view(np.int32)
    assert (done.buffers[0] == wanted).all()
    found = failure(SHARED, [ints(), np.int32(1)], launch, name="shared.cu")
    assert (found.code, found.span and found.span.line) == ("K711", 6)
    assert found.message == (
        "read outside 'bits' at byte offset 64 (4 bytes; the array has 64) "
        "(kernel 'k', global id (15, 0, 0))"
    )


def test_extern_shared_arrays_need_a_size():
    found = failure(SHARED, [ints(), np.int32(0)], NDRange((SIZE,), (SIZE,)), name="shared.cu")
    assert (found.code, found.span and found.span.line) == ("K704", 3)
    assert found.message == (
        "kernel 'k' declares 'extern __shared__ values[]', but the launch gives no size for it"
    )
    assert found.hint == (
        "NDRange(..., dynamic_local_bytes=...) says how many bytes a thread block has"
    )
