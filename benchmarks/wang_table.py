"""Table IV of Wang et al. (HPCA 2019) beside what `pipeline-hpca19` makes of the same kernels.

    python -m benchmarks.wang_table --sources FOLDER      (FOLDER holds a copy of gpu-rodinia)

The text's MAPE on each of its four cards, its trace length (IR instructions, the mean over its
configurations) and its milliseconds for a run are quoted. Ours are of one configuration each, the
default input of the benchmark: trace lengths of the instructions that the text's pruning leaves, in
kcc's order and by Algorithms 1 to 3 as printed, the blocks in which the two differ, kcc's machine
operations, and CPU milliseconds of an estimate for one card once the kernel is analysed. Nobody
measured these cards again, so there is no error of ours on them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from kcc.base.assumptions import parse_assumptions
from kcc.base.diagnostics import Span
from kcc.base.gpu.loading import load_gpu
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_argument, parse_dimensions
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel
from kcc.frontend.source_file import read_source
from kcc.sim.estimate.hpca19_reading import Latency, Reading
from kcc.sim.estimate.subject import Subject
from kcc.sim.flow.printed_trace import printed_trace
from kcc.sim.machine.costs import Generation
from kcc.sim.program.pruned import pruned_program
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Question, Workshop

GPUS = ("wang-k600", "wang-gtx645", "wang-k620", "wang-940m")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of table IV and the launch that stands for it."""

    benchmark: str
    kernel: str
    file: str
    name: str
    length: int
    errors: tuple[float, float, float, float]
    milliseconds: float
    whole: str
    part: str
    arguments: tuple[str, ...] = ()
    macros: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


_CFD = ("nelr=97046",)
_NW = ("cols=2049", "penalty=10", "blk=128", "block_width=128", "worksize=2048", "offset_r=0",
       "offset_c=0", "input_itemsets_l=int[289]", "reference_l=int[256]")  # fmt: skip
_CFD_FILE, _NW_FILE = "cfd/Kernels.cl", "nw/nw.cl"
_BACKPROP = "backprop/backprop_kernel.cl"
_TREE = "b+tree/kernel/kernel_gpu_opencl"

ROWS = (
    Row("backprop", "bpnn_adjust_weights", _BACKPROP, "bpnn_adjust_weights_ocl", 41,
        (24.24, 24.34, 22.16, 22.12), 23.03, "16,65536", "16,16", ("hid=16", "in=65536")),
    Row("backprop", "bpnn_layerforward", _BACKPROP, "bpnn_layerforward_ocl", 74,
        (19.38, 27.05, 21.14, 26.55), 40.08, "16,65536", "16,16",
        ("hid=16", "in=65536", "input_node=float[16]", "weight_matrix=float[256]")),
    Row("bfs", "BFS_1", "bfs/Kernels.cl", "BFS_1", 79, (11.55, 7.969, 10.16, 20.47), 60.09,
        "65536", "256", ("no_of_nodes=65536",), assumed=("loop@23=6",)),
    Row("bfs", "BFS_2", "bfs/Kernels.cl", "BFS_2", 7, (14.43, 20.24, 9.879, 11.73), 10.40,
        "65536", "256", ("no_of_nodes=65536",)),
    Row("b+tree", "findK", f"{_TREE}.cl", "findK", 100, (35.68, 31.12, 8.941, 12.86), 72.93,
        "256*10000", "256", ("height=4", "knodes_elem=7874"), ("DEFAULT_ORDER=256",)),
    Row("b+tree", "findRangeK", f"{_TREE}_2.cl", "findRangeK", 163, (40.63, 39.80, 13.42, 13.42),
        119.66, "256*6000", "256", ("height=4", "knodes_elem=7874"), ("DEFAULT_ORDER_2=256",)),
    Row("cfd", "compute_flux", _CFD_FILE, "compute_flux", 616, (15.32, 19.81, 9.077, 14.41),
        77.55, "roundup(97046,192)", "192", _CFD),
    Row("cfd", "compute_step_factor", _CFD_FILE, "compute_step_factor", 33,
        (12.83, 27.76, 43.04, 3.315), 14.01, "roundup(97046,192)", "192", _CFD),
    Row("cfd", "initialize_variables", _CFD_FILE, "initialize_variables", 18,
        (11.89, 9.149, 29.65, 7.902), 15.38, "roundup(97046,192)", "192", _CFD),
    Row("cfd", "memset", _CFD_FILE, "memset_kernel", 2, (8.085, 25.80, 6.803, 18.83), 7.081,
        "roundup(97046*5*4,192)", "192", ("val=0", "ct=97046*5*4")),
    Row("cfd", "time_step", _CFD_FILE, "time_step", 31, (5.191, 18.38, 18.04, 16.20), 23.78,
        "roundup(97046,192)", "192", (*_CFD, "j=0")),
    Row("hotspot", "hotspot", "hotspot/hotspot_kernel.cl", "hotspot", 22093,
        (15.36, 14.21, 4.325, 9.389), 4130.09, "16*43,16*43", "16,16",
        ("iteration=2", "grid_cols=512", "grid_rows=512", "border_cols=2", "border_rows=2"),
        ("BLOCK_SIZE=16",)),
    Row("kmeans", "kmeans_c", "kmeans/kmeans.cl", "kmeans_kernel_c", 2338,
        (12.95, 22.99, 19.06, 20.37), 824.60, "roundup(494020,256)", "256",
        ("npoints=494020", "nclusters=5", "nfeatures=34", "offset=0", "size=0")),
    Row("kmeans", "kmeans_swap", "kmeans/kmeans.cl", "kmeans_swap", 533,
        (10.23, 19.80, 15.76, 17.74), 219.67, "roundup(494020,256)", "256",
        ("npoints=494020", "nfeatures=34")),
    Row("lud", "lud_internal", "lud/lud_kernel.cl", "lud_internal", 108,
        (17.41, 23.18, 8.278, 34.18), 45.10, "16*15,16*15", "16,16",
        ("matrix_dim=256", "offset=0", "peri_row=float[256]", "peri_col=float[256]"),
        ("BLOCK_SIZE=16",)),
    Row("nn", "nearestNeighbor", "nn/nearestNeighbor_kernel.cl", "NearestNeighbor", 9,
        (10.89, 26.84, 7.090, 12.38), 6.030, "roundup(42764,64)", "64", ("numRecords=42764",)),
    Row("nw", "nw_kernel1", _NW_FILE, "nw_kernel1", 1431, (9.228, 21.88, 9.090, 25.86), 65.27,
        "16*64", "16", _NW, ("BLOCK_SIZE=16",)),
    Row("nw", "nw_kernel2", _NW_FILE, "nw_kernel2", 1431, (9.239, 24.69, 8.551, 24.87), 63.99,
        "16*64", "16", _NW, ("BLOCK_SIZE=16",)),
    Row("particlefilter", "particle_naive", "particlefilter/particle_naive.cl", "particle_kernel",
        52387, (19.59, 16.99, 13.82, 11.93), 11751.93, "roundup(10000,128)", "128",
        ("Nparticles=10000",), assumed=("loop@68=10000",)),
    Row("pathfinder", "dynproc", "pathfinder/kernels.cl", "dynproc_kernel", 1469,
        (3.716, 6.560, 14.33, 9.737), 1055.97, "250*463", "250",
        ("iteration=20", "cols=100000", "rows=100", "startStep=0", "border=20", "HALO=1",
         "prev=int[250]", "result=int[250]")),
)  # fmt: skip
"""Table IV; sizes are those of the benchmark's run scripts and inputs (pyramid heights of 2 and 20,
34 features, 97,046 elements)."""

HEAD = (
    "| kernel | text: error on the four cards | length | ms | ours: pruned | printed | apart "
    "| operations | ms | on K620: pipeline, as printed, inverse (us) |"
)
INVERSE = Reading(Latency.INVERSE)


def request(row: Row, folder: Path) -> AnalysisRequest:
    """What is asked about a row."""
    at = Span(row.file, 0)
    launch = LaunchRequest(parse_dimensions(row.whole, at), parse_dimensions(row.part, at))
    path = folder / "opencl" / row.file
    macros = tuple(MacroOption(*each.split("=")) for each in row.macros)
    return AnalysisRequest(
        source=read_source(str(path)),
        options=BuildOptions(
            macros=macros, include_dirs=(str(path.parent),), opt_level=OptLevel.O2
        ),
        kernels=(row.name,),
        other_launch=LaunchInputs(
            launch, {}, tuple(parse_argument(text, at) for text in row.arguments), "table IV"
        ),
        assumptions=parse_assumptions((text, at) for text in row.assumed),
    )


def lengths(subject: Subject) -> tuple[float, int, int, int, bool]:
    """Of a warp, the mean where they differ: pruned instructions in kcc's order, and by the
    algorithms; blocks that one order has and the other has not; kcc's operations; whether the walk
    reached the exit."""
    subject = subject.branches_hit()
    pruned, flow = pruned_program(subject.kernel, subject.facts), subject.flow
    search = printed_trace(subject.kernel, subject.facts, flow)
    printed = sum(len(pruned.blocks[block]) for block in search.blocks)
    own = Counter({n: round(e / flow.warps) for n, e in enumerate(flow.executions)})
    theirs = Counter(search.blocks)
    apart = sum((own - theirs).values()) + sum((theirs - own).values())
    ours = sum(len(pruned.blocks[n]) * e for n, e in enumerate(flow.executions)) / flow.warps
    program = subject.program(Generation.MAXWELL)
    operations = sum(len(program.blocks[n]) * e for n, e in enumerate(flow.executions))
    return ours, printed, apart, round(operations / flow.warps), search.complete


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    gpus = [load_gpu(name) for name in GPUS]
    print(HEAD)
    print("|---|---|---|---|---|---|---|---|---|---|")
    for row in ROWS:
        if arguments.only not in row.kernel:
            continue
        workshop = Workshop()
        (prepared,) = workshop.prepare(request(row, arguments.sources / "gpu-rodinia"))
        ours, printed, apart, operations, complete = lengths(prepared.subject)
        models = (Question(), Question("pipeline-hpca19"),
                  Question("pipeline-hpca19", reading=INVERSE))  # fmt: skip
        times = [workshop.estimate(prepared, gpus[2], q).estimate.time_us for q in models]
        began = time.process_time()
        for gpu in gpus:
            workshop.estimate(prepared, gpu, models[1])
        spent = 1e3 * (time.process_time() - began) / len(gpus)
        errors = ", ".join(f"{each:.4g}" for each in row.errors)
        mark = "" if complete else " (cut)"
        print(f"| `{row.kernel}` | {errors} % | {row.length:,} | {row.milliseconds:,.4g} | "
              f"{ours:,.0f} | {printed:,}{mark} | {apart:,} | {operations:,} | {spent:,.0f} | "
              f"{', '.join(f'{each:.4g}' for each in times)} |", flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
