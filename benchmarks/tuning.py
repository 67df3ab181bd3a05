"""How many measurements a search needs, on released tuning tables: estimates first, and others.

    python -m benchmarks.tuning rows.json --data ../shared [--repeats 50] [--json tuning.json]

``rows.json`` is what `python -m benchmarks.ledger --only TABLE ... --json rows.json` wrote:
estimates of a sample of each table, which is the space that is searched here. A search ends when it
has measured a configuration within 5 % of the best of the space. Configurations that failed when
they were measured cost a measurement. Of random orders the expected number is exact; Kernel Tuner's
strategies run in its simulation mode on the measured times, with seeds 1 to --repeats, restricted
to the space; where one ends without success it counts with as many measurements as the space has.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.ledger_cases import rows_of
from benchmarks.measured_programs import OUTCOME
from benchmarks.measured_tables import TABLES, Table
from kcc.tuning.space import Value, key_of

NEAR = 1.05
STRATEGIES = ("genetic_algorithm",)
"""Those that do not need every neighbour of a configuration to be in the space, as a sample lacks
most."""
NOT_PARAMETERS = {*OUTCOME, "kernel", "gpu", "src", "reps", "grid_blocks", "block"}


@dataclass(frozen=True, slots=True)
class Searched:
    """Of a table: measurements until one is within 5 % of the best, by who chose the order."""

    table: str
    rows: int
    near_best: int
    """Configurations within 5 % of the best."""
    estimates_first: int
    first_choice: float
    """The measured time of the configuration that is estimated to be the fastest, over the best."""
    random: float
    strategies: Mapping[str, float]


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("rows", type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    document = json.loads(arguments.rows.read_text(encoding="utf-8"))
    found = list[Searched]()
    for table in TABLES:
        rows = [row for row in document["rows"] if row["table"] == table.name]
        if rows:
            found.append(searched(table, rows, arguments.data / "truth", arguments.repeats))
            print(line(found[-1]), flush=True)
    if arguments.json:
        content = {"commit": document["commit"], "tables": [asdict(each) for each in found]}
        arguments.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 0


def line(each: Searched) -> str:
    """A row of the page's table."""
    others = " | ".join(f"{n:.0f}" for n in each.strategies.values())
    return (
        f"| {each.table} | {each.rows} | {each.near_best} | {each.estimates_first} | "
        f"{each.first_choice:.2f} | {each.random:.0f} | {others} |"
    )


def searched(table: Table, rows: Sequence[Mapping[str, Any]], data: Path, repeats: int) -> Searched:
    """All searches of a table's sample."""
    texts = rows_of(table, data)
    upper = [name for name in texts[0] if name.isupper()]  # of tables that hold counters too
    names = upper or [name for name in texts[0] if name not in NOT_PARAMETERS]
    space = [tuple(_value(texts[int(row["number"])][name]) for name in names) for row in rows]
    times: list[float | None] = [row["measured_us"] for row in rows]
    best = min(time for time in times if time)
    near = [time is not None and time <= NEAR * best for time in times]
    by_estimate = sorted(range(len(rows)), key=lambda n: rows[n]["time_us"] or float("inf"))
    first = next(place for place, n in enumerate(by_estimate, 1) if near[n])
    chosen = times[by_estimate[0]]
    expected = (len(rows) + 1) / (sum(near) + 1)
    strategies = {
        name: mean(
            measured(name, names, space, times, near, seed) for seed in range(1, repeats + 1)
        )
        for name in STRATEGIES
    }
    return Searched(
        table.name, len(rows), sum(near), first, (chosen or float("inf")) / best, expected,
        strategies,
    )  # fmt: skip


def _value(text: str) -> Value:
    try:
        return int(text)
    except ValueError:
        return text


def measured(
    strategy: str, names: Sequence[str], space: Sequence[tuple[Value, ...]],
    times: Sequence[float | None], near: Sequence[bool], seed: int,
) -> int:  # fmt: skip
    """Different configurations that a strategy of Kernel Tuner's measures until one is near the
    best."""
    import random

    import numpy as np

    random.seed(seed)
    np.random.seed(seed)  # what Kernel Tuner draws from
    success = {key_of(each) for each, good in zip(space, near, strict=True) if good}
    tune_kernel: Any = import_module("kernel_tuner").tune_kernel
    values = {n: sorted({each[i] for each in space}) for i, n in enumerate(names)}
    allowed = set(space)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        path = Path(folder) / "cache.json"
        path.write_text(_cachefile(names, values, space, times), encoding="utf-8")

        def is_in_space(*configuration: Any) -> bool:
            return tuple(configuration) in allowed

        results, _ = tune_kernel(
            "kernel", "", 1, [], values, lang="OpenCL", cache=str(path), simulation_mode=True,
            strategy=strategy, strategy_options={"max_fevals": len(space)}, quiet=True,
            restrictions=[import_module("constraint").FunctionConstraint(is_in_space)],
        )  # fmt: skip
    seen = dict.fromkeys(key_of([row[name] for name in names]) for row in results)
    return next((n for n, key in enumerate(seen, 1) if key in success), len(space))


def _cachefile(
    names: Sequence[str], values: Mapping[str, Sequence[Value]],
    space: Sequence[tuple[Value, ...]], times: Sequence[float | None],
) -> str:  # fmt: skip
    pieces = dict.fromkeys(
        ("compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"),
        0,
    )
    cache = {
        key_of(each): {
            **dict(zip(names, each, strict=True)), **pieces,
            "time": "RuntimeFailedConfig" if time is None else time / 1e3,
        }
        for each, time in zip(space, times, strict=True)
    }  # fmt: skip
    return json.dumps({
        "device_name": "table", "kernel_name": "kernel", "problem_size": 1,
        "tune_params_keys": list(names), "tune_params": values, "objective": ["time"],
        "cache": cache,
    }, indent=0)  # fmt: skip


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
