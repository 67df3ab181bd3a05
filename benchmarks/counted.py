"""What estimates count beside what was counted on the GPU: registers, instructions, memory traffic.

    python -m benchmarks.counted ledger.json ...

Each ``ledger.json`` is what `python -m benchmarks.ledger --json` wrote. Of tables with counters,
rows that have an estimate: in how many registers are equal and at most two off, how far warp
instructions are off where they are equal and in all, and how far every other counter is.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

NEAR = 2
"""Registers of a lane by which two versions of ptxas may differ without another occupancy: a GPU
allocates them to a warp in steps of eight."""


def off(rows: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    """Per cent that a counter is off, of rows that have it."""
    pairs = (row["counters"][name] for row in rows if name in row["counters"])
    return [100 * abs(ours / counted - 1) for counted, ours in pairs if counted]


def told(values: Sequence[float]) -> str:
    """Median, mean and worst."""
    return f"{median(values):.2f} {mean(values):.2f} {max(values):.1f}" if values else "-"


def lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is said of one table's rows."""
    apart = [abs(ours - counted) for counted, ours in (r["counters"]["registers"] for r in rows)]
    equal = [row for row, each in zip(rows, apart, strict=True) if not each]
    near = sum(each <= NEAR for each in apart)
    found = [
        f"registers equal in {100 * len(equal) / len(rows):.1f} %",
        f"registers within {NEAR} in {100 * near / len(rows):.1f} %",
        f"warp instructions where they are equal: {told(off(equal, 'warp_instructions'))}",
    ]
    names = dict.fromkeys(name for row in rows for name in row["counters"])
    return found + [f"{n}: {told(off(rows, n))}" for n in names if n != "registers"]


def main() -> int:
    """Print them by document and table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("documents", type=Path, nargs="+")
    for path in parser.parse_args().documents:
        document: Any = json.loads(path.read_text(encoding="utf-8"))
        tables = dict[str, list[Mapping[str, Any]]]()
        for row in document["rows"]:
            if row["time_us"] and "registers" in row["counters"]:
                tables.setdefault(row["table"], []).append(row)
        for name, rows in tables.items():
            print(
                f"{name}, {len(rows)} rows at {document['commit']} (per cent: median, mean, worst)"
            )
            print("\n".join(f"  {line}" for line in lines(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
