"""Training of a perceptron with one hidden layer, one pattern a step. The kernels do what lies
between the input and the hidden layer, the host the rest, as in the suite.

Patterns by seed % 3: dense, mostly zero, nonzero in one stretch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import kcc.opencl as cl
from kcc import inputs, workload

BLOCK = 16  # WIDTH and HEIGHT of the kernels
RATE = 0.3  # ETA and MOMENTUM of the kernels

Array = NDArray[Any]


def squash(sums: Array) -> Array:
    """The activation of a unit."""
    return 1 / (1 + np.exp(-sums))


def pattern(n: int, seed: int, rng: np.random.Generator) -> Array:
    """Activations of the inputs, of length 2 as a vector; the bias stands first."""
    x = rng.random(n)
    if seed % 3 == 1:
        x *= rng.random(n) < 0.05
    if seed % 3 == 2:
        x *= np.abs(np.arange(n) - rng.integers(0, n)) < n / 8
    return np.append(1.0, 2 * x / max(np.linalg.norm(x), 1e-9)).astype(np.float32)


def main(size: str, seed: int) -> None:
    """Train for `steps` patterns; sums and weights must be those of numpy."""
    s = workload.sizes(__file__, size)
    n, hid = s.inputs, s.hid
    rng = inputs.generator(seed)
    weights = inputs.random_matrix(n + 1, hid + 1, rng)
    changes = np.zeros_like(weights)
    outer, outer_changes = rng.uniform(-1, 1, hid + 1), np.zeros(hid + 1)

    device = workload.open_device(cl, __file__)
    forward, adjust = device.kernels("bpnn_layerforward_ocl", "bpnn_adjust_weights_ocl")
    grid = (BLOCK, n), (BLOCK, BLOCK)
    width = np.int32(n), np.int32(hid)
    w, old = device.buffer(weights), device.buffer(changes)
    partial, unused = device.zeros(n // BLOCK * hid, np.float32), device.zeros(hid + 1, np.float32)
    local = cl.LocalMemory(4 * BLOCK), cl.LocalMemory(4 * BLOCK * BLOCK)
    for step in range(s.steps):
        x = pattern(n, seed, rng)
        layer = device.buffer(x)
        forward(device.queue, *grid, layer, unused, w, partial, *local, *width)
        sums = device.read(partial, np.float32).reshape(-1, hid)
        products = weights[1:, 1:] * x[1:, None]
        wanted = products.reshape(-1, BLOCK, hid).sum(axis=1)
        workload.check(f"sums of step {step}", sums, wanted, atol=1e-5)

        hidden = np.append(1.0, squash(sums.sum(axis=0, dtype=np.float64) + weights[0, 1:]))
        result = squash(outer @ hidden)
        error = result * (1 - result) * (0.1 - result)
        delta = (hidden * (1 - hidden) * error * outer).astype(np.float32)
        outer_changes = RATE * error * hidden + RATE * outer_changes
        outer += outer_changes

        device.write(w, weights)  # the forward kernel left its products there
        hidden_deltas = device.buffer(delta)
        adjust(device.queue, *grid, hidden_deltas, width[1], layer, width[0], w, old)
        changes[:, 1:] = RATE * np.outer(x, delta[1:]) + RATE * changes[:, 1:]
        wanted = weights + changes
        weights = device.read(w, np.float32).reshape(wanted.shape)
        workload.check(f"weights of step {step}", weights, wanted, atol=1e-6)
