from __future__ import annotations

import re

from kcc.report.analysis.dot import control_flow
from tests.kcc.report.dot_grammar import check_dot
from tests.kcc.report.sample import analysis


def test_graph_has_every_block_and_edge():
    text = control_flow(analysis())
    check_dot(text)
    assert len(re.findall(r"^ *k0b\d+ \[label=", text, re.MULTILINE)) == 5
    assert len(re.findall(r"^ *k0b\d+ -> k0b\d+", text, re.MULTILINE)) == 6


def test_edges_are_labelled():
    text = control_flow(analysis())
    assert 'k0b1 -> k0b1 [label="T back", style=bold];' in text
    assert 'k0b1 -> k0b2 [label="F"];' in text
    assert 'k0b2 -> k0b3 [label="3"];' in text
    assert 'k0b2 -> k0b4 [label="default"];' in text
    assert "k0b3 -> k0b4;" in text


def test_blocks_carry_lines_and_counts():
    text = control_flow(analysis())
    assert r'k0b0 [label="entry\llines 16-17\l3 instructions\l2 int\l1 branch\l"];' in text
    assert r'k0b4 [label="odd \"label\"\l1 instruction\l1 branch\l"];' in text


def test_a_loop_is_a_cluster_around_its_blocks():
    text = control_flow(analysis())
    inside = text.split('subgraph "cluster_k0l0" {')[1].split("}")[0]
    assert "loop 0 (line 17), trips: at most 40" in inside
    assert re.findall(r"k0b\d+", inside) == ["k0b1"]
