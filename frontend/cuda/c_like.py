"""C-like CUDA through the built-in front end: host code out, CUDA's words in, then OpenCL C."""

from __future__ import annotations

import re
from dataclasses import replace

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.frontend.builtin_frontend import compile_opencl
from kcc.frontend.clang.host_code import Editable, Item, masked
from kcc.frontend.clang.host_headers import KNOWN
from kcc.frontend.cuda.words import MACROS
from kcc.frontend.kernel import CompiledUnit, Language
from kcc.frontend.options import BuildOptions, MacroOption, SourceText

_INCLUDE = re.compile(r'^([ \t]*)#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"][^\n]*', re.MULTILINE)
_C_LINKAGE = re.compile(r'\bextern\s*"\s*C\s*"')
_ID = re.compile(r"\b(threadIdx|blockIdx|blockDim|gridDim)\.([xyz])\b")
_TYPE = re.compile(r"\s*(?:typedef|struct|union|enum)\b")
_BEYOND_C = re.compile(
    r"\b(?P<word>template|class|namespace|[a-z]+3|texture|surface|extern\s+__shared__|auto"
    r"|reinterpret_cast|static_cast|__shfl\w*|operator)\b"
)
"""Words after which a source is not C-like, or means something else in OpenCL C (vectors of three
have another size)."""


def compile_c_like(source: SourceText, options: BuildOptions) -> CompiledUnit:
    """Compile CUDA that is C but for CUDA's own words.

    Raises :class:`DiagnosticError`: K422 where the source is more than that, and whatever the
    built-in front end finds. Columns of the lines of kernel heads count what was put in.
    """
    editable = Editable(_C_LINKAGE.sub(lambda m: " " * len(m[0]), _without_headers(source.text)))
    for item in editable.items:
        if not item.is_device and not _TYPE.match(item.head):
            editable.hide(item)
    _check(editable.text, source.name)
    text = _ID.sub(r"\1_\2", _with_spaces(editable))
    macros = tuple(MacroOption(name, value) for name, value in MACROS.items())
    mapped = replace(options, macros=(*macros, *options.macros))
    unit = compile_opencl(SourceText(source.name, text, source.folder), mapped)
    kernels = tuple(replace(kernel, language=Language.CUDA) for kernel in unit.kernels)
    sources = {**unit.sources, source.name: source.text.split("\n")}
    return replace(unit, language=Language.CUDA, kernels=kernels, sources=sources)


def _without_headers(text: str) -> str:
    """The text without the headers of hosts and of CUDA."""
    return _INCLUDE.sub(lambda m: "" if m[2] in KNOWN else m[0], text)


def _check(text: str, name: str) -> None:
    plain = masked(text)
    match = _BEYOND_C.search(plain)
    if match is None:
        return
    line = plain.count("\n", 0, match.start()) + 1
    column = match.start() - plain.rfind("\n", 0, match.start())
    word = " ".join(match["word"].split())
    message = f"'{word}' is beyond what the built-in front end reads of CUDA"
    span = Span(name, line, column, len(match["word"].split("\n")[0]))
    hint = "--frontend clang compiles all of CUDA"
    raise DiagnosticError([Diagnostic("K422", message, span, hint=hint)])


def _with_spaces(editable: Editable) -> str:
    """Pointers that kernels take are global."""
    text = editable.text
    for item in reversed(editable.items):
        if "__global__" in item.head:
            text = _with_global_pointers(text, item)
    return text


def _with_global_pointers(text: str, item: Item) -> str:
    head = masked(text)[item.start : item.start + len(item.head)]
    opening = head.rfind("(", 0, _last_parameter(head))
    if opening < 0:
        return text
    start, end = item.start + opening + 1, item.start + _last_parameter(head)
    parts = text[start:end].split(",")
    marked = [re.sub(r"^(\s*)", r"\1__global ", p, count=1) if "*" in p else p for p in parts]
    return text[:start] + ",".join(marked) + text[end:]


def _last_parameter(head: str) -> int:
    """Where the parameter list closes."""
    return head.rfind(")")
