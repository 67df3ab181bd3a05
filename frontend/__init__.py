"""Front end: from source text, defines and include folders to kernels.

:func:`compile_source` is the way in. What comes out, a :class:`~kcc.frontend.kernel.CompiledUnit`,
is one canonical LLVM IR dialect (SPIR conventions) with arguments and source map, whichever front
end made it. This layer knows the source language; it does not analyse performance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kcc.frontend.kernel import CompiledUnit
    from kcc.frontend.options import BuildOptions, SourceText


def compile_source(
    source: SourceText, options: BuildOptions, frontend: Literal["builtin"] = "builtin"
) -> CompiledUnit:
    """Compile a source with the front end named.

    Raises :class:`kcc.diagnostics.DiagnosticError` when the source is bad, and
    :class:`kcc.diagnostics.InternalError` when a stage of kcc is.
    """
    match frontend:
        case "builtin":
            from kcc.frontend.builtin_frontend import compile_opencl

            return compile_opencl(source, options)
