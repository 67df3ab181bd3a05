"""Products of warpgroups, and what is said where a compiler to PTX or its input is missing."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source, language_of
from kcc.frontend.kernel import Language
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.ptx.doors import nvrtc
from tests.frontend.ptx.running import run


def cores(matrix: np.ndarray[tuple[int, int], np.dtype[np.float16]]) -> bytes:
    """A matrix as blocks of 8 x 8, those of a row of blocks one after the other (no swizzle)."""
    rows, columns = matrix.shape
    blocks = matrix.reshape(rows // 8, 8, columns // 8, 8).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(blocks).tobytes()


def test_a_warpgroup_multiplies_what_descriptors_name() -> None:
    chance = np.random.default_rng(5)
    a, b = (chance.standard_normal(s).astype(np.float16) for s in ((64, 16), (16, 8)))
    data = np.frombuffer(cores(a) + cores(np.ascontiguousarray(b.T)), np.uint32)
    descriptor = 128 >> 4 << 16 | 256 >> 4 << 32
    text = f"""
    .visible .entry k(.param .u64 p0, .param .u64 p1) {{
    .reg .b32 %id, %s, %t, %n; .reg .b64 %p, %q, %da, %db; .reg .pred %more; .reg .f32 %d<4>;
    .shared .align 128 .b8 tile[{data.nbytes}];
    mov.u32 %id, %tid.x; mov.u32 %n, %id; ld.param.u64 %p, [p0];
    $copy: mad.wide.u32 %q, %n, 4, %p; ld.global.b32 %t, [%q];
    mov.u32 %s, tile; mad.lo.u32 %s, %n, 4, %s; st.shared.b32 [%s], %t;
    add.u32 %n, %n, 128; setp.lt.u32 %more, %n, {data.size}; @%more bra $copy;
    bar.sync 0; mov.u32 %s, tile; shr.u32 %s, %s, 4; cvt.u64.u32 %da, %s;
    add.u64 %db, %da, {2048 >> 4}; or.b64 %da, %da, {descriptor}; or.b64 %db, %db, {descriptor};
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16
        {{%d0, %d1, %d2, %d3}}, %da, %db, 0, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
    ld.param.u64 %p, [p1]; mad.wide.u32 %p, %id, 16, %p;
    st.global.v4.f32 [%p], {{%d0, %d1, %d2, %d3}}; ret; }}
    """
    found = run(text, [data, np.zeros(512, np.float32)], 128)[1].view(np.float32).reshape(128, 4)
    exact = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    for thread in range(128):
        warp, lane = divmod(thread, 32)
        places = [(16 * warp + lane // 4 + 8 * (r // 2), 2 * (lane % 4) + r % 2) for r in range(4)]
        assert found[thread].tolist() == [exact[p] for p in places]


def test_a_python_kernel_is_named_after_its_file() -> None:
    assert language_of("folder/kernel.py:matmul") is Language.PTX
    assert language_of("kernel.py") is Language.OPENCL


def test_a_kernel_that_is_not_there_is_a_message(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    file.write_text("def other():\n    pass\n")
    source = SourceText(f"{file}:missing", file.read_text(), str(tmp_path))
    with pytest.raises(DiagnosticError, match="there is no 'missing' in it") as caught:
        compile_source(source, BuildOptions())
    assert caught.value.diagnostics[0].code == "K435"


@pytest.mark.skipif(importlib.util.find_spec("triton") is not None, reason="Triton is there")
def test_a_compiler_that_is_not_there_is_named(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    file.write_text("import triton\n")
    source = SourceText(f"{file}:k", file.read_text(), str(tmp_path))
    with pytest.raises(DiagnosticError) as caught:
        compile_source(source, BuildOptions())
    first = caught.value.diagnostics[0]
    assert (first.code, first.span and first.span.line) == ("K434", 1)


@pytest.mark.skipif(nvrtc.find_nvrtc() is not None, reason="NVRTC is there")
def test_nvrtc_is_asked_for_by_name() -> None:
    source = SourceText("k.cu", "__global__ void k(int *a) { *a = 1; }", ".")
    with pytest.raises(DiagnosticError, match="NVRTC is not there"):
        compile_source(source, BuildOptions(), "nvrtc")


def test_files_and_parameters_go_by_the_names_that_were_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NVRTC puts the working directory before what it has in memory, and numbers parameters."""
    runner = tmp_path / "runner.py"
    runner.write_text(
        "import json, os, sys\n"
        "ptx = '.entry _Z1kPi(.param .u64 _Z1kPi_param_0) { }\\n'\n"
        "names = ('k.cu', 'own.h', '/else/math.hpp')\n"
        "ptx += ''.join(f'.file {n} \"{os.path.join(os.getcwd(), name)}\"\\n' "
        "for n, name in enumerate(names, 1))\n"
        "open(sys.argv[1], 'w').write(json.dumps({'ptx': ptx}))\n"
    )
    monkeypatch.setattr(nvrtc, "RUNNER", runner)
    header = tmp_path / "own.h"
    header.write_text("__global__ void k(int *data) { *data = 1; }\n")
    source = SourceText("k.cu", '#include "own.h"\n', str(tmp_path))
    ptx = nvrtc.ptx_text(source, BuildOptions(), tmp_path / "libnvrtc.so")
    assert ptx.split("\n") == [
        ".entry _Z1kPi(.param .u64 data) { }",
        '.file 1 "k.cu"', f'.file 2 "{header}"', '.file 3 "/else/math.hpp"', "",
    ]  # fmt: skip


def test_nvrtc_that_does_not_end_is_a_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner = tmp_path / "runner.py"
    runner.write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setattr(nvrtc, "RUNNER", runner)
    monkeypatch.setattr(nvrtc, "TIME_LIMIT_SECONDS", 0.5)
    source = SourceText("k.cu", "__global__ void k(int *a) { *a = 1; }", ".")
    with pytest.raises(DiagnosticError, match=r"does not end within 0\.5 s") as caught:
        nvrtc.ptx_text(source, BuildOptions(), tmp_path / "libnvrtc.so")
    assert caught.value.diagnostics[0].code == "K436"


def test_nvrtcs_answers_are_kept_by_what_they_rest_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By the source and its headers' text; not where a file may be read that is not known."""
    runner, asked = tmp_path / "runner.py", tmp_path / "asked"
    runner.write_text(
        "import pathlib, sys\n"
        f"with open({str(asked)!r}, 'a') as file: file.write('x')\n"
        """pathlib.Path(sys.argv[1]).write_text('{"ptx": "of a run"}')\n"""
    )
    monkeypatch.setattr(nvrtc, "RUNNER", runner)
    monkeypatch.setenv("KCC_CACHE_DIR", str(tmp_path / "cache"))
    header = tmp_path / "own.h"
    asked.touch()

    def runs(text: str, options: BuildOptions | None = None) -> int:
        before = len(asked.read_text())
        source = SourceText("k.cu", text, str(tmp_path))
        assert (
            nvrtc.ptx_text(source, options or BuildOptions(), tmp_path / "libnvrtc.so")
            == "of a run"
        )
        return len(asked.read_text()) - before

    header.write_text("#define N 1\n")
    text = '#include "own.h"\n__global__ void k() {}'
    assert [runs(text), runs(text), runs(text + "\n")] == [1, 0, 1]
    assert runs(text, BuildOptions(fast_relaxed_math=True)) == 1
    header.write_text("#define N 2\n")
    assert [runs(text), runs(text)] == [1, 0]
    hidden = '#define OWN "own.h"\n#include OWN\n__global__ void k() {}'
    assert [runs(hidden), runs(hidden)] == [1, 1]
    forced = BuildOptions(forced_includes=("own.h",))
    assert [runs(text, forced), runs(text, forced)] == [1, 1]
