"""Options of other compilers, as build scripts have them: clBuildProgram, nvcc, clang, hipcc.

What means the same here is put in our words, what cannot change a report is passed over and named.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

SAME = {
    "--use_fast_math": "-cl-fast-relaxed-math",
    "-use_fast_math": "-cl-fast-relaxed-math",
    "-ffast-math": "-cl-fast-relaxed-math",
    "--define-macro": "-D",
    "--undefine-macro": "-U",
    "--include-path": "-I",
    "-isystem": "-I",
    "--pre-include": "-include",
}
"""Spelled otherwise: nvcc's and clang's words for options of clBuildProgram and of C compilers."""

_ALONE = re.compile(
    r"-w|-Werror(?:[=-].*)?|-W[a-z].*|-g|-G|-gline-tables-only|-v|-c|-cubin|-ptx|-dc|-lineinfo"
    r"|--(?:generate-)?line-?info|--device-debug|--debug|--extra-device-vectorization|--keep|--dryrun"
    r"|--expt-(?:relaxed-constexpr|extended-lambda)|-expt-(?:relaxed-constexpr|extended-lambda)"
    r"|--extended-lambda|-extended-lambda|--resource-usage|--disable-warnings|--verbose|--restrict"
    r"|-restrict|-rdc(?:=.*)?|--relocatable-device-code(?:=.*)?|-(?:ftz|prec-div|prec-sqrt|fmad)=.*"
    r"|--(?:ftz|prec-div|prec-sqrt|fmad|use-local-env)(?:=.*)?|-O3|-Ofast|-Os|-f[a-z].*|-m(?:32|64)"
    r"|-x(?:cuda|hip|cl)|-std=.*|--std=.*|-arch=.*|--gpu-(?:architecture|code)=.*|-code=.*"
    r"|-gencode=.*|--generate-code=.*|--cuda-gpu-arch=.*|--offload-arch=.*|--cuda-device-only"
    r"|-maxrregcount=.*|--maxrregcount=.*|-Xptxas=.*|-Xcompiler=.*|-cudart=.*|-l.+|-L.+"
    r"|-cl-nv-.*|-qcom-.*|-cl-intel-.*|-cl-uniform-work-group-size|-cl-no-subgroup-ifp|-cl-ext=.*"
    r"|-cl-(?:denorms-are-zero|no-signed-zeros|unsafe-math-optimizations|finite-math-only|opt-disable"
    r"|strict-aliasing|kernel-arg-info|fp32-correctly-rounded-divide-sqrt)"
)  # fmt: skip
"""Options that change nothing in a report, one word each."""

_WITH_VALUE = frozenset(
    [
        "-arch",
        "-code",
        "-gencode",
        "--gpu-architecture",
        "--gpu-code",
        "--generate-code",
        "-maxrregcount",
        "--maxrregcount",
        "-Xptxas",
        "--ptxas-options",
        "-Xcompiler",
        "--compiler-options",
        "-Xlinker",
        "-ccbin",
        "--compiler-bindir",
        "-x",
        "-std",
        "--std",
        "-Xclang",
        "-mllvm",
        "-t",
        "--threads",
        "-cudart",
        "--cudart",
    ]
)
"""Such options whose value is the next word."""

_ARCHITECTURE = re.compile(
    r"(?:-arch|--gpu-architecture|-gencode|--generate-code|--cuda-gpu-arch)[= ]"
    r"(?:arch=)?(?:sm|compute)_(\d+)\w?(?:,.*)?"
)
"""For which GPU CUDA code is compiled, which sources ask for in ``__CUDA_ARCH__``."""

_DEFINED = "-D__CUDA_ARCH__="

_LEVELS = frozenset({"-O0", "-O1", "-O2"})


def in_our_words(words: Sequence[str], own: Collection[str]) -> tuple[list[str], list[str]]:
    """The words with known spellings replaced, and those that were passed over, each once; ``own``
    are options of the command, which stay."""
    found, ignored, rest = list[str](), dict[str, None](), iter(words)
    previous = ""
    for word in rest:
        if word == "--":
            return [*found, word, *rest], list(ignored)
        if word in _WITH_VALUE and word not in own:
            word = f"{word} {next(rest, '')}".strip()
        architecture = _ARCHITECTURE.fullmatch(word)
        if architecture:
            found = [w for w in found if not w.startswith(_DEFINED)]
            found.append(f"{_DEFINED}{architecture[1]}0")
        elif word in SAME:
            found.append(SAME[word])
        elif word in own or previous in ("-o", "--json", "--html", "-D", "-U", "-I", "-include"):
            found.append(word)
        elif word.partition(" ")[0] in _WITH_VALUE or (
            _ALONE.fullmatch(word) and word not in _LEVELS
        ):
            ignored[word] = None
        else:
            name, equals, value = word.partition("=")
            found.append(f"{SAME[name]}{value}" if equals and name in SAME else word)
        previous = found[-1] if found else ""
    return found, list(ignored)
