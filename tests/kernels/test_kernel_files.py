"""Every kernel.toml agrees with its source, as PoCL sees it."""

from __future__ import annotations

import pytest

from tests.kernels import pocl
from tests.kernels.harness import KERNELS, WORKLOADS, Image, Sampler, geometry, launch_of, load

LAUNCHES = [(name, kernel) for name in WORKLOADS for kernel in load(name).launches]


def test_number_of_workloads():
    assert len(WORKLOADS) >= 28
    assert len(LAUNCHES) >= 50


@pytest.mark.parametrize("name", WORKLOADS)
def test_tables_are_complete(name: str):
    workload = load(name)
    assert set(workload.sizes) == {"tiny", "small", "large"}
    names = [set(size) for size in workload.sizes.values()]
    assert names[0] == names[1] == names[2]
    assert set(workload.launches) == set(workload.args)
    assert set(workload.provenance) == {"algorithm", "reference", "suite", "ours"}


@pytest.mark.sampled(4)
@pytest.mark.pocl
@pytest.mark.parametrize("name", WORKLOADS)
def test_every_kernel_of_the_source_has_a_launch(name: str):
    assert set(pocl.kernels(name)) == set(load(name).launches)


@pytest.mark.pocl
@pytest.mark.parametrize(("name", "kernel"), LAUNCHES)
def test_arguments_are_those_of_the_source(name: str, kernel: str):
    parameters = pocl.parameters(name, kernel)
    launch = launch_of(name, kernel)
    assert [p.name for p in parameters] == list(launch.arguments)
    for parameter in parameters:
        value = launch.arguments[parameter.name]
        is_scalar = isinstance(value, int | float)
        by_value = parameter.address_space == "private"
        if isinstance(value, Sampler):
            assert parameter.type_name == "sampler_t"
        elif isinstance(value, Image):
            assert parameter.type_name == "image2d_t"
        else:
            assert is_scalar or value.size > 0
            assert by_value == (is_scalar or value.dtype.names is not None)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("size", ["tiny", "small", "large"])
@pytest.mark.parametrize(("name", "kernel"), LAUNCHES)
def test_launch_is_valid(name: str, kernel: str, size: str):
    workload = load(name)
    global_size, local_size = geometry(workload, kernel, workload.names(size))
    assert len(global_size) == len(local_size)
    for whole, part in zip(global_size, local_size, strict=True):
        assert whole > 0
        assert whole % part == 0


def test_readme_lists_every_kernel():
    rows = [
        line.split("|")
        for line in (KERNELS / "README.md").read_text().splitlines()
        if line.startswith("| ") and line.count("|") == 6
    ]
    listed = {row[1].strip(): {part.strip() for part in row[2].split(",")} for row in rows}
    del listed["folder"]
    assert listed == {name: set(load(name).launches) for name in WORKLOADS}
