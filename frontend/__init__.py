"""Front end: from source text, defines and include folders to kernels.

:func:`compile_source` is the way in. What comes out, a :class:`~kcc.frontend.kernel.CompiledUnit`,
is one canonical LLVM IR dialect (SPIR conventions) with arguments and source map, whichever front
end made it. This layer knows the source language; it does not analyse performance.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kcc.frontend.kernel import CompiledUnit, Language
    from kcc.frontend.options import BuildOptions, SourceText

FrontendName = Literal["auto", "builtin", "clang"]


def compile_source(
    source: SourceText,
    options: BuildOptions,
    frontend: FrontendName = "auto",
    language: Language | None = None,
) -> CompiledUnit:
    """Compile a source with the front end named.

    ``language`` is guessed from the ending of the source's name when it is None. ``auto`` takes
    the built-in front end for OpenCL C and clang for the rest. Raises
    :class:`kcc.diagnostics.DiagnosticError` when the source is bad (K011 when clang is needed and
    not there), and :class:`kcc.diagnostics.InternalError` when a stage of kcc is.
    """
    from kcc.frontend.kernel import Language

    match language or language_of(source.name):
        case Language.OPENCL if frontend == "clang":
            from kcc.frontend.clang.opencl import compile_opencl as compile_with_clang

            return compile_with_clang(source, options)
        case Language.OPENCL:
            from kcc.frontend.builtin_frontend import compile_opencl

            return compile_opencl(source, options)
        case Language.CUDA:
            from kcc.frontend.clang.cuda import compile_cuda

            return compile_cuda(source, options)
        case Language.LLVM:
            from kcc.frontend.clang.llvm_ir import compile_ir

            return compile_ir(source, options)


def needs_clang(name: str, frontend: str) -> bool:
    """Whether a source of that name goes through clang."""
    from kcc.frontend.kernel import Language

    language = language_of(name)
    return language is Language.CUDA or (language is Language.OPENCL and frontend == "clang")


def language_of(name: str) -> Language:
    """The language that a file's name tells; OpenCL C where it tells none."""
    from kcc.frontend.kernel import Language

    endings = {".cu": Language.CUDA, ".cuh": Language.CUDA}
    endings |= {".ll": Language.LLVM, ".bc": Language.LLVM}
    return endings.get(PurePath(name).suffix.lower(), Language.OPENCL)
