"""Bodies of the primitives for NVPTX: LLVM IR text of functions that are inlined into kernels.

Queries read special registers. Mathematics calls NVIDIA's libdevice where it is at hand (as nvcc
does), else the approximations of the special function unit, which need fewer registers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from kcc.base.records import dataclass
from kcc.frontend.builtins.matrix import MatrixProduct, matrix_product
from kcc.frontend.builtins.overloads import overload_of_symbol
from kcc.frontend.builtins.primitives import SAMPLER_INITIALISER

DECLARATION = re.compile(
    r"^declare (?:[a-z_]+ )*?(?P<result>void|ptr(?: addrspace\(\d\))?|[if]\d+|float|double|half|"
    r"<\d+ x \w+>) @(?P<symbol>[\w.$]+)\((?P<parameters>.*)\)[^\n]*\n",
    re.MULTILINE,
)

PRINTING = "vprintf"
"""Of CUDA's device runtime (CUDA C++ Programming Guide, formatted output)."""

_AXES = "xyz"

_QUERIES: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        "get_local_id": ("tid", 0),
        "get_group_id": ("ctaid", 0),
        "get_local_size": ("ntid", 1),
        "get_num_groups": ("nctaid", 1),
    }
)
"""The special register of a query, and its value past the third dimension."""

_LANE_QUERIES: Mapping[str, str] = MappingProxyType(
    {
        "get_sub_group_local_id": "  %r = call i32 @llvm.nvvm.read.ptx.sreg.laneid()\n",
        "get_sub_group_id": "  %r = call i32 @llvm.nvvm.read.ptx.sreg.warpid()\n",
        "get_num_sub_groups": "  %r = call i32 @llvm.nvvm.read.ptx.sreg.nwarpid()\n",
        "get_sub_group_size": "  %r = call i32 @llvm.nvvm.read.ptx.sreg.warpsize()\n",
        "get_max_sub_group_size": "  %r = call i32 @llvm.nvvm.read.ptx.sreg.warpsize()\n",
    }
)

_APPROXIMATIONS: Mapping[str, str] = MappingProxyType(
    {
        "sin": "sin.approx.f32 $0, $1;",
        "cos": "cos.approx.f32 $0, $1;",
        "exp2": "ex2.approx.f32 $0, $1;",
        "log2": "lg2.approx.f32 $0, $1;",
        "rsqrt": "rsqrt.approx.f32 $0, $1;",
        "sqrt": "sqrt.approx.f32 $0, $1;",
        "recip": "rcp.approx.f32 $0, $1;",
        "divide": "div.approx.f32 $0, $1, $2;",
        "exp": "{.reg .f32 t; mul.f32 t, $1, 0f3FB8AA3B; ex2.approx.f32 $0, t;}",
        "exp10": "{.reg .f32 t; mul.f32 t, $1, 0f40549A78; ex2.approx.f32 $0, t;}",
        "log": "{.reg .f32 t; lg2.approx.f32 t, $1; mul.f32 $0, t, 0f3F317218;}",
        "log10": "{.reg .f32 t; lg2.approx.f32 t, $1; mul.f32 $0, t, 0f3E9A209B;}",
        "tan": "{.reg .f32 s, c; sin.approx.f32 s, $1; cos.approx.f32 c, $1; "
        "div.approx.f32 $0, s, c;}",
        "powr": "{.reg .f32 t; lg2.approx.f32 t, $1; mul.f32 t, t, $2; ex2.approx.f32 $0, t;}",
        "pow": "{.reg .f32 t; lg2.approx.f32 t, $1; mul.f32 t, t, $2; ex2.approx.f32 $0, t;}",
        "sinpi": "{.reg .f32 t; mul.f32 t, $1, 0f40490FDB; sin.approx.f32 $0, t;}",
        "cospi": "{.reg .f32 t; mul.f32 t, $1, 0f40490FDB; cos.approx.f32 $0, t;}",
        "hypot": "{.reg .f32 t; mul.f32 t, $1, $1; fma.rn.f32 t, $2, $2, t; "
        "sqrt.approx.f32 $0, t;}",
    }
)
"""PTX of the special function unit (PTX ISA, floating-point instructions); constants are log2 e,
log2 10, ln 2, log10 2 and pi. Those that stand for ``native_`` and ``half_`` functions take
denormal numbers for zero, which saves scaling them (OpenCL 1.2, section 6.12.2: they may; nvcc does
with the -use_fast_math that gives CUDA's functions these names).
"""

_LIBDEVICE: Mapping[str, str] = MappingProxyType({"pown": "powi"})
"""libdevice's names where they are not ours; ``atanpi`` and its like have no counterpart."""

_ROUTINES = (
    "acos acosh asin asinh atan atan2 atanh cbrt cos cosh cospi erf erfc exp exp10 exp2 expm1 "
    "fmod hypot lgamma log log10 log1p log2 pow powr pown remainder rsqrt sin sinh sinpi tan "
    "tanh tgamma "
)
"""Primitives that libdevice has, with ``__nv_`` before the name and ``f`` after for float."""

_TEXTURE = "tex.2d.v4.{kind}.{coordinate} {{$0, $1, $2, $3}}, [$4, {{$5, $6}}];"


@dataclass(frozen=True, slots=True)
class Bodies:
    """``definitions`` of all primitives that could be given one; ``missing`` are the others."""

    definitions: str
    missing: tuple[str, ...]


def define_primitives(text: str, *, libdevice: bool) -> Bodies:
    """Bodies of the primitives that a module declares; its address spaces are NVPTX's already."""
    parts, missing = list[str](), list[str]()
    for match in DECLARATION.finditer(text):
        symbol = match["symbol"]
        if _is_known(symbol):
            continue
        body = _body(symbol, match["result"], _types(match["parameters"]), libdevice)
        if body is None:
            builtin = overload_of_symbol(symbol)
            missing.append(builtin.name if builtin else symbol)
        else:
            types = ", ".join(f"{t} %a{i}" for i, t in enumerate(_types(match["parameters"])))
            head = f"define internal {match['result']} @{symbol}({types}) alwaysinline"
            parts.append(f"{head} {{\n{body}}}\n")
    declared = sorted(set(_calls(parts)))
    return Bodies("\n".join([*parts, *declared, ""]), tuple(missing))


def strip_declarations(text: str) -> str:
    """The module without the declarations of primitives, which get definitions."""
    return DECLARATION.sub(lambda m: m[0] if _is_known(m["symbol"]) else "", text)


def _is_known(symbol: str) -> bool:
    """Whether it needs no body: LLVM's, and the system's function that prints."""
    return symbol.startswith("llvm.") or symbol == PRINTING


def _types(parameters: str) -> list[str]:
    """The plain types of a declaration's parameters, attributes dropped."""
    return re.findall(
        r"<\d+ x \w+>|ptr(?: addrspace\(\d\))?|\b(?:i\d+|float|double|half)\b", parameters
    )


def _body(symbol: str, result: str, types: list[str], libdevice: bool) -> str | None:
    if symbol == SAMPLER_INITIALISER:
        return (
            f"  %p = zext i32 %a0 to i64\n  %q = inttoptr i64 %p to {result}\n  ret {result} %q\n"
        )
    product = matrix_product(symbol)
    if product is not None and not product.of_group:
        return _product(product, result, types)
    builtin = overload_of_symbol(symbol)
    if builtin is None:
        return None
    name = builtin.name
    query = _query_body(name)
    if query is not None:
        return query
    if name.startswith("work_group_"):
        return _vote(name)
    if name.startswith("sub_group_"):
        return _lanes(name, result)
    if "image" in name:
        return _image(name, result, types)
    return _math(name, result, types, libdevice)


_CONSTRAINTS = {"i32": "r", "float": "f", "double": "d"}


def _product(product: MatrixProduct, result: str, types: list[str]) -> str:
    """``mma``, on registers that are lanes of vectors."""
    parts, lines, inputs, lists = [result, *types], list[str](), list[str](), list[str]()
    place, constraints = 0, list[str]()
    for number, kind in enumerate(parts):
        count, element = kind.strip("<>").split(" x ")
        names = [f"${place + i}" for i in range(int(count))]
        lists.append(f"{{{', '.join(names)}}}")
        letter = _CONSTRAINTS[element]
        constraints += [letter if number else f"={letter}"] * int(count)
        place += int(count)
        for i in range(int(count) if number else 0):
            name = f"%r{number}.{i}"
            lines.append(f"  {name} = extractelement {kind} %a{number - 1}, i32 {i}")
            inputs.append(f"{element} {name}")
    count, element = result.strip("<>").split(" x ")
    clamped = ".satfinite" * ("satfinite" in product.options)
    bits = "".join(f".{o}.popc" for o in product.options if o in ("xor", "and"))
    types_of = f"{product.d}.{product.a}.{product.b}.{product.c}"
    shape = f"m{product.m}n{product.n}k{product.k}"
    ptx = f"mma.sync.aligned.{shape}.row.col{clamped}.{types_of}{bits} {', '.join(lists)};"
    many = "{ " + ", ".join([element] * int(count)) + " }" if int(count) > 1 else element
    lines.append(
        f'  %t = call {many} asm sideeffect "{ptx}", "{",".join(constraints)}"'
        f"({', '.join(inputs)}) convergent"
    )
    before = "poison"
    for i in range(int(count)):
        value = "%t"
        if int(count) > 1:
            value = f"%e{i}"
            lines.append(f"  {value} = extractvalue {many} %t, {i}")
        lines.append(f"  %v{i} = insertelement {result} {before}, {element} {value}, i32 {i}")
        before = f"%v{i}"
    return "\n".join([*lines, f"  ret {result} {before}"]) + "\n"


def _query_body(name: str) -> str | None:
    """Queries, and barriers of the work-group and of the warp."""
    if name in _QUERIES:
        return _query(*_QUERIES[name])
    if name in _LANE_QUERIES:
        return f"{_LANE_QUERIES[name]}  ret i32 %r\n"
    match name:
        case "get_global_id":
            return _global_id()
        case "get_global_size":
            return _global_size()
        case "get_global_offset":
            return "  ret i64 0\n"
        case "get_work_dim":
            return "  ret i32 3\n"
        case "barrier":
            return "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n  ret void\n"
        case "sub_group_barrier":
            return '  call void asm sideeffect "bar.warp.sync -1;", ""()\n  ret void\n'
        case _:
            return None


def _query(register: str, otherwise: int) -> str:
    lines = [
        "  switch i32 %a0, label %other [ i32 0, label %l0 i32 1, label %l1 i32 2, label %l2 ]"
    ]
    for number, axis in enumerate(_AXES):
        lines += [
            f"l{number}:",
            f"  %r{number} = call i32 @llvm.nvvm.read.ptx.sreg.{register}.{axis}()",
            f"  %w{number} = zext i32 %r{number} to i64",
            f"  ret i64 %w{number}",
        ]
    return "\n".join([*lines, "other:", f"  ret i64 {otherwise}"]) + "\n"


def _global_id() -> str:
    lines = [
        "  switch i32 %a0, label %other [ i32 0, label %l0 i32 1, label %l1 i32 2, label %l2 ]"
    ]
    for number, axis in enumerate(_AXES):
        lines += [
            f"l{number}:",
            f"  %b{number} = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.{axis}()",
            f"  %n{number} = call i32 @llvm.nvvm.read.ptx.sreg.ntid.{axis}()",
            f"  %t{number} = call i32 @llvm.nvvm.read.ptx.sreg.tid.{axis}()",
            f"  %m{number} = mul nuw i32 %b{number}, %n{number}",
            f"  %s{number} = add nuw i32 %m{number}, %t{number}",
            f"  %w{number} = zext i32 %s{number} to i64",
            f"  ret i64 %w{number}",
        ]
    return "\n".join([*lines, "other:", "  ret i64 0"]) + "\n"


def _global_size() -> str:
    lines = [
        "  switch i32 %a0, label %other [ i32 0, label %l0 i32 1, label %l1 i32 2, label %l2 ]"
    ]
    for number, axis in enumerate(_AXES):
        lines += [
            f"l{number}:",
            f"  %b{number} = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.{axis}()",
            f"  %n{number} = call i32 @llvm.nvvm.read.ptx.sreg.ntid.{axis}()",
            f"  %m{number} = mul nuw i32 %b{number}, %n{number}",
            f"  %w{number} = zext i32 %m{number} to i64",
            f"  ret i64 %w{number}",
        ]
    return "\n".join([*lines, "other:", "  ret i64 1"]) + "\n"


def _vote(name: str) -> str | None:
    if name == "work_group_reduce_add":  # of what CUDA's votes give: 0 or 1
        ptx = "{.reg .pred p; setp.ne.s32 p, $1, 0; barrier.red.popc.u32 $0, 0, p;}"
        return f'  %r = call i32 asm sideeffect "{ptx}", "=r,r"(i32 %a0) convergent\n  ret i32 %r\n'
    operation = "and" if name == "work_group_all" else "or"
    ptx = (
        "{.reg .pred p, q; setp.ne.s32 p, $1, 0; "
        f"barrier.red.{operation}.pred q, 0, p; selp.s32 $0, 1, 0, q;}}"
    )
    return f'  %r = call i32 asm sideeffect "{ptx}", "=r,r"(i32 %a0) convergent\n  ret i32 %r\n'


_SHUFFLES: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        "sub_group_shuffle": ("idx", 31),
        "sub_group_shuffle_xor": ("bfly", 31),
        "sub_group_shuffle_up": ("up", 0),
        "sub_group_shuffle_down": ("down", 31),
    }
)
"""The mode of ``shfl.sync`` and its clamp (PTX ISA, data movement)."""


def _lanes(name: str, result: str) -> str | None:
    if name in _SHUFFLES:
        return _shuffle(result, *_SHUFFLES[name])
    if name == "sub_group_ballot" and result == "<4 x i32>":
        ptx = "{.reg .pred p; setp.ne.s32 p, $1, 0; vote.sync.ballot.b32 $0, p, -1;}"
        return (
            f'  %b = call i32 asm sideeffect "{ptx}", "=r,r"(i32 %a0) convergent\n'
            "  %r = insertelement <4 x i32> zeroinitializer, i32 %b, i32 0\n  ret <4 x i32> %r\n"
        )
    if name in ("sub_group_all", "sub_group_any") and result == "i32":
        mode = name.removeprefix("sub_group_")
        ptx = (
            "{.reg .pred p, q; setp.ne.s32 p, $1, 0; "
            f"vote.sync.{mode}.pred q, p, -1; selp.s32 $0, 1, 0, q;}}"
        )
        return f'  %r = call i32 asm sideeffect "{ptx}", "=r,r"(i32 %a0) convergent\n  ret i32 %r\n'
    return None


_BITS: Mapping[str, int] = MappingProxyType(
    {"i8": 8, "i16": 16, "half": 16, "i32": 32, "float": 32, "i64": 64, "double": 64}
)


def _shuffle(result: str, mode: str, clamp: int) -> str | None:
    """A value from another lane, 32 bits at a time."""
    bits = _BITS.get(result)
    if bits is None:
        return None
    ptx = f"shfl.sync.{mode}.b32 $0, $1, $2, {clamp}, -1;"

    def moved(into: str, value: str) -> str:
        call = f'call i32 asm sideeffect "{ptx}", "=r,r,r"(i32 {value}, i32 %a1) convergent'
        return f"  {into} = {call}"

    lines = [f"  %v = bitcast {result} %a0 to i{bits}"]
    if bits == 64:
        lines += [
            "  %l = trunc i64 %v to i32", "  %u = lshr i64 %v, 32", "  %h = trunc i64 %u to i32",
            moved("%sl", "%l"), moved("%sh", "%h"), "  %zl = zext i32 %sl to i64",
            "  %zh = zext i32 %sh to i64", "  %up = shl i64 %zh, 32", "  %s = or i64 %up, %zl",
        ]  # fmt: skip
    elif bits == 32:
        lines.append(moved("%s", "%v"))
    else:
        lines += [
            f"  %w = zext i{bits} %v to i32", moved("%sw", "%w"),
            f"  %s = trunc i32 %sw to i{bits}",
        ]  # fmt: skip
    lines += [f"  %r = bitcast i{bits} %s to {result}", f"  ret {result} %r"]
    return "\n".join(lines) + "\n"


def _image(name: str, result: str, types: list[str]) -> str | None:
    pointer = types[0]
    head = f"  %h = ptrtoint {pointer} %a0 to i64\n"
    coordinate = types[-1] if name.startswith("read") else ""
    if name.startswith("read_image") and coordinate in ("<2 x float>", "<2 x i32>"):
        return head + _texture_fetch(name, result, coordinate)
    if name == "write_imagef" and types[1:] == ["<2 x i32>", "<4 x float>"]:
        return head + _surface_store()
    if name in ("get_image_width", "get_image_height"):
        ptx = f"txq.{name.removeprefix('get_image_')}.b32 $0, [$1];"
        return f'{head}  %r = call i32 asm "{ptx}", "=r,l"(i64 %h)\n  ret i32 %r\n'
    return None


def _texture_fetch(name: str, result: str, coordinate: str) -> str:
    scalar, kind, register = ("float", "f32", "f") if "float" in coordinate else ("i32", "s32", "r")
    element, of_element = ("float", "f") if "float" in result else ("i32", "r")
    fetched = "f32" if element == "float" else "u32" if "imageui" in name else "s32"
    ptx = _TEXTURE.format(kind=fetched, coordinate=kind)
    constraints = ",".join([*[f"={of_element}"] * 4, "l", register, register])
    fetch = f'asm "{ptx}", "{constraints}"(i64 %h, {scalar} %x, {scalar} %y)'
    four = "{ " + ", ".join([element] * 4) + " }"
    lines = [
        f"  %x = extractelement {coordinate} %a2, i32 0",
        f"  %y = extractelement {coordinate} %a2, i32 1",
        f"  %t = call {four} {fetch}",
    ]
    before = "poison"
    for number in range(4):
        into = f"insertelement <4 x {element}> {before}, {element} %e{number}, i32 {number}"
        lines += [f"  %e{number} = extractvalue {four} %t, {number}", f"  %v{number} = {into}"]
        before = f"%v{number}"
    return "\n".join([*lines, f"  ret <4 x {element}> %v3"]) + "\n"


def _surface_store() -> str:
    ptx = "sust.b.2d.v4.b32.trap [$0, {$1, $2}], {$3, $4, $5, $6};"
    lines = [f"  %{axis} = extractelement <2 x i32> %a1, i32 {i}" for i, axis in enumerate("xy")]
    lines += [f"  %c{i} = extractelement <4 x float> %a2, i32 {i}" for i in range(4)]
    values = ", ".join(f"float %c{i}" for i in range(4))
    lines += [
        f'  call void asm sideeffect "{ptx}", "l,r,r,f,f,f,f"(i64 %h, i32 %x, i32 %y, {values})',
        "  ret void",
    ]
    return "\n".join(lines) + "\n"


def _math(name: str, result: str, types: list[str], libdevice: bool) -> str | None:
    plain = name.removeprefix("native_").removeprefix("half_")
    if result == "float" and plain in _APPROXIMATIONS and (plain != name or not libdevice):
        ptx = _APPROXIMATIONS[plain]
        return _assembly(ptx if plain == name else ptx.replace(".approx.", ".approx.ftz."), types)
    if plain in _ROUTINES.split() and result in ("float", "double") and libdevice:
        suffix = "f" if result == "float" else ""
        symbol = f"__nv_{_LIBDEVICE.get(plain, 'pow' if plain == 'powr' else plain)}{suffix}"
        values = ", ".join(f"{t} %a{i}" for i, t in enumerate(types))
        return f"  %r = call {result} @{symbol}({values})\n  ret {result} %r\n"
    return None


def _assembly(ptx: str, types: list[str]) -> str:
    constraints = ",".join(["=f", *("f" for _ in types)])
    values = ", ".join(f"{t} %a{i}" for i, t in enumerate(types))
    call = f'call float asm "{ptx}", "{constraints}"({values}) {_PURE}'
    return f"  %r = {call}\n  ret float %r\n"


_PURE = "nounwind willreturn memory(none)"
"""Of inline PTX that only computes: else LLVM joins no accesses across it."""

_CALLED = re.compile(r"call (?P<result>[\w ]+?) @(?P<symbol>[\w.]+)\((?P<values>[^)]*)\)")


def _calls(parts: Iterable[str]) -> Iterable[str]:
    """Declarations of what the bodies call."""
    for part in parts:
        for match in _CALLED.finditer(part):
            types = ", ".join(value.split()[0] for value in match["values"].split(", ") if value)
            yield f"declare {match['result']} @{match['symbol']}({types})"
