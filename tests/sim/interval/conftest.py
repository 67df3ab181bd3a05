"""Traces of some of our workloads, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.cli import main

ROOT = Path(__file__).parents[3]


def traced(folder: Path, name: str) -> str:
    target = folder / f"{name}.kct"
    script = ROOT / "kernels" / name / "workload.py"
    assert main(["trace", str(script), "--size", "tiny", "-o", str(target)]) == 0
    return str(target)


@pytest.fixture(scope="session")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("traces")
    return {name: traced(folder, name) for name in ("transpose", "bfs", "scan", "histogram")}
