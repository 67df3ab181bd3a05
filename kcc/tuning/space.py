"""A search space: parameters, constraints, and the configurations that are left."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.records import dataclass
from kcc.stages.analyze import AnalysisRequest

Value: TypeAlias = bool | int | float | str
Configuration: TypeAlias = Mapping[str, Value]
"""A value for each parameter."""

ProblemSize: TypeAlias = int | tuple[int | str, ...] | None
"""What a grid is made from, as Kernel Tuner is told; None where a function says it, or nobody."""

MAX_CONFIGURATIONS = 10_000_000
"""More than anybody estimates; a product that has no end is a mistake in the space."""


@dataclass(frozen=True, slots=True)
class Space:
    """Parameters in their order with all values, and the configurations: a value for each
    parameter. ``whole``: whether they are all that the constraints leave, or only some."""

    parameters: Mapping[str, tuple[Value, ...]]
    configurations: tuple[tuple[Value, ...], ...]
    whole: bool = True

    def sampled(self, count: int, seed: int) -> Space:
        """``count`` of the configurations (0: all) in their order, drawn by a seed; a larger
        sample holds a smaller one."""
        if not count or count >= len(self.configurations):
            return self
        order = list(range(len(self.configurations)))
        random.Random(seed).shuffle(order)
        kept = tuple(self.configurations[n] for n in sorted(order[:count]))
        return replace(self, configurations=kept, whole=False)

    def named(self, configuration: Sequence[Value]) -> dict[str, Value]:
        """The values by parameter."""
        return dict(zip(self.parameters, configuration, strict=True))


@dataclass(frozen=True, slots=True)
class Problem:
    """What is to be tuned. ``request`` makes of a configuration what `kcc estimate` takes, or
    raises :class:`DiagnosticError`; ``problem_size`` is as the space has it."""

    kernel: str
    source: str
    space: Space
    request: Callable[[Configuration], AnalysisRequest]
    problem_size: ProblemSize = None
    notes: tuple[str, ...] = ()


Condition: TypeAlias = tuple[frozenset[str], Callable[[Configuration], bool]]
"""The parameters that a constraint needs, and whether a configuration fulfils it."""


def fulfilling(
    parameters: Mapping[str, Sequence[Value]], conditions: Sequence[Condition]
) -> Iterator[tuple[Value, ...]]:
    """The product of all values without what breaks a condition. A condition is looked at as soon
    as its parameters have values, so that most of the product is never made."""
    names = list(parameters)
    due = list[list[Callable[[Configuration], bool]]]()
    for n in range(len(names)):
        known = set(names[: n + 1])
        due.append([test for needs, test in conditions if needs <= known and names[n] in needs])
    chosen = dict[str, Value]()

    def extend(depth: int) -> Iterator[tuple[Value, ...]]:
        if depth == len(names):
            yield tuple(chosen[name] for name in names)
            return
        for value in parameters[names[depth]]:
            chosen[names[depth]] = value
            if all(test(chosen) for test in due[depth]):
                yield from extend(depth + 1)

    return extend(0)


def space_of(
    path: str, parameters: Mapping[str, Sequence[Value]], conditions: Sequence[Condition]
) -> Space:
    """The space of all configurations that fulfil the conditions.

    :raises DiagnosticError: K895 where there are none, or too many; ValueError from a condition.
    """
    found = tuple(islice(fulfilling(parameters, conditions), MAX_CONFIGURATIONS + 1))
    if not found:
        raise unreadable(path, "has no configuration: its constraints leave none")
    if len(found) > MAX_CONFIGURATIONS:
        raise unreadable(path, f"has more than {MAX_CONFIGURATIONS:,} configurations")
    return Space({name: tuple(values) for name, values in parameters.items()}, found)


def unreadable(path: str, reason: str, line: int = 0) -> DiagnosticError:
    """K895: the search space cannot be used."""
    return DiagnosticError([Diagnostic("K895", reason, Span(path, line))])


def key_of(configuration: Sequence[Value]) -> str:
    """As Kernel Tuner's cachefiles name a configuration."""
    return ",".join(str(value) for value in configuration)
