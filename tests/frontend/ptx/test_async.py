"""Asynchronous copies: what waits for them, bulk copies, mbarrier objects."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from kcc.api import estimate
from kcc.base.diagnostics import DiagnosticError
from tests.frontend.ptx.running import HEAD, run, unit_of

BULK = """.visible .entry k(.param .u64 p0, .param .u64 p1) {
.reg .b32 %id, %s, %b, %v; .reg .b64 %p, %q; .reg .pred %one, %there;
.shared .align 16 .b8 tile[512]; .shared .align 8 .b64 bar;
ld.param.u64 %p, [p0]; ld.param.u64 %q, [p1];
mov.u32 %id, %tid.x; mov.u32 %b, bar; mov.u32 %s, tile; setp.eq.u32 %one, %id, 0;
@%one mbarrier.init.shared::cta.b64 [%b], 1;
bar.sync 0;
@%one mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], SIZE;
@%one cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%p], SIZE, [%b];
WAIT: mbarrier.try_wait.parity.shared::cta.b64 %there, [%b], 0;
@!%there bra WAIT;
xor.b32 %id, %id, 127; mad.lo.u32 %s, %id, 4, %s; ld.shared.b32 %v, [%s];
xor.b32 %id, %id, 127; mad.wide.u32 %q, %id, 4, %q; st.global.b32 [%q], %v; ret; }"""


def test_a_bulk_copy_is_there_after_its_barrier() -> None:
    data = np.arange(128, dtype=np.uint32) * 7
    found = run(BULK.replace("SIZE", "512"), [data, np.zeros(128, np.uint32)], 128)
    assert (found[1].view(np.uint32) == data[::-1]).all()


def test_a_bulk_copy_of_a_computed_size_is_refused() -> None:
    with pytest.raises(DiagnosticError, match="of a size that is computed is not supported"):
        unit_of(BULK.replace("%p], SIZE", "%p], %id").replace("SIZE", "512"))


WAITING = """.visible .entry k(.param .u64 p0) {
.reg .b32 %s, %i; .reg .b64 %p; .shared .align 16 .b8 tile[512]; .reg .f32 %f;
mov.u32 %i, %tid.x; mov.u32 %s, tile; mad.lo.u32 %s, %i, 4, %s;
ld.param.u64 %p, [p0]; mad.wide.u32 %p, %i, 4, %p;
cp.async.ca.shared.global [%s], [%p], 4; cp.async.commit_group; cp.async.wait_group COUNT;
bar.sync 0; ld.shared.f32 %f, [%s]; st.global.f32 [%p+4096], %f; ret; }"""


@pytest.mark.parametrize(("count", "scope"), [("0", "copies"), ("1", "copies.1")])
def test_groups_and_waits_are_fences_of_their_own(count: str, scope: str) -> None:
    text = unit_of(WAITING.replace("COUNT", count)).ir
    assert re.findall(r'fence syncscope\("([^"]*)"\)', text) == ["copies.group", scope]


def test_a_wait_names_a_number() -> None:
    with pytest.raises(DiagnosticError) as error:
        unit_of(WAITING.replace("COUNT", "%i"))
    assert error.value.diagnostics[0].code == "K430"


def test_who_waits_for_copies_takes_longer(tmp_path: Path) -> None:
    cycles = list[float]()
    for count in ("0", "1"):
        file = tmp_path / "k.ptx"
        file.write_text(HEAD + WAITING.replace("COUNT", count))
        found = estimate(str(file), gpu="a100", grid=1, block=128)
        assert found.best.cycles is not None
        cycles.append(found.best.cycles)
    assert cycles[0] > cycles[1] + 100
