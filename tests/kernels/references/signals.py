"""Transforms, convolutions and images."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Complexes = NDArray[np.complex64]


def stockham_pass(signals: Complexes, n: int, p: int, sign: float) -> Complexes:
    """One radix-2 pass after which transforms of length 2 p are done."""
    rows = signals.reshape(-1, n).astype(np.complex128)
    t = np.arange(n // 2)
    k = t & (p - 1)
    a = rows[:, t]
    b = rows[:, t + n // 2] * np.exp(1j * np.pi * sign * k / p)
    out = np.empty_like(rows)
    out[:, 2 * t - k] = a + b
    out[:, 2 * t - k + p] = a - b
    return out.astype(np.complex64).ravel()


def transform(signals: Complexes, n: int, sign: float) -> Complexes:
    """Unscaled discrete Fourier transforms of length n."""
    rows = signals.reshape(-1, n)
    out = np.fft.fft(rows) if sign < 0 else np.fft.ifft(rows) * n
    return out.astype(np.complex64).ravel()


def convolve(image: Floats, shape: tuple[int, int], weights: Floats) -> Floats:
    """Convolution with centred weights of odd shape; outside of it the image is zero."""
    down, across = weights.shape[0] // 2, weights.shape[1] // 2
    padded = np.pad(image.reshape(shape).astype(np.float64), ((down, down), (across, across)))
    out = np.zeros(shape)
    for i, j in np.ndindex(*weights.shape):
        window = padded[i : i + shape[0], j : j + shape[1]]
        out += weights[-1 - i, -1 - j] * window
    return out.astype(np.float32).ravel()


def correlate_edge(pixels: NDArray[Any], weights: NDArray[Any]) -> NDArray[np.float64]:
    """Correlation of every channel with centred weights; the border is repeated outside."""
    down, across = weights.shape[0] // 2, weights.shape[1] // 2
    padded = np.pad(pixels, ((down, down), (across, across), (0, 0)), mode="edge")
    out = np.zeros(pixels.shape)
    for i, j in np.ndindex(*weights.shape):
        window = padded[i : i + pixels.shape[0], j : j + pixels.shape[1]]
        out += weights[i, j] * window
    return out


SOBEL = np.array([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])


def sobel(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A quarter of the gradient's magnitude per colour, opaque."""
    unit = pixels / 255.0
    gradient = np.hypot(correlate_edge(unit, SOBEL), correlate_edge(unit, SOBEL.T))
    out = np.clip(gradient / 4, 0, 1)
    out[..., 3] = 1.0
    return np.rint(out * 255).astype(np.uint8)


def rotate(pixels: Floats, angle: float) -> Floats:
    """The image turned about its centre, read by bilinear interpolation; edges repeated."""
    height, width = int(pixels.shape[0]), int(pixels.shape[1])
    x = np.arange(width) + 0.5 - width / 2
    y = np.arange(height)[:, None] + 0.5 - height / 2
    u = np.cos(angle) * x + np.sin(angle) * y + width / 2 - 0.5
    v = -np.sin(angle) * x + np.cos(angle) * y + height / 2 - 0.5
    left, top = np.floor(u).astype(np.int64), np.floor(v).astype(np.int64)
    right_part, lower_part = (u - left)[..., None], (v - top)[..., None]

    def at(row: NDArray[np.int64], column: NDArray[np.int64]) -> Floats:
        return pixels[np.clip(row, 0, height - 1), np.clip(column, 0, width - 1)]

    upper = at(top, left) * (1 - right_part) + at(top, left + 1) * right_part
    lower = at(top + 1, left) * (1 - right_part) + at(top + 1, left + 1) * right_part
    return (upper * (1 - lower_part) + lower * lower_part).astype(np.float32)


def _escape_times(
    start: tuple[Floats, Floats], step: tuple[Floats, Floats], limit: int
) -> NDArray[np.int32]:
    """Steps of z -> z^2 + c before |z| > 2, in single precision, at most `limit`."""
    x, y = start[0].copy(), start[1].copy()
    times = np.zeros(x.shape, np.int32)
    two, four = np.float32(2), np.float32(4)
    for _ in range(limit):
        inside = x * x + y * y <= four
        if not inside.any():
            break
        following = x * x - y * y + step[0]
        y = np.where(inside, two * x * y + step[1], y)
        x = np.where(inside, following, x)
        times += inside
    return times


def pixel_grid(
    size: tuple[int, int], left: float, top: float, pitch: float
) -> tuple[Floats, Floats]:
    """Coordinates of the pixels of a width x height picture, each of shape (height, width)."""
    width, height = size
    x = np.float32(left) + np.arange(width, dtype=np.float32) * np.float32(pitch)
    y = np.float32(top) - np.arange(height, dtype=np.float32) * np.float32(pitch)
    return np.broadcast_to(x, (height, width)), np.broadcast_to(y[:, None], (height, width))


def mandelbrot_times(points: tuple[Floats, Floats], limit: int) -> NDArray[np.int32]:
    """Escape times when c is the point and z starts at 0."""
    zero = np.zeros_like(points[0])
    return _escape_times((zero, zero), points, limit)


def julia_times(
    points: tuple[Floats, Floats], c: tuple[float, float], limit: int
) -> NDArray[np.int32]:
    """Escape times when z starts at the point."""
    step = np.full_like(points[0], c[0]), np.full_like(points[0], c[1])
    return _escape_times(points, step, limit)


def grid_bins(samples: Floats, grid: int, side: int) -> NDArray[np.int32]:
    """The bin of side x side cells that every sample (x, y, re, im) falls into."""
    cell = (samples.reshape(-1, 4)[:, :2] // side).astype(np.int32)
    return cell[:, 1] * (grid // side) + cell[:, 0]


def gridded(samples: Floats, table: Floats, grid: int, reach: int) -> Floats:
    """Real and imaginary parts on the grid points, row-major, by the table of weights."""
    rows = samples.reshape(-1, 4)
    away = np.abs(rows[:, :2, None] - np.arange(grid, dtype=np.float32))
    entry = np.minimum((away * np.float32(table.size / reach)).astype(np.int64), table.size - 1)
    weight = np.where(away < reach, table[entry], 0).astype(np.float64)
    out = np.einsum("sx,sy,sc->yxc", weight[:, 0], weight[:, 1], rows[:, 2:])
    return out.astype(np.float32).ravel()
