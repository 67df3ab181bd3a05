"""CPU seconds of `scripts/kcc analyze kernels/hotspot/hotspot.cl`, wrapper and all.

    python benchmarks/startup.py [--runs 9] [--command 'scripts/kcc analyze FILE']

One run first writes the bytecode; the figure is the median of the others. The bound is 1.0 s. The
figures below it say which parts take the time: the interpreter alone, the imports of a command, and
the command's own stages.
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "scripts/kcc analyze kernels/hotspot/hotspot.cl"
BOUND_CPU_SECONDS = 1.0

ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
"""That of a user: bytecode is written once and read ever after."""


def measure(command: list[str], runs: int) -> tuple[float, float]:
    """Median CPU seconds (user and system, children included) and wall seconds of a command."""
    _run(command)
    measured = [_run(command) for _ in range(runs)]
    cpu, wall = zip(*measured, strict=True)
    return statistics.median(cpu), statistics.median(wall)


def _run(command: list[str]) -> tuple[float, float]:
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{shlex.join(command)} failed with exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime, wall


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="CPU seconds of kcc analyze.")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--command", default=COMMAND)
    options = parser.parse_args()
    command = shlex.split(options.command)
    python = ROOT / ".venv" / "bin" / "python"
    interpreter = str(python) if python.exists() else sys.executable

    cpu, wall = measure(command, options.runs)
    verdict = "within" if cpu <= BOUND_CPU_SECONDS else "over"
    print(f"{options.command}")
    print(f"  CPU {cpu:.3f} s, wall {wall:.3f} s; {verdict} the bound of {BOUND_CPU_SECONDS} s")
    for name, code in (
        ("interpreter alone", "pass"),
        ("import of the command line", "import kcc.cli"),
        ("import of the front end", "import kcc.frontend.builtin_frontend"),
        (
            "import of the passes and the report",
            "import kcc.stages.analyze, kcc.report.analysis.terminal",
        ),
    ):
        part, _ = measure(
            [interpreter, "-P", "-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}"],
            options.runs,
        )
        print(f"  {name}: CPU {part:.3f} s")
    subprocess.run([*command, "--time", "-o", os.devnull], cwd=ROOT, check=True, env=ENVIRONMENT)


if __name__ == "__main__":
    main()
