"""OpenCL C through clang."""

from __future__ import annotations

import re

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.frontend.builtins.constants import version_macros
from kcc.frontend.clang.canonical import canonical, source_lines
from kcc.frontend.clang.cuda_ir import settle_spaces
from kcc.frontend.clang.find import need_clang
from kcc.frontend.clang.host_code import Editable, masked
from kcc.frontend.clang.invoke import HEADERS, Compilation, compile_text, macro_arguments
from kcc.frontend.clang.messages import as_diagnostics
from kcc.frontend.kernel import CompiledUnit, Language, Refused
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.unit import link_builtins, unit_from_ir

NAME = "clang"

_OPTIONS = (
    "-triple", "spir64-unknown-unknown", "-x", "cl", "-cl-ext=+all",
    "-fdeclare-opencl-builtins", "-cl-kernel-arg-info", "-debug-info-kind=line-tables-only",
    "-Wno-error=incompatible-pointer-types", "-include", str(HEADERS / "kcc-opencl.h"),
)  # fmt: skip

_MAX_ROUNDS = 20

_KERNEL = re.compile(r"\b(?:__)?kernel\b[^()]*?(?:__attribute__\s*\(\(.*?\)\)[^()]*?)*\b(\w+)\s*\(")

_NOT_ON_GPUS = (
    (re.compile(r"\bpipe\b"), "pipes are not supported"),
    (re.compile(r"\b(?:enqueue_kernel|queue_t|ndrange_t)\b"), "device enqueue is not supported"),
)  # fmt: skip


def compile_opencl(
    source: SourceText, options: BuildOptions, *, partial: bool = False
) -> CompiledUnit:
    """Compile OpenCL C; raises :class:`DiagnosticError` with clang's errors, or leaves out what
    they lie in with ``partial``."""
    done, refused = _compiled(source, options, partial=partial)
    assert done.ir is not None
    text = canonical(done.ir, source.name)
    if options.opencl_version >= 200:
        text = settle_spaces(link_builtins(text), options.opt_level)
    return unit_from_ir(
        text,
        name=source.name,
        frontend=NAME,
        language=Language.OPENCL,
        level=options.opt_level,
        costs=options.costs,
        sources=source_lines(text, source),
        sub_group_size=options.sub_group_size,
        refused=refused,
    )


def _compiled(
    source: SourceText, options: BuildOptions, *, partial: bool
) -> tuple[Compilation, tuple[Refused, ...]]:
    """What clang makes of the declarations that it accepts, and the kernels among the others."""
    clang = need_clang("--frontend clang")
    version = max(options.opencl_version, 120) / 100
    arguments = [*_OPTIONS, f"-cl-std=CL{version:.1f}", *_dialect(options)]
    arguments += [f"-D{n}={v}" for n, v in _extra_macros(options).items()]
    arguments += macro_arguments(options)
    text, refused = Editable(source.text), dict[str, Diagnostic]()
    errors = _leave_out_unsupported(text, source.name, refused) if partial else []
    for _ in range(_MAX_ROUNDS):
        done = compile_text(clang, SourceText(source.name, text.text, source.folder), arguments)
        if done.ir is not None:
            if errors and "spir_kernel" not in done.ir:
                break
            rows = [Refused(kernel, (error,)) for kernel, error in refused.items()]
            return done, tuple(rows or ([Refused("", tuple(errors))] if errors else []))
        found = as_diagnostics(done.messages)
        errors += found
        if not partial or not _leave_out(text, source.name, found, refused):
            break
    raise DiagnosticError(dict.fromkeys(errors))


def _extra_macros(options: BuildOptions) -> dict[str, str]:
    """Feature macros that clang's own options do not set."""
    macros = version_macros(options.opencl_version)
    return {n: v for n, v in macros.items() if "integer_dot" in n}


def _leave_out(
    text: Editable, name: str, errors: list[Diagnostic], refused: dict[str, Diagnostic]
) -> bool:
    """Take out what the errors lie in; whether there was any."""
    changed = False
    for error in errors:
        span = error.span
        item = text.item_at(span.line, span.column) if span and span.file == name else None
        if item is None or not text.text[item.start : item.end].strip():
            continue
        if kernel := _KERNEL.search(item.head):
            refused[kernel[1]] = error
        text.hide(item)
        changed = True
    return changed


def _leave_out_unsupported(
    text: Editable, name: str, refused: dict[str, Diagnostic]
) -> list[Diagnostic]:
    """Take out what clang accepts and no GPU here runs; an error for each."""
    errors = list[Diagnostic]()
    for item in text.items:
        own = masked(text.text[item.start : item.end])
        for rule, words in _NOT_ON_GPUS:
            found = rule.search(own)
            if found is None:
                continue
            line = text.line_of(item.start + found.start())
            errors.append(Diagnostic("K425", words, Span(name, line)))
            if kernel := _KERNEL.search(item.head):
                refused[kernel[1]] = errors[-1]
            text.hide(item)
            break
    return errors


def _dialect(options: BuildOptions) -> list[str]:
    flags = {
        "-cl-fast-relaxed-math": options.fast_relaxed_math,
        "-cl-mad-enable": options.mad_enable,
        "-cl-single-precision-constant": options.single_precision_constant,
    }
    return [flag for flag, is_set in flags.items() if is_set]
