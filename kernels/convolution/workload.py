"""Convolutions of an image: a separable filter by rows and columns, then a sharpening one.

Images by seed % 4: smooth, noise, checkers, like a photograph.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import kcc.opencl as cl
from kcc import inputs, workload

IMAGES = inputs.smooth_image, inputs.noise_image, inputs.checkers_image, inputs.photo_image
STEPS = 8  # RESULT_STEPS: elements per work-item of the separable kernels
ROWS_TILE, COLUMNS_TILE, SQUARE = (16, 4), (16, 8), (16, 16)
CHECKED_ROWS = 100

# A quarter of the table in the kernel; the rest mirrors it.
_QUARTER = [[-0.0039, -0.0156, -0.0234], [-0.0156, -0.0625, -0.0938], [-0.0234, -0.0938, 1.8592]]
SHARPEN = np.pad(np.array(_QUARTER, np.float32), (0, 2), mode="reflect")

Array = NDArray[Any]


def convolved(image: Array, weights: Array, rows: slice) -> Array:
    """Some rows of a convolution; outside of the image are zeros."""
    down, across = weights.shape[0] // 2, weights.shape[1] // 2
    padded = np.pad(image, ((down, down), (across, across)))[rows.start : rows.stop + 2 * down]
    height, width = rows.stop - rows.start, image.shape[1]
    result = np.zeros((height, width), np.float32)
    for (i, j), weight in np.ndenumerate(weights[::-1, ::-1]):
        result += weight * padded[i : i + height, j : j + width]
    return result


def main(size: str, seed: int) -> None:
    """Filter; some rows of every result must be those of numpy."""
    s = workload.sizes(__file__, size)
    width, height = s.width, s.height
    rng = inputs.generator(seed)
    image = IMAGES[seed % 4](height, width, rng)
    taps = inputs.random_matrix(1, 2 * s.KERNEL_RADIUS + 1, rng)

    device = workload.open_device(cl, __file__)
    rows, columns, direct = device.kernels(
        "convolutionRows", "convolutionColumns", "convolution_2d"
    )
    source, filtered = device.buffer(image), device.zeros(image.size, np.float32)
    result, weights = device.zeros(image.size, np.float32), device.buffer(taps)
    shape = np.int32(width), np.int32(height)
    across = workload.roundup(width, 16 * STEPS) // STEPS, workload.roundup(height, 4)
    down = workload.roundup(width, 16), workload.roundup(height, 8 * STEPS) // STEPS
    square = workload.roundup(width, 16), workload.roundup(height, 16)
    rows(device.queue, across, ROWS_TILE, filtered, source, weights, *shape, shape[0])
    columns(device.queue, down, COLUMNS_TILE, result, filtered, weights, *shape, shape[0])
    by_rows = device.read(filtered, np.float32).reshape(height, width)
    by_columns = device.read(result, np.float32).reshape(height, width)
    direct(device.queue, square, SQUARE, filtered, source, *shape)
    sharp = device.read(filtered, np.float32).reshape(height, width)

    first = int(rng.integers(0, max(height - CHECKED_ROWS, 0) + 1))
    some = slice(first, min(first + CHECKED_ROWS, height))
    workload.check("rows", by_rows[some], convolved(image, taps, some), atol=1e-4)
    workload.check("columns", by_columns[some], convolved(by_rows, taps.T, some), atol=1e-4)
    workload.check("direct", sharp[some], convolved(image, SHARPEN, some), atol=1e-4)
