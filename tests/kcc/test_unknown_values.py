"""Cards of which not everything is known: what is assumed is listed, what is needed is named."""

from __future__ import annotations

import json

import pytest

from kcc import cli

SAXPY = ("estimate", "kernels/saxpy/saxpy.cl", "--kernel", "saxpy", "--size", "tiny")


GAPS = ("latency_cycles.dram", "latency_cycles.l2_hit")
"""Of the cards in the repository none has these any more."""


@pytest.mark.parametrize("gpu", ["rtx5090", "b200", "mi300x"])
def test_a_card_with_gaps_has_an_estimate_that_lists_them(
    gpu: str, capsys: pytest.CaptureFixture[str]
):
    gaps = [word for key in GAPS for word in ("--set", f"{key}=null")]
    assert cli.main([*SAXPY, "--gpu", gpu, *gaps, "--json", "-"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["estimates"]
    assert found["time_us"] > 0
    assumed = {each["key"] for each in found["confidence"]["assumed_gpu_values"]}
    assert set(GAPS) <= assumed
    low, high = found["range_us"]
    assert low < found["time_us"] < high


@pytest.mark.parametrize("key", ["memory_bandwidth_gbs", "l2.size_bytes"])
def test_a_value_that_nothing_can_stand_for_is_an_error_that_names_it(
    key: str, capsys: pytest.CaptureFixture[str]
):
    assert cli.main([*SAXPY, "--gpu", "b200", "--set", f"{key}=null"]) == 1
    said = capsys.readouterr().err
    assert f"error[K807]: '{key}' of nvidia-b200" in said
    assert f"--set {key}=VALUE" in said
