"""The generated table names every built-in function."""

from __future__ import annotations

import re

from kcc.frontend.builtins.documentation import markdown_table
from kcc.frontend.builtins.overloads import names
from kcc.frontend.builtins.rows import Section
from kcc.frontend.builtins.table_lanes import PART


def test_every_name_and_section_is_in_the_table() -> None:
    table = markdown_table()
    public = {name for name in names() if not name.startswith(PART)}
    assert set(re.findall(r"`(\w+)`[,|\s]", table)) >= public
    assert all(f"### {s.number} {s.title}" in table for s in Section)


def test_rows_have_as_many_cells_as_the_head() -> None:
    rows = [line for line in markdown_table().splitlines() if line.startswith("|")]
    assert {line.count("|") for line in rows} == {6}


def test_primitives_are_told_from_what_is_inlined() -> None:
    lines = markdown_table().splitlines()
    sine = next(line for line in lines if "`sin`" in line)
    ceiling = next(line for line in lines if "`ceil`" in line)
    assert sine.endswith("| math: scalar call |")
    assert ceiling.endswith("| *inlined* |")
