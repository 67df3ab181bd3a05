"""Indexes of compiled code that name what is gone."""

from __future__ import annotations

import pickle

from kcc.base.native import index_of


def test_an_index_that_names_a_lost_record_is_an_empty_one() -> None:
    def lost() -> dict[str, int]:
        return pickle.loads(b"cno_such_module\nRecord\n.")

    assert index_of(lost) == {}
    assert index_of(lambda: {"signature": 1}) == {"signature": 1}
