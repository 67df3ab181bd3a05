"""How near estimates come to measured times.

    python -m benchmarks.accuracy --sources FOLDER [--data ../shared] [--sample 40] [--seed 1]

The measured times are those of `truth/` in the data folder. The kernels are public and not kept
here: the sources folder must hold `xgemm.cl` (CLBlast's common.opencl and xgemm parts 1 to 4, one
behind another, without the C++ string quotes), `KernelTunerConvolution.cu` and `CoulombSum3d.cl`
(KTT's examples). Of each table a seeded sample of configurations is estimated, all with --sample 0.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from kcc.diagnostics import DiagnosticError, Span
from kcc.estimating import KernelEstimate, estimate_source
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel, SourceText
from kcc.gpu.loading import load_gpu
from kcc.launch import LaunchRequest
from kcc.launch_language import parse_argument, parse_dimensions
from kcc.pipeline import AnalysisRequest, LaunchInputs

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """A file of measured times: its GPU, the kernel's source and name, arguments, macros that no
    column gives."""

    file: str
    gpu: str
    source: str
    kernel: str
    arguments: tuple[str, ...] = ()
    macros: tuple[tuple[str, str], ...] = ()
    clock_mhz: int = 0
    """At which the rows were measured: where the table has counters, warp instructions over cycles
    that issue one (`warp_inst`, `issue_active_pct`), over the time; where it has not, the least at
    which all rows but one of twenty can have taken what they need of the load/store port in their
    time (printed as "port clock"). 0: the data sheet's boost clock."""


GEMM = ("kSizeM=4096", "kSizeN=4096", "kSizeK=4096", "arg_alpha=1.0", "arg_beta=0.0",
        "b_offset=0", "c_offset=0")  # fmt: skip
TABLES = (
    # `volatile` stands only before CLBlast's thread id, against a bug of old drivers.
    Table("gemm4096_rtx3090.csv", "rtx3090", "xgemm.cl", "Xgemm", GEMM,
          (("PRECISION", "32"), ("volatile", "")), clock_mhz=1820),
    Table("gemm4096_rtx2080ti.csv", "rtx2080ti", "xgemm.cl", "Xgemm", GEMM,
          (("PRECISION", "32"), ("volatile", "")), clock_mhz=1880),
    Table("convolution_rtx3090.csv", "rtx3090", "KernelTunerConvolution.cu", "Convolution"),
    Table("convolution_rtx2080ti_counters.csv", "rtx2080ti", "KernelTunerConvolution.cu",
          "Convolution", clock_mhz=1790),
    Table("coulomb3d_rtx2080ti_counters.csv", "rtx2080ti", "CoulombSum3d.cl", "directCoulombSum",
          ("numberOfAtoms=64", "gridSpacing=0.5", "gridSize=256"),
          clock_mhz=1350),
)  # fmt: skip

COUNTERS = {
    "warp_inst": "warp_instructions",
    "shmem_ld_wavefronts": "shared_load_wavefronts",
    "l2_sect_rd": "l2_read_sectors",
    "dram_sect_rd": "dram_read_sectors",
    "dram_sect_wr": "dram_write_sectors",
}
"""Columns of measured counters, and ours."""


def estimated(table: Table, row: Row, folder: Path) -> tuple[KernelEstimate, KernelEstimate]:
    """Our estimates of a row: at the table's clock, and at the data sheet's boost clock."""
    macros = {name: value for name, value in row.items() if name.isupper()}
    if "PADDING" in macros:
        macros["use_padding"] = macros["PADDING"]
    macros |= dict(table.macros)
    at = Span(table.file, 0)
    if "block" in row:
        sizes = (row["grid_blocks"].replace(".", ","), row["block"].replace(".", ","))
        grid, block = (parse_dimensions(size, at) for size in sizes)
        launch = LaunchRequest(grid=grid, block=block)
    else:
        whole = f"4096*{row['MDIMC']}//{row['MWG']},4096*{row['NDIMC']}//{row['NWG']}"
        local = f"{row['MDIMC']},{row['NDIMC']}"
        launch = LaunchRequest(parse_dimensions(whole, at), parse_dimensions(local, at))
    text = (folder / table.source).read_text()
    arguments = tuple(parse_argument(a, at) for a in table.arguments)
    request = AnalysisRequest(
        source=SourceText(table.source, text, str(folder)),
        options=BuildOptions(
            macros=tuple(MacroOption(n, v) for n, v in macros.items()), opt_level=OptLevel.O2
        ),
        kernels=(table.kernel,),
        other_launch=LaunchInputs(launch, {}, arguments, "table"),
    )
    changes = [f"core_clock_boost_mhz={table.clock_mhz}"] if table.clock_mhz else []
    gpus = [load_gpu(table.gpu, changes), *([load_gpu(table.gpu)] if changes else [])]
    found = list(estimate_source(request, gpus))
    return found[0], found[-1]


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


def run_table(
    table: Table, data: Path, folder: Path, sample: int, seed: int
) -> list[dict[str, object]]:
    """Measured and estimated, row by row."""
    with (data / "truth" / table.file).open() as file:
        rows = list(csv.DictReader(file))
    chosen = rows if not sample else random.Random(seed).sample(rows, min(sample, len(rows)))
    found = list[dict[str, object]]()
    for number, row in enumerate(chosen, start=1):
        began = time.process_time()
        entry: dict[str, object] = {n: v for n, v in row.items() if n.isupper()}
        entry["status"] = row["status"].lower()
        entry["measured_ms"] = float(row["time_ms"]) if row["time_ms"] else None
        try:
            e, boost = (each.estimate for each in estimated(table, row, folder))
            entry["ours_ms"] = None if e.invalid else e.time_us / 1e3
            entry["boost_ms"] = None if e.invalid else boost.time_us / 1e3
            entry["port_cycles"] = e.bounds.get("memory_port", 0.0)
            entry["limiter"], entry["invalid"] = e.limiter, e.invalid
            entry["warps"], entry["registers"] = e.occupancy.warps, e.occupancy.registers
            for column, name in COUNTERS.items():
                if row.get(column):
                    entry[column] = (float(row[column]), getattr(e.counts, name))
        except DiagnosticError as error:
            entry["ours_ms"], entry["invalid"] = None, error.diagnostics[0].message
        entry["cpu_s"] = time.process_time() - began
        found.append(entry)
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{table.file}: {number} of {len(chosen)}")
    return found


def report(table: Table, rows: Sequence[Mapping[str, object]], total: int) -> None:
    """Print the figures of one table."""
    good = [r for r in rows if r["status"] == "ok" and r["measured_ms"] and r["ours_ms"]]
    failed = [r for r in rows if r["status"] != "ok"]
    told = sum(1 for r in failed if r["ours_ms"] is None)
    print(f"{table.file}: {total} rows, {len(rows)} looked at, {len(good)} estimated, "
          f"{len(failed)} failed on the GPU ({told} of them predicted)")  # fmt: skip
    if len(good) < 2:
        return
    s = summary(
        [float(str(r["measured_ms"])) for r in good], [float(str(r["ours_ms"])) for r in good]
    )
    print(f"  error mean {s['mean']:.1f} %, median {s['median']:.1f} %, max {s['max']:.0f} %; "
          f"Spearman {s['spearman']:.3f}; regret {s['regret']:.1f} %, "
          f"of the best of five {s['regret5']:.1f} %; bias {s['bias']:.2f}")  # fmt: skip
    for column in COUNTERS:
        pairs = [cast("tuple[float, float]", r[column]) for r in good if column in r]
        ratios = [ours / measured for measured, ours in pairs if measured and ours]
        if ratios:
            off = np.abs(np.array(ratios) - 1) * 100
            print(f"  {column:20s} median of ours/measured {np.median(ratios):.3f}, "
                  f"median error {np.median(off):.1f} %")  # fmt: skip
    times = [float(str(r["measured_ms"])) for r in good]
    s = summary(times, [float(str(r["boost_ms"])) for r in good])
    needed = [float(str(r["port_cycles"])) / t / 1e3 for r, t in zip(good, times, strict=True)]
    print(f"  at the data sheet's clock: mean {s['mean']:.1f} %, median {s['median']:.1f} %, "
          f"Spearman {s['spearman']:.3f}, bias {s['bias']:.2f}; "
          f"port clock {np.quantile(needed, 0.95):.0f} MHz")  # fmt: skip
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
    parser.add_argument("--json", type=Path, help="write every row")
    arguments = parser.parse_args()
    if not (arguments.data / "truth").is_dir():
        print(f"there is no {arguments.data / 'truth'}: give --data")
        return 1
    kept = dict[str, list[dict[str, object]]]()
    for table in TABLES:
        if arguments.only in table.file:
            rows = run_table(
                table, arguments.data, arguments.sources, arguments.sample, arguments.seed
            )
            with (arguments.data / "truth" / table.file).open() as file:
                total = sum(1 for _ in file) - 1
            report(table, rows, total)
            kept[table.file] = rows
            sys.stdout.flush()
    if arguments.json:
        arguments.json.write_text(json.dumps(kept, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
