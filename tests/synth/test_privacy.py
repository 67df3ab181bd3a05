"""Nothing of the original is in a miniature but what its report lists."""

from __future__ import annotations

import math
import re
from functools import cache

import pytest

from kcc.frontend.builtins.overloads import ROWS
from kcc.frontend.keywords import BUILTIN_TYPES, KEYWORDS
from kcc.report.miniature.full import revealed
from kcc.stages.synth import Files, files_of
from tests.synth.making import KERNELS, made

pytestmark = pytest.mark.slow

WORKLOADS = sorted(path.parent.name for path in KERNELS.glob("*/workload.py"))
SOME = ("bfs", "hotspot", "lavamd", "spmv")
EACH = [name if name in SOME else pytest.param(name, marks=pytest.mark.full) for name in WORKLOADS]

OTHERS = ("vecadd", "matmul", "bfs", "spmv", "gridding", "streamcluster")
"""Words that are in two of these are the generator's own, or the languages'."""

WORD = re.compile(r"[A-Za-z_]\w*")
STRING = re.compile(r'"([A-Za-z_][^"\\\n]{7,})"')
FLOAT = re.compile(r"(?<![\w.])(\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+)f?(?![\w.])")
INTEGER = re.compile(r"(?<![\w.])(0x[0-9a-f]+|\d+)(?=u?l?l?(?![\w.]))")

INVENTED = {1.0625 + 0.125 * n for n in range(8)} | {0.0, 1.0, 1.5}
SMALL = 0x41
"""Integers up to this one, the largest that is made up, are everywhere."""

GENERATORS = {
    1664525, 1013904223, 2654435769, 1997795615, 2720141613, 1170375573, 2203859119,
    1384565641, 2070164407, 2488570899, 1223136249,
    4099, 65537, 0x3F800000, 0x40000000,
}  # fmt: skip
"""Multipliers of random numbers and of hashes; what floats from 1 to 2 begin with."""


@cache
def files(workload: str) -> Files:
    return files_of(made(workload, 2), "mini.cl", "mini.py", "mini.cu")


def texts(workload: str) -> dict[str, str]:
    own = files(workload)
    report = revealed(made(workload, 2).miniature)
    return {"cl": own.opencl, "py": own.host, "ll": own.llvm, "cu": own.cuda, "report": report}


@cache
def common_words() -> frozenset[str]:
    rows = [set(WORD.findall("\n".join(texts(name).values()))) for name in OTHERS]
    return frozenset(w for row in rows for w in row if sum(w in other for other in rows) >= 2)


def sources(workload: str) -> str:
    folder = KERNELS / workload
    return "\n".join(path.read_text() for path in sorted(folder.iterdir()) if path.is_file())


def without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/|#[^\n]*", " ", text, flags=re.DOTALL)


OF_THE_LANGUAGE = (
    BUILTIN_TYPES
    | KEYWORDS.keys()
    | {name for row in ROWS for name in row.names.split()}
    | {"reqd_work_group_size"}
)
"""Functions and types that any program may use: they are opcodes."""


@pytest.mark.sampled(5)
@pytest.mark.parametrize("workload", EACH)
def test_no_identifier_is_left(workload: str):
    code = without_comments((KERNELS / workload / f"{workload}.cl").read_text())
    defines = re.findall(r"#define (\w+)", (KERNELS / workload / f"{workload}.cl").read_text())
    words = {w for w in (*WORD.findall(code), *defines) if len(w) > 3}
    secret = {w for w in words if not w.startswith(("__", "CLK_", "convert_", "as_"))}
    secret -= common_words() | OF_THE_LANGUAGE
    for kind, text in texts(workload).items():
        leaked = secret & set(WORD.findall(text))
        assert not leaked, kind


@pytest.mark.parametrize("workload", EACH)
def test_no_string_is_left(workload: str):
    strings = set(STRING.findall(sources(workload)))
    for kind, text in texts(workload).items():
        leaked = {s for s in strings if s in text} - common_words()
        assert not leaked, kind


@pytest.mark.parametrize("workload", EACH)
def test_floats_are_the_generators(workload: str):
    found = {float(number) for number in FLOAT.findall(files(workload).opencl)}
    assert found <= INVENTED


@pytest.mark.parametrize("workload", EACH)
def test_integers_are_listed(workload: str):
    """Every number of the kernels and of the host is in the report, or is the generator's."""
    own = texts(workload)
    listed = {int(number) for number in re.findall(r"-?\d+", own["report"].replace(",", ""))}
    arrays = re.findall(r"(?:array|constants) of (\d+) bytes", own["report"].replace(",", ""))
    listed |= {-(-int(size) // word) for size in arrays for word in (4, 8)}
    for sizes in re.findall(r"local \(([\d, ]+)\)", own["report"]):
        listed.add(math.prod(int(size) for size in sizes.split(",") if size.strip()))
    listed |= {number % (1 << bits) for number in listed for bits in (8, 16, 32, 64)}
    listed |= {abs(number) for number in listed}
    for kind in ("cl", "py"):
        text = re.sub(r"(?<=\d)e[+-]\d+", "", own[kind])  # exponents of slopes
        found = {int(number, 0) for number in INTEGER.findall(text)}
        assert not {n for n in found - listed - GENERATORS if n > SMALL}, kind
