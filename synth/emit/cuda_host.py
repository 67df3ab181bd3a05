"""The ``main`` of a miniature in CUDA."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from kcc.frontend.ir.types import FloatTy, IrType, scalar_of
from kcc.synth.assembly.model import (
    ArgumentValue,
    BufferValue,
    Fill,
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

struct Part {{
    size_t offset, stride, count, size;
    double start, slope, spread, least, most;
    std::vector<long long> some;
    std::vector<size_t> often;
    bool adds_up;
    double correlation;
    int times;
}};

[[maybe_unused]]
static size_t length(size_t bytes, const Part &part)
{{
    return std::min(part.count, (bytes - part.offset - part.size) / part.stride + 1);
}}

// The places of numbers of which neighbours are correlated, by size.
[[maybe_unused]]
static std::vector<size_t> order(size_t count, double correlation, int times)
{{
    std::vector<double> numbers(count);
    for (double &number : numbers)
        number = drawn() / 16777216.0 + drawn() / 16777216.0 + drawn() / 16777216.0 - 1.5;
    for (int pass = 0; pass < times; ++pass)
        for (size_t i = 1; i < count; ++i)
            numbers[i] += correlation * numbers[i - 1];
    std::vector<size_t> places(count);
    std::iota(places.begin(), places.end(), 0);
    std::sort(places.begin(), places.end(),
              [&](size_t a, size_t b) {{ return numbers[a] < numbers[b]; }});
    return places;
}}

[[maybe_unused]]
static void put(unsigned char *host, size_t bytes, const Part &part)
{{
    const size_t count = length(bytes, part);
    const std::vector<size_t> places = order(count, part.correlation, part.times);
    std::vector<long long> told, values(count);
    for (size_t k = 0; k < part.some.size(); ++k)
        told.insert(told.end(), part.often[k], part.some[k]);
    for (size_t rank = 0; rank < count; ++rank) {{
        const size_t i = places[rank];
        const double along = part.start + part.slope * i + floor(rank * (part.spread + 1) / count);
        values[i] = (long long)floor(std::min(std::max(along, part.least), part.most));
        if (part.adds_up)
            values[i] = told[rank * told.size() / count];
        else if (rank < told.size())
            values[i] = told[rank];
    }}
    long long sum = (long long)part.start;
    for (size_t i = 0; i < count; ++i) {{
        const long long value = part.adds_up ? sum : values[i];
        sum += values[i];
        memcpy(host + part.offset + i * part.stride, &value, part.size);
    }}
}}

[[maybe_unused]]
static long long element(const unsigned char *host, const Part &part, size_t i)
{{
    long long value = 0;
    memcpy(&value, host + part.offset + i * part.stride, part.size);
    return value;
}}

// All elements up to the end of a filled part, ascending in rows that begin where others say.
[[maybe_unused]]
static void rise(unsigned char *host, size_t bytes, Part part, const unsigned char *others,
                 size_t other_bytes, const std::vector<Part> &rows)
{{
    part.count = part.offset / part.stride + length(bytes, part);
    part.offset %= part.stride;
    std::vector<long long> values(part.count), ends(1, (long long)part.count);
    for (size_t i = 0; i < part.count; ++i)
        values[i] = element(host, part, i);
    for (const Part &row : rows)
        for (size_t i = 0; row.adds_up && i < length(other_bytes, row); ++i)
            ends.push_back(std::min(element(others, row, i), (long long)part.count));
    std::sort(ends.begin(), ends.end());
    long long first = 0;
    for (long long end : ends) {{
        std::sort(values.begin() + first, values.begin() + end);
        first = end;
    }}
    for (size_t i = 0; i < part.count; ++i)
        memcpy(host + part.offset + i * part.stride, &values[i], part.size);
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
    values = launch.values
    in_rows = [isinstance(v, BufferValue) and any(f.rows_of is not None for f in v.fills)
               for v in values]  # fmt: skip
    for wanted in (False, True):
        for value, has_rows in zip(values, in_rows, strict=True):
            lines += _fills(value, values) if has_rows is wanted else ()
    for parameter, value in zip(kernel.parameters, values, strict=True):
        arguments.append(_argument(parameter, value, shared))
        if isinstance(value, LocalValue):
            shared += -(-value.size_bytes // 16) * 16
    blocks = [g // n for g, n in zip(launch.global_size, launch.local_size, strict=True)]
    grid, block = (f"dim3({', '.join(map(str, each))})" for each in (blocks, launch.local_size))
    lines.append(f"{kernel.name}<<<{grid}, {block}, {shared}>>>({', '.join(arguments)});")
    return "".join(f"    {line}\n" for line in lines)


def _fills(value: ArgumentValue, others: Sequence[ArgumentValue]) -> Iterator[str]:
    if not isinstance(value, BufferValue) or not value.fills:
        return
    n = value.buffer
    for fill in value.fills:
        yield f"put(host[{n}], bytes[{n}], {_part(fill)});"
    for fill in value.fills:
        rows = others[fill.rows_of] if fill.rows_of is not None else None
        if isinstance(rows, BufferValue):
            m, parts = rows.buffer, ", ".join(map(_part, rows.fills))
            yield f"rise(host[{n}], bytes[{n}], {_part(fill)}, host[{m}], bytes[{m}], {{{parts}}});"
    yield f"check(cudaMemcpy(device[{n}], host[{n}], bytes[{n}], cudaMemcpyHostToDevice));"


def _part(f: Fill) -> str:
    numbers = f.offset_bytes, f.stride_bytes, f.count, f.size_bytes, f.start, f.slope, f.spread
    limits = f"{float(f.least)!r}, {float(f.most)!r}"
    some, often = (f"{{{', '.join(map(str, each))}}}" for each in (f.values, f.counts))
    order = f"{str(f.adds_up).lower()}, {f.correlation!r}, {f.filtered}"
    return f"Part{{{', '.join(map(str, numbers))}, {limits}, {some}, {often}, {order}}}"


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
