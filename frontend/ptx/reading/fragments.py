"""Matrix fragments of CUDA C++'s ``nvcuda::wmma`` (PTX ISA, "Warp-level matrix instructions using
wmma": ``wmma.load``, ``wmma.mma``, ``wmma.store``).

PTX leaves open which lane holds which element of such a fragment. Here a fragment is one or more of
``mma``'s side by side, whose places are fixed, so a product becomes products of ``mma``; ptxas does
likewise since Turing. Of a product of 8 rows and 32 columns the transposed one is computed. Where
PTX gives a fragment more registers than its elements fill (A and B in half precision have every
element twice), the others repeat the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcc.base.records import dataclass
from kcc.frontend.builtins.matrix import BITS, MatrixProduct
from kcc.frontend.ptx.reading.arithmetic import Handler
from kcc.frontend.ptx.reading.matrices import (
    ELEMENT,
    SHAPE,
    listed,
    loaded_matrices,
    multiplied,
)
from kcc.frontend.ptx.reading.model import Instruction, Operand, Several
from kcc.frontend.ptx.reading.pointers import SHARED, space_of
from kcc.frontend.ptx.reading.typing import pointer_type
from kcc.frontend.ptx.reading.writer import Writer

_WIDE = {(16, 16, 16), (8, 32, 16), (32, 8, 16)}
_SHAPES = {
    "f16": _WIDE, "bf16": _WIDE, "s8": _WIDE, "u8": _WIDE, "tf32": {(16, 16, 8)},
    "f64": {(8, 8, 4)}, "s4": {(8, 8, 32)}, "u4": {(8, 8, 32)}, "b1": {(8, 8, 128)},
}  # fmt: skip
"""By the type of A (PTX ISA, wmma, table of shapes)."""

_REGISTERS_OF_HALVES = 8
"""Of A and of B in half precision, whatever the shape (PTX ISA, wmma, table of fragments)."""


@dataclass(frozen=True, slots=True)
class Tiles:
    """How a product of ``m`` x ``n`` x ``k`` is made of products of ``mma``: of ``height`` rows and
    8 columns, ``down`` of them by ``across``; ``swapped``: its A is the transposed B."""

    m: int
    n: int
    k: int

    @property
    def swapped(self) -> bool:
        return self.m == 8 and self.n > 8

    @property
    def height(self) -> int:
        return min(16, self.n if self.swapped else self.m)

    @property
    def down(self) -> int:
        return (self.n if self.swapped else self.m) // self.height

    @property
    def across(self) -> int:
        return (self.m if self.swapped else self.n) // 8


@dataclass(frozen=True, slots=True)
class Place:
    """Of one register beside the lane's own part: ``row`` and ``column`` of its first element."""

    row: int
    column: int


def _factor_places(tiles: Tiles, side: str, type_: str) -> Iterator[Place]:
    """The registers of A, or of the transposed B: rows of both are multiplied along ``k``."""
    left = (side == "a") != tiles.swapped
    height, count = (tiles.height, tiles.down) if left else (8, tiles.across)
    packed = max(32 // BITS[type_], 1)
    for tile in range(count):
        for column in range(0, tiles.k, 4 * packed):
            for row in range(0, height, 8):
                yield Place(tile * height + row, column)


def _sum_places(tiles: Tiles) -> Iterator[Place]:
    """The pairs of neighbours of C and D, as rows and columns of the products of ``mma``."""
    for down in range(tiles.down):
        for across in range(tiles.across):
            for row in range(0, tiles.height, 8):
                yield Place(down * tiles.height + row, across * 8)


def _tiles(w: Writer, item: Instruction) -> Tiles:
    shape = next((s for x in item.words if (s := SHAPE.fullmatch(x))), None)
    if shape is None:
        raise w.refuse(f"'{item.opcode}' is not supported")
    return Tiles(*(int(shape[i]) for i in (1, 2, 3)))


def _checked(w: Writer, item: Instruction, tiles: Tiles, type_: str) -> None:
    if (tiles.m, tiles.n, tiles.k) not in _SHAPES.get(type_, set()):
        raise w.refuse(f"'{item.opcode}' is not supported")


@dataclass(frozen=True, slots=True)
class _Matrix:
    """A matrix in memory as a lane sees it: ``own`` points to where its elements begin, a step to
    the next row or column is so many bytes (an i64)."""

    own: str
    space: int
    row_bytes: str
    column_bytes: str

    def pointer(self, w: Writer, row: int, column: int) -> str:
        down = w.binary("mul", "i64", self.row_bytes, row)
        right = w.binary("mul", "i64", self.column_bytes, column)
        away = w.binary("add", "i64", down, right)
        return f"{pointer_type(self.space)} " + w.value(
            f"getelementptr i8, {pointer_type(self.space)} {self.own}, i64 {away}"
        )


def _matrix(
    w: Writer, item: Instruction, place: Operand, stride: str, bits: int, *, along: bool, pair: int
) -> _Matrix:
    """``along``: whether columns are neighbours in memory; ``pair``: columns a lane has in a row.
    A step along sub-bytes is none of whole bytes: it is taken by registers only."""
    pointer, space = w.pointer(place, space_of(item.words))
    far = w.binary("lshr", "i64", w.binary("mul", "i64", stride, bits), 3)
    near = str(bits // 8)
    row_bytes, column_bytes = (far, near) if along else (near, far)
    lane = w.cast("zext", "i32", w.lane(), "i64")
    group, inner = w.binary("lshr", "i64", lane, 2), w.binary("and", "i64", lane, 3)
    down = w.binary("mul", "i64", group, row_bytes)
    step = str(pair * bits // 8) if along else w.binary("mul", "i64", column_bytes, pair)
    away = w.binary("add", "i64", down, w.binary("mul", "i64", inner, step))
    own = w.value(f"getelementptr i8, {pointer_type(space)} {pointer}, i64 {away}")
    return _Matrix(own, space, row_bytes, column_bytes)


def _stride(w: Writer, given: tuple[Operand, ...], default: int) -> str:
    if not given:
        return str(default)
    return w.cast("zext", "i32", w.read(given[0], "i32"), "i64")


def _load(w: Writer, item: Instruction) -> None:
    side, tiles, type_ = item.words[2], _tiles(w, item), item.type
    target, place, *stride = w.operands(item, 2, 3)
    by_row = "row" in item.words
    if side == "c":
        _load_sum(w, item, tiles, target, place, tuple(stride), by_row=by_row)
        return
    _checked(w, item, tiles, type_)
    along, bits = by_row == (side == "a"), BITS[type_]
    if bits < 8 and not along:
        raise w.refuse(f"'{item.opcode}' is not supported")
    size = {"a": (tiles.m, tiles.k), "b": (tiles.k, tiles.n)}[side][by_row]
    packed = max(32 // bits, 1)
    step, space = _stride(w, tuple(stride), size), space_of(item.words)
    kind, places = "double" if bits == 64 else "i32", list(_factor_places(tiles, side, type_))
    times = _REGISTERS_OF_HALVES // len(places) if type_ == "f16" else 1
    parts = listed(w, target, len(places) * times)
    if space == SHARED and bits == 16:
        pointer, _ = w.pointer(place, space)
        values = _by_rows(w, pointer, step, places, along=along)
    else:
        matrix = _matrix(w, item, place, step, bits, along=along, pair=packed)
        values = [
            w.value(
                f"load {kind}, {_along(w, matrix, at.row, at.column * bits // 8)}, "
                f"align {max(bits, 32) // 8}"
            ) if along else _gathered(w, matrix, at, bits, packed, kind)
            for at in places
        ]  # fmt: skip
    for number, value in enumerate(values):
        for again in range(times):
            w.write(parts[number + again * len(places)], kind, value)


def _by_rows(
    w: Writer, pointer: str, step: str, places: Sequence[Place], *, along: bool
) -> list[str]:
    """Registers of halves out of shared memory as ptxas loads them, by ``ldmatrix`` (12.9 for
    sm_80): each is an 8 x 8 matrix, of which lanes give the rows, up to four at a time."""
    found, kind = list[str](), pointer_type(SHARED)
    row_bytes = w.binary("shl", "i64", step, 1)
    lane = w.cast("zext", "i32", w.lane(), "i64")
    row = w.binary("and", "i64", lane, 7)
    bits = [w.binary("and", "i64", w.binary("lshr", "i64", lane, n), 1) for n in (3, 4)]
    for first in range(0, len(places), 4):
        ways = [(at.row, at.column) if along else (at.column, at.row)
                for at in places[first : first + 4]]  # fmt: skip
        (down, right), steps = ways[0], ways[1:3]
        assert len(ways) < 4 or [a + b - c for a, b, c in zip(*steps, ways[0], strict=True)] == [
            *ways[3]
        ]
        at_row, at_byte = w.binary("add", "i64", row, down), str(2 * right)
        for bit, (far, near) in zip(bits, steps, strict=False):
            at_row = w.binary("add", "i64", at_row, w.binary("mul", "i64", bit, far - down))
            away = w.binary("mul", "i64", bit, 2 * (near - right))
            at_byte = w.binary("add", "i64", at_byte, away)
        away = w.binary("add", "i64", w.binary("mul", "i64", at_row, row_bytes), at_byte)
        own = w.value(f"getelementptr i8, {kind} {pointer}, i64 {away}")
        found += loaded_matrices(w, own, len(ways), transposed=not along)
    return found


def _along(w: Writer, matrix: _Matrix, row: int, away: int) -> str:
    """A pointer to ``away`` bytes into a row."""
    down = w.binary("mul", "i64", matrix.row_bytes, row)
    total = w.binary("add", "i64", down, away)
    kind = pointer_type(matrix.space)
    return f"{kind} " + w.value(f"getelementptr i8, {kind} {matrix.own}, i64 {total}")


def _gathered(w: Writer, matrix: _Matrix, at: Place, bits: int, count: int, kind: str) -> str:
    """A register of elements that lie apart in memory."""
    if count == 1:
        return w.value(f"load {kind}, {matrix.pointer(w, at.row, at.column)}, align {bits // 8}")
    word = "0"
    for number in range(count):
        pointer = matrix.pointer(w, at.row, at.column + number)
        one = w.value(f"load i{bits}, {pointer}, align {bits // 8}")
        moved = w.binary("shl", "i32", w.cast("zext", f"i{bits}", one, "i32"), number * bits)
        word = w.binary("or", "i32", word, moved)
    return word


_SUMS = {"f16": (16, "half"), "f32": (32, "float"), "s32": (32, "i32"), "f64": (64, "double")}
"""Bits and type in memory of C and D."""


def _sum_matrix(
    w: Writer, item: Instruction, tiles: Tiles, place: Operand, stride: tuple[Operand, ...],
    *, by_row: bool,
) -> tuple[_Matrix, bool, int]:  # fmt: skip
    if item.type not in _SUMS:
        raise w.refuse(f"'{item.opcode}' is not supported")
    along, bits = by_row != tiles.swapped, _SUMS[item.type][0]
    step = _stride(w, stride, tiles.n if by_row else tiles.m)
    return _matrix(w, item, place, step, bits, along=along, pair=2), along, bits


def _sum_registers(tiles: Tiles, type_: str) -> int:
    return 2 * len(list(_sum_places(tiles))) // (2 if type_ == "f16" else 1)


def _load_sum(
    w: Writer, item: Instruction, tiles: Tiles, target: Operand, place: Operand,
    stride: tuple[Operand, ...], *, by_row: bool,
) -> None:  # fmt: skip
    matrix, along, bits = _sum_matrix(w, item, tiles, place, stride, by_row=by_row)
    kind = _SUMS[item.type][1]
    parts = listed(w, target, _sum_registers(tiles, item.type))
    for number, at in enumerate(_sum_places(tiles)):
        pair = f"<2 x {kind}>"
        if along:
            pointer = matrix.pointer(w, at.row, at.column)
            both = w.value(f"load {pair}, {pointer}, align {bits // 4}")
        else:
            both = "poison"
            for i in range(2):
                pointer = matrix.pointer(w, at.row, at.column + i)
                one = w.value(f"load {kind}, {pointer}, align {bits // 8}")
                both = w.value(f"insertelement {pair} {both}, {kind} {one}, i32 {i}")
        if item.type == "f16":
            w.write(parts[number], "i32", w.cast("bitcast", pair, both, "i32"))
            continue
        for i in range(2):
            one = w.value(f"extractelement {pair} {both}, i32 {i}")
            w.write(parts[2 * number + i], kind, one)


def _store(w: Writer, item: Instruction) -> None:
    tiles = _tiles(w, item)
    place, source, *stride = w.operands(item, 2, 3)
    by_row = "row" in item.words
    matrix, along, bits = _sum_matrix(w, item, tiles, place, tuple(stride), by_row=by_row)
    kind = _SUMS[item.type][1]
    parts, pair = listed(w, source, _sum_registers(tiles, item.type)), f"<2 x {kind}>"
    for number, at in enumerate(_sum_places(tiles)):
        if item.type == "f16":
            both = w.cast("bitcast", "i32", w.read(parts[number], "i32"), pair)
        else:
            both = "poison"
            for i in range(2):
                one = w.read(parts[2 * number + i], kind)
                both = w.value(f"insertelement {pair} {both}, {kind} {one}, i32 {i}")
        if along:
            pointer = matrix.pointer(w, at.row, at.column)
            w.line(f"store {pair} {both}, {pointer}, align {bits // 4}")
            continue
        for i in range(2):
            one = w.value(f"extractelement {pair} {both}, i32 {i}")
            pointer = matrix.pointer(w, at.row, at.column + i)
            w.line(f"store {kind} {one}, {pointer}, align {bits // 8}")


def _product(w: Writer, item: Instruction) -> None:
    tiles = _tiles(w, item)
    types = tuple(x for x in item.words if x in BITS)
    if len(types) == 2:
        types = (types[0], "f16", "f16", types[1])
    if len(types) != 4 or types[0] != types[3]:
        raise w.refuse(f"'{item.opcode}' is not supported")
    _checked(w, item, tiles, types[1])
    left, right = (types[2], types[1]) if tiles.swapped else types[1:3]
    options = tuple(x for x in item.words if x in ("satfinite", "xor", "and"))
    one = MatrixProduct(tiles.height, 8, tiles.k, types[0], left, right, types[3], options)
    target, *sources = w.operands(item, 4)
    first, second = sources[1::-1] if tiles.swapped else sources[:2]
    inner, outer = "double" if types[1] == "f64" else "i32", ELEMENT[types[0]]
    a, b, c = one.registers
    lefts = _vectors(w, first, inner, a, tiles.down)
    rights = _vectors(w, second, inner, b, tiles.across)
    sums = _vectors(w, sources[2], outer, c, tiles.down * tiles.across)
    parts = listed(w, target, c * len(sums))
    for number, total in enumerate(sums):
        down, across = divmod(number, tiles.across)
        result = multiplied(w, one, [lefts[down], rights[across], total])
        for i in range(c):
            value = w.value(f"extractelement <{c} x {outer}> {result}, i32 {i}")
            w.write(parts[number * c + i], outer, value)


def _vectors(w: Writer, operand: Operand, element: str, count: int, tiles: int) -> list[str]:
    """A fragment's tiles, as vectors of ``count`` registers."""
    parts = operand.parts if isinstance(operand, Several) else (operand,)
    if len(parts) < count * tiles:
        raise w.refuse(f"{count * tiles} registers are expected here, not {len(parts)}", "K430")
    found = list[str]()
    for tile in range(tiles):
        value, kind = "poison", f"<{count} x {element}>"
        for number, part in enumerate(parts[tile * count : (tile + 1) * count]):
            one = w.read(part, element)
            value = w.value(f"insertelement {kind} {value}, {element} {one}, i32 {number}")
        found.append(value)
    return found


def fragments(w: Writer, item: Instruction) -> None:
    """``wmma``."""
    match item.words[1]:
        case "load" if item.words[2] in ("a", "b", "c"):
            _load(w, item)
        case "mma":
            _product(w, item)
        case "store" if item.words[2] == "d":
            _store(w, item)
        case _:
            raise w.refuse(f"'{item.opcode}' is not supported")


HANDLERS: dict[str, Handler] = {"wmma": fragments}
"""By the first word of the opcode."""
