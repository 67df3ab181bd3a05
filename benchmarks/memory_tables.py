"""Tables of the journal of benchmarks/memory.py."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

RATES = ("l1", "l2", "write")
SHARE = 0.9
"""Of errors that a calibrated interval is to hold."""

Row = dict[str, Any]


def print_tables(rows: Sequence[Row]) -> None:
    """All tables, as Markdown."""
    text, more = [r for r in rows if r["text"]], [r for r in rows if not r["text"]]
    print(f"{len(text)} launches of the text's benchmarks, {len(more)} of others\n")
    _kernels(rows)
    for name, own in (("the text's", text), ("others", more), ("all", rows)):
        _means(name, own)
    _coverage(rows)
    _ranking(rows)
    _ablations(rows)
    _snapshots(rows)
    _convergence(rows)
    _spmv(rows)
    _speed(rows)


def error(row: Row, rate: str, truth: str = "truth") -> float | None:
    """Points: model less cycle-level model; None where there is no such rate."""
    wanted: float | None = row[truth].get(rate)
    found: list[float] | None = row["model"][rate]
    if wanted is None or found is None:
        return None
    return 100 * (float(np.mean(found)) - wanted)


def deviation(row: Row, rate: str) -> float:
    """Of one trial, in points."""
    return 100 * float(np.std(row["model"][rate], ddof=1))


def _kernels(rows: Sequence[Row]) -> None:
    print("| workload | kernel | L1 reads | | L2 reads | | L2 writes | | rank |")
    print("|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        cells = list[str]()
        for rate in RATES:
            found = error(row, rate)
            wanted = row["truth"][rate]
            cells.append("" if found is None else f"{100 * wanted:.1f} %")
            cells.append("" if found is None else f"{found:+.1f} ±{2 * deviation(row, rate):.1f}")
        rank = spearman(*_latencies(row))
        cells.append("" if rank is None else f"{rank:.2f}")
        print(
            f"| {row['workload']} | {row['kernel']}, {row['launch']} | " + " | ".join(cells) + " |"
        )
    print()


def _means(name: str, rows: Sequence[Row]) -> None:
    for truth, words in (("truth", "pending = hit"), ("truth_pending_missed", "pending = miss")):
        parts = list[str]()
        for rate in RATES:
            found = [e for r in rows if (e := error(r, rate, truth)) is not None]
            if found:
                mean = float(np.mean(np.abs(found)))
                parts.append(
                    f"{rate} {mean:.2f} (n={len(found)}, largest {max(map(abs, found)):.1f})"
                )
        print(f"mean absolute error in points, {name}, {words}: " + "; ".join(parts))
    spread = [deviation(r, k) for r in rows for k in RATES if r["model"][k] is not None]
    print(f"deviation of a trial, {name}: mean {np.mean(spread):.2f}, largest {max(spread):.2f}\n")


def _coverage(rows: Sequence[Row]) -> None:
    """How often the cycle-level model lies within two deviations, and within an interval that is
    wider by what the kernels of other workloads need."""
    cases = [
        (r["workload"], k, abs(e), 2 * deviation(r, k))
        for r in rows for k in RATES if (e := error(r, k)) is not None
    ]  # fmt: skip
    plain = np.mean([e <= reach + 1e-9 for _, _, e, reach in cases])
    held, widths = list[bool](), list[float]()
    for workload, rate, e, reach in cases:
        others = sorted(
            max(o - w, 0.0) for name, k, o, w in cases if name != workload and k == rate
        )
        place = min(math.ceil((len(others) + 1) * SHARE), len(others)) - 1
        widths.append(reach + others[place])
        held.append(e <= reach + others[place] + 1e-9)
    print(f"coverage of mean +- 2 deviations: {100 * plain:.0f} % of {len(cases)}")
    print(f"coverage with what 90 % of other workloads need added: {100 * np.mean(held):.0f} %, "
          f"half width {np.mean(widths):.1f} points in the mean")  # fmt: skip
    for rate in RATES:
        own = [(h, w) for (_, k, _, _), h, w in zip(cases, held, widths, strict=True) if k == rate]
        print(f"  {rate}: {100 * np.mean([h for h, _ in own]):.0f} % of {len(own)}, "
              f"half width {np.mean([w for _, w in own]):.1f}")  # fmt: skip
    print()


def _latencies(row: Row) -> tuple[list[float], list[float]]:
    """X and the cycle-level model's mean latency of each static load."""
    x = {each["static"]: each["cycles"] for each in row["x"]}
    pairs = [(x[load["static"]], load["cycles"]) for load in row["loads"]]
    known = [(a, b) for a, b in pairs if a is not None]
    return [a for a, _ in known], [b for _, b in known]


def spearman(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Rank correlation; None with fewer than three, or where all of one are equal."""
    from scipy.stats import rankdata

    if len(a) < 3:
        return None
    ranks = [rankdata(np.round(v, 3)) for v in (a, b)]
    if min(float(np.ptp(r)) for r in ranks) == 0:
        return None
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ranking(rows: Sequence[Row]) -> None:
    found = [s for r in rows if (s := spearman(*_latencies(r))) is not None]
    a, b = list[float](), list[float]()
    for row in rows:
        x, y = _latencies(row)
        a += x
        b += y
    print(f"rank correlation of X with latency per load: {np.mean(found):.2f} in the mean of "
          f"{len(found)} kernels, median {np.median(found):.2f}; {spearman(a, b):.2f} over all "
          f"{len(a)} loads\n")  # fmt: skip


def _ablations(rows: Sequence[Row]) -> None:
    print("| what is random | L1 error | L2 error | write error | L1 dev. | L2 dev. | write dev. |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    rows = [r for r in rows if r["ablations"]]
    for name in rows[0]["ablations"]:
        _row(name, rows, [r["ablations"][name] for r in rows])
    print()


def _row(name: str, rows: Sequence[Row], found: Sequence[Any]) -> None:
    errors, spreads = list[str](), list[str]()
    for rate in RATES:
        pairs = [
            (own[rate], r["truth"][rate]) for own, r in zip(found, rows, strict=True)
            if own[rate] is not None and r["truth"][rate] is not None
        ]  # fmt: skip
        errors.append(f"{np.mean([100 * abs(m[0] - t) for m, t in pairs]):.2f}")
        spreads.append(f"{np.mean([100 * m[1] for m, _ in pairs]):.2f}")
    print(f"| {name} | " + " | ".join((*errors, *spreads)) + " |")


def _snapshots(rows: Sequence[Row]) -> None:
    print("| snapshot | launches | L1 error | L2 error | write error | the same, whole |||")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for k in ("1", "2", "4"):
        own = [r for r in rows if k in r["snapshots"]]
        if not own:
            continue
        cells = list[str]()
        for source in ("snapshots", "ablations"):
            key = k if source == "snapshots" else "all"
            for rate in RATES:
                values = [
                    100 * abs(r[source][key][rate][0] - r["truth"][rate]) for r in own
                    if r[source][key][rate] is not None and r["truth"][rate] is not None
                ]  # fmt: skip
                cells.append(f"{np.mean(values):.2f}" if values else "")
        print(f"| {k} waves | {len(own)} | " + " | ".join(cells) + " |")
    print()


def _convergence(rows: Sequence[Row]) -> None:
    """After how many trials the deviation stays within a tenth of that of 64."""
    found = list[int]()
    changes = list[float]()
    for row in rows:
        for rate in RATES:
            values = row["model"][rate]
            if values is None or len(values) < 64 or np.std(values) < 1e-4:
                continue
            at = [float(np.std(values[:n], ddof=1)) for n in range(2, len(values) + 1)]
            off = [n for n, v in enumerate(at, 2) if abs(v - at[-1]) > 0.1 * at[-1]]
            found.append(max(off, default=1) + 1)
            if len(values) == 64:
                changes.append(100 * abs(at[58] - at[-1]))
    if found:
        print(
            f"deviation within a tenth of that of 64 trials after {np.median(found):.0f} trials in "
            f"the median, 90 % after {np.quantile(found, 0.9):.0f}; from 60 to 64 trials it moves "
            f"by {np.mean(changes):.3f} points in the mean\n"
        )


def _spmv(rows: Sequence[Row]) -> None:
    """Listings 2 and 3 of the text: X by array, cycles, and what reading four at a time changes of
    all loads' executions times X, and times the cycle-level model's latency."""
    by_launch = {r["launch"]: r for r in rows if r["workload"] == "spmvwide"}
    print("| matrix | X of indices | val | y | y, vectorised | cycles | vectorised | speed-up "
          "| loads, model | cycle-level |")  # fmt: skip
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for number, matrix in enumerate("ubUB"):
        pair = [by_launch.get(2 * number), by_launch.get(2 * number + 1)]
        plain, wide = pair
        if plain is None or wide is None:
            continue
        x = {array: _x_of(plain, array) for array in ("indices", "val", "y")}
        own = [f"{max(x[array]):.0f}" for array in ("indices", "val", "y")]
        changes = [
            f"{100 * (_waits(wide, which) / _waits(plain, which) - 1):+.1f} %"
            for which in ("x", "cycles")
        ]
        cells = (
            *own, f"{min(_x_of(wide, 'y')):.0f} to {max(_x_of(wide, 'y')):.0f}",
            f"{plain['cycles']:,}", f"{wide['cycles']:,}",
            f"{plain['cycles'] / wide['cycles']:.1f}", *changes,
        )  # fmt: skip
        print(f"| {matrix} | " + " | ".join(cells) + " |")
    print()


def _x_of(row: Row, array: str) -> list[float]:
    return [each["cycles"] for each in row["x"] if each["array"] == array and each["cycles"]]


def _waits(row: Row, which: str) -> float:
    """Executions of all loads times X (``x``) or times their measured latency (``cycles``)."""
    x = {each["static"]: each["cycles"] for each in row["x"]}
    return sum(
        load["executed"] * (x[load["static"]] if which == "x" else load["cycles"])
        for load in row["loads"] if x[load["static"]] is not None
    )  # fmt: skip


def _speed(rows: Sequence[Row]) -> None:
    entries = sum(r["entries"] for r in rows)
    seconds = sum(r["trial_seconds"] for r in rows)
    cycle = sum(r["cycle_seconds"] for r in rows)
    print(
        f"a trial of all: {seconds:.2f} CPU seconds for {entries:,} transactions, "
        f"{entries / seconds / 1e6:.1f} million a second; the cycle-level model: {cycle:.1f} s"
    )
