"""What looks like a read of memory that was never written, and is none."""

from __future__ import annotations

import pytest

from kcc.frontend.options import OptLevel
from kcc.tracegen.execute import KernelArgument, LocalMemory
from tests.tracegen.launches import ints, run

FINE = (
    ("copy of a struct with holes", """
      typedef struct { char c; int i; uchar d[9]; } s;
      __kernel void k(__global int *a) {
        s x, y; int i = get_global_id(0);
        x.c = 1; x.d[a[i] & 7] = 2;
        y = x;
        a[i] = y.c + y.d[a[i] & 7];
      }"""),
    ("vector in private memory written in parts", """
      __kernel void k(__global int *a) {
        int4 v[4]; int i = get_global_id(0), j = a[i] & 3;
        v[j].x = 1; v[j].zw = (int2)(2, 3);
        a[i] = v[j].x + v[j].z;
      }"""),
    ("the pattern itself", """
      __kernel void k(__global int *a) {
        __local int l[16]; uchar c[4]; int i = get_local_id(0);
        l[i] = 0xcbcbcbcb;
        for (int j = 0; j < 4; ++j) c[(i + j) & 3] = 0xcb;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = l[15 - i] == (int)0xcbcbcbcb && c[a[i] & 3] == 0xcb;
      }"""),
    ("zeroed by a loop that becomes a memset", """
      __kernel void k(__global int *a) {
        int p[32]; int i = get_global_id(0);
        for (int j = 0; j < 32; ++j) p[j] = 0;
        p[i & 31] += 1;
        a[i] = p[i & 31] + p[(i + 1) & 31];
      }"""),
    ("exchanged first", """
      __kernel void k(__global int *a, __local int *l) {
        int i = get_local_id(0);
        atomic_xchg(l + i, i);
        a[i] = l[i];
      }"""),
)  # fmt: skip


@pytest.mark.sampled(5)
@pytest.mark.parametrize("level", [OptLevel.O1, OptLevel.O2], ids=lambda level: level.value)
@pytest.mark.parametrize(("name", "source"), FINE, ids=[name for name, _ in FINE])
def test_no_false_alarm(name: str, source: str, level: OptLevel):
    arguments: list[KernelArgument] = [ints(32)]
    if "__local int *l" in source:
        arguments.append(LocalMemory(64))
    assert run(source, arguments, level=level).buffers[0].any()
