"""The page of `kcc estimate --html`, read as a browser would take it apart."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from kcc.cli import main

SOURCE = """__kernel void scale(__global float *x, int n) {
  int i = get_global_id(0); /* <script>alert(1)</script> */
  if (i < n) x[i] = x[i] * STEP;
}
"""
VOID = {"meta"}


class Page(HTMLParser):
    """Elements in order, text of the table's cells, and what is open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open, self.tags = list[str](), list[tuple[str, dict[str, str | None]]]()
        self.rows = list[list[str]]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("page")
    (folder / "scale.cl").write_text(SOURCE)
    target = folder / "page.html"
    options = ["--gpu", "v100", "--gpu", "a100", "--sweep", "STEP=2,3,4*", "--global", "65536",
               "--local", "128", "--arg", "n=65536", "--html", str(target)]  # fmt: skip
    assert main(["estimate", str(folder / "scale.cl"), *options]) == 0
    return target.read_text(encoding="utf-8")


def test_every_element_is_closed(page: str) -> None:
    assert Page(page).open == []


def test_nothing_is_fetched(page: str) -> None:
    for tag, attributes in Page(page).tags:
        assert "src" not in attributes
        assert tag != "link"
        assert not (attributes.get("href") or "#").partition("#")[0]
    assert "@import" not in page
    assert "url(" not in page


def test_a_row_for_every_configuration(page: str) -> None:
    head, *rows = Page(page).rows[:7]
    assert head[:3] == ["kernel", "time", "range"]  # what a narrow screen shows first
    times = [row for row in rows if row[1] != "-"]
    reasons = [row for row in rows if row[1] == "-"]
    assert (len(times), len(reasons)) == (4, 2)
    assert all(row[head.index("GPU")].startswith("nvidia") for row in times)
    assert all(re.match(r"K\d{3}: ", row[2]) for row in reasons)
    # The reason takes the place of four columns.
    assert all(row[head.index("GPU") - 3].startswith("nvidia") for row in reasons)


def test_stacks_are_full_bars(page: str) -> None:
    stacks = re.findall(r'<div class="stack">(.*?)</div>', page)
    assert len(stacks) == 8  # four in the table, four in full
    for stack in stacks:
        widths = [float(width) for width in re.findall(r"width:([\d.]+)%", stack)]
        assert 98 < sum(widths) <= 100.1


def test_models_that_call_a_cause_differently_share_its_colour(tmp_path: Path) -> None:
    """One key for each colour, and each part of a bar has the colour of its key."""
    source, target = tmp_path / "scale.cl", tmp_path / "page.html"
    source.write_text(SOURCE.replace("STEP", "2.0f"))
    options = ["--gpu", "v100", "--global", "65536", "--local", "128", "--arg", "n=65536"]
    assert main(["estimate", str(source), *options, "--model", "all", "--html", str(target)]) == 0
    text = target.read_text(encoding="utf-8")
    keys = re.findall(r'background:(#\w+)"></i>([^<]+)<', text)
    assert len({color for color, _ in keys}) == len(keys)
    named = {name: color for color, names in keys for name in names.split(", ")}
    assert {"long scoreboard: DRAM", "launch overhead"} <= set(named)
    for color, name in re.findall(r'background:(#\w+)" title="(.+?) [\d.]+ of ', text):
        assert named[name] == color


def test_the_source_is_text_and_warm(page: str) -> None:
    assert "alert(1)" in page
    assert "<script>alert" not in page
    heats = [float(h) for h in re.findall(r'class="cost" style="--heat:([\d.]+)"', page)]
    assert max(heats) == 0.55
    assert min(heats) == 0


def test_sorting_is_in_the_page(page: str) -> None:
    assert page.count("<script>") == 1
    assert "aria-sort" in page
    cells = [a for tag, a in Page(page).tags if tag == "td" and "data-value" in a]
    assert all(float(a["data-value"] or "") > 0 for a in cells)


def test_shells_complete_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert main(["completion", shell]) == 0
        script = capsys.readouterr().out
        for option in ("ablate", "model", "resume", "jobs", "html", "rename"):
            assert option in script
