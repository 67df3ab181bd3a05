"""Kernels of a source in place of a script: buffers by --arg, results by --save, bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kcc import cli

PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry axpy(.param .u64 axpy_param_0, .param .u64 axpy_param_1,
    .param .f32 axpy_param_2, .param .u32 axpy_param_3)
{
    .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [axpy_param_0]; ld.param.u64 %rd2, [axpy_param_1];
    ld.param.f32 %f1, [axpy_param_2]; ld.param.u32 %r1, [axpy_param_3];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.s32 %p1, %r5, %r1;
    @%p1 bra $end;
    cvta.to.global.u64 %rd3, %rd1; cvta.to.global.u64 %rd4, %rd2;
    mul.wide.s32 %rd5, %r5, 4;
    add.s64 %rd6, %rd3, %rd5; add.s64 %rd7, %rd4, %rd5;
    ld.global.f32 %f2, [%rd6]; ld.global.f32 %f3, [%rd7];
    fma.rn.f32 %f3, %f1, %f2, %f3;
    st.global.f32 [%rd7], %f3;
$end:
    ret;
}
"""
LAUNCH = ["--grid", "4", "--block", "256"]
ARGUMENTS = ["--arg", "0=float[1000]=iota", "--arg", "axpy_param_1=float[10, 100]=0.5",
             "--arg", "2=3", "--arg", "3=1000"]  # fmt: skip


@pytest.fixture
def source(tmp_path: Path) -> str:
    file = tmp_path / "axpy.ptx"
    file.write_text(PTX)
    return str(file)


def saved(tmp_path: Path, command: list[str], name: str) -> NDArray[Any]:
    target = tmp_path / "saved.npy"
    assert cli.main([*command, "--save", f"{name}={target}"]) == 0
    return np.load(target)


def test_arguments_go_by_place_and_by_name(tmp_path: Path, source: str) -> None:
    found = saved(tmp_path, ["run", source, *LAUNCH, *ARGUMENTS], "1")
    expected = np.float32(3) * np.arange(1000, dtype=np.float32) + np.float32(0.5)
    assert found.shape == (10, 100)
    assert np.array_equal(found.ravel(), expected)


def test_counts_of_a_source(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["run", source, *LAUNCH, *ARGUMENTS, "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["size"] is None
    (kernel,) = document["kernels"]
    assert (kernel["name"], document["launch_count"]) == ("axpy", 1)


def test_a_flag_is_true_or_false(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text("__global__ void k(int *o, bool f) { o[threadIdx.x] = f ? 7 : 5; }")
    command = ["run", str(file), "--grid", "1", "--block", "32", "--arg", "o=int[32]", "--arg"]
    for given, wanted in (("0", 5), ("1", 7)):
        assert (saved(tmp_path, [*command, f"f={given}"], "o") == wanted).all()


def test_what_runs_scripts_runs_sources(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [source, *LAUNCH, *ARGUMENTS]
    assert cli.main(["profile", *words, "--json", "-"]) == 0
    (launch,) = json.loads(capsys.readouterr().out)["launches"]
    assert launch["global_size"] == [1024]
    for model in ("cycle", "interval", "pipeline"):
        assert cli.main(["simulate", *words, "--gpu", "a100", "--model", model, "--json", "-"]) == 0
        assert json.loads(capsys.readouterr().out)["cycles"] > 0
    assert cli.main(["synth", *words, "-o", str(tmp_path / "mini")]) == 0
    assert (tmp_path / "mini" / "kernel.cl").exists()


def test_a_kernel_toml_gives_launch_and_buffers(capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(__file__).parents[2] / "kernels" / "vecadd"
    assert cli.main(["run", str(folder / "vecadd.cl"), "--size", "tiny", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in document["kernels"]] == ["vecadd", "vecadd4"]


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        ([], "K708", "'axpy_param_0=float[N]'"),
        (["--arg", "7=float[3]"], "K010", "no argument '7'"),
        (["--arg", "0=float[n]"], "K709", "'n' has no value"),
        (["--arg", "0=float[4]=file('none.npy')"], "K709", "cannot read 'none.npy'"),
        (["--arg", "0=float[0]"], "K709", "it has 0 elements"),
        (["--arg", "0=float[8]", *ARGUMENTS[2:]], "K711", "axpy_param_0"),
    ],
)
def test_bad_input_is_a_message(
    source: str, capsys: pytest.CaptureFixture[str], words: list[str], code: str, text: str
) -> None:
    assert cli.main(["run", source, *LAUNCH, *words]) == 1
    said = capsys.readouterr().err
    assert code in said
    assert text in said


def test_a_buffer_that_is_not_there_is_bad_usage(
    source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "x.npy"
    words = ["run", source, *LAUNCH, *ARGUMENTS, "--save", f"none={target}"]
    assert cli.main(words) == 2
    assert "no kernel that ran has this buffer" in capsys.readouterr().err
    assert not target.exists()


@pytest.mark.parametrize(
    ("type_", "expected"),
    [("half", "f2"), ("double", "f8"), ("bfloat16", "u2"), ("int", "i4"), ("float4", "f4")],
)
def test_contents_are_of_the_type_given(
    source: str, tmp_path: Path, type_: str, expected: str
) -> None:
    words = ["run", source, "--grid", "1", "--block", "32", "--arg", f"0={type_}[64]=uniform(1,9)"]
    words += ["--arg", "1=float[64]", "--arg", "2=1", "--arg", "3=0"]
    found = saved(tmp_path, words, "0")
    assert found.dtype == np.dtype(expected)
    values = found.astype(np.float64)
    if type_ == "bfloat16":
        values = (found.astype(np.uint32) << 16).view(np.float32)
    assert values.min() >= 1
    assert values.max() <= 9
    assert len(np.unique(values)) > 5
