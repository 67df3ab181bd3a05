"""Conditional inclusion (C99 6.10.1): the ``#if`` groups that are open in one file."""

from __future__ import annotations

from kcc.base.diagnostics import DiagnosticSink, Note
from kcc.base.records import dataclass
from kcc.frontend.preprocessor.condition import ConditionError, evaluate
from kcc.frontend.preprocessor.lexer import IDENTIFIER, Token, report_at
from kcc.frontend.preprocessor.macros import MacroExpander

CONDITIONALS = frozenset({"if", "ifdef", "ifndef", "elif", "else", "endif"})


@dataclass(slots=True)
class _Group:
    """An ``#if`` to its ``#endif``: ``taken`` when a branch was chosen, ``active`` when it is the
    current one, ``alternative`` its ``#else``, once seen.
    """

    directive: Token
    outer_active: bool
    active: bool
    taken: bool
    alternative: Token | None = None


class Conditionals:
    """Which part of a file counts."""

    def __init__(self, expander: MacroExpander, sink: DiagnosticSink) -> None:
        self._groups: list[_Group] = []
        self._expander = expander
        self._sink = sink

    @property
    def active(self) -> bool:
        """Whether text and other directives count here."""
        return not self._groups or self._groups[-1].active

    def handle(self, directive: Token, arguments: list[Token]) -> None:
        """Carry out a directive among :data:`CONDITIONALS`."""
        name = directive.value
        if name in ("if", "ifdef", "ifndef"):
            active = self.active
            holds = active and self._holds(directive, arguments)
            self._groups.append(_Group(directive, active, holds, holds or not active))
            return
        if not self._groups:
            report_at(self._sink, directive, "K112", f"#{name} without #if")
            return
        group = self._groups[-1]
        if name == "endif":
            self._groups.pop()
            check_end(directive, arguments, self._sink)
        elif group.alternative is not None:
            self._report_second_else(directive, group, group.alternative)
        elif name == "elif":
            group.active = (
                group.outer_active and not group.taken and self._holds(directive, arguments)
            )
            group.taken = group.taken or group.active
        else:
            group.alternative = directive
            group.active = group.outer_active and not group.taken
            group.taken = True
            check_end(directive, arguments, self._sink)

    def report_open(self) -> None:
        """At the end of the file: every group still open is an error."""
        for group in self._groups:
            name = group.directive.value
            alternative = group.alternative
            report_at(
                self._sink,
                group.directive,
                "K111",
                f"#{name} has no #endif",
                notes=() if alternative is None else (Note("#else is here", alternative.span),),
                hint="every #if, #ifdef and #ifndef is closed by an #endif",
            )

    def _report_second_else(self, directive: Token, group: _Group, alternative: Token) -> None:
        notes = (
            Note("the #else is here", alternative.span),
            Note(f"it belongs to this #{group.directive.value}", group.directive.span),
        )
        message = f"#{directive.value} after #else"
        report_at(self._sink, directive, "K114", message, notes=notes)

    def _holds(self, directive: Token, arguments: list[Token]) -> bool:
        if directive.value in ("if", "elif"):
            return self._evaluate(directive, arguments)
        if not arguments or arguments[0].type != IDENTIFIER:
            where = arguments[0] if arguments else directive
            message = f"#{directive.value} needs the name of a macro"
            report_at(self._sink, where, "K113", message)
            return False
        check_end(directive, arguments[1:], self._sink)
        return self._expander.is_defined(arguments[0].value) == (directive.value == "ifdef")

    def _evaluate(self, directive: Token, arguments: list[Token]) -> bool:
        tokens = self._expander.expand_condition(arguments)
        try:
            return evaluate(tokens, self._expander.is_defined) != 0
        except ConditionError as error:
            message = f"{error.message} in the condition of #{directive.value}"
            if error.token is not None:
                report_at(self._sink, error.token, "K113", message)
            else:
                last = arguments[-1] if arguments else directive
                self._sink.report("K113", message, last.end_span, notes=directive.notes)
            return False


def check_end(directive: Token, rest: list[Token], sink: DiagnosticSink) -> None:
    """Warn of what stands after a complete directive."""
    if rest:
        message = f"what follows #{directive.value} here is ignored"
        report_at(sink, rest[0], "K123", message, hint="put remarks into a comment")
