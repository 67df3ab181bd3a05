"""PyOpenCL's arrays, elementwise kernels, reductions and scans over kcc.opencl: equal to PoCL's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tests
from kcc.cli import main
from kcc.stages import redirection

ROOT = Path(tests.__file__).parents[1]
SCRIPT = Path(__file__).with_name("arrays_script.py")

CRASHES_OF_POCL = 3
"""How often the script is begun under PoCL before its segmentation faults count: PoCL 3.0's threads
crash now and then on a loaded machine, which says nothing about results, ours or theirs."""


def results(path: Path) -> dict[str, NDArray[Any]]:
    with np.load(path) as found:
        return {name: found[name] for name in found.files}


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, NDArray[Any]]:
    pytest.importorskip("mako", reason="needs kcc[pyopencl]")
    target = tmp_path_factory.mktemp("arrays") / "ours.npz"
    assert main(["run", str(SCRIPT), "--json", str(target) + ".json", "--", str(target)]) == 0
    return results(target)


@pytest.mark.slow
def test_results_are_those_of_numpy(ours: dict[str, NDArray[Any]]) -> None:
    random = np.random.default_rng(3)
    a, b = (random.random(5000, dtype=np.float32) + 0.5 for _ in range(2))
    k = random.integers(-1000, 1000, 5000, dtype=np.int32)
    exact = {
        "sum": a + b, "slice": a[10:500], "negated": -a[5:], "integers": k * 3 - (k & 0xFF),
        "less": a < b, "where": np.where(k > 0, a, b), "maximum": np.maximum(a, b),
        "matrix": a[:4900].reshape(70, 70).T, "whole sum": k.sum(), "most": a.max(),
        "cumulative": np.cumsum(k), "reduction": (k > 0).sum(), "scan": np.maximum.accumulate(k),
        "generic scan": np.cumsum(k % 2 == 0), "copied": k[k > 500], "unique": np.unique(k),
        "sorted": np.sort(k + 1000), "shared memory": a * 2, "mapped": np.full(10, 34.0),
        "fill": np.full(17, 2.5), "random numbers": [True, True, True],
    }  # fmt: skip
    near = {
        "expression": 2 * a - b / 3 + a * b, "power": a**2, "dot": a.astype(float) @ b,
        "complex": (a + 1j * b) * (b - 1j * a), "sine": np.sin(a), "elementwise": 3 * a + b,
    }  # fmt: skip
    for name, value in exact.items():
        np.testing.assert_array_equal(ours[name], value, err_msg=name)
    for name, value in near.items():
        np.testing.assert_allclose(ours[name], value, rtol=2e-5, err_msg=name)
    part = 3 * a + b
    part[300:400] = 3 * a[100:200] + b[200:300]
    np.testing.assert_allclose(ours["elementwise with offsets"], part, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.pocl
def test_results_are_those_of_pocl(ours: dict[str, NDArray[Any]], tmp_path: Path) -> None:
    target = tmp_path / "theirs.npz"
    # It leaves at once: PoCL 3.0 may crash when the interpreter takes its objects down.
    script = "import os, runpy; from tests.pocl import choose_device; choose_device(); "
    script += f"runpy.run_path({str(SCRIPT)!r}); os._exit(0)"
    command = [
        sys.executable,
        "-X",
        "faulthandler",
        "-P",
        "-W",
        "ignore",
        "-c",
        script,
        str(target),
    ]
    environment = {**os.environ, "PYOPENCL_NO_CACHE": "1", "PYTHONPATH": str(ROOT)}
    code, words = -signal.SIGSEGV, ""
    tries = 0
    while code == -signal.SIGSEGV and tries < CRASHES_OF_POCL:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        code, words, tries = done.returncode, done.stderr, tries + 1
    assert code == 0, words
    theirs = results(target)
    assert theirs.keys() == ours.keys()
    for name, value in theirs.items():
        if value.dtype.kind in "iub":
            np.testing.assert_array_equal(ours[name], value, err_msg=name)
        else:
            np.testing.assert_allclose(ours[name], value, rtol=2e-5, err_msg=name)


def test_without_the_wheel_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(redirection, "wheel_folder", lambda: None)
    script = tmp_path / "host.py"
    script.write_text("import pyopencl\nimport pyopencl.elementwise\n")
    assert main(["run", str(script)]) == 1
    error = capsys.readouterr().err
    assert "K733" in error
    assert "`pyopencl`" in error
    script.write_text("import pyopencl.array as a\nassert a.__file__.endswith('opencl/array.py')\n")
    assert main(["run", str(script)]) in (0, 1)


def test_the_binary_part_is_never_loaded(tmp_path: Path) -> None:
    script = tmp_path / "host.py"
    script.write_text(
        "import sys\nimport pyopencl.array, pyopencl.elementwise, pyopencl.clmath\n"
        "loaded = [m for m in sys.modules.values() if '_cl.' in str(getattr(m, '__file__', ''))]\n"
        "assert not loaded, loaded\n"
    )
    code = "import sys; from kcc.cli import main; sys.exit(main(['run', sys.argv[1]]))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(script)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_scripts_that_share_memory_with_opengl_are_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "host.py"
    script.write_text(
        "from OpenGL.GLUT import glutInit\nimport pyopencl as cl\n\ndef begin():\n"
        "    from pyopencl.tools import get_gl_sharing_context_properties\n\nglutInit()\n"
    )
    assert main(["run", str(script)]) == 1
    error = capsys.readouterr().err
    assert "error[K733]: kcc.opencl shares nothing with OpenGL" in error
    assert "host.py:5:" in error
    assert "'get_gl_sharing_context_properties'" in error


def test_scripts_that_can_do_without_opengl_run(tmp_path: Path) -> None:
    script = tmp_path / "host.py"
    script.write_text(
        "import pyopencl as cl\n\ndef shown():\n    from OpenGL.GL import glBegin\n"
        "    return cl.GLBuffer\n"
    )
    assert main(["run", str(script)]) in (0, 1)
    script.write_text(script.read_text() + "assert cl.have_gl() is False\n")
    assert main(["run", str(script)]) == 0
