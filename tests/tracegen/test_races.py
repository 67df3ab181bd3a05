"""Data races are found where there are some, with both places, and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from kcc.tracegen.execute import ExecutionOptions, KernelArgument, LocalMemory, NDRange
from tests.tracegen.test_misuse import failure, ints, run

RACES = ExecutionOptions(races=True)
LAUNCH = NDRange((128,), (64,))


@dataclass(frozen=True, slots=True)
class Racy:
    name: str
    body: str
    message: str
    """What comes after ``data race: ``."""
    lines: tuple[int, int]
    """Of the place and of the note."""


RACY = (
    Racy(
        "missing barrier",
        """
        l[i] = g;
        a[g] = l[63 - i];""",
        "write of 'l' at byte offset 0 by global id (0, 0, 0) and read by (63, 0, 0); "
        "no barrier orders them",
        (2, 3),
    ),
    Racy(
        "missing second barrier",
        """
        for (int j = 0; j < 2; ++j) {
          l[i] = j + g;
          barrier(CLK_LOCAL_MEM_FENCE);
          a[g] += l[63 - i];
        }""",
        "write of 'l' at byte offset 0 by global id (0, 0, 0) and read by (63, 0, 0); "
        "no barrier orders them",
        (3, 5),
    ),
    Racy(
        "barrier of the other memory",
        """
        b[g] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        a[g] = b[g ^ 1];""",
        "write of 'b' at byte offset 0 by global id (0, 0, 0) and read by (1, 0, 0); "
        "no barrier orders them",
        (2, 4),
    ),
    Racy(
        "two writes",
        """
        b[i >> 1] = 1;""",
        "write of 'b' at byte offset 0 by global id (0, 0, 0) and write by (1, 0, 0); "
        "no barrier orders them",
        (2, 2),
    ),
    Racy(
        "bytes of a word",
        """
        ((__global char *)b)[g] = 1;
        if (g == 100) a[0] = b[3];""",
        "write of 'b' at byte offset 12 by global id (12, 0, 0) and read by (100, 0, 0); "
        "different work-groups are not ordered",
        (2, 3),
    ),
    Racy(
        "between work-groups",
        """
        b[g] = 1;
        barrier(CLK_GLOBAL_MEM_FENCE);
        a[g] = b[127 - g];""",
        "write of 'b' at byte offset 0 by global id (0, 0, 0) and read by (127, 0, 0); "
        "different work-groups are not ordered",
        (2, 4),
    ),
    Racy(
        "atomic and read",
        """
        atomic_add(&b[5], 1);
        if (g == 100) a[g] = b[5];""",
        "atomic access of 'b' at byte offset 20 by global id (64, 0, 0) and read by (100, 0, 0); "
        "no barrier orders them",
        (2, 3),
    ),
    Racy(
        "atomic and write of another group",
        """
        if (g == 3) b[5] = 0;
        barrier(CLK_GLOBAL_MEM_FENCE);
        atomic_add(&b[5], 1);""",
        "write of 'b' at byte offset 20 by global id (3, 0, 0) and atomic access by (64, 0, 0); "
        "different work-groups are not ordered",
        (2, 4),
    ),
)

FINE = {
    "own elements": "a[g] = b[g] + 1;",
    "shared reads": "a[g] = b[0] + b[i];",
    "barriers": """
        l[i] = g; barrier(CLK_LOCAL_MEM_FENCE); a[g] = l[63 - i];
        barrier(CLK_LOCAL_MEM_FENCE); l[63 - i] = 2;""",
    "global within a group": """
        b[g] = i; barrier(CLK_GLOBAL_MEM_FENCE); a[g] = b[g ^ 1];""",
    "atomics": "atomic_add(&b[i & 3], 1); atomic_max(&b[i & 3], g);",
    "local atomics": """
        if (i < 4) l[i] = 0;
        barrier(CLK_LOCAL_MEM_FENCE); atomic_inc(&l[i & 3]); barrier(CLK_LOCAL_MEM_FENCE);
        a[g] = l[i & 3];""",
    "private arrays": """
        int p[4]; for (int j = 0; j < 4; ++j) p[j] = j;
        p[g & 3] = b[g]; a[g] = p[i & 3];""",
    "neighbouring bytes": "((__global char *)a)[g] = ((__global char *)b)[g];",
    "barrier in a loop": """
        int sum = 0;
        for (int j = 0; j < 3; ++j) {
          l[i] = sum + b[g]; barrier(CLK_LOCAL_MEM_FENCE);
          sum += l[63 - i]; barrier(CLK_LOCAL_MEM_FENCE);
        }
        a[g] = sum;""",
}


def source_of(body: str) -> str:
    parameters = "__global int *a, __global int *b, __local int *l"
    head = f"__kernel void k({parameters}) {{ int g = get_global_id(0), i = get_local_id(0);"
    return f"{head}{body} }}\n"


def arguments() -> list[KernelArgument]:
    return [ints(128), ints(128), LocalMemory(256)]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("width", [32, 64])
@pytest.mark.parametrize("case", RACY, ids=lambda case: case.name)
def test_race(case: Racy, width: int):
    options = ExecutionOptions(races=True, width=width, workers=2)
    found = failure(source_of(case.body), arguments(), LAUNCH, options)
    assert (found.code, found.message) == ("K721", f"data race: {case.message} (kernel 'k')")
    (note,) = found.notes
    assert (found.span and found.span.line, note.span and note.span.line) == case.lines


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", FINE)
def test_no_race(name: str):
    run(source_of(FINE[name]), arguments(), LAUNCH, RACES)


def test_race_between_far_groups():
    """The first and the last of many thread blocks, which come in different chunks."""
    source = """__kernel void k(__global int *a) {
      int g = get_global_id(0);
      a[g == get_global_size(0) - 1 ? 5 : g] = 1;
    }"""
    found = failure(source, [ints(200 * 32)], NDRange((200 * 32,), (32,)), RACES)
    assert found.message == (
        "data race: write of 'a' at byte offset 20 by global id (5, 0, 0) and write by "
        "(6399, 0, 0); different work-groups are not ordered (kernel 'k')"
    )


def test_ids_of_two_dimensions():
    source = "__kernel void k(__global int *a) { a[get_global_id(1)] = 1; }"
    found = failure(source, [np.zeros(8, np.int32)], NDRange((8, 4), (4, 2)), RACES)
    assert "by global id (0, 0, 0) and write by (1, 0, 0)" in found.message
