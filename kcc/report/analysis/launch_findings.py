"""What a launch and the registers of a kernel say, where a GPU or a launch is named."""

from __future__ import annotations

import math
from collections.abc import Iterator

from kcc.base.advice import without_work
from kcc.base.launch import Launch, Origin
from kcc.base.terms import OPENCL_WORDS, WORDS
from kcc.frontend.kernel import Kernel
from kcc.passes.unknown import Unknown
from kcc.report.analysis.model import Finding, Severity
from kcc.report.analysis.resources import Resources

WARP = 32
"""Threads of a warp where no GPU is named."""


def launch_findings(kernel: Kernel, launch: Launch, resources: Resources) -> Iterator[Finding]:
    """Thread blocks that end in a warp that is not full, a grid smaller than the GPU, spills."""
    words, gpu = WORDS.get(kernel.language.value, OPENCL_WORDS), resources.gpu
    line = (kernel.span.line,)
    warp = gpu.warp_size.value if gpu is not None and gpu.warp_size else WARP
    threads = launch.group_size
    if threads is not None and threads % warp and launch.local_origin is not Origin.ASSUMED:
        message = (
            f"a {words.block} of {threads} {words.thread}s ends in a warp of {threads % warp}: "
            f"{100 * (1 - threads / (warp * -(-threads // warp))):.0f}% of the lanes are empty"
        )
        fix = f"make it a multiple of {warp}"
        yield Finding(Severity.WARNING, line, message, fix=fix, code="partial-warps")
    groups, sms = launch.groups, gpu.sm_count if gpu is not None else None
    if groups is not None and sms is not None and math.prod(groups) < sms.value:
        count = math.prod(groups)
        message = (
            f"the grid has {count:,} {words.block}{'s' * (count != 1)} for {sms.value} SMs: "
            f"{without_work(sms.value - count)}"
        )
        yield Finding(Severity.WARNING, line, message, code="grid-too-small")
    registers = resources.registers
    spilled = 0 if isinstance(registers, Unknown) else registers.spill_bytes
    if spilled:
        message = f"{spilled} bytes per {words.thread} are spilled to {words.private_memory}"
        yield Finding(Severity.WARNING, line, message, code="spill")
