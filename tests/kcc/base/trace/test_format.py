"""The file is as docs/reference/trace.md says: a reader written from it alone agrees with ours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kcc.base.trace.reader import LaunchTrace, open_trace
from tests.kcc.base.trace.files import rows, small_launches, write
from tests.kcc.base.trace.plain_reader import Reader, Step
from tests.kcc.base.trace.sample import SAMPLE
from tests.kcc.base.trace.sample import write as write_sample

PAGE = SAMPLE.with_name("reference") / "trace.md"


def ours(launch: LaunchTrace) -> dict[tuple[int, int], list[Step]]:
    found = dict[tuple[int, int], list[Step]]()
    for block, warp, segment, _, mask, touched in rows(launch.batches()):
        found.setdefault((block, warp), []).append((block, warp, segment, mask, touched))
    return found


def compare(path: Path) -> None:
    plain = Reader(path)
    with open_trace(path) as trace:
        assert trace.header.program == plain.header["program"]
        assert [t.to_json() for t in trace.tables] == plain.tables
        assert len(trace.launches) == len(plain.launches)
        for number, launch in enumerate(trace.launches):
            assert ours(launch) == plain.warps(number)
            described = plain.launches[number].described
            assert [b.address for b in launch.launch.buffers] == [
                b["address"] for b in described["buffers"]
            ]


def test_sample():
    compare(SAMPLE)


def test_sample_holds_what_the_engine_leaves(tmp_path: Path):
    write_sample(tmp_path / "x.kct")
    with open_trace(SAMPLE) as kept, open_trace(tmp_path / "x.kct") as made:
        assert kept.header == made.header
        assert kept.tables == made.tables
        for old, new in zip(kept.launches, made.launches, strict=True):
            assert old.launch == new.launch
            assert old.totals == new.totals
            assert ours(old) == ours(new)


def test_workloads(tmp_path: Path):
    compare(write(tmp_path / "x.kct", small_launches()))


def test_hexdump_of_the_page_is_that_of_the_sample():
    text = PAGE.read_text(encoding="utf-8")
    lines = re.findall(r"^([0-9a-f]{8})  ((?:[0-9a-f]{2} ?)+) {1,}\|", text, re.MULTILINE)
    data = SAMPLE.read_bytes()
    assert len(lines) > 5
    for place, shown in lines:
        part = bytes.fromhex(shown)
        assert data[int(place, 16) :][: len(part)] == part


@pytest.mark.parametrize("name", ["HEAD", "KERN", "LNCH", "CHNK", "CLSS", "CLWD", "DONE", "TEND"])
def test_sample_has_every_record(name: str):
    tags = {tag.decode() for tag, _ in Reader(SAMPLE).places} | {"TEND"}
    assert name in tags
    assert f"`{name}`" in PAGE.read_text(encoding="utf-8")
