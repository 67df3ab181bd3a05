"""`kcc validate`: columns, restrictions, figures, documents, what is wrong with tables."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from kcc.cli import main
from kcc.validation import predict

SOURCE = """\
__kernel void copy(__global float *a, __global const float *b, int n)
{
    for (int i = get_global_id(0) * UNROLL; i < get_global_id(0) * UNROLL + UNROLL; i++)
        if (i < n)
            a[i] = b[i];
}
"""
TABLE = """\
# measured by hand
UNROLL,BX,items,median_us,status
1,64,1048576,12.0,ok
1,256,1048576,11.0,ok
4,64,1048576,20.0,ok
4,64,2097152,,failed
"""
OPTIONS = ("--gpu", "v100", "--local", "BX", "--arg", "n=items")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "copy.cl"
    path.write_text(SOURCE)
    (tmp_path / "times.csv").write_text(TABLE)
    return path


def validated(
    source: Path, *options: str, whole: str = "items//UNROLL"
) -> tuple[int, dict[str, Any]]:
    target = source.with_name("found.json")
    table = str(source.with_name("times.csv"))
    asked = [*OPTIONS, "--global", whole, *options, "--json", str(target)]
    code = main(["validate", table, str(source), *asked])
    document = json.loads(target.read_text())
    schema = json.loads((files("kcc") / "schemas" / "validation-1.json").read_text())
    jsonschema.validate(document, schema)
    return code, document


def estimated(source: Path, *options: str) -> float:
    target = source.with_name("estimate.json")
    assert main(["estimate", str(source), "--gpu", "v100", *options, "--json", str(target)]) == 0
    (entry,) = json.loads(target.read_text())["estimates"]
    return entry["time_us"]


def test_rows_are_estimated_as_kcc_estimate_does(source: Path) -> None:
    code, document = validated(source)
    assert code == 0
    assert document["macros"] == {"UNROLL": "UNROLL"}
    first, _, third, failed = document["rows"]
    assert (failed["status"], failed["measured_us"]) == ("failed", None)
    assert third["configuration"] == "UNROLL=4"
    for row, unroll in ((first, 1), (third, 4)):
        same = estimated(source, "-D", f"UNROLL={unroll}", "--global", str(1048576 // unroll),
                         "--local", "64", "--arg", "n=1048576")  # fmt: skip
        assert row["estimated_us"] == pytest.approx(same, rel=1e-5)
        assert row["range_us"][0] < same < row["range_us"][1]
    errors = [abs(r["estimated_us"] / r["measured_us"] - 1) for r in document["rows"][:3]]
    assert document["figures"]["mean"] == pytest.approx(100 * sum(errors) / 3, rel=1e-4)
    assert (document["figures"]["failed"], document["figures"]["told"]) == (1, 0)


def test_kernels_alone_have_no_launch_in_their_time(source: Path) -> None:
    (whole,) = validated(source, "--where", "UNROLL==1", "--where", "BX<100")[1]["rows"]
    (alone,) = validated(source, "--where", "UNROLL==1", "--where", "BX<100",
                         "--measures", "kernel")[1]["rows"]  # fmt: skip
    assert alone["estimated_us"] == pytest.approx(whole["estimated_us"] - whole["launch_us"], 1e-4)
    assert whole["launch_us"] == pytest.approx(1.9 - 1000 / 1380, rel=1e-3)  # V100


def test_columns_are_named(source: Path) -> None:
    text = TABLE.replace("UNROLL", "factor").replace("median_us", "time")
    source.with_name("times.csv").write_text(text)
    named = ("--macro", "UNROLL=factor", "--time", "time", "--unit", "us")
    code, document = validated(source, *named, whole="items//factor")
    assert code == 0
    assert document["rows"][2]["configuration"] == "factor=4"
    assert document["rows"][2]["measured_us"] == 20.0


def test_a_sample_is_the_same_whenever_it_is_drawn(source: Path) -> None:
    found = [validated(source, "--sample", "2", "--seed", "3")[1]["rows"] for _ in range(2)]
    assert [row["row"] for row in found[0]] == [row["row"] for row in found[1]]
    assert len(found[0]) == 2


def test_a_limit_on_the_mean_error(source: Path) -> None:
    assert validated(source, "--fail-above", "1%")[0] == 1
    assert validated(source, "--fail-above", "1000%")[0] == 0


def test_what_was_done_before_an_interruption_is_not_done_again(
    source: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome, done = predict.Predictor.outcome, list[int]()

    def interrupted(self: predict.Predictor, case: Any) -> Any:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(case.number)
        return outcome(self, case)

    monkeypatch.setattr(predict.Predictor, "outcome", interrupted)
    with pytest.raises(FileNotFoundError):
        validated(source)
    assert "--resume continues" in capsys.readouterr().err
    done.clear()
    done.clear()
    code, document = validated(source, "--resume")
    assert (code, done) == (0, [2, 3])
    assert len(document["rows"]) == 4
    assert not source.with_name("found.json.partial").exists()


def test_the_page_has_a_point_for_each_row(source: Path) -> None:
    page = source.with_name("page.html")
    validated(source, "--html", str(page))
    text = page.read_text()
    picture = text[text.index("<svg") : text.index("</svg>") + 6]
    circles = [e for e in ElementTree.fromstring(picture).iter() if e.tag.endswith("circle")]
    hints = [e for e in circles if len(e)]
    assert len(hints) == 3
    assert "failed" in text


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", (), "has no rows under a head"),
        ("a,a_us\n1,2,3\n", (), "times.csv:2: error[K894]: has 3 cells, and the head 2"),
        ("a,a\n1,2\n", (), "two columns of one name"),
        ("a,b\n1,2\n", (), "no column whose name ends like a unit"),
        ("a,b_us\n1,slow\n", (), "b_us is 'slow'"),
        ("a,b_us\n1,-3\n", (), "b_us is '-3'"),
        ("a,b_us\n1,nan\n", (), "b_us is 'nan'"),
        (TABLE, ("--time", "gone_us"), "has no column 'gone_us'"),
        (TABLE, ("--time", "BX"), "the unit is not known"),
        (TABLE, ("--where", "nothing>1"), "nothing"),
        (TABLE, ("--where", "BX>1000"), "no row is left"),
        (TABLE, ("--gpu-column", "BX"), "either --gpu NAME or --gpu-column"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(
    source: Path, text: str, options: tuple[str, ...], message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    table = source.with_name("times.csv")
    table.write_text(text)
    assert main(["validate", str(table), str(source), *OPTIONS, *options]) in (1, 2)
    assert message in capsys.readouterr().err


def test_the_table_must_be_there(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", str(source.with_name("no.csv")), str(source), *OPTIONS]) == 1
    assert "no.csv: error[K894]: cannot be read" in capsys.readouterr().err
