"""Work shared by Dask's workers: the same bytes, also where workers die in the middle."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kcc.cli import main
from kcc.commands import journal

distributed: Any = pytest.importorskip("distributed", reason="needs kcc[cluster]")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

SOURCE = """\
__kernel void add(__global float *c, __global const float *a)
{
    for (int k = 0; k < ITEMS; ++k)
        c[get_global_id(0) * ITEMS + k] += a[k];
}
"""
ITEMS = "1,2,3,4,5,6,7,8"


def asked(source: Path, target: Path, *more: str) -> list[str]:
    return ["tune", str(source), "--sweep", f"ITEMS={ITEMS}", "--gpu", "v100", "--global", "65536",
            "--local", "64", "--csv", str(target), *more]  # fmt: skip


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "add.cl"
    path.write_text(SOURCE)
    return path


def explored(source: Path, target: Path, *more: str) -> list[str]:
    return ["explore", str(source), "-D", "ITEMS=4", "--global", "65536", "--local", "64",
            "--gpu", "v100", "--sweep", "mshrs=16,24,32,48,64,96", "--sweep", "warps=8,16,32,64",
            "--sweep", "latency_cycles.l2_hit=150,240", "--cost", "warps + mshrs",
            "--json", str(target), *more]  # fmt: skip


@pytest.mark.parametrize(("command", "pieces"), [(asked, 8), (explored, 48)])
def test_two_workers_that_are_killed_lose_nothing(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    command: Callable[..., list[str]], pieces: int,
) -> None:  # fmt: skip
    here, there = tmp_path / "here", tmp_path / "there"
    assert main(command(source, here)) == 0
    real, added, killed = journal.Journal[Any].add, list[int | str](), list[int]()
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs="CRITICAL"
    )

    def add(self: Any, task: int | str, found: Any) -> None:
        real(self, task, found)
        added.append(task)
        if len(added) == 1:  # in the middle: most are left
            for worker in cluster.workers.values():
                os.kill(worker.pid, signal.SIGKILL)
                killed.append(worker.pid)

    with monkeypatch.context() as patch, cluster:
        patch.setattr(journal.Journal, "add", add)
        assert main(command(source, there, "--scheduler", cluster.scheduler_address)) == 0
    assert len(killed) == 2
    assert len(added) == len(set(added)) == pieces
    assert there.read_bytes() == here.read_bytes()


@pytest.mark.parametrize("command", [asked, explored])
def test_workers_of_our_own(
    source: Path, tmp_path: Path, command: Callable[..., list[str]]
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    assert main(command(source, here)) == 0
    assert main(command(source, there, "--dask", "local", "--jobs", "2")) == 0
    assert there.read_bytes() == here.read_bytes()


def test_a_scheduler_that_is_not_there_is_said(
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(import_module("kcc.commands.cluster"), "CONNECT_SECONDS", 2)
    target = tmp_path / "x.csv"
    assert main(asked(source, target, "--scheduler", "tcp://127.0.0.1:9")) == 1
    assert "K898" in capsys.readouterr().err
    assert main(asked(source, target, "--scheduler", "tcp://h:1", "--dask", "local")) == 2
