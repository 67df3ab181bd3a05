"""What changes of arrays and launches would gain, against kernels written that way."""

from __future__ import annotations

import pytest

from kcc.frontend import compile_source
from kcc.frontend.kernel import Kernel
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.access.what_if import (
    Aligned,
    Change,
    Padded,
    Swapped,
    Transposed,
    Vectorised,
    WhatIf,
)
from kcc.passes.facts import Facts
from kcc.passes.memory.access_facts import AccessKind, AccessPattern, AccessPatterns
from kcc.passes.memory.arrays import Array
from kcc.passes.memory.memory_accesses import MemoryAccess, MemoryAccesses
from kcc.passes.symbolic.ranges import Known
from kcc.passes.table import Setting, analyse
from kcc.passes.unknown import Unknown

TILES = """
__kernel void k(__global float *in, __global float *out) {{
  __local float tile[{rows}][{width}];
  const int x = get_local_id(0), y = get_local_id(1);
  {body}
}}
"""

KNOWN = Known((128, 64), (32, 8))


def analysed(source: str, known: Known = KNOWN) -> tuple[Kernel, Facts]:
    unit = compile_source(SourceText("k.cl", source, "."), BuildOptions(opt_level=OptLevel.O1))
    (kernel,) = unit.kernels
    return kernel, analyse(kernel, unit.module, setting=Setting(known))


def accesses(facts: Facts, name: str) -> list[MemoryAccess]:
    return [
        a
        for a in facts[MemoryAccesses].accesses
        if isinstance(a.array, Array) and a.array.name == name
    ]


def tile(body: str, width: int = 32, rows: int = 32) -> tuple[Kernel, Facts]:
    return analysed(TILES.format(rows=rows, width=width, body=body))


def costs(pattern: AccessPattern | Unknown) -> tuple[object, ...]:
    assert isinstance(pattern, AccessPattern)
    return (
        pattern.kind, pattern.stride_bytes, pattern.bank_passes, pattern.bank_degree,
        pattern.sectors, pattern.lines, pattern.exact,
    )  # fmt: skip


INDICES = ["tile[x][y]", "tile[y][x]", "tile[(x + 3 * y) % 32][x / 2]", "tile[x / 2][x % 2 * 8]",
           "tile[x % 4 * 8 + y][x]"]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("extra", [1, 2, 5])
def test_padding_is_a_wider_array(index: str, extra: int):
    kernel, facts = tile(f"{index} = 1;")
    (access,) = accesses(facts, "tile")
    _, wider = tile(f"{index} = 1;", 32 + extra)
    found = WhatIf(kernel, facts).pattern(access, Padded(128, 4 * extra))
    assert costs(found) == costs(wider[AccessPatterns].patterns[0])


@pytest.mark.parametrize("index", ["x][y", "y][x", "x / 2][y", "y + 3][x / 4"])
def test_transposition_is_the_other_index_first(index: str):
    kernel, facts = tile(f"tile[{index}] = 1;", 32, 48)
    (access,) = accesses(facts, "tile")
    first, _, second = index.partition("][")
    _, other = tile(f"tile[{second}][{first}] = 1;", 48, 32)
    found = WhatIf(kernel, facts).pattern(access, Transposed(128, 48, 4))
    assert costs(found) == costs(other[AccessPatterns].patterns[0])


GLOBALS = """
__kernel void k(__global float{vector} *in, __global float *out) {{
  const int x = {x}, y = {y};
  {body}
}}
"""
IDS = {"x": "get_global_id(0)", "y": "get_global_id(1)", "vector": ""}


@pytest.mark.parametrize("change", [Padded(512, 4), Padded(512, 64), Padded(4, 12)])
def test_padding_of_global_arrays(change: Padded):
    row, extra = change.row_bytes // 4, change.extra // 4
    body = "in[{0}] = 1;"
    index = f"y * {row + extra} + x" if row > 4 else f"(y * 128 + x) * {row + extra}"
    kernel, facts = analysed(GLOBALS.format(**IDS, body=body.format("y * 128 + x")))
    _, other = analysed(GLOBALS.format(**IDS, body=body.format(index)))
    found = WhatIf(kernel, facts).pattern(facts[MemoryAccesses].accesses[0], change)
    assert costs(found) == costs(other[AccessPatterns].patterns[0])


@pytest.mark.parametrize("index", ["x * 64 + y", "y * 128 + x", "x * 65 + y", "(x ^ y) * 3"])
def test_swapping_is_a_launch_the_other_way_round(index: str):
    kernel, facts = analysed(GLOBALS.format(**IDS, body=f"in[{index}] = 1;"))
    swapped = {"x": IDS["y"], "y": IDS["x"], "vector": ""}
    text = GLOBALS.format(**swapped, body=f"in[{index}] = 1;")
    _, other = analysed(text, Known((64, 128), (8, 32)))
    found = WhatIf(kernel, facts).pattern(facts[MemoryAccesses].accesses[0], Swapped())
    assert costs(found) == costs(other[AccessPatterns].patterns[0])


def test_vectors_are_loaded_at_once():
    body = "float s = 0; for (int i = 0; i < 4; ++i) s += in[x * 4 + i]; out[x] = s;"
    kernel, facts = analysed(GLOBALS.format(**IDS, body=body))
    own = IDS | {"vector": "4"}
    _, other = analysed(GLOBALS.format(**own, body="in[x] = (float4)(1);"))
    access = accesses(facts, "in")[0]
    before = facts[AccessPatterns].patterns[access.id]
    assert before.sectors is not None
    assert before.sectors.mean == 16
    found = WhatIf(kernel, facts).pattern(access, Vectorised(4))
    assert isinstance(found, AccessPattern)
    assert found.kind is AccessKind.CONTIGUOUS
    assert costs(found) == costs(other[AccessPatterns].patterns[0])


def test_best_padding_of_a_transposition():
    kernel, facts = tile(
        "for (int j = 0; j < 32; j += 8) tile[y + j][x] = in[x + j];"
        "barrier(CLK_LOCAL_MEM_FENCE);"
        "for (int j = 0; j < 32; j += 8) out[j + y] = tile[x][y + j];"
    )
    array = accesses(facts, "tile")[0].array
    assert isinstance(array, Array)
    found = WhatIf(kernel, facts).best_padding(array)
    assert found is not None
    assert found.change == Padded(128, 4)
    assert found.over_launch
    warps = 128 * 64 // 32
    assert (found.before, found.after) == (4 * warps * 33, 4 * warps * 2)


def test_nothing_to_pad():
    kernel, facts = tile("tile[y][x] = 1;")
    array = accesses(facts, "tile")[0].array
    assert isinstance(array, Array)
    assert WhatIf(kernel, facts).best_padding(array) is None


@pytest.mark.parametrize("change", [Padded(128, 4), Transposed(128, 32, 4), Vectorised(2)])
def test_what_depends_on_memory_stays_unknown(change: Change):
    kernel, facts = analysed(GLOBALS.format(**IDS, body="out[(int)in[x]] = 1;"))
    access = accesses(facts, "out")[0]
    assert isinstance(WhatIf(kernel, facts).pattern(access, change), Unknown)


OVERLAPPING = """
__kernel void k(__global const float *in, __global float *out) {{
  const int x = {step} * get_group_id(0) + get_local_id(0) + {first};
  const int y = 12 * get_group_id(1) + get_local_id(1);
  out[get_local_id(0)] = in[y * 1024 + x];
}}
"""


def test_alignment_is_a_kernel_whose_blocks_begin_with_a_sector():
    known = Known((256, 256), (16, 16))
    kernel, facts = analysed(OVERLAPPING.format(step=12, first=6), known)
    _, other = analysed(OVERLAPPING.format(step=16, first=8), known)
    (access,) = accesses(facts, "in")
    before, after = (f[AccessPatterns].patterns[access.id] for f in (facts, other))
    what_if = WhatIf(kernel, facts)
    found = what_if.pattern(access, Aligned(8, 32))
    assert costs(found) == costs(after)
    assert isinstance(found, AccessPattern)
    assert found.executions == after.executions
    assert found.executions != before.executions
    repair = what_if.alignment(access, 32)
    assert repair is not None
    assert repair.change == Aligned(8, 32)


def test_neighbours_cannot_all_begin_with_a_sector():
    body = "out[y * 128 + x] = in[y * 128 + x + 7] + in[y * 128 + x + 8] + in[y * 128 + x + 9];"
    kernel, facts = analysed(GLOBALS.format(**IDS, body=body), Known((64, 64), (16, 16)))
    first, middle, _ = accesses(facts, "in")
    assert WhatIf(kernel, facts).alignment(first, 32) is None
    assert WhatIf(kernel, facts).alignment(middle, 32) is None
