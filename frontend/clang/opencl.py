"""OpenCL C through clang."""

from __future__ import annotations

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend.clang.canonical import canonical, source_lines
from kcc.frontend.clang.find import need_clang
from kcc.frontend.clang.invoke import HEADERS, compile_text, macro_arguments
from kcc.frontend.clang.messages import as_diagnostics
from kcc.frontend.kernel import CompiledUnit, Language
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.unit import unit_from_ir

NAME = "clang"

_OPTIONS = (
    "-triple", "spir64-unknown-unknown", "-x", "cl", "-cl-std=CL1.2", "-cl-ext=+all",
    "-fdeclare-opencl-builtins", "-cl-kernel-arg-info", "-debug-info-kind=line-tables-only",
    "-Wno-error=incompatible-pointer-types", "-include", str(HEADERS / "kcc-opencl.h"),
)  # fmt: skip


def compile_opencl(source: SourceText, options: BuildOptions) -> CompiledUnit:
    """Compile OpenCL C 1.2; raises :class:`DiagnosticError` with clang's errors."""
    clang = need_clang("--frontend clang")
    arguments = [*_OPTIONS, *_dialect(options), *macro_arguments(options)]
    done = compile_text(clang, source, arguments)
    if done.ir is None:
        raise DiagnosticError(as_diagnostics(done.messages))
    text = canonical(done.ir, source.name)
    return unit_from_ir(
        text,
        name=source.name,
        frontend=NAME,
        language=Language.OPENCL,
        level=options.opt_level,
        sources=source_lines(text, source),
    )


def _dialect(options: BuildOptions) -> list[str]:
    flags = {
        "-cl-fast-relaxed-math": options.fast_relaxed_math,
        "-cl-mad-enable": options.mad_enable,
        "-cl-single-precision-constant": options.single_precision_constant,
    }
    return [flag for flag, is_set in flags.items() if is_set]
