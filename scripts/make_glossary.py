"""docs/glossary.md from the tables of kcc/base/terms.py."""

from __future__ import annotations

from kcc.base.terms import CUDA_WORDS, OPENCL_WORDS, RESOURCES, STALLS, TERMS, Term

_HEAD = """\
# Glossary

<!-- Written by `python -m scripts.make_docs` from kcc/base/terms.py: change that, not this. -->

One term for each concept, the one of the vendors' manuals, in reports, messages and pages.
Where the manuals of OpenCL and CUDA differ, a report uses the words of its source's language.

| OpenCL C | CUDA, HIP |
|---|---|
"""


def glossary() -> str:
    """The whole page."""
    opencl, cuda = OPENCL_WORDS, CUDA_WORDS
    pairs = (
        (opencl.thread, cuda.thread),
        (opencl.block, cuda.block),
        (opencl.grid, cuda.grid),
        (opencl.shared_memory, cuda.shared_memory),
        (opencl.private_memory, cuda.private_memory),
        (f"`{opencl.barrier}`", f"`{cuda.barrier}`"),
    )
    return (
        _HEAD
        + "".join(f"| {left} | {right} |\n" for left, right in pairs)
        + "".join(_group(title, terms) for title, terms in TERMS.items())
        + _stalls()
        + _resources()
    )


def _group(title: str, terms: tuple[Term, ...]) -> str:
    rows = "".join(
        f"| {t.name} | {t.meaning} | {t.unit} | {', '.join(f'`{k}`' for k in t.keys)} |"
        f" {t.manuals} |\n"
        for t in terms
    )
    return (
        f"\n## {title}\n\n| term | meaning | unit | JSON key | in |\n|---|---|---|---|---|\n{rows}"
    )


def _stalls() -> str:
    rows = "".join(
        f"| {s.label} | {s.meaning} | {', '.join(f'`{n}`' for n in s.names)} |\n" for s in STALLS
    )
    return (
        "\n## Stall reasons\n\nThe parts of CPI stacks. `kcc estimate`, the interval model and the"
        " cycle-level model write them under keys of their own.\n\n"
        f"| stall reason | meaning | JSON keys |\n|---|---|---|\n{rows}"
    )


def _resources() -> str:
    rows = "".join(f"| {label} | `{name}` |\n" for name, label in RESOURCES.items())
    return (
        "\n## Resources\n\nWhat `kcc estimate` gives a lower bound of the time for, and names as"
        f" bottleneck.\n\n| resource | JSON key |\n|---|---|\n{rows}"
    )
