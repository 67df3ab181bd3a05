from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

def njit(
    *, cache: bool = ..., nogil: bool = ..., forceinline: bool = ..., _nrt: bool = ...
) -> Callable[[_F], _F]: ...
