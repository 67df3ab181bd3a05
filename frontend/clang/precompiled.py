"""kcc's headers of CUDA, parsed once and kept for later runs: most of clang's time on a small file.

The file lies in the user's cache under a name made of what it depends on: the headers with the
times that clang compares, the compiler, the options of the language. Where there is no cache that
only this user can write to, or clang does not make the file, the headers are included as text.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from kcc.base.cache_folder import is_trusted, user_cache_dir
from kcc.frontend.clang.find import Clang
from kcc.frontend.clang.invoke import COMMON_OPTIONS, HEADERS, TIME_LIMIT_SECONDS
from kcc.frontend.options import BuildOptions

MAIN = "kcc-cuda.h"
TESTED = {"__CUDA_ARCH__", "NDEBUG", "__linux__", "__KCC_WARP"}
"""Macros on which the headers depend."""


def header_arguments(clang: Clang, language: tuple[str, ...], options: BuildOptions) -> list[str]:
    """What includes the headers before a source: the parsed file, or their text."""
    plain = ["-include", MAIN]
    if options.fast_relaxed_math or any(m.name in TESTED for m in options.macros):
        return plain
    found = _parsed(clang, language)
    return plain if found is None else ["-include-pch", str(found)]


@cache
def _parsed(clang: Clang, language: tuple[str, ...]) -> Path | None:
    root = user_cache_dir()
    if root is None:
        return None
    folder = root / "cuda-headers"
    command = [*clang.command, "-cc1", *(o for o in COMMON_OPTIONS if o != "-emit-llvm"), *language]
    target = folder / f"{_key(command)}.pch"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not is_trusted(root) or not is_trusted(folder):
            return None
        if target.exists():
            return target
        own = target.with_suffix(f".{os.getpid()}")
        done = subprocess.run(
            [*command, "-emit-pch", "-o", str(own), str(HEADERS / MAIN)], check=False,
            capture_output=True, stdin=subprocess.DEVNULL, timeout=TIME_LIMIT_SECONDS,
        )  # fmt: skip
        if done.returncode:
            own.unlink(missing_ok=True)
            return None
        own.replace(target)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return target


def _key(command: Sequence[str]) -> str:
    key = hashlib.sha256("\0".join(command).encode())
    for path in [Path(command[0]), *sorted(HEADERS.glob("kcc-cuda*.h"))]:
        known = path.stat()
        key.update(f"{path.name} {known.st_size} {known.st_mtime_ns}\n".encode())
    return key.hexdigest()[:24]
