"""The exceptions of PyOpenCL: a class by the kind of status code, the code, and the routine.

Exception
+-- Error
    +-- MemoryError    no memory for a buffer
    +-- LogicError     the host program made a mistake
    +-- RuntimeError   a program does not build, a profile is not available
        +-- KernelFault    a kernel did something wrong (kcc only)
"""

from __future__ import annotations

from collections.abc import Sequence

from kcc.base.diagnostics import DiagnosticError, render
from kcc.opencl.constants import status_code


class ErrorRecord:
    """What is known of an error."""

    def __init__(self, msg: str, code: int, routine: str) -> None:
        self._what, self._code, self._routine = msg, code, routine

    def routine(self) -> str:
        return self._routine

    def code(self) -> int:
        return self._code

    def what(self) -> str:
        return self._what

    def is_out_of_memory(self) -> bool:
        return self._code in _OUT_OF_MEMORY

    def __str__(self) -> str:
        name = status_code.to_string(self._code, "<unknown error %d>") if self._code else ""
        parts = [f"{self._routine} failed: {name}" if self._routine else name, self._what]
        return " - ".join(part for part in parts if part)


class Error(Exception):
    """Any error of OpenCL; ``args[0]`` is its record, or a text."""

    def __str__(self) -> str:
        return str(self.what)

    @property
    def what(self) -> ErrorRecord | str:
        record = self.args[0] if self.args else ""
        return record if isinstance(record, ErrorRecord) else str(record)

    @property
    def code(self) -> int:
        return self._record.code()

    @property
    def routine(self) -> str:
        return self._record.routine()

    @property
    def _record(self) -> ErrorRecord:
        what = self.what
        return what if isinstance(what, ErrorRecord) else ErrorRecord(what, 0, "")


class MemoryError(Error):
    """There is no memory for what was asked."""


class LogicError(Error):
    """The host program uses OpenCL wrongly."""


class RuntimeError(Error):
    """Something failed while it was done."""


class BuildError(RuntimeError):
    """A program does not compile; ``error`` has the compiler's messages."""

    def __init__(self, record: ErrorRecord, error: DiagnosticError) -> None:
        super().__init__(record)
        self.error = error


class KernelFault(RuntimeError):
    """A kernel did something wrong; ``error`` says what, the text is the message in full."""

    def __init__(self, error: DiagnosticError, sources: dict[str, Sequence[str]]) -> None:
        text = "\n".join(render(d, sources) for d in error.diagnostics)
        code = status_code.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
        super().__init__(ErrorRecord(text, code, "clEnqueueNDRangeKernel"))
        self.error = error
        self.text = text


_OUT_OF_MEMORY = (
    status_code.MEM_OBJECT_ALLOCATION_FAILURE,
    status_code.OUT_OF_RESOURCES,
    status_code.OUT_OF_HOST_MEMORY,
)


def failure(routine: str, code: int, what: str = "") -> Error:
    """The error that PyOpenCL raises for a status code."""
    record = ErrorRecord(what, code, routine)
    if record.is_out_of_memory():
        return MemoryError(record)
    return LogicError(record) if code <= status_code.INVALID_VALUE else RuntimeError(record)
