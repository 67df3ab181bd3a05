"""Removes the speckles of an ultrasound image by anisotropic diffusion.

The image under the speckles by seed % 3: smooth, checkers, like a photograph.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import kcc.opencl as cl
from kcc import inputs, workload

LAMBDA = 0.5
IMAGES = inputs.smooth_image, inputs.checkers_image, inputs.photo_image

Array = NDArray[Any]


def diffused(image: Array, scale: float) -> Array:
    """One step on an image whose columns come first; `scale` is that of the speckles."""
    rim = np.pad(image, 1, mode="edge")
    north, south = rim[1:-1, :-2] - image, rim[1:-1, 2:] - image
    west, east = rim[:-2, 1:-1] - image, rim[2:, 1:-1] - image
    gradient = (north**2 + south**2 + west**2 + east**2) / image**2
    laplacian = (north + south + west + east) / image
    variation = (0.5 * gradient - laplacian**2 / 16) / (1 + 0.25 * laplacian) ** 2
    c = np.clip(1 / (1 + (variation - scale) / (scale * (1 + scale))), 0, 1)
    beyond = np.pad(c, 1, mode="edge")
    divergence = c * (north + west) + beyond[1:-1, 2:] * south + beyond[2:, 1:-1] * east
    return image + 0.25 * LAMBDA * divergence


def main(size: str, seed: int) -> None:
    """Filter for some iterations; sums and image must be those of numpy."""
    s = workload.sizes(__file__, size)
    rows, cols, threads = s.rows, s.cols, s.NUMBER_THREADS
    n = rows * cols
    rng = inputs.generator(seed)
    image = IMAGES[seed % 3](cols, rows, rng) * rng.uniform(0.7, 1, (cols, rows))
    image = (255 * image).astype(np.float32)

    device = workload.open_device(cl, __file__)
    names = "extract", "prepare", "reduce", "srad", "srad2", "compress"
    kernels = device.kernels(*(f"{name}_kernel" for name in names))
    extract, prepare, reduce, srad, srad2, compress = kernels
    row, col = np.arange(rows, dtype=np.int32), np.arange(cols, dtype=np.int32)
    near = [np.maximum(row - 1, 0), np.minimum(row + 1, rows - 1)]
    near += [np.minimum(col + 1, cols - 1), np.maximum(col - 1, 0)]
    indices = [device.buffer(array) for array in near]
    pixels, c = device.buffer(image), device.zeros(n, np.float32)
    sums, squares = device.zeros(n, np.float32), device.zeros(n, np.float32)
    derivatives = [device.zeros(n, np.float32) for _ in range(4)]
    length, grid = np.int64(n), ((workload.roundup(n, threads),), (threads,))
    shape = np.float32(LAMBDA), np.int32(rows), np.int32(cols), length, *indices, *derivatives
    extract(device.queue, *grid, length, pixels)
    wanted = np.exp(image.astype(np.float64) / 255)
    for iteration in range(s.iterations):
        prepare(device.queue, *grid, length, pixels, sums, squares)
        left, stride = n, 1
        while left > 1:
            groups = -(-left // threads)
            part = np.int64(left), np.int32(stride), sums, squares, np.int32(groups)
            reduce(device.queue, (groups * threads,), (threads,), length, *part)
            left, stride = groups, stride * threads
        total, square = (float(device.read(buffer, np.float32)[0]) for buffer in (sums, squares))
        right = wanted.sum(), (wanted**2).sum()
        workload.check(f"sums {iteration}", np.array([total, square]), np.array(right), rtol=1e-4)
        mean = total / n
        scale = np.float32((square / n - mean**2) / mean**2)
        srad(device.queue, *grid, *shape, scale, c, pixels)
        srad2(device.queue, *grid, *shape, c, pixels)
        wanted = diffused(wanted, float(scale))
    compress(device.queue, *grid, length, pixels)

    found = device.read(pixels, np.float32).reshape(cols, rows)
    workload.check("image", found, (255 * np.log(wanted)).astype(np.float32), rtol=1e-3, atol=0.05)
