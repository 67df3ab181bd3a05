"""Whether a launch fits its kernel: what would otherwise end in native code."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.frontend.builtins.primitives import OF_WARPS, PrimitiveClass, primitive_of
from kcc.frontend.ir.instructions import AnyInstruction, Call, Cast, Load, Store
from kcc.frontend.ir.intrinsics import is_runnable
from kcc.frontend.ir.types import FloatTy, IntTy, IrType, VecTy, size_bytes
from kcc.frontend.ir.values import ConstantInt, Value
from kcc.frontend.kernel import Argument, CompiledUnit, Kernel
from kcc.frontend.types import AddressSpace
from kcc.tracegen.image_data import ImageData, Sampler
from kcc.tracegen.simt.plan import Plan

MAX_LOCAL_ITEMS = 1024
"""Work-items of a thread block: the limit of CUDA (compute capability 2.0 and up) and of AMD's
OpenCL runtime."""
MAX_ITEMS = 1 << 31
"""Work-items in each dimension stay below this, so that ids fit 32 bits."""
MAX_BLOCKS = 1 << 62
"""Thread blocks stay below this, so that their numbers fit 64 bits."""
MAX_LOCAL_BYTES = 1 << 20
"""Local memory of a thread block; the most a GPU has is 227 KiB (compute capability 9.0: CUDA C++
Programming Guide, table of technical specifications)."""
MAX_PRIVATE_BYTES = 512 << 10
"""Private memory of a work-item: the limit of CUDA (the same table, "amount of local memory per
thread")."""
WIDTHS = (32, 64)


def check_options(kernel: Kernel, width: int, workers: int, budget: int) -> None:
    """Raise K705 for numbers that an execution cannot have."""
    problem = None
    if width not in WIDTHS:
        problem = f"a warp has 32 or 64 lanes, not {width}"
    elif workers < 1:
        problem = f"a launch needs a worker or more, not {workers}"
    elif budget < 1:
        problem = f"the budget of instructions must be above zero, not {budget}"
    if problem is not None:
        raise DiagnosticError([Diagnostic("K705", problem, kernel.span)])


def check_intrinsics(kernel: Kernel) -> None:
    """Raise K706 for calls of LLVM intrinsics that the engine has no code for."""
    calls = (i for i in kernel.function.instructions if isinstance(i, Call) and i.is_intrinsic)
    found = next((i for i in calls if not is_runnable(i.callee)), None)
    if found is None:
        return
    place = found.location
    span = Span(place.file, place.line, place.column) if place else kernel.span
    message = f"kernel '{kernel.name}' calls '{found.callee}', which cannot be run"
    if "tensormap" in found.callee:
        message = f"kernel '{kernel.name}' copies by tensor maps (TMA), which cannot be run"
    raise DiagnosticError([Diagnostic("K706", message, span)])


def check_memory(kernel: Kernel, plan: Plan, local_bytes: int, dynamic_bytes: int) -> None:
    """Raise K704 where local memory has no size, or where local or private memory is larger than
    any GPU has."""
    problem, hint = None, None
    if plan.open_ended and dynamic_bytes <= 0:
        problem = f"kernel '{kernel.name}' declares 'extern __shared__ {plan.open_ended[0]}[]', "
        problem += "but the launch gives no size for it"
        hint = "NDRange(..., dynamic_local_bytes=...) says how many bytes a thread block has"
    elif local_bytes > MAX_LOCAL_BYTES:
        problem = f"kernel '{kernel.name}' needs {local_bytes} bytes of local memory; "
        problem += f"the limit is {MAX_LOCAL_BYTES}"
    elif plan.private_bytes > MAX_PRIVATE_BYTES:
        problem = f"a work-item of kernel '{kernel.name}' needs {plan.private_bytes} bytes of "
        problem += f"private memory; the limit is {MAX_PRIVATE_BYTES}"
    if problem is not None:
        raise DiagnosticError([Diagnostic("K704", problem, kernel.span, hint=hint)])


def check_geometry(
    kernel: Kernel, global_size: Sequence[int], local_size: Sequence[int], offset: Sequence[int]
) -> None:
    """Raise K702 unless the sizes are one to three positive numbers that divide."""
    problem = _geometry_problem(kernel, global_size, local_size, offset)
    if problem is not None:
        raise DiagnosticError([Diagnostic("K702", problem, kernel.span)])


def _geometry_problem(
    kernel: Kernel, global_size: Sequence[int], local_size: Sequence[int], offset: Sequence[int]
) -> str | None:
    whole, own = tuple(global_size), tuple(local_size)
    if len(whole) != len(own) or not 1 <= len(whole) <= 3 or len(offset) not in (0, len(whole)):
        return f"global size {whole} and local size {own} need the same one to three dimensions"
    pairs = zip(whole, own, strict=True)
    if any(b < 1 or a < 1 or a % b or a >= MAX_ITEMS for a, b in pairs):
        return f"global size {whole} is not a positive multiple, below 2^31, of local size {own}"
    if any(not 0 <= o < MAX_ITEMS for o in offset):
        return f"global offset {tuple(offset)} is not from 0 to 2^31"
    if math.prod(whole) // math.prod(own) >= MAX_BLOCKS:
        return f"global size {whole} has 2^62 or more thread blocks of {own}"
    if math.prod(own) > MAX_LOCAL_ITEMS:
        return f"local size {own} has more than {MAX_LOCAL_ITEMS} work-items"
    required = kernel.required_local_size
    if required is not None and (*own, 1, 1)[:3] != required:
        return f"kernel '{kernel.name}' requires local size {required}, not {own}"
    return None


def check_sub_groups(unit: CompiledUnit, kernel: Kernel, width: int) -> None:
    """Raise K424 where functions of sub-groups are written out for warps of another width."""
    # Sub-groups of fewer work-items are parts of a warp.
    wanted = kernel.required_sub_group_size or unit.sub_group_size
    parts = wanted is not None and wanted < min(WIDTHS)
    if wanted is None or wanted == width or parts or not _uses_sub_groups(kernel):
        return
    message = (
        f"kernel '{kernel.name}' has sub-groups of {wanted}, and warps here have {width} lanes"
    )
    raise DiagnosticError([Diagnostic("K424", message, kernel.span)])


def _uses_sub_groups(kernel: Kernel) -> bool:
    calls = (i for i in kernel.function.instructions if isinstance(i, Call))
    found = (primitive_of(call.callee) for call in calls)
    return any(p is not None and p.primitive_class in _OF_SUB_GROUPS for p in found)


_OF_SUB_GROUPS = OF_WARPS | {PrimitiveClass.SUBGROUP, PrimitiveClass.MATRIX}


GRID_FENCE = 4
"""The flag of a barrier that stands for one of the whole grid (kcc-cuda-groups.h)."""


def check_grid_barriers(kernel: Kernel, blocks: int) -> None:
    """Raise K427 for a barrier of the whole grid where it has several thread blocks: they run one
    after another here."""
    for instruction in kernel.function.instructions:
        if blocks == 1 or not isinstance(instruction, Call) or instruction.callee != _BARRIER:
            continue
        (flags,) = instruction.arguments
        if isinstance(flags, ConstantInt) and flags.value & GRID_FENCE:
            message = f"kernel '{kernel.name}' synchronises the grid, and it has {blocks} blocks"
            raise DiagnosticError([Diagnostic("K427", message, kernel.span)])


_BARRIER = "_Z7barrierj"


def check_spaces(kernel: Kernel) -> None:
    """Raise K426 for accesses through pointers whose address space is only known at run time;
    where no other ones become generic they point to global memory."""
    if not _meets_others(kernel):
        return
    for instruction in kernel.function.instructions:
        if not isinstance(instruction, (Load, Store)):
            continue
        pointer = instruction.operands[0 if isinstance(instruction, Load) else 1]
        if _is_generic(pointer):
            place = instruction.location
            span = Span(place.file, place.line, place.column) if place else kernel.span
            message = "what address space this pointer points into is known at run time only"
            raise DiagnosticError([Diagnostic("K426", message, span)])


def _is_generic(pointer: Value | AnyInstruction) -> bool:
    return str(pointer.type).startswith(f"ptr addrspace({int(AddressSpace.GENERIC)})")


def _meets_others(kernel: Kernel) -> bool:
    """Whether pointers into other spaces than global memory become generic ones somewhere."""
    return any(
        isinstance(each, Cast)
        and _is_generic(each)
        and not str(each.operand.type).startswith(f"ptr addrspace({int(AddressSpace.GLOBAL)})")
        for each in kernel.function.instructions
    )


def check_arguments(kernel: Kernel, values: Sequence[object], local_memory: type) -> None:
    """Raise K701 or K703 unless there is a value of the right kind and size for each argument;
    ``local_memory`` is the class of values for pointers to local memory."""
    expected = len(kernel.function.arguments)
    if len(values) != expected:
        message = f"kernel '{kernel.name}' takes {expected} arguments, {len(values)} given"
        raise DiagnosticError([Diagnostic("K701", message, kernel.span)])
    problems = list[Diagnostic]()
    for argument, parameter, value in zip(
        kernel.arguments, kernel.function.arguments, values, strict=True
    ):
        byval = parameter.attributes.byval
        problem = (
            _value_problem(byval or parameter.type, value)
            if byval is not None or not str(parameter.type).startswith("ptr")
            else _pointer_problem(argument, value, local_memory)
        )
        if problem is not None:
            message = f"argument '{argument.name}' {problem}"
            problems.append(Diagnostic("K703", message, kernel.span))
    if problems:
        raise DiagnosticError(problems)


def _pointer_problem(argument: Argument, value: object, local_memory: type) -> str | None:
    given = type(value).__name__
    if argument.type.startswith("image"):
        return None if isinstance(value, ImageData) else f"needs an image, not {given}"
    if argument.type.startswith("sampler"):
        return None if isinstance(value, Sampler) else f"needs a sampler, not {given}"
    if argument.address_space is AddressSpace.LOCAL:
        if not isinstance(value, local_memory):
            return f"needs a size of local memory, not {given}"
        size = getattr(value, "size_bytes", 0)
        return None if 0 < size < MAX_ITEMS else f"has {size} bytes of local memory"
    if value is None:
        return None
    if not isinstance(value, np.ndarray):
        return f"needs an array, not {given}"
    array = cast("NDArray[np.generic]", value)
    return "is an array of Python objects" if array.dtype.hasobject else None


def _value_problem(type_: IrType, value: object) -> str | None:
    given = type(value).__name__
    if isinstance(value, (bytes, np.ndarray, np.generic)):
        size = len(value) if isinstance(value, bytes) else value.nbytes
        wanted = {size_bytes(type_)}
        if isinstance(type_, VecTy):
            wanted.add(type_.lanes * size_bytes(type_.element))
        if size in wanted:
            return None
        return f"has {size_bytes(type_)} bytes, {given} has {size}"
    if isinstance(type_, IntTy) and isinstance(value, int):
        inside = -(1 << (type_.bits - 1)) <= value < 1 << type_.bits
        return None if inside else f"does not hold {value}"
    if isinstance(type_, FloatTy) and isinstance(value, (int, float)):
        return None
    return f"needs {_wanted(type_)}, not {given}"


def _wanted(type_: IrType) -> str:
    match type_:
        case IntTy() | FloatTy():
            return "a number"
        case VecTy():
            return "an array for its vector"
        case _:
            return "the bytes of its struct"
