"""The parsed headers of CUDA: made once, used again, and the same kernels without them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.base.cache_folder import refused_folders
from kcc.frontend.clang import cuda, precompiled
from kcc.frontend.clang.find import need_clang
from kcc.frontend.options import BuildOptions, MacroOption, SourceText

SOURCE = "__global__ void k(float* p) { p[threadIdx.x] = fmaxf(p[0], N); }"
OPTIONS = BuildOptions(macros=(MacroOption("N", "3"),))


def arguments(options: BuildOptions = OPTIONS) -> list[str]:
    language = cuda._OPTIONS  # pyright: ignore[reportPrivateUsage]
    return precompiled.header_arguments(need_clang("CUDA"), language, options)


@pytest.fixture(autouse=True)
def forgotten():
    precompiled._parsed.cache_clear()  # pyright: ignore[reportPrivateUsage]
    yield
    precompiled._parsed.cache_clear()  # pyright: ignore[reportPrivateUsage]


def mix(folder: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("KCC_CACHE_DIR", folder)
    unit = cuda.compile_cuda(SourceText("k.cu", SOURCE, "."), OPTIONS)
    return [str(i.opcode) for b in unit.kernels[0].function.blocks for i in b.instructions]


def test_kept_and_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_file = mix(str(tmp_path), monkeypatch)
    (kept,) = (tmp_path / "cuda-headers").iterdir()
    assert arguments() == ["-include-pch", str(kept)]
    precompiled._parsed.cache_clear()  # pyright: ignore[reportPrivateUsage]
    assert mix("", monkeypatch) == with_file
    assert arguments() == ["-include", "kcc-cuda.h"]


def test_macros_that_the_headers_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KCC_CACHE_DIR", str(tmp_path))
    newer = BuildOptions(macros=(MacroOption("__CUDA_ARCH__", "900"),))
    assert arguments(newer) == ["-include", "kcc-cuda.h"]
    assert arguments(BuildOptions(fast_relaxed_math=True)) == ["-include", "kcc-cuda.h"]


def test_a_folder_that_others_can_write_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("KCC_CACHE_DIR", str(folder))
    assert arguments() == ["-include", "kcc-cuda.h"]
    assert folder in refused_folders()
