"""`kcc memory` as a user calls it."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import kcc
from kcc.cli import main
from kcc.sim.memory.facts import Distribution

SOURCE = """__kernel void gather(__global const int *at, __global const float *x, __global float *y)
{
    const int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < 4; ++k)
        sum += x[at[i * 4 + k]];
    y[i] = sum;
}
"""

ROWS = """__kernel void walk(__global const float *x, __global float *y, int n)
{
    const int i = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < 16; ++k)
        sum += x[(i * 33 + k * 1024) % n];
    y[i] = sum;
}
"""
COPY = """__kernel void copy(__global const float *x, __global float *y)
{
    const int i = get_global_id(0);
    y[i] = x[i];
}
"""
"""Nothing of it depends on the order."""

LAUNCHED = (
    "--global", "8192", "--local", "64", "--arg", "n=16384", "--gpu", "c2050-baghsorkhi",
    "--set", "l2.size_bytes=32768",
)  # fmt: skip
"""Its launch, on a GPU whose L2 is too small."""

HOST = """import numpy as np
import kcc.opencl as cl

def main(size, seed):
    context = cl.create_some_context()
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build()
    rng = np.random.default_rng(seed)
    at = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR,
                   hostbuf=rng.integers(0, 2048, 4096).astype(np.int32))
    x = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.ones(2048, np.float32))
    y = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)
    for _ in range(2):
        program.gather(queue, (1024,), (128,), at, x, y)
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("memory")
    host = folder / "host.py"
    host.write_text(f"SOURCE = {SOURCE!r}\n" + HOST)
    assert main(["trace", str(host), "-o", str(folder / "gather.kct")]) == 0
    return folder / "gather.kct"


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["memory", *words, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    schema = resources.files(kcc).joinpath("schemas/memory-1.json").read_text(encoding="utf-8")
    jsonschema.validate(found, json.loads(schema))
    return found


def test_the_document_keeps_its_schema(trace: Path, capsys: pytest.CaptureFixture[str]):
    found = document(capsys, str(trace), "--gpu", "c2050-baghsorkhi", "--trials", "6", "--cold")
    launches = found["gpus"][0]["launches"]
    assert [r["launch"] for r in launches] == [0, 1]
    for own in launches:
        assert own["trials"] == 6
        by_array = {a["array"]: a for a in own["arrays"]}
        assert by_array["at"]["sectors"] == 4096 * 4 / 32 * 4  # four sectors for each of four loads
        assert 0 < own["l1_read_hit_rate"]["mean"] < 1
        assert sum(a["share"] for a in own["accesses"]) == pytest.approx(1)
        x = by_array["x"]["latency_cycles"]["mean"]
        assert own["l1_hit_cycles"] <= x <= own["dram_cycles"]["mean"]


def test_any_number_of_jobs_writes_the_same(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    texts = set[bytes]()
    for jobs in ("1", "3"):
        target = tmp_path / f"{jobs}.json"
        words = [str(trace), "--gpu", "v100", "--trials", "12", "--until", "5%", "--jobs", jobs]
        assert main(["memory", *words, "--json", str(target)]) == 0
        texts.add(target.read_bytes())
    assert len(texts) == 1


def test_another_seed_draws_other_orders(trace: Path, capsys: pytest.CaptureFixture[str]):
    words = str(trace), "--gpu", "c2050-baghsorkhi", "--trials", "2"
    first = document(capsys, *words)
    assert document(capsys, *words) == first
    assert document(capsys, *words, "--order-seed", "5") != first


def test_a_source_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    source = tmp_path / "copy.cl"
    source.write_text(
        "__kernel void copy(__global const float *a, __global float *b)\n"
        "{ b[get_global_id(0)] = a[get_global_id(0)]; }\n"
    )
    found = document(
        capsys, str(source), "--global", "4096", "--local", "128", "--gpu", "v100", "--trials", "2"
    )
    (own,) = found["gpus"][0]["launches"]
    assert own["l1_read_hit_rate"]["mean"] == 0
    assert own["l2_reads"]["mean"] == 4096 * 4 / 32


def test_the_text_names_loads_lines_and_arrays(trace: Path, capsys: pytest.CaptureFixture[str]):
    capsys.readouterr()
    words = ["memory", str(trace), "--gpu", "c2050-baghsorkhi", "--trials", "2"]
    assert main([*words, "--launches", "0", "--width", "100"]) == 0
    out = capsys.readouterr().out
    assert "load at" in out
    assert "sum += x[at[i * 4 + k]];" in out
    assert "8 of 8" not in out
    assert "all 8 thread blocks" in out


def test_the_page_has_pictures_and_the_source(tmp_path: Path):
    page, source = tmp_path / "page.html", tmp_path / "copy.cl"
    source.write_text(COPY)
    words = ["memory", str(source), "--global", "8192", "--local", "64", "--trials", "8"]
    assert main([*words, "--gpu", "c2050-baghsorkhi", "--html", str(page)]) == 0
    same = page.read_text(encoding="utf-8")
    assert "the same in all 8 trials: L1 reads, L2 reads, L2 writes" in same
    assert "standard deviation over the first" not in same
    assert "class=&quot;" not in same
    assert "y[i] = x[i];" in same
    source = tmp_path / "walk.cl"
    source.write_text(ROWS)
    assert main(["memory", str(source), *LAUNCHED, "--trials", "4", "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") > same.count("<svg")
    assert "standard deviation over the first" in text
    assert "<script" not in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--gpu", "v100", "--until", "5"), "not a number of points"),
        (("--gpu", "v100", "--snapshot", "0"), "not a whole number"),
        (("--gpu", "v100", "--trials", "0"), "not a whole number"),
        ((), "--gpu is missing"),
        (("--gpu", "v100", "--kernel", "none"), "no launch"),
    ],
)
def test_bad_usage(
    trace: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
):
    capsys.readouterr()
    assert main(["memory", str(trace), *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_the_range_of_an_estimate_has_the_spread_of_orders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "walk.cl"
    source.write_text(ROWS)
    (gpu,) = document(capsys, str(source), *LAUNCHED, "--trials", "4")["gpus"]
    (found,) = gpu["launches"]
    moved = np.array(found["dram_reads"]["values"]) + np.array(found["dram_writes"]["values"])
    spread = Distribution(tuple(moved.tolist())).deviation / float(moved.mean())
    assert spread > 0.001
    ranges = list[float]()
    for trials in ("1", "4"):
        assert (
            main(["estimate", str(source), *LAUNCHED, "--cache-trials", trials, "--json", "-"]) == 0
        )
        (estimate,) = json.loads(capsys.readouterr().out)["estimates"]
        ranges.append(estimate["range_us"][1] / estimate["time_us"])
    assert ranges[1] / ranges[0] >= 1 + 2 * spread - 1e-9


@pytest.mark.parametrize("body", ["", "if (n == 7) a[0] = 1;"])
def test_a_kernel_without_accesses(tmp_path: Path, body: str):
    source = tmp_path / "k.cl"
    source.write_text(f"kernel void k(global int *a, int n) {{ {body} }}\n")
    launch = ("--global", "192", "--local", "64", "--arg", "n=3", "--gpu", "v100")
    target = tmp_path / "m.json"
    assert main(["memory", str(source), *launch, "--json", str(target)]) == 0
    assert json.loads(target.read_text())["schema"] == "kcc/memory/1"
