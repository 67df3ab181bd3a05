"""Each thing a kernel can do wrong is found: code, message and line."""

from __future__ import annotations

import signal
import threading
import time

import numpy as np
import pytest

from kcc.frontend.options import OptLevel
from kcc.tracegen.execute import ExecutionOptions, NDRange
from kcc.tracegen.image_data import ImageData
from tests.tracegen.launches import BOTH, failure, ints, run
from tests.tracegen.misuse_cases import BOUNDS, OTHERS, Case


def line_of(source: str) -> int:
    (line,) = (n for n, text in enumerate(source.splitlines(), 1) if "// <-" in text)
    return line


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", [*BOUNDS, *OTHERS], ids=lambda case: case.name)
def test_misuse(case: Case):
    options = ExecutionOptions(budget=case.budget)
    found = failure(case.source, case.arguments, case.launch, options)
    assert found.code == case.code
    assert found.message.startswith(case.message)
    assert found.span is not None
    assert (found.span.file, found.span.line) == ("bad.cl", line_of(case.source))


@pytest.mark.slow
def test_fault_does_not_depend_on_workers_or_width():
    source = """__kernel void k(__global int *a) {
      int i = get_global_id(0);
      a[i] = i < 5000 ? 1 : a[i * 100];
    }"""
    launch = NDRange((64 * 256,), (64,))
    found = {
        failure(source, [ints(64 * 256)], launch, ExecutionOptions(workers=workers, width=width))
        for workers in (1, 2, 3)
        for width in (32, 64)
    }
    (message,) = {f.message for f in found}
    assert message == (
        "read outside 'a' at byte offset 2000000 (4 bytes; the array has 65536) "
        "(kernel 'k', global id (5000, 0, 0))"
    )


def test_inlined_function_names_its_caller():
    case = next(c for c in BOUNDS if c.name == "in an inlined function")
    found = failure(case.source, case.arguments)
    assert [n.message for n in found.notes] == ["in 'put', called from here"]
    assert [n.span.line for n in found.notes if n.span] == [5]


def test_budget_hints_at_locks():
    case = next(c for c in OTHERS if c.name == "spin lock")
    found = failure(case.source, case.arguments, BOTH, ExecutionOptions(budget=100_000))
    assert found.hint is not None
    assert "lock" in found.hint


def test_division_that_overflows_is_defined_somehow():
    """INT_MIN / -1 has no value in C; nothing may crash."""
    source = """__kernel void k(__global int *a, int d) {
      int i = get_global_id(0);
      a[i] = (INT_MIN + (i & 1)) / d + (INT_MIN % d);
    }"""
    done = run(source, [ints(32), np.int32(-1)])
    assert done.buffers[0].tolist() == [-(2**31), 2**31 - 1] * 16


def test_image_write_outside():
    source = """__kernel void k(write_only image2d_t m, int x) {
      write_imagef(m, (int2)(get_global_id(0), x), (float4)(1));
    }"""
    image = ImageData(np.zeros((4, 32, 4), np.float32), "RGBA", "FLOAT")
    assert run(source, [image, np.int32(3)]).buffers[0][3].all()
    found = failure(source, [image, np.int32(4)])
    assert (found.code, found.span and found.span.line) == ("K711", 2)
    assert found.message == "write outside an image (kernel 'k', global id (0, 0, 0))"


def test_a_place_control_cannot_reach():
    source = """target triple = "nvptx64-nvidia-cuda"
    define ptx_kernel void @k(ptr %p) {
      %v = load i32, ptr %p, align 4
      %zero = icmp eq i32 %v, 0
      br i1 %zero, label %lost, label %end
    lost:
      unreachable
    end:
      ret void
    }"""
    found = failure(source, [ints(32)], level=OptLevel.O0, name="bad.ll")
    assert found.code == "K720"
    assert found.message == (
        "control reached a place that cannot be reached (kernel 'k', global id (0, 0, 0))"
    )


def test_cuda_source_is_named_as_opencl_is():
    source = """__device__ void put(int *p, int i) {
      p[i] = 1;
    }
    __global__ void k(int *a) {
      put(a, blockIdx.x * blockDim.x + threadIdx.x + 1);
    }"""
    found = failure(source, [ints(32)], name="bad.cu")
    assert (found.code, found.span and found.span.line) == ("K711", 2)
    assert found.message == (
        "write outside 'a' at byte offset 128 (4 bytes; the array has 128) "
        "(kernel 'k', global id (31, 0, 0))"
    )


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("workers", [1, 2])
def test_interrupt_stops_a_launch(workers: int):
    """Ctrl-C reaches a kernel that would run for hours, on whatever threads it runs."""
    source = """__kernel void k(__global volatile int *a) {
      int i = get_global_id(0);
      while (a[i] == 0) ;
    }"""
    blocks = 300
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    options = ExecutionOptions(budget=1 << 60, workers=workers)
    run(source, [1 + ints(blocks * 64)], NDRange((blocks * 64,), (64,)), options)
    begun = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        run(source, [ints(blocks * 64)], NDRange((blocks * 64,), (64,)), options)
    assert time.monotonic() - begun < 20


@pytest.mark.slow
def test_calls_that_were_not_inlined():
    """At -O0, and of functions that ask for it; the message names the line in the function."""
    source = """__attribute__((noinline)) int get(__global int *p, int i) {
      return p[i];
    }
    int twice(__global int *p, int i) { return i > 3 ? 2 * get(p, i) : 7; }
    __kernel void k(__global int *a, int far) {
      a[get_global_id(0)] = twice(a, get_global_id(0) + far);
    }"""
    for level in OptLevel:
        arguments = [np.arange(32, dtype=np.int32), np.int32(0)]
        done = run(source, [*arguments], level=level)
        assert done.buffers[0].tolist() == [7] * 4 + [2 * i for i in range(4, 32)]
        found = failure(source, [arguments[0], np.int32(20)], level=level)
        assert (found.code, found.span and found.span.line) == ("K711", 2)
        assert "global id (12, 0, 0)" in found.message
