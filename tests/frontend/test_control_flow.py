"""Control flow as lowered: the blocks of a function are those of its source, no more."""

from __future__ import annotations

import pytest

from kcc.frontend.ir.instructions import Branch, CondBranch
from kcc.frontend.options import OptLevel
from tests.frontend.compiling import compiled, kernel, of_class, shape

SHAPES: dict[str, tuple[str, dict[str, list[str]]]] = {
    "straight": ("a[0] = n; a[1] = m;", {"entry": []}),
    "if": (
        "if (n) a[0] = 1;",
        {"entry": ["if.then", "return"], "if.then": ["return"], "return": []},
    ),
    "if else": (
        "if (n < m) a[0] = 1; else a[0] = 2; a[1] = 3;",
        {
            "entry": ["if.then", "if.else"],
            "if.then": ["if.end"],
            "if.else": ["if.end"],
            "if.end": [],
        },
    ),
    "early return": (
        "if (n >= m) return; a[0] = 1;",
        {"entry": ["return", "if.end"], "if.end": ["return"], "return": []},
    ),
    "for": (
        "for (int i = 0; i < n; i++) a[i] = m;",
        {
            "entry": ["for.cond"],
            "for.cond": ["for.body", "return"],
            "for.body": ["for.cond"],
            "return": [],
        },
    ),
    "for with continue and break": (
        "for (int i = 0; i < n; i++) { if (i == 3) continue; if (i == m) break; a[i] = 1; }",
        {
            "entry": ["for.cond"],
            "for.cond": ["for.body", "return"],
            "for.body": ["for.inc", "if.end"],
            "if.end": ["return", "if.end.1"],
            "if.end.1": ["for.inc"],
            "for.inc": ["for.cond"],
            "return": [],
        },
    ),
    "endless for": (
        "for (;;) { if (a[n]) break; n++; }",
        {"entry": ["for.body"], "for.body": ["return", "if.end"], "if.end": ["for.body"]}
        | {"return": []},
    ),
    "while": (
        "while (n) n = a[n];",
        {"entry": ["while.cond"], "while.cond": ["while.body", "return"]}
        | {"while.body": ["while.cond"], "return": []},
    ),
    "do": (
        "do n = a[n]; while (n);",
        {"entry": ["do.body"], "do.body": ["do.latch", "return"], "do.latch": ["do.body"]}
        | {"return": []},
    ),
    "do once": ("do { a[0] = n; } while (0);", {"entry": []}),
    "and": (
        "if (n && m) a[0] = 1;",
        {"entry": ["land.lhs.true", "return"], "land.lhs.true": ["if.then", "return"]}
        | {"if.then": ["return"], "return": []},
    ),
    "or": (
        "if (n || !m) a[0] = 1;",
        {"entry": ["if.then", "lor.lhs.false"], "lor.lhs.false": ["return", "if.then"]}
        | {"if.then": ["return"], "return": []},
    ),
    "and as a value": (
        "a[0] = n && m;",
        {"entry": ["land.rhs", "land.end"], "land.rhs": ["land.end"], "land.end": []},
    ),
    "choice between plain values": ("a[0] = n < 0 ? -n : n;", {"entry": []}),
    "choice with a load": (
        "a[0] = n ? a[1] : 0;",
        {"entry": ["cond.true", "cond.false"], "cond.true": ["cond.end"]}
        | {"cond.false": ["cond.end"], "cond.end": []},
    ),
    "switch": (
        "switch (n) { case 1: a[0] = 1; case 2: a[0] = 2; break; default: a[0] = 3; }",
        {"entry": ["sw.default", "sw.bb", "sw.bb.1"], "sw.bb": ["sw.bb.1"]}
        | {"sw.bb.1": ["return"], "sw.default": ["return"], "return": []},
    ),
    "goto": (
        "again: a[n] = 1; if (n++ < m) goto again;",
        {"entry": ["label.again"], "label.again": ["label.again", "return"], "return": []},
    ),
    "constant conditions": (
        "if (0) a[0] = 1; while (0) a[1] = 2; if (1 || n) a[2] = 3;",
        {"entry": []},
    ),
    "code after a return": ("return; a[0] = 1;", {"entry": []}),
    "inner loops": (
        "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) a[j] = i;",
        {
            "entry": ["for.cond"],
            "for.cond": ["for.body", "return"],
            "for.body": ["for.cond.1"],
            "for.cond.1": ["for.body.1", "for.inc"],
            "for.body.1": ["for.cond.1"],
            "for.inc": ["for.cond"],
            "return": [],
        },
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_blocks_are_those_of_the_source(name: str) -> None:
    body, expected = SHAPES[name]
    assert shape(kernel(body)) == expected


def test_a_jump_out_of_a_switch_in_a_loop_reaches_the_right_place() -> None:
    found = shape(kernel("while (n) { switch (m) { case 1: continue; case 2: break; } n--; }"))
    labels = {"sw.epilog", "while.inc"}
    assert labels <= set(found)
    assert found["sw.epilog"] == ["while.inc"]
    assert found["while.inc"] == ["while.cond"]


def test_duffs_device_enters_the_loop_at_each_case() -> None:
    found = shape(kernel("switch (n & 1) { case 0: do { a[0]++; case 1: a[1]++; } while (--m); }"))
    assert found["entry"] == ["return", "do.body", "sw.bb.1"]
    assert found["do.body"] == ["sw.bb.1"]
    assert found["sw.bb.1"] == ["do.latch", "return"]
    assert found["do.latch"] == ["do.body"]


LOOPS = """__kernel void k(__global int* a, int n) {
  #pragma unroll 4
  for (int i = 0; i < n; i++)
    a[i] = i;
  #pragma unroll
  while (n--)
    a[n] = 0;
  __attribute__((opencl_unroll_hint(1)))
  do { if (a[n]) continue;
    a[0]++; } while (a[1]);
}
"""


def test_each_loop_has_one_latch_that_names_its_keyword_and_pragma() -> None:
    function = compiled(LOOPS).module.functions["k"]
    marks = [
        branch.loop
        for branch in [*of_class(function, Branch), *of_class(function, CondBranch)]
        if branch.loop
    ]
    assert [(m.start.line, m.start.column) for m in marks if m.start] == [(3, 3), (6, 3), (9, 3)]
    assert [m.unroll for m in marks] == [4, 0, 1]


@pytest.mark.parametrize("level", OptLevel)
def test_loop_marks_survive(level: OptLevel) -> None:
    source = (
        "__kernel void k(__global int* a, int n) {\n\n for (int i = 0; i < n; i++) a[n] = a[i]; }"
    )
    function = compiled(source, level).module.functions["k"]
    branches = [*of_class(function, Branch), *of_class(function, CondBranch)]
    lines = {b.loop.start.line for b in branches if b.loop and b.loop.start}
    assert lines == {3}
