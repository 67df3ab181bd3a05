"""Matrices and asynchronous copies on their way back to PTX, and read again."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from kcc.frontend.ptx.emit import PtxOptions, emit_ptx
from tests.frontend.ptx.running import run, unit_of
from tests.frontend.ptx.test_fragments import drawn, laid, text

SHAPE = (16, 16, 16)


@pytest.mark.parametrize("layouts", list(itertools.product(("row", "col"), repeat=2)))
def test_products_of_what_shared_memory_has(layouts: tuple[str, str]) -> None:
    a, b, c = drawn(SHAPE, np.float16, np.float32)
    whole = (*layouts, "row")
    source = text(SHAPE, ("f32", "f16"), whole, (16, 16, 16), shared=True)
    again = emit_ptx(unit_of(source).ir, PtxOptions(target="sm_80", restructure=False))
    plain = (layouts[0] == "row") + (layouts[1] == "col")  # rows of B's columns
    turned = {"ldmatrix.sync.aligned.m8n8.x4.shared": plain,
              "ldmatrix.sync.aligned.m8n8.x4.trans.shared": 2 - plain}  # fmt: skip
    assert {word: again.count(word) for word in turned} == turned
    assert again.count("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32") == 2
    inputs = [laid(x, y, 16) for x, y in zip((a, b, c), whole, strict=True)]
    found = run(again, [*inputs, np.zeros_like(inputs[2])])[3].view(np.float32).reshape(16, 16)
    assert np.array_equal(found, a.astype(np.float32) @ b.astype(np.float32) + c)


COPIES = """
.visible .entry k(.param .u64 p0, .param .u64 p1) {
    .shared .align 16 .b8 tile[1024];
    .reg .b32 %r<8>; .reg .b64 %p<6>;
    ld.param.u64 %p0, [p0]; ld.param.u64 %p1, [p1];
    mov.u32 %r0, %tid.x; mul.wide.u32 %p2, %r0, 16; add.s64 %p3, %p0, %p2;
    mov.u32 %r1, tile; mad.lo.u32 %r2, %r0, 16, %r1;
    cp.async.cg.shared.global [%r2], [%p3], 16;
    cp.async.commit_group;
    cp.async.ca.shared.global [%r2+512], [%p3], 8;
    cp.async.commit_group;
    cp.async.wait_group 1;
    cp.async.wait_all;
    bar.sync 0;
    xor.b32 %r3, %r0, 1; mad.lo.u32 %r4, %r3, 16, %r1; ld.shared.u32 %r5, [%r4];
    ld.shared.u32 %r6, [%r4+512]; add.u32 %r5, %r5, %r6;
    mul.wide.u32 %p4, %r0, 4; add.s64 %p4, %p1, %p4; st.global.u32 [%p4], %r5;
    ret;
}
"""


@pytest.mark.parametrize(("target", "known"), [("sm_80", True), ("sm_75", False)])
def test_copies_that_go_on_by_themselves(target: str, *, known: bool) -> None:
    """From Ampere on; what an older GPU has instead is a load and a store."""
    again = emit_ptx(unit_of(COPIES).ir, PtxOptions(target=target, restructure=False))
    words = ["cg.shared.global", "commit_group", "ca.shared.global", "commit_group",
             "wait_group 1", "wait_all"]  # fmt: skip
    found = re.findall(r"cp\.async\.(\w+(?:\.\w+)*(?: \d)?)", again)
    assert found == (words if known else [])
    assert "membar" not in again
    assert "fence" not in again
    data, out = np.arange(128, dtype=np.int32), np.zeros(32, np.int32)
    result = run(again, [data, out])[1].view(np.int32)
    assert np.array_equal(result, 2 * data[::4][np.arange(32) ^ 1])
