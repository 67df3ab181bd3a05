"""`kcc synth FILE.py -o mini.cl`: a miniature that behaves as the kernels of a host script do."""

from __future__ import annotations

import argparse
import io
import re
from collections.abc import Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Severity
from kcc.base.records import dataclass
from kcc.base.scratch import scratch_folder
from kcc.commands.console import choose_style, say
from kcc.commands.errors import usage_error
from kcc.commands.hosts import (
    add_script,
    check_script,
    host_settings,
    run_host,
    script_exit_code,
    shown_run,
)
from kcc.commands.launch_choice import add_launch_choice
from kcc.commands.options import GpuNames, Parser, Subparsers, add_assumptions, add_console
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.shown_simulation import ShownSimulation
from kcc.commands.source_runs import offer_sources
from kcc.commands.sources import SourceLines
from kcc.commands.static_trace import write_messages
from kcc.commands.traced import trace_script

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription
    from kcc.commands.synth_journal import KeptTrials
    from kcc.report.miniature.document import Synthesis
    from kcc.stages.proxy_search import Checked
    from kcc.stages.synth import Settled, Study
    from kcc.synth.reduction.reductions import Factors, Reduction

MAX, AUTO = "max", "auto"

NORMAL, STRICT = "normal", "strict"

TWIN = "twin"
"""The folder of the larger of two miniatures, or what is added to its name."""

PROFILE = ".json"

LARGEST = 1 << 30
"""More than any loop's trips."""

MOST_BLOCKS = 64
"""By how much `max` and `auto` divide thread blocks."""

_EXAMPLES = """examples:
  kcc synth kernels/hotspot/workload.py -o mini.cl
  kcc synth kernels/matmul/workload.py --kernel matmul_tiled --reduction 4 -o mini/
  kcc synth kernels/bfs/workload.py --launches 4 --reduction 1 --report - -o mini/
  kcc synth kernels/kmeans/workload.py --reduction auto --error 5 --gpu conf1 -o mini/
  kcc synth kernels/nbody/workload.py --reduction auto --twin --gpu conf1 -o mini/
  kcc synth kernels/lud/workload.py -o mini/ --verify --gpu conf1,conf2
  kcc profile kernels/lud/workload.py --for-synth --json lud.json; kcc synth lud.json -o mini.cl
  kcc synth kernels/vecadd/vecadd.cl -o mini/     a source; see `kcc synth FILE.cl --help`"""

_SOURCE_EXAMPLES = """examples:
  kcc synth kernels/nw/nw.cl --static -o mini/             from static traces, without a run
  kcc synth kernels/matmul/matmul.cl --kernel matmul_tiled --reduction 4 -o mini/
  kcc synth axpy.ptx --global 2**16 --block 256 --arg 0=float[2**16] --arg 1=2**16 -o mini/"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc synth`."""
    parser = subparsers.add_parser(
        "synth",
        help="make a miniature proxy of the kernels of a PyOpenCL script",
        usage="kcc synth FILE -o TARGET [OPTION ...] [-- ARG ...]",
        description="""\
Run a PyOpenCL script and make a proxy program: the same instructions, branches and
access patterns, fewer loop iterations, none of the names and data.""",
        epilog=_EXAMPLES,
    )
    add_script(parser, also="; or a profile (.json) that `kcc profile --for-synth` wrote")
    add_launch_choice(parser.add_argument_group("launches"))
    _add_options(parser)
    offer_sources(
        parser,
        _add_source_options,
        run,
        what="Run kernels of a source and make a proxy program: the same instructions, branches and"
        "\naccess patterns, fewer loop iterations, none of the names and data.",
        examples=_SOURCE_EXAMPLES,
    )
    parser.set_defaults(run=run)


def _add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("miniature")
    group.add_argument(
        "--reduction", metavar="R", type=_reduction, default=MAX,
        help="divide trips of loops by a power of two; max: until one is left (default); auto: "
        "what leaves fewest instructions with an IPC error below --error on each --gpu",
    )  # fmt: skip
    group.add_argument(
        "--loop", dest="loops", metavar="K.L=R", action="append", type=_loop, default=[],
        help="another factor for loop L of miniature kernel K (repeatable; see --report)",
    )  # fmt: skip
    group.add_argument(
        "--blocks", dest="block_reduction", metavar="N", type=_reduction,
        help="also divide thread blocks by a power of two, evenly over regions that behave alike; "
        "auto: as --reduction (default: auto where --reduction is, else 1)",
    )  # fmt: skip
    group.add_argument(
        "--slice", dest="parts", metavar="N", type=_parts, default=1,
        help="simulate the miniature, with an Nth of the thread blocks, on an Nth of each --gpu, "
        "with as large a share of its L2 and DRAM: it stands for the whole; auto: also with "
        "--reduction auto, where that is smaller (default: the whole GPU)",
    )  # fmt: skip
    group.add_argument(
        "--twin", action="store_true",
        help="make a second miniature with half the reduction; IPC is what both say: cycles along "
        "a line through them, followed to the instructions of the original; auto: where both have "
        "fewer instructions than one alone, and the first as much smaller as it can be",
    )  # fmt: skip
    group.add_argument(
        "--error", metavar="PERCENT", type=_percent, default=5.0,
        help="of auto (default: %(default)s)",
    )  # fmt: skip
    group.add_argument(
        "--privacy", choices=(NORMAL, STRICT), default=NORMAL,
        help="strict: nothing is said of what is in memory, addresses and conditions on it are "
        "drawn; normal: arrays that decide something are described in classes (default)",
    )  # fmt: skip
    _add_output(parser)
    add_console(parser, stages=False)


def _add_source_options(parser: Parser) -> None:
    add_assumptions(parser)
    parser.add_argument_group("run").add_argument(
        "--static", action="store_true",
        help="do not run the kernels: what they do is taken from static traces, by --assume where "
        "memory decides",
    )  # fmt: skip
    _add_options(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o", dest="output", metavar="TARGET",
        help="a folder, or FILE.cl with its companions beside it: host (.py), CUDA, LLVM IR",
    )  # fmt: skip
    group.add_argument(
        "--report", metavar="FILE", help="write everything the miniature reveals about the original"
    )
    group.add_argument(
        "--json", metavar="FILE",
        help="the same with expected counts and what --verify found (kcc/synthesis/1)",
    )  # fmt: skip
    group.add_argument("--verify", action="store_true", help="simulate both on each --gpu")
    group.add_argument(
        "--resume", action="store_true",
        help="resume the same command after an interrupt: what was simulated is in TARGET.partial",
    )  # fmt: skip
    group.add_argument(
        "--gpu", dest="gpus", metavar="NAME[,NAME]", action=GpuNames, default=[],
        help="for --verify and auto (repeatable); what the largest holds at a time is an epoch of "
        "--blocks",
    )  # fmt: skip


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    kept = kept_trials(arguments)
    with kept or nullcontext():
        try:
            found = find(arguments, sources, kept)
        except SystemExit as end:
            return script_exit_code(end)
        except KeyboardInterrupt:
            if kept:
                say(f"\n{kept.path} has the trials that were made; --resume continues\n")
            raise
        synthesis = write(arguments, found)
        if kept:
            kept.remove()
    said = remarks(arguments, synthesis)
    write_messages(said, sources)
    return 1 if any(one.severity is Severity.ERROR for one in said) else 0


def remarks(arguments: argparse.Namespace, found: Synthesis) -> list[Diagnostic]:
    """What auto did not reach (K953), and what the miniature does otherwise than the original
    (K954)."""
    from kcc.synth.comparison.behaviour import differences

    said = list[Diagnostic]()
    beyond = [pair for pair in found.pairs if abs(pair.ipc_error) > arguments.error / 100]
    if beyond and AUTO in (arguments.reduction, arguments.block_reduction):
        where = ", ".join(f"{100 * p.ipc_error:+.1f} % on {p.original.gpu}" for p in beyond)
        message = f"no miniature is within {arguments.error:g} %: IPC of the one written is {where}"
        said.append(Diagnostic("K953", message, hint="`--error` allows more"))
    made = found.own
    whole = made.blocks == 1 and all(f == 1 for row in made.miniature.reductions for f in row)
    if lost := differences(found.behaviours, found.pairs, whole=whole):
        what = f"the miniature differs: {'; '.join(lost)}"
        said.append(Diagnostic("K954", what, hint="a smaller --reduction and --blocks keep more"))
    return said


@dataclass(frozen=True, slots=True)
class Found:
    """What the script did, what was made of it, and where that goes (nowhere, if empty)."""

    study: Study
    made: Checked
    targets: tuple[_Targets, ...]


def find(
    arguments: argparse.Namespace, sources: SourceLines, kept: KeptTrials | None = None
) -> Found:
    """The miniature that the command line asks for, with the trials that are kept; SystemExit is
    the script's."""
    from kcc.stages.synth import without_data

    shown = [target for target in (arguments.report, arguments.json) if target]
    if not arguments.output and not shown and not arguments.verify:
        raise usage_error("-o is missing: a folder, or FILE.cl")
    targets = _targets(arguments) if arguments.output else []
    check_targets([*(f for each in targets for f in each.files), *shown], arguments.script)
    gpus = _gpus(arguments)
    _check_source(arguments)
    study = _study(arguments, sources)
    if arguments.privacy == STRICT:
        study = without_data(study)
    with scratch_folder() as folder:
        made = _made(arguments, sources, study, gpus, folder, kept)
    return Found(study, made, tuple(targets))


def write(arguments: argparse.Namespace, found: Found) -> Synthesis:
    """Write all that was asked for; gives what there is to say."""
    files = _files_of(found)
    synthesis = _synthesis(found, files)
    outputs = _outputs(arguments, found, synthesis, [o for each in files for o in each])
    for each in found.targets[: 2 if found.made.twin else 1]:
        _make_folder(Path(each.opencl).parent)
    write_outputs(outputs)
    return synthesis


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot make the folder '{folder}': {error.strerror}"
        raise DiagnosticError([Diagnostic("K008", message)]) from error


@dataclass(frozen=True, slots=True)
class _Targets:
    """Where the texts go, and how they call each other."""

    opencl: str
    host: str
    cuda: str
    llvm: str

    @property
    def files(self) -> tuple[str, ...]:
        return (self.opencl, self.host, self.cuda, self.llvm)


def _targets(arguments: argparse.Namespace) -> list[_Targets]:
    """Of the miniature, and of its twin if it is to have one."""
    path = Path(arguments.output)
    if arguments.output == STANDARD:
        raise usage_error("a miniature is several files: -o names a folder or FILE.cl")
    if path.suffix == ".cl":
        found = [path, path.with_stem(f"{path.stem}-{TWIN}")]
        found = [[str(each.with_suffix(s)) for s in (".cl", ".py", ".cu", ".ll")] for each in found]
    elif path.exists() and not path.is_dir():
        raise usage_error(f"'{arguments.output}' is neither a folder nor FILE.cl")
    else:
        names = ("kernel.cl", "workload.py", "kernel.cu", "kernel.ll")
        found = [[str(folder / name) for name in names] for folder in (path, path / TWIN)]
    return [_Targets(*each) for each in (found if arguments.twin else found[:1])]


def _check_source(arguments: argparse.Namespace) -> None:
    """A profile can be made a miniature of, but not be simulated beside it."""
    if not arguments.script.endswith(PROFILE):
        check_script(arguments)
    elif _is_simulated(arguments):
        message = "--verify and auto simulate the original, which a profile does not have"
        raise usage_error(message, "give the script, or a number for --reduction")


def _gpus(arguments: argparse.Namespace) -> list[GpuDescription]:
    if _is_simulated(arguments) and not arguments.gpus:
        raise usage_error("--gpu is missing", "`kcc gpus list` names GPUs")
    from kcc.base.gpu import load_gpu

    gpus = [load_gpu(name, []) for name in arguments.gpus]
    _check_parts(arguments, gpus)
    return gpus


def _check_parts(arguments: argparse.Namespace, gpus: Sequence[GpuDescription]) -> None:
    from kcc.synth.reduction.slices import slice_settings

    if arguments.parts == 1:
        return
    if not _is_simulated(arguments):
        raise usage_error("--slice is for --verify and auto, which simulate the miniature")
    if arguments.parts == AUTO:
        if AUTO not in (arguments.reduction, arguments.block_reduction):
            raise usage_error("--slice auto goes with --reduction auto", "or give a power of two")
        return
    try:
        for gpu in gpus:
            slice_settings(gpu, arguments.parts)
    except ValueError as error:
        raise usage_error(f"--slice {arguments.parts}: {error}") from error


def _study(arguments: argparse.Namespace, sources: SourceLines) -> Study:
    from kcc.stages.synth import Study, check_study, study_profile

    if arguments.script.endswith(PROFILE):
        study = study_profile(arguments.script, arguments.kernels, arguments.launches)
        check_study(study)
        return study
    if getattr(arguments, "static", False):
        return _static_study(arguments, sources)
    study = Study(arguments.kernels, arguments.launches)
    try:
        run_host(arguments, sources, study, quiet=STANDARD in (arguments.report, arguments.json))
    except DiagnosticError as error:
        raise DiagnosticError(map(_or_without_a_run, error.diagnostics)) from error
    check_study(study)
    return study


def _or_without_a_run(diagnostic: Diagnostic) -> Diagnostic:
    """Where too little is known of buffers to run a kernel, that it need not run."""
    if diagnostic.code != "K708":
        return diagnostic
    return replace(diagnostic, hint=f"{diagnostic.hint}, or --static, which runs nothing")


def _static_study(arguments: argparse.Namespace, sources: SourceLines) -> Study:
    from kcc.commands.static_trace import assumed_notes, static_request
    from kcc.stages.static_study import study_source

    request, remarks = static_request(arguments, arguments.script, sources)
    study, traced = study_source(request)
    write_messages((*traced.warnings, *traced.failures), sources)
    say("".join(f"{each}\n" for each in (*remarks, *assumed_notes(traced))))
    return study


def _static_trace(
    arguments: argparse.Namespace, sources: SourceLines, trace: Path
) -> dict[str, int]:
    """The static trace of the source, to be simulated; gives registers by kernel."""
    from kcc.commands.static_trace import static_request
    from kcc.stages.static_tracing import kernel_registers, trace_source

    request, _ = static_request(arguments, arguments.script, sources)
    trace_source(request, trace)
    return kernel_registers(request)


def _made(
    arguments: argparse.Namespace, sources: SourceLines, study: Study,
    gpus: Sequence[GpuDescription], folder: Path, kept: KeptTrials | None,
) -> Checked:  # fmt: skip
    """The miniature; with auto the smallest whose error is within the bound on all GPUs."""
    from kcc.stages.proxy_check import Traced
    from kcc.stages.proxy_search import Bench

    least, most = _range(arguments, study)
    settings = host_settings(arguments)
    originals = kept.originals(gpus) if kept else []
    if _is_simulated(arguments) and not originals:
        trace = folder / "original.kct"
        with redirect_stdout(io.StringIO()):  # what the script says, it said when it was studied
            registers = (
                _static_trace(arguments, sources, trace)
                if getattr(arguments, "static", False)
                else trace_script(arguments, sources, trace, quiet=True)
            )
        traced = Traced(str(trace), registers)
        original = ShownSimulation("the original")
        originals = [original(traced, gpu) for gpu in gpus]
        if kept:
            kept.keep_originals(originals)
    shown = ShownSimulation("a miniature")
    running = partial(shown_run, "profiling a miniature")
    bench = Bench(study, gpus, originals, settings, folder, arguments.seed, shown, running, kept)
    chosen, twins = least, arguments.twin
    if least != most:
        bound, slices = arguments.error / 100, arguments.parts == AUTO
        chosen, twins = bench.smallest(least, most, bound, twins=twins, slices=slices)
    return bench.checked(chosen, twins=twins)


def kept_trials(arguments: argparse.Namespace) -> KeptTrials | None:
    """The journal of what is simulated, beside the miniature.

    :raises UsageError: K009 where ``--resume`` is asked for and nothing can be kept.
    """
    from kcc.commands.synth_journal import KeptTrials

    if not _is_simulated(arguments) or not arguments.output or not arguments.gpus:
        if arguments.resume:
            raise usage_error("--resume needs -o, and --verify or auto: trials are kept beside it")
        return None
    return KeptTrials(arguments)


def _is_simulated(arguments: argparse.Namespace) -> bool:
    return arguments.verify or AUTO in (arguments.reduction, arguments.block_reduction)


def _range(arguments: argparse.Namespace, study: Study) -> tuple[Reduction, Reduction]:
    """The least and the largest reduction: the same where one is asked for."""
    from kcc.synth.reduction.reductions import Reduction, largest_blocks

    trips: int | str = arguments.reduction
    blocks: int | str = arguments.block_reduction or (AUTO if trips == AUTO else 1)
    most = MOST_BLOCKS
    if blocks == AUTO:  # where thread blocks must be kept, an own wish is an error, not this
        most = largest_blocks(study.kernels, study.launches, MOST_BLOCKS)
    parts = 1 if arguments.parts == AUTO else arguments.parts
    ends = zip(_limits(trips, LARGEST), _limits(blocks, most), strict=True)
    found, larger = (
        Reduction(_factors(arguments, study, limit), max(n, parts), parts) for limit, n in ends
    )
    return found, larger


def _limits(asked: int | str, most: int) -> tuple[int, int]:
    ends: dict[int | str, tuple[int, int]] = {MAX: (most, most), AUTO: (1, most)}
    return ends.get(asked) or (int(asked), int(asked))


def _factors(arguments: argparse.Namespace, study: Study, limit: int) -> Factors:
    """The factors of loops up to a limit, but for those that are asked for."""
    from kcc.synth.reduction.reductions import largest_factors

    factors = [list(row) for row in largest_factors(study.kernels, study.launches, limit)]
    own_factors: list[tuple[int, int, int]] = arguments.loops
    for kernel, loop, own in own_factors:
        if kernel >= len(factors) or loop >= len(factors[kernel]):
            raise usage_error(f"there is no loop {kernel}.{loop}", "--report lists the loops")
        factors[kernel][loop] = own
    return tuple(tuple(row) for row in factors)


def _sizes(made: Checked) -> list[Settled]:
    """The miniature, and its twin if it has one."""
    return [made.settled, *([made.twin] if made.twin else [])]


def _files_of(found: Found) -> list[list[Output]]:
    return [_files(*each) for each in zip(_sizes(found.made), found.targets, strict=False)]


def _synthesis(found: Found, files: Sequence[Sequence[Output]]) -> Synthesis:
    from kcc.report.miniature.document import Synthesis, Written
    from kcc.stages.synth import behaviours, flow_differences

    study, made = found.study, found.made
    sizes = _sizes(made)
    reductions = (made.reduction, made.reduction.larger)
    written = [
        Written(each.miniature, _by_suffix(own), reduction.blocks, each.profile)
        for each, own, reduction in zip(sizes, files or [[], []], reductions, strict=False)
    ]
    settled = made.settled
    differences = [] if made.reduction.blocks > 1 else flow_differences(study, settled)
    own, twin = written[0], written[1] if made.twin else None
    return Synthesis(own, behaviours(study, settled), differences, made.pairs, twin)


def _outputs(
    arguments: argparse.Namespace, found: Found, said: Synthesis, files: Sequence[Output]
) -> list[Output]:
    """Files of the miniature, and of its twin; and reports of them."""
    from kcc.report.miniature.document import synthesis_json
    from kcc.report.miniature.full import revealed
    from kcc.report.miniature.summary import summary_text

    outputs = list(files)
    study, made = found.study, found.made
    if arguments.report:
        text = "\n".join(revealed(each.miniature) for each in _sizes(made))
        outputs.append(Output(arguments.report, text))
    if arguments.json:
        outputs.append(Output(arguments.json, synthesis_json(said)))
    if arguments.json != STANDARD and (arguments.report != STANDARD or arguments.verify):
        style = choose_style(arguments.color, arguments.width, STANDARD)
        shown = [output.target for output in outputs if output.target != STANDARD]
        blocks = sum(launch.launch.thread_blocks for launch in study.launches)
        text = summary_text(
            made.settled.miniature, blocks, said.flow, said.behaviours, made.pairs, shown, style,
            twin=made.twin is not None,
        )  # fmt: skip
        outputs.append(Output(STANDARD, text))
    return _together(outputs)


def _by_suffix(files: Sequence[Output]) -> dict[str, str]:
    """Names of files by what stands after the dot."""
    return {Path(o.target).suffix[1:]: Path(o.target).name for o in files}


def _files(settled: Settled, targets: _Targets) -> list[Output]:
    """The miniature in all languages."""
    from kcc.stages.synth import files_of

    names = [Path(target).name for target in targets.files]
    files = files_of(settled, names[0], names[1], names[2])
    texts = (files.opencl, files.host, files.cuda, files.llvm)
    return [Output(t, text) for t, text in zip(targets.files, texts, strict=True) if text]


def _together(outputs: Sequence[Output]) -> list[Output]:
    """With --report - and --verify standard output gets both, the report first."""
    shown = [output.text for output in outputs if output.target == STANDARD]
    files = [output for output in outputs if output.target != STANDARD]
    return [*files, Output(STANDARD, "\n".join(shown))] if shown else files


def _reduction(text: str) -> int | str:
    if text in (MAX, AUTO):
        return text
    return _power(text)


def _parts(text: str) -> int | str:
    return AUTO if text == AUTO else _power(text)


def _percent(text: str) -> float:
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = -1.0
    if not 0 <= value < 100:
        raise argparse.ArgumentTypeError(f"'{text}' is not a percentage from 0 to 100")
    return value


def _power(text: str) -> int:
    if not text.isdecimal() or int(text) < 1 or int(text) & (int(text) - 1):
        raise argparse.ArgumentTypeError(f"'{text}' is not a power of two, max or auto")
    return int(text)


def _loop(text: str) -> tuple[int, int, int]:
    found = re.fullmatch(r"k?(\d+)\.(\d+)=(\d+)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form KERNEL.LOOP=FACTOR")
    return int(found[1]), int(found[2]), _power(found[3])
