from numpy.typing import ArrayLike

def silhouette_score(
    X: ArrayLike,
    labels: ArrayLike,
    *,
    sample_size: int | None = ...,
    random_state: int | None = ...,
) -> float: ...
