"""The platform kcc and its one device."""

from __future__ import annotations

from typing import Any

import kcc
from kcc.opencl.constants import (
    command_queue_properties,
    device_exec_capabilities,
    device_fp_config,
    device_info,
    device_local_mem_type,
    device_mem_cache_type,
    device_svm_capabilities,
    device_type,
    platform_info,
)
from kcc.opencl.info import Informed, MissingInfo
from kcc.opencl.missing import missing
from kcc.opencl.session import current_session
from kcc.tracegen.launch_checks import MAX_LOCAL_ITEMS

EXTENSIONS = (
    "cl_khr_byte_addressable_store cl_khr_fp64 cl_khr_global_int32_base_atomics "
    "cl_khr_global_int32_extended_atomics cl_khr_int64_base_atomics "
    "cl_khr_int64_extended_atomics cl_khr_local_int32_base_atomics "
    "cl_khr_local_int32_extended_atomics cl_khr_3d_image_writes"
)

LOCAL_MEM_BYTES = 64 << 10
"""Local memory of a thread block: what AMD's GCN and NVIDIA's Turing allow."""

GLOBAL_MEM_BYTES = 8 << 30
MAX_ALLOC_BYTES = 4 << 30

BASE_ALIGN_BYTES = 256
"""Of buffers, and of where a sub-buffer begins."""

MAX_IMAGE_WIDTH, MAX_IMAGE_DEPTH = 16384, 2048
"""OpenCL 1.2, table 4.3, asks for 8192 and 2048 at least; 16384 is what GPUs have."""

_ROUNDING = (
    device_fp_config.DENORM
    | device_fp_config.INF_NAN
    | device_fp_config.ROUND_TO_NEAREST
    | device_fp_config.ROUND_TO_ZERO
    | device_fp_config.ROUND_TO_INF
    | device_fp_config.FMA
)

VERSION = f"OpenCL 1.2 kcc {kcc.__version__}"

DEVICE_INFOS: dict[str, Any] = {
    "type": device_type.GPU,
    "vendor_id": 0,
    "max_compute_units": 80,  # the multiprocessors of a V100, which grids made for it fill
    "max_work_item_dimensions": 3,
    "max_work_group_size": MAX_LOCAL_ITEMS,
    "max_work_item_sizes": [MAX_LOCAL_ITEMS] * 3,
    "preferred_vector_width_char": 1,  # GPUs run one element per lane
    "preferred_vector_width_short": 1,
    "preferred_vector_width_int": 1,
    "preferred_vector_width_long": 1,
    "preferred_vector_width_float": 1,
    "preferred_vector_width_double": 1,
    "preferred_vector_width_half": 0,
    "native_vector_width_char": 1,
    "native_vector_width_short": 1,
    "native_vector_width_int": 1,
    "native_vector_width_long": 1,
    "native_vector_width_float": 1,
    "native_vector_width_double": 1,
    "native_vector_width_half": 0,
    "max_clock_frequency": 1000,
    "address_bits": 64,
    "max_read_image_args": 128,
    "max_write_image_args": 64,
    "max_mem_alloc_size": MAX_ALLOC_BYTES,
    "image_support": 1,
    "image2d_max_width": MAX_IMAGE_WIDTH,
    "image2d_max_height": MAX_IMAGE_WIDTH,
    "image3d_max_width": MAX_IMAGE_DEPTH,
    "image3d_max_height": MAX_IMAGE_DEPTH,
    "image3d_max_depth": MAX_IMAGE_DEPTH,
    "image_max_buffer_size": MAX_ALLOC_BYTES // 16,
    "image_max_array_size": MAX_IMAGE_DEPTH,
    "max_parameter_size": 4096,
    "max_samplers": 16,
    "mem_base_addr_align": 8 * BASE_ALIGN_BYTES,
    "min_data_type_align_size": 128,
    "single_fp_config": _ROUNDING | device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT,
    "double_fp_config": _ROUNDING,
    "half_fp_config": 0,
    "global_mem_cache_type": device_mem_cache_type.READ_WRITE_CACHE,
    "global_mem_cacheline_size": 128,
    "global_mem_cache_size": 6 << 20,
    "global_mem_size": GLOBAL_MEM_BYTES,
    "max_constant_buffer_size": 64 << 10,
    "max_constant_args": 16,
    "local_mem_type": device_local_mem_type.LOCAL,
    "local_mem_size": LOCAL_MEM_BYTES,
    "error_correction_support": 0,
    "profiling_timer_resolution": 1,
    "endian_little": 1,
    "available": 1,
    "compiler_available": 1,
    "linker_available": 0,
    "execution_capabilities": device_exec_capabilities.KERNEL,
    "queue_properties": command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
    | command_queue_properties.PROFILING_ENABLE,
    "host_unified_memory": 0,
    "name": "kcc",
    "vendor": "kcc",
    "driver_version": kcc.__version__,
    "profile": "FULL_PROFILE",
    "version": VERSION,
    "opencl_c_version": "OpenCL C 1.2 kcc",
    "extensions": EXTENSIONS,
    "built_in_kernels": "",
    "parent_device": None,
    "partition_max_sub_devices": 0,
    "partition_properties": [],
    "partition_affinity_domain": [],
    "partition_type": [],
    "reference_count": 1,
    "preferred_interop_user_sync": 1,
    "printf_buffer_size": 1 << 20,
    "svm_capabilities": device_svm_capabilities.COARSE_GRAIN_BUFFER
    | device_svm_capabilities.FINE_GRAIN_BUFFER,
}
"""What the device says of itself: OpenCL 1.2, table 4.3, and its shared virtual memory.
Caches and clock are those of no GPU in particular: kcc's models look at GPU descriptions."""


class Platform(Informed):
    """The one platform."""

    _infos, _info_routine = platform_info, "clGetPlatformInfo"
    profile, name, vendor, version = "FULL_PROFILE", "kcc", "kcc", VERSION
    extensions = EXTENSIONS
    int_ptr = 1

    def _get_cl_version(self) -> tuple[int, int]:
        """What PyOpenCL looks at for shared virtual memory, which came with OpenCL 2.0."""
        return (2, 0)

    def get_devices(self, device_type: int = device_type.ALL) -> list[Device]:
        """The device, if it is of that type: a GPU, which is also the default."""
        return [DEVICE] if device_type & (4 | 1) else []

    def __repr__(self) -> str:
        return "<kcc.opencl.Platform 'kcc'>"


class Device(Informed):
    """The one device: runs kernels warp by warp on the CPU."""

    _infos, _info_routine = device_info, "clGetDeviceInfo"
    int_ptr = 2

    @property
    def platform(self) -> Platform:
        return PLATFORM

    @property
    def hashable_model_and_version_identifier(self) -> tuple[str, ...]:
        return ("v1", "kcc", "kcc", VERSION)

    def __getattr__(self, name: str) -> Any:
        if name in DEVICE_INFOS:
            return DEVICE_INFOS[name]
        if name.startswith("__"):
            raise AttributeError(name)
        raise MissingInfo(str(missing(f"Device.{name}", DEVICE_INFOS)))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *DEVICE_INFOS]

    def __repr__(self) -> str:
        return "<kcc.opencl.Device 'kcc' on 'kcc'>"


PLATFORM, DEVICE = Platform(), Device()


def get_platforms() -> list[Platform]:
    """The platforms: kcc alone."""
    return [PLATFORM]


def warp_width() -> int:
    """Lanes of a warp, which is what a work-group size should be a multiple of."""
    return current_session().settings.width
