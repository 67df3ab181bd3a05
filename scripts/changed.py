"""What `scripts/check --fast` looks at: Python files that differ from the main branch, committed or
not, and the tests of those modules (standard library only).

    changed.py files     the files, as pyright must be given them
    changed.py importers the files, and those that import them
    changed.py tests     tests of the files, nearest first, and a few of each layer
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("frontend", "passes", "tracegen", "sim", "synth")
MAIN = ("origin/HEAD", "origin/main", "main")
ALWAYS = (
    "tests/test_layout.py",
    "tests/passes",
    "tests/frontend/test_parser.py",
    "tests/kcc/base/gpu",
)


def git(*arguments: str) -> list[str]:
    """The lines that git prints; none if it fails."""
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.splitlines() if done.returncode == 0 else []


def changed() -> list[Path]:
    """Python files that are new or differ from where this branch left the main one."""
    base = next((found[0] for name in MAIN if (found := git("merge-base", "HEAD", name))), "HEAD")
    names = git("diff", "--name-only", "--diff-filter=d", base)
    names += git("ls-files", "--others", "--exclude-standard")
    return [Path(name) for name in dict.fromkeys(names) if name.endswith(".py")]


def tests_of(path: Path) -> list[Path]:
    """The tests of a module, else of the nearest folder above that has tests."""
    if path.parts[0] == "tests":
        nearest = path if path.name.startswith("test_") else path.parent
        return [nearest] if len(nearest.parts) > 1 else []
    folder = Path("tests") / path.parent
    named = folder / f"test_{path.name}"
    if (ROOT / named).exists():
        return [named]
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    return [folder] if len(folder.parts) > 1 else []


def module_of(path: Path) -> str:
    """The name by which a file is imported."""
    parts = path.with_suffix("").parts
    parts = ("kcc", *parts) if parts[0] in LAYERS else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def importers(paths: list[Path]) -> list[Path]:
    """Files that name the module of one of the others."""
    if not paths:
        return []
    names = [f"-e{module_of(path)}" for path in paths]
    return [Path(name) for name in git("grep", "-lFw", *names, "--", "*.py")]


def as_checked(paths: list[Path]) -> list[Path]:
    """The files by the names under which pyright knows them."""
    found = [path for path in dict.fromkeys(paths) if path.parts[0] not in ("typings", "kernels")]
    return [Path("kcc") / path if path.parts[0] in LAYERS else path for path in found]


def main(arguments: list[str]) -> int:
    """Entry point; gives the exit code."""
    if arguments in (["files"], ["importers"]):
        found = changed()
        found += importers(found) if arguments == ["importers"] else []
        print(*as_checked(found), sep="\n")
        return 0
    if arguments == ["tests"]:
        near = [test for path in changed() for test in tests_of(path)]
        near.sort(key=lambda test: test.suffix == "")
        print(*dict.fromkeys([*map(str, near), *ALWAYS]), sep="\n")
        return 0
    print("usage: changed.py files|importers|tests", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
