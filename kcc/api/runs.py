"""The functions of :mod:`kcc.api` that take a script, a trace or documents."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.api.calling import File, Names, Values, Words, called
from kcc.api.results import (
    ComparisonResult,
    PhasesResult,
    ProfileResult,
    RunResult,
    SimulationResult,
    SynthesisResult,
)


def _script(words: Words, size: str | None, seed: int | None, arguments: Sequence[str]) -> None:
    words.option("--size", size)
    words.option("--seed", seed)
    words.script(arguments)


def run(
    script: File, *, size: str | None = None, seed: int | None = None,
    arguments: Sequence[str] = (), options: Sequence[str] = (),
) -> RunResult:  # fmt: skip
    """Run a PyOpenCL script on the CPU, and count what its kernels do: `kcc run`. ``arguments``
    are the script's own.

    :raises DiagnosticError: for bad input and bad usage, and for what the script does wrong.

    >>> from kcc.api import run
    >>> found = run("kernels/vecadd/workload.py", size="tiny")
    >>> [row.kernel for row in found.launches][:2]
    ['vecadd', 'vecadd4']
    """
    from kcc.commands.hosts import check_script, host_settings, run_host
    from kcc.report.execution.runs import RunRequest

    words = Words("run", script)
    _script(words, size, seed, arguments)
    with called() as call:
        asked = words.parsed(options)
        check_script(asked)
        done = run_host(asked, call.sources, quiet=True)
        settings = host_settings(asked)
    request = RunRequest(asked.script, asked.size, asked.seed, settings.width, settings.workers)
    return RunResult(request=request, launches=tuple(done.launches), messages=call.messages)


def profile(
    script: File, *, kernel: Names | None = None, size: str | None = None, seed: int | None = None,
    arguments: Sequence[str] = (), options: Sequence[str] = (),
) -> ProfileResult:  # fmt: skip
    """What the kernels of a script or trace did, for any GPU: `kcc profile`.

    :raises DiagnosticError: for bad input and bad usage, and for what the script does wrong.

    >>> from kcc.api import profile
    >>> found = profile("kernels/vecadd/workload.py", size="tiny")
    >>> graph = found.divergence_flow("vecadd")
    >>> graph.graph["kernel"], graph.number_of_edges() > 0
    ('vecadd', True)
    """
    from kcc.commands.profile import find

    words = Words("profile", script)
    words.each("--kernel", kernel)
    _script(words, size, seed, arguments)
    with called() as call:
        found, parts = find(words.parsed(options), call.sources, quiet=True)
    return ProfileResult(profile=found, parts=parts, messages=call.messages)


def simulate(
    file: File, *, gpu: Names, kernel: Names | None = None, model: str = "cycle",
    sweep: Values | None = None, size: str | None = None, seed: int | None = None,
    arguments: Sequence[str] = (), options: Sequence[str] = (),
) -> SimulationResult:  # fmt: skip
    """The launches of a script, of a trace or of a list of Accel-Sim's traces, cycle by cycle: `kcc
    simulate` (without its sampling).

    :raises DiagnosticError: for bad input and bad usage, and for what the script does wrong.
    """
    from kcc.commands.sampled import check_sampling
    from kcc.commands.simulate import check_simulation, find, texts_of

    words = Words("simulate", file)
    words.each("--gpu", gpu)
    words.each("--kernel", kernel)
    words.option("--model", model)
    words.values("--sweep", sweep)
    _script(words, size, seed, arguments)
    with called() as call:
        asked = words.parsed(options)
        check_simulation(asked)
        if check_sampling(asked):
            raise ValueError("sampling has results of another kind: use `kcc simulate --sample`")
        found = find(asked, call.sources, quiet=True)
        result = SimulationResult(source=asked.script, runs=tuple(found))
        texts = texts_of(result.simulated, call.sources)
    return SimulationResult(
        source=asked.script, runs=result.runs, texts=texts, messages=call.messages
    )


def synth(
    script: File, output: File, *, reduction: int | str | None = None, kernel: Names | None = None,
    size: str | None = None, seed: int | None = None, arguments: Sequence[str] = (),
    options: Sequence[str] = (),
) -> SynthesisResult:  # fmt: skip
    """Write a miniature that behaves as the kernels of a script do to ``output``, a folder or
    FILE.cl: `kcc synth`.

    :raises DiagnosticError: for bad input and bad usage, and for what the script does wrong.
    """
    import io
    from contextlib import redirect_stdout

    from kcc.commands.static_trace import write_messages
    from kcc.commands.synth import find, remarks, write

    words = Words("synth", script)
    words.option("-o", output)
    words.option("--reduction", reduction)
    words.each("--kernel", kernel)
    _script(words, size, seed, arguments)
    with called() as call, redirect_stdout(io.StringIO()):
        asked = words.parsed(options)
        synthesis = write(asked, find(asked, call.sources))
        write_messages(remarks(asked, synthesis), call.sources)
    return SynthesisResult(synthesis=synthesis, messages=call.messages)


def phases(*units: File, options: Sequence[str] = ()) -> PhasesResult:
    """The phases of a run that `kcc phases record` recorded, and what the inputs of further
    recordings change of them: `kcc phases`.

    :raises DiagnosticError: for bad input and bad usage.
    """
    from kcc.commands.phases import find

    with called() as call:
        found = find(Words("phases", *units).parsed(options))
    return PhasesResult(report=found, messages=call.messages)


def compare(
    before: File, after: File, *, fail_above: str | float | None = None, options: Sequence[str] = ()
) -> ComparisonResult:
    """What became slower between two documents of estimates or simulations: `kcc compare`.

    :raises DiagnosticError: for bad input and bad usage.
    """
    from kcc.commands.compare import compared

    words = Words("compare", before, after)
    words.option("--fail-above", fail_above)
    with called() as call:
        found, _ = compared(words.parsed(options))
    return ComparisonResult(
        comparison=found, before=str(before), after=str(after), messages=call.messages
    )
