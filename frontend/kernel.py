"""What every front end delivers: a :class:`CompiledUnit` with its :class:`Kernel` values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from kcc.base.diagnostics import Diagnostic, Span
from kcc.base.records import dataclass
from kcc.frontend.ir.model import Function, Module
from kcc.frontend.options import Costs, OptLevel
from kcc.frontend.types import AddressSpace


class Language(Enum):
    """What a source is written in."""

    OPENCL = "opencl"
    CUDA = "cuda"
    LLVM = "llvm"
    PTX = "ptx"


def compiled_by_nvvm(language: Language, costs: Costs) -> bool:
    """Whether NVVM compiles a source for the GPU as far as it was observed: what NVIDIA's driver
    does with OpenCL C was not."""
    return costs is Costs.NVIDIA and language in (Language.CUDA, Language.PTX)


@dataclass(frozen=True, slots=True)
class Argument:
    """A kernel argument. ``type`` is spelled as OpenCL's kernel argument info does."""

    name: str
    type: str
    address_space: AddressSpace
    access: str
    """none, read_only, write_only or read_write."""
    qualifiers: tuple[str, ...]
    """Among const, restrict, volatile (of the pointee, as argument info has it)."""


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """One kernel of a unit; ``function`` is its IR at the unit's optimisation level."""

    name: str
    symbol: str
    language: Language
    arguments: tuple[Argument, ...]
    function: Function
    span: Span
    required_local_size: tuple[int, int, int] | None
    required_sub_group_size: int | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A kernel that is left out while others of its source are there, and why; ``kernel`` is empty
    for what is wrong outside of kernels."""

    kernel: str
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CompiledUnit:
    """A source as compiled.

    ``ir`` is the text of the whole module in the canonical dialect, ``module`` the same as read
    back; ``sources`` maps each file's display name to its lines (for excerpts and annotation).
    """

    name: str
    frontend: str
    """``builtin`` or ``clang``."""
    opt_level: OptLevel
    language: Language
    ir: str
    module: Module
    kernels: tuple[Kernel, ...]
    sources: Mapping[str, Sequence[str]]
    warnings: tuple[Diagnostic, ...]
    refused: tuple[Refused, ...] = ()
    sub_group_size: int | None = None
    """The warps for which functions of sub-groups are written out; None where any will do."""
    costs: Costs = Costs.NVIDIA
    ptx: str = ""
    """The PTX that it was read from."""
