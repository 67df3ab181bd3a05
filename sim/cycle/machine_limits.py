"""What a GPU may be for the cycle-level model: what it keeps in words of some bits, and what its
caches take of the host's memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.schema import facts_of
from kcc.sim.cycle.layout import SIDE_WAYS, WHEEL, Conf

MOST_SECTORS = 31
"""Bits of the dirty sectors of a line."""

MOST_CYCLES = 1 << 17
"""Of one latency or initiation interval: a hundred of them, as long as sequences of machine
instructions get, are less than what times leave free (LATEST)."""

MOST_STATE_BYTES = 1 << 32
"""What the caches of a GPU may take of the host's memory."""

CYCLES = (
    "latency_cycles.", "initiation_interval_cycles.", "block_start_cycles", "warp_end_cycles",
)  # fmt: skip
"""Keys whose values times must have room for."""

CACHES = (
    (Conf.L1_SETS, Conf.L1_WAYS, Conf.SMS),
    (Conf.L2_SETS, Conf.L2_WAYS, Conf.L2_SLICES),
    (Conf.FETCH_SETS, Conf.FETCH_WAYS, Conf.SMS),
    (Conf.CONSTANT_SETS, Conf.CONSTANT_WAYS, Conf.SMS),
)
"""Sets, ways, and how many there are."""


def check_limits(gpu: GpuDescription, conf: NDArray[np.int64]) -> None:
    """:raises DiagnosticError: K803 for a value that is larger than the core can hold."""
    for value, most, what in (
        (conf[Conf.PER_SCHEDULER], WHEEL, "warps to a scheduler"),
        (conf[Conf.SECTORS], MOST_SECTORS, "sectors to a line"),
        (_state_bytes(conf), MOST_STATE_BYTES, "bytes of the host's memory for its caches"),
        *_cycles(gpu),
    ):
        if value > most:
            message = f"{gpu.stem} has {value:,} {what}; the cycle-level model can do with {most:,}"
            raise DiagnosticError([Diagnostic("K803", message)])
    if 0 < conf[Conf.REFRESH_EVERY] <= conf[Conf.REFRESH]:
        message = f"in dram.timing of {gpu.stem} a refresh (RFC) lasts until the next one (REFI)"
        raise DiagnosticError([Diagnostic("K803", message)])


def _state_bytes(conf: NDArray[np.int64]) -> int:
    """A word for each line and one for each of its sectors."""
    lines = sum(int(conf[sets]) * int(conf[ways]) * int(conf[of]) for sets, ways, of in CACHES)
    beyond = int(conf[Conf.SIDE_SETS]) * SIDE_WAYS * int(conf[Conf.CHANNELS])
    return lines * 8 * (1 + int(conf[Conf.SECTORS])) + beyond * 8


def _cycles(gpu: GpuDescription) -> list[tuple[int, int, str]]:
    return [
        (round(fact.value), MOST_CYCLES, f"cycles in '{key}'")
        for key, fact in facts_of(gpu).items()
        if fact is not None and key.startswith(CYCLES)
    ]
