"""A table of anyone's measurements: its columns, and its rows as cases."""

from __future__ import annotations

import argparse
import csv
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.expressions import Expression, Value, evaluate
from kcc.base.launch_language import macro_value, parse_expression
from kcc.base.records import dataclass
from kcc.commands.errors import usage_error
from kcc.commands.sources import SourceLines
from kcc.frontend.options import BuildOptions, MacroOption, SourceText
from kcc.sim.caches.options import CacheOptions
from kcc.sim.machine.launch_overhead import LaunchWay
from kcc.stages.analyze import AnalysisRequest
from kcc.validation.case import Case, Gpu, Measures, Work

UNITS_US = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
"""Microseconds of the units in which a column may have times."""

MAX_BYTES = 1 << 28
"""Of a table; one of a million rows has about a hundred million."""

_NAME = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MeasuredTable:
    """A CSV file with a head: rows with their lines there, and what its columns are."""

    path: str
    rows: tuple[tuple[int, Row], ...]
    macros: Mapping[str, str]
    """From a macro's name to its column."""
    time: str
    unit: str
    status: tuple[str, str] | None
    """The column that says whether a configuration ran, and what it has there if it did."""
    gpu: str | None
    """The column of GPUs."""
    problem: tuple[str, ...]
    """Columns that arguments are made of: among rows that are alike in them one would choose."""

    @property
    def words(self) -> tuple[str, ...]:
        """Columns that tell rows apart: macros, where there are some, and the GPU."""
        told = {self.time, *([self.status[0]] if self.status else [])}
        first = self.rows[0][1]
        differ = [n for n in first if any(row[n] != first[n] for _, row in self.rows)]
        named = {*self.macros.values(), *_given(self.gpu)}
        return tuple(n for n in differ if n in named or (not named and n not in told))


def read_table(arguments: argparse.Namespace, source: SourceText) -> MeasuredTable:
    """The table that the arguments name.

    :raises DiagnosticError: K894 for what is no table, UsageError for columns it does not have.
    """
    path: str = arguments.table
    rows = read_rows(path)
    head = list(rows[0][1])
    time = arguments.time or next((name for name in head if _unit(name)), None)
    if time is None:
        raise usage_error(
            f"'{path}' has no column whose name ends like a unit of time",
            "name it: --time COLUMN --unit ms",
        )
    unit = arguments.unit or _unit(time)
    if unit is None:
        raise usage_error(f"--time {time}: the unit is not known", "add --unit ns, us, ms or s")
    status = _status(arguments.status, rows)
    used = {time, *([status[0]] if status else []), *_given(arguments.gpu_column)}
    macros = _macros(arguments, head, used, source)
    for name in (time, *(status or ())[:1], *macros.values(), *_given(arguments.gpu_column)):
        if name not in head:
            raise usage_error(f"'{path}' has no column '{name}'", f"it has {', '.join(head)}")
    words = _WORD.findall(" ".join([*arguments.arguments, *arguments.sizes]))
    problem = tuple(name for name in head if name in words and name not in macros.values())
    return MeasuredTable(path, rows, macros, time, unit, status, arguments.gpu_column, problem)


def _given(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


def read_rows(path: str) -> tuple[tuple[int, Row], ...]:
    """The rows of a CSV file with a head, and their lines; raises :class:`DiagnosticError` (K894)
    for what is none."""
    try:
        if Path(path).stat().st_size > MAX_BYTES:
            raise _unreadable(path, 0, f"is larger than {MAX_BYTES} bytes")
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unreadable(path, 0, "is not text in UTF-8") from error
    except OSError as error:
        raise _unreadable(path, 0, f"cannot be read: {error.strerror}") from error
    lines = ["" if line.startswith("#") else line for line in text.splitlines()]
    reader = csv.reader(lines, strict=True)
    rows, head = list[tuple[int, Row]](), list[str]()
    try:
        for cells in reader:
            if not any(cells):
                continue
            if not head:
                head = [cell.strip() for cell in cells]
                if len(set(head)) < len(head):
                    raise _unreadable(path, reader.line_num, "has two columns of one name")
                continue
            if len(cells) != len(head):
                found = f"has {len(cells)} cells, and the head {len(head)}"
                raise _unreadable(path, reader.line_num, found)
            values = (cell.strip() for cell in cells)
            rows.append((reader.line_num, dict(zip(head, values, strict=True))))
    except csv.Error as error:
        raise _unreadable(path, reader.line_num, f"is not CSV: {error}") from error
    if not rows:
        raise _unreadable(path, 0, "has no rows under a head")
    return tuple(rows)


def _unreadable(path: str, line: int, reason: str) -> DiagnosticError:
    return DiagnosticError([Diagnostic("K894", reason, Span(path, line))])


def _unit(name: str) -> str | None:
    """The unit at the end of a column's name."""
    last = re.split(r"[_ \[(]", name.rstrip("])"))[-1].lower()
    return last if last in UNITS_US and last != name.lower() else None


def _status(text: str | None, rows: Sequence[tuple[int, Row]]) -> tuple[str, str] | None:
    if text is not None:
        column, equals, value = text.partition("=")
        if not equals:
            raise usage_error(f"--status {text} is not COLUMN=VALUE")
        return column, value
    return ("status", "ok") if "status" in rows[0][1] else None


def _macros(
    arguments: argparse.Namespace, head: Sequence[str], used: set[str], source: SourceText
) -> dict[str, str]:
    """Those of --macro; without it all columns whose names stand in the source."""
    if arguments.columns:
        pairs = (text.partition("=") for text in arguments.columns)
        return {name: column or name for name, _, column in pairs}
    named = set(_WORD.findall(source.text)) | set(_WORD.findall(" ".join(arguments.kernels)))
    return {name: name for name in head if name in named and name not in used}


# cases

RequestOf = Callable[[Sequence[MacroOption], Sequence[str]], AnalysisRequest]
"""Makes the request of macros and of texts NAME=VALUE, as --size takes them."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of all rows: the GPU where no column names it, the kernel's name, how it was
    launched and measured, restrictions, the sample."""

    gpu: str | None
    settings: tuple[str, ...]
    kernel: str
    caches: CacheOptions
    launches: LaunchWay
    measures: Measures
    where: tuple[Expression, ...]
    sample: int
    seed: int


def restrictions(texts: Sequence[str], sources: SourceLines) -> tuple[Expression, ...]:
    """The expressions of --where, all of which a row must fulfil."""
    sources.add("--where", "\n".join(texts))
    return tuple(parse_expression(t, Span("--where", n, 1)) for n, t in enumerate(texts, start=1))


def table_cases(table: MeasuredTable, asked: Asked, request_of: RequestOf) -> list[Case]:
    """The cases of a sample of the rows that fulfil the restrictions.

    :raises DiagnosticError: K894 for a time that is none, K02x for a restriction that has no value.
    """
    kept = [
        (number, line, row)
        for number, (line, row) in enumerate(table.rows)
        if all(evaluate(each, _numbers(row)) for each in asked.where)
    ]
    order = list(range(len(kept)))
    if asked.sample:
        random.Random(asked.seed).shuffle(order)
        order = sorted(order[: asked.sample])
    return [_case(table, asked, request_of, *kept[place]) for place in order]


def _case(
    table: MeasuredTable, asked: Asked, request_of: RequestOf, number: int, line: int, row: Row
) -> Case:
    macros = tuple(MacroOption(name, row[column]) for name, column in table.macros.items())
    sizes = tuple(f"{name}={value}" for name, value in _numbers(row).items())
    ran = table.status is None or row[table.status[0]].lower() == table.status[1].lower()
    gpu = row[table.gpu] if table.gpu else asked.gpu
    assert gpu is not None
    work = Work(macros, (macros, sizes), lambda: request_of(macros, sizes), 1.0, asked.launches)
    words = " ".join(f"{name}={row[name]}" for name in table.words)
    return Case(
        Path(table.path).name, number, asked.kernel, Gpu(gpu, asked.settings), lambda: (work,),
        _time_us(table, line, row) if ran else None, asked.measures, not ran, asked.caches,
        words, choice=" ".join([gpu, *(row[name] for name in table.problem)]), groups=(gpu,),
    )  # fmt: skip


def _time_us(table: MeasuredTable, line: int, row: Row) -> float | None:
    """Microseconds; None where the cell is empty."""
    if not row[table.time]:
        return None
    try:
        time = float(row[table.time]) * UNITS_US[table.unit]
    except ValueError:
        time = 0.0
    if not 0.0 < time < float("inf"):
        reason = f"{table.time} is '{row[table.time][:40]}', and no time that something takes"
        raise _unreadable(table.path, line, reason)
    return time


def _numbers(row: Row) -> dict[str, Value]:
    """The columns that are numbers and have a name, for expressions."""
    values = {name: macro_value(text) for name, text in row.items() if _NAME.match(name)}
    return {name: value for name, value in values.items() if value is not None}


def with_row(options: BuildOptions, macros: Sequence[MacroOption]) -> BuildOptions:
    """The options of a row: its macros before those of the command line, which hold."""
    given = {macro.name.partition("(")[0] for macro in options.macros}
    own = tuple(macro for macro in macros if macro.name not in given)
    return replace(options, macros=(*own, *options.macros))
