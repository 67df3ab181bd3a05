"""Compiled functions that are kept, and called by a process that has no numba."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kcc.base.cache_folder import keep, kept
from kcc.base.native_kept import kinds_of

MODULE = """
from typing import NamedTuple
import numpy as np
from kcc.base.native import inlined, native, trailing_zeros, uncounted

class Pair(NamedTuple):
    weights: np.ndarray
    scale: float

@inlined
def weight(pair, place):
    return pair.weights[place] * pair.scale

@uncounted
def total(values, pair, most, doubled):
    found = 0.0
    for place in range(min(most, values.shape[0])):
        found += weight(pair, place) * values[place] + np.log(2.0) * trailing_zeros(values[place])
    values[0] = most
    return 2 * found if doubled else found

@native
def spread(values):
    made = np.zeros((values.shape[0], 2), np.float32)
    for place in range(values.shape[0]):
        made[place, place % 2] = values[place]
    return made, made[:, 0].copy(), values

@uncounted
def fails(values):
    if values[0] > 0:
        raise ValueError("what compiled code raises")
    return 1
"""

CALL = """
import sys
import numpy as np
import numbers_kept as kept
values = np.array([8, 6, 5], dtype=np.int64)
print(kept.total(values, kept.Pair(np.array([1.0, 2.0, 3.0]), 0.5), 2, True), values.tolist())
print(kept.total(values[::2], kept.Pair(np.array([1.0, 2.0, 3.0]), 0.5), 2, False))
for each in kept.spread(values):
    print(each.dtype, each.tolist(), each is values)
print(kept.fails(np.zeros(1)))
try:
    kept.fails(np.ones(1))
except ValueError as error:
    print(error)
print("numba" in sys.modules)
"""


def called(folder: Path) -> tuple[list[str], bool]:
    """What the calls print, and whether numba was needed for it."""
    (folder / "numbers_kept.py").write_text(MODULE)
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    run = subprocess.run(
        [sys.executable, "-c", CALL],
        capture_output=True, text=True, cwd=folder, check=True,
        env=os.environ
        | {"NUMBA_CACHE_DIR": str(folder / "kept"), "PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip
    *lines, numba = run.stdout.splitlines()
    return lines, numba == "True"


def test_kept_code_runs_without_numba_and_gives_the_same(tmp_path: Path) -> None:
    lines, numba = called(tmp_path)
    assert numba
    logarithm = float(np.log(2.0))
    whole = 2 * (0.5 * 8 + 3 * logarithm + 1.0 * 6 + logarithm)
    assert float(lines[0].split()[0]) == pytest.approx(whole)
    assert lines[0].endswith("[2, 6, 5]")
    assert lines[2:5] == [
        "float32 [[2.0, 0.0], [0.0, 6.0], [5.0, 0.0]] False",
        "float32 [2.0, 0.0, 5.0] False",
        "int64 [2, 6, 5] True",
    ]
    assert lines[-1] == "what compiled code raises"
    assert called(tmp_path) == (lines, False)


@pytest.mark.slow
def test_damaged_code_is_made_anew(tmp_path: Path) -> None:
    lines, _ = called(tmp_path)
    for path in (tmp_path / "kept").glob("*.o"):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    assert called(tmp_path) == (lines, True)
    assert called(tmp_path) == (lines, False)


@pytest.mark.slow
def test_code_that_needs_what_is_not_there_is_made_anew(tmp_path: Path) -> None:
    lines, _ = called(tmp_path)
    for path in (tmp_path / "kept").glob("*.o"):
        name = path.stem
        data = kept(tmp_path / "kept", name)
        assert data is not None
        head, _, code = data.partition(b"\n")
        told = json.loads(head)
        told["needs"].append("no_such_function_anywhere")
        keep(tmp_path / "kept", name, json.dumps(told).encode() + b"\n" + code)
    assert called(tmp_path) == (lines, True)


def test_kinds_tell_apart_what_compiled_code_does() -> None:
    plain = np.zeros((3, 4))
    fixed = np.zeros((3, 4))
    fixed.flags.writeable = False
    others = (
        plain.T, plain[:, ::2], plain[0], plain.astype(np.float32), fixed, 1, 1.0, True, 2**63,
        np.int64(1), np.uint64(1), (plain,), (plain, plain), None,
        np.zeros((3, 4), dtype=[("a", np.int64)]),
    )  # fmt: skip
    kinds = [kinds_of((each,)) for each in (plain, *others)]
    assert len(set(kinds)) == len(kinds)
    assert kinds_of((plain, 1)) == kinds_of((np.ones((5, 2)), -7))


def test_an_estimate_imports_no_numba_once_its_code_is_kept(tmp_path: Path) -> None:
    source = tmp_path / "k.cl"
    source.write_text(
        "__kernel void k(__global float *a) { a[get_global_id(0)] += a[get_global_id(0) / 2]; }"
    )
    run = (
        "import sys; from kcc.cli import main\n"
        f"main(['estimate', {str(source)!r}, '--global', '4096', '--local', '64', "
        "'--gpu', 'v100'])\n"
        "print('numba' in sys.modules)"
    )
    told = [
        subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, check=True)
        for _ in range(2)
    ]
    assert told[1].stdout.splitlines()[-1] == "False", told[1].stdout
    assert told[0].stdout.splitlines()[:-1] == told[1].stdout.splitlines()[:-1]
