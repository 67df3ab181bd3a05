"""From LLVM IR for NVPTX to the dialect: kernels, address spaces, ids, barriers, intrinsics.

Address spaces of NVPTX (LLVM's NVPTX usage guide): 0 generic, 1 global, 3 shared, 4 constant,
5 local. Stack objects are in 0 as well, and become private ones with a cast.
"""

from __future__ import annotations

import re

_SPACES = {"1": 1, "3": 3, "4": 2, "5": 0}
_GENERIC = "ptr addrspace(4)"

_SREGS = {
    "tid": "get_local_id", "ctaid": "get_group_id", "ntid": "get_local_size",
    "nctaid": "get_num_groups",
}  # fmt: skip

_REGISTER = re.compile(
    r"^  (%[\w.$]+) = (?:tail )?call [^@\n]*@llvm\.nvvm\.read\.ptx\.sreg\.(n?c?t(?:aid|id))\."
    r"([xyz])\(\)[^,\n]*(.*)$",
    re.MULTILINE,
)
_BARRIER = re.compile(
    r"call void @llvm\.nvvm\.(?:barrier0|barrier\.cta\.sync\.aligned\.all|bar\.sync)\([^)]*\)"
)
_WARP_BARRIER = re.compile(r"call void @llvm\.nvvm\.bar\.warp\.sync\([^)]*\)")
_WARP_SYNC = "_Z17sub_group_barrierj"
_FENCE = re.compile(r"call void @llvm\.nvvm\.membar\.(?:cta|gl|sys)\(\)")
_LANE = re.compile(r"call [^@\n]*@llvm\.nvvm\.read\.ptx\.sreg\.laneid\(\)")
_SIZE = re.compile(r"call [^@\n]*@llvm\.nvvm\.read\.ptx\.sreg\.warpsize\(\)")
_KERNEL = re.compile(
    r"^define ([^@\n]*?)(?:ptx_kernel )?void @([\w.$]+)\(([^\n]*)\)([^\n]*)\{\n"
    r"((?:[\w.$-]+:[^\n]*\n)?)",
    re.MULTILINE,
)
_ALLOCA = re.compile(r"^  (%[\w.$]+) = (alloca [^\n]*)$", re.MULTILINE)

_FLAGS = "(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc)"

_MATH = {
    "fma.rn.f": "fma", "fma.rn.d": "fma", "sqrt.rn.f": "sqrt", "sqrt.f": "sqrt",
    "sqrt.rn.d": "sqrt", "fmax.f": "fmax", "fmin.f": "fmin", "fmax.d": "fmax", "fmin.d": "fmin",
    "rsqrt.approx.f": "native_rsqrt", "rsqrt.approx.d": "rsqrt", "sin.approx.f": "native_sin",
    "cos.approx.f": "native_cos", "ex2.approx.f": "native_exp2", "lg2.approx.f": "native_log2",
    "rcp.rn.f": "native_recip", "rcp.approx.ftz.d": "recip", "div.approx.f": "native_divide",
    "fabs.f": "fabs", "fabs.d": "fabs", "mul24.i": "mul24", "mul24.ui": "mul24",
    "mulhi.i": "mul_hi", "mulhi.ui": "mul_hi",
}  # fmt: skip
"""Intrinsics without ``llvm.nvvm.`` that are built-in functions of the dialect."""


def is_nvptx(text: str) -> bool:
    """Whether a module is for NVIDIA's GPUs."""
    return re.search(r'^target triple = "nvptx', text, re.MULTILINE) is not None


def from_nvptx(text: str) -> str:
    """The module in the dialect, pointers generic where nothing says their space."""
    annotated = set(re.findall(r'!\{ptr @([\w.$]+), !"kernel", i32 1\}', text))
    text = re.sub(r"^!nvvm\.annotations = .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^@llvm\.(?:compiler\.)?used = .*\n", "", text, flags=re.MULTILINE)
    text = _with_spaces(text)
    text = _ALLOCA.sub(_stack_object, text)
    text = _KERNEL.sub(lambda m: _kernel(m, annotated), text)
    return _with_builtins(text)


def _with_spaces(text: str) -> str:
    """The numbers of the dialect: NVPTX's 0 is generic."""

    def number(match: re.Match[str]) -> str:
        space = _SPACES.get(match[1], 1)
        return "" if space == 0 else f" addrspace({space})"

    text = re.sub(r"(?<![\w.])ptr(?! addrspace\()(?![\w.])", "ptr addrspace(99)", text)
    text = re.sub(r" addrspace\((?!99\))(\d+)\)", number, text)
    return text.replace("addrspace(99)", "addrspace(4)").replace("p0.p0.i64", "p4.p4.i64")


def _stack_object(match: re.Match[str]) -> str:
    tail = re.search(r", !dbg !\d+", match[2])
    return (
        f"  {match[1]}.stack = {match[2]}\n"
        f"  {match[1]} = addrspacecast ptr {match[1]}.stack to {_GENERIC}{tail[0] if tail else ''}"
    )


def _kernel(match: re.Match[str], annotated: set[str]) -> str:
    if "ptx_kernel" not in match[0] and match[2] not in annotated:
        return match[0]
    casts = list[str]()

    def coerce(parameter: re.Match[str]) -> str:
        name = parameter[2]
        casts.append(f"  {name} = addrspacecast ptr addrspace(1) {name}.coerce to {_GENERIC}")
        return f"ptr addrspace(1){parameter[1]} {name}.coerce"

    parameters = re.sub(
        r"ptr addrspace\(4\)((?: (?!byval)\w+(?:\([^)]*\))?(?: \d+)?)*) (%[\w.$]+)(?=,|$)",
        coerce, match[3],
    )  # fmt: skip
    head = f"define spir_kernel void @{match[2]}({parameters}){match[4]}{{\n{match[5]}"
    return head + "".join(f"{cast}\n" for cast in casts)


def _with_builtins(text: str) -> str:
    declared = dict[str, str]()

    def register(match: re.Match[str]) -> str:
        name = _SREGS[match[2]]
        symbol = f"_Z{len(name)}{name}j"
        declared[symbol] = f"declare spir_func i64 @{symbol}(i32) nounwind willreturn memory(none)"
        dimension = "xyz".index(match[3])
        place = re.search(r", !dbg !\d+", match[4])
        tail = place[0] if place else ""
        return (
            f"  {match[1]}.wide = call spir_func i64 @{symbol}(i32 {dimension}){tail}\n"
            f"  {match[1]} = trunc i64 {match[1]}.wide to i32{tail}"
        )

    text = _REGISTER.sub(register, text)
    for pattern, symbol, call in (
        (_BARRIER, "_Z7barrierj", "call spir_func void @_Z7barrierj(i32 3)"),
        (_WARP_BARRIER, _WARP_SYNC, f"call spir_func void @{_WARP_SYNC}(i32 3)"),
        (_FENCE, "_Z9mem_fencej", "call spir_func void @_Z9mem_fencej(i32 3)"),
        (_LANE, "_Z22get_sub_group_local_idv", "call spir_func i32 @_Z22get_sub_group_local_idv()"),
        (_SIZE, "_Z18get_sub_group_sizev", "call spir_func i32 @_Z18get_sub_group_sizev()"),
    ):  # fmt: skip
        text, count = pattern.subn(call, text)
        if count:
            kind = call.split("@")[0].removeprefix("call spir_func ").strip()
            takes = "i32" if call.endswith("(i32 3)") else ""
            declared[symbol] = f"declare spir_func {kind} @{symbol}({takes}) convergent nounwind"
    text = re.sub(
        r"^declare [^\n]*@llvm\.nvvm\.[^\n]*\n", _kept_declaration, text, flags=re.MULTILINE
    )
    return _with_math(text, declared) + "\n".join([*declared.values(), ""])


def _kept_declaration(match: re.Match[str]) -> str:
    replaced = re.search(r"\.sreg\.|barrier|bar\.|membar", match[0])
    return "" if replaced else match[0]


def _with_math(text: str, declared: dict[str, str]) -> str:
    for name, builtin in _MATH.items():
        intrinsic = f"@llvm.nvvm.{name}("
        if intrinsic not in text:
            continue
        declaration = re.search(
            rf"^declare (\S+) {re.escape(intrinsic)}([^\n]*?)\)[^\n]*\n", text, re.MULTILINE
        )
        if declaration is None:
            continue
        kinds = [p.split()[0] for p in declaration[2].split(",")]
        codes = {"float": "f", "double": "d", "i32": "j" if name.endswith("ui") else "i"}
        symbol = f"_Z{len(builtin)}{builtin}" + "".join(codes[k] for k in kinds)
        text = text.replace(declaration[0], "")
        text = re.sub(
            rf"call ((?:{_FLAGS} )*)([^@\n]*){re.escape(intrinsic)}",
            rf"call \1spir_func \2@{symbol}(",
            text,
        )
        declared[symbol] = (
            f"declare spir_func {declaration[1]} @{symbol}({', '.join(kinds)}) "
            "nounwind willreturn memory(none)"
        )
    return text
