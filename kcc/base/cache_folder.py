"""Folders that hold compiled code for later runs: used only where nobody else could have put it
there. Whoever can write to such a folder decides what the next run executes."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from pathlib import Path

_refused = dict[Path, str]()


def is_trusted(folder: Path) -> bool:
    """Whether a folder belongs to this user or to root and no other users can write to it; one that
    is not there yet will be this user's. Others are remembered for :func:`refused_folders`."""
    if os.name != "posix":
        return True
    try:
        found = folder.stat()
    except OSError:
        return True
    reason = None
    if found.st_uid not in (os.geteuid(), 0):
        reason = f"belongs to user {found.st_uid}"
    elif found.st_mode & stat.S_IWOTH:
        reason = "can be written by other users"
    if reason is not None:
        _refused[folder] = reason
    return reason is None


def refused_folders() -> dict[Path, str]:
    """The folders that were not trusted since the last call, with the reason."""
    found = dict(_refused)
    _refused.clear()
    return found


def user_cache_dir() -> Path | None:
    """Where what was compiled is kept: ``$KCC_CACHE_DIR``, else kcc in ``$XDG_CACHE_HOME`` or
    ``~/.cache``; None, no cache, if ``$KCC_CACHE_DIR`` is empty or there is no home."""
    chosen = os.environ.get("KCC_CACHE_DIR")
    if chosen is not None:
        return Path(chosen) if chosen else None
    try:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    except RuntimeError:
        return None
    return Path(base) / "kcc"


def kept(folder: Path, name: str) -> bytes | None:
    """What is kept under a name; None where nothing is, or what is there is damaged."""
    try:
        stored = (folder / f"{name}.o").read_bytes()
    except OSError:
        return None
    data, checksum = stored[:-32], stored[-32:]
    return data if _checksum(name, data) == checksum else None


def keep(folder: Path, name: str, data: bytes) -> None:
    """Write beside and rename, so that readers see all or nothing. A folder that cannot be
    written costs the cache, not the run. Others cannot write to one that is made here."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(data + _checksum(name, data))
        Path(beside).replace(folder / f"{name}.o")
    except OSError:
        return


def _checksum(name: str, data: bytes) -> bytes:
    """Of an entry and of what it is for: one entry's file in place of another is damage."""
    return hashlib.sha256(name.encode() + data).digest()
