"""Arguments as the command line gives them, by the names that a kernel has for them: by name, by
place from 0, or an array that the kernel takes as several parameters (Numba's)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kcc.base.arguments import Argument, Buffer, Scalar, element_bytes
from kcc.base.expressions import Binary, Expression, Operator, literal
from kcc.frontend.kernel import Kernel

_DATA, _ITEMS, _ITEM_BYTES = "_data", "_nitems", "_itemsize"


def names_of(kernel: Kernel) -> tuple[str, ...]:
    """What `--arg` calls the arguments of a kernel: an array by its own name."""
    own = [each.name for each in kernel.arguments]
    return tuple(dict.fromkeys(array_of(kernel, name) or name for name in own))


def array_of(kernel: Kernel, name: str) -> str | None:
    """The array of which a parameter is a part; None where it is none."""
    own = [each.name for each in kernel.arguments]
    stems = (each.removesuffix(_DATA) for each in own if each.endswith(_DATA))
    return next((each for each in stems if _is_array(each, own) and _is_part(name, each)), None)


def is_known(kernel: Kernel, name: str) -> bool:
    """Whether a kernel has an argument that is called so."""
    own = [each.name for each in kernel.arguments]
    return name in own or _is_array(name, own) or _is_place(name, own)


def arguments_of(kernel: Kernel, given: Iterable[Argument]) -> dict[str, Argument]:
    """What is given for a kernel, by the names of its parameters; what it does not have is left
    out, and of several the last holds. What is said of an array's parts holds over the array."""
    own = [each.name for each in kernel.arguments]
    listed = list(given)
    found = dict[str, Argument]()
    for each in listed:
        if each.name not in own and _is_array(each.name, own):
            found |= {part.name: part for part in _parts(each, own)}
    for each in listed:
        name = own[int(each.name)] if _is_place(each.name, own) else each.name
        if name in own:
            found[name] = replace(each, name=name)
    return found


def _is_place(name: str, own: list[str]) -> bool:
    return name.isdecimal() and int(name) < len(own)


def _is_array(name: str, own: list[str]) -> bool:
    return f"{name}{_DATA}" in own and f"{name}{_ITEMS}" in own


def _is_part(name: str, array: str) -> bool:
    tail = name.removeprefix(array)
    return tail != name and tail.rstrip("0123456789") in _PARTS


_PARTS = {"_meminfo", "_parent", _ITEMS, _ITEM_BYTES, _DATA, "_shape", "_strides"}
"""Of an array of Numba (its data model of arrays)."""


def _parts(array: Argument, own: list[str]) -> Iterator[Argument]:
    """The parameters of an array that lies in C's order."""
    value = array.value
    if not isinstance(value, Buffer):
        return
    size = element_bytes(value.element)
    extents = value.extents or (value.count,)
    rank = sum(name.startswith(f"{array.name}_shape") for name in own)
    yield replace(array, name=f"{array.name}{_DATA}")
    yield _number(array, _ITEMS, value.count)
    if size is None:
        return
    yield _number(array, _ITEM_BYTES, literal(size))
    if len(extents) != rank:
        return
    stride: Expression = literal(size)
    for place in reversed(range(rank)):
        yield _number(array, f"_shape{place}", extents[place])
        yield _number(array, f"_strides{place}", stride)
        stride = Binary(Operator.MULTIPLY, stride, extents[place])


def _number(array: Argument, part: str, value: Expression) -> Argument:
    return replace(array, name=f"{array.name}{part}", value=Scalar(value))
