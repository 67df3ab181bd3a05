"""The verdict on a miniature: how much smaller it is, and how near it behaves, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.report.shared.text import share_text
from kcc.synth.comparison.behaviour import Behaviour, Pair, mix_difference


def verdict_of_miniature(behaviours: tuple[Behaviour, Behaviour], pairs: Sequence[Pair]) -> str:
    """What the miniature executes of the original's warp instructions, and the largest difference:
    of the simulations where there are any, else of the profiles."""
    original, own = behaviours
    share = own.warp_instructions / max(original.warp_instructions, 1)
    said = f"The miniature executes {100 * share:.3g} % of the original's warp instructions"
    if pairs:
        worst = max(pairs, key=lambda pair: abs(pair.ipc_error))
        on = f" on {worst.original.gpu}" + (", the largest error" if len(pairs) > 1 else "")
        return f"{said}; its IPC is {100 * worst.ipc_error:+.1f} % off{on}."
    mix = 100 * mix_difference(original, own)
    lanes = f"{share_text(own.lanes)} of the lanes are active ({share_text(original.lanes)})"
    sectors = f"{own.sectors:.2f} sectors per access ({original.sectors:.2f})"
    return f"{said}; {lanes}, {sectors}, its instruction mix is at most {mix:.1f} % off."
