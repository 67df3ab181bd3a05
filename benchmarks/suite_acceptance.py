"""Compiles the units of a public OpenCL suite with the built-in front end and counts what passes.

The suite itself is not part of this repository: give the folder of its OpenCL sources. A unit
passes when it compiles with its host's options and has exactly the kernels that the facts table
lists.

    python benchmarks/suite_acceptance.py --sources gpu-rodinia/opencl
"""

from __future__ import annotations

import argparse
import time
import tomllib
from pathlib import Path
from typing import Any

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel
from kcc.frontend.source_file import read_source

SUITES = Path(__file__).parent / "suites"


def build_options(unit: dict[str, Any], sources: Path, level: OptLevel) -> BuildOptions:
    """The options of a unit; ``-I.`` means the application's folder, where its host runs."""
    application = sources / Path(unit["file"]).parts[0]
    macros = list[MacroOption]()
    includes = list[str]()
    for option in unit["options"]:
        if option.startswith("-D"):
            name, _, value = option[2:].partition("=")
            macros.append(MacroOption(name, value or "1"))
        elif option.startswith("-I"):
            includes.append(str(application / option[2:]))
    return BuildOptions(
        macros=tuple(macros),
        include_dirs=tuple(includes),
        opt_level=level,
        fast_relaxed_math="-cl-fast-relaxed-math" in unit["options"],
    )


def check(unit: dict[str, Any], sources: Path, level: OptLevel) -> str:
    """Empty when the unit passes, else why it does not."""
    path = sources / unit["file"]
    if not path.is_file():
        return "no such file"
    try:
        compiled = compile_source(read_source(str(path)), build_options(unit, sources, level))
    except DiagnosticError as error:
        return str(error)
    found = {kernel.name for kernel in compiled.kernels}
    wanted = set(unit["kernels"])
    return "" if found == wanted else f"kernels {sorted(found)} instead of {sorted(wanted)}"


def main() -> int:
    """Print one line per unit and the count; exit 1 when a unit fails."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sources", type=Path, required=True, help="the suite's OpenCL folder")
    parser.add_argument("--suite", default="rodinia-opencl", help="a facts table in suites/")
    parser.add_argument("-O", dest="level", choices=["0", "1", "2"], default="1")
    options = parser.parse_args()
    facts = tomllib.loads((SUITES / f"{options.suite}.toml").read_text())
    passed = 0
    for unit in facts["units"]:
        start = time.process_time()
        reason = check(unit, options.sources, OptLevel[f"O{options.level}"])
        seconds = time.process_time() - start
        passed += not reason
        print(f"{'fail' if reason else 'pass'}  {seconds:6.2f} s  {unit['file']}  {reason}")
    print(f"{facts['suite']}: {passed} of {len(facts['units'])} units")
    return int(passed < len(facts["units"]))


if __name__ == "__main__":
    raise SystemExit(main())
