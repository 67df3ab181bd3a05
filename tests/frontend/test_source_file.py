"""Reading sources: what is refused, and places in texts with splices."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.frontend.source_file import MAX_SOURCE_BYTES, SourceFile, decode_source, read_source


def refusal(path: Path) -> Diagnostic:
    with pytest.raises(DiagnosticError) as caught:
        read_source(path)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


def test_reads_text_name_and_folder(tmp_path: Path) -> None:
    path = tmp_path / "a.cl"
    path.write_bytes(b"\xef\xbb\xbfint a;\r\nint b;\rint c;\n")
    source = read_source(path)
    assert source.text == "int a;\nint b;\nint c;\n"
    assert source.name == str(path)
    assert source.folder == str(tmp_path)
    assert read_source(path, name="shown").name == "shown"


def test_a_name_without_folder_is_in_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.cl").write_text("x")
    monkeypatch.chdir(tmp_path)
    assert read_source("a.cl").folder == "."


def test_what_cannot_be_read_is_k001(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.cl").code == "K001"
    assert "folder" in refusal(tmp_path).message
    assert refusal(Path("/dev/null")).code == "K001"
    assert refusal(tmp_path / "a\0b").code == "K001"
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    assert "no regular file" in refusal(fifo).message


def test_invalid_utf8_is_placed(tmp_path: Path) -> None:
    path = tmp_path / "a.cl"
    path.write_bytes("ab\nç ".encode() + b"\xe9x")
    diagnostic = refusal(path)
    assert diagnostic.code == "K002"
    assert diagnostic.span is not None
    assert (diagnostic.span.line, diagnostic.span.column) == (2, 3)


def test_too_large_is_k004(tmp_path: Path) -> None:
    path = tmp_path / "a.cl"
    path.write_bytes(b" " * (MAX_SOURCE_BYTES + 1))
    assert refusal(path).code == "K004"
    assert len(decode_source(b" " * MAX_SOURCE_BYTES, "a")) == MAX_SOURCE_BYTES


@given(st.text(alphabet="ab \\\n\t", max_size=60))
def test_every_character_keeps_its_place(text: str) -> None:
    file = SourceFile("a", ".", text)
    places = [file.place(offset) for offset in range(len(file.text))]
    assert places == sorted(set(places))
    lines = text.split("\n")
    for (line, column), character in zip(places, file.text, strict=True):
        assert (lines[line - 1] + "\n")[column - 1] == character


def test_splices_are_gone() -> None:
    file = SourceFile("a", ".", "ab\\\ncd\\  \n\\\ne\n")
    assert file.text == "abcde\n"
    assert [file.place(i) for i in range(5)] == [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]
    assert file.lines == ["ab\\", "cd\\  ", "\\", "e", ""]
