"""`kcc profile --html`: what the launches did, as one page."""

from __future__ import annotations

from kcc.base.profile.model import Profile
from kcc.report.profile.terminal import kernel_tables, summary_table
from kcc.report.shared.markup import join, tag
from kcc.report.shared.page import page
from kcc.report.shared.rich_html import table_html
from kcc.report.shared.style import Style

_PLAIN = Style(100, colored=False, unicode=True)


def profile_page(profile: Profile, *, each_launch: bool = False) -> str:
    """The tables of the terminal's report, kernel by kernel."""
    title = " ".join(str(word) for word in profile.run.values())
    kernels = list(kernel_tables(profile, _PLAIN, each_launch=each_launch))
    links = [tag("a", name, href=f"#k{n}") for n, (name, _, _) in enumerate(kernels)]
    return page(
        f"{title} - kcc profile",
        tag("header", tag("h1", tag("code", title)), tag("nav", *links)),
        table_html(summary_table(profile, _PLAIN)),
        *(
            join(
                tag("h2", tag("code", name), tag("small", f" {which}"), id=f"k{n}"),
                *(table_html(each) for each in tables),
            )
            for n, (name, which, tables) in enumerate(kernels)
        ),
    )
