"""Designs that miniatures are found on are none of those that they rank."""

from __future__ import annotations

from benchmarks.proxy_ranking import designs, other_designs

SMS = ("2", "8")


def test_the_other_designs_are_not_among_those_ranked():
    ranked, others = designs(SMS), other_designs(SMS)
    assert len({tuple(one) for one in ranked}) == 16
    assert not any(one in ranked for one in others)
    caches = {tuple(one[1:3]) for one in others}
    assert len(caches) == 4  # each pair of sizes of L1 and L2
    for place in range(5):
        assert len({one[place] for one in others}) == 2
