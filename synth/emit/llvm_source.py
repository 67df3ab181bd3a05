"""The LLVM IR of a miniature: what its OpenCL C compiles to, in the canonical dialect."""

from __future__ import annotations

import re

from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit, Language
from kcc.frontend.options import BuildOptions, OptLevel, SourceText

_DEBUG = re.compile(
    r",? !(?:dbg|llvm\.loop) !\d+|^!\d+ = (?:distinct )?!DI[^\n]*\n"
    r"|^!\d+ = distinct !\{![^\n]*\}\n",
    re.MULTILINE,
)
"""Places in the source, and marks of loops, which point to places."""

_UNITS = re.compile(r"^!llvm\.(?:dbg\.cu|module\.flags|ident) = [^\n]*\n", re.MULTILINE)


def compiled(source: str, name: str) -> CompiledUnit:
    """A miniature's OpenCL C, with the control flow it has.

    :raises DiagnosticError: when the text is no OpenCL C, which would be our fault.
    """
    options = BuildOptions(opt_level=OptLevel.O1)
    return compile_source(SourceText(name, source, "."), options, language=Language.OPENCL)


def llvm_source(unit: CompiledUnit) -> str:
    """The module without places in the source."""
    return _UNITS.sub("", _DEBUG.sub("", unit.ir))
