"""wmma against NumPy: whole products through memory, in all shapes, types and layouts."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kcc.base.diagnostics import DiagnosticError
from tests.frontend.ptx.running import run, unit_of

Matrix = NDArray[Any]
WIDE = ((16, 16, 16), (8, 32, 16), (32, 8, 16))
LAYOUTS = ("row", "col")


def registers(shape: tuple[int, int, int], types: tuple[str, str]) -> tuple[int, int, int]:
    """Of a fragment of A, of B, of C (PTX ISA, wmma, table of fragments)."""
    m, n, k = shape
    sums, type_ = types
    bits = {"f16": 16, "bf16": 16, "tf32": 32, "f64": 64, "s8": 8, "u8": 8, "s4": 4, "b1": 1}[type_]
    if type_ == "f16":
        return 8, 8, 4 if sums == "f16" else 8
    size = max(bits, 32) * 32
    return m * k * bits // size, k * n * bits // size, m * n // 32


def text(
    shape: tuple[int, int, int], types: tuple[str, str], layouts: tuple[str, str, str],
    strides: tuple[int, int, int], *, space: str = "", words: str = "", doubled: bool = False,
    shared: bool = False,
) -> str:  # fmt: skip
    m, n, k = shape
    sums, type_ = types
    size = f"m{m}n{n}k{k}"
    kinds = ["f64" if type_ == "f64" else "b32"] * 2
    kinds.append({"f16": "b32", "f32": "f32", "s32": "b32", "f64": "f64"}[sums])
    names = [
        [f"%{x}{i}" for i in range(count)]
        for x, count in zip("abc", registers(shape, types), strict=True)
    ]
    lists = [f"{{{', '.join(each)}}}" for each in names]
    named = f"{sums}.{sums}" if type_ == "f16" else f"{sums}.{type_}.{type_}.{sums}"
    before, inner = words.split("|") if "|" in words else ("", words)
    lines = [".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3) {"]
    lines += [f".reg .{kind} %{x}<9>;" for x, kind in zip("abc", kinds, strict=True)]
    lines += [".reg .b64 %p<4>;"]
    for i in range(4):
        lines += [f"ld.param.u64 %p{i}, [p{i}];", f"cvta.to.global.u64 %p{i}, %p{i};"]
    for i, (side, kind) in enumerate((("a", type_), ("b", type_), ("c", sums))):
        own = space
        if shared and i < 2:
            rows = ((m, k), (k, n))[i][layouts[i] == "col"]
            lines += copied(f"s{side}", f"%p{i}", rows * strides[i])
            own = ".shared"
        opcode = f"wmma.load.{side}.sync.aligned.{layouts[i]}.{size}{own}.{kind}"
        lines.append(f"{opcode} {lists[i]}, [%p{i}], {strides[i]};")
    lines.append(
        f"wmma.mma{before}.sync.aligned.{layouts[0]}.{layouts[1]}.{size}.{named}{inner} "
        f"{lists[2]}, {lists[0]}, {lists[1]}, {lists[2]};"
    )
    if doubled:
        lines += [f"add.rn.f32 {c}, {c}, {c};" for c in names[2]]
    opcode = f"wmma.store.d.sync.aligned.{layouts[2]}.{size}{space}.{sums}"
    lines += [f"{opcode} [%p3], {lists[2]}, {strides[2]};", "ret; }"]
    return "\n".join(lines)


def copied(name: str, pointer: str, halves: int) -> list[str]:
    """A warp copies so many halves into an array of shared memory, to which ``pointer`` is then."""
    return [
        f".shared .align 16 .b8 {name}[{2 * halves}]; .reg .b32 %{name}<2>; .reg .b16 %{name}h;",
        f".reg .b64 %{name}f, %{name}t, %{name}o; .reg .pred %{name}p;",
        f"mov.u32 %{name}0, %tid.x;", f"mov.u64 %{name}t, {name};", f"{name}_next:",
        f"mul.wide.u32 %{name}o, %{name}0, 2;", f"add.s64 %{name}f, {pointer}, %{name}o;",
        f"ld.global.u16 %{name}h, [%{name}f];", f"add.s64 %{name}f, %{name}t, %{name}o;",
        f"st.shared.u16 [%{name}f], %{name}h;", f"add.u32 %{name}0, %{name}0, 32;",
        f"setp.lt.u32 %{name}p, %{name}0, {halves};", f"@%{name}p bra {name}_next;",
        "bar.sync 0;", f"mov.u64 {pointer}, %{name}t;",
    ]  # fmt: skip


def laid(matrix: Matrix, layout: str, stride: int) -> Matrix:
    """The bytes of a matrix, rows or columns ``stride`` elements apart, 99 between them."""
    lines = matrix if layout == "row" else matrix.T
    found = np.full((lines.shape[0], stride), 99, matrix.dtype)
    found[:, : lines.shape[1]] = lines
    return found


def multiply(
    shape: tuple[int, int, int], types: tuple[str, str], layouts: tuple[str, str, str],
    matrices: tuple[Matrix, Matrix, Matrix], **more: Any,
) -> Matrix:  # fmt: skip
    """D, and the elements between its lines are as they were."""
    m, n, k = shape
    sizes = ((m, k), (k, n), (m, n))
    strides = tuple(size[layout == "row"] + 16 for size, layout in zip(sizes, layouts, strict=True))
    inputs = [laid(x, y, s) for x, y, s in zip(matrices, layouts, strides, strict=True)]
    out = np.full_like(inputs[2], 99)
    arguments = [*inputs, out]
    if types[1] == "bf16":
        arguments[:2] = [(x.view(np.uint32) >> 16).astype(np.uint16) for x in inputs[:2]]
    source = text(shape, types, layouts, strides, **more)  # type: ignore[arg-type]
    found = run(source, arguments)[3].view(out.dtype).reshape(out.shape)
    width = sizes[2][layouts[2] == "row"]
    assert np.all(found[:, width:] == 99)
    return found[:, :width] if layouts[2] == "row" else found[:, :width].T


def drawn(shape: tuple[int, int, int], dtype: type[Any], sums: type[Any]) -> tuple[Matrix, ...]:
    m, n, k = shape
    rng = np.random.default_rng(m * n + k)
    low = 0 if np.issubdtype(dtype, np.unsignedinteger) else -8
    return (
        rng.integers(low, 8, (m, k)).astype(dtype), rng.integers(low, 8, (k, n)).astype(dtype),
        rng.integers(-8, 8, (m, n)).astype(sums),
    )  # fmt: skip


CASES = [
    *(((s, ("f16", "f16")), np.float16, np.float16) for s in WIDE),
    *(((s, ("f32", "f16")), np.float16, np.float32) for s in WIDE),
    *(((s, ("f32", "bf16")), np.float32, np.float32) for s in WIDE),
    *(((s, ("s32", "s8")), np.int8, np.int32) for s in WIDE),
    *(((s, ("s32", "u8")), np.uint8, np.int32) for s in WIDE),
    (((16, 16, 8), ("f32", "tf32")), np.float32, np.float32),
    (((8, 8, 4), ("f64", "f64")), np.float64, np.float64),
]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("layouts", list(itertools.product(*[LAYOUTS] * 3)), ids="-".join)
@pytest.mark.parametrize(("case", "dtype", "sums"), CASES)
def test_products(
    case: tuple[tuple[int, int, int], tuple[str, str]], dtype: type[Any], sums: type[Any],
    layouts: tuple[str, str, str],
) -> None:  # fmt: skip
    a, b, c = drawn(case[0], dtype, sums)
    found = multiply(*case, layouts, (a, b, c), words=".satfinite" if sums is np.int32 else "")
    exact = a.astype(np.float64) @ b.astype(np.float64) + c
    assert np.array_equal(found, exact.astype(sums))


@pytest.mark.parametrize(
    "layouts", list(itertools.product(LAYOUTS, LAYOUTS, ["row"])), ids="-".join
)
@pytest.mark.parametrize("shape", WIDE)
@pytest.mark.parametrize("type_", ["f16", "bf16"])
def test_products_of_what_shared_memory_has(
    shape: tuple[int, int, int], type_: str, layouts: tuple[str, str, str]
) -> None:
    """By ldmatrix; halves, of which ptxas loads no other fragments so."""
    a, b, c = drawn(shape, np.float16 if type_ == "f16" else np.float32, np.float32)
    found = multiply(shape, ("f32", type_), layouts, (a, b, c), shared=True)
    assert np.array_equal(found, a.astype(np.float32) @ b.astype(np.float32) + c)


def test_what_a_program_does_with_elements_of_a_fragment() -> None:
    a, b, c = drawn((16, 16, 16), np.float16, np.float32)
    found = multiply((16, 16, 16), ("f32", "f16"), ("row", "col", "row"), (a, b, c), doubled=True)
    assert np.array_equal(found, 2 * (a.astype(np.float32) @ b.astype(np.float32) + c))


@pytest.mark.parametrize("word", ["xor", "and"])
def test_bits(word: str) -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(0, 2, (8, 128), np.uint8) for _ in range(2))
    c = rng.integers(-9, 9, (8, 8)).astype(np.int32)
    packed = [np.packbits(x, axis=1, bitorder="little") for x in (a, b)]
    out = np.zeros_like(c)
    source = text((8, 8, 128), ("s32", "b1"), ("row", "col", "row"), (128, 128, 8),
                  words=f".{word}.popc|")  # fmt: skip
    found = run(source, [*packed, c, out])[3].view(np.int32).reshape(8, 8)
    pairs = a[:, None, :] ^ b[None] if word == "xor" else a[:, None, :] & b[None]
    assert np.array_equal(found, pairs.sum(2) + c)


def test_halves_of_bytes() -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.integers(-8, 8, (8, 32)).astype(np.int64) for _ in range(2))
    c = rng.integers(-9, 9, (8, 8)).astype(np.int32)
    packed = [((x[:, ::2] & 15) | (x[:, 1::2] & 15) << 4).astype(np.uint8) for x in (a, b)]
    out = np.zeros_like(c)
    source = text((8, 8, 32), ("s32", "s4"), ("row", "col", "row"), (32, 32, 8))
    found = run(source, [*packed, c, out])[3].view(np.int32).reshape(8, 8)
    assert np.array_equal(found, a @ b.T + c)


@pytest.mark.parametrize(
    ("shape", "types"),
    [((16, 16, 8), ("f32", "f16")), ((16, 16, 16), ("f32", "tf32")), ((8, 8, 8), ("s32", "s8"))],
)
def test_shapes_that_ptx_does_not_have_are_refused(
    shape: tuple[int, int, int], types: tuple[str, str]
) -> None:
    with pytest.raises(DiagnosticError) as caught:
        unit_of(text(shape, types, ("row", "row", "row"), (32, 32, 32)))
    assert {d.code for d in caught.value.diagnostics} >= {"K431"}
