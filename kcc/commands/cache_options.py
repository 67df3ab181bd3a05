"""Options of `kcc estimate` that say how caches are analysed."""

from __future__ import annotations

import argparse

from kcc.commands.errors import usage_error
from kcc.sim.caches.options import CacheMethod, CacheOptions, Interleaving, Reduction

MOST_TRIALS = 1000


def add_cache_options(parser: argparse.ArgumentParser) -> None:
    """Add them."""
    group, default = parser.add_argument_group("caches"), CacheOptions()
    group.add_argument(
        "--caches", choices=[m.value for m in CacheMethod], default=default.method.value,
        help="reuse distances in least recently used sets, or footprints of windows of iterations "
        "(default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--warm", action="store_true",
        help="L2 starts warm: as after a launch of the same kernel on the same data",
    )  # fmt: skip
    group.add_argument(
        "--l2-written", action="store_true",
        help="L2 starts with what something else has written (another kernel, or a memset that "
        "empties it), which goes to DRAM as the launch's own data come",
    )  # fmt: skip
    group.add_argument(
        "--cache-trials", metavar="N", type=_trials, default=default.trials,
        help="random interleavings of warps and SMs; their deviation widens the range"
             " (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--seed", metavar="N", type=_count, default=default.seed,
        help="seed of the interleavings (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--interleaving", choices=[i.value for i in Interleaving],
        default=default.interleaving.value,
        help="order of warps: round robin with random delays, greedy, or random (default:"
             " %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--cache-in-full", metavar="WHAT", action="append", default=[],
        choices=[r.value for r in Reduction],
        help="analyse all sets of L2, all SMs (classes) or all iterations (loops) instead of"
             " representatives; repeatable",
    )  # fmt: skip


def cache_options(arguments: argparse.Namespace) -> CacheOptions:
    """What the arguments say; raises :class:`UsageError` where they contradict each other."""
    if arguments.warm and arguments.l2_written:
        raise usage_error("--warm, --l2-written: L2 starts with one or the other")
    options = CacheOptions(
        CacheMethod(arguments.caches), arguments.cache_trials, arguments.seed,
        Interleaving(arguments.interleaving), warm=arguments.warm,
        written=arguments.l2_written,
    )  # fmt: skip
    return options.without([Reduction(name) for name in arguments.cache_in_full])


def _trials(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_TRIALS:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to {MOST_TRIALS}")
    return int(text)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(text)
