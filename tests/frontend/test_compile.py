"""The front end as a whole: what goes in, what comes out."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.ir.instructions import Load, Store
from kcc.frontend.kernel import Language
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel, SourceText
from kcc.frontend.source_file import read_source
from tests.frontend.compiling import compiled, of_class

KERNELS = Path(__file__).parents[2] / "kernels"


def test_a_unit_says_what_it_is() -> None:
    text = "__kernel void one(__global int* a) { a[0] = SIZE; }\n__kernel void two() { }\n"
    options = BuildOptions(opt_level=OptLevel.O1, macros=(MacroOption("SIZE", "7"),))
    unit = compile_source(SourceText("dir/k.cl", text, "dir"), options)
    assert (unit.name, unit.frontend, unit.language) == ("dir/k.cl", "builtin", Language.OPENCL)
    assert unit.opt_level is OptLevel.O1
    assert [kernel.name for kernel in unit.kernels] == ["one", "two"]
    assert [kernel.span.line for kernel in unit.kernels] == [1, 2]
    assert unit.sources["dir/k.cl"][0].startswith("__kernel void one")
    assert unit.module.functions["one"] is unit.kernels[0].function
    assert "define spir_kernel void @one(" in unit.ir


def test_errors_of_several_kinds_come_together() -> None:
    with pytest.raises(DiagnosticError) as caught:
        compiled("__kernel void k(__global int* a) {\n  a[0] = foo;\n  a[1] = a + bar;\n}")
    found = [(d.code, d.span.line if d.span else 0) for d in caught.value.diagnostics]
    assert found == [("K301", 2), ("K301", 3)]


def test_warnings_come_with_the_unit() -> None:
    unit = compiled("#pragma nonsense\n__kernel void k(__global int* a) { a[0] = 1; }")
    assert [w.span.line for w in unit.warnings if w.span] == [1]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("path", sorted(KERNELS.glob("*/*.cl")), ids=lambda path: path.stem)
def test_our_kernels_compile_like_a_gpu_compiler_would(path: Path) -> None:
    unit = compile_source(read_source(path), BuildOptions(opt_level=OptLevel.O2))
    assert unit.kernels
    for kernel in unit.kernels:
        accesses = [*of_class(kernel.function, Load), *of_class(kernel.function, Store)]
        placed = [a for a in accesses if a.location is not None and a.location.line > 0]
        assert len(placed) >= 0.8 * len(accesses), kernel.name


def test_an_empty_unit_has_no_kernels() -> None:
    assert compiled("int f(int a) { return a; }").kernels == ()
