from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest

from kcc.frontend.ir.model import Module
from kcc.frontend.kernel import Kernel
from kcc.passes.facts import Facts, Pass, run_passes
from kcc.passes.graph.control_flow import ControlFlow, ControlFlowPass
from kcc.passes.graph.dominance import Dominators, PostDominatorsPass
from kcc.passes.symbolic.budget import MAX_VISITED, MOST_WORK
from kcc.passes.symbolic.build import SymbolicValues
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


def test_what_an_equal_pass_gave_of_the_same_facts_is_taken():
    kernel, module = read_kernel(graph_text(((1,), (1, 2), ())))
    many, setting = passes_for(Setting()), Setting(assumed_trips={3: 5})
    earlier = run_passes(kernel, module, many)
    assert not runs(kernel, module, many, earlier)
    other = runs(kernel, module, passes_for(setting), earlier)
    assert other[0] == "symbolic values"
    assert "trip counts" in other
    assert "loops" not in other


def runs(kernel: Kernel, module: Module, passes: Sequence[Pass[Any]], earlier: Facts) -> list[str]:
    """The passes that are run again."""
    names = list[str]()

    def around(stage: str, work: Callable[[], T], /) -> T:
        names.append(stage)
        return work()

    run_passes(kernel, module, passes, around, earlier)
    return names


def test_each_pass_has_its_own_budget():
    """One that takes all that it may leaves the next its own, and what comes after the passes."""
    kernel, module = read_kernel(graph_text(((1, 1), ())))
    left = list[tuple[str, int, int]]()
    found = list[SymbolicValues]()

    def around(stage: str, work: Callable[[], T]) -> T:
        for values in found:
            left.append((stage, values.work_left, values.visits_left))
            values.work_left = values.visits_left = -1
        fact = work()
        if isinstance(fact, SymbolicValues):
            found.append(fact)
        return fact

    facts = analyse(kernel, module, around)
    names = [each.name for each in passes_for(Setting())]
    assert [stage for stage, _, _ in left] == names[names.index("symbolic values") + 1 :]
    assert {(work, visits) for _, work, visits in left} == {(MOST_WORK, MAX_VISITED)}
    assert facts[SymbolicValues].work_left == MOST_WORK
