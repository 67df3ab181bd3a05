"""Matrix products of a warp: the primitives that PTX's ``mma`` and ``wgmma`` become.

``__kcc_mma_SHAPE_D_A_B_C[_OPTIONS]`` takes the fragments of A, B and C as vectors of registers and
gives that of D: ``<n x i32>`` for packed elements and integers, ``<n x float>``, ``<n x double>``.
Which lane holds which element: PTX ISA, "Matrix fragments for mma.m16n8k16" and its neighbours; one
rule makes all of them but Volta's m8n8k4.
"""

from __future__ import annotations

import re
from functools import cache

from kcc.base.records import dataclass

PREFIX = "__kcc_mma_"

GROUP = "__kcc_wgmma_"
"""``__kcc_wgmma_SHAPE_D_A_B_C[_tra][_trb]``: what a warp computes of a warpgroup's product of 64
rows, its 16. A is ``<4 x i32>`` or a matrix descriptor (i64), B a descriptor; then comes where
shared memory begins, and C."""

WORD = "__kcc_matrix_word_"
"""``i32 (<4 x i32>)``: of rows of 16 bytes that lanes hold, the word that a lane takes of the 8 x 8
matrix of 16 bits before whose number the name stands: lane 4 r + w takes word w of the row that
lane 8 m + r has, as ``ldmatrix`` does."""

ROW = "__kcc_matrix_row_"
"""``<4 x i32> (<n x i32>)``, n after the name: of such words of n matrices the row that lane
8 m + r puts together, as ``stmatrix`` does; of lanes from 8 n on nothing that means anything."""

TRANSPOSED = "__kcc_matrix_transposed"
"""``i32 (i32)``: of words of such a matrix those of the transposed one."""

BITS = {"f64": 64, "tf32": 32, "f32": 32, "s32": 32, "f16": 16, "bf16": 16, "e4m3": 8, "e5m2": 8,
        "s8": 8,
        "u8": 8, "s4": 4, "u4": 4, "b1": 1}  # fmt: skip
"""Of an element of a matrix."""

_SYMBOL = re.compile(
    rf"({PREFIX}|{GROUP})m(\d+)n(\d+)k(\d+)_(\w+?)_(\w+?)_(\w+?)_([a-z0-9]+)((?:_[a-z]+)*)"
)


@dataclass(frozen=True, slots=True)
class MatrixProduct:
    """D = A B + C of ``m`` x ``n`` x ``k``; types as PTX writes them. ``options`` are among
    satfinite, and, xor."""

    m: int
    n: int
    k: int
    d: str
    a: str
    b: str
    c: str
    options: tuple[str, ...] = ()
    of_group: bool = False
    """Whether it is a warp's part of a ``wgmma``; ``m`` is the warp's."""

    @property
    def symbol(self) -> str:
        """The name of the primitive."""
        prefix = GROUP if self.of_group else PREFIX
        words = "".join(f"_{o}" for o in self.options)
        return f"{prefix}m{self.m}n{self.n}k{self.k}_{self.d}_{self.a}_{self.b}_{self.c}{words}"

    @property
    def multiply_adds(self) -> int:
        """Of a warp."""
        return self.m * self.n * self.k

    @property
    def registers(self) -> tuple[int, int, int]:
        """A lane's registers of A, of B, and of C and D: of 32 bits, of f64 of 64."""
        inner = 32 * max(BITS[self.a], 32)
        outer = 32 * max(BITS[self.d], 32)
        return (
            max(self.m * self.k * BITS[self.a] // inner, 1),
            max(self.k * self.n * BITS[self.b] // inner, 1),
            self.m * self.n * BITS[self.d] // outer,
        )

    @property
    def packed(self) -> int:
        """Elements of A, and of B, in a register."""
        return max(32 // BITS[self.a], 1)


MATRICES = (PREFIX, GROUP, WORD, ROW, TRANSPOSED)
"""How the names of all these begin; each lane gets another result of equal arguments."""


def moves_matrix(symbol: str) -> bool:
    """Whether a symbol is one of the exchanges above."""
    return symbol.startswith((WORD, ROW, TRANSPOSED))


@cache
def matrix_product(symbol: str) -> MatrixProduct | None:
    """What a primitive computes; None for a symbol of something else."""
    match = _SYMBOL.fullmatch(symbol)
    if match is None:
        return None
    m, n, k = (int(match[i]) for i in (2, 3, 4))
    options = tuple(match[9].split("_")[1:]) if match[9] else ()
    of_group = match[1] == GROUP
    return MatrixProduct(m, n, k, match[5], match[6], match[7], match[8], options, of_group)
