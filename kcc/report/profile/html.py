"""`kcc profile --html`: what the launches did, as one page."""

from __future__ import annotations

from kcc.base.profile.model import LaunchProfile, Profile
from kcc.report.plots.render import Chart, shown
from kcc.report.plots.reuse import reuse_chart, reuse_curve
from kcc.report.profile.terminal import kernel_tables, summary_table
from kcc.report.profile.verdict import verdict_of_profile
from kcc.report.shared.markup import NOTHING, Markup, join, tag
from kcc.report.shared.page import page
from kcc.report.shared.rich_html import table_html
from kcc.report.shared.style import Style

_PLAIN = Style(100, colored=False, unicode=True)


def _reuse(total: LaunchProfile) -> Markup:
    drawn = shown(reuse_chart(reuse_curve(total)))
    return join(tag("h3", "Reuse distances"), drawn) if drawn else NOTHING


def profile_charts(profile: Profile, *, each_launch: bool = False) -> list[Chart]:
    """The reuse-distance curve of each kernel that touches memory."""
    totals = [total for *_, total in kernel_tables(profile, _PLAIN, each_launch=each_launch)]
    found = (reuse_chart(reuse_curve(total), f"reuse-{n}") for n, total in enumerate(totals))
    return [each for each in found if each is not None]


def profile_page(profile: Profile, *, each_launch: bool = False) -> str:
    """The tables of the terminal's report, kernel by kernel."""
    title = " ".join(str(word) for word in profile.run.values())
    kernels = list(kernel_tables(profile, _PLAIN, each_launch=each_launch))
    links = [tag("a", name, href=f"#k{n}") for n, (name, *_) in enumerate(kernels)]
    return page(
        f"{title} - kcc profile",
        tag("header", tag("h1", tag("code", title)), tag("nav", *links)),
        tag("p", verdict_of_profile(profile), class_="verdict"),
        table_html(summary_table(profile, _PLAIN)),
        *(
            join(
                tag("h2", tag("code", name), tag("small", f" {which}"), id=f"k{n}"),
                *(table_html(each) for each in tables),
                _reuse(total),
            )
            for n, (name, which, tables, total) in enumerate(kernels)
        ),
    )
