"""Figures of estimates beside measured times, in words and columns."""

from __future__ import annotations

from kcc.validation.outcome import Figures

FIGURES_HEAD = " rows   est.  mean %  median %    max %   bias %  corr.  regret %  in range  width"


def figures_cells(f: Figures) -> str:
    """A line of columns under :data:`FIGURES_HEAD`."""
    return (
        f"{f.rows:5d}  {f.estimated:5d}  {_number(f.mean, '6.1f')}  {_number(f.median, '8.1f')}  "
        f"{_number(f.largest, '7.0f')}  {_number(f.bias, '7.1f')}  "
        f"{_number(f.correlation, '5.2f')}  {_number(f.regret, '8.1f')}  "
        f"{_number(f.coverage, '6.0f')} %  {_number(f.width, '5.2f')}"
    )


def _number(value: float | None, form: str) -> str:
    return format("-", f">{form.partition('.')[0]}s") if value is None else format(value, form)
