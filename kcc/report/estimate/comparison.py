"""What became faster or slower between two documents of estimates: `kcc compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum

from kcc.base.records import dataclass
from kcc.report.estimate.record import (
    EstimateDocument,
    EstimateRecord,
    configuration_words,
)
from kcc.report.gpus import columns
from kcc.report.shared.units import duration

COMPARISON_SCHEMA = "kcc/comparison/1"


class Verdict(Enum):
    """What became of a configuration. ``BROKEN`` had a time and has none any more, ``LOST`` does
    not stand in the second document at all, ``FOUND`` has a time now and had none, ``ADDED`` stands
    in the second only, ``NEVER`` has no time in either."""

    SAME = "same"
    FASTER = "faster"
    SLOWER = "slower"
    BROKEN = "no time any more"
    LOST = "missing"
    FOUND = "has a time now"
    ADDED = "new"
    NEVER = "no time"


@dataclass(frozen=True, slots=True)
class Change:
    """One configuration in both documents. ``renamed`` is what the kernel is called in the second
    one, where that is another name."""

    name: str
    before: EstimateRecord | None
    after: EstimateRecord | None
    renamed: str = ""

    @property
    def before_us(self) -> float | None:
        """The time in the first document, None where there is none."""
        return None if self.before is None else self.before.time_us

    @property
    def after_us(self) -> float | None:
        """The time in the second document."""
        return None if self.after is None else self.after.time_us

    @property
    def ratio(self) -> float | None:
        """After over before, None where one of them has no time."""
        if not self.before_us or self.after_us is None:
            return None
        return self.after_us / self.before_us

    @property
    def verdict(self) -> Verdict:
        """What became of it, to the last digit."""
        if self.after is None:
            return Verdict.LOST
        if self.before is None:
            return Verdict.ADDED
        if self.ratio is None:
            if self.before_us:
                return Verdict.BROKEN
            return Verdict.NEVER if self.after_us is None else Verdict.FOUND
        if self.ratio == 1:
            return Verdict.SAME
        return Verdict.SLOWER if self.ratio > 1 else Verdict.FASTER

    def fails(self, limit: float | None) -> bool:
        """Whether the time grew by more than the limit, or is not there any more."""
        if limit is None:
            return False
        if self.verdict is Verdict.LOST:
            return self.before_us is not None
        return self.verdict is Verdict.BROKEN or (self.ratio or 0) > 1 + limit


def changes(
    before: EstimateDocument, after: EstimateDocument, renames: Mapping[str, str]
) -> list[Change]:
    """All configurations of both documents, paired by kernel, GPU, launch and macros.

    ``renames`` gives kernels of the first document their names in the second. A kernel that stands
    in the first only, and the only one that stands in the second only, are taken to be one.
    """
    renames = {**_only_rename(before, after), **renames}
    first = {_key(each, renames): each for each in before.estimates}
    second = {_key(each, {}): each for each in after.estimates}
    found = list[Change]()
    for key in dict.fromkeys([*first, *second]):
        old, new = first.get(key), second.get(key)
        named = old or new
        assert named is not None
        now = renames.get(named.configuration.kernel, "") if old is not None and new else ""
        found.append(Change(_name(named), old, new, now))
    return found


def _only_rename(before: EstimateDocument, after: EstimateDocument) -> dict[str, str]:
    old = {each.configuration.kernel for each in before.estimates}
    new = {each.configuration.kernel for each in after.estimates}
    gone, come = old - new, new - old
    return {gone.pop(): come.pop()} if len(gone) == len(come) == 1 else {}


def _key(record: EstimateRecord, renames: Mapping[str, str]) -> tuple[object, ...]:
    c = record.configuration
    name = renames.get(c.kernel, c.kernel)
    return (
        name,
        record.gpu,
        record.model,
        c.global_size,
        c.local_size,
        tuple(sorted(c.macros.items())),
    )


def _name(record: EstimateRecord) -> str:
    c = record.configuration
    return f"{c.kernel} on {record.gpu}, {configuration_words(c)}".rstrip(", ")


def differences(
    before: EstimateDocument, after: EstimateDocument, found: Sequence[Change]
) -> list[str]:
    """Where the documents were not made alike, so that times differ for another reason than the
    kernels: the model, options, arguments; or nothing stands in both."""
    texts = list[str]()
    if before.model != after.model:
        texts.append(f"the model is {before.model} in the first, {after.model} in the second")
    texts += _unlike(before.settings, after.settings, "option ")
    for change in found:
        if change.before is not None and change.after is not None:
            old, new = change.before.configuration, change.after.configuration
            texts += _unlike(old.arguments, new.arguments, f"{old.kernel}: argument ")
    if before.estimates and after.estimates and not any(c.before and c.after for c in found):
        texts.append("no configuration stands in both: kernels, GPUs, launches or macros differ")
    return list(dict.fromkeys(texts))


def other_codes(found: Sequence[Change]) -> tuple[str, str] | None:
    """Whose machine code the two documents time, of the first configuration where that differs."""
    for change in found:
        before, after = change.before, change.after
        if before is not None and after is not None and before.code != after.code:
            return before.code, after.code
    return None


def _unlike(old: Mapping[str, object], new: Mapping[str, object], what: str) -> list[str]:
    return [
        f"{what}{name} is {old.get(name, _USUAL)} in the first, {new.get(name, _USUAL)} in the "
        "second"
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    ]


_USUAL = "not given"


def comparison_text(
    found: Sequence[Change], limit: float | None, unlike: Sequence[str] = ()
) -> str:
    """A line per configuration, those that fail or grew most first, how many of each, and where the
    documents were not made alike."""
    ranked = sorted(found, key=lambda c: (not c.fails(limit), -(c.ratio or 0)))
    rows = [_cells(change, limit) for change in ranked]
    head = ("before", "after", "change", "", "configuration")
    counts = dict[str, int]()
    for change in found:
        counts[change.verdict.value] = counts.get(change.verdict.value, 0) + 1
    said = ", ".join(f"{count} {what}" for what, count in counts.items()) or "nothing to compare"
    failed = sum(change.fails(limit) for change in found)
    if limit is not None:
        said += f"; {failed or 'none'} beyond {100 * limit:g} %"
    warnings = "".join(f"warning: {text}\n" for text in unlike)
    return (columns([head, *rows], right=(0, 1, 2)) if rows else "") + said + "\n" + warnings


def _cells(change: Change, limit: float | None) -> tuple[str, ...]:
    before = "-" if change.before_us is None else duration(change.before_us)
    after = "-" if change.after_us is None else duration(change.after_us)
    ratio = "" if change.ratio is None else f"{100 * (change.ratio - 1):+.1f} %"
    words = change.verdict.value if change.ratio is None else ""
    mark = "FAILED" if change.fails(limit) else ""
    name = change.name + (f" (now {change.renamed})" if change.renamed else "")
    reason = change.after.reason if change.after is not None and change.after_us is None else ""
    what = ": ".join(part for part in (words, reason) if part)
    return before, after, ratio, mark, f"{name}{f' ({what})' if what else ''}"
