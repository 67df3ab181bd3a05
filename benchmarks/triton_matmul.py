"""Estimates of Triton's tutorial 03 beside times that its users posted (data/triton_matmul.csv).

    python -P -m benchmarks.triton_matmul FOLDER [--only a100] [--size 1024 --size 2944]

FOLDER holds Triton's `python/tutorials`; needs kcc[triton]. Of each size the configurations of the
tutorial are estimated, and the fastest stands for what its autotuner finds. A host that launches
slower than the GPU computes gives every small size the time of the smallest: rows of less than
HOST times that are counted apart.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

from kcc.api import estimate

CONFIGURATIONS = (
    (128, 256, 64, 3, 8), (64, 256, 32, 4, 4), (128, 128, 32, 4, 4), (128, 64, 32, 4, 4),
    (64, 128, 32, 4, 4), (128, 32, 32, 4, 4), (64, 32, 32, 5, 2), (32, 64, 32, 5, 2),
)  # fmt: skip
"""BLOCK_SIZE_M, _N, _K, num_stages, num_warps: those that the tutorial has for half precision."""

HOST = 1.5
SIGNATURE = ",".join(["*fp16"] * 3 + ["i32"] * 9)
TABLE = Path(__file__).parent / "data" / "triton_matmul.csv"
Row = dict[str, str]


def main() -> None:
    """Print a line for each row, and the errors of each source."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="rows whose GPU holds this")
    parser.add_argument("--size", type=int, action="append", help="only these sizes (repeatable)")
    arguments = parser.parse_args()
    with TABLE.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(line for line in stream if not line.startswith("#")))
    rows = [row for row in rows if arguments.only in row["gpu"]]
    for (source, version), own in groupby(rows, key=lambda r: (r["source"], r["triton"])):
        table = list(own)
        print(f"\n{table[0]['gpu']}, Triton {version}, {source}")
        print("size  measured us  estimated us  error %  configuration")
        print(_errors(list(_compared(table, arguments.folder, arguments.size))))


def measured_us(row: Row) -> float:
    """2 n^3 operations at the rate that was posted."""
    return 2 * int(row["size"]) ** 3 / float(row["triton_tflops"]) / 1e6


def of_host(rows: Sequence[Row]) -> float:
    """Below this time in microseconds the host decides."""
    return HOST * min(measured_us(row) for row in rows)


def _compared(rows: Sequence[Row], folder: Path, sizes: Sequence[int] | None) -> Iterator[float]:
    """Estimated over measured times, of rows that are not the host's."""
    least = of_host(rows)
    for row in rows:
        if sizes and int(row["size"]) not in sizes:
            continue
        measured = measured_us(row)
        if measured < least:
            print(f"{row['size']:>4}  {measured:11.1f}  the host's time")
            continue
        found, configuration = best_us(folder, row["gpu"], int(row["size"]))
        error = 100 * (found / measured - 1)
        print(f"{row['size']:>4}  {measured:11.1f}  {found:12.1f}  {error:+7.1f}  {configuration}",
              flush=True)  # fmt: skip
        yield found / measured


@cache
def best_us(folder: Path, gpu: str, size: int) -> tuple[float, str]:
    """The fastest configuration of a size and its time."""
    found = [(_estimated(folder, gpu, size, c), "x".join(map(str, c))) for c in CONFIGURATIONS]
    return min(found)


def _estimated(folder: Path, gpu: str, size: int, configuration: Sequence[int]) -> float:
    m, n, k, stages, warps = configuration
    macros = {
        "BLOCK_SIZE_M": m, "BLOCK_SIZE_N": n, "BLOCK_SIZE_K": k, "GROUP_SIZE_M": 8,
        "ACTIVATION": "''", "num_stages": stages, "num_warps": warps,
    }  # fmt: skip
    names = ("M", "N", "K", "stride_am", "stride_bk", "stride_cm")
    ones = ("stride_ak", "stride_bn", "stride_cn")
    options = ["--signature", SIGNATURE]
    for name, value in macros.items():
        options += ["-D", f"{name}={value}"]
    for name, value in (*((n, size) for n in names), *((n, 1) for n in ones)):
        options += ["--arg", f"{name}={value}"]
    result = estimate(
        f"{folder / '03-matrix-multiplication.py'}:matmul_kernel", gpu=gpu,
        grid=math.ceil(size / m) * math.ceil(size / n), options=options,
    )  # fmt: skip
    return result.best.time_us if result.best.time_us is not None else math.inf


def _errors(ratios: Sequence[float]) -> str:
    if not ratios:
        return "no row is the GPU's own time"
    mean = sum(abs(r - 1) for r in ratios) / len(ratios)
    return f"{len(ratios)} rows, mean error {100 * mean:.1f} %"


if __name__ == "__main__":
    main()
