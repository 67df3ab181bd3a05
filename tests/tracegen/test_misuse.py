"""Each thing a kernel can do wrong is found: code, message and line.

The line is that of the mark ``// <-`` in the source.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from kcc.diagnostics import Diagnostic, DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import (
    Execution,
    ExecutionOptions,
    KernelArgument,
    LocalMemory,
    NDRange,
    execute,
)
from kcc.tracegen.image_data import ImageData

SIZE = 16
BOTH = NDRange((2 * SIZE,), (SIZE,))
"""Two thread blocks of 16."""


DEFAULTS = ExecutionOptions()


def ints(count: int = SIZE) -> np.ndarray:
    return np.zeros(count, np.int32)


def run(
    source: str,
    arguments: list[KernelArgument],
    launch: NDRange = BOTH,
    options: ExecutionOptions = DEFAULTS,
    level: OptLevel = OptLevel.O2,
) -> Execution:
    unit = compile_source(SourceText("bad.cl", source, "."), BuildOptions(opt_level=level))
    return execute(unit, unit.kernels[0], launch, arguments, options)


def failure(*given: object, **named: object) -> Diagnostic:
    """The one diagnostic of a run that fails."""
    with pytest.raises(DiagnosticError) as caught:
        run(*given, **named)  # type: ignore[arg-type]
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


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
        "write behind a buffer",
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
        "read behind a buffer, one lane",
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


def line_of(source: str) -> int:
    (line,) = (n for n, text in enumerate(source.splitlines(), 1) if "// <-" in text)
    return line


@pytest.mark.parametrize("case", [*BOUNDS, *OTHERS], ids=lambda case: case.name)
def test_misuse(case: Case):
    options = ExecutionOptions(budget=case.budget)
    found = failure(case.source, case.arguments, case.launch, options)
    assert found.code == case.code
    assert found.message.startswith(case.message)
    assert found.span is not None
    assert (found.span.file, found.span.line) == ("bad.cl", line_of(case.source))


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


SIMPLE = "__kernel void k(__global int *a, int n) { a[get_global_id(0)] = n; }"


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


@pytest.mark.parametrize("level", [OptLevel.O1, OptLevel.O2], ids=lambda level: level.value)
@pytest.mark.parametrize(("name", "source"), FINE, ids=[name for name, _ in FINE])
def test_no_false_alarm(name: str, source: str, level: OptLevel):
    arguments: list[KernelArgument] = [ints(32)]
    if "__local int *l" in source:
        arguments.append(LocalMemory(64))
    assert run(source, arguments, level=level).buffers[0].any()
