"""A picture is blurred and turned, and its edges are found: the kernels use image objects.

Channels are smooth, noise, checkers and like a photograph; seed % 4 says which comes first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import kcc.opencl as cl
from kcc import inputs, workload

IMAGES = inputs.smooth_image, inputs.noise_image, inputs.checkers_image, inputs.photo_image
LOCAL = (16, 16)
CHECKED_ROWS = 40
SOBEL = np.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])

Array = NDArray[Any]


def correlated(pixels: Array, weights: Array, rows: slice) -> Array:
    """Some rows of every channel's correlation; beyond the rim is what is on the rim."""
    reach = weights.shape[0] // 2
    padded = np.pad(pixels, ((reach, reach), (reach, reach), (0, 0)), mode="edge")
    height, width = rows.stop - rows.start, pixels.shape[1]
    result = np.zeros((height, width, 4))
    for (i, j), weight in np.ndenumerate(weights):
        top = rows.start + i
        result += weight * padded[top : top + height, j : j + width]
    return result


def turned(pixels: Array, angle: float, rows: slice) -> Array:
    """Some rows of the picture turned about its centre, interpolated; the rim goes on outside."""
    height, width = pixels.shape[:2]
    x = np.arange(width) + 0.5 - width / 2
    y = np.arange(rows.start, rows.stop)[:, None] + 0.5 - height / 2
    u = np.cos(angle) * x + np.sin(angle) * y + width / 2 - 0.5
    v = -np.sin(angle) * x + np.cos(angle) * y + height / 2 - 0.5
    left, top = np.floor(u).astype(np.int64), np.floor(v).astype(np.int64)
    result = np.zeros((*u.shape, 4))
    for down in 0, 1:
        for right in 0, 1:
            share = np.abs(1 - down - (v - top)) * np.abs(1 - right - (u - left))
            row, column = np.clip(top + down, 0, height - 1), np.clip(left + right, 0, width - 1)
            result += share[..., None] * pixels[row, column]
    return result


def main(size: str, seed: int) -> None:
    """Filter; some rows of every result must be those of numpy."""
    s = workload.sizes(__file__, size)
    width, height, radius = s.width, s.height, s.radius
    rng = inputs.generator(seed)
    channels = [IMAGES[(seed + i) % 4](height, width, rng) for i in range(4)]
    picture = inputs.to_bytes(np.stack(channels, axis=-1))
    angle = np.float32(rng.uniform(-1, 1))
    bell = np.exp(-((np.arange(2 * radius + 1) - radius) ** 2) / 2.0)
    mask = (np.outer(bell, bell) / bell.sum() ** 2).astype(np.float32)

    device = workload.open_device(cl, __file__)
    gaussian, sobel, rotate = device.kernels("gaussian_image", "sobel_image", "rotate_image")
    bytes_, floats = (
        cl.ImageFormat(cl.channel_order.RGBA, kind)
        for kind in (cl.channel_type.UNORM_INT8, cl.channel_type.FLOAT)
    )
    flags, shape = cl.mem_flags.READ_WRITE, (width, height)
    given = flags | cl.mem_flags.COPY_HOST_PTR
    source = cl.create_image(device.context, given, bytes_, shape=shape, hostbuf=picture)
    edges = cl.create_image(device.context, flags, bytes_, shape=shape)
    blurred, rotated = (
        cl.create_image(device.context, flags, floats, shape=shape) for _ in range(2)
    )
    normalized, clamp = False, cl.addressing_mode.CLAMP_TO_EDGE
    nearest, linear = (
        cl.Sampler(device.context, normalized, clamp, mode)
        for mode in (cl.filter_mode.NEAREST, cl.filter_mode.LINEAR)
    )
    grid = (workload.roundup(width, 16), workload.roundup(height, 16)), LOCAL
    weights = device.buffer(mask)
    gaussian(device.queue, *grid, source, blurred, nearest, weights, np.int32(radius))
    sobel(device.queue, *grid, source, edges)
    rotate(device.queue, *grid, blurred, rotated, linear, angle)
    results = [np.empty((height, width, 4), kind) for kind in (np.float32, np.uint8, np.float32)]
    for pixels, image in zip(results, (blurred, edges, rotated), strict=True):
        cl.enqueue_copy(device.queue, pixels, image, origin=(0, 0), region=shape)

    first = int(rng.integers(0, max(height - CHECKED_ROWS, 0) + 1))
    some = slice(first, min(first + CHECKED_ROWS, height))
    soft, edge, turn = (result[some] for result in results)
    unit = picture / 255.0
    workload.check("blurred", soft, correlated(unit, mask, some).astype(np.float32), atol=1e-5)
    gradient = np.hypot(correlated(unit, SOBEL, some), correlated(unit, SOBEL.T, some))
    levels = np.rint(255 * np.clip(gradient / 4, 0, 1))
    levels[..., 3] = 255
    workload.check("edges", edge, levels.astype(np.uint8), atol=1)
    wanted = turned(results[0], float(angle), some).astype(np.float32)
    workload.check("turned", turn, wanted, atol=2e-3)
