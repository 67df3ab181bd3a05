"""From the tokens of a ``#define`` to a macro, and from ``-D`` to ``#define``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache

from kcc.base.diagnostics import DiagnosticSink
from kcc.frontend.options import BuildOptions, MacroOption
from kcc.frontend.preprocessor.lexer import BUILT_IN, IDENTIFIER, NO_SPACE, Token, tokenize
from kcc.frontend.preprocessor.macros import VARIADIC, Macro
from kcc.frontend.source_file import SourceFile

COMMAND_LINE = "<command line>"
"""How messages call the text made of ``-D``, ``-U`` and ``-include``."""

_OPTION_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*(\([^()\n]*\))?")


class MacroDefinitionError(Exception):
    """A definition is malformed: ``token`` is where, None for the directive's name."""

    def __init__(self, message: str, token: Token | None) -> None:
        super().__init__(message)
        self.message = message
        self.token = token


def command_line_text(options: BuildOptions, sink: DiagnosticSink) -> SourceFile:
    """The options that speak to the preprocessor as directives, one per line (as clang does)."""
    lines: list[str] = []
    for macro in options.macros:
        message = _option_fault(macro)
        if message:
            sink.report("K132", message)
        elif macro.value is None:
            lines.append(f"#undef {macro.name}")
        else:
            lines.append(f"#define {macro.name} {macro.value}")
    for path in options.forced_includes:
        if '"' in path or "\n" in path or not path:
            sink.report("K132", f"-include cannot take the file name {path!r}")
        else:
            lines.append(f'#include "{path}"')
    return SourceFile(COMMAND_LINE, ".", "\n".join(lines))


def _option_fault(macro: MacroOption) -> str | None:
    option = "-U" if macro.value is None else "-D"
    match = _OPTION_NAME.fullmatch(macro.name)
    if match is None or (macro.value is None and match[1]):
        return f"{option} {macro.name}: this is not the name of a macro"
    if macro.value is not None and "\n" in macro.value:
        return f"{option} {macro.name}: the value has a line end in it"
    return None


@cache
def predefined_macros(definitions: tuple[tuple[str, str], ...]) -> Mapping[str, Macro]:
    """Macros from pairs of name (with parameters, if any) and text; they are trusted."""
    result: dict[str, Macro] = {}
    for name, text in definitions:
        macro = parse_definition(list(tokenize(SourceFile(BUILT_IN, ".", f"{name} {text}"))))
        result[macro.name.value] = macro
    return result


def parse_definition(tokens: Sequence[Token]) -> Macro:
    """The macro that ``#define`` with these tokens defines; raises MacroDefinitionError."""
    if not tokens:
        raise MacroDefinitionError("#define needs the name of a macro", None)
    name = tokens[0]
    if name.type != IDENTIFIER:
        raise MacroDefinitionError(f"a macro cannot be named '{name.value}'", name)
    if name.value in ("defined", VARIADIC):
        raise MacroDefinitionError(f"'{name.value}' cannot be the name of a macro", name)
    parameters: tuple[str, ...] | None = None
    variadic, rest = False, 1
    if len(tokens) > 1 and tokens[1].value == "(" and tokens[1].before == NO_SPACE:
        parameters, variadic, rest = _parse_parameters(tokens)
    body = tuple(tokens[rest:])
    _check_body(body, parameters)
    return Macro(name, parameters, variadic, body)


def _parse_parameters(tokens: Sequence[Token]) -> tuple[tuple[str, ...], bool, int]:
    """Names, whether the last takes the rest, and the index after the ``)``."""
    names: list[str] = []
    index = 2
    if index < len(tokens) and tokens[index].value == ")":
        return (), False, index + 1
    while True:
        token = _at(tokens, index)
        variadic = token.value == "..."
        if variadic:
            names.append(VARIADIC)
        elif token.type != IDENTIFIER:
            raise MacroDefinitionError("expected the name of a parameter", token)
        elif token.value in names:
            raise MacroDefinitionError(f"parameter '{token.value}' is named twice", token)
        else:
            names.append(token.value)
            if _at(tokens, index + 1).value == "...":
                variadic = True
                index += 1
        index += 1
        token = _at(tokens, index)
        if token.value == ")":
            return tuple(names), variadic, index + 1
        if variadic or token.value != ",":
            what = "')'" if variadic else "',' or ')'"
            raise MacroDefinitionError(f"expected {what} in the parameters of the macro", token)
        index += 1


def _at(tokens: Sequence[Token], index: int) -> Token:
    if index >= len(tokens):
        raise MacroDefinitionError("the parameters of the macro have no closing ')'", tokens[1])
    return tokens[index]


def _check_body(body: Sequence[Token], parameters: tuple[str, ...] | None) -> None:
    for end in (body[:1], body[-1:]):
        if end and end[0].value == "##":
            raise MacroDefinitionError("'##' cannot stand at either end of a macro", end[0])
    if parameters is None:
        return
    for index, token in enumerate(body):
        if token.value == "#":
            following = body[index + 1] if index + 1 < len(body) else token
            if following.value not in parameters:
                raise MacroDefinitionError("'#' must be followed by a parameter", token)
