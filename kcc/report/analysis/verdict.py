"""The first lines about a kernel: what a reader wants to know before any table."""

from __future__ import annotations

from kcc.base.launch import Origin
from kcc.base.records import dataclass
from kcc.base.terms import CUDA_WORDS, WORDS
from kcc.passes.memory.memory_accesses import AccessOp
from kcc.passes.unknown import Unknown
from kcc.report.analysis.model import Finding, KernelReport, Loop, Severity
from kcc.report.shared.words import (
    access_counts,
    by_group,
    by_weight,
    join,
    line_list,
    percent,
    plural,
    size,
    space_name,
)

_PLURALS = {AccessOp.LOAD: "loads", AccessOp.STORE: "stores", AccessOp.ATOMIC: "atomics"}


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """A labelled statement; ``severity`` is set for those that deserve attention."""

    label: str
    text: str
    severity: Severity | None = None


def verdict(kernel: KernelReport) -> list[VerdictLine]:
    """The verdict lines of a kernel, in the order in which they are printed: one sentence first,
    then what the kernel is, then the findings that are not in it."""
    warnings = [each for each in kernel.findings if each.severity is Severity.WARNING]
    lines = [
        VerdictLine("verdict", sentence(kernel), Severity.WARNING if warnings else None),
        VerdictLine("control flow", _control_flow(kernel)),
        VerdictLine("memory", _memory(kernel)),
        VerdictLine("storage", _storage(kernel)),
        VerdictLine("barriers", _barriers(kernel)),
        VerdictLine("instructions", _instructions(kernel)),
        VerdictLine("launch", _launch(kernel)),
        *_resources(kernel),
    ]
    for finding in kernel.findings:
        if finding in warnings[:1]:
            continue
        place = f"{line_list(finding.lines)}: " if finding.lines else ""
        lines.append(VerdictLine(finding.severity.value, place + told(finding), finding.severity))
    return lines


def told(finding: Finding) -> str:
    """A finding with what would remove it."""
    return finding.message + (f"; fix: {finding.fix}" if finding.fix else "")


def sentence(kernel: KernelReport) -> str:
    """What deserves attention most, in one sentence: the first warning, and how many there are."""
    warnings = [each for each in kernel.findings if each.severity is Severity.WARNING]
    if not warnings:
        return "No access is uncoalesced, no request has bank conflicts, as far as that is known."
    first = warnings[0]
    place = f"{line_list(first.lines)}: " if first.lines else ""
    more = f"; {plural(len(warnings) - 1, 'more warning')}" if len(warnings) > 1 else ""
    return f"{(place + told(first))[0].upper()}{(place + told(first))[1:]}{more}."


def _control_flow(kernel: KernelReport) -> str:
    parts = [plural(len(kernel.blocks), "block")]
    branches = len(kernel.branches)
    parts.append(plural(branches, "branch", "branches") if branches else "no branches")
    parts.append(_loops(kernel.loops) if kernel.loops else "no loops")
    if kernel.irreducible:
        parts.append(plural(len(kernel.irreducible), "irreducible region"))
    return ", ".join(parts)


def _loops(loops: tuple[Loop, ...]) -> str:
    depth = max(loop.depth for loop in loops)
    nesting = f" nested {depth} deep" if depth > 1 else ""
    return f"{plural(len(loops), 'loop')}{nesting} ({line_list(loop.line for loop in loops)})"


def _memory(kernel: KernelReport) -> str:
    spaces = [
        f"{space_name(space, kernel.language)}: "
        + ", ".join(_count(op, count) for op, count in ops)
        for space, ops in access_counts(kernel)
    ]
    return "; ".join(spaces) or "no accesses"


def _count(op: AccessOp, count: int) -> str:
    return plural(count, op.value, _PLURALS[op])


def _storage(kernel: KernelReport) -> str:
    words = WORDS[kernel.language.value]
    if isinstance(kernel.private_bytes, Unknown):
        private = f"an unknown amount of {words.private_memory} ({kernel.private_bytes.reason})"
    elif kernel.private_bytes:
        private = (
            f"{plural(kernel.private_bytes, 'byte')} of {words.private_memory} per {words.thread}"
        )
    else:
        private = f"no {words.private_memory}"
    local = f"no {words.shared_memory}"
    if kernel.local_bytes:
        local = f"{plural(kernel.local_bytes, 'byte')} of {words.shared_memory} per {words.block}"
    if kernel.dynamic_locals:
        host = f"{words.shared_memory} sized by the host in {join(kernel.dynamic_locals)}"
        local = f"{local}, {host}" if kernel.local_bytes else host
    return f"{local}; {private}"


def _barriers(kernel: KernelReport) -> str:
    if not kernel.barriers:
        return "none"
    inside = sum(barrier.loop is not None for barrier in kernel.barriers)
    text = f"{len(kernel.barriers)} ({line_list(b.line for b in kernel.barriers)})"
    return f"{text}, {inside} in loops" if inside else text


def _instructions(kernel: KernelReport) -> str:
    total = sum(kernel.mix.values())
    if not total:
        return "none"
    groups = by_weight(by_group(kernel.mix))
    shares = [f"{percent(count, total)} {name}" for name, count in groups[:4]]
    text = f"{total:,}: {', '.join(shares)}"
    if kernel.unattributed:
        text += f"; {kernel.unattributed:,} without a source line"
    return text


def _resources(kernel: KernelReport) -> list[VerdictLine]:
    """Registers and occupancy, where somebody asked."""
    lines = list[VerdictLine]()
    if not isinstance(kernel.registers, Unknown):
        source = kernel.registers.detail or "estimated"
        lines.append(VerdictLine("registers", f"{kernel.registers.count} ({source})"))
    occupancy = kernel.occupancy
    if not isinstance(occupancy, Unknown):
        limits = join([limiter.value for limiter in occupancy.limiters])
        text = (
            f"{occupancy.warps} of {occupancy.max_warps} warps per SM of {occupancy.gpu}: "
            f"{plural(occupancy.blocks, 'block')}, limited by {limits}"
        )
        lines.append(VerdictLine("occupancy", "; ".join([text, *occupancy.advice])))
    elif not isinstance(kernel.registers, Unknown) and not occupancy.reason.startswith("no GPU"):
        lines.append(VerdictLine("occupancy", f"unknown: {occupancy.reason}"))
    return lines


def _launch(kernel: KernelReport) -> str:
    launch = kernel.launch
    parts, given = list[str](), False
    is_cuda = WORDS[kernel.language.value] is CUDA_WORDS
    whole, block = ("threads", "block") if is_cuda else ("global", "local")
    for name, shown, origin in (
        (whole, size(launch.global_size), launch.global_origin),
        (block, size(launch.local_size), launch.local_origin),
    ):
        match origin:
            case Origin.GIVEN:
                parts.append(f"{name} {shown}")
                given = True
            case Origin.REQUIRED:
                parts.append(f"{name} {shown} (required by the kernel)")
            case Origin.ASSUMED if name == whole:
                parts.append("grid not given" if is_cuda else "global size not given")
            case Origin.ASSUMED:
                parts.append(f"{name} {shown} (assumed)")
    return ", ".join(parts) + (f" (from {launch.given_by})" if given else "")
