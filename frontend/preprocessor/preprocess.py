"""The preprocessor: a source and its build options to one list of tokens, macros expanded.

It works on tokens from the first character on, so that each keeps file, line and column of what
the user wrote (:class:`kcc.frontend.preprocessor.lexer.Token`), knows the macros it came out of,
and wrong input is a coded diagnostic (K1xx). Files are read by
:func:`kcc.frontend.source_file.read_source` only; the clock is not read: ``__DATE__`` and
``__TIME__`` have the values C gives to unknown ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice

from kcc.base.diagnostics import DiagnosticError, DiagnosticSink, Note
from kcc.base.records import dataclass
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.preprocessor.conditionals import CONDITIONALS, Conditionals, check_end
from kcc.frontend.preprocessor.include import find_header, parse_header, search_folders
from kcc.frontend.preprocessor.lexer import (
    IDENTIFIER,
    LINE_START,
    NUMBER,
    PRAGMA,
    STRAY,
    STRING,
    PragmaToken,
    Token,
    report_at,
    tokenize,
    tokenize_text,
)
from kcc.frontend.preprocessor.macro_definition import (
    MacroDefinitionError,
    command_line_text,
    parse_definition,
    predefined_macros,
)
from kcc.frontend.preprocessor.macros import MacroExpander, TokenStream
from kcc.frontend.source_file import SourceFile, read_source

MAX_INCLUDE_DEPTH = 200
"""As clang has it."""

MAX_TOKENS = 4_000_000
"""Tokens of one unit, some 300 bytes each."""

MAX_INCLUDED_CHARACTERS = 32 * 1024 * 1024
"""Text of all inclusions of a unit."""


@dataclass(frozen=True, slots=True)
class PreprocessedUnit:
    """``tokens``: what is left for the parser, pragmas among them as ``PragmaToken``.

    ``sources`` maps the name of every text read to its lines.
    """

    tokens: list[Token]
    sources: dict[str, list[str]]


def preprocess(
    source: SourceText,
    options: BuildOptions,
    predefined: Mapping[str, str],
    sink: DiagnosticSink,
) -> PreprocessedUnit:
    """Run the preprocessor; ``predefined`` maps names to replacement texts.

    Wrong input goes to ``sink``, and work goes on where it can; past the bounds of this module
    and of :mod:`kcc.frontend.preprocessor.macros` a :class:`DiagnosticError` is raised.
    """
    return _Preprocessor(options, predefined, sink).run(source)


@dataclass(slots=True, eq=False)
class _OpenFile:
    """A file being read: ``index`` is the next token, ``stop`` the next directive or the end."""

    file: SourceFile
    tokens: list[Token]
    directives: list[int]
    """Indices of the ``#`` that start a line, last first."""
    conditionals: Conditionals
    index: int = 0
    stop: int = 0

    def __post_init__(self) -> None:
        self.move_to(0)

    def move_to(self, index: int) -> None:
        self.index = index
        while self.directives and self.directives[-1] < index:
            self.directives.pop()
        self.stop = self.directives[-1] if self.directives else len(self.tokens)

    def take_line(self) -> list[Token]:
        """The tokens of the directive at ``index``, after its ``#``."""
        tokens, end = self.tokens, self.index + 1
        while end < len(tokens) and tokens[end].before != LINE_START:
            end += 1
        line = tokens[self.index + 1 : end]
        self.move_to(end)
        return line


class _Preprocessor:
    def __init__(
        self, options: BuildOptions, predefined: Mapping[str, str], sink: DiagnosticSink
    ) -> None:
        self._options = options
        self._sink = sink
        self._expander = MacroExpander(sink, options.include_dirs)
        self._macros = self._expander.macros
        self._files: list[_OpenFile] = []
        self._sources: dict[str, list[str]] = {}
        self._included_once: set[str] = set()
        self._characters = 0
        self._handlers: dict[str, Callable[[Token, list[Token]], Token | None]] = {
            "define": self._define,
            "undef": self._undef,
            "include": self._include,
            "error": self._message,
            "warning": self._message,
            "pragma": self._pragma,
            "line": self._line,
        }
        self._macros.update(predefined_macros(tuple(predefined.items())))

    def run(self, source: SourceText) -> PreprocessedUnit:
        self._open(SourceFile(source.name, source.folder, source.text))
        command = command_line_text(self._options, self._sink)
        if command.text:
            self._open(command)
        stream = TokenStream(self._expander, self._next_raw, [])
        result: list[Token] = []
        while (token := stream.next()) is not None:
            if token.value == "_Pragma" and token.type == IDENTIFIER:
                token = self._pragma_operator(token, stream)
                if token is None:
                    continue
            result.append(token)
            if len(result) > MAX_TOKENS:
                self._stop("K138", f"the source has more than {MAX_TOKENS} tokens", token)
        return PreprocessedUnit(result, self._sources)

    def _stop(self, code: str, message: str, token: Token, hint: str | None = None) -> None:
        self._report(code, message, token, hint=hint)
        raise DiagnosticError(self._sink.diagnostics)

    def _report(
        self,
        code: str,
        message: str,
        token: Token,
        *,
        notes: tuple[Note, ...] = (),
        hint: str | None = None,
    ) -> None:
        report_at(self._sink, token, code, message, notes=notes, hint=hint)

    # files

    def _open(self, file: SourceFile) -> None:
        self._sources.setdefault(file.name, file.lines)
        tokens = list(islice(tokenize(file), MAX_TOKENS + 1))
        if len(tokens) > MAX_TOKENS:
            self._stop("K138", f"a source has more than {MAX_TOKENS} tokens", tokens[-1])
        if tokens and tokens[-1].type == STRAY and tokens[-1].value == "/*":
            self._report("K140", "this comment has no end", tokens.pop(), hint="it ends with '*/'")
        directives = [i for i, t in enumerate(tokens) if t.before == LINE_START and t.value == "#"]
        directives.reverse()
        conditionals = Conditionals(self._expander, self._sink)
        self._files.append(_OpenFile(file, tokens, directives, conditionals))

    def _next_raw(self) -> Token | None:
        """The next token of the text, directives carried out on the way; None at the end."""
        while self._files:
            current = self._files[-1]
            if current.index < current.stop:
                if current.conditionals.active:
                    current.index += 1
                    return current.tokens[current.index - 1]
                current.index = current.stop
            if current.index >= len(current.tokens):
                self._files.pop().conditionals.report_open()
                continue
            token = self._directive(current)
            if token is not None:
                return token
        return None

    def _directive(self, current: _OpenFile) -> Token | None:
        line = current.take_line()
        if not line or line[0].type == NUMBER:
            return None  # a null directive, or a line marker of another preprocessor
        name = line[0].value
        if name in CONDITIONALS:
            current.conditionals.handle(line[0], line[1:])
        elif not current.conditionals.active:
            return None
        elif name in self._handlers:
            return self._handlers[name](line[0], line[1:])
        else:
            self._report("K122", f"unknown directive #{name}", line[0])
        return None

    # macros

    def _define(self, directive: Token, arguments: list[Token]) -> None:
        try:
            macro = parse_definition(arguments)
        except MacroDefinitionError as error:
            self._report("K131", error.message, error.token or directive)
            return
        name = macro.name
        previous = self._macros.get(name.value)
        if previous is not None and not previous.same_as(macro):
            notes = tuple(self._expander.defined_here(previous))
            self._report(
                "K130",
                f"macro '{name.value}' is redefined differently",
                name,
                notes=notes,
                hint=f"#undef {name.value} before it",
            )
        elif previous is None and self._expander.is_defined(name.value):
            self._report("K130", f"'{name.value}' is predefined", name)
        self._macros[name.value] = macro

    def _undef(self, directive: Token, arguments: list[Token]) -> None:
        if not arguments or arguments[0].type != IDENTIFIER:
            where = arguments[0] if arguments else directive
            self._report("K131", "#undef needs the name of a macro", where)
            return
        self._macros.pop(arguments[0].value, None)
        check_end(directive, arguments[1:], self._sink)

    # other directives

    def _include(self, directive: Token, arguments: list[Token]) -> None:
        parsed = parse_header(arguments) or parse_header(self._expander.expand(arguments))
        if parsed is None:
            where = arguments[0] if arguments else directive
            self._report("K102", '#include needs "FILE" or <FILE>', where)
            return
        header, rest = parsed
        check_end(directive, list(rest), self._sink)
        includer = directive.file
        folders = search_folders(header, includer.folder, self._options.include_dirs)
        path = find_header(header, folders)
        if path is None:
            looked = ", ".join(f"'{f}'" for f in folders) or "no folder"
            self._report(
                "K101",
                f"{header} is not found",
                arguments[0],
                notes=(Note(f"looked in {looked}"),),
                hint="name its folder with -I FOLDER",
            )
        elif path not in self._included_once:
            self._include_file(path, directive, arguments[0])

    def _include_file(self, path: str, directive: Token, where: Token) -> None:
        if directive.file.depth >= MAX_INCLUDE_DEPTH:
            message = f"#include is nested more than {MAX_INCLUDE_DEPTH} deep"
            self._stop("K103", message, where, hint="does a file include itself?")
        try:
            text = read_source(path)
        except DiagnosticError as error:
            for found in error.diagnostics:
                if found.span is None:
                    self._report(found.code, found.message, where)
                else:
                    way = (Note("included from here", where.span), *where.notes)
                    self._sink.add(replace(found, notes=way))
            return
        self._characters += len(text.text)
        if self._characters > MAX_INCLUDED_CHARACTERS:
            self._stop("K103", "the included files are too large together", where)
        self._open(
            SourceFile(text.name, text.folder, text.text, directive, directive.file.depth + 1)
        )

    def _message(self, directive: Token, arguments: list[Token]) -> None:
        text = ""
        if arguments:
            start = arguments[0].offset
            text = directive.file.text[start:].split("\n", 1)[0].strip()
        code = "K120" if directive.value == "error" else "K121"
        self._report(code, f"#{directive.value} {text}".rstrip(), directive)

    def _line(self, directive: Token, arguments: list[Token]) -> None:
        """``#line`` changes ``__LINE__``; places in messages stay those of the file as it is."""
        tokens = self._expander.expand(arguments)
        number = tokens[0].value if tokens else ""
        if not number.isdecimal() or len(number) > 9:
            where = arguments[0] if arguments else directive
            self._report("K124", "#line needs a line number", where)
            return
        line, _ = directive.file.place(directive.offset)
        directive.file.line_shift = int(number) - line - 1

    # pragmas

    def _pragma(self, directive: Token, arguments: list[Token]) -> Token | None:
        name = arguments[0].value if arguments else ""
        if name == "once":
            self._included_once.add(directive.file.name)
            return None
        if name not in ("OPENCL", "STDC"):
            arguments = self._expander.expand(arguments)
        return PragmaToken(
            PRAGMA, "pragma", directive.file, directive.offset, arguments=tuple(arguments)
        )

    def _pragma_operator(self, operator: Token, stream: TokenStream) -> Token | None:
        """``_Pragma("...")`` as the pragma it stands for."""
        opening, text, closing = stream.next(), stream.next(), stream.next()
        if (
            opening is None
            or text is None
            or closing is None
            or opening.value != "("
            or text.type != STRING
            or closing.value != ")"
        ):
            self._report("K141", '_Pragma is written _Pragma("...")', operator)
            return None
        content = text.value[text.value.index('"') + 1 : -1]
        content = content.replace('\\"', '"').replace("\\\\", "\\")
        arguments = tokenize_text(content, text.file, text.offset)
        for argument in arguments:
            argument.origin = text.origin
        return PragmaToken(
            PRAGMA,
            "_Pragma",
            operator.file,
            operator.offset,
            operator.before,
            operator.origin,
            arguments=tuple(arguments),
        )
