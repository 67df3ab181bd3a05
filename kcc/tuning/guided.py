"""What estimates are good for in a search on a GPU: which configurations to leave out, which to
measure first."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, cast

from kcc.base.records import dataclass
from kcc.tuning.lists import entries_of, read_json
from kcc.tuning.space import Value, key_of, unreadable


@dataclass(frozen=True, slots=True)
class Estimates:
    """Estimated times in milliseconds by configuration, as :func:`key_of` names them; infinite
    where it cannot run. ``parameters`` are in the order of the keys."""

    parameters: tuple[str, ...]
    times: Mapping[str, float]

    @classmethod
    def read(cls, path: str) -> Estimates:
        """Those that `kcc tune` wrote: a cachefile or T4.

        :raises DiagnosticError: K895 for anything else.
        """
        content = read_json(path)
        rows = entries_of(path, content)
        names = tuple(content.get("tune_params_keys", ())) or tuple(rows[0])
        try:
            if "cache" in content:
                found = [_number(row.get("time")) for row in content["cache"].values()]
            else:
                found = [_time_of(row) for row in content["results"]]
        except (KeyError, TypeError, AttributeError) as error:
            raise unreadable(path, "is no cachefile and no T4 document") from error
        keys = [key_of([row[name] for name in names]) for row in rows]
        return cls(names, dict(zip(keys, found, strict=True)))

    def time_of(self, configuration: Mapping[str, Value]) -> float:
        """The time of a configuration; infinite where there is none."""
        key = key_of([configuration[name] for name in self.parameters])
        return self.times.get(key, math.inf)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else math.inf


def _time_of(row: Mapping[str, Any]) -> float:
    times = [m["value"] for m in row["measurements"] if m["name"] == "time"]
    return _number(times[0]) if times and row["invalidity"] == "correct" else math.inf


def prefilter(
    estimates: Estimates | str, keep: float = 0.1, *, slower: float | None = None
) -> Callable[..., bool]:
    """A restriction for ``tune_kernel``, alone or among others: true of what is worth measuring.
    It is called as Kernel Tuner calls them: with a mapping, or with the values in their order.

    :param estimates: those of :meth:`Estimates.read`, or the file's path.
    :param keep: the share of the configurations that can run which is kept, the fastest ones.
    :param slower: keep instead what is estimated to take at most so many times the best time.
    """
    known = Estimates.read(estimates) if isinstance(estimates, str) else estimates
    limit = _limit(known, keep, slower)

    # A function with a name: Kernel Tuner reads the source of one that has none.
    def is_worth_measuring(*values: Any) -> bool:
        if len(values) == 1 and isinstance(values[0], Mapping):
            time = known.time_of(cast("Mapping[str, Value]", values[0]))
        else:
            time = known.times.get(key_of(values), math.inf)
        return time <= limit

    return is_worth_measuring


def _limit(known: Estimates, keep: float, slower: float | None) -> float:
    """The longest time that is worth measuring; negative where nothing can run."""
    running = sorted(time for time in known.times.values() if time < math.inf)
    if not running:
        return -1.0
    if slower is not None:
        return slower * running[0]
    return running[max(0, math.ceil(keep * len(running)) - 1)]


class EstimatesFirst:
    """A strategy for ``tune_kernel``: measure what is estimated to be the fastest first.

    Give the option ``max_fevals`` or ``time_limit``; without one it measures everything.
    """

    def __init__(self, estimates: Estimates | str) -> None:
        self.estimates = Estimates.read(estimates) if isinstance(estimates, str) else estimates

    def ordered(
        self, configurations: Sequence[Sequence[Value]], names: Sequence[str]
    ) -> list[tuple[Value, ...]]:
        """Configurations by their estimated times; those without one last, in their order."""

        def time_of(configuration: Sequence[Value]) -> float:
            return self.estimates.time_of(dict(zip(names, configuration, strict=True)))

        return sorted((tuple(each) for each in configurations), key=time_of)

    def tune(self, searchspace: Any, runner: Any, tuning_options: Any) -> Any:
        """What Kernel Tuner calls."""
        common: Any = import_module("kernel_tuner.strategies.common")
        stop: type[Exception] = import_module("kernel_tuner.util").StopCriterionReached
        cost = common.CostFunc(searchspace, tuning_options, runner, snap=False)
        names = list(searchspace.tune_params)
        try:
            for configuration in self.ordered(searchspace.list, names):
                cost(list(configuration), check_restrictions=False)
        except stop:
            pass
        return cost.results
