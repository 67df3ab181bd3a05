"""The annotated source: findings beside each line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from kcc.base.records import dataclass
from kcc.base.terms import CUDA_WORDS, WORDS
from kcc.frontend.types import AddressSpace
from kcc.passes.memory.memory_accesses import AccessOp
from kcc.report.analysis.line_costs import cost_text, line_cost, runs_text
from kcc.report.analysis.model import Finding, KernelReport, LineFacts
from kcc.report.shared.words import by_weight, space_name

MAX_GAP = 8
"""So many lines without instructions between two that have some are shown; more are left out."""

_TAB_WIDTH = 4
_CLOSING = ("}", ");", "};")

_OPS = {AccessOp.LOAD: "r", AccessOp.STORE: "w", AccessOp.ATOMIC: "a"}
_LETTERS = {
    AddressSpace.GLOBAL: "G",
    AddressSpace.CONSTANT: "C",
    AddressSpace.LOCAL: "L",
    AddressSpace.PRIVATE: "P",
    AddressSpace.GENERIC: "?",
}

_CUDA_LETTERS = _LETTERS | {AddressSpace.LOCAL: "S", AddressSpace.PRIVATE: "L"}


def _letters(kernel: KernelReport) -> Mapping[AddressSpace, str]:
    return _CUDA_LETTERS if WORDS[kernel.language.value] is CUDA_WORDS else _LETTERS


def legend(kernel: KernelReport) -> tuple[str, ...]:
    """What the notes of lines mean."""
    names = {m: space_name(s, kernel.language) for s, m in _letters(kernel).items() if m != "?"}
    spaces = ", ".join(f"{letter} {name}" for letter, name in names.items())
    return (f"r load, w store, a atomic; {spaces}, ? generic; bar barrier", *_LEGEND)


_LEGEND = ("<id, <data: divergent branch; the condition depends on thread ids, or on data",)
COSTS_LEGEND = (
    "runs: mean executions per thread, x: trip count of a loop (~ assumed)",
    "cost: sectors per request (s) or n-way bank conflict of the worst access, ! much is excess",
)


@dataclass(frozen=True, slots=True)
class AnnotatedLine:
    """A source line with its notes; ``depth`` is how many loops it is in, ``runs`` and ``cost``
    are those of :mod:`kcc.report.analysis.line_costs`."""

    number: int
    text: str
    instructions: int
    mostly: str
    memory: str
    depth: int
    findings: tuple[Finding, ...]
    runs: str = ""
    cost: str = ""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Neighbouring lines of one file."""

    file: str
    lines: tuple[AnnotatedLine, ...]


def annotate(kernel: KernelReport, sources: Mapping[str, Sequence[str]]) -> list[Excerpt]:
    """The stretches of source that a kernel is made of, the kernel's own file first.

    Functions the kernel calls are shown where they stand, with what the kernel executes of them.
    """
    facts = _Facts(kernel)
    files = sorted({kernel.span.file, *(file for file, _ in facts.lines)})
    files.sort(key=lambda file: file != kernel.span.file)
    excerpts = list[Excerpt]()
    for file in files:
        text = sources.get(file)
        if text:
            numbers = {line for name, line in facts.lines if name == file and line <= len(text)}
            if file == kernel.span.file:
                numbers.add(kernel.span.line)
            excerpts += [_excerpt(file, run, text, facts) for run in _runs(numbers, text)]
    return excerpts


@dataclass(slots=True)
class _Facts:
    """Facts of a kernel by place."""

    kernel: KernelReport
    lines: dict[tuple[str, int], LineFacts] = field(init=False)
    findings: dict[int, list[Finding]] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = {(line.file, line.line): line for line in self.kernel.lines}
        self.findings = {}
        for finding in self.kernel.findings:
            if finding.lines:
                self.findings.setdefault(finding.lines[0], []).append(finding)


def _runs(numbers: set[int], text: Sequence[str]) -> Iterator[range]:
    """Ranges that cover ``numbers`` with gaps of up to :data:`MAX_GAP`, closed by their braces."""
    ordered = sorted(number for number in numbers if number)
    start = 0
    for index, number in enumerate(ordered):
        last = index + 1 == len(ordered)
        if last or ordered[index + 1] - number > MAX_GAP + 1:
            end = number
            while end < len(text) and text[end].strip() in _CLOSING:
                end += 1
            yield range(_head(ordered[start], text), end + 1)
            start = index + 1


def _head(number: int, text: Sequence[str]) -> int:
    """The first line of the statement or function heading that leads to a line."""
    while number > 1:
        above = text[number - 2].strip()
        if not above or above.endswith((";", "}", "*/")) or above.startswith(("//", "#")):
            break
        number -= 1
    return number


def _excerpt(file: str, run: range, text: Sequence[str], facts: _Facts) -> Excerpt:
    depths = _depths(file, run, facts)
    own = file == facts.kernel.span.file
    lines = [
        _line(
            number,
            text[number - 1],
            facts.lines.get((file, number)),
            depths[number],
            facts.findings.get(number, []) if own else [],
            facts.kernel,
        )
        for number in run
    ]
    return Excerpt(file, tuple(lines))


def _depths(file: str, run: range, facts: _Facts) -> dict[int, int]:
    """Loop depth of each line; one without instructions is as deep as what stands around it."""
    keywords = {loop.line: loop.depth for loop in facts.kernel.loops}
    known = {n: facts.lines[file, n].loop_depth for n in run if (file, n) in facts.lines}
    depths, before = dict[int, int](), 0
    for number in run:
        before = known.get(number, before)
        depths[number] = before
    after = 0
    for number in reversed(run):
        after = known.get(number, after)
        depths[number] = min(depths[number], after)
        if number in keywords:  # what precedes a loop is not in it
            after = keywords[number] - 1
    return depths


def _line(
    number: int,
    text: str,
    facts: LineFacts | None,
    depth: int,
    findings: Sequence[Finding],
    kernel: KernelReport,
) -> AnnotatedLine:
    shown = text.rstrip("\r\n").expandtabs(_TAB_WIDTH)
    shown = "".join(c if c.isprintable() else "?" for c in shown)
    if facts is None:
        return AnnotatedLine(number, shown, 0, "", "", depth, tuple(findings))
    ranked = by_weight(facts.mix)
    mostly = ranked[0][0].value if ranked else ""
    paid = line_cost(kernel, facts)
    return AnnotatedLine(
        number=number,
        text=shown,
        instructions=sum(facts.mix.values()),
        mostly=mostly,
        memory=_notes(facts, kernel),
        depth=depth,
        findings=tuple(findings),
        runs=runs_text(paid),
        cost=cost_text(paid),
    )


def _notes(facts: LineFacts, kernel: KernelReport) -> str:
    """``rG wL2 bar <id``: loads, stores and atomics per address space, barriers and divergent
    branches, with counts above 1."""
    counts = dict[str, int]()
    for index in facts.accesses:
        access = kernel.accesses[index]
        mark = _OPS[access.op] + _letters(kernel)[access.address_space]
        counts[mark] = counts.get(mark, 0) + 1
    if facts.barriers:
        counts["bar"] = facts.barriers
    for index in facts.branches:
        divergence = kernel.branches[index].divergence
        if divergence.is_divergent:
            mark = f"<{divergence.value}"
            counts[mark] = counts.get(mark, 0) + 1
    return " ".join(mark if count == 1 else f"{mark}{count}" for mark, count in counts.items())
