"""PTX that came in: its lines as places, and which instruction of the IR stands for each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.machine_code.numbering import Numbers
from kcc.frontend.machine_code.nvidia import nvidia_code
from kcc.frontend.machine_code.own_ptx import located_ptx, origins, plain_ptx
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.frontend.ptx.ptxas import count_registers
from kcc.frontend.ptx.reading import compile_ptx
from tests.frontend.machine_code.test_nvidia import tools

TEXT = """.version 8.0
.target sm_80, debug
.address_size 64
.visible .const .align 4 .b8 weights[8] = {1, 0, 0, 0, 2, 0, 0, 0};
.visible .entry sum(
\t.param .u64 sum_param_0, .param .u32 sum_param_1
)
.maxntid 128, 1, 1
{
\t.reg .pred \t%p<3>;
\t.reg .f32 \t%f<9>;
\t.reg .b32 \t%r<6>;
\t.reg .b64 \t%rd<6>;
\t.loc\t1 77 3
\tld.param.u64 \t%rd1, [sum_param_0];
\tld.param.u32 \t%r1, [sum_param_1];
\tcvta.to.global.u64 \t%rd2, %rd1;
\tmov.u32 \t%r2, %tid.x;
\tmul.wide.u32 \t%rd3, %r2, 4; add.s64 \t%rd4, %rd2, %rd3;
\tmov.f32 \t%f4, 0f00000000;
\tmov.u32 \t%r3, 0;
$L__BB0_1:
\t.pragma "nounroll";
\tld.global.f32 \t%f1, [%rd4];
\tfma.rn.f32 \t%f4, %f1, %f1, %f4;
\tadd.s64 \t%rd4, %rd4, 512;
\tadd.s32 \t%r3, %r3, 1;
\tsetp.ne.s32 \t%p1, %r3, 8;
\t@%p1 bra \t$L__BB0_1;
\tsetp.ge.u32 \t%p2, %r2, %r1;
\t@%p2 bra \t$L__BB0_3;
\tst.global.f32 \t[%rd2], %f4;
$L__BB0_3:
\tret;
}
\t.file\t1 "/there/sum.cu"
\t.section\t.debug_loc
\t{
\t}
"""


def lines_with(text: str, what: str) -> list[int]:
    return [number for number, line in enumerate(text.split("\n"), 1) if what in line]


def test_what_says_where_it_came_from_is_gone_and_lines_stay():
    plain = plain_ptx(TEXT)
    assert "debug" not in plain
    assert ".loc" not in plain
    assert "sum.cu" not in plain
    assert lines_with(plain, "st.global") == lines_with(TEXT, "st.global")


def test_each_instruction_has_its_line_and_nothing_else_one():
    plain = plain_ptx(TEXT)
    located = located_ptx(plain)
    places = re.findall(r"\.loc 1 (\d+) 1\n(@?\S+)", located)
    starts = dict(places)
    assert starts[str(lines_with(TEXT, "st.global")[0])] == "st.global.f32"
    assert starts[str(lines_with(TEXT, "@%p1 bra")[0])] == "@%p1"
    assert len(places) == 18
    assert not any(word.startswith((".", "$", "{")) for _, word in places)
    assert re.sub(r"\n\.loc 1 \d+ 1\n|\n\.file [^\n]*\n", "", located) == plain


def test_an_instruction_of_the_ir_stands_for_each_line():
    unit = compile_ptx(SourceText("sum.ptx", TEXT, ""), BuildOptions(opt_level=OptLevel.O2))
    found = origins(unit)
    rows = unit.module.functions["sum"].instructions
    of = {line: [rows[i].opcode for i in indices] for line, indices in found["sum"].items()}
    (load,), (store,) = lines_with(TEXT, "ld.global"), lines_with(TEXT, "st.global")
    assert (of[load], of[store]) == ([Opcode.LOAD], [Opcode.STORE])


def test_all_copies_of_an_unrolled_loop_stand_for_a_line():
    text = TEXT.replace('\t.pragma "nounroll";\n', "")
    unit = compile_ptx(SourceText("sum.ptx", text, ""), BuildOptions(opt_level=OptLevel.O2))
    found = origins(unit)
    rows = unit.module.functions["sum"].instructions
    (load,) = lines_with(text, "ld.global")
    loads = [n for n, row in enumerate(rows) if row.opcode is Opcode.LOAD]
    assert len(loads) > 1
    assert list(found["sum"][load]) == loads


def test_lines_of_the_source_and_of_the_ptx_are_kept_beside_each_other():
    text = re.sub(r"\n\t(?=ld|fma|add|st\.)", "\n\t.loc 1 80 5\n\t", TEXT)
    text = text.replace('\t.pragma "nounroll";\n', "")
    (with_places, plain) = (
        compile_ptx(SourceText("sum.ptx", each, ""), BuildOptions(opt_level=OptLevel.O2))
        for each in (text, plain_ptx(text))
    )
    assert origins(with_places) == origins(plain)
    rows = with_places.module.functions["sum"].instructions
    loads = [row.location for row in rows if row.opcode is Opcode.LOAD]
    assert len(loads) > 1
    assert {str(each) for each in loads} == {"/there/sum.cu:80:5"}


def test_a_loop_whose_pragma_stands_after_its_label_is_not_unrolled():
    unit = compile_ptx(SourceText("sum.ptx", TEXT, ""), BuildOptions(opt_level=OptLevel.O2))
    rows = unit.module.functions["sum"].instructions
    assert sum(row.opcode is Opcode.LOAD for row in rows) == 1


@pytest.mark.nvidia
def test_registers_are_those_of_ptxas_for_the_ptx_itself(tmp_path: Path):
    unit = compile_ptx(SourceText("sum.ptx", TEXT, ""), BuildOptions(opt_level=OptLevel.O2))
    own = tools("sm_80", tmp_path)
    code, numbers = nvidia_code(unit, own)["sum"], Numbers.of(unit.module)
    assert code.registers == count_registers(plain_ptx(TEXT), "sm_80", own.ptxas)["sum"].registers
    rows = unit.module.functions["sum"].instructions
    loads = [i for i in code.instructions if i.opcode.startswith("LDG")]
    indices = {numbers.index("sum", each.number) for each in loads}
    assert [rows[index].opcode for index in indices if index is not None] == [Opcode.LOAD]


@pytest.mark.nvidia
def test_ptx_for_a_newer_target_is_made_anew(tmp_path: Path):
    newer = TEXT.replace("sm_80, debug", "sm_90")
    unit = compile_ptx(SourceText("sum.ptx", newer, ""), BuildOptions(opt_level=OptLevel.O2))
    assert nvidia_code(unit, tools("sm_80", tmp_path))["sum"].instructions
