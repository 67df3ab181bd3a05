"""What the rows of measured tables are: source, kernel, launch and arguments of each, as data.

Sizes and arguments are kcc's expressions over the row's columns and the program's own names. The
launches are those of the public host programs; where a host program calls a kernel in a loop whose
counter is an argument, ``over`` names it, and a sample of its values stands for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kcc.base.gpu.loading import load_gpu

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """Launches of one kernel. ``trips`` are loops whose count the source does not tell: a piece of
    the line's text, and the count; ``branches`` likewise shares of branches."""

    source: str
    kernel: str
    grid: str
    block: str
    arguments: tuple[str, ...] = ()
    macros: tuple[str, ...] = ()
    times: str = "1"
    over: tuple[str, str, str] | None = None
    """A name, its first value and the one after its last: one launch for each value."""
    trips: tuple[tuple[str, str], ...] = ()
    branches: tuple[tuple[str, str], ...] = ()
    waited: bool = True
    """Where the host's time is measured: it waits for each launch, not only for the last."""
    without: tuple[str, ...] = ()
    """Lines of the source that were not there when it was measured."""
    local_bytes: int | None = None
    """Shared memory of a thread block, where it is not what the source declares."""
    fast_math: bool = False
    """Compiled with ``-use_fast_math``."""


@dataclass(frozen=True, slots=True)
class Program:
    """What a row's time is made of, and the names that its expressions use."""

    steps: tuple[Step, ...]
    names: Mapping[str, int] = field(default_factory=dict[str, int])


# OpenDwarfs (OpenCL), sizes of opendwarf_application_parameters.py. A time is the mean of a run,
# so that of lud of all its launches, each of which has a row and a column of blocks less to do. (In
# its first launch lud_perimeter has 255 thread blocks, of which a K20c has room for 208: twice the
# time of one round, where 1.3 times is measured; and lud_internal would take more from its L2 than
# that can give.) Work-groups of csr are as large as a device allows where they divide the rows.

POINTS = {"tiny": 256, "small": 2048, "medium": 65600, "large": 131072}
MATRIX = {"tiny": 80, "small": 240, "medium": 1440, "large": 4096}
ROWS = {"tiny": 736, "small": 2416, "medium": 14336, "large": 16384}
IMAGE = {"tiny": (80, 16), "small": (128, 80), "medium": (1024, 336), "large": (2048, 1024)}
FEATURES, CLUSTERS = 30, 5
CSR_DENSITY = 0.005
MOST_WORK_ITEMS = {"gtx1080": 1024, "k20c": 1024, "polaris-rx480": 256}
"""CL_KERNEL_WORK_GROUP_SIZE: what NVIDIA's and AMD's drivers say of a small kernel."""

_KMEANS = "mapreduce/kmeans/kmeans_opencl_kernel.cl"
_LUD = "dense-linear-algebra/lud/lud_kernel.cl"
_SRAD = "structured-grids/srad/srad_kernel.cl"
_SPMV = "sparse-linear-algebra/SPMV/src/spmv_kernel.cl"

_LUD_ARGUMENTS = ("matrix_dim=n", "offset=16*step")
_LUD_LEFT = "n//16-1-step"
_LUD_MEAN: Mapping[str, Any] = {"over": ("step", "0", "n//16-1"), "times": "1/(n//16-1)",
                                "macros": ("BLOCK_SIZE=16",)}  # fmt: skip
_SRAD_ARGUMENTS = ("cols=columns", "rows=lines")

OPENDWARFS = {
    "invert_mapping": Step(_KMEANS, "invert_mapping", "n//16", "16",
                           ("npoints=n", f"nfeatures={FEATURES}")),
    "kmeansPoint": Step(_KMEANS, "kmeansPoint", "n//16", "16",
                        ("npoints=n", f"nfeatures={FEATURES}", f"nclusters={CLUSTERS}")),
    "lud_diagonal": Step(_LUD, "lud_diagonal", "1", "16", ("matrix_dim=n", "offset=0"),
                         ("BLOCK_SIZE=16",)),
    "lud_perimeter": Step(_LUD, "lud_perimeter", _LUD_LEFT, "32", _LUD_ARGUMENTS, **_LUD_MEAN),
    "lud_internal": Step(_LUD, "lud_internal", f"{_LUD_LEFT},{_LUD_LEFT}", "16,16",
                         _LUD_ARGUMENTS, **_LUD_MEAN),
    "srad_cuda_1": Step(_SRAD, "srad_cuda_1", "columns//16,lines//16", "16,16", _SRAD_ARGUMENTS),
    "srad_cuda_2": Step(_SRAD, "srad_cuda_2", "columns//16,lines//16", "16,16", _SRAD_ARGUMENTS),
    "csr": Step(_SPMV, "csr", "n//local", "local", ("num_rows=n",),
                trips=(("jj = row_start", f"max(1,floor(n*{CSR_DENSITY}))"),)),
}  # fmt: skip


def opendwarfs(row: Row) -> Program:
    """The launch of a row, by its size."""
    size = row["size"]
    sides = {"kmeans": POINTS, "lud": MATRIX, "csr": ROWS}
    names = dict[str, int]()
    if row["application"] == "srad":
        names["lines"], names["columns"] = IMAGE[size]
    else:
        n = names["n"] = sides[row["application"]][size]
        most = MOST_WORK_ITEMS[row["gpu"]]
        names["local"] = most if n % most == 0 else n & -n
    return Program((OPENDWARFS[row["kernel"]],), names)


# Rodinia (CUDA): backprop with 16 hidden units, lud_diagonal

_BACKPROP = "cuda/backprop/backprop_cuda_kernel.cu"
RODINIA = {
    name: Step(_BACKPROP, name, "grid_x,grid_y", "block_x,block_y", ("in=input_size_1", "hid=16"))
    for name in ("bpnn_layerforward_CUDA", "bpnn_adjust_weights_cuda")
} | {
    "lud_diagonal": Step("cuda/lud/cuda/lud_kernel.cu", "lud_diagonal", "grid_x", "block_x",
                         ("matrix_dim=input_size_1", "offset=0")),
}  # fmt: skip


# gpuperfpredict (CUDA), all with Tile_Width=16

_TILE = ("Tile_Width=16",)
_PLANE = ("grid_x,grid_y", "block_x,block_y")
SIMPLE = {
    "dotProd": Step("src/dotProd/dotProd.cu", "dotProd", "grid_x", "block_x", ("N=n",), _TILE),
    "vectorAdd": Step("src/vectorAdd/vectorAdd.cu", "vectorAdd", "grid_x", "block_x", ("N=n",),
                      _TILE),
} | {
    name: Step(f"src/matMul/{name}.cu", "matMul", *_PLANE, ("Width=n",), _TILE)
    for name in ("matMul_gpu_sharedmem", "matMul_gpu_sharedmem_uncoalesced",
                 "matMul_gpu_uncoalesced")
} | {
    name: Step(f"src/matSum/{name}.cu", "matSum", *_PLANE, ("N=n",), _TILE)
    for name in ("matrix_sum_coalesced", "matrix_sum_normal")
}  # fmt: skip


# PolyBench/GPU (CUDA), STANDARD_DATASET; thread blocks as in each header


def _tiles(x: str, y: str) -> tuple[str, str]:
    """Grid and thread block where a thread block of 32 x 8 covers each part of x by y."""
    return f"ceil({x}/32),ceil({y}/8)", "32,8"


def _line(n: str, block: str = "256") -> tuple[str, str]:
    return f"ceil(({n})/{block.partition(',')[0]})", block


def _poly(path: str, kernel: str, shape: tuple[str, str], arguments: str, **more: object) -> Step:
    found = tuple(arguments.split())
    return Step(f"CUDA/{path}.cu", kernel, *shape, found, **more)  # type: ignore[arg-type]


_MM2, _MM3 = "linear-algebra/kernels/2mm/2mm", "linear-algebra/kernels/3mm/3mm"
_ATAX, _BICG = "linear-algebra/kernels/atax/atax", "linear-algebra/kernels/bicg/bicg"
_MVT, _GEMVER = "linear-algebra/kernels/mvt/mvt", "linear-algebra/kernels/gemver/gemver"
_GESUMMV = "linear-algebra/kernels/gesummv/gesummv"
_GEMM, _SYRK = "linear-algebra/kernels/gemm/gemm", "linear-algebra/kernels/syrk/syrk"
_SYR2K, _DOITGEN = "linear-algebra/kernels/syr2k/syr2k", "linear-algebra/kernels/doitgen/doitgen"
_GRAMSCHMIDT = "linear-algebra/solvers/gramschmidt/gramschmidt"
_LU, _ADI = "linear-algebra/solvers/lu/lu", "stencils/adi/adi"
_CORRELATION = "datamining/correlation/correlation"
_COVARIANCE = "datamining/covariance/covariance"
_CONV2, _CONV3 = "stencils/convolution-2d/2DConvolution", "stencils/convolution-3d/3DConvolution"
_FDTD = "stencils/fdtd-2d/fdtd2d"
_JACOBI1, _JACOBI2 = "stencils/jacobi-1d-imper/jacobi1D", "stencils/jacobi-2d-imper/jacobi2D"

_SQUARE = _tiles("n", "n")
_N4 = "ni=n nj=n nk=n nl=n"
_N5 = _N4 + " nm=n"
_STEPS = "tsteps"

POLYBENCH: Mapping[str, Program] = {
    "2mm": Program((_poly(_MM2, "mm2_kernel1", _SQUARE, _N4),
                    _poly(_MM2, "mm2_kernel2", _SQUARE, _N4)), {"n": 1024}),
    "3mm": Program(tuple(_poly(_MM3, f"mm3_kernel{i}", _SQUARE, _N5) for i in (1, 2, 3)),
                   {"n": 512}),
    "atax": Program((_poly(_ATAX, "atax_kernel1", _line("n", "32,8"), "nx=n ny=n"),
                     _poly(_ATAX, "atax_kernel2", _line("n", "32,8"), "nx=n ny=n")), {"n": 4096}),
    "bicg": Program((_poly(_BICG, "bicg_kernel1", _line("n"), "nx=n ny=n"),
                     _poly(_BICG, "bicg_kernel2", _line("n"), "nx=n ny=n")), {"n": 4096}),
    "mvt": Program((_poly(_MVT, "mvt_kernel1", _line("n", "32,8"), "n=n"),
                    _poly(_MVT, "mvt_kernel2", _line("n", "32,8"), "n=n")), {"n": 4096}),
    "gemver": Program((_poly(_GEMVER, "gemver_kernel1", _SQUARE, "n=n"),
                       _poly(_GEMVER, "gemver_kernel2", _line("n"), "n=n"),
                       _poly(_GEMVER, "gemver_kernel3", _line("n"), "n=n")), {"n": 4096}),
    "gesummv": Program((_poly(_GESUMMV, "gesummv_kernel", _line("n"), "n=n"),), {"n": 4096}),
    "gemm": Program((_poly(_GEMM, "gemm_kernel", _SQUARE, "ni=n nj=n nk=n"),), {"n": 512}),
    "syrk": Program((_poly(_SYRK, "syrk_kernel", _SQUARE, "ni=n nj=n"),), {"n": 1024}),
    "syr2k": Program((_poly(_SYR2K, "syr2k_kernel", _SQUARE, "ni=n nj=n"),), {"n": 1024}),
    "doitgen": Program(tuple(
        _poly(_DOITGEN, f"doitgen_kernel{i}", _SQUARE, "nr=n nq=n np=n r=r", over=("r", "0", "n"))
        for i in (1, 2)), {"n": 128}),
    "gramschmidt": Program((
        _poly(_GRAMSCHMIDT, "gramschmidt_kernel1", ("1", "256"), "ni=n nj=n k=k",
              over=("k", "0", "n")),
        *(_poly(_GRAMSCHMIDT, f"gramschmidt_kernel{i}", _line("n"), "ni=n nj=n k=k",
                over=("k", "0", "n")) for i in (2, 3))), {"n": 2048}),
    # The last launches have no thread blocks at all, which CUDA refuses.
    "lu": Program((
        _poly(_LU, "lu_kernel1", _line("n-(k+1)"), "n=n k=k", over=("k", "0", "n-1")),
        _poly(_LU, "lu_kernel2", _tiles("(n-(k+1))", "(n-(k+1))"), "n=n k=k",
              over=("k", "0", "n-1"))), {"n": 2048}),
    "adi": Program((
        *(_poly(_ADI, f"adi_kernel{i}", _line("n"), "n=n") for i in (1, 2, 3, 5)),
        _poly(_ADI, "adi_kernel4", _line("n"), "n=n i1=i1", over=("i1", "1", "n")),
        _poly(_ADI, "adi_kernel6", _line("n"), "n=n i1=i1", over=("i1", "0", "n-2"))),
        {"n": 1024}),
    "correlation": Program((
        _poly(_CORRELATION, "mean_kernel", _line("n"), "m=n n=n"),
        _poly(_CORRELATION, "std_kernel", _line("n"), "m=n n=n"),
        _poly(_CORRELATION, "reduce_kernel", _SQUARE, "m=n n=n"),
        _poly(_CORRELATION, "corr_kernel", _line("n"), "m=n n=n")), {"n": 2048}),
    "covariance": Program((
        _poly(_COVARIANCE, "mean_kernel", _line("n"), "m=n n=n"),
        # Its grid is that of 32 x 32, more than thread blocks of 32 x 8 need.
        _poly(_COVARIANCE, "reduce_kernel", ("ceil(n/32),ceil(n/32)", "32,8"), "m=n n=n"),
        _poly(_COVARIANCE, "covar_kernel", _line("n"), "m=n n=n")), {"n": 2048}),
    "convolution-2d": Program((
        _poly(_CONV2, "convolution2D_kernel", _SQUARE, "ni=n nj=n"),), {"n": 4096}),
    "convolution-3d": Program((
        _poly(_CONV3, "convolution3D_kernel", _SQUARE, "ni=n nj=n nk=n i=i",
              over=("i", "1", "n-1"), waited=False),), {"n": 256}),
    "fdtd-2d": Program(tuple(
        _poly(_FDTD, f"fdtd_step{i}_kernel", _SQUARE, "nx=n ny=n t=t", over=("t", "0", _STEPS))
        for i in (1, 2, 3)), {"n": 2048, _STEPS: 500}),
    "jacobi-1d-imper": Program(tuple(
        _poly(_JACOBI1, f"runJacobiCUDA_kernel{i}", _line("n"), "n=n", times=_STEPS)
        for i in (1, 2)), {"n": 4096, _STEPS: 10000}),
    "jacobi-2d-imper": Program(tuple(
        _poly(_JACOBI2, f"runJacobiCUDA_kernel{i}", _SQUARE, "n=n", times=_STEPS)
        for i in (1, 2)), {"n": 1024, _STEPS: 20}),
}  # fmt: skip


# Seven kernels on a GV100, in cycles; sizes as the counters of DRAM say them

_HOTSPOT = "gpu-rodinia/cuda/hotspot/hotspot.cu"
_WALSH = "cuda-samples/Samples/5_Domain_Specific/fastWalshTransform/fastWalshTransform.cu"
_HISTOGRAM = "cuda-samples/Samples/2_Concepts_and_Techniques/histogram/histogram64.cu"
_SGEMM = "Parboil/benchmarks/sgemm/src/cuda/sgemm_kernel.cu"


def _in_rodinia(kernel: str) -> Step:
    step = RODINIA[kernel]
    return replace(step, source=f"gpu-rodinia/{step.source}")


GV100: Mapping[str, Program] = {
    "bpnn_layerforward_CUDA": Program((_in_rodinia("bpnn_layerforward_CUDA"),),
                                      {"input_size_1": 65536, "grid_x": 1, "grid_y": 4096,
                                       "block_x": 16, "block_y": 16}),
    "bpnn_adjust_weights_cuda": Program((_in_rodinia("bpnn_adjust_weights_cuda"),),
                                        {"input_size_1": 65536, "grid_x": 1, "grid_y": 4096,
                                         "block_x": 16, "block_y": 16}),
    # 1024 x 1024, two iterations in one launch: each thread block of 16 x 16 gives 12 x 12.
    "calculate_temp": Program((Step(
        _HOTSPOT, "calculate_temp", "ceil(n/12),ceil(n/12)", "16,16",
        ("iteration=2", "grid_cols=n", "grid_rows=n", "border_cols=2", "border_rows=2")),),
        {"n": 1024}),
    # A of 1024 x 992, B of 992 x 1056, column by column; 128 x 16 elements a thread block.
    "mysgemmNT": Program((Step(
        _SGEMM, "mysgemmNT", "m//128,n//16", "16,8",
        ("lda=m", "ldb=n", "ldc=m", "k=k")),), {"m": 1024, "n": 1056, "k": 992}),
    # The mean of the six launches for 2^23 elements.
    "fwtBatch2Kernel": Program(tuple(
        Step(_WALSH, "fwtBatch2Kernel", "8192", "256", (f"stride={1 << log2}",), times="1/6")
        for log2 in range(21, 10, -2))),
    "fwtBatch1Kernel": Program((Step(_WALSH, "fwtBatch1Kernel", "4096", "512", ("log2N=11",)),)),
    # 64 MiB; a thread block counts at most 64 x 240 bytes.
    "histogram64Kernel": Program((Step(_HISTOGRAM, "histogram64Kernel", "ceil(n/15360)", "64",
                                       ("dataCount=n//16",)),), {"n": 1 << 26}),
}  # fmt: skip


# scale of gpu-benches' small kernels: a[i] = b[i] / 4 in double precision, many launches in a row

SMALL_KERNEL = Step("scale.cl", "scale", "ceil(n/128)", "128", ("size=n",))


def small_kernel(row: Row) -> Program | str:
    """The launch of a row, with thread blocks of 128."""
    if way_of(row) in ("_gsync", "_pt"):
        return "one launch of threads that stay, another kernel"
    return Program((SMALL_KERNEL,), {"n": int(row["elements_f64"])})


def small_kernel_ms(row: Row) -> float | None:
    """Milliseconds of a launch, from GB/s. The columns are sizes of thread blocks: 16, 32, 64, 128
    and more; in the files of the A100 from 1 on (times halve until the sixth). The last line of a
    file may be cut off."""
    column = "GBps_col8" if row["gpu_variant"].startswith("a100") else "GBps_col4"
    speed = float(row[column] or 0)
    return int(row["elements_f64"]) * 16 / speed * 1e-6 if speed else None


def way_of(row: Row) -> str:
    """How kernels were launched: one by one, as a graph, or once with threads that stay and meet
    at a barrier of the grid."""
    name = row["gpu_variant"]
    return next((way for way in ("_graph", "_gsync", "_pt") if name.endswith(way)), "")


# Tuning tables: every column that is none of the launch or the outcome is a macro

OUTCOME = {"time_ms", "status", "grid_x", "grid_y", "block_x", "block_y"}
GEMM = ("kSizeM=4096", "kSizeN=4096", "kSizeK=4096", "arg_alpha=1.0", "arg_beta=0.0",
        "b_offset=0", "c_offset=0")  # fmt: skip


def _upper(row: Row) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in row.items() if name.isupper())


def gemm(row: Row) -> Program:
    """CLBlast's Xgemm. `volatile` stands only before its thread id, against a bug of old
    drivers."""
    macros = ("PRECISION=32", "volatile=", "__global__=__kernel", *_upper(row))
    return Program((Step("xgemm.cl", "Xgemm", "4096//MWG,4096//NWG", "MDIMC,NDIMC", GEMM, macros),),
                   columns_of(row))  # fmt: skip


def convolution(row: Row) -> Program:
    """KTT's convolution. The table has no launches of rows that failed."""
    grid = ",".join(
        f"ceil(IMAGE_{side}/(BLOCK_SIZE_{d}*TILE_SIZE_{d}))"
        for side, d in (("WIDTH", "X"), ("HEIGHT", "Y"))
    )
    macros = (*_upper(row), f"use_padding={row['PADDING']}")
    step = Step("KernelTunerConvolution.cu", "Convolution", grid, "BLOCK_SIZE_X,BLOCK_SIZE_Y",
                macros=macros)  # fmt: skip
    return Program((step,), columns_of(row))


def coulomb(row: Row) -> Program:
    """KTT's direct Coulomb sum, which its host compiles with ``-use_fast_math``."""
    grid, block = (row[name].replace(".", ",") for name in ("grid_blocks", "block"))
    arguments = ("numberOfAtoms=64", "gridSpacing=0.5", "gridSize=256")
    return Program((Step("CoulombSum3d.cu", "directCoulombSum", grid, block, arguments,
                         _upper(row), fast_math=True),))  # fmt: skip


def tuned(
    source: str, kernel: str, drop: str = "", *more: str, arguments: tuple[str, ...] = ()
) -> Callable[[Row], Program]:
    """A kernel of Kernel Tuner's. ``drop`` is a factor of unrolling that is 0 in all rows: the
    tuner takes the line of its pragma out. ``more`` are macros that it adds."""
    without = (f"#pragma unroll {drop}",) if drop else ()

    def program(row: Row) -> Program:
        own = (f"{k}={v}" for k, v in row.items() if k not in OUTCOME and k != drop)
        step = Step(source, kernel, "grid_x,grid_y", "block_x,block_y", arguments,
                    (*own, *more), without=without)  # fmt: skip
        return Program((step,), columns_of(row))

    return program


# gpu-stream of gpu-benches: two thread blocks on an SM, a work-item for each double

STREAM_ITEMS = (1 << 27) + 2
"""Work-items with something to do; the launch has one thread block more than they fill."""

STREAM_GPUS = {
    "v100": "v100", "a100_40": "nvidia-a100-pcie-40gb", "a100_80": "nvidia-a100-sxm4-80gb",
    "a40": "nvidia-a40", "l40": "nvidia-l40", "h100_pcie": "nvidia-h100-pcie-80gb", "h200": "h200",
    "mi100": "amd-mi100", "mi210": "amd-mi210", "RX6900XT": "amd-radeon-rx-6900-xt",
}  # fmt: skip
"""From what the file calls a GPU to what kcc calls it."""

STREAMS = {"init_GBps": 8, "read": 8, "scale": 16, "triad": 24, "stencil3": 16, "stencil5": 16}
"""Bytes of a work-item that the file counts, by column."""


def stream(row: Row) -> Program:
    """One kernel at one occupancy: a row is a column of a line of the file."""
    kernel = row["column"].removesuffix("_GBps")
    arguments = ("n=items", "never=0")
    shared = load_gpu(STREAM_GPUS[row["gpu"]]).shared_mem_per_sm_bytes
    assert shared is not None
    step = Step("streams.cu", f"stream_{kernel}", "items//block+1", "block", arguments,
                branches=(("if (never || x", "0"),) if kernel == "read" else (),
                local_bytes=int(shared.value) // 3 + 512)  # fmt: skip
    return Program((step,), {"items": STREAM_ITEMS, "block": int(row["block_size"])})


def stream_ms(row: Row) -> float | None:
    """Milliseconds of a launch, from GB/s."""
    speed = float(row[row["column"]] or 0)
    return STREAMS[row["column"]] * STREAM_ITEMS / speed * 1e-6 if speed else None


def columns_of(row: Row) -> dict[str, int]:
    """The columns that are whole numbers, as names of expressions."""
    return {name: int(value) for name, value in row.items() if value.isdecimal()}
