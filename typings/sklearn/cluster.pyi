import numpy as np
from numpy.typing import ArrayLike, NDArray

class AgglomerativeClustering:
    def __init__(
        self,
        n_clusters: int | None = ...,
        *,
        distance_threshold: float | None = ...,
        linkage: str = ...,
    ) -> None: ...
    def fit_predict(self, X: ArrayLike) -> NDArray[np.int64]: ...

class KMeans:
    cluster_centers_: NDArray[np.float64]
    inertia_: float
    def __init__(
        self, n_clusters: int = ..., *, n_init: int = ..., random_state: int | None = ...
    ) -> None: ...
    def fit_predict(self, X: ArrayLike) -> NDArray[np.int64]: ...
