"""Address-space inference on small functions, against what can be read off them."""

from __future__ import annotations

import re

import pytest

from kcc.frontend.clang.address_spaces import infer_address_spaces
from kcc.frontend.optimise import optimise
from kcc.frontend.options import OptLevel

HEAD = """target triple = "spir64-unknown-unknown"
@tile = internal addrspace(3) global [64 x float] undef, align 4
@table = internal addrspace(2) constant [4 x float] zeroinitializer, align 4
"""


def inferred(body: str, parameters: str = "ptr addrspace(1) %a, ptr %held, i64 %n") -> str:
    """The function after inference, valid and with dead casts gone."""
    text = f"{HEAD}define spir_kernel void @k({parameters}) {{\nentry:\n{body}  ret void\n}}\n"
    return optimise(infer_address_spaces(text), OptLevel.O1).text


def accesses(text: str) -> list[int]:
    """The spaces of loads and stores, in order."""
    found = re.findall(
        r"(?:= load|^  store) [^\n]*?, ptr(?: addrspace\((\d)\))? [%@]", text, re.MULTILINE
    )
    return [int(space or 0) for space in found]


CAST = "  %g = addrspacecast ptr addrspace(1) %a to ptr addrspace(4)\n"
TILE = "addrspacecast (ptr addrspace(3) @tile to ptr addrspace(4))"


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (f"{CAST}  store float 1.0, ptr addrspace(4) %g\n", [1]),
        (
            (
                f"{CAST}  %p = getelementptr float, ptr addrspace(4) %g, i64 %n\n"
                "  store volatile float 1.0, ptr addrspace(4) %p\n"
            ),
            [1],
        ),
        (f"  store float 1.0, ptr addrspace(4) {TILE}\n", [3]),
        (
            (
                f"  %p = getelementptr float, ptr addrspace(4) {TILE}, i64 %n\n"
                "  store float 1.0, ptr addrspace(4) %p\n"
            ),
            [3],
        ),
        (
            (
                f"{CAST}  %c = icmp eq i64 %n, 0\n"
                f"  %p = select i1 %c, ptr addrspace(4) %g, ptr addrspace(4) {TILE}\n"
                "  store float 1.0, ptr addrspace(4) %p\n"
            ),
            [4],
        ),
        (
            (
                f"{CAST}  %c = icmp eq i64 %n, 0\n"
                "  %p = select i1 %c, ptr addrspace(4) %g, ptr addrspace(4) null\n"
                "  store float 1.0, ptr addrspace(4) %p\n"
            ),
            [1],
        ),
        (
            (
                f"{CAST}  %q = load ptr addrspace(4), ptr addrspace(4) %g\n"
                "  store float 1.0, ptr addrspace(4) %q\n"
            ),
            [1, 4],
        ),
        (
            "  %q = inttoptr i64 %n to ptr addrspace(4)\n  store float 1.0, ptr addrspace(4) %q\n",
            [4],
        ),
        (
            (
                "  %h = addrspacecast ptr %held to ptr addrspace(4)\n"
                "  store float 1.0, ptr addrspace(4) %h\n"
            ),
            [0],
        ),
        (
            (
                f"{CAST}  %1 = getelementptr float, ptr addrspace(4) %g, i64 %n\n"
                "  %2 = getelementptr float, ptr addrspace(4) %1, i64 %n\n"
                "  store float 1.0, ptr addrspace(4) %2\n"
            ),
            [1],
        ),
        (
            f"{CAST}  store ptr addrspace(4) %g, ptr addrspace(4) %g\n",
            [1],
        ),
    ],
)
def test_straight_code(body: str, expected: list[int]):
    assert accesses(inferred(body)) == expected


LOOP = """  br label %loop
loop:
  %p = phi ptr addrspace(4) [ START, %entry ], [ %next, %loop ]
  %i = phi i64 [ 0, %entry ], [ %more, %loop ]
  store volatile float 1.0, ptr addrspace(4) %p
  %next = getelementptr float, ptr addrspace(4) NEXT, i64 1
  %more = add i64 %i, 1
  %c = icmp slt i64 %more, %n
  br i1 %c, label %loop, label %done
done:
"""


@pytest.mark.parametrize(
    ("start", "follow", "expected"),
    [("%g", "%p", 1), (TILE, "%p", 3), (TILE, "%g", 4), ("null", "%p", 4)],
)
def test_a_pointer_that_advances(start: str, follow: str, expected: int):
    body = CAST + LOOP.replace("START", start).replace("NEXT", follow)
    assert accesses(inferred(body)) == [expected]


def test_copies_and_comparisons():
    body = (
        f"{CAST}  %p = getelementptr float, ptr addrspace(4) %g, i64 %n\n"
        f"  call void @llvm.memcpy.p4.p4.i64(ptr addrspace(4) {TILE}, ptr addrspace(4) %p, "
        "i64 64, i1 false)\n"
        "  %same = icmp eq ptr addrspace(4) %g, %p\n"
        "  %wide = zext i1 %same to i64\n"
        "  store i64 %wide, ptr addrspace(4) %g\n"
    )
    text = (
        f"{HEAD}declare void @llvm.memcpy.p4.p4.i64(ptr addrspace(4), ptr addrspace(4), i64, i1)\n"
    )
    text += "define spir_kernel void @k(ptr addrspace(1) %a, i64 %n) {\nentry:\n"
    text += f"{body}  ret void\n}}\n"
    found = optimise(infer_address_spaces(text), OptLevel.O1).text
    assert "@llvm.memcpy.p3.p1.i64(ptr addrspace(3)" in found
    assert "addrspace(4)" not in found.split("declare")[0]


def test_pointers_of_an_argument_struct_are_global():
    body = (
        "  %s = addrspacecast ptr %held to ptr addrspace(4)\n"
        "  %f = getelementptr i8, ptr addrspace(4) %s, i64 8\n"
        "  %p = load ptr addrspace(4), ptr addrspace(4) %f\n"
        "  store float 1.0, ptr addrspace(4) %p\n"
    )
    parameters = "ptr byval({ i64, ptr addrspace(4) }) align 8 %held"
    assert accesses(inferred(body, parameters))[-1] == 1


def test_values_without_names_stay_apart_from_the_source_s():
    body = (
        f"{CAST}  %n.0 = add i64 %n, 1\n"
        "  %1 = getelementptr float, ptr addrspace(4) %g, i64 %n.0\n"
        "  store float 1.0, ptr addrspace(4) %1\n"
    )
    assert accesses(inferred(body)) == [1]
