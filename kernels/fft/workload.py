"""Fourier transforms of many signals, forward and back: long ones pass by pass, short ones in one
launch.

Signals by seed % 3: noise, tones, single impulses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import kcc.opencl as cl
from kcc import inputs, workload

SHORT = 256  # POINTS of fft256
LOCAL = 64
SAMPLE = 64

Array = NDArray[Any]


def signals(count: int, length: int, seed: int, rng: np.random.Generator) -> Array:
    """Complex signals, one per row."""
    if seed % 3 == 0:
        real, imaginary = (inputs.random_matrix(count, length, rng) for _ in range(2))
        return (real + 1j * imaginary).astype(np.complex64)
    place = rng.integers(0, length, (count, 1))
    if seed % 3 == 1:
        cycles = place * np.arange(length) % length / length
        return np.exp(2j * np.pi * cycles).astype(np.complex64)
    return (np.arange(length) == place).astype(np.complex64)


def check_transforms(name: str, before: Array, between: Array, after: Array) -> None:
    """Compare spectra with numpy's, and what came back with the signals; all of equal shape."""
    length = before.shape[1]
    spectra = np.fft.fft(before).astype(np.complex64)
    bound = 1e-6 * length
    workload.check(
        f"{name} forward", between.view(np.float32), spectra.view(np.float32), atol=bound
    )
    scaled = (after / length).astype(np.complex64)
    workload.check(f"{name} back", scaled.view(np.float32), before.view(np.float32), atol=1e-5)


def main(size: str, seed: int) -> None:
    """Transform; a sample of the spectra must be numpy's, and the signals must come back."""
    s = workload.sizes(__file__, size)
    n, batch = s.n, s.batch
    rng = inputs.generator(seed)
    long = signals(batch, n, seed, rng)
    short = signals(batch, SHORT, seed, rng)

    device = workload.open_device(cl, __file__)
    radix2, whole = device.kernels("fft_radix2_pass", "fft256")
    source, target, data = device.buffer(long), device.buffer(long), device.buffer(short)
    grid = (workload.roundup(n // 2, LOCAL), batch), (LOCAL, 1)
    results = list[tuple[Array, Array]]()
    for sign in np.float32(-1), np.float32(1):
        p = 1
        while p < n:
            radix2(device.queue, *grid, target, source, np.int32(n), np.int32(p), sign)
            source, target, p = target, source, 2 * p
        whole(device.queue, (LOCAL * batch,), (LOCAL,), data, sign)
        found = (device.read(buffer, np.complex64).reshape(batch, -1) for buffer in (source, data))
        results.append(next(zip(found, found, strict=True)))

    some = rng.integers(0, batch, SAMPLE)
    (spectra, short_spectra), (back, short_back) = results
    check_transforms("long", long[some], spectra[some], back[some])
    check_transforms("short", short[some], short_spectra[some], short_back[some])
