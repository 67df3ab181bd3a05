"""Families of instructions against NumPy and Python's integers, a kernel for each family."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.frontend.ptx.running import evaluate

Array = NDArray[Any]
RNG = np.random.default_rng(3)
WORDS = np.concatenate([
    RNG.integers(0, 1 << 32, 24, dtype=np.uint64).astype(np.uint32),
    np.array([0, 1, 31, 32, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678], np.uint32),
])  # fmt: skip
OTHERS = RNG.permutation(WORDS)
THIRD = RNG.permutation(WORDS)
SHORT = RNG.integers(0, 70, 32).astype(np.uint32)
M32 = (1 << 32) - 1

BOTH_SIDES = """setp.lt.s32 %q1, %b, %c; setp.gt.and.s32 %q0|%q2, %a, %b, %q1;
selp.b32 %t0, 1, 0, %q0; selp.b32 %d, 2, %t0, %q2;"""
A_THIRD = """cvt.f64.f32 %f0, %a; mul.f64 %f0, %f0, 0d3FD5555555555555;
cvt.rn.f32.f64 %d, %f0;"""
LOW_HALF = "cvt.rn.f16x2.f32 %t0, %a, %b; mov.b32 {%h0, %h1}, %t0; cvt.f32.f16 %d, %h0;"
DOUBLED = """cvt.rn.f16x2.f32 %t0, %b, %b; add.rn.f16x2 %t0, %t0, %t0;
mov.b32 {%h0, %h1}, %t0; cvt.f32.f16 %d, %h1;"""
ANY = "setp.eq.u32 %q0, %a, 31; vote.sync.any.pred %q1, %q0, -1; selp.u32 %d, 1, 0, %q1;"
ALL = "setp.ge.u32 %q0, %a, 0; vote.sync.all.pred %q1, %q0, -1; selp.u32 %d, 1, 0, %q1;"


def signed(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


class Values(NamedTuple):
    """A thread's inputs, as Python's integers."""

    a: int
    b: int
    c: int
    n: int


Rows = dict[str, tuple[str, Callable[[Values], int]]]
"""The instruction, and what it gives."""


def check(rows: Rows, result: type[Any] = np.uint32) -> None:
    inputs = [WORDS, OTHERS, THIRD, SHORT]
    bits = 8 * np.dtype(result).itemsize
    found = evaluate({name: row[0] for name, row in rows.items()}, inputs, result)
    for name, (_, rule) in rows.items():
        expected = [
            rule(Values(*(int(x[i]) for x in inputs))) & ((1 << bits) - 1)
            for i in range(len(inputs[0]))
        ]
        assert found[name].tolist() == expected, name


def test_integer_arithmetic() -> None:
    check(
        {
            "add": ("add.u32 %d, %a, %b;", lambda v: v.a + v.b),
            "sub": ("sub.s32 %d, %a, %b;", lambda v: v.a - v.b),
            "mul.lo": ("mul.lo.s32 %d, %a, %b;", lambda v: v.a * v.b),
            "mul.hi.u32": ("mul.hi.u32 %d, %a, %b;", lambda v: v.a * v.b >> 32),
            "mul.hi.s32": ("mul.hi.s32 %d, %a, %b;", lambda v: signed(v.a) * signed(v.b) >> 32),
            "mad.lo": ("mad.lo.u32 %d, %a, %b, %c;", lambda v: v.a * v.b + v.c),
            "mad.hi": ("mad.hi.u32 %d, %a, %b, %c;", lambda v: (v.a * v.b >> 32) + v.c),
            "mul24": ("mul24.lo.u32 %d, %a, %b;", lambda v: (v.a & 0xFFFFFF) * (v.b & 0xFFFFFF)),
            "sad": ("sad.s32 %d, %a, %b, %c;", lambda v: abs(signed(v.a) - signed(v.b)) + v.c),
            "min.s32": ("min.s32 %d, %a, %b;", lambda v: min(signed(v.a), signed(v.b))),
            "max.u32": ("max.u32 %d, %a, %b;", lambda v: max(v.a, v.b)),
            "abs": ("abs.s32 %d, %a;", lambda v: abs(signed(v.a))),
            "neg": ("neg.s32 %d, %a;", lambda v: -v.a),
            "sat": (
                "add.sat.s32 %d, %a, %b;",
                lambda v: max(-(1 << 31), min((1 << 31) - 1, signed(v.a) + signed(v.b))),
            ),
            "carry": (
                "add.cc.u32 %t0, %a, %b; addc.u32 %d, %c, 0;",
                lambda v: v.c + (v.a + v.b > M32),
            ),
            "borrow": ("sub.cc.u32 %t0, %a, %b; subc.u32 %d, %c, 0;", lambda v: v.c - (v.a < v.b)),
            "div.u32": ("or.b32 %t0, %b, 1; div.u32 %d, %a, %t0;", lambda v: v.a // (v.b | 1)),
            "rem.s32": (
                "or.b32 %t0, %b, 1; rem.s32 %d, %a, %t0;",
                lambda v: int(math.fmod(signed(v.a), signed(v.b | 1))),
            ),
            "wide": (
                "mul.wide.s32 %w0, %a, %b; mov.b64 {%t0, %d}, %w0;",
                lambda v: signed(v.a) * signed(v.b) >> 32,
            ),
        },
    )


def bfe(a: int, start: int, count: int, *, is_signed: bool) -> int:
    """PTX ISA, bfe: its own loop."""
    start, count = start & 255, count & 255
    sign = 0 if not is_signed or count == 0 else a >> min(start + count - 1, 31) & 1
    return sum(
        (a >> start + i & 1 if i < count and start + i <= 31 else sign) << i for i in range(32)
    )


def bfi(a: int, b: int, start: int, count: int) -> int:
    for i in range(min(count & 255, max(0, 32 - (start & 255)))):
        place = (start & 255) + i
        b = b & ~(1 << place) | (a >> i & 1) << place
    return b


def prmt(a: int, b: int, selector: int) -> int:
    whole, found = b << 32 | a, 0
    for byte in range(4):
        which = selector >> 4 * byte & 15
        value = whole >> 8 * (which & 7) & 255
        found |= (255 * (value >> 7) if which & 8 else value) << 8 * byte
    return found


def dp4a(a: int, b: int, c: int, kinds: str) -> int:
    for i in range(4):
        x, y = a >> 8 * i & 255, b >> 8 * i & 255
        x, y = (signed(v, 8) if k == "s" else v for v, k in zip((x, y), kinds, strict=True))
        c += x * y
    return c


def lop3(a: int, b: int, c: int, table: int) -> int:
    return sum(
        (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1) << i for i in range(32)
    )


def test_bits() -> None:
    tables = {
        f"lop3 {t:02x}": t for t in (0x00, 0x3C, 0x96, 0xE8, 0xCA, 0x1B, 0x80, 0xFE, 0x6A, 0xF0)
    }
    rows: Rows = {
        name: (f"lop3.b32 %d, %a, %b, %c, {t};", lambda v, t=t: lop3(v.a, v.b, v.c, t))
        for name, t in tables.items()
    }
    rows |= {
        "shl": ("shl.b32 %d, %a, %e;", lambda v: v.a << v.n),
        "shr.u32": ("shr.u32 %d, %a, %e;", lambda v: v.a >> v.n),
        "shr.s32": ("shr.s32 %d, %a, %e;", lambda v: signed(v.a) >> v.n),
        "shf.l.wrap": (
            "shf.l.wrap.b32 %d, %a, %b, %e;",
            lambda v: (v.b << 32 | v.a) << (v.n & 31) >> 32,
        ),
        "shf.r.clamp": (
            "shf.r.clamp.b32 %d, %a, %b, %e;",
            lambda v: (v.b << 32 | v.a) >> min(v.n, 32),
        ),
        "popc": ("popc.b32 %d, %a;", lambda v: v.a.bit_count()),
        "clz": ("clz.b32 %d, %a;", lambda v: 32 - v.a.bit_length()),
        "brev": ("brev.b32 %d, %a;", lambda v: int(f"{v.a:032b}"[::-1], 2)),
        "bfind": ("bfind.u32 %d, %a;", lambda v: v.a.bit_length() - 1),
        "bfind.s32": (
            "bfind.s32 %d, %a;",
            lambda v: (v.a if signed(v.a) >= 0 else v.a ^ M32).bit_length() - 1,
        ),
        "bfe.u32": ("bfe.u32 %d, %a, %e, %b;", lambda v: bfe(v.a, v.n, v.b, is_signed=False)),
        "bfe.s32": ("bfe.s32 %d, %a, %e, %e;", lambda v: bfe(v.a, v.n, v.n, is_signed=True)),
        "bfe fixed": ("bfe.s32 %d, %a, 5, 9;", lambda v: bfe(v.a, 5, 9, is_signed=True)),
        "bfi": ("bfi.b32 %d, %a, %b, %e, 7;", lambda v: bfi(v.a, v.b, v.n, 7)),
        "prmt": ("prmt.b32 %d, %a, %b, %c;", lambda v: prmt(v.a, v.b, v.c)),
        "prmt fixed": ("prmt.b32 %d, %a, %b, 0x7A30;", lambda v: prmt(v.a, v.b, 0x7A30)),
        "dp4a": ("dp4a.s32.u32 %d, %a, %b, %c;", lambda v: dp4a(v.a, v.b, v.c, "su")),
        "bmsk": ("bmsk.clamp.b32 %d, 3, %e;", lambda v: ((1 << min(v.n, 64)) - 1) << 3),
        "szext": ("szext.clamp.s32 %d, %a, 11;", lambda v: signed(v.a, 11)),
        "cnot": ("cnot.b32 %d, %e;", lambda v: int(v.n == 0)),
        "selp": (
            "setp.lo.u32 %q0, %a, %b; selp.b32 %d, %b, %c, %q0;",
            lambda v: v.b if v.a < v.b else v.c,
        ),
        "setp.and": (
            BOTH_SIDES,
            lambda v: (
                2
                if not signed(v.a) > signed(v.b) and signed(v.b) < signed(v.c)
                else int(signed(v.a) > signed(v.b) and signed(v.b) < signed(v.c))
            ),
        ),
        "slct": ("slct.u32.s32 %d, %a, %b, %c;", lambda v: v.a if signed(v.c) >= 0 else v.b),
        "predicated": (
            "mov.b32 %d, %c; setp.eq.u32 %q0, %e, 0; @!%q0 add.u32 %d, %d, %e;",
            lambda v: v.c + v.n,
        ),
    }
    check({name: (row[0].replace("%e", "%n"), row[1]) for name, row in rows.items()})


FLOATS = RNG.standard_normal(32).astype(np.float32) * 100
FLOATS[:6] = [0.0, -0.0, np.inf, -np.inf, 3e9, -3e9]
MORE = RNG.standard_normal(32).astype(np.float32)


def floats(rows: dict[str, tuple[str, Array]], inputs: list[Array], result: type[Any]) -> None:
    found = evaluate({name: row[0] for name, row in rows.items()}, inputs, result)
    for name, (_, expected) in rows.items():
        assert np.array_equal(found[name], expected.astype(result), equal_nan=True), name


def test_floats() -> None:
    a, b = FLOATS, MORE
    wide = a.astype(np.float64)
    with np.errstate(all="ignore"):
        floats(
            {
                "add": ("add.rn.f32 %d, %a, %b;", a + b),
                "mul": ("mul.f32 %d, %a, %b;", a * b),
                "fma": ("fma.rn.f32 %d, %a, %b, %b;", wide * b + b),
                "div": ("div.rn.f32 %d, %a, %b;", a / b),
                "sqrt": ("abs.f32 %t0, %a; sqrt.rn.f32 %d, %t0;", np.sqrt(np.abs(a))),
                "neg": ("neg.f32 %d, %a;", -a),
                "min": ("min.f32 %d, %a, %b;", np.fmin(a, b)),
                "max": ("max.f32 %d, %a, 0f3F800000;", np.fmax(a, 1)),
                "sat": ("add.sat.f32 %d, %a, %b;", np.clip(a + b, 0, 1)),
                "copysign": ("copysign.f32 %d, %b, %a;", np.copysign(a, b)),
                "setp": (
                    "setp.gtu.f32 %q0, %a, %b; selp.f32 %d, %a, %b, %q0;",
                    np.where(a > b, a, b),
                ),
                "set": ("set.lt.f32.f32 %d, %a, %b;", (a < b).astype(np.float32)),
                "rni": ("cvt.rni.f32.f32 %d, %a;", np.rint(a)),
                "rmi": ("cvt.rmi.f32.f32 %d, %a;", np.floor(a)),
                "rpi": ("cvt.rpi.f32.f32 %d, %a;", np.ceil(a)),
                "f64": (A_THIRD, wide * 0.3333333333333333),
                "f16": ("cvt.rn.f16.f32 %h0, %a; cvt.f32.f16 %d, %h0;", a.astype(np.float16)),
                "f16x2": (LOW_HALF, b.astype(np.float16)),
                "f16x2 add": (DOUBLED, b.astype(np.float16) + b.astype(np.float16)),
            },
            [a, b],
            np.float32,
        )


def nearest_bfloat(values: Array) -> Array:
    bits = values.view(np.uint32).astype(np.uint64)
    kept = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(values), 0x7FFF, kept).astype(np.uint32)


def clamped(values: Array, low: int, high: int) -> Array:
    whole = [low if v < low else high if v > high else int(v) for v in values.tolist()]
    return np.array([w & M32 for w in whole], np.uint32)


def test_conversions() -> None:
    a = FLOATS
    words = WORDS.view(np.int32)
    found = evaluate(
        {
            "s32": "cvt.rzi.s32.f32 %d, %a;",
            "u32": "cvt.rzi.u32.f32 %d, %a;",
            "rni": "cvt.rni.s32.f32 %d, %a;",
            "bf16": "cvt.rn.bf16.f32 %h0, %a; cvt.u32.u16 %d, %h0;",
            "tf32": "cvt.rna.tf32.f32 %d, %a;",
            "s8": "cvt.s32.s8 %d, %b;",
            "sat": "cvt.sat.u8.s32 %d, %b;",
            "s16": "cvt.s16.s32 %h0, %b; cvt.s32.s16 %d, %h0;",
            "float": "cvt.rn.f32.s32 %d, %b;",
            "unsigned": "cvt.rn.f32.u32 %d, %b;",
            "pack": "cvt.pack.sat.s8.s32.b32 %d, %b, 5, 0;",
        },
        [a, WORDS],
        np.uint32,
    )
    expected = {
        "s32": clamped(np.trunc(a), -(1 << 31), (1 << 31) - 1),
        "u32": clamped(np.trunc(a), 0, M32),
        "rni": clamped(np.rint(a), -(1 << 31), (1 << 31) - 1),
        "bf16": nearest_bfloat(a),
        "tf32": ((a.view(np.uint32).astype(np.uint64) + 0x1000) & 0xFFFFE000).astype(np.uint32),
        "s8": words.astype(np.int8).astype(np.int32).view(np.uint32),
        "sat": np.clip(words, 0, 255).astype(np.uint32),
        "s16": words.astype(np.int16).astype(np.int32).view(np.uint32),
        "float": words.astype(np.float32).view(np.uint32),
        "unsigned": WORDS.astype(np.float32).view(np.uint32),
        "pack": 5 | np.clip(words, -128, 127).astype(np.uint8).astype(np.uint32) << 8,
    }
    for name, values in expected.items():
        assert np.array_equal(found[name], values), name


def test_lanes() -> None:
    lane = np.arange(32)
    a = WORDS
    low = (a >> 31).astype(bool)
    mask = int(sum(1 << int(i) for i in lane[low]))
    few = (a & 3).astype(np.uint32)
    same = [sum(1 << j for j in range(32) if few[j] == few[i]) for i in range(32)]
    found = evaluate(
        {
            "bfly": "shfl.sync.bfly.b32 %d, %a, 5, 31, -1;",
            "idx": "shfl.sync.idx.b32 %d, %a, 7, 31, -1;",
            "up": "shfl.sync.up.b32 %d, %a, 3, 0, -1;",
            "down": "shfl.sync.down.b32 %d|%q0, %a, 3, 31, -1; @!%q0 mov.u32 %d, 9;",
            "part": "shfl.sync.down.b32 %d, %a, 2, 0x181f, -1;",
            "ballot": "setp.lt.s32 %q0, %a, 0; vote.sync.ballot.b32 %d, %q0, -1;",
            "any": ANY,
            "all": ALL,
            "match": "and.b32 %t0, %a, 3; match.any.sync.b32 %d, %t0, -1;",
            "redux": "and.b32 %t0, %a, 255; redux.sync.add.s32 %d, %t0, -1;",
            "redux max": "redux.sync.max.u32 %d, %a, -1;",
            "active": "activemask.b32 %d;",
            "lane": "mov.u32 %t0, %laneid; mov.u32 %t1, %lanemask_lt; add.u32 %d, %t0, %t1;",
            "elect": "elect.sync %d|%q0, -1;",
        },
        [a],
        np.uint32,
    )
    expected = {
        "bfly": a[lane ^ 5],
        "idx": np.full(32, a[7]),
        "up": a[np.where(lane >= 3, lane - 3, lane)],
        "down": np.where(lane + 3 < 32, a[np.minimum(lane + 3, 31)], 9),
        "part": a[np.where(lane % 8 + 2 < 8, lane + 2, lane)],
        "ballot": np.full(32, mask),
        "any": np.full(32, 1),
        "all": np.full(32, 1),
        "match": np.array(same),
        "redux": np.full(32, int((a & 255).sum())),
        "redux max": np.full(32, a.max()),
        "active": np.full(32, M32),
        "lane": lane + (1 << lane) - 1,
        "elect": np.zeros(32),
    }
    for name, values in expected.items():
        assert np.array_equal(found[name], values.astype(np.uint32)), name
