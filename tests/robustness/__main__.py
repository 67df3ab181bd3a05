"""One entry to all campaigns: ``python -P -m tests.robustness CAMPAIGN --count N --journal FILE``.

A campaign that was ended goes on where its journal ends; cases run in children that may die.
``reduce --seed N`` makes the random program of a seed smaller and keeps it as a test.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.robustness import kills
from tests.robustness.commands import BAD
from tests.robustness.damage import campaign as damage
from tests.robustness.journal import Entry, Journal
from tests.robustness.mutants import campaign as mutants
from tests.robustness.programs import campaign as programs
from tests.robustness.programs.reducing import KEPT, reduce_seed

Campaign = Callable[[list[str]], Iterator[Entry]]

CAMPAIGNS: dict[str, Campaign] = {
    "programs": programs.judged,
    "mutants": mutants.judged,
    "damage": damage.judged,
    "kills": kills.judged,
}
CASES = {"damage": damage.cases, "kills": kills.cases}
"""Campaigns whose cases have names."""


def is_bad(entry: Entry) -> bool:
    """Whether the case shows a fault of kcc, or one that is not decided."""
    bad = (*BAD, *kills.BAD, programs.FAULT_OF_KCC, programs.OPEN)
    return entry.outcome in bad or entry.outcome.split(": ")[-1] in bad


def main() -> None:
    """Run a campaign and print what became of its cases."""
    parser = argparse.ArgumentParser(prog="tests.robustness", description=__doc__)
    parser.add_argument("campaign", choices=(*CAMPAIGNS, "reduce"))
    parser.add_argument("--seed", type=int, default=0, help="the first case")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--journal", type=Path, help="kept from run to run")
    parser.add_argument("--retry", action="store_true", help="do what failed again, and no more")
    parser.add_argument("--minutes", type=float, default=1e6, help="end after so much time")
    chosen = parser.parse_args()
    if chosen.campaign == "reduce":
        text = reduce_seed(chosen.seed)
        KEPT.mkdir(exist_ok=True)
        (KEPT / f"seed_{chosen.seed}.cl").write_text(text, encoding="utf-8")
        sys.stdout.write(text)
        return
    journal = Journal(chosen.journal)
    wanted = [str(n) for n in range(chosen.seed, chosen.seed + chosen.count)]
    if chosen.campaign in CASES:
        wanted = CASES[chosen.campaign](chosen.seed, chosen.count)
    end = time.monotonic() + 60 * chosen.minutes
    waiting = journal.missing(iter(wanted))
    if chosen.retry:
        waiting = [e.case for e in journal.entries.values() if is_bad(e)]
    for entry in CAMPAIGNS[chosen.campaign](waiting):
        journal.add(entry)
        if is_bad(entry):
            sys.stdout.write(f"{entry.case} {entry.outcome} {entry.detail}\n")
            sys.stdout.flush()
        if time.monotonic() > end:
            break
    for outcome, count in journal.counts().most_common():
        sys.stdout.write(f"{count:6}  {outcome}\n")
    sys.exit(0 if journal.entries else 1)


if __name__ == "__main__":
    main()
