"""`kcc simulate` from the command line."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

import kcc
from kcc.cli import main
from kcc.commands.hosts import lanes_of_warp
from tests.sim.cycle.sass import GLOBAL, Warp, write

SAMPLE = Path(__file__).parents[3] / "docs" / "sample.kct"
GPU = "accelsim-sm7-qv100"


@pytest.fixture
def listed(tmp_path: Path) -> str:
    warp = Warp().op("LDG.E.64", 1, (2,), [GLOBAL + 8 * n for n in range(32)])
    warp.op("FADD", 3, (1,)).op("EXIT")
    return str(write(tmp_path, [[warp, warp]] * 3))


def schema() -> dict[str, Any]:
    path = resources.files(kcc).joinpath("schemas/simulation-1.json")
    return json.loads(path.read_text(encoding="utf-8"))


def test_document(listed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [str(tmp_path / name) for name in ("csv", "timeline")]
    code = main(["simulate", listed, "--gpu", GPU, "--gpu", "v100", "--json", "-",
                 "--csv", names[0], "--timeline", names[1]])  # fmt: skip
    assert code == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema())
    (launch,) = document["launches"]
    assert [run["gpu"] for run in document["gpus"]] == [GPU, "nvidia-tesla-v100-pcie-16gb"]
    assert launch["issued"] == 18
    assert sum(launch["cpi_stack"].values()) == launch["cycles"] * launch["schedulers"]
    assert sum(line["cycles"] for line in launch["lines"]) == launch["cycles"] * 320
    assert launch["statistics"]["L1 sectors"] == 3 * 2 * 8
    rows = Path(names[0]).read_text(encoding="utf-8").splitlines()
    assert sum(int(row.split(",")[5]) for row in rows[1:]) == 2 * 18
    assert {row.split(",")[8] for row in rows[1:2]} == {"6.00"}  # three blocks of two warps
    events = json.loads(Path(names[1]).read_text(encoding="utf-8"))["traceEvents"]
    assert len([e for e in events if e["ph"] == "X"]) == 2 * 3


def test_jobs_change_nothing(listed: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = list[str]()
    for jobs in ("1", "2"):
        gpus = ["--gpu", GPU, "--gpu", "v100"]
        assert main(["simulate", listed, *gpus, "--jobs", jobs, "--json", "-"]) == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1]


def test_report(listed: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", listed, "--gpu", GPU, "--width", "100"]) == 0
    text = capsys.readouterr().out
    assert "CPI stack" in text
    assert "100.0 %" in text


def test_trace_without_addresses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", str(SAMPLE), "--gpu", "v100", "--launches", "1"]) == 1
    assert "K870" in capsys.readouterr().err


def test_trace(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["simulate", str(SAMPLE), "--gpu", "v100", "--launches", "0,2", "--json", "-"]
    assert main(arguments) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, schema())
    first, second = document["launches"]
    assert (first["launch"], second["launch"]) == (0, 2)
    assert second["cycles"] < first["cycles"]  # the second launch finds its data in L2
    assert {line["line"] for line in first["lines"]} >= {4, 6, 7}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--gpu", GPU, "--launches", "7"], 1, "K875"),
        (["--gpu", GPU, "--set", "max_threads_per_block=32"], 1, "K871"),
        ([], 2, "--gpu is missing"),
        (["--gpu", GPU, "--model", "pipeline"], 2, "use `kcc estimate"),
        (["--gpu", "v1000"], 1, "K800"),
    ],
)
def test_refusals(
    listed: str, arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", listed, *arguments]) == code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("FADD", "FADD X", 16), ("version = 5", "version = 7", 1),
        ("grid dim = (3", "grid dim = (4", 1), ("grid dim = (3", "grid dim = (2", 38),
        ("warp = 1", "warp = 9", 18), ("insts = 3", "insts = 2", 17), ("-nregs = 16", "", 1),
    ],
)  # fmt: skip
def test_bad_lists(
    listed: str, old: str, new: str, line: int, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(listed).parent / "kernel-1.traceg"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert main(["simulate", listed, "--gpu", GPU]) == 1
    error = capsys.readouterr().err
    assert "K873" in error
    assert f"kernel-1.traceg:{line}:" in error


def test_unknown_opcodes_are_named(listed: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(listed).parent / "kernel-1.traceg"
    path.write_text(path.read_text(encoding="utf-8").replace("FADD", "FROB.X"), encoding="utf-8")
    assert main(["simulate", listed, "--gpu", GPU]) == 0
    error = capsys.readouterr().err
    assert "K874" in error
    assert "FROB.X (6)" in error


def test_sweep(listed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All combinations, also those that cannot be; the same for any number of processes."""
    sweeps = ["--sweep", "sm_count=1,2", "--sweep", "max_threads_per_block=32,1024"]
    texts = list[str]()
    for jobs in ("1", "3"):
        page = tmp_path / f"page{jobs}.html"
        arguments = ["simulate", listed, "--gpu", GPU, *sweeps, "--jobs", jobs, "--json", "-"]
        assert main([*arguments, "--html", str(page)]) == 0
        texts.append(capsys.readouterr().out + page.read_text(encoding="utf-8"))
    assert texts[0] == texts[1]
    document = json.loads(texts[0].split("<!DOCTYPE")[0])
    jsonschema.validate(document, schema())
    settings = [run["settings"] for run in document["gpus"]]
    assert settings == [[f"sm_count={n}", "max_threads_per_block=1024"] for n in (1, 2)]
    assert document["gpus"][1]["cycles"] <= document["gpus"][0]["cycles"]
    assert [f["configuration"] for f in document["failed"]] == [
        f"{GPU} sm_count={n} max_threads_per_block=32" for n in (1, 2)
    ]
    assert "does not fit" in document["failed"][0]["reason"]
    assert main(["simulate", listed, "--gpu", GPU, *sweeps]) == 0
    assert "does not fit on an SM" in capsys.readouterr().out


def test_what_is_set_is_told(
    listed: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two documents of one GPU and other settings can be told apart."""
    names = [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    arguments = ["simulate", listed, "--gpu", GPU]
    assert main([*arguments, "--json", names[0]]) == 0
    assert main([*arguments, "--set", "sm_count=1", "--json", names[1]]) == 0
    assert json.loads(Path(names[1]).read_text(encoding="utf-8"))["settings"] == ["sm_count=1"]
    assert f"{GPU} sm_count=1: " in " ".join(capsys.readouterr().out.split())
    assert main(["compare", *names]) == 0
    assert f"{GPU} sm_count=1, us" in " ".join(capsys.readouterr().out.split())


def test_cold_launches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With empty caches launches do not depend on each other: any process may have any."""
    texts = list[str]()
    for extra in (["--cold"], ["--cold", "--jobs", "2"], []):
        arguments = ["simulate", str(SAMPLE), "--gpu", "v100", "--launches", "0,2", *extra]
        assert main([*arguments, "--json", "-"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    cold, warm = json.loads(texts[0])["launches"], json.loads(texts[2])["launches"]
    assert cold[0]["cycles"] == warm[0]["cycles"]
    assert cold[1]["cycles"] > warm[1]["cycles"]


def test_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    gpus = ["--gpu", "v100", "--gpu", "a100"]
    assert main(["simulate", str(SAMPLE), "--launches", "0", *gpus, "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    body = text.split("<body>")[1].removesuffix("</html>\n").removesuffix("</body>")
    ElementTree.fromstring(f"<body>{body}</body>")
    assert body.count('aria-label="sums over time"') == 2
    assert "part[l] = i &lt; n" in body
    assert "://" not in text.replace("http://www.w3.org/", "")  # the names of SVG and XLink


def test_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = list[str]()
    for gpu in ("v100", "a100"):
        names.append(str(tmp_path / f"{gpu}.json"))
        arguments = ["simulate", str(SAMPLE), "--launches", "0,2", "--gpu", gpu]
        assert main([*arguments, "--json", names[-1]]) == 0
    capsys.readouterr()
    assert main(["compare", *names, "--json", "-", "--fail-above", "100%"]) == 0
    document = json.loads(capsys.readouterr().out)
    path = resources.files(kcc).joinpath("schemas/comparison-1.json")
    jsonschema.validate(document, json.loads(path.read_text(encoding="utf-8")))
    (found,) = document["simulations"]
    for side in ("before_us", "after_us"):
        by_line = sum(c[side] for line in found["lines"] for c in line["causes"])
        for total in (sum(c[side] for c in found["causes"]), by_line):
            assert total == pytest.approx(found[side])
    assert main(["compare", *names]) == 0
    assert "time by stall reason" in capsys.readouterr().out
    estimates = tmp_path / "estimates.json"
    estimates.write_text('{"schema": "kcc/estimate/1"}', encoding="utf-8")
    for paths in ([names[0], str(estimates)], [str(estimates), names[0]]):
        assert main(["compare", *paths]) == 1
        assert "estimates.json: error[K891]" in capsys.readouterr().err
    whole = Path(names[0]).read_text(encoding="utf-8")
    too_large = re.sub(
        r'"cpi_stack": *\{"issued": *\d+', f'"cpi_stack":{{"issued":{10**400}', whole
    )
    assert too_large != whole
    for broken in ('{"schema": "kcc/simulation/1", "gpus": [7]}', too_large):
        Path(names[1]).write_text(broken, encoding="utf-8")
        assert main(["compare", *names]) == 1
        assert "K891" in capsys.readouterr().err


def test_warps_of_another_size(capsys: pytest.CaptureFixture[str]):
    """The sample is of warps of 32 work-items; an MI100 has 64."""
    assert main(["simulate", str(SAMPLE), "--gpu", "mi100", "--launches", "0"]) == 1
    said = capsys.readouterr().err
    assert "K877" in said
    assert "--warp-size 64" in said
    more = ["--set", "warp_size=32", "--set", "max_warps_per_sm=40"]
    assert main(["simulate", str(SAMPLE), "--gpu", "mi100", "--launches", "0", *more]) == 0


@pytest.mark.parametrize(
    ("gpus", "asked", "lanes"),
    [
        (["v100"], None, 32), (["mi100"], None, 64), (["mi100"], 32, 32), ([], None, 32),
        (["mi100", "v100"], None, 32),
    ],
)  # fmt: skip
def test_scripts_run_in_warps_of_the_gpu(gpus: list[str], asked: int | None, lanes: int):
    assert lanes_of_warp(Namespace(gpus=gpus, overrides=[], warp_size=asked)) == lanes
