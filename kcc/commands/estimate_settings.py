"""What a run of `kcc estimate` was asked to take other than usual: its document keeps it, so that
`kcc compare` can say where two documents were not made alike."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import cast

from kcc.sim.caches.options import CacheOptions
from kcc.sim.estimate.hpca19_reading import Code, Latency, Trace
from kcc.sim.machine.launch_overhead import LaunchWay

_CACHES = CacheOptions()

_OPTIONS: tuple[tuple[str, str, object], ...] = (
    ("-O", "opt_level", "2"),
    ("-cl-fast-relaxed-math", "cl_fast_relaxed_math", False),
    ("-cl-mad-enable", "cl_mad_enable", False),
    ("-cl-single-precision-constant", "cl_single_precision_constant", False),
    ("--frontend", "frontend", "auto"),
    ("--set", "overrides", []),
    ("--code", "code", None),
    ("--registers", "registers", None),
    ("--launches", "launches", LaunchWay.QUEUED.value),
    ("--latency", "latency", Latency.PRINTED.value),
    ("--trace", "trace", Trace.OURS.value),
    ("--instructions", "instructions", Code.LOWERED.value),
    ("--assume", "assumptions", []),
    ("--caches", "caches", _CACHES.method.value),
    ("--warm", "warm", False),
    ("--l2-written", "l2_written", False),
    ("--cache-trials", "cache_trials", _CACHES.trials),
    ("--seed", "seed", _CACHES.seed),
    ("--interleaving", "interleaving", _CACHES.interleaving.value),
    ("--cache-in-full", "cache_in_full", []),
)
"""Options on which times depend, besides kernel, GPU, launch, macros and arguments, which stand at
each estimate: where the command line keeps them, and what they are unless given."""


def settings_of(arguments: argparse.Namespace) -> dict[str, str]:
    """The options that are not as usual, as they are written on the command line."""
    return {
        option: _text(getattr(arguments, name))
        for option, name, usual in _OPTIONS
        if getattr(arguments, name) != usual
    }


def _text(value: object) -> str:
    if value is True:
        return "given"
    if isinstance(value, list | tuple):
        return " ".join(str(each) for each in cast("Sequence[object]", value))
    return str(value)
