"""Cases: particles, fluids and random walks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.kernels.case import Case
from tests.kernels.harness import Array
from tests.kernels.references import finance, gas, lattice, particles

Args = Mapping[str, Any]
Generator = np.random.Generator


def likelihood(a: Args) -> dict[str, Array]:
    found = particles.likelihood(
        (a["xj"], a["yj"]), a["seed"], a["objxy"], a["I"], (a["IszY"], a["Nfr"], a["k"])
    )
    sums = np.add.reduceat(found.weights, np.arange(0, found.weights.size, 512))
    return {
        "arrayX": found.x,
        "arrayY": found.y,
        "ind": found.pixels,
        "likelihood": found.likelihood,
        "weights": found.weights,
        "CDF": found.weights,
        "seed": found.seed,
        "partial_sums": sums,
    }


def sum_weights(a: Args) -> dict[str, Array]:
    sums = a["partial_sums"].copy()
    sums[0] = sums.sum()
    return {"partial_sums": sums}


def normalize_weights(a: Args) -> dict[str, Array]:
    count, total = a["Nparticles"], a["partial_sums"][0]
    state = particles.next_random(a["seed"][:1].astype(np.uint32) ^ np.uint32(0x55555555))
    return {
        "weights": a["weights"] / total,
        "CDF": np.cumsum(a["CDF"] / total),
        "u": particles.uniform_of(state) / count + np.arange(count) / count,
    }


def distribution(a: Args, rng: Generator) -> dict[str, Array]:
    """A distribution that ends a little short of the largest u."""
    count = int(a["Nparticles"])
    weights = rng.exponential(size=count)
    cdf = np.cumsum(weights) / weights.sum() * 0.995
    return {"CDF": cdf, "u": (np.arange(count) + 0.3) / count}


def find_index(a: Args) -> dict[str, Array]:
    chosen = particles.resampled(a["CDF"], a["u"])
    count = a["Nparticles"]
    return {
        "xj": a["arrayX"][chosen],
        "yj": a["arrayY"][chosen],
        "weights": np.full(count, 1.0 / count),
    }


def particle(a: Args) -> dict[str, Array]:
    chosen = particles.resampled(a["CDF"], a["u"])
    return {"xj": a["arrayX"][chosen], "yj": a["arrayY"][chosen]}


def lavamd_boxes(a: Args, rng: Generator) -> dict[str, Array]:
    side = round((a["d_box_gpu"].size // 82) ** (1 / 3))
    return {"d_box_gpu": particles.lavamd_boxes(side).view(np.int64)}


def lavamd(a: Args) -> dict[str, Array]:
    boxes = a["d_box_gpu"].view(particles.BOX)
    alpha = float(a["d_par_gpu"]["m0"][0])
    return {"d_fv_gpu": particles.lavamd(boxes, a["d_rv_gpu"], a["d_qv_gpu"], alpha)}


def gas_cells(cells: int, rng: Generator) -> Array:
    """Variables of cells at rest, nearly: densities, momenta and energies of a real gas."""
    parts = [rng.uniform(0.8, 1.2, cells)]
    parts += [rng.uniform(-0.5, 0.5, cells) for _ in range(3)]
    parts += [rng.uniform(2.0, 3.0, cells)]
    return np.concatenate(parts).astype(np.float32)


def initialize_variables(a: Args) -> dict[str, Array]:
    return {"variables": np.repeat(a["ff_variable"], a["nelr"])}


def cells_only(a: Args, rng: Generator) -> dict[str, Array]:
    return {"variables": gas_cells(int(a["nelr"]), rng)}


def step_factor(a: Args) -> dict[str, Array]:
    return {"step_factors": gas.step_factors(a["variables"], a["areas"])}


FAR_FIELD_ARGUMENTS = {
    "ff_flux_contribution_momentum_x": 1,
    "ff_flux_contribution_momentum_y": 2,
    "ff_flux_contribution_momentum_z": 3,
    "ff_flux_contribution_density_energy": 4,
}


def flux_inputs(a: Args, rng: Generator) -> dict[str, Array]:
    """A mesh in which a quarter of the faces each lie on a wall and on the far field."""
    cells = int(a["nelr"])
    neighbours = rng.integers(0, cells, 4 * cells)
    kind = rng.integers(0, 4, 4 * cells)
    neighbours[kind == 0] = -1
    neighbours[kind == 1] = -2
    far = gas_cells(1, rng)
    fluxes = gas.far_field(far)
    return {
        "elements_surrounding_elements": neighbours.astype(np.int32),
        "variables": gas_cells(cells, rng),
        "ff_variable": far,
        **{name: fluxes[row].copy() for name, row in FAR_FIELD_ARGUMENTS.items()},
    }


def compute_flux(a: Args) -> dict[str, Array]:
    far = np.empty((5, 3))
    far[0] = a["ff_variable"][1:4]
    for name, row in FAR_FIELD_ARGUMENTS.items():
        far[row] = a[name]
    return {
        "fluxes": gas.compute_flux(
            a["elements_surrounding_elements"], a["normals"], a["variables"], far
        )
    }


def time_step(a: Args) -> dict[str, Array]:
    stepped = gas.time_step(a["j"], a["old_variables"], a["step_factors"], a["fluxes"])
    return {"variables": stepped}


def nbody_sim(a: Args) -> dict[str, Array]:
    position, velocity = particles.nbody_sim(a["pos"], a["vel"], a["deltaTime"], a["epsSqr"])
    return {"newPosition": position, "newVelocity": velocity}


def integrate_bodies(a: Args) -> dict[str, Array]:
    position, velocity = particles.integrate_bodies(
        a["oldPos"], a["oldVel"], a["deltaTime"], a["damping"], a["softeningSquared"]
    )
    return {"newPos": position, "newVel": velocity}


def coulomb(a: Args) -> dict[str, Array]:
    width = int(a["width"])
    rows = a["energygrid"].size // width
    potential = particles.potential(a["atominfo"], a["gridspacing"], (rows, width))
    return {"energygrid": a["energygrid"] + potential.ravel()}


def lbm_initialize(a: Args) -> dict[str, Array]:
    cells = int(a["cells"])
    u = np.repeat(np.array([[a["ux"]], [a["uy"]], [a["uz"]]]), cells, axis=1)
    grid = lattice.equilibrium(np.full(cells, float(a["density"])), u)
    return {"grid": grid.astype(np.float32).ravel()}


def lbm_obstacles(a: Args, rng: Generator) -> dict[str, Array]:
    return {"obstacle": (rng.random(int(a["obstacle"].size)) < 0.2).astype(np.uint8)}


def lbm_step(a: Args) -> dict[str, Array]:
    shape = a["nz"], a["ny"], a["nx"]
    return {"dst": lattice.stream_collide(a["src"], a["obstacle"], a["omega"], shape)}


def black_scholes(a: Args) -> dict[str, Array]:
    call, put = finance.black_scholes(a["d_S"], a["d_X"], a["d_T"], a["R"], a["V"])
    return {"d_Call": call, "d_Put": put}


def mc_paths(a: Args) -> dict[str, Array]:
    state, payoff = finance.barrier_paths(a["states"], a["option"][0], a["steps"])
    sums = np.add.reduceat(payoff, np.arange(0, payoff.size, 128))
    return {"states": state, "payoffs": payoff, "sums": sums}


def mc_moro(a: Args) -> dict[str, Array]:
    return {"normal": finance.inverse_normal(a["uniform_draws"])}


def mc_mean(a: Args) -> dict[str, Array]:
    _, _, _, rate, _, years = (float(v) for v in a["option"][0])
    price = np.exp(-rate * years) * a["sums"].sum(dtype=np.float64) / a["paths"]
    return {"price": np.array([price], np.float32)}


CASES = [
    Case("particlefilter", "likelihood_kernel", likelihood, rtol=1e-9, atol=0.0),
    Case("particlefilter", "sum_kernel", sum_weights, rtol=1e-12),
    Case("particlefilter", "normalize_weights_kernel", normalize_weights, rtol=1e-12),
    Case("particlefilter", "find_index_kernel", find_index, distribution),
    Case("particlefilter", "particle_kernel", particle, distribution),
    Case("lavamd", "kernel_gpu_opencl", lavamd, lavamd_boxes, rtol=1e-4, atol=1e-3),
    Case("cfd", "initialize_variables", initialize_variables),
    Case("cfd", "compute_step_factor", step_factor, cells_only),
    Case("cfd", "compute_flux", compute_flux, flux_inputs, rtol=1e-4, atol=1e-5),
    Case("cfd", "time_step", time_step),
    Case("coulomb", "cenergy", coulomb, rtol=1e-4),
    Case("nbody", "nbody_sim", nbody_sim, rtol=1e-4, atol=1e-5),
    Case("nbody", "integrateBodies_noMT", integrate_bodies, rtol=1e-4, atol=1e-5),
    Case("lbm", "lbm_initialize", lbm_initialize),
    Case("lbm", "lbm_stream_collide", lbm_step, lbm_obstacles),
    Case("blackscholes", "BlackScholes", black_scholes, rtol=1e-4, atol=2e-4),
    Case("montecarlo", "mc_paths", mc_paths, rtol=1e-3, atol=1e-3),
    Case("montecarlo", "mc_moro", mc_moro, rtol=1e-5, atol=1e-5),
    Case("montecarlo", "mc_mean", mc_mean),
]
