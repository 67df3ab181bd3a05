"""Which definition each overload of a built-in function has."""

from __future__ import annotations

from collections.abc import Callable

from kcc.frontend.builtins import (
    lower_exponent,
    lower_float,
    lower_geometric,
    lower_groups,
    lower_integer,
    lower_lanes,
    lower_relational,
)
from kcc.frontend.builtins.emitter import Emitter
from kcc.frontend.builtins.lower_convert import convert, reinterpret
from kcc.frontend.builtins.lower_float import through_float
from kcc.frontend.builtins.lower_memory import (
    half_texel,
    image_dimensions,
    shuffle,
    vector_access,
)
from kcc.frontend.builtins.lower_sync import async_copy, atomic, fence, nothing, wait_group_events
from kcc.frontend.builtins.overloads import reinterpreted_type, rows_of
from kcc.frontend.builtins.primitives import PRIMITIVES, is_primitive
from kcc.frontend.builtins.rows import Section
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.ir.builder import Value
from kcc.frontend.types import ScalarKind, VectorType, element_kind

Lowering = Callable[[Emitter], Value]
"""Writes the body of a function and gives its result (a void value where it has none)."""

_FLOATING: dict[str, Lowering] = {
    **lower_float.LOWERINGS,
    **lower_exponent.LOWERINGS,
    **lower_geometric.LOWERINGS,
}

_NAMED: dict[str, Lowering] = {
    **lower_relational.LOWERINGS,
    "async_work_group_copy": async_copy,
    "async_work_group_strided_copy": async_copy,
    "get_image_dim": image_dimensions,
    "mem_fence": fence,
    "prefetch": nothing,
    "read_imageh": half_texel,
    "read_mem_fence": fence,
    "shuffle": shuffle,
    "shuffle2": shuffle,
    "wait_group_events": wait_group_events,
    "write_imageh": half_texel,
    "write_mem_fence": fence,
}

_BY_SECTION: dict[Section, Lowering] = {
    Section.CONVERSIONS: convert,
    Section.VECTOR_DATA: vector_access,
    Section.ATOMIC: atomic,
}


def lowering_of(builtin: ResolvedBuiltin) -> Lowering | None:
    """The lowering of an overload; None for a primitive. Every built-in has one or is one."""
    if is_primitive(builtin):
        return None
    name = builtin.name
    if reinterpreted_type(name) is not None:
        return reinterpret
    if rows_of(name)[0].section is Section.SUBGROUP:
        return _of_groups(name)
    if name in PRIMITIVES:
        return _of_math(builtin)
    if name in _NAMED:
        return _NAMED[name]
    section = rows_of(name)[0].section
    if section in _BY_SECTION:
        return _BY_SECTION[section]
    kind = element_kind(builtin.parameters[0].type)
    assert kind is not None
    # nan takes integers
    floating = kind.floating or name == "nan"
    return (_FLOATING if floating else lower_integer.LOWERINGS)[name]


def _of_groups(name: str) -> Lowering:
    if name.startswith("work_group_"):
        broadcasts = name == "work_group_broadcast"
        return lower_groups.broadcast if broadcasts else lower_groups.collective
    found = lower_lanes.lowering_of(name)
    assert found is not None
    return found


def _of_math(builtin: ResolvedBuiltin) -> Lowering:
    """Vectors lane by lane, halves by floats."""
    first = builtin.parameters[0].type
    if isinstance(first, VectorType):
        return _by_lane
    assert element_kind(first) is ScalarKind.HALF
    return through_float


def _by_lane(e: Emitter) -> Value:
    """One call of the scalar function per lane."""
    types = [p.type.element for p in e.builtin.parameters if isinstance(p.type, VectorType)]
    columns = [e.lanes(a) for a in e.args]
    results = [e.call(e.builtin.name, types, row) for row in zip(*columns, strict=True)]
    return e.gather(results, e.result)
