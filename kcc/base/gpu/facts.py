"""What is known of one property of a GPU: a value, where it comes from, and how good it is."""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from typing import Any, Generic, TypeAlias, TypeVar

from kcc.base.records import dataclass

Value: TypeAlias = "int | float | str | tuple[int, ...]"
V_co = TypeVar("V_co", bound="int | float | str | tuple[int, ...]", covariant=True)


class Quality(Enum):
    """How a value came to be. Those of :data:`WEAK` lower the confidence in an estimate."""

    SPEC = "spec"
    DATABASE = "spec-3p"
    VENDOR = "vendor"
    VENDOR_TYPICAL = "vendor-typical"
    PAPER = "paper"
    MEASURED = "measured"
    COMPILER_TABLE = "compiler-table"
    DERIVED = "derived"
    CONFIGURATION = "configuration"
    SECONDARY = "secondary"
    PROXY = "proxy"
    SIMULATOR = "sim"
    MODEL = "model"
    COMPILER_MODEL = "compiler-model"
    DOUBTFUL = "doubtful"
    GUESS = "guess"
    ASSUMED = "assumed"
    USER = "user"


QUALITY_MEANING = {
    Quality.SPEC: "the vendor's documents or headers",
    Quality.DATABASE: "a product database of a third party",
    Quality.VENDOR: "the vendor's prose, not a table",
    Quality.VENDOR_TYPICAL: "the vendor's prose, a typical value for a family",
    Quality.PAPER: "a paper's table or text, about the machine that it describes",
    Quality.MEASURED: "measured on this GPU, or on its generation where the note says so",
    Quality.COMPILER_TABLE: "a compiler's table of hardware limits",
    Quality.DERIVED: "computed from other values; the note has the formula",
    Quality.CONFIGURATION: "the value of a simulator's configuration that this file describes",
    Quality.SECONDARY: "told by somebody who is neither vendor nor measured it",
    Quality.PROXY: "measured on a sibling",
    Quality.SIMULATOR: "a simulator's configuration of this GPU or of a sibling",
    Quality.MODEL: "another performance model's configuration",
    Quality.COMPILER_MODEL: "a compiler's scheduling model, which is a heuristic",
    Quality.DOUBTFUL: "sources disagree, or the value is hard to believe",
    Quality.GUESS: "guessed by its source",
    Quality.ASSUMED: "chosen here because no source prints it; the note has the reason",
    Quality.USER: "set by the user",
}

WEAK = frozenset(
    {
        Quality.SECONDARY,
        Quality.PROXY,
        Quality.SIMULATOR,
        Quality.MODEL,
        Quality.COMPILER_MODEL,
        Quality.DOUBTFUL,
        Quality.GUESS,
        Quality.ASSUMED,
    }
)
"""Qualities of values that may well be wrong for the GPU at hand."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """What another source says of the same property."""

    value: Value
    source: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Fact(Generic[V_co]):
    """A value with its unit (empty for counts and words), a key of the sources, and remarks."""

    value: V_co
    unit: str
    source: str
    quality: Quality
    note: str = ""
    alternatives: tuple[Alternative, ...] = ()

    @property
    def is_weak(self) -> bool:
        return self.quality in WEAK


class Kind(Enum):
    """What a key takes."""

    INTEGER = "a whole number"
    NUMBER = "a number"
    TEXT = "text"
    INTEGERS = "a list of whole numbers"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a key takes and means. ``low`` and ``high`` bound numbers, both included; ``choices``
    are all that a text may be, if there are any.
    """

    kind: Kind
    unit: str
    meaning: str
    low: float = 0
    high: float = 1e15
    choices: tuple[str, ...] = ()


RULE = "rule"
"""The name of a field's :class:`Rule` among its metadata."""


def integer(unit: str, meaning: str, low: int = 1, high: int = 1 << 40) -> Any:
    """A field that holds a whole number, or None."""
    return _field(Rule(Kind.INTEGER, unit, meaning, low, high))


def number(unit: str, meaning: str, low: float = 0, high: float = 1e9) -> Any:
    """A field that holds a number, or None."""
    return _field(Rule(Kind.NUMBER, unit, meaning, low, high))


def text(meaning: str, *choices: str) -> Any:
    """A field that holds a text, one of ``choices`` if there are any, or None."""
    return _field(Rule(Kind.TEXT, "", meaning, choices=choices))


def integers(unit: str, meaning: str, high: int = 1 << 40) -> Any:
    """A field that holds ascending whole numbers, or None."""
    return _field(Rule(Kind.INTEGERS, unit, meaning, 0, high))


def _field(rule: Rule) -> Any:
    return field(default=None, metadata={RULE: rule})
