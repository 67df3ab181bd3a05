"""Which thread blocks a miniature keeps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.base.diagnostics import DiagnosticError
from kcc.base.gpu import load_gpu
from kcc.base.profile.model import PerBlock
from kcc.stages.synth import Study, settle, study_script
from kcc.synth.reduction.reductions import largest_blocks, largest_factors
from kcc.synth.reduction.thread_blocks import ALIKE, Cut, cuts, resident_blocks
from tests.synth.making import settings

HOST = '''
import numpy as np
import kcc.opencl as cl

SOURCE = """
__kernel void uneven(__global int *out, int half_of_them) {
    int x = get_global_id(0);
    if (get_group_id(0) >= half_of_them) {
        out[x] = out[x] * out[x] + 3 * out[x] + (int)get_num_groups(0);
        out[x] = out[x] / 3 + out[x] % 7;
    }
}
"""

def main(size, seed):
    context = cl.create_some_context()
    queue = cl.CommandQueue(context)
    flags = cl.mem_flags.COPY_HOST_PTR
    out = cl.Buffer(context, flags, hostbuf=np.ones(64 * 256, np.int32))
    kernel = cl.Program(context, SOURCE).build().uneven
    kernel(queue, (64 * 256,), (64,), out, np.int32(128))
'''


def profile(work: list[int]) -> PerBlock:
    """Thread blocks that differ in everything as they do in ``work``."""
    return PerBlock(*(np.array(work, np.int64) * n for n in (1, 32, 1, 2, 4)))


def test_blocks_that_are_alike_are_the_first_ones():
    (cut,) = cuts([1000], 8, profile([7] * 1000))
    assert cut == Cut(1000, 125)
    assert cut.rows().tolist() == list(range(125))


def test_two_regions_are_both_kept():
    """The second half works ten times as much; a stretch in the middle has the same mixture."""
    (cut,) = cuts([1024], 8, profile([10] * 512 + [100] * 512))
    assert (cut.kept, cut.first, cut.skip) == (128, 448, 0)


def test_regions_that_come_back_take_stretches_from_all_of_them():
    work = ([10] * 64 + [50] * 64 + [20] * 128) * 8
    (cut,) = cuts([2048], 16, profile(work))
    kept = np.array(work)[cut.rows()]
    assert cut.skip
    assert float(kept.mean()) == pytest.approx(25, rel=ALIKE)
    assert np.count_nonzero(kept == 50) / len(kept) == pytest.approx(1 / 4, abs=ALIKE)


def test_the_slowest_dimension_is_cut_first():
    inner, outer = cuts([16, 8], 32, profile([1] * 128))
    assert (inner.kept, outer.kept) == (4, 1)


def test_one_block_stays():
    assert [cut.kept for cut in cuts([1, 1, 1], 64, profile([5]))] == [1, 1, 1]


@given(st.lists(st.integers(1, 100), min_size=1, max_size=300), st.integers(0, 6))
def test_rows_are_the_original_s(work: list[int], shift: int):
    factor = min(1 << shift, 1 << (len(work).bit_length() - 1))
    (cut,) = cuts([len(work)], 1 << shift, profile(work))
    rows = cut.rows()
    assert len(rows) == cut.kept >= 1
    assert len(set(rows.tolist())) == cut.kept
    assert rows.min() >= 0
    assert rows.max() < len(work)
    assert cut.kept <= 2 * len(work) / factor


def test_epochs_are_what_the_largest_gpu_holds():
    gpus = [load_gpu(name, []) for name in ("conf1", "conf4")]
    assert resident_blocks(gpus, 256, 10, 0) == 110 * 4
    assert resident_blocks([], 256, 10, 0) == 0


@pytest.mark.parametrize("factor", [1, 2, 8])
def test_a_kernel_of_two_halves_keeps_both(tmp_path: Path, factor: int):
    script = tmp_path / "script.py"
    script.write_text(HOST)
    study = study_script(str(script), Study(), settings())
    ones = largest_factors(study.kernels, study.launches, 1)
    settled = settle(study, ones, settings(), blocks=factor)
    (launch,), (own,) = settled.miniature.launches, settled.profile.launches
    assert launch.global_size == (64 * 256 // factor,)
    assert len(settled.miniature.kernels[0].moved) == (0 if factor == 1 else 3)
    # Half of the threads take the long way, as in the original.
    entered = [node.ecount for node in own.nodes]
    assert 2 * min(entered) == max(entered) == 64 * 256 // factor
    assert "get_num_groups" not in settled.source.text or factor == 1


def test_ids_of_a_dimension_that_is_no_constant_keep_all_blocks(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(HOST.replace("get_global_id(0)", "get_global_id(half_of_them != 128)"))
    study = study_script(str(script), Study(), settings())
    assert largest_blocks(study.kernels, study.launches, 64) == 1
    ones = largest_factors(study.kernels, study.launches, 1)
    with pytest.raises(DiagnosticError, match="keeps all thread blocks"):
        settle(study, ones, settings(), blocks=2)
