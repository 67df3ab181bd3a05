"""The options of ``Program.build``: those of clBuildProgram (OpenCL 1.2, section 5.6.4)."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from kcc.frontend.options import BuildOptions, MacroOption, OptLevel

_FLAGS = frozenset(
    {
        "-w", "-Werror", "-g", "-cl-denorms-are-zero", "-cl-no-signed-zeros", "-cl-opt-disable",
        "-cl-unsafe-math-optimizations", "-cl-finite-math-only", "-cl-strict-aliasing",
        "-cl-kernel-arg-info", "-cl-fp32-correctly-rounded-divide-sqrt", "-cl-mad-enable",
        "-cl-fast-relaxed-math", "-cl-single-precision-constant", "-cl-nv-verbose",
        "-O0", "-O1", "-O2", "-O3",
    }
)  # fmt: skip
"""Options without a value; most change nothing that kcc does."""

_VERSIONS = {"CL1.0": 120, "CL1.1": 120, "CL1.2": 120, "CL2.0": 200, "CL3.0": 300}

_VENDORS = ("-cl-nv-", "-qcom-", "-cl-intel-", "-cl-uniform-work-group-size", "-cl-no-subgroup-ifp")
"""How options begin that change nothing that kcc does."""


class UnknownOptionError(Exception):
    """An option that clBuildProgram does not have."""


def split_options(options: str | bytes | Sequence[str | bytes] | None) -> list[str]:
    """The options as words: a text is split as a shell would."""
    if options is None:
        return []
    if isinstance(options, (str, bytes)):
        return shlex.split(_text(options))
    return [_text(each).strip() for each in options if _text(each).strip()]


def parse_options(words: Sequence[str]) -> BuildOptions:
    """The options of a build; raises :class:`UnknownOptionError`.

    At -O2, as a GPU compiler would; -cl-opt-disable asks for the source's control flow, which is
    -O1.
    """
    macros, folders = list[MacroOption](), list[str]()
    rest, version = iter(words), 120
    for word in rest:
        match word[:2]:
            case "-D":
                name, equals, value = _value(word, rest).partition("=")
                macros.append(MacroOption(name, value if equals else "1"))
            case "-U":
                macros.append(MacroOption(_value(word, rest), None))
            case "-I":
                folders.append(_value(word, rest).strip('"'))
            case _ if word.startswith("-cl-std=") and word[8:] in _VERSIONS:
                version = _VERSIONS[word[8:]]
            case _ if word in _FLAGS or word.startswith(_VENDORS):
                pass
            case _:
                raise UnknownOptionError(word)
    return BuildOptions(
        macros=tuple(macros),
        include_dirs=tuple(folders),
        opt_level=OptLevel.O1 if "-cl-opt-disable" in words else OptLevel.O2,
        fast_relaxed_math="-cl-fast-relaxed-math" in words,
        mad_enable="-cl-mad-enable" in words,
        single_precision_constant="-cl-single-precision-constant" in words,
        opencl_version=version,
    )


def _value(word: str, rest: Iterator[str]) -> str:
    """What stands after an option of one letter, joined to it or as the next word."""
    value = word[2:].lstrip() or next(rest, "")
    if not value:
        raise UnknownOptionError(word)
    return value


def _text(option: str | bytes) -> str:
    return option.decode() if isinstance(option, bytes) else option
