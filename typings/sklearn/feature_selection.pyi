import numpy as np
from numpy.typing import ArrayLike, NDArray

def f_regression(X: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
