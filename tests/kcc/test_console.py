from __future__ import annotations

import io
import sys

import pytest

from kcc.commands.console import choose_style, paint_messages


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def become_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard output is a terminal from here on (pytest puts its own back before each phase)."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return stream


@pytest.mark.parametrize(("columns", "width"), [("72", 72), ("10", 40), ("500", 160), ("120", 120)])
def test_width_is_that_of_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: str, width: int):
    become_terminal(monkeypatch)
    monkeypatch.setenv("COLUMNS", columns)
    assert choose_style("auto", None, "-").width == width
    assert choose_style("auto", 77, "-").width == 77
    assert choose_style("auto", None, "report.txt").width == 100


def test_no_colors_where_they_are_not_welcome(monkeypatch: pytest.MonkeyPatch):
    become_terminal(monkeypatch)
    assert choose_style("auto", None, "-").colored
    assert not choose_style("auto", None, "report.txt").colored
    assert not choose_style("never", None, "-").colored
    monkeypatch.setenv("TERM", "dumb")
    assert not choose_style("auto", None, "-").colored
    assert choose_style("always", None, "report.txt").colored


def test_characters_outside_ascii_only_where_they_can_be_written(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "latin-1"))
    assert not choose_style("auto", None, "-").unicode
    assert choose_style("auto", None, "report.txt").unicode


MESSAGES = """\
k.cl:1:2: error[K301]: unknown name 'x: y'
    1 | a: error: b
      |     ^
k.cl:2:1: note: declared here
error[K009]: bad usage
  hint: error: none
"""


def test_messages_are_painted_on_a_terminal(monkeypatch: pytest.MonkeyPatch):
    painted = paint_messages(MESSAGES, become_terminal(monkeypatch)).splitlines()
    assert painted[0].startswith("\x1b[1;31mk.cl:1:2: error[K301]\x1b[0m: unknown")
    assert painted[3].startswith("\x1b[1;36mk.cl:2:1: note\x1b[0m: declared")
    assert painted[4].startswith("\x1b[1;31merror[K009]\x1b[0m: bad")
    assert [painted[1], painted[2], painted[5]] == [
        MESSAGES.splitlines()[1],
        MESSAGES.splitlines()[2],
        MESSAGES.splitlines()[5],
    ]


def test_messages_stay_plain_elsewhere():
    assert paint_messages(MESSAGES, io.StringIO()) == MESSAGES
