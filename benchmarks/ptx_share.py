"""Which share of a suite's kernels comes in as PTX.

python -P -m benchmarks.ptx_share FOLDER -o FILE.csv [--arch 80] [--limit SECONDS] [-I FOLDER]
python -P -m benchmarks.ptx_share FOLDER -o FILE.csv --python benchmarks/data/triton_tutorials.csv
python -P -m benchmarks.ptx_share --table FILE.csv ...

Every `.cu` file under FOLDER that has `__global__` goes through NVRTC (kcc[nvidia]), every `.ptx`
file as it is. With --python LIST.csv the kernels of Python files that the list names go through
Triton (kcc[triton]). A row per file or kernel is appended to FILE.csv as soon as it is done; what
has a row is not tried again, so that a run goes on where another one ended. Files that a compiler
refuses are counted apart. The table has a line per file of rows, then the causes of refusals.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.frontend.options import BuildOptions, DoorOptions, MacroOption, OptLevel, SourceText
from kcc.frontend.ptx.doors.nvrtc import compile_cuda
from kcc.frontend.ptx.doors.python_kernel import compile_python
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
    parser.add_argument(
        "--python", type=Path, help="kernels: file, kernel, signature, macros, least"
    )
    parser.add_argument("-I", dest="include", action="append", default=[])
    arguments = parser.parse_args()
    start = time.monotonic()
    for top in arguments.folder:
        done = {row["file"] for row in _rows(arguments.output)}
        listed = _listed(arguments.python, arguments.arch) if arguments.python else {}
        sources = {str(p.relative_to(top)): p for p in (() if listed else _sources(top))}
        for name in (*sources, *listed):
            if name in done or time.monotonic() - start > arguments.limit:
                continue
            row = (
                _of_python(top, listed[name], arguments.arch)
                if name in listed
                else _row(sources[name], top, arguments.arch, arguments.include)
            )
            _append(arguments.output, {"file": name, **row})
            print(name, *row.values(), flush=True)
    _print_table([*arguments.table, *([arguments.output] if arguments.output else [])])


def _sources(top: Path) -> Iterator[Path]:
    for path in sorted(top.rglob("*")):
        if path.suffix == ".ptx" or (
            path.suffix == ".cu" and "__global__" in path.read_text(errors="replace")
        ):
            yield path


def _listed(path: Path, arch: int) -> dict[str, Row]:
    """The kernels of a list that there are for a compute capability, by unique names."""
    with path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(line for line in stream if not line.startswith("#")))
    return {
        f"{row['file']}:{row['kernel']} {number}": row
        for number, row in enumerate(rows) if int(row["least"]) <= arch
    }  # fmt: skip


INTEGER = 4096
"""What integer arguments are taken to be."""


def _of_python(top: Path, row: Row, arch: int) -> Row:
    macros = tuple(MacroOption(*word.split("=", 1)) for word in row["macros"].split())
    count = row["signature"].count(",") + 1
    values = tuple((str(place), INTEGER) for place in range(count))
    options = BuildOptions(
        macros, opt_level=OptLevel.O1, door=DoorOptions(row["signature"], arch, values)
    )
    name = f"{top / row['file']}:{row['kernel']}"
    try:
        unit = compile_python(SourceText(name, read_source(str(top / row["file"])).text, str(top)),
                              options)  # fmt: skip
    except DiagnosticError as error:
        if error.diagnostics[0].code == "K435":
            return _answer("refused by Triton", 0, list(error.diagnostics[:1]))
        return _answer("compiled", 0, [d for d in error.diagnostics if d.code != "K420"])
    return _answer("compiled", len(unit.kernels), [e.diagnostics[0] for e in unit.refused])


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
    print("| suite | files | not compiled | no kernel instantiated | kernels | taken | share |")
    print("|---|---|---|---|---|---|---|")
    causes = Counter[str]()
    for path in paths:
        rows = _rows(path)
        states = Counter(row["status"] for row in rows)
        taken = sum(int(row["taken"]) for row in rows)
        kernels = taken + sum(int(row["refused"]) for row in rows)
        share = f"{100 * taken / kernels:.1f} %" if kernels else "-"
        apart = (
            states["refused by NVRTC"] + states["refused by Triton"],
            states["no kernel is instantiated"],
        )
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
