"""From the IR that clang writes for CUDA on SPIR-V to the dialect."""

from __future__ import annotations

import re

from kcc.frontend.clang.address_spaces import (
    infer_address_spaces,
    with_named_moves,
    with_unknown_spaces,
)
from kcc.frontend.clang.debug_nodes import DebugNodes, Parameter
from kcc.frontend.clang.pointer_numbers import with_pointers
from kcc.frontend.lowering.debug import quote
from kcc.frontend.optimise import optimise
from kcc.frontend.options import OptLevel

_CONSTANT = re.compile(  # but for tables of virtual functions, which generic pointers lead to
    r'^(@(?!_ZT[VIS])(?:"[^"]+"|[\w.$]+)) = ((?:[a-z_]+ )*)addrspace\(1\) '
    r"((?:externally_initialized )?constant )",
    re.MULTILINE,
)
_ATTRIBUTES = r"(?:(?:noundef|nonnull|align \d+|captures\([^)]*\)) )*"
"""Of an argument of a call, before its value."""

_TO_GLOBAL = re.compile(rf'ptr addrspace\(1\) ({_ATTRIBUTES})(@(?:"[^"]+"|[\w.$]+))')

_BOOKKEEPING = re.compile(r"^@llvm\.(?:compiler\.)?used = .*\n|^\$.* = comdat .*\n", re.MULTILINE)
_COMDAT = re.compile(r",? comdat(?:\(\$[^)]*\))?(?= |,|$)", re.MULTILINE)
_ATOMIC = re.compile(
    r"^(.* (?:atomicrmw|cmpxchg) [^\n]*?) (?:monotonic|seq_cst|acq_rel)"
    r"((?: (?:monotonic|seq_cst))?, )",
    re.MULTILINE,
)
_WRAPPING = re.compile(
    r"call (?:spir_func )?(?:noundef )?i32 @__kcc_atomic_(u(?:inc|dec)_wrap)\(ptr addrspace\(4\) "
    r"(?:noundef )?(.*), i32 (?:noundef )?(\S+)\)(?: #\d+)?"
)
_PRINTF_ARGUMENT = re.compile(
    r"(@printf\()ptr addrspace\(4\) (?:noundef )?addrspacecast "
    r"\(ptr addrspace\(2\) (@[\w.$]+) to ptr addrspace\(4\)\)"
)
FORMAT_REFUSAL = "__kcc_refuse_format"

_COPY = re.compile(
    r"^  call void @llvm\.memcpy\.p\d\.p\d\.i64\((ptr(?: addrspace\(\d\))?) align (\d+) ([^,]+), "
    r"(ptr(?: addrspace\(\d\))?) align (\d+) (.*?), i64 (\d+), i1 false\)[^,\n]*(.*)$",
    re.MULTILINE,
)
_KERNEL = re.compile(
    r"^define (?:[\w]+ )*?spir_kernel void @([\w.$]+)\((.*)\)([^{\n]*)\{", re.MULTILINE
)


_COERCED = re.compile(
    r"^  store ptr addrspace\(1\) (%[\w.$]+)\.coerce, (ptr addrspace\(4\) %[\w.$]+), align 8$",
    re.MULTILINE,
)
_STATIC = re.compile(r"@_ZZ([\w$]+)E(\d+)(\w+?)(?=[^\w.$])")


def lower_cuda(text: str, *, fast: bool = False) -> str:
    """Spaces of constants, atomics, printf and copies as the dialect has them; ``fast`` does to
    divisions and square roots what nvcc's ``-use_fast_math`` does."""
    if fast:
        text = _with_fast_divisions(text)
    text = _with_constants(_COMDAT.sub("", _BOOKKEEPING.sub("", text)))
    text = with_named_moves(text)
    if "@__kcc_atomic_" in text:
        text = _WRAPPING.sub(r"atomicrmw \1 ptr addrspace(4) \2, i32 \3 monotonic, align 4", text)
        text = re.sub(r"^declare .*@__kcc_atomic_.*\n", "", text, flags=re.MULTILINE)
    if "atomicrmw " in text or "cmpxchg " in text:
        text = _ATOMIC.sub(_relaxed, text)
    text = _COERCED.sub(_generic_store, text)
    return _as_vectors(_with_printf(with_plain_statics(text)))


def _with_constants(text: str) -> str:
    """Constants, and what points to them, in OpenCL's space of constants."""
    constants = {match[1] for match in _CONSTANT.finditer(text)}
    if not constants:
        return text
    text = _CONSTANT.sub(r"\1 = \2addrspace(2) \3", text)

    def move(match: re.Match[str]) -> str:
        return f"ptr addrspace(2) {match[1]}{match[2]}" if match[2] in constants else match[0]

    return _TO_GLOBAL.sub(move, text)


_DIVISION = re.compile(r"= fdiv (?:[a-z]+ )*float (\S+), ([^\s,]+)")
_DIVIDE = "_Z13native_divideff"


def _with_fast_divisions(text: str) -> str:
    """``-prec-div=false -prec-sqrt=false`` for floats (CUDA C++ programming guide, "Compiler
    optimizations")."""
    text = _DIVISION.sub(rf"= call spir_func float @{_DIVIDE}(float \1, float \2)", text)
    if f"@{_DIVIDE}(" in text and f"declare spir_func float @{_DIVIDE}(" not in text:
        text += f"\ndeclare spir_func float @{_DIVIDE}(float, float) nounwind memory(none)\n"
    text = text.replace("@_Z5rsqrtf(", "@_Z12native_rsqrtf(")
    return text.replace("@_Z4sqrtf(", "@_Z11native_sqrtf(")


def _generic_store(match: re.Match[str]) -> str:
    """A kernel's pointer becomes generic by a cast, not through memory."""
    return (
        f"  {match[1]}.generic = addrspacecast ptr addrspace(1) {match[1]}.coerce to "
        f"ptr addrspace(4)\n  store ptr addrspace(4) {match[1]}.generic, {match[2]}, align 8"
    )


def with_plain_statics(text: str) -> str:
    """Variables of functions are called ``function.name``, as in OpenCL."""
    nodes = DebugNodes(text)
    functions = {k: nodes.name_of(node) for k, node in nodes.subprograms().items()}
    taken = dict[str, str]()
    for match in _STATIC.finditer(text):
        if match[0] in taken:
            continue
        size = int(match[2])
        function = functions.get(f"_Z{match[1]}") or "static"
        name = f"{function}.{match[3][:size]}"
        while name in taken.values():
            name += "_"
        taken[match[0]] = name
    return _STATIC.sub(lambda m: f"@{_global_name(taken[m[0]])}", text)


def _global_name(name: str) -> str:
    return name if re.fullmatch(r"[\w.$]+", name) else f'"{name}"'


def _relaxed(match: re.Match[str]) -> str:
    """CUDA's atomics order nothing, in the scope of the device."""
    second = " monotonic, " if match[2].strip(", ") else ", "
    return f'{match[1]} syncscope("device") monotonic{second}'


def _with_printf(text: str) -> str:
    """Formats are constants; a call with any other is left to be refused."""
    text = _PRINTF_ARGUMENT.sub(r"\1ptr addrspace(2) \2", text)
    lines, refused = text.split("\n"), False
    for number, line in enumerate(lines):
        if "@printf(" not in line:
            continue
        if line.startswith("declare"):
            lines[number] = "declare spir_func i32 @printf(ptr addrspace(2), ...) nounwind"
        elif "@printf(ptr addrspace(2)" in line:
            lines[number] = line.replace("(ptr addrspace(4), ...) @", "(ptr addrspace(2), ...) @")
        else:
            lines[number] = line.replace("@printf(", f"@{FORMAT_REFUSAL}(")
            refused = True
    if refused:
        lines.append(f"declare spir_func i32 @{FORMAT_REFUSAL}(ptr addrspace(4), ...)")
    return "\n".join(lines)


def _as_vectors(text: str) -> str:
    """A copy of an aligned struct of 2 to 16 bytes is one load and one store, as on the GPU."""
    nodes = dict(re.findall(r"^(!\d+) = (!\{.*\})$", text, re.MULTILINE))
    counter = 0

    def replace(match: re.Match[str]) -> str:
        nonlocal counter
        size = int(match[7])
        if size not in (2, 4, 8, 16) or int(match[2]) < size or int(match[5]) < size:
            return match[0]
        counter += 1
        kind, name = _copied_type(match[8], nodes, size), f"%kcc.copy{counter}"
        where = re.search(r", !dbg !\d+", match[8])
        tail = where[0] if where else ""
        return (
            f"  {name} = load {kind}, {match[4]} {match[6]}, align {size}{tail}\n"
            f"  store {kind} {name}, {match[1]} {match[3]}, align {size}{tail}"
        )

    return _COPY.sub(replace, text)


_TBAA_TYPES = {"float": "float", "double": "double"}


def _copied_type(tail: str, nodes: dict[str, str], size: int) -> str:
    """A vector of what the struct holds, as far as the alias information tells."""
    match = re.search(r"!tbaa\.struct (!\d+)", tail)
    fields = re.findall(r"i64 (\d+), i64 (\d+), (!\d+)", nodes.get(match[1], "")) if match else []
    sizes = {int(length) for _, length, _ in fields}
    if len(sizes) != 1:
        return f"i{size * 8}" if size < 16 else "<4 x i32>"
    each = sizes.pop()
    if each * len(fields) != size:
        return f"i{size * 8}" if size < 16 else "<4 x i32>"
    tag = re.match(r"!\{(!\d+)", nodes.get(fields[0][2], ""))
    name = re.match(r'!\{!"([^"]*)"', nodes.get(tag[1], "")) if tag else None
    element = _TBAA_TYPES.get(name[1] if name else "", f"i{each * 8}")
    return element if len(fields) == 1 else f"<{len(fields)} x {element}>"


def with_kernel_metadata(text: str) -> str:
    """Kernels described as OpenCL's are: names, types, spaces and qualifiers of arguments."""
    nodes = DebugNodes(text)
    subprograms = nodes.subprograms()
    number = 1 + max((int(m) for m in re.findall(r"^!(\d+) = ", text, re.MULTILINE)), default=-1)
    added = list[str]()

    def node(items: list[str]) -> str:
        nonlocal number
        added.append(f"!{number} = !{{{', '.join(items)}}}")
        number += 1
        return f"!{number - 1}"

    def describe(match: re.Match[str]) -> str:
        if "!kernel_arg_addr_space" in match[3]:
            return match[0]
        known = nodes.parameters(subprograms.get(match[1], ""))
        types = [p.strip() for p in _split(match[2])]
        rows = [known.get(n) or _undescribed(text) for n, text in enumerate(types)]
        spaces = [_space(t) for t in types]
        columns = {
            "addr_space": [f"i32 {s}" for s in spaces],
            "access_qual": ['!"none"' for _ in rows],
            "type": ["!" + quote(r.type) for r in rows],
            "base_type": ["!" + quote(r.type) for r in rows],
            "type_qual": ["!" + quote(r.qualifiers) for r in rows],
            "name": ["!" + quote(r.name) for r in rows],
        }
        words = " ".join(f"!kernel_arg_{key} {node(value)}" for key, value in columns.items())
        return f"define spir_kernel void @{match[1]}({match[2]}){match[3]}{words} {{"

    text = _KERNEL.sub(describe, text)
    return text + "\n" + "\n".join(added) + "\n"


def _undescribed(parameter: str) -> Parameter:
    """What a parameter's own text says: its name in the IR, and a pointer to what it is not
    known to."""
    name = parameter.rsplit("%", 1)[-1].removesuffix(".coerce")
    kind = parameter.partition(" ")[0]
    return Parameter(name, "void*" if kind == "ptr" else _IR_TYPES.get(kind, kind), "")


_IR_TYPES = {"i8": "char", "i16": "short", "i32": "int", "i64": "long"}


def _split(parameters: str) -> list[str]:
    """At commas outside of parentheses."""
    found, depth, start = list[str](), 0, 0
    for place, letter in enumerate(parameters):
        depth += {"(": 1, "{": 1, "<": 1, "[": 1, ")": -1, "}": -1, ">": -1, "]": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            found.append(parameters[start:place])
            start = place + 1
    return [*found, parameters[start:]] if parameters.strip() else []


def _space(parameter: str) -> int:
    match = re.match(r"ptr addrspace\((\d)\)", parameter)
    return int(match[1]) if match else 0


def settle_spaces(text: str, level: OptLevel) -> str:
    """Everything inlined and in SSA form, then the spaces of pointers inferred; O0 stays as
    lowered, with generic pointers."""
    if level is OptLevel.O0:
        return with_unknown_spaces(text)
    text = _NO_ATTRIBUTES.sub("{ nounwind }", optimise(text, OptLevel.O1).text)
    text = infer_address_spaces(with_pointers(text))
    return _FUNCTION.sub(lambda m: _with_plain_arguments(m[0]), text)


_NO_ATTRIBUTES = re.compile(r"(?<= = )\{ *\}(?=\n)")
"""A group that optimisation leaves empty, which LLVM does not read."""

_FUNCTION = re.compile(r"^define .*?^\}\n", re.MULTILINE | re.DOTALL)


def _with_plain_arguments(text: str) -> str:
    """Parameters under their own names where those are free."""
    for name in dict.fromkeys(re.findall(r"(%[\w.$]+)\.coerce\b", text.split("\n", 1)[0])):
        if not re.search(rf"{re.escape(name)}(?![\w.$-])", text):
            text = text.replace(f"{name}.coerce", name)
    return text
