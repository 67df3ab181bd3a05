"""Programs that use the language widely and are right: taken without a word, and lowered."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from tests.frontend.sema.support import said

SOURCE = Path(__file__).with_name("accepted.txt")
"""Programs, each below a line ``### name``."""

PROGRAMS = {
    name: text
    for name, _, text in (p.partition("\n") for p in SOURCE.read_text().split("### ")[1:])
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_accepted(name: str) -> None:
    assert said(PROGRAMS[name]) == []


@pytest.mark.parametrize("level", list(OptLevel))
def test_lowered(level: OptLevel) -> None:
    for text in PROGRAMS.values():
        compile_source(SourceText("k.cl", text, "."), BuildOptions(opt_level=level))
