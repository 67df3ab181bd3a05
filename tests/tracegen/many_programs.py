"""Compares one build of random programs with PoCL and with the interpreter, in a process that PoCL
may end: ``python -m tests.tracegen.many_programs FIRST COUNT``.

PoCL 3.0 dies of about one program in 200; what it dies of is compared with the interpreter alone.
"""

from __future__ import annotations

import subprocess
import sys

from tests.pocl import choose_device
from tests.tracegen.random_launches import (
    PER_BUILD,
    compared_kernels,
    compiled,
    on_pocl,
    reference_difference,
    setting_of,
    sources,
)

FINE, REFUSED = "fine", "PoCL died"


def outcomes(first: int, count: int) -> dict[int, str]:
    """What becomes of each seed: :data:`FINE`, :data:`REFUSED` or what is wrong."""
    found = dict[int, str]()
    for start in range(first, first + count, PER_BUILD):
        found |= _of_build(start, min(PER_BUILD, first + count - start))
    return found


def _of_build(first: int, count: int) -> dict[int, str]:
    command = [sys.executable, "-m", "tests.tracegen.many_programs", str(first), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60 * count, check=False)
    lines = done.stdout.splitlines()
    if done.returncode == 0:
        words = (line.split(" ", 1) for line in lines)
        return {int(seed): text for seed, text in words}
    if lines or done.returncode > 0:
        return {first + len(lines): f"ended with {done.returncode}: {done.stderr[-2000:]}"}
    if count > 1:
        seeds = range(first, first + count)
        return {seed: text for s in seeds for seed, text in _of_build(s, 1).items()}
    return {first: reference_difference(sources(first, 1), setting_of(first)) or REFUSED}


def main() -> None:
    """Print a line for each seed once PoCL has run all kernels."""
    import pyopencl

    first, count = int(sys.argv[1]), int(sys.argv[2])
    setting, source = setting_of(first), sources(first, count)
    unit = compiled(source, setting.level)
    names = [kernel.name for kernel in unit.kernels]
    wanted = on_pocl(pyopencl.Context([choose_device()]), source, names, setting)
    for seed, text in zip(
        range(first, first + count), compared_kernels(unit, wanted, setting), strict=True
    ):
        sys.stdout.write(f"{seed} {text or FINE}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
