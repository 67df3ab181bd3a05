"""A miniature as a JSON document; its schema is kcc/schemas/synthesis-1.json.

It says what the text of :mod:`kcc.report.miniature.full` says, and nothing of the original beside
it but the counts that the miniature is to be held against.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import kcc
from kcc.base.profile.model import LaunchProfile, Profile
from kcc.base.records import dataclass
from kcc.frontend.ir.types import VOID
from kcc.report.miniature.full import ending_text, operand_text, value_text
from kcc.report.miniature.verdict import verdict_of_miniature
from kcc.synth.assembly.model import Block, Kernel, Launch, Loop, Miniature, Role, Statement
from kcc.synth.comparison.behaviour import Behaviour, Pair, Simulated, mix_difference
from kcc.synth.comparison.compare import FlowDifference

SCHEMA = "kcc/synthesis/1"

Object = dict[str, object]


@dataclass(frozen=True, slots=True)
class Written:
    """A miniature. ``files`` are what was written, by language; ``blocks`` is the factor of thread
    blocks, ``profile`` the miniature's own."""

    miniature: Miniature
    files: Mapping[str, str]
    blocks: int
    profile: Profile


@dataclass(frozen=True, slots=True)
class Synthesis:
    """The whole document. ``flow`` is how the miniature's graphs differ from the original's (none
    where thread blocks are left out), ``pairs`` the simulations, ``twin`` the larger miniature
    beside it."""

    own: Written
    behaviours: tuple[Behaviour, Behaviour]
    flow: Sequence[FlowDifference]
    pairs: Sequence[Pair]
    twin: Written | None = None


def synthesis_json(found: Synthesis) -> str:
    """The document."""
    original, own = found.behaviours
    document: Object = {
        "schema": SCHEMA,
        "kcc_version": kcc.__version__,
        "verdict": verdict_of_miniature(found.behaviours, found.pairs),
        "seed": found.own.miniature.seed,
        **_written(found.own),
        "flow": [_flow(one) for one in found.flow],
        "behaviour": {
            "original": _behaviour(original),
            "miniature": _behaviour(own),
            "largest_mix_difference": mix_difference(original, own),
        },
        "simulations": [_pair(pair) for pair in found.pairs],
        "twin": _written(found.twin) if found.twin else None,
    }
    return json.dumps(document, indent=2) + "\n"


def _written(found: Written) -> Object:
    miniature = found.miniature
    return {
        "block_reduction": found.blocks,
        "files": dict(found.files),
        "buffers_bytes": list(miniature.buffers),
        "kernels": [
            _kernel(kernel, factors)
            for kernel, factors in zip(miniature.kernels, miniature.reductions, strict=True)
        ],
        "launches": [
            _launch(miniature, launch, profile)
            for launch, profile in zip(miniature.launches, found.profile.launches, strict=True)
        ],
    }


def _kernel(kernel: Kernel, factors: Sequence[int]) -> Object:
    return {
        "name": kernel.name,
        "parameters": [
            {"number": p.number, "kind": p.kind.name.lower(), "type": str(p.type)}
            for p in kernel.parameters
        ],
        "arrays": [
            {"number": a.number, "kind": "local" if a.space == 3 else "table",
             "bytes": a.size_bytes}
            for a in kernel.arrays
        ],
        "loops": [_loop(loop, factors[loop.number]) for loop in kernel.loops],
        "blocks": [_block(block) for block in kernel.blocks],
    }  # fmt: skip


def _loop(loop: Loop, factor: int) -> Object:
    return {
        "id": loop.number,
        "header": loop.header,
        "depth": loop.depth,
        "blocks": list(loop.blocks),
        "reduction": factor,
        "ends": loop.control.name.lower(),
        "trips_parameter": loop.trips if loop.trips >= 0 else None,
        "lanes_together": loop.sharing.lanes if loop.trips >= 0 else None,
    }


def _block(block: Block) -> Object:
    return {
        "id": block.number,
        "instructions": [_statement(s) for s in block.statements],
        "ending": ending_text(block.ending),
    }


def _statement(s: Statement) -> Object:
    kept = s.role is Role.INDEX
    return {
        "number": s.number,
        "opcode": s.opcode,
        "detail": s.detail,
        "type": None if s.type == VOID else str(s.type),
        "operands": [operand_text(o, kept=kept) for o in s.operands],
        "access": s.access if s.access >= 0 else None,
    }


def _launch(miniature: Miniature, launch: Launch, profile: LaunchProfile) -> Object:
    """A launch, and what it executes by basic block of the compiled miniature."""
    return {
        "number": launch.number,
        "kernel": miniature.kernels[launch.kernel].name,
        "global_size": list(launch.global_size),
        "local_size": list(launch.local_size),
        "arguments": [value_text(value) for value in launch.values],
        "expected": {
            "warp_instructions": profile.warp_instructions,
            "thread_instructions": profile.thread_instructions,
            "blocks": [
                {"threads": n.threads, "executions": n.ecount, "warps": n.warps}
                for n in profile.nodes
            ],
        },
    }


def _flow(one: FlowDifference) -> Object:
    return {
        "equal": one.same,
        "largest_difference": one.worst,
        "auxiliary_blocks": list(one.auxiliary),
        "joined_blocks": list(one.joined),
    }


def _behaviour(one: Behaviour) -> Object:
    return {
        "warp_instructions": one.warp_instructions,
        "mix": dict(one.mix),
        "active_lanes": one.lanes,
        "sectors_per_access": one.sectors,
        "passes_per_local_access": one.passes,
    }


def _pair(pair: Pair) -> Object:
    return {
        "gpu": pair.original.gpu,
        "original": _simulated(pair.original),
        "miniature": _simulated(pair.miniature),
        "ipc_error": pair.ipc_error,
        "instruction_speedup": pair.instruction_speedup,
        "time_speedup": pair.time_speedup,
        "part_of_gpu": list(pair.settings),
    }


def _simulated(one: Simulated) -> Object:
    return {
        "cycles": one.cycles,
        "instructions": one.instructions,
        "ipc": one.ipc,
        "ipc_without_auxiliary": one.own_ipc,
        "hit_rates": dict(one.hits),
        "cpu_seconds": one.cpu_seconds,
    }
