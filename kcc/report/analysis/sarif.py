"""Findings as SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format), for code hosts that
show results beside the lines of a change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from urllib.parse import quote

import kcc
from kcc.base.advice import ADVICE
from kcc.base.diagnostic_codes import CODES
from kcc.base.diagnostics import Diagnostic
from kcc.report.analysis.model import Analysis, Finding, KernelReport, Severity
from kcc.report.analysis.verdict import told

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None

VERSION = "2.1.0"
SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
FINGERPRINT = "kccFinding/v1"
"""A finding keeps it while lines above it change: what a host knows a result by."""

_LEVELS = {Severity.WARNING: "warning", Severity.REMARK: "note"}


def sarif(analysis: Analysis) -> str:
    """The log: a result for each finding and for each error that left a kernel out."""
    results = [
        *(each for kernel in analysis.kernels for each in _of_kernel(kernel)),
        *(_of_error(d, each.kernel) for each in analysis.refused for d in each.diagnostics),
    ]
    used = sorted({str(each["ruleId"]) for each in results})
    places = {rule: number for number, rule in enumerate(used)}
    driver: dict[str, Json] = {
        "name": "kcc", "version": kcc.__version__, "rules": [_rule(rule) for rule in used],
    }  # fmt: skip
    log: dict[str, Json] = {
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [{**each, "ruleIndex": places[str(each["ruleId"])]} for each in results],
            }
        ],
    }
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def _rule(rule: str) -> Json:
    title = ADVICE.get(rule) or CODES[rule].title
    text = f"{title[0].upper()}{title[1:]}."
    return {"id": rule, "shortDescription": {"text": text}}


def _of_kernel(kernel: KernelReport) -> Iterator[dict[str, Json]]:
    for found in kernel.findings:
        lines = found.lines or (kernel.span.line,)
        yield {
            "ruleId": found.code,
            "level": _LEVELS[found.severity],
            "message": {"text": f"Kernel {kernel.name}: {told(found)}."},
            "locations": [_place(kernel.span.file, lines[0])],
            "relatedLocations": [_place(kernel.span.file, line) for line in lines[1:]],
            "partialFingerprints": {FINGERPRINT: _fingerprint(kernel, found)},
        }


def _fingerprint(kernel: KernelReport, found: Finding) -> str:
    same = [each.message for each in kernel.findings if each.code == found.code]
    parts = (kernel.span.file, kernel.symbol, found.code, str(same.index(found.message)))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _of_error(error: Diagnostic, kernel: str) -> dict[str, Json]:
    text = f"Kernel {kernel}: {error.message}." if kernel else f"{error.message}."
    found: dict[str, Json] = {
        "ruleId": error.code, "level": error.severity.value, "message": {"text": text},
    }  # fmt: skip
    if error.span is not None:
        found["locations"] = [_place(error.span.file, error.span.line, error.span.column)]
    return found


def _place(file: str, line: int, column: int = 0) -> Json:
    region: dict[str, Json] = {"startLine": line} if line else {}
    if line and column:
        region["startColumn"] = column
    place: dict[str, Json] = {"artifactLocation": {"uri": _uri(file)}}
    if region:
        place["region"] = region
    return {"physicalLocation": place}


def _uri(file: str) -> str:
    """Relative as it was given, so that a host finds it from the root of the repository."""
    if PurePath(file).is_absolute():
        return Path(file).as_uri()
    return quote(PurePath(file).as_posix(), errors="replace")
