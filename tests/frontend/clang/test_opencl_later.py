"""OpenCL C 2.0 and 3.0 through clang, run against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import LocalMemory, NDRange, execute

SOURCE = """
float pick(float *p, int i) { return p[i]; }
kernel void spaces(global float *x, local float *t, global float *o) {
    int l = get_local_id(0);
    t[l] = x[get_global_linear_id()] * 2;
    work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    float *p = x + get_group_id(0) * 64;
    o[get_global_id(0)] = pick(p, 63 - l) + pick(t, get_local_linear_id());
}
kernel void count(global atomic_int *total, global int *old, global const int *x) {
    int i = get_global_id(0);
    atomic_fetch_add_explicit(total, x[i], memory_order_relaxed, memory_scope_device);
    atomic_fetch_max(total + 1, x[i]);
    int seen = atomic_load(total + 2);
    while (!atomic_compare_exchange_weak(total + 2, &seen, seen + 2)) {}
    old[i] = work_group_scan_inclusive_add(x[i]) + sub_group_reduce_max(x[i]);
}
global int scale = 3;
typedef float wide __attribute__((ext_vector_type(32)));
kernel void program_scope(global int *o) {
    o[get_global_id(0)] = scale * 10;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_global_id(0) == 0) scale = 5;
}
kernel void widest(global float *o) {
    wide v = (wide)(1.0f), w;
    for (int k = 0; k < 32; ++k) w[k] = k * get_global_id(0);
    v += w;
    float sum = 0;
    for (int k = 0; k < 32; ++k) sum += v[k] * k;
    o[get_global_id(0)] = sum;
}
kernel void piped(pipe int p, global int *o) { read_pipe(p, o); }
"""


def unit(version: int) -> CompiledUnit:
    options = BuildOptions(opt_level=OptLevel.O2, opencl_version=version)
    return compile_source(SourceText("later.cl", SOURCE, "."), options, partial=True)


def test_generic_pointers_atomics_and_collectives() -> None:
    for version in (200, 300):
        found = unit(version)
        assert [k.name for k in found.kernels] == ["spaces", "count", "program_scope", "widest"]
        assert [(r.kernel, r.diagnostics[0].code) for r in found.refused] == [("piped", "K425")]
        x = np.random.default_rng(1).random(128, np.float32)
        arguments = [x, LocalMemory(256), np.zeros(128, np.float32)]
        done = execute(found, found.kernels[0], NDRange((128,), (64,)), arguments)
        groups = x.reshape(-1, 64)
        wanted = groups[:, ::-1] + groups * 2
        np.testing.assert_array_equal(done.buffers[2], wanted.ravel())
        numbers = np.random.default_rng(2).integers(0, 90, 128).astype(np.int32)
        arguments = [np.zeros(3, np.int32), np.zeros(128, np.int32), numbers]
        done = execute(found, found.kernels[1], NDRange((128,), (64,)), arguments)
        np.testing.assert_array_equal(done.buffers[0], [numbers.sum(), numbers.max(), 256])
        scanned = numbers.reshape(-1, 64).cumsum(1).ravel()
        largest = np.repeat(numbers.reshape(-1, 32).max(1), 32)
        np.testing.assert_array_equal(done.buffers[1], scanned + largest)


def test_variables_of_the_program_and_vectors_of_32() -> None:
    found = unit(300)
    done = execute(found, found.kernels[2], NDRange((32,), (32,)), [np.zeros(32, np.int32)])
    np.testing.assert_array_equal(done.buffers[0], np.full(32, 30))
    done = execute(found, found.kernels[3], NDRange((32,), (32,)), [np.zeros(32, np.float32)])
    k, i = np.arange(32), np.arange(32)[:, None]
    np.testing.assert_array_equal(done.buffers[0], ((1 + k * i) * k).sum(1))


def test_spaces_known_at_run_time_only_are_no_crash() -> None:
    text = """kernel void k(global int *x, local int *t) {
        int *p = x[1] ? (int *)t : (int *)x;
        x[0] = p[2];
    }"""
    options = BuildOptions(opencl_version=200)
    found = compile_source(SourceText("k.cl", text, "."), options)
    with pytest.raises(DiagnosticError) as error:
        execute(
            found, found.kernels[0], NDRange((4,), (4,)), [np.zeros(8, np.int32), LocalMemory(32)]
        )
    assert [d.code for d in error.value.diagnostics] == ["K426"]


def test_the_built_in_front_end_reads_what_it_can() -> None:
    text = "kernel void k(global int *a) { a[get_global_id(0)] = sub_group_reduce_add(1); }"
    options = BuildOptions(opencl_version=300)
    assert compile_source(SourceText("k.cl", text, "."), options).frontend == "builtin"
