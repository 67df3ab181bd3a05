"""Gas dynamics on unstructured meshes; variables are density, three momenta, energy."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int32]

GAMMA = 1.4
SMOOTHING = 0.2


class State(NamedTuple):
    """What follows from the five variables; vectors have their components first."""

    variables: Doubles
    speed: Doubles
    sound: Doubles
    pressure: Doubles
    fluxes: Doubles  # (variable, direction, cell)


def state(variables: Doubles) -> State:
    """Speeds, pressure and convective fluxes of cells, from variables of shape (5, cells)."""
    density, momentum, energy = variables[0], variables[1:4], variables[4]
    velocity = momentum / density
    squared = (velocity**2).sum(axis=0)
    pressure = (GAMMA - 1) * (energy - 0.5 * density * squared)
    fluxes = np.empty((5, 3, *density.shape))
    fluxes[0] = momentum
    fluxes[1:4] = momentum[None] * velocity[:, None]
    for d in range(3):
        fluxes[1 + d, d] += pressure
    fluxes[4] = (energy + pressure) * velocity
    sound = np.sqrt(GAMMA * pressure / density)
    return State(variables, np.sqrt(squared), sound, pressure, fluxes)


def step_factors(variables: Floats, areas: Floats) -> Floats:
    """Local time steps."""
    cell = state(variables.reshape(5, -1).astype(np.float64))
    return (0.5 / (np.sqrt(areas) * (cell.speed + cell.sound))).astype(np.float32)


def far_field(ff_variable: Floats) -> Floats:
    """The convective fluxes of the far field, shape (5, 3)."""
    return state(ff_variable.astype(np.float64)[:, None]).fluxes[..., 0].astype(np.float32)


def compute_flux(
    neighbours: Ints, normals: Floats, variables: Floats, far_fluxes: NDArray[Any]
) -> Floats:
    """Net fluxes of every cell; neighbours -1 are walls, -2 the far field."""
    cells = variables.size // 5
    own = state(variables.reshape(5, cells).astype(np.float64))
    out = np.zeros((5, cells))
    faces = neighbours.reshape(4, cells)
    for face, normal in zip(faces, normals.reshape(3, 4, cells).swapaxes(0, 1), strict=True):
        other = state(own.variables[:, np.maximum(face, 0)])
        waves = own.speed + other.speed + own.sound + other.sound
        viscosity = -np.sqrt((normal**2).sum(axis=0)) * SMOOTHING * 0.5 * waves
        inner = viscosity * (own.variables - other.variables)
        inner += 0.5 * (normal * (own.fluxes + other.fluxes)).sum(axis=1)
        wall = np.zeros((5, cells))
        wall[1:4] = normal * own.pressure
        far = 0.5 * (normal * (own.fluxes + far_fluxes[..., None])).sum(axis=1)
        out += np.where(face >= 0, inner, np.where(face == -1, wall, far))
    return out.astype(np.float32).ravel()


def time_step(j: int, old: Floats, factors: Floats, fluxes: Floats) -> Floats:
    """The variables after stage j of a three-stage Runge-Kutta step."""
    step = factors / np.float32(4 - j)
    return (old.reshape(5, -1) + step * fluxes.reshape(5, -1)).astype(np.float32).ravel()
