"""The way through NVIDIA's tools, where they are installed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kcc.commands.machine_code import code_request
from kcc.frontend.machine_code.graph import MachineGraph
from kcc.frontend.machine_code.model import Space
from kcc.frontend.machine_code.numbering import Numbers
from kcc.frontend.machine_code.nvidia import NvidiaTools, nvidia_code
from kcc.frontend.options import OptLevel
from tests.passes.workloads import compiled

pytestmark = pytest.mark.nvidia


def tools(target: str, cache: Path | None = None) -> NvidiaTools:
    request = code_request("auto", None)
    assert request is not None
    assert request.tools is not None
    return replace(request.tools, target=target, cache=cache)


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90"])
def test_loads_and_stores_are_those_of_the_kernel(target: str):
    unit = compiled("saxpy", OptLevel.O2)
    code = nvidia_code(unit, tools(target))["saxpy"]
    numbers, rows = Numbers.of(unit.module), unit.module.functions["saxpy"].instructions
    touched = [
        (rows[index].opcode.name, i.is_store)
        for i in code.instructions
        if i.space is Space.GLOBAL
        if (index := numbers.index("saxpy", i.number)) is not None
    ]
    assert sorted(touched) == [("LOAD", False), ("LOAD", False), ("STORE", True)]
    assert code.reason == ""
    assert not code.spills
    assert all(i.control is not None for i in code.instructions)


def test_what_is_live_fits_the_registers():
    for code in nvidia_code(compiled("matmul", OptLevel.O2), tools("sm_80")).values():
        assert max(MachineGraph(code).live_words) <= code.registers


def test_the_cache_gives_the_same(tmp_path: Path):
    unit = compiled("saxpy", OptLevel.O2)
    own = tools("sm_80", tmp_path / "kept")
    first = nvidia_code(unit, own)
    (kept,) = (tmp_path / "kept").iterdir()
    assert nvidia_code(unit, own) == first
    kept.write_text("{", encoding="utf-8")
    assert nvidia_code(unit, own) == first
