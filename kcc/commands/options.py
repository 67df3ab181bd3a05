"""Options that several subcommands share: build options, kernels, launch, output, console."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from kcc.commands.compiler_words import in_our_words
from kcc.commands.errors import usage_error
from kcc.commands.outputs import write_standard
from kcc.frontend import PYTHON_KERNEL
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel

if TYPE_CHECKING:
    from kcc.commands.launch_choice import Group

_MACRO_NAME = re.compile(r"[A-Za-z_]\w*(\([^()]*\))?\Z", re.ASCII)


Subparsers = argparse._SubParsersAction  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
"""What a command adds its parser to; argparse has no public name for it."""

SIZE_NAMES = ("tiny", "small", "large")
"""The named sizes of a kernel.toml."""

DEFAULT_SIZE = "small"

CODE_CHOICES = ("kcc", "auto", "compiler")
REGISTER_SOURCES = ("estimate", "ptxas", "amdgpu")

OPENCL_VERSIONS = {"CL1.0": 120, "CL1.1": 120, "CL1.2": 120, "CL2.0": 200, "CL3.0": 300}
"""Versions of OpenCL C, and as which each is read."""

_DIALECT_OPTIONS = {
    "-cl-fast-relaxed-math": "allow what clBuildProgram's option of this name allows",
    "-cl-mad-enable": "allow a*b+c to become a mad",
    "-cl-single-precision-constant": "treat floating constants as float",
}


SOURCES = (
    "kernel source: OpenCL C, CUDA (.cu), HIP (.hip, .cpp), LLVM IR (.ll, .bc), PTX (.ptx), "
    "FILE.py:KERNEL of Triton or Numba"
)


class GpuNames(argparse.Action):
    """Collects GPUs: each in an option of its own, or several in one with commas between; the path
    of a file is one."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any,
        option_string: str | None = None,
    ) -> None:  # fmt: skip
        del parser, option_string
        names = [values] if os.path.isfile(values) else filter(None, values.split(","))  # noqa: PTH113 -- no error, whatever the name
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), *names])


def add_source(parser: argparse.ArgumentParser) -> None:
    """The source file and what changes its meaning."""
    parser.add_argument(
        "source",
        nargs="+",
        metavar="FILE",
        help=f"{SOURCES}; '-' reads OpenCL C from standard input",
    )
    add_meaning(parser)


def add_meaning(parser: argparse.ArgumentParser) -> None:
    """What changes the meaning of a source."""
    if isinstance(parser, Parser):
        parser.takes_compiler_words = True
    group = parser.add_argument_group("source")
    _add_dialect(group)
    group.add_argument(
        "--no-toml",
        action="store_true",
        help="do not read the kernel.toml that stands beside the source",
    )


def parse_dialect(words: Sequence[str]) -> BuildOptions:
    """Compiler options given as words elsewhere; raises :class:`UsageError` as usual."""
    parser = Parser(add_help=False)
    parser.takes_compiler_words = True
    _add_dialect(parser)
    return build_options(parser.parse_args(words))


def _add_dialect(group: _Options) -> None:
    """What a C compiler and clBuildProgram take."""
    group.add_argument(
        "-D",
        dest="macros",
        metavar="NAME[=VALUE]",
        action="append",
        type=_define,
        default=[],
        help="define a macro (as 1 without a value)",
    )
    group.add_argument(
        "-U",
        dest="macros",
        metavar="NAME",
        action="append",
        type=_undefine,
        help="undefine a macro",
    )
    group.add_argument(
        "-I",
        dest="include_dirs",
        metavar="FOLDER",
        action="append",
        default=[],
        help="look for included files in FOLDER",
    )
    group.add_argument(
        "-include",
        dest="forced_includes",
        metavar="FILE",
        action="append",
        default=[],
        help="include FILE before the source",
    )
    group.add_argument(
        "-cl-std",
        choices=(*OPENCL_VERSIONS, *map(str.lower, OPENCL_VERSIONS)),
        help="version of OpenCL C (default: CL1.2, which 1.0 and 1.1 are read as)",
    )
    for option, meaning in _DIALECT_OPTIONS.items():
        group.add_argument(option, action="store_true", help=meaning)


def add_compilation(parser: argparse.ArgumentParser, default_level: OptLevel) -> None:
    """Optimisation level and front end."""
    group = parser.add_argument_group("kernels and launches")
    group.add_argument(
        "--kernel",
        dest="kernels",
        metavar="NAME",
        action="append",
        default=[],
        help="only this kernel (repeatable)",
    )
    group.add_argument(
        "-O",
        dest="opt_level",
        choices=["0", "1", "2"],
        default=default_level.value[1:],
        help="0: as lowered; 1: SSA form with the source's control flow; 2: optimised as by a"
        " GPU compiler (default: %(default)s)",
    )
    group.add_argument(
        "--frontend",
        choices=["auto", "builtin", "clang", "nvrtc"],
        default="auto",
        help="front end; auto: clang for CUDA, the built-in one for OpenCL C; nvrtc: NVIDIA's for "
        "CUDA, whose PTX is read (default: %(default)s)",
    )
    group.add_argument(
        "--signature",
        metavar="TYPES",
        default="",
        help="of FILE.py:KERNEL, the types of its arguments: Triton's ('*fp16,*fp32,i32') or "
        "Numba's ('float32[:],int32')",
    )
    group.add_argument(
        "--instantiate",
        metavar="NAME<ARGUMENTS>",
        action="append",
        default=[],
        help="a kernel template of a CUDA source to look at, e.g. 'scan<float, 16>' (repeatable)",
    )


def add_compiled_for(parser: argparse.ArgumentParser) -> None:
    """The GPU that code is made for, where a command has no other use for one."""
    parser.add_argument_group("GPU").add_argument(
        "--gpu", dest="gpus", metavar="NAME", action=GpuNames, default=[],
        help="compile for the compute capability of this GPU (Triton, Numba, NVRTC)",
    )  # fmt: skip


def add_argv(group: Group) -> None:
    """What a CUDA program is run with, for the launches of its host code."""
    group.add_argument(
        "--argv",
        metavar="ARGS",
        default="",
        help="arguments of the program in a CUDA source, e.g. '1048576 100': launches in its host "
        "code are those of a run with them",
    )


def add_launch(parser: argparse.ArgumentParser) -> Group:
    """Launch geometry and arguments, as expressions."""
    group = parser.add_argument_group("launch")
    group.add_argument(
        "--global",
        dest="global_sizes",
        metavar="EXPR[,EXPR[,EXPR]]",
        action="append",
        default=[],
        help="work-items in each dimension",
    )
    group.add_argument(
        "--local",
        dest="local_sizes",
        metavar="EXPR[,EXPR[,EXPR]]",
        action="append",
        default=[],
        help="work-items of a work-group in each dimension",
    )
    group.add_argument(
        "--grid",
        dest="grids",
        metavar="EXPR[,EXPR[,EXPR]]",
        action="append",
        default=[],
        help="thread blocks in each dimension: CUDA's way to give --global",
    )
    group.add_argument(
        "--block",
        dest="blocks",
        metavar="EXPR[,EXPR[,EXPR]]",
        action="append",
        default=[],
        help="threads of a block in each dimension: CUDA's word for --local",
    )
    group.add_argument(
        "--arg",
        dest="arguments",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a kernel argument, by its name or its place from 0: n=1024, or a buffer: "
        "a=float[n*n]",
    )
    group.add_argument(
        "--size",
        dest="sizes",
        metavar="NAME=EXPR",
        action="append",
        default=[],
        help="a free name of the expressions; or one of "
        f"{', '.join(SIZE_NAMES)}: a size of the kernel.toml (default: {DEFAULT_SIZE})",
    )
    return group


def add_assumptions(parser: argparse.ArgumentParser) -> None:
    """What the user knows and the source does not tell."""
    parser.add_argument_group("assumptions").add_argument(
        "--assume",
        dest="assumptions",
        metavar="THING@LINE=VALUE",
        action="append",
        default=[],
        help="an assumption for data-dependent control flow: loop@LINE=COUNT, its trip count;"
        " branch@LINE=SHARE, how often it is taken (repeatable)",
    )


def add_resume(group: Group) -> None:
    """Whether to go on after an interrupt."""
    group.add_argument(
        "--resume", action="store_true",
        help="resume the same command after an interrupt: its journal is FILE.partial beside the "
        "first output file",
    )  # fmt: skip


def add_gpu(parser: argparse.ArgumentParser) -> None:
    """The GPU that a report speaks of, and where register counts come from."""
    group = parser.add_argument_group("GPU")
    group.add_argument(
        "--gpu",
        metavar="NAME",
        help="report occupancy on this GPU (a name, see `kcc gpus list`, or a file)",
    )
    group.add_argument(
        "--set",
        dest="overrides",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="change a value of the GPU, e.g. l2.size_bytes=4194304 (repeatable)",
    )
    add_code(group)


def add_traced_code(group: _Options) -> None:
    """Whose machine code launches of traces are timed in."""
    group.add_argument(
        "--code",
        choices=CODE_CHOICES,
        help="whose machine code: kcc's own lowering (default), that of the GPU's compiler (ptxas, "
        "which is installed where it is missing, or LLVM for AMD), through which each warp goes as "
        "its trace says, or auto: the compiler's where it is there",
    )


def add_code(group: _Options) -> None:
    """Whose machine code is meant; `--registers` is its older name."""
    group.add_argument(
        "--code",
        choices=CODE_CHOICES,
        help="whose machine code: kcc's own lowering (the default for NVIDIA's GPUs), that of the "
        "GPU's compiler (ptxas, which is installed where it is missing, or LLVM for AMD, the "
        "default for AMD's GPUs), or auto: the compiler's where it is there",
    )
    group.add_argument("--registers", choices=REGISTER_SOURCES, help=argparse.SUPPRESS)


def add_console(parser: argparse.ArgumentParser, *, stages: bool = True) -> None:
    """Colours, width, tracebacks, and timing where the command has ``stages``."""
    group = parser.add_argument_group("console")
    group.add_argument(
        "--color",
        choices=["auto", "always", "never"],
        default="auto",
        help="colours and bold type; auto: on a terminal, unless NO_COLOR is set",
    )
    group.add_argument(
        "--width",
        metavar="COLUMNS",
        type=_width,
        help="width of the report (default: the terminal's)",
    )
    if stages:
        group.add_argument(
            "--time",
            action="store_true",
            help="print the CPU seconds of each stage on standard error",
        )
    add_debug(parser)


def add_debug(parser: argparse.ArgumentParser) -> None:
    """The option for developers of kcc."""
    parser.add_argument(
        "--debug", action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )


def single_source(paths: Sequence[str]) -> str:
    """The one source that is named; raises :class:`UsageError` for several, and for what only
    other commands read."""
    if len(paths) > 1:
        listed = ", ".join(paths)
        raise usage_error(f"one source file at a time: got {listed}", "run kcc once for each")
    (path,) = paths
    for suffix, what, hint in _NO_SOURCES:
        if path.endswith(suffix):
            raise usage_error(f"'{path}' is {what}, and this command reads kernel sources", hint)
    return path


_NO_SOURCES = (
    (".py", "a host script", "kcc run, trace, profile, simulate, explore and synth run scripts"),
    (".kct", "a trace", "kcc profile, simulate and explore read traces"),
)


def build_options(arguments: argparse.Namespace) -> BuildOptions:
    """What :func:`add_source` and :func:`add_compilation` collected."""
    return BuildOptions(
        macros=tuple(arguments.macros),
        include_dirs=tuple(arguments.include_dirs),
        forced_includes=tuple(arguments.forced_includes),
        opt_level=OptLevel(f"O{getattr(arguments, 'opt_level', '1')}"),
        fast_relaxed_math=arguments.cl_fast_relaxed_math,
        mad_enable=arguments.cl_mad_enable,
        single_precision_constant=arguments.cl_single_precision_constant,
        opencl_version=OPENCL_VERSIONS[(arguments.cl_std or "CL1.2").upper()],
        instantiate=tuple(getattr(arguments, "instantiate", ())),
    )


class _Options(Protocol):
    """A parser, or a group of one."""

    def add_argument(self, *names: str, **settings: Any) -> argparse.Action: ...


def _whole_argv(words: Any) -> Any:
    """Words in which what follows --argv is its value even where it begins with a dash."""
    found = list[str]()
    for word in words or ():
        if found and found[-1] == "--argv":
            found[-1] = f"--argv={word}"
        else:
            found.append(word)
    return found


class Parser(argparse.ArgumentParser):
    """An argument parser that raises :class:`UsageError`, and whose options are never shortened."""

    takes_compiler_words = False
    """Whether options of other compilers may stand among its own."""

    rest: str | None = None
    """What words after ``--`` are called, where they are for somebody else."""

    other: tuple[Callable[[str], Parser], tuple[str, ...]] | None = None
    """What makes the parser to be used in place of this one, and how the name of a file ends that
    asks for it; what does not begin with a dot is the first word."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        settings.setdefault("allow_abbrev", False)
        super().__init__(**settings)

    def parse_known_args(  # pyright: ignore[reportIncompatibleMethodOverride] -- it is overloaded
        self, args: Any = None, namespace: Any = None
    ) -> Any:
        instead = self._instead(args)
        if instead is not None:
            return instead.parse_known_args(args, namespace)
        ignored = list[str]()
        if "--argv" in self._option_string_actions:
            args = _whole_argv(args)
        if self.takes_compiler_words:
            args, ignored = in_our_words(list(args), self._option_string_actions)
        if self.rest is None:
            found, unknown = super().parse_known_args(args, namespace)
        else:
            words = list(args)
            end = words.index("--") if "--" in words else len(words)
            found, unknown = super().parse_known_args(words[:end], namespace)
            setattr(found, self.rest, words[end + 1 :])
        if self.takes_compiler_words:
            found.ignored_words = ignored
        if unknown and " " in self.prog:  # of a command, whose options are known here alone
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def _instead(self, given: Sequence[str] | None) -> Parser | None:
        """Another parser, if one of the words asks for it."""
        if self.other is None:
            return None
        make, suffixes = self.other
        args = given or ()
        words = args[: args.index("--")] if "--" in args else args
        endings = tuple(each for each in suffixes if each.startswith("."))
        is_asked = any(
            word.endswith(endings) or (PYTHON_KERNEL.fullmatch(word) and endings)
            for before, word in zip(("", *words), words, strict=False)
            if not self._takes_value(before)
        ) or words[:1] == list(suffixes[:1])
        wanted = "--show" not in words and is_asked
        return make(self.prog) if wanted else None

    def _takes_value(self, word: str) -> bool:
        """Whether the word behind an option is its value, as the file behind ``-o``."""
        option = self._option_string_actions.get(word)
        return option is not None and option.nargs != 0

    def _print_message(self, message: str, file: Any = None) -> None:  # noqa: ARG002 -- as argparse calls it
        """Help and version: a standard output that is full is not passed over."""
        write_standard(message)

    def error(self, message: str) -> Any:
        raise usage_error(message, f"{self._suggestion(message)}see '{self.prog} --help'")

    def _suggestion(self, message: str) -> str:
        """What may have been meant by an option or a choice that does not exist."""
        from difflib import get_close_matches

        if found := _NO_CHOICE.search(message):
            word, known = found[1], re.findall(r"[\w.+-]+", found[2])
        elif found := _NO_OPTION.search(message):
            word, known = found[1], list(self._option_string_actions)
        else:
            return ""
        near = get_close_matches(word, known, n=1)
        return f"did you mean '{near[0]}'? " if near else ""


_NO_CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)")
_NO_OPTION = re.compile(r"unrecognized arguments: (?:.* )?(--?[^\s=]+)")
"""How argparse says it."""


def _define(text: str) -> MacroOption:
    name, equals, value = text.partition("=")
    if not _MACRO_NAME.match(name):
        raise argparse.ArgumentTypeError(f"'{name}' is not a macro name")
    return MacroOption(name, value if equals else "1")


def _undefine(text: str) -> MacroOption:
    if not _MACRO_NAME.match(text) or "(" in text:
        raise argparse.ArgumentTypeError(f"'{text}' is not a macro name")
    return MacroOption(text, None)


def _width(text: str) -> int:
    if not text.isdecimal() or not 40 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of columns from 40 to 1000")
    return int(text)
