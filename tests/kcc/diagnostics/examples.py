"""An example for each code that a source alone does not give: files, and commands that end in it.

Codes of preprocessor, parser and semantic pass have theirs in tests/frontend:
test_diagnostic_places.py and sema/test_errors.py. docs/reference/diagnostics.md shows all.
"""

from __future__ import annotations

from dataclasses import dataclass, field

KERNEL = """\
__kernel void k(__global float *a, int n)
{
    int i = get_global_id(0);
    if (i < n) a[i] = 2.0f * a[i];
}
"""
"""k.cl, where an example does not have one of its own."""

SCRIPT = """\
from pathlib import Path

import numpy as np
import pyopencl as cl

context = cl.create_some_context()
queue = cl.CommandQueue(context)
program = cl.Program(context, Path("k.cl").read_text()).build()
a = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
cl.enqueue_copy(queue, a, np.zeros(64, np.float32))
program.k(queue, (64,), (32,), a, np.int32(64))
"""
"""run.py: launches k.cl's kernel."""

LOOP_OF_A_LANE = """\
__kernel void k(__global float *a, int n)
{
    int i = get_global_id(0);
    if (i % 32 == 0)
        for (int j = 0; j < n; ++j) a[i] += 2.0f * j;
    a[i] += 1.0f;
}
"""
"""What a miniature at the largest reduction has less of."""

LAUNCH = "--global 64 --local 32"
ESTIMATE = f"kcc estimate k.cl --gpu v100 {LAUNCH} --arg n=64 --arg a=float[64]"
TRACE = "kcc trace run.py -o t.kct"


@dataclass(frozen=True, slots=True)
class Example:
    """``commands`` are run one after another in a folder with k.cl, run.py and ``files``; what the
    last one says has the code. Others than kcc's are a shell's."""

    commands: str
    files: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Circumstance:
    """What is not in files and commands: ``when`` says it, ``test`` makes it so."""

    when: str
    test: str


def kernel(text: str, commands: str = "kcc run run.py") -> Example:
    """Commands with a k.cl of its own."""
    return Example(commands, {"k.cl": text})


def body(text: str, commands: str = "kcc run run.py") -> Example:
    """Commands with a k.cl whose kernel does this."""
    head = "__kernel void k(__global float *a, int n)\n{\n    int i = get_global_id(0);\n"
    return kernel(f"{head}    {text}\n}}\n", commands)


def cuda(text: str, *options: str) -> Example:
    """A CUDA source beside a kernel that is fine."""
    return Example(" ".join(["kcc analyze k.cu --brief", *options]), {"k.cu": text})


def gpu(line: str) -> Example:
    return Example("kcc gpus check my.yaml", {"my.yaml": f"inherits: v100\n{line}\n"})


LL = "define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {\n  ret void\n}\n"


def llvm(line: str) -> Example:
    return Example("kcc analyze k.ll", {"k.ll": LL.replace("  ret", f"  {line}\n  ret")})


PTX = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b32 %r<3>;
    LINE
    ret;
}
"""


def ptx(line: str) -> Example:
    return Example("kcc analyze k.ptx", {"k.ptx": PTX.replace("LINE", line)})


EXAMPLES: dict[str, Example | Circumstance] = {
    "K001": Example("kcc analyze missing.cl"),
    "K002": Example(r"printf 'int caf\351;' > k.cl && kcc analyze k.cl"),
    "K003": Example("kcc analyze k.cl", {"k.cl": "float f(float x) { return x; }\n"}),
    "K004": Example("head -c 70000000 /dev/zero > big.cl && kcc analyze big.cl"),
    "K005": Example("kcc analyze k.cl --kernel kk"),
    "K006": Circumstance(
        "brackets nested too deeply",
        "tests/frontend/test_hostile_input.py::test_too_deep_is_an_error",
    ),
    "K007": Circumstance("memory runs out in a stage", "tests/kcc/test_stages.py"),
    "K008": Example("kcc analyze k.cl --json missing/k.json"),
    "K009": Example("kcc analyze k.cl --gobal 64"),
    "K010": Example("kcc analyze k.cl --arg m=3"),
    "K011": Circumstance("no clang is installed", "tests/kcc/test_bad_input.py"),
    "K012": Example("kcc analyze k.spv", {"k.spv": "SPIR-V"}),
    "K013": Circumstance(
        "vl-convert is not installed",
        "tests/kcc/diagnostics/test_rare.py::test_pixels_without_their_library_k013",
    ),
    "K014": Circumstance("a process of --jobs is killed", "tests/kcc/test_workers.py"),
    "K020": Example("kcc analyze k.cl --global '64 *' --local 32"),
    "K021": Example("kcc analyze k.cl --global 'cube(4)' --local 32"),
    "K022": Example("kcc analyze k.cl --global m --local 32 --arg n=m --size k=m"),
    "K023": Example("kcc analyze k.cl --global '64 // 0' --local 32"),
    "K024": Example("kcc analyze k.cl --global '2 ** 10 ** 10' --local 32"),
    "K025": Example(f"kcc analyze k.cl --global '1{'+1' * 200}' --local 32"),
    "K026": Example("kcc analyze k.cl --arg a=flaot[64]"),
    "K027": Example("kcc estimate k.cl --gpu v100 --sweep TILE"),
    "K028": Example("kcc analyze k.cl --arg 'a=float[m]'"),
    "K030": Example("kcc analyze k.cl --global 0 --local 32"),
    "K031": Example("kcc analyze k.cl --global 64,64 --local 32"),
    "K032": Example("kcc analyze k.cl --global 100 --local 32"),
    "K033": Example("kcc analyze k.cl --global 2**70 --local 32"),
    "K034": Example(
        "kcc analyze k.cl --global 64 --local 32",
        {"k.cl": KERNEL.replace("void", "__attribute__((reqd_work_group_size(16, 1, 1))) void")},
    ),
    "K035": Example("kcc analyze k.cl --global 64 --grid 2"),
    "K036": Example("kcc analyze k.cl", {"kernel.toml": '[source\nfile = "k.cl"\n'}),
    "K037": Example("kcc analyze k.cl", {"kernel.toml": '[source]\nfile = "k.cl"\ndefines = 3\n'}),
    "K103": Example("kcc analyze k.cl", {"k.cl": '#include "k.cl"\n'}),
    "K132": Example("kcc analyze k.cl -include 'a\"b'"),
    "K138": Circumstance(
        "more tokens than allowed",
        "tests/frontend/test_diagnostic_places.py::test_more_tokens_than_allowed",
    ),
    "K144": Example("kcc analyze k.cl --brief -D TILE=8"),
    "K240": Example(
        "kcc analyze k.cl --frontend clang", {"k.cl": "__kernel void k() { x = 1; }\n"}
    ),
    "K241": Example("kcc analyze k.ll", {"k.ll": "define void @k( {\n"}),
    "K320": kernel("void f(global local int *a) { }\n" + KERNEL, "kcc analyze k.cl"),
    "K410": cuda(
        "__global__ void k(float* p, cudaTextureObject_t t) {\n"
        "  *p = texCubemap<float>(t, 1.f, 2.f, 1.f);\n}\n"
    ),
    "K411": cuda(
        "namespace cg = cooperative_groups;\n"
        "__global__ void k(float* p) {\n  cg::this_multi_grid().sync();\n}\n"
    ),
    "K413": cuda(
        '__global__ void k(int* p) {\n  asm volatile("exit;");\n}\n',
        "--frontend clang",
    ),
    "K414": cuda("__global__ void other() {}\n__global__ void k(int* p) { other<<<1, 1>>>(); }\n"),
    "K415": cuda("__device__ int f(int);\n__global__ void k(int* p) { *p = f(1); }\n"),
    "K416": cuda(
        "__device__ int f(int n) { return n ? f(n - 1) * n : 1; }\n"
        "__global__ void k(int* p) { *p = f(*p); }\n"
    ),
    "K417": Circumstance(
        "a function of CUDA that is not supported", "tests/frontend/clang/test_cuda.py"
    ),
    "K418": cuda(
        "template <typename T> __global__ void never(T* p) {}\n"
        "__global__ void k(int* p) { *p = 1; }\n"
    ),
    "K419": cuda('#include "missing.h"\n__global__ void k(int* p) { *p = 1; }\n'),
    "K420": cuda("template <typename T> __global__ void k(T* p) { *p = 1; }\n"),
    "K421": cuda(
        "template <typename T> __global__ void k(T* p) { *p = 1; }\n", "--instantiate 'k<nothing>'"
    ),
    "K422": cuda("template <class T> __global__ void k(T* p) { *p = 1; }\n", "--frontend builtin"),
    "K423": kernel(
        "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
        "__attribute__((intel_reqd_sub_group_size(8)))\n"
        "__kernel void a(__global int *p) { *p = 1; }\n"
        "__attribute__((intel_reqd_sub_group_size(16)))\n"
        "__kernel void b(__global int *p) { *p = 1; }\n",
        "kcc analyze k.cl",
    ),
    "K424": Circumstance(
        "sub-groups of 32, warps of 64",
        "tests/tracegen/test_sub_groups.py::test_warps_of_another_width_are_refused",
    ),
    "K425": Example(
        "kcc analyze k.cl -cl-std=CL2.0",
        {"k.cl": "__kernel void k(read_only pipe int p) {\n  int x;\n  read_pipe(p, &x);\n}\n"},
    ),
    "K426": Circumstance(
        "a generic pointer that is executed", "tests/frontend/clang/test_opencl_later.py"
    ),
    "K427": Circumstance(
        "grid.sync() of two thread blocks, executed",
        "tests/frontend/clang/test_cuda_features.py::test_the_grid_waits_only_where_it_is_one_block",
    ),
    "K430": ptx("mov.u32 %r1, %nothing;"),
    "K431": ptx("tcgen05.mma %r1, %r2;"),
    "K433": Circumstance(
        "PTX that calls vprintf", "tests/kcc/diagnostics/test_rare.py::test_printf_k433"
    ),
    "K438": Circumstance(
        "PTX with tensor maps",
        "tests/frontend/ptx/test_tensor_maps.py::test_what_only_the_host_knows_is_said",
    ),
    "K434": Circumstance(
        "Triton is not installed",
        "tests/frontend/ptx/test_doors.py::test_a_compiler_that_is_not_there_is_named",
    ),
    "K435": Example("kcc analyze kernels.py:missing", {"kernels.py": "def other():\n    pass\n"}),
    "K436": Circumstance(
        "NVRTC reports an error", "tests/kcc/diagnostics/test_rare.py::test_nvrtc_refuses_k436"
    ),
    "K437": Circumstance(
        "a kernel of Triton",
        "tests/kcc/diagnostics/test_rare.py::test_what_a_compiler_was_told_is_a_note_k437",
    ),
    "K501": kernel(
        "__kernel void k(__global int *a, int n) {\n#pragma unroll\n"
        "  for (int i = 0; i < 8; i++) {\n    a[i] = n; barrier(1); if (a[n]) i = a[i];\n  }\n}\n",
        "kcc analyze k.cl -O2 --brief",
    ),
    "K502": Circumstance("calls that multiply to too much code", "tests/frontend/test_unit.py"),
    "K503": Circumstance("LLVM's process ends", "tests/frontend/test_apart.py"),
    "K550": Example("kcc analyze k.ll", {"k.ll": "@a = thread_local global i32 0\n" + LL}),
    "K551": llvm("%v = va_arg ptr addrspace(1) %p, i32"),
    "K552": Example(
        "kcc analyze k.ll", {"k.ll": "@a = global fp128 0xL00000000000000000000000000000000\n" + LL}
    ),
    "K701": Circumstance(
        "kcc.tracegen.execute with too few arguments", "tests/tracegen/test_launch_checks.py"
    ),
    "K702": Circumstance(
        "kcc.tracegen.execute with a local size that does not divide the global size",
        "tests/tracegen/test_launch_checks.py::test_geometry_that_does_not_fit",
    ),
    "K703": Circumstance(
        "kcc.tracegen.execute with a number for an array", "tests/tracegen/test_launch_checks.py"
    ),
    "K704": body("__private char big[1 << 30]; big[n] = 1; a[i] = big[i];"),
    "K705": Circumstance(
        "a budget of -1 in Python",
        "tests/tracegen/test_launch_checks.py::test_options_that_cannot_be",
    ),
    "K706": Circumstance("an intrinsic of LLVM", "tests/tracegen/test_intrinsics.py"),
    "K708": Circumstance(
        "kcc run kernel.ptx without buffers",
        "tests/kcc/test_source_runs.py::test_bad_input_is_a_message",
    ),
    "K709": Circumstance(
        "--arg 'a=float[4]=file('none.npy')'",
        "tests/kcc/test_source_runs.py::test_bad_input_is_a_message",
    ),
    "K711": body("a[i + 1] = 1.0f;"),
    "K712": body("*(__global float *)((__global char *)a + 2 * i) = 1.0f;"),
    "K713": Circumstance("constant memory is written", "tests/tracegen/test_misuse.py"),
    "K714": body("float t[4]; t[n & 1] = 1.0f; a[i] = t[i & 3];"),
    "K715": body("if (i < 8) barrier(CLK_LOCAL_MEM_FENCE); a[i] = 1.0f;"),
    "K716": body("a[i] = n / i;"),
    "K717": body("while (n) a[i] += 1.0f;", "kcc run run.py --budget 10000"),
    "K718": Circumstance(
        "a host asks a running kernel to stop", "tests/tracegen/test_interrupts.py"
    ),
    "K720": Circumstance("code that cannot be reached is", "tests/tracegen/test_misuse.py"),
    "K721": body("a[i / 2] = i;", "kcc run run.py --races"),
    "K722": body("a[i % 32] = i;", "kcc trace run.py --workers 2 -o x.kct"),
    "K730": Example("kcc run run.py", {"run.py": "print((1)\n"}),
    "K731": Example("kcc run run.py", {"run.py": 'raise ValueError("no GPU")\n'}),
    "K732": Example(
        "kcc run run.py", {"run.py": 'def main(size, seed):\n    assert False, "wrong results"\n'}
    ),
    "K733": Example("kcc run run.py", {"run.py": "import pyopencl as cl\n\ncl.enqueue_task\n"}),
    "K737": Circumstance("KCC_TARGET_CPU=x86-64-v9", "tests/tracegen/test_host_cpu.py"),
    "K760": Example("kcc trace --show k.cl"),
    "K761": Example(
        f"{TRACE} && (head -c 8 t.kct; printf '\\11'; tail -c +10 t.kct) > o.kct"
        " && kcc trace --show o.kct"
    ),
    "K762": Example(f"{TRACE} && head -c 900 t.kct > cut.kct && kcc trace --show cut.kct"),
    "K763": Example(
        f"{TRACE} && (head -c 200 t.kct; printf xyz; tail -c +204 t.kct) > bad.kct"
        " && kcc trace --show bad.kct"
    ),
    "K764": Circumstance(
        "records that contradict one another", "tests/kcc/base/trace/test_damage.py"
    ),
    "K766": Example(f"{TRACE} && kcc trace --show t.kct --launch 9"),
    "K770": Circumstance(
        "a capture of another version",
        "tests/kcc/capture/test_capture.py::test_another_version_is_refused",
    ),
    "K771": Circumstance(
        "a byte of a capture was changed",
        "tests/kcc/capture/test_capture.py::test_a_damaged_capture_gives_messages",
    ),
    "K772": Circumstance(
        "a program allocates shared virtual memory",
        "tests/kcc/capture/test_capture.py::test_what_a_capture_does_not_hold_is_named",
    ),
    "K773": Circumstance(
        "no folder has Khronos' header CL/cl_layer.h",
        "tests/kcc/capture/test_capture.py::test_headers_that_are_missing_are_named",
    ),
    "K774": Circumstance(
        "a program makes no call of OpenCL",
        "tests/kcc/capture/test_capture.py::test_a_program_without_opencl_is_said",
    ),
    "K775": Example("kcc analyze a.capture", {"a.capture": "kcc-capture version=1 #0\n"}),
    "K776": Circumstance(
        "a command reaches beyond the end of a buffer",
        "tests/kcc/capture/test_capture.py::test_what_cannot_be_replayed_is_named",
    ),
    "K767": Example("kcc trace run.py -o t.kct --launches 9"),
    "K768": Circumstance(
        "a kernel of more than MAX_JSON_BYTES",
        "tests/kcc/diagnostics/test_rare.py::test_a_kernel_too_large_for_a_trace_k768",
    ),
    "K780": Example(f"kcc trace k.cl {LAUNCH} --profile p.json -o t.kct", {"p.json": "{}\n"}),
    "K781": Example("kcc trace run.py --blocks-only -o t.kct && kcc profile t.kct --json p.json"),
    "K782": Example(
        f"{TRACE} && kcc simulate t.kct --gpu v100 --sample tbpoint --block-profile p.npz",
        {"p.npz": "nonsense"},
    ),
    "K783": Example(
        "kcc profile run.py --json p.json && sed -i 's/2.0f/n * a[0] * 2.0f/' k.cl"
        f" && kcc trace k.cl {LAUNCH} --arg n=64 --profile p.json -o t.kct"
    ),
    "K784": Example(
        "kcc profile run.py --json p.json && sed -i 's/void k/void other/' k.cl"
        f" && kcc trace k.cl {LAUNCH} --arg n=64 --profile p.json -o t.kct"
    ),
    "K800": Example("kcc gpus show v1000"),
    "K801": Example("kcc gpus check my.yaml", {"my.yaml": "l2: {assoc: 3\n"}),
    "K802": gpu("sm_cout: 3"),
    "K803": gpu("sm_count: many"),
    "K804": gpu("l2:\n  assoc: {value: 3, quality: good}"),
    "K805": gpu("max_threads_per_block: 1000"),
    "K806": Example("kcc gpus check v100 --set fp32_peak_gflops=1000"),
    "K807": Circumstance(
        "a value that neither a source nor an overlay gives", "tests/kcc/base/gpu/test_needs.py"
    ),
    "K808": Example("kcc gpus show v100 --set sm_count"),
    "K809": Example("kcc gpus check my.yaml", {"my.yaml": "inherits: v1000\n"}),
    "K810": Circumstance("ptxas cannot be run", "tests/frontend/ptx/test_ptxas.py"),
    "K811": Circumstance("lgamma, which has no PTX here", "tests/frontend/ptx/test_emit.py"),
    "K820": Example(f"{ESTIMATE} --assume wind@3=4"),
    "K821": Example(f"{ESTIMATE} --assume loop@4=-1"),
    "K822": Example(f"{ESTIMATE} --assume branch@4=0.5 --assume branch@4=0.6"),
    "K823": Example(f"kcc analyze k.cl {LAUNCH} --assume loop@2=4"),
    "K824": Example(f"kcc analyze k.cl {LAUNCH} --arg n=64 --assume branch@4=0.5"),
    "K850": Example("kcc trace k.cl -o t.kct"),
    "K851": Circumstance(
        "a warp of more than 2^27 blocks",
        "tests/tracegen/static/test_rules.py::test_a_warp_that_never_ends_is_an_error",
    ),
    "K852": Circumstance(
        "warps that all differ",
        "tests/kcc/base/trace/test_static_command.py::test_a_kernel_that_cannot_be_traced_is_left_out",
    ),
    "K870": Example("kcc trace run.py --blocks-only -o t.kct && kcc simulate t.kct --gpu v100"),
    "K871": Example(
        "kcc simulate run.py --gpu gtx480",
        {
            "k.cl": KERNEL.replace(
                "    if",
                "    __local float t[15000];\n    t[i] = a[i];\n"
                "    barrier(CLK_LOCAL_MEM_FENCE);\n    a[i] = t[i ^ 1];\n    if",
            )
        },
    ),
    "K872": Circumstance(
        "a launch of 2^31 cycles",
        "tests/kcc/diagnostics/test_rare.py::test_a_launch_of_too_many_cycles_k872",
    ),
    "K873": Example("kcc simulate kernelslist.g --gpu v100", {"kernelslist.g": "what\n"}),
    "K874": Example(
        f"{TRACE} && kcc trace t.kct --format accelsim -o sim"
        " && sed -i 's/FADD/FROB/; s/FMUL/FROB/' sim/kernel-1.traceg"
        " && kcc simulate sim/kernelslist.g --gpu v100"
    ),
    "K875": Example("kcc simulate run.py --gpu v100 --launches 7"),
    "K876": Example("kcc trace run.py --warp-size 64 --format accelsim -o sim"),
    "K877": Example(f"{TRACE} && kcc simulate t.kct --gpu mi100"),
    "K878": Example(
        f"{TRACE} && kcc trace t.kct --format accelsim -o sim"
        " && echo Memset,0x7f0000000000,64 >> sim/kernelslist.g"
        " && kcc simulate sim/kernelslist.g --gpu v100"
    ),
    "K879": Example(
        f"{TRACE} && kcc trace t.kct --format accelsim --arch sm_86 -o sim"
        " && kcc simulate sim/kernelslist.g --gpu v100"
    ),
    "K880": Example(
        f"{TRACE} && kcc trace t.kct --format accelsim -o sim"
        " && sed -i 's/EXIT/NOP/' sim/kernel-1.traceg"
        " && kcc simulate sim/kernelslist.g --gpu v100"
    ),
    "K890": Example("kcc estimate k.cl --gpu v100"),
    "K891": Example(f"{ESTIMATE} --json a.json && kcc compare a.json b.json", {"b.json": "[]\n"}),
    "K892": Example(
        f'{ESTIMATE} --json a.json && sed \'s/"code": *"kcc"/"code": "ptxas 12.9 (sm_70)"/\''
        " a.json > b.json && kcc compare a.json b.json"
    ),
    "K893": Circumstance(
        "--resume with the journal of another sweep",
        "tests/sim/estimate/test_sweeps.py::test_a_journal_of_another_sweep_is_k893",
    ),
    "K894": Example("kcc validate times.csv k.cl --gpu v100", {"times.csv": "a,a_us\n1,2,3\n"}),
    "K895": Circumstance(
        "a script that calls no tune_kernel", "tests/kcc/tuning/test_kernel_tuner.py"
    ),
    "K897": Circumstance(
        "Kernel Tuner is not installed",
        "tests/kcc/diagnostics/test_rare.py::test_a_search_without_its_library_k897",
    ),
    "K898": Circumstance(
        "no Dask scheduler answers",
        "tests/kcc/tuning/test_cluster.py::test_a_scheduler_that_is_not_there_is_said",
    ),
    "K899": Example(
        "kcc estimate k.cl --gpu v100 --global 64",
        {"k.cl": "__kernel void k() { __global int *p = p; *p = 1; }\n"},
    ),
    "K950": Circumstance(
        "a miniature that does not end",
        "tests/synth/test_private_arrays.py::test_a_miniature_that_does_not_end_is_refused",
    ),
    "K951": Example("kcc synth run.py --launches 9 -o mini.py"),
    "K952": Example("kcc profile run.py --json p.json && kcc synth p.json -o mini.py"),
    "K953": Circumstance(
        "`--reduction auto` finds nothing within `--error`",
        "tests/kcc/test_synth.py::test_auto_says_that_nothing_is_within_the_bound",
    ),
    "K954": Example("kcc synth run.py -o mini", {"k.cl": LOOP_OF_A_LANE}),
    "K960": Example("kcc phases units.json", {"units.json": "{}\n"}),
    "K961": Circumstance(
        "valgrind is not installed",
        "tests/kcc/stages/recording/test_recordings.py::test_missing_tools_are_named",
    ),
    "K962": Circumstance(
        "a program that cannot be started",
        "tests/kcc/stages/recording/test_recordings.py::test_programs_that_fail",
    ),
    "K963": Circumstance(
        "a program without instructions counted",
        "tests/kcc/stages/recording/test_recordings.py::test_nothing_recorded",
    ),
    "K964": Circumstance(
        "recordings of other features",
        "tests/sim/sampling/simprof/test_phases_command.py"
        "::test_recordings_that_do_not_go_together",
    ),
    "K965": Circumstance(
        "a recording that was ended",
        "tests/sim/sampling/simprof/test_phases_command.py"
        "::test_a_recording_that_was_cut_off_is_told",
    ),
    "K966": Circumstance("a selection of another schema", "tests/sim/accelsim/test_cut.py"),
    "K967": Circumstance("a selection of another program", "tests/sim/accelsim/test_cut.py"),
}
