"""Secrets of each kind, planted in a program, are in none of the files that are written of it."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from kcc.cli import main

TEXT = b"Attack at dawn; the password of the vault is Xy7!qP-zw_04 (burn)"
"""In a buffer that decides trips, and in the gaps of a sorted one."""

CONSTANTS = {
    "xor of a hash": 0xDEADBEEF,
    "factor of a hash": 0x9E3779B5,
    "scalar key of a hash": 0x5EC2E7AB,
    "maximum": 123456789,
    "maximum that is an argument": 0x1BADB002,
    "cipher": 0x0D15EA5E,
    "text in the clear": 0xC0FFEE11,
    "sum before a comparison": 0xBADCAB1E,
    "limit of a sum": 0xFEEDFACE,
    "sentinel": 0x6B8B4567,
    "element of a table": 0x327B23C6,
}

SOURCE = """
__kernel void hashed(__global const uint *x, __global uint *table, __global uint *out, uint key) {
    int i = get_global_id(0);
    uint h = (x[i] ^ 0xDEADBEEFu) * 0x9E3779B5u;
    h = (h ^ (h >> 15)) ^ key;
    h *= 0x9E3779B5u;
    out[i] = table[(h ^ (h >> 13)) & 1023];
}
__kernel void compared(__global const int *x, __global const int *y, __global int *out, int most) {
    int i = get_global_id(0);
    if (x[i] > 123456789) out[i] = x[i] * 3;
    if (y[i] > most) out[i] += 7;
    if (x[i] == 0x6B8B4567) out[i] -= 1;
}
__kernel void sealed(__global const uint *x, __global uint *out, uint key) {
    int i = get_global_id(0);
    if ((x[i] ^ key) == 0xC0FFEE11u || x[i] + 0xBADCAB1Eu > 0xFEEDFACEu) out[i] = x[i] * 3;
}
__kernel void walk(__global const uchar *text, __global const int *starts, __global int *out,
                   __global const float *factors) {
    int i = get_global_id(0);
    int sum = 0;
    for (int k = starts[i]; k < starts[i + 1]; ++k) sum += out[k & 255];
    for (int k = 0; k < text[i]; ++k) sum ^= out[k];
    out[i] = sum + (int)(factors[i] * 2.7182817f);
}
"""

HOST = """
import pathlib
import numpy as np
import pyopencl as cl

def main(size="small", seed=0):
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    source = pathlib.Path(__file__).with_name("secrets.cl").read_text()
    program = cl.Program(context, source).build()
    rng = np.random.default_rng(1)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    def buffer(array):
        return cl.Buffer(context, flags, hostbuf=array)
    values = rng.integers(0, 2**30, 256).astype(np.uint32)
    values[::16] = 0x6B8B4567
    values[7] = 0x327B23C6
    x, y = buffer(values), buffer(values[::-1].copy())
    out = buffer(np.zeros(1024, np.uint32))
    program.hashed(queue, (256,), (64,), x, buffer(values.repeat(4)), out, np.uint32(0x5EC2E7AB))
    program.compared(queue, (256,), (64,), x, y, out, np.int32(0x1BADB002))
    program.sealed(queue, (256,), (64,), x, out, np.uint32(0x0D15EA5E))
    text = np.frombuffer(TEXT, np.uint8).copy()
    starts = np.concatenate([[0], np.cumsum(text)]).astype(np.int32)
    factors = buffer(np.full(64, 3.1415927, np.float32))
    program.walk(queue, (64,), (64,), buffer(text), buffer(starts), out, factors)
    queue.finish()
"""

NUMBER = re.compile(r"(?<![\w.])-?(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)")
SEPARATOR = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
"""Of thousands."""


@pytest.fixture(scope="module", params=["normal", "strict"])
def texts(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """All that is written of the program."""
    folder: Path = tmp_path_factory.mktemp("secrets")
    (folder / "secrets.cl").write_text(SOURCE)
    script = folder / "host.py"
    script.write_text(HOST.replace("TEXT,", f"{TEXT!r},"))
    out, report = folder / "out", folder / "report.txt"
    wanted = ["--reduction", "1", "--privacy", request.param]
    targets = ["-o", str(out), "--report", str(report), "--json", str(folder / "doc.json")]
    assert main(["synth", str(script), *wanted, *targets]) == 0
    files = [*out.iterdir(), report, folder / "doc.json"]
    assert len(files) == 6
    return {path.name: path.read_text() for path in files}


@cache
def numbers(text: str) -> tuple[int, ...]:
    """All numbers of a text, as integers; floats by their bits."""
    found = list[int]()
    for word in NUMBER.findall(SEPARATOR.sub("", text)):
        if word.lstrip("-").isdecimal():
            found.append(int(word))
        elif "x" in word:
            found.append(int(word, 16))
        else:
            value = float(word)
            found += [int(value), *struct.unpack("<I", struct.pack("<f", value))]
    return tuple(found)


def forms(secret: int) -> Iterator[int]:
    """A number of four bytes, negated, complemented, swapped; signed and not."""
    swapped = int.from_bytes(secret.to_bytes(4, "big"), "little")
    for one in (secret, -secret, ~secret, swapped, -swapped, ~swapped, secret - 1, secret + 1):
        yield one & 0xFFFFFFFF
        yield (one & 0xFFFFFFFF) - (1 << 32)


@pytest.mark.parametrize("name", CONSTANTS)
def test_no_constant_is_left(name: str, texts: dict[str, str]):
    wanted = {form for form in forms(CONSTANTS[name]) if abs(form) > 0xFF}
    for file, text in texts.items():
        assert not wanted & set(numbers(text)), file
        for form in wanted:
            digits = {f"{abs(form):x}", f"{abs(form):X}", f"{abs(form):o}"}
            assert not [d for d in digits if d in text], file


@pytest.mark.parametrize("name", CONSTANTS)
@pytest.mark.parametrize("size", [1, 2])
def test_no_constant_is_left_in_pieces(name: str, size: int, texts: dict[str, str]):
    data = CONSTANTS[name].to_bytes(4, "little")
    assert_no_run(data, size, texts)
    assert_no_run(data[::-1], size, texts)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_no_text_is_left_in_pieces(size: int, texts: dict[str, str]):
    for text in texts.values():
        assert TEXT[:8].decode() not in text
    for start in range(0, len(TEXT) - 7, 4):
        piece = TEXT[start : start + 8]
        assert_no_run(piece, size, texts)
        assert_no_run(piece[::-1], size, texts)
        # A class of values is a multiset: it says of no four neighbours that they are those.
        assert_no_run(bytes(sorted(piece)), size, texts)


def assert_no_run(data: bytes, size: int, texts: dict[str, str]) -> None:
    """Numbers of so many bytes, one after the other in any base, in either order of bytes."""
    for order in ("little", "big"):
        run = [int.from_bytes(data[n : n + size], order) for n in range(0, len(data), size)]
        for file, text in texts.items():
            found = numbers(text)
            places = range(len(found) - len(run) + 1)
            assert not any(
                found[n] == run[0] and found[n : n + len(run)] == tuple(run) for n in places
            ), file
