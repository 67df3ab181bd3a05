"""The part of scipy.optimize that is used."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array  # noqa: TID253 -- a stub

class OptimizeResult:
    success: bool
    x: NDArray[np.float64]

def linprog(
    c: NDArray[np.float64],
    *,
    A_eq: csr_array,
    b_eq: Sequence[float],
    bounds: tuple[float, float | None],
    method: str,
) -> OptimizeResult: ...
def brentq(f: Callable[[float], float], a: float, b: float) -> float: ...
