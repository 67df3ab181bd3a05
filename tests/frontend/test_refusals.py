"""Programs that comparison with PoCL has found to be judged wrongly once."""

from __future__ import annotations

import pytest

from tests.frontend.acceptance import own_errors
from tests.frontend.compiling import compiled
from tests.frontend.parsing import place

REFUSED: list[tuple[str, str]] = [
    ("void f(int n, int4 v) { n[v]; }", "K357 1:25"),
    ("void f(image2d_t m, int n) { m, n; }", "K345 1:30"),
    ("void f(sampler_t s, int n) {\n n, s; }", "K345 2:5"),
    ("void f(int n) { n = '\\x'; }", "K202 1:21"),
    ("void f(int n) { n = '\\777'; }", "K202 1:21"),
    ('constant char s[] = "\\xfff";', "K202 1:21"),
    ("typedef float f5 __attribute__((ext_vector_type(5)));", "K339 1:33"),
    ("typedef int v __attribute__((__vector_size__(16)));", "K230 1:30"),
]


@pytest.mark.parametrize(("text", "where"), REFUSED)
def test_refused(text: str, where: str) -> None:
    assert [place(diagnostic) for diagnostic in own_errors(text)] == [where]


@pytest.mark.parametrize(
    "body", ["p[n];", "*p;", "(void)*p;", "n ? *p : *p;", "*p, n;", "return *p;", "&*p;"]
)
def test_objects_of_type_void_are_dropped(body: str) -> None:
    unit = compiled(f"void f(int n, global void* p) {{ {body} }} kernel void k(void) {{}}")
    assert [kernel.name for kernel in unit.kernels] == ["k"]
