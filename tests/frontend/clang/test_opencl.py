"""OpenCL C through clang: the same kernels as the built-in front end finds."""

from __future__ import annotations

import re

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.builtins.constants import PREDEFINED_MACROS
from kcc.frontend.clang.invoke import HEADERS
from kcc.frontend.kernel import Language
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel, SourceText
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.passes.mix.instruction_mix import InstructionMix
from tests.frontend.clang.sources import KERNELS, facts_of, shape_of, workload
from tests.passes.workloads import sampled

NAMES = sorted(path.stem for path in KERNELS.glob("*/*.cl"))

MIX_TOLERANCE = 0.16
"""Of a kernel's instructions but for moves, as docs/reference/cuda-and-llvm-ir.md says and why."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", sampled(NAMES))
def test_workload(name: str):
    """Names, arguments, loops and barriers are the same; the mix within the tolerance."""
    path = KERNELS / name / f"{name}.cl"
    ours, clangs = facts_of(workload(path, "builtin")), facts_of(workload(path, "clang"))
    assert list(ours) == list(clangs)
    for kernel, (one, facts) in ours.items():
        other, other_facts = clangs[kernel]
        assert one.arguments == other.arguments
        assert one.required_local_size == other.required_local_size
        assert shape_of(facts) == shape_of(other_facts)
        mine, theirs = (f[InstructionMix].total.counts for f in (facts, other_facts))
        apart = sum(
            abs(a - b)
            for each, a, b in zip(InstructionClass, mine, theirs, strict=True)
            if each is not InstructionClass.MOVE
        )
        assert apart <= max(4, MIX_TOLERANCE * sum(mine)), kernel


def test_header_has_the_macros_of_the_built_in_front_end():
    text = (HEADERS / "kcc-opencl.h").read_text(encoding="utf-8")
    lines = dict(re.findall(r"^#define ([^\s(]+(?:\([^)]*\))?) ?(.*)$", text, re.MULTILINE))
    for name, value in PREDEFINED_MACROS.items():
        assert lines[name] == value


def compiled(text: str, options: BuildOptions | None = None):
    source = SourceText("k.cl", text, ".")
    return compile_source(source, options or BuildOptions(), "clang")


def test_each_kernel_is_listed_once():
    unit = compiled("kernel void a(global int* p) { *p = 1; }\nkernel void b(int n) {}")
    assert [k.name for k in unit.kernels] == ["a", "b"]
    assert (unit.frontend, unit.language) == ("clang", Language.OPENCL)
    assert "__clang_ocl" not in unit.ir
    assert unit.kernels[1].span.line == 2


def test_a_kernel_that_calls_a_kernel():
    unit = compiled(
        "kernel void a(global int* p) { *p = 1; }\nkernel void b(global int* p) { a(p); }"
    )
    assert [k.name for k in unit.kernels] == ["a", "b"]
    assert not re.search(r"call .*@a\(", unit.ir)


def test_options_reach_clang():
    options = BuildOptions(macros=(MacroOption("N", "7"), MacroOption("M", None)))
    unit = compiled("kernel void k(global int* p) { *p = N; }", options)
    assert "store i32 7" in unit.ir


def test_errors_have_line_and_column():
    with pytest.raises(DiagnosticError) as caught:
        compiled("kernel void k(global int* p)\n{\n  *p = missing;\n}")
    (error,) = caught.value.diagnostics
    assert (error.code, error.span and (error.span.line, error.span.column)) == ("K240", (3, 8))


def test_a_missing_header():
    with pytest.raises(DiagnosticError) as caught:
        compiled('#include "nowhere.h"\nkernel void k() {}')
    assert caught.value.diagnostics[0].code == "K101"


def test_the_same_text_twice():
    text = "kernel void k(global float* p) { p[get_global_id(0)] += sqrt(p[0]); }"
    assert compiled(text).ir == compiled(text).ir


@pytest.mark.parametrize("level", list(OptLevel))
def test_levels(level: OptLevel):
    text = "kernel void k(global int* p, int n) { for (int i = 0; i < n; ++i) p[i] += i; }"
    unit = compiled(text, BuildOptions(opt_level=level))
    assert unit.opt_level is level
    assert unit.kernels[0].function.blocks


def test_a_simple_choice_is_a_select():
    text = "kernel void k(global int* p, int n, int m) { p[0] = n < m ? n : -m; }"
    unit = compiled(text)
    assert len(unit.kernels[0].function.blocks) == 1
    assert " select i1 " in unit.ir
