"""A module of the dialect as read back from LLVM's text: what all analyses work on.

Everything is immutable. Functions, blocks and instructions compare by identity; blocks and
instructions are named by their index in the function, values by the unions of
:mod:`kcc.frontend.ir.values`, instructions are the classes of
:mod:`kcc.frontend.ir.instructions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    DebugLocation,
    ParameterAttributes,
    Phi,
    Terminator,
)
from kcc.frontend.ir.types import IrType
from kcc.frontend.ir.values import ArgumentRef, Constant, InstructionRef, Value

KERNEL_CONVENTIONS = frozenset({"spir_kernel", "ptx_kernel"})


class Linkage(Enum):
    """Whether a symbol can be seen from outside the module."""

    INTERNAL = "internal"
    EXTERNAL = "external"


@dataclass(frozen=True, slots=True, eq=False)
class Global:
    """A global variable of ``type`` in address space ``space``.

    ``initialiser`` is None where the definition is elsewhere (``external``). ``written_by_host``:
    it may be written before a kernel runs (``externally_initialized``, of CUDA's ``__constant__``
    and ``__device__``) and the source has nothing but zeros for it, which it then does not hold.
    """

    name: str
    type: IrType
    space: int
    constant: bool
    initialiser: Constant | None
    alignment_bytes: int
    linkage: Linkage
    written_by_host: bool = False


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of a function; ``name`` is its number where the text gives none."""

    index: int
    name: str
    type: IrType
    attributes: ParameterAttributes

    @property
    def ref(self) -> ArgumentRef:
        return ArgumentRef(self.type, self.index, self.name)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A basic block: phis first, its terminator last.

    ``successors`` are the terminator's targets in order, ``predecessors`` ascend; both hold each
    block once. Block 0 is the entry.
    """

    index: int
    label: str
    instructions: tuple[AnyInstruction, ...]
    terminator: Terminator
    successors: tuple[int, ...]
    predecessors: tuple[int, ...]

    @property
    def phis(self) -> Iterator[Phi]:
        for instruction in self.instructions:
            if not isinstance(instruction, Phi):
                return
            yield instruction


@dataclass(frozen=True, slots=True, eq=False)
class Declaration:
    """A function without a body. ``attributes`` as LLVM spells them, e.g. ``memory(none)``."""

    name: str
    convention: str
    result: IrType
    parameters: tuple[IrType, ...]
    parameter_attributes: tuple[ParameterAttributes, ...]
    variadic: bool
    attributes: frozenset[str]


MetadataLeaf = int | str | IrType
"""An element of a function's metadata: a number, a string, or the type of a typed undef
(``vec_type_hint``)."""


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """A function with its body. ``instructions[i].index == i``.

    ``convention`` is "" for C. ``metadata`` holds the attached tuples by name
    (``kernel_arg_name``, ``reqd_work_group_size`` ...), debug information left out; ``location``
    is where the source defines it, and ``source_name`` how the source calls it.
    """

    name: str
    convention: str
    result: IrType
    arguments: tuple[Argument, ...]
    attributes: frozenset[str]
    linkage: Linkage
    blocks: tuple[Block, ...]
    instructions: tuple[AnyInstruction, ...]
    metadata: Mapping[str, tuple[MetadataLeaf, ...]]
    location: DebugLocation | None
    source_name: str

    @property
    def is_kernel(self) -> bool:
        return self.convention in KERNEL_CONVENTIONS

    @property
    def entry(self) -> Block:
        return self.blocks[0]

    @property
    def required_local_size(self) -> tuple[int, int, int] | None:
        """From ``reqd_work_group_size`` metadata."""
        match self.metadata.get("reqd_work_group_size"):
            case (int(x), int(y), int(z)):
                return (x, y, z)
            case _:
                return None

    @property
    def launch_bounds(self) -> tuple[int, int]:
        """CUDA's: threads of the largest thread block and the second bound, 0 where not given."""
        match self.metadata.get("kcc_launch_bounds"):
            case (int(threads),):
                return threads, 0
            case (int(threads), int(second)):
                return threads, second
            case _:
                return 0, 0

    @property
    def required_sub_group_size(self) -> int | None:
        """From ``intel_reqd_sub_group_size`` metadata."""
        match self.metadata.get("intel_reqd_sub_group_size"):
            case (int(size),):
                return size
            case _:
                return None

    def definition(self, value: Value) -> AnyInstruction | None:
        """The instruction a value is the result of; None for arguments and constants."""
        return self.instructions[value.index] if isinstance(value, InstructionRef) else None


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """A whole module; the mappings are in the order of the text."""

    globals: Mapping[str, Global]
    functions: Mapping[str, Function]
    declarations: Mapping[str, Declaration]
    triple: str
    data_layout: str

    @property
    def kernels(self) -> tuple[Function, ...]:
        return tuple(f for f in self.functions.values() if f.is_kernel)


def users(function: Function) -> Sequence[Sequence[AnyInstruction]]:
    """For each instruction (by index) those that use its result, once per use, ascending."""
    found: list[list[AnyInstruction]] = [[] for _ in function.instructions]
    for instruction in function.instructions:
        for operand in instruction.operands:
            if isinstance(operand, InstructionRef):
                found[operand.index].append(instruction)
    return found
