"""PyOpenCL's own examples, run on kcc and on PyOpenCL with PoCL: every array that comes back.

    python -m benchmarks.pyopencl_examples pyopencl/examples [--only demo] [--limit 600]

The folder is `examples` of a clone of PyOpenCL. Each script runs unchanged, once by `kcc run` and
once on PyOpenCL and PoCL (the extra `tests`), with NumPy's random numbers drawn from one seed; what
is copied from the device to the host is kept, and compared: equal in every byte, or within the
tolerance of captures (kcc/capture/replay.py), or different. Scripts that want more than the extra
`pyopencl` need cgen and imageio 2.9 (PYTHONPATH).
"""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcc.capture.replay import TOLERANCE

ROOT = Path(__file__).parents[1]

PRELUDE = """
import os, pickle, random, sys, warnings
import numpy as np
warnings.simplefilter("ignore")
target, script = sys.argv[1:3]
kept, room = [], [64 << 20]
drawn = np.random.default_rng
np.random.default_rng = lambda seed=None: drawn(0 if seed is None else seed)
np.random.seed(0)
random.seed(0)

class Seeded(random.Random):
    def __new__(cls, seed=None):
        return super().__new__(cls, 0 if seed is None else seed)
    def __init__(self, seed=None):
        super().__init__(0 if seed is None else seed)

random.Random = Seeded

def keeping(copy):
    def enqueue_copy(queue, dest, src, *more, **options):
        done = copy(queue, dest, src, *more, **options)
        if isinstance(dest, np.ndarray) and room[0] >= dest.nbytes:
            room[0] -= dest.nbytes
            kept.append((dest if options.get("is_blocking") is False else dest.copy()))
        return done
    return enqueue_copy

def keep():
    with open(target, "wb") as file:
        pickle.dump([np.ascontiguousarray(each) for each in kept], file)

"""
ON_KCC = (
    PRELUDE
    + """
import kcc.opencl
kcc.opencl.enqueue_copy = keeping(kcc.opencl.enqueue_copy)
from kcc.cli import main
code = 3
try:
    code = main(["run", script])
except SystemExit as ended:
    code = ended.code or 0
finally:
    keep()
sys.exit(code)
"""
)
ON_POCL = (
    PRELUDE
    + """
import runpy
from tests.pocl import choose_device
import pyopencl
choose_device()
os.environ["PYOPENCL_CTX"] = "portable"
pyopencl.enqueue_copy = keeping(pyopencl.enqueue_copy)
sys.argv, code = [script], 0
sys.path.insert(0, os.path.dirname(script))
try:
    runpy.run_path(script, run_name="__main__")
except SystemExit as ended:
    code = ended.code or 0
except BaseException:
    code = 1
    import traceback
    traceback.print_exc()
keep()
sys.stderr.flush()
os._exit(code)
"""
)


def run(code: str, script: Path, target: Path, limit: int) -> tuple[int | None, str]:
    """The exit code of a script, None where it had not ended in ``limit`` seconds, and the last
    line that it wrote on standard error."""
    place = {**os.environ, "PYOPENCL_NO_CACHE": "1", "MPLBACKEND": "Agg"}
    place["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory() as folder:
        for each in script.parent.iterdir():
            Path(folder, each.name).symlink_to(each.resolve())
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-c", code, str(target), str(Path(folder, script.name))],
                cwd=folder, env=place, capture_output=True, text=True, check=False, timeout=limit,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None, ""
    lines = [each for each in done.stderr.splitlines() if each.strip()]
    said = next((each for each in lines if "error[" in each), lines[-1] if lines else "")
    return done.returncode, said.replace(str(Path(folder)) + os.sep, "")


def compared(ours: Sequence[NDArray[Any]], theirs: Sequence[NDArray[Any]]) -> str:
    """How many arrays are equal, how many within the tolerance, and what else there is."""
    if len(ours) != len(theirs):
        return f"{len(ours)} arrays, on PoCL {len(theirs)}"
    equal = near = 0
    members = set[str]()
    for one, two in zip(ours, theirs, strict=True):
        if one.dtype == two.dtype and one.shape == two.shape and one.tobytes() == two.tobytes():
            equal += 1
        elif one.shape == two.shape and _share(one, two) <= _tolerance(one):
            near += 1
        elif one.dtype == two.dtype and one.dtype.names:
            members |= {n for n in one.dtype.names if one[n].tobytes() != two[n].tobytes()}
    other = len(ours) - equal - near
    where = f" in {', '.join(sorted(members))}" if members else ""
    return (
        f"{len(ours)} arrays: {equal} equal, {near} within the tolerance, {other} different{where}"
    )


def _tolerance(array: NDArray[Any]) -> float:
    wide = array.dtype in (np.dtype(np.float64), np.dtype(np.complex128))
    return TOLERANCE["double" if wide else "float"] if array.dtype.kind in "fc" else 0.0


def _share(one: NDArray[Any], two: NDArray[Any]) -> float:
    """The largest difference, as a share of the largest magnitude."""
    if one.dtype.kind not in "fciu" or not one.size:
        return float("inf")
    kind = np.complex128 if one.dtype.kind == "c" else np.float64
    first, second = one.astype(kind), two.astype(kind)
    same = (first == second) | (np.isnan(first) & np.isnan(second))
    if same.all():
        return 0.0
    scale = float(np.nanmax(np.abs(second)))
    return float(np.abs(first[~same] - second[~same]).max()) / scale if scale else float("inf")


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("examples", type=Path)
    parser.add_argument("--only", action="append", help="scripts whose name holds this")
    parser.add_argument("--limit", type=int, default=600, help="seconds (default: %(default)s)")
    arguments = parser.parse_args()
    failed = 0
    for script in sorted(arguments.examples.glob("*.py")):
        if not any(each in script.name for each in arguments.only or [""]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            one, two = Path(folder, "kcc"), Path(folder, "pocl")
            code, said = run(ON_KCC, script, one, arguments.limit)
            if "error[K733]" in said:
                verdict = f"refused: {said.partition('error[K733]: ')[2]}"
            elif code is None:
                verdict = f"kcc: not ended after {arguments.limit} s"
            else:
                other, word = run(ON_POCL, script, two, arguments.limit)
                verdict = f"kcc ends with {code}, PoCL with {other}"
                if code or other:
                    verdict += f" ({said or word})"
                if one.exists() and two.exists():
                    arrays = [pickle.loads(each.read_bytes()) for each in (one, two)]
                    verdict += "; " + compared(*arrays)
                failed += code != other or (
                    " 0 different" not in verdict and "0 arrays" not in verdict
                )
            print(f"| {script.stem} | {verdict} |", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
