"""Which warp a scheduler takes."""

from __future__ import annotations

from enum import Enum

from kcc.base.gpu.needs import GpuReader
from kcc.sim.machine.costs import SINCE_VOLTA, generation_of_gpu


class Policy(Enum):
    """How a scheduler chooses among ready warps: in turn; one as long as it can issue, then the
    oldest or the youngest; in turn within a group of them."""

    ROUND_ROBIN = "loose-round-robin"
    GREEDY = "greedy-then-oldest"
    TWO_LEVEL = "two-level"
    YOUNGEST = "greedy-then-youngest"


def scheduling_of(reader: GpuReader) -> Policy:
    """The policy of a GPU. Huerta et al. ("Dissecting and Modeling the Architecture of Modern GPU
    Cores", MICRO 2025, section 5.1.2) saw an RTX A6000 stay with a warp as long as it can issue and
    then take the youngest, and take that over to Turing and Blackwell; we to Volta."""
    if generation_of_gpu(reader.gpu) in SINCE_VOLTA:
        assumed, reason = Policy.YOUNGEST, "as seen on an RTX A6000"
    else:
        assumed, reason = Policy.ROUND_ROBIN, "the plainest"
    return Policy(reader.text("scheduler", assumed=assumed.value, reason=reason))
