"""Engines in processes of their own: a crash or a hang costs one program."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import sys
from types import TracebackType
from typing import Self

LIMIT_SECONDS = 180
"""Of wall time, for one program on a loaded machine; a usual one takes less than a second."""


class EngineProcess:
    """Asks an engine; starts it when it is needed, and anew when it has died."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, case: str) -> str:
        """A digest, or ``!`` and what is wrong: ``!died -11``, ``!timeout``, an error."""
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{case}\n".encode())
        process.stdin.flush()
        if not select.select([process.stdout], [], [], LIMIT_SECONDS)[0]:
            self.close()
            return "!timeout"
        line = process.stdout.readline().decode()
        if line.endswith("\n"):
            return line.strip()
        code = process.wait()
        self._process = None
        return f"!died {code}"

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            command = [sys.executable, "-P", "-m", "tests.robustness.programs.engines", self.name]
            if self.name == "oclgrind":
                command = ["oclgrind", "--data-races", *command]
            folder = os.environ | {"PYTHONPATH": os.pathsep.join(("", *sys.path)).strip(os.pathsep)}
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env=folder,
            )  # fmt: skip
        return self._process

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()


def has_oclgrind() -> bool:
    """Whether the third opinion is installed (Debian's package of that name)."""
    return shutil.which("oclgrind") is not None
