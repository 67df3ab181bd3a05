"""PoCL on a processor that it does not know: its device is given a level of x86-64."""

from __future__ import annotations

import ctypes

import pytest

from kcc.tracegen.simt.host_cpu import levels_of, own_cpu
from tests.pocl import UNKNOWN_PROCESSOR, name_processor

KNOWN = b"znver3\0\0"


@pytest.mark.parametrize("name", [UNKNOWN_PROCESSOR, KNOWN])
def test_the_processor_of_a_device(name: bytes):
    """Words of a record that are no addresses are passed over; a known name stays."""
    if not levels_of(own_cpu()):
        pytest.skip("not an x86-64")
    text = ctypes.create_string_buffer(name)
    record = (ctypes.c_uint64 * 512)(3, 2**64 - 1, 0, ctypes.addressof(text), 1)
    name_processor(ctypes.addressof(record))
    wanted = levels_of(own_cpu())[-1].encode() if name == UNKNOWN_PROCESSOR else b"znver3"
    assert ctypes.string_at(record[3]) == wanted
    assert (record[0], record[1], record[4]) == (3, 2**64 - 1, 1)
