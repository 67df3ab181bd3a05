"""LLVM IR as a source: modules of the dialect, and of NVPTX, as clang writes them."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import lru_cache

import llvmlite.binding as llvm

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.frontend.clang.canonical import canonical, source_lines, without_functions
from kcc.frontend.clang.cuda_ir import settle_spaces, with_kernel_metadata, with_plain_statics
from kcc.frontend.clang.debug_nodes import DebugNodes
from kcc.frontend.clang.nvptx import from_nvptx, is_nvptx
from kcc.frontend.clang.refusals import refused_kernels
from kcc.frontend.kernel import CompiledUnit, Language
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.unit import link_builtins, unit_from_ir

NAME = "llvm"

_READER = """
import sys
import llvmlite.binding as llvm
data, done = sys.stdin.buffer.read(), 0
try:
    with llvm.create_context() as context:
        if sys.argv[1] == "bitcode":
            module = llvm.parse_bitcode(data, context)
        else:
            module = llvm.parse_assembly(data.decode(), context)
        with module:
            module.verify()
            text = str(module)
except UnicodeDecodeError:
    done, text = 1, "a name is not in UTF-8"
except RuntimeError as error:
    done, text = 1, str(error) or "no bitcode"
sys.stdout.buffer.write(text.encode())
sys.exit(done)
"""

_PLACE = re.compile(r"<string>:(\d+):(\d+): error: (.*)")


def compile_ir(source: SourceText, options: BuildOptions) -> CompiledUnit:
    """Take a module as it is; raises :class:`DiagnosticError`: K241 where LLVM cannot read it,
    K003 for a module without kernels, K420 when none of them can be analysed."""
    text = canonical(_printed(source), source.name)
    if is_nvptx(source.text):
        text = with_plain_statics(from_nvptx(text))
    text = with_kernel_metadata(text)
    kernels = re.findall(r"^define [^\n]*?spir_kernel void @([\w.$]+)\(", text, re.MULTILINE)
    nodes = DebugNodes(text)
    subprograms = nodes.subprograms()
    names = {k: nodes.name_of(subprograms.get(k, "")) or k for k in kernels}
    refused = refused_kernels(text, kernels, names)
    warnings = tuple(r.diagnostic for r in refused)
    _check(source, kernels, warnings)
    text = without_functions(text, [r.symbol for r in refused])
    if "addrspace(4)" in text:
        text = settle_spaces(link_builtins(text), options.opt_level)
    return unit_from_ir(
        text,
        name=source.name,
        frontend=NAME,
        language=Language.LLVM,
        level=options.opt_level,
        costs=options.costs,
        sources=source_lines(text, source),
        warnings=warnings,
    )


def text_of_bitcode(data: bytes, name: str) -> str:
    """The text of a module in bitcode; raises :class:`DiagnosticError` (K241)."""
    return _read("bitcode", data, name)


@lru_cache(maxsize=4)
def _read(kind: str, data: bytes, name: str) -> str:
    """A module as LLVM prints it; raises :class:`DiagnosticError` (K241).

    LLVM ends the process that reads a damaged module: it is one of its own, for a tenth of a
    second."""
    command = [sys.executable, "-P", "-c", _READER, kind]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    text = done.stdout.decode()
    if done.returncode == 0:
        return text
    raise _unreadable(name, text or f"it is damaged (LLVM ends with {done.returncode})")


def _printed(source: SourceText) -> str:
    """The module with names for all its values, which is what the later stages read."""
    text = _read("text", source.text.encode("utf-8", "surrogateescape"), source.name)
    with llvm.create_context() as context, llvm.parse_assembly(text, context) as module:
        _name_values(module)
        return str(module)


def _name_values(module: llvm.ModuleRef) -> None:
    """Give a name to what has only a number, which text cannot be put between."""
    number = 0
    for function in module.functions:
        if function.is_declaration:
            continue
        values = [*function.arguments, *function.blocks]
        values += [i for block in function.blocks for i in block.instructions]
        for value in values:
            if not value.name and str(value.type) != "void":
                value.name = f"v{number}"
                number += 1


def _unreadable(name: str, text: str) -> DiagnosticError:
    match = _PLACE.search(text)
    span = Span(name, int(match[1]), int(match[2])) if match else Span(name, 0)
    message = match[3] if match else " ".join(text.split())[:300]
    return DiagnosticError([Diagnostic("K241", f"LLVM cannot read the module: {message}", span)])


def _check(source: SourceText, kernels: list[str], warnings: tuple[Diagnostic, ...]) -> None:
    where = Span(source.name, 0)
    if not kernels:
        hint = "a kernel is a function with the calling convention spir_kernel or ptx_kernel"
        error = Diagnostic("K003", "the module holds no kernel", where, hint=hint)
        raise DiagnosticError([error])
    if len(warnings) == len(kernels):
        last = Diagnostic("K420", "no kernel of the module can be analysed", where)
        raise DiagnosticError([*warnings, last])
