"""How far apart times of one and the same machine code are in a tuning table.

    python -m benchmarks.same_code TABLE SOURCE --vary blocks_per_sm [--define NAME=VALUE]
    python -m benchmarks.same_code TABLE --vary blocks_per_sm --unbound

Configurations that differ in a parameter which leaves the machine code as it is were measured as
several rows. NVRTC (kcc[nvidia]) compiles each configuration for sm_80; rows whose launch, the rest
of whose parameters and whose instructions are equal make a group. With ``--unbound`` nothing is
compiled: rows differ in the thread blocks of an SM that launch bounds ask for, and those whose
threads have all 255 registers all the same are a group (ptxas gives the same code). What is left of
its times' differences no estimate can explain: neither of the code, nor of the launch. The best
single time for a group is that with the smallest mean error over its rows.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import hashlib
import random
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import geometric_mean, mean, median, quantiles

from kcc.frontend.ptx.doors.nvrtc import find_nvrtc

LAUNCH = ("grid_x", "grid_y", "block_x", "block_y")
TARGET = "--gpu-architecture=sm_80"


def machine_code(library: ctypes.CDLL, text: bytes, defines: Sequence[str]) -> str:
    """Digest of the instructions of a source's kernels; "" where it does not compile."""
    program = ctypes.c_void_p()
    library.nvrtcCreateProgram(ctypes.byref(program), text, b"k.cu", 0, None, None)
    options = [TARGET.encode(), *(f"-D{each}".encode() for each in defines)]
    failed = library.nvrtcCompileProgram(
        program, len(options), (ctypes.c_char_p * len(options))(*options)
    )
    if failed:
        return ""
    size = ctypes.c_size_t()
    library.nvrtcGetCUBINSize(program, ctypes.byref(size))
    cubin = ctypes.create_string_buffer(size.value)
    library.nvrtcGetCUBIN(program, cubin)
    library.nvrtcDestroyProgram(ctypes.byref(program))
    digest = hashlib.sha256()
    for part in _instructions(cubin.raw):
        digest.update(part)
    return digest.hexdigest()


def _instructions(elf: bytes) -> Iterator[bytes]:
    """The sections `.text.KERNEL` of a 64-bit ELF file."""
    (offset,) = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    heads = [struct.unpack_from("<IIQQQQ", elf, offset + size * i) for i in range(count)]
    for name, _, _, _, start, length in heads:
        at = heads[names][4] + name
        if elf[at : elf.index(b"\0", at)].startswith(b".text."):
            yield elf[start : start + length]


Coded = Callable[[dict[str, str]], str]
"""What is the same for rows of the same machine code; "" where that is not known."""


def compiled(source: Path, defines: Sequence[str]) -> Coded:
    """By the instructions that NVRTC makes of a row."""
    found = find_nvrtc()
    assert found is not None, "NVRTC is not there: kcc[nvidia]"
    library, text = ctypes.CDLL(str(found)), source.read_bytes()

    def code(row: dict[str, str]) -> str:
        own = [f"{n}={v}" for n, v in row.items() if n not in (*LAUNCH, "time_ms", "status")]
        return machine_code(library, text, [*own, *defines])

    return code


def unbound(vary: str) -> Coded:
    """By whether a bound is given, and leaves each thread all the registers that it can have."""

    def code(row: dict[str, str]) -> str:
        threads = int(row["block_x"]) * int(row["block_y"]) * int(row[vary])
        return "unbound" if 0 < threads * MOST_REGISTERS <= REGISTER_FILE else ""

    return code


REGISTER_FILE, MOST_REGISTERS = 65536, 255
"""Of an SM of an A100, and of a thread (CUDA C++ Programming Guide, technical specifications)."""


def groups(table: Path, code_of: Coded, vary: Sequence[str], sample: int) -> list[list[float]]:
    """Times of rows with equal instructions, by group of two and more, of a sample of the
    configurations (0: all)."""
    alike = dict[tuple[str, ...], list[dict[str, str]]]()
    with table.open(encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            if row["status"] == "ok":
                rest = (value for name, value in row.items() if name not in (*vary, "time_ms"))
                alike.setdefault(tuple(rest), []).append(row)
    times = list[list[float]]()
    several = [rows for rows in alike.values() if len(rows) > 1]
    for rows in random.Random(1).sample(several, min(sample or len(several), len(several))):
        by_code = dict[str, list[float]]()
        for row in rows:
            by_code.setdefault(code_of(row), []).append(float(row["time_ms"]))
        times += [each for code, each in by_code.items() if code and len(each) > 1]
    return times


def best_error(times: Sequence[float]) -> float:
    """The mean error that the best single time has, over measured."""
    return min(mean(abs(guess - t) / t for t in times) for guess in times)


def errors_by_others(times: Sequence[float]) -> list[float]:
    """Of each time as predicted by the geometric mean of the others, over measured."""
    return [
        abs(geometric_mean([*times[:place], *times[place + 1 :]]) / own - 1)
        for place, own in enumerate(times)
    ]


def main() -> int:
    """Print what the groups of a table are like."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("source", type=Path, nargs="?")
    parser.add_argument("--unbound", action="store_true",
                        help="compile nothing: launch bounds that bind nothing")  # fmt: skip
    parser.add_argument("--vary", action="append", required=True, metavar="PARAMETER")
    parser.add_argument("--define", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--sample", type=int, default=40, help="configurations, 0: all")
    asked = parser.parse_args()
    if asked.unbound == (asked.source is not None):
        parser.error("either a SOURCE or --unbound")
    code_of = unbound(asked.vary[0]) if asked.unbound else compiled(asked.source, asked.define)
    found = groups(asked.table, code_of, asked.vary, asked.sample)
    apart = sorted(max(times) / min(times) for times in found)
    if len(apart) < 2:
        print("no two rows have equal machine code")
        return 1
    over = sum(ratio > 1.25 for ratio in apart) / len(apart)
    errors = [error for times in found for error in [best_error(times)] * len(times)]
    others = [error for times in found for error in errors_by_others(times)]
    print(f"{len(found)} groups of {sum(map(len, found))} rows: slowest over fastest "
          f"{median(apart):.2f} median, {quantiles(apart, n=10)[-1]:.2f} in 90 %, "
          f"{apart[-1]:.2f} max, {over:.0%} over 1.25; best single time {mean(errors):.1%} off, "
          f"each by the others {mean(others):.1%}")  # fmt: skip
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
