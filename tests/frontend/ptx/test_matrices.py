"""Matrix instructions against NumPy: fragments by PTX ISA's rules, written down again here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.frontend.ptx.running import evaluate, run

Matrix = NDArray[Any]
RNG = np.random.default_rng(7)
LANE = np.arange(32)


def places(rows: int, columns: int, packed: int, lane: int) -> list[tuple[int, int]]:
    """Row and column of a lane's elements of A, by register (PTX ISA, figures of mma)."""
    group, inner = divmod(lane, 4)
    found = list[tuple[int, int]]()
    for block in range(columns // (4 * packed)):
        for row in range(group, rows, 8):
            found += [(row, 4 * packed * block + packed * inner + i) for i in range(packed)]
    return found


def of_a(matrix: Matrix, packed: int) -> Matrix:
    """The elements of each lane: 32 x n."""
    rows, columns = matrix.shape
    return np.array([[matrix[p] for p in places(rows, columns, packed, n)] for n in range(32)])


def of_b(matrix: Matrix, packed: int) -> Matrix:
    return of_a(np.ascontiguousarray(matrix.T), packed)


def of_c(matrix: Matrix) -> Matrix:
    rows = matrix.shape[0]
    return np.array([
        [matrix[r, 2 * (n % 4) + i] for r in range(n // 4, rows, 8) for i in range(2)]
        for n in range(32)
    ])  # fmt: skip


def bits_of(values: Matrix, type_: str) -> Matrix:
    """Elements as registers of 32 bits, 32 x n."""
    match type_:
        case "f16":
            return values.astype(np.float16).view(np.uint32)
        case "bf16":
            high = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
            return np.ascontiguousarray(high).view(np.uint32)
        case "tf32":
            return values.astype(np.float32).view(np.uint32)
        case "s8" | "u8":
            return np.ascontiguousarray(values.astype(np.int64).astype(np.uint8)).view(np.uint32)
        case "s4":
            low = values.astype(np.int64) & 15
            bytes_ = (low[:, ::2] | low[:, 1::2] << 4).astype(np.uint8)
            return np.ascontiguousarray(bytes_).view(np.uint32)
        case _:
            return np.ascontiguousarray(values)


def product(opcode: str, a: Matrix, b: Matrix, c: Matrix, types: tuple[str, ...]) -> Matrix:
    """D of one warp's ``opcode``, 32 x n registers as they are."""
    packed = {"f16": 2, "bf16": 2, "tf32": 1, "s8": 4, "u8": 4, "s4": 8, "f64": 1}[types[1]]
    inputs = [
        bits_of(of_a(a, packed), types[1]), bits_of(of_b(b, packed), types[1]),
        bits_of(of_c(c), types[0]) if types[0] == "f16" else np.ascontiguousarray(of_c(c)),
    ]  # fmt: skip
    wide = types[1] == "f64"
    lines, registers = list[str](), list[list[str]]()
    for number, each in enumerate(inputs):
        size = 8 if wide else 4
        names = [f"%{'abc'[number]}{i}" for i in range(each.shape[1])]
        registers.append(names)
        lines.append(
            f"ld.param.u64 %p, [p{number}]; mad.wide.u32 %p, %id, {size * len(names)}, %p;"
        )
        lines += [f"ld.global.b{8 * size} {n}, [%p+{size * i}];" for i, n in enumerate(names)]
    outputs = [f"%d{i}" for i in range(len(registers[2]))]
    joined = [f"{{{', '.join(names)}}}" for names in (outputs, *registers)]
    kind = "b64" if wide else "b32"
    named = zip("dabc", (outputs, *registers), strict=True)
    text = "\n".join([
        ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3) {",
        ".reg .b32 %id; .reg .b64 %p;", "mov.u32 %id, %tid.x;",
        *(f".reg .{kind} %{x}<{len(r)}>;" for x, r in named),
        *lines, f"{opcode} {', '.join(joined)};",
        f"ld.param.u64 %p, [p3]; mad.wide.u32 %p, %id, {len(outputs) * (8 if wide else 4)}, %p;",
        *(f"st.global.{kind} [%p+{(8 if wide else 4) * i}], {n};" for i, n in enumerate(outputs)),
        "ret; }",
    ])  # fmt: skip
    out = np.zeros_like(inputs[2])
    return run(text, [*inputs, out])[3].view(out.dtype).reshape(out.shape)


FLOATS = [
    ("f16", 8, np.float16), ("f16", 16, np.float16), ("bf16", 8, np.float32),
    ("bf16", 16, np.float32), ("tf32", 4, np.float32), ("tf32", 8, np.float32),
]  # fmt: skip


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("type_", "k", "dtype"), FLOATS)
def test_floats_with_sums_in_single_precision(type_: str, k: int, dtype: type[Any]) -> None:
    a, b = (RNG.standard_normal(s).astype(dtype) for s in ((16, k), (k, 8)))
    if type_ in ("bf16", "tf32"):
        mask = np.uint32(0xFFFF0000 if type_ == "bf16" else 0xFFFFE000)
        a, b = ((x.view(np.uint32) & mask).view(np.float32) for x in (a, b))
    c = RNG.standard_normal((16, 8)).astype(np.float32)
    opcode = f"mma.sync.aligned.m16n8k{k}.row.col.f32.{type_}.{type_}.f32"
    found = product(opcode, a, b, c, ("f32", type_))
    exact = a.astype(np.float64) @ b.astype(np.float64) + c
    assert np.array_equal(found, of_c(exact.astype(np.float32)))


def test_sums_in_half_precision_are_rounded_once() -> None:
    a, b, c = (RNG.standard_normal(s).astype(np.float16) for s in ((16, 16), (16, 8), (16, 8)))
    opcode = "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"
    found = product(opcode, a, b, c, ("f16", "f16"))
    exact = a.astype(np.float64) @ b.astype(np.float64) + c
    assert np.array_equal(found, bits_of(of_c(exact.astype(np.float16)), "f16"))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("m", "k"), [(8, 4), (16, 4), (16, 8), (16, 16)])
def test_doubles_are_fused_in_order(m: int, k: int) -> None:
    a, b = (RNG.integers(-99, 99, s).astype(np.float64) for s in ((m, k), (k, 8)))
    c = RNG.integers(-99, 99, (m, 8)).astype(np.float64)
    opcode = f"mma.sync.aligned.m{m}n8k{k}.row.col.f64.f64.f64.f64"
    assert np.array_equal(product(opcode, a, b, c, ("f64", "f64")), of_c(a @ b + c))


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("type_", "m", "k"),
    [("s8", 8, 16), ("s8", 16, 16), ("s8", 16, 32), ("u8", 16, 32), ("s4", 16, 64)],
)
def test_integers_are_exact(type_: str, m: int, k: int) -> None:
    low, high = {"s8": (-128, 128), "u8": (0, 256), "s4": (-8, 8)}[type_]
    a, b = (RNG.integers(low, high, s) for s in ((m, k), (k, 8)))
    c = RNG.integers(-(1 << 31), 1 << 31, (m, 8)).astype(np.int32)
    opcode = f"mma.sync.aligned.m{m}n8k{k}.row.col.s32.{type_}.{type_}.s32"
    found = product(opcode, a, b, c, ("s32", type_))
    assert np.array_equal(found, of_c((a @ b + c).astype(np.int32)))
    full = product(opcode.replace(".s32.", ".satfinite.s32.", 1), a, b, c, ("s32", type_))
    clamped = np.clip(a @ b + c, -(1 << 31), (1 << 31) - 1).astype(np.int32)
    assert np.array_equal(full, of_c(clamped))


def through_shared(body: str, shared: Matrix) -> Matrix:
    """What ``body`` leaves in ``%d`` with ``shared`` in shared memory: 32 x n words."""
    width = shared.shape[1]
    move = "".join(
        f"ld.global.b32 %t, [%p+{4 * i}]; st.shared.b32 [%s+{4 * i}], %t;" for i in range(width)
    )
    text = f"""
    .visible .entry k(.param .u64 p0, .param .u64 p1) {{
    .reg .b32 %id, %s, %t, %row, %d, %e, %x<4>; .reg .b64 %p;
    .shared .align 16 .b8 tile[{shared.nbytes}];
    mov.u32 %id, %tid.x; mov.u32 %s, tile; ld.param.u64 %p, [p0];
    mad.wide.u32 %p, %id, {4 * width}, %p; mad.lo.u32 %s, %id, {4 * width}, %s; {move}
    bar.sync 0; mov.u32 %row, tile; mad.lo.u32 %row, %id, 16, %row;
    {body}
    ld.param.u64 %p, [p1]; mad.wide.u32 %p, %id, 4, %p; st.global.b32 [%p], %d; ret; }}
    """
    out = np.zeros(32, np.uint32)
    return run(text, [np.ascontiguousarray(shared), out])[1].view(np.uint32)


TILE = RNG.integers(0, 1 << 16, (32, 8), dtype=np.uint16)
"""Four matrices of 8 x 8, one below the other: row i lies at 16 i."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("matrix", range(4))
@pytest.mark.parametrize("transposed", [False, True])
def test_matrices_from_shared_memory(matrix: int, *, transposed: bool) -> None:
    word = ".trans" if transposed else ""
    names = ["%x0", "%x1", "%x2", "%x3"]
    names[matrix] = "%d"
    body = f"ldmatrix.sync.aligned.m8n8.x4{word}.shared.b16 {{{', '.join(names)}}}, [%row];"
    part = TILE[8 * matrix : 8 * matrix + 8]
    part = np.ascontiguousarray(part.T if transposed else part)
    assert np.array_equal(through_shared(body, TILE.view(np.uint32)), part.view(np.uint32).ravel())


@pytest.mark.sampled(2)
@pytest.mark.parametrize("transposed", [False, True])
def test_matrices_into_shared_memory(*, transposed: bool) -> None:
    word = ".trans" if transposed else ""
    body = f"""mov.u32 %d, %id; mul.lo.u32 %e, %id, 65539; bar.sync 0;
    stmatrix.sync.aligned.m8n8.x1{word}.shared.b16 [%row], {{%e}}; bar.sync 0;
    mov.u32 %row, tile; mad.lo.u32 %row, %id, 4, %row; ld.shared.b32 %d, [%row];"""
    words = np.ascontiguousarray((LANE * 65539).astype(np.uint32)).view(np.uint16).reshape(8, 8)
    expected = np.ascontiguousarray(words.T if transposed else words).view(np.uint32).ravel()
    assert np.array_equal(through_shared(body, TILE.view(np.uint32)), expected)


def test_a_matrix_is_transposed_in_registers() -> None:
    values = RNG.integers(0, 1 << 16, (8, 8), dtype=np.uint16)
    rows = {"m": "movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;"}
    found = evaluate(rows, [values.view(np.uint32).ravel()], np.uint32)["m"]
    assert np.array_equal(found, np.ascontiguousarray(values.T).view(np.uint32).ravel())
