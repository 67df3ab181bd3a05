"""Kernels: their arguments, and launching them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import kernel as frontend
from kcc.frontend.ir.types import size_bytes
from kcc.opencl.arguments import Value, checked_memory, scalar_bytes
from kcc.opencl.constants import (
    command_type,
    kernel_arg_access_qualifier,
    kernel_arg_address_qualifier,
    kernel_arg_info,
    kernel_arg_type_qualifier,
    kernel_info,
    kernel_work_group_info,
    status_code,
)
from kcc.opencl.device import LOCAL_MEM_BYTES, Device
from kcc.opencl.errors import Error, ErrorRecord, KernelFault, failure
from kcc.opencl.events import CommandQueue, Context, Event, WaitList
from kcc.opencl.geometry import geometry
from kcc.opencl.images import Sampler
from kcc.opencl.info import Informed
from kcc.opencl.memory import LocalMemory, MemoryObjectHolder
from kcc.opencl.session import Session, run_launch
from kcc.tracegen import execute
from kcc.tracegen.execute import KernelArgument, NDRange
from kcc.tracegen.launch_checks import MAX_LOCAL_ITEMS

if TYPE_CHECKING:
    from kcc.opencl.program import Program


class Kernel(Informed):
    """A kernel with its arguments."""

    _infos, _info_routine = kernel_info, "clGetKernelInfo"
    reference_count = 1
    attributes = ""

    def __init__(self, program: Program, name: str) -> None:
        unit = program.built("clCreateKernel")
        found = [each for each in unit.kernels if each.name == name]
        if not found:
            raise failure("clCreateKernel", status_code.INVALID_KERNEL_NAME, f"'{name}'")
        self.program, self.unit, self.kernel = program, unit, found[0]
        self.function_name = name
        self.num_args = len(self.kernel.arguments)
        self._values: list[Value | _Unset] = [_UNSET] * self.num_args
        self._types: list[np.dtype[Any] | None] = [None] * self.num_args
        self._arrays: list[int] = []
        """Of arguments that are arrays or not: how many of the kernel's each is, 0 for no array."""

    @property
    def context(self) -> Context:
        return self.program.context

    @property
    def int_ptr(self) -> int:
        return id(self)

    def clone(self) -> Kernel:
        """Another kernel with the same arguments."""
        other = Kernel(self.program, self.function_name)
        other._values, other._types = list(self._values), list(self._types)
        other._arrays = self._arrays
        return other

    # arguments

    def set_scalar_arg_dtypes(self, arg_types: Sequence[Any]) -> None:
        """The numpy types of scalar arguments, None for others: a launch, or :meth:`set_args`,
        converts numbers to them."""
        self.set_arg_types(arg_types)

    def set_arg_types(self, arg_types: Sequence[Any]) -> None:
        """The same, where a type may be PyOpenCL's VectorArg too: an array, which becomes its
        memory and, with an offset, where in it the array begins."""
        widths, types = list[int](), list[np.dtype[Any] | None]()
        for each in arg_types:
            with_offset = getattr(each, "with_offset", None)
            widths.append(0 if with_offset is None else 2 if with_offset else 1)
            plain = each is None or with_offset is not None
            types += [
                None if plain else np.dtype(each),
                *([np.dtype(np.int64)] * bool(with_offset)),
            ]
        if len(types) != self.num_args:
            raise TypeError(
                f"length of argument list ({len(types)}) and CL-generated number of arguments "
                f"({self.num_args}) do not agree"
            )
        self._types = types
        self._arrays = widths if any(widths) else []

    def set_arg(self, index: int, value: Any) -> None:
        """Set one argument, counted from 0."""
        if not 0 <= index < self.num_args:
            raise failure("clSetKernelArg", status_code.INVALID_ARG_INDEX)
        self._values[index] = self._checked(index, value, None)

    def set_args(self, *values: Any) -> None:
        """Set all arguments."""
        if self._arrays and len(values) == len(self._arrays):
            values = tuple(self._unpacked(values))
        if len(values) != self.num_args:
            raise TypeError(
                f"kernel '{self.function_name}' takes {self.num_args} arguments "
                f"({len(values)} given)"
            )
        for index, value in enumerate(values):
            try:
                self._values[index] = self._checked(index, value, self._types[index])
            except Error as error:
                what = error.what
                if isinstance(what, str):
                    raise
                place = f"when processing arg#{index + 1} (1-based): "
                raise type(error)(
                    ErrorRecord(place + what.what(), what.code(), what.routine())
                ) from None

    def _unpacked(self, values: Sequence[Any]) -> Iterator[Any]:
        """Arguments with arrays as what the kernel takes for them."""
        for value, width in zip(values, self._arrays, strict=True):
            if not width:
                yield value
                continue
            if not value.flags.forc:
                raise RuntimeError(
                    "only contiguous arrays may be used as arguments to this operation"
                )
            yield value.base_data
            if width > 1:
                yield value.offset

    def _checked(self, index: int, value: Any, type_: np.dtype[Any] | None) -> Value:
        """The value in the form in which it is kept; raises LogicError where it cannot be one."""
        argument = self.kernel.arguments[index]
        parameter = self.kernel.function.arguments[index]
        if parameter.attributes.byval is None and str(parameter.type).startswith("ptr"):
            return checked_memory(argument, value, self.context)
        wanted = parameter.attributes.byval or parameter.type
        data, size = scalar_bytes(value, type_, argument), size_bytes(wanted)
        if len(data) != size:
            what = f"'{argument.name}' ({argument.type}) has {size} bytes, not {len(data)}"
            raise failure("clSetKernelArg", status_code.INVALID_ARG_SIZE, what)
        return data

    # infos

    def get_arg_info(self, index: int, param: int) -> int | str:
        """Name, type and qualifiers of an argument."""
        if not 0 <= index < self.num_args:
            raise failure("clGetKernelArgInfo", status_code.INVALID_ARG_INDEX)
        argument = self.kernel.arguments[index]
        match param:
            case kernel_arg_info.NAME:
                return argument.name
            case kernel_arg_info.TYPE_NAME:
                return argument.type
            case kernel_arg_info.ADDRESS_QUALIFIER:
                space = argument.address_space.name
                return getattr(kernel_arg_address_qualifier, space)
            case kernel_arg_info.ACCESS_QUALIFIER:
                return getattr(kernel_arg_access_qualifier, argument.access.upper())
            case kernel_arg_info.TYPE_QUALIFIER:
                return sum(
                    getattr(kernel_arg_type_qualifier, word.upper()) for word in argument.qualifiers
                )
            case _:
                raise failure("clGetKernelArgInfo", status_code.INVALID_VALUE)

    def get_work_group_info(self, param: int, device: Device) -> int | list[int]:
        """What work-groups this kernel may have and what they need."""
        from kcc.tracegen.simt.program import make_plan

        session = self.context.session
        match param:
            case kernel_work_group_info.WORK_GROUP_SIZE:
                required = self.kernel.required_local_size
                return math.prod(required) if required else MAX_LOCAL_ITEMS
            case kernel_work_group_info.COMPILE_WORK_GROUP_SIZE:
                return list(self.kernel.required_local_size or (0, 0, 0))
            case kernel_work_group_info.PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
                return session.settings.width
            case kernel_work_group_info.LOCAL_MEM_SIZE:
                own = (v.size for v in self._values if isinstance(v, LocalMemory))
                return local_bytes(self.unit, self.kernel) + sum(own)
            case kernel_work_group_info.PRIVATE_MEM_SIZE:
                return make_plan(
                    self.kernel, self.unit.module, session.settings.width
                ).private_bytes
            case _:
                raise failure("clGetKernelWorkGroupInfo", status_code.INVALID_VALUE)

    # launching

    def __call__(
        self,
        queue: CommandQueue,
        global_work_size: Sequence[int],
        local_work_size: Sequence[int] | None,
        *args: Any,
        global_offset: Sequence[int] | None = None,
        wait_for: WaitList = None,
        g_times_l: bool = False,
        allow_empty_ndrange: bool = False,
    ) -> Event:
        """Set the arguments and launch."""
        self.set_args(*args)
        return enqueue_nd_range_kernel(
            queue,
            self,
            global_work_size,
            local_work_size,
            global_offset,
            wait_for,
            g_times_l=g_times_l,
            allow_empty_ndrange=allow_empty_ndrange,
        )

    def values(self) -> list[Value]:
        """The arguments; raises LogicError unless all are set."""
        unset = [
            a.name
            for a, v in zip(self.kernel.arguments, self._values, strict=True)
            if isinstance(v, _Unset)
        ]
        if unset:
            what = f"not set: {', '.join(unset)}"
            raise failure("clEnqueueNDRangeKernel", status_code.INVALID_KERNEL_ARGS, what)
        return cast("list[Value]", list(self._values))


class _Unset:
    """An argument that has not been set."""


_UNSET = _Unset()


def enqueue_nd_range_kernel(
    queue: CommandQueue,
    kernel: Kernel,
    global_work_size: Sequence[int],
    local_work_size: Sequence[int] | None,
    global_work_offset: Sequence[int] | None = None,
    wait_for: WaitList = None,
    *,
    g_times_l: bool = False,
    allow_empty_ndrange: bool = False,
) -> Event:
    """Launch a kernel whose arguments are set.

    Without a local size each dimension gets, from the first, the largest divisor of its global
    size that leaves the work-group within 256 work-items.
    """
    values = kernel.values()
    shape = geometry(
        kernel.kernel, global_work_size, local_work_size, global_work_offset, times=g_times_l
    )
    if shape is None:
        return queue.enqueue(command_type.NDRANGE_KERNEL, lambda: 0, wait_for)
    _check_local(kernel, values)

    def work() -> int:
        return _launch(queue.context.session, kernel, shape, values)

    return queue.enqueue(command_type.NDRANGE_KERNEL, work, wait_for)


def _launch(session: Session, kernel: Kernel, shape: NDRange, values: list[Value]) -> int:
    """Run a launch; gives its warp instructions."""
    used = [v for v in values if isinstance(v, MemoryObjectHolder)]
    for each in used:
        each.take_host_changes()
    arguments = [_argument(value) for value in values]
    unwritten = kernel.program.is_generated
    try:
        done = run_launch(
            session, kernel.unit, kernel.kernel, shape, arguments, unwritten=unwritten
        )
    except DiagnosticError as error:
        raise KernelFault(error, session.sources) from error
    finally:
        for each in used:
            each.give_host_changes()
    return done.warp_instructions


def _argument(value: Value) -> KernelArgument:
    match value:
        case MemoryObjectHolder():
            return value.as_argument()
        case LocalMemory():
            return execute.LocalMemory(value.size)
        case Sampler():
            return value.value
        case _:
            return value


def local_bytes(unit: frontend.CompiledUnit, kernel: frontend.Kernel) -> int:
    """Local memory that a kernel declares."""
    from kcc.tracegen.simt.plan import global_names

    names = {n for i in kernel.function.instructions for o in i.operands for n in global_names(o)}
    found = (g for n, g in unit.module.globals.items() if n in names and g.space == 3)
    return sum(size_bytes(g.type) for g in found)


def _check_local(kernel: Kernel, values: Sequence[Value]) -> None:
    own = sum(v.size for v in values if isinstance(v, LocalMemory))
    needed = own + local_bytes(kernel.unit, kernel.kernel)
    if needed > LOCAL_MEM_BYTES:
        what = f"{needed} bytes of local memory; the device has {LOCAL_MEM_BYTES}"
        raise failure("clEnqueueNDRangeKernel", status_code.OUT_OF_RESOURCES, what)
