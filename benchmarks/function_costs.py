"""What NVIDIA's functions cost: the table of sim/machine/function_costs.py, made anew.

    python -m benchmarks.function_costs

A kernel for each function is compiled by NVRTC (extra nvidia), whose code has the bodies of
NVIDIA's library, and its PTX is executed on 1,024 arguments between 0.1 and 0.9 (second arguments:
0.07). Instructions of a warp by unit, less those of a kernel without a call, and how many follow
each other on the longest path through the blocks that were executed, in latencies of the main
unit: of one with special functions 4.5, in double precision 2.5 (18 to 23 cycles beside 4 or 8).
Functions without branches have the instructions that ptxas makes for an RTX 3090; of others, where
ptxas makes several of one of PTX, the table of classes says how many.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kcc.frontend.ir.instructions import AnyInstruction, Store
from kcc.frontend.kernel import Kernel
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.frontend.ptx.doors.nvrtc import compile_cuda
from kcc.passes.mix.classify import classify
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.sim.machine.costs import COSTS, Unit
from kcc.sim.machine.function_costs import DOUBLE

ONE = [
    "sin", "cos", "tan", "exp", "exp10", "expm1", "log", "log2", "log10", "log1p", "tanh", "erf",
    "erfc", "atan", "asin", "acos", "sinh", "cosh", "cbrt", "lgamma", "tgamma", "asinh", "acosh",
    "atanh", "sinpi", "cospi", "rcbrt",
]  # fmt: skip
TWO = ["pow", "atan2", "fmod", "hypot", "remainder"]
BEYOND_ONE = {"acosh", "sinh"}
"""Functions that below 1 are not defined, or a short polynomial: their argument is larger by 1."""
SPECIAL = {"float": 4.5, "double": 2.5}
"""Latencies of the main unit that one of the special functions' takes."""
UNITS: tuple[Unit, ...] = (Unit.FMA, Unit.ALU, Unit.SFU, Unit.FP64, Unit.CONTROL)


def source(type_: str) -> str:
    """A kernel for each function, and one without any."""
    end = "f" if type_ == "float" else ""
    calls = {"none": "t"}
    calls |= {name: f"{name}{end}(t{' + 1' * (name in BEYOND_ONE)})" for name in ONE}
    calls |= {name: f"{name}{end}(t, u)" for name in TWO}
    return "".join(
        f'extern "C" __global__ void k_{name}(const {type_} *a, {type_} *b, {type_} u) {{ int i = '
        f"blockIdx.x * blockDim.x + threadIdx.x; {type_} t = a[i]; b[i] = {call}; }}\n"
        for name, call in calls.items()
    )


def executed(path: Path, type_: str) -> dict[str, Any]:
    """The launch of each kernel, of the profile of a run."""
    document = path.with_suffix(".json")
    arguments = [f"0={type_}[1024]=uniform(0.1, 0.9)", f"1={type_}[1024]", "2=0.07"]
    words = ["profile", str(path), "--frontend", "nvrtc", "--global", "1024", "--block", "256"]
    words += [word for each in arguments for word in ("--arg", each)]
    words += ["--json", str(document)]
    subprocess.run([sys.executable, "-m", "kcc", *words], check=True, stdout=subprocess.DEVNULL)
    found = json.loads(document.read_text(encoding="utf-8"))
    names = [kernel["name"] for kernel in found["kernels"]]
    return {names[launch["kernel"]]: launch for launch in found["launches"]}


def assembled(path: Path) -> dict[str, dict[str, float]]:
    """A warp's instructions by unit of each kernel, in ptxas's code."""
    document = path.with_suffix(".estimate.json")
    words = ["estimate", str(path), "--frontend", "nvrtc", "--gpu", "rtx3090", "--code", "compiler"]
    words += ["--grid", "4096", "--block", "256", "--json", str(document)]
    subprocess.run([sys.executable, "-m", "kcc", *words], check=True, stdout=subprocess.DEVNULL)
    found = json.loads(document.read_text(encoding="utf-8"))["estimates"]
    return {
        each["configuration"]["kernel"]: {
            unit: count / (4096 * 8) for unit, count in each["counts"]["by_unit"].items()
        }
        for each in found
    }


def costs(kind: InstructionClass, count: float, *, is_double: bool) -> tuple[Unit, float, float]:
    """The unit of so many operations of a class, their machine instructions, and their steps."""
    if kind is InstructionClass.FP_DIV and is_double:
        own = DOUBLE["divide"]
        return Unit.FP64, sum(own.slots.values()) * count, own.steps * count
    cost = COSTS.get(kind)
    if cost is None:  # coefficients, loaded from memory that is constant
        return Unit.ALU, count, 0.0
    return cost.unit, cost.slots * count, cost.steps * count


def by_unit(mix: Mapping[str, Any], *, is_double: bool) -> dict[Unit, float]:
    """Machine instructions of a warp."""
    found = dict.fromkeys(UNITS, 0.0)
    for name, counts in mix.items():
        unit, slots, _ = costs(InstructionClass(name), counts["warp"] / 32, is_double=is_double)
        found[unit] = found.get(unit, 0.0) + slots
    return found


def longest(kernel: Kernel, blocks: set[int], type_: str) -> float:
    """The longest chain to the value that is stored, through these blocks alone."""
    depth = dict[int, float]()
    last = 0.0

    def reached(instruction: AnyInstruction) -> float:
        numbers = (getattr(operand, "index", -1) for operand in instruction.operands)
        return max((depth.get(number, 0.0) for number in numbers), default=0.0)

    for block in kernel.function.blocks:
        if block.index not in blocks:
            continue
        for instruction in block.instructions:
            own = 0.0
            for kind, count in classify(instruction):
                unit, _, steps = costs(kind, count, is_double=type_ == "double")
                weight = SPECIAL[type_] if unit is Unit.SFU else 1.0
                if type_ == "double" and unit in (Unit.FMA, Unit.ALU):
                    weight = 0.5
                own += 0.0 if unit is Unit.CONTROL else steps * weight
            depth[instruction.index] = reached(instruction) + own
            if isinstance(instruction, Store):
                last = reached(instruction)
    return last


def main() -> None:
    """Print the rows of both precisions."""
    for type_ in ("float", "double"):
        with TemporaryDirectory() as folder:
            path = Path(folder) / "functions.cu"
            path.write_text(source(type_), encoding="utf-8")
            launches, machine = executed(path, type_), assembled(path)
            text = SourceText(str(path), source(type_), "")
            unit = compile_cuda(text, BuildOptions(opt_level=OptLevel.O2))
        kernels = {kernel.name: kernel for kernel in unit.kernels}
        rows = dict[str, tuple[dict[Unit, float], float]]()
        for name, launch in launches.items():
            blocks = {node["block"] for node in launch["dfsg"]["nodes"] if node["ECount"]}
            units = by_unit(launch["instruction_mix"], is_double=type_ == "double")
            rows[name] = units, longest(kernels[name], blocks, type_)
        less, steps = rows["k_none"]
        print(f"{type_}: {', '.join(unit.name for unit in UNITS)}, steps")
        for name in (*ONE, *TWO):
            units, own = rows[f"k_{name}"]
            more = {unit: units[unit] - less[unit] for unit in UNITS}
            if len(kernels[f"k_{name}"].function.blocks) == 1:
                code, bare = machine[f"k_{name}"], machine["k_none"]
                more = {unit: code[unit.name.lower()] - bare[unit.name.lower()] for unit in UNITS}
            counts = ", ".join(f"{round(more[unit], 1):g}" for unit in UNITS)
            print(f'    "{name}": FunctionCost({counts}, {own - steps:g}),')


if __name__ == "__main__":
    main()
