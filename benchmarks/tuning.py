"""How many measurements a search needs, on released tuning tables: estimates first, and others.

    python -m benchmarks.tuning rows.json ... --data ../shared [--tune TABLE=tune.json] [--whole]
        [--repeats 20] [--strategies mls,pso] [--json tuning.json]

Each ``rows.json`` is what `python -m benchmarks.ledger --only TABLE ... --json rows.json` wrote:
estimates of a sample of each table; of a --tune table the estimates are those of `kcc tune --json`.
What was estimated is the space that is searched. A search ends when it has measured a configuration
within 5 % of the best of the space. Configurations that failed when they were measured cost a
measurement. Of random orders the expected number is exact; Kernel Tuner's strategies run in its
simulation mode on the measured times, as they are set without being told otherwise, with seeds 1 to
--repeats; where one ends without success, or fails at a configuration without neighbours, it counts
with as many measurements as the space has.
--whole: its strategies search the whole table too, of which the estimates know a sample.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from statistics import mean
from typing import Any
from unittest import mock

from benchmarks.ledger_cases import Row, rows_of
from benchmarks.measured_programs import OUTCOME
from benchmarks.measured_tables import TABLES, Table
from kcc.tuning.space import Value, key_of

NEAR = 1.05
STRATEGIES = (
    "genetic_algorithm", "simulated_annealing", "mls", "greedy_ils", "pso", "diff_evo",
    "firefly_algorithm", "dual_annealing", "basinhopping", "hybrid_vndx", "adaptive_tabu_greywolf",
)  # fmt: skip
"""Kernel Tuner's for one objective, but those that need more than its extra: skopt, pyatf; and
`bayes_opt`, whose every step looks at all of the space."""
NOT_PARAMETERS = {*OUTCOME, "kernel", "gpu", "src", "reps", "grid_blocks", "block", "median_ms",
                  "min_ms", "std_ms"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measured:
    """Configurations with measured times, None where they failed."""

    names: tuple[str, ...]
    space: tuple[tuple[Value, ...], ...]
    times: tuple[float | None, ...]

    @property
    def best(self) -> float:
        return min(time for time in self.times if time)

    @property
    def near(self) -> list[bool]:
        """Which are within 5 % of the best."""
        most = NEAR * self.best
        return [time is not None and time <= most for time in self.times]

    @property
    def random(self) -> float:
        """Measurements that a random order needs, on average, until one is near the best."""
        return (len(self.space) + 1) / (sum(self.near) + 1)


@dataclass(frozen=True, slots=True)
class Searched:
    """Of a table: measurements until one is within 5 % of the best, by who chose the order."""

    table: str
    rows: int
    of: int
    """Rows of the table."""
    near_best: int
    """Configurations within 5 % of the best."""
    estimates_first: int
    first_choice: float
    """The measured time of the configuration that is estimated to be the fastest, over the best."""
    first_of_all: float
    """The same, over the best of the whole table."""
    random: float
    strategies: Mapping[str, float]
    random_whole: float
    whole: Mapping[str, float] = field(default_factory=dict[str, float])
    """Strategies on the whole table."""


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("rows", type=Path, nargs="+")
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--tune", action="append", default=[], metavar="TABLE=FILE")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--strategies", default=",".join(STRATEGIES))
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in arguments.rows]
    every = [row for document in documents for row in document["rows"]]
    tuned = dict(each.split("=", 1) for each in arguments.tune)
    strategies = [name for name in arguments.strategies.split(",") if name]
    found = list[Searched]()
    for table in TABLES:
        texts = rows_of(table, arguments.data / "truth")
        if table.name in tuned:
            times = tuned_times(texts, Path(tuned[table.name]))
        else:
            rows = [row for row in every if row["table"] == table.name]
            times = {int(row["number"]): row["time_us"] for row in rows}
        if times:
            found.append(
                searched(table, texts, times, strategies, arguments.repeats, whole=arguments.whole)
            )
            print(line(found[-1]), flush=True)
    if arguments.json:
        content = {
            "commits": [each["commit"] for each in documents],
            "tables": [asdict(each) for each in found],
        }
        arguments.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 0


def line(each: Searched) -> str:
    """Rows of the page's table, and all strategies."""
    best = min(each.strategies, key=lambda name: each.strategies[name], default="")
    shown = ", ".join(f"{name} {n:.0f}" for name, n in each.strategies.items())
    whole = ", ".join(f"{name} {n:.0f}" for name, n in each.whole.items())
    return (
        f"| {each.table} | {each.rows} of {each.of} | {each.near_best} | {each.estimates_first} | "
        f"{each.first_choice:.2f} | {each.first_of_all:.2f} | {each.random:.0f} | "
        f"{each.strategies.get(best, 0):.0f} {best} |\n    {shown}\n"
        f"    whole: random {each.random_whole:.0f}, {whole}"
    )


def parameters(texts: Sequence[Row]) -> tuple[str, ...]:
    """The columns of a table that are parameters with more than one value."""
    upper = [name for name in texts[0] if name.isupper()]  # of tables that hold counters too
    names = upper or [name for name in texts[0] if name not in NOT_PARAMETERS]
    return tuple(name for name in names if len({row[name] for row in texts}) > 1)


def measured_of(table: Table, texts: Sequence[Row], numbers: Sequence[int]) -> Measured:
    """The rows of these numbers."""
    names = parameters(texts)
    space = tuple(tuple(_value(texts[n][name]) for name in names) for n in numbers)
    times = tuple(
        table.measured_ms(texts[n]) if texts[n].get("status", "ok").lower() == "ok" else None
        for n in numbers
    )
    return Measured(names, space, times)


def tuned_times(texts: Sequence[Row], path: Path) -> dict[int, float | None]:
    """The times of a document of `kcc tune` by the numbers of the rows."""
    names = parameters(texts)
    numbers = {tuple(_value(row[name]) for name in names): n for n, row in enumerate(texts)}
    document = json.loads(path.read_text(encoding="utf-8"))
    return {
        numbers[tuple(each["configuration"][name] for name in names)]: each["time_us"]
        for each in document["configurations"]
    }


def searched(
    table: Table, texts: Sequence[Row], estimates: Mapping[int, float | None],
    strategies: Sequence[str], repeats: int, *, whole: bool,
) -> Searched:  # fmt: skip
    """All searches of a table's sample, and of the whole table."""
    numbers = list(estimates)
    sample, every = measured_of(table, texts, numbers), measured_of(table, texts, range(len(texts)))
    order = sorted(range(len(numbers)), key=lambda n: estimates[numbers[n]] or float("inf"))
    near = sample.near
    first = next(place for place, n in enumerate(order, 1) if near[n])
    chosen = sample.times[order[0]] or float("inf")
    return Searched(
        table.name, len(numbers), len(texts), sum(near), first, chosen / sample.best,
        chosen / every.best, sample.random, _means(strategies, sample, repeats), every.random,
        _means(strategies, every, repeats) if whole else {},
    )  # fmt: skip


def _means(strategies: Sequence[str], space: Measured, repeats: int) -> dict[str, float]:
    return {
        name: mean(measured(name, space, seed) for seed in range(1, repeats + 1))
        for name in strategies
    }


def _value(text: str) -> Value:
    try:
        return int(text)
    except ValueError:
        return text


def measured(strategy: str, space: Measured, seed: int) -> int:
    """Different configurations that a strategy of Kernel Tuner's measures until one is near the
    best."""
    import random

    import numpy as np

    random.seed(seed)
    np.random.seed(seed)  # what Kernel Tuner draws from
    interface: Any = import_module("kernel_tuner.interface")
    simulation: Any = import_module("kernel_tuner.runners.simulation")
    runner: Any = simulation.SimulationRunner
    pairs = zip(space.space, space.near, strict=True)
    success = {key_of(each) for each, good in pairs if good}
    needed = list[int]()

    class Watched(runner):
        """Says that the budget is spent once a configuration near the best was measured."""

        def run(self, parameter_space: Any, tuning_options: Any) -> list[Any]:
            results = list[Any]()
            for each in parameter_space:
                results += [None] if needed else runner.run(self, [each], tuning_options)
                if not needed and key_of(each) in success:
                    needed.append(len(self.visited_results))
            return results

    with _quietly(), tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cache.json"
        content = _cache(space)
        path.write_text(json.dumps(content, indent=0), encoding="utf-8")
        listed = import_module("kernel_tuner.searchspace").Searchspace(
            None, None, None, from_cache=content
        )
        with (
            mock.patch.object(simulation, "SimulationRunner", Watched),
            mock.patch.object(interface, "Searchspace", return_value=listed),
            contextlib.suppress(TypeError),  # of a configuration that has no neighbour
        ):
            interface.tune_kernel(
                "kernel", "", 1, [], dict(content["tune_params"]), lang="OpenCL", cache=str(path),
                simulation_mode=True, strategy=strategy, quiet=True, seed=seed,
                strategy_options={"max_fevals": len(space.space)},
            )  # fmt: skip
    return needed[0] if needed else len(space.space)


@contextlib.contextmanager
def _quietly() -> Generator[None]:
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _cache(space: Measured) -> dict[str, Any]:
    pieces = dict.fromkeys(
        ("compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"),
        0,
    )
    names = space.names
    cache = {
        key_of(each): {
            **dict(zip(names, each, strict=True)), **pieces,
            "time": "RuntimeFailedConfig" if time is None else time,
        }
        for each, time in zip(space.space, space.times, strict=True)
    }  # fmt: skip
    return {
        "device_name": "table", "kernel_name": "kernel", "problem_size": 1,
        "tune_params_keys": list(names), "objective": ["time"], "cache": cache,
        "tune_params": {n: sorted({each[i] for each in space.space}) for i, n in enumerate(names)},
    }  # fmt: skip


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
