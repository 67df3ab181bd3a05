from __future__ import annotations

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest

import kcc
from kcc.report.analysis.document import SCHEMA, document, to_json
from tests.kcc.report.sample import LATER, analysis


@pytest.fixture
def schema() -> dict[str, Any]:
    text = resources.files(kcc).joinpath("schemas/analysis-1.json").read_text(encoding="utf-8")
    return json.loads(text)


def test_document_follows_its_schema(schema: dict[str, Any]):
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(to_json(analysis())), schema)
    assert schema["$id"] == SCHEMA == schema["properties"]["schema"]["const"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("key", ["schema", "kcc_version", "source", "kernels"])
def test_schema_requires_the_keys(schema: dict[str, Any], key: str):
    made = document(analysis())
    del made[key]
    with pytest.raises(jsonschema.ValidationError, match=key):
        jsonschema.validate(made, schema)


def test_contract_keys_of_a_kernel():
    made: Any = document(analysis())["kernels"]
    kernel = made[0]
    assert kernel["args"][0] == {
        "name": "a",
        "type": "float*",
        "address_space": "global",
        "access": "none",
        "qualifiers": ["const", "restrict"],
    }
    assert kernel["edges"][1] == {"from": 1, "to": 1, "kind": "true", "label": "", "back": True}
    assert kernel["barriers"] == 1
    assert kernel["required_local_size"] == [64, 1, 1]
    assert kernel["blocks"][4]["line"] is None


def test_what_is_unknown_is_null_with_a_reason():
    made: Any = document(analysis())["kernels"]
    kernel = made[0]
    assert kernel["registers"] is None
    assert kernel["registers_reason"] == LATER.reason
    assert kernel["loops"][0]["trip"] == {
        "kind": "bound",
        "min": 0,
        "max": 40,
        "total": None,
        "total_min": 0,
        "total_max": 80,
        "total_mean": None,
        "expr": "min(n, 40)",
        "reason": "depends on a[i], read in line 3",
    }
    assert kernel["accesses"][3]["array"] is None
    assert kernel["accesses"][3]["reason"] == "two arrays; depends on a[i], read in line 20"


def test_launch_says_what_is_assumed():
    made: Any = document(analysis())["kernels"]
    assert made[0]["launch"] == {
        "assumed": True,
        "global_size": ["n"],
        "global_origin": "given",
        "local_size": ["64"],
        "local_origin": "assumed",
        "given_by": "command line",
    }
