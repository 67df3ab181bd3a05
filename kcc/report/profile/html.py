"""`kcc profile --html`: what the launches did, as one page."""

from __future__ import annotations

from kcc.base.profile.model import LaunchProfile, Profile
from kcc.report.plots.render import chart
from kcc.report.plots.reuse import reuse_curve, reuse_spec
from kcc.report.profile.terminal import kernel_tables, summary_table
from kcc.report.shared.markup import NOTHING, Markup, join, tag
from kcc.report.shared.page import page
from kcc.report.shared.rich_html import table_html
from kcc.report.shared.style import Style

_PLAIN = Style(100, colored=False, unicode=True)


def _reuse(total: LaunchProfile) -> Markup:
    words = "Share of touches of lines that a cache of a size would hit"
    shown = chart(reuse_spec(reuse_curve(total)), words)
    return join(tag("h3", "Reuse distances"), shown) if shown else NOTHING


def profile_page(profile: Profile, *, each_launch: bool = False) -> str:
    """The tables of the terminal's report, kernel by kernel."""
    title = " ".join(str(word) for word in profile.run.values())
    kernels = list(kernel_tables(profile, _PLAIN, each_launch=each_launch))
    links = [tag("a", name, href=f"#k{n}") for n, (name, *_) in enumerate(kernels)]
    return page(
        f"{title} - kcc profile",
        tag("header", tag("h1", tag("code", title)), tag("nav", *links)),
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
