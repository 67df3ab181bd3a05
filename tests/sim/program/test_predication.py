"""Which short blocks are predicated, and what warps issue that have no lane in them."""

from __future__ import annotations

import pytest

from kcc.sim.flow.assumed_shares import DIVERGENT_WARPS
from kcc.sim.machine.costs import Generation, Unit
from kcc.sim.program.operations import Memory
from kcc.sim.program.predication import MOST_INSTRUCTIONS
from tests.sim.program.test_integer_arithmetic import program

HEAD = "__kernel void k(__global int *a, __global const int *b, int n) { int i = get_global_id(0);"


def branches(source: str, generation: Generation = Generation.VOLTA) -> float:
    """Slots of branches and exits."""
    found = program(source, generation)
    return sum(
        found.operations[n].slots for part in found.blocks for n in part
        if found.operations[n].kind.value == "branch"
    )  # fmt: skip


LONG = "".join(f"a[i + {64 * n}] = b[i + {n}] * {n + 3};" for n in range(MOST_INSTRUCTIONS))


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("if (b[i] > 0) a[i] = 7; a[i + 64] = 1;", 0),
        ("if (b[i] > 0) a[i] = b[i + 1]; else a[i + 1] = b[i + 2]; a[i + 64] = 1;", 0),
        ("if (b[i] > 0) atomic_add(a, 2); a[i + 64] = 1;", 1),
        ("if (b[i] > 0) a[i] = b[i + 1] / n; a[i + 64] = 1;", 1),
        (f"if (b[i] > 0) {{ {LONG} }} a[i + 64 * 99] = 1;", 1),
        ("if (b[i] > 0) a[i] = 7;", 1),  # EXIT under a predicate
    ],
)
def test_which_branches_are_left_out(body: str, left: int):
    exits = 1  # of those that come otherwise
    assert branches(HEAD + body + "}") >= left + exits
    straight = branches(HEAD + "a[i + 64] = 1; }")
    assert (branches(HEAD + body + "}") > straight) == bool(left)


def test_older_compilers_keep_the_branch():
    body = "if (b[i] > 0) a[i] = 7; a[i + 64] = 1;"
    assert branches(HEAD + body + "}", Generation.FERMI) > branches(HEAD + body + "}")


def test_what_is_computed_is_issued_by_all_and_accesses_by_those_that_make_them():
    source = HEAD + "if (b[i] > 0) a[i] = (n ^ i) * 5; a[i + 64] = 1; }"
    found = program(source)
    (guarded,) = (
        block for block, part in enumerate(found.blocks)
        if [found.operations[n].memory for n in part] == [Memory.GLOBAL_STORE]
    )  # fmt: skip
    before = [found.operations[n] for n in found.blocks[guarded - 1]]
    assert sum(each.slots for each in before if each.unit in (Unit.ALU, Unit.FMA)) >= 3
    idle = [each for each in before if each.kind.value == "move" and each.unit is Unit.CONTROL]
    # The store, not made by 0.3 of the warps as assumed; the descriptor of global memory.
    assert [each.slots for each in idle] == pytest.approx([1 - DIVERGENT_WARPS, 1.0])
