"""The built-in front end for OpenCL C 1.2: its stages, one after another."""

from __future__ import annotations

from kcc.base.diagnostics import DiagnosticSink
from kcc.frontend.kernel import CompiledUnit, Language
from kcc.frontend.lowering.contraction import contraction_of
from kcc.frontend.lowering.program import lower_program
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.parser import parse, room_for_recursion
from kcc.frontend.sema.program import analyse
from kcc.frontend.unit import unit_from_ir

NAME = "builtin"


def compile_opencl(source: SourceText, options: BuildOptions) -> CompiledUnit:
    """Compile OpenCL C.

    Raises :class:`kcc.base.diagnostics.DiagnosticError` with everything found when the source is
    bad.
    """
    sink = DiagnosticSink()
    parsed = parse(source, options, sink)
    program = analyse(parsed, options, sink)
    sink.raise_if_errors()
    with room_for_recursion():
        contraction = contraction_of(parsed.pragmas)
        module = lower_program(program, source.name, options, contraction)
        return unit_from_ir(
            module.text(),
            name=source.name,
            frontend=NAME,
            language=Language.OPENCL,
            level=options.opt_level,
            sources=parsed.sources,
            warnings=tuple(sink.diagnostics),
        )
