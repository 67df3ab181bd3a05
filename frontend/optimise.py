"""Optimises a module of the dialect with LLVM's passes, to the levels of the contract.

O0  As lowered; verified.
O1  Everything inlined into the kernels, memory of the work-item in SSA form, constants folded
    through branches, common subexpressions computed once, dead code gone, chains of blocks
    joined. Control flow stays the source's: no loop is rotated, peeled or unrolled, no branch
    becomes a select, no block is duplicated.
O2  What a GPU compiler does before instruction selection: LLVM's own O3 pipeline, costs from its
    NVPTX target, vectorisers off, unroll pragmas honoured. Blocks and branches are no longer
    those of the source.

At O1 LLVM's ``simplifycfg`` is held back by the function attribute ``optforfuzzing``, under which
it neither forms selects nor merges conditions, exactly what keeps a program's branches; NewGVN's
``phi-of-ops``, which would compute expressions in other blocks than the source's, is off.
"""

from __future__ import annotations

import re
from functools import cache

import llvmlite.binding as llvm

from kcc.diagnostics import InternalError
from kcc.frontend.options import OptLevel

TARGET_TRIPLE = "nvptx64-nvidia-cuda"
TARGET_CPU = "sm_70"
"""Costs of the O2 pipeline; NVPTX's do not differ from one architecture to the next but for
types that Volta has all of."""

_FREE_ADDRESS_SPACE = 9
"""Stands for the generic address space at O2: NVPTX gives number 4 to constant memory, and its
alias analysis would take every generic pointer for one to memory that nobody writes."""

_UNFOLDED = re.compile(r" (?:bitcast|extractelement|insertelement|shufflevector) \(")
"""Constant expressions that SROA leaves of a constant read as bytes; ``instcombine`` folds them."""

_MARKERS = re.compile(
    r"^ *(?:#dbg_\w+\(.*|(?:tail )?call void @llvm\.(?:lifetime|experimental\.noalias|dbg)\..*)\n",
    re.MULTILINE,
)
"""Debug records of variables and marks of scope and lifetime, which nobody here reads."""


def optimise(text: str, level: OptLevel) -> str:
    """The module at ``level``, verified before and after; equal text gives equal text.

    Raises :class:`InternalError` when the text is not a valid module, since every front end
    delivers one.
    """
    module = _parse(_MARKERS.sub("", text))
    match level:
        case OptLevel.O0:
            return str(module)
        case OptLevel.O1:
            _keep_control_flow(module)
        case OptLevel.O2:
            module = _parse(_renumber(str(module), 4, _FREE_ADDRESS_SPACE))
            _run_pipeline(module)
    _verify(module, f"optimisation {level.value}")
    result = str(module)
    if level is OptLevel.O1:
        return re.sub(r" ?\boptforfuzzing\b", "", result)
    return _renumber(result, _FREE_ADDRESS_SPACE, 4)


def _parse(text: str) -> llvm.ModuleRef:
    """A verified module in a context of its own, so that names do not depend on earlier ones."""
    _set_options()
    try:
        module = llvm.parse_assembly(text, llvm.create_context())
    except RuntimeError as error:
        raise InternalError("IR text", str(error)) from None
    _verify(module, "IR verifier")
    return module


def _verify(module: llvm.ModuleRef, stage: str) -> None:
    try:
        module.verify()
    except RuntimeError as error:
        raise InternalError(stage, str(error)) from None


def _keep_control_flow(module: llvm.ModuleRef) -> None:
    """O1."""
    for function in module.functions:
        if not function.is_declaration:
            function.add_function_attribute("optforfuzzing")
    tuning = llvm.create_pipeline_tuning_options(1)
    builder = llvm.create_pass_builder(_target_machine(), tuning)
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_sroa_pass()
    passes.add_sccp_pass()
    passes.add_simplify_cfg_pass()
    passes.add_new_gvn_pass()
    passes.add_sroa_pass()
    passes.add_dead_code_elimination_pass()
    passes.add_simplify_cfg_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_strip_dead_prototype_pass()
    passes.run(module, builder)
    if _UNFOLDED.search(str(module)):
        folding = llvm.create_new_module_pass_manager()
        folding.add_instruction_combine_pass()
        folding.add_dead_code_elimination_pass()
        folding.run(module, builder)


def _run_pipeline(module: llvm.ModuleRef) -> None:
    """O2."""
    tuning = llvm.create_pipeline_tuning_options(3)
    tuning.loop_vectorization = False
    tuning.slp_vectorization = False
    tuning.loop_interleaving = False
    tuning.loop_unrolling = True
    builder = llvm.create_pass_builder(_target_machine(), tuning)
    builder.getModulePassManager().run(module, builder)


def _renumber(text: str, old: int, new: int) -> str:
    """Another number for an address space, in types and in the names of intrinsics."""
    if f"addrspace({old})" not in text:
        return text
    text = text.replace(f"addrspace({old})", f"addrspace({new})")
    return re.sub(rf"(@llvm\.[\w.]*\.p){old}\b", rf"\g<1>{new}", text)


@cache
def _target_machine() -> llvm.TargetMachine:
    llvm.initialize_all_targets()
    return llvm.Target.from_triple(TARGET_TRIPLE).create_target_machine(cpu=TARGET_CPU, opt=3)


@cache
def _set_options() -> None:
    """LLVM's options are global to the process and may be given once.

    Upgrading debug information would end the process for a module that is not valid.
    """
    llvm.set_option("kcc", "-enable-phi-of-ops=false")
    llvm.set_option("kcc", "-disable-auto-upgrade-debug-info=true")
