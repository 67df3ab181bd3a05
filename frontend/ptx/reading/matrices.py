"""Matrix instructions (PTX ISA, "Warp-level matrix instructions", "Asynchronous warpgroup-level
matrix instructions").

A product becomes one primitive (:mod:`kcc.frontend.builtins.matrix`). ``ldmatrix`` and ``stmatrix``
become what they are: exchanges of row addresses and, transposed, of halves of words between lanes,
and one access of 32 bits of every lane for each 8 x 8 matrix.
"""

from __future__ import annotations

import re

from kcc.frontend.builtins.matrix import BITS, ROW, TRANSPOSED, WORD, MatrixProduct
from kcc.frontend.ir.instructions import PRODUCTS
from kcc.frontend.ptx.reading.arithmetic import Handler
from kcc.frontend.ptx.reading.memory import groups_left
from kcc.frontend.ptx.reading.model import Address, Instruction, Integer, Operand, Several
from kcc.frontend.ptx.reading.pointers import SHARED
from kcc.frontend.ptx.reading.typing import pointer_type
from kcc.frontend.ptx.reading.writer import Writer

SHAPE = re.compile(r"m(\d+)n(\d+)k(\d+)")
_SHAPES = {
    "f16": {(16, 8, 8), (16, 8, 16)},
    "bf16": {(16, 8, 8), (16, 8, 16)},
    "tf32": {(16, 8, 4), (16, 8, 8)},
    "f64": {(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)},
    "s8": {(8, 8, 16), (16, 8, 16), (16, 8, 32)},
    "u8": {(8, 8, 16), (16, 8, 16), (16, 8, 32)},
    "s4": {(8, 8, 32), (16, 8, 32), (16, 8, 64)},
    "u4": {(8, 8, 32), (16, 8, 32), (16, 8, 64)},
    "b1": {(8, 8, 128), (16, 8, 128), (16, 8, 256)},
    "e4m3": {(16, 8, 16), (16, 8, 32)},
    "e5m2": {(16, 8, 16), (16, 8, 32)},
}
"""By the type of A (PTX ISA, mma, table of shapes)."""

ELEMENT = {"f16": "i32", "bf16": "i32", "f32": "float", "s32": "i32", "f64": "double"}
"""In which type a register of C and D is passed."""


def product(w: Writer, item: Instruction) -> None:
    """Products: ``mma``."""
    shape = next((s for x in item.words if (s := SHAPE.fullmatch(x))), None)
    types = tuple(x for x in item.words if x in BITS)
    known = item.words[1] == "sync" and "row" in item.words and "col" in item.words
    if shape is None or len(types) != 4 or not known:
        raise w.refuse(f"'{item.opcode}' is not supported")
    m, n, k = (int(shape[i]) for i in (1, 2, 3))
    options = [x for x in item.words if x in ("satfinite", "xor", "and")]
    if (m, n, k) not in _SHAPES.get(types[1], set()) or types[0] != types[3]:
        raise w.refuse(f"'{item.opcode}' is not supported")
    found = MatrixProduct(m, n, k, *types, tuple(options))
    target, *sources = w.operands(item, 4)
    inner = "double" if found.a == "f64" else "i32"
    outer = ELEMENT[found.d]
    counts = found.registers
    values = [
        _fragment(w, operand, kind, count)
        for operand, kind, count in zip(sources, (inner, inner, outer), counts, strict=True)
    ]
    result = multiplied(w, found, values)
    _spread(w, target, result, outer, counts[2])


def multiplied(w: Writer, found: MatrixProduct, values: list[str]) -> str:
    """The primitive's result on fragments as vectors."""
    inner = "double" if found.a == "f64" else "i32"
    kinds = [
        f"<{count} x {kind}>"
        for count, kind in zip(found.registers, (inner, inner, ELEMENT[found.d]), strict=True)
    ]
    arguments = ", ".join(f"{kind} {value}" for kind, value in zip(kinds, values, strict=True))
    return w.call(kinds[2], found.symbol, arguments, ", ".join(kinds), "convergent nounwind")


def listed(w: Writer, operand: Operand, count: int) -> tuple[Operand, ...]:
    """The registers of an operand, of which there must be ``count``."""
    parts = operand.parts if isinstance(operand, Several) else (operand,)
    if len(parts) != count:
        raise w.refuse(f"{count} registers are expected here, not {len(parts)}", "K430")
    return parts


def _fragment(w: Writer, operand: Operand, element: str, count: int) -> str:
    kind, value = f"<{count} x {element}>", "poison"
    for number, part in enumerate(listed(w, operand, count)):
        one = w.read(part, element)
        value = w.value(f"insertelement {kind} {value}, {element} {one}, i32 {number}")
    return value


def _spread(w: Writer, operand: Operand, value: str, element: str, count: int) -> None:
    kind = f"<{count} x {element}>"
    for number, part in enumerate(listed(w, operand, count)):
        one = w.value(f"extractelement {kind} {value}, i32 {number}")
        w.write(part, element, one)


# ldmatrix, stmatrix


def _matrices(w: Writer, item: Instruction) -> tuple[int, bool]:
    """How many 8 x 8 matrices of 16 bits, and whether transposed."""
    count = next((int(x[1]) for x in item.words if x in ("x1", "x2", "x4")), 0)
    if "m8n8" not in item.words or item.type != "b16" or not count:
        raise w.refuse(f"'{item.opcode}' is not supported")
    return count, "trans" in item.words


_EXCHANGE = "convergent nounwind"


def _transposed(w: Writer, word: str) -> str:
    """A matrix of which each lane has two neighbours in a row, with two in a column instead."""
    return w.call("i32", TRANSPOSED, f"i32 {word}", "i32", _EXCHANGE)


def _own_row(w: Writer, place: Operand) -> str:
    """A pointer into shared memory that a lane gives."""
    if not isinstance(place, Address):
        raise w.refuse("an address is expected here", "K430")
    pointer, space = w.pointer(place, SHARED)
    if space != SHARED:
        raise w.refuse("the address is not known to be one of shared memory")
    return pointer


def load_matrix(w: Writer, item: Instruction) -> None:
    """Matrices from shared memory: ``ldmatrix``."""
    count, transposed = _matrices(w, item)
    target, place = w.operands(item, 2)
    words = loaded_matrices(w, _own_row(w, place), count, transposed=transposed)
    for part, word in zip(listed(w, target, count), words, strict=True):
        w.write(part, "i32", word)


def loaded_matrices(w: Writer, own: str, count: int, *, transposed: bool) -> list[str]:
    """The words that a lane takes of matrices of which the lanes 8 m to 8 m + 7 give the rows of
    number m by their ``own`` pointers into shared memory."""
    before, end = _first_lanes(w, count)
    row = w.value(f"load {_FOUR}, {pointer_type(SHARED)} {own}, align 16")
    if end:
        some = w.fresh("some")
        w.label(some)
        w.label(end)
        row = w.value(f"phi {_FOUR} [ {row}, %{some} ], [ zeroinitializer, %{before} ]")
    words = [
        w.call("i32", f"{WORD}{matrix}", f"{_FOUR} {row}", _FOUR, _EXCHANGE)
        for matrix in range(count)
    ]
    return [_transposed(w, word) if transposed else word for word in words]


def store_matrix(w: Writer, item: Instruction) -> None:
    """Matrices into shared memory: ``stmatrix``."""
    count, transposed = _matrices(w, item)
    place, source = w.operands(item, 2)
    own, kind, words = _own_row(w, place), f"<{count} x i32>", "poison"
    for matrix, part in enumerate(listed(w, source, count)):
        word = w.read(part, "i32")
        word = _transposed(w, word) if transposed else word
        words = w.value(f"insertelement {kind} {words}, i32 {word}, i32 {matrix}")
    row = w.call(_FOUR, f"{ROW}{count}", f"{kind} {words}", kind, _EXCHANGE)
    _, end = _first_lanes(w, count)
    w.line(f"store {_FOUR} {row}, {pointer_type(SHARED)} {own}, align 16")
    if end:
        w.label(end)


def _first_lanes(w: Writer, count: int) -> tuple[str, str]:
    """Lanes that give no row of so many matrices go past what comes now, to the second label, from
    the first one; there are none where all do."""
    if count == 4:
        return "", ""
    before, some, end = w.fresh("rows"), w.fresh("some"), w.fresh("end")
    w.label(before)
    w.branch(w.compare("ult", "i32", w.lane(), 8 * count), some, end)
    w.label(some)
    return before, end


_FOUR = "<4 x i32>"


def transpose(w: Writer, item: Instruction) -> None:
    """A matrix transposed in registers: ``movmatrix``."""
    target, source = w.operands(item, 2)
    w.write(target, "i32", _transposed(w, w.read(source, "i32")))


def group_product(w: Writer, item: Instruction) -> None:
    """Products of a warpgroup: ``wgmma``. Complete where they stand, as copies are."""
    match item.words[1]:
        case "fence":
            pass
        case "commit_group":
            w.group(PRODUCTS)
        case "wait_group":
            w.wait(PRODUCTS, groups_left(w, item))
        case _:
            _product_of_group(w, item)


def _product_of_group(w: Writer, item: Instruction) -> None:
    shape = next((s for x in item.words if (s := SHAPE.fullmatch(x))), None)
    types = tuple(x for x in item.words if x in BITS)
    if shape is None or types[1:] not in (("f16", "f16"), ("bf16", "bf16")) or types[0] != "f32":
        raise w.refuse(f"'{item.opcode}' is not supported")
    n, k = int(shape[2]), int(shape[3])
    target, first, second, scale, *flags = w.operands(item, 6, 8)
    signs = [f.value if isinstance(f, Integer) else 0 for f in flags]
    in_registers = isinstance(first, Several)
    transposed = [0, *signs[2:]] if in_registers else signs[2:]
    if signs[:2] != [1, 1] or len(transposed) != 2:
        raise w.refuse(f"'{item.opcode}' with negated operands is not supported")
    if not w.base:
        raise w.refuse("the shared memory that matrix descriptors point into is not found")
    options = tuple(o for o, on in zip(("tra", "trb"), transposed, strict=True) if on)
    found = MatrixProduct(16, n, k, types[0], types[1], types[2], types[0], options, of_group=True)
    parts = listed(w, target, n // 2)
    kind, keep = f"<{len(parts)} x float>", w.read(scale, "i1")
    total = "poison"
    for number, part in enumerate(parts):
        old = w.select(keep, "float", w.read(part, "float"), "0.0")
        total = w.value(f"insertelement {kind} {total}, float {old}, i32 {number}")
    left, left_kind = (
        (_fragment(w, first, "i32", 4), "<4 x i32>")
        if in_registers
        else (w.read(first, "i64"), "i64")
    )
    arguments = [
        (left_kind, left), ("i64", w.read(second, "i64")), (pointer_type(SHARED), w.base),
        (kind, total),
    ]  # fmt: skip
    result = w.call(
        kind, found.symbol, ", ".join(f"{k} {v}" for k, v in arguments),
        ", ".join(k for k, _ in arguments), _EXCHANGE,
    )  # fmt: skip
    _spread(w, target, result, "float", len(parts))


HANDLERS: dict[str, Handler] = {
    "wgmma": group_product, "mma": product, "ldmatrix": load_matrix, "stmatrix": store_matrix,
    "movmatrix": transpose,
}  # fmt: skip
"""By the first word of the opcode."""
