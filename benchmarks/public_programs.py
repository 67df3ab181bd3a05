"""What the rows of tables ran that other projects publish beside their kernels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from benchmarks.measured_programs import Program, Row, Step

# FluidX3D: its kernel stream_collide, which a macro of C++ makes a literal of. The cells of its
# benchmark are all fluid, and a step differs from the next by the parity of t.

CELLS = 256**3
FLUID = "FluidX3D/src/kernel.cpp"

_LATTICE = (
    "def_Nx=256u", "def_Ny=256u", "def_Nz=256u", f"def_N={CELLS}ul", "uxx=uint", "def_Dx=1u",
    "def_Dy=1u", "def_Dz=1u", "D3Q19=", "def_velocity_set=19u", "def_dimensions=3u", "SRT=",
    "def_w=0.2857142857f", "def_c=0.57735027f", "def_w0=(1.0f/3.0f)", "def_ws=(1.0f/18.0f)",
    "def_we=(1.0f/36.0f)", "TYPE_S=0x01", "TYPE_E=0x02", "TYPE_T=0x04", "TYPE_F=0x08",
    "TYPE_I=0x10", "TYPE_G=0x20", "TYPE_X=0x40", "TYPE_Y=0x80", "TYPE_MS=0x03", "TYPE_BO=0x03",
    "TYPE_SU=0x38", "cl_workgroup_size=64u", "def_transfers=5u",
)  # fmt: skip
_FORMATS = {
    "FP32": ("fpxx=float", "fpxx_copy=float", "load(p,o)=(p)[o]", "store(p,o,x)=(p)[o]=(x)"),
    "FP16S": ("fpxx=half", "fpxx_copy=ushort", "load(p,o)=(vload_half(o,p)*3.0517578E-5f)",
              "store(p,o,x)=vstore_half_rte((x)*32768.0f,o,p)"),
    "FP16C": ("fpxx=ushort", "fpxx_copy=ushort", "load(p,o)=half_to_float_custom((p)[o])",
              "store(p,o,x)=(p)[o]=float_to_half_custom(x)"),
}  # fmt: skip

FLUID_GPUS: Mapping[str, str] = {
    "B200 SXM6 180GB": "nvidia-b200", "H200 SXM5 141GB": "h200",
    "H100 SXM5 80GB HBM3": "nvidia-h100-sxm5-80gb", "H100 PCIe 80GB HBM2e": "nvidia-h100-pcie-80gb",
    "A100 SXM4 80GB": "nvidia-a100-sxm4-80gb", "A100 PCIe 40GB": "nvidia-a100-pcie-40gb",
    "Tesla V100 PCIe 16GB": "v100", "Quadro GV100": "nvidia-quadro-gv100", "Tesla K40m": "k40",
    "Tesla K20c": "k20", "GeForce RTX 5090": "rtx5090", "GeForce RTX 4090": "rtx4090",
    "L40": "l40", "L4": "l4", "GeForce RTX 3090": "rtx3090", "RTX A6000": "a6000",
    "GeForce RTX 3080 10GB": "rtx3080", "A40": "a40", "A10": "a10", "GeForce RTX 3070": "rtx3070",
    "RTX A4000": "a4000", "GeForce RTX 3060": "rtx3060", "Titan RTX": "nvidia-titan-rtx",
    "GeForce RTX 2080 Ti": "rtx2080ti", "Tesla T4": "t4", "GeForce GTX 1080 Ti": "gtx1080ti",
    "GeForce GTX 1080": "gtx1080", "GeForce GTX 980": "gtx980", "GeForce GTX 480": "gtx480",
    "Instinct MI300X": "amd-mi300x", "Instinct MI210": "amd-mi210", "Instinct MI100": "amd-mi100",
    "Radeon RX 7900 XTX": "rx7900xtx", "Radeon PRO W7800": "w7800",
    "Radeon RX 6900 XT": "amd-radeon-rx-6900-xt", "Radeon RX Vega 64": "amd-radeon-rx-vega-64",
    "Radeon RX 480 8GB": "amd-radeon-rx-480",
}  # fmt: skip


def fluid(row: Row) -> Program:
    """A step of the lattice, with the distributions in the row's format."""
    step = Step(FLUID, "stream_collide", "n//64", "64", ("t=t", "fx=0", "fy=0", "fz=0"),
                (*_LATTICE, *_FORMATS[row["format"]]), times="1/2", over=("t", "0", "2"),
                branches=(("if(flagsn_bo==TYPE_S||flagsn_su==TYPE_G) return;", "0"),))  # fmt: skip
    return Program((step,), {"n": CELLS})


def fluid_ms(row: Row) -> float:
    """Milliseconds of a step, from million cells a second."""
    return CELLS / float(row["mlups"]) * 1e-3


def unwrapped(text: str) -> str:
    """OpenCL C out of FluidX3D's kernel.cpp, where it stands in ``R(...)`` and, what a macro cannot
    take, in strings between."""
    inner = text[text.index("return R(") + len("return R(") : text.rindex(")")]
    inner = re.sub(r'\)\s*\+\s*"((?:[^"\\]|\\.)*)"\s*\+\s*R\(', r"\n\1\n", inner)
    return re.sub(r"\)\s*\+\s*R\(", "\n", inner)


# Products of 4096 x 4096 floats, by the steps of two tutorials: the launch and template arguments
# that the hosts give (src/runner.cu; each src/kernel*.cpp).

SIDE = 4096
_PLAIN = ("M=4096", "N=4096", "K=4096", "alpha=1.0", "beta=0.0")
_HIP = ("N=4096", "alpha=1.0", "beta=0.0")
_A6000 = {
    "sgemm_naive": ("1_naive", "", "128,128", "32,32"),
    "sgemm_global_mem_coalesce": ("2_kernel_global_mem_coalesce", "32", "128,128", "1024"),
    "sgemm_shared_mem_block": ("3_kernel_shared_mem_blocking", "32", "128,128", "1024"),
    "sgemm1DBlocktiling": ("4_kernel_1D_blocktiling", "64, 64, 8, 8", "64,64", "512"),
    "sgemm2DBlocktiling": ("5_kernel_2D_blocktiling", "128, 128, 8, 8, 8", "32,32", "256"),
    "sgemmVectorize": ("6_kernel_vectorize", "128, 128, 8, 8, 8", "32,32", "256"),
    "sgemmResolveBankConflicts": (
        "7_kernel_resolve_bank_conflicts", "128, 128, 8, 8, 8", "32,32", "256"),
    "sgemmResolveBankExtraCol": (
        "8_kernel_bank_extra_col", "128, 128, 8, 8, 8", "32,32", "256"),
    "sgemmAutotuned": ("9_kernel_autotuned", "128, 128, 16, 8, 8", "32,32", "256"),
    "sgemmWarptiling": (
        "10_kernel_warptiling", "128, 128, 16, 64, 64, 4, 8, 4, 128", "32,32", "128"),
    "sgemmDoubleBuffering": (
        "11_kernel_double_buffering", "128, 256, 16, 128, 32, 1, 8, 8, 256", "16,32", "256"),
}  # fmt: skip
_RX7900 = {
    "kernel1_naive": ("kernel1_naive", "", "256,256", "16,16", _PLAIN),
    "kernel2_lds": ("kernel2_lds", "", "128,128", "32,32", ("N=4096",)),
    "kernel3_registers": ("kernel3_registers", "", "32,32", "256", _HIP),
    "kernel4_gmem_db": ("kernel4_gmem_df", "1", "32,32", "256", _HIP),
    "kernel5_lds_optim": ("kernel5_lds_optim", "1", "32,32", "128", _HIP),
}  # fmt: skip


def sgemm_a6000(row: Row) -> Program:
    """A kernel of SGEMM_CUDA."""
    file, template, grid, block = _A6000[row["kernel"]]
    kernel = f"{row['kernel']}<{template}>" if template else row["kernel"]
    macros = ("WARPSIZE=32",) if file.startswith("11") else ()  # kernel 10's, which is included
    return Program(
        (Step(f"SGEMM_CUDA/src/kernels/{file}.cuh", kernel, grid, block, _PLAIN, macros),)
    )


def sgemm_ms(row: Row) -> float:
    """Milliseconds of a product, from GFLOP/s."""
    return 2 * SIDE**3 / float(row["gflops"]) * 1e-6


def sgemm_rx7900xtx(row: Row) -> Program:
    """A kernel of fp32_sgemm_amd that is written in HIP."""
    file, template, grid, block, arguments = _RX7900[row["kernel"]]
    kernel = f"{row['kernel']}<{template}>" if template else row["kernel"]
    return Program((Step(f"fp32_sgemm_amd/src/{file}.cpp", kernel, grid, block, arguments),))


# The Laplacian of AMD's lab notes, double precision, thread blocks of 256: a thread has ``m`` rows.


def laplacian(row: Row) -> Program:
    """A kernel of finite-difference/examples; its text says how many rows a thread has."""
    tile = int(row["tile"])
    source = f"amd-lab-notes/finite-difference/examples/{row['kernel_file']}"
    step = Step(source, "laplacian_kernel<double>", f"2,{512 // max(tile, 1)},512", "256,1,1",
                ("nx=512", "ny=512", "nz=512"), (f"m={tile}",) if tile else (),
                without=("#define m 8",))  # fmt: skip
    return Program((step,))


# Sums and products of a tutorial on an A100. The last sum has as many thread blocks as find room.

_N = "n=33554432"
_REDUCE = {
    "reduce_v3": ("n//512", ()), "reduce_v4": ("n//512", ()), "reduce_v5": ("n//512", ()),
    "reduce_v6": ("1024", ()), "reduce7": ("1024", (_N,)), "reduce_v8": ("108*2048//256", (_N,)),
}  # fmt: skip
_TEMPLATES = {"reduce_v5": "<256>", "reduce_v6": "<256, 128>", "reduce7": "<256, 128>"}


def reduce_a100(row: Row) -> Program:
    """A kernel of how-to-optim-algorithm-in-cuda."""
    name = row["kernel"]
    grid, arguments = _REDUCE.get(name, ("n//256", ()))
    step = Step(f"how-to-optim/cuda-kernels/{row['file']}", name + _TEMPLATES.get(name, ""), grid,
                "256", arguments)  # fmt: skip
    return Program((step,), {"n": 1 << 25})


# Floats with ever more arithmetic, of gpu-benches: as many thread blocks as run at once.


def roofline(row: Row) -> Program:
    """A kernel of gpu-roofline; each of its threads has 4,000 pairs of numbers."""
    step = Step("gpu-benches/gpu-roofline/main.cu", f"testfun<float, {row['n']}, 4000, 256>",
                row["blocks"], "256", macros=(f"PARN={row['n']}",))  # fmt: skip
    return Program((step,))


def roofline_ms(row: Row) -> float:
    """Milliseconds of a launch, from GB/s of what it reads."""
    return 2 * int(row["blocks"]) * 256 * 4000 * 4 / float(row["gbs"]) * 1e-6


# Peaks and bandwidths by OpenCL-Benchmark; its source is wrapped as FluidX3D's is.

PEAKS = "OpenCL-Benchmark"
WITH_HALF = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
"""What its host puts before it (src/opencl.hpp)."""

PEAK_GPUS: Mapping[str, str] = {
    "NVIDIA A100-PCIE-40GB": "nvidia-a100-pcie-40gb", "NVIDIA GeForce RTX 2080 Ti": "rtx2080ti",
    "Tesla K40m": "k40", "NVIDIA H100 80GB HBM3": "nvidia-h100-sxm5-80gb",
    "AMD Instinct MI210": "amd-mi210", "AMD Instinct MI300X": "amd-mi300x",
    "NVIDIA B200": "nvidia-b200",
}  # fmt: skip


def peak(row: Row) -> Program:
    """A kernel of OpenCL-Benchmark, of 16,777,216 work-items."""
    macros = ("def_N=16777216u", "def_M=16u")
    step = Step(f"{PEAKS}/{row['commit']}/kernel.cpp", row["kernel"], "262144", "64",
                macros=macros)  # fmt: skip
    return Program((step,))


# Kernels of a companion to the book Programming Massively Parallel Processors, timed by nvbench.

BOOK_CLOCKS: Mapping[str, int] = {
    "gtx1650": 1620, "rtx2060": 1680, "rtx3060": 1882, "rtx3060ti": 1695, "rtx3070ti": 1800,
    "rtx3080": 1725,
}  # fmt: skip
"""The "SM Default Clock Rate" that nvbench prints of each card, some above NVIDIA's own."""
BOOK_GPUS: Mapping[str, str] = {name: name for name in BOOK_CLOCKS}

MASKS = "PMPP/convolution_kernels.cuh"
OF_MASKS = "__constant__ float M[121];\n"
"""What convolution_bench.cu has before it includes the kernels."""

_LINE = ("mask_width=mask", "width=n")
_PLANE = ("mask_height=mask", "mask_width=mask", "height=n", "width=n", "channels=channels")
_SQUARES = ("mat1_rows=n", "mat1_cols=n", "mat2_rows=n", "mat2_cols=n")
_BOOK_FILES = {
    "array_add": ("array_add_kernels.cuh", ("m=n", "n=n"), "<float>"),
    "color": ("img_to_gray_kernels.cuh", ("width=n", "height=n"), ""),
    "convolution_1D": ("convolution_kernels.cuh", _LINE, ""),
    "convolution_2D": ("convolution_kernels.cuh", _PLANE, ""),
    "mat_mat": ("mat_mat_mul_kernels.cuh", _SQUARES, "<unsigned int>"),
    "mat_vec": ("mat_vec_mul_kernels.cuh", ("m=n", "n=n"), "<unsigned int>"),
}
_OF_A_LINE = ("convolution_1D", "mat_vec")


def book(row: Row) -> Program:
    """A kernel of the companion, as its *_bench.cu launches it."""
    kernel, n, side = row["kernel"], int(row["n"]), int(row["block"])
    mask, channels = int(row["mask"] or 0), int(row["channels"] or 0)
    (file, arguments, template), = (
        each for start, each in _BOOK_FILES.items() if kernel.startswith(start)
    )  # fmt: skip
    line = kernel.startswith(_OF_A_LINE)
    wide = tall = {"mat_mat_mul_rec_tiles": side // 2,  # half of what its thread blocks cover
                   "convolution_2D_tiled_kernel": side - mask + 1}.get(kernel, side)  # fmt: skip
    if kernel == "mat_mat_mul_rec_tiles":
        tall = side
    shared = {
        "convolution_1D_tiled_kernel": side + mask - 1, "convolution_1D_tiled_caching_kernel": side,
        "convolution_2D_tiled_kernel": side**2, "mat_mat_mul_tiles": 2 * side**2,
        "mat_mat_mul_rec_tiles": 3 * side**2, "mat_vec_mul_tiles": side,
    }.get(kernel)  # fmt: skip
    grid = f"{-(-n // wide)}" if line else f"{-(-n // wide)},{-(-n // tall)}"
    step = Step(f"PMPP/{file}", kernel + template, grid, f"{side}" if line else f"{side},{side}",
                arguments, local_bytes=None if shared is None else 4 * shared)  # fmt: skip
    return Program((step,), {"n": n, "mask": mask, "channels": channels})


# Tables whose rows say themselves what was launched.

COURSE_GPUS: Mapping[str, str] = {
    **{name: name for name in ("nvidia-tesla-t4", "nvidia-geforce-gtx-1650",
       "nvidia-geforce-rtx-2060", "amd-radeon-rx-6900-xt", "amd-radeon-rx-7900-xtx")},
    "rtx3080ti": "rtx3090 sm_count=80 memory_bandwidth_gbs=912 core_clock_boost_mhz=1665",
}  # fmt: skip
"""An RTX 3080 Ti by NVIDIA's page of the family."""
TRAINING_GPUS: Mapping[str, str] = {
    "amd-mi250x-gcd": "amd-mi250x-gcd",
    "mi300a": "amd-mi300x sm_count=228 l2.size_bytes=25165824 l2.bytes_per_cycle=5509 l2.dies=6"
    " extra.l3_bandwidth_gbs=4349 dram.sustained_share=0.586 dram.mixed_share=0.728",
}
"""An MI300A has six of an MI300X's eight dies, so that many CUs, that much of its L2, and of what
dies take from the memory-side cache. What its DRAM sustains is BabelStream's: Dot 3,105 and Copy
3,859 of 5,300 GB/s (the output quoted in benchscripts/unofficial/run_BabelStream.sh of
amd/HPCTrainingExamples at aaaa72d4)."""


PERFORMANCE_GPUS: Mapping[str, str] = {
    "nvidia-geforce-rtx-2080-ti": "nvidia-geforce-rtx-2080-ti",
    "rtx4070": "nvidia-geforce-rtx-4090 sm_count=46 core_clock_base_mhz=1920"
    " core_clock_boost_mhz=2475 memory_clock_mhz=1313 memory_bandwidth_gbs=504.2"
    " memory_bus_bits=192 dram_size_gib=12 l2.size_bytes=37748736 dram.channels=12",
    "titanv": "nvidia-tesla-v100-pcie-16gb sm_count=80 core_clock_base_mhz=1200"
    " core_clock_boost_mhz=1455 memory_clock_mhz=850 memory_bandwidth_gbs=652.8"
    " memory_bus_bits=3072 dram_size_gib=12 l2.size_bytes=4718592 l2.slices=48"
    " l2.bytes_per_cycle=1326 dram.channels=24",
    "titanx": "nvidia-geforce-gtx-980 sm_count=24 core_clock_base_mhz=1000"
    " core_clock_boost_mhz=1089 memory_bandwidth_gbs=336.5 memory_bus_bits=384"
    " dram_size_gib=12 l2.size_bytes=3145728 dram.channels=6",
}
"""By NVIDIA's data sheets, as far as siblings differ."""
JACOBI_GPUS: Mapping[str, str] = {
    "nvidia-tesla-p100-sxm2": "nvidia-tesla-p100-sxm2",
    "titanxp": "nvidia-geforce-gtx-1080-ti sm_count=30 core_clock_base_mhz=1405"
    " core_clock_boost_mhz=1582 memory_bandwidth_gbs=547.7 memory_bus_bits=384 dram_size_gib=12"
    " l2.size_bytes=3145728 dram.channels=12",
}
NBODY_GPUS: Mapping[str, str] = {"nvidia-geforce-rtx-3060": "nvidia-geforce-rtx-3060"}
RTX_4060_TI: Mapping[str, str] = {
    "rtx4060ti": "nvidia-geforce-rtx-4090 sm_count=34 core_clock_base_mhz=2310"
    " core_clock_boost_mhz=2535 memory_clock_mhz=1125 memory_bandwidth_gbs=288 memory_bus_bits=128"
    " dram_size_gib=8 l2.size_bytes=33554432 dram.channels=8",
}


WEATHER_GPUS: Mapping[str, str] = {
    "rtx5070": "rtx5090 sm_count=48 core_clock_base_mhz=2325 core_clock_boost_mhz=2512"
    " memory_bandwidth_gbs=672 memory_bus_bits=192 dram_size_gib=12 l2.size_bytes=50331648",
}
TEA_GPUS: Mapping[str, str] = {
    "2080ti": "rtx2080ti", "k20m": "k20",
    "p100-pcie": "p100 core_clock_base_mhz=1126 core_clock_boost_mhz=1303",
    "v100-sxm2": "v100 core_clock_base_mhz=1290 core_clock_boost_mhz=1530",
}  # fmt: skip
_TU104 = (
    "rtx2080ti memory_bandwidth_gbs=448 memory_bus_bits=256 dram_size_gib=8 l2.size_bytes=4194304"
    " l2.slices=32 dram.channels=16"
)
LLM_GPUS: Mapping[str, str] = {
    **{name: name for name in ("rtx3070", "rtx3090", "rtx2080ti", "nvidia-a100-sxm4-80gb",
                               "nvidia-h100-pcie-80gb")},
    "rtx3070laptop": "rtx3070 sm_count=40 core_clock_base_mhz=1110 core_clock_boost_mhz=1560",
    "rtx2070super": f"{_TU104} sm_count=40 core_clock_base_mhz=1605 core_clock_boost_mhz=1770",
}  # fmt: skip
SPARSE_GPUS: Mapping[str, str] = {
    "rtx2080": f"{_TU104} sm_count=46 core_clock_base_mhz=1515 core_clock_boost_mhz=1710",
}
STEPS_GPUS: Mapping[str, str] = {"h100": "nvidia-h100-sxm5-80gb"}
RADIX_GPUS: Mapping[str, str] = {"rtx3060ti": "rtx3060ti"}
KMEANS_GPUS: Mapping[str, str] = {"gtx980": "gtx980", "v100-sxm2": TEA_GPUS["v100-sxm2"]}
RDNA3_GPUS: Mapping[str, str] = {
    "rx7900gre": "rx7900xtx sm_count=80 core_clock_base_mhz=1270 core_clock_boost_mhz=2245"
    " memory_clock_mhz=2250 memory_bandwidth_gbs=576 memory_bus_bits=256 dram_size_gib=16"
    " dram.channels=16 extra.l3_bytes=67108864 extra.l3_bandwidth_gbs=1570",
    "rx7600xt": "rx7900xtx sm_count=32 core_clock_base_mhz=1720 core_clock_boost_mhz=2755"
    " memory_clock_mhz=2250 memory_bandwidth_gbs=288 memory_bus_bits=128 dram_size_gib=16"
    " registers_per_sm=65536 reg_alloc_unit=512 l2.size_bytes=2097152 dram.channels=8"
    " extra.l3_bytes=33554432 extra.l3_bandwidth_gbs=785",
}
CONVOLUTION_GPUS: Mapping[str, str] = {
    "rx7900gre": RDNA3_GPUS["rx7900gre"],
    "rtx4060laptop": "rtx4090 sm_count=24 core_clock_base_mhz=1545 core_clock_boost_mhz=2370"
    " memory_clock_mhz=1000 memory_bandwidth_gbs=256 memory_bus_bits=128 dram_size_gib=8"
    " l2.size_bytes=33554432 dram.channels=8",
}
"""By the vendors' data sheets, as far as siblings differ; a channel of the Infinity Cache as the
RX 7900 XTX's, and registers of Navi 33 as LLVM has them of gfx1102 (1,024 for a SIMD)."""


def listed(folder: str, row: Row) -> Program:
    """The launch that a row describes, of a file in a folder of the sources."""
    given = [each.partition("=") for each in (row.get("trips") or "").split(";") if each]
    trips = tuple((line, count) for line, _, count in given)
    shared = row.get("shared_bytes")
    step = Step(f"{folder}/{row['file']}", row["kernel"], row["grid"], row["block"],
                tuple(filter(None, row["arguments"].split(";"))), tuple(row["defines"].split()),
                trips=trips, local_bytes=int(shared) if shared else None)  # fmt: skip
    return Program((step,))


def course(row: Row) -> Program:
    """A kernel of the course on GPGPU."""
    return listed("GPGPUCourse", row)


def training(row: Row) -> Program:
    """A kernel of AMD's examples for training."""
    return listed("HPCTrainingExamples", row)


def performance(row: Row) -> Program:
    """A kernel of Kernel_Performance_Prediction."""
    return listed("KernelPerfPrediction", row)


def jacobi(row: Row) -> Program:
    """A kernel of a dense Jacobi iteration."""
    return listed("ece695-accelArch", row)


def after_a_large_matrix(row: Row) -> bool:
    """Whether an update follows products of a matrix larger than L2 (4 MB of a P100, 3 of a Titan
    Xp)."""
    matrix = 4 * int(row["arguments"].partition("input_size=")[2].partition(";")[0]) ** 2
    return row["kernel"] == "jacobi_xnext" and matrix >= 4 << 20


def electric_nbody(row: Row) -> Program:
    """A kernel of an n-body simulation."""
    return listed("ElectricNBody", row)


def after_all_forces(row: Row) -> bool:
    """Whether an update follows two kernels that write and read the forces of all pairs, 12 MB and
    more, as on the main branch."""
    return row["kernel"] == "update_particle_states" and row["file"].startswith("main/")


def seismic(row: Row) -> Program:
    """A stencil in one direction, or in all, of seismic waves."""
    return listed("SeismicStencils", row)


def profiled_3090(row: Row) -> Program:
    """A kernel of cuda-benchmarking."""
    return listed("cuda-benchmarking", row)


def profiled_4060(row: Row) -> Program:
    """A transposition or a sum of a page of CUDA operators."""
    return listed("cuda-ops", row)


def weather(row: Row) -> Program:
    """A kernel of a model of weather, oceans or rivers."""
    return listed("WeatherKernels", row)


def tea(row: Row) -> Program:
    """A kernel of TeaLeaf."""
    return listed("TeaLeaf", row)


def product(row: Row) -> Program:
    """A product of matrices in HIP; the row's file names its folder."""
    return listed(".", row)


def llm(row: Row) -> Program:
    """A kernel of llm.c, which is compiled with --use_fast_math."""
    program = listed("llm.c", row)
    return replace(program, steps=(replace(program.steps[0], fast_math=True),))


def sparse(row: Row) -> Program:
    """A product of a sparse matrix and a vector."""
    return listed("matrix_format_performance", row)


def quantised(row: Row) -> Program:
    """A product of a quantised matrix and a vector by PyGPUkit."""
    return listed("PyGPUkit/native/ops/matmul/gemv", row)


def rodinia(row: Row) -> Program:
    """A kernel of Rodinia, as it was or as it was improved; the mean of its launches."""
    program = listed("GPA-Benchmark", row)
    over = row["over"].split()
    shares = (each.rpartition("=") for each in row["branches"].split(";") if each)
    step = replace(
        program.steps[0], times=row["times"], fast_math=bool(row["fast_math"]),
        over=(over[0], over[1], over[2]) if over else None,
        branches=tuple((line, share) for line, _, share in shares),
    )  # fmt: skip
    return replace(program, steps=(step,))


def in_turn(folder: str, row: Row, *, fast_math: bool = False) -> Program:
    """The launches of a row, whose cells have "|" between what differs."""
    count = max(cell.count("|") for cell in row.values()) + 1
    steps = list[Step]()
    for number in range(count):
        own = {key: cell.split("|")[number] if "|" in cell else cell for key, cell in row.items()}
        steps += listed(folder, own).steps
    return Program(tuple(replace(step, fast_math=fast_math) for step in steps))


def roofline_5070(row: Row) -> Program:
    """A kernel of GPU-Roofline-Profiler."""
    return in_turn("GPU-Roofline-Profiler", row)


def steps_h100(row: Row) -> Program:
    """A scan, a sum or a norm of simveit."""
    return in_turn(".", row, fast_math=True)


def radix(row: Row) -> Program:
    """Prefix sums or a histogram of LSDRadixSort."""
    return in_turn("LSDRadixSort", row)


def convolution_hip(row: Row) -> Program:
    """A convolution of conv-hip."""
    return listed("conv-hip", row)


def histogram(row: Row) -> Program:
    """A histogram of the book's companion."""
    return listed("PMPP", row)


_ALL_OTHERS = tuple(
    f"template void instantiateKernelRunnerTemplatesHelper{number}<{type_}>();"
    for number in (2, 3) for type_ in ("float", "double")
)  # fmt: skip


def clustering(row: Row) -> Program:
    """A step of k-means, without hundreds of instances of other kernels."""
    program = listed("cuda-kmeans/experimental", row)
    return replace(program, steps=(replace(program.steps[0], without=_ALL_OTHERS),))


def rtx4090_kernel(row: Row) -> Program:
    """A product of matrices or a softmax, by SGEMM_CUDA or Fast-CUDA-Kernels."""
    if row["file"] == "SGEMM_CUDA":
        return sgemm_a6000(row)
    return listed("Fast-CUDA-Kernels", {**row, "defines": ""})


# Kernels of models as LeetCUDA has them (kernels/*/*.cu), on an L20; launches as their bindings to
# PyTorch choose them.

_ELEMENTS = {"elementwise": "elementwise_add"}
"""Of kernels of one element or pack a thread, those that are called otherwise than their folder."""
_SOFTMAX = {
    "f32(per)": "softmax_f32_per_token", "f32x4(per)": "softmax_f32x4_per_token",
    "f32(safe)": "safe_softmax_f32_per_token", "f32x4(safe)": "safe_softmax_f32x4_per_token",
    "f32(safe+online)": "online_safe_softmax_f32_per_token",
    "f32x4(safe+online)": "online_safe_softmax_f32x4_pack_per_token",
    "f16f32(safe)": "safe_softmax_f16_f32_per_token",
    "f16x2f32(safe)": "safe_softmax_f16x2_f32_per_token",
    "f16x8packf32(safe)": "safe_softmax_f16x8_pack_f32_per_token",
}  # fmt: skip
_PRODUCTS = {
    "f32x4(t8x8sk)": "sgemm_t_8x8_sliced_k_f32x4",
    "f32x4(t8x8bcf)": "sgemm_t_8x8_sliced_k_f32x4_bcf",
    "f32x4(t8x8dbuf)": "sgemm_t_8x8_sliced_k_f32x4_bcf_dbuf",
}
_LEET = "LeetCUDA/kernels"


def model_kernel(row: Row) -> Program | str:
    """A kernel of LeetCUDA."""
    group, variant = row["kernel"], row["variant"]
    rows, columns, inner = (int(row[key] or 0) for key in ("rows", "columns", "inner"))
    if group == "sgemm":
        return _product(variant, rows, columns, inner)
    lanes = int((re.search(r"x(\d)", variant) or [0, 1])[1])
    named = re.sub(r"(x8)(pack)", r"\1_\2", variant)
    file = f"{_LEET}/{group}/{group.replace('-', '_')}.cu"
    if group == "softmax":
        step = Step(file, f"{_SOFTMAX[variant]}_kernel<{columns // lanes}>", f"{rows}",
                    f"{columns // lanes}", (f"N={rows * columns}",))  # fmt: skip
    elif group in ("layer-norm", "rms-norm"):
        into = re.sub(r"(f16(?:x\d(?:_pack)?)?)(f\d+)$", r"\1_\2", named)
        arguments = ("g=1.0", f"N={rows}", f"K={columns}", *(("b=0.0",) * (group == "layer-norm")))
        step = Step(file, f"{group.replace('-', '_')}_{into}_kernel<{columns // lanes}>", f"{rows}",
                    f"{columns // lanes}", arguments)  # fmt: skip
    else:
        whole = columns // lanes <= 1024
        step = Step(file, f"{_ELEMENTS.get(group, group)}_{named}_kernel",
                    f"{rows}" if whole else f"{rows * columns // 256}",
                    f"{columns // lanes}" if whole else f"{256 // lanes}",
                    (f"N={rows * columns}",))  # fmt: skip
    return Program((replace(step, fast_math=True),))


LEET_LAUNCH_MS = 0.006
"""Below, a row has the time in which PyTorch launches one kernel: 3.6 to 4.1 us in these tables."""


def _product(variant: str, rows: int, columns: int, inner: int) -> Program | str:
    """A product of matrices of floats, on CUDA cores or, of TF32, on tensor cores."""
    sizes = (f"M={rows}", f"N={columns}", f"K={inner}")
    grid = f"{columns // 128},{rows // 128}"
    if variant in _PRODUCTS:
        padded = ", 0" * (variant != "f32x4(t8x8sk)")
        kernel = f"{_PRODUCTS[variant]}_kernel<128, 128, 8, 8, 8{padded}>"
        step = Step(f"{_LEET}/sgemm/sgemm.cu", kernel, grid, "16,16", sizes, fast_math=True)
        return Program((step,))
    if "dsmem" in variant or "swizzle" in variant:
        return "shared memory from the host, or thread blocks in another order"
    file = f"{_LEET}/sgemm/sgemm_wmma_tf32_stage.cu"
    stages = variant[-2]
    rounded = tuple(
        Step(file, "f32x4_tf32x4_kernel", f"{size // 1024}", "256", (f"N={size}",), fast_math=True)
        for size in (rows * inner, inner * columns)
    )
    kernel = "sgemm_wmma_m16n16k8_mma4x2_warp2x4_stages_kernel"
    template = f"<16, 16, 8, 4, 2, 2, 4, 0, 0, {stages}, false>"
    return Program((*rounded, Step(file, kernel + template, grid, "256", sizes, fast_math=True)))
