"""The table of diagnostic codes: one row for every message kind kcc can give.

Ranges: K0xx command line, files, launch expressions; K1xx preprocessor; K2xx syntax;
K3xx names, types, address spaces (semantic pass); K4xx language features that are not supported;
K5xx intermediate representation and optimisation; K6xx analysis; K7xx execution.
``docs/frontend.md`` is generated from this table.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A row: ``severity`` is error, warning or note; ``title`` is the general statement."""

    severity: str
    title: str


CODES: dict[str, Code] = {
    # K0xx: command line, files, launch expressions
    "K001": Code("error", "a file cannot be read"),
    "K002": Code("error", "a source is not valid UTF-8"),
    "K003": Code("error", "a source is empty or holds no kernel"),
    "K004": Code("error", "a source is too large"),
    "K005": Code("error", "the kernel asked for does not exist"),
    "K006": Code("error", "a source is nested too deeply"),
    "K007": Code("error", "there is not enough memory for a source"),
    "K008": Code("error", "an output cannot be written"),
    "K009": Code("error", "the command line is used wrongly"),
    "K020": Code("error", "a launch expression cannot be parsed"),
    "K021": Code("error", "a function of a launch expression is unknown or has wrong arguments"),
    "K022": Code("error", "a name in a launch expression has no value"),
    "K023": Code("error", "a launch expression has no value"),
    "K024": Code("error", "a value in a launch expression is too large"),
    "K025": Code("error", "a launch expression is too long or nested too deeply"),
    "K026": Code("error", "the description of an argument is wrong"),
    "K027": Code("error", "an option needs the form NAME=VALUE"),
    "K030": Code("error", "a size is not a positive whole number"),
    "K031": Code("error", "the number of launch dimensions is wrong"),
    "K032": Code("error", "the local size does not divide the global size"),
    "K033": Code("error", "a launch is larger than any GPU runs"),
    "K034": Code("error", "the local size is not the one the kernel requires"),
    "K035": Code("error", "launch options contradict each other"),
    "K036": Code("error", "a kernel.toml is not valid TOML"),
    "K037": Code("error", "an entry of a kernel.toml is missing, unknown or of the wrong kind"),
}
