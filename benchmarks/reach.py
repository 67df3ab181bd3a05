"""How many kernels of public suites kcc analyses, and why it refuses the others.

    python -P -m benchmarks.reach SUITE FOLDER [--journal FILE] [--again] [--only TEXT] [--clang C]

SUITE names a table `benchmarks/suites/reach-SUITE.toml`: endings, options, files left out and why.
Each file is analysed as a user would who gives no launch: compiled at -O1, every pass run. Files
follow one another in one process, with its caches, as in a sweep; a file's time is the CPU time
without start-up, clang's included. The kernels that count are those that a second compiler emits:
NVRTC for CUDA (the packages of kcc[nvidia] and nvidia-cuda-cccl-cu12, nvidia-curand-cu12), of
templates the instances that kcc analyses or the source names; for OpenCL C a clang with its own
headers (--clang). Without these the kernels count that the source defines, in OpenCL C behind
clang's preprocessor, and the report says so. Ends with 1 where a kernel that counts is not in the
report.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from kcc.base.diagnostics import Diagnostic, DiagnosticError, InternalError
from kcc.frontend import compile_source
from kcc.frontend.clang.find import need_clang
from kcc.frontend.clang.invoke import HEADERS
from kcc.frontend.options import BuildOptions, MacroOption
from kcc.frontend.ptx.doors.nvrtc import find_nvrtc, ptx_text
from kcc.frontend.ptx.reading.module import source_name
from kcc.frontend.source_file import read_source
from kcc.passes.table import analyse

SUITES = Path(__file__).parent / "suites"

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_CUDA_KERNEL = re.compile(
    r"__global__[^;{}]*?\bvoid\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*(?:<[^<>]*>)?\s*"
    r"\((?:[^()]|\([^()]*\))*\)\s*\{"
)
_EMITTED = re.compile(r"^define [^\n]*?spir_kernel void @([\w.$]+)\(", re.MULTILINE)
_ENTRY = re.compile(r"\.entry ([\w$]+)")
_PLAIN_INSTANCE = re.compile(r"\w[\w:]*<[^()]+>")
"""Not over lambdas, which have no name."""
_CL_KERNEL = re.compile(
    r"\b(?:__)?kernel\b[^;{}]*?\bvoid\s+(?:__attribute__\s*\(\(.*?\)\)\s*)?(\w+)\s*\("
)


@dataclass
class Row:
    """What became of one file; `refused` says by kernel which code and words."""

    suite: str
    file: str
    variant: str = ""
    defined: list[str] = field(default_factory=list[str])
    second: str = ""
    """The compiler that confirms the kernels; empty without one."""
    confirmed: list[str] = field(default_factory=list[str])
    analysed: list[str] = field(default_factory=list[str])
    refused: dict[str, str] = field(default_factory=dict[str, str])
    seconds: float = 0.0

    @property
    def missing(self) -> list[str]:
        """Confirmed kernels that are not in the report."""
        return sorted(set(self.confirmed) - set(self.analysed))


def cpu_seconds() -> float:
    """Of this process and those it has waited for."""
    import resource

    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, both))


def build_options(words: list[str], folder: Path) -> BuildOptions:
    """The words of a host's build call; folders are relative to the suite's."""
    macros = [w[2:].partition("=") for w in words if w.startswith("-D")]
    version = next((w[8:] for w in words if w.startswith("-cl-std=")), "")
    includes = [w[2:] for w in words if w.startswith("-I")]
    return BuildOptions(
        macros=tuple(MacroOption(name, value or "1") for name, _, value in macros),
        include_dirs=tuple(str(folder / name) for name in includes),
        fast_relaxed_math="-cl-fast-relaxed-math" in words,
        mad_enable="-cl-mad-enable" in words,
        opencl_version={"CL2.0": 200, "CL3.0": 300}.get(version, 120),
    )


def defined_cl(path: Path, options: list[str], folder: Path) -> list[str]:
    """The kernels that an OpenCL C source holds after clang's preprocessor."""
    words = [w if not w.startswith("-I") else f"-I{folder / w[2:]}" for w in options]
    words = [w for w in words if w.startswith(("-D", "-I", "-cl-std"))]
    command = [*need_clang("").command, "-cc1", "-x", "cl", "-triple", "spir64-unknown-unknown"]
    command += ["-cl-ext=+all", "-w", "-E", "-include", str(HEADERS / "kcc-opencl.h"), *words]
    run = subprocess.run([*command, str(path)], check=False, capture_output=True)
    return sorted(set(_CL_KERNEL.findall(run.stdout.decode(errors="replace"))))


def emitted_cl(clang: str, path: Path, options: list[str], folder: Path) -> list[str]:
    """The kernels that a clang emits with its own headers; none where it refuses the file."""
    words = [w if not w.startswith("-I") else f"-I{folder / w[2:]}" for w in options]
    words = [w for w in words if w.startswith(("-D", "-I", "-cl-"))]
    command = [clang, "-x", "cl", "-target", "spir64-unknown-unknown", "-cl-std=CL3.0"]
    command += ["-Xclang", "-cl-ext=+all", "-Xclang", "-finclude-default-header", "-w", "-S"]
    command += ["-emit-llvm", *words, "-o", "-", str(path)]
    run = subprocess.run(command, check=False, capture_output=True)
    if run.returncode:
        return []
    return sorted(set(_EMITTED.findall(run.stdout.decode(errors="replace"))))


def defined_cuda(path: Path) -> list[str]:
    """The kernels that a CUDA source defines."""
    text = _COMMENT.sub("", path.read_text(encoding="utf-8", errors="replace"))
    return sorted(set(_CUDA_KERNEL.findall(text)))


def emitted_cuda(path: Path, options: BuildOptions, instances: Iterable[str]) -> list[str]:
    """The kernels that NVRTC emits; ``instances`` are asked for one by one where they are no
    instances that the source names. None where it refuses the file."""
    library = find_nvrtc()
    assert library is not None
    found, source = set[str](), read_source(str(path))
    for asked in ([], [name for name in instances if _PLAIN_INSTANCE.fullmatch(name)]):
        if not asked and found:
            continue
        try:
            ptx = ptx_text(source, replace(options, instantiate=tuple(asked)), library)
        except DiagnosticError:
            continue
        found |= {source_name(symbol) for symbol in _ENTRY.findall(ptx)}
    return sorted(found)


def judge(
    suite: str,
    folder: Path,
    file: str,
    variant: str,
    options: list[str],
    clang: str,
    *,
    missing_only: bool,
) -> Row:
    """Compile and analyse one file; with ``missing_only`` it is confirmed where kernels lack."""
    path = folder / file
    row = Row(suite, file, variant)
    is_cl = path.suffix == ".cl"
    row.defined = defined_cl(path, options, folder) if is_cl else defined_cuda(path)
    start, found, names = cpu_seconds(), list[Diagnostic](), list[str]()
    build = build_options(options, folder)
    try:
        frontend = "auto" if is_cl else "clang"  # not by way of NVRTC, which confirms
        unit = compile_source(read_source(str(path)), build, frontend=frontend, partial=True)
        found += [*unit.warnings, *(d for r in unit.refused for d in r.diagnostics)]
        row.refused |= {r.kernel: _words(r.diagnostics[0]) for r in unit.refused if r.kernel}
        for kernel in unit.kernels:
            try:
                analyse(kernel, unit.module)
                names.append(kernel.name)
            except DiagnosticError as error:
                found += error.diagnostics
    except DiagnosticError as error:
        found += error.diagnostics
    except (InternalError, RecursionError) as error:
        found.append(Diagnostic("K006", f"internal error: {error}"[:300]))
    row.seconds = cpu_seconds() - start
    row.analysed = sorted({name.partition("<")[0] for name in names})
    row.confirmed = row.defined
    if missing_only and not row.missing:
        return row
    if is_cl and clang:
        row.second, row.confirmed = "clang", emitted_cl(clang, path, options, folder)
    elif not is_cl and find_nvrtc() is not None:
        row.second, row.confirmed = "NVRTC", emitted_cuda(path, build, names)
    row.refused = {n: row.refused.get(n) or reason(n, found) for n in row.missing}
    return row


def _words(found: Diagnostic) -> str:
    return f"{found.code} {f'{found.span.line}: ' if found.span else ''}{found.message}"[:240]


def reason(kernel: str, found: list[Diagnostic]) -> str:
    """The message about a kernel, else the first about the file."""
    own = [d for d in found if re.search(rf"'{re.escape(kernel)}\b", d.message)]
    errors = [d for d in found if d.code not in ("K419", "K418", "K221")]
    for d in [*own, *errors, *found]:
        return _words(d)
    return "not in the report"


def files_of(suite: dict[str, Any], folder: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Each file with its variants: name of the variant and options."""
    rows = {row["file"]: row for row in suite.get("files", [])}
    common = suite.get("options", [])
    for path in sorted(folder.rglob("*")):
        file = path.relative_to(folder).as_posix()
        row = rows.get(file, {})
        if path.suffix not in suite["endings"] or row.get("left_out"):
            continue
        if path.suffix == ".cu" and not defined_cuda(path):
            continue
        variants = row.get("variants", {"": []})
        for name, words in variants.items():
            yield file, name, [*common, *row.get("options", []), *words]


def main() -> int:
    """Print a line per file that lacks kernels, the causes and the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("suite")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="only files whose path contains this")
    parser.add_argument("--journal", type=Path, help="rows as JSON; read for --again")
    parser.add_argument("--again", action="store_true", help="only files that lacked kernels")
    parser.add_argument(
        "--confirm-missing",
        action="store_true",
        help="ask the second compiler only about files that lack kernels",
    )
    parser.add_argument("--clang", default="", help="a clang with its headers of OpenCL C")
    arguments = parser.parse_args()
    sys.setrecursionlimit(5000)
    suite = tomllib.loads((SUITES / f"reach-{arguments.suite}.toml").read_text(encoding="utf-8"))
    known = read_journal(arguments.journal)
    rows = dict[tuple[str, str], Row](known)
    started = time.process_time()
    for file, variant, options in files_of(suite, arguments.folder):
        before = known.get((file, variant))
        if arguments.only not in file or (arguments.again and before and not before.missing):
            continue
        row = judge(
            arguments.suite, arguments.folder, file, variant, options, arguments.clang,
            missing_only=arguments.confirm_missing,
        )  # fmt: skip
        rows[file, variant] = row
        remark = f"{len(row.missing)} of {len(row.confirmed)} refused" if row.missing else "all"
        first = next(iter(row.refused.items()), ("", ""))
        print(f"{row.seconds:6.2f} s  {file} {variant} {remark}  {' '.join(first)}", flush=True)
        if arguments.journal:
            write_journal(arguments.journal, rows)
    report(list(rows.values()))
    print(f"{time.process_time() - started:.0f} CPU s without clang")
    return int(any(row.missing for row in rows.values()))


def read_journal(path: Path | None) -> dict[tuple[str, str], Row]:
    """The rows of a run before."""
    if path is None or not path.is_file():
        return {}
    rows = [Row(**json.loads(line)) for line in path.read_text().splitlines()]
    return {(row.file, row.variant): row for row in rows}


def write_journal(path: Path, rows: dict[tuple[str, str], Row]) -> None:
    """A row per line."""
    path.write_text("".join(json.dumps(asdict(row)) + "\n" for row in rows.values()))


def report(rows: list[Row]) -> None:
    """Counts, times and causes, the largest first."""
    confirmed = sum(len(r.confirmed) for r in rows)
    refused = sum(len(r.missing) for r in rows)
    whole = sum(not r.missing for r in rows)
    causes = Counter[str]()
    for row in rows:
        for words in {re.sub(r" \d+:", "", w) for w in row.refused.values()}:
            causes[words] += 1
    for words, count in causes.most_common(60):
        print(f"{count:4}  {words}")
    seconds = [r.seconds for r in rows] or [0.0]
    defined = sum(len(r.defined) for r in rows)
    known = sum(len(set(r.defined) & set(r.analysed)) for r in rows)
    seconds_by = ", ".join(sorted({r.second or "nobody" for r in rows}))
    print(
        f"{defined} kernels defined, of which {known} analysed; {seconds_by} confirms {confirmed}"
    )
    print(
        f"{confirmed - refused} of {confirmed} kernels, {whole} of {len(rows)} units whole; "
        f"CPU s per unit: median {statistics.median(seconds):.2f}, worst {max(seconds):.2f}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
