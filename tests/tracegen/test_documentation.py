"""The Python example of docs/explanation/execution.md runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "execution.md"


def test_example():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    done = names["done"]
    np.testing.assert_array_equal(done.buffers[0], np.full(1024, 2, np.float32))
    assert done.thread_instructions == 32 * done.warp_instructions
