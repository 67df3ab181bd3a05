"""What host scripts share: the check of results and the sizes of kernel.toml."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kcc import workload
from kcc.workload import Tolerance

SPMV = str(Path(__file__).parents[2] / "kernels" / "spmv" / "workload.py")


def test_what_is_equal_passes():
    workload.check("ints", [1, 2], [1, 2])
    workload.check("nothing", [], [])
    workload.check("nan", [np.nan, np.inf], [np.nan, np.inf])
    workload.check("near", [1.0], [1.1], rtol=0.1)
    workload.check("near zero", [0.01], [0.0], atol=0.1)
    one = np.float32(1)
    workload.check("next", np.nextafter(one, np.float32(2)), one, ulp=1)


@pytest.mark.parametrize(
    ("got", "wanted", "tolerance", "message"),
    [
        ([1, 5, 9], [1, 2, 3], Tolerance(), r"2 of 3 .* first \[1\]: got 5, wanted 2; the worst"),
        (
            [1, 5],
            [1, 2],
            Tolerance(),
            r"1 of 2 values are wrong, the first \[1\]: got 5, wanted 2$",
        ),
        ([[0.0, 1.0]], [[0.0, 2.0]], Tolerance(rtol=0.1), r"first \[0, 1\]: got 1.0, wanted 2.0"),
        ([np.nan], [0.0], Tolerance(atol=1.0), r"got nan, wanted 0.0"),
        ([np.inf], [0.0], Tolerance(atol=1.0), r"got inf, wanted 0.0"),
        ([np.inf], [-np.inf], Tolerance(rtol=1.0), r"got inf, wanted -inf"),
        ([0.0], [np.nan], Tolerance(rtol=1.0), r"got 0.0, wanted nan"),
        ([2**60], [2**60 + 1], Tolerance(), r"1 of 1"),
        ([5.0], [np.inf], Tolerance(rtol=1.0), r"got 5.0, wanted inf"),
        ([1, 2], [1, 2, 3], Tolerance(), r"shape \(2,\), wanted \(3,\)"),
    ],
)
def test_differences_are_told(
    got: list[float], wanted: list[float], tolerance: Tolerance, message: str
):
    bounds = {"rtol": tolerance.rtol, "atol": tolerance.atol, "ulp": tolerance.ulp}
    with pytest.raises(AssertionError, match="^out: .*" + message):
        workload.check("out", got, wanted, **bounds)


def test_units_in_the_last_place():
    one = np.float32(1)
    after = np.nextafter(np.nextafter(one, np.float32(2)), np.float32(2))
    with pytest.raises(AssertionError):
        workload.check("two steps", after, one, ulp=1)


def test_checks_are_recorded_with_copies():
    values = np.arange(3)
    with workload.recording() as checked:
        workload.check("values", values, values, atol=0.5)
        values[:] = 7
    workload.check("later", 1, 1)
    (record,) = checked
    assert (record.name, record.tolerance) == ("values", Tolerance(atol=0.5))
    np.testing.assert_array_equal(record.got, [0, 1, 2])


def test_sizes_and_defines():
    sizes = workload.sizes(SPMV, "tiny")
    assert (sizes.dim, sizes.GROUP) == (301, 128)
    with pytest.raises(ValueError, match=r"no size 'big' in .*kernel.toml; it has tiny, small"):
        workload.sizes(SPMV, "big")


def test_roundup():
    assert [workload.roundup(n, 8) for n in (0, 1, 8, 9)] == [0, 8, 8, 16]
