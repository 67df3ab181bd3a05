"""What a terminal is told while a long command works: the share that is done and the time left."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kcc import cli
from kcc.commands import hosts, progress
from kcc.commands.progress import progress_line

LINE = re.compile(r"(\d+) %(?:, [\d.,]+ M instructions/s)?, [\d,]+ s left, (.+)")


def is_one(_stream: object) -> bool:
    """Whether it is a terminal."""
    return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Standard error is a terminal, which is told at once."""
    monkeypatch.setattr(progress, "is_terminal", is_one)
    monkeypatch.setattr(progress, "REFRESH_SECONDS", 0.0)


@pytest.fixture(autouse=True, scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The models, in this process: the compiler of a process that a test begins would count."""
    target = str(tmp_path_factory.mktemp("compiled") / "s.json")
    words = ["simulate", "docs/sample.kct", "--launches", "0", "--gpu", "v100"]
    assert cli.main([*words, "--json", target]) == 0


def lines(text: str) -> list[tuple[int, str]]:
    return [(int(m[1]), m[2]) for m in LINE.finditer(text.replace("\r", "\n"))]


def test_a_profile_of_a_trace(tmp_path: Path, terminal: None, capsys: pytest.CaptureFixture[str]):
    trace = str(tmp_path / "bfs.kct")
    assert cli.main(["trace", "kernels/bfs/workload.py", "--size", "tiny", "-o", trace]) == 0
    capsys.readouterr()
    assert cli.main(["profile", trace]) == 0
    said = lines(capsys.readouterr().err)
    shares = [share for share, _ in said]
    assert len(said) > 3
    assert shares == sorted(shares)
    assert shares[-1] >= 90
    assert {words.split(" of ")[-1] for _, words in said} == {"BFS_1", "BFS_2"}


def test_a_synthesis_that_verifies(
    tmp_path: Path, terminal: None, capsys: pytest.CaptureFixture[str]
):
    words = ["synth", "kernels/vecadd/workload.py", "--size", "tiny", "--verify", "--gpu", "v100"]
    assert cli.main([*words, "-o", str(tmp_path / "mini")]) == 0
    said = capsys.readouterr().err
    for what in ("the original", "a miniature"):
        assert re.search(rf"\d+ %, [^\r]*simulating {what} on nvidia-tesla-v100", said)


def test_a_script_says_how_far_its_launch_is(monkeypatch: pytest.MonkeyPatch):
    """While a profiler looks at launches, each says its share of thread blocks."""
    from kcc.commands import launch_progress

    seen = list[str]()
    plain = launch_progress.WatchedLaunch.before

    def before(self: launch_progress.WatchedLaunch, launch: object) -> object:
        take = plain(self, launch)  # pyright: ignore[reportArgumentType] - passed on
        assert take is not None

        def recorded(first: int, words: object) -> None:
            take(first, words)  # pyright: ignore[reportArgumentType] - passed on
            seen.append(self.words())

        return recorded

    monkeypatch.setattr(hosts, "is_terminal", is_one)
    monkeypatch.setattr(launch_progress.WatchedLaunch, "before", before)
    words = ["profile", "kernels/vecadd/workload.py", "--size", "small"]
    assert cli.main([*words, "--workers", "1"]) == 0  # two threads would compile all twice
    told = [each for each in seen if each]
    assert told
    assert all(re.fullmatch(r", launch \d+ of vecadd\w*: \d+ %, \d+ s left", t) for t in told)


def test_the_line():
    assert progress_line(0.25, 3_000_000, 3.0, "x") == "25 %, 1.00 M instructions/s, 9 s left, x"
    assert progress_line(0.25, 0, 3.0, "") == "25 %, 9 s left"
