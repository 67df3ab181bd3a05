"""The ``main`` of a miniature in CUDA."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from kcc.frontend.ir.types import FloatTy, IrType, scalar_of
from kcc.synth.model import (
    ArgumentValue,
    BufferValue,
    ImageValue,
    Launch,
    LocalValue,
    Miniature,
    Parameter,
    ParameterKind,
    ScalarValue,
    StructValue,
    TableValue,
)

_HOST = """
static void check(cudaError_t code)
{{
    if (code != cudaSuccess) {{
        fprintf(stderr, "%s\\n", cudaGetErrorString(code));
        exit(1);
    }}
}}

static unsigned state = {seed}u;

static unsigned drawn()
{{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}}

// A buffer of numbers that mean nothing: floats from 1 to 2.
static unsigned char *filled(size_t bytes)
{{
    unsigned char *host = (unsigned char *)malloc(bytes + 8);
    for (size_t i = 0; i < bytes / 4 + 1; ++i)
        ((unsigned *)host)[i] = 0x3f800000u | (drawn() & 0x7fffffu);
    return host;
}}

[[maybe_unused]]
static void put(unsigned char *host, size_t bytes, size_t offset, size_t stride, size_t count,
                int size, double start, double slope, double spread, double least, double most,
                std::vector<long long> some, std::vector<size_t> often, bool adds_up)
{{
    std::vector<long long> chosen;
    for (size_t k = 0; k < some.size(); ++k)
        chosen.insert(chosen.end(), often[k], some[k]);
    const size_t there = chosen.size();
    std::vector<char> on_line(count > there ? count - there : 0, 1);
    on_line.resize(count > there ? count : there, 0);
    for (size_t i = there; i > 1; --i)
        std::swap(chosen[i - 1], chosen[drawn() % i]);
    for (size_t i = on_line.size(); i > 1 && !adds_up; --i)
        std::swap(on_line[i - 1], on_line[drawn() % i]);
    long long sum = (long long)start;
    for (size_t i = 0, next = 0; i < count; ++i) {{
        double value = start + slope * i + spread * (drawn() / 16777216.0);
        value = value < least ? least : value > most ? most : value;
        long long whole = (long long)value;
        if (adds_up) {{
            whole = sum;
            sum += chosen[i % there];
        }} else if (!on_line[i]) {{
            whole = chosen[next++];
        }}
        if (offset + i * stride + size <= bytes)
            memcpy(host + offset + i * stride, &whole, size);
    }}
}}

[[maybe_unused]] static void *table(const unsigned *values)
{{
    void *device;
    check(cudaMalloc(&device, 64 * 4));
    check(cudaMemcpy(device, values, 64 * 4, cudaMemcpyHostToDevice));
    return device;
}}

// An image of four floats for each point, as a texture to read or a surface to write.
[[maybe_unused]] static unsigned long long image(size_t width, size_t height, bool is_read)
{{
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
    check(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {{}};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    unsigned long long handle;
    if (!is_read) {{
        check(cudaCreateSurfaceObject(&handle, &resource));
        return handle;
    }}
    cudaTextureDesc texture = {{}};
    texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
    check(cudaCreateTextureObject(&handle, &resource, &texture, nullptr));
    return handle;
}}

int main()
{{
    static const size_t bytes[] = {{{buffers}}};
    unsigned char *host[{count}];
    void *device[{count}];
    for (int i = 0; i < {count}; ++i) {{
        host[i] = filled(bytes[i]);
        check(cudaMalloc(&device[i], bytes[i] + 8));
        check(cudaMemcpy(device[i], host[i], bytes[i], cudaMemcpyHostToDevice));
    }}
{launches}    check(cudaDeviceSynchronize());
    for (int i = 0; i < {count}; ++i)
        check(cudaMemcpy(host[i], device[i], bytes[i], cudaMemcpyDeviceToHost));
    return 0;
}}
"""


def cuda_host(miniature: Miniature) -> str:
    """The host's part of the program."""
    return _HOST.format(
        seed=miniature.seed + 1,
        buffers=", ".join(map(str, miniature.buffers)) or "4",
        count=max(len(miniature.buffers), 1),
        launches="".join(_launch(miniature, launch) for launch in miniature.launches),
    )


def _launch(miniature: Miniature, launch: Launch) -> str:
    kernel = miniature.kernels[launch.kernel]
    lines = list[str]()
    arguments, shared = list[str](), 0
    for parameter, value in zip(kernel.parameters, launch.values, strict=True):
        lines += _fills(value)
        arguments.append(_argument(parameter, value, shared))
        if isinstance(value, LocalValue):
            shared += -(-value.size_bytes // 16) * 16
    blocks = [g // n for g, n in zip(launch.global_size, launch.local_size, strict=True)]
    grid, block = (f"dim3({', '.join(map(str, each))})" for each in (blocks, launch.local_size))
    lines.append(f"{kernel.name}<<<{grid}, {block}, {shared}>>>({', '.join(arguments)});")
    return "".join(f"    {line}\n" for line in lines)


def _fills(value: ArgumentValue) -> Iterator[str]:
    if not isinstance(value, BufferValue) or not value.fills:
        return
    n = value.buffer
    for f in value.fills:
        numbers = (
            f.offset_bytes,
            f.stride_bytes,
            f.count,
            f.size_bytes,
            f.start,
            f.slope,
            f.spread,
        )
        limits = f"{float(f.least)!r}, {float(f.most)!r}"
        some, often = (f"{{{', '.join(map(str, each))}}}" for each in (f.values, f.counts))
        more = f"{some}, {often}, {str(f.adds_up).lower()}"
        yield f"put(host[{n}], bytes[{n}], {', '.join(map(str, numbers))}, {limits}, {more});"
    yield f"check(cudaMemcpy(device[{n}], host[{n}], bytes[{n}], cudaMemcpyHostToDevice));"


def _argument(parameter: Parameter, value: ArgumentValue, shared: int) -> str:
    match value:
        case BufferValue(buffer):
            return f"device[{buffer}]"
        case LocalValue():
            return str(shared)
        case TableValue(trips):
            return f"table((const unsigned[64]){{{', '.join(map(str, trips))}}})"
        case StructValue(words):
            return _words(struct.pack(f"<{len(words)}I", *words))
        case ImageValue(size):
            is_read = "true" if parameter.access == "read_only" else "false"
            return f"image({size[0]}, {size[1]}, {is_read})"
        case ScalarValue(number):
            if isinstance(number, tuple):
                return _words(_packed(number, scalar_of(parameter.type)))
            if parameter.kind is ParameterKind.SCALAR and isinstance(parameter.type, FloatTy):
                return f"{float(number)!r}"
            return f"{int(number)}ull" if int(number) >= 1 << 31 else str(int(number))


def _packed(values: tuple[int | float, ...], type_: IrType) -> bytes:
    """A vector as it lies in memory; one of three has the size of four."""
    whole = (*values, 0) if len(values) == 3 else values
    if isinstance(type_, FloatTy):
        return struct.pack(f"<{len(whole)}{_FLOATS[type_.bits]}", *map(float, whole))
    bits = getattr(type_, "bits", 32)
    return b"".join((int(v) % (1 << bits)).to_bytes(bits // 8, "little") for v in whole)


_FLOATS = {16: "e", 32: "f", 64: "d"}


def _words(data: bytes) -> str:
    words = [int.from_bytes(data[n : n + 8], "little") for n in range(0, len(data), 8)]
    return f"Words<{len(words)}>{{{{{', '.join(f'{word}ull' for word in words)}}}}}"
