"""A miniature as if trip counts of one were written into the source (Yu et al., IEEE TC 2015,
section 6.2)."""

from __future__ import annotations

import dataclasses

from kcc.synth.assembly.model import Bounded, Counted, Ending, Fork, Jump, Miniature


def without_loops(miniature: Miniature) -> Miniature:
    """Loops that end after their first trip."""
    kernels = [
        dataclasses.replace(
            kernel,
            blocks=tuple(
                dataclasses.replace(block, ending=_left(block.ending)) for block in kernel.blocks
            ),
        )
        for kernel in miniature.kernels
    ]
    return dataclasses.replace(miniature, kernels=tuple(kernels))


def _left(ending: Ending) -> Ending:
    match ending:
        case Fork(condition=Counted(continues_then=inside) | Bounded(continues_then=inside)):
            return Jump(ending.otherwise if inside else ending.then)
        case _:
            return ending
