import numpy as np
from numpy.typing import NDArray

def rankdata(a: NDArray[np.float64], /) -> NDArray[np.float64]: ...
