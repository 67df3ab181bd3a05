"""What all pages are: one file of HTML with its style inside, which needs no network."""

from __future__ import annotations

from importlib import resources

import kcc
from kcc.report.shared.markup import Markup, tag


def page(title: str, *body: str, style: str = "", script: str = "") -> str:
    """A page: ``style`` stands after the common sheet, ``script`` at the end."""
    sheet = resources.files("kcc.report").joinpath("page.css").read_text(encoding="utf-8")
    head = tag(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        tag("title", title),
        tag("style", Markup(sheet + style)),
    )
    end = [tag("p", f"kcc {kcc.__version__}", class_="soft")]
    end += [tag("script", Markup(script))] if script else []
    return f"<!DOCTYPE html>\n{tag('html', head, chr(10), tag('body', *body, *end), lang='en')}\n"


STACK_STYLE = """
.stack { display: flex; width: 100%; max-width: 40rem; height: 14px; border-radius: 3px;
  overflow: hidden; background: var(--line); }
.stack i { display: block; height: 100%; }
td .stack { min-width: 8rem; }
"""
"""Of bars whose parts are causes."""
