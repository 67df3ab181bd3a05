"""Runs every command once and leaves all that it writes in a folder, for comparison byte by byte.

``python -m tests.kcc.determinism FOLDER JOBS [NAME...]``
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from pathlib import Path

from kcc import cli

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "kernels"
JOBS = "JOBS"
"""Stands for the number of processes."""

COMMANDS: dict[str, list[str]] = {
    "analyze": ["analyze", "reduction/reduction.cl", "--json", "analysis.json"],
    "estimate": [
        "estimate", "matmul/matmul.cl", "--gpu", "v100", "--gpu", "a100", "--jobs", JOBS,
        "--json", "estimate.json", "--csv", "estimate.csv",
    ],
    "trace": ["trace", "bfs/workload.py", "--size", "tiny", "-o", "bfs.kct"],
    "static": ["trace", "transpose/transpose.cl", "-o", "transpose.kct"],
    "profile": ["profile", "bfs.kct", "--json", "profile.json"],
    "simulate": ["simulate", "bfs.kct", "--gpu", "v100", "--gpu", "a100", "--jobs", JOBS,
                 "--json", "simulation.json"],
    "interval": ["simulate", "bfs.kct", "--gpu", "v100", "--model", "interval",
                 "--json", "interval.json"],
    "explore": ["explore", "bfs.kct", "--gpu", "v100", "--sweep", "sm_count=40,80",
                "--json", "exploration.json"],
    "synth": ["synth", "vecadd/workload.py", "--size", "tiny", "-o", "mini.cl",
              "--json", "synthesis.json"],
}  # fmt: skip
"""In order: later ones read what earlier ones write."""


def resolved(word: str, jobs: str) -> str:
    """A word of a command line, with the path of a kernel in full."""
    if word == JOBS:
        return jobs
    return str(KERNELS / word) if (KERNELS / word).is_file() else word


def main(arguments: list[str]) -> int:
    """Entry point: files of every command, and what it prints as NAME.txt; 1 if one fails."""
    folder, jobs, *names = arguments
    os.chdir(folder)
    for name in names or COMMANDS:
        words, said = [resolved(word, jobs) for word in COMMANDS[name]], io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = cli.main(words)
        Path(f"{name}.txt").write_text(said.getvalue(), encoding="utf-8")
        if code != 0:
            print(f"{name} ends with {code}: {said.getvalue()}", file=sys.stderr)  # noqa: T201
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
