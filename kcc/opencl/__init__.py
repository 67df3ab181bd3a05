"""The OpenCL host: a subset of PyOpenCL whose device is kcc's own execution of kernels.

A PyOpenCL script runs by changing its import into ``import kcc.opencl as cl``. What is there is
listed in docs/reference/hosts.md; any other name of PyOpenCL raises an error that names it. Like
PyOpenCL's queues, the module is meant to be used from one thread.
"""

from __future__ import annotations

from typing import Any

from kcc.opencl import cltypes
from kcc.opencl.constants import (
    addressing_mode,
    channel_order,
    channel_type,
    command_execution_status,
    command_queue_info,
    command_queue_properties,
    command_type,
    context_info,
    context_properties,
    device_affinity_domain,
    device_exec_capabilities,
    device_fp_config,
    device_info,
    device_local_mem_type,
    device_mem_cache_type,
    device_partition_property,
    device_svm_capabilities,
    device_type,
    event_info,
    filter_mode,
    image_info,
    kernel_arg_access_qualifier,
    kernel_arg_address_qualifier,
    kernel_arg_info,
    kernel_arg_type_qualifier,
    kernel_info,
    kernel_work_group_info,
    map_flags,
    mem_flags,
    mem_info,
    mem_migration_flags,
    mem_object_type,
    platform_info,
    profiling_info,
    program_binary_type,
    program_build_info,
    program_info,
    program_kind,
    sampler_info,
    status_code,
    svm_mem_flags,
)
from kcc.opencl.copies import (
    enqueue_fill,
    enqueue_fill_buffer,
    enqueue_map_buffer,
    enqueue_migrate_mem_objects,
)
from kcc.opencl.device import (
    Device,
    Platform,
    get_platforms,
)
from kcc.opencl.errors import (
    Error,
    ErrorRecord,
    KernelFault,
    LogicError,
    MemoryError,
    RuntimeError,
)
from kcc.opencl.events import (
    CommandQueue,
    Context,
    Event,
    NannyEvent,
    UserEvent,
    choose_devices,
    create_some_context,
    enqueue_barrier,
    enqueue_marker,
    wait_for_events,
)
from kcc.opencl.image_copies import (
    enqueue_fill_image,
    enqueue_map_image,
    image_from_array,
)
from kcc.opencl.images import (
    Image,
    ImageDescriptor,
    ImageFormat,
    Sampler,
    create_image,
    get_supported_image_formats,
)
from kcc.opencl.kernel import (
    Kernel,
    enqueue_nd_range_kernel,
)
from kcc.opencl.memory import (
    Buffer,
    LocalMemory,
    MemoryMap,
    MemoryObject,
    MemoryObjectHolder,
)
from kcc.opencl.missing import missing
from kcc.opencl.program import (
    CompilerWarning,
    Program,
    RepeatedKernelRetrieval,
)
from kcc.opencl.svm import (
    SVM,
    SVMAllocation,
    SVMMap,
    SVMPointer,
    csvm_empty,
    csvm_empty_like,
    enqueue_svm_memfill,
    enqueue_svm_migrate_mem,
    fsvm_empty,
    fsvm_empty_like,
    svm_empty,
    svm_empty_like,
)
from kcc.opencl.transfers import enqueue_copy

VERSION = (2026, 1, 4)
"""The PyOpenCL whose API this is."""
VERSION_STATUS = ""
VERSION_TEXT = "2026.1.4"


def get_cl_header_version() -> tuple[int, int]:
    """The OpenCL whose API this is: 1.2, and the shared virtual memory of 2.0."""
    return (2, 0)


def have_gl() -> bool:
    """Whether memory can be shared with OpenGL."""
    return False


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise missing(f"cl.{name}", __all__)


__all__ = [
    "SVM",
    "VERSION",
    "VERSION_STATUS",
    "VERSION_TEXT",
    "Buffer",
    "CommandQueue",
    "CompilerWarning",
    "Context",
    "Device",
    "Error",
    "ErrorRecord",
    "Event",
    "Image",
    "ImageDescriptor",
    "ImageFormat",
    "Kernel",
    "KernelFault",
    "LocalMemory",
    "LogicError",
    "MemoryError",
    "MemoryMap",
    "MemoryObject",
    "MemoryObjectHolder",
    "NannyEvent",
    "Platform",
    "Program",
    "RepeatedKernelRetrieval",
    "RuntimeError",
    "SVMAllocation",
    "SVMMap",
    "SVMPointer",
    "Sampler",
    "UserEvent",
    "addressing_mode",
    "channel_order",
    "channel_type",
    "choose_devices",
    "cltypes",
    "command_execution_status",
    "command_queue_info",
    "command_queue_properties",
    "command_type",
    "context_info",
    "context_properties",
    "create_image",
    "create_some_context",
    "csvm_empty",
    "csvm_empty_like",
    "device_affinity_domain",
    "device_exec_capabilities",
    "device_fp_config",
    "device_info",
    "device_local_mem_type",
    "device_mem_cache_type",
    "device_partition_property",
    "device_svm_capabilities",
    "device_type",
    "enqueue_barrier",
    "enqueue_copy",
    "enqueue_fill",
    "enqueue_fill_buffer",
    "enqueue_fill_image",
    "enqueue_map_buffer",
    "enqueue_map_image",
    "enqueue_marker",
    "enqueue_migrate_mem_objects",
    "enqueue_nd_range_kernel",
    "enqueue_svm_memfill",
    "enqueue_svm_migrate_mem",
    "event_info",
    "filter_mode",
    "fsvm_empty",
    "fsvm_empty_like",
    "get_cl_header_version",
    "get_platforms",
    "get_supported_image_formats",
    "have_gl",
    "image_from_array",
    "image_info",
    "kernel_arg_access_qualifier",
    "kernel_arg_address_qualifier",
    "kernel_arg_info",
    "kernel_arg_type_qualifier",
    "kernel_info",
    "kernel_work_group_info",
    "map_flags",
    "mem_flags",
    "mem_info",
    "mem_migration_flags",
    "mem_object_type",
    "platform_info",
    "profiling_info",
    "program_binary_type",
    "program_build_info",
    "program_info",
    "program_kind",
    "sampler_info",
    "status_code",
    "svm_empty",
    "svm_empty_like",
    "svm_mem_flags",
    "wait_for_events",
]
