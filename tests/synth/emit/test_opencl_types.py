"""How values are spelled in OpenCL C."""

import pytest

from kcc.frontend.ir.types import IntTy, VecTy
from kcc.synth.emit.opencl_types import number, signed, spelled


@pytest.mark.parametrize(
    ("bits", "word", "text"),
    [
        (8, "uchar", "(uchar)7"), (16, "ushort", "(ushort)7"), (24, "uint", "7u"),
        (32, "uint", "7u"), (33, "ulong", "7ul"), (64, "ulong", "7ul"),
    ],
)  # fmt: skip
def test_integers_are_in_the_next_word(bits: int, word: str, text: str) -> None:
    assert (spelled(IntTy(bits)), number(7, IntTy(bits))) == (word, text)
    assert signed(VecTy(4, IntTy(bits))) == f"{word[1:]}4"
