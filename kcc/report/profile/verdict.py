"""What of a profile matters most, in one sentence: it is independent of any GPU, so it names no
bottleneck but where the work is and what of it is without effect."""

from __future__ import annotations

import math

from kcc.base.profile.merge import merge
from kcc.base.profile.model import AccessCount, AccessInfo, KernelInfo, LaunchProfile, Profile
from kcc.report.shared.text import share_text
from kcc.report.shared.words import place

SECTOR = 32
FEW_LANES = 0.75
"""Share of active lanes below which they are named."""


def verdict_of_profile(profile: Profile) -> str:
    """The kernel with most warp instructions, its active lanes, and its access with most sectors
    or bank conflicts; "" without launches."""
    totals = [
        (info, merge([x for x in profile.launches if x.kernel == n]))
        for n, info in enumerate(profile.kernels)
        if any(x.kernel == n for x in profile.launches)
    ]
    whole = math.fsum(total.warp_instructions for _, total in totals)
    if not whole:
        return ""
    info, total = max(totals, key=lambda each: each[1].warp_instructions)
    share = total.warp_instructions / whole
    parts = [f"{info.name} executes {share_text(share)} of the warp instructions"]
    lanes = total.thread_instructions / total.warp_instructions
    if lanes < FEW_LANES * total.width:
        parts[0] += f", with {lanes:.1f} of {total.width} lanes active"
    parts += [text for text in (_sectors(info, total), _banks(info, total)) if text]
    return "; ".join(parts) + "."


Pair = tuple[AccessInfo, AccessCount]


def _sectors(info: KernelInfo, total: LaunchProfile) -> str:
    """The access with most sectors beyond what its data need, else with most sectors."""
    pairs = [p for p in zip(info.accesses, total.accesses, strict=True) if p[1].sectors]
    if not pairs:
        return ""
    whole = math.fsum(_moved(p) for p in pairs) or 1.0
    most = max(pairs, key=lambda p: (_excess(p), _moved(p)))
    access, count = most
    each = _moved(most) / max(sum(count.sectors.values()), 1)
    ideal = access.bytes * count.lanes / max(count.executions, 1) / SECTOR
    return (
        f"{_named(access)} touches {each:.1f} sectors per request (its data fill {ideal:.2g}), "
        f"{share_text(_moved(most) / whole)} of all"
    )


def _named(access: AccessInfo) -> str:
    return f"line {place(access.line, 0)}: the {access.op} of {access.array or '?'}"


def _moved(pair: Pair) -> float:
    return math.fsum(value * times for value, times in pair[1].sectors.items())


def _excess(pair: Pair) -> float:
    """Sectors beyond those that the bytes of active lanes fill."""
    access, count = pair
    return max(_moved(pair) - access.bytes * count.lanes / SECTOR, 0.0)


def _banks(info: KernelInfo, total: LaunchProfile) -> str:
    """The access to shared memory with most bank conflicts, where there are any."""
    pairs = [p for p in zip(info.accesses, total.accesses, strict=True) if p[1].bank_passes]
    if not pairs:
        return ""
    access, count = max(pairs, key=_conflicts)
    ways = 1 + _conflicts((access, count)) / max(sum(count.bank_passes.values()), 1)
    if ways < 1.05:
        return ""
    return f"{_named(access)} has {ways:.3g}-way bank conflicts in the mean"


def _conflicts(pair: Pair) -> float:
    return math.fsum((passes - 1) * times for passes, times in pair[1].bank_passes.items())
