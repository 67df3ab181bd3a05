"""Price of a down-and-out call by simulated paths, for three spot prices; and a batch of normal
variates by Moro's approximation.

By seed % 3 the barrier is far, near (half of the paths end early), or of no effect. tiny: 500 paths
of 8 steps; small: 16,384 of 32; large: 1,048,576 of 256.
"""

from __future__ import annotations

import math

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

FIELDS = ("spot", "strike", "barrier", "rate", "sigma", "years")
OPTION = np.dtype([(name, np.float32) for name in FIELDS])
BARRIERS = (85.0, 95.0, 1.0)
SAMPLE = 2048


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    first_states = rng.integers(1, 2**32, s.paths, np.uint32)
    draws = ((rng.integers(0, 2**24, s.paths) + 0.5) / 2**24).astype(np.float32)

    device = workload.open_device(cl, __file__)
    queue = device.queue
    walk, moro, mean = device.kernels("mc_paths", "mc_moro", "mc_mean")
    paths, steps = np.int32(s.paths), np.int32(s.steps)
    groups = -(-s.paths // s.GROUP)
    grid = (groups * s.GROUP,), (s.GROUP,)
    payoffs, sums = device.zeros(s.paths, np.float32), device.zeros(groups, np.float32)
    price = device.zeros(1, np.float32)

    for spot in (99.0, 100.0, 101.0):
        option = np.array([(spot, 105.0, BARRIERS[seed % 3], 0.03, 0.25, 1.0)], OPTION)
        states = device.buffer(first_states)
        walk(queue, *grid, states, payoffs, sums, option, paths, steps)
        mean(queue, (s.GROUP,), (s.GROUP,), price, sums, np.int32(groups), paths, option)
        found = device.read(payoffs, np.float32)
        check_paths(first_states[:SAMPLE], option[0], s.steps, found[:SAMPLE])
        discount = math.exp(-option["rate"][0] * option["years"][0])
        wanted = discount * found.mean(dtype=np.float64)
        workload.check(f"price, {spot=}", device.read(price, np.float32), [wanted], rtol=1e-4)

    normal = device.zeros(s.paths, np.float32)
    moro(queue, *grid, normal, device.buffer(draws), paths)
    sample = device.read(normal, np.float32)[:SAMPLE]
    probability = [0.5 * math.erfc(-x / math.sqrt(2)) for x in sample.tolist()]
    workload.check("probability", probability, draws[:SAMPLE], rtol=1e-5, atol=1e-6)


def check_paths(state: np.ndarray, option: np.void, steps: int, found: np.ndarray) -> None:
    """Payoffs of some paths, except those that come so near the barrier that rounding decides."""
    spot, strike, barrier, rate, sigma, years = (float(option[name]) for name in FIELDS)
    dt = years / steps
    drift, spread = (rate - sigma**2 / 2) * dt, sigma * math.sqrt(dt)
    log_price = np.full(state.size, math.log(spot))
    lowest = log_price.copy()
    for _ in range(0, steps, 2):
        state, first = advanced(state)
        state, second = advanced(state)
        radius = np.sqrt(-2 * np.log(first))
        for normal in (radius * np.cos(2 * np.pi * second), radius * np.sin(2 * np.pi * second)):
            log_price += drift + spread * normal
            lowest = np.minimum(lowest, log_price)
    margin = lowest - math.log(barrier)
    payoff = np.where(margin > 0, np.maximum(np.exp(log_price) - strike, 0), 0)
    clear = np.abs(margin) > 1e-4
    workload.check(f"payoffs, {spot=}", found[clear], payoff[clear], rtol=1e-3, atol=0.01)


def advanced(state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The generator's next states, and the uniform variates they stand for."""
    state = state ^ (state << np.uint32(13))
    state = state ^ (state >> np.uint32(17))
    state = state ^ (state << np.uint32(5))
    return state, ((state >> np.uint32(8)) + 0.5) / 2**24
