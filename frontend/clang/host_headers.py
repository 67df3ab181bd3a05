"""Headers that a .cu file may include and that are answered by the one included anyway."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from kcc.frontend.clang.invoke import HEADERS

C_HEADERS = (
    "assert complex ctype errno fcntl fenv float getopt inttypes iso646 limits locale malloc math "
    "memory pthread sched semaphore setjmp signal stdalign stdarg stdbool stddef stdint stdio "
    "stdlib string strings time unistd wchar omp mpi sys/time sys/types sys/stat sys/mman "
    "sys/resource sys/param sys/timeb sys/ioctl"
)
"""Names of headers ending in ``.h``."""

CPP_HEADERS = (
    "algorithm array atomic bitset cassert cctype cerrno cfloat chrono ciso646 climits cmath "
    "complex condition_variable cstdarg cstddef cstdint cstdio cstdlib cstring ctime deque "
    "exception fstream functional future initializer_list iomanip ios iostream istream iterator "
    "limits list map memory mutex new numeric optional ostream queue random ratio regex set "
    "sstream stack stdexcept streambuf string string_view thread tuple type_traits typeinfo "
    "unordered_map unordered_set utility valarray vector"
)

CUDA_HEADERS = (
    "cooperative_groups cooperative_groups/reduce cuda cuda_device_runtime_api cuda_fp16 "
    "cuda_gl_interop "
    "cuda_profiler_api cuda_runtime cuda_runtime_api cuda_texture_types curand curand_kernel "
    "device_functions device_launch_parameters driver_functions driver_types helper_cuda "
    "helper_functions helper_math helper_string helper_timer host_config host_defines "
    "math_constants math_functions mma nvToolsExt sm_20_atomic_functions "
    "sm_30_intrinsics sm_35_intrinsics surface_functions texture_fetch_functions "
    "texture_types vector_functions vector_types crt/device_functions cutil cutil_inline "
    "cutil_math cuda_bf16 cuda_fp8 curand_normal curand_uniform curand_globals "
    "curand_philox4x32_x curand_mtgp32_kernel cuda_pipeline cuda_awbarrier_primitives "
    "cooperative_groups/scan "
    "cooperative_groups/memcpy_async cooperative_groups/details/helpers "
    "cuda_fp16.hpp cuComplex thrust/complex cufft cufftXt cublas cublas_v2 cusparse nvrtc"
)
"""The toolkit's; those of its samples are empty here: host code that needs them is left out."""

CUDA_STD_HEADERS = (
    "algorithm array atomic cassert cfloat climits cmath complex cstddef cstdint cstdlib "
    "functional limits numeric span tuple type_traits utility"
)
"""libcu++: the names of the C++ library that device code has."""

KNOWN = frozenset(
    [f"{name}.h" for name in C_HEADERS.split()]
    + CPP_HEADERS.split()
    + [f"{name}.h" for name in CUDA_HEADERS.split()]
    + [f"cuda/std/{name}" for name in CUDA_STD_HEADERS.split()]
    + ["nv/target", "cuda/barrier", "cuda/pipeline", "cuda/atomic", "cuda/functional"]
    + ["hip/hip_runtime.h", "hip/hip_fp16.h", "hip/hip_cooperative_groups.h"]
)

_OWN = (
    (re.compile(r"cub/"), "kcc-cuda-cub.h"),
    (re.compile(r"hip/hip_runtime\.h$"), "kcc-hip.h"),
    (re.compile(r"(?:cuComplex|cufft\w*|cublas\w*|thrust/complex)\.h$"), "kcc-cuda-complex.h"),
    (re.compile(r"(?:cuda/std/)?complex$"), "kcc-cuda-std-complex.h"),
    (re.compile(r"(?:torch|ATen|c10|pybind11)/"), "kcc-cuda-torch.h"),
    (re.compile(
        r"(?:algorithm|chrono|deque|exception|fstream|functional|iomanip|ios|iostream|istream|list|map"
        r"|memory|numeric|ostream|queue|random|set|sstream|stack|stdexcept|string|unordered_map"
        r"|unordered_set|valarray|vector)$|thrust/(?!complex)"
    ), "kcc-cuda-containers.h"),
)  # fmt: skip
"""Headers that stand for one of kcc's; all others are empty."""

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)


def overlay(names: Iterable[str], root: str, empty: Path) -> str:
    """A file for clang's ``-ivfsoverlay`` that puts each name under ``root`` as ``empty``."""
    contents = [
        {"name": f"{root}/{name}", "type": "file", "external-contents": str(_own(name) or empty)}
        for name in sorted(set(names))
    ]
    return json.dumps({"version": 0, "case-sensitive": "true", "roots": contents})


def _own(name: str) -> Path | None:
    """The header of kcc that stands for one."""
    return next((HEADERS / file for rule, file in _OWN if rule.match(name)), None)


def is_expected(name: str) -> bool:
    """Whether a header that is not there needs no mention."""
    return name in KNOWN or _own(name) is not None


def missing_includes(text: str, folders: Sequence[str]) -> list[str]:
    """The headers a source asks for that are neither known nor in one of the folders."""
    return [
        name
        for name in dict.fromkeys(_INCLUDE.findall(text))
        if name not in KNOWN and not any(Path(folder, name).is_file() for folder in folders)
    ]
