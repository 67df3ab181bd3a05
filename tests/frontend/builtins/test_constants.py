"""Predefined macros: the same values as PoCL's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kcc.frontend.builtins.constants import EXTENSIONS, PREDEFINED_MACROS
from tests.frontend.builtins.pocl_values import opencl
from tests.pocl import build

_NO_VALUE = {"NULL", "kernel_exec(X, typen)"}

_OTHERWISE = {
    "__IMAGE_SUPPORT__": "not an image device in every build",
    "cl_khr_fp16": "no halves",
    "cl_khr_3d_image_writes": "no writes to 3D images in every build",
    "FP_ILOGBNAN": "INT_MIN in its own header, against the OpenCL header of clang",
    "true": "a bool in clang, an integer constant in the specification (6.1.1)",
    "false": "likewise",
}
"""Macros that PoCL's CPU device leaves out or defines otherwise."""


def _values() -> list[str]:
    return [
        name
        for name in PREDEFINED_MACROS
        if name not in _NO_VALUE | _OTHERWISE.keys() and "half" not in PREDEFINED_MACROS[name]
    ]


_NOT_POCLS = ("HALF_", "CL_VERSION_", "__OPEN", "cl_")
"""Begin the names of what differs, or of extensions that PoCL need not have."""


@pytest.mark.pocl
def test_values_are_those_of_pocl(pocl_context: Any) -> None:
    """Each value, its size and whether it is an integer, under our name and under PoCL's."""
    values = [name for name in _values() if not name.startswith(_NOT_POCLS)]
    lines = [
        f"out[{4 * n}] = (double)({text}); out[{4 * n + 1}] = sizeof({text}); "
        f"out[{4 * n + 2}] = ({text}) / 2 * 2 == ({text}); out[{4 * n + 3}] = ({text}) > 0;"
        for n, text in enumerate([*values, *(PREDEFINED_MACROS[v] for v in values)])
    ]
    body = "\n".join(lines)
    cl = opencl()
    source = f"kernel void k(global double* out) {{\n{body}\n}}"
    program: Any = build(pocl_context, source, "-cl-std=CL1.2")
    out = np.zeros((2 * len(values), 4))
    buffer = cl.Buffer(pocl_context, cl.mem_flags.WRITE_ONLY, out.nbytes)
    queue = cl.CommandQueue(pocl_context)
    program.k(queue, (1,), (1,), buffer)
    cl.enqueue_copy(queue, out, buffer)
    theirs, ours = out[: len(values)], out[len(values) :]
    wrong = [v for v, a, b in zip(values, theirs, ours, strict=True) if not _equal(a, b)]
    assert len(values) > 100
    assert wrong == []


def _equal(first: Any, second: Any) -> bool:
    return np.array_equal(first, second, equal_nan=True)


def test_half_constants() -> None:
    """The numbers of IEEE 754 binary16."""
    info = np.finfo(np.float16)
    expected = {"HALF_MAX": info.max, "HALF_MIN": info.tiny, "HALF_EPSILON": info.eps}
    for name, value in expected.items():
        text = PREDEFINED_MACROS[name]
        assert text.startswith("((half)")
        assert float.fromhex(text[len("((half)") : -2]) == float(value)
    assert PREDEFINED_MACROS["HALF_MANT_DIG"] == str(info.nmant + 1)


def test_versions_and_extensions() -> None:
    assert PREDEFINED_MACROS["__OPENCL_C_VERSION__"] == "120"
    assert PREDEFINED_MACROS["__OPENCL_VERSION__"] == "120"
    assert all(PREDEFINED_MACROS[name] == "1" for name in EXTENSIONS)
    assert "__FAST_RELAXED_MATH__" not in PREDEFINED_MACROS
