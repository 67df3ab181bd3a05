"""The same host programs on kcc.opencl and on PyOpenCL with PoCL: equal results."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray

import kcc.opencl
from tests import pocl

if TYPE_CHECKING:
    import pyopencl

UNNORMALISED = False
Results = dict[str, NDArray[Any] | int | str]
HostProgram = Callable[[Any, Any, Any], Results]

SOURCE = """
__constant float table[4] = {1, 2, 4, 8};
typedef struct { int first; float second; } Pair;

__kernel void scale(__global float *x, float factor) {
    x[get_global_id(0)] *= factor * table[get_global_id(0) % 4];
}
__kernel void reverse(__global int *x, __local int *scratch) {
    int i = get_local_id(0), n = get_local_size(0);
    scratch[i] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    x[get_global_id(0)] = scratch[n - 1 - i];
}
__kernel void combine(__global float4 *x, float4 v, Pair p, long n) {
    x[get_global_id(0)] = v * p.second + p.first + n;
}
__kernel void ids(__global int *x, int pitch) {
    int place = get_global_id(1) * pitch + get_global_id(0);
    x[place] = 1000 * get_global_id(0) + get_global_id(1) + 100000 * get_global_offset(0);
}
__kernel __attribute__((reqd_work_group_size(8, 4, 1)))
void tiles(__global int *x) {
    x[get_global_id(1) * get_global_size(0) + get_global_id(0)] =
        get_group_id(0) + 10 * get_group_id(1) + 100 * get_local_id(0) + 1000 * get_local_id(1);
}
__kernel void shift(__read_only image2d_t in, __write_only image2d_t out, sampler_t s) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, at, read_imagef(in, s, at + (int2)(1, 0)).wzyx);
}
__kernel void layers(__read_only image3d_t in, __global uint *out) {
    const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int place = (z * get_global_size(1) + y) * get_global_size(0) + x;
    out[place] = read_imageui(in, s, (int4)(x, y, z, 0)).x;
}
__kernel void or_else(__global const int *maybe, __global int *out) {
    out[get_global_id(0)] = maybe ? maybe[get_global_id(0)] : -1;
}
"""


def upload(cl: Any, context: Any, array: NDArray[Any]) -> Any:
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    return cl.Buffer(context, flags, hostbuf=array)


def download(cl: Any, queue: Any, buffer: Any, dtype: Any) -> NDArray[Any]:
    array = np.empty(buffer.size // np.dtype(dtype).itemsize, dtype)
    cl.enqueue_copy(queue, array, buffer)
    return array


def scalars_and_constants(cl: Any, queue: Any, program: Any) -> Results:
    x = upload(cl, queue.context, np.arange(64, dtype=np.float32))
    program.scale(queue, (64,), (16,), x, np.float32(0.5))
    kernel = cl.Kernel(program, "scale")
    kernel.set_scalar_arg_dtypes([None, np.float32])
    kernel(queue, (64,), None, x, 3)
    kernel.set_arg(1, np.float32(0.25))
    cl.enqueue_nd_range_kernel(queue, kernel, (64,), (32,))
    return {"x": download(cl, queue, x, np.float32)}


def local_memory(cl: Any, queue: Any, program: Any) -> Results:
    x = upload(cl, queue.context, np.arange(96, dtype=np.int32))
    program.reverse(queue, (96,), (32,), x, cl.LocalMemory(4 * 32))
    return {"x": download(cl, queue, x, np.int32)}


def vectors_and_structs(cl: Any, queue: Any, program: Any) -> Results:
    x = upload(cl, queue.context, np.zeros(4 * 8, np.float32))
    pair = np.array((3, 0.5), np.dtype([("first", np.int32), ("second", np.float32)]))
    vector = cl.cltypes.make_float4(1, 2, 3, 4)
    program.combine(queue, (8,), None, x, vector, pair, np.int64(1 << 20))
    return {"x": download(cl, queue, x, np.float32), "y": np.array(vector["y"])}


def offsets_and_dimensions(cl: Any, queue: Any, program: Any) -> Results:
    x = upload(cl, queue.context, np.full(16 * 16, -1, np.int32))
    program.ids(queue, (8, 6), None, x, np.int32(16), global_offset=(4, 2))
    y = upload(cl, queue.context, np.zeros(32 * 8, np.int32))
    program.tiles(queue, (4, 2), (8, 4), y, g_times_l=True)
    return {"x": download(cl, queue, x, np.int32), "y": download(cl, queue, y, np.int32)}


def sub_buffers(cl: Any, queue: Any, program: Any) -> Results:
    whole = upload(cl, queue.context, np.arange(256, dtype=np.float32))
    part, other = whole.get_sub_region(256, 512), whole[512:768]
    program.scale(queue, (128,), None, part, np.float32(-1))
    cl.enqueue_fill_buffer(queue, other, np.float32(7), 0, 16)
    seen = download(cl, queue, part, np.float32)
    return {
        "whole": download(cl, queue, whole, np.float32),
        "part": seen,
        "facts": np.array([part.size, part.offset, other.size, other.offset]),
    }


def copies(cl: Any, queue: Any, program: Any) -> Results:
    first = upload(cl, queue.context, np.arange(64, dtype=np.int32))
    second = upload(cl, queue.context, np.zeros(64, np.int32))
    cl.enqueue_copy(queue, second, first, byte_count=40, src_offset=8, dst_offset=80)
    cl.enqueue_copy(queue, first, np.full(3, -5, np.int32), dst_offset=12)
    few = np.empty(4, np.int32)
    cl.enqueue_copy(queue, few, first, src_offset=8)
    cl.enqueue_fill_buffer(queue, second, np.array([1, 2], np.int32), 128, 32)
    return {"second": download(cl, queue, second, np.int32), "few": few}


def boxes(cl: Any, queue: Any, program: Any) -> Results:
    """Boxes of bytes: 8 x 6 x 4 in the buffer, 16 x 12 x 4 on the host."""
    source = (np.arange(8 * 6 * 4) % 251).astype(np.uint8)
    device = upload(cl, queue.context, source)
    host = np.zeros(16 * 12 * 4, np.uint8)
    cl.enqueue_copy(
        queue, host, device, buffer_origin=(1, 2, 1), host_origin=(3, 1, 0), region=(5, 3, 2),
        buffer_pitches=(8, 48), host_pitches=(16, 192),
    )  # fmt: skip
    other = upload(cl, queue.context, np.zeros(8 * 6 * 4, np.uint8))
    cl.enqueue_copy(
        queue, other, device, src_origin=(0, 0, 1), dst_origin=(2, 1, 0), region=(4, 4, 2),
        src_pitches=(8, 48), dst_pitches=(8, 48),
    )  # fmt: skip
    cl.enqueue_copy(
        queue, other, np.full(6, 9, np.uint8), buffer_origin=(0, 5), host_origin=(0, 0),
        region=(3, 1), buffer_pitches=(8,), host_pitches=(3,),
    )  # fmt: skip
    return {"host": host, "other": download(cl, queue, other, np.uint8)}


def maps(cl: Any, queue: Any, program: Any) -> Results:
    x = upload(cl, queue.context, np.arange(64, dtype=np.float32))
    flags = cl.map_flags.READ | cl.map_flags.WRITE
    array, event = cl.enqueue_map_buffer(queue, x, flags, 32, (4, 6), np.float32)
    event.wait()
    before = array.copy()
    array[1, :] = -1
    array.base.release(queue).wait()
    program.scale(queue, (64,), None, x, np.float32(2))
    turned, _ = cl.enqueue_map_buffer(queue, x, cl.map_flags.READ, 0, (4, 4), np.float32, "F")
    with turned.base:
        after = turned.copy()
    return {"before": before, "after": after, "x": download(cl, queue, x, np.float32)}


def host_pointers(cl: Any, queue: Any, program: Any) -> Results:
    """With USE_HOST_PTR the array is the memory, whoever looks."""
    own = np.arange(64, dtype=np.float32)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.USE_HOST_PTR
    x = cl.Buffer(queue.context, flags, hostbuf=own)
    program.scale(queue, (64,), None, x, np.float32(2))
    queue.finish()
    seen = own.copy()
    own[:] = 1
    program.scale(queue, (64,), None, x, np.float32(3))
    queue.finish()
    both = cl.mem_flags.ALLOC_HOST_PTR | cl.mem_flags.COPY_HOST_PTR
    y = cl.Buffer(queue.context, both, hostbuf=own)
    return {
        "seen": seen,
        "x": download(cl, queue, x, np.float32),
        "y": download(cl, queue, y, np.float32),
    }


def images(cl: Any, queue: Any, program: Any) -> Results:
    context, flags = queue.context, cl.mem_flags
    texel = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
    pixels = (np.arange(5 * 7 * 4) * 3 % 256).astype(np.uint8).reshape(5, 7, 4)
    source = cl.create_image(
        context, flags.READ_ONLY | flags.COPY_HOST_PTR, texel, (7, 5), hostbuf=pixels
    )
    target = cl.create_image(context, flags.READ_WRITE, texel, (7, 5))
    sampler = cl.Sampler(
        context, UNNORMALISED, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST
    )
    program.shift(queue, (7, 5), None, source, target, sampler)
    shifted = np.empty_like(pixels)
    cl.enqueue_copy(queue, shifted, target, origin=(0, 0), region=(7, 5))
    cl.enqueue_copy(queue, target, pixels[:2, :3].copy(), origin=(2, 1), region=(3, 2))
    cl.enqueue_copy(queue, target, source, src_origin=(0, 3), dest_origin=(0, 0), region=(2, 2))
    pasted = np.empty_like(pixels)
    cl.enqueue_copy(queue, pasted, target, origin=(0, 0), region=(7, 5))
    flat = upload(cl, context, np.zeros(6 * 4, np.uint8))
    cl.enqueue_copy(queue, flat, target, offset=4, origin=(1, 1), region=(2, 2))
    cl.enqueue_copy(queue, target, flat, offset=4, origin=(5, 3), region=(2, 2))
    turned = np.empty_like(pixels)
    cl.enqueue_copy(queue, turned, target, origin=(0, 0), region=(7, 5))
    return {
        "shifted": shifted,
        "pasted": pasted,
        "flat": download(cl, queue, flat, np.uint8),
        "turned": turned,
        "facts": np.array([source.width, source.height, source.row_pitch, source.size]),
    }


def images_of_three_dimensions(cl: Any, queue: Any, program: Any) -> Results:
    context, flags = queue.context, cl.mem_flags
    texel = cl.ImageFormat(cl.channel_order.R, cl.channel_type.UNSIGNED_INT16)
    voxels = np.arange(2 * 3 * 4, dtype=np.uint16).reshape(2, 3, 4)
    image = cl.create_image(
        context, flags.READ_ONLY | flags.COPY_HOST_PTR, texel, (4, 3, 2), hostbuf=voxels
    )
    cl.enqueue_copy(queue, image, np.full((1, 2, 2), 99, np.uint16), origin=(1, 1, 1),
                    region=(2, 2, 1))  # fmt: skip
    out = upload(cl, context, np.zeros(24, np.uint32))
    program.layers(queue, (4, 3, 2), None, image, out)
    made = cl.image_from_array(context, voxels[0].copy())
    return {
        "out": download(cl, queue, out, np.uint32),
        "shape": np.array([*image.shape, image.depth, *made.shape]),
    }


def fills_of_images(cl: Any, queue: Any, program: Any) -> Results:
    context, results = queue.context, Results()
    for name, order, type_, dtype, color in (
        ("float", "RGBA", "FLOAT", np.float32, np.array([0.2, -1, 2, 1], np.float32)),
        ("unorm", "RGBA", "UNORM_INT8", np.uint8, np.array([0.2, -1, 2, 1], np.float32)),
        ("signed", "RGBA", "SIGNED_INT16", np.int16, np.array([70000, -7, 1, 1], np.int32)),
    ):
        texel = cl.ImageFormat(getattr(cl.channel_order, order), getattr(cl.channel_type, type_))
        image = cl.create_image(context, cl.mem_flags.READ_WRITE, texel, (4, 3))
        zero = np.zeros((3, 4, texel.channel_count), dtype)
        cl.enqueue_copy(queue, image, zero, origin=(0, 0), region=(4, 3))
        cl.enqueue_fill_image(queue, image, color, (1, 0), (2, 2))
        cl.enqueue_copy(queue, zero, image, origin=(0, 0), region=(4, 3))
        results[name] = zero
    return results


def null_pointers(cl: Any, queue: Any, program: Any) -> Results:
    out = upload(cl, queue.context, np.zeros(8, np.int32))
    some = upload(cl, queue.context, np.arange(8, dtype=np.int32))
    program.or_else(queue, (4,), None, None, out)
    program.or_else(queue, (2,), None, some, out)
    return {"out": download(cl, queue, out, np.int32)}


def user_events(cl: Any, queue: Any, program: Any) -> Results:
    """A command that waits for an event of the program's own runs when it is set, and what comes
    after it in the queue waits too."""
    x = upload(cl, queue.context, np.ones(4, np.float32))
    gate = cl.UserEvent(queue.context)
    held = program.scale(queue, (4,), None, x, np.float32(2), wait_for=[gate])
    last = cl.enqueue_marker(queue)
    waiting = held.command_execution_status > cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    cl.wait_for_events([held, last])
    done = held.command_execution_status
    return {"x": download(cl, queue, x, np.float32), "waiting": int(waiting), "done": done}


def profiles(cl: Any, queue: Any, program: Any) -> Results:
    context = queue.context
    timed = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    x = upload(cl, context, np.ones(64, np.float32))
    first = program.scale(timed, (64,), None, x, np.float32(2))
    second = cl.enqueue_copy(timed, np.empty(64, np.float32), x)
    timed.finish()
    times = [
        first.profile.queued, first.profile.submit, first.profile.start, first.profile.end,
        second.profile.start, second.get_profiling_info(cl.profiling_info.END),
    ]  # fmt: skip
    return {
        "ascending": int(times == sorted(times) and times[3] > times[2]),
        "kinds": np.array([first.command_type, second.command_type]),
        "own": int(first.command_queue == timed and first.context == context),
    }


def infos(cl: Any, queue: Any, program: Any) -> Results:
    device = queue.device
    group = cl.kernel_work_group_info
    tiles = cl.Kernel(program, "tiles")
    buffer = upload(cl, queue.context, np.zeros(4, np.int32))
    return {
        "kernels": ",".join(sorted(k.function_name for k in program.all_kernels())),
        "names": ",".join(sorted(program.kernel_names.split(";"))),
        "arguments": np.array([k.num_args for k in program.all_kernels()]),
        "source": program.source,
        "local": np.array(tiles.get_work_group_info(group.COMPILE_WORK_GROUP_SIZE, device)),
        "status": program.get_build_info(device, cl.program_build_info.STATUS),
        "flags": buffer.flags,
        "type": buffer.type,
        "size": buffer.get_info(cl.mem_info.SIZE),
        "little": device.endian_little,
        "bits": device.address_bits,
        "to_string": cl.mem_flags.to_string(cl.mem_flags.READ_ONLY),
        "missing": cl.status_code.to_string(-9999, "no %d"),
        "equal": int(queue.context == buffer.context and buffer == buffer),  # noqa: PLR0124
    }


def arrays(cl: Any, queue: Any, program: Any) -> Results:
    import importlib

    array = importlib.import_module(f"{cl.__name__}.array")
    x = array.to_device(queue, np.arange(12, dtype=np.float32).reshape(3, 4))
    program.scale(queue, (12,), None, x.data, np.float32(2))
    y = array.zeros(queue, (2, 3), np.int32)
    y.set(np.full((2, 3), 5, np.int32))
    return {"x": x.get(), "y": y.get(), "facts": np.array([*x.shape, x.size, x.nbytes, len(y)])}


def build_options(cl: Any, queue: Any, program: Any) -> Results:
    source = "__kernel void f(__global int *x) { x[get_global_id(0)] = A + B; }"
    x = upload(cl, queue.context, np.zeros(2, np.int32))
    results = Results()
    for name, options in (
        ("list", ["-DA=1", "-D", "B=2", "-cl-mad-enable"]),
        ("text", "-D A=10 -DB=(2+3) -cl-std=CL1.2"),
    ):
        cl.Program(queue.context, source).build(options).f(queue, (2,), None, x)
        results[name] = download(cl, queue, x, np.int32)
    return results


HOST_PROGRAMS: list[HostProgram] = [
    scalars_and_constants, local_memory, vectors_and_structs, offsets_and_dimensions, sub_buffers,
    copies, boxes, maps, host_pointers, images, images_of_three_dimensions, fills_of_images,
    null_pointers, user_events, profiles, infos, arrays, build_options,
]  # fmt: skip


def run(cl: ModuleType, context: Any, program: Any, host: HostProgram) -> Results:
    return host(cl, cl.CommandQueue(context), program)


@pytest.fixture(scope="module")
def own_program() -> kcc.opencl.Program:
    return kcc.opencl.Program(kcc.opencl.create_some_context(), SOURCE).build()


@pytest.fixture(scope="module")
def pocl_program(pocl_context: pyopencl.Context) -> pyopencl.Program:
    return pocl.build(pocl_context, SOURCE)


@pytest.mark.sampled(4)
@pytest.mark.pocl
@pytest.mark.parametrize("host", HOST_PROGRAMS, ids=lambda host: host.__name__)
@pytest.mark.filterwarnings("ignore::pyopencl.CompilerWarning")
@pytest.mark.filterwarnings("ignore::pyopencl.RepeatedKernelRetrieval")
def test_results_are_those_of_pyopencl(
    host: HostProgram,
    own_program: kcc.opencl.Program,
    pocl_context: pyopencl.Context,
    pocl_program: pyopencl.Program,
):
    import pyopencl

    wanted = run(pyopencl, pocl_context, pocl_program, host)
    got = run(kcc.opencl, own_program.context, own_program, host)
    assert got.keys() == wanted.keys()
    for name, value in wanted.items():
        np.testing.assert_array_equal(got[name], value, err_msg=name)
