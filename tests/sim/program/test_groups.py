"""Waits for groups of asynchronous copies, in every model: cycles computed by hand.

A warp alone loads a sector that nobody had, some 500 cycles away, in each iteration of a loop; a
chain of dependent additions follows. Who leaves N groups outstanding waits for the copy of N
iterations before, which the latency of L cycles of N + 1 iterations hides: an iteration takes
max(L / (N + 1), chain).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from kcc.api import estimate, simulate
from kcc.frontend.ir.instructions import awaited
from tests.frontend.ptx.running import HEAD

KERNEL = """.visible .entry k(.param .u64 p0) {
.reg .b32 %s, %i, %n; .reg .b64 %p, %q; .shared .align 16 .b8 tile[512]; .reg .f32 %f;
.reg .pred %go;
mov.u32 %i, %tid.x; mov.u32 %s, tile; mad.lo.u32 %s, %i, 4, %s; cvt.rn.f32.u32 %f, %i;
ld.param.u64 %p, [p0]; mad.wide.u32 %p, %i, 4, %p; mov.u64 %q, %p; mov.u32 %n, 0;
LOOP: WAIT;
cp.async.ca.shared.global [%s], [%p], 4; cp.async.commit_group;
CHAIN
add.s64 %p, %p, 128; add.u32 %n, %n, 1; setp.lt.u32 %go, %n, TIMES; @%go bra LOOP;
st.global.f32 [%q], %f; ret; }"""
TIMES = 64
ISSUE = 12
"""Cycles of an iteration's other instructions, at most: what a copy is issued after its wait."""


def cycles(folder: Path, model: str, wait: str, chain: int) -> float:
    """Cycles of an iteration, in the long run."""
    found = list[float]()
    for times in (TIMES, 2 * TIMES):
        text = KERNEL.replace("TIMES", str(times)).replace("WAIT", wait)
        file = folder / "k.ptx"
        file.write_text(HEAD + text.replace("CHAIN", "add.rn.f32 %f, %f, 0f3F800000;\n" * chain))
        if model == "estimate":
            own = estimate(str(file), gpu="a100", grid=1, block=32).best.cycles
        else:
            options = ["--grid", "1", "--block", "32", "--arg", "0=float[8192]", "--cold"]
            (done,) = simulate(str(file), gpu="a100", model=model, options=options).simulated
            own = done.timings[0].cycles
        assert own is not None
        found.append(own)
    return (found[1] - found[0]) / TIMES


@cache
def latency(folder: Path, model: str) -> float:
    """That of an iteration which waits for its own copy."""
    return cycles(folder, model, "cp.async.wait_group 0", 1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("groups")


MODELS = ["estimate", "cycle", "interval"]


@pytest.mark.parametrize("model", MODELS)
def test_all_copies(folder: Path, model: str) -> None:
    """The latencies of an A100's DRAM that were measured lie between 466 and 600 cycles."""
    assert 450 < latency(folder, model) < 620
    by_all = cycles(folder, model, "cp.async.wait_all", 1)
    assert by_all == pytest.approx(latency(folder, model), abs=1)


@pytest.mark.parametrize("left", [1, 3])
@pytest.mark.parametrize("model", MODELS)
def test_groups_that_are_left(folder: Path, model: str, left: int) -> None:
    found = cycles(folder, model, f"cp.async.wait_group {left}", 1)
    assert found == pytest.approx(latency(folder, model) / (left + 1), abs=ISSUE)


@pytest.mark.parametrize("model", MODELS)
def test_a_chain_that_takes_longer(folder: Path, model: str) -> None:
    """60 additions of 4 cycles each hide a quarter of the latency."""
    found = cycles(folder, model, "cp.async.wait_group 3", 60)
    assert 240 <= found < 240 + 2 * ISSUE


def test_scopes() -> None:
    assert awaited("") is None
    assert awaited("device") is None
    assert awaited("copies") == ("copies", -1)
    assert awaited("copies.2") == ("copies", 2)
    assert awaited("products.group") == ("products", None)


PHASES = """.visible .entry k(.param .u64 p0) .reqntid 32 {
.reg .b32 %s, %i, %n, %b, %v; .reg .b64 %p, %q; .shared .align 16 .b8 tile[512];
.shared .align 8 .b64 bar; .reg .pred %go, %one, %there;
mov.u32 %i, %tid.x; mov.u32 %s, tile; mov.u32 %b, bar; ld.param.u64 %p, [p0]; mov.u64 %q, %p;
mov.u32 %n, 0; setp.eq.u32 %one, %i, 0;
AHEAD
LOOP: mbarrier.try_wait.parity.shared::cta.b64 %there, [%b], 0;
BEGIN
add.u32 %n, %n, 1; setp.lt.u32 %go, %n, TIMES; @%go bra LOOP;
ld.shared.b32 %v, [%s]; st.global.b32 [%q], %v; ret; }"""
BEGIN = """@%one mbarrier.arrive.expect_tx.shared::cta.b64 _, [%b], 128;
@%one cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%s], [%p], 128, [%b];
add.s64 %p, %p, 128;
"""


def phase_cycles(folder: Path, ahead: int) -> float:
    """Cycles of an iteration that begins a phase and waits for the one so many before."""
    found = list[float]()
    for times in (TIMES, 2 * TIMES):
        text = PHASES.replace("TIMES", str(times)).replace("AHEAD", ahead * BEGIN)
        file = folder / "k.ptx"
        file.write_text(HEAD + text.replace("BEGIN", BEGIN))
        own = estimate(str(file), gpu="h100", grid=1, block=32).best.cycles
        assert own is not None
        found.append(own)
    return (found[1] - found[0]) / TIMES


def test_phases_of_a_barrier_that_are_begun_ahead(folder: Path) -> None:
    """The latency of an H100's DRAM, 834.5 cycles in its file, over how many are begun ahead."""
    whole = phase_cycles(folder, 1)
    assert whole == pytest.approx(834.5, abs=ISSUE)
    for ahead in (2, 4):
        assert phase_cycles(folder, ahead) == pytest.approx(whole / ahead, abs=ISSUE)
