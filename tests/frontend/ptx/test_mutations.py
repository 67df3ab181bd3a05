"""PTX with faults: whatever stands in a file, the answer is a unit or messages with a place."""

from __future__ import annotations

import random
from functools import cache

import pytest

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.frontend.options import OptLevel
from kcc.frontend.ptx.emit import PtxOptions, emit_ptx
from tests.frontend.ptx.running import HEAD, unit_of
from tests.frontend.ptx.test_async import BULK, WAITING
from tests.frontend.ptx.test_tensor_maps import HOST
from tests.frontend.ptx.test_textures import FLOATS, SAMPLED, STORE, WIDE, kernel
from tests.passes.workloads import compiled

SOURCES = ("vecadd", "transpose", "reduction", "histogram", "nn")
WORDS = (
    "%r1", "%rd1", "%p1", "%f1", "[%rd1]", "{", "}", ";", ",", "0x7fffffff", "-1", "ld.global.f32",
    "st.shared.v4.b32", "bra", "@%p1", "ret", ".reg .b32 %r<3>;", "mma.sync", "cvt.u8.f64",
    "%tid.x", "setp.lt.s32", "shl.b64", "atom.global.add.u32", "call", ".param", "$L",
    "0f00000000", "%rs1", "tex.3d.v4.f32.s32", "cp.async.wait_group", "[%rd1, {%f1}]", ".texref",
)  # fmt: skip
CASES = 2000


SAMPLER = ".global .samplerref s = { addr_mode_0 = wrap, filter_mode = linear };"
OWN = (
    HEAD + BULK.replace("SIZE", "512"), HEAD + WAITING.replace("COUNT", "1"), HEAD + HOST,
    HEAD + kernel(f"{FLOATS} tex.2d.v4.f32.f32 {{%f0,%f1,%f2,%f3}}, [%rd0, {{%f8, %f9}}]; {STORE}"),
    HEAD + kernel(WIDE + SAMPLED + STORE, before=SAMPLER),
    HEAD + kernel("suld.b.2d.v2.b32.trap {%r4, %r5}, [%rd0, {%r3, %r2}];"
                  "sust.p.2d.v2.b32.clamp [%rd0, {%r1, %r2}], {%r4, %r5};"
                  "txq.width.b32 %r6, [%rd0];"),
)  # fmt: skip
"""Copies, waits, tensor maps, textures and surfaces, which no kernel of ours has."""


@cache
def texts() -> tuple[str, ...]:
    return (*(emit_ptx(compiled(n, OptLevel.O2).ir, PtxOptions()) for n in SOURCES), *OWN)


def mutated(seed: int) -> str:
    """One to three faults: a word or a line gone, twice, elsewhere or another one; a letter."""
    chance = random.Random(seed)
    lines = chance.choice(texts()).split("\n")
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(lines))
        words = lines[place].split(" ")
        match chance.randrange(6):
            case 0:
                del lines[place]
            case 1:
                lines.insert(chance.randrange(len(lines)), lines[place])
            case 2:
                words[chance.randrange(len(words))] = chance.choice(WORDS)
                lines[place] = " ".join(words)
            case 3:
                words.insert(chance.randrange(len(words) + 1), chance.choice(WORDS))
                lines[place] = " ".join(words)
            case 4:
                letter = chance.randrange(len(lines[place]) + 1)
                lines[place] = lines[place][:letter] + lines[place][letter + 1 :]
            case _:
                other = chance.randrange(len(lines))
                lines[place], lines[other] = lines[other], lines[place]
    return "\n".join(lines)


@pytest.mark.thinned(250)
@pytest.mark.parametrize("seed", range(CASES))
def test_a_fault_is_a_message(seed: int) -> None:
    assert all(d.code and d.message for d in messages(mutated(seed)))


def messages(text: str) -> tuple[Diagnostic, ...]:
    try:
        return unit_of(text, OptLevel.O1).warnings
    except DiagnosticError as error:
        return tuple(error.diagnostics)
