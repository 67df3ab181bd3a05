"""Cases: scans, histograms and sorting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.kernels.case import Case
from tests.kernels.harness import Array
from tests.kernels.references import collections

Args = Mapping[str, Any]


def scan_naive(a: Args) -> dict[str, Array]:
    return {"out": collections.exclusive_scan(a["in"], 128)}


def scan_block(a: Args) -> dict[str, Array]:
    return {
        "out": collections.exclusive_scan(a["in"], 256),
        "block_sums": collections.block_sums(a["in"], 256),
    }


def add_offsets(a: Args) -> dict[str, Array]:
    return {"data": collections.add_offsets(a["data"], a["offsets"], 256)}


def histogram_global(a: Args) -> dict[str, Array]:
    return {"d_Histogram": collections.histogram(a["d_Data"])}


def histogram256(a: Args) -> dict[str, Array]:
    groups = a["d_PartialHistograms"].size // 256
    return {"d_PartialHistograms": collections.partial_histograms(a["d_Data"], groups, 256)}


def merge_histogram256(a: Args) -> dict[str, Array]:
    partial = a["d_PartialHistograms"].reshape(-1, 256)
    return {"d_Histogram": partial.sum(axis=0, dtype=partial.dtype)}


CASES = [
    Case("scan", "scan_naive", scan_naive),
    Case("scan", "scan_block", scan_block),
    Case("scan", "add_offsets", add_offsets),
    Case("histogram", "histogram_global", histogram_global),
    Case("histogram", "histogram256", histogram256),
    Case("histogram", "mergeHistogram256", merge_histogram256),
]
