"""Flow of a gas through a channel with obstacles: finite volumes, Runge-Kutta in time.

Cells are numbered, by seed % 3: in order, shuffled within runs of 512, in no order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import kcc.opencl as cl
from kcc import inputs, workload

LOCAL = 192
STAGES = 3  # RK of the kernels
GAMMA, SMOOTHING = 1.4, 0.2  # of the kernels
MACH = 1.2
SAMPLE = 2000

Array = NDArray[Any]


def derived(v: Array) -> tuple[Array, Array]:
    """The fastest wave, shape (...), and the convective fluxes, shape (5, 3, ...), of cells."""
    velocity = v[1:4] / v[0]
    squared = (velocity**2).sum(axis=0)
    pressure = (GAMMA - 1) * (v[4] - 0.5 * v[0] * squared)
    fluxes = v[:, None] * velocity
    for axis in range(3):
        fluxes[1 + axis, axis] += pressure
    fluxes[4] += pressure * velocity
    return np.sqrt(squared) + np.sqrt(GAMMA * pressure / v[0]), fluxes


def net_flux(v: Array, mesh: inputs.Mesh, cells: Array, far: Array) -> Array:
    """What flows into some cells."""
    total = np.zeros((5, cells.size))
    wave, own = derived(v[:, cells])
    for face in range(4):
        beyond, normal = mesh.neighbours[face, cells], mesh.normals[:, face, cells]
        other_wave, other = derived(v[:, beyond])
        area = np.sqrt((normal**2).sum(axis=0))
        drag = area * SMOOTHING * 0.5 * (wave + other_wave) * (v[:, beyond] - v[:, cells])
        inner = drag + 0.5 * (normal * (own + other)).sum(axis=1)
        outer = 0.5 * (normal * (own + derived(far[:, None])[1])).sum(axis=1)
        wall = np.zeros((5, cells.size))
        pressure = own[1, 0] - v[1, cells] ** 2 / v[0, cells]
        wall[1:4] = normal * pressure
        total += np.where(beyond >= 0, inner, np.where(beyond == inputs.WALL, wall, outer))
    return total


def main(size: str, seed: int) -> None:
    """Make `steps` time steps; a sample of cells must be right in every stage."""
    s = workload.sizes(__file__, size)
    n, cells = s.nelr, np.int32(s.nelr)
    rng = inputs.generator(seed)
    mesh = inputs.channel_mesh(n, rng, spread=(1, 512, n)[seed % 3])
    areas = rng.uniform(1, 2, n).astype(np.float32)
    angle = rng.uniform(-0.3, 0.3)
    momentum = 1.4 * MACH * np.array([np.cos(angle), np.sin(angle), 0])  # the speed of sound is 1
    energy = 0.5 * 1.4 * MACH**2 + 1 / (GAMMA - 1)
    far = np.array([1.4, *momentum, energy], np.float32)
    far_fluxes = derived(far.astype(np.float64)[:, None])[1][..., 0].astype(np.float32)

    device = workload.open_device(cl, __file__)
    names = "memset_kernel", "initialize_variables", "compute_step_factor", "compute_flux"
    memset, initialize, step_factor, flux = device.kernels(*names)
    (time_step,) = device.kernels("time_step")
    grid = (workload.roundup(n, LOCAL),), (LOCAL,)
    variables, old, fluxes = (device.zeros(5 * n, np.float32) for _ in range(3))
    factors, volumes = device.buffer(areas), device.buffer(areas)
    neighbours, normals = device.buffer(mesh.neighbours), device.buffer(mesh.normals)
    field = device.buffer(far)
    contributions = [device.buffer(far_fluxes[row]) for row in (4, 1, 2, 3)]
    for buffer in variables, old, fluxes:
        initialize(device.queue, *grid, buffer, field, cells)
    fill = (workload.roundup(4 * n, LOCAL),), (LOCAL,)
    memset(device.queue, *fill, factors, np.int16(0), np.int32(4 * n))
    for buffer in variables, old, fluxes:
        start = device.read(buffer, np.float32).reshape(5, n)
        workload.check("start", start, np.broadcast_to(far[:, None], start.shape))
    workload.check("cleared", device.read(factors, np.float32), np.zeros_like(areas))
    flow = (neighbours, normals, variables, field, fluxes, *contributions, cells)
    for step in range(s.steps):
        cl.enqueue_copy(device.queue, old, variables)
        step_factor(device.queue, *grid, variables, volumes, factors, cells)
        before = device.read(variables, np.float32).reshape(5, n).astype(np.float64)
        some = rng.integers(0, n, SAMPLE)
        factor = 0.5 / (np.sqrt(areas[some]) * derived(before[:, some])[0])
        found = device.read(factors, np.float32)[some]
        workload.check(f"factors of step {step}", found, factor.astype(np.float32), rtol=1e-5)
        v = before
        for stage in range(STAGES):
            flux(device.queue, *grid, *flow)
            time_step(device.queue, *grid, np.int32(stage), cells, old, variables, factors, fluxes)
            into = net_flux(v, mesh, some, far.astype(np.float64))
            wanted = (before[:, some] + factor / (STAGES + 1 - stage) * into).astype(np.float32)
            v = device.read(variables, np.float32).reshape(5, n).astype(np.float64)
            name = f"step {step}, stage {stage}"
            workload.check(name, v[:, some].astype(np.float32), wanted, rtol=1e-4, atol=1e-5)
    workload.check("cells with gas in them", np.count_nonzero(v[0] > 0), n)
