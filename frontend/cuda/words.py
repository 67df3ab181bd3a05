"""CUDA's words as macros of OpenCL C, for kernels that are C but for these words.

Semantics are those of the CUDA C++ programming guide and math API (NVIDIA, release 12) against
OpenCL C 1.2. What is not here, the built-in front end does not know, and clang is needed.
"""

from __future__ import annotations

_QUERIES = {
    "threadIdx": "get_local_id",
    "blockIdx": "get_group_id",
    "blockDim": "get_local_size",
    "gridDim": "get_num_groups",
}

IDS = {
    f"{word}_{axis}": f"((uint){query}({dimension}))"
    for word, query in _QUERIES.items()
    for dimension, axis in enumerate("xyz")
}
"""``threadIdx.x`` is read as ``threadIdx_x``, which has as many letters."""

_LANGUAGE = {
    "__CUDACC__": "1",
    "__CUDA_ARCH__": "700",
    "__global__": "__kernel",
    "__device__": "",
    "__host__": "",
    "__shared__": "__local",
    "__constant__": "__constant",
    "__forceinline__": "inline",
    "__noinline__": "",
    "__restrict__": "restrict",
    "__restrict": "restrict",
    "__launch_bounds__(...)": "",
    "__align__(n)": "__attribute__((aligned(n)))",
    "warpSize": "32",
    "__syncthreads()": "barrier(3)",
    "__threadfence()": "mem_fence(3)",
    "__threadfence_block()": "mem_fence(3)",
    "__ldg(p)": "__builtin_nontemporal_load(p)",
}

_MATH = (
    "acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 "
    "expm1 fabs fdim floor fma fmax fmin fmod hypot ldexp log log10 log1p log2 pow rint round "
    "rsqrt sin sinh sqrt tan tanh trunc"
)
"""Functions whose single-precision form has the suffix f."""

_OTHERS = {
    "__expf": "native_exp",
    "__exp10f": "native_exp10",
    "__logf": "native_log",
    "__log2f": "native_log2",
    "__log10f": "native_log10",
    "__sinf": "native_sin",
    "__cosf": "native_cos",
    "__tanf": "native_tan",
    "__powf": "native_powr",
    "__fdividef": "native_divide",
    "__fmaf_rn": "fma",
    "__clz": "clz",
    "__popc": "popcount",
    "__mul24": "mul24",
    "__umul24": "mul24",
    "__mulhi": "mul_hi",
    "__umulhi": "mul_hi",
    "__float_as_int": "as_int",
    "__float_as_uint": "as_uint",
    "__int_as_float": "as_float",
    "__uint_as_float": "as_float",
    "__float2int_rn": "convert_int_sat_rte",
    "__float2int_rz": "convert_int_sat_rtz",
    "__int2float_rn": "convert_float_rte",
    "__uint2float_rn": "convert_float_rte",
    "atomicSub": "atomic_sub",
    "atomicMin": "atomic_min",
    "atomicMax": "atomic_max",
    "atomicAnd": "atomic_and",
    "atomicOr": "atomic_or",
    "atomicXor": "atomic_xor",
    "atomicExch": "atomic_xchg",
    "atomicCAS": "atomic_cmpxchg",
    "atomicAdd": "atomic_add",
}


def _vectors() -> dict[str, str]:
    """make_T2 and make_T4; vectors of three have another size in OpenCL."""
    found = dict[str, str]()
    integers = [f"{sign}{name}" for name in ("char", "short", "int", "long") for sign in ("", "u")]
    for kind in [*integers, "float", "double"]:
        found[f"make_{kind}2(a, b)"] = f"(({kind}2)((a), (b)))"
        found[f"make_{kind}4(a, b, c, d)"] = f"(({kind}4)((a), (b), (c), (d)))"
    return found


MACROS: dict[str, str] = {
    **_LANGUAGE,
    **IDS,
    **{f"{name}f": name for name in _MATH.split()},
    **_OTHERS,
    **_vectors(),
}
"""Name (with parameters, if any) to replacement."""
