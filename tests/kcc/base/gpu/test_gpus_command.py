"""`kcc gpus`, run in process."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import kcc
from kcc import cli
from kcc.base.gpu.loading import gpu_names
from kcc.base.gpu.schema import rules

SCHEMA = json.loads(resources.files(kcc).joinpath("schemas/gpu-1.json").read_text(encoding="utf-8"))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["gpus", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def document(text: str) -> dict[str, Any]:
    made = json.loads(text)
    jsonschema.validate(made, SCHEMA)
    return made


def test_list(capsys: pytest.CaptureFixture[str]):
    code, out, err = run(capsys, "list")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[1 : len(gpu_names()) + 1]] == gpu_names()


def test_list_as_json(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    made = json.loads(run(capsys, "list", "--json", "-")[1])
    jsonschema.validate(made | {"gpus": made["gpus"][::10]}, SCHEMA)
    assert [gpu["stem"] for gpu in made["gpus"]] == gpu_names()
    code, out, _ = run(capsys, "list", "--json", str(tmp_path / "gpus.json"))
    assert code == 0
    assert out
    assert json.loads((tmp_path / "gpus.json").read_text(encoding="utf-8")) == made


def test_show(capsys: pytest.CaptureFixture[str]):
    code, out, _ = run(capsys, "show", "v100", "--set", "l2.size_bytes=4194304")
    assert code == 0
    assert "Tesla V100-PCIE-16GB" in out
    assert ["l2.size_bytes", "4194304", "bytes"] in [line.split() for line in out.splitlines()]
    assert "~243.6" in out
    assert "latency_cycles.barrier" in out.partition("not known:")[2]


def test_show_with_sources(capsys: pytest.CaptureFixture[str]):
    _, out, _ = run(capsys, "show", "v100", "--sources")
    assert "caps-tum/mt4g" in out.partition("sources:")[2]
    assert "or 29.9 (gpubenches: V100)" in out


def test_show_as_json(capsys: pytest.CaptureFixture[str]):
    (gpu,) = document(run(capsys, "show", "conf1", "--json", "-")[1])["gpus"]
    assert gpu["values"]["l2"]["size_bytes"]["value"] == 0
    assert gpu["values"]["l2"]["assoc"] == {"value": None, "reason": "no source gives it"}
    assert gpu["values"]["core_clock_base_mhz"]["quality"] == "assumed"


def test_diff(capsys: pytest.CaptureFixture[str]):
    _, out, _ = run(capsys, "diff", "conf1", "conf2")
    rows = [line.split() for line in out.splitlines()]
    assert ["sm_count", "8", "28", "SMs"] in rows
    assert f"2 keys differ, {len(rules()) - 2} are the same" in out
    assert "differ in nothing" in run(capsys, "diff", "v100", "gv100")[1]
    made = document(run(capsys, "diff", "conf1", "conf2", "--json", "-")[1])
    assert made["differing"] == ["name", "sm_count"]


def test_check(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    assert run(capsys, "check")[:2] == (0, f"{len(gpu_names())} descriptions: all in order\n")
    path = tmp_path / "mine.yaml"
    path.write_text("inherits: v100\nsm_cout: 3\n", encoding="utf-8")
    code, out, err = run(capsys, "check", str(path))
    assert (code, out) == (1, "1 description: 1 error, 0 warnings\n")
    assert f"{path}:2:1: error[K802]: a GPU has no 'sm_cout'" in err
    assert "did you mean 'sm_count'?" in err
    assert "sm_cout: 3\n" in err


def test_a_wrong_peak_is_a_warning_of_check_only(capsys: pytest.CaptureFixture[str]):
    code, out, err = run(capsys, "check", "v100", "--set", "fp32_peak_gflops=1000")
    assert (code, out) == (1, "1 description: 0 errors, 1 warning\n")
    assert "warning[K806]" in err
    assert run(capsys, "show", "v100", "--set", "fp32_peak_gflops=1000")[0] == 0


@pytest.mark.parametrize("arguments", [["show", "nothing"], ["diff", "v100", "nothing"]])
def test_unknown_names(capsys: pytest.CaptureFixture[str], arguments: list[str]):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "")
    assert "error[K800]: there is no GPU 'nothing'" in err


def test_without_a_command_it_lists(capsys: pytest.CaptureFixture[str]):
    assert run(capsys) == run(capsys, "list")
