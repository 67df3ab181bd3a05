"""PTX as a source: text of PTX ISA 6 to 9 in, a unit of the canonical dialect out.

:func:`compile_ptx` is the way in. Tokens, parser, calls in place, pointers and types of registers,
then one instruction after another by tables; LLVM brings registers into SSA form.
"""

from __future__ import annotations

from dataclasses import replace

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.frontend.clang.canonical import source_lines
from kcc.frontend.kernel import CompiledUnit, Language
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.ptx.reading.module import module_text
from kcc.frontend.ptx.reading.parse import parse
from kcc.frontend.ptx.reading.tokens import Places
from kcc.frontend.unit import link_builtins, unit_from_ir

NAME = "ptx"


def compile_ptx(source: SourceText, options: BuildOptions) -> CompiledUnit:
    """The kernels of a PTX file. Raises :class:`DiagnosticError`: K430 for what is no PTX, K003 for
    a module without kernels, K420 when none of them can be taken in; a kernel with an instruction
    that is not supported (K431) is left out where others are left."""
    places = Places(source.name, source.text)
    module = parse(places)
    if not any(f.is_entry and f.is_defined for f in module.functions.values()):
        hint = "a kernel is a function marked .entry"
        where = Span(source.name, 0)
        raise DiagnosticError([Diagnostic("K003", "the module holds no kernel", where, hint=hint)])
    text = module_text(module, places)
    if not text.kernels:
        found = [d for r in text.refused for d in r.diagnostics]
        last = Diagnostic("K420", "no kernel of the module can be analysed", Span(source.name, 0))
        raise DiagnosticError([*found, last])
    unit = unit_from_ir(
        link_builtins(text.ir),
        name=source.name,
        frontend=NAME,
        language=Language.PTX,
        level=options.opt_level,
        sources=source_lines(text.ir, source),
        warnings=text.warnings,
        refused=text.refused,
        sub_group_size=32,
    )
    return replace(unit, ptx=source.text)
