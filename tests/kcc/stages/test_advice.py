"""Advice on estimates: each mechanism named where it is, and gains that the changed kernel has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import kcc.api
from kcc.base.advice import ADVICE, Advice
from kcc.report.estimate.record import EstimateRecord, read_record, record_json
from kcc.report.estimate.verdict import verdict_of
from kcc.stages.advice import padded_rows

TRANSPOSE = """\
__kernel void turn(__global const float *in, __global float *out, int n)
{
    __local float tile[32][ROW];
    const int x = get_local_id(0), y = get_local_id(1);
    tile[y][x] = in[get_global_id(1) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(1) * n + get_global_id(0)] = tile[x][y];
}
"""

STRIDED = """\
__kernel void copy(__global const float *in, __global float *out)
{
    const int i = get_global_id(0);
    out[i] = in[STEP * i];
}
"""

ARITHMETIC = """\
__kernel void turns(__global float *out)
{
    const int i = get_global_id(0);
    float a = i;
    for (int k = 0; k < 4096; ++k)
        a = a * 1.0001f + 0.5f;
    out[i] = a;
}
"""


def estimated(
    source: str, tmp_path: Path, gpu: str = "v100", **asked: Any
) -> EstimateRecord:  # fmt: skip
    path = tmp_path / "k.cl"
    path.write_text(source, encoding="utf-8")
    (found,) = kcc.api.estimate(path, gpu=gpu, **asked).estimates
    return found


def of_code(found: EstimateRecord, code: str) -> Advice:
    return next(each for each in found.advice if each.code == code)


def test_each_gpu_has_the_advice_that_it_has_alone(tmp_path: Path):
    """Words that are 16 apart lie in one of 16 banks, in two of 32."""
    path, gpus = tmp_path / "k.cl", ("v100", "gpgpusim-minibench-conf1")
    path.write_text(TRANSPOSE, encoding="utf-8")
    asked: Any = {
        "defines": {"ROW": 16}, "grid": (64, 64), "block": (16, 16), "args": {"n": 1024},
    }  # fmt: skip
    together = kcc.api.estimate(path, gpu=gpus, **asked).estimates
    alone = [kcc.api.estimate(path, gpu=each, **asked).estimates[0] for each in gpus]
    assert [each.advice for each in together] == [each.advice for each in alone]
    assert together[0].advice != together[1].advice


def test_padding_saves_what_the_padded_source_takes(tmp_path: Path):
    launch: Any = {"grid": (64, 64), "block": (32, 32), "args": {"n": 2048}}
    found = estimated(TRANSPOSE, tmp_path, defines={"ROW": 32}, **launch)
    advice = of_code(found, "bank-conflict")
    assert advice.verified
    assert advice.line == 7
    assert "32-way" in advice.text
    padded = estimated(TRANSPOSE, tmp_path, defines={"ROW": 33}, **launch)
    assert found.time_us is not None
    assert padded.time_us is not None
    assert advice.gain_us == pytest.approx(found.time_us - padded.time_us, rel=1e-6)
    assert not [each for each in padded.advice if each.code == "bank-conflict"]


def test_uncoalesced_accesses_have_their_line_and_ideal(tmp_path: Path):
    far = estimated(STRIDED, tmp_path, defines={"STEP": 32}, grid=4096, block=256)
    advice = of_code(far, "uncoalesced")
    assert (advice.line, advice.verified) == (4, False)
    assert "32 sectors per request (ideal 4; " in advice.text
    assert advice.gain_us is not None
    assert far.time_us is not None
    assert 0 < advice.gain_us < far.time_us
    assert "line 4: " in verdict_of(far)
    near = estimated(STRIDED, tmp_path, defines={"STEP": 1}, grid=4096, block=256)
    assert "uncoalesced" not in {each.code for each in near.advice}


def test_a_grid_that_leaves_sms_without_work(tmp_path: Path):
    found = estimated(ARITHMETIC, tmp_path, grid=16, block=1024)
    assert "16 work-groups for 80 SMs: 64 SMs have no work" in of_code(found, "grid-too-small").text
    changed = of_code(found, "block-size")
    assert changed.verified
    size = int(changed.text.split()[2])
    other = estimated(ARITHMETIC, tmp_path, grid=16 * 1024 // size, block=size)
    assert found.time_us is not None
    assert other.time_us is not None
    assert changed.gain_us == pytest.approx(found.time_us - other.time_us, rel=1e-6)


def test_blocks_are_not_changed_under_a_kernel_that_sees_them(tmp_path: Path):
    source = ARITHMETIC.replace("= i;", "= get_local_id(0);")
    found = estimated(source, tmp_path, grid=16, block=1024)
    assert "block-size" not in {each.code for each in found.advice}


def test_warps_that_are_not_full(tmp_path: Path):
    found = estimated(STRIDED, tmp_path, defines={"STEP": 1}, grid=4096, block=48)
    assert "ends in a warp of 16" in of_code(found, "partial-warps").text


def test_arrays_in_private_memory(tmp_path: Path):
    source = """\
__kernel void pick(__global const int *in, __global float *out)
{
    float kept[16];
    const int i = get_global_id(0);
    for (int k = 0; k < 16; ++k)
        kept[in[16 * i + k] & 15] = k * 0.5f;
    out[i] = kept[in[i] & 15];
}
"""
    found = estimated(source, tmp_path, grid=4096, block=256)
    advice = of_code(found, "private-memory")
    assert "kept (64 bytes)" in advice.text
    assert "private memory" in advice.text


def test_few_operations_for_each_byte(tmp_path: Path):
    found = estimated(STRIDED, tmp_path, defines={"STEP": 1}, grid=65536, block=256)
    assert found.limiter == "dram_bandwidth"
    # 67 MB are read and 67 MB written, of which half of a V100's L2 is not in DRAM at the end.
    assert "DRAM moves 131 MB" in of_code(found, "arithmetic-intensity").text
    assert verdict_of(found).startswith("Bottleneck: DRAM throughput (")


def test_rows_of_dram_for_two_sectors(tmp_path: Path):
    """Tiles of 16 floats a row: what is written takes DRAM a row for 64 bytes."""
    source = """\
__kernel void transpose(__global const float *in, __global float *out)
{
    __local float t[16][17];
    int x = get_local_id(0), y = get_local_id(1), bx = get_group_id(0), by = get_group_id(1);
    t[y][x] = in[(16 * by + y) * 16384 + 16 * bx + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(16 * bx + y) * 8192 + 16 * by + x] = t[x][y];
}
"""
    found = estimated(source, tmp_path, grid=(1024, 512), block=(16, 16), gpu="t4")
    assert found.limiter == "dram_bandwidth"
    advice = of_code(found, "dram-rows")
    assert "row activations leave 50 % of its bandwidth" in advice.text
    assert "few sectors of each DRAM row" in verdict_of(found)


def test_a_launch_of_a_graph_saves_what_its_estimate_says(tmp_path: Path):
    found = estimated(STRIDED, tmp_path, defines={"STEP": 1}, grid=80, block=256)
    advice = of_code(found, "launch-overhead")
    graph = ("--launches", "graph")
    other = estimated(STRIDED, tmp_path, defines={"STEP": 1}, grid=80, block=256, options=graph)
    assert advice.verified
    assert found.time_us is not None
    assert other.time_us is not None
    assert advice.gain_us == pytest.approx(found.time_us - other.time_us, rel=1e-6)


def test_a_launch_that_is_over_before_its_code_is_there_is_told_so(tmp_path: Path):
    found = estimated(STRIDED, tmp_path, defines={"STEP": 1}, grid=80, block=256)
    assert "code-fetch" not in {each.code for each in found.advice}
    long = "kernel void k(global float *a) { float x = a[get_global_id(0)]; BODY a[0] = x; }"
    body = "".join(f"x = x * x + {n}.5f;" for n in range(200))
    found = estimated(long.replace("BODY", body), tmp_path, defines={}, grid=80, block=256)
    advice = of_code(found, "code-fetch")
    assert "An SM gets the code from L2, 3." in advice.text
    assert "gets the code from L2" in verdict_of(found)


def test_a_record_keeps_its_advice(tmp_path: Path):
    found = estimated(STRIDED, tmp_path, defines={"STEP": 32}, grid=4096, block=256)
    entry = json.loads(json.dumps(record_json(found)))
    assert entry["verdict"] == verdict_of(found)
    assert read_record(entry).advice == found.advice
    gains = [each["gain_us"] or 0.0 for each in entry["advice"]]
    assert gains == sorted(gains, reverse=True)


def test_a_sweep_has_verdicts_without_advice(tmp_path: Path):
    path = tmp_path / "k.cl"
    path.write_text(STRIDED, encoding="utf-8")
    options = ("--sweep", "STEP=1,2,3,4,5,6,7,8,9")
    found = kcc.api.estimate(path, gpu="v100", grid=4096, block=256, options=options)
    assert len(found.estimates) == 9
    assert all(verdict_of(each).startswith("Bottleneck: ") for each in found.estimates)
    assert not any(each.advice for each in found.estimates)


def test_rows_of_a_source_are_padded_where_they_are_declared():
    text = "__shared__ float a[N][N], b[4][8 + 1];\nfloat c[N][N];\n"
    assert padded_rows(text, "a", 1) == text.replace("a[N][N]", "a[N][(N) + 1]")
    assert padded_rows(text, "b", 2) == text.replace("[8 + 1]", "[(8 + 1) + 2]")
    assert padded_rows(text, "c", 1) is None
    assert padded_rows("__local int d[32];", "d", 1) is None


def test_codes_are_those_of_the_table():
    with pytest.raises(ValueError, match="no row"):
        Advice("magic", None, "")
    assert all(title[0].isupper() and not title.endswith(".") for title in ADVICE.values())
