"""Kernels that do something wrong, with what is to be said of it.

The line is that of the mark ``// <-`` in the source.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kcc.tracegen.execute import KernelArgument, LocalMemory, NDRange
from tests.tracegen.launches import BOTH, SIZE, ints


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    source: str
    code: str
    message: str
    arguments: list[KernelArgument] = field(default_factory=lambda: [ints(2 * SIZE)])
    launch: NDRange = BOTH
    budget: int = 1 << 20


BOUNDS = (
    Case(
        "write past a buffer",
        """__kernel void k(__global int *a) {
             size_t i = get_global_id(0);
             a[i] = 1;  // <-
           }""",
        "K711",
        "write outside 'a' at byte offset 64 (4 bytes; the array has 64) "
        "(kernel 'k', global id (16, 0, 0))",
        [ints()],
    ),
    Case(
        "read past a buffer, one lane",
        """__kernel void k(__global int *a, __global const int *b) {
             size_t i = get_global_id(0);
             int t = i == 5 ? 40 : i & 3;
             a[i] = b[t];  // <-
           }""",
        "K711",
        "read outside 'b' at byte offset 160 (4 bytes; the array has 64) "
        "(kernel 'k', global id (5, 0, 0))",
        [ints(32), ints()],
    ),
    Case(
        "negative index",
        """__kernel void k(__global int *a) {
             int i = get_global_id(0);
             a[i - 3] = 1;  // <-
           }""",
        "K711",
        "write outside 'a' at byte offset -12 (4 bytes; the array has 128) "
        "(kernel 'k', global id (0, 0, 0))",
    ),
    Case(
        "far away",
        """__kernel void k(__global int *a, long far) {
             a[get_global_id(0) * far] = 1;  // <-
           }""",
        "K711",
        "write outside 'a' at byte offset 4000000000000 (4 bytes; the array has 128) "
        "(kernel 'k', global id (1, 0, 0))",
        [ints(32), np.int64(10**12)],
    ),
    Case(
        "constant memory",
        """__constant int table[4] = {1, 2, 3, 4};
           __kernel void k(__global int *a) {
             int i = get_global_id(0);
             a[i] = table[i];  // <-
           }""",
        "K711",
        "read outside 'table' at byte offset 16 (4 bytes; the array has 16) "
        "(kernel 'k', global id (4, 0, 0))",
    ),
    Case(
        "constant argument",
        """__kernel void k(__global int *a, __constant int *c) {
             int i = get_global_id(0);
             a[i] = c[i];  // <-
           }""",
        "K711",
        "read outside 'c' at byte offset 64 (4 bytes; the array has 64) "
        "(kernel 'k', global id (16, 0, 0))",
        [ints(32), ints()],
    ),
    Case(
        "local array",
        """__kernel void k(__global int *a) {
             __local int l[8];
             int i = get_local_id(0);
             l[i] = i;  // <-
             barrier(CLK_LOCAL_MEM_FENCE);
             a[i] = l[7 - (i & 7)];
           }""",
        "K711",
        "write outside 'k.l' at byte offset 32 (4 bytes; the array has 32) "
        "(kernel 'k', global id (8, 0, 0))",
    ),
    Case(
        "local argument",
        """__kernel void k(__global int *a, __local int *l) {
             int i = get_local_id(0);
             l[i] = i;
             barrier(CLK_LOCAL_MEM_FENCE);
             a[i] = l[i + 1];  // <-
           }""",
        "K711",
        "read outside 'l' at byte offset 64 (4 bytes; the array has 64) "
        "(kernel 'k', global id (15, 0, 0))",
        [ints(32), LocalMemory(4 * SIZE)],
    ),
    Case(
        "private array",
        """__kernel void k(__global int *a) {
             int p[4] = {1, 2, 3, 4};
             int i = get_global_id(0);
             a[i] = p[i];  // <-
           }""",
        "K711",
        "read outside 'p' at byte offset 16 (4 bytes; the array has 16) "
        "(kernel 'k', global id (4, 0, 0))",
    ),
    Case(
        "through one of two pointers",
        """__kernel void k(__global int *a, __global int *b, int far) {
             int i = get_global_id(0);
             __global int *p = a;
             for (int j = 0; j < i; ++j) p = p == a ? b : a;
             p[far] = 1;  // <-
           }""",
        "K711",
        "write outside 'a' at byte offset 128 (4 bytes; the array has 128) "
        "(kernel 'k', global id (0, 0, 0))",
        [ints(32), ints(32), np.int32(32)],
    ),
    Case(
        "through a pointer from memory",
        """__kernel void k(__global int *a, __global int *b) {
             __global int *p[2] = {a, b};
             int i = get_global_id(0);
             p[a[i] & 1][i + 1] = 1;  // <-
           }""",
        "K711",
        "write outside 'a' at byte offset 128 (4 bytes; the array has 128) "
        "(kernel 'k', global id (31, 0, 0))",
        [ints(32), ints(32)],
    ),
    Case(
        "through one of two local arrays",
        """__kernel void k(__global int *a) {
             __local int l[4], m[4];
             int i = get_local_id(0);
             __local int *p = a[i] == 0 ? l : m;
             p[i] = 1;  // <-
           }""",
        "K711",
        "write outside any array (address 0x",
    ),
    Case(
        "vector across the end",
        """__kernel void k(__global int *a) {
             int i = get_global_id(0);
             vstore4((int4)(1), 0, a + i);  // <-
           }""",
        "K711",
        "write outside 'a' at byte offset 116 (16 bytes; the array has 128) "
        "(kernel 'k', global id (29, 0, 0))",
    ),
    Case(
        "vector of three across the end",
        """__kernel void k(__global int *a) {
             int i = get_global_id(0);
             int3 v = vload3(i + 10, a);  // <-
             if (v.z == 7) a[i] = v.x;
           }""",
        "K711",
        "read outside 'a' at byte offset 1",
    ),
    Case(
        "atomic",
        """__kernel void k(__global int *a) {
             atomic_add(a + 40, 1);  // <-
           }""",
        "K711",
        "atomic access outside 'a' at byte offset 160 (4 bytes; the array has 128) "
        "(kernel 'k', global id (0, 0, 0))",
    ),
    Case(
        "null",
        """__kernel void k(__global int *a) {
             __global int *p = 0;
             if (a[0] == 0) p[get_global_id(0)] = 1;  // <-
           }""",
        "K711",
        "write outside any array (address 0x0)",
    ),
    Case(
        "in an inlined function",
        """void put(__global int *p, int i) {
             p[i] = 1;  // <-
           }
           __kernel void k(__global int *a) {
             put(a, get_global_id(0) + 1);
           }""",
        "K711",
        "write outside 'a' at byte offset 128 (4 bytes; the array has 128) "
        "(kernel 'k', global id (31, 0, 0))",
    ),
)

OTHERS = (
    Case(
        "misaligned vector",
        """__kernel void k(__global int *a) {
             __global int4 *p = (__global int4 *)(a + get_local_id(0));
             *p = (int4)(1);  // <-
           }""",
        "K712",
        "misaligned write of 'a' at byte offset 4 (16 bytes; the array has 128) "
        "(kernel 'k', global id (1, 0, 0))",
    ),
    Case(
        "misaligned scalar",
        """__kernel void k(__global int *a) {
             __global char *c = (__global char *)a + get_local_id(0);
             a[0] = *(__global int *)c;  // <-
           }""",
        "K712",
        "misaligned read of 'a' at byte offset 1 (4 bytes; the array has 128) "
        "(kernel 'k', global id (1, 0, 0))",
    ),
    Case(
        "misaligned private",
        """__kernel void k(__global int *a) {
             char c[8] = {0};
             a[get_global_id(0)] = *(int *)(c + (a[0] + 1));  // <-
           }""",
        "K712",
        "misaligned read of 'c' at byte offset 1 (4 bytes; the array has 8) "
        "(kernel 'k', global id (0, 0, 0))",
    ),
    Case(
        "write to constant memory",
        """__kernel void k(__global int *a, __constant int *c) {
             __global int *p = (__global int *)(size_t)c;
             p[get_global_id(0)] = a[0];  // <-
           }""",
        "K713",
        "write to constant memory: 'c' at byte offset 0 (4 bytes; the array has 64) "
        "(kernel 'k', global id (0, 0, 0))",
        [ints(32), ints()],
    ),
    Case(
        "local memory never written",
        """__kernel void k(__global int *a) {
             __local int l[16];
             int i = get_local_id(0);
             if (i != 3) l[i] = i;
             barrier(CLK_LOCAL_MEM_FENCE);
             a[i] = l[15 - i];  // <-
           }""",
        "K714",
        "read of memory that was never written: 'k.l' at byte offset 12 (4 bytes; the array has "
        "64) (kernel 'k', global id (12, 0, 0))",
    ),
    Case(
        "local byte never written",
        """__kernel void k(__global int *a, __local uchar *l) {
             int i = get_local_id(0);
             l[i] = 0xcb;
             barrier(CLK_LOCAL_MEM_FENCE);
             a[i] = l[i] + l[i + 1];  // <-
           }""",
        "K714",
        "read of memory that was never written: 'l' at byte offset 16 (1 bytes; the array has "
        "32) (kernel 'k', global id (15, 0, 0))",
        [ints(32), LocalMemory(32)],
    ),
    Case(
        "private memory never written",
        """__kernel void k(__global int *a) {
             double p[8];
             int i = get_global_id(0);
             for (int j = 0; j < 7; ++j) p[(i + j) & 7] = j;
             a[i] = (int)p[a[i] & 7];  // <-
           }""",
        "K714",
        "read of memory that was never written: 'p' at byte offset 0 (8 bytes; the array has "
        "64) (kernel 'k', global id (1, 0, 0))",
    ),
    Case(
        "local atomic on what was never written",
        """__kernel void k(__global int *a, __local int *l) {
             atomic_inc(l);  // <-
             a[get_global_id(0)] = 0;
           }""",
        "K714",
        "read of memory that was never written: 'l' at byte offset 0 (4 bytes; the array has 4) "
        "(kernel 'k', global id (0, 0, 0))",
        [ints(32), LocalMemory(4)],
    ),
    Case(
        "barrier in a branch of a warp",
        """__kernel void k(__global int *a) {
             int i = get_local_id(0);
             if (i < 5)
               barrier(CLK_LOCAL_MEM_FENCE);  // <-
             a[i] = 1;
           }""",
        "K715",
        "barrier reached by some work-items of a warp while others are elsewhere "
        "(kernel 'k', global id (0, 0, 0))",
    ),
    Case(
        "different barriers",
        """__kernel void k(__global int *a) {
             int i = get_local_id(0);
             if (i < 32) {
               a[i] = 1;
               barrier(CLK_LOCAL_MEM_FENCE);
             } else {
               a[i] = 2;
               barrier(CLK_GLOBAL_MEM_FENCE);  // <-
             }
           }""",
        "K715",
        "work-items of a work-group wait at different barriers (kernel 'k', global id (32, 0, 0))",
        [ints(64)],
        NDRange((64,), (64,)),
    ),
    Case(
        "barrier only some warps come to",
        """__kernel void k(__global int *a) {
             int i = get_local_id(0);
             if (i >= 32) return;
             a[i] = 1;
             barrier(CLK_LOCAL_MEM_FENCE);  // <-
             a[i] = a[i + 1];
           }""",
        "K715",
        "barrier reached by some work-items of a work-group while others have ended "
        "(kernel 'k', global id (0, 0, 0))",
        [ints(64)],
        NDRange((64,), (64,)),
    ),
    Case(
        "early return before a barrier",
        """__kernel void k(__global int *a) {
             int i = get_local_id(0);
             if (a[i] == i) return;
             barrier(CLK_LOCAL_MEM_FENCE);  // <-
             a[i] = 1;
           }""",
        "K715",
        "barrier reached by some work-items of a warp while others are elsewhere "
        "(kernel 'k', global id (1, 0, 0))",
    ),
    Case(
        "division by zero",
        """__kernel void k(__global int *a) {
             int i = get_global_id(0);
             a[i] = 7 / (i - 3);  // <-
           }""",
        "K716",
        "integer division by zero in 'sdiv' (kernel 'k', global id (3, 0, 0))",
    ),
    Case(
        "remainder by zero in a vector",
        """__kernel void k(__global uint4 *a) {
             int i = get_global_id(0);
             uint4 d = (uint4)(1, 2, i, 4);
             a[i] = (uint4)(9) % d;  // <-
           }""",
        "K716",
        "integer division by zero in 'urem' (kernel 'k', global id (0, 0, 0))",
        [ints(128)],
    ),
    Case(
        "division by a uniform zero",
        """__kernel void k(__global int *a, long n) {
             a[get_global_id(0)] = 100 % n;  // <-
           }""",
        "K716",
        "integer division by zero in 'srem' (kernel 'k', global id (0, 0, 0))",
        [ints(32), np.int64(0)],
    ),
    Case(
        "endless loop",
        """__kernel void k(__global int *a) {
             int i = get_global_id(0);
             a[i] = 1;
             while (a[i] > 0) {  // <-
               a[i] += 2;
               if (a[i] > 1000) a[i] = 1;
             }
           }""",
        "K717",
        "the loop does not end within the budget of instructions (kernel 'k', global id (0, 0, 0))",
    ),
    Case(
        "empty endless loop",
        """__kernel void k(__global volatile int *a) {
             while (a[0] == 0) ;  // <-
           }""",
        "K717",
        "the loop does not end within the budget of instructions (kernel 'k', global id (0, 0, 0))",
    ),
    Case(
        "spin lock",
        """__kernel void k(__global volatile int *a) {
             while (atomic_cmpxchg(a, 0, 1) != 0) ;  // <-
             a[1] += 1;
             atomic_xchg(a, 0);
           }""",
        "K717",
        "the loop does not end within the budget of instructions (kernel 'k', global id (1, 0, 0))",
    ),
)
