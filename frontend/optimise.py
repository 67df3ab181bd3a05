"""Optimises a module of the dialect with LLVM's passes, to the levels of the contract.

O0  As lowered; verified.
O1  Everything inlined into the kernels, memory of the work-item in SSA form, constants folded
    through branches, common subexpressions computed once, dead code gone, chains of blocks
    joined. Control flow stays the source's: no loop is rotated, peeled or unrolled, no branch
    becomes a select, no block is duplicated.
O2  What a GPU compiler does before instruction selection: LLVM's own O3 pipeline, costs from its
    NVPTX or AMDGPU target, vectorisers off, unroll pragmas honoured. Blocks and branches are no
    longer those of the source.

At O1 LLVM's ``simplifycfg`` is held back by the function attribute ``optforfuzzing``, under which
it neither forms selects nor merges conditions, exactly what keeps a program's branches; NewGVN's
``phi-of-ops``, which would compute expressions in other blocks than the source's, is off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from types import MappingProxyType

import llvmlite.binding as llvm

from kcc.base.diagnostics import Diagnostic, DiagnosticError, InternalError, Span
from kcc.base.records import dataclass
from kcc.frontend.apart import EndedError, done_apart
from kcc.frontend.diversion import diverted_stderr
from kcc.frontend.kept_remainders import with_remainders
from kcc.frontend.options import Costs, OptLevel
from kcc.frontend.places import restore_places
from kcc.frontend.unroll_marks import without_marks

TARGETS: Mapping[Costs, tuple[str, str]] = MappingProxyType({
    Costs.NVIDIA: ("nvptx64-nvidia-cuda", "sm_70"),
    Costs.AMD: ("amdgcn-amd-amdhsa", "gfx1030"),
})  # fmt: skip
"""Triple and processor of the O2 pipeline's costs. NVPTX's do not differ from one architecture to
the next but for types that Volta has all of. AMDGPU's keep branches that lanes may take apart as
the source has them: no loop is unswitched for one."""

_GENERIC = "addrspace(4)"
"""The generic address space has another number for NVPTX, whose alias analysis would take such a
pointer for one to constant memory: modules with generic pointers do without target."""

_ATTRIBUTE = re.compile(r" ?\boptforfuzzing\b")

_FUNCTION = re.compile(
    r"^define (?!.*\b(?:spir_kernel|ptx_kernel|noinline)\b)[^@\n]*@([\w.$]+)\(", re.MULTILINE
)
"""A function that is not a kernel."""

_NOINLINE = re.compile(r"^((?:attributes #|define ).*?)\bnoinline ?", re.MULTILINE)

_UNFOLDED = re.compile(r" (?:bitcast|extractelement|insertelement|shufflevector) \(")
"""Constant expressions that SROA leaves of a constant read as bytes; ``instcombine`` folds them."""

_MISSED = re.compile(r"warning: (.*):(\d+):(\d+): loop not unrolled.*")
_PARTLY = re.compile(r"remark: (.*):(\d+):(\d+): unrolled loop by a factor of (\d+).*")

_Transform = Callable[[llvm.ModuleRef], None]

_TELL_OF_UNROLLING = "-pass-remarks=loop-unroll"
STAY_IN_BLOCKS = ("-instcombine-code-sinking=false", "-spec-exec-max-not-hoisted=0")
_NO_VECTOR_COMBINE = "-disable-vector-combine=true"
"""Options of LLVM, which are the process's and stay set. Two keep code in its block: nothing is
sunk into a branch, nor executed speculatively before one whose block would not be empty then."""

AMD_UNROLL_SIZE = 8192
"""How long a loop of ``#pragma unroll`` may become for AMD's GPUs, as LLVM 22 counts instructions:
half of its own limit, since it counts fewer than the versions that ROCm has had. Clang 14 to 16
(``-x hip``, gfx1032) unroll 2,700 products of shared memory and constants (here 8,600 to 9,000) and
1,800 of global memory (9,400 to 9,800), and of 3,600 of shared memory (11,000 to 12,000) 5 of 15
iterations: 10,240 would do as they do. Times of convolutions on a Radeon PRO W6600 say that ROCm's
compiler unrolled 2,025 and not 2,700."""

NVVM_TIMES, NVVM_SIZE = 4, 205
NVVM_UNROLLING = (
    "-unroll-runtime=true", "-unroll-allow-partial=false", f"-unroll-max-count={NVVM_TIMES}",
    f"-unroll-partial-threshold={NVVM_SIZE}",
)  # fmt: skip
"""How NVVM unrolls innermost loops with one way out and a trip count that is known before them:
by 4, or 2, while that is no more than so many instructions of the IR, (size - 2) times 4 and 2;
accesses under a condition and barriers do not hinder it. Copies in PTX of NVRTC 12.9, of loops of 1
to 130 products: 48 by 4 and 49 by 2 (202 and 206), with a load 45 and 46, under a condition 44 and
45; by 2 up to 91 (190). Loops of constant trips that are too many to be fully unrolled NVVM unrolls
by up to 64 within that size; that is left to ptxas here, so that they stay those of the source.
LLVM leaves loops with barriers as they are, and those whose trip count takes a division or more."""

AS_IT_IS = ("-unroll-runtime=false", "-unroll-allow-partial=false")
"""Options by which only what the source wishes is unrolled in part."""

_MARKERS = re.compile(
    r"^(?: *#dbg_\w+\(| *(?:tail )?call void @llvm\.(?:lifetime|experimental\.noalias|dbg)\."
    r"|declare void @llvm\.(?:lifetime|experimental\.noalias|dbg)\.).*\n",
    re.MULTILINE,
)
"""Debug records of variables and marks of scope and lifetime, which nobody here reads."""


_PURE = re.compile(r"^attributes #\d+ = \{[^}\n]*\bmemory\(none\)[^}\n]*\}$", re.MULTILINE)
"""What functions are that depend on nothing but their arguments and on which work-item asks."""


@dataclass(frozen=True, slots=True)
class Optimised:
    """A module's text, where it could not be optimised as the source asks (K501), and how many
    times the loops were unrolled that were so in part, by the places of their keywords."""

    text: str
    warnings: tuple[Diagnostic, ...]
    partly: Mapping[Span, int]


def optimise(
    text: str, level: OptLevel, costs: Costs = Costs.NVIDIA, *, as_nvvm: bool = False,
    unrolls: bool = True,
) -> Optimised:  # fmt: skip
    """The module at ``level``, verified before and after; equal text gives equal text.

    ``unrolls``: loops of the source are unrolled in part as NVVM does; not those of PTX, nor those
    of a module that has been optimised once.

    ``as_nvvm``: code stays in its block, as NVVM leaves it (seen of CUDA, NVRTC 11.8 and 12.9):
    sunk into the branch that uses its result it would keep apart what ptxas runs abreast, with
    all operands live in between.

    LLVM works in a process of its own, since what it cannot cope with ends its process. Raises
    :class:`DiagnosticError` (K503) for that, and :class:`InternalError` when the text is not a
    valid module, since every front end delivers one.
    """
    clean = _MARKERS.sub("", text)
    if level is OptLevel.O2:
        clean = _PURE.sub(_of_any_lane, clean)
    with diverted_stderr() as written:
        result = _optimised(clean, level, costs, as_nvvm=as_nvvm, unrolls=unrolls)
    if level is OptLevel.O2:
        result = restore_places(text, result)
        if costs is Costs.NVIDIA:
            result = without_marks(text, with_remainders(text, result))
    warnings = tuple(_missed(line) for line in written if _MISSED.match(line))
    partly = {
        Span(match[1], int(match[2]), int(match[3])): int(match[4])
        for match in map(_PARTLY.fullmatch, written)
        if match
    }
    if "optforfuzzing" in result:  # only at O1; the pattern takes long for an unrolled module
        result = _ATTRIBUTE.sub("", result)
    return Optimised(_MARKERS.sub("", result), warnings, partly)


def _optimised(text: str, level: OptLevel, costs: Costs, *, as_nvvm: bool, unrolls: bool) -> str:
    """The module after the pipeline of its level, which may be too much for LLVM."""
    match level:
        case OptLevel.O0:
            return _transformed(text, level, None)
        case OptLevel.O1:
            ways: Sequence[tuple[_Transform, tuple[str, ...]]] = (
                (_keep_control_flow, ()), (_keep_control_flow_and_copies, ()),
            )  # fmt: skip
        case OptLevel.O2:
            # AMDGPU's passes stop at an assertion for some modules with our address spaces.
            # So does the pass that makes vectors scalar, for a load that is frozen.
            both = dict.fromkeys((costs, Costs.NVIDIA))
            ways = (
                *((partial(_run_pipeline, costs=each), ()) for each in both),
                (partial(_run_pipeline, costs=Costs.NVIDIA), (_NO_VECTOR_COMBINE,)),
            )
    always = (_TELL_OF_UNROLLING, *(STAY_IN_BLOCKS if as_nvvm else ()))
    if costs is Costs.AMD:
        always += (f"-pragma-unroll-threshold={AMD_UNROLL_SIZE}",)
    elif level is OptLevel.O2:
        always += NVVM_UNROLLING if unrolls else AS_IT_IS
    ends = list[str]()
    for transform, options in ways:
        try:
            return done_apart(partial(_transformed, text, level, transform), always + options)
        except EndedError as error:
            ends.append(str(error))
    message = f"LLVM fails to optimise this at -{level.value}: its process {ends[-1]}"
    hint = "-O1 asks less of it" if level is OptLevel.O2 else None
    raise DiagnosticError([Diagnostic("K503", message, hint=hint)])


def inline_calls(text: str) -> str:
    """The module with the functions it defines inlined into the kernels, ``noinline`` ones too,
    and otherwise as it is.

    Raises :class:`InternalError` when the text is not a valid module.
    """
    result = _transformed(_NOINLINE.sub(r"\1", text), OptLevel.O0, _inline_only)
    return _MARKERS.sub("", result)


def _inline_only(module: llvm.ModuleRef) -> None:
    with _pass_builder(1, None) as builder, llvm.create_new_module_pass_manager() as passes:
        passes.add_always_inliner_pass()
        passes.add_global_dead_code_eliminate_pass()
        passes.run(module, builder)


def _of_any_lane(attributes: re.Match[str]) -> str:
    """Attributes without ``convergent``, which clang gives every function: loops that call one
    would have no iterations left over, and none of its calls would leave a loop."""
    return attributes[0].replace("convergent ", "")


def _missed(line: str) -> Diagnostic:
    match = _MISSED.fullmatch(line)
    span = Span(match[1], int(match[2]), int(match[3])) if match and int(match[2]) else None
    return Diagnostic("K501", "the loop is not unrolled as its pragma asks", span)


def _transformed(text: str, level: OptLevel, transform: _Transform | None) -> str:
    """The module after ``transform``.

    It lives in a context of its own, so that names do not depend on earlier modules, and dies
    before that context, which Python's collector alone would not see to.
    """
    _set_options()
    with llvm.create_context() as context:
        try:
            module = llvm.parse_assembly(text, context)
        except RuntimeError as error:
            raise InternalError("IR text", str(error)) from None
        with module:
            _verify(module, "IR verifier")
            if transform is not None:
                _inline_all(module, set(_FUNCTION.findall(text)))
                transform(module)
                _verify(module, f"optimisation {level.value}")
            return str(module)


def _inline_all(module: llvm.ModuleRef, functions: set[str]) -> None:
    """Let every function that is not a kernel go into its callers, and away."""
    for function in module.functions:
        if function.name in functions:
            function.linkage = "internal"
            function.add_function_attribute("alwaysinline")


def _verify(module: llvm.ModuleRef, stage: str) -> None:
    try:
        module.verify()
    except RuntimeError as error:
        raise InternalError(stage, str(error)) from None


def _keep_control_flow_and_copies(module: llvm.ModuleRef) -> None:
    """O1 without NewGVN, an assertion of which fails for some modules: common subexpressions are
    computed as often as they are written."""
    _keep_control_flow(module, number_values=False)


def _keep_control_flow(module: llvm.ModuleRef, *, number_values: bool = True) -> None:
    """O1."""
    for function in module.functions:
        if not function.is_declaration:
            function.add_function_attribute("optforfuzzing")
    with _pass_builder(1, None) as builder, llvm.create_new_module_pass_manager() as passes:
        passes.add_always_inliner_pass()
        passes.add_global_dead_code_eliminate_pass()
        passes.add_sroa_pass()
        passes.add_sccp_pass()
        passes.add_simplify_cfg_pass()
        if number_values:
            passes.add_new_gvn_pass()
        passes.add_sroa_pass()
        passes.add_dead_code_elimination_pass()
        passes.add_simplify_cfg_pass()
        passes.add_global_dead_code_eliminate_pass()
        passes.add_strip_dead_prototype_pass()
        passes.run(module, builder)
    if _UNFOLDED.search(str(module)):
        _fold_expressions(module)


def _fold_expressions(module: llvm.ModuleRef) -> None:
    with _pass_builder(1, None) as builder, llvm.create_new_module_pass_manager() as passes:
        passes.add_instruction_combine_pass()
        passes.add_dead_code_elimination_pass()
        passes.run(module, builder)


def _run_pipeline(module: llvm.ModuleRef, costs: Costs) -> None:
    """O2; modules with generic pointers do without target. For AMD's not those whose casts nobody
    reads, which CUDA's kernels keep from address-space inference; nvcc's own passes, of an older
    LLVM, unswitch loops as the pipeline without target does (measured: docs/validation)."""
    if costs is Costs.AMD:
        _drop_unused(module)
    target = None if _GENERIC in str(module) else _target_machine(costs)
    with _pass_builder(3, target) as builder, builder.getModulePassManager() as passes:
        passes.run(module, builder)


def _drop_unused(module: llvm.ModuleRef) -> None:
    with _pass_builder(1, None) as builder, llvm.create_new_module_pass_manager() as passes:
        passes.add_always_inliner_pass()
        passes.add_dead_code_elimination_pass()
        passes.run(module, builder)


@contextmanager
def _pass_builder(
    speed_level: int, target: llvm.TargetMachine | None
) -> Generator[llvm.PassBuilder]:
    """The settings of all pipelines; ``speed_level`` is LLVM's."""
    with llvm.create_pipeline_tuning_options(speed_level) as tuning:
        tuning.loop_vectorization = False
        tuning.slp_vectorization = False
        tuning.loop_interleaving = False
        tuning.loop_unrolling = True
        with llvm.create_pass_builder(target, tuning) as builder:
            yield builder


@cache
def _target_machine(costs: Costs) -> llvm.TargetMachine:
    llvm.initialize_all_targets()
    triple, processor = TARGETS[costs]
    return llvm.Target.from_triple(triple).create_target_machine(cpu=processor, opt=3)


@cache
def _set_options() -> None:
    """LLVM's options are global to the process and may be given once.

    Upgrading debug information would end the process for a module that is not valid.
    """
    llvm.set_option("kcc", "-enable-phi-of-ops=false")
    llvm.set_option("kcc", "-disable-auto-upgrade-debug-info=true")
