"""What is left to call when all lowerings are inlined: the closed list of primitives.

Work-item queries, the barrier, scalar math of float and double, images, printf and LLVM
intrinsics. The execution engine implements each; the instruction mix counts each by its class.
"""

from __future__ import annotations

from enum import Enum

from kcc.base.records import dataclass
from kcc.frontend.builtins.matrix import matrix_product, moves_matrix
from kcc.frontend.builtins.overloads import overload_of_symbol, overloads_of
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.types import DOUBLE, FLOAT, INT, LONG, UINT, ULONG, ScalarType


class PrimitiveClass(Enum):
    """What kind of work a primitive is for a GPU."""

    WORK_ITEM = "work-item query"
    SUBGROUP = "subgroup query"
    BARRIER = "barrier"
    VOTE = "barrier with a value"
    """Barriers of the work-group that also give a value: ``work_group_all``,
    ``work_group_any`` (whether the argument is not zero for all, or any, of the work-items) and
    ``work_group_reduce_add`` (the sum of the arguments).
    """
    SHUFFLE = "exchange between lanes"
    """Functions of a sub-group (a warp). Only lanes that are active at the call take part, and
    only they get a value; a result that comes from a lane which is not active is undefined.

    ``sub_group_shuffle(v, n)`` gives the ``v`` of lane ``n`` modulo the sub-group's size,
    ``sub_group_shuffle_xor(v, m)`` that of the own lane's number ^ ``m``,
    ``sub_group_shuffle_up(v, d)`` and ``sub_group_shuffle_down(v, d)`` that of the lane ``d`` below
    and above, and the own ``v`` where there is no such lane.
    """
    BALLOT = "vote of lanes"
    """The same: ``sub_group_ballot(p)`` has bit ``n`` set when lane ``n`` is active and its ``p``
    not zero, in words of 32 lanes; ``sub_group_all(p)`` and ``sub_group_any(p)`` are 1 or 0.
    """
    LANES = "agreement of lanes"
    """The same: ``sub_group_barrier(flags)`` waits for the active lanes and orders their accesses.
    """
    SPECIAL = "special function"
    """One or two instructions of the special function unit: native_, half_, rsqrt."""
    MATH = "math"
    """A software routine."""
    IMAGE_READ = "image read"
    IMAGE_WRITE = "image write"
    IMAGE_QUERY = "image query"
    SAMPLER = "sampler"
    PRINTF = "printf"
    MATRIX = "matrix product"
    """Of fragments that the lanes of a warp hold together (:mod:`kcc.frontend.builtins.matrix`)."""


OF_WARPS = frozenset({PrimitiveClass.SHUFFLE, PrimitiveClass.BALLOT, PrimitiveClass.LANES})
"""Those whose lanes see each other's arguments."""


@dataclass(frozen=True, slots=True)
class Primitive:
    """A function that stays a call; ``scalars`` are the types of its first argument, if it is
    overloaded on scalars.
    """

    name: str
    primitive_class: PrimitiveClass
    scalars: tuple[ScalarType, ...] = ()


SAMPLER_INITIALISER = "__translate_sampler_initializer"
"""``ptr addrspace(2) (i32)``: a sampler from its bits; not mangled."""

_MATH = (
    "acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi cbrt cos cosh cospi erf "
    "erfc exp exp10 exp2 expm1 fmod hypot lgamma log log10 log1p log2 pow pown powr remainder "
    "rootn sin sinh sinpi tan tanh tanpi tgamma"
)

_SPECIAL = (
    "half_cos half_divide half_exp half_exp10 half_exp2 half_log half_log10 half_log2 half_powr "
    "half_recip half_rsqrt half_sin half_sqrt half_tan native_cos native_divide native_exp "
    "native_exp10 native_exp2 native_log native_log10 native_log2 native_powr native_recip "
    "native_rsqrt native_sin native_sqrt native_tan"
)

_OTHERS = {
    PrimitiveClass.WORK_ITEM: (
        "get_global_id get_global_offset get_global_size get_group_id get_local_id "
        "get_local_size get_num_groups get_work_dim"
    ),
    PrimitiveClass.SUBGROUP: (
        "get_max_sub_group_size get_num_sub_groups get_sub_group_id get_sub_group_local_id "
        "get_sub_group_size"
    ),
    PrimitiveClass.BARRIER: "barrier",
    PrimitiveClass.VOTE: "work_group_all work_group_any",
    PrimitiveClass.BALLOT: "sub_group_all sub_group_any sub_group_ballot",
    PrimitiveClass.LANES: "sub_group_barrier",
    PrimitiveClass.IMAGE_READ: "read_imagef read_imagei read_imageui",
    PrimitiveClass.IMAGE_WRITE: "write_imagef write_imagei write_imageui",
    PrimitiveClass.IMAGE_QUERY: (
        "get_image_array_size get_image_channel_data_type get_image_channel_order "
        "get_image_depth get_image_height get_image_width"
    ),
    PrimitiveClass.PRINTF: "printf",
}


_SHUFFLES = "sub_group_shuffle sub_group_shuffle_down sub_group_shuffle_up sub_group_shuffle_xor"


def _table() -> dict[str, Primitive]:
    both = (FLOAT, DOUBLE)
    rows = [Primitive(name, PrimitiveClass.MATH, both) for name in _MATH.split()]
    rows += [Primitive(name, PrimitiveClass.SPECIAL, (FLOAT,)) for name in _SPECIAL.split()]
    rows.append(Primitive("rsqrt", PrimitiveClass.SPECIAL, both))
    words = (INT, UINT, LONG, ULONG, FLOAT, DOUBLE)
    rows += [Primitive(name, PrimitiveClass.SHUFFLE, words) for name in _SHUFFLES.split()]
    rows.append(Primitive("work_group_reduce_add", PrimitiveClass.VOTE, (INT,)))
    for class_, names in _OTHERS.items():
        rows += [Primitive(name, class_) for name in names.split()]
    return {row.name: row for row in sorted(rows, key=lambda row: row.name)}


PRIMITIVES: dict[str, Primitive] = _table()
"""By name; the sampler initialiser is the only one that is not a built-in function."""


class IntrinsicClass(Enum):
    """What an LLVM intrinsic computes."""

    FLOAT = "float arithmetic"
    FUSED = "fused multiply-add"
    ROUNDING = "rounding to integral"
    ROOT = "square root"
    MINMAX = "minimum or maximum"
    INTEGER = "integer arithmetic"
    BITS = "bit operation"
    CONVERSION = "conversion"


INTRINSICS = {
    "abs": IntrinsicClass.INTEGER,
    "ceil": IntrinsicClass.ROUNDING,
    "copysign": IntrinsicClass.BITS,
    "ctlz": IntrinsicClass.BITS,
    "ctpop": IntrinsicClass.BITS,
    "fabs": IntrinsicClass.BITS,
    "floor": IntrinsicClass.ROUNDING,
    "fma": IntrinsicClass.FUSED,
    "fptosi.sat": IntrinsicClass.CONVERSION,
    "fptoui.sat": IntrinsicClass.CONVERSION,
    "fshl": IntrinsicClass.BITS,
    "maxnum": IntrinsicClass.MINMAX,
    "minnum": IntrinsicClass.MINMAX,
    "rint": IntrinsicClass.ROUNDING,
    "round": IntrinsicClass.ROUNDING,
    "sadd.sat": IntrinsicClass.INTEGER,
    "smax": IntrinsicClass.INTEGER,
    "smin": IntrinsicClass.INTEGER,
    "sqrt": IntrinsicClass.ROOT,
    "ssub.sat": IntrinsicClass.INTEGER,
    "trunc": IntrinsicClass.ROUNDING,
    "uadd.sat": IntrinsicClass.INTEGER,
    "umax": IntrinsicClass.INTEGER,
    "umin": IntrinsicClass.INTEGER,
    "usub.sat": IntrinsicClass.INTEGER,
}
"""The intrinsics lowerings use, without ``llvm.`` and the type, on scalars and vectors."""


def primitive_of(symbol: str) -> Primitive | None:
    """The primitive a symbol calls; None for a built-in that is lowered and for anything else."""
    if symbol == SAMPLER_INITIALISER:
        return Primitive(symbol, PrimitiveClass.SAMPLER)
    if matrix_product(symbol) is not None:
        return Primitive(symbol, PrimitiveClass.MATRIX)
    if moves_matrix(symbol):
        return Primitive(symbol, PrimitiveClass.LANES)
    builtin = overload_of_symbol(symbol)
    if builtin is None or not is_primitive(builtin):
        return None
    return PRIMITIVES[builtin.name]


def is_primitive(builtin: ResolvedBuiltin) -> bool:
    """Whether an overload stays a call."""
    primitive = PRIMITIVES.get(builtin.name)
    if primitive is None:
        return False
    if builtin.name == "sub_group_barrier":
        return len(builtin.parameters) == 1
    return not primitive.scalars or builtin.parameters[0].type in primitive.scalars


def primitives() -> tuple[ResolvedBuiltin, ...]:
    """Every overload that stays a call."""
    return tuple(o for name in PRIMITIVES for o in overloads_of(name) if is_primitive(o))
