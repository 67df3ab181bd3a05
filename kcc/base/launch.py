"""Launch geometry: from what the user asked to checked global and local sizes.

A :class:`LaunchRequest` holds expressions, from the command line or a kernel.toml; a
:class:`Launch` holds numbers, or expressions where a name has no value yet. OpenCL's words and
rules: the global size counts work-items, and the local size divides it (OpenCL 1.2, section 5.8,
clEnqueueNDRangeKernel).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NoReturn, TypeAlias

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.expressions import (
    Binary,
    Expression,
    Name,
    Operator,
    Value,
    evaluate,
    format_expression,
    free_names,
    literal,
    simplify,
)
from kcc.base.records import dataclass

MAX_LOCAL_SIZE = 1024
"""Work-items of a work-group. 1024 on every NVIDIA GPU since compute capability 2.0 (CUDA C++
Programming Guide, technical specifications per compute capability) and on AMD's."""

MAX_GLOBAL_SIZE = 2**48
"""Work-items of a launch. No published limit: at one work-item per nanosecond this takes three
days, and products of three such numbers and 64-bit sizes stay far from trouble."""

MAX_GRID = (2**31 - 1, 65535, 65535)
"""Blocks of a grid in x, y and z, in every compute capability since 3.0; a launch with more fails
(CUDA C++ Programming Guide, technical specifications per compute capability)."""

MAX_BLOCK = (1024, 1024, 64)
"""Threads of a block in x, y and z (the same table)."""

ASSUMED_LOCAL_SIZE = {1: (256,), 2: (16, 16), 3: (16, 16, 1)}
"""The local size assumed where none is given, by the number of dimensions."""

Extent: TypeAlias = int | Expression
"""A size in one dimension: positive, or an expression with free names."""


class Origin(Enum):
    """Where a size comes from: the user, the kernel's reqd_work_group_size, or nowhere."""

    GIVEN = "given"
    REQUIRED = "required"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """A launch as asked for; ``grid`` (in blocks) and ``block`` are the CUDA spelling."""

    global_size: tuple[Expression, ...] | None = None
    local_size: tuple[Expression, ...] | None = None
    grid: tuple[Expression, ...] | None = None
    block: tuple[Expression, ...] | None = None


@dataclass(frozen=True, slots=True)
class Launch:
    """One to three dimensions of work-items (global) and work-items per work-group (local).

    Where both are numbers, the local size divides the global size.
    """

    global_size: tuple[Extent, ...]
    local_size: tuple[Extent, ...]
    global_origin: Origin
    local_origin: Origin

    @property
    def assumed(self) -> bool:
        """Whether a size was neither given nor required."""
        return Origin.ASSUMED in {self.global_origin, self.local_origin}

    @property
    def work_items(self) -> int | None:
        """Work-items of the launch, where they are known."""
        numbers = numbers_of(self.global_size)
        return math.prod(numbers) if numbers else None

    @property
    def group_size(self) -> int | None:
        """Work-items of one work-group, where they are known."""
        numbers = numbers_of(self.local_size)
        return math.prod(numbers) if numbers else None

    @property
    def groups(self) -> tuple[int, ...] | None:
        """Work-groups in each dimension, where they are known."""
        whole, part = numbers_of(self.global_size), numbers_of(self.local_size)
        if whole is None or part is None:
            return None
        return tuple(w // p for w, p in zip(whole, part, strict=True))

    @property
    def free_names(self) -> frozenset[str]:
        """The names that need a value before the sizes are numbers."""
        extents = (*self.global_size, *self.local_size)
        return frozenset[str]().union(*(free_names(e) for e in extents if not isinstance(e, int)))


def format_extent(extent: Extent) -> str:
    """A size as text."""
    return str(extent) if isinstance(extent, int) else format_expression(extent)


def resolve_launch(
    request: LaunchRequest,
    names: Mapping[str, Value],
    required_local: tuple[int, int, int] | None = None,
    used_dimensions: int = 1,
) -> Launch:
    """The launch of a kernel; what was not asked for is filled in as docs/reference/launch.md says.

    :param names: values of names; extents with other names stay expressions.
    :param required_local: the kernel's reqd_work_group_size.
    :param used_dimensions: one more than the largest dimension whose id the kernel asks for.
    :raises DiagnosticError: K022 to K024 from an expression, K030 to K035 for what cannot be run.
    """
    _check_spellings(request)
    asked_local = request.block if request.local_size is None else request.local_size
    asked_global = request.grid if request.global_size is None else request.global_size
    dimensions = _dimensions(request, asked_local, required_local, used_dimensions)
    global_size = _extents(asked_global, dimensions, names)
    local_size = _extents(asked_local, dimensions, names)
    if required_local:
        known = local_size or required_local[:dimensions]
        _check_required(known, required_local, asked_local or asked_global or ())
    if local_size:
        local_origin = Origin.GIVEN
    elif required_local:
        local_size, local_origin = required_local[:dimensions], Origin.REQUIRED
    else:
        targets = None if request.grid else global_size
        local_size, local_origin = _assumed_local(dimensions, targets), Origin.ASSUMED
    if request.block:
        _check_shape("block", MAX_BLOCK, local_size, request.block)
    if request.grid and global_size:
        _check_shape("grid", MAX_GRID, global_size, request.grid)
        global_size = tuple(map(_product, global_size, local_size))
    global_origin = Origin.GIVEN if global_size else Origin.ASSUMED
    if not global_size:
        global_size = tuple(Name(f"global_size_{d}") for d in range(dimensions))
    _check_limits(global_size, local_size, asked_global or (), asked_local or ())
    _check_divides(global_size, local_size, asked_global or (), asked_local or ())
    return Launch(global_size, local_size, global_origin, local_origin)


def whole_number(expression: Expression, names: Mapping[str, Value], what: str) -> int:
    """The value of an expression that has to be a positive whole number.

    :param what: what it is, for the message: "a local size".
    :raises DiagnosticError: K030, else as :func:`kcc.base.expressions.evaluate`.
    """
    value = evaluate(expression, names)
    whole = int(value)
    if whole != value:
        hint = "use // to divide whole numbers, or ceil(...)"
        message = f"{what} has to be a whole number, not {float(value):g}"
        _fail("K030", message, expression.at, hint)
    if whole <= 0:
        _fail("K030", f"{what} has to be positive, not {_short(whole)}", expression.at)
    return whole


def numbers_of(extents: Sequence[Extent]) -> tuple[int, ...] | None:
    """The sizes, if all of them are numbers."""
    numbers = tuple(extent for extent in extents if isinstance(extent, int))
    return numbers if len(numbers) == len(extents) else None


def _fail(code: str, message: str, at: Span | None, hint: str | None = None) -> NoReturn:
    raise DiagnosticError([Diagnostic(code, message, at, hint=hint)])


def _short(number: int) -> str:
    """A number for a message: of what has many digits, the magnitude."""
    if abs(number) < 10**15:
        return str(number)
    return f"{'-' if number < 0 else ''}2**{abs(number).bit_length() - 1} or more"


def _check_spellings(request: LaunchRequest) -> None:
    """One spelling for each size."""
    for opencl, cuda, spellings in (
        (request.global_size, request.grid, "--global and --grid"),
        (request.local_size, request.block, "--local and --block"),
    ):
        if opencl is not None and cuda is not None:
            _fail("K035", f"{spellings} exclude each other", cuda[0].at)


def _dimensions(
    request: LaunchRequest,
    asked_local: tuple[Expression, ...] | None,
    required_local: tuple[int, int, int] | None,
    used_dimensions: int,
) -> int:
    """The number of dimensions; OpenCL's spelling has to agree, CUDA's is filled up with ones."""
    if request.global_size and request.local_size:
        wide, narrow = len(request.global_size), len(request.local_size)
        if wide != narrow:
            message = f"the global size has {_count(wide)}, the local size {_count(narrow)}"
            _fail("K031", message, request.local_size[0].at)
    given = [len(size) for size in (request.global_size, request.grid, asked_local) if size]
    if given:
        return max(given)
    if required_local:
        needed = max((d + 1 for d in range(3) if required_local[d] > 1), default=1)
        return max(needed, used_dimensions)
    return used_dimensions


def _count(dimensions: int) -> str:
    return f"{dimensions} dimension{'' if dimensions == 1 else 's'}"


def _extents(
    asked: tuple[Expression, ...] | None, dimensions: int, names: Mapping[str, Value]
) -> tuple[Extent, ...]:
    """The values of the sizes asked for, filled up with ones; empty where none is asked for."""
    if not asked:
        return ()
    sizes: list[Extent] = []
    for expression in asked:
        if free_names(expression) <= names.keys():
            sizes.append(whole_number(expression, names, "a launch size"))
        else:
            sizes.append(simplify(expression, names))
    return (*sizes, *[1] * (dimensions - len(sizes)))


def _product(left: Extent, right: Extent) -> Extent:
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    first, second = (literal(e) if isinstance(e, int) else e for e in (left, right))
    return Binary(Operator.MULTIPLY, first, second)


def _assumed_local(dimensions: int, global_size: tuple[Extent, ...] | None) -> tuple[int, ...]:
    """The usual local size; of a known global size the largest divisor that is no larger."""
    usual = ASSUMED_LOCAL_SIZE[dimensions]
    if not global_size:
        return usual
    return tuple(
        next(d for d in range(size, 0, -1) if extent % d == 0) if isinstance(extent, int) else size
        for size, extent in zip(usual, global_size, strict=True)
    )


def _place(asked: Sequence[Expression], dimension: int) -> Span | None:
    return asked[dimension].at if dimension < len(asked) else None


def _check_required(
    local_size: tuple[Extent, ...],
    required: tuple[int, int, int],
    asked: tuple[Expression, ...],
) -> None:
    """A given local size has to be the required one (CL_INVALID_WORK_GROUP_SIZE).

    Nor can a launch have fewer dimensions than the required size needs.
    """
    shown = ", ".join(map(str, required))
    padded = (*local_size, 1, 1)[:3]
    for dimension, (size, wanted) in enumerate(zip(padded, required, strict=True)):
        if isinstance(size, int) and size != wanted:
            at = _place(asked, dimension) or _place(asked, 0)
            _fail("K034", f"the kernel requires the local size {shown}", at)


def _check_limits(
    global_size: tuple[Extent, ...],
    local_size: tuple[Extent, ...],
    asked_global: tuple[Expression, ...],
    asked_local: tuple[Expression, ...],
) -> None:
    """No more work-items than :data:`MAX_LOCAL_SIZE` and :data:`MAX_GLOBAL_SIZE`."""
    for extents, limit, asked, noun in (
        (local_size, MAX_LOCAL_SIZE, asked_local, "a work-group"),
        (global_size, MAX_GLOBAL_SIZE, asked_global, "a launch"),
    ):
        known = math.prod(extent for extent in extents if isinstance(extent, int))
        if known > limit:
            message = f"{noun} of {_short(known)} work-items: the limit is {limit}"
            _fail("K033", message, _place(asked, 0))


def _check_shape(
    noun: str,
    limits: tuple[int, int, int],
    extents: tuple[Extent, ...],
    asked: tuple[Expression, ...],
) -> None:
    """A launch in CUDA's spelling keeps to CUDA's limits in each dimension."""
    for dimension, (extent, limit) in enumerate(zip(extents, limits, strict=False)):
        if isinstance(extent, int) and extent > limit:
            message = f"a {noun} of {_short(extent)} in {'xyz'[dimension]}: the limit is {limit}"
            _fail("K033", message, _place(asked, dimension))


def _check_divides(
    global_size: tuple[Extent, ...],
    local_size: tuple[Extent, ...],
    asked_global: tuple[Expression, ...],
    asked_local: tuple[Expression, ...],
) -> None:
    """The local size divides the global size in each dimension where both are numbers."""
    found: list[Diagnostic] = []
    for dimension, (whole, part) in enumerate(zip(global_size, local_size, strict=True)):
        if isinstance(whole, int) and isinstance(part, int) and whole % part:
            at = _place(asked_local, dimension) or _place(asked_global, dimension)
            message = f"the local size {part} does not divide the global size {whole}"
            hint = f"round the global size up: roundup({whole}, {part})"
            found.append(Diagnostic("K032", message, at, hint=hint))
    if found:
        raise DiagnosticError(found)
