"""HTML and SVG elements as text. Whatever comes from a source is escaped here, and only here."""

from __future__ import annotations

from html import escape

_UNSHOWN = "\ufffd"


class Markup(str):
    """Text that is HTML already; any other string is escaped where it becomes part of one."""

    __slots__ = ()


NOTHING = Markup("")


def safe(text: str) -> Markup:
    """Plain text as HTML; characters that cannot be shown, and those that turn the direction of
    writing, become a replacement mark."""
    if text.isprintable():
        return Markup(escape(text))
    shown = (c if c.isprintable() or c == "\n" else " " if c == "\t" else _UNSHOWN for c in text)
    return Markup(escape("".join(shown)))


def join(*parts: str) -> Markup:
    """The parts in order."""
    return Markup("".join(part if isinstance(part, Markup) else safe(part) for part in parts))


def tag(name: str, *parts: str, **attributes: str | float | None) -> Markup:
    """An element. Attributes that are None are left out; ``class_`` stands for ``class``, and
    other underscores for hyphens."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{safe(_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{shown}>{join(*parts)}</{name}>")


def void(name: str, **attributes: str | float | None) -> Markup:
    """An element of SVG without content."""
    opened = tag(name, **attributes)
    return Markup(opened.removesuffix(f"></{name}>") + "/>")


def table(
    head: tuple[str, ...], rows: list[tuple[str, ...]], numeric: tuple[int, ...] = ()
) -> Markup:
    """A table, nothing if it has no rows; columns without any text are left out, and those in
    ``numeric`` are aligned to the right."""
    kept = [i for i in range(len(head)) if any(row[i] for row in rows)]

    def row(name: str, cells: tuple[str, ...]) -> Markup:
        return tag(
            "tr",
            *(tag(name, cells[i], class_="n" if i in numeric else None) for i in kept),
        )

    if not rows:
        return NOTHING
    body = tag("tbody", *(row("td", cells) for cells in rows))
    return tag("div", tag("table", tag("thead", row("th", head)), body), class_="scroll")


def _value(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}"
