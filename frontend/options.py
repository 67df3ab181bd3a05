"""What a compilation is asked for: macros, include folders, dialect flags, optimisation level."""

from __future__ import annotations

from enum import Enum

from kcc.base.records import dataclass


class OptLevel(Enum):
    """O0 as lowered; O1 SSA with the source's control flow; O2 what a GPU compiler would do."""

    O0 = "O0"
    O1 = "O1"
    O2 = "O2"


class Costs(Enum):
    """Whose costs LLVM's passes go by at O2."""

    NVIDIA = "nvptx"
    AMD = "amdgpu"


@dataclass(frozen=True, slots=True)
class MacroOption:
    """One ``-D NAME[=VALUE]`` (``value`` is "1" without one) or ``-U NAME`` (``value`` None)."""

    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class DoorOptions:
    """What those who compile to PTX need beside macros. ``signature`` are the types of a Python
    kernel's arguments, ``values`` those of its scalar arguments that are known; ``capability`` is
    such as 80, 0 where no GPU is named."""

    signature: str = ""
    capability: int = 0
    values: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """Options that change what a source means; the order of ``macros`` matters."""

    macros: tuple[MacroOption, ...] = ()
    include_dirs: tuple[str, ...] = ()
    forced_includes: tuple[str, ...] = ()
    opt_level: OptLevel = OptLevel.O1
    costs: Costs = Costs.NVIDIA
    fast_relaxed_math: bool = False
    """``-cl-fast-relaxed-math``: also defines ``__FAST_RELAXED_MATH__``."""
    mad_enable: bool = False
    single_precision_constant: bool = False
    opencl_version: int = 120
    """Of OpenCL C, as ``__OPENCL_C_VERSION__`` has it."""
    sub_group_size: int = 32
    """Work-items of a sub-group where a kernel asks for none."""
    instantiate: tuple[str, ...] = ()
    """CUDA kernel templates to instantiate, each ``name<arguments>``."""
    door: DoorOptions = DoorOptions()


@dataclass(frozen=True, slots=True)
class SourceText:
    """A source in memory; ``name`` is how messages call it, ``folder`` where ``#include "x"``
    looks first."""

    name: str
    text: str
    folder: str
