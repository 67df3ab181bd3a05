"""Makes benchmarks/data/occupancy.csv: what NVIDIA's occupancy calculator says, and compares.

    python benchmarks/occupancy_reference.py --header cuda_occupancy.h [--fermi OLD] [--write]

The calculator is the header cuda_occupancy.h of the CUDA runtime (package nvidia-cuda-runtime-cu12
has it); that of CUDA 7 still knows compute capability 2.0. A few lines of C, compiled with the
ziglang package, ask it for each GPU and point. The points are drawn once, with a fixed seed.
"""

from __future__ import annotations

import argparse
import csv
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from kcc.base.gpu import load_gpu
from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.occupancy import occupancy_of

TABLE = Path(__file__).parent / "data" / "occupancy.csv"

GPUS = (
    *("gtx480", "k600", "k40", "k620", "gtx980", "p100", "gtx1080ti"),
    *("v100", "t4", "a100", "rtx3090", "rtx4090", "h100"),
)

POINTS = 40
SEED = 7

COLUMNS = ("gpu", "threads", "registers", "shared_bytes", "blocks", "limits")

LIMITS = {1: "warps", 2: "registers", 4: "shared", 8: "blocks", 16: "barriers"}
"""Bits of the calculator's limiting factors."""

PROGRAM = r"""
#include <limits.h>
#include <stdio.h>
#include HEADER
int main(void) {
  int major, minor, per_block, per_sm, regs, shared, optin, reserved, threads, registers, bytes;
  while (scanf("%d %d %d %d %d %d %d %d %d %d %d", &major, &minor, &per_block, &per_sm, &regs,
               &shared, &optin, &reserved, &threads, &registers, &bytes) == 11) {
    cudaOccDeviceProp device = {0};
    device.computeMajor = major; device.computeMinor = minor;
    device.maxThreadsPerBlock = per_block; device.maxThreadsPerMultiprocessor = per_sm;
    device.regsPerBlock = regs; device.regsPerMultiprocessor = regs;
    device.warpSize = 32; device.sharedMemPerBlock = optin < 49152 ? optin : 49152;
    device.sharedMemPerMultiprocessor = shared; device.numSms = 1;
    cudaOccFuncAttributes kernel = {0};
    kernel.maxThreadsPerBlock = INT_MAX; kernel.numRegs = registers;
    cudaOccDeviceState state = {0};
#ifndef OLD
    device.sharedMemPerBlockOptin = optin; device.reservedSharedMemPerBlock = reserved;
    kernel.maxDynamicSharedSizeBytes = optin; kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
#else
    state.cacheConfig = CACHE_PREFER_SHARED;
#endif
    cudaOccResult result;
    cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state,
                                                                 threads, bytes);
    printf("%d %d %u\n", (int)error, result.activeBlocksPerMultiprocessor, result.limitingFactors);
  }
  return 0;
}
"""

Point = tuple[int, int, int]


def points(most: int) -> list[Point]:
    """Threads, registers and shared bytes: corners, and a sample of ordinary launches. ``most`` are
    the registers a thread can have; the calculator leaves it to the compiler to keep to them.
    """
    draw = random.Random(SEED)
    chosen: list[Point] = [(32, 1, 0), (1024, 63, 0), (1024, 64, 0), (1024, 65, 0), (33, 20, 1)]
    chosen += [(256, 32, 0), (256, 33, 0), (256, 32, 16384), (256, 32, 16385), (64, 255, 0)]
    while len(chosen) < POINTS:
        threads = draw.choice([32, 48, 64, 96, 128, 160, 192, 256, 320, 384, 512, 768, 1024])
        shared = draw.choice([0, 0, 512, 1000, 2048, 4096, 6144, 8192, 12000, 24576, 40000, 49152])
        chosen.append((threads, draw.randrange(8, 129), shared))
    return [(threads, min(registers, most), shared) for threads, registers, shared in chosen]


def points_of(gpu: GpuDescription) -> list[Point]:
    """The points for a GPU."""
    assert gpu.max_regs_per_thread is not None
    return points(gpu.max_regs_per_thread.value)


def properties(gpu: GpuDescription) -> list[int]:
    """What the calculator is told about a GPU."""
    capability, reserved = gpu.capability, gpu.extra.reserved_shared_per_block_bytes
    assert capability is not None
    facts = (gpu.max_threads_per_block, gpu.max_threads_per_sm, gpu.registers_per_sm)
    facts += (gpu.shared_mem_per_sm_bytes, gpu.max_shared_per_block_bytes)
    values = [fact.value for fact in facts if fact]
    assert len(values) == len(facts)
    return [*capability, *values, reserved.value if reserved else 0]


def ask(program: Path, gpu: GpuDescription) -> list[tuple[int, str]]:
    """The calculator's blocks per SM, and what limits them, for every point."""
    told = " ".join(str(value) for value in properties(gpu))
    lines = "".join(f"{told} {' '.join(map(str, point))}\n" for point in points_of(gpu))
    done = subprocess.run([program], input=lines, capture_output=True, text=True, check=True)
    found = list[tuple[int, str]]()
    for line in done.stdout.splitlines():
        error, blocks, factors = (int(word) for word in line.split())
        assert error == 0, f"{gpu.stem}: error {error}"
        found.append((blocks, "+".join(name for bit, name in LIMITS.items() if factors & bit)))
    return found


def build(header: Path, folder: Path, *flags: str) -> Path:
    """The calculator as a program."""
    source, program = folder / "ask.c", folder / f"ask{len(flags)}"
    source.write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, "-m", "ziglang", "cc", "-w", f'-DHEADER="{header.resolve()}"']
    subprocess.run([*command, *flags, str(source), "-o", str(program)], check=True)
    return program


def main() -> None:
    """Ask for all, write the table if wanted, and say how many points agree with ours."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--header", type=Path, required=True)
    parser.add_argument("--fermi", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    rows = list[tuple[object, ...]]()
    with tempfile.TemporaryDirectory() as folder:
        modern = build(arguments.header, Path(folder))
        old = build(arguments.fermi, Path(folder), "-DOLD") if arguments.fermi else None
        for name in GPUS:
            gpu = load_gpu(name)
            program = old if gpu.capability and gpu.capability[0] < 3 else modern
            if program is None:
                continue
            answers = ask(program, gpu)
            wrong = 0
            for point, (blocks, limits) in zip(points_of(gpu), answers, strict=True):
                ours = occupancy_of(gpu, *point)
                rows.append((name, *point, blocks, limits))
                if ours.blocks != blocks:
                    wrong += 1
                    print(f"  {name} {point}: calculator {blocks} ({limits}), ours {ours.blocks}")
            print(f"{name}: {len(answers) - wrong} of {len(answers)} points agree")
    if arguments.write:
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
