"""How many CUDA files of a public suite kcc analyses.

    python -m benchmarks.cuda_acceptance FOLDER [--suite benchmarks/suites/rodinia-cuda.toml]

FOLDER holds the suite's CUDA sources. Every .cu file with a `__global__` function counts. One is
analysed when each of its kernels is in the report on the unit that includes it; excused when those
that are not use textures or surfaces. All else is a failure. With --confirm NVRTC is asked too
(texture references need NVRTC 11.8, whose packages PYTHONPATH may put first): of the kernels that
it emits all have to be in the report.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.reach import emitted_cuda
from kcc.base.diagnostics import DiagnosticError, InternalError
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, MacroOption, SourceText
from kcc.passes.table import analyse

EXCUSES = {"K410": "texture or surface"}

_KERNEL = re.compile(
    r"__global__\s+(?:__launch_bounds__\([^)]*\)\s*)?(?:static\s+)?void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)"
)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


@dataclass(frozen=True)
class Result:
    """What became of one file."""

    verdict: str
    kernels: int
    remark: str
    lacking: tuple[str, ...] = ()
    """Kernels that are not in the report."""


def options_of(words: list[str], folder: Path) -> BuildOptions:
    """`-D` and `-I` options; folders are relative to the suite's."""
    macros = [w[2:].partition("=") for w in words if w.startswith("-D")]
    return BuildOptions(
        macros=tuple(MacroOption(name, value or "1") for name, _, value in macros),
        include_dirs=tuple(str(folder / w[2:]) for w in words if w.startswith("-I")),
    )


def judge(folder: Path, file: str, unit: str, options: BuildOptions) -> Result:
    """Compile the unit and look for the file's kernels."""
    text = (folder / unit).read_text(encoding="utf-8", errors="replace")
    own = _COMMENT.sub("", (folder / file).read_text(encoding="utf-8", errors="replace"))
    wanted = set(_KERNEL.findall(own))
    source = SourceText(str(folder / unit), text, str((folder / unit).parent))
    try:
        compiled = compile_source(source, options)
    except DiagnosticError as error:
        return missing(wanted, set(), [(d.code, d.message) for d in error.diagnostics])
    except InternalError as error:
        return Result("failed", 0, f"our bug: {error}"[:200])
    return missing(wanted, found_in(compiled), [(w.code, w.message) for w in compiled.warnings])


def found_in(unit: CompiledUnit) -> set[str]:
    """The names of the kernels that the passes work on."""
    for kernel in unit.kernels:
        analyse(kernel, unit.module)
    return {kernel.name.partition("<")[0] for kernel in unit.kernels}


def missing(wanted: set[str], found: set[str], messages: list[tuple[str, str]]) -> Result:
    """The verdict on a file with these kernels."""
    lost = sorted(wanted - found)
    if not lost:
        return Result("analysed", len(wanted), "")
    excused = {
        name: EXCUSES[code]
        for code, message in messages
        for name in lost
        if code in EXCUSES and f"'{name}" in message
    }
    if set(excused) == set(lost):
        return Result("excused", len(wanted) - len(lost), f"{', '.join(lost)}: {excused[lost[0]]}")
    lacking = tuple(lost)
    first = f"{messages[0][0]} {messages[0][1]}" if messages else "not in the report"
    return Result("failed", len(wanted) - len(lost), f"{', '.join(lost)}: {first}"[:200], lacking)


def main() -> int:
    """Print a line per file and the count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--suite", type=Path, help="a table of units and options")
    parser.add_argument("--only", default="", help="only files whose path contains this")
    parser.add_argument(
        "--option", action="append", default=[], help="for all files, e.g. --option=-Icommon"
    )
    parser.add_argument("--confirm", action="store_true", help="ask NVRTC for the kernels too")
    arguments = parser.parse_args()
    sys.setrecursionlimit(5000)
    suite = {"suite": arguments.folder.name, "files": list[Any]()}
    if arguments.suite is not None:
        suite = tomllib.loads(arguments.suite.read_text(encoding="utf-8"))
    listed = {row["file"]: row for row in suite["files"]}
    emitted = lacking = 0
    counts: dict[str, int] = {"analysed": 0, "excused": 0, "failed": 0}
    for path in sorted(arguments.folder.rglob("*.cu")):
        file = path.relative_to(arguments.folder).as_posix()
        text = _COMMENT.sub("", path.read_text(encoding="utf-8", errors="replace"))
        if "__global__" not in text or arguments.only not in file:
            continue
        row = listed.get(file, {"file": file})
        options = options_of([*row.get("options", []), *arguments.option], arguments.folder)
        start = time.perf_counter()
        result = judge(arguments.folder, file, row.get("unit", file), options)
        counts[result.verdict] += 1
        seconds = time.perf_counter() - start
        if arguments.confirm:
            unit = arguments.folder / row.get("unit", file)
            own = set(emitted_cuda(unit, options, ())) & set(_KERNEL.findall(text))
            emitted, lacking = emitted + len(own), lacking + len(own & set(result.lacking))
        figures = f"{result.kernels:2} kernels {seconds:5.1f} s  {result.remark}"
        print(f"{result.verdict:9} {file:48} {figures}", flush=True)
    print(
        f"{suite['suite']}: {counts['analysed']} of {sum(counts.values())} files analysed, "
        f"{counts['excused']} excused, {counts['failed']} failed"
    )
    if arguments.confirm:
        print(f"NVRTC emits {emitted} kernels, of which {lacking} are not in the report")
    return int(lacking > 0 or counts["failed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
