"""The JSON document `kcc/analysis/1` of an :class:`~kcc.report.analysis.model.Analysis`.

Its schema is kcc/schemas/analysis-1.json. A value that is not known is null, with a reason beside
it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import kcc
from kcc.base.diagnostics import Diagnostic
from kcc.base.gpu.occupancy import Occupancy
from kcc.base.launch import Origin
from kcc.passes.control.flow_counts import FlowCount
from kcc.passes.memory.access_facts import Executions, Spread
from kcc.passes.registers.counts import Registers
from kcc.passes.unknown import Unknown
from kcc.report.analysis.machine_code import machine_json
from kcc.report.analysis.model import (
    Access,
    Analysis,
    Branch,
    Cost,
    KernelReport,
    LaunchView,
    LineFacts,
    Loop,
    Mix,
    Trip,
)
from kcc.report.analysis.unknowns import gaps
from kcc.report.analysis.verdict import sentence, told

SCHEMA = "kcc/analysis/1"

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None


def to_json(analysis: Analysis) -> str:
    """The document as text, one line per fact, with a final newline."""
    return json.dumps(document(analysis), indent=1, ensure_ascii=False) + "\n"


def document(analysis: Analysis) -> dict[str, Json]:
    """The document as plain JSON values."""
    return {
        "schema": SCHEMA,
        "kcc_version": kcc.__version__,
        "source": analysis.source,
        "language": analysis.language.value,
        "frontend": analysis.frontend,
        "optimisation": analysis.optimisation.value,
        "build_options": list(analysis.build_options),
        "remarks": list(analysis.remarks),
        "warnings": [_diagnostic(warning) for warning in analysis.warnings],
        "refused": [
            {"kernel": each.kernel or None, "errors": [_diagnostic(d) for d in each.diagnostics]}
            for each in analysis.refused
        ],
        "kernels": [_kernel(kernel) for kernel in analysis.kernels],
    }


def _diagnostic(found: Diagnostic) -> dict[str, Json]:
    return {
        "code": found.code,
        "message": found.message,
        "file": found.span.file if found.span else None,
        "line": found.span.line if found.span else None,
        "column": found.span.column if found.span else None,
    }


def _kernel(kernel: KernelReport) -> dict[str, Json]:
    return {
        "name": kernel.name,
        "symbol": kernel.symbol,
        "language": kernel.language.value,
        "line": kernel.span.line,
        "args": [
            {
                "name": argument.name,
                "type": argument.type,
                "address_space": argument.address_space.name.lower(),
                "access": argument.access,
                "qualifiers": list(argument.qualifiers),
            }
            for argument in kernel.arguments
        ],
        "launch": _launch(kernel.launch),
        "blocks": [
            {
                "id": block.id,
                "label": block.label,
                "line": block.line or None,
                "last_line": block.last_line or None,
                "instructions": block.instructions,
                "instruction_mix": _present(block.mix),
            }
            for block in kernel.blocks
        ],
        "edges": [
            {
                "from": edge.source,
                "to": edge.target,
                "kind": edge.kind.value,
                "label": edge.label,
                "back": edge.back,
            }
            for edge in kernel.edges
        ],
        "loops": [_loop(loop) for loop in kernel.loops],
        "irreducible_regions": [
            {"line": region.line or None, "blocks": list(region.blocks)}
            for region in kernel.irreducible
        ],
        "branches": [_branch(branch) for branch in kernel.branches],
        "accesses": [_access(access) for access in kernel.accesses],
        "instruction_mix": _mix(kernel.mix),
        "unattributed_instructions": kernel.unattributed,
        "barriers": len(kernel.barriers),
        "barrier_sites": [
            {"line": barrier.line or None, "block": barrier.block, "loop": barrier.loop}
            for barrier in kernel.barriers
        ],
        "local_bytes": kernel.local_bytes,
        "dynamic_local_args": list(kernel.dynamic_locals),
        **_known("private_bytes", kernel.private_bytes),
        "required_local_size": _list(kernel.required_local_size),
        "dfsg": {
            "nodes": [
                {"block": block, **_flow_count(count)}
                for block, count in enumerate(kernel.flow.blocks)
                if count is not None
            ],
            "edges": [
                {"from": edge.source, "to": edge.target, **_flow_count(edge.count)}
                for edge in kernel.flow.edges
            ],
        },
        **_known("work_group_local_bytes", kernel.block_local_bytes),
        **_registers(kernel.registers),
        **_occupancy(kernel.occupancy),
        **machine_json(kernel.machine),
        "verdict": sentence(kernel),
        "advice": [
            {
                "code": found.code,
                "line": min(found.lines, default=None),
                "text": told(found),
                "gain_us": None,
                "verified": bool(found.fix),
            }
            for found in kernel.findings
        ],
        "findings": [
            {
                "code": found.code,
                "severity": found.severity.value,
                "lines": list(found.lines),
                "message": found.message,
                "cost": _cost(found.cost),
                "fix": found.fix or None,
            }
            for found in kernel.findings
        ],
        "unknowns": [
            {
                "what": gap.what,
                "line": gap.line or None,
                "reason": gap.reason,
                "option": gap.option or None,
            }
            for gap in gaps(kernel)
        ],
        "lines": [_line(line) for line in kernel.lines],
    }


def _launch(launch: LaunchView) -> dict[str, Json]:
    return {
        "assumed": Origin.ASSUMED in {launch.global_origin, launch.local_origin},
        "global_size": list(launch.global_size),
        "global_origin": launch.global_origin.value,
        "local_size": list(launch.local_size),
        "local_origin": launch.local_origin.value,
        "given_by": launch.given_by or None,
    }


def _loop(loop: Loop) -> dict[str, Json]:
    return {
        "id": loop.id,
        "line": loop.line or None,
        "header": loop.header,
        "depth": loop.depth,
        "parent": loop.parent,
        "blocks": list(loop.blocks),
        "instructions": loop.instructions,
        "barriers": loop.barriers,
        **_known("unrolled", loop.unrolled),
        "trip": _trip(loop.trip),
    }


def _trip(trip: Trip) -> dict[str, Json]:
    same = trip.total_least == trip.total_greatest
    differs = "" if same or trip.reason else "the total differs between work-items"
    return {
        "kind": trip.kind.value,
        "min": trip.least,
        "max": trip.greatest,
        "total": trip.total_least if same else None,
        "total_min": trip.total_least,
        "total_max": trip.total_greatest,
        "total_mean": trip.total_mean,
        "expr": trip.text or None,
        "reason": trip.reason or differs or None,
    }


def _branch(branch: Branch) -> dict[str, Json]:
    return {
        "id": branch.id,
        "line": branch.line or None,
        "column": branch.column or None,
        "block": branch.block,
        "condition": branch.condition,
        "divergence": branch.divergence.value,
        "reconvergence": branch.reconverges_at,
        "depends_on": [terminal.value for terminal in branch.terminals],
        "lanes": _sides(branch),
        "reason": branch.reason or None,
    }


def _cost(cost: Cost | None) -> dict[str, Json] | None:
    if cost is None:
        return None
    return {
        "unit": cost.unit.value,
        "per_warp": cost.spent,
        "excess_per_warp": cost.excess,
        "excess_total": cost.total,
    }


def _flow_count(count: FlowCount) -> dict[str, Json]:
    return {
        "executions": count.executions,
        "threads": count.threads,
        "expr": count.formula or None,
        "reason": count.reason or None,
    }


def _sides(branch: Branch) -> list[dict[str, Json]] | None:
    """The ways out of a branch; None where nothing is known of them."""
    if all(side.share is None for side in branch.sides):
        return None
    return [
        {
            "to": side.target,
            "share": side.share,
            "items": side.items or None,
            "assumed": side.assumed,
        }
        for side in branch.sides
    ]


def _registers(registers: Registers | Unknown) -> dict[str, Json]:
    if isinstance(registers, Unknown):
        return _known("registers", registers)
    return {
        "registers": registers.count,
        "registers_source": registers.source.value,
        "registers_detail": registers.detail or None,
        "spill_bytes": registers.spill_bytes,
    }


def _occupancy(occupancy: Occupancy | Unknown) -> dict[str, Json]:
    if isinstance(occupancy, Unknown):
        return _known("occupancy", occupancy)
    return {
        "occupancy": {
            "gpu": occupancy.gpu,
            "blocks_per_sm": occupancy.blocks,
            "warps_per_sm": occupancy.warps,
            "max_warps_per_sm": occupancy.max_warps,
            "ratio": occupancy.ratio,
            "limiters": [limiter.value for limiter in occupancy.limiters],
            "limits": {limit.limiter.value: limit.blocks for limit in occupancy.limits},
            "advice": list(occupancy.advice),
            "assumed": [
                {"key": a.key, "value": a.value, "reason": a.reason} for a in occupancy.assumptions
            ],
        }
    }


def _access(access: Access) -> dict[str, Json]:
    unknown = [v for v in (access.array, access.element_bytes) if isinstance(v, Unknown)]
    pattern = access.pattern
    reason = "; ".join([*(value.reason for value in unknown), pattern.reason]).strip("; ")
    return {
        "id": access.id,
        "line": access.line or None,
        "column": access.column or None,
        "block": access.block,
        "op": access.op.value,
        "array": _value(access.array),
        "address_space": access.address_space.name.lower(),
        "element_bytes": _value(access.element_bytes),
        "address": pattern.text or None,
        "kind": pattern.kind.value,
        "stride_bytes": pattern.stride_bytes,
        "run_lanes": pattern.run_lanes,
        "run_stride_bytes": pattern.run_stride_bytes,
        "divergence": access.divergence.value,
        **_spread("sectors_per_warp", pattern.sectors),
        **_spread("lines_per_warp", pattern.lines),
        **_spread("bank_passes_per_warp", pattern.bank_passes),
        "bank_conflict_degree": pattern.bank_degree,
        "exact": pattern.exact,
        "full_warps": pattern.full_warps,
        "executions": _executions(pattern.executions),
        "requests": pattern.requests,
        "footprint_bytes": pattern.footprint.bytes if pattern.footprint else None,
        "footprint_lines": pattern.footprint.lines if pattern.footprint else None,
        "footprint_exact": pattern.footprint.exact if pattern.footprint else False,
        "lanes_per_line": pattern.lanes_per_line,
        "warps_per_line": pattern.warps_per_line,
        "reuse": [
            {
                "loop": each.loop,
                "kind": each.reuse.value,
                "stride_bytes": each.stride_bytes,
                "distance": each.distance,
            }
            for each in pattern.loops
        ],
        "reason": reason or None,
    }


def _spread(key: str, spread: Spread | None) -> dict[str, Json]:
    return {
        key: spread.mean if spread else None,
        f"{key}_min": spread.least if spread else None,
        f"{key}_max": spread.greatest if spread else None,
    }


def _executions(executions: Executions | None) -> dict[str, Json] | None:
    """What really happens in the launch; None if that is not known."""
    if executions is None:
        return None
    return {
        "warps": executions.count,
        "lanes": executions.lanes,
        "sectors": executions.sectors,
        "lines": executions.lines,
        "bank_passes": executions.bank_passes,
    }


def _line(line: LineFacts) -> dict[str, Json]:
    return {
        "file": line.file,
        "line": line.line,
        "instruction_mix": _present(line.mix),
        "accesses": list(line.accesses),
        "branches": list(line.branches),
        "barriers": line.barriers,
        "loop_depth": line.loop_depth,
    }


def _value(value: Unknown | Json) -> Json:
    return None if isinstance(value, Unknown) else value


def _known(key: str, value: Unknown | Json) -> dict[str, Json]:
    """A value, or null and a reason beside it."""
    if isinstance(value, Unknown):
        return {key: None, f"{key}_reason": value.reason}
    return {key: value}


def _present(mix: Mix) -> dict[str, Json]:
    """The classes that occur."""
    return {each.value: count for each, count in mix.items() if count}


def _mix(mix: Mix) -> dict[str, Json]:
    return {each.value: count for each, count in mix.items()}


def _list(values: tuple[int, ...] | None) -> Json:
    return None if values is None else list(values)
