"""The machine code of a unit's kernels, by the compiler of the GPU that is asked about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from kcc.base.records import dataclass

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kcc.base.trace.tables import TraceTables
    from kcc.frontend.kernel import CompiledUnit
    from kcc.frontend.machine_code.model import MachineCode
    from kcc.frontend.machine_code.nvidia import NvidiaTools
    from kcc.passes.registers.counts import Registers
    from kcc.sim.cycle.compiled import CompilerCode


@dataclass(frozen=True, slots=True)
class CodeRequest:
    """Whose code is wanted: that of NVIDIA's ``tools``, else of LLVM for AMD's ``amd_target``, in
    wavefronts of 64 where it has the choice if ``wave64``."""

    tools: NvidiaTools | None = None
    amd_target: str = ""
    wave64: bool = False


def machine_code(unit: CompiledUnit, request: CodeRequest) -> Mapping[str, MachineCode]:
    """The code of all kernels of a unit at -O2, by symbol.

    :raises DiagnosticError: K810 when a tool cannot be run, K811 when a kernel has no code here.
    """
    if request.tools is not None:
        from kcc.frontend.machine_code.nvidia import nvidia_code

        return nvidia_code(unit, request.tools)
    from kcc.frontend.machine_code.amd import amd_code

    return amd_code(unit, request.amd_target, wave64=request.wave64)


def begun(
    unit: CompiledUnit, requests: Iterable[CodeRequest]
) -> Mapping[CodeRequest, Future[Mapping[str, MachineCode]]]:
    """As :func:`machine_code`, by NVIDIA's tools, which work beside this thread from now on, for
    one request after another."""
    asked = [each for each in requests if each.tools is not None]
    if not asked:
        return {}
    from concurrent.futures import ThreadPoolExecutor

    from kcc.frontend.machine_code.nvidia import be_ready_for_threads

    be_ready_for_threads()
    pool = ThreadPoolExecutor(1)
    found = {each: pool.submit(machine_code, unit, each) for each in dict.fromkeys(asked)}
    pool.shutdown(wait=False)
    return found


def code_of_tables(tables: TraceTables, request: CodeRequest) -> MachineCode | None:
    """The code of a trace's kernel; None where its IR was not optimised, or makes no code.

    :raises DiagnosticError: K810 when a tool cannot be run.
    """
    from kcc.base.diagnostics import DiagnosticError
    from kcc.frontend.kernel import CompiledUnit, Language
    from kcc.frontend.options import OptLevel
    from kcc.sim.program.of_trace import kernel_of_trace

    if tables.level != OptLevel.O2.value:
        return None
    module, kernel = kernel_of_trace(tables)
    unit = CompiledUnit(
        tables.source, "trace", OptLevel.O2, Language(tables.language), tables.ir, module,
        (kernel,), {}, (),
    )  # fmt: skip
    try:
        return machine_code(unit, request).get(tables.symbol)
    except DiagnosticError as error:
        if error.diagnostics[0].code == "K810":
            raise
        return None


def compiler_code(request: CodeRequest | None) -> CompilerCode | None:
    """The compiler that is asked for, for launches of traces; None for kcc's own code."""
    from kcc.sim.cycle.compiled import CompilerCode

    return request and CompilerCode(lambda tables: code_of_tables(tables, request))


def registers_of(code: MachineCode) -> Registers:
    """The count of registers that a compiler's code has."""
    from kcc.passes.registers.counts import Registers, RegisterSource

    source = RegisterSource.AMDGPU if code.is_amd else RegisterSource.PTXAS
    beside = f", {code.scalar_registers} scalar registers beside" if code.is_amd else ""
    return Registers(code.registers, source, f"{code.compiler}{beside}", code.spill_store_bytes)
