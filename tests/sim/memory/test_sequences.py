"""Where sequences of loads end, on small programs of machine code and of OpenCL C."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kcc.base.gpu import load_gpu
from kcc.sim.memory.facts import Op, Stream
from kcc.sim.memory.runs import stream_of, subjects_of_list
from kcc.sim.memory.sequences_native import ACCESS_SHIFT, BEGINS, OP_MASK, OP_SHIFT
from tests.sim.cycle.sass import GLOBAL, Warp, one_lane, write

LINE = 128


def stream(folder: Path, warp: Warp) -> Stream:
    warp.op("EXIT")
    (subject,) = subjects_of_list(str(write(folder, [[warp]])))
    return stream_of(subject, load_gpu("accelsim-sm7-qv100"))[0]


def sequences(found: Stream) -> list[str]:
    """Of each sequence the operations: l, s, a or b."""
    texts = list[str]()
    for word in found.info.tolist():
        letter = Op((word >> OP_SHIFT) & OP_MASK).name[0].lower()
        if word & BEGINS:
            texts.append("")
        texts[-1] += letter
    return texts


def load(warp: Warp, to: int, of: int = 100, line: int = 0) -> None:
    one_lane(warp, "LDG.E", to, (of,), GLOBAL + line * LINE)


def store(warp: Warp, of: int, line: int = 0) -> None:
    one_lane(warp, "STG.E", None, (100, of), GLOBAL + line * LINE)


def test_loads_that_need_nothing_of_each_other_go_together(tmp_path: Path) -> None:
    warp = Warp()
    for n in range(5):
        load(warp, n + 1, line=n)
    found = stream(tmp_path, warp)
    assert sequences(found) == ["lllll"]
    assert found.sequences == 1
    assert found.lengths.tolist() == [[1]]
    assert found.lines.tolist() == [GLOBAL // LINE + n for n in range(5)]


def test_an_address_out_of_a_load_begins_another(tmp_path: Path) -> None:
    """Through an addition; the third load needs nothing and joins the second."""
    warp = Warp()
    load(warp, 1)
    warp.op("IADD3", 2, (1, 100))
    load(warp, 3, of=2)
    load(warp, 4)
    assert sequences(stream(tmp_path, warp)) == ["l", "ll"]


def test_a_load_that_comes_again_begins_another(tmp_path: Path) -> None:
    warp = Warp()
    for n in range(3):
        one_lane(warp, "LDG.E", 1, (100,), GLOBAL + n * LINE)
    assert sequences(stream(tmp_path, warp)) == ["l", "l", "l"]


def test_stores_follow_loads_and_end_them(tmp_path: Path) -> None:
    warp = Warp()
    load(warp, 1)
    load(warp, 2)
    store(warp, 1)
    store(warp, 2, 1)
    load(warp, 3)
    assert sequences(stream(tmp_path, warp)) == ["llss", "l"]


def test_a_barrier_ends_a_sequence(tmp_path: Path) -> None:
    warp = Warp()
    load(warp, 1)
    warp.op("BAR.SYNC")
    load(warp, 2)
    assert sequences(stream(tmp_path, warp)) == ["l", "b", "l"]


def test_a_branch_on_a_loaded_value_ends_a_sequence(tmp_path: Path) -> None:
    warp = Warp()
    load(warp, 1)
    load(warp, 2)
    warp.op("BRA", None, (1,))
    load(warp, 3)
    assert sequences(stream(tmp_path, warp)) == ["ll", "l"]


def test_an_access_is_one_entry_for_each_line(tmp_path: Path) -> None:
    """32 lanes, 8 bytes apart: two lines of four sectors each; loads of machine code are apart."""
    warp = Warp()
    warp.op("LDG.E", 1, (100,), [GLOBAL + 8 * n for n in range(32)])
    warp.op("LDG.E", 2, (100,), [GLOBAL + 4 * n + 512 for n in range(32)])
    found = stream(tmp_path, warp)
    assert (np.diff(found.lines) != 0).all()
    assert [w & 15 for w in found.info.tolist()] == [15, 15, 15]
    assert [w >> ACCESS_SHIFT for w in found.info.tolist()] == [0, 0, 1]
    assert [a.instruction for a in found.accesses] == [0, 1]
