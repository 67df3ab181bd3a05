"""A branch's true side is that of the source, whatever optimisation makes of it."""

from __future__ import annotations

import pytest

from kcc.frontend import compile_source
from kcc.frontend.ir.instructions import CondBranch
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.passes.graph.branch_sense import true_way

LEVELS = [OptLevel.O1, OptLevel.O2]


def true_sides(body: str, level: OptLevel, line: int) -> set[tuple[str, str]]:
    """The labels of the true and of the other side of the branches in a line."""
    head = "kernel void k(global int *a, global int *b, int n)\n{"
    text = f"{head}\nint i = get_global_id(0);\n{body}\n}}"
    unit = compile_source(SourceText("k.cl", text, ""), BuildOptions(opt_level=level))
    function = unit.kernels[0].function
    found = set[tuple[str, str]]()
    for block in function.blocks:
        end = block.terminator
        if isinstance(end, CondBranch) and end.line == line:
            ways = (end.then, end.otherwise)
            true = true_way(function, end)
            labels = function.blocks[ways[true]].label, function.blocks[ways[1 - true]].label
            found.add(labels)
    return found


@pytest.mark.parametrize("level", LEVELS)
def test_code_that_is_guarded(level: OptLevel):
    body = "if (a[i]) {\nb[i] = 1;\nb[a[i]] = 2; }\nb[0]++;"
    (labels,) = true_sides(body, level, 4)
    assert labels[0].startswith("if.then")


@pytest.mark.parametrize("level", LEVELS)
def test_a_condition_that_is_turned_round(level: OptLevel):
    """The test for 0 leaves: as in ``if (mask[i]) { ... }`` at the end of a kernel."""
    (labels,) = true_sides("if (a[i]) {\nb[a[i]] = 1; }", level, 4)
    assert labels[0].startswith("if.then")


@pytest.mark.parametrize("level", LEVELS)
def test_two_sides(level: OptLevel):
    first, second = "b[a[i]] = 2; b[a[i] + 1] = 7;", "b[a[a[i]]] = 3; b[3 * i] = 2;"
    body = f"if (a[i] != 4) {{\n{first} }}\nelse {{ {second} }}\nb[0]++;"
    (labels,) = true_sides(body, level, 4)
    assert labels == ("if.then", "if.else")


@pytest.mark.parametrize("level", LEVELS)
def test_leaving_where_the_condition_holds(level: OptLevel):
    (labels,) = true_sides("if (a[i] == 3)\nreturn;\nb[a[i]] = 1;", level, 4)
    assert labels[1].startswith("if.end")


@pytest.mark.parametrize("level", LEVELS)
def test_a_loop_goes_on(level: OptLevel):
    body = "for (int j = 0;\nj < a[i]; j++)\nb[a[j]] = j;"
    for true, _ in true_sides(body, level, 5):
        assert true.startswith("for.body")
