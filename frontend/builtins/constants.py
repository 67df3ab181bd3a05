"""Predefined macros of OpenCL C 1.2: what every source finds defined.

Values are those of the OpenCL C 1.2 specification, of its numeric appendix in 6.12.2.1 and
6.12.3.1, and, for images and samplers (6.12.14), those of the OpenCL 1.2 header ``CL/cl.h``, to
which the device-side names are tied.
"""

from __future__ import annotations

import math

EXTENSIONS = (
    "cl_intel_required_subgroup_size",
    "cl_intel_subgroups",
    "cl_intel_subgroups_char",
    "cl_intel_subgroups_long",
    "cl_intel_subgroups_short",
    "cl_khr_3d_image_writes",
    "cl_khr_byte_addressable_store",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_integer_dot_product",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_subgroups",
    "cl_qcom_reqd_sub_group_size",
)
"""Extensions that are there and on without a pragma; each is also a macro with the value 1."""

_VERSION = {
    "CL_VERSION_1_0": "100",
    "CL_VERSION_1_1": "110",
    "CL_VERSION_1_2": "120",
    # Sources compare __OPENCL_VERSION__ with these; clang defines them in every version too.
    "CL_VERSION_2_0": "200",
    "CL_VERSION_3_0": "300",
    "__OPENCL_VERSION__": "120",
    "__OPENCL_C_VERSION__": "120",
    "__ENDIAN_LITTLE__": "1",
    "__IMAGE_SUPPORT__": "1",
}
"""Section 6.10."""

_LANGUAGE = {
    "NULL": "((void*)0)",
    "true": "1",
    "false": "0",
    "kernel_exec(X, typen)": (
        "__kernel __attribute__((work_group_size_hint(X, 1, 1))) "
        "__attribute__((vec_type_hint(typen)))"
    ),
}
"""Sections 6.1.1, 6.1.9 and 6.7.2; a name with parentheses is a function-like macro."""

_INTEGER_LIMITS = {
    "CHAR_BIT": "8",
    "CHAR_MAX": "127",
    "CHAR_MIN": "(-128)",
    "SCHAR_MAX": "127",
    "SCHAR_MIN": "(-128)",
    "UCHAR_MAX": "255",
    "SHRT_MAX": "32767",
    "SHRT_MIN": "(-32768)",
    "USHRT_MAX": "65535",
    "INT_MAX": "2147483647",
    "INT_MIN": "(-2147483647 - 1)",
    "UINT_MAX": "0xffffffffU",
    "LONG_MAX": "0x7fffffffffffffffL",
    "LONG_MIN": "(-0x7fffffffffffffffL - 1)",
    "ULONG_MAX": "0xffffffffffffffffUL",
}
"""Section 6.12.3.1; char is signed."""

_FLOAT_LIMITS = {
    "FLT_DIG": "6",
    "FLT_MANT_DIG": "24",
    "FLT_MAX_10_EXP": "38",
    "FLT_MAX_EXP": "128",
    "FLT_MIN_10_EXP": "(-37)",
    "FLT_MIN_EXP": "(-125)",
    "FLT_RADIX": "2",
    "FLT_MAX": "0x1.fffffep127f",
    "FLT_MIN": "0x1.0p-126f",
    "FLT_EPSILON": "0x1.0p-23f",
    "DBL_DIG": "15",
    "DBL_MANT_DIG": "53",
    "DBL_MAX_10_EXP": "308",
    "DBL_MAX_EXP": "1024",
    "DBL_MIN_10_EXP": "(-307)",
    "DBL_MIN_EXP": "(-1021)",
    "DBL_RADIX": "2",
    "DBL_MAX": "0x1.fffffffffffffp1023",
    "DBL_MIN": "0x1.0p-1022",
    "DBL_EPSILON": "0x1.0p-52",
    "HALF_DIG": "3",
    "HALF_MANT_DIG": "11",
    "HALF_MAX_10_EXP": "4",
    "HALF_MAX_EXP": "16",
    "HALF_MIN_10_EXP": "(-4)",
    "HALF_MIN_EXP": "(-13)",
    "HALF_RADIX": "2",
    "HALF_MAX": "((half)0x1.ffcp15f)",
    "HALF_MIN": "((half)0x1.0p-14f)",
    "HALF_EPSILON": "((half)0x1.0p-10f)",
    "FP_ILOGB0": "(-2147483647 - 1)",
    "FP_ILOGBNAN": "2147483647",
    # A literal beyond the range is infinite; the difference of two infinities is not a number.
    "INFINITY": "1e999f",
    "HUGE_VALF": "1e999f",
    "HUGE_VAL": "1e999",
    "NAN": "(1e999f - 1e999f)",
    "MAXFLOAT": "0x1.fffffep127f",
}
"""Section 6.12.2.1, cl_khr_fp16 section 9.6.3; the ilogb values are those clang's headers give."""

_MATH_VALUES = {
    "M_E": math.e,
    "M_LOG2E": 1.4426950408889634,
    "M_LOG10E": 0.4342944819032518,
    "M_LN2": 0.6931471805599453,
    "M_LN10": 2.302585092994046,
    "M_PI": math.pi,
    "M_PI_2": math.pi / 2,
    "M_PI_4": math.pi / 4,
    "M_1_PI": 0.3183098861837907,
    "M_2_PI": 0.6366197723675814,
    "M_2_SQRTPI": 1.1283791670955126,
    "M_SQRT2": 1.4142135623730951,
    "M_SQRT1_2": 0.7071067811865476,
}
"""Section 6.12.2.1; each with the suffixes nothing, _F and _H for double, float and half."""

_FENCES = {
    "CLK_LOCAL_MEM_FENCE": "1",
    "CLK_GLOBAL_MEM_FENCE": "2",
}
"""Section 6.12.8; the values are those of SPIR 1.2, section 2.4."""

_SAMPLERS = {
    "CLK_ADDRESS_NONE": "0",
    "CLK_ADDRESS_CLAMP_TO_EDGE": "2",
    "CLK_ADDRESS_CLAMP": "4",
    "CLK_ADDRESS_REPEAT": "6",
    "CLK_ADDRESS_MIRRORED_REPEAT": "8",
    "CLK_NORMALIZED_COORDS_FALSE": "0",
    "CLK_NORMALIZED_COORDS_TRUE": "1",
    "CLK_FILTER_NEAREST": "16",
    "CLK_FILTER_LINEAR": "32",
}
"""Section 6.12.14.1; the values are those of SPIR 1.2, table 3."""

_CHANNEL_ORDERS = (
    "R", "A", "RG", "RA", "RGB", "RGBA", "BGRA", "ARGB", "INTENSITY", "LUMINANCE", "Rx", "RGx",
    "RGBx",
)  # fmt: skip
"""cl_channel_order, counted from CL_R = 0x10B0."""

_CHANNEL_TYPES = (
    "SNORM_INT8", "SNORM_INT16", "UNORM_INT8", "UNORM_INT16", "UNORM_SHORT_565",
    "UNORM_SHORT_555", "UNORM_INT_101010", "SIGNED_INT8", "SIGNED_INT16", "SIGNED_INT32",
    "UNSIGNED_INT8", "UNSIGNED_INT16", "UNSIGNED_INT32", "HALF_FLOAT", "FLOAT",
)  # fmt: skip
"""cl_channel_type, counted from CL_SNORM_INT8 = 0x10D0."""


def _collect() -> dict[str, str]:
    macros = {**_VERSION, **_LANGUAGE, **_INTEGER_LIMITS, **_FLOAT_LIMITS, **_FENCES, **_SAMPLERS}
    for name, value in _MATH_VALUES.items():
        macros |= {
            name: repr(value),
            f"{name}_F": f"{value!r}f",
            f"{name}_H": f"((half){value!r}f)",
        }
    macros |= {f"CLK_{name}": hex(0x10B0 + n) for n, name in enumerate(_CHANNEL_ORDERS)}
    macros |= {f"CLK_{name}": hex(0x10D0 + n) for n, name in enumerate(_CHANNEL_TYPES)}
    macros |= dict.fromkeys(EXTENSIONS, "1")
    return macros


_FEATURES = (
    "3d_image_writes", "atomic_order_acq_rel", "atomic_order_seq_cst", "atomic_scope_device",
    "fp64", "generic_address_space", "images", "int64", "integer_dot_product_input_4x8bit",
    "integer_dot_product_input_4x8bit_packed", "program_scope_global_variables",
    "read_write_images", "subgroups", "work_group_collective_functions",
)  # fmt: skip
"""OpenCL C 3.0, section 6.2.1, each after ``__opencl_c_``: optional features that are there."""


def version_macros(version: int) -> dict[str, str]:
    """The macros that depend on ``-cl-std``, for a version such as 200."""
    if version < 200:
        return {}
    macros = {"__OPENCL_VERSION__": str(version), "__OPENCL_C_VERSION__": str(version)}
    macros |= {"memory_scope_work_item": "0", "memory_scope_work_group": "1"}
    macros |= {"memory_scope_device": "2", "memory_scope_all_svm_devices": "3"}
    macros |= {"memory_scope_all_devices": "3", "memory_scope_sub_group": "4"}
    if version >= 300:
        macros |= {f"__opencl_c_{name}": "1" for name in _FEATURES}
    return macros


PREDEFINED_MACROS: dict[str, str] = _collect()
"""Replacement text by name. ``__FAST_RELAXED_MATH__`` is not here: an option defines it."""
