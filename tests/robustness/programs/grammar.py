"""What random programs are made of: templates by the type of their result.

``{T}`` is the type, ``{U}`` the unsigned one of its width, ``{W}`` the unsigned type that a small
scalar is promoted to, ``{S}`` the signed one, ``{M}`` the largest shift. Parts are of type T unless
listed. Every result is defined for any parts, and floating-point ones are rounded correctly.
"""

from __future__ import annotations

from tests.tracegen.program_types import SIZES, Type

SCALAR_INTEGER = (
    "(({T})(({W})($0) + ({W})($1)))", "(({T})(({W})($0) - ({W})($1)))",
    "(({T})(({W})($0) * ({W})($1)))", "(({T})($0 & $1))", "(({T})($0 ^ $1))", "(({T})($0 | ~$1))",
    "(({T})(({W})($0) << ($1 & {M})))", "(({T})($0 >> ($1 & {M})))",
    "(({T})(({U})($0) / (({U})($1) | ({U})1)))", "(({T})(({U})($0) % (({U})($1) | ({U})1)))",
    "(({T})(($0 >> 1) / ($1 | ({T})1)))", "(({T})(($0 >> 1) % ($1 | ({T})1)))",
    "(({T})($0 < $1))", "(({T})($0 == $1))", "(({T})(($0 > $1) - ($0 < $1)))",
    "(({T})($0 && $1))", "(({T})!$0)", "(({T})-({W})($0))",
    "(({T})(sizeof($0) + ({T})$1))", "(({T})(($0, $1)))",
)  # fmt: skip

VECTOR_INTEGER = (
    "as_{T}(as_{U}($0) + as_{U}($1))", "as_{T}(as_{U}($0) - as_{U}($1))",
    "as_{T}(as_{U}($0) * as_{U}($1))", "($0 & $1)", "($0 ^ $1)", "(~$0 | $1)",
    "($0 << ($1 & ({T})({M})))", "($0 >> ($1 & ({T})({M})))",
    "as_{T}(as_{U}($0) / (as_{U}($1) | ({U})(1)))", "as_{T}(as_{U}($0) % (as_{U}($1) | ({U})(1)))",
    "(($0 >> ({T})(1)) / ($1 | ({T})(1)))", "as_{T}($0 < $1)", "as_{T}($0 != $1)",
    "as_{T}(($0 > $1) - ($0 < $1))", "as_{T}($0 && $1)", "as_{T}(!$0)",
    "(as_{S}($0) < as_{S}($1) ? $0 : $1)",
)  # fmt: skip

ANY_INTEGER = (
    "min($0, $1)", "max($0, $1)", "add_sat($0, $1)", "sub_sat($0, $1)", "hadd($0, $1)",
    "rhadd($0, $1)", "rotate($0, $1)", "mul_hi($0, $1)", "clz($0)", "popcount($0)",
    "clamp($0, ({T})(1), ({T})(100))", "bitselect($0, $1, $2)", "(({T})abs_diff($0, $1))",
    "mad_sat($0, $1, $2)",
)  # fmt: skip
"""``(T)`` around a vector of another type is taken out below."""

FLOATING = (
    "($0 + $1)", "($0 - $1)", "($0 * $1)", "($0 / $1)", "sqrt(fabs($0))", "fma($0, $1, $2)",
    "floor($0)", "ceil($0)", "trunc($0)", "rint($0)", "fabs($0)", "(-$0)",
)  # fmt: skip

ROUNDINGS = ("", "_rte", "_rtz", "_rtp", "_rtn")

EDGES = {
    "char": ("-128", "127", "-1", "0", "1", "85"),
    "uchar": ("0", "255", "1", "128", "170"),
    "short": ("-32768", "32767", "-1", "0", "2", "255"),
    "ushort": ("0", "65535", "1", "256"),
    "int": ("-2147483647 - 1", "2147483647", "-1", "0", "1", "65536"),
    "uint": ("0u", "4294967295u", "1u", "0x80000000u"),
    "long": ("-9223372036854775807L - 1", "9223372036854775807L", "-1L", "0L", "4294967296L"),
    "ulong": ("0UL", "18446744073709551615UL", "1UL", "0x8000000000000000UL"),
    "float": ("0.0f", "1.0f", "-2.5f", "3.0e9f", "-1.0e20f", "0.1f", "16777217.0f"),
    "double": ("0.0", "1.0", "-2.5", "5.0e18", "-1.0e300", "0.1", "4294967297.0"),
}  # fmt: skip


def filled(template: str, type_: Type) -> str:
    """The template for one type."""
    signed = Type(type_.unsigned.scalar[1:], type_.lanes)
    wide = "ulong" if SIZES[type_.scalar] == 8 else "uint"
    names = {
        "{T}": str(type_), "{U}": str(type_.unsigned), "{S}": str(signed), "{W}": wide,
        "{M}": str(8 * SIZES[type_.scalar] - 1),
    }  # fmt: skip
    for name, text in names.items():
        template = template.replace(name, text)
    if type_.lanes > 1 and template.startswith(f"(({type_})abs_diff"):
        return template.replace(f"(({type_})abs_diff($0, $1))", f"as_{type_}(abs_diff($0, $1))")
    return template


def integer_templates(type_: Type) -> tuple[str, ...]:
    """What gives an integer, or a vector of integers, of that type."""
    return (SCALAR_INTEGER if type_.lanes == 1 else VECTOR_INTEGER) + ANY_INTEGER
