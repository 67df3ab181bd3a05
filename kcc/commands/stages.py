"""Runs the stages of the pipeline on behalf of a command: names them in failures, times them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from kcc.base.diagnostics import Diagnostic, DiagnosticError, InternalError
from kcc.commands.errors import UsageError, is_of_the_machine

T = TypeVar("T")


class StageRunner:
    """Calls each stage; ``cpu_seconds`` maps the names of those done to the time they took."""

    def __init__(self) -> None:
        self.cpu_seconds: dict[str, float] = {}

    def __call__(self, stage: str, work: Callable[[], T]) -> T:
        """The result of ``work``.

        Bad input passes through as :class:`DiagnosticError`; what exhausts recursion or memory
        becomes one (K006, K007); any other exception becomes an :class:`InternalError`.
        """
        start = time.process_time()
        try:
            return work()
        except (DiagnosticError, UsageError, InternalError, BrokenPipeError):
            raise
        except RecursionError as error:
            message = f"the source is nested too deeply (stage '{stage}')"
            raise DiagnosticError([Diagnostic("K006", message)]) from error
        except MemoryError as error:
            message = f"the source needs more memory than there is (stage '{stage}')"
            raise DiagnosticError([Diagnostic("K007", message)]) from error
        except Exception as error:
            if is_of_the_machine(error):
                raise
            raise InternalError(stage, f"{type(error).__name__}: {error}") from error
        finally:
            spent = time.process_time() - start
            self.cpu_seconds[stage] = self.cpu_seconds.get(stage, 0.0) + spent

    def table(self) -> str:
        """The times as text, one stage per line."""
        width = max((len(name) for name in self.cpu_seconds), default=0)
        rows = [f"  {name:<{width}}  {spent:7.3f}" for name, spent in self.cpu_seconds.items()]
        return "\n".join(["CPU seconds per stage", *rows, ""])
