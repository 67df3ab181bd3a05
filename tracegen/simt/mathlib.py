"""The math primitives as code for whole warps.

The functions are written in OpenCL C (``tracegen/math/*.cl``), without loops, one kernel for each
overload, named after the function and the type of its first argument. They are compiled by kcc's
own front end and widened like any kernel, so that what they compute is the same on every host.
"""

from __future__ import annotations

import re
from dataclasses import field, replace
from functools import cache
from pathlib import Path

from kcc.base.records import dataclass
from kcc.frontend import compile_source
from kcc.frontend.builtins.overloads import overload_of_symbol
from kcc.frontend.ir.builder import FunctionBuilder, ModuleBuilder, Value
from kcc.frontend.ir.instructions import (
    Branch,
    CondBranch,
    Phi,
    Return,
    Store,
    Switch,
    Terminator,
    Unreachable,
)
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.types import I1, VOID, VecTy
from kcc.frontend.ir.values import ArgumentRef
from kcc.frontend.ir.values import Value as Operand
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.options import BuildOptions, OptLevel
from kcc.frontend.source_file import read_source
from kcc.passes.graph.graphs import reverse_postorder
from kcc.tracegen.simt.analysis import WarpFlow
from kcc.tracegen.simt.instructions import InstructionWriter
from kcc.tracegen.simt.memory import Helpers
from kcc.tracegen.simt.plan import plan_kernel
from kcc.tracegen.simt.wide import Wide, Writer, parts_of

SOURCES = Path(__file__).parents[1] / "math"


@dataclass(slots=True)
class _MathWriter(InstructionWriter):
    """Widens a kernel without loops: arguments are parameters, the store is the result.

    Both sides of every branch are computed; a phi selects by the conditions under which control
    came from each block. Nothing has an effect but the store, which all paths reach.
    """

    parameters: tuple[Value, ...] = field(default_factory=tuple[Value, ...])
    edges: dict[tuple[int, int], Value] = field(default_factory=dict[tuple[int, int], Value])
    """Under which condition (vector of i1) control goes from one block to another."""
    result: Value | None = None

    def operand(self, value: Operand) -> Wide:
        """Arguments are parameters of the function; the first, the result's address, is not."""
        if isinstance(value, ArgumentRef):
            return Wide((self.parameters[value.index - 1],))
        return InstructionWriter.operand(self, value)

    def write_function(self, function: Function) -> None:
        """Write all blocks one after another, then return what was stored."""
        for number in reverse_postorder([b.successors for b in function.blocks], 0):
            block = function.blocks[number]
            ways = [self.edges[way] for way in ((p, number) for p in block.predecessors)]
            reached = self._any(ways)
            for instruction in block.instructions:
                match instruction:
                    case Phi():
                        self.values[instruction.index] = self._merge(instruction)
                    case Store():
                        self.result = self.lanes(self.operand(instruction.value).parts[0])
                    case Branch() | CondBranch() | Switch() | Return() | Unreachable():
                        self._leave(instruction, reached)
                    case _:
                        self.write_instruction(instruction)
        assert self.result is not None
        self.code.ret(self.result)

    def _any(self, ways: list[Value]) -> Value:
        always = Value(VecTy(self.width, I1), "splat (i1 true)")
        result = ways[0] if ways else always
        for way in ways[1:]:
            result = self.code.binary("or", result, way)
        return result

    def _merge(self, phi: Phi) -> Wide:
        values = [[self.lanes(p) for p in self.operand(o).parts] for o in phi.operands]
        merged = values[0]
        for source, parts in zip(phi.incoming[1:], values[1:], strict=True):
            way = self.edges[source, phi.block]
            pairs = zip(parts, merged, strict=True)
            merged = [self.code.select(way, new, old) for new, old in pairs]
        return Wide(tuple(merged))

    def _leave(self, terminator: Terminator, reached: Value) -> None:
        home = terminator.block
        match terminator:
            case Branch():
                self.edges[home, terminator.target] = reached
            case CondBranch():
                condition = self.lanes(self.operand(terminator.condition).parts[0])
                self._add(home, terminator.then, self.code.binary("and", reached, condition))
                true = Value(condition.type, "splat (i1 true)")
                contrary = self.code.binary("xor", condition, true)
                self._add(home, terminator.otherwise, self.code.binary("and", reached, contrary))
            case Return():
                pass
            case Switch() | Unreachable():
                raise AssertionError("a function of the math library switches")

    def _add(self, home: int, target: int, way: Value) -> None:
        known = self.edges.get((home, target))
        self.edges[home, target] = way if known is None else self.code.binary("or", known, way)


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
    unit, kernel = _implementation(implementation_name(symbol))
    function = kernel.function
    results = (i for i in function.instructions if isinstance(i, Store))
    (part,) = parts_of(next(results).value.type)
    everything = frozenset(range(len(function.instructions)))
    flow = WarpFlow({}, everything, frozenset(), ())
    plan = replace(plan_kernel(unit.module, function, flow, width), slots={})
    code = FunctionBuilder(VOID)
    code.position_at("entry")
    names = [f"%x{i}" for i in range(len(function.arguments) - 1)]
    kinds = [VecTy(width, parts_of(a.type)[0]) for a in function.arguments[1:]]
    parameters = tuple(Value(t, n) for t, n in zip(kinds, names, strict=True))
    helpers = Helpers(Writer(module, code, width), inline=False, made=set())
    writer = _MathWriter(module, code, width, plan, helpers, parameters=parameters)
    writer.write_function(function)
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
def _implementation(name: str) -> tuple[CompiledUnit, Kernel]:
    """One function of the library with the unit it is in, compiled without the others."""
    for path in sorted(SOURCES.glob("*.cl")):
        source = read_source(str(path))
        if f"kernel void {name}(" not in source.text:
            continue
        alone = replace(source, text=_only(name, source.text))
        unit = compile_source(alone, BuildOptions(opt_level=OptLevel.O2))
        (kernel,) = unit.kernels
        return unit, kernel
    raise KeyError(name)


def _only(name: str, text: str) -> str:
    """A source without its kernels but one."""
    pieces = re.split(r"(?m)^(?=kernel void )", text)
    kept = [pieces[0]]
    for piece in pieces[1:]:
        own, rest = _first_definition(piece)
        kept += [own if piece.startswith(f"kernel void {name}(") else "", rest]
    return "".join(kept)


def _first_definition(text: str) -> tuple[str, str]:
    """A text cut after the brace that closes its first."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == "}" and depth == 0:
            return text[: place + 1], text[place + 1 :]
    raise AssertionError("a function of the math library does not end")
