"""The journal of benchmarks.proxies: a line of JSON per measurement."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

from kcc.synth.comparison.behaviour import Simulated
from kcc.synth.reduction.reductions import Reduction


def name_of(reduction: Reduction) -> str:
    """Of a miniature, as the journal calls it, and of what part of a GPU it runs on."""
    rows = "/".join(",".join(map(str, row)) for row in reduction.factors)
    part = f" part {reduction.parts}" if reduction.parts > 1 else ""
    return f"trips {rows} blocks {reduction.blocks}{part}"


class Journal:
    """What has been measured, by key; a second run resumes after it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = dict[str, dict[str, Any]]()
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self.rows[row.pop("key")] = row

    def __contains__(self, key: str) -> bool:
        return key in self.rows

    def add(self, key: str, **values: object) -> None:
        """Keep a measurement."""
        self.rows[key] = values
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, **values}) + "\n")

    def keep(self, key: str, gpu: str, found: Simulated) -> None:
        """Keep a simulation on a configuration."""
        values = dataclasses.asdict(found)
        del values["gpu"]
        self.add(f"{key} on {gpu}", **values)

    def run(self, key: str, gpu: str) -> Simulated | None:
        """The simulation of an original or a miniature on a configuration."""
        row = self.rows.get(f"{key} on {gpu}")
        return None if row is None else Simulated(gpu=gpu, **row)
