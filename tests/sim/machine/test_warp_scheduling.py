"""Which warp goes first: one value for all models."""

from __future__ import annotations

import pytest

from kcc.base.gpu import load_gpu
from kcc.base.gpu.needs import GpuReader
from kcc.sim.cycle.layout import Conf
from kcc.sim.cycle.machine import POLICIES, machine_of
from kcc.sim.machine.pipeline_columns import machine_of as columns_of
from kcc.sim.machine.warp_scheduling import Policy, scheduling_of


@pytest.mark.parametrize(
    ("name", "policy"),
    [
        ("v100", Policy.YOUNGEST), ("rtx2080ti", Policy.YOUNGEST), ("a100", Policy.YOUNGEST),
        ("h100", Policy.YOUNGEST), ("gtx1080ti", Policy.ROUND_ROBIN),
        ("accelsim-sm7-qv100", Policy.ROUND_ROBIN), ("mi100", Policy.ROUND_ROBIN),
    ],
)  # fmt: skip
def test_policies(name: str, policy: Policy):
    gpu = load_gpu(name, [])
    assert scheduling_of(GpuReader(gpu)) is policy
    assert machine_of(gpu, 64, 32, 0)[Conf.POLICY] == POLICIES[policy]


@pytest.mark.parametrize("policy", list(Policy))
def test_a_description_says_it_to_all_models(policy: Policy):
    gpu = load_gpu("v100", [f"scheduler={policy.value}"])
    assert machine_of(gpu, 64, 32, 0)[Conf.POLICY] == POLICIES[policy]
    assert columns_of(GpuReader(gpu)).greedy == (policy in (Policy.GREEDY, Policy.YOUNGEST))
