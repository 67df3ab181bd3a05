"""Writes the pages of docs/ that follow from tables.

    python -m scripts.make_docs

A test fails while a committed page is not what this writes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kcc.frontend.builtins.documentation import markdown_table
from scripts.make_commands import commands
from scripts.make_diagnostics import diagnostics
from scripts.make_glossary import glossary
from scripts.make_schemas import schemas
from tests.frontend.differences import DIFFERENCES

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "reference" / "opencl-c.md"

_INTRODUCTION = """\
# The built-in front end

<!-- Written by `python -m scripts.make_docs`: change that, not this. -->

`--frontend builtin`, the default for OpenCL C, takes OpenCL C 1.2 without any compiler installed:
preprocessor, parser, semantic pass and lowering to LLVM IR are part of kcc
(`frontend/builtin_frontend.py` reads as the list of the stages). What it does not take is an error
with a code, file, line and column; there are no silent approximations.

## Language

| | |
|---|---|
| types | all scalars, vectors of 2, 3, 4, 8, 16, structs and unions (nested, packed, aligned, \
anonymous members), enums, typedefs, arrays, pointers into the four address spaces, images, \
samplers, events |
| half | storage with `vload_half` and `vstore_half`; values with `cl_khr_fp16` enabled |
| double | as a type of the core (optional in 1.2) |
| expressions | every operator on scalars and vectors, component-wise comparisons and selections, \
vector literals, swizzles as values and targets, casts, compound literals, `sizeof`, `vec_step` |
| statements | all of C99, with `goto` and `switch` of any form |
| declarations | `__constant` and `__local` data, initialisers with designators, flexible array \
members, functions, kernels called as functions |
| attributes | `reqd_work_group_size`, `work_group_size_hint`, `vec_type_hint`, `aligned`, \
`packed`, `opencl_unroll_hint`, `ext_vector_type` in typedefs (2 to 32 lanes), \
`intel_reqd_sub_group_size`, `qcom_reqd_sub_group_size` |
| sub-groups | cl_khr_subgroups, cl_khr_subgroup_*, the common part of cl_intel_subgroups; a \
sub-group is a warp of the GPU named (32 lanes without one), of 8 or 16 work-items a part of one; \
kernels of one source ask for one size (K423) |
| integer dot products | cl_khr_integer_dot_product |
| `-cl-std=CL2.0`, `CL3.0` | the version's macros and the functions of work-groups; what else is \
new (generic pointers, program-scope variables, C11 atomics, `get_global_linear_id`) is read \
through clang where it is there; pipes and device enqueue are K425; a pointer whose space is known \
at run time only can be analysed, not executed (K426) |
| one bad kernel | is left out with its errors, and what uses it; `kcc analyze` reports the \
others and exits with 1 |
| pragmas | `unroll`, `nounroll`, `OPENCL EXTENSION`, `OPENCL FP_CONTRACT` |
| preprocessor | C99, with `-D`, `-U`, `-I` and `-include` |
| not in OpenCL C 1.2 | recursion, function pointers, variable-length arrays, bit-fields, \
variadic functions, blocks, `read_write` images, \
C++ for OpenCL |

## Measured

| what | result | command |
|---|---|---|
"""

MEASURED: tuple[tuple[str, str, str], ...] = (
    (
        "compile units of the Rodinia OpenCL suite, with the options of their hosts, at O1 and O2",
        "31 of 31",
        "python benchmarks/suite_acceptance.py --sources gpu-rodinia/opencl",
    ),
    (
        "mutated sources: coded diagnostics only, none takes more than 5 s",
        "10,000 of 10,000",
        "pytest --full tests/frontend/test_mutations.py",
    ),
    (
        "programs taken and refused as by PoCL 3.0, or as listed below",
        "10,859, of which PoCL refuses 7,557",
        "pytest --full tests/frontend/test_acceptance_grid.py",
    ),
)
"""What was counted, the count, and the command that counts again. Seen on 2026-11-21."""

_DIFFERENCES = """\
## Differences from PoCL

PoCL 3.0 is clang 14 with its extensions. A test builds an example of each row with both.

| | kcc | PoCL | why |
|---|---|---|---|
"""

_BUILTINS = """\
## Built-in functions

One library for all front ends, generated from `frontend/builtins/`.

"""


def page() -> str:
    """The whole page."""
    measured = "\n".join(f"| {what} | {count} | `{how}` |" for what, count, how in MEASURED)
    return (
        f"{_INTRODUCTION}{measured}\n\n{_DIFFERENCES}{_differences()}\n\n"
        f"{_BUILTINS}{markdown_table()}"
    )


def _differences() -> str:
    lines = list[str]()
    for row in DIFFERENCES:
        kcc, pocl = ("takes", "refuses") if row.taken else ("refuses", "takes")
        lines.append(f"| {row.title} | {kcc} | {pocl} | {row.reason} |")
    return "\n".join(lines)


PAGES: dict[str, Callable[[], str]] = {
    "glossary.md": glossary,
    "reference/commands.md": commands,
    "reference/diagnostics.md": diagnostics,
    "reference/json.md": schemas,
    "reference/opencl-c.md": page,
}
"""What writes each page, by its path in docs/."""


def main() -> None:
    """Write the pages."""
    for path, write in PAGES.items():
        (DOCS / path).write_text(write(), encoding="utf-8")


if __name__ == "__main__":
    main()
