"""Programs: OpenCL C, compiled by kcc as a GPU compiler would optimise it (-O2), or, with
-cl-opt-disable, with the source's control flow (-O1)."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kcc.base.diagnostics import DiagnosticError, render
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit, Language
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.opencl.build_options import UnknownOptionError, parse_options, split_options
from kcc.opencl.constants import (
    program_binary_type,
    program_build_info,
    program_info,
    program_kind,
    status_code,
)
from kcc.opencl.device import Device
from kcc.opencl.errors import BuildError, ErrorRecord, LogicError, RuntimeError, failure
from kcc.opencl.events import Context
from kcc.opencl.info import Informed
from kcc.opencl.kernel import Kernel
from kcc.opencl.missing import ADVICE
from kcc.opencl.session import Session


class CompilerWarning(UserWarning):
    """A program builds, but the compiler has something to say."""


class RepeatedKernelRetrieval(UserWarning):
    """PyOpenCL's warning; kcc never gives it, since getting a kernel costs nothing here."""


class Program(Informed):
    """OpenCL C to be built, and then its kernels as attributes."""

    _infos, _info_routine = program_info, "clGetProgramInfo"
    reference_count, num_devices = 1, 1

    def __init__(
        self, context: Context, source: str | bytes | Sequence[Device], binaries: Any = None
    ) -> None:
        if not isinstance(source, (str, bytes)) or binaries is not None:
            what = f"kcc compiles OpenCL C: programs from binaries are not there; {ADVICE}"
            raise failure("clCreateProgramWithBinary", status_code.INVALID_BINARY, what)
        self.context = context
        self.devices: list[Device] = context.devices
        self.source = source.decode() if isinstance(source, bytes) else source
        self._options: list[str] = []
        self._log = ""
        self._failed = False
        self.is_generated = _is_called_from(context.session.wheel)
        """Whether a module of PyOpenCL's made it: its scans read local memory beyond what they
        wrote, and do not use that."""
        self.unit: CompiledUnit | None = None

    def build(
        self,
        options: str | bytes | Sequence[str | bytes] | None = None,
        devices: Sequence[Device] | None = None,
        cache_dir: str | None = None,
    ) -> Program:
        """Compile; raises RuntimeError BUILD_PROGRAM_FAILURE with the compiler's messages."""
        self._options = split_options(options)
        try:
            parsed = parse_options(self._options)
        except UnknownOptionError as error:
            what = f"'{error}' is no option of clBuildProgram"
            record = ErrorRecord(what, status_code.INVALID_BUILD_OPTIONS, "clBuildProgram")
            raise RuntimeError(record) from None
        parsed = replace(parsed, sub_group_size=self.context.session.settings.width)
        wheel = self.context.session.wheel
        if wheel is not None:
            parsed = replace(parsed, include_dirs=(*parsed.include_dirs, str(wheel / "cl")))
        if self.context.session.settings.check:
            parsed = replace(parsed, opt_level=OptLevel.O0)
        try:
            self.unit = compile_program(self.context.session, self.source, parsed)
        except DiagnosticError as error:
            self._failed = True
            self._log = self._render(error.diagnostics)
            record = ErrorRecord(
                f"\n\n{self._log}", status_code.BUILD_PROGRAM_FAILURE, "clBuildProgram"
            )
            raise BuildError(record, error) from None
        self._failed, self._log = False, self._render(self.unit.warnings)
        if self._log:
            warnings.warn(self._log, CompilerWarning, stacklevel=2)
        return self

    def _render(self, diagnostics: Sequence[Any]) -> str:
        sources = self.context.session.sources
        return "\n".join(render(each, sources) for each in diagnostics)

    @property
    def int_ptr(self) -> int:
        return id(self)

    def kind(self) -> int:
        return program_kind.SOURCE

    def built(self, routine: str) -> CompiledUnit:
        """The compiled program; raises LogicError before it has been built."""
        if self.unit is None:
            raise failure(
                routine, status_code.INVALID_PROGRAM_EXECUTABLE, "the program has not been built"
            )
        return self.unit

    def all_kernels(self) -> list[Kernel]:
        """A new kernel object for every kernel."""
        return [Kernel(self, each.name) for each in self.built("clCreateKernelsInProgram").kernels]

    @property
    def num_kernels(self) -> int:
        return len(self.built("clGetProgramInfo").kernels)

    @property
    def kernel_names(self) -> str:
        return ";".join(each.name for each in self.built("clGetProgramInfo").kernels)

    @property
    def binary_sizes(self) -> list[int]:
        raise failure("clGetProgramInfo", status_code.INVALID_OPERATION, _NO_BINARIES)

    @property
    def binaries(self) -> list[bytes]:
        raise failure("clGetProgramInfo", status_code.INVALID_OPERATION, _NO_BINARIES)

    def get_build_info(self, device: Device, param: int) -> int | str:
        """How building went, with which options, and what the compiler said."""
        match param:
            case program_build_info.STATUS:
                return -2 if self._failed else 0 if self.unit else -1  # error, success, none
            case program_build_info.OPTIONS:
                return " ".join(self._options)
            case program_build_info.LOG:
                return self._log
            case program_build_info.BINARY_TYPE if self.unit is not None:
                return program_binary_type.EXECUTABLE
            case program_build_info.BINARY_TYPE:
                return program_binary_type.NONE
            case _:
                raise failure("clGetProgramBuildInfo", status_code.INVALID_VALUE)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return Kernel(self, name)
        except LogicError as error:
            known = [each.name for each in self.unit.kernels] if self.unit is not None else []
            listed = f"its kernels are {', '.join(known)}" if known else "it has not been built"
            message = f"'{name}' was not found as a program info attribute or as a kernel name"
            raise AttributeError(f"{message}; {listed}") from error


def _is_called_from(folder: Path | None) -> bool:
    """Whether the code that made a program lies in a folder."""
    frame = inspect.currentframe()
    maker = frame.f_back.f_back if frame is not None and frame.f_back is not None else None
    if folder is None or maker is None:
        return False
    return Path(maker.f_code.co_filename).is_relative_to(folder)


_NO_BINARIES = f"kcc compiles anew, or from its own cache: programs have no binaries; {ADVICE}"


def compile_program(session: Session, source: str, options: BuildOptions) -> CompiledUnit:
    """The unit of a source, compiled once for each set of options in a process.

    Raises :class:`DiagnosticError`; the session then knows the source's lines.
    """
    name = _name_of(session, source)
    session.sources[name] = source.split("\n")
    key = (name, source, options, str(Path.cwd()))
    unit = _units.get(key)
    if unit is None or not _is_fresh(unit, name):
        unit = compile_source(SourceText(name, source, "."), options, language=Language.OPENCL)
        if len(_units) >= MAX_UNITS:
            _units.clear()
        _units[key] = unit
    session.sources.update(unit.sources)
    return unit


MAX_UNITS = 128

_units: dict[tuple[str, str, BuildOptions, str], CompiledUnit] = {}
"""What this process has compiled."""


def _is_fresh(unit: CompiledUnit, name: str) -> bool:
    """Whether the files that a unit includes are as they were."""
    included = (each for each in unit.sources if each != name)
    return all(_holds(Path(each), "\n".join(unit.sources[each])) for each in included)


def _name_of(session: Session, source: str) -> str:
    """What messages call a source: the file beside the script that holds this text, else a
    number."""
    if session.folder is not None and session.folder.is_dir():
        for path in sorted(session.folder.glob("*.cl")):
            if path.stat().st_size <= 4 * len(source) and _holds(path, source):
                return _shown(path)
    known = [n for n, lines in session.sources.items() if lines == source.split("\n")]
    return known[0] if known else f"<program {1 + sum(n[0] == '<' for n in session.sources)}>"


def _holds(path: Path, source: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") == source
    except (OSError, UnicodeDecodeError):
        return False


def _shown(path: Path) -> str:
    """A path as short as the user would write it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
