"""One bad kernel never takes its file along."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.cli import main
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, SourceText

OPENCL = """float helper(float x) { return x + nothing; }
kernel void good(global float *a) { a[get_global_id(0)] = 1; }
kernel void calls(global float *a) { a[get_global_id(0)] = helper(2); }
kernel void broken(global float *a) { a[get_global_id(0)] = ; }
typedef missing_t other_t;
kernel void typed(global other_t *a) { a[0] = 0; }
#define KERNEL(name, value) kernel void name(global int *a) { a[0] = value; }
KERNEL(expanded, unknown_value)
KERNEL(fine, 3)
"""

CUDA = """__device__ float helper(float x) { return x + nothing; }
__global__ void good(float *a) { a[threadIdx.x] = 1; }
__global__ void calls(float *a) { a[threadIdx.x] = helper(2); }
__global__ void broken(float *a) { a[threadIdx.x] = ; }
__global__ void typed(missing_t *a) { a[0] = 0; }
template <int n> __global__ void made(float *a) { a[n] = wrong(n); }
template __global__ void made<3>(float *);
__global__ void fine(int *a) { a[0] = 3; }
"""


def compiled(name: str, text: str) -> CompiledUnit:
    return compile_source(SourceText(name, text, "."), BuildOptions(), partial=True)


def lines(unit: CompiledUnit) -> dict[str, list[int]]:
    return {r.kernel: sorted({d.span.line for d in r.diagnostics if d.span}) for r in unit.refused}


def test_opencl_kernels_without_error_are_compiled() -> None:
    unit = compiled("a.cl", OPENCL)
    assert [k.name for k in unit.kernels] == ["good", "fine"]
    assert lines(unit) == {
        "": [1, 5], "broken": [4], "calls": [3], "typed": [6], "expanded": [8],
    }  # fmt: skip


def test_cuda_kernels_without_error_are_compiled() -> None:
    unit = compiled("a.cu", CUDA)
    assert [k.name for k in unit.kernels] == ["good", "fine"]
    found = lines(unit)
    assert found.pop("made<3>", found.pop("made", None)) == [6]
    assert found == {"calls": [1], "broken": [4], "typed": [5]}


@pytest.mark.parametrize(("name", "text"), [("a.cl", OPENCL), ("a.cu", CUDA)])
def test_whole_sources_are_refused_where_all_is_wanted(name: str, text: str) -> None:
    with pytest.raises(DiagnosticError):
        compile_source(SourceText(name, text, "."), BuildOptions())


def test_nothing_left_is_an_error() -> None:
    with pytest.raises(DiagnosticError) as error:
        compiled("a.cl", "kernel void k(global int *a) { a[0] = b; }")
    assert [d.code for d in error.value.diagnostics] == ["K301"]


@pytest.mark.parametrize(("name", "text"), [("a.cl", OPENCL), ("a.cu", CUDA)])
def test_the_report_is_written_and_the_exit_code_says_what_is_missing(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, report = tmp_path / name, tmp_path / "report.json"
    source.write_text(text)
    assert main(["analyze", str(source), "--json", str(report), "--brief"]) == 1
    said = capsys.readouterr()
    assert "kernels left out" in said.out
    assert "error[K" in said.err
    found = json.loads(report.read_text())
    assert [k["name"] for k in found["kernels"]] == ["good", "fine"]
    assert {"broken", "calls", "typed"} <= {r["kernel"] for r in found["refused"]}
    assert all(r["errors"] for r in found["refused"])
    assert main(["analyze", str(source), "--kernel", "good", "--brief"]) == 0
    assert main(["analyze", str(source), "--kernel", "broken", "--brief"]) == 1
