"""What many warps do together, without contention (dissertation, section 4.4.1, equations 16-25),
and the two models it is compared with: equation 10 and the Markov chain of section 2.4.2.

All take the interval profile of the representative warp and give cycles per instruction of the
core. The issue rate is one instruction per cycle and scheduler.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.sim.interval.intervals import IntervalProfile
from kcc.sim.machine.warp_scheduling import Policy


def naive_cpi(profile: IntervalProfile, warps: float, issue_rate: float = 1.0) -> float:
    """Equation 10: the warp's IPC times the number of warps, at most the issue rate."""
    ipc = profile.warp_perf * warps
    return 1.0 / min(ipc, issue_rate)


def markov_cpi(profile: IntervalProfile, warps: float) -> float:
    """Section 2.4.2 (Chen and Aamodt, HPCA 2009): each warp is active or suspended. It is suspended
    with probability p after an instruction, and comes back with probability 1/M in a cycle, M the
    mean stall. Warps are independent of each other, so that a core issues in a cycle unless all of
    its warps are suspended."""
    instructions = profile.total_instructions
    stalls = profile.stall_cycles[profile.stall_cycles > 0]
    if not len(stalls):
        return max(1.0, 1.0 / warps)
    p = len(stalls) / instructions
    mean = float(stalls.mean())
    suspended = p * mean / (1 + p * mean)
    return 1.0 / (1.0 - suspended**warps)


def multithreading_cpi(
    profile: IntervalProfile, warps: float, policy: Policy, *, slots_filled: bool = False
) -> float:
    """Equation 16: cycles of the representative warp, and one more for each instruction of the
    remaining warps that does not overlap its stalls. The probabilities of equations 20 and 25 count
    too few of these where warps have few stalls; no core is faster than its issue rate."""
    extra = float(nonoverlapped(profile, warps, policy, slots_filled=slots_filled).sum())
    return max((profile.total_cycles + extra) / (warps * profile.total_instructions), 1.0)


def nonoverlapped(
    profile: IntervalProfile, warps: float, policy: Policy, *, slots_filled: bool = False
) -> NDArray[np.float64]:
    """Equations 19 to 25: non-overlapped instructions of each interval. With ``slots_filled`` every
    other warp issues in a waiting slot, as in figure 24a, where warps are aligned; equation 20 has
    it with the issue probability."""
    issue_prob = profile.warp_perf
    if policy is Policy.ROUND_ROBIN and slots_filled:
        return (warps - 1) * np.maximum(profile.instructions - 1, 0)
    if policy is Policy.ROUND_ROBIN:
        waiting_slots = np.maximum(profile.instructions - 1, 0)
        return issue_prob * (warps - 1) * waiting_slots
    average = profile.total_instructions / len(profile)
    in_stall = np.minimum(issue_prob * profile.stall_cycles, 1.0)
    issued = average * in_stall * (warps - 1)
    return np.maximum(issued - profile.stall_cycles, 0.0)
