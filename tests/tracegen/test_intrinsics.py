"""Every intrinsic of LLVM is run, and here compared with the plain interpreter, or refused."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding
import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.ir import intrinsics
from kcc.frontend.kernel import Language
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.frontend.unit import unit_from_ir
from kcc.tracegen.execute import ExecutionOptions, NDRange, execute
from tests.tracegen.reference import interpret

ITEMS = 64
EDGES = {
    "i8": [0, 1, -1, 127, -128, 5],
    "i16": [0, 1, -1, 32767, -32768, 77],
    "i32": [0, 1, -1, 2**31 - 1, -(2**31), 12345],
    "i64": [0, 1, -1, 2**63 - 1, -(2**63), 1 << 40],
    "half": [0.0, -0.0, 1.5, -2.5, 0.3333, 1.001, 300.25, 6e-8, np.inf, np.nan],
    "float": [0.0, -0.0, 1.5, -2.5, np.inf, np.nan],
    "double": [0.0, -0.0, 0.5, -3.5, -np.inf, np.nan],
}
DTYPES = {
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "half": np.float16,
    "float": np.float32, "double": np.float64,
}  # fmt: skip
SUFFIXES = {"half": "f16", "float": "f32", "double": "f64"}

INTEGERS, FLOATS = ("i8", "i16", "i32", "i64"), ("float", "double")

ONE = ["abs", "bitreverse", "bswap", "ctlz", "ctpop", "cttz"]
TWO = [
    "sadd.sat", "ssub.sat", "uadd.sat", "usub.sat", "sshl.sat", "ushl.sat", "smax", "smin",
    "umax", "umin",
]  # fmt: skip
THREE = ["fshl", "fshr"]
FLOAT_ONE = [
    "ceil", "fabs", "floor", "nearbyint", "rint", "roundeven", "round", "sqrt", "trunc",
    "canonicalize",
]  # fmt: skip
FLOAT_TWO = ["copysign", "maximum", "maximumnum", "maxnum", "minimum", "minimumnum", "minnum"]
FLOAT_THREE = ["fma", "fmuladd"]


METADATA = "!kernel_arg_addr_space !0 " + " ".join(
    f"!kernel_arg_{each} !1" for each in ("name", "type", "base_type", "type_qual", "access_qual")
)


@cache
def names_of_llvm() -> frozenset[str]:
    """LLVM's own table of the intrinsics of no one target: it lies in its library, name by name,
    in order, and ends where those of targets begin."""
    folder = Path(llvmlite.binding.__file__).parent
    (library,) = (p for p in folder.iterdir() if re.search(r"llvmlite\.(so|dylib|dll)$", p.name))
    data = library.read_bytes()
    start = data.index(b"\0llvm.abs\0") + 1
    end = data.index(b"\0llvm.aarch64.", start)
    return frozenset(n for n in data[start:end].decode().split("\0") if n)


def test_names_are_llvms() -> None:
    names = names_of_llvm()
    assert len(names) > 300
    known = {f"llvm.{name}" for name in intrinsics.KNOWN}
    assert known <= names, known - names
    assert all(any(n.startswith(each) for n in names) for each in intrinsics.IGNORED)


def test_all_others_are_refused_when_a_kernel_is_compiled() -> None:
    """By name, whatever types they are overloaded on; one of them through the whole engine."""
    known = {f"llvm.{name}" for name in intrinsics.KNOWN}
    ignored = {n for n in names_of_llvm() if n.startswith(intrinsics.IGNORED)}
    refused = names_of_llvm() - known - ignored
    assert len(refused) > 200
    for name in refused:
        assert not intrinsics.is_runnable(name), name
        assert not intrinsics.is_runnable(f"{name}.v4f32.i32"), name
    with pytest.raises(DiagnosticError, match=r"K706: kernel 'k' calls 'llvm\.exp10\.f32'"):
        run([("exp10", "float", ["float"], "", ["float"])])


Case = tuple[str, str, list[str], str, list[str]]
"""Name, type of the result, of the operands, a further operand, and the types in its full name."""


def kernel_text(cases: list[Case]) -> str:
    """A kernel that calls intrinsics, each on what it loads from one buffer for each operand."""
    parameters, declared, body = list[str](), dict[str, str](), list[str]()
    for case, (stem, result, operands, more, types) in enumerate(cases):
        name = overloaded(stem, *types)
        shown = ", ".join([*operands, *(["i1"] if more else [])])
        declared[name] = f"declare {result} @{name}({shown})"
        given = [f"{t} %x{case}.{n}" for n, t in enumerate(operands)] + ([more] if more else [])
        for place, type_ in enumerate(operands):
            parameters.append(f"ptr addrspace(1) %a{case}.{place}")
            at = f"%p{case}.{place}"
            body.append(f"{at} = getelementptr {type_}, {parameters[-1]}, i64 %g")
            body.append(f"%x{case}.{place} = load {type_}, ptr addrspace(1) {at}, align 1")
        parameters.append(f"ptr addrspace(1) %o{case}")
        body.append(f"%r{case} = call {result} @{name}({', '.join(given)})")
        body.append(f"%q{case} = getelementptr {result}, {parameters[-1]}, i64 %g")
        body.append(f"store {result} %r{case}, ptr addrspace(1) %q{case}, align 1")
    lines, declarations = "\n  ".join(body), "\n".join(declared.values())
    return f"""
target triple = "spir64-unknown-unknown"
declare spir_func i64 @_Z13get_global_idj(i32)
{declarations}
define spir_kernel void @k({", ".join(parameters)}) {METADATA} {{
  %g = call spir_func i64 @_Z13get_global_idj(i32 0)
  {lines}
  ret void
}}
!0 = !{{{", ".join(["i32 1"] * len(parameters))}}}
!1 = !{{{", ".join(['!"x"'] * len(parameters))}}}
"""


def lanes_of(type_: str) -> tuple[int, str]:
    found = re.match(r"<(\d+) x (\w+)>", type_)
    return (int(found[1]), found[2]) if found else (1, type_)


def values(type_: str, seed: int) -> Any:
    lanes, element = lanes_of(type_)
    rng = np.random.default_rng(seed)
    return rng.choice(np.array(EDGES[element], DTYPES[element]), ITEMS * lanes)


def run(cases: list[Case]) -> None:
    """On the engine, in lanes that differ, and on the interpreter: equal, bit by bit."""
    unit = unit_from_ir(
        kernel_text(cases), name="k.ll", frontend="test", language=Language.OPENCL,
        level=OptLevel.O1, sources={},
    )  # fmt: skip
    given = list[Any]()
    results = dict[int, str]()
    for stem, result, operands, _, _ in cases:
        given += [values(t, n) for n, t in enumerate(operands)]
        lanes, element = lanes_of(result)
        results[len(given)] = stem
        given.append(np.zeros(ITEMS * lanes, DTYPES[element]))
    launch = NDRange((ITEMS,), (ITEMS,))
    (kernel,) = unit.kernels
    done = execute(unit, kernel, launch, given, ExecutionOptions())
    wanted = interpret(unit, kernel, launch, list(given))
    for place, stem in results.items():
        a, b = done.buffers[place], wanted.buffers[place]
        same = (a == b) | ((a != a) & (b != b))  # noqa: PLR0124 -- NaN
        assert same.all(), (stem, a.dtype, a[~same][:4], b[~same][:4])


def overloaded(stem: str, *types: str) -> str:
    def word(type_: str) -> str:
        lanes, element = lanes_of(type_)
        return (f"v{lanes}" if lanes > 1 else "") + SUFFIXES.get(element, element)

    return ".".join([f"llvm.{stem}", *map(word, types)])


CASES: list[Case] = [
    *[(n, t, [t], "i1 false" if n in ("abs", "ctlz", "cttz") else "", [t]) for n in ONE
      for t in (("i16", "i64") if n == "bswap" else ("i8", "<2 x i32>"))],
    *[(n, t, [t, t], "", [t]) for n in TWO for t in ("i8", "i64", "<2 x i16>")],
    *[(n, t, [t] * 3, "", [t]) for n in THREE for t in ("i32", "<2 x i8>")],
    *[(n, r, [t, t], "", [r, t]) for n in ("scmp", "ucmp") for t in INTEGERS
      for r in ("i8", "i32", "i64")],
    *[(n, "<4 x i32>", ["<4 x i8>", "<4 x i8>"], "", ["<4 x i32>", "<4 x i8>"])
      for n in ("scmp", "ucmp")],
    *[(n, t, [t], "", [t]) for n in FLOAT_ONE for t in ("half", *FLOATS)],
    *[(n, t, [t, t], "", [t]) for n in FLOAT_TWO for t in ("half", *FLOATS)],
    *[(n, t, [t] * 3, "", [t]) for n in FLOAT_THREE for t in ("half", "<2 x half>", *FLOATS)],
    *[(n, r, [t], "", [r, t]) for n in ("fptosi.sat", "fptoui.sat") for t in FLOATS
      for r in ("i8", "i64")],
    ("ldexp", "float", ["float", "i32"], "", ["float", "i32"]),
    *[(f"vector.reduce.{k}", "i32", ["<4 x i32>"], "", ["<4 x i32>"])
      for k in ("add", "mul", "and", "or", "xor", "smax", "smin", "umax", "umin")],
    *[(f"vector.reduce.{k}", "float", ["<4 x float>"], "", ["<4 x float>"])
      for k in ("fmax", "fmin", "fmaximum", "fminimum")],
    *[(f"vector.reduce.{k}", "float", ["float", "<4 x float>"], "", ["<4 x float>"])
      for k in ("fadd", "fmul")],
    ("vector.reverse", "<4 x i16>", ["<4 x i16>"], "", ["<4 x i16>"]),
    ("ssa.copy", "i32", ["i32"], "", ["i32"]),
    ("arithmetic.fence", "float", ["float"], "", ["float"]),
    ("expect", "i32", ["i32", "i32"], "", ["i32"]),
]  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("first", range(4))
def test_engine_and_interpreter_agree(first: int) -> None:
    """A quarter of the cases in one kernel each."""
    run(CASES[first::4])


def test_every_intrinsic_has_a_case() -> None:
    """But for those that other tests are about."""
    elsewhere = intrinsics.BLOCK_MOVES | intrinsics.OVERFLOWING
    elsewhere |= {"ptrmask", "is.fpclass", "expect.with.probability"}
    elsewhere |= {"vector.insert", "vector.extract"}
    assert intrinsics.KNOWN - elsewhere == {case[0] for case in CASES}


SIGN = """
typedef {type} T;
kernel void k(global {result} *o, global const T *a) {{
  int g = get_global_id(0);
  o[g] = (a[g] > a[g ^ 1]) - (a[g] < a[g ^ 1]);
}}
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("type_", ["uchar", "short", "uint", "long"])
def test_sign_idiom(type_: str) -> None:
    """Three-way comparisons, from which LLVM forms scmp and ucmp."""
    for result, dtype in (("int", np.int32), ("char", np.int8)):
        source = SIGN.format(type=type_, result=result)
        unit = compile_source(SourceText("k.cl", source, "."), BuildOptions(opt_level=OptLevel.O2))
        assert re.search(r"llvm\.[su]cmp\.", unit.ir)
        name = {"uchar": "u1", "char": "i1", "ushort": "u2", "short": "i2", "uint": "u4"}
        kind = np.dtype(name.get(type_, "i4" if type_ == "int" else "i8"))
        a = np.random.default_rng(1).integers(0, 256, ITEMS * kind.itemsize, np.uint8).view(kind)
        given = [np.zeros(ITEMS, dtype), a]
        done = execute(unit, unit.kernels[0], NDRange((ITEMS,), (32,)), given)
        other = a.reshape(-1, 2)[:, ::-1].reshape(-1)
        wanted = (a > other).astype(dtype) - (a < other).astype(dtype)
        assert (done.buffers[0] == wanted).all()
