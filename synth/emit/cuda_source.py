"""The CUDA of a miniature: volatile inline PTX and a host, as in Yu et al. (IEEE TC 2015, section
4.2.4, figure 14).

The PTX is that of LLVM's back end for the miniature's module, without its optimiser; each line
stands in one ``asm volatile`` statement per kernel, so that nvcc changes nothing. Tables of trips
lie in global memory here, since a pointer to constant memory cannot be handed to a CUDA kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from kcc.frontend.ir.types import VecTy, size_bytes
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.ptx.emit import PtxOptions, emit_ptx
from kcc.synth.assembly.model import Kernel, Miniature, Parameter, ParameterKind
from kcc.synth.emit.cuda_host import cuda_host
from kcc.synth.emit.opencl_types import spelled

_ENTRY = re.compile(
    r"^\.visible \.entry (\w+)\((.*?)^\)(.*?)^\{\n(.*?)^\}", re.MULTILINE | re.DOTALL
)
_PARAMETER = re.compile(
    r"ld\.param\.(\w+)(\.\w+)?(\s+)(\{[^}]*\}|[^,]+), \[(\w+)_param_(\d+)(\+\d+)?\]"
)
_WORD = re.compile(
    r"^(?:\.visible )?\.(shared|const|global) (\.align \d+) (\.b\d+) ([\w$]+)\[(\d+)\]"
    r"(?: = \{([^}]*)\})?;",
    re.MULTILINE,
)

_REGISTER = re.compile(r"%(p|rs|rd|rq|r|fd|f|hh|h)(?=\d|<)")
"""Of LLVM's back end, without its number."""

_DOUBLES = re.compile(
    r"^declare spir_func double @_Z(\d+[a-z_0-9]*?)d+\(((?:double(?:, )?)+)\)[^\n]*\n", re.MULTILINE
)

_HEAD = """// A miniature that kcc made, in CUDA: nvcc -o miniature {name}
// kcc reads the OpenCL C and the LLVM IR beside it, which say the same.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <numeric>
#include <vector>

template <int N> struct Words {{ unsigned long long w[N]; }};

"""


def cuda_source(miniature: Miniature, unit: CompiledUnit, name: str) -> str:
    """The program ``name``: kernels and host.

    :raises DiagnosticError: K811 when a kernel uses what has no counterpart in PTX.
    """
    ptx = emit_ptx(_single_precision(unit.ir), PtxOptions(restructure=False))
    bodies = {match[1]: match[4] for match in _ENTRY.finditer(ptx)}
    variables = {match[4]: match for match in _WORD.finditer(_ENTRY.sub("", ptx))}
    kernels = "\n".join(
        _kernel(kernel, bodies[kernel.name], variables) for kernel in miniature.kernels
    )
    tables = "".join(_table(match) for match in variables.values() if match[1] != "shared")
    return _HEAD.format(name=name) + tables + kernels + cuda_host(miniature)


def _single_precision(ir: str) -> str:
    """Functions of doubles by way of those of floats: NVIDIA's library, which has the others, is
    not at hand, and the values mean nothing."""

    def defined(match: re.Match[str]) -> str:
        name, count = match[1], match[2].count("double")
        single = f"@_Z{name}{'f' * count}"
        values = "".join(f"  %f{n} = fptrunc double %d{n} to float\n" for n in range(count))
        arguments = ", ".join(f"float %f{n}" for n in range(count))
        head = ", ".join(f"double %d{n}" for n in range(count))
        declared = f"declare spir_func float {single}({', '.join(['float'] * count)})\n"
        return (
            f"{declared if f'{single}(' not in ir else ''}"
            f"define internal spir_func double @_Z{name}{'d' * count}({head}) alwaysinline {{\n"
            f"{values}  %r = call spir_func float {single}({arguments})\n"
            "  %w = fpext float %r to double\n  ret double %w\n}\n"
        )

    return _DOUBLES.sub(defined, ir)


def _table(match: re.Match[str]) -> str:
    """A table of constants, in global memory."""
    word = {".b8": "unsigned char", ".b16": "unsigned short", ".b64": "unsigned long long"}
    values = match[6] or "0"
    kind = word.get(match[3], "unsigned")
    return f'extern "C" {{ __device__ {kind} {match[4]}[{match[5]}] = {{{values}}}; }}\n'


def _kernel(kernel: Kernel, body: str, variables: dict[str, re.Match[str]]) -> str:
    parameters = ", ".join(_parameter(p) for p in kernel.parameters)
    operands = [_operand(p) for p in kernel.parameters]
    lines = [*_declared(body, variables), *_structs(kernel), *_body(kernel, body)]
    text = "\n".join(f'        "{line}\\n\\t"' for line in ["{", *lines, "}"])
    inputs = ", ".join(operands)
    offset = _offsets(kernel)
    return (
        f'extern "C" __global__ void {kernel.name}({parameters})\n{{\n'
        f"    extern __shared__ unsigned char dynamic[];\n{offset}"
        f'    asm volatile(\n{text}\n        :: {inputs} : "memory");\n}}\n'
    )


def in_memory_bytes(p: Parameter) -> int:
    """The size of a parameter that inline assembly cannot take as an operand, a struct or a vector,
    in whole words of 8 bytes; 0 for any other."""
    if p.kind is ParameterKind.STRUCT:
        return -(-p.size_bytes // 8) * 8
    is_vector = p.kind is ParameterKind.SCALAR and isinstance(p.type, VecTy)
    return -(-size_bytes(p.type) // 8) * 8 if is_vector else 0


def _parameter(p: Parameter) -> str:
    words = in_memory_bytes(p) // 8
    if words:
        return f"__grid_constant__ const Words<{words}> a{p.number}"
    match p.kind:
        case ParameterKind.BUFFER | ParameterKind.TABLE:
            return f"void *a{p.number}"
        case ParameterKind.LOCAL:
            return f"unsigned a{p.number}"
        case ParameterKind.IMAGE | ParameterKind.SAMPLER:
            return f"unsigned long long a{p.number}"
        case ParameterKind.SCALAR:
            name = spelled(p.type)
            return f"{_CUDA.get(name, name)} a{p.number}"
        case _:
            return f"unsigned a{p.number}"


_CUDA = {
    "uint": "unsigned", "ulong": "unsigned long long", "uchar": "unsigned char",
    "ushort": "unsigned short",
}  # fmt: skip

_LETTERS = {"float": "f", "double": "d", "ulong": "l", "uchar": "r", "ushort": "h"}


def _operand(p: Parameter) -> str:
    if in_memory_bytes(p):
        return f'"l"(&a{p.number})'
    match p.kind:
        case (
            ParameterKind.BUFFER | ParameterKind.TABLE | ParameterKind.IMAGE | ParameterKind.SAMPLER
        ):
            return f'"l"(a{p.number})'
        case ParameterKind.LOCAL:
            return f'"l"(l{p.number})'
        case ParameterKind.SCALAR:
            letter = _LETTERS.get(spelled(p.type), "r")
            value = f"(unsigned)a{p.number}" if spelled(p.type) == "uchar" else f"a{p.number}"
            return f'"{letter}"({value})'
        case _:
            return f'"r"(a{p.number})'


def _offsets(kernel: Kernel) -> str:
    """Addresses in shared memory of what the host hands in: one after another, each parameter the
    bytes up to its own."""
    return "".join(
        f"    unsigned long long l{p.number} = __cvta_generic_to_shared(dynamic + a{p.number});\n"
        for p in kernel.parameters
        if p.kind is ParameterKind.LOCAL
    )


def _declared(body: str, variables: dict[str, re.Match[str]]) -> Iterator[str]:
    for name, match in variables.items():
        if match[1] == "shared" and re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", body):
            yield f".shared {match[2]} {match[3]} {_plain(name)}[{match[5]}];"


def _structs(kernel: Kernel) -> Iterator[str]:
    """What is no operand goes through local memory."""
    for p in kernel.parameters:
        size = in_memory_bytes(p)
        if size:
            yield f".local .align 16 .b8 {kernel.name}_param_{p.number}[{size}];"
            yield f".reg .b64 %%c{p.number};"
        for offset in range(0, size, 8):
            yield f"ld.b64 %%c{p.number}, [%{p.number}+{offset}];"
            yield f"st.local.b64 [{kernel.name}_param_{p.number}+{offset}], %%c{p.number};"


def _body(kernel: Kernel, body: str) -> Iterator[str]:
    """The lines of a kernel as inline assembly has them: registers with two percent signs and names
    that are not those nvcc gives to operands, labels of their own, parameters as operands. Loops
    are not to be unrolled."""
    lines = [text for line in body.split("\n") if (text := re.sub(r"//.*", "", line).strip())]
    headers = _loop_headers(lines)
    for line in lines:
        if line.startswith((".loc ", ".loc\t", ".file", ".section")):
            continue
        text = _REGISTER.sub(r"%m\1", line)
        text = _plain(text.replace("%", "%%").replace("$L__BB", "L"))
        text = text.replace("ld.const", "ld.global")
        text = _PARAMETER.sub(partial(_taken, kernel), text).replace('"', '\\"')
        yield "bra.uni DONE;" if text == "ret;" else text
        if line in headers:
            yield '.pragma \\"nounroll\\";'
    yield "DONE:"


def _loop_headers(lines: Sequence[str]) -> set[str]:
    """The labels that a branch further down goes back to."""
    seen, found = set[str](), set[str]()
    for line in lines:
        if line.endswith(":"):
            seen.add(line)
        found |= {f"{label}:" for label in re.findall(r"\$L__\w+", line)} & seen - {line}
    return found


def _taken(kernel: Kernel, match: re.Match[str]) -> str:
    """A parameter that is read: an operand, or part of what is in local memory."""
    kind, vector, gap, target, name, number, offset = match.groups()
    own = kernel.parameters[int(number)]
    if in_memory_bytes(own):
        part = f"{name}_param_{number}{offset or ''}"
        return f"ld.local.{kind}{vector or ''}{gap}{target}, [{part}]"
    bits = int(re.sub(r"\D", "", kind))
    if _operand(own).startswith('"l"') and bits < 64:
        if offset:
            return f"mov.b64{gap}{{_, {target}}}, %{number}"
        return f"cvt.u{bits}.u64{gap}{target}, %{number}"
    narrow = {8: "cvt.u16.u32", 16: "mov.b16"}
    return f"{narrow.get(bits, f'mov.b{bits}')}{gap}{target}, %{number}"


def _plain(text: str) -> str:
    """Names without dollar signs."""
    return text.replace("_$_", "_").replace("$", "_")
