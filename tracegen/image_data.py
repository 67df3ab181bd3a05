"""Images and samplers as arguments of a launch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcc.base.records import dataclass
from kcc.frontend.builtins.constants import PREDEFINED_MACROS
from kcc.frontend.types import ImageKind


@dataclass(frozen=True, slots=True)
class ImageData:
    """An image: ``pixels`` has the shape (depth or layers, height, width, channels) less the
    dimensions that ``kind`` lacks; ``order`` and ``channel_type`` are OpenCL's words without
    their ``CL_`` (RGBA, UNORM_INT8 ...). Packed formats have one element per texel."""

    pixels: NDArray[np.generic]
    order: str
    channel_type: str
    kind: ImageKind = ImageKind.IMAGE2D


@dataclass(frozen=True, slots=True)
class Sampler:
    """A sampler: addressing none, clamp_to_edge, clamp, repeat or mirrored_repeat; filtering
    nearest or linear."""

    addressing: str = "clamp"
    filtering: str = "nearest"
    normalized: bool = False

    @property
    def bits(self) -> int:
        """The bits the sampler has in a kernel (SPIR 1.2, table 3)."""
        names = [f"CLK_ADDRESS_{self.addressing.upper()}", f"CLK_FILTER_{self.filtering.upper()}"]
        return sum(int(PREDEFINED_MACROS[n], 0) for n in names) + int(self.normalized)


def descriptor(image: ImageData, pixels: NDArray[np.generic]) -> NDArray[np.int64]:
    """The record ``Image`` of the image library for ``pixels``, a copy in C order: the data's
    address, then ten 32-bit numbers."""
    shape = pixels.shape[:-1]
    layered = image.kind in (ImageKind.IMAGE1D_ARRAY, ImageKind.IMAGE2D_ARRAY)
    layers = shape[0] if layered else 1
    (depth, height, width) = ((1, 1, 1) + (shape[1:] if layered else shape))[-3:]
    texel = pixels.itemsize * pixels.shape[-1]
    row = texel * width
    record = np.zeros(6, np.int64)
    record[0] = pixels.ctypes.data
    record[1:].view(np.int32)[:] = (
        width, height, depth, layers,
        int(PREDEFINED_MACROS[f"CLK_{image.order}"], 0),
        int(PREDEFINED_MACROS[f"CLK_{image.channel_type}"], 0),
        texel, row, row * height,
        len(shape) - layered,
    )  # fmt: skip
    return record
