"""Copies by tensor maps: how much they move, what is assumed, and that they are not run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kcc.api import estimate
from kcc.base.diagnostics import DiagnosticError
from tests.frontend.ptx.running import HEAD, run, unit_of

HOST = """.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 n)
.reqntid 128 {
.reg .b32 %id, %s, %b, %v, %i, %n, %y; .reg .b64 %m, %q; .reg .pred %one, %there, %more;
.shared .align 128 .b8 tile[16384]; .shared .align 8 .b64 bar;
mov.b64 %m, map; cvta.param.u64 %m, %m; ld.param.u64 %q, [out]; ld.param.u32 %n, [n];
mov.u32 %id, %tid.x; mov.u32 %b, bar; mov.u32 %s, tile; setp.eq.u32 %one, %id, 0; mov.u32 %i, 0;
mov.u32 %y, %ctaid.x; shl.b32 %y, %y, 7;
@%one mbarrier.init.shared::cta.b64 [%b], 1;
LOOP: bar.sync 0;
@%one mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], 16384;
@%one cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%s],
 [%m, {%i, %y}], [%b];
mbarrier.try_wait.parity.shared::cta.b64 %there, [%b], 0;
add.u32 %i, %i, 64; setp.lt.u32 %more, %i, %n; @%more bra LOOP;
mad.lo.u32 %s, %id, 4, %s; ld.shared.b32 %v, [%s];
mad.wide.u32 %q, %id, 4, %q; st.global.b32 [%q], %v; ret; }"""


def test_a_box_is_what_its_barrier_expects(tmp_path: Path) -> None:
    file = tmp_path / "k.ptx"
    file.write_text(HEAD + HOST)
    found = estimate(str(file), gpu="h100", grid=264, block=128, args={"n": 4096}).best
    assert found.counts is not None
    # 264 thread blocks bring 64 boxes of 16 KiB each.
    assert found.counts.l2_read_sectors == pytest.approx(264 * 64 * 16384 / 32, rel=0.01)
    assert found.cycles is not None
    assert found.cycles > 264 / 132 * 64 * 16384 / 128  # a line of shared memory a cycle
    assert found.counts.warp_instructions < 264 * 4 * 64 * 20


def test_what_only_the_host_knows_is_said() -> None:
    (warning,) = [w for w in unit_of(HOST).warnings if w.code == "K438"]
    assert "tensor maps map are taken from what barriers expect" in warning.message


def test_a_kernel_with_such_copies_is_not_run() -> None:
    with pytest.raises(DiagnosticError, match=r"copies by tensor maps \(TMA\), which cannot"):
        run(HOST, [np.zeros(8192, np.uint32), np.zeros(128, np.uint32), 64], 128)


def test_a_map_from_nowhere_is_refused() -> None:
    with pytest.raises(DiagnosticError, match="where its tensor map comes from is not found"):
        unit_of(
            HOST.replace("cvta.param.u64 %m, %m;", "ld.param.u64 %m, [out];").replace(
                "mov.b64 %m, map;", ""
            )
        )


@pytest.mark.parametrize(
    "wrong", ["[%m, {%i, %y}]", "expect_tx.shared::cta.b64 _, [%b], 16384", "%q, [out]"]
)
def test_operands_that_are_missing_are_an_error(wrong: str) -> None:
    kept = {"[%m, {%i, %y}]": "%m", "%q, [out]": "%q"}.get(wrong, "expect_tx.shared::cta.b64")
    with pytest.raises(DiagnosticError, match="has another number of operands"):
        unit_of(HOST.replace(wrong, kept))
