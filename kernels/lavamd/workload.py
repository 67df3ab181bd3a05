"""Molecular dynamics in a cube of boxes: potential and force on every particle, in one launch.

Particles by seed % 3: uniform in their boxes, clusters in each box, near the boxes' corners. tiny:
2 boxes per side; small: 3; large: 10, as in Rodinia; 100 particles each. At most 20 boxes are
compared.
"""

from __future__ import annotations

import itertools

import numpy as np

import kcc.opencl as cl
from kcc import inputs, workload

PER_BOX = 100
ALPHA = 0.5
SAMPLE = 20

NEIGHBOUR = [("x", "i4"), ("y", "i4"), ("z", "i4"), ("number", "i4"), ("offset", "i8")]
BOX = np.dtype([*NEIGHBOUR, ("nn", "i4"), ("nei", NEIGHBOUR, 26)], align=True)
FIELDS = ["cur_arg", "arch_arg", "cores_arg", "boxes1d_arg"]
SPACES = ["number_boxes", "box_mem", "space_elem", "space_mem", "space_mem2"]
DIMENSIONS = np.dtype([(f, "i4") for f in FIELDS] + [(f, "i8") for f in SPACES], align=True)


def main(size: str, seed: int) -> None:
    s = workload.sizes(__file__, size)
    rng = inputs.generator(seed)
    boxes, count = box_table(s.boxes), s.boxes**3
    places = 0.1 + 0.9 * particles(count, seed % 3, rng)
    rv = np.empty((count * PER_BOX, 4), np.float32)
    rv[:, 1:] = places
    rv[:, 0] = (places**2).sum(axis=1) / 2
    charge = 0.1 + 0.9 * rng.random(count * PER_BOX, np.float32)

    device = workload.open_device(cl, __file__)
    (run,) = device.kernels("kernel_gpu_opencl")
    alpha = np.array([(ALPHA,)], [("alpha", np.float32)])
    elements = count * PER_BOX
    space = count, BOX.itemsize * count, elements, 16 * elements, 4 * elements
    dimensions = np.array([(1, 0, 0, s.boxes, *space)], DIMENSIONS)
    result = device.zeros(4 * elements, np.float32)
    data = device.buffer(boxes), device.buffer(rv), device.buffer(charge)
    grid = (count * s.NUMBER_THREADS,), (s.NUMBER_THREADS,)
    run(device.queue, *grid, alpha, dimensions, *data, result)

    found = device.read(result, np.float32).reshape(count, PER_BOX, 4)
    sample = np.sort(rng.permutation(count)[:SAMPLE])
    wanted = np.stack([forces(boxes[box], rv, charge) for box in sample])
    workload.check("d_fv_gpu", found[sample], wanted, rtol=1e-4, atol=1e-2)
    workload.check("potentials", (found[:, :, 0] > 0).all(axis=1), np.ones(count, bool))


def particles(boxes: int, kind: int, rng: np.random.Generator) -> np.ndarray:
    """Places in [0, 1), three per particle."""
    if kind == 1:
        return inputs.clustered_points(boxes * PER_BOX, 3, rng)
    places = inputs.uniform_points(boxes * PER_BOX, 3, rng)
    return places**4 if kind == 2 else places


def box_table(side: int) -> np.ndarray:
    """Boxes plane by plane, each with the boxes around it."""
    boxes = np.zeros(side**3, BOX)
    steps = [step for step in itertools.product((-1, 0, 1), repeat=3) if step != (0, 0, 0)]
    for number, (z, y, x) in enumerate(itertools.product(range(side), repeat=3)):
        box = boxes[number]
        box["x"], box["y"], box["z"], box["number"] = x, y, z, number
        box["offset"] = number * PER_BOX
        around = [(x + dx, y + dy, z + dz) for dz, dy, dx in steps]
        around = [place for place in around if min(place) >= 0 and max(place) < side]
        box["nn"] = len(around)
        for entry, (nx, ny, nz) in zip(box["nei"], around, strict=False):
            other = (nz * side + ny) * side + nx
            entry["x"], entry["y"], entry["z"], entry["number"] = nx, ny, nz, other
            entry["offset"] = other * PER_BOX
    return boxes


def forces(box: np.void, rv: np.ndarray, charge: np.ndarray) -> np.ndarray:
    """Potential and force on the particles of a box, from it and the boxes around it."""
    inside = np.arange(PER_BOX)
    others = [box["number"], *box["nei"]["number"][: box["nn"]]]
    near = np.concatenate([number * PER_BOX + inside for number in others])
    home, other = rv[box["offset"] + inside].astype(np.float64), rv[near].astype(np.float64)
    half_squared = home[:, :1] + other[:, 0] - home[:, 1:] @ other[:, 1:].T
    potential = charge[near] * np.exp(-2 * ALPHA**2 * half_squared)
    apart = home[:, None, 1:] - other[None, :, 1:]
    force = np.einsum("ij,ijk->ik", 2 * potential, apart)
    return np.concatenate([potential.sum(axis=1)[:, None], force], axis=1)
