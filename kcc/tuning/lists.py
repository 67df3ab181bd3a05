"""Lists of configurations: CSV, JSON, T4, Kernel Tuner's cachefiles."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any, cast

from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import macro_value
from kcc.base.trace.rows import refuse_constant
from kcc.frontend.options import SourceText
from kcc.stages.analyze import AnalysisRequest
from kcc.tuning.asked import Overrides, request_of
from kcc.tuning.space import Configuration, Problem, Space, Value, unreadable

MAX_BYTES = 1 << 30
"""Of a list: a cachefile of Kernel Tuner's with all its times has a kilobyte a configuration."""


def read_json(path: str) -> Any:
    """A JSON document; raises :class:`DiagnosticError` (K895). A cachefile that was not closed, as
    Kernel Tuner leaves one when it is interrupted, is read to its last whole line."""
    try:
        if Path(path).stat().st_size > MAX_BYTES:
            raise unreadable(path, f"is larger than {MAX_BYTES} bytes")
        text = Path(path).read_text(encoding="utf-8").rstrip()
    except UnicodeDecodeError as error:
        raise unreadable(path, "is not text in UTF-8") from error
    except OSError as error:
        raise unreadable(path, f"cannot be read: {error.strerror}") from error
    closed = text.rpartition("\n")[0] if not text.endswith(("}", "]", ",")) else text
    for attempt in (text, closed.rstrip(",") + "}}", closed.rstrip(",") + "\n}\n}"):
        try:
            return json.loads(attempt, parse_constant=refuse_constant)
        except (ValueError, RecursionError):
            continue
    raise unreadable(path, "is not JSON")


def entries_of(path: str, content: Any) -> list[Mapping[str, Any]]:
    """The configurations of a JSON document: a list of objects, T4's results, or a cachefile."""
    found: Any = content
    if isinstance(content, dict):
        document = cast("dict[str, Any]", content)
        if isinstance(document.get("cache"), dict):
            keys = document.get("tune_params_keys", ())
            found = [{k: _part(row, k) for k in keys} for row in document["cache"].values()]
        elif isinstance(document.get("results"), list):
            found = [_part(row, "configuration") for row in document["results"]]
        else:
            found = document.get("configurations")
    if not isinstance(found, list) or not found:
        raise unreadable(path, "has no list of configurations")
    rows = cast("list[Any]", found)
    for number, row in enumerate(rows):
        if not isinstance(row, dict) or not all(_is_value(v) for v in cast("Any", row).values()):
            raise unreadable(path, f"configuration {number} is not of NAME: VALUE")
    return cast("list[Mapping[str, Any]]", rows)


def _part(row: Any, name: Any) -> Any:
    """None where it is not there, which is no value of a configuration."""
    try:
        return row[name]
    except (LookupError, TypeError):
        return None


def _is_value(value: Any) -> bool:
    return isinstance(value, bool | int | str) or (isinstance(value, float) and isfinite(value))


@lru_cache(1 << 12)  # a column has few values, a space many rows
def from_text(text: str) -> Value:
    """The value of a cell: a number where it is one."""
    value = macro_value(text)
    return value if isinstance(value, int | float) and isfinite(value) else text


def list_problem(
    path: str, rows: Sequence[Mapping[str, Value]], names: Sequence[str], given: Overrides
) -> Problem:
    """The problem of a list: parameters ``names`` of each row, each configuration once.

    :raises DiagnosticError: K895 where a row lacks one of them.
    """
    source = given.source
    assert isinstance(source, SourceText)
    for number, row in enumerate(rows):
        lacks = [name for name in names if name not in row]
        if lacks:
            raise unreadable(path, f"configuration {number} has no {', '.join(lacks)}")
    chosen = tuple(dict.fromkeys(tuple(row[name] for name in names) for row in rows))
    columns = zip(*chosen, strict=True)
    parameters = {n: tuple(dict.fromkeys(c)) for n, c in zip(names, columns, strict=True)}
    launch = given.launch or LaunchRequest()

    def request(configuration: Configuration) -> AnalysisRequest:
        return request_of(
            source, given.kernel, given.options, launch, given.arguments, configuration
        )

    name = given.kernel or source.name.rpartition("/")[2].partition(".")[0]
    return Problem(name, source.name, Space(parameters, chosen, whole=False), request)
