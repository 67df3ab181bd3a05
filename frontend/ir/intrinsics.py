"""LLVM's intrinsics in kernels: which kcc can run. Others are refused when a kernel is to be run.

The names are those of LLVM 22's Intrinsics.td, without ``llvm.`` and without the types that
overloaded ones end in; what each computes is in its Language Reference.
"""

from __future__ import annotations

from functools import cache

IGNORED = (
    "llvm.lifetime.", "llvm.assume", "llvm.experimental.noalias", "llvm.dbg.", "llvm.donothing",
    "llvm.prefetch", "llvm.sideeffect",
)  # fmt: skip
"""How the names of those without an effect on values begin."""

ELEMENTWISE = frozenset({
    "abs", "bitreverse", "bswap", "canonicalize", "ceil", "copysign", "ctlz", "ctpop", "cttz",
    "fabs", "floor", "fma", "fptosi.sat", "fptoui.sat", "fshl", "fshr", "maximum", "maximumnum",
    "maxnum", "minimum", "minimumnum", "minnum", "nearbyint", "rint", "round", "roundeven",
    "sadd.sat", "scmp", "smax", "smin", "sqrt", "sshl.sat", "ssub.sat", "trunc", "uadd.sat",
    "ucmp", "umax", "umin", "usub.sat", "ushl.sat", "fmuladd", "ldexp", "is.fpclass",
})  # fmt: skip
"""Computed part by part, by the same intrinsic on vectors."""

OVERFLOWING = frozenset(
    f"{kind}.with.overflow" for kind in ("sadd", "uadd", "ssub", "usub", "smul", "umul")
)

REDUCTIONS = {
    "add": "", "mul": "", "and": "", "or": "", "xor": "", "fadd": "", "fmul": "",
    "smax": "smax", "smin": "smin", "umax": "umax", "umin": "umin",
    "fmax": "maxnum", "fmin": "minnum", "fmaximum": "maximum", "fminimum": "minimum",
}  # fmt: skip
"""``vector.reduce.X`` with the intrinsic that combines two parts; empty where an instruction of
that name does."""

REARRANGING = frozenset({"vector.reverse", "vector.insert", "vector.extract"})

UNCHANGED = frozenset({"expect", "expect.with.probability", "ssa.copy", "arithmetic.fence"})
"""Give their first operand."""

BLOCK_MOVES = frozenset({"memcpy", "memmove", "memset", "memcpy.inline", "memset.inline"})
"""Made into loads and stores before a kernel runs."""

KNOWN = (
    ELEMENTWISE
    | OVERFLOWING
    | REARRANGING
    | UNCHANGED
    | BLOCK_MOVES
    | {f"vector.reduce.{kind}" for kind in REDUCTIONS}
    | {"ptrmask"}
)


@cache
def intrinsic_base(callee: str) -> str:
    """The name without ``llvm.`` and the types at its end."""
    words = callee.removeprefix("llvm.").split(".")
    while len(words) > 1 and _is_type_word(words[-1]):
        words.pop()
    return ".".join(words)


def is_runnable(callee: str) -> bool:
    """Whether kcc can run calls of an intrinsic."""
    return callee.startswith(IGNORED) or intrinsic_base(callee) in KNOWN


def _is_type_word(word: str) -> bool:
    core = word.lstrip("nxv0123456789")
    return word[0] in "ipfv" and (core == "" or core[0] in "ifp") and any(c.isdigit() for c in word)
