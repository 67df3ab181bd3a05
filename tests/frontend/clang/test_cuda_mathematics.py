"""CUDA's mathematics by all its names, and copies of structures in shared memory, executed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from kcc.frontend import compile_source
from kcc.frontend.ir.instructions import Call
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import NDRange, execute

ONE = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor "
    "lgamma log log10 log1p log2 logb nearbyint rint round sin sinh sqrt tan tanh tgamma trunc"
)
TWO = "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder"
WHOLE = "ilogb lrint lround llrint llround"
OF_CUDA = "erfcx erfinv erfcinv normcdf normcdfinv rcbrt rsqrt sinpi cospi exp10"
TEST = "isfinite isinf isnan isnormal signbit"


def compiled(text: str) -> CompiledUnit:
    return compile_source(SourceText("m.cu", text, "."), BuildOptions(opt_level=OptLevel.O2))


def run(unit: CompiledUnit, name: str, *arrays: np.ndarray) -> list[np.ndarray]:
    kernel = next(k for k in unit.kernels if k.name == name)
    done = execute(unit, kernel, NDRange((4,), (4,)), list(arrays))
    return [done.buffers[n] for n in range(len(arrays))]


@pytest.mark.parametrize(
    ("head", "called"), [("", "_Z3powdd"), ("#include <hip/hip_runtime.h>\n", "_Z4pownfi")]
)
def test_a_whole_power_is_that_of_the_compiler(head: str, called: str) -> None:
    """By nvcc 13.0 for sm_75 `pow(x, 2)` of a float has 89 instructions of double precision; HIP's
    is a row of products."""
    text = f"{head}__global__ void k(float *o) {{ o[threadIdx.x] = pow(o[threadIdx.x], 2); }}"
    (kernel,) = compiled(text).kernels
    calls = [i.callee for i in kernel.function.instructions if isinstance(i, Call)]
    assert called in calls


def test_every_function_has_its_overloads_and_is_in_std() -> None:
    """A float stays one: what is called with it would be of twice the cost in double."""
    lines = list[str]()
    for space in ("", "std::"):
        for name in [*ONE.split(), *([] if space else OF_CUDA.split())]:
            lines += [f"same<float>({space}{name}(f)); same<double>({space}{name}(d));"]
        lines += [f"same<double>({space}{name}(n));" for name in ("sqrt", "nearbyint", "logb")]
        lines += [
            f"same<float>({space}{n}(f, f)); same<double>({space}{n}(d, d));" for n in TWO.split()
        ]
        lines += [
            f"same<bool>({space}{name}(f)); same<bool>({space}{name}(d));" for name in TEST.split()
        ]
        lines += [f"{space}{name}(f); {space}{name}(d);" for name in WHOLE.split()]
        lines += [
            f"same<float>({space}fma(f, f, f)); same<float>({space}ldexp(f, n));",
            f"same<float>({space}scalbn(f, n)); same<double>({space}scalbln(d, 3L));",
            f"same<float>({space}frexp(f, p)); same<float>({space}modf(f, g));",
            f"same<float>({space}remquo(f, f, p));",
            f'same<double>({space}nan("")); same<float>({space}nanf(""));',
        ]
    single = [f"same<float>({name}f(f));" for name in [*ONE.split(), *OF_CUDA.split()]]
    single += [f"same<float>(std::{name}f(f));" for name in ONE.split() if name != "logb"]
    body = "\n".join([*lines, *single])
    unit = compiled(
        f"""#include <cmath>
        template <class T, class U> __device__ void same(U) {{ static_assert(__is_same(T, U)); }}
        __global__ void k(float f, double d, int n, int *p, float *g) {{ {body} }}"""
    )
    assert [kernel.name for kernel in unit.kernels] == ["k"]


VALUES: Sequence[tuple[str, Callable[[float], float]]] = (
    ("std::tanh(x)", math.tanh), ("std::log1p(x)", math.log1p), ("std::erf(x)", math.erf),
    ("std::nearbyint(x * 10)", lambda x: float(round(x * 10))),
    ("norm(2, v)", lambda x: math.hypot(x, x)), ("rnorm(2, v)", lambda x: 1 / math.hypot(x, x)),
    ("rnorm4d(x, x, x, x)", lambda x: 1 / (2 * x)),
    ("std::fma(x, x, 1.0)", lambda x: x * x + 1),
    ("(double)std::llrint(x * 10)", lambda x: float(round(x * 10))),
    ("std::scalbln(x, 3L)", lambda x: 8 * x), ("isnan(nan(\"\")) ? x : 0.0", lambda x: x),
    ("(double)(umax(3u, 4294967295u) > 4u) * x", lambda x: x),
    ("(double)llmin(-5ll, 3ll) * x", lambda x: -5 * x),
    ("(double)(ullmax(1ull, ~0ull) >> 63) * x", lambda x: x),
)  # fmt: skip


@pytest.mark.parametrize(("call", "value"), VALUES)
def test_values(call: str, value: Callable[[float], float]) -> None:
    x = np.array([0.125, 0.33, 0.5, 0.77])
    unit = compiled(
        f"""#include <cmath>
        __global__ void k(const double *a, double *o) {{
            double x = a[threadIdx.x], v[2] = {{x, x}};
            o[threadIdx.x] = {call};
        }}"""
    )
    _, found = run(unit, "k", x, np.zeros(4))
    np.testing.assert_allclose(found, [value(float(each)) for each in x], rtol=1e-12)


def test_structures_are_copied_within_shared_memory() -> None:
    """Also from one fixed place to another."""
    unit = compiled(
        """__global__ void k(float *o) {
            __shared__ float3 all[4], first, last;
            int i = threadIdx.x;
            all[i] = make_float3(i, 10 * i, 100 * i);
            __syncthreads();
            if (i == 0) { first = all[1]; last = all[3]; first.x += last.z; }
            __syncthreads();
            o[i] = first.x + first.y + last.y;
        }"""
    )
    (found,) = run(unit, "k", np.zeros(4, np.float32))
    np.testing.assert_array_equal(found, [1 + 300 + 10 + 30] * 4)


def test_names_of_calls_say_where_their_pointers_lead() -> None:
    from kcc.frontend.clang.address_spaces import with_named_moves

    cast = "ptr addrspace(4) align 4 addrspacecast (ptr addrspace(3) @{} to ptr addrspace(4))"
    line = (
        f"  call void @llvm.memcpy.p4.p4.i64({cast.format('a')}, {cast.format('b')}, i64 12, "
        "i1 false)\n"
    )
    mixed = line.replace(cast.format("b"), "ptr addrspace(1) align 4 %p")
    names = re.findall(r"call void @(llvm\S+?)\(", with_named_moves(line + mixed))
    assert names == ["llvm.memcpy.p4.p4.i64", "llvm.memcpy.p4.p1.i64"]
