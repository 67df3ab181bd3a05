"""How near estimates come to measured times.

    python -m benchmarks.accuracy --sources FOLDER [--data ../shared] [--sample 40] [--seed 1]
    python -m benchmarks.accuracy --sources FOLDER --sample 0 --jobs 2 --journal rows.jsonl

The measured times are those of `truth/` in the data folder. The kernels are public and not kept
here: the sources folder must hold `xgemm.cl` (CLBlast's common.opencl and xgemm parts 1 to 4, one
behind another, without the C++ string quotes), `KernelTunerConvolution.cu` and `CoulombSum3d.cl`
(KTT's examples). Of each table a seeded sample of configurations is estimated, all with --sample 0.
With a journal what is done is kept: after an interruption the same command goes on, and --so-far
reports what there is, which is a sample.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import numpy as np

from benchmarks.accuracy_rows import How, Journal, chosen, entries, rows_of, run
from benchmarks.accuracy_tables import COUNTERS, TABLES, Table
from kcc.estimating import MODELS, Question
from kcc.sim.cache_options import CacheMethod, CacheOptions


def ranks(values: Sequence[float]) -> np.ndarray:
    """Ranks, from 0; equal values in the order in which they stand."""
    return np.argsort(np.argsort(values, kind="stable"), kind="stable").astype(float)


def summary(measured: Sequence[float], ours: Sequence[float]) -> dict[str, float]:
    """Errors in percent, rank correlation, regret in percent: of the row that we call fastest, and
    of the fastest of our first five."""
    m, o = np.array(measured), np.array(ours)
    errors = np.abs(o / m - 1) * 100
    return {
        "mean": float(errors.mean()), "median": float(np.median(errors)),
        "max": float(errors.max()),
        "spearman": float(np.corrcoef(ranks(measured), ranks(ours))[0, 1]),
        "regret": float(m[o.argmin()] / m.min() - 1) * 100,
        "regret5": float(m[np.argsort(o, kind="stable")[:5]].min() / m.min() - 1) * 100,
        "bias": float(np.exp(np.log(o / m).mean())),
    }  # fmt: skip


def in_range(rows: Sequence[Mapping[str, object]]) -> float:
    """The percentage of rows whose measured time lies in the range of the estimate."""
    inside = 0
    for row in rows:
        low, high = cast("tuple[float, float]", row["range_ms"])
        inside += low <= float(str(row["measured_ms"])) <= high
    return 100 * inside / len(rows)


def report(table: Table, rows: Sequence[Mapping[str, object]], total: int) -> None:
    """Print the figures of one table."""
    good = [r for r in rows if r["status"] == "ok" and r["measured_ms"] and r["ours_ms"]]
    failed = [r for r in rows if r["status"] != "ok"]
    told = sum(1 for r in failed if r["ours_ms"] is None)
    wrong = sum(1 for r in rows if r["status"] == "ok" and r["ours_ms"] is None)
    print(f"{table.file}: {total} rows, {len(rows)} looked at, {len(good)} estimated, "
          f"{len(failed)} failed on the GPU ({told} of them predicted), "
          f"{wrong} ran there that we call impossible")  # fmt: skip
    if len(good) < 2:
        return
    s = summary(
        [float(str(r["measured_ms"])) for r in good], [float(str(r["ours_ms"])) for r in good]
    )
    print(f"  error mean {s['mean']:.1f} %, median {s['median']:.1f} %, max {s['max']:.0f} %; "
          f"Spearman {s['spearman']:.3f}; regret {s['regret']:.1f} %, "
          f"of the best of five {s['regret5']:.1f} %; bias {s['bias']:.2f}; "
          f"{in_range(good):.0f} % in our range")  # fmt: skip
    for column in COUNTERS:
        pairs = [cast("tuple[float, float]", r[column]) for r in good if column in r]
        ratios = [ours / measured for measured, ours in pairs if measured and ours]
        if ratios:
            off = np.abs(np.array(ratios) - 1) * 100
            print(f"  {column:20s} median of ours/measured {np.median(ratios):.3f}, "
                  f"median error {np.median(off):.1f} %")  # fmt: skip
    times = [float(str(r["measured_ms"])) for r in good]
    needed = [float(str(r["port_cycles"])) / t / 1e3 for r, t in zip(good, times, strict=True)]
    print(f"  port clock {np.quantile(needed, 0.95):.0f} MHz")
    at_boost = [r for r in good if r["boost_ms"]]
    if len(at_boost) > 1:
        s = summary(
            [float(str(r["measured_ms"])) for r in at_boost],
            [float(str(r["boost_ms"])) for r in at_boost],
        )
        print(f"  at the data sheet's clock ({len(at_boost)} rows): mean {s['mean']:.1f} %, "
              f"median {s['median']:.1f} %, Spearman {s['spearman']:.3f}, "
              f"bias {s['bias']:.2f}")  # fmt: skip
    seconds = [float(str(r["cpu_s"])) for r in rows]
    print(f"  {np.median(seconds):.2f} CPU seconds per row, compiling and analysis included")


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="tables whose name holds this")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--journal", type=Path, help="keep what is done there, and go on behind it")
    parser.add_argument(
        "--so-far", action="store_true", help="estimate nothing, report what the journal has"
    )
    parser.add_argument(
        "--boost-every", type=int, default=1, metavar="N",
        help="also at the data sheet's clock: rows whose number N divides",
    )  # fmt: skip
    parser.add_argument("--model", choices=sorted(MODELS), default="pipeline")
    methods = [method.value for method in CacheMethod]
    parser.add_argument("--caches", choices=methods, default=CacheOptions().method.value)
    parser.add_argument("--json", type=Path, help="write every row")
    arguments = parser.parse_args()
    if not (arguments.data / "truth").is_dir():
        print(f"there is no {arguments.data / 'truth'}: give --data")
        return 1
    tables = [table for table in TABLES if arguments.only in table.file]
    places = {t: chosen(t, arguments.data, arguments.sample, arguments.seed) for t in tables}
    question = Question(arguments.model, analysis=CacheOptions(CacheMethod(arguments.caches)))
    how = How(question, max(arguments.boost_every, 1))
    journal = Journal(arguments.journal, TABLES, arguments.sources, how)
    if not arguments.so_far:
        every = [place for each in places.values() for place in each]
        run(every, arguments.sources, journal, arguments.jobs, how)
    kept = {table: entries(places[table], journal) for table in tables}
    for table, rows in kept.items():
        report(table, rows, len(rows_of(table, arguments.data)))
    if arguments.json:
        text = json.dumps({table.file: rows for table, rows in kept.items()}, indent=1)
        arguments.json.write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
