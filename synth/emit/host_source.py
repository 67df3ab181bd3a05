"""The host of a miniature: a PyOpenCL program that is a workload of kcc too."""

from __future__ import annotations

from collections.abc import Iterator

from kcc.frontend.ir.types import FloatTy, IntTy, IrType, scalar_of
from kcc.synth.assembly.model import (
    BufferValue,
    Fill,
    ImageValue,
    Launch,
    LocalValue,
    Miniature,
    ParameterKind,
    ScalarValue,
    StructValue,
    TableValue,
)

_TEMPLATE = '''"""The host of a miniature that kcc made, for `kcc run {name}` and for PyOpenCL.

Buffers hold numbers that mean nothing, and where the kernels take addresses from them, numbers
about the lines that FILLS gives.
"""

import pathlib

import numpy as np
import pyopencl as cl

SOURCE = pathlib.Path(__file__).with_name("{source}")

# bytes
BUFFERS = (
{buffers})

# kernel, global size, local size, arguments: of LAUNCHES in order
LAUNCHES = (
{launches})

# launch, argument: offset, stride, count and size in bytes, start, slope, spread, least, most,
# values, how often each is there, whether they add up, correlation of neighbours and how
# often they are filtered by it, argument with the starts of rows in which values ascend
FILLS = {{
{fills}}}


def main(size: str = "small", seed: int = {seed}) -> None:
    """Launch the kernels; a miniature has one size."""
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE.read_text()).build(["-cl-std=CL1.2", "-cl-opt-disable"])
    rng = np.random.default_rng(seed)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    contents = [rng.integers(0x3F800000, 0x40000000, -(-n // 4), np.uint32) for n in BUFFERS]
    buffers = [cl.Buffer(context, flags, hostbuf=array) for array in contents]
    for number, (kernel, global_size, local_size, arguments) in enumerate(LAUNCHES):
        values = [argument(context, queue, buffers, seed, *each) for each in arguments]
        filled = {{}}
        for place, (kind, value) in enumerate(arguments):
            if (number, place) in FILLS:
                filled[place] = contents[value].view(np.uint8).copy()
                for fill in FILLS[number, place]:
                    put(filled[place], rng, *fill)
        for place, array in filled.items():
            for fill in FILLS[number, place]:
                if fill[-1] is not None:
                    rise(array, fill, starts(filled[fill[-1]], FILLS[number, fill[-1]]))
            cl.enqueue_copy(queue, buffers[arguments[place][1]], array)
        cl.Kernel(program, kernel)(queue, global_size, local_size, *values)
    queue.finish()


def argument(context, queue, buffers, seed, kind, value):
    """What a kernel is given for a row of LAUNCHES."""
    match kind:
        case "buffer":
            return buffers[value]
        case "local":
            return cl.LocalMemory(value)
        case "table":
            flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
            return cl.Buffer(context, flags, hostbuf=np.array(value, np.uint32))
        case "struct":
            return np.void(np.array(value, np.uint32).tobytes())
        case "image":
            image_format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
            return cl.create_image(context, cl.mem_flags.READ_WRITE, image_format, shape=value)
        case "sampler":
            return cl.Sampler(
                context, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST
            )
        case "seed":
            return np.uint32(seed)
        case _ if isinstance(value, tuple):
            return np.void(np.array(value).astype(kind).tobytes())
        case _:
            return np.array(value).astype(kind)[()]


def put(array, rng, offset, stride, count, size, start, slope, spread, least, most,
        some, often, adds_up, correlation, times, _):
    """Fill part of a buffer."""
    count = min(count, (len(array) - offset - size) // stride + 1)
    order = np.argsort(series(rng, count, correlation, times))
    drawn = np.repeat(np.array(some, np.int64), often)
    if adds_up:
        steps = np.resize(drawn, count)
        steps[order] = np.sort(steps)
        write(array, offset, stride, size, int(start) + np.cumsum(steps) - steps)
        return
    values = np.empty(count)
    values[order] = np.floor(np.arange(count) * ((spread + 1) / count))
    values += start + slope * np.arange(count)
    values = np.clip(np.floor(values), least, most).astype(np.int64)
    values[order[: len(drawn)]] = drawn[:count]
    write(array, offset, stride, size, values)


def series(rng, count, correlation, times):
    """Normal numbers, neighbours correlated."""
    noise = rng.standard_normal(count)
    if correlation == 0:
        return noise
    roots = np.exp(-2j * np.pi * np.arange(count // 2 + 1) / count)
    return np.fft.irfft(np.fft.rfft(noise) / (1 - correlation * roots) ** times, count)


def write(array, offset, stride, size, values):
    """Integers into a buffer."""
    places = offset + stride * np.arange(len(values))[:, None] + np.arange(size)
    array[places] = values.astype(f"<i{{size}}").view(np.uint8).reshape(-1, size)


def read(array, offset, stride, count, size):
    """Integers out of a buffer."""
    count = min(count, (len(array) - offset - size) // stride + 1)
    places = offset + stride * np.arange(count)[:, None] + np.arange(size)
    return array[places].view(f"<i{{size}}").reshape(-1)


def starts(array, fills):
    """The numbers of the elements that begin rows."""
    return np.concatenate([read(array, *fill[:4]) for fill in fills if fill[11]])


def rise(array, fill, rows):
    """Put all elements up to the end of a filled part into ascending order, row by row."""
    offset, stride, count, size = fill[:4]
    values = read(array, offset % stride, stride, offset // stride + count, size)
    row = np.searchsorted(np.sort(rows), np.arange(len(values)), "right")
    write(array, offset % stride, stride, size, values[np.lexsort((values, row))])


if __name__ == "__main__":
    main()
'''


def host_source(miniature: Miniature, name: str, source: str) -> str:
    """The program ``name``, whose kernels are in the file ``source`` beside it."""
    buffers = "".join(f"    {size},\n" for size in miniature.buffers)
    return _TEMPLATE.format(
        name=name, source=source, seed=miniature.seed, buffers=buffers,
        launches="".join(_launch(miniature, launch) for launch in miniature.launches),
        fills="".join(_fills(miniature)),
    )  # fmt: skip


def _launch(miniature: Miniature, launch: Launch) -> str:
    rows = ", ".join(_value(miniature, launch, place) for place in range(len(launch.values)))
    comma = "," if len(launch.values) == 1 else ""
    head = f'"{miniature.kernels[launch.kernel].name}", {launch.global_size}, {launch.local_size}'
    return f"    ({head}, ({rows}{comma})),\n"


def _value(miniature: Miniature, launch: Launch, place: int) -> str:
    parameter = miniature.kernels[launch.kernel].parameters[place]
    value = launch.values[place]
    match value:
        case BufferValue(buffer):
            return f'("buffer", {buffer})'
        case LocalValue(size_bytes):
            return f'("local", {size_bytes})'
        case TableValue(trips):
            return f'("table", {trips})'
        case StructValue(words):
            return f'("struct", {words})'
        case ImageValue(size):
            return f'("image", {size})'
        case ScalarValue(number):
            if parameter.kind is ParameterKind.SEED:
                return '("seed", None)'
            if parameter.kind is ParameterKind.SAMPLER:
                return '("sampler", None)'
            return f'("{_numpy(parameter.type)}", {number})'


def _numpy(type_: IrType) -> str:
    match scalar_of(type_):
        case IntTy(bits):
            return f"u{max(bits // 8, 1)}"
        case FloatTy(bits):
            return f"f{bits // 8}"
        case _:
            return "u4"


def _fills(miniature: Miniature) -> Iterator[str]:
    for number, launch in enumerate(miniature.launches):
        for place, value in enumerate(launch.values):
            if isinstance(value, BufferValue) and value.fills:
                rows = ", ".join(_fill(fill) for fill in value.fills)
                yield f"    ({number}, {place}): ({rows},),\n"


def _fill(fill: Fill) -> str:
    return repr(
        (fill.offset_bytes, fill.stride_bytes, fill.count, fill.size_bytes, fill.start, fill.slope,
         fill.spread, fill.least, fill.most, fill.values, fill.counts, fill.adds_up,
         fill.correlation, fill.filtered, fill.rows_of)
    )  # fmt: skip
