"""How values are spelled in the OpenCL C of a miniature. Integers are unsigned; what reads them as
signed says so by a cast."""

from __future__ import annotations

from kcc.frontend.ir.types import FloatTy, IntTy, IrType, PtrTy, VecTy

SPACES = {0: "__private", 1: "__global", 2: "__constant", 3: "__local", 4: ""}

_WORDS = {8: "char", 16: "short", 32: "int", 64: "long"}


def _width(bits: int) -> int:
    """That of the word which holds an integer: LLVM makes sums over a counter of ``int`` in 33
    bits."""
    return next((width for width in _WORDS if bits <= width), 64)


def pointer(space: int) -> str:
    """A pointer to bytes."""
    return f"{SPACES[space]} uchar *".lstrip()


def spelled(type_: IrType) -> str:
    """The type of a variable."""
    match type_:
        case IntTy(1):
            return "bool"
        case IntTy(bits):
            return f"u{_WORDS[_width(bits)]}"
        case FloatTy(bits):
            return {16: "half", 32: "float", 64: "double"}[bits]
        case PtrTy(space):
            return pointer(space)
        case VecTy(lanes, IntTy(1)):
            return f"int{lanes}"
        case VecTy(lanes, element):
            return f"{spelled(element)}{lanes}"
        case _:
            return "uint"


def signed(type_: IrType) -> str:
    """The same, integers as signed ones."""
    name = spelled(type_)
    return name.removeprefix("u")


def number(value: float, type_: IrType) -> str:
    """A number of a scalar type."""
    match type_:
        case IntTy(1):
            return f"(bool){int(bool(value))}"
        case IntTy(bits):
            whole = int(value) & ((1 << bits) - 1)
            shown = str(whole) if whole < 1 << 20 else hex(whole)
            width = _width(bits)
            return {64: f"{shown}ul", 32: f"{shown}u"}.get(width, f"(u{_WORDS[width]}){shown}")
        case FloatTy(64):
            return repr(float(value))
        case FloatTy(16):
            return f"(half){float(value)!r}f"
        case _:
            return f"{float(value)!r}f"
