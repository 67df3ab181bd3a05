"""The pages that kcc writes, made by its commands."""

from __future__ import annotations

from pathlib import Path

from kcc import cli

ROOT = Path(__file__).parents[2]

QUICK: dict[str, tuple[str, ...]] = {
    "analyze": ("analyze", "kernels/hotspot/hotspot.cl", "--gpu", "v100"),
    "estimate": (
        "estimate", "kernels/matmul/matmul.cl", "--kernel", "matmul_tiled", "--gpu", "v100",
        "--gpu", "a100", "--sweep", "TILE=8,16,32",
    ),
}  # fmt: skip
"""Command lines without `--html FILE`, that take seconds."""

JOINED = "report"
"""The page of several documents."""

SLOW: dict[str, tuple[str, ...]] = {
    "one": ("estimate", "kernels/transpose/transpose.cl", "--kernel", "transpose_tiled",
            "--gpu", "v100", "--ablate"),
    "simulate": ("simulate", "kernels/bfs/workload.py", "--size", "tiny", "--gpu", "v100",
                 "--gpu", "a100"),
    "explore": ("explore", "kernels/vecadd/vecadd.cl", "--kernel", "vecadd", "--size", "tiny",
                "--gpu", "v100", "--what-if", "--sweep", "warps=8,16,32"),
    "memory": ("memory", "kernels/spmv/workload.py", "--size", "tiny", "--gpu", "v100",
               "--trials", "8"),
    "profile": ("profile", "kernels/bfs/workload.py", "--size", "tiny"),
    "compare": ("compare", "1.json", "2.json"),
    "pareto": ("explore", "kernels/transpose/transpose.cl", "--kernel", "transpose_naive", "--size",
               "small", "--gpu", "v100", "--sweep", "sm_count=20,40,80", "--sweep",
               "memory_bandwidth_gbs=450,900", "--cost", "sm_count + memory_bandwidth_gbs / 10",
               "--cycle", "none"),
    "validate": ("validate", "benchmarks/data/scale_l40.csv", "benchmarks/data/scale.cl", "--gpu",
                 "l40", "--warm", "--global", "roundup(elements,128)", "--local", "128", "--arg",
                 "size=elements"),
    "tune": ("tune", "kernels/transpose/transpose.cl", "--kernel", "transpose_tiled", "--gpu",
             "v100", "--sweep", "TILE=8,16,32", "--sweep", "ROWS=2,4,8", "--where", "TILE >= ROWS",
             "--global", "1024,1024*ROWS//TILE", "--local", "TILE,ROWS", "--arg", "width=1024",
             "--arg", "height=1024"),
    "phases": ("phases", "units.json"),
    JOINED: ("report", "."),
}  # fmt: skip
"""Others."""


def made(name: str, folder: Path) -> Path:
    """The page of this name, which is written once; run where relative paths are the root's."""
    target = folder / f"{name}.html"
    if not target.exists():
        command = {**QUICK, **SLOW}[name]
        documents = _documents(folder) if name in {"compare", JOINED} else folder
        if name == "phases":
            _record(folder)
        words = [str(documents / w) if w == "." or w.endswith(".json") else w for w in command]
        assert cli.main([*words, "--html", str(target)]) == 0
    return target


def _record(folder: Path) -> None:
    """Units of a run, for `kcc phases`."""
    trace, units = str(folder / "bfs.kct"), str(folder / "units.json")
    script = "kernels/bfs/workload.py"
    assert cli.main(["trace", script, "--size", "tiny", "-o", trace]) == 0
    assert cli.main(["phases", "record", trace, "--gpu", "v100", "-o", units]) == 0


def _documents(folder: Path) -> Path:
    """A folder of documents about one kernel."""
    found = folder / "documents"
    if not found.exists():
        found.mkdir()
        bfs = "kernels/bfs/bfs.cl"
        script = ("kernels/bfs/workload.py", "--size", "tiny")
        for name, words in (
            ("analysis", ("analyze", bfs)),
            ("estimate", ("estimate", bfs, "--gpu", "v100", "--gpu", "a100")),
            ("1", ("simulate", *script, "--gpu", "a100")),
            ("2", ("simulate", *script, "--gpu", "v100")),
            ("profile", ("profile", *script)),
            ("run", ("run", *script)),
        ):
            assert cli.main([*words, "--json", str(found / f"{name}.json")]) == 0
    return found
