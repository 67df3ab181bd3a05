"""A PTX module as parsed: variables, functions, instructions with their operands."""

from __future__ import annotations

from dataclasses import field

from kcc.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Register:
    """A register, or a special register, by its name with ``%``; ``part`` is x, y, z or w."""

    name: str


@dataclass(frozen=True, slots=True)
class Integer:
    """A literal, as written (not wrapped)."""

    value: int


@dataclass(frozen=True, slots=True)
class Real:
    """A literal's bits in IEEE format of ``width`` bits."""

    bits: int
    width: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """The address of a variable plus bytes, or a label, or a function."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Address:
    """``[base+offset]``; further parts, as of a texture or tensor map, stand in ``rest``."""

    base: Register | Symbol | Integer
    offset: int = 0
    rest: tuple[Operand, ...] = ()


@dataclass(frozen=True, slots=True)
class Several:
    """``{a, b}``; and ``d|p`` with ``paired``."""

    parts: tuple[Operand, ...]
    paired: bool = False


@dataclass(frozen=True, slots=True)
class Negated:
    """``!p``."""

    register: Register


@dataclass(frozen=True, slots=True)
class Nothing:
    """``_``: a result nobody takes."""


Operand = Register | Integer | Real | Symbol | Address | Several | Negated | Nothing


@dataclass(frozen=True, slots=True)
class Guard:
    """``@p`` or ``@!p``."""

    register: str
    negated: bool


@dataclass(frozen=True, slots=True)
class SourceLine:
    """What ``.loc`` says; ``file`` is a number of ``.file``, ``outer`` where the function that the
    line is in was called, where it is inlined."""

    file: int
    line: int
    column: int
    outer: SourceLine | None = None


@dataclass(frozen=True, slots=True)
class Instruction:
    """``words`` is the opcode at its dots. ``at`` is an offset in the text."""

    words: tuple[str, ...]
    guard: Guard | None
    operands: tuple[Operand, ...]
    at: int
    line: SourceLine | None

    @property
    def opcode(self) -> str:
        return ".".join(self.words)

    @property
    def type(self) -> str:
        """The last word: of most instructions the type they compute in."""
        return self.words[-1]


@dataclass(frozen=True, slots=True)
class CallOf:
    """``call (results), function, (arguments)``."""

    function: str
    results: tuple[Operand, ...]
    arguments: tuple[Operand, ...]
    guard: Guard | None
    at: int
    line: SourceLine | None


@dataclass(frozen=True, slots=True)
class Label:
    """Where a branch goes."""

    name: str
    at: int


@dataclass(frozen=True, slots=True)
class UnrollPragma:
    """``.pragma "nounroll"``: of the loop whose header is the label above or the next one."""

    at: int


Statement = Instruction | CallOf | Label | UnrollPragma


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable or parameter. ``count`` is None for an array without a size (``extern``), 1 for a
    scalar with ``is_array`` False."""

    name: str
    space: str
    """reg, param, local, shared, global or const."""
    type: str
    alignment: int
    count: int | None
    is_array: bool
    at: int
    values: tuple[Operand, ...] = ()
    extern: bool = False
    pointee_space: str = ""
    """Of a parameter that ``.ptr`` says to be a pointer: global, shared, const, local, generic."""
    pointee_alignment: int = 0


@dataclass(slots=True)
class Function:
    """A kernel (``is_entry``) or a device function; ``is_defined`` is whether it has a body."""

    name: str
    is_entry: bool
    at: int
    parameters: tuple[Variable, ...]
    results: tuple[Variable, ...] = ()
    is_defined: bool = False
    registers: dict[str, str] = field(default_factory=dict[str, str])
    """Types by name, those of nested scopes under names of their own."""
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    """Of the body: local, shared and param."""
    body: list[Statement] = field(default_factory=list[Statement])
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """``.branchtargets`` by label."""
    threads: tuple[int, ...] = ()
    """What ``.reqntid`` asks for; empty without it."""
    most_threads: tuple[int, ...] = ()
    """What ``.maxntid`` allows."""


@dataclass(slots=True)
class Module:
    """A file of PTX. ``target`` is such as sm_80."""

    version: str = ""
    target: str = ""
    files: dict[int, str] = field(default_factory=dict[int, str])
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    functions: dict[str, Function] = field(default_factory=dict[str, Function])


SIZES = {
    "pred": 1, "b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2,
    "b32": 4, "u32": 4, "s32": 4, "f32": 4, "f16x2": 4, "bf16x2": 4, "tf32": 4,
    "b64": 8, "u64": 8, "s64": 8, "f64": 8, "f32x2": 8, "b128": 16,
    "texref": 8, "samplerref": 8, "surfref": 8,
}  # fmt: skip
"""Bytes of the types (PTX ISA, "Fundamental types", "Packed data types")."""
