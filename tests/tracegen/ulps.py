"""How far the floats of two buffers are apart."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def apart(found: NDArray[Any], wanted: NDArray[Any]) -> float:
    """The largest difference of two buffers of floats, in units of the last place of the largest
    finite number that is wanted; infinite where one is NaN or infinite and the other is not."""
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    if same.all():
        return 0.0
    largest = np.abs(wanted[np.isfinite(wanted)]).max(initial=0)
    with np.errstate(invalid="ignore"):
        distance = np.abs(found.astype(np.float64) - wanted.astype(np.float64))[~same].max()
    return float(distance / np.spacing(largest)) if np.isfinite(distance) else float("inf")
