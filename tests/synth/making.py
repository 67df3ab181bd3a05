"""Miniatures of the workloads in kernels/, each made once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kcc.stages.host import HostSettings, user_cache_dir
from kcc.stages.synth import Settled, Study, settle, study_script
from kcc.synth.reduction.reductions import largest_factors

KERNELS = Path(__file__).parents[2] / "kernels"


def settings(*, redirect: bool = True) -> HostSettings:
    """Kernels once compiled are kept in the user's cache."""
    return HostSettings(cache_dir=user_cache_dir(), redirect=redirect)


@cache
def studied(workload: str) -> Study:
    """A workload at size tiny, watched."""
    path = str(KERNELS / workload / "workload.py")
    return study_script(path, Study(), settings(), size="tiny")


@cache
def made(workload: str, factor: int = 1, seed: int = 0) -> Settled:
    """Its miniature with trips divided by ``factor``, as far as loops have as many."""
    study = studied(workload)
    factors = largest_factors(study.kernels, study.launches, factor)
    return settle(study, factors, settings(), seed)
