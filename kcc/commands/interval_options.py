"""The options of the interval model, for the commands that take it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kcc.commands.errors import usage_error

if TYPE_CHECKING:
    from kcc.sim.interval.options import Options

MODELS = ("schedule", "gpumech", "mt-mshr", "mt", "markov", "naive")
EXTENSIONS = (
    "pipelines", "load-store", "bank-conflicts", "barriers", "sectors", "schedulers",
    "miss-entries", "divergence", "fetch", "bandwidth", "warps-that-differ",
)  # fmt: skip
"""Those of :mod:`kcc.sim.interval.options`, which takes long to import."""


def add_interval(parser: argparse.ArgumentParser) -> None:
    """Add what says which interval model."""
    group = parser.add_argument_group("interval model")
    group.add_argument(
        "--interval", choices=MODELS, default=MODELS[0],
        help="kcc's schedule, or a model of GPUMech's table 8 (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--warp", choices=("clustering", "max", "min"), default="clustering",
        help="how GPUMech's models choose the representative warp (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--without", metavar="PART", action="append", default=[], choices=EXTENSIONS,
        help=f"leave a part of the schedule out (repeatable): {', '.join(EXTENSIONS)}",
    )  # fmt: skip


def interval_options(arguments: argparse.Namespace) -> Options:
    """The options that were chosen."""
    from kcc.sim.interval.options import Model, Options, without
    from kcc.sim.interval.representative import Selection

    model = Model(arguments.interval)
    if arguments.without and model is not Model.SCHEDULE:
        raise usage_error("--without leaves parts of the schedule out: --interval schedule")
    return Options(model, Selection(arguments.warp), without(tuple(arguments.without)))
