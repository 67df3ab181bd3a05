"""Makes benchmarks/data/ptxas_registers.csv: true register counts of every kernel of kernels/.

    python benchmarks/ptxas_registers.py --ptxas PATH [--libdevice FILE] [--write]

Each kernel goes through kcc's front end at -O2, LLVM's NVPTX back end and ptxas, for sm_70, sm_80
and sm_90. Mathematics is libdevice's, as nvcc takes it; division and square root are OpenCL's.
The package nvidia-cuda-nvcc-cu12 has both; the table was made with its release 12.9.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

from kcc.base.workload_file import load_workload_file
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel, SourceText
from kcc.frontend.ptx.emit import PtxOptions, emit_ptx
from kcc.frontend.ptx.ptxas import count_registers, libdevice_beside, version_of

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "benchmarks" / "data" / "ptxas_registers.csv"
TARGETS = ("sm_70", "sm_80", "sm_90")
COLUMNS = ("folder", "kernel", "target", "registers", "spill_bytes", "stack_bytes", "ptxas")


def units() -> Iterator[tuple[str, CompiledUnit]]:
    """Every OpenCL C source of kernels/ at -O2, as its kernel.toml builds it."""
    for path in sorted((ROOT / "kernels").glob("*/kernel.toml")):
        workload = load_workload_file(path)
        options = BuildOptions(
            macros=tuple(MacroOption(name, text) for name, text in workload.defines.items()),
            include_dirs=tuple(str(folder) for folder in workload.includes),
            opt_level=OptLevel.O2,
        )
        text = workload.source.read_text(encoding="utf-8")
        source = SourceText(workload.source.name, text, str(workload.source.parent))
        yield path.parent.name, compile_source(source, options, "builtin")


def main() -> None:
    """Count, print, and write the table if wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ptxas", type=Path, required=True)
    parser.add_argument("--libdevice", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    ptxas: Path = arguments.ptxas
    library: Path | None = arguments.libdevice or libdevice_beside(ptxas)
    libdevice = library.read_bytes() if library else None
    version = version_of(ptxas)
    rows = list[tuple[object, ...]]()
    for folder, unit in units():
        for target in TARGETS:
            counts = count_registers(
                emit_ptx(unit.ir, PtxOptions(target, libdevice)), target, ptxas
            )
            for kernel in unit.kernels:
                count = counts[kernel.symbol]
                spilled = (count.spill_bytes, count.stack_bytes)
                rows.append((folder, kernel.name, target, count.registers, *spilled, version))
        print(folder, len(rows), flush=True)
    if arguments.write:
        with TABLE.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *rows])


if __name__ == "__main__":
    main()
