"""Attributes (``__attribute__((...))``) that OpenCL C 1.2 knows, section 6.11, and those of GNU C
that sources carry without meaning for the result.
"""

from __future__ import annotations

from pycparser import c_ast

from kcc.base.diagnostics import Span
from kcc.base.records import dataclass

OPENCL_ATTRIBUTES = frozenset(
    {"aligned", "packed", "endian", "vec_type_hint", "work_group_size_hint",
     "reqd_work_group_size", "opencl_unroll_hint", "intel_reqd_sub_group_size",
     "qcom_reqd_sub_group_size", "ext_vector_type"}
)  # fmt: skip

HARMLESS_ATTRIBUTES = frozenset(
    {"always_inline", "noinline", "unused", "used", "pure", "const", "may_alias", "nothrow",
     "overloadable", "deprecated", "convergent", "noduplicate", "flatten", "hot", "cold",
     "warn_unused_result", "noreturn", "nonnull", "nosvm",
     "visibility", "section", "weak", "num_simd_work_items", "max_work_group_size",
     "qcom_wave_pair_mode", "qcom_max_concurrent_subgroups", "sub_group_uniform",
     "max_constant_size"}
)  # fmt: skip

FOREIGN_ATTRIBUTES = frozenset({"address_space", "mode", "neon_vector_type", "vector_size"})
"""Those of GNU C and clang that make another type: to ignore them would give wrong results."""


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """``name`` without the underscores around it; ``arguments``: expressions or ``Typename``."""

    name: str
    arguments: tuple[c_ast.Node, ...]
    span: Span


def is_known(name: str) -> bool:
    """Whether an attribute of this name has, or may be without, an effect here."""
    return name in OPENCL_ATTRIBUTES or name in HARMLESS_ATTRIBUTES
