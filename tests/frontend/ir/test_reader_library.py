"""The definitions of the built-in library, read back and compared with LLVM's object model."""

from __future__ import annotations

import pytest

from kcc.frontend.builtins.lower import definitions, is_lowered
from kcc.frontend.builtins.overloads import names, overloads_of
from tests.frontend.ir.llvm_oracle import check_module, printed

STRIDE = 29
"""Of all lowered overloads, every so-manieth is tried in the default suite."""


def lowered() -> list[str]:
    symbols = (o.symbol for name in names() for o in overloads_of(name))
    return [symbol for symbol in symbols if is_lowered(symbol)]


def check(symbols: list[str]) -> None:
    module = check_module(printed(definitions(symbols)))
    assert set(symbols) <= set(module.functions)


def test_sample():
    check(lowered()[::STRIDE])


@pytest.mark.full
def test_all():
    check(lowered())
