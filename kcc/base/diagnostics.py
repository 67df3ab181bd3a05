"""Diagnostics and source spans: how every stage of kcc tells the user about their input.

A stage that meets bad input collects :class:`Diagnostic` values in a :class:`DiagnosticSink`
and, when it cannot go on, raises :class:`DiagnosticError` with all of them. The text form is

    kernel.cl:3:9: error[K301]: unknown name 'foo'
        3 |     a = foo;
          |         ^~~
      hint: ...

Codes, with severity and title, are rows of :data:`kcc.base.diagnostic_codes.CODES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from enum import Enum

from kcc.base.diagnostic_codes import CODES
from kcc.base.records import dataclass

MAX_ERRORS = 50
"""After this many errors a sink gives up: what follows is nearly always a consequence."""

TAB_WIDTH = 4


class Severity(Enum):
    """How bad it is: errors stop the command, warnings and notes do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of one source line; lines and columns count from 1, 0 means unknown.

    ``length`` counts characters from ``column``; a span never crosses a line end.
    """

    file: str
    line: int
    column: int = 0
    length: int = 1

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}:{self.column}" if self.line and self.column else place


@dataclass(frozen=True, slots=True)
class Note:
    """A second place or remark that explains a diagnostic ("included from", "declared here")."""

    message: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about the user's input. ``code`` is a key of the table of codes."""

    code: str
    message: str
    span: Span | None = None
    notes: tuple[Note, ...] = ()
    hint: str | None = None

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"diagnostic code {self.code} has no row in the table of codes")

    @property
    def severity(self) -> Severity:
        return Severity(CODES[self.code].severity)


class DiagnosticError(Exception):
    """The input is bad: at least one error among ``diagnostics`` (sorted as they were found).

    ``code``, ``file``, ``line`` and ``column`` are those of the first error: "" and 0 where they
    are not known.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        texts = (f"{d.code}: {d.message}" for d in self.diagnostics)
        places = (f"{d.span}: " if d.span else "" for d in self.diagnostics)
        super().__init__("; ".join(p + t for p, t in zip(places, texts, strict=True)))

    @property
    def first(self) -> Diagnostic:
        """The first error; the first of all where none is one."""
        errors = (d for d in self.diagnostics if d.severity is Severity.ERROR)
        return next(errors, self.diagnostics[0])

    @property
    def code(self) -> str:
        return self.first.code

    @property
    def file(self) -> str:
        return self.first.span.file if self.first.span else ""

    @property
    def line(self) -> int:
        return self.first.span.line if self.first.span else 0

    @property
    def column(self) -> int:
        return self.first.span.column if self.first.span else 0

    def __reduce__(self) -> tuple[type[DiagnosticError], tuple[tuple[Diagnostic, ...]]]:
        return type(self), (self.diagnostics,)


class TooManyErrors(DiagnosticError):
    """A sink has reached :data:`MAX_ERRORS`."""


class InternalError(Exception):
    """A stage of kcc broke its own rules: our bug, exit code 3. ``detail`` helps to find it."""

    def __init__(self, stage: str, detail: str) -> None:
        self.stage = stage
        self.detail = detail
        super().__init__(f"{stage}: {detail}")

    def __reduce__(self) -> tuple[type[InternalError], tuple[str, str]]:
        return InternalError, (self.stage, self.detail)


@dataclass(slots=True)
class DiagnosticSink:
    """Collects diagnostics of one stage; drops exact repetitions of code and span."""

    diagnostics: list[Diagnostic] = field(default_factory=list[Diagnostic])
    _seen: set[tuple[str, Span | None, str]] = field(
        default_factory=set[tuple[str, Span | None, str]]
    )

    def add(self, diagnostic: Diagnostic) -> None:
        """Record a diagnostic; raises :class:`TooManyErrors` past :data:`MAX_ERRORS` errors."""
        key = (diagnostic.code, diagnostic.span, diagnostic.message)
        if key in self._seen:
            return
        self._seen.add(key)
        self.diagnostics.append(diagnostic)
        if diagnostic.severity is Severity.ERROR and len(self.errors) >= MAX_ERRORS:
            raise TooManyErrors(self.diagnostics)

    def report(
        self,
        code: str,
        message: str,
        span: Span | None = None,
        *,
        notes: Sequence[Note] = (),
        hint: str | None = None,
    ) -> None:
        """Shorthand for :meth:`add` with a new :class:`Diagnostic`."""
        self.add(Diagnostic(code, message, span, tuple(notes), hint))

    @property
    def errors(self) -> list[Diagnostic]:
        return [d for d in self.diagnostics if d.severity is Severity.ERROR]

    def raise_if_errors(self) -> None:
        """Raise :class:`DiagnosticError` with everything collected if any of it is an error."""
        if self.errors:
            raise DiagnosticError(self.diagnostics)


def render(diagnostic: Diagnostic, sources: Mapping[str, Sequence[str]]) -> str:
    """The text form of a diagnostic. ``sources``: file name to its lines, as far as known."""
    place = f"{diagnostic.span}: " if diagnostic.span else ""
    lines = [f"{place}{diagnostic.severity.value}[{diagnostic.code}]: {diagnostic.message}"]
    lines += _excerpt(diagnostic.span, sources)
    for note in diagnostic.notes:
        place = f"{note.span}: " if note.span else ""
        lines.append(f"{place}note: {note.message}")
        lines += _excerpt(note.span, sources)
    if diagnostic.hint:
        lines.append(f"  hint: {diagnostic.hint}")
    return "\n".join(lines)


def _excerpt(span: Span | None, sources: Mapping[str, Sequence[str]]) -> list[str]:
    """The source line with a caret under the span; nothing where the line is not known."""
    if span is None or not 1 <= span.line <= len(sources.get(span.file, ())):
        return []
    raw = sources[span.file][span.line - 1].rstrip("\r\n")
    gutter = f"{span.line:>5} | "
    shown, start, length = _window(raw, span)
    excerpt = [gutter + shown]
    if span.column:
        excerpt.append(" " * (len(gutter) - 2) + "| " + " " * start + "^" + "~" * (length - 1))
    return excerpt


def _window(raw: str, span: Span) -> tuple[str, int, int]:
    """Tabs expanded and long lines cut around the span: text, caret offset, caret length."""
    column = min(max(span.column, 1), len(raw) + 1) - 1
    head = raw[:column].expandtabs(TAB_WIDTH)
    marked = raw[column : column + max(span.length, 1)].expandtabs(TAB_WIDTH)
    tail = raw[column + max(span.length, 1) :].expandtabs(TAB_WIDTH)
    start, width = len(head), 110
    if len(head) > width - 30:
        cut = len(head) - 60
        head, start = "..." + head[cut + 3 :], 60
    marked = marked[: width - start]
    shown = "".join(c if c.isprintable() else "?" for c in (head + marked + tail)[:width])
    return shown, start, max(len(marked), 1)
