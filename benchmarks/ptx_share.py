"""Which share of a suite's kernels comes in as PTX that NVRTC makes.

python -m benchmarks.ptx_share FOLDER [--arch 80] [--limit SECONDS]

Every `.cu` file under FOLDER that has `__global__` and that NVRTC compiles alone (with the folders
of headers beside it) counts with its kernels; files that NVRTC refuses are counted apart: they hold
host code that needs headers of the toolkit. Needs the packages of kcc[nvidia].
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend.options import BuildOptions, DoorOptions, OptLevel
from kcc.frontend.ptx.doors.nvrtc import compile_cuda
from kcc.frontend.source_file import read_source


def main() -> None:
    """Print a row per cause and the share."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--arch", type=int, default=80)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds of this process")
    arguments = parser.parse_args()
    files, taken, causes, start = Counter[str](), 0, Counter[str](), time.monotonic()
    for path in sorted(arguments.folder.rglob("*.cu")):
        if time.monotonic() - start > arguments.limit:
            files["not tried, out of time"] += 1
            continue
        source = read_source(str(path))
        if "__global__" not in source.text:
            continue
        folders = tuple(str(f) for f in _headers(path, arguments.folder))
        door = DoorOptions(capability=arguments.arch)
        options = BuildOptions(include_dirs=folders, opt_level=OptLevel.O1, door=door)
        try:
            unit = compile_cuda(source, options)
        except DiagnosticError as error:
            codes = {d.code for d in error.diagnostics}
            if codes & {"K436", "K003"}:
                files["refused by NVRTC" if "K436" in codes else "no kernel is instantiated"] += 1
                continue
            files["compiled"] += 1
            causes[error.diagnostics[0].message] += 1
            continue
        files["compiled"] += 1
        taken += len(unit.kernels)
        for each in unit.refused:
            causes[each.diagnostics[0].message] += 1
    refused = sum(causes.values())
    print(dict(files))
    for message, count in causes.most_common():
        print(f"{count:5d}  {message}")
    share = 100 * taken / max(taken + refused, 1)
    print(f"kernels: {taken} of {taken + refused} taken, {share:.1f} %")


def _headers(path: Path, top: Path) -> list[Path]:
    """The file's folder, and folders named Common or include above it."""
    found = [path.parent]
    for folder in path.parents:
        found += [
            folder / n for n in ("Common", "common", "include", "inc") if (folder / n).is_dir()
        ]
        if folder == top:
            break
    return found


if __name__ == "__main__":
    main()
