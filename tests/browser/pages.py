"""The pages that kcc writes, made by its commands."""

from __future__ import annotations

from pathlib import Path

from kcc import cli

ROOT = Path(__file__).parents[2]

QUICK: dict[str, tuple[str, ...]] = {
    "analyze": ("analyze", "kernels/hotspot/hotspot.cl", "--gpu", "v100"),
    "estimate": (
        "estimate", "kernels/matmul/matmul.cl", "--kernel", "matmul_tiled", "--gpu", "v100",
        "--gpu", "a100", "--sweep", "TILE=8,16,32",
    ),
}  # fmt: skip
"""Command lines without `--html FILE`, that take seconds."""

SLOW: dict[str, tuple[str, ...]] = {
    "one": ("estimate", "kernels/transpose/transpose.cl", "--kernel", "transpose_tiled",
            "--gpu", "v100", "--ablate"),
    "simulate": ("simulate", "kernels/bfs/workload.py", "--size", "tiny", "--gpu", "v100",
                 "--gpu", "a100"),
    "explore": ("explore", "kernels/vecadd/vecadd.cl", "--kernel", "vecadd", "--size", "tiny",
                "--gpu", "v100", "--what-if", "--sweep", "warps=8,16,32"),
    "memory": ("memory", "kernels/spmv/workload.py", "--size", "tiny", "--gpu", "v100",
               "--trials", "8"),
}  # fmt: skip
"""Others."""


def made(name: str, folder: Path) -> Path:
    """The page of this name, which is written once; run where relative paths are the root's."""
    target = folder / f"{name}.html"
    if not target.exists():
        command = {**QUICK, **SLOW}[name]
        assert cli.main([*command, "--html", str(target)]) == 0
    return target
