"""Which integer divisions are worth a remark."""

from __future__ import annotations

from pathlib import Path

import pytest

import kcc.api


@pytest.mark.parametrize(
    ("type_", "expression", "is_named"),
    [
        ("uint", "i / (1u << k)", False), ("uint", "i % (1u << k)", False),
        ("uint", "i / 12", False), ("uint", "i / (2u << k)", True), ("uint", "i / k", True),
        ("int", "(i - 5) / (1 << k)", True),  # ptxas 12.9 makes a routine of it
    ],
)  # fmt: skip
def test_a_division_by_a_variable_is_named(
    tmp_path: Path, type_: str, expression: str, is_named: bool
) -> None:
    path = tmp_path / "k.cl"
    path.write_text(
        f"__kernel void k(__global {type_} *o, {type_} k) {{\n"
        f"  {type_} i = get_global_id(0);\n  o[i] = {expression};\n}}\n"
    )
    codes = [f.code for f in kcc.api.analyze(path).kernel().findings]
    assert ("division" in codes) == is_named
