"""Assembly of AMD's GPUs from LLVM's AMDGPU back end, which llvmlite carries.

The module goes the way that :mod:`kcc.frontend.ptx` takes for NVIDIA: address spaces are renamed,
primitives get bodies that are inlined, and LLVM compiles. AMD's own compilers are LLVM, so that the
counts in the metadata are true but for LLVM's version and for mathematics: ROCm's library is not
there, so the machine's own functions stand for it, and what has none (doubles) is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType

import llvmlite.binding as llvm

from kcc.base.diagnostics import Diagnostic, DiagnosticError, InternalError
from kcc.frontend.builtins.overloads import overload_of_symbol
from kcc.frontend.diversion import diverted_stderr
from kcc.frontend.launch_bounds import launch_bounds_in
from kcc.frontend.ptx.bodies import DECLARATION, strip_declarations

TRIPLE = "amdgcn-amd-amdhsa"

_Lines = Callable[[int], str]

DEFAULT_BLOCK = 256
"""The largest work-group that an OpenCL kernel is compiled for if it does not say, as clang does
for AMD's GPUs."""

HIP_BLOCK = 1024
"""The same for CUDA and HIP (clang's --gpu-max-threads-per-block): registers are kept so few that
such a block fits, whatever the launch has."""

_TARGET = re.compile(r"^target (?:datalayout|triple) = [^\n]*\n", re.MULTILINE)
_PLAIN_POINTER = re.compile(r"(?<![\w.%@$-])ptr\b(?![\w.$-]| addrspace)")
_ALLOCA = re.compile(r"(= alloca [^\n]*?align \d+)")
_SHARED_VALUE = re.compile(r"^(@[^\n]*addrspace\(3\) global [^\n]*?) zeroinitializer", re.MULTILINE)
_SCOPE = re.compile(r'syncscope\("[^"]*"\)')
"""SPIR's scopes are not AMD's; agent, the whole device, is what OpenCL 1.2's atomics reach."""

_KERNEL = re.compile(r"^(define .*)spir_kernel (.*?)(?= (?:!|\{))", re.MULTILINE)
_INTRINSIC_CALL = re.compile(
    r"call (?:afn )?(\S+(?: addrspace\(4\))?) @(llvm\.[\w.]+)\(([^)\n]*)\)"
)
_DECLARED = re.compile(r"^declare .*?@([\w.]+)\(", re.MULTILINE)
_TYPE = re.compile(r"<\d+ x \w+>|ptr(?: addrspace\(\d\))?|\b(?:i\d+|float|double)\b")
_MANGLED_SPACE = re.compile(r"(?<=\.p)([024])(?=[.(])")
_SPACES = {"0": "5", "2": "4", "4": "0"}
"""From SPIR to AMDGPU where they differ: private, constant, generic (LLVM, AMDGPU usage guide)."""

_IDS: Mapping[str, str] = MappingProxyType(
    {"get_local_id": "workitem", "get_group_id": "workgroup"}
)

_HIDDEN: Mapping[str, tuple[str, int, int]] = MappingProxyType(
    {"get_num_groups": ("i32", 0, 4), "get_local_size": ("i16", 12, 2)}
)
"""Type, offset and stride among the hidden arguments (AMDGPU usage guide, code object 5)."""

_FUNCTIONS = frozenset({"sin", "cos", "exp", "exp2", "exp10", "log", "log2", "log10", "sqrt"})
"""With an LLVM intrinsic that the back end has for float."""


def amd_assembly(
    ir: str, target: str, block_threads: int = DEFAULT_BLOCK, *, features: str = "",
    verbose: bool = False,
) -> str:  # fmt: skip
    """The assembly of a module's kernels, with the lines that it has as ``.loc``; ``verbose``:
    with what LLVM remarks. ``target`` is such as gfx90a, with LLVM's ``features`` beyond its own,
    ``block_threads`` the largest work-group.

    :raises DiagnosticError: K811 when a kernel uses what has no counterpart here, by name.
    """
    text = _to_amdgpu(ir, block_threads)
    missing, bodies = list[str](), list[str]()
    for match in DECLARATION.finditer(text):
        if not match["symbol"].startswith("llvm."):
            _define(match, bodies, missing)
    if "byval(" in text:
        missing.append("structures as arguments")
    if missing:
        names = ", ".join(dict.fromkeys(missing))
        raise DiagnosticError([Diagnostic("K811", f"no AMD code is known here for {names}")])
    machine = _target_machine(target, features)
    head = f'target datalayout = "{machine.target_data}"\ntarget triple = "{TRIPLE}"\n'
    whole = _declared(f"{head}{strip_declarations(text)}\n{''.join(bodies)}")
    machine.set_asm_verbosity(verbose)
    with diverted_stderr():
        return _compiled(whole, machine)


def _to_amdgpu(ir: str, block_threads: int) -> str:
    text = _TARGET.sub("", ir)
    text = text.replace("ptr addrspace(4)", "generic-pointer")
    text = text.replace("addrspace(2)", "addrspace(4)")
    text = _PLAIN_POINTER.sub("ptr addrspace(5)", text).replace("generic-pointer", "ptr")
    text = _ALLOCA.sub(r"\1, addrspace(5)", text)
    text = _MANGLED_SPACE.sub(lambda m: _SPACES[m[1]], text)
    text = _SHARED_VALUE.sub(r"\1 undef", text).replace("spir_func ", "")
    text = _SCOPE.sub('syncscope("agent")', text)
    bounds = launch_bounds_in(ir)

    def bounded(match: re.Match[str]) -> str:
        threads, waves = bounds.get(match[2].partition("(")[0].rpartition("@")[2], (0, 0))
        words = f'"amdgpu-flat-work-group-size"="1,{threads or block_threads}"'
        if waves:
            words += f' "amdgpu-waves-per-eu"="{waves}"'
        return f"{match[1]}amdgpu_kernel {match[2]} {words}"

    return _KERNEL.sub(bounded, text)


def _define(match: re.Match[str], bodies: list[str], missing: list[str]) -> None:
    builtin = overload_of_symbol(match["symbol"])
    name = builtin.name if builtin else match["symbol"]
    body = _body(name, match["result"])
    if body is None:
        missing.append(name)
        return
    types = enumerate(_TYPE.findall(match["parameters"]))
    parameters = ", ".join(f"{type_} %a{i}" for i, type_ in types)
    head = f"define internal {match['result']} @{match['symbol']}({parameters}) alwaysinline"
    bodies.append(f"{head} {{\n{body}}}\n")


def _body(name: str, result: str) -> str | None:
    plain = name.removeprefix("native_").removeprefix("half_")
    if name in _IDS:
        return _by_dimension(lambda d: _id(_IDS[name], d, f"r{d}"), "r", 0)
    if name in _HIDDEN:
        return _by_dimension(lambda d: _hidden(name, d, f"r{d}"), "r", 1)
    if name == "get_global_id":
        return _by_dimension(_global_id, "r", 0)
    if name == "get_global_size":
        return _by_dimension(_global_size, "r", 1)
    if name == "get_global_offset":
        return "  ret i64 0\n"
    if name == "barrier":
        return (
            '  fence syncscope("workgroup") release\n  call void @llvm.amdgcn.s.barrier()\n'
            '  fence syncscope("workgroup") acquire\n  ret void\n'
        )
    if result == "float" and plain in _FUNCTIONS:
        return f"  %r = call afn float @llvm.{plain}.f32(float %a0)\n  ret float %r\n"
    if result == "float" and plain == "rsqrt":
        return "  %r = call float @llvm.amdgcn.rsq.f32(float %a0)\n  ret float %r\n"
    return None


def _by_dimension(lines: _Lines, result: str, otherwise: int) -> str:
    text = "  switch i32 %a0, label %other [ i32 0, label %l0 i32 1, label %l1 i32 2, label %l2 ]\n"
    for d in range(3):
        text += f"l{d}:\n{lines(d)}  %w{d} = zext i32 %{result}{d} to i64\n  ret i64 %w{d}\n"
    return f"{text}other:\n  ret i64 {otherwise}\n"


def _id(kind: str, d: int, result: str) -> str:
    return f"  %{result} = call i32 @llvm.amdgcn.{kind}.id.{'xyz'[d]}()\n"


def _hidden(name: str, d: int, result: str) -> str:
    kind, offset, stride = _HIDDEN[name]
    place = f"{result}p"
    loaded = result if kind == "i32" else f"{result}h"
    wider = "" if kind == "i32" else f"  %{result} = zext {kind} %{loaded} to i32\n"
    return (
        f"  %{place}b = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()\n"
        f"  %{place} = getelementptr i8, ptr addrspace(4) %{place}b, i64 {offset + stride * d}\n"
        f"  %{loaded} = load {kind}, ptr addrspace(4) %{place}, align {stride}"
        ", !invariant.load !{}\n"
        f"{wider}"
    )


def _global_id(d: int) -> str:
    parts = _id("workgroup", d, f"g{d}") + _hidden("get_local_size", d, f"n{d}")
    parts += _id("workitem", d, f"t{d}")
    return f"{parts}  %m{d} = mul i32 %g{d}, %n{d}\n  %r{d} = add i32 %m{d}, %t{d}\n"


def _global_size(d: int) -> str:
    parts = _hidden("get_num_groups", d, f"g{d}") + _hidden("get_local_size", d, f"n{d}")
    return f"{parts}  %r{d} = mul i32 %g{d}, %n{d}\n"


def _declared(text: str) -> str:
    """The module with declarations of the intrinsics that bodies call."""
    known = set(_DECLARED.findall(text))
    for result, symbol, values in sorted(set(_INTRINSIC_CALL.findall(text))):
        if symbol not in known and (symbol.startswith("llvm.amdgcn") or symbol.endswith(".f32")):
            known.add(symbol)
            types = ", ".join(value.split()[0] for value in values.split(", ") if value)
            text += f"declare {result} @{symbol}({types})\n"
    return text


def _compiled(text: str, machine: llvm.TargetMachine) -> str:
    with llvm.create_context() as context:
        try:
            module = llvm.parse_assembly(text, context)
            with module, llvm.create_pipeline_tuning_options(3) as tuning:
                tuning.loop_vectorization = tuning.slp_vectorization = False
                with (
                    llvm.create_pass_builder(machine, tuning) as builder,
                    builder.getModulePassManager() as passes,
                ):
                    passes.run(module, builder)
                return str(machine.emit_assembly(module))
        except RuntimeError as error:
            raise InternalError("AMDGPU", str(error)) from None


@cache
def _target_machine(cpu: str, features: str) -> llvm.TargetMachine:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine(cpu=cpu, features=features, opt=3)
