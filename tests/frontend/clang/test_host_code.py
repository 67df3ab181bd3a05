from __future__ import annotations

from kcc.frontend.clang.host_code import Editable

_RECORD = """struct P {
public:
  int wrong(int a) { if (a) { return 1; } return 2; }
  int right(int a[3]);
  float value;
};
"""


def test_a_member_is_taken_out_once() -> None:
    editable = Editable(_RECORD)
    item = editable.item_at(3, 7)
    assert item is not None
    assert editable.hide_member(item, 3, 7)
    assert editable.hide_member(item, 3, 20)  # gone already: the next one stays
    lines = editable.text.split("\n")
    assert not lines[2].strip()
    assert lines[3:5] == _RECORD.split("\n")[3:5]


def test_members_after_one_another() -> None:
    editable = Editable(_RECORD)
    item = editable.item_at(3, 7)
    assert item is not None
    for line in (5, 3, 4):
        assert editable.hide_member(item, line, 7)
    assert "".join(editable.text.split()) == "structP{public:};"


def test_what_is_no_member() -> None:
    editable = Editable("int a;\n")
    item = editable.item_at(1, 5)
    assert item is not None
    assert not editable.hide_member(item, 1, 5)
