"""`kcc report DIR`, and the pages of profile and compare: what documents say stands on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kcc import cli

ROOT = Path(__file__).parents[2]
BFS = ROOT / "kernels" / "bfs"


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bfs")
    source, script = str(BFS / "bfs.cl"), (str(BFS / "workload.py"), "--size", "tiny")
    for name, words in (
        ("analysis", ("analyze", source)),
        ("before", ("estimate", source, "--gpu", "v100")),
        ("after", ("estimate", source, "--gpu", "v100", "--set", "sm_count=10")),
        ("profile", ("profile", *script)),
        ("run", ("run", *script)),
    ):
        assert cli.main([*words, "--json", str(folder / f"{name}.json")]) == 0
    compared = ("compare", str(folder / "before.json"), str(folder / "after.json"))
    assert cli.main([*compared, "--json", str(folder / "comparison.json")]) == 0
    return folder


def page_of(folder: Path, *words: str) -> str:
    target = folder / "page.html"
    assert cli.main(["report", str(folder), "--html", str(target), *words]) == 0
    return target.read_text(encoding="utf-8")


def test_a_page_has_each_document(documents: Path):
    text = page_of(documents)
    for title in ("Analysis", "Estimate", "Comparison", "Run", "Profile"):
        assert f">{title}<small" in text
    estimate = json.loads((documents / "before.json").read_text(encoding="utf-8"))
    fastest = min(estimate["estimates"], key=lambda each: each["time_us"])
    assert fastest["verdict"].split(";")[0] in text
    assert "http" not in text


def test_a_page_of_one_kernel_has_nothing_of_others(documents: Path):
    text = page_of(documents, "--kernel", "BFS_2")
    assert "BFS_2" in text
    assert "BFS_1" not in text
    assert "BFS_1 executes" in page_of(documents, "--kernel", "BFS_1")


def test_what_is_no_document_is_said_to_be_left_out(
    documents: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "a.json").write_text("{", encoding="utf-8")
    (tmp_path / "b.json").write_text('{"schema": "other/1"}', encoding="utf-8")
    assert cli.main(["report", str(tmp_path)]) == 1
    assert "holds no document of kcc" in capsys.readouterr().err
    (tmp_path / "run.json").write_bytes((documents / "run.json").read_bytes())
    assert cli.main(["report", str(tmp_path)]) == 0
    assert "left out: a.json is not JSON" in capsys.readouterr().out
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "b.json is not a document that the page shows" in text
    (tmp_path / "run.json").write_text('{"schema": "kcc/run/1"}', encoding="utf-8")
    assert cli.main(["report", str(tmp_path)]) == 1
    assert "not as its schema says" in capsys.readouterr().err
    assert cli.main(["report", str(tmp_path / "nowhere")]) == 1


def test_a_search_space_stands_on_the_page_with_its_verdict(tmp_path: Path):
    source = str(ROOT / "kernels" / "transpose" / "transpose.cl")
    words = ("tune", source, "--kernel", "transpose_tiled", "--gpu", "v100", "--sweep", "TILE=8,16",
             "--global", "256,64", "--local", "TILE,8", "-D", "ROWS=8")  # fmt: skip
    assert cli.main([*words, "--json", str(tmp_path / "tuning.json")]) == 0
    verdict = json.loads((tmp_path / "tuning.json").read_text(encoding="utf-8"))["verdict"]
    text = page_of(tmp_path, "--kernel", "transpose_tiled")
    assert "Tuning<small" in text
    assert verdict.split(";")[0] in text
    assert "TILE=8</td>" in text


def test_the_page_of_a_comparison(documents: Path, tmp_path: Path):
    target = tmp_path / "x.html"
    words = (str(documents / "before.json"), str(documents / "after.json"), "--fail-above", "2%")
    assert cli.main(["compare", *words, "--html", str(target)]) == 1
    text = target.read_text(encoding="utf-8")
    assert 'class="failed">+' in text
    assert "BFS_1 on nvidia-tesla-v100-pcie-16gb" in text


def test_the_page_of_a_profile_has_the_tables_of_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    target = tmp_path / "x.html"
    words = ("profile", str(BFS / "workload.py"), "--size", "tiny", "--html", str(target))
    capsys.readouterr()
    assert cli.main(list(words)) == 0
    said, text = capsys.readouterr().out, target.read_text(encoding="utf-8")
    for title in ("Instructions", "Control flow", "Loops", "Cached memory"):
        assert title in said
        assert f"<h3>{title}</h3>" in text
