"""What a model is given, and what it had to assume."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.base.gpu import Assumption, GpuReader, load_gpu


def test_known_values_are_recorded_and_weak_ones_named():
    reader = GpuReader(load_gpu("v100"))
    assert reader.integer("sm_count") == 80
    assert reader.number("latency_cycles.atomic_global") == 243.6
    assert reader.text("arch") == "Volta"
    assert reader.assumptions == ()
    assert list(reader.used) == ["sm_count", "latency_cycles.atomic_global", "arch"]
    assert list(reader.weak) == ["latency_cycles.atomic_global"]


def test_an_assumption_is_recorded_once_with_its_reason():
    reader = GpuReader(load_gpu("v100", ["l2.size_bytes=null"]))
    for _ in range(2):
        assert reader.integer("l2.size_bytes", assumed=4 << 20, reason="usual") == 4 << 20
    assert reader.assumptions == (Assumption("l2.size_bytes", 4 << 20, "bytes", "usual"),)


def test_what_is_neither_known_nor_assumed_is_an_error_that_names_the_key():
    reader = GpuReader(load_gpu("v100"))
    with pytest.raises(DiagnosticError, match="launch_overhead_cycles") as caught:
        reader.number("launch_overhead_cycles")
    assert caught.value.diagnostics[0].code == "K807"


@pytest.mark.parametrize(
    ("gpu", "overrides", "mhz"),
    [
        ("rtx3080", (), 1710 * 1.083),
        ("rtx3080", ("core_clock_boost_mhz=1800",), 1800 * 1.083),
        ("rtx3080", ("clock_over_boost=1",), 1710),
        ("rtx3080", ("core_clock_boost_mhz=null",), 1440),
        ("mi250x-gcd", (), 1700 * 0.895),
        ("l40", (), 2490),
        ("gtx480", (), 1401),
    ],
)
def test_the_clock_is_what_boards_run_at(gpu: str, overrides: tuple[str, ...], mhz: float):
    assert GpuReader(load_gpu(gpu, overrides)).clock_mhz() == pytest.approx(mhz)
