"""Which share of a suite's kernels comes in as PTX.

python -P -m benchmarks.ptx_share FOLDER -o FILE.csv [--arch 80] [--limit SECONDS] [-I FOLDER]
python -P -m benchmarks.ptx_share --table FILE.csv ...

Every `.cu` file under FOLDER that has `__global__` goes through NVRTC (kcc[nvidia]), every `.ptx`
file as it is. A row per file is appended to FILE.csv as soon as the file is done; files that have a
row are not tried again, so that a run goes on where another one ended. Files that NVRTC refuses are
counted apart. The table has a line per file of rows, then the causes of refusals.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.frontend.options import BuildOptions, DoorOptions, OptLevel
from kcc.frontend.ptx.doors.nvrtc import compile_cuda
from kcc.frontend.ptx.reading import compile_ptx
from kcc.frontend.source_file import read_source

COLUMNS: tuple[str, ...] = ("file", "status", "taken", "refused", "causes")
Row = dict[str, str]


def main() -> None:
    """Add rows for what has none, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="*")
    parser.add_argument("-o", dest="output", type=Path)
    parser.add_argument("--table", type=Path, nargs="+", default=[])
    parser.add_argument("--arch", type=int, default=80)
    parser.add_argument("--limit", type=float, default=3600.0, help="seconds of this process")
    parser.add_argument("-I", dest="include", action="append", default=[])
    arguments = parser.parse_args()
    start = time.monotonic()
    for top in arguments.folder:
        done = {row["file"] for row in _rows(arguments.output)}
        for path in _sources(top):
            name = str(path.relative_to(top))
            if name in done or time.monotonic() - start > arguments.limit:
                continue
            row = _row(path, top, arguments.arch, arguments.include)
            _append(arguments.output, {"file": name, **row})
            print(name, *row.values(), flush=True)
    _print_table([*arguments.table, *([arguments.output] if arguments.output else [])])


def _sources(top: Path) -> Iterator[Path]:
    for path in sorted(top.rglob("*")):
        if path.suffix == ".ptx" or (
            path.suffix == ".cu" and "__global__" in path.read_text(errors="replace")
        ):
            yield path


def _row(path: Path, top: Path, arch: int, include: list[str]) -> Row:
    folders = (*include, *(str(f) for f in _headers(path, top)))
    options = BuildOptions(
        include_dirs=folders, opt_level=OptLevel.O1, door=DoorOptions(capability=arch)
    )
    source = read_source(str(path))
    try:
        unit = (compile_ptx if path.suffix == ".ptx" else compile_cuda)(source, options)
    except DiagnosticError as error:
        codes = {d.code for d in error.diagnostics}
        if "K436" in codes:
            return _answer("refused by NVRTC", 0, list(error.diagnostics[:1]))
        if "K003" in codes:
            return _answer("no kernel is instantiated", 0, [])
        return _answer("compiled", 0, [d for d in error.diagnostics if d.code != "K420"])
    refused = [each.diagnostics[0] for each in unit.refused]
    return _answer("compiled", len(unit.kernels), refused)


def _answer(status: str, taken: int, refused: list[Diagnostic]) -> Row:
    number = len(refused) if status == "compiled" else 0
    causes = " | ".join(d.message for d in refused)
    return {"status": status, "taken": str(taken), "refused": str(number), "causes": causes}


def _append(output: Path, row: Row) -> None:
    fresh = not output.exists()
    with output.open("a", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        if fresh:
            writer.writeheader()
        writer.writerow(row)


def _rows(path: Path | None) -> list[Row]:
    if path is None or not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def _print_table(paths: list[Path]) -> None:
    print("| suite | files | refused by NVRTC | no kernel instantiated | kernels | taken | share |")
    print("|---|---|---|---|---|---|---|")
    causes = Counter[str]()
    for path in paths:
        rows = _rows(path)
        states = Counter(row["status"] for row in rows)
        taken = sum(int(row["taken"]) for row in rows)
        kernels = taken + sum(int(row["refused"]) for row in rows)
        share = f"{100 * taken / kernels:.1f} %" if kernels else "-"
        apart = states["refused by NVRTC"], states["no kernel is instantiated"]
        cells = [path.stem, len(rows), *apart, kernels, taken, share]
        print(f"| {' | '.join(map(str, cells))} |")
        for row in rows:
            causes.update(c for c in row["causes"].split(" | ") if c)
    print()
    for message, count in causes.most_common(40):
        print(f"{count:5d}  {message}")


def _headers(path: Path, top: Path) -> list[Path]:
    """The file's folder, and folders named Common or include above it."""
    found = [path.parent]
    for folder in path.parents:
        found += [
            folder / n for n in ("Common", "common", "include", "inc") if (folder / n).is_dir()
        ]
        if folder == top:
            break
    return [*found, top]


if __name__ == "__main__":
    main()
