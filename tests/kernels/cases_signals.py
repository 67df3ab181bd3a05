"""Cases: transforms, convolutions and images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.kernels.case import Case
from tests.kernels.harness import Array
from tests.kernels.references import signals

Args = Mapping[str, Any]


def fft_radix2_pass(a: Args) -> dict[str, Array]:
    out = signals.stockham_pass(a["in"].view(np.complex64), a["n"], a["p"], a["sign"])
    return {"out": out.view(np.float32)}


def fft256(a: Args) -> dict[str, Array]:
    out = signals.transform(a["data"].view(np.complex64), 256, a["sign"])
    return {"data": out.view(np.float32)}


def inverse(_a: Args, _rng: object) -> dict[str, float]:
    return {"sign": 1.0}


def convolution_rows(a: Args) -> dict[str, Array]:
    shape = a["imageH"], a["imageW"]
    return {"d_Dst": signals.convolve(a["d_Src"], shape, a["c_Kernel"][None, :])}


def convolution_columns(a: Args) -> dict[str, Array]:
    shape = a["imageH"], a["imageW"]
    return {"d_Dst": signals.convolve(a["d_Src"], shape, a["c_Kernel"][:, None])}


# Half of the filter of convolution_2d; the other half mirrors it.
_ROWS = [
    [-0.0039, -0.0156, -0.0234, -0.0156, -0.0039],
    [-0.0156, -0.0625, -0.0938, -0.0625, -0.0156],
    [-0.0234, -0.0938, 1.8592, -0.0938, -0.0234],
]
SHARPEN = np.array([*_ROWS, *_ROWS[1::-1]], np.float32)


def convolution_2d(a: Args) -> dict[str, Array]:
    shape = a["imageH"], a["imageW"]
    return {"d_Dst": signals.convolve(a["d_Src"], shape, SHARPEN)}


PALETTE = np.array(
    [
        (66, 30, 15),
        (25, 7, 26),
        (4, 4, 73),
        (12, 44, 138),
        (57, 125, 209),
        (211, 236, 248),
        (248, 201, 95),
        (153, 87, 0),
    ],
    np.uint8,
)


def mandelbrot(a: Args) -> dict[str, Array]:
    limit = a["max_iterations"]
    points = signals.pixel_grid((a["width"], a["height"]), a["left"], a["top"], a["pitch"])
    times = signals.mandelbrot_times(points, limit)
    inside = (times == limit)[..., None]
    match a["mode"]:
        case 0:
            colours = np.where(inside, 0, PALETTE[times & 7])
        case 1:
            colours = np.repeat((255 * times // limit)[..., None], 3, axis=2)
        case _:
            colours = np.repeat(np.where(inside, 255, 0), 3, axis=2)
    opaque = np.full((*times.shape, 1), 255)
    return {"out": np.append(colours, opaque, axis=2).astype(np.uint8).ravel()}


def grey(_a: Args, _rng: object) -> dict[str, int]:
    return {"mode": 1}


def inside_only(_a: Args, _rng: object) -> dict[str, int]:
    return {"mode": 2}


def julia(a: Args) -> dict[str, Array]:
    points = signals.pixel_grid((a["width"], a["height"]), a["left"], a["top"], a["pitch"])
    c = float(a["c"]["m0"][0]), float(a["c"]["m1"][0])
    return {"out": signals.julia_times(points, c, a["max_iterations"]).ravel()}


def uneven_mask(a: Args, rng: np.random.Generator) -> dict[str, Array]:
    return {"mask": rng.uniform(-1, 1, int(a["mask"].size)).astype(np.float32)}


def gaussian_image(a: Args) -> dict[str, Array]:
    side = 2 * a["radius"] + 1
    out = signals.correlate_edge(a["src"].pixels / 255.0, a["mask"].reshape(side, side))
    return {"dst": out.astype(np.float32)}


def sobel_image(a: Args) -> dict[str, Array]:
    return {"dst": signals.sobel(a["src"].pixels)}


def rotate_image(a: Args) -> dict[str, Array]:
    return {"dst": signals.rotate(a["src"].pixels, a["angle"])}


def binned(a: Args) -> dict[str, Array]:
    bins = signals.grid_bins(a["samples"], a["grid"], 4)
    counts = np.bincount(bins, minlength=a["counts"].size).astype(np.int32)
    return {"bin": bins, "counts": counts}


def bin_starts(bins: Array, count: int) -> Array:
    return np.searchsorted(np.sort(bins), np.arange(count + 1)).astype(np.int32)


def binned_samples(a: Args, _rng: object) -> dict[str, Array]:
    bins = signals.grid_bins(a["samples"], 40, 4)
    return {"bin": bins, "cursor": bin_starts(bins, a["cursor"].size)[:-1].copy()}


def by_bin_and_place(a: Args, after: Mapping[str, Array]) -> dict[str, Array]:
    """The samples of each bin in the order of their coordinates."""
    rows = after["placed"].reshape(-1, 4)
    bins = signals.grid_bins(rows, 40, 4)
    assert (np.diff(bins) >= 0).all()
    order = np.lexsort((rows[:, 1], rows[:, 0], bins))
    return {**after, "placed": rows[order].ravel()}


def placed(a: Args) -> dict[str, Array]:
    starts = bin_starts(a["bin"], a["cursor"].size)
    rows = a["samples"].reshape(-1, 4)
    order = np.lexsort((rows[:, 1], rows[:, 0], a["bin"]))
    return {"cursor": starts[1:], "placed": rows[order].ravel()}


def placed_samples(a: Args, _rng: object) -> dict[str, Array]:
    rows = a["placed"].reshape(-1, 4)
    bins = signals.grid_bins(rows, a["grid"], 4)
    ordered = rows[np.argsort(bins)].ravel()
    return {"placed": ordered, "starts": bin_starts(bins, a["starts"].size - 1)}


def gridded(a: Args) -> dict[str, Array]:
    return {"out": signals.gridded(a["placed"], a["table"], a["grid"], 2)}


CASES = [
    Case("fft", "fft_radix2_pass", fft_radix2_pass, atol=1e-5),
    Case("fft", "fft256", fft256, rtol=1e-4, atol=1e-4),
    Case("fft", "fft256", fft256, inverse, rtol=1e-4, atol=1e-4),
    Case("convolution", "convolutionRows", convolution_rows, rtol=1e-4, atol=1e-5),
    Case("convolution", "convolutionColumns", convolution_columns, rtol=1e-4, atol=1e-5),
    Case("convolution", "convolution_2d", convolution_2d, rtol=1e-4, atol=1e-5),
    Case("mandelbrot", "mandelbrot", mandelbrot),
    Case("mandelbrot", "mandelbrot", mandelbrot, grey),
    Case("mandelbrot", "mandelbrot", mandelbrot, inside_only),
    Case("mandelbrot", "julia4", julia),
    Case("gridding", "gridding_bin", binned),
    Case("gridding", "gridding_place", placed, binned_samples, settle=by_bin_and_place),
    Case("gridding", "gridding_gather", gridded, placed_samples, rtol=1e-4, atol=1e-3),
    Case("imagefilter", "gaussian_image", gaussian_image, uneven_mask, rtol=1e-4, atol=1e-5),
    Case("imagefilter", "sobel_image", sobel_image, levels=1),
    Case("imagefilter", "rotate_image", rotate_image, rtol=1e-3, atol=1e-4),
]
