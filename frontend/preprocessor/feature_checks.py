"""What clang's feature checks give in ``#if`` (clang, "Language Extensions", "Feature Checking
Macros"): sources for several compilers ask what the one at hand knows before they use it."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.frontend.attributes import HARMLESS_ATTRIBUTES, OPENCL_ATTRIBUTES
from kcc.frontend.preprocessor.include import find_header, parse_header, search_folders
from kcc.frontend.preprocessor.lexer import Token

BUILTINS = frozenset({"__builtin_nontemporal_load"})
"""Functions of clang's that sources may call here."""

_KNOWN = {
    "__has_builtin": BUILTINS,
    "__has_attribute": OPENCL_ATTRIBUTES | HARMLESS_ATTRIBUTES,
    "__has_c_attribute": frozenset[str](),
    "__has_cpp_attribute": frozenset[str](),
    "__has_declspec_attribute": frozenset[str](),
    "__has_extension": frozenset[str](),
    "__has_feature": frozenset[str](),
    "__has_warning": frozenset[str](),
}
_INCLUDE = "__has_include"

FEATURE_CHECKS = frozenset({*_KNOWN, _INCLUDE})


def holds(check: Token, asked: Sequence[Token], include_dirs: Sequence[str]) -> bool:
    """Whether what is ``asked`` is there, by the check's name."""
    if check.value == _INCLUDE:
        parsed = parse_header(asked)
        if parsed is None:
            return False
        folders = search_folders(parsed[0], check.file.folder, include_dirs)
        return find_header(parsed[0], folders) is not None
    name = "".join(token.value for token in asked)
    if name.startswith("__") and name.endswith("__") and len(name) > 4:
        name = name[2:-2]
    return name in _KNOWN[check.value]
