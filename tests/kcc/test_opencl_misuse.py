"""What host programs do wrong: the exception, its status code, and the name of what is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import kcc.opencl as cl
from kcc.opencl.missing import NotInKcc
from tests import pocl

if TYPE_CHECKING:
    import pyopencl

SOURCE = """
__kernel void k(__global float *a, int n, __local float *l) { a[get_global_id(0)] = n; }
__kernel void one(__global float *a) { a[get_global_id(0)] += 1; }
__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void fixed(__global float *a)
{ a[get_global_id(0)] += 1; }
"""

Setting = Callable[[Any, Any, Any, Any], object]
"""A mistake: gets the module, a queue, the program, and a buffer of 1024 bytes."""


def kernel(name: str) -> Callable[..., Setting]:
    """A launch of a kernel of the program; what is called is called with module and buffer."""

    def launch(shape: Any, local: Any, *arguments: Any, **options: Any) -> Setting:
        def mistake(cl: Any, queue: Any, program: Any, buffer: Any) -> object:
            values = [a(cl, buffer) if callable(a) else a for a in arguments]
            return cl.Kernel(program, name)(queue, shape, local, *values, **options)

        return mistake

    return launch


def own(_cl: Any, buffer: Any) -> Any:
    return buffer


def local(cl: Any, _buffer: Any) -> Any:
    return cl.LocalMemory(64)


def make(flags: str, *arguments: Any, **options: Any) -> Setting:
    """Making a buffer."""

    def mistake(cl: Any, queue: Any, _program: Any, _buffer: Any) -> object:
        bits = 0
        for word in flags.split():
            bits |= getattr(cl.mem_flags, word)
        return cl.Buffer(queue.context, bits, *arguments, **options)

    return mistake


def copy(*, to: Any = None, source: Any = None, **options: Any) -> Setting:
    """Copying to or from the buffer; both where neither is given."""

    def mistake(cl: Any, queue: Any, _program: Any, buffer: Any) -> object:
        target = buffer if to is None else to
        return cl.enqueue_copy(queue, target, buffer if source is None else source, **options)

    return mistake


def fill(pattern: Any, offset: int, size: int) -> Setting:
    return lambda cl, queue, _, buffer: cl.enqueue_fill_buffer(queue, buffer, pattern, offset, size)


def part(*bounds: int) -> Setting:
    return lambda _cl, _queue, _program, buffer: buffer.get_sub_region(*bounds)


def build(source: str, options: Any = None) -> Setting:
    return lambda cl, queue, _program, _buffer: cl.Program(queue.context, source).build(options)


def released_twice(cl: Any, queue: Any, _program: Any, _buffer: Any) -> None:
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 64)
    buffer.release()
    buffer.release()


def event_set_twice(cl: Any, queue: Any, _program: Any, _buffer: Any) -> None:
    event = cl.UserEvent(queue.context)
    event.set_status(0)
    event.set_status(0)


def profile_of_nothing(_cl: Any, queue: Any, program: Any, buffer: Any) -> object:
    event = program.one(queue, (16,), None, buffer)
    event.wait()
    return event.profile.start


def slice_of(*bounds: int) -> Setting:
    return lambda _cl, _queue, _program, buffer: buffer[slice(*bounds)]


def set_argument(index: int, value: Any) -> Setting:
    return lambda cl, _queue, program, _buffer: cl.Kernel(program, "k").set_arg(index, value)


def repeat_without_normalized(cl: Any, queue: Any, _program: Any, _buffer: Any) -> object:
    return cl.Sampler(
        queue.context, UNNORMALISED, cl.addressing_mode.REPEAT, cl.filter_mode.NEAREST
    )


def image_too_large_a_region(cl: Any, queue: Any, _program: Any, _buffer: Any) -> object:
    texel = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    image = cl.create_image(queue.context, cl.mem_flags.READ_ONLY, texel, (4, 3))
    host = np.zeros((3, 4, 4), np.float32)
    return cl.enqueue_copy(queue, host, image, origin=(0, 0), region=(5, 3))


UNNORMALISED = False
N = np.int32(5)
BIG = np.zeros(1024, np.float32)
SMALL = np.zeros(256, np.float32)

SAME: dict[str, Setting] = {
    "plain int": kernel("k")((16,), None, own, 5, local),
    "wrong size of a scalar": kernel("k")((16,), None, own, np.int64(5), local),
    "array for a buffer": kernel("k")((16,), None, SMALL, N, local),
    "buffer for a scalar": kernel("k")((16,), None, own, own, local),
    "buffer for local memory": kernel("k")((16,), None, own, N, own),
    "local memory for a buffer": kernel("k")((16,), None, local, N, local),
    "text for a scalar": kernel("k")((16,), None, own, "x", local),
    "too few arguments": kernel("k")((16,), None, own, N),
    "argument of a wrong size": set_argument(1, np.int8(1)),
    "argument that is not there": set_argument(5, N),
    "nothing set": lambda cl, queue, program, _: cl.enqueue_nd_range_kernel(
        queue, cl.Kernel(program, "one"), (16,), None
    ),
    "local size that does not divide": kernel("one")((17,), (16,), own),
    "local size too large": kernel("one")((1 << 16,), (1 << 15,), own),
    "dimensions that differ": kernel("one")((16, 16), (16,), own),
    "four dimensions": kernel("one")((16, 1, 1, 1), None, own),
    "no dimensions": kernel("one")((), None, own),
    "offset of other dimensions": kernel("one")((16,), None, own, global_offset=(4, 4)),
    "number for a size": kernel("one")(16, None, own),
    "required size left out": kernel("fixed")((32,), None, own),
    "other than the required size": kernel("fixed")((32,), (8,), own),
    "no such kernel": lambda cl, _, program, __: cl.Kernel(program, "nope"),
    "no such attribute": lambda _, __, program, ___: program.nope,
    "not built": lambda cl, queue, _, __: cl.Kernel(cl.Program(queue.context, SOURCE), "one"),
    "does not compile": build("__kernel void f() { x; }"),
    "unknown option": build(SOURCE, "-foo"),
    "empty buffer": make("READ_WRITE", 0),
    "huge buffer": make("READ_WRITE", 1 << 45),
    "nothing to copy": make("COPY_HOST_PTR", 16),
    "nothing to use": make("USE_HOST_PTR", 16),
    "copied and used": make("COPY_HOST_PTR USE_HOST_PTR", hostbuf=SMALL),
    "allocated and used": make("ALLOC_HOST_PTR USE_HOST_PTR", hostbuf=SMALL),
    "two kinds of access": make("READ_ONLY WRITE_ONLY", 64),
    "two kinds of access by the host": make("HOST_READ_ONLY HOST_NO_ACCESS", 64),
    "larger than the host's": make("COPY_HOST_PTR", 2048, hostbuf=SMALL),
    "not contiguous": make("COPY_HOST_PTR", hostbuf=np.zeros((8, 8))[:, ::2]),
    "no bytes": make("COPY_HOST_PTR", hostbuf=np.zeros(0)),
    "list for a host buffer": make("COPY_HOST_PTR", hostbuf=[1, 2]),
    "released twice": released_twice,
    "part not aligned": part(4, 128),
    "part that reaches beyond": part(512, 1024),
    "part without bytes": part(0, 0),
    "part of a part": lambda _, __, ___, b: b.get_sub_region(0, 512).get_sub_region(0, 128),
    "slice with a step": slice_of(0, 512, 2),
    "slice without bytes": slice_of(512, 512),
    "item": lambda _, __, ___, buffer: buffer[0],
    "host array too large to read": copy(to=BIG),
    "host array too large to write": copy(source=BIG),
    "read beyond the end": copy(to=SMALL, src_offset=8),
    "copied onto itself": copy(byte_count=64, dst_offset=16),
    "copied beyond the end": copy(byte_count=2048),
    "from host to host": copy(to=SMALL, source=BIG),
    "to bytes": copy(to=b"1234"),
    "filled beyond the end": fill(np.float32(3), 0, 2048),
    "pattern of twelve bytes": fill(np.zeros(3, np.float32), 0, 1020),
    "not a multiple of the pattern": fill(np.float32(3), 0, 10),
    "pattern at an odd place": fill(np.float32(3), 2, 8),
    "mapped beyond the end": lambda cl, queue, _, buffer: cl.enqueue_map_buffer(
        queue, buffer, cl.map_flags.READ, 0, (400,), np.float32
    ),
    "no profile": profile_of_nothing,
    "event set to what it cannot be": lambda cl, queue, _, __: cl.UserEvent(
        queue.context
    ).set_status(5),
    "event set twice": event_set_twice,
    "waiting for no event": lambda cl, _, __, ___: cl.wait_for_events([]),
    "event in the place of a list": lambda cl, queue, program, buffer: program.one(
        queue, (16,), None, buffer, wait_for=cl.enqueue_marker(queue)
    ),
    "unknown info": lambda _, queue, __, ___: queue.device.get_info(0x9999),
    "context of no device": lambda cl, _, __, ___: cl.Context([]),
    "context of a kind that is not there": lambda cl, _, __, ___: cl.Context(
        dev_type=cl.device_type.ACCELERATOR
    ),
    "image without a shape": lambda cl, queue, _, __: cl.create_image(
        queue.context, 0, cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
    ),
    "region of an image": image_too_large_a_region,
    "repeat without normalized coordinates": repeat_without_normalized,
    "wrong number of types": lambda cl, _, program, __: cl.Kernel(
        program, "k"
    ).set_scalar_arg_dtypes([None]),
}


def outcome(module: Any, queue: Any, program: Any, mistake: Setting) -> tuple[list[str], int]:
    """The exception's classes by name up to Exception, and its status code."""
    buffer = module.Buffer(queue.context, module.mem_flags.READ_WRITE, 1024)
    try:
        found = mistake(module, queue, program, buffer)
    except Exception as raised:  # noqa: BLE001 -- which one is the question
        error: Any = raised
        names = [c.__name__ for c in type(error).__mro__ if c.__name__ not in OWN]
        is_cl = isinstance(error, module.Error) and not isinstance(error.what, str)
        return names, error.code if is_cl else 0
    raise AssertionError(f"nothing was raised: {found!r}")


OWN = ("BuildError", "MissingInfo", "NotInKcc", "AttributeError", "object")
"""Classes that stand between: of kcc, and what its errors are besides."""


@pytest.fixture(scope="module")
def own_queue() -> cl.CommandQueue:
    return cl.CommandQueue(cl.create_some_context())


@pytest.fixture(scope="module")
def own_program(own_queue: cl.CommandQueue) -> cl.Program:
    return cl.Program(own_queue.context, SOURCE).build()


@pytest.fixture(scope="module")
def pocl_program(pocl_context: pyopencl.Context) -> pyopencl.Program:
    return pocl.build(pocl_context, SOURCE)


@pytest.mark.sampled(2)
@pytest.mark.pocl
@pytest.mark.filterwarnings("ignore:Pre-build attribute access:UserWarning")
@pytest.mark.filterwarnings("ignore::pyopencl.RepeatedKernelRetrieval")
@pytest.mark.parametrize("name", SAME)
def test_same_mistake_same_error(
    name: str,
    own_queue: cl.CommandQueue,
    own_program: cl.Program,
    pocl_context: pyopencl.Context,
    pocl_program: pyopencl.Program,
):
    import pyopencl

    wanted = outcome(pyopencl, pyopencl.CommandQueue(pocl_context), pocl_program, SAME[name])
    assert outcome(cl, own_queue, own_program, SAME[name]) == wanted


def wait_for_failure(cl: Any, queue: Any, program: Any, buffer: Any) -> None:
    gate = cl.UserEvent(queue.context)
    held = program.one(cl.CommandQueue(queue.context), (16,), None, buffer, wait_for=[gate])
    gate.set_status(-1)
    held.wait()


def wait_for_ever(cl: Any, queue: Any, program: Any, buffer: Any) -> None:
    gate, other = cl.UserEvent(queue.context), cl.CommandQueue(queue.context)
    program.one(other, (16,), None, buffer, wait_for=[gate]).wait()


def use_released(_cl: Any, queue: Any, program: Any, buffer: Any) -> None:
    buffer.release()
    program.one(queue, (16,), None, buffer)


STRICTER: dict[str, tuple[Setting, type[Exception], int]] = {
    "three floats for a float3": (
        lambda cl, queue, _, __: cl.Kernel(
            cl.Program(queue.context, "__kernel void f(float3 v) {}").build(), "f"
        ).set_arg(0, np.zeros(3, np.float32)),
        cl.LogicError,
        cl.status_code.INVALID_ARG_SIZE,
    ),
    "buffer for an image": (
        lambda cl, queue, _, buffer: cl.Kernel(
            cl.Program(queue.context, "__kernel void f(read_only image2d_t i) {}").build(), "f"
        ).set_arg(0, buffer),
        cl.LogicError,
        cl.status_code.INVALID_MEM_OBJECT,
    ),
    "buffer for a sampler": (
        lambda cl, queue, _, buffer: cl.Kernel(
            cl.Program(queue.context, "__kernel void f(sampler_t s) {}").build(), "f"
        ).set_arg(0, buffer),
        cl.LogicError,
        cl.status_code.INVALID_SAMPLER,
    ),
    "more local memory than there is": (
        lambda cl, queue, program, buffer: program.k(
            queue, (16,), None, buffer, N, cl.LocalMemory(1 << 20)
        ),
        cl.MemoryError,
        cl.status_code.OUT_OF_RESOURCES,
    ),
    "empty image": (
        lambda cl, queue, _, __: cl.create_image(
            queue.context, 0, cl.ImageFormat(cl.channel_order.R, cl.channel_type.FLOAT), (0, 3)
        ),
        cl.LogicError,
        cl.status_code.INVALID_IMAGE_SIZE,
    ),
    "packed format": (
        lambda cl, queue, _, __: cl.create_image(
            queue.context,
            0,
            cl.ImageFormat(cl.channel_order.RGB, cl.channel_type.UNORM_INT_101010),
            (2, 3),
        ),
        cl.RuntimeError,
        cl.status_code.IMAGE_FORMAT_NOT_SUPPORTED,
    ),
    "released buffer": (use_released, cl.LogicError, cl.status_code.INVALID_MEM_OBJECT),
    "program from binaries": (
        lambda cl, queue, _, __: cl.Program(queue.context, queue.context.devices, [b"x"]),
        cl.LogicError,
        cl.status_code.INVALID_BINARY,
    ),
    "binaries of a program": (
        lambda _, __, program, ___: program.binaries,
        cl.LogicError,
        cl.status_code.INVALID_OPERATION,
    ),
    "waiting for ever": (wait_for_ever, cl.LogicError, cl.status_code.INVALID_EVENT),
    "waiting for what failed": (
        wait_for_failure,
        cl.RuntimeError,
        cl.status_code.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
    ),
}


@pytest.mark.parametrize("name", STRICTER)
def test_stricter_than_pocl(name: str, own_queue: cl.CommandQueue, own_program: cl.Program):
    mistake, kind, code = STRICTER[name]
    names, found = outcome(cl, own_queue, own_program, mistake)
    assert (names[0], found) == (kind.__name__, code)


def test_text_of_errors(own_queue: cl.CommandQueue, own_program: cl.Program):
    with pytest.raises(cl.LogicError) as caught:
        own_program.k(own_queue, (16,), None, None, 5, cl.LocalMemory(4))
    error = caught.value
    assert str(error) == (
        "Kernel.set_arg failed: INVALID_VALUE - when processing arg#2 (1-based): invalid kernel "
        "argument: 'n' (int) needs a numpy number such as np.int32(1), not int"
    )
    assert isinstance(error.what, cl.ErrorRecord)
    assert (error.code, error.routine) == (cl.status_code.INVALID_VALUE, "Kernel.set_arg")
    assert error.what.what().startswith("when processing arg#2")
    assert not error.what.is_out_of_memory()


def test_compiler_messages(own_queue: cl.CommandQueue):
    program = cl.Program(own_queue.context, "__kernel void f(__global int *x) {\n  y = 1;\n}")
    with pytest.raises(cl.RuntimeError, match=r":2:3: error\[K301\]") as caught:
        program.build()
    assert caught.value.code == cl.status_code.BUILD_PROGRAM_FAILURE
    log = program.get_build_info(own_queue.device, cl.program_build_info.LOG)
    assert "    2 |   y = 1;" in str(log)
    assert program.get_build_info(own_queue.device, cl.program_build_info.STATUS) == -2


def test_kernel_fault(own_queue: cl.CommandQueue, own_program: cl.Program):
    buffer = cl.Buffer(own_queue.context, cl.mem_flags.READ_WRITE, 64)
    with pytest.raises(cl.RuntimeError) as caught:
        own_program.one(own_queue, (32,), None, buffer)
    assert isinstance(caught.value, cl.KernelFault)
    (found,) = caught.value.error.diagnostics
    assert found.code == "K711"
    assert "error[K711]: read outside 'a' at byte offset 64" in str(caught.value)
    assert "__kernel void one(__global float *a)" in str(caught.value)


@pytest.mark.parametrize(
    "name",
    ["Pipe", "GLBuffer", "mem_flags.SVM_ATOMICS", "Program.compile",
     "array.sum", "cltypes.float5", "tools.dtype_to_ctype", "Kernel.capture_call",
     "Buffer.from_int_ptr"],
)  # fmt: skip
def test_missing_names_are_named(name: str, own_queue: cl.CommandQueue, own_program: cl.Program):
    import importlib

    owner, _, last = name.rpartition(".")
    things: dict[str, Any] = {
        "": cl,
        "Program": cl.Program(own_queue.context, SOURCE),
        "Kernel": cl.Kernel(own_program, "one"),
        "Buffer": cl.Buffer(own_queue.context, cl.mem_flags.READ_WRITE, 4),
        "mem_flags": cl.mem_flags,
    }
    if owner not in things:
        things[owner] = importlib.import_module(f"kcc.opencl.{owner}")
    with pytest.raises(AttributeError, match=rf"'.*{last}'") as caught:
        getattr(things[owner], last)
    if owner != "Program":
        assert isinstance(caught.value, NotInKcc)
        assert "docs/reference/hosts.md" in str(caught.value)
    assert not hasattr(things[owner], last)


def test_missing_infos_of_devices(own_queue: cl.CommandQueue):
    """PyOpenCL raises a LogicError, which scripts catch."""
    with pytest.raises(cl.LogicError, match="warp_size_nv"):
        _ = own_queue.device.warp_size_nv
    with pytest.raises(AttributeError, match="did you mean 'local_mem_size'"):
        _ = own_queue.device.local_mem_sized
    assert not hasattr(own_queue.device, "warp_size_nv")


def test_arithmetic_of_arrays(own_queue: cl.CommandQueue):
    from kcc.opencl import array

    x: Any = array.zeros(own_queue, 4, np.float32)
    with pytest.raises(NotInKcc, match="__add__"):
        _ = x + x
