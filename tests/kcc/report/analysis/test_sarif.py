"""`kcc analyze --sarif`: logs as the standard has them.

The schema of OASIS is no part of this repository: KCC_SARIF_SCHEMA names a file that holds it
(sarif-schema-2.1.0.json), and without it the rules that concern what kcc writes are checked, which
stand in :data:`RULES` in our own words.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kcc import cli

ROOT = Path(__file__).parents[4]

MESSAGE = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}  # fmt: skip  # noqa: E501
PLACE = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "physicalLocation": {
            "type": "object",
            "additionalProperties": False,
            "required": ["artifactLocation"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"uri": {"type": "string", "format": "uri-reference"}},
                },
                "region": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "startLine": {"type": "integer", "minimum": 1},
                        "startColumn": {"type": "integer", "minimum": 1},
                    },
                },
            },
        }
    },
}
RULES: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["tool"],
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "additionalProperties": False,
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string"},
                                    "version": {"type": "string"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "additionalProperties": False,
                                            "required": ["id"],
                                            "properties": {
                                                "id": {"type": "string"},
                                                "shortDescription": MESSAGE,
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["message"],
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": -1},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": MESSAGE,
                                "locations": {"type": "array", "items": PLACE},
                                "relatedLocations": {
                                    "type": "array", "items": PLACE, "uniqueItems": True,
                                },
                                "partialFingerprints": {
                                    "type": "object", "additionalProperties": {"type": "string"},
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}  # fmt: skip
"""SARIF 2.1.0, sections 3.13 to 3.30, of the properties that kcc writes."""

TWO = """\
__kernel void far(__global int *a)
{
    a[7 * get_global_id(0)] = 1;
}
__kernel void broken(__global int *a)
{
    a[0] = nothing;
}
"""


def log_of(path: Path, target: Path, code: int = 0) -> dict[str, Any]:
    assert cli.main(["analyze", str(path), "--sarif", str(target)]) == code
    found: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    schema: dict[str, Any] = RULES
    if given := os.environ.get("KCC_SARIF_SCHEMA"):
        schema = json.loads(Path(given).read_text(encoding="utf-8"))
    jsonschema.validate(found, schema, format_checker=jsonschema.FormatChecker())
    return found


@pytest.mark.parametrize("name", ["hotspot", "bfs", "vecadd"])
def test_a_log_has_the_findings_at_their_lines(name: str, tmp_path: Path):
    source = ROOT / "kernels" / name / f"{name}.cl"
    (run,) = log_of(source, tmp_path / "x.sarif")["runs"]
    assert cli.main(["analyze", str(source), "--json", str(tmp_path / "x.json")]) == 0
    kernels = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))["kernels"]
    findings = [f for kernel in kernels for f in kernel["findings"]]
    assert len(run["results"]) == len(findings)
    for result, finding in zip(run["results"], findings, strict=True):
        places = [*result["locations"], *result["relatedLocations"]]
        lines = [place["physicalLocation"]["region"]["startLine"] for place in places]
        assert not finding["lines"] or lines == finding["lines"]
        assert result["ruleId"] == finding["code"]
        rules = run["tool"]["driver"]["rules"]
        assert rules[result["ruleIndex"]]["id"] == finding["code"]


def test_errors_stand_beside_findings(tmp_path: Path):
    source = tmp_path / "two kernels.cl"
    source.write_text(TWO, encoding="utf-8")
    (run,) = log_of(source, tmp_path / "x.sarif", code=1)["runs"]
    by_level = {result["level"]: result for result in run["results"]}
    assert by_level["warning"]["ruleId"] == "uncoalesced"
    assert by_level["error"]["ruleId"] == "K301"
    place = by_level["error"]["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 7, "startColumn": 12}
    assert place["artifactLocation"]["uri"].endswith("/two%20kernels.cl")


def test_a_fingerprint_outlives_lines_above(tmp_path: Path):
    source = tmp_path / "k.cl"
    marks = list[str]()
    for above in ("", "\n\n// more\n"):
        source.write_text(above + TWO, encoding="utf-8")
        (run,) = log_of(source, tmp_path / "x.sarif", code=1)["runs"]
        marks.append(run["results"][0]["partialFingerprints"]["kccFinding/v1"])
    assert marks[0] == marks[1]


def test_the_rules_here_refuse_what_is_wrong(tmp_path: Path):
    source = tmp_path / "k.cl"
    source.write_text(TWO, encoding="utf-8")
    found = log_of(source, tmp_path / "x.sarif", code=1)
    found["runs"][0]["results"][0]["level"] = "remark"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, RULES)
