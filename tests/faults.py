"""A full disk at byte k, for whole commands: every file that a command writes ends there.

The limit is the kernel's (RLIMIT_FSIZE), so that it holds for whoever writes: a write past it
fails with EFBIG as one on a full disk fails with ENOSPC. One process imports kcc and forks for
each byte, so that a fault costs what the command costs.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Fault:
    """How a command ended whose files could have ``limit_bytes``; ``files`` are those it left."""

    limit_bytes: int
    code: int
    error: str
    files: dict[str, bytes]


def with_limits(
    words: Sequence[str], limits: Sequence[int], inputs: Path, work: Path
) -> list[Fault]:
    """Run ``kcc WORDS`` once for each limit, in a new copy of ``inputs`` below ``work``."""
    found = list[Fault]()
    for limit in limits:
        folder = work / f"at{limit}"
        shutil.copytree(inputs, folder)
    ended = subprocess.run(
        [sys.executable, "-P", __file__, json.dumps([list(words), list(limits)])],
        cwd=work, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )  # fmt: skip
    given = {path.name for path in inputs.iterdir()}
    for limit, code, error in json.loads(ended.stdout):
        folder = work / f"at{limit}"
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file() and path.relative_to(folder).parts[0] not in given
        }
        found.append(Fault(limit, code, error, files))
    return found


def _run_limited(words: list[str], limit: int) -> tuple[int, str]:
    """In a child of this process: exit code and what stands on standard error."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.dup2(writing, 2)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.chdir(f"at{limit}")
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        from kcc.cli import main

        code = 99
        try:
            code = main(words)
        finally:
            sys.stderr.flush()
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8", errors="replace") as pipe:
        error = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), error


def _main() -> None:
    importlib.import_module("kcc.cli")  # before the forks

    words, limits = json.loads(sys.argv[1])
    print(json.dumps([(limit, *_run_limited(words, limit)) for limit in limits]))  # noqa: T201


if __name__ == "__main__":
    _main()
