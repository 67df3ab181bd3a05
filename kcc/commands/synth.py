"""`kcc synth FILE.py -o mini.cl`: a miniature that behaves as the kernels of a host script do."""

from __future__ import annotations

import argparse
import io
import re
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.commands.console import choose_style
from kcc.commands.errors import usage_error
from kcc.commands.hosts import add_script, check_script, host_settings, run_host, script_exit_code
from kcc.commands.launch_choice import add_launch_choice
from kcc.commands.options import Subparsers, add_console
from kcc.commands.outputs import STANDARD, Output, check_targets, write_outputs
from kcc.commands.sources import SourceLines
from kcc.diagnostics import Diagnostic, DiagnosticError

if TYPE_CHECKING:
    from kcc.gpu.description import GpuDescription
    from kcc.proxy_check import Traced
    from kcc.synth.behaviour import Pair, Simulated
    from kcc.synth.reductions import Factors
    from kcc.synthesizing import Settled, Study

MAX, AUTO = "max", "auto"

PROFILE = ".json"

LARGEST = 1 << 30
"""More than any loop's trips."""

_EXAMPLES = """examples:
  kcc synth kernels/hotspot/workload.py -o mini.cl
  kcc synth kernels/matmul/workload.py --kernel matmul_tiled --reduction 4 -o mini/
  kcc synth kernels/bfs/workload.py --launches 4 --reduction 1 --report - -o mini/
  kcc synth kernels/kmeans/workload.py --reduction auto --error 5 --gpu conf1 -o mini/
  kcc synth kernels/lud/workload.py -o mini/ --verify --gpu conf1,conf2
  kcc profile kernels/lud/workload.py --for-synth --json lud.json; kcc synth lud.json -o mini.cl"""


def add_parser(subparsers: Subparsers[argparse.ArgumentParser]) -> None:
    """Add `kcc synth`."""
    parser = subparsers.add_parser(
        "synth",
        help="make a miniature that behaves as the kernels of a PyOpenCL script do",
        usage="kcc synth FILE -o TARGET [OPTION ...] [-- ARG ...]",
        description="Run a PyOpenCL script, and make a small program whose kernels have the same\n"
        "instructions, branches and accesses, fewer loop trips, and none of the names and data.",
        epilog=_EXAMPLES,
    )
    add_script(parser, also="; or a profile (.json) that `kcc profile --for-synth` wrote")
    group = parser.add_argument_group("what the miniature is made of")
    add_launch_choice(group)
    group.add_argument(
        "--reduction", metavar="R", type=_reduction, default=MAX,
        help="divide trips of loops by a power of two; max: until one is left (default); auto: "
        "each loop by the largest with an IPC error below --error on each --gpu",
    )  # fmt: skip
    group.add_argument(
        "--loop", dest="loops", metavar="K.L=R", action="append", type=_loop, default=[],
        help="another factor for loop L of miniature kernel K (repeatable; see --report)",
    )  # fmt: skip
    group.add_argument(
        "--blocks", metavar="N", type=_reduction,
        help="also divide thread blocks by a power of two, evenly over regions that behave alike; "
        "auto: as --reduction (default: auto where --reduction is and no loop runs twice, else 1)",
    )  # fmt: skip
    group.add_argument(
        "--error", metavar="PERCENT", type=_percent, default=5.0,
        help="of auto (default: %(default)s)",
    )  # fmt: skip
    _add_output(parser)
    add_console(parser, stages=False)
    parser.set_defaults(run=run)


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "-o", dest="output", metavar="TARGET",
        help="a folder, or FILE.cl with its companions beside it: host (.py), CUDA, LLVM IR",
    )  # fmt: skip
    group.add_argument("--report", metavar="FILE", help="write all that the miniature reveals")
    group.add_argument(
        "--json", metavar="FILE",
        help="the same with expected counts and what --verify found (kcc/synthesis/1)",
    )  # fmt: skip
    group.add_argument("--verify", action="store_true", help="simulate both on each --gpu")
    group.add_argument(
        "--gpu", dest="gpus", metavar="NAME[,NAME]", action="append", default=[],
        help="for --verify and auto (repeatable); what the largest holds at a time is an epoch of "
        "--blocks",
    )  # fmt: skip


def run(arguments: argparse.Namespace, sources: SourceLines) -> int:
    """Run the command; raises what :func:`kcc.cli.main` turns into messages."""
    shown = [target for target in (arguments.report, arguments.json) if target]
    if not arguments.output and not shown and not arguments.verify:
        raise usage_error("-o is missing: where the miniature goes")
    targets = _targets(arguments.output) if arguments.output else None
    check_targets([*(targets.files if targets else ()), *shown], arguments.script)
    gpus = _gpus(arguments)
    _check_source(arguments)
    try:
        study = _study(arguments, sources)
    except SystemExit as end:
        return script_exit_code(end)
    with tempfile.TemporaryDirectory(prefix="kcc-") as folder:
        made = _made(arguments, study, gpus, Path(folder))
    outputs = _outputs(arguments, made, targets)
    if targets is not None:
        _make_folder(Path(targets.opencl).parent)
    write_outputs(outputs)
    return 0


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


def _targets(output: str) -> _Targets:
    path = Path(output)
    if output == STANDARD:
        raise usage_error("a miniature is several files: -o names a folder or FILE.cl")
    if path.suffix == ".cl":
        return _Targets(output, *(str(path.with_suffix(s)) for s in (".py", ".cu", ".ll")))
    if path.exists() and not path.is_dir():
        raise usage_error(f"'{output}' is neither a folder nor FILE.cl")
    names = ("kernel.cl", "workload.py", "kernel.cu", "kernel.ll")
    return _Targets(*(str(path / name) for name in names))


def _check_source(arguments: argparse.Namespace) -> None:
    """A profile can be made a miniature of, but not be simulated beside it."""
    if not arguments.script.endswith(PROFILE):
        check_script(arguments)
    elif arguments.verify or AUTO in (arguments.reduction, arguments.blocks):
        message = "--verify and auto simulate the original, and a profile is all there is"
        raise usage_error(message, "name the script, or a reduction")


def _gpus(arguments: argparse.Namespace) -> list[GpuDescription]:
    names = [name for each in arguments.gpus for name in each.split(",") if name]
    needed = arguments.verify or AUTO in (arguments.reduction, arguments.blocks)
    if needed and not names:
        raise usage_error("--gpu is missing: what to simulate", "`kcc gpus list` names GPUs")
    from kcc.gpu import load_gpu

    return [load_gpu(name, []) for name in names]


def _study(arguments: argparse.Namespace, sources: SourceLines) -> Study:
    from kcc.synthesizing import Study, check_study, study_profile

    if arguments.script.endswith(PROFILE):
        study = study_profile(arguments.script, arguments.kernels, arguments.launches)
        check_study(study)
        return study
    study = Study(arguments.kernels, arguments.launches)
    run_host(arguments, sources, study, quiet=STANDARD in (arguments.report, arguments.json))
    check_study(study)
    return study


@dataclass(frozen=True, slots=True)
class _Made:
    """The miniature that was chosen, the study it is of, and both simulated."""

    study: Study
    settled: Settled
    blocks: int
    pairs: tuple[Pair, ...]


def _made(
    arguments: argparse.Namespace, study: Study, gpus: Sequence[GpuDescription], folder: Path
) -> _Made:
    """The miniature; with auto the smallest whose error is below the bound on all GPUs."""
    from kcc.proxy_check import simulate_run, trace_run
    from kcc.synthesizing import settle

    settings = host_settings(arguments)
    needed = arguments.verify or AUTO in (arguments.reduction, arguments.blocks)
    if not needed:
        factors, blocks = _factors(arguments, study), _fewest(arguments, study)[0]
        settled = settle(study, factors, settings, arguments.seed, blocks, gpus)
        return _Made(study, settled, blocks, ())
    with redirect_stdout(io.StringIO()):  # what the script says, it said when it was studied
        original = trace_run(
            arguments.script, folder / "original.kct", settings, size=arguments.size,
            seed=arguments.seed, arguments=arguments.script_arguments, kernels=arguments.kernels,
            launches=arguments.launches,
        )  # fmt: skip
    wanted = gpus, [simulate_run(original, gpu) for gpu in gpus]
    if AUTO not in (arguments.reduction, arguments.blocks):
        factors, blocks = _factors(arguments, study), _fewest(arguments, study)[0]
        return _simulated(arguments, study, (factors, blocks), wanted, folder)
    return _searched(arguments, study, wanted, folder)


_Wanted = tuple["Sequence[GpuDescription]", "Sequence[Simulated]"]
"""The originals, and on what they were simulated."""


def _searched(arguments: argparse.Namespace, study: Study, wanted: _Wanted, folder: Path) -> _Made:
    """The miniature with the largest factors, and then the fewest blocks, whose error is within the
    bound on all GPUs; with neither, that without any reduction."""
    from kcc.synth.reductions import factors_within

    found: dict[tuple[Factors, int], _Made] = {}

    def is_good(factors: Factors, blocks: int = 1) -> bool:
        made = _simulated(arguments, study, (factors, blocks), wanted, folder)
        found[factors, blocks] = made
        return all(abs(pair.ipc_error) * 100 <= arguments.error for pair in made.pairs)

    factors = _factors(arguments, study)
    if arguments.reduction == AUTO:
        factors = factors_within(study.kernels, study.launches, is_good)
    *fewer, most = _fewest(arguments, study)
    blocks = next((n for n in fewer if is_good(factors, n)), most)
    if (factors, blocks) not in found:
        is_good(factors, blocks)
    return found[factors, blocks]


def _simulated(
    arguments: argparse.Namespace,
    study: Study,
    reduction: tuple[Factors, int],
    wanted: _Wanted,
    folder: Path,
) -> _Made:
    """One miniature, simulated on each GPU."""
    from kcc.proxy_check import simulate_run
    from kcc.synth.behaviour import Pair
    from kcc.synthesizing import settle

    factors, blocks = reduction
    settings = host_settings(arguments)
    settled = settle(study, factors, settings, arguments.seed, blocks, wanted[0])
    traced = _traced(settled, folder, arguments)
    pairs = tuple(Pair(one, simulate_run(traced, gpu)) for gpu, one in zip(*wanted, strict=True))
    return _Made(study, settled, blocks, pairs)


def _traced(settled: Settled, folder: Path, arguments: argparse.Namespace) -> Traced:
    from kcc.proxy_check import trace_run
    from kcc.synthesizing import write_runnable

    script = write_runnable(settled, folder)
    return trace_run(str(script), folder / "miniature.kct", host_settings(arguments))


def _fewest(arguments: argparse.Namespace, study: Study) -> list[int]:
    """Factors of blocks to try, the largest first. Kernels without loops have nothing else that can
    be reduced."""
    from kcc.synth.reductions import largest_factors

    blocks: int | str | None = arguments.blocks
    if blocks is None:
        largest = largest_factors(study.kernels, study.launches, LARGEST)
        has_loops = any(factor > 1 for row in largest for factor in row)
        blocks = AUTO if arguments.reduction == AUTO and not has_loops else 1
    if blocks == AUTO:
        return [64, 32, 16, 8, 4, 2, 1]
    return [64 if blocks == MAX else int(blocks)]


def _factors(arguments: argparse.Namespace, study: Study) -> Factors:
    """The factors that are asked for; with auto none."""
    from kcc.synth.reductions import largest_factors

    limits: dict[int | str, int] = {MAX: LARGEST, AUTO: 1}
    limit = limits.get(arguments.reduction) or int(arguments.reduction)
    factors = [list(row) for row in largest_factors(study.kernels, study.launches, limit)]
    own_factors: list[tuple[int, int, int]] = arguments.loops
    for kernel, loop, own in own_factors:
        if kernel >= len(factors) or loop >= len(factors[kernel]):
            raise usage_error(f"there is no loop {kernel}.{loop}", "--report lists the loops")
        factors[kernel][loop] = own
    return tuple(tuple(row) for row in factors)


def _outputs(arguments: argparse.Namespace, made: _Made, targets: _Targets | None) -> list[Output]:
    from kcc.report.miniature import revealed
    from kcc.report.miniature_document import Synthesis, synthesis_json
    from kcc.report.miniature_summary import summary_text
    from kcc.synthesizing import behaviours, flow_differences

    settled = made.settled
    outputs = _files(made, targets) if targets is not None else []
    names = [output.target for output in outputs]
    differences = [] if made.blocks > 1 else flow_differences(made.study, settled)
    alike = behaviours(made.study, settled)
    if arguments.report:
        outputs.append(Output(arguments.report, revealed(settled.miniature)))
    if arguments.json:
        found = Synthesis(
            settled.miniature, {Path(n).suffix[1:]: Path(n).name for n in names}, made.blocks,
            settled.profile, alike, differences, made.pairs,
        )  # fmt: skip
        outputs.append(Output(arguments.json, synthesis_json(found)))
    if arguments.json != STANDARD and (arguments.report != STANDARD or arguments.verify):
        style = choose_style(arguments.color, arguments.width, STANDARD)
        shown = [output.target for output in outputs if output.target != STANDARD]
        blocks = sum(launch.launch.thread_blocks for launch in made.study.launches)
        text = summary_text(settled.miniature, blocks, differences, alike, made.pairs, shown, style)
        outputs.append(Output(STANDARD, text))
    return _together(outputs)


def _files(made: _Made, targets: _Targets) -> list[Output]:
    """The miniature in all languages."""
    from kcc.synthesizing import files_of

    names = [Path(target).name for target in targets.files]
    files = files_of(made.settled, names[0], names[1], names[2])
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


def _percent(text: str) -> float:
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = -1.0
    if not 0 <= value < 100:
        raise argparse.ArgumentTypeError(f"'{text}' is no percentage from 0 to 100")
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
