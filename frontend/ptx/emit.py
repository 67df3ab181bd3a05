"""A module of the canonical dialect as PTX, by LLVM's NVPTX back end.

SPIR's address spaces become NVPTX's, primitives get bodies that are inlined, and the pipeline and
back end of LLVM do the rest, as they do in clang for CUDA.
"""

from __future__ import annotations

import re
from functools import cache

import llvmlite.binding as llvm

from kcc.base.diagnostics import Diagnostic, DiagnosticError, InternalError
from kcc.base.records import dataclass
from kcc.frontend.diversion import diverted_stderr
from kcc.frontend.kept_remainders import with_hidden_divisors
from kcc.frontend.launch_bounds import launch_bounds_in
from kcc.frontend.ptx.bodies import PRINTING, define_primitives, strip_declarations
from kcc.frontend.ptx.warp_assembly import with_warp_assembly

TRIPLE = "nvptx64-nvidia-cuda"

_SPACES = {"0": "0", "1": "1", "2": "4", "3": "3", "4": "0"}
"""From SPIR to NVPTX: private and generic, global, constant, local (LLVM, NVPTX usage guide)."""

_SPACE = re.compile(r"addrspace\((\d)\)")
_SAME_SPACE_CAST = re.compile(
    r"addrspacecast (\(?)(ptr(?: addrspace\(\d\))?) ([^,)\n]*?) to \2(?! addrspace)"
)
_DEBUG = re.compile(r", !dbg !\d+|^!llvm\.(?:dbg\.cu|ident)[^\n]*\n", re.MULTILINE)
_FLAGS = "(?:(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) )*"
_DIVISION = re.compile(rf"= fdiv {_FLAGS}float ([^,\n]+), ([^,\n]+?)(?=, !|\n)")
_ROOT = re.compile(rf"call {_FLAGS}float @llvm\.sqrt\.f32\(float ")
_SATURATING = re.compile(
    r"(?:tail )?call ((?:<\d+ x )?i32>?) @llvm\.fpto([su])i\.sat\.\w+\.\w+"
    r"\(((?:<\d+ x )?float>?) ([^,)\n]+)\)(?: #\d+)?"
)
"""cvt.rzi of a float to 32 bits saturates and makes zero of what is no number (PTX ISA, cvt), as
OpenCL's conversions of NVIDIA do; LLVM compares and selects around it, seven instructions for
one."""

_SHARED_VALUE = re.compile(r"^(@[^\n]*addrspace\(3\) global [^\n]*?) zeroinitializer", re.MULTILINE)

_DEBUGGED = re.compile(r"(?<=\S), debug$", re.MULTILINE)
_SECTIONS = re.compile(r"^\t\.section\s+\.debug_\w+\s*\{.*?^\t\}\n?", re.MULTILINE | re.DOTALL)
"""With either ptxas would compile for a debugger, without optimisation."""

ARRAY_ALIGNMENT = 16
"""Of private arrays: NVVM (NVRTC 12.9) gives it to arrays of words too, so that neighbouring
accesses are joined, which ptxas then brings into registers."""

_PRIVATE_ARRAY = re.compile(r"(= alloca \[[^\n]*?, align )[1248]\b")

_SCOPES = {"work_item": "singlethread", "subgroup": "block", "sub_group": "block",
           "workgroup": "block", "agent": "device", "device": "device"}  # fmt: skip
"""Of fences and atomic operations, as LLVM's NVPTX calls them; another one is the system's."""

_SCOPE = re.compile(r'syncscope\("([^"]*)"\) ')
_PRINTED = re.compile(
    r"call (?:\w+ )*i32 \(ptr addrspace\(\d\), \.\.\.\) @printf\([^\n]*?\)(?=,| #|\n)"
)
_PRINTF = re.compile(r"^declare [^\n]*@printf\([^\n]*\n", re.MULTILINE)
_VARIABLE = re.compile(r'^@(?:"([^"\n]+)"|([\w$.-]+)) = ', re.MULTILINE)
_NAME = re.compile(r'@(?:"([^"\n]+)"|([\w$.-]+))')

_APPROXIMATE = """
declare float @llvm.nvvm.div.full(float, float)
declare float @llvm.nvvm.sqrt.approx.f(float)
"""


@dataclass(frozen=True, slots=True)
class PtxOptions:
    """``target`` is an architecture such as sm_70. ``libdevice`` is the bitcode of NVIDIA's
    mathematical library, None to approximate. ``exact_division`` is CUDA's: else a division and a
    root of floats may be off by two units, as OpenCL C allows (OpenCL 1.2, section 7.4).
    ``restructure`` is whether LLVM's pipeline comes first; else control flow is that of the module.
    With ``lines`` the PTX says from which line its instructions are (``.loc``).
    """

    target: str = "sm_70"
    libdevice: bytes | None = None
    exact_division: bool = False
    restructure: bool = True
    lines: bool = False


def emit_ptx(ir: str, options: PtxOptions) -> str:
    """The PTX of all kernels of a module.

    :raises DiagnosticError: K811 when a kernel uses what has no counterpart here, by name.
    """
    plain = ir if options.lines else _DEBUG.sub("", ir)
    text = _to_nvptx(plain, options.target, exact=options.exact_division)
    bodies = define_primitives(text, libdevice=options.libdevice is not None)
    if bodies.missing:
        names = ", ".join(dict.fromkeys(bodies.missing))
        raise DiagnosticError([Diagnostic("K811", f"no PTX is known here for {names}")])
    text = _without_repetitions(f"{strip_declarations(text)}\n{bodies.definitions}")
    machine = _target_machine(options.target)
    text = f'target datalayout = "{machine.target_data}"\ntarget triple = "{TRIPLE}"\n{text}'
    with diverted_stderr():
        ptx = _compiled(text, options, machine)
    return _SECTIONS.sub("", _DEBUGGED.sub("", ptx)) if options.lines else ptx


def _to_nvptx(ir: str, target: str, *, exact: bool) -> str:
    text = re.sub(r"^target (?:datalayout|triple) = [^\n]*\n", "", ir, flags=re.MULTILINE)
    text = _SPACE.sub(lambda m: f"addrspace({_SPACES[m[1]]})", text).replace(" addrspace(0)", "")
    text = _SAME_SPACE_CAST.sub(r"bitcast \1\2 \3 to \2", text)
    text = _bounded(text).replace("spir_kernel ", "ptx_kernel ").replace("spir_func ", "")
    text = _SHARED_VALUE.sub(r"\1 undef", text)
    text = with_warp_assembly(text, target)
    text = _SCOPE.sub(lambda m: _scope(_SCOPES.get(m[1], "")), text)
    text = _plain_symbols(_without_format(text))
    text = _SATURATING.sub(r"fpto\2i \3 \4 to \1", text)
    text = with_hidden_divisors(_PRIVATE_ARRAY.sub(rf"\g<1>{ARRAY_ALIGNMENT}", text))
    if not exact:
        text = _DIVISION.sub(r"= call float @llvm.nvvm.div.full(float \1, float \2)", text)
        text = _ROOT.sub("call float @llvm.nvvm.sqrt.approx.f(float ", text) + _APPROXIMATE
    return text


def _scope(name: str) -> str:
    return f'syncscope("{name}") ' if name else ""


def _without_format(text: str) -> str:
    """What prints calls the system's function, without its arguments."""
    if not _PRINTF.search(text):
        return text
    text = _PRINTF.sub(f"declare i32 @{PRINTING}(ptr, ptr)\n", text)
    return _PRINTED.sub(f"call i32 @{PRINTING}(ptr null, ptr null)", text)


def _plain_symbols(text: str) -> str:
    """Variables by names that PTX can have: LLVM sees to it for those that no other module may have
    too, and not for those of instances of templates."""
    given = sorted({quoted or plain for quoted, plain in _VARIABLE.findall(text)})
    names = {
        name: f"@{re.sub(r'[^a-zA-Z0-9_$]', '_', name)}${number}"
        for number, name in enumerate(given) if not re.fullmatch(r"[\w$]+", name)
    }  # fmt: skip
    return _NAME.sub(lambda m: names.get(m[1] or m[2], m[0]), text) if names else text


def _bounded(text: str) -> str:
    """Launch bounds as NVPTX has them (``.maxntid``, ``.minnctapersm``)."""
    for symbol, (threads, blocks) in launch_bounds_in(text).items():
        words = f'"nvvm.maxntid"="{threads}"' + (f' "nvvm.minctasm"="{blocks}"' if blocks else "")
        head = rf"^(define [^\n]*?@{re.escape(symbol)}\([^\n]*?)(?= !| \{{)"
        text = re.sub(head, rf"\1 {words}", text, count=1, flags=re.MULTILINE)
    return text


def _without_repetitions(text: str) -> str:
    """Each symbol is declared once."""
    seen = set[str]()
    lines = list[str]()
    for line in text.split("\n"):
        found = re.match(r"declare .*?@([\w.$]+)\(", line)
        if found is None or found[1] not in seen:
            lines.append(line)
        if found is not None:
            seen.add(found[1])
    return "\n".join(lines)


def _compiled(text: str, options: PtxOptions, machine: llvm.TargetMachine) -> str:
    with llvm.create_context() as context:
        try:
            module = llvm.parse_assembly(text, context)
            with module:
                if options.libdevice is not None and "@__nv_" in text:
                    _link(module, options.libdevice, context)
                _inline(module, machine)
                if options.restructure:
                    _optimise(module, machine)
                return str(machine.emit_assembly(module))
        except RuntimeError as error:
            raise InternalError("PTX", str(error)) from None


def _link(module: llvm.ModuleRef, libdevice: bytes, context: llvm.ContextRef) -> None:
    """Put the library into the module; what is not called goes away with the optimisation."""
    own = {function.name for function in module.functions if not function.is_declaration}
    library = llvm.parse_bitcode(libdevice, context)
    module.link_in(library)
    for function in module.functions:
        if not function.is_declaration and function.name not in own:
            function.linkage = "internal"


def _optimise(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    with (
        llvm.create_pipeline_tuning_options(3) as tuning,
        llvm.create_pass_builder(machine, tuning) as builder,
    ):
        tuning.loop_vectorization = False
        tuning.slp_vectorization = False
        with builder.getModulePassManager() as passes:
            passes.run(module, builder)


def _inline(module: llvm.ModuleRef, machine: llvm.TargetMachine) -> None:
    """Put the bodies of primitives in their place, and leave everything else. LLVM's pipeline
    comes after: its first passes would compute in 64 bits what a kernel makes of ids that calls
    give so."""
    with (
        llvm.create_pipeline_tuning_options(0) as tuning,
        llvm.create_pass_builder(machine, tuning) as builder,
        llvm.create_new_module_pass_manager() as passes,
    ):
        passes.add_always_inliner_pass()
        passes.add_global_dead_code_eliminate_pass()
        passes.run(module, builder)


@cache
def _target_machine(cpu: str) -> llvm.TargetMachine:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(TRIPLE).create_target_machine(cpu=cpu, opt=3)
