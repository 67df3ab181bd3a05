"""Macro definitions and their expansion (C99 6.10.3), on tokens.

The expansion is Prosser's: a token carries the names of the macros it must not be expanded by
again. Work is bounded: :data:`MAX_EXPANSION_TOKENS` tokens may come out of macros in one unit and
arguments may nest :data:`MAX_ARGUMENT_DEPTH` deep; past that :class:`ExpansionTooLarge` is raised,
with its diagnostic already in the sink.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kcc.base.diagnostics import DiagnosticError, DiagnosticSink, Note
from kcc.base.records import dataclass
from kcc.frontend.preprocessor.feature_checks import FEATURE_CHECKS, holds
from kcc.frontend.preprocessor.lexer import (
    BUILT_IN,
    IDENTIFIER,
    NUMBER,
    STRING,
    Expansion,
    Token,
    report_at,
    tokenize_text,
)
from kcc.frontend.source_file import SourceFile

MAX_EXPANSION_TOKENS = 250_000
"""Tokens out of macros in one unit: 20 times what the largest public kernel has."""

MAX_ARGUMENT_DEPTH = 200
"""Macro calls within arguments of macro calls; each level costs some stack."""

VARIADIC = "__VA_ARGS__"


class ExpansionTooLarge(DiagnosticError):
    """The macros of a unit expand without reasonable bound."""


@dataclass(slots=True, eq=False)
class Macro:
    """A definition. ``parameters`` is None for an object-like macro; the last one of a variadic
    macro takes the rest. ``name`` is the token that defines it (its place may be unknown).
    """

    name: Token
    parameters: tuple[str, ...] | None
    variadic: bool
    body: tuple[Token, ...]

    @property
    def is_plain(self) -> bool:
        """Whether the body is inserted as it is: nothing to substitute, quote or paste."""
        return self.parameters is None and all(t.value != "##" for t in self.body)

    def same_as(self, other: Macro) -> bool:
        """Whether a redefinition is benign (C99 6.10.3p2)."""
        if self.parameters != other.parameters or self.variadic != other.variadic:
            return False
        if [t.value for t in self.body] != [t.value for t in other.body]:
            return False
        pairs = zip(self.body[1:], other.body[1:], strict=True)
        return all(bool(mine.before) == bool(theirs.before) for mine, theirs in pairs)


@dataclass(slots=True)
class _Argument:
    raw: list[Token]
    expanded: list[Token] | None = None


def _nothing() -> Token | None:
    return None


class MacroExpander:
    """The macros of a unit, and the expansion of tokens by them."""

    def __init__(self, sink: DiagnosticSink, include_dirs: Sequence[str] = ()) -> None:
        self._include_dirs = include_dirs
        self.macros: dict[str, Macro] = {}
        self._sink = sink
        self._budget = MAX_EXPANSION_TOKENS
        self._depth = 0
        self._counter = 0
        self._hide_sets: dict[tuple[frozenset[str], str], frozenset[str]] = {}
        self._reported: set[tuple[SourceFile, int]] = set()
        self._dynamic: dict[str, Callable[[Token], tuple[str, str]]] = {
            "__LINE__": _line,
            "__FILE__": _file,
            "__INCLUDE_LEVEL__": _include_level,
            "__COUNTER__": self._count,
        }

    def is_defined(self, name: str) -> bool:
        return name in self.macros or name in self._dynamic or name in FEATURE_CHECKS

    def expand(self, tokens: Sequence[Token]) -> list[Token]:
        """All macros expanded in a closed list of tokens."""
        stream = TokenStream(self, _nothing, list(reversed(tokens)))
        result: list[Token] = []
        while (token := stream.next()) is not None:
            result.append(token)
        return result

    def expand_condition(self, tokens: Sequence[Token]) -> list[Token]:
        """As :meth:`expand`, but the name after ``defined`` stays as it is, and clang's feature
        checks are numbers."""
        stream = TokenStream(self, _nothing, list(reversed(tokens)))
        result: list[Token] = []
        while (token := stream.next()) is not None:
            if token.value in FEATURE_CHECKS and token.value not in self.macros:
                result += self._checked(token, stream)
                continue
            result.append(token)
            if token.value == "defined":
                name = stream.take()
                if name is not None and name.value == "(":
                    result.append(name)
                    name = stream.take()
                if name is not None:
                    result.append(name)
        return result

    def _checked(self, check: Token, stream: TokenStream) -> list[Token]:
        """A feature check with its argument as 1 or 0; as it is where that is malformed."""
        taken, depth = list[Token](), 0
        while (token := stream.take()) is not None:
            taken.append(token)
            depth += (token.value == "(") - (token.value == ")")
            if depth == 0:
                break
        if len(taken) < 3 or taken[0].value != "(" or depth:
            return [check, *taken]
        value = str(int(holds(check, taken[1:-1], self._include_dirs)))
        return [Token(NUMBER, value, check.file, check.offset, check.before, check.origin)]

    def hiding(self, hidden: frozenset[str], name: str) -> frozenset[str]:
        """``hidden`` and ``name``; equal sets are one object, for there may be very many."""
        key = hidden, name
        both = self._hide_sets.get(key)
        if both is None:
            self._hide_sets[key] = both = hidden | {name}
        return both

    def replace_dynamic(self, token: Token) -> Token | None:
        """The value of ``__LINE__`` and its like; None for every other name."""
        make = self._dynamic.get(token.value)
        if make is None:
            return None
        kind, value = make(token)
        origin = Expansion(token.value, token)
        return Token(kind, value, token.file, token.offset, token.before, origin)

    def _count(self, _: Token) -> tuple[str, str]:
        self._counter += 1
        return NUMBER, str(self._counter - 1)

    def spend(self, count: int, macro: Macro, use: Token) -> None:
        """Account for ``count`` more tokens out of ``macro``."""
        self._budget -= count
        if self._budget < 0:
            self._give_up(
                use,
                f"expanding macro '{macro.name.value}' gives more than "
                f"{MAX_EXPANSION_TOKENS} tokens",
            )

    def _give_up(self, use: Token, message: str) -> None:
        self._sink.report(
            "K137",
            message,
            use.span,
            notes=use.notes[:2],
            hint="macros that double their text at every level grow without bound",
        )
        raise ExpansionTooLarge(self._sink.diagnostics)

    def check_arguments(
        self, macro: Macro, collected: list[list[Token]], use: Token
    ) -> list[list[Token]] | None:
        """One argument for each parameter, though the last of a variadic macro may be absent;
        None, and an error, if their number is wrong."""
        wanted = len(macro.parameters or ())
        if len(collected) == wanted or (macro.variadic and len(collected) == wanted - 1):
            return collected
        if not wanted and collected == [[]]:
            return []
        given = 0 if collected == [[]] else len(collected)
        least = "at least " if macro.variadic else ""
        wanted -= macro.variadic
        plural = "" if wanted == 1 else "s"
        name = macro.name.value
        message = f"macro '{name}' takes {least}{wanted} argument{plural}, {given} given"
        self._report(use, "K134", message, self.defined_here(macro))
        return None

    def report_unterminated_call(self, macro: Macro, use: Token) -> None:
        message = f"the call of macro '{macro.name.value}' has no closing ')'"
        self._report(use, "K135", message, self.defined_here(macro))

    def _report(self, token: Token, code: str, message: str, notes: Sequence[Note]) -> None:
        """Report at ``token``; of a place in a macro's body only once, however often it is used."""
        place = token.file, token.offset
        if token.origin is None or place not in self._reported:
            self._reported.add(place)
            report_at(self._sink, token, code, message, notes=notes)

    @staticmethod
    def defined_here(macro: Macro) -> list[Note]:
        """The note that shows a macro's definition, if it stands in a source."""
        if macro.name.file.name == BUILT_IN:
            return []
        return [Note(f"macro '{macro.name.value}' defined here", macro.name.span)]

    def substitute(
        self, macro: Macro, arguments: list[list[Token]], use: Token, hidden: frozenset[str]
    ) -> list[Token]:
        """The replacement of one use, ready to be scanned again."""
        origin = Expansion(macro.name.value, use)
        if macro.is_plain:
            self.spend(len(macro.body), macro, use)
            result = [
                Token(t.type, t.value, t.file, t.offset, t.before, origin, hidden)
                for t in macro.body
            ]
        else:
            result = self._substitute_parameters(macro, arguments, origin, hidden)
        if result:
            result[0].before = use.before
        return result

    def _substitute_parameters(
        self, macro: Macro, arguments: list[list[Token]], origin: Expansion, hidden: frozenset[str]
    ) -> list[Token]:
        parameters = macro.parameters or ()
        absent = len(arguments) < len(parameters)
        given = [*arguments, []] if absent else arguments
        pairs = zip(parameters, given, strict=True)
        bound = {name: _Argument(argument) for name, argument in pairs}
        body = macro.body
        rest_name = parameters[-1] if parameters else ""
        result: list[Token] = []
        index = 0
        while index < len(body):
            token = body[index]
            pasted = index + 1 < len(body) and body[index + 1].value == "##"
            if not pasted and token.value in bound and token.type == IDENTIFIER:
                piece = self._expanded_copy(bound[token.value], token.before, hidden)
                index += 1
            else:
                piece, index = self._operand(macro, bound, index, origin, hidden)
                while index + 1 < len(body) and body[index].value == "##":
                    optional = macro.variadic and body[index + 1].value == rest_name
                    right, index = self._operand(macro, bound, index + 1, origin, hidden)
                    if optional and piece and piece[-1].value == ",":
                        piece = piece[:-1] if absent else piece + right  # the GNU comma
                    else:
                        piece = self._paste(piece, right, origin)
            self.spend(len(piece), macro, origin.use)
            result += piece
        return result

    def _operand(
        self,
        macro: Macro,
        bound: dict[str, _Argument],
        index: int,
        origin: Expansion,
        hidden: frozenset[str],
    ) -> tuple[list[Token], int]:
        """An operand of ``##`` at ``index`` of the body, and the index after it."""
        token = macro.body[index]
        if token.value == "#" and macro.parameters is not None and index + 1 < len(macro.body):
            argument = bound.get(macro.body[index + 1].value)
            if argument is not None:
                text = _quote(argument.raw)
                quoted = Token(STRING, text, token.file, token.offset, token.before, origin, hidden)
                return [quoted], index + 2
        if token.type == IDENTIFIER and token.value in bound:
            raw = [_rehidden(t, hidden) for t in bound[token.value].raw]
            if raw:
                raw[0].before = token.before
            return raw, index + 1
        copy = Token(
            token.type, token.value, token.file, token.offset, token.before, origin, hidden
        )
        return [copy], index + 1

    def _expanded_copy(
        self, argument: _Argument, before: int, hidden: frozenset[str]
    ) -> list[Token]:
        if argument.expanded is None:
            self._depth += 1
            if self._depth > MAX_ARGUMENT_DEPTH and argument.raw:
                self._give_up(
                    argument.raw[0],
                    f"macro calls nest more than {MAX_ARGUMENT_DEPTH} deep in their arguments",
                )
            argument.expanded = self.expand(argument.raw)
            self._depth -= 1
        result = [_rehidden(t, hidden) for t in argument.expanded]
        if result:
            result[0].before = before
        return result

    def _paste(self, left: list[Token], right: list[Token], origin: Expansion) -> list[Token]:
        """``left ## right``; an empty side stands for nothing (C99 6.10.3.3)."""
        if not left or not right:
            return left + right
        a, b = left[-1], right[0]
        tokens = tokenize_text(a.value + b.value, a.file, a.offset)
        if len(tokens) != 1:
            message = f"pasting '{a.value}' and '{b.value}' does not give one token"
            note = origin.note(b if b.origin is origin else a)
            self._report(origin.use, "K136", message, [note])
            return left + right
        token = tokens[0]
        token.before, token.origin, token.hidden = a.before, origin, a.hidden & b.hidden
        return [*left[:-1], token, *right[1:]]


class TokenStream:
    """Tokens with macros expanded: first those of ``pending`` (a stack), then those of ``raw``."""

    def __init__(
        self, expander: MacroExpander, raw: Callable[[], Token | None], pending: list[Token]
    ) -> None:
        self._expander = expander
        self._macros = expander.macros
        self._raw = raw
        self._pending = pending

    def take(self) -> Token | None:
        """The next token, macro or not."""
        return self._pending.pop() if self._pending else self._raw()

    def next(self) -> Token | None:
        """The next token that no macro replaces; None at the end."""
        while True:
            token = self._pending.pop() if self._pending else self._raw()
            if token is None or token.type != IDENTIFIER:
                return token
            name = token.value
            macro = self._macros.get(name)
            if macro is None:
                return self._expander.replace_dynamic(token) or token
            if name in token.hidden:
                return token
            if macro.parameters is None:
                hidden = self._expander.hiding(token.hidden, name)
                replacement = self._expander.substitute(macro, [], token, hidden)
            else:
                call = self._call(macro, token)
                if call is None:
                    return token
                arguments, close = call
                hidden = self._expander.hiding(token.hidden & close.hidden, name)
                replacement = self._expander.substitute(macro, arguments, token, hidden)
            replacement.reverse()
            self._pending += replacement

    def _call(self, macro: Macro, use: Token) -> tuple[list[list[Token]], Token] | None:
        """The arguments of a call and its ``)``; None when it is no call or no correct one."""
        opening = self.take()
        if opening is None:
            return None
        if opening.value != "(":
            self._pending.append(opening)
            return None
        collected: list[list[Token]] = [[]]
        depth = 0
        assert macro.parameters is not None
        rest_from = len(macro.parameters) if macro.variadic else 0
        while True:
            token = self.take()
            if token is None:
                self._expander.report_unterminated_call(macro, use)
                return None
            value = token.value
            if value == ")" and not depth:
                break
            if value == "(":
                depth += 1
            elif value == ")":
                depth -= 1
            elif value == "," and not depth and len(collected) != rest_from:
                collected.append([])
                continue
            collected[-1].append(token)
        arguments = self._expander.check_arguments(macro, collected, use)
        return None if arguments is None else (arguments, token)


def _rehidden(token: Token, hidden: frozenset[str]) -> Token:
    """A copy of an argument's token under the hide set of the call."""
    both = token.hidden | hidden if token.hidden else hidden
    return Token(
        token.type, token.value, token.file, token.offset, token.before, token.origin, both
    )


def _quote(tokens: list[Token]) -> str:
    """What ``#`` makes of an argument (C99 6.10.3.2)."""
    pieces: list[str] = []
    for index, token in enumerate(tokens):
        if index and token.before:
            pieces.append(" ")
        if token.type in (STRING, "CHARACTER"):
            pieces.append(token.value.replace("\\", "\\\\").replace('"', '\\"'))
        else:
            pieces.append(token.value)
    return '"' + "".join(pieces) + '"'


def _line(token: Token) -> tuple[str, str]:
    use = token.use
    return NUMBER, str(use.file.place(use.offset)[0] + use.file.line_shift)


def _file(token: Token) -> tuple[str, str]:
    name = token.use.file.name.replace("\\", "\\\\").replace('"', '\\"')
    return STRING, f'"{name}"'


def _include_level(token: Token) -> tuple[str, str]:
    return NUMBER, str(token.use.file.depth)
