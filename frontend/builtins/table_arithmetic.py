"""Rows of the math, integer, common, geometric and relational functions (6.12.2 to 6.12.6).

Which functions exist for which types is OpenCL C 1.2, sections 6.12.2 to 6.12.6, with doubles
(cl_khr_fp64) and halves (cl_khr_fp16, OpenCL extension specification, section 9.6).
"""

from __future__ import annotations

from kcc.frontend.builtins.rows import (
    ALL_KINDS,
    FLOAT,
    FLOATS,
    GENTYPE,
    INT32,
    INTEGERS,
    SIGNED,
    VECTORS,
    WRITABLE,
    Row,
    Section,
)
from kcc.frontend.builtins.signatures import Effect
from kcc.frontend.types import ScalarKind

_UPSAMPLED = (
    ScalarKind.CHAR, ScalarKind.UCHAR, ScalarKind.SHORT, ScalarKind.USHORT, *INT32,
)  # fmt: skip

MATH = (
    Row(
        Section.MATH,
        "acos acosh acospi asin asinh asinpi atan atanh atanpi cbrt ceil cos cosh cospi erf erfc "
        "exp exp10 exp2 expm1 fabs floor lgamma log log10 log1p log2 logb rint round rsqrt sin "
        "sinh sinpi sqrt tan tanh tanpi tgamma trunc",
        "G(G)", FLOATS, GENTYPE,
    ),
    Row(
        Section.MATH,
        "atan2 atan2pi copysign fdim fmax fmin fmod hypot maxmag minmag nextafter pow powr "
        "remainder",
        "G(G, G)", FLOATS, GENTYPE,
    ),
    Row(Section.MATH, "fmax fmin", "G(G, S)", FLOATS, VECTORS),
    Row(Section.MATH, "fma mad", "G(G, G, G)", FLOATS, GENTYPE),
    Row(Section.MATH, "ilogb", "N(G)", FLOATS, GENTYPE),
    Row(Section.MATH, "ldexp pown rootn", "G(G, N)", FLOATS, GENTYPE),
    Row(Section.MATH, "ldexp", "G(G, int)", FLOATS, VECTORS),
    Row(Section.MATH, "nan", "G(U)", FLOATS, GENTYPE),
    Row(Section.MATH, "fract modf sincos", "G(G, @ G*)", FLOATS, GENTYPE, WRITABLE, Effect.WRITE),
    Row(Section.MATH, "frexp lgamma_r", "G(G, @ N*)", FLOATS, GENTYPE, WRITABLE, Effect.WRITE),
    Row(Section.MATH, "remquo", "G(G, G, @ N*)", FLOATS, GENTYPE, WRITABLE, Effect.WRITE),
    Row(
        Section.MATH,
        "half_cos half_exp half_exp10 half_exp2 half_log half_log10 half_log2 half_recip "
        "half_rsqrt half_sin half_sqrt half_tan native_cos native_exp native_exp10 native_exp2 "
        "native_log native_log10 native_log2 native_recip native_rsqrt native_sin native_sqrt "
        "native_tan",
        "G(G)", FLOAT, GENTYPE,
    ),
    Row(
        Section.MATH,
        "half_divide half_powr native_divide native_powr",
        "G(G, G)", FLOAT, GENTYPE,
    ),
)  # fmt: skip

INTEGER = (
    Row(Section.INTEGER, "abs", "U(G)", INTEGERS, GENTYPE),
    Row(Section.INTEGER, "abs_diff", "U(G, G)", INTEGERS, GENTYPE),
    Row(Section.INTEGER, "clz popcount", "G(G)", INTEGERS, GENTYPE),
    Row(
        Section.INTEGER, "add_sat hadd max min mul_hi rhadd rotate sub_sat", "G(G, G)",
        INTEGERS, GENTYPE,
    ),
    Row(Section.INTEGER, "max min", "G(G, S)", INTEGERS, VECTORS),
    Row(Section.INTEGER, "clamp mad_hi mad_sat", "G(G, G, G)", INTEGERS, GENTYPE),
    Row(Section.INTEGER, "clamp", "G(G, S, S)", INTEGERS, VECTORS),
    Row(Section.INTEGER, "upsample", "W(G, U)", _UPSAMPLED, GENTYPE),
    Row(Section.INTEGER, "mul24", "G(G, G)", INT32, GENTYPE),
    Row(Section.INTEGER, "mad24", "G(G, G, G)", INT32, GENTYPE),
)  # fmt: skip

COMMON = (
    Row(Section.COMMON, "degrees radians sign", "G(G)", FLOATS, GENTYPE),
    Row(Section.COMMON, "max min step", "G(G, G)", FLOATS, GENTYPE),
    Row(Section.COMMON, "max min", "G(G, S)", FLOATS, VECTORS),
    Row(Section.COMMON, "step", "G(S, G)", FLOATS, VECTORS),
    Row(Section.COMMON, "clamp mix smoothstep", "G(G, G, G)", FLOATS, GENTYPE),
    Row(Section.COMMON, "clamp", "G(G, S, S)", FLOATS, VECTORS),
    Row(Section.COMMON, "mix", "G(G, G, S)", FLOATS, VECTORS),
    Row(Section.COMMON, "smoothstep", "G(S, S, G)", FLOATS, VECTORS),
)

GEOMETRIC = (
    Row(Section.GEOMETRIC, "cross", "G(G, G)", FLOATS, (3, 4)),
    Row(Section.GEOMETRIC, "dot distance", "S(G, G)", FLOATS, (1, 2, 3, 4)),
    Row(Section.GEOMETRIC, "length", "S(G)", FLOATS, (1, 2, 3, 4)),
    Row(Section.GEOMETRIC, "normalize", "G(G)", FLOATS, (1, 2, 3, 4)),
    Row(Section.GEOMETRIC, "fast_distance", "S(G, G)", FLOAT, (1, 2, 3, 4)),
    Row(Section.GEOMETRIC, "fast_length", "S(G)", FLOAT, (1, 2, 3, 4)),
    Row(Section.GEOMETRIC, "fast_normalize", "G(G)", FLOAT, (1, 2, 3, 4)),
)

RELATIONAL = (
    Row(
        Section.RELATIONAL,
        "isequal isgreater isgreaterequal isless islessequal islessgreater isnotequal isordered "
        "isunordered",
        "R(G, G)", FLOATS, GENTYPE,
    ),
    Row(Section.RELATIONAL, "isfinite isinf isnan isnormal signbit", "R(G)", FLOATS, GENTYPE),
    Row(Section.RELATIONAL, "all any", "int(G)", SIGNED, GENTYPE),
    Row(Section.RELATIONAL, "bitselect", "G(G, G, G)", ALL_KINDS, GENTYPE),
    Row(Section.RELATIONAL, "select", "G(G, G, I)", ALL_KINDS, GENTYPE),
    Row(Section.RELATIONAL, "select", "G(G, G, U)", ALL_KINDS, GENTYPE),
)  # fmt: skip

ROWS = MATH + INTEGER + COMMON + GEOMETRIC + RELATIONAL
