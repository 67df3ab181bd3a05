"""The workflow of docs/how-to/github-action.md: its shell parts do what the page says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "github-action.md"

KERNEL = """\
__kernel void copy(__global const float *in, __global float *out)
{
    const int x = get_global_id(0), y = get_global_id(1);
    out[y * 4096 + x] = in[INDEX];
}
"""
FAST, SLOW = "y * 4096 + x", "x * 4096 + y"


def workflow() -> dict[str, Any]:
    found = re.search(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    parsed: dict[str, Any] = yaml.safe_load(found[1])
    return parsed


def steps() -> dict[str, str]:
    """The shell parts by name."""
    return {s["name"]: s["run"] for s in workflow()["jobs"]["kernels"]["steps"] if "run" in s}


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


def repository(folder: Path, before: str, after: str) -> None:
    """A branch `main`, and a change of it under way."""
    source = folder / "kernels" / "stencil.cl"
    source.parent.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    for branch, index in (("main", before), ("change", after)):
        if branch != "main":
            git(folder, "update-ref", "refs/remotes/origin/main", "main")
            git(folder, "checkout", "-q", "-b", branch)
        source.write_text(KERNEL.replace("INDEX", index), encoding="utf-8")
        (folder / "note").write_text(branch, encoding="utf-8")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", branch)


def run(name: str, folder: Path, temporary: Path) -> subprocess.CompletedProcess[str]:
    """A step as the host runs it: bash, which stops at what fails."""
    commands = temporary / "bin"
    commands.mkdir(exist_ok=True)
    (commands / "kcc").write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m kcc "$@"\n', "utf-8")
    (commands / "kcc").chmod(0o755)
    settings = {str(k): str(v) for k, v in workflow()["env"].items()}
    environment = {
        **os.environ, **settings, "GITHUB_BASE_REF": "main", "RUNNER_TEMP": str(temporary),
        "GITHUB_STEP_SUMMARY": str(temporary / "summary.md"), "PYTHONPATH": str(ROOT),
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", steps()[name]], cwd=folder, env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_a_slower_kernel_fails_and_is_explained(tmp_path: Path):
    folder, temporary = tmp_path / "repository", tmp_path / "temporary"
    temporary.mkdir()
    repository(folder, FAST, SLOW)
    for name in ("estimate", "findings"):
        ended = run(name, folder, temporary)
        assert ended.returncode == 0, ended.stderr
    gate = run("gate", folder, temporary)
    assert gate.returncode == 1, gate.stderr
    assert run("summary", folder, temporary).returncode == 0
    comment = (temporary / "summary.md").read_text(encoding="utf-8")
    assert "beyond the limit of 5 %" in comment
    assert "kernels/stencil.cl:4" in comment
    log = json.loads((temporary / "findings.sarif").read_text(encoding="utf-8"))
    assert log["runs"][0]["results"][0]["ruleId"] == "uncoalesced"


@pytest.mark.slow
def test_a_change_of_something_else_passes(tmp_path: Path):
    folder, temporary = tmp_path / "repository", tmp_path / "temporary"
    temporary.mkdir()
    repository(folder, FAST, FAST)
    assert run("estimate", folder, temporary).returncode == 0
    gate = run("gate", folder, temporary)
    assert gate.returncode == 0, gate.stderr
    assert "gate passed" in (temporary / "comment.md").read_text(encoding="utf-8")


def test_a_kernel_that_cannot_be_read_fails(tmp_path: Path):
    folder, temporary = tmp_path / "repository", tmp_path / "temporary"
    temporary.mkdir()
    repository(folder, FAST, "nothing")
    assert run("findings", folder, temporary).returncode == 1


def test_the_workflow_is_whole():
    found = workflow()
    assert found["permissions"]["pull-requests"] == "write"
    names = [step.get("name") or step["uses"] for step in found["jobs"]["kernels"]["steps"]]
    assert names.index("estimate") < names.index("gate") < names.index("comment")
    always = [s for s in found["jobs"]["kernels"]["steps"] if s.get("if") == "always()"]
    assert {"summary", "comment"} <= {step.get("name") for step in always}
