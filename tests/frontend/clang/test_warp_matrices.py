"""``nvcuda::wmma`` of all shapes, types and layouts, run against NumPy."""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.frontend.types import AddressSpace
from kcc.passes.memory.access_facts import AccessPatterns
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.passes.symbolic.ranges import Known
from kcc.passes.table import Setting, analyse
from kcc.tracegen.execute import NDRange, execute

Matrix = NDArray[Any]
RNG = np.random.default_rng(11)

SOURCE = """
#include <mma.h>
using namespace nvcuda;
__global__ void k(const SA* a, const SA* b, const SC* c, SD* d, int lda, int ldb, int ldc) {
  wmma::fragment<wmma::matrix_a, M, N, K, TA, wmma::LA> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, TA, wmma::LB> fb;
  wmma::fragment<wmma::accumulator, M, N, K, SC> fc;
  wmma::fragment<wmma::accumulator, M, N, K, SD> fd;
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::load_matrix_sync(fc, c, ldc, wmma::LC);
  for (int i = 0; i < fc.num_elements; i++) fc.x[i] = fc.x[i] + fc.x[i];
  PRODUCT;
  wmma::store_matrix_sync(d, fd, ldc, wmma::LC);
}
"""
LARGE = [(16, 16), (32, 8), (8, 32)]


def compiled(
    types: tuple[str, str, str], shape: tuple[int, int, int], layouts: str, product: str
) -> CompiledUnit:
    a, c, d = types
    names = {"M": shape[0], "N": shape[1], "K": shape[2], "TA": a, "SC": c, "SD": d}
    names["SA"] = {"precision::tf32": "float"}.get(a, a)
    names["TA"] = f"wmma::{a}" if "::" in a else a
    words = {"r": "row_major", "c": "col_major"}
    names |= {"LA": words[layouts[0]], "LB": words[layouts[1]], "LC": f"mem_{words[layouts[2]]}"}
    names["PRODUCT"] = product
    text = "".join(f"#define {name} {value}\n" for name, value in names.items()) + SOURCE
    return compile_source(SourceText("w.cu", text, "."), BuildOptions(), frontend="clang")


def run(
    types: tuple[str, str, str],
    layouts: str,
    matrices: tuple[Matrix, Matrix, Matrix],
    result: type[Any],
    product: str = "wmma::mma_sync(fd, fa, fb, fc)",
) -> Matrix:
    """D = A B + 2 C of matrices as numbers; bits of bf16 are of 16 bits."""
    a, b, _ = matrices
    unit = compiled(types, (len(a), b.shape[1], len(b)), layouts, product)
    (kernel,) = unit.kernels
    kept, strides = list[Matrix](), list[int]()
    for matrix, layout in zip(matrices, layouts, strict=True):
        held = matrix if layout == "r" else matrix.T
        padded = np.zeros((held.shape[0], held.shape[1] + 16), held.dtype)
        padded[:, : held.shape[1]] = held
        kept.append(padded)
        strides.append(padded.shape[1])
    out = np.zeros(kept[2].shape, result)
    values = [*(m.reshape(-1) for m in kept), out.reshape(-1), *strides]
    done = execute(unit, kernel, NDRange((32,), (32,)), values)
    found = done.buffers[3].view(result).reshape(out.shape)[:, :-16]
    return found if layouts[2] == "r" else found.T


def whole(shape: tuple[int, int], kind: type[Any], low: int = -4) -> Matrix:
    return RNG.integers(low, 5, shape).astype(kind)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("layouts", ["rcr", "ccr", "rrc", "crc"])
@pytest.mark.parametrize("size", LARGE)
@pytest.mark.parametrize("sums", ["float float", "half half", "half float", "float half"])
def test_halves(sums: str, size: tuple[int, int], layouts: str) -> None:
    c_type, d_type = sums.split()
    kinds = {"float": np.float32, "half": np.float16}
    a, b = whole((size[0], 16), np.float16), whole((16, size[1]), np.float16)
    c = whole(size, kinds[c_type])
    found = run(("half", c_type, d_type), layouts, (a, b, c), kinds[d_type])
    np.testing.assert_array_equal(found, a.astype(np.float32) @ b.astype(np.float32) + 2 * c)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("layouts", ["rcr", "crc"])
@pytest.mark.parametrize("size", LARGE)
@pytest.mark.parametrize("kind", ["__nv_bfloat16", "signed char", "unsigned char"])
def test_narrow_types(kind: str, size: tuple[int, int], layouts: str) -> None:
    a, b = whole((size[0], 16), np.int64), whole((16, size[1]), np.int64)
    sums: tuple[str, type[Any]] = ("int", np.int32)
    if kind == "__nv_bfloat16":
        sums = ("float", np.float32)
        given = [(m.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16) for m in (a, b)]
    elif kind == "signed char":
        given = [m.astype(np.int8) for m in (a, b)]
    else:
        a, b = abs(a) + 200, abs(b) + 200
        given = [m.astype(np.uint8) for m in (a, b)]
    c = whole(size, sums[1])
    found = run((kind, sums[0], sums[0]), layouts, (given[0], given[1], c), sums[1])
    np.testing.assert_array_equal(found, a @ b + 2 * c)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("layouts", ["rcr", "crc"])
def test_wide_types(layouts: str) -> None:
    a, b, c = whole((16, 8), np.float32), whole((8, 16), np.float32), whole((16, 16), np.float32)
    types = ("precision::tf32", "float", "float")
    np.testing.assert_array_equal(run(types, layouts, (a, b, c), np.float32), a @ b + 2 * c)
    a, b, c = whole((8, 4), np.float64), whole((4, 8), np.float64), whole((8, 8), np.float64)
    found = run(("double", "double", "double"), layouts, (a, b, c), np.float64)
    np.testing.assert_array_equal(found, a @ b + 2 * c)


SHARED = """
#include <mma.h>
using namespace nvcuda;
__global__ void k(const half* a, const half* b, float* d) {
  __shared__ __align__(32) half s[2][16 * 24];
  for (int i = threadIdx.x; i < 16 * 24; i += 32) { s[0][i] = a[i]; s[1][i] = b[i]; }
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::LA> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::LB> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, s[0], 24);
  wmma::load_matrix_sync(fb, s[1], 24);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}
"""


@pytest.mark.parametrize("level", [OptLevel.O0, OptLevel.O2])
@pytest.mark.parametrize("layouts", list(itertools.product(("row_major", "col_major"), repeat=2)))
def test_halves_in_shared_memory_are_loaded_by_rows(
    layouts: tuple[str, str], level: OptLevel
) -> None:
    """16 bytes a lane, as LDSM does; without optimisation it is not known what memory it is."""
    text = SHARED.replace("LA", layouts[0]).replace("LB", layouts[1])
    options = BuildOptions(opt_level=level)
    unit = compile_source(SourceText("s.cu", text, "."), options, frontend="clang")
    assert not re.search(r"call [^\n]*@__kcc_is_shared", unit.ir)
    if level is OptLevel.O0:
        return
    loads = re.findall(r" load (<4 x i32>|i16|i32), ptr addrspace\(3\)", unit.ir)
    assert loads == ["<4 x i32>"] * 2
    a, b = whole((16, 16), np.float16), whole((16, 16), np.float16)
    given = [np.zeros((16, 24), np.float16) for _ in range(2)]
    for held, matrix, layout in zip(given, (a, b), layouts, strict=True):
        held[:, :16] = matrix if layout == "row_major" else matrix.T
    out = np.zeros((16, 16), np.float32)
    done = execute(unit, unit.kernels[0], NDRange((32,), (32,)), [*given, out])
    found = done.buffers[2].view(np.float32).reshape(16, 16)
    np.testing.assert_array_equal(found, a.astype(np.float32) @ b.astype(np.float32))


def test_sums_are_clamped_where_that_is_asked_for() -> None:
    a, b = np.full((16, 16), 127, np.int8), np.full((16, 16), 127, np.int8)
    c = np.full((16, 16), (1 << 30) - 1, np.int32)
    product = "wmma::mma_sync(fd, fa, fb, fc, true)"
    found = run(("signed char", "int", "int"), "rcr", (a, b, c), np.int32, product)
    np.testing.assert_array_equal(found, np.full((16, 16), (1 << 31) - 1))


BITS = """
#include <mma.h>
using namespace nvcuda;
__global__ void k(const unsigned* a, const unsigned* b, int* d) {
  typedef wmma::experimental::precision::KIND T;
  wmma::fragment<wmma::matrix_a, 8, 8, DEPTH, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, DEPTH, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, DEPTH, int> fd;
  wmma::load_matrix_sync(fa, (const PTR*)a, DEPTH);
  wmma::load_matrix_sync(fb, (const PTR*)b, DEPTH);
  wmma::fill_fragment(fd, 3);
  PRODUCT;
  wmma::store_matrix_sync(d, fd, 8, wmma::mem_row_major);
}
"""


@pytest.mark.parametrize("word", ["XOR", "AND", "s4"])
def test_less_than_a_byte(word: str) -> None:
    depth = 32 if word == "s4" else 128
    a, b = (RNG.integers(0, 1 << 32, (8, 4), dtype=np.uint32) for _ in "ab")
    call = "wmma::mma_sync(fd, fa, fb, fd)"
    if word != "s4":
        call = f"wmma::bmma_sync(fd, fa, fb, fd, wmma::experimental::bmmaBitOp{word})"
    names = {"DEPTH": depth, "KIND": "s4" if word == "s4" else "b1", "PRODUCT": call}
    names["PTR"] = "int" if word == "s4" else "unsigned"
    text = "".join(f"#define {n} {v}\n" for n, v in names.items()) + BITS
    unit = compile_source(SourceText("w.cu", text, "."), BuildOptions(), frontend="clang")
    (kernel,) = unit.kernels
    done = execute(
        unit, kernel, NDRange((32,), (32,)), [a.reshape(-1), b.reshape(-1), np.zeros(64, np.int32)]
    )
    if word == "s4":
        left, right = (
            ((m.view(np.uint8)[:, :, None] >> np.array([0, 4])) & 15).reshape(8, -1) for m in (a, b)
        )
        left, right = ((m.astype(np.int64) ^ 8) - 8 for m in (left, right))
        wanted = left @ right.T + 3
    else:
        join = np.bitwise_xor if word == "XOR" else np.bitwise_and
        wanted = np.bitwise_count(join(a[:, None], b[None])).sum(2).astype(np.int64) + 3
    np.testing.assert_array_equal(done.buffers[2].view(np.int32).reshape(8, 8), wanted)


def test_how_a_fragment_lies_in_memory_is_counted() -> None:
    """Of rows of 64 halves a load takes 16 bytes of each of 8, of 64 floats 32 bytes."""
    names = ("half", "float", "float")
    unit = compiled(names, (16, 16, 16), "rcr", "wmma::mma_sync(fd, fa, fb, fc)")
    (kernel,) = unit.kernels
    known = Known((32,), (32,), {4: 64, 5: 64, 6: 64})
    facts = analyse(kernel, unit.module, setting=Setting(known))
    sectors = list[float]()
    for access in facts[MemoryAccesses].accesses:
        pattern = facts[AccessPatterns].patterns[access.id]
        if access.space is AddressSpace.PRIVATE:
            continue  # the operands
        if pattern.sectors is not None and pattern.sectors.mean is not None:
            sectors.append(pattern.sectors.mean)
    assert sectors == [8.0] * 16
