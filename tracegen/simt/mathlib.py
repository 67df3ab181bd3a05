"""The math primitives as code for whole warps.

The functions are written in OpenCL C (``tracegen/math/*.cl``), branch-free, one kernel for each
overload, named after the function and the type of its first argument. They are compiled by kcc's
own front end and widened like any kernel, so that what they compute is the same on every host.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from kcc.frontend import compile_source
from kcc.frontend.builtins.overloads import overload_of_symbol
from kcc.frontend.ir.builder import FunctionBuilder, ModuleBuilder, Value
from kcc.frontend.ir.instructions import AnyInstruction, Return, Store
from kcc.frontend.ir.types import VOID, VecTy
from kcc.frontend.ir.values import ArgumentRef
from kcc.frontend.ir.values import Value as Operand
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.options import BuildOptions, OptLevel
from kcc.frontend.source_file import read_source
from kcc.tracegen.simt.analysis import WarpFlow
from kcc.tracegen.simt.instructions import InstructionWriter
from kcc.tracegen.simt.memory import Helpers
from kcc.tracegen.simt.plan import plan_kernel
from kcc.tracegen.simt.wide import Wide, Writer, parts_of

SOURCES = Path(__file__).parents[1] / "math"


@dataclass(slots=True)
class _MathWriter(InstructionWriter):
    """Widens a straight-line kernel: arguments are parameters, the store is the result."""

    parameters: tuple[Value, ...] = field(default_factory=tuple[Value, ...])

    def operand(self, value: Operand) -> Wide:
        if isinstance(value, ArgumentRef):
            return Wide((self.parameters[value.index - 1],))
        return InstructionWriter.operand(self, value)

    def write_instruction(self, instruction: AnyInstruction) -> None:
        if isinstance(instruction, Store):
            self.code.ret(self.lanes(self.operand(instruction.value).parts[0]))
        elif not isinstance(instruction, Return):
            InstructionWriter.write_instruction(self, instruction)


def define_math(module: ModuleBuilder, symbols: frozenset[str], width: int) -> None:
    """Add ``kcc.SYMBOL.vWIDTH`` for every symbol, and what those call, to a module."""
    pending, done = sorted(symbols), set[str]()
    while pending:
        symbol = pending.pop()
        if symbol not in done:
            done.add(symbol)
            pending += sorted(_define(module, symbol, width))


def implementation_name(symbol: str) -> str:
    """The kernel that implements a primitive: ``exp_float``."""
    builtin = overload_of_symbol(symbol)
    assert builtin is not None
    return f"{builtin.name}_{builtin.parameters[0].type}"


def _define(module: ModuleBuilder, symbol: str, width: int) -> set[str]:
    """Add one function; gives the primitives it calls itself."""
    unit, kernel = _implementations()[implementation_name(symbol)]
    function = kernel.function
    assert len(function.blocks) == 1, f"{kernel.name} branches"
    results = (i for i in function.instructions if isinstance(i, Store))
    (part,) = parts_of(next(results).value.type)
    everything = frozenset(range(len(function.instructions)))
    plan = plan_kernel(unit.module, function, WarpFlow({}, everything, frozenset(), ()), width)
    code = FunctionBuilder(VOID)
    code.position_at("entry")
    names = [f"%x{i}" for i in range(len(function.arguments) - 1)]
    kinds = [VecTy(width, parts_of(a.type)[0]) for a in function.arguments[1:]]
    parameters = tuple(Value(t, n) for t, n in zip(kinds, names, strict=True))
    helpers = Helpers(Writer(module, code, width), inline=False, made=set())
    writer = _MathWriter(module, code, width, plan, helpers, parameters=parameters)
    for instruction in function.instructions:
        writer.write_instruction(instruction)
    shown = ", ".join(str(p) for p in parameters)
    result = VecTy(width, part)
    module.define(
        f"define internal {result} @{wide_name(symbol, width)}({shown}) noinline nounwind", code
    )
    return writer.math


def wide_name(symbol: str, width: int) -> str:
    """The function that computes a primitive for a whole warp."""
    return f"kcc.{symbol}.v{width}"


@cache
def _implementations() -> dict[str, tuple[CompiledUnit, Kernel]]:
    """Every function of the library by name, with the unit it is in."""
    found = dict[str, tuple[CompiledUnit, Kernel]]()
    for path in sorted(SOURCES.glob("*.cl")):
        unit = compile_source(read_source(str(path)), BuildOptions(opt_level=OptLevel.O2))
        found.update({k.name: (unit, k) for k in unit.kernels})
    return found
