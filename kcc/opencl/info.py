"""``get_info`` of every object: the number of an info is looked up, its attribute is the answer."""

from __future__ import annotations

from typing import Any, ClassVar

from kcc.opencl.constants import Constants, status_code
from kcc.opencl.errors import LogicError, failure
from kcc.opencl.missing import NotInKcc, missing


class MissingInfo(LogicError, NotInKcc):
    """An attribute that kcc's object lacks; where a device lacks an info, PyOpenCL raises a
    LogicError."""


class Informed:
    """An object whose infos are its attributes in lower case."""

    _infos: ClassVar[type[Constants]]
    _info_routine: ClassVar[str]

    def get_info(self, param: int) -> Any:
        """The info; raises LogicError INVALID_VALUE for a number that is none."""
        for name, value in self._infos.names().items():
            if value == param:
                return getattr(self, name.lower())
        raise failure(self._info_routine, status_code.INVALID_VALUE, f"0x{param:X}")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        known = [n for n in dir(type(self)) if not n.startswith("_")]
        raise MissingInfo(str(missing(f"{type(self).__name__}.{name}", known)))
