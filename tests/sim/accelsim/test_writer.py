"""Traces as Accel-Sim's: by the rules of the format, and the same to our own simulator."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from kcc.base.gpu import load_gpu
from kcc.base.trace.reader import LaunchTrace
from kcc.cli import main
from kcc.sim.accelsim.reader import read_kernel
from kcc.sim.cycle import sources
from kcc.sim.cycle.compiled import CompiledLaunch
from kcc.sim.cycle.sources import simulate_list, simulate_trace
from kcc.sim.result import Timing
from tests.sim.accelsim.checker import check_list

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "docs" / "sample.kct"

KERNELS = ("bfs", "matmul", "reduction", "transpose", "btree", "histogram")
"""Gathers, products in local memory, barriers and masks, bank conflicts, trees, atomics."""

SAME = ("L1 sectors", "store sectors", "local passes", "atomics")


def trace(name: str, folder: Path) -> Path:
    """The trace of a workload."""
    path = folder / f"{name}.kct"
    script = str(ROOT / "kernels" / name / "workload.py")
    assert main(["trace", script, "--size", "tiny", "-o", str(path)]) == 0
    return path


def total(timings: list[Timing], name: str) -> float:
    return sum(t.statistics[name] for t in timings)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", KERNELS)
def test_round_trip(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, folder = trace(name, tmp_path), tmp_path / "list"
    assert main(["trace", str(path), "--format", "accelsim", "-o", str(folder)]) == 0
    kernels = check_list(folder)
    registers = {k.header["kernel name"]: int(k.header["nregs"]) for k in kernels}
    gpu = load_gpu("v100", ["code_line_cycles=0"])  # theirs is what was executed of it

    # What is written is made of the trace's tables, as what a trace without IR issues.
    def as_it_is(launch: LaunchTrace, *_: object) -> CompiledLaunch:
        return CompiledLaunch(launch)

    monkeypatch.setattr(sources, "compiled_launch", as_it_is)
    ours = list(simulate_trace(str(path), gpu, registers=registers))
    theirs = list(simulate_list(str(folder / "kernelslist.g"), gpu))
    assert [t.kernel for t in theirs] == [t.kernel for t in ours]
    for key in SAME:
        assert total(theirs, key) == total(ours, key)
    moves = sum(op == "MOV" for k in kernels for w in k.warps.values() for _, _, op, _, _ in w)
    written = sum(len(w) for k in kernels for w in k.warps.values())
    assert written == sum(t.instructions for t in theirs)
    assert written - moves == sum(t.issued for t in ours)
    cycles = sum(t.cycles for t in theirs) / sum(t.cycles for t in ours)
    assert abs(cycles - 1) < 0.05


def test_dependences_are_true(tmp_path: Path) -> None:
    """A register that is read was written before, or is one that a loop or argument brings; what a
    product reads comes from the loads before it."""
    path, folder = trace("matmul", tmp_path), tmp_path / "list"
    main(["trace", str(path), "--format", "accelsim", "-o", str(folder), "--kernel",
          "matmul_naive"])  # fmt: skip
    (kernel,) = check_list(folder)
    checked = 0
    for instructions in kernel.warps.values():
        writer = dict[str, str]()
        for _, to, opcode, of, _ in instructions:
            if opcode == "FFMA":
                sources = [writer.get(register, "") for register in of]
                assert sources.count("LDG.E") == 2
                assert set(sources) <= {"LDG.E", "FFMA", "MOV", ""}
                checked += 1
            if to:
                writer[to] = opcode
    assert checked > 1000


def test_options(tmp_path: Path) -> None:
    source = ROOT / "kernels" / "saxpy" / "saxpy.cl"
    folder = tmp_path / "list"
    code = main(["trace", str(source), "--size", "tiny", "--format", "accelsim", "--arch", "sm_86",
                 "--lineinfo", "--xz", "-o", str(folder)])  # fmt: skip
    assert code == 0
    kernels = check_list(folder)
    assert {k.header["binary version"] for k in kernels} == {"86"}
    kernel = read_kernel(folder / "kernel-1.traceg.xz", 0)
    lines = source.read_text(encoding="utf-8").splitlines()
    (store,) = (i for i in kernel.instructions if i.opcode == "STG.E")
    assert "=" in lines[store.line - 1]


def test_an_export_takes_the_place_of_one(tmp_path: Path) -> None:
    folder = tmp_path / "list"
    arguments = ["trace", str(SAMPLE), "--format", "accelsim", "-o", str(folder)]
    assert main([*arguments, "--launches", "0,2"]) == 0
    assert main([*arguments, "--launches", "0"]) == 0
    assert sorted(p.name for p in folder.iterdir()) == ["kernel-1.traceg", "kernelslist.g"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["list"]


def test_refusals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    sample = ["trace", str(SAMPLE), "-o"]
    cases = [
        ([*sample, str(tmp_path), "--format", "accelsim"], 2, "holds other things"),
        ([*sample, str(tmp_path / "notes.txt"), "--format", "accelsim"], 2, "is a file"),
        ([*sample, "-", "--format", "accelsim"], 2, "standard output"),
        ([*sample, str(tmp_path / "x"), "--xz"], 2, "go with --format accelsim"),
        ([*sample, str(tmp_path / "x"), "--format", "accelsim", "--launches", "1"], 1, "K870"),
        ([*sample, str(tmp_path / "x"), "--format", "accelsim", "--launches", "9"], 1, "K767"),
        ([*sample, "/proc/x", "--format", "accelsim", "--launches", "0"], 1, "K008"),
    ]
    for arguments, code, message in cases:
        assert main(arguments) == code
        assert message in capsys.readouterr().err
    assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]


@pytest.mark.slow
def test_warps_of_64_lanes_do_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = str(ROOT / "kernels" / "vecadd" / "workload.py")
    arguments = ["trace", script, "--size", "tiny", "--warp-size", "64", "--format", "accelsim"]
    assert main([*arguments, "-o", str(tmp_path / "list")]) == 1
    assert "K876" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_circles_of_moves() -> None:
    """Two values that change places go by a third register."""
    from kcc.sim.accelsim.registers import Move, _ordered  # pyright: ignore[reportPrivateUsage]

    for order in itertools.permutations([Move(0, 1), Move(1, 2), Move(2, 0), Move(3, 0)]):
        ordered, needs_spare = _ordered(list(order), (0, 1, 2, 3, 4), 4)
        assert needs_spare
        state = {0: "a", 1: "b", 2: "c", 3: "d", 4: "e"}
        for move in ordered:
            state[move.to] = state[move.of]
        assert (state[0], state[1], state[2], state[3]) == ("b", "c", "a", "a")
