"""What original and miniature do, in the same few numbers: by profile, and simulated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kcc.base.profile.model import Histogram, LaunchProfile, Profile
from kcc.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What the launches of a run did, all together, whatever the GPU. Shares are from 0 to 1.

    ``mix`` are shares of warp instructions by class; ``lanes`` active of those of all warp
    instructions; ``sectors`` of 32 bytes per access to global and constant memory, ``passes`` per
    access to local memory.
    """

    warp_instructions: int
    mix: Mapping[str, float]
    lanes: float
    sectors: float
    passes: float


@dataclass(frozen=True, slots=True)
class Simulated:
    """What the simulation of a run's launches on one GPU says, all together. ``hits`` are hit
    rates by level; ``cpu_seconds`` are those of simulating, ``start_seconds`` those of reading and
    lowering kernels before. ``auxiliary`` are the issued instructions that stand for nothing in an
    original."""

    gpu: str
    cycles: float
    issued: float
    instructions: float
    hits: Mapping[str, float]
    cpu_seconds: float
    auxiliary: float = 0.0
    start_seconds: float = 0.0

    @property
    def ipc(self) -> float:
        """Of all instructions."""
        return self.issued / self.cycles if self.cycles else 0.0

    @property
    def own_ipc(self) -> float:
        """Of those that the original has."""
        return (self.issued - self.auxiliary) / self.cycles if self.cycles else 0.0


@dataclass(frozen=True, slots=True)
class Pair:
    """Original and miniature on one GPU. ``settings`` (KEY=VALUE) make the part of it on which the
    miniature ran and stands for the whole; none where it ran on all."""

    original: Simulated
    miniature: Simulated
    settings: tuple[str, ...] = ()

    @property
    def ipc_error(self) -> float:
        """Equation (4) of Yu et al. (IEEE TC 2015) for IPC, without auxiliary instructions."""
        return self.miniature.own_ipc / self.original.ipc - 1 if self.original.ipc else 0.0

    @property
    def instruction_speedup(self) -> float:
        return self.original.instructions / max(self.miniature.instructions, 1)

    @property
    def time_speedup(self) -> float:
        """Equation (3), in CPU time of the simulator."""
        return self.original.cpu_seconds / max(self.miniature.cpu_seconds, 1e-9)


def behaviour(profile: Profile) -> Behaviour:
    """The launches of a profile, all together."""
    launches = profile.launches
    mix = dict[str, int]()
    for launch in launches:
        for name, (warps, _) in launch.mix.items():
            mix[name] = mix.get(name, 0) + warps
    total = sum(mix.values())
    slots = sum(x.warp_instructions * x.width for x in launches)
    return Behaviour(
        warp_instructions=sum(x.warp_instructions for x in launches),
        mix={name: count / total for name, count in mix.items()} if total else {},
        lanes=sum(x.thread_instructions for x in launches) / slots if slots else 0.0,
        sectors=_mean(_histograms(launches, "sectors")),
        passes=_mean(_histograms(launches, "bank_passes")),
    )


UNSAID = 0.05
"""By how much a share, or sectors per access relative to the original's, may differ unsaid."""


def differences(
    behaviours: tuple[Behaviour, Behaviour], pairs: Sequence[Pair], *, whole: bool = False
) -> list[str]:
    """What of a miniature differs by more than five points, or percent, from its original: active
    lanes, sectors per access, hit rates where both were simulated; of one without reduction
    (``whole``) warp instructions too."""
    one, two = behaviours
    found = list[str]()
    share = two.warp_instructions / max(one.warp_instructions, 1)
    if whole and abs(share - 1) > UNSAID:
        found.append(f"it executes {100 * share:.0f} % of the warp instructions")
    if abs(two.lanes - one.lanes) > UNSAID:
        found.append(
            f"{100 * two.lanes:.0f} % of the lanes are active, not {100 * one.lanes:.0f} %"
        )
    if abs(two.sectors - one.sectors) > UNSAID * one.sectors:
        found.append(f"{two.sectors:.2f} sectors per access, not {one.sectors:.2f}")
    for pair in pairs:
        for level, rate in pair.original.hits.items():
            own = pair.miniature.hits.get(level, 0.0)
            if abs(own - rate) > UNSAID:
                gpu = pair.original.gpu
                found.append(f"{100 * own:.0f} % hits in {level} of {gpu}, not {100 * rate:.0f} %")
    return found


def _histograms(launches: Sequence[LaunchProfile], name: str) -> list[Histogram]:
    return [getattr(access, name) for launch in launches for access in launch.accesses]


def _mean(histograms: Sequence[Histogram]) -> float:
    count = sum(n for h in histograms for n in h.values())
    return sum(value * n for h in histograms for value, n in h.items()) / count if count else 0.0


def mix_difference(one: Behaviour, other: Behaviour) -> float:
    """The largest difference between the shares of a class of instructions."""
    names = {*one.mix, *other.mix}
    return max((abs(one.mix.get(n, 0) - other.mix.get(n, 0)) for n in names), default=0.0)
