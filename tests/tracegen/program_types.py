"""The types of random kernels, and the sizes that the launches and the sources agree on."""

from __future__ import annotations

from dataclasses import dataclass

INTEGERS = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
FLOATS = ("float", "double")
LANES = (2, 3, 4, 8, 16)
SIZES = {
    "char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8,
    "half": 2, "float": 4, "double": 8,
}  # fmt: skip

INPUTS = 64
"""Elements of each input; the outputs have SLOTS for each work-item, the totals TOTALS."""
SLOTS = 4
TOTALS = 9
PRIVATE = 8
"""Elements of a private array; a power of two, as INPUTS is."""
TABLE = 16
"""Elements of a table in constant memory, also one."""

PARAMETERS = (
    "__global const int *ia, __global const ulong *la, __global const float *fa, "
    "__global const half *ha, __global ulong *out, __global float *fout, __global half *hout, "
    "__global uint *totals, __global int *stotals, __global ulong *ltotals, "
    "const int k0, const uint k1"
)
BUFFERS = ("ia", "la", "fa", "ha", "out", "fout", "hout", "totals", "stotals", "ltotals")
"""The parameters that are buffers, in order; the two scalars come later."""

ATOMICS = ("add", "sub", "and", "or", "xor", "max", "min", "inc", "dec")
"""The operation that each place of the totals allows."""


@dataclass(frozen=True, slots=True)
class Type:
    """A scalar or vector type of OpenCL C."""

    scalar: str
    lanes: int = 1

    def __str__(self) -> str:
        return self.scalar if self.lanes == 1 else f"{self.scalar}{self.lanes}"

    @property
    def element(self) -> Type:
        return Type(self.scalar)

    @property
    def is_float(self) -> bool:
        return self.scalar in ("half", *FLOATS)

    @property
    def unsigned(self) -> Type:
        name = self.scalar if self.scalar[0] == "u" else f"u{self.scalar}"
        return Type(name, self.lanes)

    @property
    def is_signed(self) -> bool:
        return not self.is_float and self.scalar[0] != "u"


CHAR, UCHAR, SHORT = Type("char"), Type("uchar"), Type("short")
INT, UINT, ULONG, FLOAT = Type("int"), Type("uint"), Type("ulong"), Type("float")


@dataclass(frozen=True, slots=True)
class Function:
    """A helper that expressions may call; one with an array takes a private array of ints first."""

    name: str
    result: Type
    parameters: tuple[Type, ...]
    takes_array: bool = False


@dataclass(frozen=True, slots=True)
class ArrayVariable:
    """An array whose index may be any number below ``count``, a power of two, or modulo it."""

    name: str
    element: Type
    count: int
    suffix: str = ""
    """What follows the index: the member of a struct, if it is an array of structs."""
