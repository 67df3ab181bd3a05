from __future__ import annotations

import pytest

from kcc.report.shared.text import share_text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"), (0.00001, "<0.01 %"), (0.0013, "0.13 %"), (0.004, "0.4 %"), (0.01, "1 %"),
        (0.37, "37 %"), (0.99, "99 %"), (0.996, "99.6 %"), (0.99999, "99.9 %"), (1.0, "100 %"),
    ],
)  # fmt: skip
def test_what_is_not_all_is_never_100_percent_and_what_is_not_nothing_never_0(
    share: float, text: str
):
    assert share_text(share) == text
