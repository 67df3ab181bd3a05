"""The built-in front end for OpenCL C: its stages, one after another."""

from __future__ import annotations

from collections.abc import Iterable

from kcc.base.diagnostics import Diagnostic, DiagnosticError, DiagnosticSink, Severity
from kcc.frontend.grammar.unit import Extent
from kcc.frontend.kernel import CompiledUnit, Language, Refused
from kcc.frontend.lowering.contraction import contraction_of
from kcc.frontend.lowering.program import lower_program
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.parser import (
    ParsedUnit,
    TokenSource,
    parse_tokens,
    read_tokens,
    room_for_recursion,
)
from kcc.frontend.sema.program import analyse
from kcc.frontend.tree import Program
from kcc.frontend.unit import unit_from_ir

NAME = "builtin"

Checked = tuple[ParsedUnit, Program, tuple[Refused, ...], tuple[Diagnostic, ...]]


def compile_opencl(
    source: SourceText, options: BuildOptions, *, partial: bool = False
) -> CompiledUnit:
    """Compile OpenCL C. With ``partial``, kernels that are wrong, or use what is, are left out and
    listed as refused, as long as another is left.

    Raises :class:`kcc.base.diagnostics.DiagnosticError` with everything found when the source is
    bad.
    """
    sink = DiagnosticSink()
    tokens = read_tokens(source, options, sink)
    check = _check_partly if partial and not sink.errors else _check
    parsed, program, refused, warnings = check(tokens, options, sink)
    with room_for_recursion():
        contraction = contraction_of(parsed.pragmas)
        module = lower_program(program, source.name, options, contraction)
        return unit_from_ir(
            module.text(),
            name=source.name,
            frontend=NAME,
            language=Language.OPENCL,
            level=options.opt_level,
            costs=options.costs,
            sources=parsed.sources,
            warnings=warnings,
            refused=refused,
            sub_group_size=options.sub_group_size,
        )


def _check(tokens: TokenSource, options: BuildOptions, sink: DiagnosticSink) -> Checked:
    parsed = parse_tokens(tokens, sink)
    program = analyse(parsed, options, sink)
    sink.raise_if_errors()
    return parsed, program, (), tuple(sink.diagnostics)


def _check_partly(tokens: TokenSource, options: BuildOptions, sink: DiagnosticSink) -> Checked:
    """Check again without the declarations in which errors are, until there are none."""
    skipped, errors = dict[int, Extent](), list[Diagnostic]()
    while True:
        extents, found = list[Extent](), DiagnosticSink(list(sink.diagnostics))
        try:
            parsed = parse_tokens(tokens, found, extents, skipped)
            program = analyse(parsed, options, found)
        except DiagnosticError as error:
            wrong = _placed(found.errors, extents)
            errors += found.errors
            if not wrong:
                raise _all(errors, error) from None
            skipped |= {extent.start: extent for extent in wrong}
            continue
        if errors and not any(f.is_kernel for f in program.functions):
            raise _all(errors, None)
        return parsed, program, _refused(errors, skipped.values()), tuple(found.diagnostics)


def _placed(errors: Iterable[Diagnostic], extents: Iterable[Extent]) -> list[Extent]:
    """The declarations that hold the errors; none where one lies outside of all."""
    wrong = dict[int, Extent]()
    for error in errors:
        around = [e for e in extents if error.span is not None and e.holds(error.span)]
        if not around:
            return []
        wrong |= {extent.start: extent for extent in around}
    return list(wrong.values())


def _all(errors: Iterable[Diagnostic], last: DiagnosticError | None) -> DiagnosticError:
    rest = last.diagnostics if last is not None else ()
    return DiagnosticError(dict.fromkeys([*errors, *rest]))


def _refused(errors: list[Diagnostic], skipped: Iterable[Extent]) -> tuple[Refused, ...]:
    """The kernels left out, each with its errors; what is in none of them stands before them."""
    kernels = [extent for extent in skipped if extent.is_kernel]
    severe = [e for e in errors if e.severity is Severity.ERROR]
    own = {k.name: tuple(e for e in severe if e.span and k.holds(e.span)) for k in kernels}
    inside = {e for found in own.values() for e in found}
    others = tuple(e for e in severe if e not in inside)
    rows = [Refused("", others)] if others else []
    return (*rows, *(Refused(name, found) for name, found in own.items()))
