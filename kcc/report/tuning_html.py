"""The page of `kcc tune`: the best configurations, and pictures of the whole search space."""

from __future__ import annotations

from kcc.base.terms import bottleneck_label
from kcc.report.plots.parallel import parallel_chart
from kcc.report.plots.render import Chart, shown
from kcc.report.plots.sensitivity import sensitivity_chart
from kcc.report.plots.space import DesignSpace, SpacePoint, sensitivities
from kcc.report.shared.markup import Markup, table, tag
from kcc.report.shared.page import page
from kcc.report.tuning import Tuning, effect_words, heading, remarks, times_of, tuning_verdict

BEST = 12
"""Configurations that are brought out in the pictures, of few a quarter."""


def space_of(found: Tuning) -> DesignSpace:
    """The configurations that have a time."""
    places = [{v: n for n, v in enumerate(values)} for values in found.parameters.values()]
    ranked = found.ranked()
    best = min(BEST, -(-len(ranked) // 4))
    points = tuple(
        SpacePoint(
            tuple(place[value] for place, value in zip(places, configuration, strict=True)),
            record.time_us or 0.0, None, rank < best,
        )
        for rank, (configuration, record) in enumerate(ranked)
    )  # fmt: skip
    texts = {name: tuple(map(str, values)) for name, values in found.parameters.items()}
    return DesignSpace(texts, points)


def tuning_charts(found: Tuning) -> list[Chart]:
    """What each parameter does, and each configuration over all parameters."""
    space = space_of(found)
    return [each for each in (sensitivity_chart(space), parallel_chart(space)) if each]


def tuning_page(found: Tuning, top: int) -> str:
    """The page; HTML with style and pictures inside, without scripts."""
    ranked = found.ranked()
    names = [name for name, values in found.parameters.items() if len(values) > 1]
    places = [list(found.parameters).index(name) for name in names]
    rows = [
        (*times_of(record), bottleneck_label(record.limiter),
         *(str(configuration[place]) for place in places))
        for configuration, record in ranked[:top]
    ]  # fmt: skip
    head = ("time", "from", "to", "limited by", *names)
    numeric = (0, 1, 2, *range(4, len(head)))
    return page(
        f"{found.kernel} - kcc tune",
        tag(
            "header",
            tag("h1", tag("code", found.kernel)),
            tag("div", heading(found)),
            tag("p", tuning_verdict(found), class_="verdict"),
        ),
        *(tag("p", words) for words in remarks(found)),
        tag("h2", "The fastest configurations") if rows else "",
        table(head, rows, numeric),
        *_parameters(found),
    )


def _parameters(found: Tuning) -> list[Markup]:
    effects = found.effects()
    if not effects:
        return []
    shares = {each.name: each.share for each in sensitivities(space_of(found))}
    rows = [
        (each.name, f"{100 * shares[each.name]:.1f} %" if each.name in shares else "",
         effect_words(each))
        for each in effects
    ]  # fmt: skip
    return [
        tag("h2", "What each parameter does"),
        *(shown(each) for each in tuning_charts(found)),
        table(
            ("parameter", "share of the variance", "value: its best time over the best of all"),
            rows, (1,),
        ),
    ]  # fmt: skip
