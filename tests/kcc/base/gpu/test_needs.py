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
