"""Characters to preprocessing tokens (C99 6.4), each with the place where it was written.

:class:`Token` is the one token type of preprocessor and parser: the preprocessor moves and copies
tokens and never rebuilds text, so the place survives macro expansion.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kcc.base.diagnostics import DiagnosticSink, Note, Span
from kcc.base.records import dataclass
from kcc.frontend.source_file import SourceFile

# kinds of preprocessing tokens
IDENTIFIER = "ID"
NUMBER = "NUMBER"
CHARACTER = "CHARACTER"
STRING = "STRING"
PUNCTUATOR = "PUNCTUATOR"
STRAY = "STRAY"
"""A character that starts no token: harmless in a skipped group, else an error."""
PRAGMA = "PRAGMA"
"""A whole ``#pragma`` line or ``_Pragma``: see :class:`PragmaToken`."""

# what stands before a token
NO_SPACE, SPACE, LINE_START = 0, 1, 2

NO_NAMES: frozenset[str] = frozenset()

BUILT_IN = "<built-in>"
"""The file of predefined macros, which has no text to show."""

MAX_NOTES = 8
"""How many macro and include notes one diagnostic carries at most."""


@dataclass(slots=True, eq=False)
class Token:
    """A token. ``type`` is a kind above, later the parser's name for it; ``value`` its spelling.

    ``origin`` is set on tokens out of a macro's replacement list; ``hidden`` names the macros that
    must not be expanded again in this token (Prosser's hide set).
    """

    type: str
    value: str
    file: SourceFile
    offset: int
    before: int = NO_SPACE
    origin: Expansion | None = None
    hidden: frozenset[str] = NO_NAMES

    @property
    def use(self) -> Token:
        """The token of the user's text after this one: the outermost macro use, or itself."""
        token = self
        while token.origin is not None:
            token = token.origin.use
        return token

    @property
    def span(self) -> Span:
        """Where the user wrote it; for a token out of a macro, where the macro is used."""
        token = self.use
        line, column = token.file.place(token.offset)
        return Span(token.file.name, line, column, max(1, len(token.value)))

    @property
    def end_span(self) -> Span:
        """The place just after it: where a missing token would stand."""
        token = self.use
        line, column = token.file.place(token.offset + max(0, len(token.value) - 1))
        return Span(token.file.name, line, column + 1)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Where the macros it comes out of are defined, then where its file is included from."""
        notes: list[Note] = []
        token = self
        while token.origin is not None:
            notes.append(token.origin.note(token))
            token = token.origin.use
        place = token.file.included_from
        while place is not None:
            notes.append(Note("included from here", place.span))
            place = place.file.included_from
        if len(notes) > MAX_NOTES:
            half = MAX_NOTES // 2
            left_out = Note(f"({len(notes) - MAX_NOTES} more places left out)")
            notes = [*notes[:half], left_out, *notes[-half:]]
        return tuple(notes)


@dataclass(slots=True, eq=False)
class Expansion:
    """One use of a macro: ``use`` is the token that named it."""

    macro: str
    use: Token

    def note(self, token: Token) -> Note:
        """The note for ``token``, which stands in the macro's replacement list."""
        message = f"expanded from macro '{self.macro}'"
        if token.file.name == BUILT_IN:
            return Note(message)
        line, column = token.file.place(token.offset)
        return Note(message, Span(token.file.name, line, column, max(1, len(token.value))))


@dataclass(slots=True, eq=False)
class PragmaToken(Token):
    """A pragma: ``arguments`` are its tokens after the word pragma, not expanded."""

    arguments: tuple[Token, ...] = ()


MAX_MESSAGE = 240
"""Characters of a message; what is cut off is the inside of a monstrous name or number."""


def tidy(message: str) -> str:
    """A message with pieces of the source in it, made fit for a terminal."""
    if len(message) > MAX_MESSAGE:
        half = MAX_MESSAGE // 2
        message = f"{message[:half]}...{message[-half:]}"
    return message if message.isprintable() else "".join(_visible(c) for c in message)


def _visible(character: str) -> str:
    return character if character.isprintable() else "?"


def report_at(
    sink: DiagnosticSink,
    token: Token,
    code: str,
    message: str,
    *,
    notes: Sequence[Note] = (),
    hint: str | None = None,
) -> None:
    """Report a diagnostic at a token, with the notes on where the token comes from."""
    sink.report(code, tidy(message), token.span, notes=(*notes, *token.notes), hint=hint)


_RULES = (
    ("ID", r"(?!(?:u8|[uUL])?[\"'])[A-Za-z_$][A-Za-z0-9_$]*"),
    ("SPACE", r"[ \t\f\v]+|//[^\n]*|/\*(?s:.*?)\*/"),
    ("NEWLINE", r"\n"),
    ("NUMBER", r"\.?[0-9](?:[eEpP][+-]|[A-Za-z0-9_.])*"),
    ("STRING", r'(?:u8|[uUL])?"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"'),
    ("CHARACTER", r"(?:u8|[uUL])?'[^'\\\n]*(?:\\[^\n][^'\\\n]*)*'"),
    ("COMMENT_OPEN", r"/\*"),
    ("DIGRAPH", r"<:|:>|<%|%>|%:%:|%:"),
    (
        "PUNCTUATOR",
        r"\.\.\.|<<=|>>=|\+\+|--|->|&&|\|\||<<|>>|[<>=!*/%+\-&|^]=|##|[-+*/%|&^~!<>=?:;,.(){}\[\]#]",
    ),
    ("STRAY", r"(?s:.)"),
)
DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#", "%:%:": "##"}
"""Other spellings of punctuators, C99 6.4.6."""

_SCAN = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _RULES))


def tokenize(file: SourceFile) -> Iterator[Token]:
    """The preprocessing tokens of a file, comments and blanks dropped.

    The first token of a line has ``before == LINE_START``. An unterminated comment gives a STRAY
    token that begins with ``/*`` and swallows the rest of the file.
    """
    before = LINE_START
    for match in _SCAN.finditer(file.text):
        kind = match.lastgroup
        if kind == "SPACE":
            before = before or SPACE
        elif kind == "NEWLINE":
            before = LINE_START
        elif kind == "COMMENT_OPEN":
            yield Token(STRAY, "/*", file, match.start(), before)
            return
        elif kind == "DIGRAPH":
            yield Token(PUNCTUATOR, DIGRAPHS[match.group()], file, match.start(), before)
            before = NO_SPACE
        else:
            assert kind is not None
            yield Token(kind, match.group(), file, match.start(), before)
            before = NO_SPACE


def tokenize_text(text: str, file: SourceFile, offset: int) -> list[Token]:
    """The tokens of a piece of text that stands at ``offset`` of ``file`` (a paste, a _Pragma)."""
    inner = SourceFile(file.name, file.folder, text)
    tokens = list(tokenize(inner))
    for token in tokens:
        token.file, token.offset = file, offset
    return tokens
