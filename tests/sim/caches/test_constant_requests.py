"""Constants that lanes of a warp want from different addresses: a request for each."""

from __future__ import annotations

import pytest

from tests.sim.estimate.test_model import estimated
from tests.sim.flow.test_warp_classes import looked_at

TABLE = """
__constant float c[64] = {1, 2, 3};
__constant float few[16] = {1, 2, 3};
__kernel void k(__global float *o, __global const int *b, int n) {
  int i = get_global_id(0), lane = i & 31;
  float s = 0;
  for (int j = 0; j < 64; j++) s = s * 0.5f + WANTED;
  o[i] = s;
}
"""


@pytest.mark.parametrize(
    ("wanted", "requests"),
    [
        ("c[lane]", 32.0), ("c[lane / 8]", 4.0), ("c[(lane + j) & 31]", 32.0),
        ("few[b[i] & 15]", 16 * (1 - (15 / 16) ** 32)),
    ],
)  # fmt: skip
def test_each_address_is_a_request(wanted: str, requests: float) -> None:
    subject, _ = looked_at(TABLE.replace("WANTED", wanted), 65536, 3, 128)
    found = {s.bank_passes for s in subject.streams if s.array in ("c", "few")}
    assert len(found) == 1
    assert found.pop() == pytest.approx(requests, rel=0.01)


def test_requests_take_the_port_on_nvidia_s_gpus() -> None:
    """Where an operation reads a constant that is the same for all lanes nothing is loaded. What
    the port takes more; the order of loads and sums decides when a thread block ends."""
    one, half, every = (
        estimated(TABLE.replace("WANTED", wanted), "1048576", "128", "v100", args="n=3").estimate
        for wanted in ("c[j]", "c[(lane / 2 + j) & 63]", "c[(lane + j) & 63]")
    )
    assert one.time_us < half.time_us < every.time_us
    more = every.bounds["memory_port"] - half.bounds["memory_port"]
    assert more == pytest.approx(1048576 / 32 / 80 * 64 * 16, rel=0.01)
    assert every.cycles - half.cycles > more
