"""LLVM IR as a source: modules of the dialect, and of NVPTX, as clang writes them."""

from __future__ import annotations

import re
import subprocess
import sys

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

_BITCODE_READER = """
import sys
import llvmlite.binding as llvm
try:
    with llvm.create_context() as context:
        with llvm.parse_bitcode(sys.stdin.buffer.read(), context) as module:
            text = str(module)
except RuntimeError as error:
    sys.exit(str(error) or "no bitcode")
sys.stdout.buffer.write(text.encode())
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
    """The text of a module in bitcode; raises :class:`DiagnosticError` (K241).

    LLVM ends the process that reads damaged bitcode: it is one of its own, for a tenth of a
    second."""
    command = [sys.executable, "-P", "-c", _BITCODE_READER]
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    if done.returncode == 0:
        return done.stdout.decode()
    reason = done.stderr.decode(errors="replace").strip()
    if done.returncode < 0 or not reason:
        reason = f"its bitcode is damaged (LLVM ends with {done.returncode})"
    raise _unreadable(name, reason)


def _printed(source: SourceText) -> str:
    """The module as LLVM prints it, which is what the later stages read."""
    try:
        with (
            llvm.create_context() as context,
            llvm.parse_assembly(source.text, context) as module,
        ):
            module.verify()
            _name_values(module)
            return str(module)
    except RuntimeError as error:
        raise _unreadable(source.name, str(error)) from None


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
