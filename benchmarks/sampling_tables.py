"""The tables of docs/validation/sampling.md, out of the journal of `benchmarks.sampling`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import geometric_mean, mean, median

IRREGULAR = ("bfs", "sssp", "mst", "gridding", "streamcluster")
"""Table VI of Huang et al.: type I."""

LEAST_PERCENT = 0.05
"""Errors below count as this in geometric means."""

Row = Mapping[str, str]


def print_tables(rows: Sequence[Row]) -> None:
    """All tables that there are rows for."""
    for settings in dict.fromkeys(row["settings"] for row in rows):
        own = [row for row in rows if row["settings"] == settings]
        sys.stdout.write(f"\n### {settings or 'as described'}\n\n")
        _by_workload(own)
        _summary(own)
    _interval(rows)


Key = tuple[str, str, str]


def _key(row: Row) -> Key:
    """What a sample and the full simulation it is compared with have in common."""
    return row["workload"], row["settings"], row["core"]


def _truth(rows: Iterable[Row]) -> dict[Key, Row]:
    return {_key(row): row for row in rows if row["method"] == "full"}


def error_percent(row: Row, full: Row) -> float:
    """Of the IPC; the instructions are the same, so it is that of the inverse of cycles."""
    return 100 * abs(float(full["cycles"]) / float(row["cycles"]) - 1)


def _size(row: Row) -> float:
    return 100 * int(row["simulated"]) / int(row["instructions"])


def _by_workload(rows: Sequence[Row]) -> None:
    truth = _truth(rows)
    methods = ("tbpoint", "tbpoint-ipdps14", "simpoint", "random")
    head = ["workload", *(f"{m} error (sample)" for m in methods), "half width", "skipped between",
            "within", "L1 off", "L2 off", "full s", "tbpoint s", "profile s", "core"]  # fmt: skip
    sys.stdout.write(f"| {' | '.join(head)} |\n|{'---|' * len(head)}\n")
    for workload in dict.fromkeys(row["workload"] for row in rows):
        own = {m: _latest([r for r in rows if r["workload"] == workload and r["method"] == m])
               for m in methods}  # fmt: skip
        cells = [workload, *(_error_cell(own[m], truth) for m in methods)]
        ours = own["tbpoint"]
        if ours:
            full = truth.get(_key(ours[0]))
            cells += [
                f"{mean(_half(r) for r in ours):.2f} %",
                f"{mean(_share(r, 'between') for r in ours):.1f} %",
                f"{mean(_share(r, 'within') for r in ours):.1f} %",
                _miss(ours, full, "l1_miss"), _miss(ours, full, "l2_miss"),
                f"{float(full['simulate_seconds']):.1f}" if full else "-",
                f"{mean(_seconds(r) for r in ours):.2f}",
                f"{float(ours[0]['profile_seconds']):.2f}",
            ]  # fmt: skip
        cells += ["-"] * (len(head) - 1 - len(cells))
        cells.append(", ".join(sorted({r["core"] for each in own.values() for r in each})))
        sys.stdout.write(f"| {' | '.join(cells)} |\n")
    sys.stdout.write("\n")


def _latest(rows: Sequence[Row]) -> list[Row]:
    """Those of the core that was measured last, which stands last."""
    return [row for row in rows if row["core"] == rows[-1]["core"]]


def _error_cell(rows: Sequence[Row], truth: Mapping[Key, Row]) -> str:
    if not rows:
        return "-"
    size = f"({mean(_size(r) for r in rows):.2f} %)"
    errors = [error_percent(r, truth[_key(r)]) for r in rows if _key(r) in truth]
    return f"{mean(errors):.2f} % {size}" if errors else f"- {size}"


def _half(row: Row) -> float:
    return 100 * float(row["half_width"] or "nan") / float(row["cycles"])


def _share(row: Row, name: str) -> float:
    return 100 * int(row[name]) / int(row["instructions"])


def _seconds(row: Row) -> float:
    return float(row["cluster_seconds"]) + float(row["simulate_seconds"])


def _miss(rows: Sequence[Row], full: Row | None, name: str) -> str:
    if full is None or not full[name]:
        return "-"
    truth = float(full[name])
    return f"{100 * mean(abs(float(r[name]) / truth - 1) for r in rows):.2f} %" if truth else "-"


def _summary(rows: Sequence[Row]) -> None:
    truth = _truth(rows)
    known = {name for name, *_ in truth}
    groups = {
        "all": known, "irregular": known & set(IRREGULAR), "regular": known - set(IRREGULAR),
    }  # fmt: skip
    head = ["method", "of", "workloads", "geometric mean", "arithmetic mean", "largest",
            "sample (geometric)", "sample (mean)", "speed-up", "with profile"]  # fmt: skip
    sys.stdout.write(f"| {' | '.join(head)} |\n|{'---|' * len(head)}\n")
    for method in ("tbpoint", "tbpoint-ipdps14", "simpoint", "random"):
        for label, names in groups.items():
            own = [
                row
                for name in sorted(names)
                for row in _latest(
                    [r for r in rows if r["method"] == method and r["workload"] == name]
                )
                if _key(row) in truth
            ]
            if own:
                sys.stdout.write(f"| {' | '.join(_summary_cells(method, label, own, truth))} |\n")
    sys.stdout.write("\n")


def _summary_cells(
    method: str, label: str, rows: Sequence[Row], truth: Mapping[Key, Row]
) -> list[str]:
    pairs = [(row, truth[_key(row)]) for row in rows]
    names = [row["workload"] for row in rows]
    errors = [error_percent(row, full) for row, full in pairs]
    sizes = [max(_size(row), 1e-3) for row in rows]
    speed = with_profile = "-"
    if method.startswith("tbpoint"):
        whole = [float(full["simulate_seconds"]) for _, full in pairs]
        own = [_seconds(row) for row in rows]
        both = [_seconds(row) + float(row["profile_seconds"]) for row in rows]
        alone = [w / max(o, 1e-3) for w, o in zip(whole, own, strict=True)]
        profiled = [w / max(o, 1e-3) for w, o in zip(whole, both, strict=True)]
        speed = f"{_over_workloads(names, alone, geometric_mean):.1f}"
        with_profile = f"{_over_workloads(names, profiled, geometric_mean):.1f}"
    small = [max(error, LEAST_PERCENT) for error in errors]
    return [
        method, label, str(len(set(names))),
        f"{_over_workloads(names, small, geometric_mean):.2f} %",
        f"{_over_workloads(names, errors, mean):.2f} %", f"{max(errors):.2f} %",
        f"{_over_workloads(names, sizes, geometric_mean):.2f} %",
        f"{_over_workloads(names, sizes, mean):.2f} %", speed, with_profile,
    ]  # fmt: skip


def _over_workloads(
    names: Sequence[str], values: Sequence[float], average: Callable[[list[float]], float]
) -> float:
    """The average over workloads of that over a workload's rows: all count alike, however many
    seeds there are."""
    own = dict[str, list[float]]()
    for name, value in zip(names, values, strict=True):
        own.setdefault(name, []).append(value)
    return average([average(each) for each in own.values()])


def _interval(rows: Sequence[Row]) -> None:
    """Over all workloads, settings and seeds: how often the interval holds the truth."""
    truth = _truth(rows)
    for core in dict.fromkeys(row["core"] for row in rows):
        cases = [
            (row, truth[_key(row)])
            for row in rows
            if row["method"] == "tbpoint" and row["core"] == core and _key(row) in truth
        ]
        if cases:
            _print_interval(core, cases)


def _print_interval(core: str, cases: Sequence[tuple[Row, Row]]) -> None:
    held = sum(
        abs(float(row["cycles"]) - float(full["cycles"])) <= float(row["half_width"] or "nan")
        for row, full in cases
    )
    halves = [_half(row) for row, _ in cases]
    sys.stdout.write(
        f"core {core}: 95 % intervals hold the truth in {held} of {len(cases)} cases; "
        f"median half width {median(halves):.2f} %\n"
    )
