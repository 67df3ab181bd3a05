"""The keys of a GPU description in order, from the fields of :class:`GpuDescription`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, cast

from kcc.base.gpu.description import (
    Dram,
    Extra,
    GpuDescription,
    InitiationIntervals,
    Interconnect,
    Lanes,
    Latencies,
    Level1,
    Level2,
    ReadOnlyCache,
)
from kcc.base.gpu.facts import RULE, Fact, Rule

SECTIONS: Mapping[str, type] = MappingProxyType(
    {
        "lanes_per_sm": Lanes,
        "latency_cycles": Latencies,
        "initiation_interval_cycles": InitiationIntervals,
        "l1": Level1,
        "l2": Level2,
        "constant_cache": ReadOnlyCache,
        "texture_cache": ReadOnlyCache,
        "interconnect": Interconnect,
        "dram": Dram,
        "extra": Extra,
    }
)
"""The keys of a file that hold keys themselves."""

REQUIRED = ("vendor", "name", "arch", "sm_count", "warp_size", "core_clock_base_mhz")
"""Without these nothing can be said about a GPU."""

CORE = (
    "sm_count",
    "core_clock_base_mhz",
    "memory_bandwidth_gbs",
    "warp_size",
    "max_threads_per_block",
    "max_threads_per_sm",
    "max_blocks_per_sm",
    "max_warps_per_sm",
    "registers_per_sm",
    "reg_alloc_unit",
    "max_regs_per_thread",
    "shared_mem_per_sm_bytes",
    "max_shared_per_block_bytes",
    "shared_alloc_unit_bytes",
    "schedulers_per_sm",
    "issue_width_per_scheduler",
    "shared_banks",
    "lanes_per_sm.fp32",
    "lanes_per_sm.fp64",
    "lanes_per_sm.int32",
    "lanes_per_sm.sfu",
    "latency_cycles.int_add",
    "latency_cycles.int_mul",
    "latency_cycles.fp32_fma",
    "latency_cycles.fp64_fma",
    "latency_cycles.sfu_rcp",
    "latency_cycles.shared_load",
    "latency_cycles.l1_hit",
    "latency_cycles.l2_hit",
    "latency_cycles.dram",
    "l1.size_bytes",
    "l1.line_bytes",
    "l1.assoc",
    "l1.mshr",
    "l2.size_bytes",
    "l2.line_bytes",
    "l2.assoc",
    "l2.slices",
    "dram.channels",
)
"""What the timing models ask for; `kcc gpus list` says how much of it is known."""


@cache
def rules() -> Mapping[str, Rule]:
    """The rule of every key, dotted, in the order of the fields."""
    found = dict[str, Rule]()
    for each in fields(GpuDescription):
        if RULE in each.metadata:
            found[each.name] = each.metadata[RULE]
        elif section := SECTIONS.get(each.name):
            for inner in fields(section):
                found[f"{each.name}.{inner.name}"] = inner.metadata[RULE]
    return MappingProxyType(found)


def facts_of(gpu: GpuDescription) -> dict[str, Fact[Any] | None]:
    """The fact of every key, dotted, in the order of the fields; None for what is not known."""
    return {key: fact_of(gpu, key) for key in rules()}


def fact_of(gpu: GpuDescription, key: str) -> Fact[Any] | None:
    """The fact of a dotted key, which is one of :func:`rules`."""
    value: object = gpu
    for name in key.split("."):
        value = getattr(value, name)
    return cast("Fact[Any] | None", value)


def described(
    stem: str, aliases: tuple[str, ...], facts: Mapping[str, Fact[Any]], sources: Mapping[str, str]
) -> GpuDescription:
    """The description that holds ``facts`` by dotted key."""
    plain = {key: fact for key, fact in facts.items() if "." not in key}
    sections: dict[str, Any] = {}
    for name, section in SECTIONS.items():
        assert is_dataclass(section)
        inner = {
            key.removeprefix(f"{name}."): fact
            for key, fact in facts.items()
            if key.startswith(f"{name}.")
        }
        sections[name] = section(**inner)
    return GpuDescription(stem, aliases, dict(sources), **cast("dict[str, Any]", plain), **sections)
