"""Prices of a book of European options under several scenarios of rate and volatility.

Strikes by seed % 3: anywhere, near the price of the stock, far below it.
"""

from __future__ import annotations

import math

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

LOCAL = 128
SAMPLE = 2000
STRIKES = (1.0, 100.0), (0.9, 1.1), (0.2, 0.4)  # the last two as shares of the stock's price

normal = np.vectorize(lambda d: 0.5 * math.erfc(-d / math.sqrt(2)), otypes=[np.float64])


def main(size: str, seed: int) -> None:
    """Price the book; a sample must be right, and call less put must be what parity says."""
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    low, high = STRIKES[seed % 3]
    stock = rng.uniform(5, 30, s.n).astype(np.float32)
    strike = rng.uniform(low, high, s.n).astype(np.float32) * (stock if seed % 3 else 1)
    years = rng.uniform(0.25, 10, s.n).astype(np.float32)

    device = workload.open_device(cl, __file__)
    (price,) = device.kernels("BlackScholes")
    book = [device.buffer(array) for array in (stock, strike, years)]
    calls, puts = device.zeros(s.n, np.float32), device.zeros(s.n, np.float32)
    for scenario in range(s.scenarios):
        rate, volatility = np.float32(0.02 + 0.002 * scenario), np.float32(0.3 - 0.01 * scenario)
        shape = (s.groups * LOCAL,), (LOCAL,)
        price(device.queue, *shape, calls, puts, *book, rate, volatility, np.uint32(s.n))

        call, put = device.read(calls, np.float32), device.read(puts, np.float32)
        many = rng.integers(0, s.n, 50 * SAMPLE)
        discounted = strike[many] * np.exp(-rate * years[many])
        workload.check("parity", call[many] - put[many], stock[many] - discounted, atol=1e-4)
        some = many[:SAMPLE]
        stocks, strikes, t = (array[some].astype(np.float64) for array in (stock, strike, years))
        spread = volatility * np.sqrt(t)
        d1 = (np.log(stocks / strikes) + (rate + 0.5 * volatility**2) * t) / spread
        wanted = stocks * normal(d1) - strikes * np.exp(-rate * t) * normal(d1 - spread)
        workload.check("calls", call[some], wanted.astype(np.float32), rtol=1e-5, atol=1e-4)
