"""Mutants change what they say, and are the same for the same seed."""

from __future__ import annotations

import ast

from benchmarks.mutants import LAYERS, applied, chosen, folders_of


def test_mutants_are_drawn_from_all_layers_and_parse():
    found = chosen(20, 3)
    assert found == chosen(20, 3)
    assert found != chosen(20, 4)
    assert {m.path.split("/")[0] for m in found} == set(LAYERS)
    for mutant in found:
        ast.parse(applied(mutant))
        assert list(folders_of(mutant))[-1] == ["tests"]
