"""Atomic operations that wait for each other, in L2 and in the banks of shared memory."""

from __future__ import annotations

import pytest

from kcc.base.gpu.loading import load_gpu
from kcc.report.estimate.record import Confidence
from kcc.report.estimate.text import confidence_text
from tests.sim.estimate.test_model import estimated

ITEMS, BLOCK = 1 << 20, 256
WARPS = ITEMS // 32


def queued(statement: str, gpu: str = "v100") -> float:
    """Cycles that the slice of L2 works on the word that is asked for most."""
    source = f"""
    __kernel void k(__global int *y, __global const int *x) {{
      int i = get_global_id(0), l = get_local_id(0), g = get_group_id(0), v = x[i];
      {statement}
    }}
    """
    return estimated(source, str(ITEMS), str(BLOCK), gpu).estimate.bounds["l2_atomics"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("statement", "cycles"),
    [
        ("y[i] = v;", 0),
        ("atomic_add(y, v);", WARPS),  # lanes add up first
        ("atomic_max(y + 3, v);", WARPS),
        ("atomic_xchg(y, v);", ITEMS),  # each lane for itself
        ("atomic_xchg(y, v); atomic_xchg(y, v + 1);", 2 * ITEMS),
        ("atomic_xchg(y, v); atomic_xchg(y + 1, v);", 2 * ITEMS),  # two words of a line
        ("atomic_xchg(y, v); atomic_xchg(y + 32, v);", ITEMS),  # of two lines
        ("if (l == 0) atomic_xchg(y, v);", ITEMS // BLOCK),
        ("atomic_add(y + l, v);", 20 * ITEMS // BLOCK),  # five for each of four sectors
        ("atomic_add(y + (l & 7), v);", 5 * WARPS),
        ("atomic_add(y + (l & 1), v);", 16 * WARPS),
        ("atomic_xchg(y + g, v);", 32 * BLOCK),
        ("atomic_add(y + i, v);", 20),
        ("for (int k = 0; k < 8; k++) atomic_xchg(y + k, v);", 8 * ITEMS),
        ("for (int k = 0; k < 8; k++) atomic_xchg(y, k);", 8 * ITEMS),
        ("atomic_xchg(y + v, v);", 0),  # memory decides: not known to be few
    ],
)
def test_one_operation_a_cycle_on_a_line(statement: str, cycles: int) -> None:
    assert queued(statement) == pytest.approx(cycles, rel=1e-6)


@pytest.mark.parametrize(
    ("index", "cycles"),
    [
        ("x[i]", ITEMS),  # one word, which the compiler cannot know
        ("x[i] + (l & 7)", 5 * WARPS),
        ("y[i & 63]", 0),  # what is written can change
    ],
)
def test_a_buffer_of_one_number_says_where(index: str, cycles: int) -> None:
    source = f"""
    __kernel void k(__global int *y, __global const int *x) {{
      int i = get_global_id(0), l = get_local_id(0);
      atomic_add(y + ({index}), 1);
    }}
    """
    found = estimated(source, str(ITEMS), str(BLOCK), "v100", args=f"x=int[{ITEMS}]=64 y=int[99]=0")
    assert found.estimate.bounds["l2_atomics"] == pytest.approx(cycles, rel=1e-6)


@pytest.mark.parametrize(("args", "passes"), [("", 3.53), (f"x=int[{ITEMS}]=3", 32)])
def test_lanes_wait_in_shared_memory_by_what_a_buffer_holds(args: str, passes: float) -> None:
    source = """
    __kernel void k(__global int *y, __global const int *x) {
      __local int s[64];
      int i = get_global_id(0), l = get_local_id(0);
      for (int k = 0; k < 64; k++) atomic_add(&s[x[i + k] & 63], 1);
      barrier(CLK_LOCAL_MEM_FENCE);
      y[i] = s[l];
    }
    """
    found = estimated(source, str(ITEMS), "64", "v100", args=args).estimate
    port = ITEMS // 32 * 64 * passes / 80
    assert port < found.bounds["memory_port"] < 1.1 * port + 64 * ITEMS // 32 / 80 * 3


def test_what_is_not_known_is_told() -> None:
    source = """
    __kernel void k(__global int *y, __global const int *x) {
      atomic_add(y + x[get_global_id(0)], 1);
    }
    """
    found = estimated(source, str(ITEMS), str(BLOCK), "v100").estimate
    clock = load_gpu("v100").core_clock_boost_mhz
    assert clock is not None
    assert found.one_word_us == pytest.approx(ITEMS / float(clock.value))
    assert found.time_us < found.one_word_us / 10
    record = Confidence(
        assumed_launch=False, assumed_share=0.0, unattributed_share=0.0,
        accesses_without_addresses=1, assumed_gpu_values=(), weak_gpu_values=(),
        one_word_us=found.one_word_us,
    )  # fmt: skip
    told = "if all atomic operations have one address"
    assert told in confidence_text(record, found.time_us)
    assert told not in confidence_text(record, 2 * found.one_word_us)


def test_fermi_takes_nine_cycles() -> None:
    assert queued("atomic_xchg(y, v);", "gtx480") == pytest.approx(9 * ITEMS)


def test_a_sum_in_one_word_takes_as_long_as_its_queue() -> None:
    source = "__kernel void k(__global int *y) { atomic_xchg(y, get_global_id(0)); }"
    found = estimated(source, str(ITEMS), str(BLOCK), "v100").estimate
    assert found.limiter == "l2_atomics"
    assert ITEMS <= found.cycles < 1.01 * ITEMS


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("operation", "index", "passes"),
    [
        ("atomic_add", "l", 1),
        ("atomic_add", "l & 3", 8),
        ("atomic_add", "l * 2", 2),
        ("atomic_add", "0", 1),
        ("atomic_xchg", "0", 32),
    ],
)
def test_lanes_wait_for_each_other_at_a_bank(operation: str, index: str, passes: int) -> None:
    iterations, block = 64, 128
    source = f"""
    __kernel void k(__global int *y, __global const int *x) {{
      __local int s[512];
      int l = get_local_id(0), v = x[l];
      for (int k = 0; k < {iterations}; k++) {operation}(&s[{index}], v);
      barrier(CLK_LOCAL_MEM_FENCE);
      y[get_global_id(0)] = s[l];
    }}
    """
    found = estimated(source, str(80 * block), str(block), "v100").estimate
    port = block // 32 * iterations * passes
    assert port <= found.bounds["memory_port"] < port + 100
