"""Integer arithmetic and addresses against what ptxas 12.9 makes for sm_80, counted by hand."""

from __future__ import annotations

import pytest

from kcc.base.diagnostics import Span
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import parse_dimensions
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.sim.machine.costs import Generation, Unit
from kcc.sim.program.operations import MachineProgram
from kcc.stages.analyze import AnalysisRequest, LaunchInputs
from kcc.stages.estimate import Workshop


def program(source: str, generation: Generation = Generation.VOLTA) -> MachineProgram:
    at = Span("test", 1)
    launch = LaunchRequest(parse_dimensions("4096", at), parse_dimensions("64", at))
    request = AnalysisRequest(
        source=SourceText("k.cl", source, "."),
        options=BuildOptions(opt_level=OptLevel.O2),
        other_launch=LaunchInputs(launch, {}, (), "test"),
    )
    (prepared,) = Workshop().prepare(request)
    return prepared.subject.program(generation)


def slots(found: MachineProgram, *units: Unit) -> float:
    return sum(
        found.operations[n].slots for part in found.blocks for n in part
        if found.operations[n].unit in units
    )  # fmt: skip


def computed(expression: str, type_: str = "int") -> tuple[float, float]:
    """ALU and FMA instructions of an expression of a, b, c and d, beside those of a sum of none."""

    def of(text: str) -> MachineProgram:
        return program(
            f"__kernel void k(__global {type_} *out, __global const {type_} *in) {{"
            f"int i = get_global_id(0); {type_} a = in[4 * i], b = in[4 * i + 1],"
            f"c = in[4 * i + 2], d = in[4 * i + 3]; out[i] = {text}; }}"
        )

    base, found = of("a"), of(expression)
    alu, fma = (slots(found, u) - slots(base, u) for u in (Unit.ALU, Unit.FMA))
    return alu, fma


@pytest.mark.parametrize(
    ("expression", "alu", "fma"),
    [
        ("a + b", 1, 0),
        ("a + b + c", 1, 0),  # IADD3
        ("a + b + c + d", 2, 0),
        ("a * b", 0, 1),
        ("a * b + c", 0, 1),  # IMAD
        ("a * b + c * d", 0, 2),  # IMUL and IMAD
        ("(a << 3) + b", 1, 0),  # LEA
        ("a & b ^ c", 1, 0),  # LOP3
        ("(a & b) + c", 2, 0),
    ],
)
def test_operations_join(expression: str, alu: float, fma: float) -> None:
    assert computed(expression) == (alu, fma)


@pytest.mark.parametrize(
    ("expression", "alu", "fma"),
    [("a + b", 2, 0), ("a ^ b", 2, 0), ("a * b", 0, 4), ("a & 0xffffffff00000000", 0, 0)],
)
def test_wide_numbers_take_an_instruction_a_half(expression: str, alu: float, fma: float) -> None:
    assert computed(expression, "long") == (alu, fma)


def test_a_guarded_sum_of_vectors_instruction_by_instruction() -> None:
    """MOV R1; S2R, S2R, IMAD; ISETP, @P0 EXIT; the factor 4, ULDC, three IMAD.WIDE, two LDG,
    FADD, STG and EXIT."""
    found = program(
        "__kernel void k(__global const float *x, __global const float *y, __global float *z,"
        " int n) { int i = get_global_id(0); if (i < n) z[i] = x[i] + y[i]; }"
    )
    assert slots(found, Unit.EITHER) == 2
    assert slots(found, Unit.SFU) == 2
    assert slots(found, Unit.FMA) == 1 + 3 + 1
    assert slots(found, Unit.ALU) == 1
    assert slots(found, Unit.CONTROL) == 3
    assert slots(found, Unit.MEMORY) == 3


def test_before_volta_products_are_three_and_addresses_two() -> None:
    """S2R, S2R, three XMAD; SHR, and IADD with IADD.X for each of two arrays."""
    found = program(
        "__kernel void k(__global const float *x, __global float *y)"
        "{ int i = get_global_id(0); y[i] = x[i]; }",
        Generation.MAXWELL,
    )
    assert slots(found, Unit.FMA) == 3
    assert slots(found, Unit.ALU) == 4
    assert slots(found, Unit.EITHER) == 2


LOOP = """
__kernel void k(__global const float *x, __global float *y, {type} n, {type} m) {{
  float s = 0;
  for ({type} i = 0; i < n; {step}) s += x[i];
  y[get_global_id(0)] = s;
}}
"""


@pytest.mark.parametrize(
    ("type_", "step", "shared"),
    [("int", "i += 3", True), ("uint", "i += 3", False), ("int", "i += m", False)],
)
def test_only_counters_that_move_by_constants_share(type_: str, step: str, shared: bool) -> None:
    """Copies of an unsigned index may wrap, so that each has its address (mergeHistogram256); a
    loop whose step is not known is not unrolled at all (saxpy_grid_stride)."""
    found = program(LOOP.format(type=type_, step=step))
    loop = next(
        part for part in found.blocks if any(found.operations[n].unit is Unit.MEMORY for n in part)
    )
    addresses = [found.operations[n] for n in loop if found.operations[n].unit is Unit.FMA]
    (address,) = (row for row in addresses if row.kind.name == "ADDRESS")
    assert (address.slots < 1) == shared
    branch = sum(
        found.operations[n].slots for n in loop if found.operations[n].unit is Unit.CONTROL
    )
    assert (branch < 1) == (step != "i += m")


def test_a_search_is_not_unrolled() -> None:
    """A loop that ends where memory says so (mst_flatten)."""
    found = program(
        "__kernel void k(__global const int *parent, __global int *root)"
        "{ int i = get_global_id(0), p = parent[i]; while (p != parent[p]) p = parent[p];"
        " root[i] = p; }"
    )
    assert all(row.every == 1 for row in found.operations)


HALVES = "ulong m = (ulong)(uint)a * 0xD2511F53u; out[i] = (int)(m >> 32) ^ b"


@pytest.mark.parametrize(
    ("text", "more", "slots_more"),
    [
        (HALVES, " ^ (int)m", 0.0),  # IMAD.WIDE gives both, LOP3 takes three
        (HALVES, " ^ (a * (int)0xD2511F53u)", 0.0),
        ("out[i] = a % d", " + b % d", 12.0 + 1.0),  # the reciprocal is there; the sum
        ("out[i] = a % d", " + b % c", 22.0 + 1.0),
    ],
)
def test_halves_of_products_and_divisions_by_one_number(
    text: str, more: str, slots_more: float
) -> None:
    def whole(body: str) -> float:
        found = program(
            "__kernel void k(__global int *out, __global const int *in, int d) {"
            "int i = get_global_id(0), a = in[4 * i], b = in[4 * i + 1], c = in[4 * i + 2];"
            f"{body}; }}"
        )
        return slots(found, Unit.ALU, Unit.FMA, Unit.SFU)

    assert whole(text + more) - whole(text) == pytest.approx(slots_more)


ONE_IN_A_LOOP = """
kernel void k(global int *out, global const int *in, int d, int n) {{
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) out[i] = in[i] {0};
}}
"""


def test_what_is_the_divisors_stands_before_a_loop() -> None:
    plain, divided = (program(ONE_IN_A_LOOP.format(each)) for each in ("+ d", "% d"))
    (loop,) = [n for n, part in enumerate(divided.blocks) if any(
        divided.operations[m].unit is Unit.MEMORY for m in part
    )]  # fmt: skip

    def inside(found: MachineProgram) -> float:
        return sum(found.operations[n].slots for n in found.blocks[loop])

    assert inside(divided) - inside(plain) == 12 - 1
    assert slots(divided, *Unit) - slots(plain, *Unit) == 22 - 1
