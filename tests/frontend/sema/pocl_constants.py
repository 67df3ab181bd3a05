"""Values of ``__constant`` variables: ours, from the tree, beside those a PoCL kernel reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kcc.frontend.tree import Constant
from tests.frontend.sema.support import analysed
from tests.pocl import build

if TYPE_CHECKING:
    import pyopencl

DTYPES = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32,
    "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "float": np.float32,
    "double": np.float64,
}  # fmt: skip


def compare(context: pyopencl.Context, prelude: str, constants: Sequence[tuple[str, str]]) -> int:
    """Assert that constants, given as type and expression, have the same value on both sides."""
    import pyopencl as cl

    lines, writers = [prelude], {kind: list[str]() for kind, _ in constants}
    for number, (kind, value) in enumerate(constants):
        lines.append(f"constant {kind} c{number} = {value};")
        writers[kind].append(f"out[{len(writers[kind])}] = c{number};")
    for kind, stores in writers.items():
        lines.append(f"kernel void write_{kind}(global {kind} *out) {{ {' '.join(stores)} }}")
    text = "\n".join(lines) + "\n"
    ours = dict[str, list[int | float]]()
    for variable, initialiser in analysed(text).constants:
        assert isinstance(initialiser, Constant)
        ours.setdefault(str(variable.type.type), []).append(initialiser.value)
    program = build(context, text, "-cl-std=CL1.2")
    queue = cl.CommandQueue(context)
    for kind, values in ours.items():
        found = np.zeros(len(values), DTYPES[kind])
        memory = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, found.nbytes)
        getattr(program, f"write_{kind}")(queue, (1,), None, memory)
        cl.enqueue_copy(queue, found, memory)
        np.testing.assert_array_equal(found, np.array(values, DTYPES[kind]), err_msg=kind)
    return sum(map(len, ours.values()))
