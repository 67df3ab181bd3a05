from __future__ import annotations

import pytest

from kcc.frontend import compile_source
from kcc.frontend.ir.instructions import CondBranch, Switch
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.report.analysis.conditions import condition_text, symbol_text

BODY = """
typedef struct {{ int first; int count; }} Row;

__kernel void k(__global int *a, __global Row *rows, int n, uint u, float f)
{{
    __local int tile[8];
    const int i = get_global_id(0);
    {statement}
}}
"""


def conditions(statement: str, level: OptLevel = OptLevel.O1) -> list[str]:
    source = SourceText("k.cl", BODY.format(statement=statement), ".")
    (kernel,) = compile_source(source, BuildOptions(opt_level=level)).kernels
    ends = (block.terminator for block in kernel.function.blocks)
    return [condition_text(kernel.function, e) for e in ends if isinstance(e, CondBranch | Switch)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("i < n", "get_global_id(0) < n"),
        ("u < 4u", "(uint)u < 4"),
        ("f > 0.5f", "f > 0.5"),
        ("a[i]", "a[get_global_id(0)] != 0"),
        ("a[i + 2 * n]", "a[get_global_id(0) + 2 * n] != 0"),
        ("(n + 1) * 2 == i", "(n + 1) * 2 == get_global_id(0)"),
        ("n - (i - 3) != 7", "n - (get_global_id(0) - 3) != 7"),
        ("tile[n]", "tile[n] != 0"),
        ("rows[i].count", "rows[get_global_id(0)][...] != 0"),
        ("-n > i", "-n > get_global_id(0)"),
    ],
)
def test_condition(condition: str, text: str):
    assert conditions(f"tile[i] = n; if ({condition}) a[i] = tile[0];") == [text]


def test_a_loop_counter_has_its_name():
    assert conditions("for (int step = n; step > 0; step /= 2) a[step] = 1;") == ["step > 0"]


def test_variables_in_memory_have_their_names():
    assert conditions("for (int step = n; step > 0; --step) a[step] = 1;", OptLevel.O0) == [
        "step > 0"
    ]


def test_a_switch_shows_its_value():
    assert conditions("switch (n) { case 1: a[0] = 1; break; case 7: a[1] = 2; }") == ["n"]


def test_what_is_too_long_is_cut_inside():
    (text,) = conditions(
        "if (a[n * n + (i % 7) * (i % 5) - n / 3 * (n - 17)] < a[i * i]) a[0] = 1;"
    )
    assert "..." in text
    assert " < " in text
    assert len(text) <= 60


@pytest.mark.parametrize(
    ("symbol", "name"),
    [("_Z13get_global_idj", "get_global_id"), ("_Z3foo", "foo"), ("helper", "helper")],
)
def test_symbols(symbol: str, name: str):
    assert symbol_text(symbol) == name
