"""docs/reference/json.md from the schemas of kcc's JSON documents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import resources
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]

MAX_DEPTH = 4
"""Levels of keys that the page lists; the schema has all."""

_HEAD = """\
# JSON documents

<!-- Written by `python -m scripts.make_docs` from kcc/schemas: change that, not this. -->

Every document has `schema` (`kcc/KIND/MAJOR`) and `kcc_version`. Keys may be added without a new
major number; what is not known is `null` with a reason beside it. `[]` marks the members of a
list, `{}` those of an object with free names. The schemas themselves (JSON Schema 2020-12) are in
`kcc/schemas/`.

"""


def schemas() -> str:
    """The whole page."""
    folder = resources.files("kcc") / "schemas"
    found = sorted(
        (path.name, json.loads(path.read_text(encoding="utf-8")))
        for path in folder.iterdir()
        if path.name.endswith(".json")
    )
    rows = "".join(
        f"| [`{s['title']}`](#{_anchor(s['title'])}) | {_text(s.get('description', ''))} |\n"
        for _, s in found
    )
    body = "".join(_section(name, schema) for name, schema in found)
    return f"{_HEAD}| document | what it holds |\n|---|---|\n{rows}{body}"


def _anchor(title: str) -> str:
    return re.sub(r"[^\w-]", "", title.lower().replace(" ", "-"))


def _section(name: str, schema: Schema) -> str:
    rows = "".join(
        f"| `{key}` | {kind} | {_text(text)} |\n"
        for key, kind, text in _keys(schema, schema, "", 1)
    )
    return (
        f"\n## {schema['title']}\n\nSchema: `kcc/schemas/{name}`.\n\n"
        f"| key | type | meaning |\n|---|---|---|\n{rows}"
    )


def _resolved(schema: Schema, root: Schema) -> Schema:
    while "$ref" in schema:
        target: Any = root
        for part in str(schema["$ref"]).removeprefix("#/").split("/"):
            target = target[part]
        schema = {**target, **{k: v for k, v in schema.items() if k != "$ref"}}
    return schema


def _keys(schema: Schema, root: Schema, prefix: str, depth: int) -> Iterator[tuple[str, str, str]]:
    schema = _resolved(schema, root)
    for name, child in schema.get("properties", {}).items():
        own = _resolved(child, root)
        key = f"{prefix}{name}"
        yield key, _kind(own, root), own.get("description", "")
        if depth < MAX_DEPTH:
            yield from _below(own, root, key, depth)


def _below(schema: Schema, root: Schema, key: str, depth: int) -> Iterator[tuple[str, str, str]]:
    for each in (
        schema,
        *(_resolved(s, root) for s in schema.get("anyOf", schema.get("oneOf", ()))),
    ):
        yield from _keys(each, root, f"{key}.", depth + 1)
        for word, sign in (("items", "[]"), ("additionalProperties", "{}")):
            inner: Any = each.get(word)
            if hasattr(inner, "items"):
                yield from _keys(inner, root, f"{key}{sign}.", depth + 1)


def _kind(schema: Schema, root: Schema) -> str:
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    for word in ("anyOf", "oneOf"):
        if word in schema:
            kinds = (_kind(_resolved(each, root), root) for each in schema[word])
            return " or ".join(dict.fromkeys(kinds))
    kind: Any = schema.get("type", "any")
    return kind if isinstance(kind, str) else " or ".join(kind)


def _text(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|").replace("<", "&lt;")
