"""The part of scipy.sparse that is used."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

class csr_array: ...

class coo_array:
    def __init__(
        self,
        arg1: tuple[Sequence[float], NDArray[np.int64]],
        shape: tuple[int, int],
    ) -> None: ...
    def tocsr(self) -> csr_array: ...
