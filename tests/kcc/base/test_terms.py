"""One term for each concept, one label for each cause."""

from __future__ import annotations

from collections import Counter

from kcc.base.terms import RESOURCES, STALLS, TERMS, WORDS, bottleneck_label, stall_label
from kcc.frontend.kernel import Language
from kcc.report.shared.cause_colors import CAUSE_COLORS
from kcc.sim.cycle.layout import NAMES
from kcc.sim.estimate.pipeline_native import REASONS
from kcc.sim.interval.model import PARTS
from kcc.sim.machine.costs import Unit


def test_a_term_stands_once() -> None:
    counts = Counter(term.name for terms in TERMS.values() for term in terms)
    assert max(counts.values()) == 1


def test_every_language_has_words() -> None:
    assert set(WORDS) == {language.value for language in Language}


def test_every_cause_of_every_model_has_one_label() -> None:
    named = Counter(name for stall in STALLS for name in stall.names)
    assert max(named.values()) == 1
    used = {*REASONS, *NAMES.values(), *(part.value for part in PARTS)}
    assert used <= set(named)
    assert set(CAUSE_COLORS) <= set(named)


def test_every_pipeline_has_a_label() -> None:
    assert {unit.name.lower() for unit in Unit} - {"memory", "control"} <= set(RESOURCES)


def test_labels() -> None:
    assert bottleneck_label("memory_port") == "load/store unit throughput"
    assert bottleneck_label("latency (dram)") == "latency (long scoreboard: DRAM)"
    assert stall_label("memory_port") == "load/store unit throttle"
    assert stall_label("l2_requests_bound") == "bound: L2 requests of an SM"
    assert stall_label("of_a_later_version") == "of a later version"
