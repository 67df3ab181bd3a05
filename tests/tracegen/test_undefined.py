"""``check``: values that were never set are found where they are used, and nowhere else."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.stages.host import HostSettings, run_script
from kcc.tracegen.execute import Execution, ExecutionOptions, LocalMemory, NDRange, execute
from tests.tracegen.random_launches import LOCAL_SIZE, PER_BUILD, SCALARS, inputs, sources

ITEMS = 64

USED = {
    "scalar set on one way only": (
        "int x; if (n) x = 1; o[g] = x;",
        "written to global memory",
    ),
    "branch": ("int x; if (x > 3) o[g] = 1;", "decides a branch"),
    "switch": ("int x; switch (x) { case 1: o[g] = 1; }", "decides a branch"),
    "loop bound": ("int x; for (int i = 0; i < x; i++) o[g] = i;", "decides a branch"),
    "index": ("int x; o[x & 15] = 1;", "is part of an address"),
    "pointer": ("global int *p; if (n) p = o; *p = 1;", "is part of an address"),
    "local memory read as a vector": (
        "l[g * 4] = 1; barrier(1); int4 v = vload4(g, l); o[g] = v.y;",
        "written to global memory",
    ),
    "lane of a vector": ("int4 v; v.x = n; v.z = 1; o[g] = v.x + v.w;", "written to global memory"),
    "local memory of another lane": (
        "if (g != 5) l[g] = g; barrier(1); o[g] = l[63 - g];",
        "written to global memory",
    ),
    "member of a struct": (
        "struct { int a; char b; } s, t; s.a = n; t = s; o[g] = t.b;",
        "written to global memory",
    ),
    "private array": ("int a[4]; a[n & 1] = 5; o[g] = a[2];", "written to global memory"),
    "some bits": ("int x; x &= 0xff; o[g] = x | n;", "written to global memory"),
    "carry": ("int x; x &= 1; o[g] = (x + n) >> 4;", "written to global memory"),
    "float": ("float x; if (n) x = 1.0f; o[g] = (int)(x * 2.0f);", "written to global memory"),
    "function": ("float x; o[g] = (int)sin(x);", "written to global memory"),
    "argument of a function": ("int x; o[g] = twice(x);", "written to global memory"),
    "atomic operand": ("int x; atomic_add(o, x);", "used by an atomic operation"),
    "counter in local memory": (
        "atomic_add(&c, 1); barrier(1); o[g] = c;",
        "used by an atomic operation",
    ),
    "printf": ('int x; printf("%d", x); o[g] = 1;', "is passed to a function"),
    "ternary": ("int x, y = 3; o[g] = g > 5 ? x : y;", "written to global memory"),
    "short circuit": ("int x; o[g] = n == 0 && x;", "decides a branch|written to global"),
    "shift": ("int x; o[g] = n << x;", "written to global memory"),
    "conversion": ("float x; o[g] = convert_int_sat(x);", "written to global memory"),
    "divergent": ("int x; if (g & 1) x = g; if (g > 70) x = 2; o[g] = x;", "global memory"),
}
UNUSED = {
    "set on both ways": "int x; if (n) x = 1; else x = 2; o[g] = x;",
    "set in a loop": "int x; for (int i = 0; i <= n; i++) x = i; o[g] = x;",
    "read but not used": "int x; int y = x + 1; o[g] = n;",
    "lane of a vector": "int4 v; v.x = n; v.z = 1; int4 w = v * 2; o[g] = w.x + w.z;",
    "vector of three": "int3 v = (int3)(n, g, 1); vstore3(v, g, o); o[g] = v.s2;",
    "masked away": "int x; o[g] = (x & 0) | n;",
    "ones whatever it is": "int x; o[g] = x | -1;",
    "low bits": "int x; x = (x << 8) | 5; o[g] = x & 0xff;",
    "same whatever it is": "int x; x &= 0xff; o[g] = x == 0x100;",
    "struct with unused members": (
        "struct { int a; char b; int c[3]; } s, t; s.a = n; t = s; o[g] = t.a;"
    ),
    "xor of set values": "int x = g; x ^= x; o[g] = x;",
    "local memory": (
        "for (int i = 0; i < 4; i++) l[g * 4 + i] = i; barrier(1);"
        "int4 v = vload4(g, l); o[g] = v.y;"
    ),
    "counter in local memory": (
        "if (g == 0) c = 0; barrier(1); atomic_add(&c, 1); barrier(1); o[g] = c;"
    ),
    "union": "union { int i; char c[4]; } u; u.i = n; o[g] = u.c[1];",
    "only in lanes that are elsewhere": "int x; if (g & 1) x = g; if (g & 1) o[g] = x;",
    "rounding": "double d = n * 0.3; float f = (float)d; o[g] = rint(f) + isnan(f);",
    "image of a bool": "bool b = n > 2; bool c[4]; c[1] = b; o[g] = c[1] ? 4 : 5;",
}


HEAD = """#pragma OPENCL EXTENSION cl_khr_fp64 : enable
int twice(int x) { return 2 * x; }
kernel void k(global int *o, int n, int which) {
  int g = get_local_id(0);
  local int l[256], c;
"""
FIRST_LINE = HEAD.count("\n") + 1


@cache
def compiled(lines: tuple[str, ...]) -> CompiledUnit:
    text = HEAD + "\n".join(lines) + "\n}\n"
    return compile_source(SourceText("k.cl", text, "."), BuildOptions(opt_level=OptLevel.O0))


def run(lines: tuple[str, ...], which: int) -> Execution:
    unit, launch = compiled(lines), NDRange((ITEMS,), (ITEMS,))
    given = [np.zeros(4 * ITEMS, np.int32), 0, which]
    return execute(unit, unit.kernels[0], launch, given, ExecutionOptions(check=True))


@pytest.mark.parametrize("case", USED)
def test_found_where_it_is_used(case: str) -> None:
    """One kernel has all cases, each on a line of its own."""
    _, use = USED[case]
    which = list(USED).index(case)
    lines = tuple(f"if (which == {n}) {{ {body} }}" for n, (body, _) in enumerate(USED.values()))
    with pytest.raises(DiagnosticError, match="K714: a value that was never set") as raised:
        run(lines, which)
    (found,) = raised.value.diagnostics
    assert re.search(use, found.message)
    assert found.span is not None
    assert found.span.line == FIRST_LINE + which


def test_no_alarm() -> None:
    run(tuple(f"{{ {body} }}" for body in UNUSED.values()), 0)


def test_memory_that_the_caller_gives_is_set() -> None:
    text = "kernel void k(global int *o, local int *l) { l[0] = o[1]; o[0] = l[1]; }"
    unit = compile_source(SourceText("k.cl", text, "."), BuildOptions(opt_level=OptLevel.O0))
    given = [np.zeros(4, np.int32), LocalMemory(64)]
    options = ExecutionOptions(check=True)
    with pytest.raises(DiagnosticError, match=r"k\.cl:1:\d+: K714: .* global memory"):
        execute(unit, unit.kernels[0], NDRange((1,), (1,)), given, options)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, pytest.param(2 * PER_BUILD + 3, marks=pytest.mark.full)])
def test_random_programs_set_all_they_use(seed: int) -> None:
    """They are drawn so; results and counts are those of a run that does not look."""
    unit = compile_source(
        SourceText("program.cl", sources(seed, 1), "."), BuildOptions(opt_level=OptLevel.O0)
    )
    launch, kernel = NDRange((2 * LOCAL_SIZE,), (LOCAL_SIZE,)), unit.kernels[0]
    given = [*inputs(2), *SCALARS]
    plain = execute(unit, kernel, launch, given)
    found = execute(unit, kernel, launch, given, ExecutionOptions(check=True))
    assert found.warp_instructions == plain.warp_instructions
    for place, buffer in plain.buffers.items():
        assert buffer.tobytes() == found.buffers[place].tobytes()


SCRIPT = """
import sys
import numpy as np
import pyopencl as cl
context = cl.create_some_context()
queue = cl.CommandQueue(context)
given = np.arange(256, dtype=np.int32)
flags = cl.mem_flags
source = "kernel void k(global int *o, global const int *a) { int g = get_global_id(0); %s }"
body = "o[g] = a[g];" if sys.argv[1] != "overrun" else "o[g] = vload4(g, a + 1).x;"
a = cl.Buffer(context, flags.READ_WRITE, given.nbytes)
o = cl.Buffer(context, flags.READ_WRITE, given.nbytes)
way = sys.argv[1]
if way == "copied" or way == "overrun":
    cl.enqueue_copy(queue, a, given)
elif way == "half":
    cl.enqueue_copy(queue, a, given[:32])
elif way == "filled":
    cl.enqueue_fill_buffer(queue, a, np.int32(3), 0, given.nbytes)
elif way == "mapped":
    array, _ = cl.enqueue_map_buffer(queue, a, cl.map_flags.WRITE, 0, (256,), np.int32)
    array[:] = given
    array.base.release(queue)
elif way == "created":
    a = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=given)
elif way == "shared":
    a = cl.Buffer(context, flags.READ_ONLY | flags.USE_HOST_PTR, hostbuf=given)
elif way == "by a kernel":
    program = cl.Program(context, "kernel void set(global int *a) { a[get_global_id(0)] = 1; }")
    program.build().set(queue, (256,), (64,), a)
elif way == "from another":
    b = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=given)
    cl.enqueue_copy(queue, a, b)
elif way == "from one that was not":
    b = cl.Buffer(context, flags.READ_WRITE, given.nbytes)
    cl.enqueue_copy(queue, a, b)
cl.Program(context, source % body).build().k(queue, (64,), (64,), o, a)
"""
SET = ["copied", "filled", "mapped", "created", "shared", "by a kernel", "from another"]


@pytest.mark.parametrize("way", [*SET, "half", "never", "from one that was not"])
def test_buffers(tmp_path: Path, way: str) -> None:
    """What the host writes is set, what it only makes is not."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    settings = HostSettings(check=True)
    if way in SET:
        run_script(str(script), arguments=[way], settings=settings)
        return
    with pytest.raises(DiagnosticError, match="K714: a value that was never set is written"):
        run_script(str(script), arguments=[way], settings=settings)


def test_overruns_that_optimisation_hides(tmp_path: Path) -> None:
    """vload4 past the end of which only the first element is used."""
    script = tmp_path / "script.py"
    text = SCRIPT.replace("256, dtype", "64 * 4, dtype")
    script.write_text(text, encoding="utf-8")
    run_script(str(script), arguments=["overrun"])
    with pytest.raises(DiagnosticError, match="K711: read outside 'a'"):
        run_script(str(script), arguments=["overrun"], settings=HostSettings(check=True))
