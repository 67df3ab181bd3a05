"""Runs kernels of the dialect on the host, one work-item after another, through LLVM's JIT.

Only for kernels without barriers whose built-ins are all lowered: address spaces are dropped and
the work-item functions read their answers from globals.
"""

from __future__ import annotations

import ctypes
import itertools
import re
from collections.abc import Sequence
from functools import cache

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

Buffer = NDArray[np.generic]

_WORK_ITEM = {
    "_Z13get_global_idj": "global_id",
    "_Z15get_global_sizej": "global_size",
    "_Z12get_local_idj": "local_id",
    "_Z14get_local_sizej": "local_size",
    "_Z12get_group_idj": "group_id",
    "_Z14get_num_groupsj": "num_groups",
    "_Z17get_global_offsetj": "global_offset",
}

_DIMENSIONS = """
define i32 @_Z12get_work_dimv() {
  ret i32 1
}
"""


@cache
def _initialise() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _machine() -> llvm.TargetMachine:
    """A new one each time: an execution engine takes possession of its machine."""
    _initialise()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(opt=0, jit=True)


def host_module(text: str) -> str:
    """The dialect as a module for the host."""
    text = re.sub(r"^target .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"addrspacecast ", "bitcast ", text)
    text = re.sub(r" ?addrspace\(\d+\)", "", text)
    text = re.sub(r"\bspir_(func|kernel)\b ?", "", text)
    text = re.sub(r"@llvm\.[\w.]+", lambda m: re.sub(r"\.p\d+(?=\.|$)", ".p0", m[0]), text)
    seen, lines = set[str](), list[str]()
    for line in text.split("\n"):
        match = re.match(r"declare .*@([\w.]+)\(", line)
        if match and (match[1] in seen or match[1] in (*_WORK_ITEM, "_Z12get_work_dimv")):
            continue
        if match:
            seen.add(match[1])
        lines.append(line)
    unknown = [s for s in seen if not s.startswith("llvm.")]
    assert not unknown, f"not to be had on the host: {unknown}"
    return "\n".join([*lines, _DIMENSIONS, *(_work_item(s, n) for s, n in _WORK_ITEM.items())])


def _work_item(symbol: str, name: str) -> str:
    return f"""
@kcc.{name} = global [3 x i64] zeroinitializer
define i64 @{symbol}(i32 %d) {{
  %p = getelementptr inbounds [3 x i64], ptr @kcc.{name}, i32 0, i32 %d
  %v = load i64, ptr %p
  ret i64 %v
}}
"""


def run(
    text: str,
    kernel: str,
    arguments: Sequence[Buffer | int | float],
    global_size: Sequence[int],
    local_size: Sequence[int] = (1, 1, 1),
) -> None:
    """Run a kernel over its work-items in order; buffers are written in place.

    Integers are passed as ``int``, floats as ``float``.
    """
    with (
        llvm.create_context() as context,
        llvm.parse_assembly(host_module(text), context) as module,
    ):
        module.triple = llvm.get_process_triple()
        module.verify()
        with llvm.create_mcjit_compiler(module, _machine()) as engine:
            engine.finalize_object()
            _run_items(engine, kernel, arguments, (global_size, local_size))


def _run_items(
    engine: llvm.ExecutionEngine,
    kernel: str,
    arguments: Sequence[Buffer | int | float],
    sizes: tuple[Sequence[int], Sequence[int]],
) -> None:
    passed = [a.ctypes.data if isinstance(a, np.ndarray) else a for a in arguments]
    types = [_ctype(a) for a in arguments]
    function = ctypes.CFUNCTYPE(None, *types)(engine.get_function_address(kernel))
    size, local = ([*given, 1, 1][:3] for given in sizes)
    tables = {
        name: (ctypes.c_int64 * 3).from_address(engine.get_global_value_address(f"kcc.{name}"))
        for name in _WORK_ITEM.values()
    }
    tables["global_size"][:] = size
    tables["local_size"][:] = local
    tables["num_groups"][:] = [-(-g // n) for g, n in zip(size, local, strict=True)]
    for z, y, x in itertools.product(*(range(n) for n in reversed(size))):
        ids = (x, y, z)
        tables["global_id"][:] = ids
        tables["local_id"][:] = [i % n for i, n in zip(ids, local, strict=True)]
        tables["group_id"][:] = [i // n for i, n in zip(ids, local, strict=True)]
        function(*passed)


def _ctype(argument: Buffer | float) -> type[ctypes.c_void_p | ctypes.c_int | ctypes.c_float]:
    if isinstance(argument, int):
        return ctypes.c_int
    return ctypes.c_float if isinstance(argument, float) else ctypes.c_void_p
