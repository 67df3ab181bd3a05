"""Which registers are pointers."""

import numpy as np

from tests.frontend.ptx.running import run


def test_each_register_is_looked_at_once() -> None:
    """Sums of sums: 2^60 ways lead from the last to the first."""
    sums = [f"add.s64 %s{i + 1}, %s{i}, %s{i};" for i in range(60)]
    out = np.zeros(1, np.uint32)
    text = "\n".join([
        ".visible .entry k(.param .u64 p) {", ".reg .b64 %s<62>; .reg .b64 %p; .reg .b32 %v;",
        "ld.param.u64 %p, [p]; cvta.to.global.u64 %p, %p; mov.u64 %s0, 0;",
        *sums, "add.s64 %p, %s60, %p;",
        "mov.u32 %v, 7; st.global.u32 [%p], %v; ret; }",
    ])  # fmt: skip
    assert run(text, [out], threads=1)[0].view(np.uint32)[0] == 7
