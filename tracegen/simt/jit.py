"""Compiles generated IR text to native code, and keeps what was compiled on disk.

The code may use whatever vector instructions the host has, but nothing it computes depends on
them: the text says exactly which operations are done and contraction is off.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Container
from functools import cache
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm

from kcc.base.cache_folder import is_trusted, keep, kept
from kcc.base.records import dataclass
from kcc.tracegen.simt.guard import BlocksFunction, GuardedCode
from kcc.tracegen.simt.host_cpu import host_cpu, without_avx512

LARGE_TEXT_LINES = 2_250
"""Above this many lines (about 200 instructions of a kernel) the light pass pipeline is used: it
takes a third of the time and gives code that is 5 % slower, 15 % with addresses traced."""


def _bytes_with_low_bits(wanted: Container[int]) -> bytes:
    """A class of a regular expression: the bytes whose lowest three bits are one of these."""
    found = (bytes([byte]) for byte in range(256) if byte & 7 in wanted)
    return b"[" + b"".join(map(re.escape, found)) + b"]"


MASKED_TERNLOG = re.compile(
    b"\x62" + b"".join(map(_bytes_with_low_bits, ({3}, {5}, range(1, 8)))) + b"\x25", re.DOTALL
)
"""VPTERNLOGD and VPTERNLOGQ under a mask (Intel SDM, volume 2: EVEX.66.0F3A 25). LLVM 22 gives them
the table of another order of operands where a bitwise choice stands under a select: a ^ ((a ^ b) &
(c ? 1 : 0)) came out as b's bits (tests/robustness/kept/seed_3248.cl). Code in which one is found,
or what looks like one, is compiled without AVX-512."""


@dataclass(slots=True)
class NativeProgram:
    """Loaded code: ``blocks(worker, first, count) -> status``; keeps its engine alive."""

    blocks: BlocksFunction
    engine: llvm.ExecutionEngine
    pace: float | None = None
    """Warp instructions of a thread block in the latest launch: is the next worth threads?"""


def compile_program(
    key: str, write: Callable[[], str], function: str, cache_dir: Path | None
) -> NativeProgram:
    """Native code of the text that ``write`` gives; from the cache folder when it has an entry
    for ``key``, which stands for all that the text depends on.

    A cache entry that is damaged is made anew. Raises RuntimeError when LLVM refuses the text.
    """
    _initialise()
    name = _name(key)
    folder = cache_dir if cache_dir and is_trusted(cache_dir) else None
    data = kept(folder, name) if folder else None
    if data is None:
        data = _compile(write())
        if MASKED_TERNLOG.search(data):
            with without_avx512():
                data = _compile(write())
        if folder:
            keep(folder, name, data)
    engine, found = _load(data, (function,))
    return NativeProgram(GuardedCode(found[function]), engine)


def load_text(text: str, functions: tuple[str, ...]) -> tuple[llvm.ExecutionEngine, dict[str, int]]:
    """Compile and load a text; gives what keeps the code alive and where the functions begin."""
    _initialise()
    return _load(_compile(text), functions)


def _load(data: bytes, functions: tuple[str, ...]) -> tuple[llvm.ExecutionEngine, dict[str, int]]:
    machine = _machine()
    module = llvm.parse_assembly("")  # in the global context, which outlives the engine
    module.triple = machine.triple
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(data))
    engine.finalize_object()
    found = {name: engine.get_function_address(name) for name in functions}
    for name, address in found.items():
        if not address:
            raise RuntimeError(f"compiled code lacks {name}")
    return engine, found


def _compile(text: str) -> bytes:
    machine = _machine()
    module = llvm.parse_assembly(text, llvm.create_context())
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    large = text.count("\n") > LARGE_TEXT_LINES
    _optimise(module, machine, large=large)
    return machine.emit_object(module)


def _optimise(module: llvm.ModuleRef, machine: llvm.TargetMachine, *, large: bool) -> None:
    """Vectorisers and unrolling are off: the text is vector code already."""
    tuning = llvm.create_pipeline_tuning_options(1 if large else 2)
    tuning.loop_vectorization = False
    tuning.slp_vectorization = False
    tuning.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, tuning)
    if not large:
        builder.getModulePassManager().run(module, builder)
        return
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_dead_store_elimination_pass()
    passes.add_aggressive_dce_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, builder)


def _name(key: str) -> str:
    """Names an entry: the key, LLVM, and the processor it was compiled for."""
    cpu = host_cpu()
    machine = f"{cpu.name} {cpu.flattened()}"
    parts = (llvmlite.__version__, machine, MASKED_TERNLOG.pattern.hex(), key)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _machine() -> llvm.TargetMachine:
    """A new one each time: an execution engine takes its own away with it."""
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=host_cpu().name,
        features=host_cpu().flattened(),
        opt=2,
        reloc="pic",
        codemodel="jitdefault",
        jit=True,
    )
