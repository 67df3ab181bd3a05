"""Make or refresh the clone's `.venv` (standard library only; called by scripts/kcc and check).

    environment.py run       what `kcc` needs
    environment.py check     and what tests, linters and type checkers need
    environment.py clang     and clang (the ziglang wheel)
    environment.py nvidia    and NVIDIA's assembler and disassembler
    environment.py notebooks and what runs the notebooks of docs/ in tests
    environment.py pyopencl  and PyOpenCL's own Python modules
    environment.py cluster   and Dask, for sweeps on several machines
    environment.py browser   and Playwright, with which tests look at pages in Chromium
    environment.py linker    and, with clang, an `ld` for PoCL in .venv/tools

A part is there when `.venv/kcc-PART.toml` equals pyproject.toml. All of these stamps are taken away
before anything is changed and written back last, so an interrupted run leaves none; without a stamp
the environment is made from scratch.
"""

from __future__ import annotations

import contextlib
import fcntl
import importlib.util
import os
import subprocess
import sys
import tomllib
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
PROJECT = ROOT / "pyproject.toml"
HOME_STAMP = VENV / "kcc-root"

PARTS = {
    "run": "",
    "check": "[tests,dev,plots,tune,docs]",
    "clang": "[clang]",
    "nvidia": "[nvidia]",
    "browser": "[browser]",
    "notebooks": "[notebooks]",
    "pyopencl": "[pyopencl]",
    "cluster": "[cluster]",
    "triton": "[triton]",
    "numba": "[numba]",
    "linker": "[clang]",
    "zstd": "[zstd]",
}
"""Part of the environment: the extras of pyproject.toml that it installs."""

COMPILED_FOLDERS = ("kcc", "frontend", "passes", "tracegen", "sim", "synth")

LINKER = """\
#!/bin/sh
# PoCL asks for the libraries of a compiler. Where there is none, they are left out: what a kernel
# needs of them is in the process already.
"{zig}" ld.lld "$@" 2>/dev/null && exit
for argument; do
    shift
    case $argument in
        -lgcc | -lgcc_s | -lc) ;;
        *) set -- "$@" "$argument" ;;
    esac
done
exec "{zig}" ld.lld "$@"
"""

OFFLINE_SIGNS = (
    "Failed to establish a new connection",
    "Temporary failure in name resolution",
    "Max retries exceeded",
    "No matching distribution found",
    "ProxyError",
    "ConnectTimeout",
)


class SetupError(Exception):
    """The environment cannot be made; the message tells the user what to do."""


class NothingChangedError(SetupError):
    """It failed before anything in `.venv` was changed."""


def say(message: str) -> None:
    """Print a progress line; standard output belongs to kcc."""
    print(f"kcc: {message}", file=sys.stderr, flush=True)


def stamp(part: str) -> Path:
    """The file that says a part is installed."""
    return VENV / f"kcc-{part}.toml"


def is_current(part: str) -> bool:
    """Whether a part is installed for this pyproject.toml in this place."""
    with contextlib.suppress(OSError):
        return (
            os.access(PYTHON, os.X_OK)
            and HOME_STAMP.read_text(encoding="utf-8") == f"{ROOT}\n"
            and stamp(part).read_bytes() == PROJECT.read_bytes()
        )
    return False


def is_usable() -> bool:
    """Whether `.venv` was finished once, here, by an interpreter that still runs."""
    with contextlib.suppress(OSError):
        if HOME_STAMP.read_text(encoding="utf-8") == f"{ROOT}\n" and stamp("run").exists():
            probe = f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
            return subprocess.run([PYTHON, "-c", probe], check=False).returncode == 0
    return False


@contextlib.contextmanager
def only_one() -> Generator[int]:
    """Hold the lock against a second first run.

    Gives its descriptor, for every child process: should this one be killed, the lock holds until
    the child has ended too.
    """
    with (ROOT / ".venv.lock").open("w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another call is making the environment; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock.fileno()


def site_packages() -> Path:
    """Where the libraries of `.venv` are."""
    return next((VENV / "lib").glob("python*")) / "site-packages"


def make_venv(lock: int) -> None:
    """Make an empty `.venv`, whatever stood there before."""
    for module, package in (("venv", "venv"), ("ensurepip", "venv")):
        if importlib.util.find_spec(module) is None:
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            raise SetupError(
                f"{sys.executable} has no `{module}` module, which a virtual environment needs.\n"
                f"  On Debian and Ubuntu: apt install python{version}-{package}\n"
                "  Or set KCC_PYTHON to another Python 3.11 or newer."
            )
    say("making .venv with Python " + sys.version.split(maxsplit=1)[0])
    done = subprocess.run(
        [sys.executable, "-m", "venv", "--clear", VENV],
        check=False,
        capture_output=True,
        text=True,
        pass_fds=(lock,),
    )
    if done.returncode != 0:
        raise SetupError(f"python -m venv failed:\n{done.stdout}{done.stderr}".rstrip())


def pip_install(arguments: Sequence[str], lock: int) -> None:
    """Run pip inside `.venv`, telling of each download."""
    command = [str(PYTHON), "-m", "pip", "install", "--no-input", "--no-compile"]
    command += ["--disable-pip-version-check", "--progress-bar", "off", *arguments]
    output: list[str] = []
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        pass_fds=(lock,),
    ) as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            output.append(line)
            words = line.split()
            if words and words[0] in {"Downloading", "Using"} and ".metadata" not in line:
                say("  " + line.strip())
    if pip.returncode != 0:
        changed = any(line.startswith("Installing collected packages") for line in output)
        raise (SetupError if changed else NothingChangedError)(explain_pip(output))


def explain_pip(output: Sequence[str]) -> str:
    """What to tell the user of a pip that failed."""
    told = [line for line in output if not line.startswith("Requirement already satisfied")]
    tail = "".join(f"    {line}" for line in told[-6:]).rstrip()
    if any(sign in line for line in output for sign in OFFLINE_SIGNS):
        return (
            "the package index cannot be reached, or lacks a package that kcc needs.\n"
            "  It is needed once, for the dependencies. Behind a mirror or proxy, set\n"
            f"  PIP_INDEX_URL or HTTPS_PROXY. The last words of pip:\n{tail}"
        )
    return f"pip failed. Its last words:\n{tail}"


def install(part: str, lock: int) -> None:
    """Install a part and its byte code into an existing `.venv`."""
    build_requires = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["build-system"]["requires"]
    # The build back end stays in .venv, so that a later change of pyproject.toml that asks for no
    # new library needs no package index.
    pip_install([*build_requires, "editables"], lock)
    pip_install(["--no-build-isolation", "--editable", f".{PARTS[part]}"], lock)
    say("compiling")
    folders = [site_packages(), *(ROOT / name for name in COMPILED_FOLDERS)]
    # Some libraries ship files that are no Python 3; compileall then exits with 1, and all is well.
    subprocess.run(
        [PYTHON, "-m", "compileall", "-qq", "-j", "0", "-x", "/tests/", *folders],
        check=False,
        stdout=subprocess.DEVNULL,
        pass_fds=(lock,),
    )


def write_linker() -> None:
    """Put an `ld` that is clang's linker into .venv/tools."""
    tool = VENV / "tools" / "ld"
    tool.parent.mkdir(exist_ok=True)
    tool.write_text(LINKER.format(zig=site_packages() / "ziglang" / "zig"), encoding="utf-8")
    tool.chmod(0o755)


def write_stamps(stamps: Mapping[str, bytes]) -> None:
    """Say which parts are installed, and for which pyproject.toml."""
    for name, content in stamps.items():
        stamp(name).write_bytes(content)


def prepare(part: str) -> None:
    """Bring `.venv` up to the part, from scratch where that is needed."""
    with only_one() as lock:
        if is_current(part):
            return
        if VENV.is_symlink():  # what it points to may be another clone's, and would be emptied
            raise SetupError(
                f"{VENV} is a link to {VENV.resolve()}, which is no environment of this clone.\n"
                "  Remove the link; the next call makes an environment here."
            )
        usable = is_usable()
        project = PROJECT.read_bytes()
        stamps = {name: stamp(name).read_bytes() for name in PARTS if stamp(name).exists()}
        for name in stamps:
            stamp(name).unlink()
        if not usable:
            say("first use of this clone: installing what kcc needs, once (a minute or two)")
            stamps.clear()
            make_venv(lock)
        else:
            say("updating the environment in .venv")
        try:
            install(part, lock)
        except NothingChangedError:
            write_stamps(stamps)
            raise
        if part == "linker":
            write_linker()
        HOME_STAMP.write_text(f"{ROOT}\n", encoding="utf-8")
        write_stamps(stamps | {"run": project, part: project})
        say("ready")


def main(arguments: Sequence[str]) -> int:
    """Entry point; gives the exit code."""
    if len(arguments) != 1 or arguments[0] not in PARTS:
        print(f"usage: environment.py {'|'.join(PARTS)}", file=sys.stderr)
        return 2
    try:
        prepare(arguments[0])
    except SetupError as error:
        say(str(error))
        return 1
    except OSError as error:
        say(f"the environment cannot be made: {error}")
        return 1
    except KeyboardInterrupt:
        say("interrupted; the next call starts over")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
