"""How a command ends when it cannot do what it was asked."""

from __future__ import annotations

import errno
from collections.abc import Iterable

from kcc.base.diagnostics import Diagnostic


class UsageError(Exception):
    """The command line is wrong (exit code 2); ``diagnostics`` say how."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__("; ".join(d.message for d in self.diagnostics))


def usage_error(message: str, hint: str | None = None) -> UsageError:
    """A :class:`UsageError` with one message."""
    return UsageError([Diagnostic("K009", message, hint=hint)])


OF_THE_MACHINE = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE}
)
"""Failures of the system that are no bug of kcc: no room, a quota or a limit reached, a device
that fails, a file system that is read-only."""


def is_of_the_machine(error: BaseException) -> bool:
    """Whether a failure is one of :data:`OF_THE_MACHINE`, or of all folders for temporary files."""
    if not isinstance(error, OSError):
        return False
    no_folder = error.filename is None and "temporary directory" in str(error)
    return error.errno in OF_THE_MACHINE or no_folder
