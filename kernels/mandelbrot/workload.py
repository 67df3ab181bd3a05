"""Fractals: a zoom into the Mandelbrot set, each picture coloured in another way, and a Julia set.

By seed % 3 the zoom ends in the sea-horse valley, at a spiral, at the tip. tiny: 60 x 37 pixels, 50
iterations; small: 256 x 256, 256; large: 2,048 x 2,048, 1,024. At most 20,000 pixels of each are
compared, exactly.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

TARGETS = ((-0.745, 0.113), (-0.088, 0.654), (-1.401, 0.0))
SAMPLE = 20_000
PALETTE = "421e0f 19071a 040449 0c2c8a 397dd1 d3ecf8 f8c95f 995700"


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    sample = rng.integers(0, s.width * s.height, SAMPLE)
    px, py = (sample % s.width).astype(np.float32), (sample // s.width).astype(np.float32)

    device = workload.open_device(cl, __file__)
    queue = device.queue
    mandelbrot, julia4 = device.kernels("mandelbrot", "julia4")
    width, height, limit = np.int32(s.width), np.int32(s.height), np.int32(s.limit)
    picture = device.zeros(4 * s.width * s.height, np.uint8)
    tall = workload.roundup(s.height, 16)

    for frame in range(3):
        pitch = np.float32(3 / s.height / 4**frame)
        x, y = TARGETS[seed % 3]
        left, top = np.float32(x - pitch * s.width / 2), np.float32(y + pitch * s.height / 2)
        grid = (workload.roundup(s.width, 16), tall), (16, 16)
        mode = np.int32(frame)
        mandelbrot(queue, *grid, picture, width, height, left, top, pitch, limit, mode)
        found = device.read(picture, np.uint8).reshape(-1, 4)[sample]
        c = left + px * pitch, top - py * pitch
        times = escape_times(np.zeros_like(px), np.zeros_like(py), *c, s.limit)
        workload.check(f"mandelbrot, {frame=}", found, colours(times, s.limit, frame))

    times = device.zeros(s.width * s.height, np.int32)
    c = np.array([-0.8, 0.156], np.float32)
    left, top, pitch = np.float32(-1.6), np.float32(1.5), np.float32(3 / s.height)
    grid = (workload.roundup(s.width // 4, 16), tall), (16, 16)
    julia4(queue, *grid, times, width, height, c, left, top, pitch, limit)
    found = device.read(times, np.int32)[sample]
    wanted = escape_times(left + px * pitch, top - py * pitch, c[0], c[1], s.limit)
    workload.check("julia4", found, wanted)


def escape_times(
    x: np.ndarray, y: np.ndarray, cx: np.ndarray, cy: np.ndarray, limit: int
) -> np.ndarray:
    """How often z -> z^2 + c is taken until |z| > 2, in single precision as on the device."""
    cx, cy = np.broadcast_to(cx, x.shape), np.broadcast_to(cy, y.shape)
    times, left = np.zeros(x.size, np.int32), np.arange(x.size)
    two, four = np.float32(2), np.float32(4)
    for _ in range(limit):
        inside = x * x + y * y <= four
        x, y, cx, cy, left = (part[inside] for part in (x, y, cx, cy, left))
        times[left] += 1
        x, y = x * x - y * y + cx, two * x * y + cy
    return times


def colours(times: np.ndarray, limit: int, mode: int) -> np.ndarray:
    """Bands of a palette; levels of grey; or white inside."""
    out = np.full((times.size, 4), 255, np.uint8)
    inside = (times == limit)[:, None]
    if mode == 0:
        palette = np.frombuffer(bytes.fromhex(PALETTE), np.uint8).reshape(8, 3)
        out[:, :3] = np.where(inside, 0, palette[times & 7])
    elif mode == 1:
        out[:, :3] = (255 * times // limit).astype(np.uint8)[:, None]
    else:
        out[:, :3] = np.where(inside, 255, 0)
    return out
