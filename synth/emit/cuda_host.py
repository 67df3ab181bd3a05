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
    size_t first, last;  // of TOLD
    bool adds_up;
    double correlation;
    int times;
}};

// Values, and how often each is there.
static const struct {{ long long value; size_t often; }} TOLD[] = {{
{told}}};

static const Part PARTS[] = {{
{parts}}};

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
    for (size_t k = part.first; k < part.last; ++k)
        told.insert(told.end(), TOLD[k].often, TOLD[k].value);
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
                 size_t other_bytes, size_t from, size_t to)
{{
    part.count = part.offset / part.stride + length(bytes, part);
    part.offset %= part.stride;
    std::vector<long long> values(part.count), ends(1, (long long)part.count);
    for (size_t i = 0; i < part.count; ++i)
        values[i] = element(host, part, i);
    for (const Part *row = PARTS + from; row < PARTS + to; ++row)
        for (size_t i = 0; row->adds_up && i < length(other_bytes, *row); ++i)
            ends.push_back(std::min(element(others, *row, i), (long long)part.count));
    std::sort(ends.begin(), ends.end());
    long long first = 0;
    for (long long end : ends) {{
        std::sort(values.begin() + first, values.begin() + end);
        first = end;
    }}
    for (size_t i = 0; i < part.count; ++i)
        memcpy(host + part.offset + i * part.stride, &values[i], part.size);
}}

// The contents of a buffer, by a range of PARTS.
[[maybe_unused]]
static void fill(unsigned char *host, size_t bytes, size_t from, size_t to)
{{
    for (size_t n = from; n < to; ++n)
        put(host, bytes, PARTS[n]);
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


class _Tables:
    """What buffers are filled by, each description once however many launches use it."""

    def __init__(self) -> None:
        self.told, self.parts = list[str](), list[str]()
        self._ranges = dict[tuple[Fill, ...], tuple[int, int]]()

    def of(self, fills: tuple[Fill, ...]) -> tuple[int, int]:
        """The first and the one after the last of the parts."""
        if fills not in self._ranges:
            first = len(self.parts)
            self.parts += [self._part(fill) for fill in fills]
            self._ranges[fills] = first, len(self.parts)
        return self._ranges[fills]

    def _part(self, f: Fill) -> str:
        first = len(self.told)
        self.told += [f"{{{v}, {n}}}" for v, n in zip(f.values, f.counts, strict=True)]
        numbers = f.offset_bytes, f.stride_bytes, f.count, f.size_bytes, f.start, f.slope, f.spread
        limits = f"{float(f.least)!r}, {float(f.most)!r}, {first}, {len(self.told)}"
        order = f"{str(f.adds_up).lower()}, {f.correlation!r}, {f.filtered}"
        return f"{{{', '.join(map(str, numbers))}, {limits}, {order}}}"


def cuda_host(miniature: Miniature) -> str:
    """The host's part of the program."""
    tables = _Tables()
    launches = "".join(_launch(miniature, launch, tables) for launch in miniature.launches)
    return _HOST.format(
        seed=miniature.seed + 1,
        buffers=", ".join(map(str, miniature.buffers)) or "4",
        count=max(len(miniature.buffers), 1),
        launches=launches,
        told=_rows(tables.told or ["{0, 0}"]),
        parts=_rows(tables.parts or ["{}"]),
    )


def _rows(texts: Sequence[str]) -> str:
    return "".join(f"    {text},\n" for text in texts)


def _launch(miniature: Miniature, launch: Launch, tables: _Tables) -> str:
    kernel = miniature.kernels[launch.kernel]
    lines = list[str]()
    arguments, shared = list[str](), 0
    values = launch.values
    in_rows = [isinstance(v, BufferValue) and any(f.rows_of is not None for f in v.fills)
               for v in values]  # fmt: skip
    for wanted in (False, True):
        for value, has_rows in zip(values, in_rows, strict=True):
            lines += _fills(value, values, tables) if has_rows is wanted else ()
    for parameter, value in zip(kernel.parameters, values, strict=True):
        arguments.append(_argument(parameter, value, shared))
        if isinstance(value, LocalValue):
            shared += -(-value.size_bytes // 16) * 16
    blocks = [g // n for g, n in zip(launch.global_size, launch.local_size, strict=True)]
    grid, block = (f"dim3({', '.join(map(str, each))})" for each in (blocks, launch.local_size))
    lines.append(f"{kernel.name}<<<{grid}, {block}, {shared}>>>({', '.join(arguments)});")
    return "".join(f"    {line}\n" for line in lines)


def _fills(value: ArgumentValue, others: Sequence[ArgumentValue], tables: _Tables) -> Iterator[str]:
    if not isinstance(value, BufferValue) or not value.fills:
        return
    n, (first, last) = value.buffer, tables.of(value.fills)
    yield f"fill(host[{n}], bytes[{n}], {first}, {last});"
    for place, fill in enumerate(value.fills, first):
        rows = others[fill.rows_of] if fill.rows_of is not None else None
        if isinstance(rows, BufferValue):
            m, (start, end) = rows.buffer, tables.of(rows.fills)
            own = f"host[{n}], bytes[{n}], PARTS[{place}]"
            yield f"rise({own}, host[{m}], bytes[{m}], {start}, {end});"
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
