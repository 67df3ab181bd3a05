"""Host scripts of kernels/: their results are right on kcc.opencl, the same on PoCL if nothing but
the import changes, and wrong as soon as a kernel does not run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kcc import workload
from kcc.base.diagnostics import DiagnosticError
from kcc.stages.host import HostSettings, run_script
from kcc.workload import Checked, Tolerance
from tests.pocl import choose_device

KERNELS = Path(__file__).parents[2] / "kernels"
SCRIPTS = {path.parent.name: path for path in sorted(KERNELS.glob("*/workload.py"))}
IMPORT = "import kcc.opencl as cl\n"
SEEDS = range(4)  # no script has more shapes of input

KERNEL_NAMES = {
    name: sorted(workload.workload_file(str(script)).launches) for name, script in SCRIPTS.items()
}
EACH_KERNEL = [(name, kernel) for name, kernels in KERNEL_NAMES.items() for kernel in kernels]

Main = Callable[[str, int], None]


@pytest.fixture(scope="session")
def settings(request: pytest.FixtureRequest) -> HostSettings:
    """Programs compiled in an earlier run need not be compiled again."""
    cache: Any = request.config.cache
    return HostSettings(cache_dir=cache.mkdir("kcc-programs"))


@pytest.fixture
def pocl(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Scripts get our PoCL from pyopencl."""
    import pyopencl

    def context(**_: object) -> pyopencl.Context:
        return pyopencl.Context([choose_device()])

    monkeypatch.setattr(pyopencl, "create_some_context", context)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pyopencl.CompilerWarning)
        yield


def on_kcc(name: str, size: str, seed: int, settings: HostSettings) -> list[Checked]:
    """What a script checks when it runs on kcc.opencl; it launches every kernel there is."""
    with workload.recording() as checked:
        launches = run_script(str(SCRIPTS[name]), size=size, seed=seed, settings=settings).launches
    assert sorted({launch.kernel for launch in launches}) == KERNEL_NAMES[name]
    assert all(launch.warp_instructions > 0 for launch in launches)
    return checked


def main_on_pocl(name: str) -> Main:
    """The `main` of a script in which only the import is another."""
    text = SCRIPTS[name].read_text(encoding="utf-8")
    assert text.count(IMPORT) == text.count("kcc.opencl") == 1
    text = text.replace(IMPORT, "import pyopencl as cl\n")
    scope: dict[str, Any] = {"__file__": str(SCRIPTS[name]), "__name__": name}
    exec(compile(text, str(SCRIPTS[name]), "exec"), scope)
    return scope["main"]


def on_pocl(main: Main, size: str, seed: int) -> list[Checked]:
    """What a script checks when it runs on PoCL."""
    with workload.recording() as checked:
        main(size, seed)
    return checked


def assert_equal(ours: Sequence[Checked], theirs: Sequence[Checked]) -> None:
    """The same checks with the same results: integers exactly, other numbers within twice what the
    check allows each of them."""
    assert [check.name for check in ours] == [check.name for check in theirs]
    for our, their in zip(ours, theirs, strict=True):
        assert (our.got.shape, our.got.dtype) == (their.got.shape, their.got.dtype), our.name
        exact = our.tolerance
        twice = Tolerance(2 * exact.rtol, 2 * exact.atol, 2 * exact.ulp)
        if our.got.dtype.kind in "biu":
            twice = Tolerance(atol=2 * exact.atol)  # levels of images may be rounded apart
        different = workload.difference(our.got, their.got, twice)
        assert different is None, f"{our.name}: {different}"


def test_every_folder_has_a_script():
    assert list(SCRIPTS) == sorted(path.parent.name for path in KERNELS.glob("*/kernel.toml"))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", SCRIPTS)
def test_results_are_right(name: str, settings: HostSettings):
    """By the script's own references."""
    seed = list(SCRIPTS).index(name)
    for each in (0, 1 + seed % (len(SEEDS) - 1)):
        assert on_kcc(name, "tiny", each, settings)


@pytest.mark.sampled(4)
@pytest.mark.pocl
@pytest.mark.thinned(8)
@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.usefixtures("pocl")
def test_results_are_those_of_pocl(name: str, settings: HostSettings):
    main = main_on_pocl(name)
    for seed in SEEDS:
        ours = on_kcc(name, "tiny", seed, settings)
        assert ours
        assert_equal(ours, on_pocl(main, "tiny", seed))


@pytest.mark.full
@pytest.mark.pocl
@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.usefixtures("pocl")
def test_results_are_those_of_pocl_at_size_small(name: str, settings: HostSettings):
    main = main_on_pocl(name)
    for seed in SEEDS:
        assert_equal(on_kcc(name, "small", seed, settings), on_pocl(main, "small", seed))


@pytest.mark.sampled(8)
@pytest.mark.thinned(3)
@pytest.mark.parametrize(("name", "kernel"), EACH_KERNEL)
def test_a_kernel_left_out_is_noticed(
    name: str, kernel: str, settings: HostSettings, monkeypatch: pytest.MonkeyPatch
):
    fetch = workload.Device.kernels

    def nothing(*_: object) -> None:
        pass

    def without(device: workload.Device, *names: str) -> list[Any]:
        kernels = fetch(device, *names)
        return [
            nothing if found == kernel else launch
            for found, launch in zip(names, kernels, strict=True)
        ]

    monkeypatch.setattr(workload.Device, "kernels", without)
    with pytest.raises(DiagnosticError, match=r"K732: the check failed: .*(wrong|shape)"):
        run_script(str(SCRIPTS[name]), size="tiny", seed=1, settings=settings)


def test_a_wrong_kernel_is_noticed(tmp_path: Path, settings: HostSettings):
    for part in ("workload.py", "kernel.toml", "sssp.cl"):
        text = (KERNELS / "sssp" / part).read_text(encoding="utf-8")
        text = text.replace("length < distance[target]", "length + 1 < distance[target]")
        (tmp_path / part).write_text(text, encoding="utf-8")
    with pytest.raises(DiagnosticError, match=r"distance: \d+ of 500 values are wrong, the first"):
        run_script(str(tmp_path / "workload.py"), size="tiny", settings=settings)


def test_unknown_sizes_are_named():
    with pytest.raises(DiagnosticError, match=r"no size 'huge' in .*; it has tiny, small, large"):
        run_script(str(SCRIPTS["vecadd"]), size="huge")


def test_every_size_has_the_same_names():
    for script in SCRIPTS.values():
        sizes = workload.workload_file(str(script)).sizes
        assert list(sizes) == ["tiny", "small", "large"], script
        assert set(sizes["tiny"]) == set(sizes["small"]) == set(sizes["large"]), script
