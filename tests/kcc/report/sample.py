"""A report made by hand: a kernel with a loop, a branch, a barrier, and one of everything else."""

from __future__ import annotations

from kcc.base.diagnostics import Diagnostic, Span
from kcc.base.launch import Origin
from kcc.frontend.kernel import Argument, Language
from kcc.frontend.options import OptLevel
from kcc.frontend.types import AddressSpace
from kcc.passes.control.branch_conditions import Side, Terminal
from kcc.passes.control.divergence import Uniformity
from kcc.passes.control.flow_counts import FlowCount, FlowCounts, FlowEdge
from kcc.passes.control.trip_counts import TripKind
from kcc.passes.graph.control_flow import EdgeKind
from kcc.passes.memory.access_facts import (
    AccessKind,
    AccessPattern,
    Executions,
    Footprint,
    LoopReuse,
    Reuse,
    Spread,
)
from kcc.passes.memory.memory_accesses import AccessOp
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.passes.unknown import Unknown
from kcc.report.analysis.model import (
    Access,
    Analysis,
    Barrier,
    Block,
    Branch,
    Edge,
    Finding,
    IrreducibleRegion,
    KernelReport,
    LaunchView,
    LineFacts,
    Loop,
    Mix,
    Severity,
    Trip,
)

FILE = "k.cl"

SOURCE = """\
// A comment.
float twice(float v)
{
    return 2.0f * v;
}








__kernel void k(__global float *a, __local float *t, int n)
{
    const int i = get_global_id(0);
\tfor (int j = 0; j < n; ++j) {
        // nothing here

        t[j] = twice(a[i + j]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n) { a[i] = t[0]; }
}
"""

LINES = SOURCE.split("\n")

SEVERAL = Unknown("two arrays")

FLOW = FlowCounts(
    (
        FlowCount(1024, 1024, "1", ""),
        None,
        FlowCount(None, None, "n", "the launch is not known"),
        FlowCount(0, 0, "0", ""),
        FlowCount(1024, 1024, "1", ""),
    ),
    (FlowEdge(0, 2, FlowCount(512, 512, "1", "")),),
)
READ = AccessPattern(
    0, AccessKind.CONTIGUOUS, "a + 4 * get_global_id(0)", 4, sectors=Spread(4.0, 4, 4),
    lines=Spread(1.0, 1, 1), exact=True, executions=Executions(64, 2048, 256, 64, 0), requests=64,
    footprint=Footprint(8192, 64, exact=True), lanes_per_line=32.0, warps_per_line=1.0,
    loops=(LoopReuse(0, Reuse.SAME, 0, None),),
)  # fmt: skip
LOCAL = AccessPattern(
    1, AccessKind.STRIDED, "t + 64 * get_local_id(0)", 64, bank_passes=Spread(16.0, 16, 16),
    bank_degree=16, exact=True,
)  # fmt: skip
HIDDEN = AccessPattern(3, AccessKind.INDIRECT, "", reason="depends on a[i], read in line 20")
SIDES = (Side(1, 0.9, "all"), Side(2, 0.1, "all"))
TRIP = Trip(TripKind.BOUND, 0, 40, 0, 80, None, "min(n, 40)", "depends on a[i], read in line 3")
LATER = Unknown("not computed by this version of kcc")


def _mix(**counts: int) -> Mix:
    return {each: counts.get(each.value, 0) for each in InstructionClass}


def kernel() -> KernelReport:
    """The kernel `k` of :data:`SOURCE`."""
    return KernelReport(
        name="k",
        symbol="k",
        language=Language.OPENCL,
        span=Span(FILE, 14, 15),
        arguments=(
            Argument("a", "float*", AddressSpace.GLOBAL, "none", ("const", "restrict")),
            Argument("t", "float*", AddressSpace.LOCAL, "none", ()),
            Argument("n", "int", AddressSpace.PRIVATE, "none", ()),
        ),
        blocks=(
            Block(0, "entry", 16, 17, 3, _mix(int=2, branch=1)),
            Block(1, "for.body", 4, 21, 8, _mix(int=2, fp32=1, load_global=3, branch=2)),
            Block(2, "for.end", 23, 23, 2, _mix(int=1, branch=1)),
            Block(3, "if.then", 23, 23, 3, _mix(load_global=2, branch=1)),
            Block(4, 'odd "label"', 0, 0, 1, _mix(branch=1)),
        ),
        edges=(
            Edge(0, 1, EdgeKind.JUMP, "", back=False),
            Edge(1, 1, EdgeKind.TRUE, "", back=True),
            Edge(1, 2, EdgeKind.FALSE, "", back=False),
            Edge(2, 3, EdgeKind.CASE, "3", back=False),
            Edge(2, 4, EdgeKind.DEFAULT, "", back=False),
            Edge(3, 4, EdgeKind.JUMP, "", back=False),
        ),
        loops=(Loop(0, 17, 1, 1, None, (1,), 1, 8, unrolled=False, trip=TRIP),),
        irreducible=(IrreducibleRegion(17, (1, 2)),),
        branches=(
            Branch(
                0,
                17,
                23,
                1,
                "j < n",
                Uniformity.LAUNCH,
                2,
                SIDES,
                (Terminal.ARGUMENT, Terminal.COUNTER),
                "",
            ),
            Branch(
                1,
                23,
                5,
                2,
                "i < n",
                Uniformity.ID,
                None,
                (Side(3, None, ""), Side(4, None, "")),
                (Terminal.ID,),
                "depends on the launch",
            ),
        ),
        accesses=(
            Access(0, 20, 22, 1, AccessOp.LOAD, "a", AddressSpace.GLOBAL, 4, Uniformity.ID, READ),
            Access(1, 20, 9, 1, AccessOp.STORE, "t", AddressSpace.LOCAL, 4, Uniformity.DATA, LOCAL),
            Access(2, 23, 25, 3, AccessOp.LOAD, "t", AddressSpace.LOCAL, 4, Uniformity.DATA, LOCAL),
            Access(
                3,
                23,
                18,
                3,
                AccessOp.STORE,
                Unknown("two arrays"),
                AddressSpace.GLOBAL,
                4,
                Uniformity.WARP,
                HIDDEN,
            ),
        ),
        barriers=(Barrier(21, 1, 0),),
        mix=_mix(int=5, fp32=1, load_global=5, branch=6),
        unattributed=1,
        local_bytes=0,
        dynamic_locals=("t",),
        private_bytes=16,
        required_local_size=(64, 1, 1),
        launch=LaunchView(("n",), ("64",), Origin.GIVEN, Origin.ASSUMED, "command line"),
        flow=FLOW,
        registers=LATER,
        block_local_bytes=LATER,
        occupancy=LATER,
        findings=(
            Finding(Severity.WARNING, (21, 22), "a barrier stands inside a loop"),
            Finding(Severity.REMARK, (), "something without a place"),
        ),
        lines=(
            LineFacts(FILE, 4, _mix(fp32=1), (), (), 0, 1),
            LineFacts(FILE, 16, _mix(int=2), (), (), 0, 0, {0: 2}),
            LineFacts(FILE, 17, _mix(int=2, branch=1), (), (0,), 0, 1),
            LineFacts(FILE, 20, _mix(load_global=2), (0, 1), (), 0, 1),
            LineFacts(FILE, 21, _mix(branch=1), (), (), 1, 1),
            LineFacts(
                FILE, 23, _mix(int=1, load_global=2, branch=2), (2, 3), (1,), 0, 0, {2: 2, 3: 3}
            ),
        ),
    )


def analysis() -> Analysis:
    """A report with that kernel alone."""
    return Analysis(
        source=FILE,
        language=Language.OPENCL,
        frontend="builtin",
        optimisation=OptLevel.O1,
        build_options=("-D", "N=1"),
        kernels=(kernel(),),
        refused=(),
        warnings=(Diagnostic("K003", "made up", Span(FILE, 1, 1)),),
        remarks=("kernel.toml: -D N=1",),
        sources={FILE: LINES},
    )
