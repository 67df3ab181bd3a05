"""Running a program that is recorded."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence

from kcc.base.diagnostics import Diagnostic, DiagnosticError

Tick = Callable[[int], None]
"""Called now and then while the program runs, with its process id."""

STOP_SECONDS = 20.0
"""That a program which is interrupted has to write what it has."""


def find_tool(name: str, package: str) -> str:
    """The path of a program that recording needs; raises K961."""
    path = shutil.which(name)
    if path is None:
        message = f"'{name}' is not there, which recording needs"
        hint = f"Debian and Ubuntu: apt install {package}"
        raise DiagnosticError([Diagnostic("K961", message, hint=hint)])
    return path


def run_recorded(
    command: Sequence[str], environment: Mapping[str, str], tick: Tick, every: float
) -> bool:
    """Run it to its end, with a ``tick`` every so many seconds; whether it came to its end. An
    interrupt stops the program, which has time to write what it has. Raises K962 where it cannot
    be started or fails."""
    try:
        program = subprocess.Popen(
            list(command), env={**os.environ, **environment}, start_new_session=True
        )
    except OSError as error:
        reason = error.strerror or str(error)
        raise _failed(f"'{command[0]}' cannot be started: {reason}") from None
    with program:
        try:
            while True:
                try:
                    program.wait(every)
                    break
                except subprocess.TimeoutExpired:
                    tick(program.pid)
        except KeyboardInterrupt:
            _stop(program)
            return False
        except BaseException:
            program.kill()
            raise
    if program.returncode:
        raise _failed(f"the program failed with exit code {program.returncode}")
    return True


def _stop(program: subprocess.Popen[bytes]) -> None:
    program.terminate()
    try:
        program.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        program.kill()


def _failed(message: str) -> DiagnosticError:
    return DiagnosticError([Diagnostic("K962", message)])


def nothing_recorded(why: str, hint: str | None = None) -> DiagnosticError:
    """K963."""
    return DiagnosticError([Diagnostic("K963", f"nothing was recorded: {why}", hint=hint)])
