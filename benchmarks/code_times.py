"""Times of public programs' kernels by kcc's own lowering beside those of the compiler's code.

    python -m benchmarks.code_times FOLDER [--programs 60] [--seed 7] [--csv FILE]

FOLDER has a folder for each CUDA program (HeCBench: `src/NAME-cuda`). Programs are drawn by the
seed; all kernels of their first two files are estimated for one launch (2,048 thread blocks of 256
on an RTX 3080), arguments unknown, with `--code kcc` and with `--code compiler`. No time was
measured: what differs is the lowering, or what either could not do, which is listed.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import mean, median
from typing import Any

LAUNCH = ("--gpu", "rtx3080", "--grid", "2048", "--block", "256")
SECONDS = 300
"""After which a program is given up."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Microseconds of a kernel and its warp instructions, by both codes."""

    program: str
    kernel: str
    own_us: float
    compiled_us: float
    own_instructions: float
    compiled_instructions: float


def main() -> int:
    """Draw programs, print how both codes agree and what failed."""
    options = _options()
    programs = sorted(path for path in options.folder.iterdir() if any(path.glob("*.cu")))
    random.Random(options.seed).shuffle(programs)
    pairs, failed = list[Pair](), Counter[str]()
    for program in programs[: options.programs]:
        for source in _sources(program):
            own, compiled = (_estimated(source, code) for code in ("kcc", "compiler"))
            for code, found in (("kcc", own), ("compiler", compiled)):
                if isinstance(found, str):
                    failed[f"{code}: {found}"] += 1
            if isinstance(own, dict) and isinstance(compiled, dict):
                pairs += _pairs(program.name, own, compiled)
        print(f"{program.name}: {len(pairs)} kernels so far", file=sys.stderr)
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, [field.name for field in fields(Pair)])
            writer.writeheader()
            writer.writerows(asdict(pair) for pair in pairs)
    _print(pairs, failed)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--programs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--csv", type=Path)
    return parser.parse_args()


def _sources(program: Path) -> list[Path]:
    found = sorted(program.glob("*.cu"))
    return [f for f in found if "__global__" in f.read_text(errors="replace")][:2]


def _estimated(source: Path, code: str) -> dict[str, dict[str, Any]] | str:
    """The estimates by kernel, or in few words why there are none."""
    command = [sys.executable, "-P", "-m", "kcc", "estimate", source.name, "-I", ".", *LAUNCH]
    try:
        done = subprocess.run(
            [*command, "--code", code, "--json", "-"], capture_output=True, text=True,
            timeout=SECONDS, cwd=source.parent, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"more than {SECONDS} s"
    try:
        records = json.loads(done.stdout)["estimates"]
    except ValueError:
        lines = [line for line in done.stderr.splitlines() if "error" in line]
        return lines[0].partition("error")[2][:60] if lines else "nothing"
    return {record["configuration"]["kernel"]: record for record in records}


def _pairs(
    program: str, own: dict[str, dict[str, Any]], compiled: dict[str, dict[str, Any]]
) -> Iterator[Pair]:
    for kernel in own.keys() & compiled.keys():
        one, other = own[kernel], compiled[kernel]
        if one["kernel_us"] and other["kernel_us"] and other["code"].startswith("ptxas"):
            counts = (each["counts"]["warp_instructions"] for each in (one, other))
            yield Pair(program, kernel, one["kernel_us"], other["kernel_us"], *counts)


def _print(pairs: list[Pair], failed: Counter[str]) -> None:
    if pairs:
        apart = [abs(math.log(pair.own_us / pair.compiled_us)) for pair in pairs]
        bias = mean(math.log(pair.own_us / pair.compiled_us) for pair in pairs)
        within = [
            sum(a < math.log(factor) for a in apart) / len(apart) for factor in (1.25, 1.5, 2)
        ]
        print(
            f"{len(pairs)} kernels: {math.expm1(median(apart)):.1%} apart in the median, own over "
            f"compiled {math.exp(bias):.2f}; within a quarter {within[0]:.0%}, a half "
            f"{within[1]:.0%}, a factor of two {within[2]:.0%}"
        )
        for pair in sorted(pairs, key=lambda p: p.own_us / p.compiled_us):
            ratio = pair.own_us / pair.compiled_us
            if not 0.5 < ratio < 2.0:
                of_instructions = pair.own_instructions / max(pair.compiled_instructions, 1.0)
                print(f"  {ratio:.2f} ({of_instructions:.2f}) {pair.program} {pair.kernel}")
    for words, times in failed.most_common():
        print(f"  {times} x {words}")


if __name__ == "__main__":
    sys.exit(main())
