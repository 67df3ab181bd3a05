"""Front end: from source text, defines and include folders to kernels.

:func:`compile_source` is the way in. What comes out, a :class:`~kcc.frontend.kernel.CompiledUnit`,
is one canonical LLVM IR dialect (SPIR conventions) with arguments and source map, whichever front
end made it. This layer knows the source language; it does not analyse performance.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from kcc.frontend.kernel import CompiledUnit, Language
    from kcc.frontend.options import BuildOptions, SourceText

PYTHON_KERNEL = re.compile(r"(?P<file>.*\.py):(?P<kernel>[A-Za-z_]\w*)")

CUDA_ENDINGS = (".cu", ".cuh", ".hip", ".cpp", ".cc", ".cxx", ".hpp")
"""Of files with CUDA or HIP in them; sources of HIP are C++ by name."""

FrontendName = Literal["auto", "builtin", "clang", "nvrtc"]


def compile_source(
    source: SourceText,
    options: BuildOptions,
    frontend: FrontendName = "auto",
    language: Language | None = None,
    *,
    partial: bool = False,
) -> CompiledUnit:
    """Compile a source with the front end named.

    With ``partial`` a kernel that is wrong is left out and listed as refused, as long as another is
    left; else any error is raised.

    ``language`` is guessed from the ending of the source's name when it is None. ``auto`` takes
    the built-in front end for OpenCL C; for CUDA it takes clang, NVRTC for what clang leaves out
    for its inline PTX, and where there is no clang the built-in front end, which reads C-like
    kernels. Raises
    :class:`kcc.base.diagnostics.DiagnosticError` when the source is bad (K011 when clang is needed
    and not there), and :class:`kcc.base.diagnostics.InternalError` when a stage of kcc is.
    """
    from kcc.base.diagnostics import DiagnosticError
    from kcc.frontend.outside import hide_outside

    try:
        return _compile(source, options, frontend, language, partial=partial)
    except DiagnosticError as error:
        raise DiagnosticError(hide_outside(error.diagnostics, source, options)) from error


def _compile(
    source: SourceText,
    options: BuildOptions,
    frontend: FrontendName,
    language: Language | None,
    *,
    partial: bool,
) -> CompiledUnit:
    from kcc.frontend.kernel import Language

    match language or language_of(source.name):
        case Language.OPENCL if frontend == "clang":
            from kcc.frontend.clang.opencl import compile_opencl as compile_with_clang

            return compile_with_clang(source, options, partial=partial)
        case Language.OPENCL if frontend == "auto" and options.opencl_version >= 200:
            return _compile_later(source, options, partial=partial)
        case Language.OPENCL:
            from kcc.frontend.builtin_frontend import compile_opencl

            return compile_opencl(source, options, partial=partial)
        case Language.CUDA if frontend == "nvrtc":
            from kcc.frontend.ptx.doors.nvrtc import compile_cuda as compile_with_nvrtc

            return compile_with_nvrtc(source, options)
        case Language.CUDA if frontend == "builtin" or (frontend == "auto" and not has_clang()):
            from kcc.frontend.cuda.c_like import compile_c_like

            return compile_c_like(source, options)
        case Language.CUDA if frontend == "clang":
            from kcc.frontend.clang.cuda import compile_cuda

            return compile_cuda(source, options, partial=partial)
        case Language.CUDA:
            return _compile_cuda(source, options, partial=partial)
        case Language.LLVM:
            from kcc.frontend.clang.llvm_ir import compile_ir

            return compile_ir(source, options)
        case Language.PTX if is_python_kernel(source.name):
            from kcc.frontend.ptx.doors.python_kernel import compile_python

            return compile_python(source, options)
        case Language.PTX:
            from kcc.frontend.ptx.reading import compile_ptx

            return compile_ptx(source, options)


def _compile_cuda(source: SourceText, options: BuildOptions, *, partial: bool) -> CompiledUnit:
    """By clang; where inline PTX would leave kernels out and NVRTC is there, by NVRTC, unless that
    refuses the source."""
    from kcc.base.diagnostics import DiagnosticError
    from kcc.frontend.clang.cuda import compile_cuda
    from kcc.frontend.ptx.doors.nvrtc import compile_cuda as compile_with_nvrtc
    from kcc.frontend.ptx.doors.nvrtc import find_nvrtc

    refusal, unit = None, None
    try:
        unit = compile_cuda(source, options, partial=partial)
        said = unit.warnings
    except DiagnosticError as error:
        refusal, said = error, error.diagnostics
    if find_nvrtc() is not None and any(found.code == "K413" for found in said):
        try:
            return compile_with_nvrtc(source, options)
        except DiagnosticError:
            pass
    if unit is None:
        assert refusal is not None
        raise refusal
    return unit


def _compile_later(source: SourceText, options: BuildOptions, *, partial: bool) -> CompiledUnit:
    """OpenCL C 2.0 or 3.0: the built-in front end reads what is in 1.2, and what extensions and
    the library have since added; where that is not all, clang reads the source."""
    from kcc.base.diagnostics import DiagnosticError, InternalError
    from kcc.frontend.builtin_frontend import compile_opencl

    try:
        unit = compile_opencl(source, options, partial=partial)
    except DiagnosticError:
        if not has_clang():
            raise
        unit = None
    if unit is not None and (not unit.refused or not has_clang()):
        return unit
    from kcc.frontend.clang.opencl import compile_opencl as compile_with_clang

    try:
        other = compile_with_clang(source, options, partial=partial)
    except (DiagnosticError, InternalError):
        if unit is None:
            raise
        return unit
    return other if unit is None or len(other.kernels) > len(unit.kernels) else unit


def has_clang() -> bool:
    """Whether there is a clang to call."""
    from kcc.frontend.clang.find import find_clang

    return find_clang() is not None


def needs_clang(source: SourceText, options: BuildOptions, frontend: FrontendName) -> bool:
    """Whether a source cannot be compiled without clang; with ``auto``, CUDA that is C-like can."""
    from kcc.base.diagnostics import DiagnosticError
    from kcc.frontend.kernel import Language

    language = language_of(source.name)
    if language in (Language.LLVM, Language.PTX) or frontend in ("builtin", "nvrtc"):
        return False
    if frontend == "clang" or language is Language.OPENCL:
        return frontend == "clang"
    from kcc.frontend.cuda.c_like import compile_c_like

    try:
        return not compile_c_like(source, options).kernels
    except DiagnosticError:
        return True


def is_python_kernel(name: str) -> bool:
    """Whether a source's name is that of a kernel in a Python file: ``kernel.py:name``."""
    return PYTHON_KERNEL.fullmatch(name) is not None


def language_of(name: str) -> Language:
    """The language that a file's name tells; OpenCL C where it tells none."""
    from kcc.frontend.kernel import Language

    if is_python_kernel(name):
        return Language.PTX
    endings = dict.fromkeys(CUDA_ENDINGS, Language.CUDA)
    endings |= {".ll": Language.LLVM, ".bc": Language.LLVM, ".ptx": Language.PTX}
    return endings.get(PurePath(name).suffix.lower(), Language.OPENCL)
