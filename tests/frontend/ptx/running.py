"""Runs PTX and gives what it wrote."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import ExecutionOptions, NDRange, execute

Array = NDArray[Any]
HEAD = ".version 8.5\n.target sm_90a\n.address_size 64\n"
_LETTERS = "abcn"


def unit_of(text: str, level: OptLevel = OptLevel.O2) -> CompiledUnit:
    """PTX, of which the head may be missing, as compiled."""
    if ".version" not in text:
        text = HEAD + text
    return compile_source(SourceText("k.ptx", text, "."), BuildOptions(opt_level=level))


def run(
    text: str,
    arguments: Sequence[Any],
    threads: int = 32,
    blocks: int = 1,
    level: OptLevel = OptLevel.O2,
    shared: int = 0,
) -> dict[int, Array]:
    """The bytes of every buffer after a launch of the only kernel, by argument."""
    unit = unit_of(text, level)
    (kernel,) = unit.kernels
    launch = NDRange((threads * blocks,), (threads,), dynamic_local_bytes=shared)
    done = execute(unit, kernel, launch, list(arguments), ExecutionOptions(workers=1))
    return dict(done.buffers)


def evaluate(
    rows: Mapping[str, str], inputs: Sequence[Array], result: type[Any], registers: str = ""
) -> dict[str, Array]:
    """What each of several pieces of PTX leaves in ``%d``, a register of the size of ``result``.

    Thread i has the i-th element of the inputs in ``%a``, ``%b``, ``%c`` and ``%n``; all have a
    multiple of 32 elements. Free are ``%t0`` to ``%t9`` (32 bits), ``%w0`` to ``%w9`` (64 bits),
    ``%f0`` to ``%f9`` (doubles), ``%h0`` to ``%h9`` (16 bits) and ``%q0`` to ``%q9`` (predicates).
    """
    count, size = len(inputs[0]), np.dtype(result).itemsize
    parameters = [f".param .u64 p{n}" for n in range(len(inputs) + 1)]
    lines = [
        f".visible .entry k({', '.join(parameters)}) {{",
        ".reg .b32 %t<10>; .reg .b64 %w<10>; .reg .f64 %f<10>;",
        ".reg .b16 %h<10>; .reg .pred %q<10>;",
        f".reg .b32 %id; .reg .b64 %at, %base; .reg .b{8 * size} %d;",
        registers,
        "mov.u32 %id, %tid.x;",
    ]
    for number, each in enumerate(inputs):
        bits = 8 * each.dtype.itemsize
        lines += [
            f".reg .b{bits} %{_LETTERS[number]};",
            f"ld.param.u64 %base, [p{number}]; cvta.to.global.u64 %base, %base;",
            f"mul.wide.u32 %at, %id, {each.dtype.itemsize}; add.s64 %at, %base, %at;",
            f"ld.global.b{bits} %{_LETTERS[number]}, [%at];",
        ]
    lines += [
        f"ld.param.u64 %base, [p{len(inputs)}]; cvta.to.global.u64 %base, %base;",
        f"mul.wide.u32 %at, %id, {size}; add.s64 %at, %base, %at;",
    ]
    for number, text in enumerate(rows.values()):
        lines += [f"{{ {text} }}", f"st.global.b{8 * size} [%at+{number * count * size}], %d;"]
    lines += ["ret;", "}"]
    out = np.zeros((len(rows), count), result)
    buffers = run("\n".join(lines), [*inputs, out], count)
    found = buffers[len(inputs)].view(result).reshape(out.shape)
    return dict(zip(rows, found, strict=True))
