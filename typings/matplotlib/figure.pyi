from collections.abc import Sequence
from typing import IO

class Axes:
    def bar(
        self,
        x: Sequence[float],
        height: Sequence[float],
        width: float,
        bottom: Sequence[float],
        *,
        color: str,
        label: str,
    ) -> object: ...
    def plot(self, *args: Sequence[float], color: str, marker: str, label: str) -> object: ...
    def set_xticks(
        self, ticks: Sequence[float], labels: Sequence[str], *, rotation: float, ha: str
    ) -> object: ...
    def set_title(self, label: str, *, loc: str, fontsize: float, color: str) -> object: ...
    def legend(
        self, *, loc: str, bbox_to_anchor: tuple[float, float], frameon: bool
    ) -> object: ...

class Figure:
    def __init__(self, figsize: tuple[float, float], dpi: float, *, layout: str) -> None: ...
    def subplots(self) -> Axes: ...
    def savefig(self, fname: IO[bytes], *, format: str) -> None: ...
