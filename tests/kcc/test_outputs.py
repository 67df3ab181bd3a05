from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.commands.errors import UsageError
from kcc.commands.outputs import Output, check_targets, write_outputs


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def deny(_path: Path, _mode: int) -> bool:
    return False


def test_files_and_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    target = tmp_path / "a.json"
    write_outputs([Output(str(target), "a\n"), Output("-", "b\n")])
    assert target.read_text() == "a\n"
    assert capsys.readouterr().out == "b\n"
    assert names(tmp_path) == ["a.json"]


def test_a_failure_leaves_every_file_as_it_was(tmp_path: Path):
    good, bad = tmp_path / "good", tmp_path / "no" / "such"
    good.write_text("before")
    with pytest.raises(DiagnosticError) as caught:
        write_outputs([Output(str(good), "after"), Output(str(bad), "x")])
    assert [d.code for d in caught.value.diagnostics] == ["K008"]
    assert str(bad) in caught.value.diagnostics[0].message
    assert good.read_text() == "before"
    assert names(tmp_path) == ["good"]


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(descriptor: int, _mode: str) -> None:
        os.close(descriptor)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdopen", fail)
    with pytest.raises(DiagnosticError, match="No space left"):
        write_outputs([Output(str(tmp_path / "a"), "text")])
    assert names(tmp_path) == []


def test_a_folder_is_no_target(tmp_path: Path):
    with pytest.raises(DiagnosticError, match="directory"):
        write_outputs([Output(str(tmp_path), "text")])


def test_what_may_not_be_written_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "a"
    target.write_text("before")
    monkeypatch.setattr(os, "access", deny)
    with pytest.raises(DiagnosticError, match="Permission denied"):
        write_outputs([Output(str(target), "after")])
    assert target.read_text() == "before"


def test_links_and_modes_stay(tmp_path: Path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to("target")
    write_outputs([Output(str(link), "after")])
    assert link.is_symlink()
    assert target.read_text() == "after"
    assert target.stat().st_mode & 0o777 == 0o640


def test_devices_are_written_in_place():
    write_outputs([Output(os.devnull, "gone")])
    assert Path(os.devnull).is_char_device()


def test_characters_that_standard_output_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "out"
    with path.open("w", encoding="ascii") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        write_outputs([Output("-", "1 \N{MICRO SIGN}s\n")])
    assert path.read_text() == "1 ?s\n"


@pytest.mark.parametrize("targets", [["-", "-"], ["a", "a"]])
def test_two_products_in_one_place(targets: list[str]):
    with pytest.raises(UsageError, match="two outputs go to"):
        check_targets(targets, "k.cl")


def test_the_source_is_not_overwritten(tmp_path: Path):
    source = tmp_path / "k.cl"
    source.write_text("x")
    with pytest.raises(UsageError, match="would overwrite the source"):
        check_targets([f"{tmp_path}/./k.cl"], str(source))


def test_what_is_written_piece_by_piece(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    target = tmp_path / "a.json"
    write_outputs([Output(str(target), "", pieces=iter(["[1,", "é", "]"]))])
    assert target.read_text(encoding="utf-8") == "[1,é]"
    write_outputs([Output("-", "", pieces=iter(["[1,", "2]"]))])
    assert capsys.readouterr().out == "[1,2]"


def test_an_interrupt_between_pieces_leaves_nothing_behind(tmp_path: Path):
    def pieces() -> Iterator[str]:
        yield "half"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_outputs([Output(str(tmp_path / "a.json"), "", pieces=pieces())])
    assert not list(tmp_path.iterdir())
