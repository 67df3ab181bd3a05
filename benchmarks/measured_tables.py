"""The measured tables: of what GPU, kernel and launch each row is, and what its time is of.

The figures are public (kcc's users find them by their names); benchmarks/measured_programs.py says
what each row ran.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from benchmarks.measured_programs import (
    GV100,
    POLYBENCH,
    RODINIA,
    SIMPLE,
    STREAM_GPUS,
    STREAMS,
    Program,
    Row,
    columns_of,
    convolution,
    coulomb,
    gemm,
    opendwarfs,
    small_kernel,
    small_kernel_ms,
    stream,
    stream_ms,
    tuned,
    way_of,
)
from benchmarks.public_programs import (
    BOOK_CLOCKS,
    BOOK_GPUS,
    CONVOLUTION_GPUS,
    COURSE_GPUS,
    FLUID_GPUS,
    JACOBI_GPUS,
    KMEANS_GPUS,
    LEET_LAUNCH_MS,
    LLM_GPUS,
    NBODY_GPUS,
    PEAK_GPUS,
    PERFORMANCE_GPUS,
    RADIX_GPUS,
    RDNA3_GPUS,
    RTX_4060_TI,
    SPARSE_GPUS,
    STEPS_GPUS,
    TEA_GPUS,
    TRAINING_GPUS,
    WEATHER_GPUS,
    after_a_large_matrix,
    after_all_forces,
    book,
    clustering,
    convolution_hip,
    course,
    electric_nbody,
    fluid,
    fluid_ms,
    histogram,
    jacobi,
    laplacian,
    llm,
    model_kernel,
    peak,
    performance,
    product,
    profiled_3090,
    profiled_4060,
    quantised,
    radix,
    reduce_a100,
    rodinia,
    roofline,
    roofline_5070,
    roofline_ms,
    rtx4090_kernel,
    seismic,
    sgemm_a6000,
    sgemm_ms,
    sgemm_rx7900xtx,
    sparse,
    steps_h100,
    tea,
    training,
    weather,
)
from kcc.sim.machine.launch_overhead import LaunchWay
from kcc.validation.case import Gpu, Measures

DATA = "benchmarks/data"
"""The repository of kernels of our own."""


@dataclass(frozen=True, slots=True)
class Table:
    """A file of measured times. ``program`` gives a row's launches, or why it has no estimate.

    ``gpus`` are kcc's names by those of ``gpu_of``, a text of columns, and after a blank what
    is otherwise in them; ``clocks_mhz``, by the same
    or for all (""), at which SMs ran where the file tells. ``choice`` is the same for rows among
    which one would choose, empty where there is no choice. ``aside`` says why a row is listed apart
    and not counted.
    """

    file: str
    repository: str
    gpus: Mapping[str, str]
    program: Callable[[Row], Program | str]
    measures: Measures
    groups: tuple[Callable[[Row], str], ...] = ()
    choice: Callable[[Row], str] = lambda _: "all"
    include: tuple[str, ...] = ()
    measured_ms: Callable[[Row], float | None] = lambda row: float(row["time_ms"] or 0) or None
    in_cycles: bool = False
    """``measured_ms`` gives cycles at the boost clock."""
    gpu_of: Callable[[Row], str] = lambda row: row.get("gpu", "")
    clocks_mhz: Mapping[str, int] = field(default_factory=dict[str, int])
    clock_is_set: bool = False
    """Whether the profiler set that clock, so that it was not read off the rows."""
    boards_mhz: Mapping[str, int] = field(default_factory=dict[str, int])
    """The boost clocks that boards name for themselves, by ``gpu_of``."""
    counters: Mapping[str, str] = field(default_factory=dict[str, str])
    """From our counts to the file's columns."""
    warm: bool = False
    """The host has copied the data to the GPU, or launches follow each other on the same data: L2
    begins with what it has room for. Counters of Rodinia's backprop say that copies leave it there
    (25 to 1,700 sectors of 35,000 are read from DRAM where all fit)."""
    cold: Callable[[Row], bool] = lambda _: False
    """Rows of a warm table before each of whose launches another kernel of the program goes through
    more than L2 holds."""
    written: bool = False
    """L2 is emptied by writing as much as it holds before each launch."""
    launches: Callable[[Row], LaunchWay] = lambda _: LaunchWay.QUEUED
    aside: Callable[[Row], str] = lambda _: ""
    rows: Callable[[Iterable[Row]], list[Row]] = list
    """The rows of what the file has."""
    first_seen: str = ""
    """The commit whose estimates were made before any row of the table had been looked at."""

    @property
    def name(self) -> str:
        """The file's, without its ending."""
        return self.file.removesuffix(".csv")

    def gpu(self, row: Row) -> Gpu:
        """The GPU of a row, at the clock at which it ran where that is known."""
        own = self.gpu_of(row)
        clock = self.clocks_mhz.get(own, self.clocks_mhz.get(""))
        keys: dict[str, float] = {}
        if clock is not None:
            keys |= zip(CLOCKS, (clock, clock, 1), strict=True)
        elif board := self.boards_mhz.get(own):
            keys = {"core_clock_boost_mhz": board, "clock_over_boost": OVER_OWN_BOOST}
        name, *given = self.gpus[own].split()
        return Gpu(name, (*given, *(f"{key}={value}" for key, value in keys.items())))


CLOCKS = ("core_clock_base_mhz", "core_clock_boost_mhz", "clock_over_boost")
"""What a table's clock changes of a GPU."""

OVER_OWN_BOOST = 1.051
"""As `clock_over_boost` of GeForce boards, which is over NVIDIA's boost clock: the same nine boards
of clpeak over the clock that each names (1.044 to 1.178, and 0.943 and 1.007)."""

_COUNTERS = {
    "registers": "regs_per_thread",
    "warp_instructions": "warp_inst",
    "shared_load_wavefronts": "shmem_ld_wavefronts",
    "l2_read_sectors": "l2_sect_rd",
    "dram_read_sectors": "dram_sect_rd",
    "dram_write_sectors": "dram_sect_wr",
}
_A100, _W6600 = {"": "nvidia-a100-pcie-40gb"}, {"": "amd-radeon-pro-w6600"}
_FIRST, _PUBLIC = "dd43b7f", "e9183d94"
_MILO = tuned("convolution_milo.cu", "convolution_kernel")
_DEDISPERSION = tuned(  # nr_channels x nr_samples_per_channel, nr_dms x nr_samples, nr_channels
    "dedispersion.cu", "dedispersion_kernel", "loop_unroll_factor_channel",
    arguments=("input=uchar[1536*25650]", "output=float[2048*25000]", "shifts=float[1536]"),
)  # fmt: skip


def _gpu(row: Row) -> str:
    return row["gpu"]


def _kernel(row: Row) -> str:
    return row["kernel"]


def _shared_arrays(row: Row) -> str:
    """Where gemm reads A and B."""
    return f"SA={row['SA']} SB={row['SB']}"


def _sums(row: Row) -> str:
    """Of a work-item of a convolution."""
    x, y = (row.get(f"tile_size_{d}") or row[f"TILE_SIZE_{d.upper()}"] for d in "xy")
    sums = int(x) * int(y)
    return "1 to 5 sums" if sums < 6 else "6 to 13 sums" if sums < 14 else "14 sums and more"


def _magnitude(elements: int) -> str:
    return f"2^{2 * (elements.bit_length() // 2)} elements and more"


def _contradicted(row: Row) -> str:
    """Three later runs of the same programs agree within 5 %; of these two one gives all programs
    other times (0.1 to 4,000 times the later ones), the other gives one program twice its time."""
    return "a run that all later ones contradict" if row["run_dir"] in _CONTRADICTED else ""


_CONTRADICTED = ("2026-08-05T00-41Z", "2026-08-05T12-42Z")


def _small_or_no_kernel(row: Row) -> str:
    """The times are a host's, from enqueue to finish, so that those of short launches are its own;
    the file's invert_mapping is the part of the program in which buffers are made and filled."""
    if row["kernel"] == "invert_mapping":
        return "not a kernel's time"
    return "sizes at which the host's time decides" if row["size"] in ("tiny", "small") else ""


LAUNCH_IN_A_ROW_US = 10.0
"""Below, launches of llm.c on one RTX 3070 have its host's time: six sizes of thread blocks of a
kernel that does next to nothing take 6.7 to 8 us."""

LAUNCH_ON_A_5070_US = 18.0
"""Below, launches of GPU-Roofline-Profiler's host have its own times: sums of 4 MB (two launches)
take 11 to 13 us each, sums of 12 MB and transposes of 8 MB by tiles of 16 and of 32 16 to 18 us."""


def _by_the_host(row: Row) -> str:
    launches = row["grid"].count("|") + 1
    short = float(row["time_us"]) < LAUNCH_ON_A_5070_US * launches
    return "no longer than its launch by the host" if short else ""


WINDOWS_LAUNCH_US = 40.0
"""Below, rows of a host with Windows have its own times: 10,000, 100,000 and 500,000 columns of one
kernel take 12, 34 and 15 us there."""


SAME_THERE_US = (320.0, 410.0)
"""That repository's three runs have 910 times between 120 and 160 us, 83 between 200 and 320 and
629 between 320 and 410: launches of 160 us and more take 340 us in one run, 390 in the others."""


def _by_column(rows: Iterable[Row]) -> list[Row]:
    return [{**row, "column": column} for row in rows for column in STREAMS]


TABLES = (
    # CLBlast's and KTT's tuners, events around launches. The clock is one number for a table, at
    # which the GPU was: read off counters, or off what most rows take of the load/store port.
    Table("gemm4096_rtx3090.csv", "", {"RTX_3090": "rtx3090"}, gemm, Measures.LAUNCH,
          (_shared_arrays,), clocks_mhz={"": 1820}),
    Table("gemm4096_rtx2080ti.csv", "", {"RTX_2080_Ti": "rtx2080ti"}, gemm, Measures.LAUNCH,
          (_shared_arrays,), clocks_mhz={"": 1880}),
    Table("convolution_rtx3090.csv", "", {"RTX_3090": "rtx3090"}, convolution, Measures.LAUNCH,
          (_sums,)),
    Table("convolution_rtx2080ti_counters.csv", "", {"RTX_2080_Ti": "rtx2080ti"}, convolution,
          Measures.LAUNCH, (_sums,), clocks_mhz={"": 1790}, counters=_COUNTERS),
    Table("coulomb3d_rtx2080ti_counters.csv", "", {"RTX_2080_Ti": "rtx2080ti"}, coulomb,
          Measures.LAUNCH, clocks_mhz={"": 1350}, counters=_COUNTERS),
    # Kernel Tuner, events around launches.
    Table("convolution_milo_a100.csv", "", _A100, _MILO, Measures.LAUNCH, (_sums,),
          first_seen=_FIRST),
    Table("convolution_milo_w6600.csv", "", _W6600, _MILO, Measures.LAUNCH, (_sums,),
          first_seen=_FIRST),
    Table("dedispersion_a100.csv", "", _A100, _DEDISPERSION, Measures.LAUNCH, first_seen=_FIRST),
    Table("dedispersion_w6600.csv", "", _W6600, _DEDISPERSION, Measures.LAUNCH, first_seen=_FIRST),
    Table("hotspot_a100.csv", "", _A100,
          tuned("hotspot_milo.cu", "calculate_temp", "", "kernel_tuner=1", "block_size_z=1"),
          Measures.LAUNCH, (lambda row: f"sh_power={row['sh_power']}",), first_seen=_FIRST),
    # Suites. OpenDwarfs: a host's clock, from enqueue to finish.
    Table("opendwarfs_3gpus.csv", "OpenDwarfs",
          {"gtx1080": "gtx1080", "k20c": "k20", "polaris-rx480": "amd-radeon-rx-480"},
          opendwarfs, Measures.LAUNCH, (_gpu, lambda row: row["size"], _kernel),
          lambda row: f"{row['kernel']} {row['size']}",
          warm=True, launches=lambda _: LaunchWay.WAITED, aside=_small_or_no_kernel),
    # nvprof's durations and metrics. Clocks: medians of elapsed_cycles_sm, of all SMs, over
    # the times of backprop from 0.03 ms on (quartiles: 1,062 and 1,079 of 112 rows, 1,246 and 1,337
    # of 53). The K20's is its board's.
    Table("rodinia_backprop_lud_p100_gtx980_k20.csv", "gpu-rodinia",
          {"GTX-980": "gtx980", "Tesla-K20": "k20", "Tesla-P100": "p100"},
          lambda row: Program((RODINIA[row["kernel"]],), columns_of(row)), Measures.KERNEL,
          (_gpu, _kernel), lambda row: f"{row['kernel']} {row['input_size_1']}",
          include=("cuda/backprop", "cuda/lud/common"), warm=True,
          clocks_mhz={"GTX-980": 1069, "Tesla-P100": 1259},
          counters={"registers": "regs_per_thread",
                    "warp_instructions": "inst_executed",
                    "l2_read_sectors": "l2_read_transactions",
                    "l2_write_sectors": "l2_write_transactions",
                    "dram_read_sectors": "device_memory_read_transactions"}),
    Table("simple_kernels_k40.csv", "gpuperfpredict", {"Tesla K40c": "k40"},
          lambda row: Program((SIMPLE[row["app"]],), columns_of(row)), Measures.KERNEL,
          (lambda row: row["app"],),
          lambda row: f"{row['kernel']} {row['n']}" if row["kernel"].startswith("mat") else "",
          warm=True),
    # A host's timer around all launches of a program.
    Table("polybench_h100_sxm.csv", "PolyBench-ACC",
          {"NVIDIA H100 80GB HBM3": "nvidia-h100-sxm5-80gb"},
          lambda row: POLYBENCH[row["benchmark"]], Measures.LAUNCH,
          (lambda row: row["benchmark"],), lambda _: "", aside=_contradicted,
          include=("common",), warm=True, launches=lambda _: LaunchWay.WAITED),
    # A profiler's cycles of a launch, caches cold.
    Table("rodinia_parboil_sdk_gv100_counters.csv", "", {"GV100_80SM": "nvidia-quadro-gv100"},
          lambda row: GV100[row["kernel"]], Measures.KERNEL, (_kernel,), lambda _: "",
          include=("gpu-rodinia/cuda/backprop", "cuda-samples/Common"),
          measured_ms=lambda row: float(row["elapsed_cycles_avg_per_launch"]), in_cycles=True,
          counters={"l2_read_sectors": "L1_RM", "dram_read_sectors": "dram_sect_rd",
                    "dram_write_sectors": "dram_sect_wr"}),
    # Many launches in a row on the same data, timed as a whole or one by one.
    Table("microbench_small_kernels.csv", DATA,
          {"a100_80": "nvidia-a100-sxm4-80gb", "a40": "a40", "h200": "h200", "l40": "l40",
           "mi210": "amd-mi210", "rx6900xt": "amd-radeon-rx-6900-xt"},
          small_kernel, Measures.LAUNCH,
          (lambda row: row["gpu_variant"], lambda row: _magnitude(int(row["elements_f64"]))),
          lambda row: f"{way_of(row)} {row['elements_f64']}", measured_ms=small_kernel_ms,
          gpu_of=lambda row: row["gpu_variant"].removesuffix(way_of(row)), warm=True,
          launches=lambda row: (LaunchWay.GRAPH if way_of(row) == "_graph"
                                else LaunchWay.QUEUED),
          aside=lambda row: ("another kernel, of threads that stay"
                             if way_of(row) in ("_gsync", "_pt") else "")),
    Table("microbench_stream_occupancy.csv", DATA, STREAM_GPUS, stream, Measures.LAUNCH,
          (_gpu, lambda row: row["column"]), lambda _: "", measured_ms=stream_ms, rows=_by_column,
          warm=True),
    # Published beside their kernels by other projects (benchmarks/data); launches follow each
    # other on the same data.
    Table("fluidx3d_nvidia.csv", "", FLUID_GPUS, fluid, Measures.LAUNCH,
          (_gpu, lambda row: row["format"]), lambda _: "", measured_ms=fluid_ms, warm=True,
          first_seen=_PUBLIC),
    Table("fluidx3d_amd.csv", "", FLUID_GPUS, fluid, Measures.LAUNCH,
          (_gpu, lambda row: row["format"]), lambda _: "", measured_ms=fluid_ms, warm=True,
          first_seen=_PUBLIC),
    Table("sgemm_a6000.csv", "", {"": "a6000"}, sgemm_a6000, Measures.LAUNCH,
          measured_ms=sgemm_ms, warm=True, first_seen=_PUBLIC),
    Table("sgemm_rx7900xtx.csv", "", {"": "rx7900xtx"}, sgemm_rx7900xtx, Measures.LAUNCH,
          warm=True, first_seen=_PUBLIC),
    Table("reduce_a100.csv", "", _A100, reduce_a100, Measures.KERNEL, clocks_mhz={"": 765},
          clock_is_set=True,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen=_PUBLIC),
    Table("laplacian_mi250x.csv", "", {"": "amd-mi250x-gcd"}, laplacian, Measures.LAUNCH,
          warm=True, first_seen=_PUBLIC),
    Table("roofline_floats.csv", "",
          {"a100_sxm_40": "nvidia-a100-pcie-40gb", "a40": "a40", "l40": "l40", "h200": "h200"},
          roofline, Measures.LAUNCH, (_gpu,), lambda _: "", measured_ms=roofline_ms, warm=True,
          first_seen="6d6f8586"),
    Table("opencl_benchmark.csv", "", PEAK_GPUS, peak, Measures.LAUNCH,
          (_gpu, lambda row: row["kernel"]), lambda _: "", warm=True, first_seen="64307866"),
    # One launch, after L2 has been emptied.
    Table("pmpp_nvbench.csv", "", BOOK_GPUS, book, Measures.LAUNCH,
          (_gpu, lambda row: row["kernel"]), lambda _: "", boards_mhz=BOOK_CLOCKS, written=True,
          first_seen="c8407718"),
    # Launches from a loop of PyTorch, on the same data.
    Table("leetcuda_l20.csv", "", {"": "l20"}, model_kernel, Measures.LAUNCH,
          (lambda row: row["kernel"],), lambda _: "", warm=True,
          aside=lambda row: ("no longer than its launch by the host"
                             if float(row["time_ms"]) < LEET_LAUNCH_MS else ""),
          first_seen="6002ec1b"),
    # A host waits for each launch.
    Table("gpgpu_course.csv", "", COURSE_GPUS, course, Measures.LAUNCH,
          (_gpu, lambda row: row["kernel"]), lambda _: "",
          measured_ms=lambda row: float(row["time_us"]) * 1e-3,
          launches=lambda _: LaunchWay.WAITED, first_seen="18746969"),
    # rocprofv3's durations of kernels; a host's of four that take milliseconds.
    Table("hpc_training.csv", "", TRAINING_GPUS, training, Measures.KERNEL,
          (_gpu, lambda row: row["kernel"]), lambda _: "",
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="18746969"),
    # Events around launches in a queue; nvprof's and nsys's durations. All on the same data.
    Table("kernel_performance.csv", "", PERFORMANCE_GPUS, performance, Measures.LAUNCH,
          (_gpu, lambda row: row["kernel"]), lambda _: "", warm=True,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="cbc00191"),
    # The kernel that makes sums of rows goes through the matrix; that of differences of particles,
    # and the one behind it, through a matrix of N x N forces.
    Table("dense_jacobi.csv", "", JACOBI_GPUS, jacobi, Measures.KERNEL,
          (_gpu, lambda row: row["kernel"]), lambda _: "", warm=True, cold=after_a_large_matrix,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="cbc00191"),
    Table("electric_nbody.csv", "", NBODY_GPUS, electric_nbody, Measures.KERNEL,
          (_gpu, lambda row: row["kernel"]), lambda _: "", warm=True, cold=after_all_forces,
          include=("ElectricNBody/main/include", "ElectricNBody/include"),
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="cbc00191"),
    # Events around launches that are waited for; rocprof's durations.
    Table("seismic_stencils.csv", "", {"amd-mi250x-gcd": "amd-mi250x-gcd"}, seismic,
          Measures.LAUNCH, (_kernel,), lambda _: "", warm=True,
          launches=lambda _: LaunchWay.WAITED,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="6ee0eb4f"),
    Table("seismic_sizes.csv", "", {"amd-mi250x-gcd": "amd-mi250x-gcd"}, seismic,
          Measures.KERNEL, (_kernel,), lambda _: "", warm=True,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="6ee0eb4f"),
    # ncu's durations, which empties caches and sets clocks to the base clock.
    Table("profiled_rtx3090.csv", "", {"nvidia-geforce-rtx-3090": "nvidia-geforce-rtx-3090"},
          profiled_3090, Measures.KERNEL, (_kernel,), lambda _: "", clocks_mhz={"": 1390},
          clock_is_set=True,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="6ee0eb4f"),
    Table("profiled_rtx4060ti.csv", "", RTX_4060_TI, profiled_4060, Measures.KERNEL, (_kernel,),
          lambda _: "", clocks_mhz={"": 2310}, clock_is_set=True,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="6ee0eb4f"),
    # Events around launches in a queue, and around one.
    Table("rtx4090_kernels.csv", "", {"": "rtx4090"}, rtx4090_kernel, Measures.LAUNCH, (_kernel,),
          lambda _: "", warm=True,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="6ee0eb4f"),
    # Events around launches in a queue, or around each.
    Table("weather_rtx5070.csv", "", WEATHER_GPUS, weather, Measures.LAUNCH, (_kernel,),
          lambda _: "", warm=True,
          aside=lambda row: ("no longer than its launch by the host"
                             if float(row["time_us"]) < WINDOWS_LAUNCH_US else ""),
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="def99dd5"),
    Table("tealeaf_nvidia.csv", "", TEA_GPUS, tea, Measures.LAUNCH, (_gpu, _kernel),
          lambda _: "",
          aside=lambda row: ("two arguments are one array, which nothing can say"
                             if row["kernel"].endswith("2norm") else ""),
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="def99dd5"),
    Table("products_rdna3.csv", "", RDNA3_GPUS, product, Measures.LAUNCH, (_gpu, _kernel),
          lambda _: "", warm=True,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="def99dd5"),
    # Events around launches in a queue; around each, after L2 has been filled with other data.
    Table("llmc_in_a_row.csv", "", LLM_GPUS, llm, Measures.LAUNCH, (_gpu, _kernel), lambda _: "",
          warm=True,
          aside=lambda row: ("no longer than its launch by the host"
                             if float(row["time_us"]) < LAUNCH_IN_A_ROW_US else ""),
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="6159e6b1"),
    Table("llmc_one_by_one.csv", "", LLM_GPUS, llm, Measures.LAUNCH, (_gpu, _kernel),
          lambda _: "", written=True,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="6159e6b1"),
    # Events around each launch, on data just copied to the GPU.
    Table("sparse_rtx2080.csv", "", SPARSE_GPUS, sparse, Measures.LAUNCH, (_kernel,),
          lambda _: "", include=("matrix_format_performance/common",), warm=True,
          aside=lambda row: ("a time that all launches of 160 us and more have at least there"
                             if SAME_THERE_US[0] < float(row["time_us"]) < SAME_THERE_US[1]
                             else ""),
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="6159e6b1"),
    # A host waits for each launch.
    Table("gemv_rtx5090.csv", "", {"rtx5090": "rtx5090"}, quantised, Measures.LAUNCH, (_kernel,),
          lambda _: "", warm=True, launches=lambda _: LaunchWay.WAITED,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="6159e6b1"),
    # A profiler's time of all launches of a program, on data just copied to the GPU; those of
    # dynproc_kernel read a fifth of 40 MB each.
    Table("rodinia_v100.csv", "", {"v100": "v100"}, rodinia, Measures.KERNEL, (_kernel,),
          lambda _: "",
          include=("GPA-Benchmark/rodinia/common", "GPA-Benchmark/rodinia/heartwall/AVI"),
          warm=True, cold=lambda row: row["kernel"] == "dynproc_kernel",
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="bbe6ee8a"),
    # A host waits for one launch, on data just copied to the GPU.
    Table("kmeans.csv", "", KMEANS_GPUS, clustering, Measures.LAUNCH, (_gpu, _kernel),
          lambda _: "", include=tuple(f"cuda-kmeans/experimental/{part}/{part}/headers"
                                      for part in ("k-means", "bucketing-cuda")),
          warm=True, launches=lambda _: LaunchWay.WAITED,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="bbe6ee8a"),
    # Events around batches of launches in a queue.
    Table("roofline_rtx5070.csv", "", WEATHER_GPUS, roofline_5070, Measures.LAUNCH, (_kernel,),
          lambda _: "", include=("GPU-Roofline-Profiler/src/include",),
          boards_mhz={"rtx5070": 2625}, warm=True,
          aside=_by_the_host,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="80e2c707"),
    Table("steps_h100.csv", "", STEPS_GPUS, steps_h100, Measures.LAUNCH, (_kernel,), lambda _: "",
          warm=True,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="80e2c707"),
    # Events around one launch, or around all levels of a sum.
    Table("radix_rtx3060ti.csv", "", RADIX_GPUS, radix, Measures.LAUNCH, (_kernel,), lambda _: "",
          aside=lambda row: ("arrays of all the memory that the GPU has"
                             if "h=uint[1073741824]" in row["arguments"] else ""),
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="80e2c707"),
    # A host waits for each launch.
    Table("convolution_hip.csv", "", CONVOLUTION_GPUS, convolution_hip, Measures.LAUNCH,
          (_gpu, _kernel), lambda _: "", include=("conv-hip/include",), warm=True,
          launches=lambda _: LaunchWay.WAITED,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="80e2c707"),
    # One launch, after L2 has been emptied.
    Table("histogram_nvbench.csv", "", BOOK_GPUS, histogram, Measures.LAUNCH, (_gpu, _kernel),
          lambda _: "", boards_mhz=BOOK_CLOCKS, written=True,
          measured_ms=lambda row: float(row["time_us"]) * 1e-3, first_seen="80e2c707"),
)  # fmt: skip

NO_TIMES = {
    "microbench_latency.csv": "latencies of a pointer chase: values of GPU descriptions",
    "microbench_cache_bw.csv": "bandwidths of caches: values of GPU descriptions",
    "microbench_strides.csv": "cycles of an access: values of GPU descriptions",
    "opendwarfs_dynamic_counts.csv": "counts without times (benchmarks/opendwarfs_counts.py)",
}
"""Tables that have no kernel's time, and what they are."""
