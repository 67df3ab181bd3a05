"""Names, files, layers and overrides of GPU descriptions, and what is said of bad ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kcc.base.diagnostics import DiagnosticError, DiagnosticSink, render
from kcc.base.gpu.facts import Quality
from kcc.base.gpu.loading import (
    FOLDER,
    OVERLAYS,
    SOURCES_FILE,
    examine_gpu,
    gpu_aliases,
    gpu_names,
    load_gpu,
    shipped_sources,
)
from kcc.base.gpu.reading import read_sheet
from kcc.base.gpu.schema import CORE, facts_of, rules

SMALL = """name: Toy
vendor: NVIDIA
arch: Toy
sm_count: 2
warp_size: 32
core_clock_base_mhz: 1000
"""


Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(text: str, name: str = "toy.yaml") -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return str(tmp_path / name)

    return write_file


def codes_and_lines(name: str, *overrides: str) -> list[tuple[str, int]]:
    found = examine_gpu(name, overrides).diagnostics
    return [(each.code, each.span.line if each.span else 0) for each in found]


@pytest.mark.parametrize("name", gpu_names())
def test_shipped_files_are_in_order(name: str):
    assert [render(each, {}) for each in examine_gpu(name).diagnostics] == []


def test_there_are_the_gpus_that_measured_data_and_the_texts_name():
    wanted = (
        "v100 a100 h100 h200 k40 k20c gtx980 gtx1080 rx480 a40 l40 mi210 rx6900xt t4 conf1 conf4"
    )
    wanted += " fermi gpumech accelsim-sm7-qv100 accelsim-sm86-rtx3070 rtx3070 2080ti wang-k600"
    assert len(gpu_names()) >= 36
    for name in wanted.split():
        assert load_gpu(name).sm_count is not None


def test_aliases_are_of_one_gpu_each_and_no_names():
    aliases = [alias for name in gpu_names() for alias in read(FOLDER / f"{name}.yaml").aliases]
    assert len(aliases) == len(set(aliases))
    assert not set(aliases) & set(gpu_names())
    assert set(aliases) == set(gpu_aliases())
    assert all(alias == alias.lower() and " " not in alias for alias in aliases)


def read(path: Path):
    return read_sheet(path.name, path.read_bytes(), DiagnosticSink())


def test_every_source_is_used():
    used = set[str]()
    for path in [*FOLDER.glob("*.yaml"), *OVERLAYS.glob("*.yaml")]:
        for fact in read(path).facts.values() if path.name != SOURCES_FILE else ():
            if fact is not None:
                used |= {fact.source, *(each.source for each in fact.alternatives)}
    assert used <= set(shipped_sources())


def test_overlays_belong_to_a_file_and_give_reasons_for_what_it_lacks():
    for path in OVERLAYS.glob("*.yaml"):
        printed, chosen = read(FOLDER / path.name), read(path)
        for key, fact in chosen.facts.items():
            assert fact is not None
            assert fact.quality is Quality.ASSUMED
            assert fact.note
            assert printed.facts.get(key) is None, f"{path.name} hides {key}"


@pytest.mark.parametrize("name", ["macsim-fermi-tbpoint", "gpumech-table7", "accelsim-sm7-qv100"])
def test_reference_configurations_are_complete_with_their_overlays(name: str):
    facts = facts_of(load_gpu(name))
    assert [key for key in CORE if facts[key] is None] == []


@pytest.mark.parametrize("name", ["v100", "V100", "Tesla V100", "nvidia-tesla-v100-pcie-16gb"])
def test_names(name: str):
    assert load_gpu(name).stem == "nvidia-tesla-v100-pcie-16gb"


def test_an_unknown_name_gets_near_ones():
    with pytest.raises(DiagnosticError) as caught:
        load_gpu("a1000")
    (found,) = caught.value.diagnostics
    assert found.code == "K800"
    assert found.hint is not None
    assert "a100" in found.hint


def test_values_carry_unit_source_and_quality():
    fact = load_gpu("v100").latency_cycles.l1_hit
    assert fact is not None
    assert (fact.value, fact.unit, fact.source) == (30.1, "cycles", "mt4g-v100")
    assert fact.quality is Quality.MEASURED
    assert fact.alternatives[0].value == 29.9


def test_a_users_file(write: Write):
    gpu = load_gpu(write(SMALL))
    assert gpu.sm_count is not None
    assert (gpu.sm_count.value, gpu.sm_count.quality) == (2, Quality.USER)
    assert gpu.l2.size_bytes is None


def test_inheritance_from_a_shipped_file_and_from_a_neighbour(write: Write):
    write("inherits: v100\nsm_count: 40\nl2:\n  size_bytes: null\n", "half.yaml")
    gpu = load_gpu(write("inherits: ./half.yaml\nl2: {assoc: 8}\n"))
    assert gpu.sm_count is not None
    assert gpu.sm_count.value == 40
    assert gpu.l2.size_bytes is None
    assert gpu.l2.assoc is not None
    assert gpu.l2.assoc.value == 8
    assert gpu.name == load_gpu("v100").name


def test_inheritance_that_leads_nowhere(write: Write):
    assert codes_and_lines(write("sm_count: 3\ninherits: v1000\n")) == [("K809", 2)]
    write("inherits: ./toy.yaml\n", "other.yaml")
    assert codes_and_lines(write("inherits: ./other.yaml\n")) == [("K809", 1)]
    assert codes_and_lines(write("inherits: ./none.yaml\n")) == [("K809", 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sm_cout: 3\n", [("K802", 7)]),
        ("l2: {size: 3}\n", [("K802", 7)]),
        ("l2: 3\n", [("K803", 7)]),
        ("max_warps_per_sm: many\n", [("K803", 7)]),
        ("max_warps_per_sm: 010x\n", [("K803", 7)]),
        ("max_warps_per_sm: -1\n", [("K803", 7)]),
        ("max_warps_per_sm: 48.5\n", [("K803", 7)]),
        ("max_warps_per_sm: true\n", [("K803", 7)]),
        ("max_warps_per_sm: [48]\n", [("K803", 7)]),
        ("memory_bandwidth_gbs: .nan\n", [("K803", 7)]),
        ("memory_bandwidth_gbs: .inf\n", [("K803", 7)]),
        ("scheduler: random\n", [("K803", 7)]),
        ("shared_carveouts_bytes: [3, 2]\n", [("K803", 7)]),
        ("l2:\n  assoc: {source: me}\n", [("K804", 8)]),
        ("l2:\n  assoc: {value: 3, from: me}\n", [("K804", 8)]),
        ("l2:\n  assoc: {value: 3, quality: good}\n", [("K804", 8)]),
        ("l2:\n  assoc: {value: 3, quality: assumed}\n", [("K804", 8)]),
        ("l2:\n  assoc: {value: 3, alternatives: [{value: 4}]}\n", [("K804", 8)]),
        ("sm_count: 3\n", [("K802", 7)]),
        ("l2: &a {assoc: 3}\n", [("K801", 7)]),
        ("l2: {assoc: 3\n", [("K801", 8)]),
        ("max_threads_per_sm: 1000\nmax_warps_per_sm: 32\n", [("K805", 7)]),
        ("max_threads_per_block: 1000\n", [("K805", 7)]),
        ("registers_per_sm: 1000\nmax_regs_per_thread: 255\n", [("K805", 7)]),
        ("l1: {line_bytes: 96}\n", [("K805", 7)]),
        ("l1: {line_bytes: 128, size_bytes: 1000}\n", [("K805", 7)]),
        ("l1: {line_bytes: 128, size_bytes: 1024, assoc: 16}\n", [("K805", 7)]),
        ("core_clock_boost_mhz: 900\n", [("K805", 7)]),
        ("max_shared_per_block_bytes: 65536\nshared_mem_per_sm_bytes: 32768\n", [("K805", 7)]),
        ("cores_per_sm: 64\nlanes_per_sm: {fp32: 32}\n", [("K806", 7)]),
        ("fp32_peak_gflops: 200\nlanes_per_sm: {fp32: 64}\n", [("K806", 7)]),
        (
            "memory_bandwidth_gbs: 400\nmemory_clock_mhz: 1000\nmemory_bus_bits: 256\n",
            [("K806", 7)],
        ),
        ("latency_cycles: {l1_hit: 30, l2_hit: 20}\n", [("K806", 7)]),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(
    write: Write, text: str, expected: list[tuple[str, int]]
):
    assert codes_and_lines(write(SMALL + text)) == expected


def test_what_must_be_given(write: Write):
    found = examine_gpu(write("vendor: AMD\n")).diagnostics
    assert {each.code for each in found} == {"K805"}
    assert len(found) == 5


@pytest.mark.sampled(2)
@pytest.mark.parametrize("content", [b"\xff\xfe", b"- 1\n", b"", b"3\n", b"a: [" * 5000])
def test_files_that_hold_no_description(tmp_path: Path, content: bytes):
    path = tmp_path / "bad.yaml"
    path.write_bytes(content)
    assert [code for code, _ in codes_and_lines(str(path))] == ["K801"]


def test_a_file_that_is_not_there():
    assert codes_and_lines("nowhere/gpu.yaml") == [("K801", 0)]


def test_overrides():
    gpu = load_gpu("v100", ["l2.size_bytes=1048576", "latency_cycles.dram=null", "sm_count = 40"])
    assert gpu.l2.size_bytes is not None
    assert (gpu.l2.size_bytes.value, gpu.l2.size_bytes.source) == (1048576, "--set")
    assert gpu.latency_cycles.dram is None
    assert gpu.sm_count is not None
    assert gpu.sm_count.value == 40


def test_threads_and_warps_go_together():
    gpu = load_gpu("gpumech-table7", ["max_threads_per_sm=1536"])
    assert gpu.max_warps_per_sm is not None
    assert gpu.max_warps_per_sm.value == 48
    gpu = load_gpu("gpumech-table7", ["max_warps_per_sm=8"])
    assert gpu.max_threads_per_sm is not None
    assert gpu.max_threads_per_sm.value == 256


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("l2.size_bytes", "K808"),
        ("=3", "K808"),
        ("l2.size_bytes=", "K808"),
        ("l2.size=3", "K802"),
        ("l2.size_bytes=3.5", "K803"),
        ("l2.size_bytes=-3", "K803"),
        ("max_threads_per_sm=1000", "K805"),
    ],
)
def test_bad_overrides(text: str, code: str):
    assert {each for each, _ in codes_and_lines("v100", text)} == {code}


def test_every_key_has_a_meaning():
    assert all(rule.meaning for rule in rules().values())
    assert set(CORE) <= set(rules())
