"""Definitions of vector loads and stores, shuffles and texel conversions (6.12.7, 6.12.12)."""

from __future__ import annotations

import re

from kcc.frontend.builtins.emitter import Emitter, ir_type, with_lanes
from kcc.frontend.builtins.lower_convert import convert_float
from kcc.frontend.ir.builder import Value, const_int
from kcc.frontend.ir.types import (
    HALF,
    ArrayTy,
    IrType,
    VecTy,
    scalar_of,
    size_bytes,
)
from kcc.frontend.types import FLOAT, INT, Type, VectorType

_VECTOR_ACCESS = re.compile(r"v(load|store)(a?)_?(half)?(\d*)(?:_(rt[ezpn]))?")


def vector_access(e: Emitter) -> Value:
    """vloadN, vstoreN and their half forms, aligned (``a``) or not."""
    found = _VECTOR_ACCESS.fullmatch(e.builtin.name)
    assert found is not None
    load, aligned, half, rounding = found[1] == "load", bool(found[2]), found[3], found[5] or ""
    data = e.result if load else e.args[0].type
    stored = with_lanes(HALF, data) if half else data
    pointer = _element_address(e, stored, e.args[-1], e.args[-2], aligned=aligned)
    align = size_bytes(stored if aligned else scalar_of(stored))
    if load:
        return e.build.cast("fpext", e.build.load(stored, pointer, align), data)
    value = convert_float(e, e.args[0], stored, rounding) if half else e.args[0]
    e.build.store(value, pointer, align)
    return e.void()


def _element_address(
    e: Emitter, stored: IrType, pointer: Value, offset: Value, *, aligned: bool
) -> Value:
    """The address of group ``offset``: groups of 3 take the room of 4 only when aligned."""
    lanes = stored.lanes if isinstance(stored, VecTy) else 1
    if lanes == 1:
        return e.build.gep(stored, pointer, [offset])
    group = ArrayTy(4 if aligned and lanes == 3 else lanes, scalar_of(stored))
    return e.build.gep(group, pointer, [offset])


def shuffle(e: Emitter) -> Value:
    """The mask's low bits choose among the lanes of the operand, in shuffle2 of both operands."""
    *operands, mask = e.args
    source = operands[0]
    assert isinstance(source.type, VecTy)
    if len(operands) == 2:
        source = e.build.shuffle(source, operands[1], list(range(2 * source.type.lanes)))
    assert isinstance(source.type, VecTy)
    low = e.build.binary("and", mask, e.integer(mask.type, source.type.lanes - 1))
    lanes = [e.build.extract_element(source, index) for index in e.lanes(low)]
    return e.gather(lanes, e.result)


def half_texel(e: Emitter) -> Value:
    """read_imageh and write_imageh by the float forms."""
    name = e.builtin.name[:-1] + "f"
    types: list[Type] = [p.type for p in e.builtin.parameters]
    if e.builtin.name.startswith("read"):
        return e.build.cast("fptrunc", e.call(name, types, e.args), e.result)
    types[-1] = VectorType(FLOAT, 4)
    return e.call(name, types, [*e.args[:-1], e.widen_half(e.args[-1])])


def image_dimensions(e: Emitter) -> Value:
    """get_image_dim from the single queries; the fourth component of a 3D image's is 0."""
    image = e.builtin.parameters[0].type
    names = ["get_image_width", "get_image_height"]
    assert isinstance(e.builtin.result, VectorType)
    three = e.builtin.result.lanes == 4
    values = [e.call(name, [image], e.args) for name in names + ["get_image_depth"] * three]
    values += [const_int(ir_type(INT), 0)] * three
    return e.gather(values, e.result)
