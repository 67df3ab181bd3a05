"""`kcc simulate --sample` from the command line."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import kcc
from kcc.cli import main

GPU = "macsim-fermi-tbpoint"
SMALL = ["--gpu", GPU, "--set", "sm_count=4", "--set", "max_blocks_per_sm=4"]


def validate(document: dict[str, Any], schema: str) -> None:
    path = resources.files(kcc).joinpath(f"schemas/{schema}.json")
    jsonschema.validate(document, json.loads(path.read_text(encoding="utf-8")))


def test_documents(traced: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    selection, picture = tmp_path / "selection.json", tmp_path / "regions.svg"
    kept = tmp_path / "profile.npz"
    for _ in range(2):  # the second time with the profile that the first left
        code = main(["simulate", str(traced), *SMALL, "--sample", "tbpoint", "--json", "-",
                     "--selection", str(selection), "--picture", str(picture),
                     "--block-profile", str(kept)])  # fmt: skip
        assert code == 0
    text = capsys.readouterr().out
    first, second = text.splitlines()
    assert first == second
    document = json.loads(first)
    validate(document, "sampling-1")
    (run,) = document["gpus"]
    assert len(run["launches"]) == 8
    assert sum(launch["cycles"] for launch in run["launches"]) == pytest.approx(run["cycles"])
    assert sum(cluster["weight"] for cluster in run["clusters"]) == pytest.approx(1)
    chosen = json.loads(selection.read_text(encoding="utf-8"))
    validate(chosen, "selection-1")
    assert chosen["trace"] == document["trace"]
    simulated = sum(r["warp_instructions"] for one in chosen["launches"] for r in one["ranges"])
    alone = [one for one in run["launches"] if one["simulated"] and not one["compared"]]
    assert len(alone) < sum(one["simulated"] for one in run["launches"])
    assert simulated == sum(one["simulated_instructions"] for one in alone)
    stands_for = sum(one["scale"] * one["warp_instructions"] for one in chosen["launches"])
    assert stands_for == pytest.approx(run["warp_instructions"])
    root = ET.fromstring(picture.read_text(encoding="utf-8"))
    assert root.tag.endswith("svg")


def test_page_has_each_configuration_with_its_picture(traced: Path, tmp_path: Path) -> None:
    target, document = tmp_path / "sample.html", tmp_path / "sample.json"
    command = [
        "simulate",
        str(traced),
        "--gpu",
        GPU,
        "--sweep",
        "sm_count=2,4",
        "--sample",
        "tbpoint",
    ]
    assert main([*command, "--html", str(target), "--json", str(document)]) == 0
    page = target.read_text(encoding="utf-8")
    runs = json.loads(document.read_text(encoding="utf-8"))["gpus"]
    assert len(runs) == page.count("<svg") == 2
    for run in runs:
        assert run["configuration"] in page
        assert f"{round(run['cycles']):,} ± " in page
    assert "#ffffff" not in page.partition("</head>")[2]  # grounds are the page's


@pytest.mark.parametrize("method", ["random", "simpoint"])
def test_units_of_the_full_simulation(
    traced: Path, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    command = ["simulate", str(traced), *SMALL, "--sample", method]
    assert main([*command, "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    validate(document, "sampling-1")
    (run,) = document["gpus"]
    full = run["full"]
    assert run["cycles"] == pytest.approx(full["cycles"] * (1 + full["error"]))
    assert full["units_chosen"] <= full["units"]
    assert main(command) == 0
    text = capsys.readouterr().out
    assert f"sampled by {method}" in text
    assert f"{round(full['cycles']):,} cycles" in text
    assert main([*command, "--selection", "x"]) == 2
    assert "--selection goes with --sample tbpoint" in capsys.readouterr().err


def test_text(traced: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", str(traced), *SMALL, "--sample", "tbpoint-ipdps14"]) == 0
    text = capsys.readouterr().out
    assert "sampled by tbpoint-ipdps14" in text
    assert "no interval" in text
    assert main(["simulate", str(traced), *SMALL, "--sample", "tbpoint"]) == 0
    assert "(95 %)" in capsys.readouterr().out


def test_functional_warming_can_be_left_out(
    traced: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What L2 holds after a jump matters; where nothing is left out it does not."""
    command = ["simulate", str(traced), *SMALL, "--sample", "tbpoint", "--json", "-"]
    assert main(command) == 0
    with_it = json.loads(capsys.readouterr().out)["gpus"][0]
    assert main([*command, "--no-functional-warming"]) == 0
    without = json.loads(capsys.readouterr().out)["gpus"][0]
    assert with_it["simulated_instructions"] < with_it["warp_instructions"]
    assert without["cycles"] != with_it["cycles"]


def test_chosen_launches(traced: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["simulate", str(traced), *SMALL, "--sample", "tbpoint", "--json", "-"]
    assert main([*command, "--kernel", "gather"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["gpus"]
    assert [launch["launch"] for launch in run["launches"]] == [6, 7]
    assert main([*command, "--launches", "90"]) == 1
    assert "K875" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--error", "1%"], "--error goes with --sample"),
        (["--sample", "tbpoint", "--timeline", "x"], "--timeline does not go"),
        (["--sample", "random", "--html", "x.html"], "--html goes with --sample tbpoint"),
        (["--sample", "tbpoint", "--model", "interval"], "--model interval does not go"),
        (["--sample", "tbpoint-ipdps14", "--error", "1%"], "--error goes with --sample tbpoint"),
        (["--no-functional-warming"], "--no-functional-warming goes with --sample"),
        (["--sample", "tbpoint-ipdps14", "--no-functional-warming"], "goes with --sample tbpoint"),
        (["--sample", "tbpoint", "--error", "200%"], "not a percentage"),
        (["--sample", "tbpoint", "--warm", "-1"], "not a number from 0 on"),
        (["--sample", "tbpoint", "--sample-seed", "x"], "not a whole number"),
        (["--sample", "tbpoint", "--gpu", "v100", "--picture", "x"], "are of one configuration"),
    ],
)
def test_usage(
    traced: Path, capsys: pytest.CaptureFixture[str], options: list[str], says: str
) -> None:
    assert main(["simulate", str(traced), *SMALL, *options]) == 2
    assert says in capsys.readouterr().err


def test_a_profile_of_something_else(
    traced: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "profile.npz"
    kept.write_bytes(b"nonsense")
    options = ["--sample", "tbpoint", "--block-profile", str(kept)]
    assert main(["simulate", str(traced), *SMALL, *options]) == 1
    assert "K782" in capsys.readouterr().err
    assert kept.read_bytes() == b"nonsense"


def test_kernels_for_accelsim(
    traced: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is written can be simulated again, and has the instructions of the selection."""
    folder = tmp_path / "kernels"
    for _ in range(2):  # the second time over the first
        options = ["--sample", "tbpoint", "--accelsim", str(folder), "--json", "-"]
        assert main(["simulate", str(traced), *SMALL, *options]) == 0
    run = json.loads(capsys.readouterr().out.splitlines()[0])["gpus"][0]
    simulated = [one for one in run["launches"] if one["simulated"] and not one["compared"]]
    selection = json.loads((folder / "selection.json").read_text(encoding="utf-8"))
    ordered = selection["launches"]
    assert [one["launch"] for one in ordered] == [one["launch"] for one in simulated]
    assert main(["simulate", str(folder / "kernelslist.g"), "--gpu", "v100", "--json", "-"]) == 0
    launches = json.loads(capsys.readouterr().out)["launches"]
    blocks = [sum(r["end"] - r["first"] for r in one["ranges"]) for one in ordered]
    assert [one["thread_blocks"] for one in launches] == blocks


def test_a_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The script's modules are dropped after it; what sampling needs of NumPy stays."""
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy.fft\nimport kcc.opencl as cl\n"
        "context = cl.create_some_context()\nqueue = cl.CommandQueue(context)\n"
        "source = '__kernel void k(__global int *a) { a[get_global_id(0)] = 1; }'\n"
        "program = cl.Program(context, source).build()\n"
        "buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4096)\n"
        "program.k(queue, (64,), (32,), buffer)\nqueue.finish()\n",
        encoding="utf-8",
    )
    assert main(["simulate", str(script), "--gpu", GPU, "--sample", "tbpoint"]) == 0
    assert "100.00 % of 8 warp instructions" in capsys.readouterr().out
