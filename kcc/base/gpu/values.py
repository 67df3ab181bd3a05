"""Values of a GPU description from text, by the rule of their key."""

from __future__ import annotations

import re

from kcc.base.gpu.facts import Kind, Rule, Value

_INTEGER = re.compile(r"[+-]?\d{1,18}\Z", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d{1,18}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?\Z", re.ASCII)


class BadValue(Exception):
    """A text is not a value of a key; the message says why."""


def parse_value(text: str, rule: Rule) -> Value:
    """The value of ``text``; raises :class:`BadValue` for the wrong kind or range."""
    match rule.kind:
        case Kind.INTEGER:
            return _integer(text, rule)
        case Kind.NUMBER:
            return _number(text, rule)
        case Kind.TEXT:
            return _text(text, rule)
        case Kind.INTEGERS:
            return parse_integers([part.strip() for part in text.split(",")], rule)


def parse_integers(texts: list[str], rule: Rule) -> tuple[int, ...]:
    """Ascending whole numbers; raises :class:`BadValue`."""
    values = tuple(_integer(text, rule) for text in texts)
    if list(values) != sorted(set(values)):
        raise BadValue("must ascend")
    return values


def _integer(text: str, rule: Rule) -> int:
    if not _INTEGER.match(text):
        raise BadValue(f"must be a whole number, not '{text}'")
    value = int(text)
    _check_range(value, rule)
    return value


def _number(text: str, rule: Rule) -> float:
    if not _NUMBER.match(text):
        raise BadValue(f"must be a number, not '{text}'")
    value = int(text) if _INTEGER.match(text) else float(text)
    _check_range(value, rule)
    return value


def _text(text: str, rule: Rule) -> str:
    if not text.strip() or len(text) > 500:
        raise BadValue("must be a text of 1 to 500 characters")
    if rule.choices and text not in rule.choices:
        raise BadValue(f"must be {' or '.join(rule.choices)}, not '{text}'")
    return text


def _check_range(value: float, rule: Rule) -> None:
    if not rule.low <= value <= rule.high:
        unit = f" {rule.unit}" if rule.unit else ""
        raise BadValue(f"must lie from {rule.low:g} to {rule.high:g}{unit}, not {value:g}")
