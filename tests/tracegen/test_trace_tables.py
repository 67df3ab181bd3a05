"""The tables of a kernel say what its IR says."""

from __future__ import annotations

import json

import pytest

from kcc.base.trace import words
from kcc.base.trace.tables import CLASSES, TraceTables
from kcc.frontend.ir.instructions import Phi, Terminator
from kcc.frontend.ir.values import InstructionRef
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.tracegen.simt import tracing
from kcc.tracegen.simt.plan import is_barrier
from tests.kcc.base.trace.traces import Traced, trace_workload
from tests.kernels.case import Case, label
from tests.kernels.test_kernels import CASES


def test_classes_are_those_of_the_instruction_mix():
    assert tuple(c.value for c in InstructionClass) == CLASSES


def test_words_are_those_the_engine_writes():
    names = ("TAG_FAR", "TAG_SAME", "TAG_UNIFORM", "TAG_SEQUENTIAL", "TAG_PATTERN")
    names += ("TAG_SHIFT", "FAR_SHIFT", "REACH", "SAME_MASK", "HEADER_MARK")
    assert [getattr(words, n) for n in names] == [getattr(tracing, n) for n in names]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("case", CASES[::8], ids=label)
def test_tables_survive_json(case: Case):
    tables = trace_workload(case.name, case.kernel).tables
    text = json.dumps(tables.to_json(), allow_nan=False)
    assert TraceTables.from_json(json.loads(text)) == tables


@pytest.fixture(scope="module")
def traced() -> Traced:
    return trace_workload("reduction", "reduce_interleaved")


def test_instructions(traced: Traced):
    tables, function = traced.tables, traced.ready.plan.function
    assert len(tables.instructions) == len(function.instructions)
    for row, real in zip(tables.instructions, function.instructions, strict=True):
        assert row.opcode == real.opcode.word
        assert row.block == real.block
        assert row.line == (real.line or 0)
        used = [o.index if isinstance(o, InstructionRef) else -1 for o in real.operands]
        assert [max(o, -1) for o in row.operands] == used
        assert (row.incoming != ()) == isinstance(real, Phi)


def test_blocks_and_segments(traced: Traced):
    tables, function = traced.tables, traced.ready.plan.function
    for row, real in zip(tables.blocks, function.blocks, strict=True):
        assert [i.index for i in real.instructions] == list(range(row.first, row.end))
        assert isinstance(function.instructions[row.end - 1], Terminator)
        assert row.successors == real.successors
        assert row.counted == sum(not isinstance(i, Phi) for i in real.instructions)
    ends = [s.barrier for s in tables.segments if s.barrier >= 0]
    assert ends == [i.index for i in function.instructions if is_barrier(i)]
    assert ends
    assert any(block.reconvergence is not None for block in tables.blocks)


def test_accesses(traced: Traced):
    found = {(a.operation, a.space, a.array, a.element_bytes) for a in traced.tables.accesses}
    assert found == {
        ("load", "global", "g_idata", 4), ("store", "global", "g_odata", 4),
        ("load", "local", "sdata", 4), ("store", "local", "sdata", 4),
    }  # fmt: skip
    for access in traced.tables.accesses:
        argument = traced.tables.arguments[access.argument] if access.argument >= 0 else None
        assert argument is None or argument.name == access.array


@pytest.mark.slow
def test_every_access_of_every_workload_has_an_array_or_several():
    """Of the tiny launches, at most a few pointers may lead to more than one array."""
    several = 0
    for case in CASES[::8]:
        accesses = trace_workload(case.name, case.kernel).tables.accesses
        several += sum(not a.array for a in accesses)
        assert all(a.array or a.argument < 0 for a in accesses)
    assert several < 10
