"""Which tests the short suite leaves out: tests/long_tests.txt, from measurements.

    python -m scripts.short_suite FOLDER                 measure what FOLDER lacks, then choose
    python -m scripts.short_suite FOLDER --seconds 150   for another sum of CPU seconds

The short suite has each test that is quick, each that runs few lines or none of kcc in this process
and is not slow (tests of one function, of another process, of words), each not much slower of a
folder with native code, whose lines cannot be seen, and of the others but the longest those that
run the most lines per second that no test before them has run, as many as the time allows.
Measuring runs the tests twice, in two processes each: for their times, and for their lines. What is
chosen is then run alone, twice: where a test that is left out had filled a cache for others, one of
these takes longer, and it is chosen anew by the longest of each test's times.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from coverage import CoverageData

ROOT = Path(__file__).resolve().parent.parent
ALL_SHORT = "--all-short"
"""The option of the tests that runs what is left out too."""

LONG_TESTS = ROOT / "tests" / "long_tests.txt"
QUICK_SECONDS = 0.05
FEW_LINES, SLOW_SECONDS = 400, 0.5
NATIVE_SECONDS = 0.3
LONGEST_SECONDS = 3.0
"""Of CPU time, like all here, on the machine that measures: 5,142 of 6,605 tests are quick and take
38 of 601 seconds together; with the three other bounds most lines were run in a sum of SECONDS."""

KEPT = (
    "tests/sim/sampling/test_sampling.py::test_ours",
    "tests/synth/original/test_stored.py::test_the_files_are_those_made_from_the_run[bfs]",
)
"""Kill mutants, of sim/cycle/coalesce_native.py and of synth/original, that only they and slower
ones do."""

SECONDS = 134.0
"""With which scripts/check takes less than 240: see docs/validation/robustness.md."""

Lines = Mapping[str, frozenset[int]]
Place = tuple[str, int]
"""A file, from the root, and a line of it."""

Seconds = Mapping[str, float]


def measured(folder: Path, kind: str, *options: str) -> list[Path]:
    """The files that the tests' processes wrote; the tests are run if there are none."""
    if not list(folder.glob(f"{kind}.*")):
        folder.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-P", "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile"]
        plugin = ["-p", "tests.lines_run", f"--measure-{kind}={folder.absolute()}"]
        subprocess.run([*command, *options, *plugin], cwd=ROOT, check=True)
    return sorted(folder.glob(f"{kind}.*"))


def times(folder: Path, *options: str) -> dict[str, float]:
    """CPU seconds by test, of the short suite or what options add."""
    files = [file.read_text(encoding="utf-8") for file in measured(folder, "times", *options)]
    return {test: seconds for text in files for test, seconds in json.loads(text).items()}


def lines(folder: Path) -> tuple[list[Place], dict[str, frozenset[int]]]:
    """The lines of kcc that tests run, and by test the numbers of its own."""
    numbers, found = dict[Place, int](), dict[str, set[int]]()
    for file in measured(folder, "lines", ALL_SHORT):
        data = CoverageData(file)
        data.read()
        for name in data.measured_files():
            for line, tests in data.contexts_by_lineno(name).items():
                number = numbers.setdefault((name, line), len(numbers))
                for test in tests:
                    found.setdefault(test, set()).add(number)
    return list(numbers), {test: frozenset(ran) for test, ran in found.items() if test}


def is_of_native_code(test: str) -> bool:
    """Whether the folder that a test mirrors has functions that numba compiles."""
    folder = Path(test.partition("::")[0]).parent
    return any((ROOT / folder.relative_to("tests")).glob("*_native.py"))


def short_of(seconds: Seconds, ran: Lines, most: float) -> set[str]:
    """The tests of the short suite, whose times add up to ``most`` seconds or a little more."""
    none = frozenset[int]()
    chosen = {
        test
        for test, cost in seconds.items()
        if test in KEPT
        or cost <= QUICK_SECONDS
        or (cost <= SLOW_SECONDS and len(ran.get(test, none)) <= FEW_LINES)
        or (cost <= NATIVE_SECONDS and is_of_native_code(test))
    }
    spent, seen = sum(seconds[test] for test in chosen), set[int]()
    for test in chosen:
        seen |= ran.get(test, none)
    left: dict[str, frozenset[int]] = {
        test: frozenset(ran.get(test, none) - seen)
        for test, cost in sorted(seconds.items())
        if test not in chosen and cost <= LONGEST_SECONDS
    }
    while left and spent < most:
        best = max(left, key=lambda test: len(left[test]) / seconds[test])
        new = left.pop(best)
        if not new:
            break
        chosen.add(best)
        spent += seconds[best]
        left = {test: rest for test, other in left.items() if (rest := other - new)}
    return chosen


def written(long: Iterable[str], said: str) -> str:
    """The file, sorted, with a line of what it says."""
    head = "# Tests that only --whole runs. Written by `python -m scripts.short_suite`.\n"
    return head + f"# {said}\n" + "".join(f"{test}\n" for test in sorted(long))


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    given = parser.parse_args()
    seconds, (_, ran) = times(given.folder, ALL_SHORT), lines(given.folder)
    every = len(frozenset[int]().union(*ran.values()))
    for alone in ("alone", "again", ""):
        short = short_of(seconds, ran, given.seconds)
        kept = len(frozenset[int]().union(*(ran[test] for test in short & ran.keys())))
        spent, whole = sum(seconds[test] for test in short), sum(seconds.values())
        said = (
            f"The short suite has {len(short):,} of {len(seconds):,} tests, {spent:.0f} of "
            f"{whole:.0f} CPU seconds and {100 * kept / every:.1f} % of the lines."
        )
        LONG_TESTS.write_text(written(seconds.keys() - short, said), encoding="utf-8")
        print(said)
        for test, longer in times(given.folder / alone).items() if alone else ():
            seconds[test] = max(seconds.get(test, 0.0), longer)


if __name__ == "__main__":
    main()
