"""OpenCL programs of others, captured on an implementation and replayed by kcc.

    python -m benchmarks.captures --rodinia gpu-rodinia [--only nw] [--json captures.json]

Rodinia's OpenCL hosts (the folder of a clone) are copied as they are and built by their own
makefiles; their inputs are generated here. clpeak is the one that is installed, where there is one.
Each runs under `kcc capture --as-gpu --outputs N`; `kcc run` replays the capture and compares what
launches left in memory. Needs a C++ compiler, make, and what docs/how-to/applications.md says.
Exit code 1 where a program is not captured or a replay differs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.ledger import commit

ROOT = Path(__file__).parents[1]
WORDS = {
    "bfs": "CC=g++ -std=c++11", "pathfinder": "CXX=g++ -std=c++11",
    "streamcluster": "CC=g++ -std=c++11", "kmeans": "CC_FLAGS=-g",
}  # fmt: skip
"""What make is told. Three are not C++17; of kmeans a function ends without its value, after which
g++ from 8 on runs into the next one where it optimises."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program: its words, and what writes its input into its folder. ``ends``: how it ends."""

    name: str
    words: tuple[str, ...]
    inputs: Callable[[Path], None] = lambda _: None
    outputs: int = 1
    ends: int = 0


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of one. Objects are memory objects after launches."""

    program: str
    arguments: str
    capture_bytes: int
    launches: int
    objects: int
    equal: int
    near: int
    largest: float
    ended: str
    """Empty, or how the program ended that failed."""


def _graph(folder: Path) -> None:
    draw, nodes, degree = random.Random(1), 256, 4
    lines = [str(nodes), *(f"{degree * n} {degree}" for n in range(nodes)), "0"]
    lines.append(str(nodes * degree))
    lines += [f"{draw.randrange(nodes)} {draw.randint(1, 10)}" for _ in range(nodes * degree)]
    (folder / "graph.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _grids(folder: Path) -> None:
    draw = random.Random(1)
    for name, low, high in (("temp.txt", 320.0, 340.0), ("power.txt", 0.0, 1e-3)):
        lines = (f"{draw.uniform(low, high):.6f}" for _ in range(64 * 64))
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _points(folder: Path) -> None:
    draw = random.Random(1)
    lines = (" ".join([str(n), *(f"{draw.random():.4f}" for _ in range(8))]) for n in range(1, 513))
    (folder / "points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _records(folder: Path) -> None:
    """Latitude and longitude stand from column 28 on, five characters each."""
    draw = random.Random(1)
    lines = (
        f"{n:<28d}{draw.uniform(7, 60):5.1f}{draw.uniform(10, 99):5.1f}".ljust(48)
        for n in range(512)
    )
    (folder / "records.db").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "files.txt").write_text("records.db\n", encoding="utf-8")


_PLACE = ("-p", "0", "-d", "0")
PROGRAMS = (
    Program("backprop", ("./backprop.out", "-n", "256", *_PLACE)),
    Program("bfs", ("./bfs.out", "graph.txt", *_PLACE), _graph),
    Program("gaussian", ("./gaussian.out", "-s", "32", *_PLACE)),
    Program("hotspot", ("./hotspot.out", "64", "2", "4", "temp.txt", "power.txt", "out.txt",
                        *_PLACE), _grids),
    Program("kmeans", ("./kmeans.out", "-o", "-i", "points.txt", *_PLACE), _points),
    Program("lavaMD", ("./lavaMD.out", "-boxes1d", "2", *_PLACE)),
    Program("lud", ("./lud.out", "-s", "64", *_PLACE)),
    Program("nn", ("./nn.out", "files.txt", "-r", "5", "-lat", "30", "-lng", "90", "-q", "-f", ".",
                   *_PLACE), _records),
    Program("nw", ("./nw.out", "256", "10", "./nw.cl", *_PLACE)),
    Program("particlefilter", ("./OCL_particlefilter_single.out", "-x", "32", "-y", "32", "-z", "4",
                               "-np", "400", *_PLACE)),
    Program("pathfinder", ("./pathfinder.out", "-c", "1000", "-r", "20", "-h", "5", *_PLACE)),
    Program("streamcluster", ("./streamcluster.out", "3", "5", "8", "256", "256", "100", "none",
                              "out.txt", "1", *_PLACE)),
)  # fmt: skip
CLPEAK = Program("clpeak", ("clpeak", "--kernel-latency"), outputs=16)


class NotBuiltError(Exception):
    """A program's makefile failed."""


def built(program: Program, rodinia: Path, folder: Path) -> Path:
    """The folder of a program as Rodinia has it, built and with its input."""
    own = folder / "opencl" / program.name
    if not (folder / "common").is_dir():
        shutil.copytree(rodinia / "common", folder / "common")
        shutil.copytree(rodinia / "opencl" / "util", folder / "opencl" / "util")
    shutil.copytree(rodinia / "opencl" / program.name, own)
    command = ["make", *([WORDS[program.name]] if program.name in WORDS else [])]
    done = subprocess.run(command, cwd=own, capture_output=True, text=True, check=False)
    if not (own / program.words[0]).exists():
        raise NotBuiltError(f"make: {done.stderr[-500:]}")
    program.inputs(own)
    return own


def replayed(program: Program, own: Path, target: Path) -> Replayed:
    """Capture and replay a program; raises RuntimeError where there is no capture or a replay
    fails."""
    kcc = (sys.executable, "-P", "-m", "kcc")
    place = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [
        *kcc, "capture", "--as-gpu", "--max-size", "200M", "--outputs", str(program.outputs), "-o",
        str(target), "--", *program.words,
    ]  # fmt: skip
    taken = subprocess.run(
        command, cwd=own, env=place, capture_output=True, text=True, check=False, timeout=600
    )
    if not target.exists():
        raise RuntimeError(f"not captured: {taken.stderr[-500:]}")
    run = subprocess.run(
        [*kcc, "run", str(target)], env=place, capture_output=True, text=True, check=False
    )
    counts = re.search(
        r"([\d,]+) of ([\d,]+) memory objects equal.*?([\d,]+) within the tolerance "
        r"\(largest difference ([^)]+)\)",
        run.stdout,
    )
    if run.returncode or counts is None:
        raise RuntimeError(f"replay: {(run.stdout + run.stderr)[-800:]}")
    equal, whole, near = (int(text.replace(",", "")) for text in counts.groups()[:3])
    log = target.read_bytes()
    ended = re.search(r"the program ended with (-?\d+)", taken.stderr)
    return Replayed(
        program.name, " ".join(program.words[1:]), len(log), log.count(b"\nlaunch "), whole, equal,
        near, float(counts[4]), ended[1] if ended else "",
    )  # fmt: skip


def line(each: Replayed) -> str:
    """A row of the page's table."""
    near = f"{each.near} ({each.largest:.1e})" if each.near else "0"
    arguments = each.arguments.replace(" ".join(_PLACE), "").strip()
    return (
        f"| {each.program} | `{arguments}` | {each.capture_bytes:,} | {each.launches:,} | "
        f"{each.objects:,} | {each.equal:,} | {near} | {each.ended or 'well'} |"
    )


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rodinia", type=Path, help="a clone of gpu-rodinia")
    parser.add_argument("--only", action="append", help="programs (repeatable)")
    parser.add_argument("--keep", type=Path, help="a folder for the captures")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    found, failed = list[Replayed](), 0
    with tempfile.TemporaryDirectory() as scratch:
        kept = arguments.keep or Path(scratch)
        kept.mkdir(parents=True, exist_ok=True)
        programs = list(PROGRAMS if arguments.rodinia else ())
        programs += [CLPEAK] if shutil.which("clpeak") else []
        for program in programs:
            if arguments.only and program.name not in arguments.only:
                continue
            try:
                is_own = program is CLPEAK
                own = Path(scratch) if is_own else built(program, arguments.rodinia, Path(scratch))
                target = (kept / f"{program.name}.capture").resolve()
                found.append(replayed(program, own, target))
                print(line(found[-1]), flush=True)
            except (NotBuiltError, RuntimeError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"{program.name}: {error}", flush=True)
    if arguments.json:
        content = {"commit": commit(), "programs": [asdict(each) for each in found]}
        arguments.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
