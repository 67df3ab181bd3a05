"""Fits the constants of the register estimate to ptxas, and says how good they are.

    python benchmarks/register_estimate.py

For each folder of kernels/ the constants are fitted to the kernels of all others and tried on its
own (leave one out); then once to all, which gives the constants of kcc/passes/registers/counts.py.
Takes benchmarks/data/ptxas_registers.csv, no ptxas.
"""

from __future__ import annotations

import csv
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray
from ptxas_registers import TABLE, TARGETS, units

from kcc.passes.registers.counts import (
    FREE_REGISTERS,
    LEAST,
    NEED_BASE,
    RegisterFeatures,
    count_from,
    register_features,
)

Vector = NDArray[np.float64]

ROUNDS = 50
"""Of the reweighted least squares that stand for least absolute errors."""

SATURATED = 30
"""A kernel with so many may have wanted more: it only bounds the fit from below."""


def truth() -> dict[tuple[str, str], list[int]]:
    """Counts by folder and kernel, in the order of the targets."""
    found = defaultdict[tuple[str, str], list[int]](list)
    with TABLE.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found[row["folder"], row["kernel"]].append(int(row["registers"]))
    return found


def row_of(features: RegisterFeatures) -> list[float]:
    """The terms of the estimate, in the order of its constants."""
    logs = [np.log(features.addresses + 1), np.log(features.instructions)]
    return [features.eager, features.folded, *logs, 1]


def fit(terms: Vector, counts: Vector) -> Vector:
    """Constants of least relative error over kernels and targets; ``counts`` has a column each."""
    rows = np.concatenate([terms] * counts.shape[1])
    wanted = counts.T.reshape(-1)
    chosen = wanted <= FREE_REGISTERS
    rows, wanted = rows[chosen], wanted[chosen]
    constants = np.linalg.lstsq(rows / wanted[:, None], np.ones(len(wanted)), rcond=None)[0]
    for _ in range(ROUNDS):
        guess = rows @ constants
        weight = 1 / (np.abs(guess - wanted) / wanted + 0.03)
        weight[(wanted >= SATURATED) & (guess > wanted)] *= 1e-3
        scaled = rows / wanted[:, None] * np.sqrt(weight)[:, None]
        square = scaled.T @ scaled + 1e-3 * np.eye(terms.shape[1])
        constants = np.linalg.solve(square, scaled.T @ np.sqrt(weight))
    return constants.astype(np.float64)


def estimate(features: RegisterFeatures, constants: Vector) -> int:
    """As kcc.passes.registers.counts does it, with other constants."""
    wanted = float(np.array(row_of(features)) @ constants)
    needed = features.frugal + NEED_BASE
    count = wanted if wanted <= FREE_REGISTERS else max(FREE_REGISTERS, needed)
    return max(LEAST, 2 * round(count / 2))


def report(title: str, estimates: Vector, counts: Vector) -> None:
    """Errors per target."""
    for column, target in enumerate(TARGETS):
        errors = np.abs(estimates - counts[:, column]) / counts[:, column]
        print(
            f"{title} {target}: median error {np.median(errors):.1%}, mean {errors.mean():.1%}, "
            f"within 10 %: {(errors <= 0.1).mean():.0%}, within 25 %: {(errors <= 0.25).mean():.0%}"
        )


def main() -> None:
    """Fit, and print errors and constants."""
    known, features = truth(), dict[tuple[str, str], RegisterFeatures]()
    for folder, unit in units():
        for kernel in unit.kernels:
            if (folder, kernel.name) in known:  # the table may be older than a kernel
                features[folder, kernel.name] = register_features(kernel.function)
    keys = list(features)
    terms = np.array([row_of(features[key]) for key in keys])
    counts = np.array([known[key] for key in keys], float)
    left_out = np.zeros(len(keys))
    for folder in sorted({key[0] for key in keys}):
        held = np.array([key[0] == folder for key in keys])
        constants = fit(terms[~held], counts[~held])
        for i in np.flatnonzero(held):
            left_out[i] = estimate(features[keys[i]], constants)
    report("left out", left_out, counts)
    report("as shipped", np.array([count_from(features[key]) for key in keys], float), counts)
    print("constants fitted to all:", np.round(fit(terms, counts), 2).tolist())
    print("folder,kernel,ptxas of each target,estimate,left out")
    for key, left, count in zip(keys, left_out, counts, strict=True):
        shipped = count_from(features[key])
        print(*key, "/".join(str(int(each)) for each in count), shipped, int(left), sep=",")


if __name__ == "__main__":
    main()
