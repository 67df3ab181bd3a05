"""Rows of cl_khr_integer_dot_product (OpenCL extension specification, version 2.0.0)."""

from __future__ import annotations

from kcc.frontend.builtins.rows import Row, Section

_SIGNS = {"uu": "uint", "ss": "int", "us": "int", "su": "int"}
"""Of the two operands, and the type of the result."""

_BYTES = {"u": "uchar4", "s": "char4"}


def _rows() -> tuple[Row, ...]:
    rows = list[Row]()
    for signs, result in _SIGNS.items():
        a, b = (_BYTES[letter] for letter in signs)
        rows += (
            Row(Section.DOT_PRODUCT, "dot", f"{result}({a}, {b})"),
            Row(Section.DOT_PRODUCT, "dot_acc_sat", f"{result}({a}, {b}, {result})"),
            Row(Section.DOT_PRODUCT, f"dot_4x8packed_{signs}_{result}", f"{result}(uint, uint)"),
            Row(
                Section.DOT_PRODUCT,
                f"dot_acc_sat_4x8packed_{signs}_{result}",
                f"{result}(uint, uint, {result})",
            ),
        )
    return tuple(rows)


ROWS = _rows()

DOT_PRODUCTS = tuple(dict.fromkeys(row.names for row in ROWS))
