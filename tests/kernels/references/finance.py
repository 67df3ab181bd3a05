"""Option prices and random numbers."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Words = NDArray[np.uint32]

_normal_cdf = np.vectorize(NormalDist().cdf, otypes=[float])
_normal_inverse = np.vectorize(NormalDist().inv_cdf, otypes=[float])


def black_scholes(
    spot: Floats, strike: Floats, years: Floats, rate: float, volatility: float
) -> tuple[Floats, Floats]:
    """Prices of calls and puts."""
    t = years.astype(np.float64)
    spread = volatility * np.sqrt(t)
    d1 = (np.log(spot / strike.astype(np.float64)) + (rate + volatility**2 / 2) * t) / spread
    d2 = d1 - spread
    discounted = strike * np.exp(-rate * t)
    call = spot * _normal_cdf(d1) - discounted * _normal_cdf(d2)
    put = discounted * _normal_cdf(-d2) - spot * _normal_cdf(-d1)
    return call.astype(np.float32), put.astype(np.float32)


def inverse_normal(uniform: Floats) -> Floats:
    """The normal quantiles."""
    return _normal_inverse(uniform).astype(np.float32)


def xorshift(state: Words) -> Words:
    """The next states of the generator with shifts 13, 17, 5."""
    state = state ^ (state << np.uint32(13))
    state = state ^ (state >> np.uint32(17))
    return state ^ (state << np.uint32(5))


def barrier_paths(states: Words, option: NDArray[Any], steps: int) -> tuple[Words, Floats]:
    """States and payoffs of down-and-out calls; option is spot, strike, barrier, rate, ..."""
    spot, strike, barrier, rate, volatility, years = (float(v) for v in option)
    dt = years / steps
    drift, spread = (rate - volatility**2 / 2) * dt, volatility * math.sqrt(dt)
    price = np.full(states.size, spot)
    alive = np.ones(states.size, np.bool_)
    state = states
    for _ in range(0, steps, 2):
        first = xorshift(state)
        second = xorshift(first)
        state = np.where(alive, second, state)
        uniform = [((s >> np.uint32(8)) + 0.5) / 2.0**24 for s in (first, second)]
        radius = np.sqrt(-2 * np.log(uniform[0]))
        for turn in (np.cos, np.sin):
            moved = price * np.exp(drift + spread * radius * turn(2 * np.pi * uniform[1]))
            price = np.where(alive, moved, price)
            alive = alive & (price > barrier)
    payoff = np.where(alive, np.maximum(price - strike, 0), 0)
    return state, payoff.astype(np.float32)
