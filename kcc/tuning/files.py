"""Estimates of a search space as files: T4, and Kernel Tuner's cachefile.

T4 is the output schema of the tuning community (TuningSchema, results-schema 1.0.0); the cachefile
is what Kernel Tuner keeps of a search, from which its simulation mode, strategies and dashboard
work. Times are in milliseconds, as there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import kcc
from kcc.report.estimate.record import EstimateRecord
from kcc.report.tuning import Tuning
from kcc.tuning.space import Value, key_of

T4_VERSION = "1.0.0"

PIECES = ("compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time")
"""What else Kernel Tuner keeps of a configuration: nothing was compiled or run for an estimate."""


def time_ms(record: EstimateRecord) -> float | None:
    """The estimated time of the launch."""
    return None if record.time_us is None else record.time_us / 1e3


def did_not_compile(record: EstimateRecord) -> bool:
    """Whether it was refused before there was an occupancy to speak of."""
    return record.time_us is None and record.occupancy is None


def t4_json(found: Tuning) -> str:
    """The T4 document."""
    results = [_t4_result(found, configuration, record) for configuration, record in found.rows]
    content = {
        "schema_version": T4_VERSION,
        "results": results,
        "metadata": {
            "timeunit": "milliseconds", "kcc_version": kcc.__version__, "gpu": found.gpu,
            "model": found.model, "kind": "estimates, not measurements",
        },
    }  # fmt: skip
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _t4_result(
    found: Tuning, configuration: Sequence[Value], record: EstimateRecord
) -> dict[str, Any]:
    time = time_ms(record)
    invalidity = "correct"
    if time is None:
        invalidity = "compile" if did_not_compile(record) else "runtime"
    measurements = list[dict[str, Any]]()
    if time is not None and record.range_us is not None:
        low, high = record.range_us
        measurements = [
            {"name": "time", "value": time, "unit": "ms"},
            {"name": "time_low", "value": low / 1e3, "unit": "ms"},
            {"name": "time_high", "value": high / 1e3, "unit": "ms"},
        ]
    return {
        "configuration": found.named(configuration),
        "objectives": ["time"],
        "times": {
            "compilation": 0, "benchmark": 0, "framework": 0, "search_algorithm": 0,
            "validation": 0, "runtimes": [] if time is None else [time],
        },
        "invalidity": invalidity,
        "correctness": 1,
        "measurements": measurements,
    }  # fmt: skip


def cachefile_json(found: Tuning) -> str:
    """Kernel Tuner's cachefile, a configuration a line as it writes them."""
    size = found.problem_size
    head = {
        "device_name": f"kcc {kcc.__version__} {found.gpu} (estimates)",
        "kernel_name": found.kernel,
        "problem_size": "callable" if size is None else size,
        "tune_params_keys": list(found.parameters),
        "tune_params": {name: list(values) for name, values in found.parameters.items()},
        "objective": ["time"],
    }
    lines = [
        f"{json.dumps(key_of(row[0]))}: {json.dumps(_cache_row(found, *row))}" for row in found.rows
    ]
    opening = json.dumps(head, indent=0)[:-2]
    return opening + ',\n"cache": {\n' + ",\n".join(lines) + "}\n}"


def _cache_row(
    found: Tuning, configuration: Sequence[Value], record: EstimateRecord
) -> dict[str, Any]:
    time = time_ms(record)
    failed = "CompilationFailedConfig" if did_not_compile(record) else "RuntimeFailedConfig"
    own = {"time": failed if time is None else time, "times": [] if time is None else [time]}
    named = found.named(configuration)
    return {**named, **own, **dict.fromkeys(PIECES, 0)}
