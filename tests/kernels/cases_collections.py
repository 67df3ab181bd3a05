"""Cases: scans, histograms and sorting."""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.kernels.case import Case
from tests.kernels.harness import Array
from tests.kernels.references import collections

Args = Mapping[str, Any]
Generator = np.random.Generator
KERNELS = Path(__file__).parents[2] / "kernels"


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


def distinct_keys(a: Args, rng: Generator) -> dict[str, Array]:
    """Keys without repeats: the network is not stable."""
    return {"d_SrcKey": rng.permutation(a["d_SrcKey"].size).astype(np.uint32)}


def bitonic_sort_local(a: Args) -> dict[str, Array]:
    keys, values = collections.alternately_sorted(a["d_SrcKey"], a["d_SrcVal"], 512)
    return {"d_DstKey": keys, "d_DstVal": values}


def bitonic_merge_global(a: Args) -> dict[str, Array]:
    keys, values = collections.bitonic_merge(
        a["d_SrcKey"], a["d_SrcVal"], a["size"], [a["stride"]], a["sortDir"]
    )
    return {"d_DstKey": keys, "d_DstVal": values}


def bitonic_merge_local(a: Args) -> dict[str, Array]:
    strides = [2**k for k in range(8, -1, -1)]
    keys, values = collections.bitonic_merge(
        a["d_SrcKey"], a["d_SrcVal"], a["size"], strides, a["sortDir"]
    )
    return {"d_DstKey": keys, "d_DstVal": values}


def repeated_keys(a: Args, rng: Generator) -> dict[str, Array]:
    """Keys of which many are equal, up to the largest."""
    keys = rng.integers(0, 501, int(a["n"])) * ((2**32 - 1) // 500)
    return {"in": keys.astype(np.uint32)}


def sort_block(a: Args) -> dict[str, Array]:
    return {"out": collections.sorted_runs(a["in"], 256)}


def runs(a: Args, rng: Generator) -> dict[str, Array]:
    return {"in": collections.sorted_runs(repeated_keys(a, rng)["in"], a["run"])}


def merged(a: Args) -> dict[str, Array]:
    return {"out": collections.sorted_runs(a["in"], 2 * a["run"])}


def genome(a: Args, rng: Generator) -> dict[str, Array]:
    """A reference with a repeat, its suffix tree by the workload's script, pieces as queries."""
    letters, length = int(a["reference"].size), int(a["length"])
    reference: Array = rng.integers(0, 4, letters, np.uint8)
    reference[letters // 2 : letters // 2 + 50] = reference[:50]
    begins = rng.integers(0, letters - length, int(a["count"]))
    queries: Array = reference[begins[:, None] + np.arange(length)]
    queries[::3, length // 2] ^= 1
    script = runpy.run_path(str(KERNELS / "suffixmatch" / "workload.py"))
    tree = dict(zip(("children", "starts", "ends"), script["suffix_tree"](reference, length),
                    strict=True))  # fmt: skip
    padded = {name: np.pad(table, (0, a[name].size - table.size)) for name, table in tree.items()}
    return {"reference": reference, "queries": queries.ravel(), **padded}


def suffix_match(a: Args) -> dict[str, Array]:
    """Each match by a search of the whole reference for each length."""
    text, length = a["reference"].tobytes(), int(a["length"])
    matches = np.zeros((a["queries"].size, 2), np.int32)
    for n in range(len(matches)):
        end = n - n % length + length
        suffix = a["queries"][n:end].tobytes()
        found = next(k for k in range(len(suffix), -1, -1) if suffix[:k] in text)
        matches[n] = text.find(suffix[:found]), found
    return {"matches": np.frombuffer(matches.tobytes(), a["matches"].dtype)}


CASES = [
    Case("scan", "scan_naive", scan_naive),
    Case("scan", "scan_block", scan_block),
    Case("scan", "add_offsets", add_offsets),
    Case("histogram", "histogram_global", histogram_global),
    Case("histogram", "histogram256", histogram256),
    Case("histogram", "mergeHistogram256", merge_histogram256),
    Case("histogram", "mergeHistogram256", merge_histogram256, names={"groups": 300}),
    Case("suffixmatch", "suffix_match", suffix_match, genome),
    Case("bitonic", "bitonicSortLocal1", bitonic_sort_local, distinct_keys),
    Case("bitonic", "bitonicMergeGlobal", bitonic_merge_global, distinct_keys),
    Case("bitonic", "bitonicMergeLocal", bitonic_merge_local, distinct_keys),
    Case("mergesort", "sort_block", sort_block, repeated_keys),
    Case("mergesort", "merge_by_rank", merged, runs),
    Case("mergesort", "merge_path", merged, runs),
    Case("mergesort", "merge_by_rank", merged, runs, names={"n": 1025, "run": 1024}),
    Case("mergesort", "merge_path", merged, runs, names={"n": 1500, "run": 512}),
]
