"""`kcc phases record`: a run cut into units, by callgrind, by JFR, or by simulation."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import DiagnosticError
from kcc.commands.console import is_terminal
from kcc.commands.errors import usage_error
from kcc.commands.number_options import count_from
from kcc.commands.options import Parser, add_console
from kcc.commands.outputs import Output, check_targets, write_outputs
from kcc.commands.sources import SourceLines

if TYPE_CHECKING:
    from kcc.sim.sampling.simprof.table import UnitTable

CALLGRIND, JFR = "callgrind", "jfr"
PLACE = "{}"
"""Stands for the input, in the command and in the name of the recording."""

_EXAMPLES = """examples:
  kcc phases record -o sort.json -- sort words.txt
  kcc phases record -o sort-{}.json --input a.txt --input b.txt --resume -- sort {}
  kcc phases record --unit 2000000 -o sort.json -- sort words.txt
  kcc phases record --tool jfr -o wc.json -- java -cp app.jar Main words.txt
  kcc phases record bfs.kct --gpu v100 -o bfs.json

callgrind: a unit is so many basic blocks, CPI is estimated by KCachegrind's formula.
jfr: a unit is so many ms of CPU time of the executor threads, MB allocated per second stands for
IPC. A trace (.kct): a unit is a run of thread blocks, CPI is the cycle-level model's.
Ctrl-C ends the program and keeps the units so far. No program can be begun in its middle: what was
cut off is recorded again from its begin; the simulation of a trace goes on with --resume."""


def record_parser(prog: str) -> Parser:
    """The parser of `kcc phases record`."""
    parser = Parser(
        prog=prog,
        usage="kcc phases record -o UNITS.json [OPTION ...] -- COMMAND ...\n"
        "       kcc phases record TRACE.kct --gpu NAME -o UNITS.json\n"
        "       kcc phases record --recover -o UNITS.json",
        description="Run a program under a profiler, or simulate a trace in full, and write what\n"
        "its units did and cost (kcc/units/1), for `kcc phases`.",
        epilog=_EXAMPLES,
    )
    parser.rest = "program"
    parser.add_argument("part", choices=("record",), help=argparse.SUPPRESS)
    parser.add_argument("trace", nargs="?", metavar="TRACE.kct", help="launches of a GPU")
    parser.add_argument("-o", dest="output", metavar="FILE", required=True, help="the recording")
    parser.add_argument(
        "--tool", choices=(CALLGRIND, JFR),
        help="what records the command (default: jfr for java, else callgrind)",
    )  # fmt: skip
    parser.add_argument(
        "--unit", metavar="N", type=count_from(1),
        help="callgrind: basic blocks of a unit (500000); jfr: ms of CPU time (100); a trace: "
        "units of the whole, about (400)",
    )  # fmt: skip
    parser.add_argument(
        "--threads", metavar="PATTERN",
        help="jfr: a pattern of thread names (default: the executor threads, those with most "
        "samples)",
    )  # fmt: skip
    parser.add_argument(
        "--input", dest="inputs", metavar="TEXT", action="append", default=[],
        help="stands for {} in COMMAND; its file name for {} in FILE (repeatable)",
    )  # fmt: skip
    parser.add_argument(
        "--resume",
        action="store_true",
        help="keep complete recordings that "
        "exist; a trace: go on behind the last launch that was simulated",
    )
    parser.add_argument(
        "--recover", action="store_true",
        help="write to FILE the units that a recording has left which was killed outright "
        "(FILE.parts); no COMMAND",
    )  # fmt: skip
    parser.add_argument("--gpu", metavar="NAME", help="of a trace: the GPU it is simulated on")
    parser.add_argument(
        "--set", dest="overrides", metavar="KEY=VALUE", action="append", default=[],
        help="change a value of the GPU (repeatable)",
    )  # fmt: skip
    add_console(parser, stages=False)
    parser.set_defaults(run=run)
    return parser


def run(arguments: argparse.Namespace, _sources: SourceLines) -> int:
    """Record each input; 130 where that was interrupted."""
    check_recording(arguments)
    if arguments.recover:
        from kcc.stages.recording.parts import recover, remove_parts

        _write(arguments.output, recover(arguments.output))
        remove_parts(arguments.output)
        return 0
    if arguments.trace:
        return _simulate(arguments)
    for command, target in _jobs(arguments):
        if arguments.resume and _is_complete(target, " ".join(command)):
            continue
        if code := _record(arguments, command, target):
            return code
    return 0


def check_recording(arguments: argparse.Namespace) -> None:
    """Raise where options do not go together."""
    if arguments.recover:
        if arguments.trace or arguments.program or arguments.inputs:
            raise usage_error("--recover goes with -o alone")
        return
    if bool(arguments.trace) == bool(arguments.program):
        raise usage_error("give either a trace, or a command after --")
    if arguments.trace:
        if not arguments.gpu:
            raise usage_error("--gpu is missing: what to simulate", "`kcc gpus list` names GPUs")
        given = {"--tool": arguments.tool, "--threads": arguments.threads,
                 "--input": arguments.inputs}  # fmt: skip
        if wrong := [name for name, value in given.items() if value]:
            raise usage_error(f"{wrong[0]} does not go with a trace")
        check_targets([arguments.output], arguments.trace)
        return
    if arguments.gpu or arguments.overrides:
        raise usage_error("--gpu and --set go with a trace")
    placed = PLACE in " ".join(arguments.program), PLACE in arguments.output
    if arguments.inputs and placed != (True, True):
        raise usage_error("with --input, COMMAND and FILE have a {} in which it is put")
    if _tool(arguments) != JFR and arguments.threads:
        raise usage_error("--threads goes with --tool jfr")


def _tool(arguments: argparse.Namespace) -> str:
    named: str | None = arguments.tool
    return named or (JFR if Path(arguments.program[0]).name == "java" else CALLGRIND)


def _jobs(arguments: argparse.Namespace) -> list[tuple[list[str], str]]:
    if not arguments.inputs:
        return [(arguments.program, arguments.output)]
    found = [
        ([word.replace(PLACE, one) for word in arguments.program],
         arguments.output.replace(PLACE, Path(one).name))
        for one in arguments.inputs
    ]  # fmt: skip
    check_targets([target for _, target in found], "")
    return found


def _is_complete(target: str, source: str, recorder: str | None = None) -> bool:
    """Whether this was recorded there to its end; raises K960 for another file."""
    from kcc.stages.recording.document import read_units

    if not Path(target).exists():
        return False
    found = read_units(Path(target))
    same = found.source == source and recorder in (None, found.recorder)
    return found.complete and same


def _record(arguments: argparse.Namespace, command: Sequence[str], target: str) -> int:
    from kcc.stages.recording.callgrind import BLOCKS, record_callgrind
    from kcc.stages.recording.jvm import UNIT_MS, record_jvm
    from kcc.stages.recording.parts import About, parts_folder

    tool, threads = _tool(arguments), arguments.threads
    unit = arguments.unit or (UNIT_MS if tool == JFR else BLOCKS)
    about = About(tool, tuple(command), unit, threads)
    with parts_folder(target, about) as folder:
        with _Said() as say:
            if tool == JFR:
                found = record_jvm(
                    command, folder, unit, threads, lambda n: say(f"recording, {n} s")
                )
            else:
                found = record_callgrind(
                    command, folder, unit, lambda n: say(f"recording, {n} units")
                )
        return _write(target, found)


def _simulate(arguments: argparse.Namespace) -> int:
    from kcc.base.gpu import load_gpu
    from kcc.sim.sampling.simprof.launch_units import UNITS, recorder_of
    from kcc.stages.recording.parts import About, open_parts, remove_parts
    from kcc.stages.recording.simulated import SIMULATION, record_trace

    words, unit = (arguments.trace, arguments.gpu, *arguments.overrides), arguments.unit or UNITS
    recorder = recorder_of(load_gpu(arguments.gpu, arguments.overrides).stem, arguments.overrides)
    if arguments.resume and _is_complete(arguments.output, arguments.trace, recorder):
        return 0
    about = About(SIMULATION, words, unit, None)
    folder = open_parts(arguments.output, about, resume=arguments.resume)
    try:
        with _Said() as say:
            found = record_trace(
                folder, *words, count=unit, watch=lambda share: say(f"simulating, {share} %")
            )
        code = _write(arguments.output, found)
    except DiagnosticError:
        remove_parts(arguments.output)
        raise
    if found.complete:
        remove_parts(arguments.output)
    return code


def _write(target: str, table: UnitTable) -> int:
    from kcc.stages.recording.document import units_json

    write_outputs([Output(target, units_json(table))])
    return 0 if table.complete else 130


class _Said:
    """Says what is being done where somebody looks on, and wipes it at the end."""

    def __enter__(self) -> Callable[[str], None]:
        return self._say

    def __exit__(self, *_: object) -> None:
        self._say("")

    @staticmethod
    def _say(text: str) -> None:
        if is_terminal(sys.stderr):
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
