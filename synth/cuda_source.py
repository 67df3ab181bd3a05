"""The CUDA of a miniature: volatile inline PTX and a host, as in Yu et al. (IEEE TC 2015, section
4.2.4, figure 14).

The PTX is that of LLVM's back end for the miniature's module, without its optimiser; each line
stands in one ``asm volatile`` statement per kernel, so that nvcc changes nothing. Tables of trips
lie in global memory here, since a pointer to constant memory cannot be handed to a CUDA kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.ptx.emit import PtxOptions, emit_ptx
from kcc.synth.cuda_host import cuda_host
from kcc.synth.model import Kernel, Miniature, Parameter, ParameterKind
from kcc.synth.opencl_types import spelled

_ENTRY = re.compile(
    r"^\.visible \.entry (\w+)\((.*?)^\)(.*?)^\{\n(.*?)^\}", re.MULTILINE | re.DOTALL
)
_PARAMETER = re.compile(r"ld\.param\.(\w+)(\.\w+)?(\s+)([^,]+), \[(\w+)_param_(\d+)(\+\d+)?\]")
_WORD = re.compile(
    r"^(?:\.visible )?\.(shared|const|global) (\.align \d+) (\.b\d+) ([\w$]+)\[(\d+)\]"
    r"(?: = \{([^}]*)\})?;",
    re.MULTILINE,
)

_DOUBLES = re.compile(
    r"^declare spir_func double @_Z(\d+[a-z_0-9]*?)d+\(((?:double(?:, )?)+)\)[^\n]*\n", re.MULTILINE
)

_HEAD = """// A miniature that kcc made, in CUDA: nvcc -o miniature {name}
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

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
    return f'extern "C" __device__ {kind} {match[4]}[{match[5]}] = {{{values}}};\n'


def _kernel(kernel: Kernel, body: str, variables: dict[str, re.Match[str]]) -> str:
    parameters = ", ".join(_parameter(p) for p in kernel.parameters)
    operands = [_operand(p) for p in kernel.parameters]
    lines = [*_declared(body, variables), *_structs(kernel), *_body(body)]
    text = "\n".join(f'        "{line}\\n\\t"' for line in ["{", *lines, "}"])
    inputs = ", ".join(operands)
    offset = _offsets(kernel)
    return (
        f'extern "C" __global__ void {kernel.name}({parameters})\n{{\n'
        f"    extern __shared__ unsigned char dynamic[];\n{offset}"
        f'    asm volatile(\n{text}\n        :: {inputs} : "memory");\n}}\n'
    )


def _parameter(p: Parameter) -> str:
    match p.kind:
        case ParameterKind.BUFFER | ParameterKind.TABLE:
            return f"void *a{p.number}"
        case ParameterKind.LOCAL:
            return f"unsigned a{p.number}"
        case ParameterKind.STRUCT:
            return f"__grid_constant__ const Words<{-(-p.size_bytes // 8)}> a{p.number}"
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
    match p.kind:
        case ParameterKind.BUFFER | ParameterKind.TABLE:
            return f'"l"(a{p.number})'
        case ParameterKind.LOCAL:
            return f'"l"(l{p.number})'
        case ParameterKind.STRUCT:
            return f'"l"(&a{p.number})'
        case ParameterKind.SCALAR:
            letter = _LETTERS.get(spelled(p.type), "r")
            value = f"(unsigned)a{p.number}" if spelled(p.type) == "uchar" else f"a{p.number}"
            return f'"{letter}"({value})'
        case _:
            return f'"r"(a{p.number})'


def _offsets(kernel: Kernel) -> str:
    """Addresses in shared memory of what the host hands in: one behind another, each parameter the
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
    """Structs by value go through local memory."""
    for p in kernel.parameters:
        if p.kind is ParameterKind.STRUCT:
            size = -(-p.size_bytes // 8) * 8
            yield f".local .align 8 .b8 {kernel.name}_param_{p.number}[{size}];"
            yield f".reg .b64 %%c{p.number};"
            for word in range(-(-p.size_bytes // 8)):
                yield f"ld.b64 %%c{p.number}, [%{p.number}+{word * 8}];"
                yield f"st.local.b64 [{kernel.name}_param_{p.number}+{word * 8}], %%c{p.number};"


def _body(body: str) -> Iterator[str]:
    """The lines of a kernel as inline assembly has them: registers with two percent signs, labels
    of their own, parameters as operands."""
    for line in body.split("\n"):
        text = re.sub(r"//.*", "", line).strip()
        if not text or text.startswith((".loc", ".file", ".section")):
            continue
        text = _plain(text.replace("%", "%%").replace("$L__BB", "L"))
        text = text.replace("ld.const", "ld.global")
        text = _PARAMETER.sub(_taken, text).replace('"', '\\"')
        yield re.sub(r"\bret;", "bra.uni DONE;", text) if text == "ret;" else text
    yield "DONE:"


def _taken(match: re.Match[str]) -> str:
    """A parameter that is read: an operand, or part of a struct in local memory."""
    kind, vector, gap, target, kernel, number, offset = match.groups()
    if offset is not None or vector is not None:
        return (
            f"ld.local.{kind}{vector or ''}{gap}{target}, [{kernel}_param_{number}{offset or ''}]"
        )
    bits = re.sub(r"\D", "", kind)
    narrow = {"8": "cvt.u16.u32", "16": "mov.b16"}
    return f"{narrow.get(bits, f'mov.b{bits}')}{gap}{target}, %{number}"


def _plain(text: str) -> str:
    """Names without dollar signs."""
    return text.replace("_$_", "_").replace("$", "_")
