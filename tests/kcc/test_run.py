"""`kcc run`, in process: what is counted and printed, how scripts end, and what surrounds them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import kcc
from kcc import cli
from kcc.commands import hosts
from kcc.stages.host import HostLaunch, HostSettings, Progress, run_script
from kcc.tracegen import execute
from kcc.tracegen.execute import Execution
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.workers import TraceCallback

ROOT = Path(__file__).parents[2]
BFS = ROOT / "kernels" / "bfs" / "workload.py"

KERNEL = """
__kernel void twice(__global float *x, int n)
{
    int i = get_global_id(0);
    if (i < n) x[i] *= 2;
}
"""

PRELUDE = f"""\
import sys
import numpy as np
import pyopencl as cl

SOURCE = '''{KERNEL}'''

def twice(count, room=None):
    context = cl.create_some_context()
    queue = cl.CommandQueue(context)
    x = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 * (room or count))
    kernel = cl.Program(context, SOURCE).build().twice
    kernel(queue, (64,), (32,), x, np.int32(count))
    got = np.empty(room or count, np.float32)
    cl.enqueue_copy(queue, got, x)
    return got
"""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run of kcc ended."""

    code: int
    out: str
    err: str


Run = Callable[..., Ended]
Write = Callable[..., Path]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs `kcc run` with the arguments given; compiled kernels are kept for the test alone."""
    monkeypatch.setenv("KCC_CACHE_DIR", str(tmp_path / "cache"))

    def run_kcc(*arguments: str | Path) -> Ended:
        code = cli.main(["run", *map(str, arguments)])
        captured = capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    return run_kcc


@pytest.fixture
def script(tmp_path: Path) -> Write:
    """Writes a script that may use PRELUDE's function."""

    def write(text: str, name: str = "script.py", *, prelude: bool = True) -> Path:
        path = tmp_path / name
        path.write_text((PRELUDE if prelude else "") + text)
        return path

    return write


# what is counted


def test_table(run: Run, script: Write):
    path = script("print('before')\ntwice(48)\ntwice(40)\nprint('after')\n")
    ended = run(path, "--workers", "1")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[:3] == [
        "before", "after", f"{path}, size small, seed 0, warps of 32, 1 worker",
    ]  # fmt: skip
    assert lines[5].split("  ")[0] == "kernel"
    name, launches, warps, threads, percent, *_ = lines[6].split()
    assert lines[3:5] == [
        f"twice executes {warps} warp instructions; launch 0 (64 work-items) has 50 % of them.", "",
    ]  # fmt: skip
    assert (name, launches) == ("twice", "2")
    assert int(warps) > 8
    # two warps each, the second of which has 16 and 8 of 32 lanes in the branch
    assert float(percent) == pytest.approx(
        100 * int(threads.replace(",", "")) / 32 / int(warps), 0.01
    )
    assert len(lines) == 7


def test_launches(run: Run, script: Write):
    ended = run(script("twice(48)\ntwice(40)\n"), "--launches")
    rows = [line.split()[:4] for line in ended.out.splitlines() if re.match(r"\d ", line)]
    assert rows == [["0", "twice", "64", "32"], ["1", "twice", "64", "32"]]


def test_counts_depend_on_the_warp_size(run: Run, script: Write):
    path = script("twice(64)\n")
    narrow = json.loads(run(path, "--json", "-").out)
    wide = json.loads(run(path, "--json", "-", "--warp-size", "64").out)
    assert narrow["thread_instructions"] == wide["thread_instructions"]
    assert narrow["warp_instructions"] == wide["warp_instructions"]  # warps of 32 work-items
    assert (narrow["simt_efficiency"], wide["simt_efficiency"]) == (1.0, 0.5)


def test_json(run: Run, script: Write, tmp_path: Path):
    schema = resources.files(kcc).joinpath("schemas/run-1.json").read_text(encoding="utf-8")
    path = script("print('seen')\ntwice(48)\n")
    ended = run(path, "--json", "-", "--seed", "3", "--size", "tiny")
    made = json.loads(ended.out)
    assert ended.err == "seen\n"
    jsonschema.validate(made, json.loads(schema))
    assert (made["size"], made["seed"], made["script"]) == ("tiny", 3, str(path))
    assert made["kernels"][0]["warp_instructions"] == made["launches"][0]["warp_instructions"]
    target = tmp_path / "counts.json"
    ended = run(path, "--json", target)
    assert ended.out.startswith("seen\n")
    assert json.loads(target.read_text())["launches"][0]["global_size"] == [64]


def test_no_launches(run: Run, script: Write):
    ended = run(script("print('hello')\n", prelude=False))
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "no kernel was launched")
    document = json.loads(run(script("", prelude=False), "--json", "-").out)
    assert (document["launch_count"], document["simt_efficiency"]) == (0, None)


def test_workload(run: Run):
    ended = run(BFS, "--size", "tiny")
    assert (ended.code, ended.err) == (0, "")
    assert re.search(r"^BFS_1 +6 .*\nBFS_2 +6 .*\ntotal +12 ", ended.out, re.MULTILINE)


# how scripts are run


def test_main_of_a_workload_is_called_once(run: Run, script: Write):
    path = script(
        "def main(size, seed):\n    print('main', size, seed, __name__)\n"
        "print('top')\nif __name__ == '__main__':\n    main('large', 9)\n",
        prelude=False,
    )
    ended = run(path, "--size", "tiny", "--seed", "4")
    assert ended.out.splitlines()[:2] == ["top", "main tiny 4 __workload__"]
    assert ended.out.count("main ") == 1


def test_other_mains_are_called_by_the_script(run: Run, script: Write):
    path = script(
        "def main():\n    print('main', __name__)\nif __name__ == '__main__':\n    main()\n",
        prelude=False,
    )
    assert run(path).out.splitlines()[0] == "main __main__"


def test_surroundings(run: Run, script: Write, tmp_path: Path):
    (tmp_path / "beside.py").write_text("WORD = 'beside'\n")
    path = script(
        "import sys, beside, __main__\nprint(sys.argv[1:], beside.WORD, __file__ == sys.argv[0])\n"
        "print(sys.path[0] == beside.__file__.rpartition('/')[0], __main__.__file__ == __file__)\n",
        prelude=False,
    )
    before = (list(sys.path), list(sys.argv), set(sys.modules), list(sys.meta_path))
    ended = run(path, "--seed", "1", "--", "--steps", "100", "--", "-x")
    assert ended.out.splitlines()[0] == "['--steps', '100', '--', '-x'] beside True"
    assert ended.out.splitlines()[1] == "True True"
    after = (list(sys.path), list(sys.argv), set(sys.modules), list(sys.meta_path))
    assert "beside" not in sys.modules
    assert [after[0], after[1], after[3]] == [before[0], before[1], before[3]]
    assert not {name for name in after[2] - before[2] if not name.startswith("kcc")}


def test_modules_beside_the_script_are_those_of_the_script(run: Run, script: Write, tmp_path: Path):
    for word in ("first", "second"):
        folder = tmp_path / word
        folder.mkdir()
        (folder / "same_name.py").write_text(f"WORD = '{word}'\n")
        path = script("import same_name\nprint(same_name.WORD)\n", f"{word}/s.py", prelude=False)
        assert run(path).out.splitlines()[0] == word


def test_pyopencl_is_redirected(run: Run, script: Write):
    import pyopencl

    path = script(
        "import pyopencl as cl, pyopencl.array as array, kcc.opencl\n"
        "from pyopencl import cltypes, mem_flags\nfrom pyopencl.tools import MemoryPool\n"
        "print(cl.Buffer is kcc.opencl.Buffer, array.Array.__module__, cltypes.float4.itemsize)\n",
        prelude=False,
    )
    assert run(path).out.splitlines()[0] == "True pyopencl.array 16"
    assert sys.modules["pyopencl"] is pyopencl
    assert run(path, "--keep-imports").out.splitlines()[0].startswith("False pyopencl.array")


def test_sources_are_named_by_their_files(run: Run, script: Write, tmp_path: Path):
    (tmp_path / "twice.cl").write_text(KERNEL)
    ended = run(script("twice(64, room=32)\n"))
    assert ended.code == 1
    assert re.search(r"twice\.cl:5:21: error\[K711\]: read outside 'x'", ended.err)


# how scripts end


def test_faults_of_kernels(run: Run, script: Write):
    ended = run(script("twice(64, room=32)\n"))
    assert (ended.code, ended.out) == (1, "")
    first, *excerpt = ended.err.splitlines()
    assert first.startswith("<program 1>:5:21: error[K711]: read outside 'x' at byte offset 128")
    assert excerpt == [
        "    5 |     if (i < n) x[i] *= 2;",
        "      |                     ^",
    ]


def test_programs_that_do_not_compile(run: Run, script: Write):
    ended = run(script("SOURCE = SOURCE.replace('i < n', 'i < m')\ntwice(4)\n"))
    assert (ended.code, ended.err.splitlines()[0]) == (
        1, "<program 1>:5:13: error[K301]: unknown name 'm'",
    )  # fmt: skip


def test_exceptions(run: Run, script: Write):
    path = script("def deeper():\n    return int('x')\n\nprint(deeper())\n", prelude=False)
    ended = run(path)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        f"{path}:2:12: error[K731]: ValueError: invalid literal for int() with base 10: 'x'\n"
        "    2 |     return int('x')\n"
        "      |            ^~~~~~~~\n"
    )
    debugged = run("--debug", path).err
    assert "Traceback (most recent call last)" in debugged
    assert debugged.endswith(ended.err)


def test_checks_that_fail(run: Run, script: Write):
    ended = run(script("assert (twice(4) == 1).all(), 'not ones'\n", prelude=True))
    assert ended.code == 1
    assert "error[K732]: the check failed: not ones\n" in ended.err
    assert "assert (twice(4) == 1).all()" in ended.err
    assert "error[K732]: a check failed\n" in run(script("assert False\n", prelude=False)).err


def test_mistakes_of_kcc_are_not_the_scripts(
    run: Run, script: Write, monkeypatch: pytest.MonkeyPatch
):
    def broken(*_: object) -> str:
        raise AssertionError("no implementation of llvm.unheard.of")

    monkeypatch.setattr(execute, "write_program", broken)
    execute.forget_programs()
    ended = run(script("twice(4)\n"))
    assert ended.code == 3
    assert ended.err.startswith(
        "kcc: internal error in stage 'execution': AssertionError: no implementation of "
        "llvm.unheard.of (in 'broken')\nThis is a bug in kcc "
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import pyopencl as cl\ncl.Pipe\n", "cl.Pipe"),
        ("import pyopencl.invoker\n", "pyopencl.invoker"),
        ("import pyopencl as cl\ncl.GLBuffer\n", "cl.GLBuffer"),
        ("import pyopencl as cl\ncl.create_some_context().from_int_ptr\n", "Context.from_int_ptr"),
    ],
)
def test_what_kcc_lacks(run: Run, script: Write, text: str, name: str):
    ended = run(script(text, prelude=False))
    assert ended.code == 1
    assert "error[K733]: " in ended.err
    assert name.rpartition(".")[2] in ended.err
    assert "docs/reference/hosts.md" in ended.err


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("text", "code", "err"),
    [
        ("sys.exit()", 0, ""),
        ("sys.exit(0)", 0, ""),
        ("sys.exit(7)", 7, ""),
        ("sys.exit('no data')", 1, "no data\n"),
        ("raise KeyboardInterrupt", 130, ""),
    ],
)
def test_exits(run: Run, script: Write, text: str, code: int, err: str):
    ended = run(script(f"twice(8)\n{text}\ntwice(9)\n"))
    assert (ended.code, ended.err) == (code, err)
    assert ("twice  " in ended.out) == (code == 0)


def test_syntax_errors(run: Run, script: Write):
    path = script("print(1\n", prelude=False)
    ended = run(path)
    assert ended.code == 1
    assert ended.err.startswith(f"{path}:1:6: error[K730]: the script is not Python: '(' was never")


def test_budget_and_races(run: Run, script: Write):
    endless = KERNEL.replace("if (i < n)", "while (i < n)")
    ended = run(script(f"SOURCE = '''{endless}'''\ntwice(64)\n"), "--budget", "10000")
    assert (ended.code, "error[K717]" in ended.err) == (1, True)
    racing = KERNEL.replace("x[i]", "x[i / 2]")
    path = script(f"SOURCE = '''{racing}'''\ntwice(64)\n")
    assert run(path).code == 0
    ended = run(path, "--races")
    assert (ended.code, "error[K721]" in ended.err) == (1, True)


def test_printing_kernels(run: Run, script: Write):
    source = KERNEL.replace("if (i < n)", 'if (i == 3) printf("here %d\\\\n", i); if (i < n)')
    ended = run(script(f"SOURCE = '''{source}'''\ntwice(8)\nprint('done')\n"))
    assert ended.out.splitlines()[:2] == ["here 3", "done"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nope.py"], "error[K001]: cannot read 'nope.py': No such file or directory"),
        (["kernel.cl", "b.cl"], "error[K009]: unrecognized arguments: b.cl"),
        (["a.py", "b.py"], "error[K009]: unrecognized arguments: b.py"),
        (["a.py", "--size", "huge"], "error[K009]: argument --size: invalid choice: 'huge'"),
        (["a.py", "--workers", "0"], "'0' is not a whole number from 1 on"),
        (["a.py", "--seed", "-1"], "error[K009]"),
        (["a.py", "--warp-size", "16"], "error[K009]"),
        ([], "error[K009]"),
    ],
)
def test_usage(run: Run, arguments: list[str], message: str):
    ended = run(*arguments)
    assert ended.code == (1 if arguments == ["nope.py"] else 2)
    assert message in ended.err


def test_output_does_not_replace_the_script(run: Run, script: Write):
    path = script("", prelude=False)
    ended = run(path, "--json", path)
    assert (ended.code, "would overwrite" in ended.err) == (2, True)


def test_progress_on_a_terminal(run: Run, script: Write, monkeypatch: pytest.MonkeyPatch):
    def is_terminal(stream: object) -> bool:
        return stream is sys.stderr

    monkeypatch.setattr(hosts, "is_terminal", is_terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    ended = run(script("twice(8)\nprint('word')\n"))
    assert "launches" in ended.err
    assert ended.out.startswith("word\n")


def test_plain_python(script: Write, tmp_path: Path):
    """A script that imports kcc.opencl runs by itself, and keeps what was compiled."""
    path = script("assert not twice(8).any()\n")
    path.write_text(path.read_text().replace("import pyopencl as cl", "import kcc.opencl as cl"))
    ended = subprocess.run(
        [sys.executable, path],
        env={"PYTHONPATH": str(ROOT), "KCC_CACHE_DIR": str(tmp_path / "kept")},
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert len(list((tmp_path / "kept").glob("*.o"))) == 1


# as a function


class Watcher:
    """Notes what an observer is told."""

    trace = TraceMode.BLOCKS

    def __init__(self) -> None:
        self.begun = list[tuple[int, str, tuple[int, ...]]]()
        self.words, self.instructions = list[int](), list[int]()

    def before(self, launch: HostLaunch) -> TraceCallback | None:
        self.begun.append((launch.number, launch.kernel.name, launch.prepared.launch.global_size))
        self.words.append(0)

        def take(_first: int, words: np.ndarray[tuple[int], np.dtype[np.uint32]]) -> None:
            self.words[-1] += len(words)

        return take

    def after(self, launch: HostLaunch, execution: Execution) -> None:
        assert launch.number == len(self.instructions)
        self.instructions.append(execution.warp_instructions)


def test_observer(script: Write):
    watcher, progress = Watcher(), Progress()
    done = run_script(
        str(script("twice(8)\ntwice(60)\n")), observer=watcher, progress=progress,
        settings=HostSettings(workers=1),
    )  # fmt: skip
    assert watcher.begun == [(0, "twice", (64,)), (1, "twice", (64,))]
    assert all(words > 0 for words in watcher.words)
    assert watcher.instructions == [row.warp_instructions for row in done.launches]
    assert list(done.launches) == progress.launches
    assert done.sources["<program 1>"] == KERNEL.split("\n")


def test_runs_do_not_see_each_other(script: Write):
    path = str(script("twice(8)\n"))
    first, second = run_script(path), run_script(path)
    assert [row.number for row in second.launches] == [0]
    assert first.launches[0].warp_instructions == second.launches[0].warp_instructions
