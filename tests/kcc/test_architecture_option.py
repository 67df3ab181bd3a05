"""``-arch`` of nvcc, in its spellings, is ``__CUDA_ARCH__`` of the source."""

from __future__ import annotations

import pytest

from kcc.commands.compiler_words import in_our_words


@pytest.mark.parametrize(
    "words",
    [["-arch=sm_80"], ["-arch", "compute_80"], ["-gencode", "arch=compute_80,code=sm_86"],
     ["-arch=sm_70", "--gpu-architecture=sm_80"]],
)  # fmt: skip
def test_spellings(words: list[str]) -> None:
    assert in_our_words(["k.cu", *words], ()) == (["k.cu", "-D__CUDA_ARCH__=800"], [])


def test_what_names_no_architecture_is_passed_over() -> None:
    assert in_our_words(["-arch", "native"], ()) == ([], ["-arch native"])
