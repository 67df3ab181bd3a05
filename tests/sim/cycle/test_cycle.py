"""The cycle-level model against cycles computed by hand.

The machine is Accel-Sim's SM7_QV100 unless a test says otherwise: dependent FFMA 7 cycles apart,
one every 2 cycles and scheduler; DFMA 13 and 4; MUFU 25 and 8; shared memory 25, L1 24, L2 172,
DRAM 334.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from kcc.sim.machine.warp_scheduling import Policy
from kcc.sim.result import Timing
from tests.sim.cycle.sass import GLOBAL, Warp, one_lane, simulate

N = 50


def check(timing: Timing) -> Timing:
    """What every result must fulfil: stacks add up in each way, issued is retired."""
    everything = timing.cycles * timing.schedulers
    assert sum(part.cycles for part in timing.stack) == everything
    assert sum(line.cycles for line in timing.lines) == everything
    for row in timing.scheduler_stacks:
        assert sum(row) == timing.cycles
    assert sum(line.executed for line in timing.lines) == timing.instructions
    stats = timing.statistics
    if not stats["atomics"]:
        missed = stats["code sectors missed"] + stats["constant sectors missed"]
        found = stats["L1 hits"] + stats["L1 pending"] - stats["sectors asked again"]
        assert stats["L2 reads"] + found == stats["L1 sectors"] + missed
    assert stats["DRAM sectors read"] <= stats["L2 reads"]
    return timing


def stack(timing: Timing) -> dict[str, float]:
    return {part.name: part.cycles for part in timing.stack}


@pytest.mark.parametrize(
    ("opcode", "latency", "interval"),
    [
        ("FFMA", 7, 2),
        ("FADD", 7, 2),
        ("IMAD", 7, 2),
        ("IADD3", 7, 2),
        ("LOP3", 7, 2),
        ("MOV", 7, 2),
        ("DFMA", 13, 4),
        ("DADD", 13, 4),
        ("MUFU.RCP", 25, 8),
        ("MUFU.EX2", 25, 8),
    ],
)
def test_chains(tmp_path: Path, opcode: str, latency: int, interval: int) -> None:
    dependent, independent = Warp(), Warp()
    for n in range(N):
        dependent.op(opcode, 1, (1, 2))
        independent.op(opcode, n + 1, (100, 101))
    assert check(simulate(tmp_path, [[dependent]])).cycles == (N - 1) * latency + 1
    timing = check(simulate(tmp_path, [[independent]]))
    assert timing.cycles == (N - 1) * interval + 1
    assert stack(timing)["unit busy"] == (N - 1) * (interval - 1)


def test_special_functions_are_taken_in_ahead(tmp_path: Path) -> None:
    """One begins every 8 cycles. With a queue of 8 the second issues at 1, the n-th when the one
    before it begins, at 8 (n - 2); then what waits for no result goes on, and the last result comes
    25 cycles after it began at 8 (N - 1)."""
    warp = Warp()
    for n in range(N):
        warp.op("MUFU.EX2", n + 1, (100, 101))
    queue = "xu_queue_cycles=8"
    assert check(simulate(tmp_path, [[warp]], queue)).cycles == (N - 2) * 8 + 1
    warp.op("FFMA", 0, (N,))
    assert check(simulate(tmp_path, [[warp]], queue)).cycles == (N - 1) * 8 + 25 + 1
    assert check(simulate(tmp_path, [[warp]])).cycles == (N - 1) * 8 + 25 + 1


def test_warps_hide_latency(tmp_path: Path) -> None:
    """Four warps of one scheduler (every fourth slot) fill seven cycles but for the interval."""
    chain = Warp()
    for _ in range(N):
        chain.op("FFMA", 1, (1,))
    timing = check(simulate(tmp_path, [[chain] * 16]))
    assert timing.cycles == (N - 1) * 8 + 7  # 4 warps x 2 cycles is more than the latency
    assert timing.issued == 16 * N


@pytest.mark.sampled(2)
@pytest.mark.parametrize("degree", range(1, 33))
def test_bank_conflicts_of_every_degree(tmp_path: Path, degree: int) -> None:
    """So many lanes want other words of bank 0, the others the first of these."""
    lanes = [128 * lane if lane < degree else 0 for lane in range(32)]
    warp = Warp()
    for n in range(N):
        warp.op("LDS", n + 1, (100,), lanes)
    timing = check(simulate(tmp_path, [[warp]], shared=4096))
    assert timing.cycles == (N - 1) * degree + 1
    assert timing.statistics["local passes"] == N * degree
    assert stack(timing)["load/store unit"] == (N - 1) * (degree - 1)


@pytest.mark.parametrize("degree", [1, 2, 4, 8, 16, 32])
def test_strides_conflict(tmp_path: Path, degree: int) -> None:
    warp = Warp()
    for n in range(N):
        warp.op("LDS", n + 1, (100,), [4 * degree * lane for lane in range(32)])
    timing = check(simulate(tmp_path, [[warp]], shared=4096))
    assert timing.cycles == (N - 1) * degree + 1
    assert timing.statistics["local passes"] == N * degree


def test_one_word_is_no_conflict(tmp_path: Path) -> None:
    warp = Warp()
    for n in range(N):
        warp.op("LDS", n + 1, (100,), [128] * 32)
    assert check(simulate(tmp_path, [[warp]], shared=4096)).cycles == N


@pytest.mark.parametrize(
    ("opcode", "addresses", "passes"),
    [
        ("LDS.64", [8 * lane for lane in range(32)], 2),
        ("LDS.64", [0] * 32, 1),
        ("LDS.64", [8 * (lane // 2) for lane in range(32)], 1),
        ("LDS.64", [8 * (lane % 2 + lane // 4 * 2) for lane in range(32)], 1),
        ("LDS.64", [8 * (lane % 16) for lane in range(32)], 2),
        ("LDS.128", [16 * lane for lane in range(32)], 4),
        ("LDS.128", [0] * 32, 2),
        ("LDS.128", [32 * (lane // 16) for lane in range(32)], 2),
        ("LDS.128", [32 * (lane % 16) for lane in range(32)], 8),
    ],
)
def test_passes_of_wide_loads(
    opcode: str, addresses: list[int], passes: int, tmp_path: Path
) -> None:
    """Half of the lanes or a quarter at once; twice as many where lanes two by two have one
    address. The last two are as others measured them on an A10 and an H100."""
    warp = Warp()
    for n in range(N):
        warp.op(opcode, 4 * (n % 8), (100,), addresses)
    timing = check(simulate(tmp_path, [[warp]], "shared_pairs=together", shared=4096))
    assert timing.statistics["local passes"] == N * passes
    apart = check(simulate(tmp_path, [[warp]], shared=4096))
    assert apart.statistics["local passes"] == N * max(passes, 2 if opcode == "LDS.64" else 4)


def chase(count: int) -> Warp:
    """Dependent loads of one lane, each of another line."""
    warp = Warp()
    for _ in range(600):
        warp.op("FFMA", 2, (2,))
    for n in range(count):
        one_lane(warp, "LDG", 2, (2,), GLOBAL + n * 128)
    return warp


def test_pointer_chase_in_l2(tmp_path: Path) -> None:
    """Another SM has brought the lines to L2 before the chase begins."""
    warming = Warp()
    for n in range(2 * N):
        one_lane(warming, "LDG", n + 1, (100,), GLOBAL + n * 128)
    settings = ("sm_count=2", "max_blocks_per_sm=1")
    one = check(simulate(tmp_path, [[warming], [chase(N)]], *settings))
    two = check(simulate(tmp_path, [[warming], [chase(2 * N)]], *settings))
    assert two.cycles - one.cycles == N * 172
    assert two.caches[1].hits == 2 * N


def test_pointer_chase_in_l1(tmp_path: Path) -> None:
    warp = Warp()
    for _ in range(N):
        one_lane(warp, "LDG", 2, (2,), GLOBAL)
    timing = check(simulate(tmp_path, [[warp]]))
    assert timing.cycles == 334 + (N - 1) * 24
    assert timing.caches[0].hits == N - 1


def test_pointer_chase_in_local_memory(tmp_path: Path) -> None:
    warp = Warp()
    for _ in range(N):
        warp.op("LDS", 2, (2,), [0] * 32)
    timing = check(simulate(tmp_path, [[warp]], shared=128))
    assert timing.cycles == (N - 1) * 25 + 1
    assert stack(timing)["local memory"] == (N - 1) * 24


def test_pointer_chase_in_dram(tmp_path: Path) -> None:
    """Each load opens another row: all of the latency, and one instruction."""
    warp = Warp()
    for n in range(N):
        one_lane(warp, "LDG", 2, (2,), GLOBAL + n * (1 << 21))
    timing = check(simulate(tmp_path, [[warp]]))
    assert timing.cycles == pytest.approx(N * 334, rel=0.02)
    assert stack(timing)["DRAM"] > 0.95 * (N - 1) * 334


def stream(blocks: int, loads: int) -> list[list[Warp]]:
    found = list[list[Warp]]()
    for block in range(blocks):
        warps = list[Warp]()
        for number in range(8):
            warp = Warp()
            for n in range(loads):
                first = GLOBAL + ((n * blocks + block) * 8 + number) * 128
                warp.op("LDG", n + 1, (100,), [first + 4 * lane for lane in range(32)])
            warps.append(warp)
        found.append(warps)
    return found


def test_stream_runs_at_the_peak(tmp_path: Path) -> None:
    """870.4 GB/s at 1132 MHz are 769 bytes per cycle; the first data take 334 cycles."""
    timing = check(simulate(tmp_path, stream(80, 16)))
    moved = 80 * 8 * 16 * 128
    assert timing.statistics["DRAM sectors read"] * 32 == moved
    peak = moved / (870.4e3 / 1132)
    assert peak <= timing.cycles <= 1.25 * peak + 334


def test_half_the_bandwidth_takes_twice_as_long(tmp_path: Path) -> None:
    full = simulate(tmp_path, stream(80, 16))
    half = simulate(tmp_path, stream(80, 16), "memory_bandwidth_gbs=435.2")
    assert (half.cycles - 334) / (full.cycles - 334) == pytest.approx(2, rel=0.1)


def test_miss_entries_bound_what_is_under_way(tmp_path: Path) -> None:
    """With four entries, four loads of one sector each take one latency."""
    warp = Warp()
    for n in range(40):
        one_lane(warp, "LDG", n + 1, (100,), GLOBAL + n * (1 << 21))
    timing = check(simulate(tmp_path, [[warp]], "l1.mshr=4"))
    assert timing.cycles == pytest.approx(10 * 334, rel=0.05)
    assert stack(timing)["MSHR"] > 8 * 300
    free = check(simulate(tmp_path, [[warp]]))
    assert free.cycles < 2 * 334  # some share a bank


def test_who_waits_for_an_entry_holds_up_no_other_sm(tmp_path: Path) -> None:
    """32 sectors through four entries take eight latencies; meanwhile the loads of another SM, one
    after the other, find the slice and the channel free."""
    wide, chain = Warp(), Warp()
    wide.op("LDG", 1, (100,), [GLOBAL + lane * (1 << 21) for lane in range(32)])
    for n in range(6):
        one_lane(chain, "LDG", 1, (1,), GLOBAL + (1 << 30) + n * (1 << 21))
    machine = ("l1.mshr=4", "sm_count=2", "l2.slices=1", "dram.channels=1")
    rows = "dram.timing=RP=0:RCD=0:RC=1"
    timing = check(simulate(tmp_path, [[wide], [chain]], *machine, rows))
    assert timing.cycles == pytest.approx(8 * 334, rel=0.05)


def test_barrier_waits_for_the_slowest(tmp_path: Path) -> None:
    """The warps alternate: one works before the first barrier, the other after it."""
    first, second = Warp(), Warp()
    for _ in range(N):
        first.op("FFMA", 1, (1,))
    first.op("BAR.SYNC")
    second.op("BAR.SYNC")
    for _ in range(N):
        second.op("FFMA", 1, (1,))
    timing = check(simulate(tmp_path, [[first, second]]))
    work = (N - 1) * 7 + 1
    assert timing.cycles == pytest.approx(2 * work, abs=4)
    assert stack(timing)["barrier"] == pytest.approx(work, abs=4)


def test_tail_wave(tmp_path: Path) -> None:
    """One block more than fits at once takes a second round."""
    chain = Warp()
    for _ in range(N):
        chain.op("FFMA", 1, (1,))
    one = ("sm_count=1", "max_blocks_per_sm=2")
    rounds = [check(simulate(tmp_path, [[chain]] * n, *one)).cycles for n in (2, 3, 4, 5)]
    alone = (N - 1) * 7 + 1
    assert rounds[0] == alone + 1  # a block starts each cycle
    assert rounds[1] == pytest.approx(2 * alone, abs=3)
    assert rounds[2] == pytest.approx(2 * alone, abs=3)
    assert rounds[3] == pytest.approx(3 * alone, abs=4)


def test_a_block_that_takes_anothers_place_starts_later(tmp_path: Path) -> None:
    """Four blocks in two rounds; the second begins 100 cycles after the first has ended, not 1."""
    chain = Warp()
    for _ in range(N):
        chain.op("FFMA", 1, (1,))
    one = ("sm_count=2", "max_blocks_per_sm=1")
    at_once = check(simulate(tmp_path, [[chain]] * 4, *one))
    later = check(simulate(tmp_path, [[chain]] * 4, *one, "block_start_cycles=100"))
    assert later.cycles == at_once.cycles + 99
    assert stack(later)["launch"] == 2 * 100


def test_dispatch_is_greedy_in_the_order_of_blocks(tmp_path: Path) -> None:
    short, long = Warp(), Warp()
    for _ in range(4):
        short.op("FFMA", 1, (1,))
    for _ in range(N):
        long.op("FFMA", 1, (1,))
    settings = ("sm_count=2", "max_blocks_per_sm=1")
    timing = check(simulate(tmp_path, [[long], [short], [short], [short]], *settings, timeline=10))
    assert [b.sm for b in timing.blocks] == [0, 1, 1, 1]
    assert [b.start for b in timing.blocks[1:]] == [0, *(b.end for b in timing.blocks[1:3])]


@pytest.mark.parametrize("scheduler", [each.value for each in Policy])
def test_schedulers_issue_everything(tmp_path: Path, scheduler: str) -> None:
    timing = check(simulate(tmp_path, stream(8, 4), f"scheduler={scheduler}"))
    assert timing.issued == 8 * 8 * 4


@pytest.mark.parametrize(
    ("policy", "order"), [(Policy.GREEDY, (0, 1, 2)), (Policy.YOUNGEST, (0, 2, 1))]
)
def test_greedy_schedulers_end_one_warp_after_the_other(
    tmp_path: Path, policy: Policy, order: tuple[int, ...]
) -> None:
    """Three blocks with a warp on each scheduler: the one that is there first, then the oldest or
    the youngest."""
    warp = Warp()
    for n in range(N):
        warp.op("FFMA", n + 1, (100,))
    blocks = [[warp] * 4] * 3
    timing = check(
        simulate(tmp_path, blocks, "sm_count=1", f"scheduler={policy.value}", timeline=9)
    )
    ends = [block.end for block in timing.blocks]
    assert tuple(sorted(range(3), key=lambda number: ends[number])) == order
    assert min(abs(x - y) for x, y in itertools.combinations(ends, 2)) >= 2 * N - 4


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "settings",
    [
        ("memory_bandwidth_gbs=1740",), ("l1.mshr=1024",), ("latency_cycles.dram=300",),
        ("l2.slices=128",), ("interconnect.flit_bytes=80",), ("sm_count=84",),
    ],
)  # fmt: skip
def test_more_is_never_slower(tmp_path: Path, settings: tuple[str, ...]) -> None:
    before = simulate(tmp_path, stream(96, 8))
    assert simulate(tmp_path, stream(96, 8), *settings).cycles <= 1.02 * before.cycles


def test_equal_runs_are_equal(tmp_path: Path) -> None:
    assert simulate(tmp_path, stream(40, 4)) == simulate(tmp_path, stream(40, 4))


def test_atomics_on_one_address_queue(tmp_path: Path) -> None:
    same, apart = Warp(), Warp()
    for n in range(N):
        same.op("ATOMG.ADD", n + 1, (100,), [GLOBAL] * 32)
        apart.op("ATOMG.ADD", n + 1, (100,), [GLOBAL + 4 * lane for lane in range(32)])
    slow, fast = (check(simulate(tmp_path, [[w] * 4])) for w in (same, apart))
    assert slow.statistics["atomics"] == fast.statistics["atomics"] == 4 * N
    assert slow.cycles > 4 * N * 32  # all in one slice, one after another
