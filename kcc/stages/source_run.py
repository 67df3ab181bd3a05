"""Kernels of a source executed without a host program: each once, on buffers made from what is
said of its arguments."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.base.arguments import (
    BFLOAT16,
    VECTOR_WIDTHS,
    Argument,
    Buffer,
    Fill,
    FromFile,
    Initialiser,
    Iota,
    Random,
    Scalar,
    Structure,
    Uniform,
    element_bytes,
    structure_bytes,
    structure_numbers,
)
from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.expressions import Value, evaluate, free_names
from kcc.base.launch import Launch, numbers_of
from kcc.base.records import dataclass
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.types import VecTy
from kcc.frontend.ir.values import ArgumentRef
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.frontend.options import OptLevel
from kcc.frontend.types import AddressSpace
from kcc.opencl.session import HostSettings, Observer, Session, run_launch
from kcc.passes.facts import Around, plainly
from kcc.passes.memory.memory_use import dynamic_arrays
from kcc.stages.analyze import (
    AnalysisRequest,
    LaunchInputs,
    buffer_bytes,
    check_arguments,
    choose_kernels,
    compile_unit,
    known_launch,
    refusals,
    resolve,
)
from kcc.stages.given_arguments import arguments_of, array_of
from kcc.stages.host import Progress, ScriptRun
from kcc.tracegen.execute import KernelArgument, LocalMemory, NDRange

Array = NDArray[Any]

_DTYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "half": "f2", "int": "i4",
    "uint": "u4", "float": "f4", "long": "i8", "ulong": "u8", "double": "f8", "size_t": "u8",
    "ptrdiff_t": "i8", "intptr_t": "i8", "uintptr_t": "u8", BFLOAT16: "u2",
}  # fmt: skip
"""NumPy's types of elements; bfloat16 as its bits."""


@dataclass(frozen=True, slots=True)
class SourceRun:
    """The kernels of a source, the seed of `uniform`, and which buffers are kept."""

    request: AnalysisRequest
    seed: int = 0
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceRan:
    """The launches, buffers that are kept, in NumPy's format, and what there is to say."""

    script: ScriptRun
    kept: tuple[tuple[str, bytes], ...]
    said: tuple[Diagnostic, ...]


def run_source(
    asked: SourceRun, settings: HostSettings, observer: Observer | None = None,
    progress: Progress | None = None, stage: Around = plainly,
) -> SourceRan:  # fmt: skip
    """Launch each kernel that is asked for once, in the order of the source.

    Raises :class:`DiagnosticError`: as :func:`kcc.stages.analyze.analyze` for the source and
    K850 for a launch that is not known, K708 for arguments of which too little is known, K709 for
    contents of buffers that cannot be had, K71x for what a kernel does wrong.
    """
    request, seen = asked.request, progress or Progress()
    if settings.check:
        request = replace(request, options=replace(request.options, opt_level=OptLevel.O0))
    unit = compile_unit(request, stage)
    kernels = choose_kernels(unit, request.kernels)
    check_arguments(request.arguments, kernels, unit.module)
    session = Session(
        settings, observer, launches=seen.launches, sources=seen.sources, warnings=seen.warnings
    )
    session.sources.update(unit.sources)
    kept = list[tuple[str, bytes]]()
    for kernel in kernels:
        inputs = request.launches.get(kernel.name, request.other_launch)
        maker = _Maker(session, unit, kernel, inputs, request.arguments, asked.seed)
        arguments = maker.arguments()
        shape = _shape(kernel, maker.launch, maker.shared_bytes or 0)
        after = run_launch(session, unit, kernel, shape, arguments)
        for name in asked.kept:
            index = maker.index(name)
            if index is not None and index in after.buffers:
                kept.append((name, _file(maker.shaped(index, after.buffers[index]))))
    done = ScriptRun(tuple(session.launches), session.sources, tuple(session.warnings))
    return SourceRan(done, tuple(kept), (*unit.warnings, *refusals(unit, request.kernels)))


def _file(values: Array) -> bytes:
    written = io.BytesIO()
    np.save(written, values)
    return written.getvalue()


def _shape(kernel: Kernel, launch: Launch, shared_bytes: int) -> NDRange:
    whole, part = numbers_of(launch.global_size), numbers_of(launch.local_size)
    if whole is None or part is None:
        names = sorted(name for name in launch.free_names if not name.startswith("global_size_"))
        hint = f"give a value: --size {names[0]}=..." if names else "--global N --local N"
        message = f"the launch of '{kernel.name}' is not known"
        raise DiagnosticError([Diagnostic("K850", message, kernel.span, hint=hint)])
    return NDRange(whole, part, dynamic_local_bytes=shared_bytes)


class _Maker:
    """Makes the arguments of one kernel."""

    def __init__(
        self, session: Session, unit: CompiledUnit, kernel: Kernel, inputs: LaunchInputs,
        given: tuple[Argument, ...], seed: int,
    ) -> None:  # fmt: skip
        self.session, self.kernel, self.inputs, self.seed = session, kernel, inputs, seed
        self.names: Mapping[str, Value] = inputs.names
        self.given = arguments_of(kernel, (*inputs.arguments, *given))
        self.launch = resolve(kernel, inputs, unit.module)
        self.scalars = known_launch(kernel, self.launch, inputs, given).arguments
        self.shared = dynamic_arrays(kernel.function, unit.module)
        sizes = buffer_bytes(kernel, unit.module, inputs, given)
        self.shared_bytes = max((sizes[n] for n in self.shared if n in sizes), default=None)
        self.used = used_arguments(kernel.function)

    def index(self, name: str) -> int | None:
        """The place of the argument that `--save` names."""
        own = [each.name for each in self.kernel.arguments]
        for candidate in (name, f"{name}_data"):
            if candidate in own:
                return own.index(candidate)
        return int(name) if name.isdecimal() and int(name) < len(own) else None

    def arguments(self) -> list[KernelArgument]:
        """All of them; raises K708 that names those of which too little is known."""
        missing, made = list[str](), list[KernelArgument]()
        for index in range(len(self.kernel.arguments)):
            value = self.argument(index)
            if isinstance(value, _Missing):
                missing.append(self.wanted(index, value))
                value = None
            made.append(value)
        if self.shared and self.shared_bytes is None:
            missing.append(f"'{self.shared[0]}=float[N]'")
        if missing:
            message = f"too little is known of the arguments of '{self.kernel.name}' to run it"
            hint = f"give {' '.join(f'--arg {each}' for each in dict.fromkeys(missing))}"
            raise DiagnosticError([Diagnostic("K708", message, self.kernel.span, hint=hint)])
        return made

    def wanted(self, index: int, value: _Missing) -> str:
        """What `--arg` wants: for a part of an array the array."""
        array = array_of(self.kernel, self.kernel.arguments[index].name)
        return value.wanted if array is None else f"'{array}=float[N]'"

    def argument(self, index: int) -> KernelArgument | _Missing:
        argument, parameter = self.kernel.arguments[index], self.kernel.function.arguments[index]
        own = self.given.get(argument.name)
        value = None if own is None else own.value
        if parameter.attributes.byval is not None or isinstance(parameter.type, VecTy):
            return self.by_value(index, value)
        if not str(parameter.type).startswith("ptr"):
            if index in self.scalars:
                number = self.scalars[index]
                assert isinstance(number, int | float)
                return number
            return _Missing(f"{argument.name}=...") if index in self.used else 0
        if isinstance(value, Buffer) and own is not None:
            if argument.address_space is AddressSpace.LOCAL:
                return LocalMemory(self.bytes_of(own, value))
            return self.buffer(index, own, value)
        if isinstance(value, Scalar) and not free_names(value.value):
            return None if evaluate(value.value, {}) == 0 else self.no_buffer(argument.name)
        if index not in self.used and argument.address_space is not AddressSpace.LOCAL:
            return None
        if not argument.type.endswith("*"):
            message = f"'{argument.name}' ({argument.type}) needs a host program"
            hint = "kcc run takes a script that uses PyOpenCL's interface"
            raise DiagnosticError([Diagnostic("K708", message, self.kernel.span, hint=hint)])
        element = argument.type.removesuffix("*")
        element = element if element_bytes(element) else "float"
        return _Missing(f"'{argument.name}={element}[N]'")

    def no_buffer(self, name: str) -> _Missing:
        return _Missing(f"'{name}=float[N]'")

    def by_value(self, index: int, value: object) -> KernelArgument | _Missing:
        """A struct or a vector by value."""
        name = self.kernel.arguments[index].name
        if not isinstance(value, Structure):
            return _Missing(f"'{name}={{int 1, ...}}'")
        if self.kernel.function.arguments[index].attributes.byval is not None:
            data = structure_bytes(value, self.names)
            return _Missing(f"'{name}={{...}}'") if data is None else data
        numbers = structure_numbers(value, self.names)
        if numbers is None:
            return _Missing(f"'{name}={{...}}'")
        type_ = self.kernel.function.arguments[index].type
        assert isinstance(type_, VecTy)
        kind = "f" if "float" in str(type_.element) or "double" in str(type_.element) else "i"
        size = {"half": 2, "float": 4, "double": 8}.get(str(type_.element))
        size = size or int(str(type_.element)[1:]) // 8
        return np.array(numbers).astype(f"{kind}{size}")

    # buffers

    def count_of(self, own: Argument, value: Buffer) -> int:
        if not free_names(value.count) <= self.names.keys():
            missing = sorted(free_names(value.count) - self.names.keys())
            hint = f"give it a value: --size {missing[0]}=..."
            raise _unusable(own, f"'{missing[0]}' has no value", hint)
        count = int(evaluate(value.count, self.names))
        if count < 1:
            raise _unusable(own, f"it has {count} elements")
        return count

    def bytes_of(self, own: Argument, value: Buffer) -> int:
        size = element_bytes(value.element)
        if size is None:
            raise _unusable(own, f"the size of '{value.element}' is not known", "char[BYTES]")
        return size * self.count_of(own, value)

    def buffer(self, index: int, own: Argument, value: Buffer) -> Array:
        """A buffer in the session's memory, with its contents."""
        size = self.bytes_of(own, value)
        try:
            memory = self.session.memory.allocate(size)
        except MemoryError:
            raise _unusable(own, f"{size:,} bytes do not fit into memory") from None
        array = _typed(memory, value.element)
        if value.contents is not None:
            self.fill(array, index, own, value, value.contents)
        self.session.memory.note_copy(memory)
        return array

    def fill(
        self, array: Array, index: int, own: Argument, value: Buffer, contents: Initialiser
    ) -> None:
        is_scalar = value.element in _DTYPES
        scalar = value.element if is_scalar else value.element.rstrip("0123456789")
        match contents:
            case Iota():
                made = np.arange(len(array)).reshape(-1, *[1] * (array.ndim - 1))
            case Fill(expression):
                made = np.asarray(self.number(own, expression))
            case Uniform(low, high):
                made = _uniform(
                    np.random.default_rng([self.seed, index]), scalar, array.shape,
                    self.number(own, low), self.number(own, high),
                )  # fmt: skip
            case Random(seed):
                made = _random(int(self.number(own, seed)), scalar, array.shape)
            case FromFile(path):
                array[...] = _read(own, Path(path), array)
                return
        array[...] = _bfloat16(made) if scalar == BFLOAT16 else made.astype(array.dtype)

    def number(self, own: Argument, expression: Any) -> float:
        missing = sorted(free_names(expression) - self.names.keys())
        if missing:
            hint = f"give it a value: --size {missing[0]}=..."
            raise _unusable(own, f"'{missing[0]}' has no value", hint)
        return float(evaluate(expression, self.names))

    def shaped(self, index: int, data: NDArray[np.generic]) -> Array:
        """A buffer as it is saved: with the shape that was given for it."""
        own = self.given[self.kernel.arguments[index].name]
        assert isinstance(own.value, Buffer)
        extents = own.value.extents
        shape = [int(evaluate(each, self.names)) for each in extents] if extents else [len(data)]
        return np.array(data).reshape(*shape, *data.shape[1:])


@dataclass(frozen=True, slots=True)
class _Missing:
    """An argument of which too little is known; what `--arg` wants of it."""

    wanted: str


def _unusable(own: Argument, why: str, hint: str | None = None) -> DiagnosticError:
    message = f"no buffer for '{own.name}': {why}"
    return DiagnosticError([Diagnostic("K709", message, own.at, hint=hint)])


def _typed(memory: NDArray[np.uint8], element: str) -> Array:
    """Memory as elements: vectors as rows, those of three components with one that is unused."""
    if element in _DTYPES:
        return memory.view(_DTYPES[element])
    scalar = element.rstrip("0123456789")
    return memory.view(_DTYPES[scalar]).reshape(-1, VECTOR_WIDTHS[element[len(scalar) :]])


def _uniform(
    chance: np.random.Generator, scalar: str, shape: tuple[int, ...], low: float, high: float
) -> Array:
    made = chance.uniform(low, high, shape)
    return made if _is_float(scalar) else np.floor(made)


def _random(seed: int, scalar: str, shape: tuple[int, ...]) -> Array:
    chance = np.random.default_rng(seed)
    if _is_float(scalar):
        return chance.random(shape)
    limits = np.iinfo(_DTYPES[scalar])
    return chance.integers(limits.min, limits.max, shape, limits.dtype, endpoint=True)


def _is_float(scalar: str) -> bool:
    return scalar in ("half", "float", "double", BFLOAT16)


def _bfloat16(values: Array) -> NDArray[np.uint16]:
    """Rounded to nearest, ties to even."""
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def _read(own: Argument, path: Path, array: Array) -> Array:
    """The contents of a file that has the buffer's type and number of elements."""
    try:
        found: Array = np.asarray(np.load(path, allow_pickle=False))
    except (OSError, ValueError, EOFError) as error:
        why = getattr(error, "strerror", None) or "it is not a file of NumPy's format"
        raise _unusable(own, f"cannot read '{path}': {why}") from None
    if found.dtype.itemsize != array.dtype.itemsize:
        raise _unusable(own, f"the elements in '{path}' are not of {array.dtype.itemsize} bytes")
    if found.size != array.size:
        raise _unusable(own, f"'{path}' has {found.size:,} elements, not {array.size:,}")
    return np.ascontiguousarray(found).reshape(array.shape).view(array.dtype)


def used_arguments(function: Function) -> frozenset[int]:
    """The places of the arguments that a function's instructions read."""
    return frozenset(
        operand.index
        for instruction in function.instructions
        for operand in instruction.operands
        if isinstance(operand, ArgumentRef)
    )
