"""Random numbers for the generators."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

Seed: TypeAlias = np.random.Generator | int


def generator(rng: Seed) -> np.random.Generator:
    """A generator: the one given, or a new one from a seed."""
    if isinstance(rng, np.random.Generator):
        return rng
    # By name: default_rng may become another one.
    return np.random.Generator(np.random.PCG64(rng))
