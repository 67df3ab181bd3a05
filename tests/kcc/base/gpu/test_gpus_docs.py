"""docs/reference/gpus.md has the keys and qualities that there are."""

from __future__ import annotations

from pathlib import Path

from kcc.base.gpu.facts import QUALITY_MEANING, Quality
from kcc.report.gpus import keys_table

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "gpus.md"


def test_the_table_of_keys_is_that_of_the_schema():
    assert PAGE.read_text(encoding="utf-8").endswith(keys_table())


def test_every_quality_is_explained():
    assert set(QUALITY_MEANING) == set(Quality)
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"`{quality.value}` | {words}" in text for quality, words in QUALITY_MEANING.items())
