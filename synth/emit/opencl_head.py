"""What stands before the first block of a kernel in a miniature's OpenCL C."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from kcc.frontend.ir.types import PtrTy
from kcc.synth.assembly.model import Kernel, Parameter, ParameterKind
from kcc.synth.emit.expressions import Expressions
from kcc.synth.emit.opencl_types import pointer, spelled

VARIABLES_OF_A_LINE = 12


def head(
    kernel: Kernel, declared: Mapping[str, Sequence[str]], samplers: Sequence[tuple[int, int]]
) -> Iterator[str]:
    """Tables, attributes, parameters, arrays and variables. ``samplers`` are those of the kernel's
    own, with their bits."""
    yield from _tables(kernel)
    structs = [p for p in kernel.parameters if p.kind is ParameterKind.STRUCT]
    for p in structs:
        words = -(-p.size_bytes // 8)
        yield f"typedef struct {{ ulong w[{words}]; }} {kernel.name}_s{p.number};"
    if kernel.required_local_size:
        sizes = ", ".join(map(str, kernel.required_local_size))
        yield f"__attribute__((reqd_work_group_size({sizes})))"
    inner = ",\n    ".join(_parameter(kernel, p) for p in kernel.parameters)
    yield f"__kernel void {kernel.name}(\n    {inner})\n{{"
    yield from _arrays(kernel)
    for number, bits in samplers:
        yield f"    const sampler_t v{number} = {bits};"
    for type_, names in sorted(declared.items()):
        for first in range(0, len(names), VARIABLES_OF_A_LINE):
            yield f"    {_declaration(type_, names[first : first + VARIABLES_OF_A_LINE])}"
    for p in structs:
        yield f"    __private uchar *a{p.number} = (__private uchar *)&w{p.number};"


def cleared(kernel: Kernel, spell: Expressions) -> Iterator[str]:
    """Write local memory, all threads of the block together."""
    x, y, _ = (*kernel.local_size, 1, 1)[:3]
    thread = f"(get_local_id(2) * {y} + get_local_id(1)) * {x} + get_local_id(0)"
    for operand, size in kernel.cleared:
        words, place = size // 4, spell.operand(operand, PtrTy(3))
        yield (
            f"    for (uint z = {thread}; z < {words}u; z += {prod(kernel.local_size)}u)"
            f" ((__local uint *){place})[z] = 0x3f800000u; // aux"
        )
    if kernel.cleared:
        yield "    barrier(CLK_LOCAL_MEM_FENCE); // aux"


def _tables(kernel: Kernel) -> Iterator[str]:
    for array in kernel.arrays:
        if array.space == 2:
            yield f"#undef m{array.number}"
            values = ", ".join(str(3 + n % 5) for n in range(min(array.size_bytes // 4, 16)))
            words = -(-array.size_bytes // 4)
            yield f"__constant uint {_table(kernel, array.number)}[{words}] = {{{values}}};"


def _arrays(kernel: Kernel) -> Iterator[str]:
    for array in kernel.arrays:
        if array.space == 0:
            yield f"    __private ulong2 m{array.number}[{-(-array.size_bytes // 16)}];"
        elif array.space == 3:
            yield f"    __local ulong m{array.number}[{-(-array.size_bytes // 8)}];"
        elif array.space == 2:
            yield f"#define m{array.number} {_table(kernel, array.number)}"


def _table(kernel: Kernel, array: int) -> str:
    return f"{kernel.name}_t{array}"


def _parameter(kernel: Kernel, p: Parameter) -> str:
    match p.kind:
        case ParameterKind.BUFFER | ParameterKind.LOCAL:
            return f"{pointer(p.space)}a{p.number}"
        case ParameterKind.STRUCT:
            return f"{kernel.name}_s{p.number} w{p.number}"
        case ParameterKind.IMAGE:
            return f"__{p.access} image2d_t a{p.number}"
        case ParameterKind.SAMPLER:
            return f"sampler_t a{p.number}"
        case ParameterKind.TABLE:
            return f"__constant uint *a{p.number}"
        case ParameterKind.SCALAR:
            return f"{spelled(p.type)} a{p.number}"
        case _:
            return f"uint a{p.number}"


def _declaration(type_: str, names: Sequence[str]) -> str:
    if type_.endswith("*"):
        return f"{type_}{', *'.join(names)};"
    return f"{type_} {', '.join(names)};"
