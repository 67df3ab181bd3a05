"""Which interval model, and what of it."""

from __future__ import annotations

from dataclasses import fields
from enum import Enum

from kcc.base.records import dataclass
from kcc.sim.interval.representative import Selection


class Model(Enum):
    """The models of the dissertation's table 8, and ours."""

    NAIVE = "naive"
    """Equation 10."""
    MARKOV = "markov"
    """Section 2.4.2."""
    MT = "mt"
    """Equations 16 to 25."""
    MT_MSHR = "mt-mshr"
    """And 26 to 29."""
    GPUMECH = "gpumech"
    """And 30 to 32: MT_MSHR_BAND."""
    SCHEDULE = "schedule"
    """Ours: intervals of the warps that one SM gets, scheduled one by one."""


@dataclass(frozen=True, slots=True)
class Extensions:
    """Parts of :attr:`Model.SCHEDULE` that can be left out."""

    pipelines: bool = True
    """Special functions and others that take a warp over several cycles."""
    load_store: bool = True
    """The SM's load/store unit takes one access at a time."""
    bank_conflicts: bool = True
    barriers: bool = True
    sectors: bool = True
    """Requests are sectors; else whole lines."""
    schedulers: bool = True
    """The schedulers of an SM each have warps of their own; else there is one."""
    miss_entries: bool = True
    """Loads that miss wait for a free entry of L1."""
    divergence: bool = True
    """The requests of an access go to L2 and come back one after another."""
    fetch: bool = True
    """Instructions that the SM's instruction cache does not hold are waited for."""
    bandwidth: bool = True
    """L2 and DRAM serve requests one after another."""
    warps_that_differ: bool = True
    """Each warp with its own sequence; else all as the representative."""


EXTENSIONS = tuple(field.name.replace("_", "-") for field in fields(Extensions))
"""Their names on the command line."""


@dataclass(frozen=True, slots=True)
class Options:
    """``selection`` is how the text's models choose the representative warp; ``printed`` takes
    equation 26 as the text prints it (see :func:`kcc.sim.interval.contention.contention_cpi`),
    ``slots_filled`` equation 20 as figure 24 draws it (see
    :func:`kcc.sim.interval.multithreading.nonoverlapped`)."""

    model: Model = Model.SCHEDULE
    selection: Selection = Selection.CLUSTERING
    extensions: Extensions = Extensions()
    printed: bool = False
    slots_filled: bool = False


def without(names: tuple[str, ...]) -> Extensions:
    """All extensions but those named; raises ValueError for a name that is none."""
    unknown = [name for name in names if name not in EXTENSIONS]
    if unknown:
        raise ValueError(f"'{unknown[0]}' is none of {', '.join(EXTENSIONS)}")
    return Extensions(**{name.replace("-", "_"): False for name in names})
