"""With Kernel Tuner itself: its scripts as search spaces, its strategies on our estimates."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kcc.cli import main
from kcc.tuning import EstimatesFirst, prefilter
from kcc.tuning.space import key_of

pytest.importorskip("kernel_tuner", reason="needs kcc[tune]")

SCRIPT = """\
import sys
import numpy as np
from kernel_tuner import tune_kernel

SOURCE = \"\"\"
__kernel void add(__global float *c, __global const float *a, int n)
{
    int i = get_group_id(0) * block_size_x + get_local_id(0);
    for (int k = 0; k < items; ++k)
        if (i + k * grid_size_x * block_size_x < n)
            c[i + k * grid_size_x * block_size_x] += a[i];
}
\"\"\"
n = np.int32(1 << 18)
a = np.ones(n, np.float32)
space = {"block_size_x": [32, 64, int(sys.argv[1])], "items": [1, 4]}
results, env = tune_kernel(
    "add", SOURCE, int(n), [a, a, n], space, lang="OpenCL", grid_div_x=["block_size_x", "items"],
    restrictions=["block_size_x * items != 128"],
)
print("never reached", results[0])
"""
LEFT = ["2048,1", "2048,4", "32,1", "64,1", "64,4"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tuner")


@pytest.fixture(scope="module")
def cache(folder: Path) -> Path:
    (folder / "tune_add.py").write_text(SCRIPT)
    target = folder / "cache.json"
    script = str(folder / "tune_add.py")
    assert (
        main(
            [
                "tune",
                script,
                "--gpu",
                "v100",
                "--cachefile",
                str(target),
                "--t4",
                str(folder / "t4.json"),
                "--",
                "2048",
            ]
        )
        == 0
    )
    return target


def searched(
    cache: Path, strategy: Any, restrictions: tuple[Any, ...] = (), **options: Any
) -> list[dict[str, Any]]:
    tune_kernel: Any = import_module("kernel_tuner").tune_kernel
    content = json.loads(cache.read_text())
    results, _ = tune_kernel(
        "add", "", content["problem_size"], [], content["tune_params"], lang="OpenCL",
        restrictions=["block_size_x * items != 128", *restrictions], cache=str(cache),
        simulation_mode=True, strategy=strategy, strategy_options=options, quiet=True,
    )  # fmt: skip
    return results


def times_of(cache: Path) -> list[float]:
    rows = json.loads(cache.read_text())["cache"].values()
    return sorted(row["time"] for row in rows if isinstance(row["time"], float))


def test_the_space_is_that_of_the_script(cache: Path) -> None:
    content = json.loads(cache.read_text())
    assert sorted(content["cache"]) == sorted(LEFT)
    assert content["problem_size"] == 1 << 18
    assert all(
        (row["time"] == "CompilationFailedConfig") == key.startswith("2048,")
        for key, row in content["cache"].items()
    )


def test_t4_is_as_its_schema_says(cache: Path) -> None:
    file_utils: Any = import_module("kernel_tuner.file_utils")
    _, schema = file_utils.output_file_schema("results")
    jsonschema.validate(json.loads((cache.parent / "t4.json").read_text()), schema)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("strategy", ["brute_force", "random_sample", "greedy_ils"])
def test_its_strategies_run_on_our_times(cache: Path, strategy: str) -> None:
    content = json.loads(cache.read_text())["cache"]
    limit: dict[str, Any] = {} if strategy == "brute_force" else {"max_fevals": 2}
    found = searched(cache, strategy, (), **limit)
    for row in found:
        key = key_of([row["block_size_x"], row["items"]])
        assert row["time"] == content[key]["time"]


@pytest.mark.filterwarnings("ignore")
def test_the_fastest_are_measured_first(cache: Path) -> None:
    times = times_of(cache)
    found = searched(cache, EstimatesFirst(str(cache)), max_fevals=2)
    assert [row["time"] for row in found] == times[:2]


@pytest.mark.filterwarnings("ignore")
def test_the_slow_are_left_out(cache: Path) -> None:
    times = times_of(cache)
    found = searched(cache, "brute_force", (prefilter(str(cache), 0.5),))
    assert sorted(row["time"] for row in found) == times[:2]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("print(1)\n", "K895"),
        ("import kernel_tuner\nraise ValueError('no GPU')\n", "K731"),
        ("def f(:\n", "K730"),
        (
            "from kernel_tuner import tune_kernel\ntune_kernel('a', 'x.cl', 1, [], {}, lang='C')\n",
            "K895",
        ),
    ],
)
def test_scripts_that_give_no_space_are_said(
    tmp_path: Path, text: str, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tune.py").write_text(text)
    assert main(["tune", str(tmp_path / "tune.py"), "--gpu", "v100"]) == 1
    assert code in capsys.readouterr().err
