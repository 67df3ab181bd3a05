"""Numbers of sectors in sentences."""

from kcc.report.analysis.costs import sectors


def test_one_is_singular() -> None:
    assert [sectors(n) for n in (1, 1.0, 1.25, 4, 0)] == [
        "1 sector", "1 sector", "1.25 sectors", "4 sectors", "0 sectors",
    ]  # fmt: skip
