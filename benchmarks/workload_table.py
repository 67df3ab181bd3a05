"""How many launches and warp instructions each workload of kernels/ has at each size, on kcc.

Runs the host scripts with seed 0 and prints rows of the table in kernels/README.md; with --write
they replace those there, and what was not run stays.

    python -m benchmarks.workload_table --write                        (from the root; half an hour)
    python -m benchmarks.workload_table --sizes tiny,small bfs sssp    some of it
"""

from __future__ import annotations

import argparse
import ast
import re
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

from kcc.stages.host import HostSettings, run_script, user_cache_dir

KERNELS = Path(__file__).parents[1] / "kernels"
README = KERNELS / "README.md"
SIZES = ("tiny", "small", "large")
HEAD = "| folder | host loop | inputs | tiny | small | large | blocks |"
MARKS = "<!-- workload table -->", "<!-- end of the workload table -->"


def sentences(script: Path) -> tuple[str, str]:
    """What the host does and what the seed chooses, from the script's docstring."""
    text = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
    first, _, rest = text.partition("\n\n")
    parts = [" ".join(part.split()) for part in re.split(r"(?<=\.)\s+", rest)]
    inputs = next((part for part in parts if "seed" in part), "one shape")
    return " ".join(first.split()).rstrip("., "), inputs.rstrip(".").replace("|", "/")


def measure(name: str, size: str) -> tuple[str, int]:
    """Launches and warp instructions as a cell, and the thread blocks of the largest launch."""
    settings = HostSettings(cache_dir=user_cache_dir())
    launches = run_script(
        str(KERNELS / name / "workload.py"), size=size, settings=settings
    ).launches
    total = sum(launch.warp_instructions for launch in launches)
    blocks = 0
    for launch in launches:
        count = 1
        for whole, local in zip(launch.global_size, launch.local_size, strict=True):
            count *= whole // local
        blocks = max(blocks, count)
    return f"{len(launches):,}: {total:,}", blocks


def row(name: str, sizes: Iterable[str], known: Mapping[str, list[str]]) -> list[str]:
    """The cells of a workload; measured for `sizes`, else as they were."""
    host, inputs = sentences(KERNELS / name / "workload.py")
    cells = known.get(name, [name, "", "", "", "", "", ""])
    cells = [name, host, inputs, *cells[3:]]
    for size in sizes:
        start = time.perf_counter()
        cell, blocks = measure(name, size)
        cells[3 + SIZES.index(size)] = cell
        if size == "large":
            cells[6] = f"{blocks:,}"
        print(f"{name} {size} {cell}, {time.perf_counter() - start:.1f} s", flush=True)
    return cells


def read_rows(text: str) -> dict[str, list[str]]:
    """The rows between the marks, by folder."""
    lines = text.partition(MARKS[0])[2].partition(MARKS[1])[0].strip().splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {cells[0]: cells for cells in rows}


def write_rows(rows: Mapping[str, list[str]]) -> None:
    """Put rows into the table, in alphabetical order."""
    text = README.read_text(encoding="utf-8")
    all_rows = read_rows(text) | dict(rows)
    table = [HEAD, "|---|---|---|---|---|---|---|"]
    table += ["| " + " | ".join(all_rows[name]) + " |" for name in sorted(all_rows)]
    before, _, rest = text.partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    inside = "\n".join(table)
    README.write_text(f"{before}{MARKS[0]}\n{inside}\n{MARKS[1]}{after}", encoding="utf-8")


def main() -> None:
    """Measures what the command line asks for."""
    parser = argparse.ArgumentParser(description="Counts of workloads at each size.")
    parser.add_argument("names", nargs="*", help="folders of kernels/; all without any")
    parser.add_argument("--sizes", default=",".join(SIZES), help="of tiny,small,large")
    parser.add_argument("--write", action="store_true", help="put the rows into the README")
    options = parser.parse_args()
    sizes = [size for size in str(options.sizes).split(",") if size]
    names: list[str] = options.names or sorted(p.parent.name for p in KERNELS.glob("*/workload.py"))
    for name in names:
        cells = row(name, sizes, read_rows(README.read_text(encoding="utf-8")))
        print("| " + " | ".join(cells) + " |", flush=True)
        if options.write:
            write_rows({name: cells})


if __name__ == "__main__":
    main()
