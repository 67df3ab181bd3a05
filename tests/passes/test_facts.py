from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

from kcc.passes.facts import run_passes
from kcc.passes.graph.control_flow import ControlFlow, ControlFlowPass
from kcc.passes.graph.dominance import Dominators, PostDominatorsPass
from kcc.passes.table import Setting, analyse, passes_for
from tests.passes.kernels import graph_text, read_kernel

T = TypeVar("T")


def test_facts_are_asked_for_by_type():
    kernel, module = read_kernel(graph_text(((),)))
    facts = run_passes(kernel, module, [ControlFlowPass()])
    assert facts.module is module
    assert ControlFlow in facts
    assert Dominators not in facts
    assert facts[ControlFlow].order == (0,)
    with pytest.raises(KeyError):
        facts[Dominators]


def test_a_pass_before_what_it_requires_is_our_bug():
    kernel, module = read_kernel(graph_text(((),)))
    with pytest.raises(AssertionError, match=r"'post-dominators' runs before .*ControlFlow"):
        run_passes(kernel, module, [PostDominatorsPass()])


def test_every_pass_is_run_through_the_callback():
    names = list[str]()

    def around(stage: str, work: Callable[[], T], /) -> T:
        names.append(stage)
        return work()

    kernel, module = read_kernel(graph_text(((1,), (1, 2), ())))
    analyse(kernel, module, around)
    assert names == [each.name for each in passes_for(Setting())]
    assert len(set(names)) == len(names)
