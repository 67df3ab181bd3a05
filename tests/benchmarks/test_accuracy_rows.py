"""Rows of the accuracy benchmark: which are one configuration, and the journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.accuracy_rows import Journal, Place, configurations, request_of
from benchmarks.accuracy_tables import Row, Table

TABLES = (
    Table("one.csv", "rtx3090", "k.cu", "k"),
    Table("other.csv", "rtx2080ti", "k.cu", "k", clock_mhz=1790),
)


def row(width: int, **others: str) -> Row:
    block, tile = {"BLOCK_SIZE_X": str(width), "BLOCK_SIZE_Y": "4"}, {"TILE_SIZE_X": "2"}
    sizes = block | tile | {"TILE_SIZE_Y": "1", "IMAGE_WIDTH": "4096", "IMAGE_HEIGHT": "4096"}
    return {**sizes, "grid_blocks": "", "block": "", "time_ms": "", "status": "Failed", **others}


def folder_of(path: Path, text: str = "void k();") -> Path:
    (path / "k.cu").write_text(text)
    return path


def test_rows_of_two_tables_with_the_same_macros_are_one_configuration() -> None:
    places = [Place(table, n, row(w)) for table in TABLES for n, w in enumerate((32, 64))]
    found = configurations(places)
    assert [[place.key for place in each] for each in found] == [
        ["one.csv 0", "other.csv 0"], ["one.csv 1", "other.csv 1"],
    ]  # fmt: skip


def test_a_row_that_failed_has_the_launch_of_its_macros(tmp_path: Path) -> None:
    asked = request_of(TABLES[0], row(96), folder_of(tmp_path)).other_launch.request
    ran = {"grid_blocks": "22.1024.1", "block": "96.4.1", "status": "Ok"}
    assert request_of(TABLES[0], row(96, **ran), tmp_path).other_launch.request == asked
    assert asked.grid is not None
    assert len(asked.grid) == 2


def test_a_journal_goes_on_behind_what_was_written_to_its_end(tmp_path: Path) -> None:
    folder, path = folder_of(tmp_path), tmp_path / "rows.jsonl"
    Journal(path, TABLES, folder).add([("one.csv 0", {"ours_ms": 1.5}), ("one.csv 1", {})])
    with path.open("a") as file:
        file.write('{"row": "one.csv 2", "ent')
    again = Journal(path, TABLES, folder)
    assert again.entries == {"one.csv 0": {"ours_ms": 1.5}, "one.csv 1": {}}
    again.add([("one.csv 2", {"ours_ms": 2.0})])
    assert Journal(path, TABLES, folder).entries["one.csv 2"] == {"ours_ms": 2.0}


def test_a_journal_of_another_source_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    Journal(path, TABLES, folder_of(tmp_path))
    with pytest.raises(SystemExit, match="of other sources"):
        Journal(path, TABLES, folder_of(tmp_path, "void other();"))
