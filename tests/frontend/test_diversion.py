"""What a library writes on the error stream is caught, and nothing else."""

from __future__ import annotations

import os

import pytest

from kcc.frontend.diversion import diverted_stderr


def test_lines_are_caught_and_the_stream_is_given_back(capfd: pytest.CaptureFixture[str]) -> None:
    with diverted_stderr() as lines:
        os.write(2, b"one\ntwo \xff\n")
    os.write(2, b"three\n")
    assert lines == ["one", "two \ufffd"]
    assert capfd.readouterr().err == "three\n"


def test_the_stream_is_given_back_after_an_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="broken"), diverted_stderr():
        raise ValueError("broken")
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "after\n"


def test_without_an_error_stream_nothing_is_caught() -> None:
    saved = os.dup(2)
    os.close(2)
    try:
        with diverted_stderr() as lines:
            pass
    finally:
        os.dup2(saved, 2)
        os.close(saved)
    assert lines == []
