"""How a model asks a GPU description for values, and keeps what it had to assume.

A description is never completed in silence: a model hands its reader what it would assume and
why; the reader records each use of an assumed or weak value, for the report's confidence.
"""

from __future__ import annotations

from typing import Any

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.facts import Fact
from kcc.base.gpu.schema import fact_of, rules
from kcc.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Assumption:
    """A value that no file has and a model put in, with the model's reason."""

    key: str
    value: int | float | str
    unit: str
    reason: str


class GpuReader:
    """Gives the values of one description to one model run."""

    def __init__(self, gpu: GpuDescription) -> None:
        self.gpu = gpu
        self._assumed: dict[str, Assumption] = {}
        self._used: dict[str, Fact[Any]] = {}

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """What was assumed so far, in the order of first use."""
        return tuple(self._assumed.values())

    @property
    def used(self) -> dict[str, Fact[Any]]:
        """The known facts asked for so far, by key."""
        return dict(self._used)

    @property
    def weak(self) -> dict[str, Fact[Any]]:
        """Those among :attr:`used` that may well be wrong for this GPU."""
        return {key: fact for key, fact in self._used.items() if fact.is_weak}

    def fact(self, key: str) -> Fact[Any] | None:
        """The fact of a dotted key, None if it is not known."""
        assert key in rules(), f"{key} is not a key of a GPU description"
        found = fact_of(self.gpu, key)
        if found is not None:
            self._used[key] = found
        return found

    def integer(self, key: str, *, assumed: int | None = None, reason: str = "") -> int:
        """A whole number; if it is not known ``assumed``, which is recorded with ``reason``.

        :raises DiagnosticError: K807 when it is not known and nothing is assumed.
        """
        value = self._value(key, assumed, reason)
        assert isinstance(value, int), f"{key} does not hold whole numbers"
        return value

    def number(self, key: str, *, assumed: float | None = None, reason: str = "") -> float:
        """A number; otherwise like :meth:`integer`."""
        value = self._value(key, assumed, reason)
        assert isinstance(value, int | float), f"{key} does not hold numbers"
        return float(value)

    def text(self, key: str, *, assumed: str | None = None, reason: str = "") -> str:
        """A text; otherwise like :meth:`integer`."""
        value = self._value(key, assumed, reason)
        assert isinstance(value, str), f"{key} does not hold texts"
        return value

    def clock_mhz(self) -> float:
        """What SMs run at under load [MHz]: the shader clock, else the boost clock and what boards
        run above it, else the base clock, without which there is no description."""
        if self.fact("extra.shader_clock_mhz"):
            return self.number("extra.shader_clock_mhz")
        if self.fact("core_clock_boost_mhz"):
            above = self.fact("clock_over_boost")
            return self.number("core_clock_boost_mhz") * (above.value if above else 1.0)
        return self.number("core_clock_base_mhz")

    def _value(self, key: str, assumed: float | str | None, reason: str) -> Any:
        found = self.fact(key)
        if found is not None:
            return found.value
        if assumed is None:
            raise DiagnosticError([unknown_value(self.gpu, key)])
        assert reason, f"an assumed {key} needs a reason"
        self._assumed[key] = Assumption(key, assumed, rules()[key].unit, reason)
        return assumed


def unknown_value(gpu: GpuDescription, key: str) -> Diagnostic:
    """K807 for a key that a model cannot do without."""
    rule = rules()[key]
    return Diagnostic(
        "K807",
        f"'{key}' of {gpu.stem} ({rule.meaning}) is not known",
        hint=f"give it with --set {key}=VALUE",
    )
