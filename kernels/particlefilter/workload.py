"""Particle filter over the frames of a video: score, sum, normalise, resample; for the last frame
the resampling of the simpler variant too.

The object moves by (1, -2) pixels per frame; by seed % 3 the video is clear, noisy, or hides the
object in every other frame. tiny: 700 particles, 4 frames of 32 x 32; small: 1,000, 10 of 128 x
128; large: 40,000, 10 of 128 x 128.
"""

from __future__ import annotations

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

GROUP = 512
RADIUS = 5
OBJECT, BACKGROUND = 228, 100
NOISE = (4, 30, 4)


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    disk = disk_offsets()
    video = make_video(s.side, s.frames, disk, seed % 3, rng)

    device = workload.open_device(cl, __file__)
    queue = device.queue
    likelihood, add_up, normalize, find_index, simple = device.kernels(
        "likelihood_kernel",
        "sum_kernel",
        "normalize_weights_kernel",
        "find_index_kernel",
        "particle_kernel",
    )
    x, y, cdf, score, u, weights = (device.zeros(s.np, np.float64) for _ in range(6))
    chosen_x, chosen_y = (device.buffer(np.full(s.np, s.side / 2)) for _ in range(2))
    pixels, offsets = device.zeros(s.np * s.ones, np.int32), device.buffer(disk)
    frames = device.buffer(video)
    seeds = device.buffer(rng.integers(0, 2**31 - 1, s.np, np.int32))
    groups = -(-s.np // GROUP)
    partial_sums, scratch = device.zeros(groups, np.float64), cl.LocalMemory(8 * GROUP)
    grid = (groups * GROUP,), (GROUP,)
    n, ones = np.int32(s.np), np.int32(s.ones)

    for frame in range(1, s.frames):
        state = chosen_x, chosen_y, cdf, pixels, offsets, score, frames, u, weights
        limits = np.int32(video.size), np.int32(frame), np.int32(s.side), np.int32(s.frames)
        likelihood(queue, *grid, x, y, *state, n, ones, *limits, seeds, partial_sums, scratch)
        unscaled = device.read(cdf, np.float64)
        add_up(queue, *grid, partial_sums, n)
        normalize(queue, *grid, weights, n, partial_sums, cdf, u, seeds)
        find_index(queue, *grid, x, y, cdf, u, chosen_x, chosen_y, weights, n)

        places = np.stack([device.read(x, np.float64), device.read(y, np.float64)], axis=1)
        wanted = scores(video, places, disk, frame)
        name = f"frame {frame}"
        workload.check(f"likelihood, {name}", device.read(score, np.float64), wanted, rtol=1e-9)
        workload.check(f"weights, {name}", unscaled, np.exp(wanted) / s.np, rtol=1e-6)
        below = np.cumsum(unscaled / unscaled.sum())
        distribution = device.read(cdf, np.float64)
        workload.check(f"distribution, {name}", distribution, below, rtol=1e-9, atol=1e-12)
        draws = device.read(u, np.float64)
        workload.check(f"draws, {name}", draws, draws[0] + np.arange(s.np) / s.np, atol=1e-12)
        drawn = np.searchsorted(distribution, draws)
        wanted = places[np.minimum(drawn, s.np - 1)]
        workload.check(f"x, {name}", device.read(chosen_x, np.float64), wanted[:, 0], rtol=1e-9)
        workload.check(f"y, {name}", device.read(chosen_y, np.float64), wanted[:, 1], rtol=1e-9)

    device.write(chosen_x, np.zeros(s.np))
    simple(queue, *grid, x, y, cdf, u, chosen_x, chosen_y, n)
    workload.check("x, again", device.read(chosen_x, np.float64), wanted[:, 0], rtol=1e-9)


def disk_offsets() -> np.ndarray:
    """Row and column of the object's pixels from its middle."""
    row, column = np.mgrid[1 - RADIUS : RADIUS, 1 - RADIUS : RADIUS]
    inside = row**2 + column**2 < RADIUS**2
    return np.stack([row[inside], column[inside]], axis=1).astype(np.int32)


def make_video(
    side: int, frames: int, disk: np.ndarray, kind: int, rng: np.random.Generator
) -> np.ndarray:
    """Levels of the pixels [column, row, frame]."""
    video = np.full((side, side, frames), BACKGROUND)
    for frame in range(frames):
        row, column = side // 2 - 2 * frame + disk[:, 0], side // 2 + frame + disk[:, 1]
        inside = (row >= 0) & (row < side) & (column >= 0) & (column < side)
        if kind != 2 or frame % 2 == 0:
            video[column[inside], row[inside], frame] = OBJECT
    noise = rng.integers(-NOISE[kind], NOISE[kind] + 1, video.shape)
    return np.clip(video + noise, 0, 255).astype(np.uint8)


def scores(video: np.ndarray, places: np.ndarray, disk: np.ndarray, frame: int) -> np.ndarray:
    """How much more the pixels of every particle look like the object than like the background."""
    side, _, frames = video.shape
    middle = np.rint(places).astype(np.int64)
    column = middle[:, :1] + disk[:, 1]
    row = middle[:, 1:] + disk[:, 0]
    at = np.abs(column * side * frames + row * frames + frame)
    level = video.ravel()[np.where(at < video.size, at, 0)].astype(np.float64)
    apart = ((level - BACKGROUND) ** 2 - (level - OBJECT) ** 2) / 50
    return apart.sum(axis=1) / len(disk) - 300
