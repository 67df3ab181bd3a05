"""Vectors and dense matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def vecadd(a: Floats, b: Floats) -> Floats:
    """The sum a + b."""
    return a + b


def transpose(idata: Floats, width: int, height: int) -> Floats:
    """The transpose of a height x width matrix."""
    return idata.reshape(height, width).T.ravel()


def matmul(a: Floats, b: Floats, m: int, n: int, k: int) -> Floats:
    """The product of an m x k and a k x n matrix."""
    product = a.reshape(m, k).astype(np.float64) @ b.reshape(k, n)
    return product.astype(np.float32).ravel()


def partial_sums(values: Floats, groups: int, local_size: int) -> Floats:
    """Sums per work-group when item i goes to work-item i modulo the global size."""
    span = groups * local_size
    padded = np.zeros(-(-values.size // span) * span)
    padded[: values.size] = values
    return padded.reshape(-1, groups, local_size).sum(axis=(0, 2)).astype(np.float32)


def lud_diagonal(m: Floats, dim: int, offset: int, block: int) -> Floats:
    """The matrix with its diagonal block at `offset` replaced by its L (unit diagonal) and U."""
    out = m.reshape(dim, dim).astype(np.float64)
    part = out[offset : offset + block, offset : offset + block]
    for i in range(block):
        part[i + 1 :, i] /= part[i, i]
        part[i + 1 :, i + 1 :] -= np.outer(part[i + 1 :, i], part[i, i + 1 :])
    return out.astype(np.float32).ravel()


def lud_perimeter(m: Floats, dim: int, offset: int, block: int) -> Floats:
    """The matrix with the blocks right of and below a factorised diagonal block solved for."""
    out = m.reshape(dim, dim).astype(np.float64)
    here, rest = slice(offset, offset + block), slice(offset + block, dim)
    lower = np.tril(out[here, here], -1) + np.eye(block)
    upper = np.triu(out[here, here])
    out[here, rest] = np.linalg.solve(lower, out[here, rest])
    out[rest, here] = np.linalg.solve(upper.T, out[rest, here].T).T
    return out.astype(np.float32).ravel()


def lud_internal(m: Floats, dim: int, offset: int, block: int) -> Floats:
    """The matrix with the product of the perimeter blocks subtracted from the trailing part."""
    out = m.reshape(dim, dim).astype(np.float64)
    here, rest = slice(offset, offset + block), slice(offset + block, dim)
    out[rest, rest] -= out[rest, here] @ out[here, rest]
    return out.astype(np.float32).ravel()


def lud_product(m: Floats, dim: int) -> Floats:
    """L U of a decomposition in place."""
    packed = m.reshape(dim, dim).astype(np.float64)
    product = (np.tril(packed, -1) + np.eye(dim)) @ np.triu(packed)
    return product.astype(np.float32).ravel()


def layerforward(
    inputs: Floats, weights: Floats, in_: int, hid: int, height: int = 16
) -> tuple[Floats, Floats]:
    """The weight buffer with the tree's remains in it, and the partial sums per block of inputs."""
    out = weights.reshape(in_ + 1, hid + 1).copy()
    tree = (out[1:, 1:] * inputs[1:, None]).reshape(in_ // height, height, hid)
    span = 2
    while span <= height:
        tree[:, ::span] += tree[:, span // 2 :: span]
        span *= 2
    out[1:, 1:] = tree.reshape(in_, hid)
    return out.ravel(), tree[:, 0].ravel()


def adjust_weights(
    delta: Floats, ly: Floats, w: Floats, oldw: Floats, in_: int, hid: int
) -> tuple[Floats, Floats]:
    """Weights and last changes after a step with learning rate and momentum 0.3."""
    rate = np.float32(0.3)
    inputs = ly.copy()
    inputs[0] = 1.0  # the bias
    change = rate * np.outer(inputs, delta) + rate * oldw.reshape(in_ + 1, hid + 1)
    new_w, new_old = w.reshape(in_ + 1, hid + 1).copy(), oldw.reshape(in_ + 1, hid + 1).copy()
    new_w[:, 1:] += change[:, 1:]
    new_old[:, 1:] = change[:, 1:]
    return new_w.ravel(), new_old.ravel()


def kmeans_swap(feature: Floats, npoints: int, nfeatures: int) -> Floats:
    """Features from point-major to feature-major."""
    return feature.reshape(npoints, nfeatures).T.ravel()


def kmeans_membership(
    feature: Floats, clusters: Floats, npoints: int, nclusters: int, nfeatures: int
) -> NDArray[Any]:
    """The nearest centre of every point; features are feature-major."""
    points = feature.reshape(nfeatures, npoints).astype(np.float64)
    centres = clusters.reshape(nclusters, nfeatures).astype(np.float64)
    squared = ((points[None] - centres[:, :, None]) ** 2).sum(axis=1)
    return squared.argmin(axis=0).astype(np.int32)


def saxpy(a: float, x: Floats, y: Floats) -> Floats:
    """The sum a x + y."""
    return (np.float64(np.float32(a)) * x + y).astype(np.float32)


def gaussian_multipliers(m: Floats, a: Floats, size: int, t: int) -> Floats:
    """The multiplier matrix with column t filled in below the diagonal."""
    out, matrix = m.reshape(size, size).copy(), a.reshape(size, size)
    out[t + 1 :, t] = matrix[t + 1 :, t] / matrix[t, t]
    return out.ravel()


def gaussian_eliminate(m: Floats, a: Floats, b: Floats, size: int, t: int) -> tuple[Floats, Floats]:
    """Matrix and right-hand side after multiples of row t have been subtracted below it."""
    factors = m.reshape(size, size)[t + 1 :, t]
    matrix, rhs = a.reshape(size, size).copy(), b.copy()
    matrix[t + 1 :, t:] -= np.outer(factors, matrix[t, t:])
    rhs[t + 1 :] -= factors * rhs[t]
    return matrix.ravel(), rhs


def nearest_neighbor(locations: Floats, lat: float, lng: float) -> Floats:
    """Distances of (lat, lng) pairs to one place."""
    pairs = locations.reshape(-1, 2).astype(np.float64)
    return np.hypot(pairs[:, 0] - lat, pairs[:, 1] - lng).astype(np.float32)


# struct { float weight; long assign; float cost; } as C lays it out.
POINT = np.dtype([("weight", np.float32), ("assign", np.int64), ("cost", np.float32)], align=True)


def pgain(
    points: NDArray[Any], coord: Floats, work: Floats, table: NDArray[Any], x: int, k: int
) -> tuple[Floats, NDArray[Any]]:
    """The gains per point and centre, and which points would switch ('1', else 0)."""
    places = coord.reshape(-1, points.size).astype(np.float64)
    x_cost = ((places - places[:, [x]]) ** 2).sum(axis=0) * points["weight"]
    saving = x_cost - points["cost"]
    gains = work.reshape(-1, k + 1).astype(np.float64)
    rows = np.arange(points.size)
    switch = saving < 0
    gains[rows[switch], k] = saving[switch]
    centres = table[points["assign"]]
    gains[rows[~switch], centres[~switch]] -= saving[~switch]
    membership = np.where(switch, ord("1"), 0).astype(np.int8)
    return gains.astype(np.float32).ravel(), membership
