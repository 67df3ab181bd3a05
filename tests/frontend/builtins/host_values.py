"""Values of built-in functions by their definitions, compiled for the host through LLVM."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import llvmlite.binding

from kcc.frontend.builtins.emitter import ir_type
from kcc.frontend.builtins.lower import definitions
from kcc.frontend.builtins.overloads import overload_of_symbol
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.ir.types import IrType, VecTy, size_bytes
from kcc.tracegen.simt.host_cpu import host_cpu
from tests.frontend.builtins.values import Array, Results, empty, pointee, stored_type, trimmed

llvm: Any = llvmlite.binding
"""Untyped: the host's features are not among what the stubs know."""

_STAND_INS = """
define internal float @_Z5rsqrtf(float %x) {
  %r = call float @llvm.sqrt.f32(float %x)
  %q = fdiv float 1.0, %r
  ret float %q
}
define internal double @_Z5rsqrtd(double %x) {
  %r = call double @llvm.sqrt.f64(double %x)
  %q = fdiv double 1.0, %r
  ret double %q
}
define internal float @_Z9half_sqrtf(float %x) {
  %r = call float @llvm.sqrt.f32(float %x)
  ret float %r
}
define internal float @_Z10half_rsqrtf(float %x) {
  %r = call float @_Z5rsqrtf(float %x)
  ret float %r
}
"""
"""Primitives that are simple enough; the others come from the C library."""


def stand_in(builtin: ResolvedBuiltin) -> str:
    """A primitive of scalar math by the function of the C library of that name."""
    types = [str(ir_type(p.type)) for p in builtin.parameters]
    result = str(ir_type(builtin.result))
    target = builtin.name + ("f" if result == "float" else "")
    named = ", ".join(f"{t} %a{n}" for n, t in enumerate(types))
    return f"""
declare {result} @{target}({", ".join(types)})
define internal {result} @{builtin.symbol}({named}) {{
  %r = call {result} @{target}({named})
  ret {result} %r
}}
"""


def host_text(symbols: Sequence[str], given: Sequence[str] = ()) -> str:
    """Definitions of the symbols and what they need, for the host.

    ``given`` are primitives that the caller defines.
    """
    text = definitions(symbols)
    text = re.sub(r" ?addrspace\(\d+\)", "", text)
    text = re.sub(r"\bspir_func\b ?", "", text)
    called = re.findall(r"^declare .*@(_Z\w+)\(.*\n", text, flags=re.MULTILINE)
    text = re.sub(r"^declare .*@_Z.*\n", "", text, flags=re.MULTILINE)
    for symbol in called:
        builtin = overload_of_symbol(symbol)
        assert builtin is not None
        if f"@{symbol}(" not in _STAND_INS and symbol not in given:
            text += stand_in(builtin)
    text += _STAND_INS
    for kind, width in (("float", 32), ("double", 64)):
        line = f"declare {kind} @llvm.sqrt.f{width}({kind})"
        text += "" if line in text else line + "\n"
    return text


def _wrapper(number: int, builtin: ResolvedBuiltin) -> str:
    """``void run_N(args, out, stored, n)``: applies the function to elements 0 to n - 1."""
    lines = list[str]()
    operands = list[str]()
    for position, parameter in enumerate(builtin.parameters):
        target = pointee(parameter.type)
        type_ = ir_type(target or parameter.type)
        base = "%stored" if target else f"%p{position}"
        lines.append(f"  %e{position} = getelementptr {_slot(type_)}, ptr {base}, i64 %i")
        if target:
            operands.append(f"ptr %e{position}")
            continue
        lines.append(f"  %v{position} = load {type_}, ptr %e{position}, align 1")
        operands.append(f"{type_} %v{position}")
    result = ir_type(builtin.result)
    pointers = "".join(f"ptr %p{n}, " for n in range(3))
    call = f"  %r = call {result} @{builtin.symbol}({', '.join(operands)})"
    body = "\n".join([*lines, call])
    return f"""
define void @run_{number}({pointers}ptr %out, ptr %stored, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{body}
  %o = getelementptr {_slot(result)}, ptr %out, i64 %i
  store {result} %r, ptr %o, align 1
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""


def _slot(type_: IrType) -> str:
    return f"[{size_bytes(type_)} x i8]" if isinstance(type_, VecTy) else str(type_)


@cache
def _target() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple())


@contextmanager
def compiled(text: str) -> Generator[Callable[[str], int]]:
    """The module's text compiled: gives the address of a function by its name."""
    machine = _target().create_target_machine(
        cpu=host_cpu().name,
        features=host_cpu().flattened(),
        opt=0,
        jit=True,
    )
    module = llvm.parse_assembly(text)
    module.verify()
    with llvm.create_mcjit_compiler(module, machine) as engine:
        engine.finalize_object()
        yield engine.get_function_address


def by_definition(
    builtins: Sequence[ResolvedBuiltin], inputs: Sequence[Sequence[Array]]
) -> list[Results]:
    """Results of the definitions; ``inputs[k]`` are the arguments of function k (no pointers)."""
    text = host_text([b.symbol for b in builtins])
    text += "".join(_wrapper(n, b) for n, b in enumerate(builtins))
    with compiled(text) as address_of:
        return [
            _apply(address_of(f"run_{number}"), builtin, arrays)
            for number, (builtin, arrays) in enumerate(zip(builtins, inputs, strict=True))
        ]


def _apply(address: int, builtin: ResolvedBuiltin, arrays: Sequence[Array]) -> Results:
    count = len(arrays[0])
    out = empty(builtin.result, count)
    target = stored_type(builtin)
    stored = empty(target, count) if target else None
    given = iter(arrays)
    pointers = [0 if pointee(p.type) else next(given).ctypes.data for p in builtin.parameters]
    pointers += [0] * (3 - len(pointers))
    last = stored.ctypes.data if stored is not None else 0
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5, ctypes.c_int64)
    signature(address)(*pointers, out.ctypes.data, last, count)
    kept = trimmed(stored, target) if stored is not None and target else None
    return Results(trimmed(out, builtin.result), kept)
