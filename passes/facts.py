"""What a pass is, what holds the facts it gives, and how a sequence of passes is run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

from kcc.frontend.ir.model import Module
from kcc.frontend.kernel import Kernel

F = TypeVar("F")
F_co = TypeVar("F_co", covariant=True)


class Facts:
    """What is known of one kernel so far: one fact of each type, asked for by its type.

    ``module`` is the module the kernel's function stands in.
    """

    __slots__ = ("_by_type", "given", "module")

    def __init__(self, module: Module) -> None:
        self.module = module
        self.given: list[tuple[Pass[Any], object]] = []
        """The passes that have run, each with its fact."""
        self._by_type: dict[type, object] = {}

    def add(self, fact: object) -> None:
        """Record a fact; there is none of its type yet."""
        assert type(fact) not in self._by_type, f"{type(fact).__name__} is known already"
        self._by_type[type(fact)] = fact

    def instead(self, fact: object) -> Facts:
        """The same facts but this one, of a type that is there, in the place of the other."""
        assert type(fact) in self._by_type, f"{type(fact).__name__} is not known"
        found = Facts(self.module)
        found._by_type = {**self._by_type, type(fact): fact}
        found.given = [each for each in self.given if type(each[1]) is not type(fact)]
        return found

    def renew_budgets(self) -> None:
        """What comes next has a budget of its own for the work it asks for."""
        for fact in self._by_type.values():
            if isinstance(fact, Budgeted):
                fact.renew_budget()

    def __getitem__(self, kind: type[F]) -> F:
        return cast(F, self._by_type[kind])

    def __contains__(self, kind: type) -> bool:
        return kind in self._by_type


@runtime_checkable
class Budgeted(Protocol):
    """A fact that passes ask for work, which it counts."""

    def renew_budget(self) -> None: ...


class Pass(Protocol[F_co]):
    """An analysis: a frozen dataclass whose fields are its options.

    ``requires`` are the types of the facts that ``run`` reads; ``run`` changes nothing.
    """

    @property
    def name(self) -> str: ...

    @property
    def requires(self) -> tuple[type, ...]: ...

    def run(self, kernel: Kernel, facts: Facts) -> F_co: ...


class Around(Protocol):
    """Called with the name of each pass and its work; gives what the work gives.

    Whoever wants to time, dump or check passes hands in one of their own.
    """

    def __call__(self, stage: str, work: Callable[[], F], /) -> F: ...


def plainly(_stage: str, work: Callable[[], F]) -> F:
    """The :class:`Around` that only does the work."""
    return work()


def run_passes(
    kernel: Kernel, module: Module, passes: Sequence[Pass[Any]], around: Around = plainly,
    earlier: Facts | None = None,
) -> Facts:  # fmt: skip
    """The facts that ``passes``, run in order, give of a kernel of ``module``.

    What an equal pass gave ``earlier``, of the same kernel and out of the same facts, is taken.
    """
    facts = Facts(module)
    for each in passes:
        missing = [kind.__name__ for kind in each.requires if kind not in facts]
        assert not missing, f"pass '{each.name}' runs before {missing} is known"
        fact = None if earlier is None else _taken(each, facts, earlier)
        if fact is None:
            facts.renew_budgets()
            fact = around(each.name, lambda each=each: each.run(kernel, facts))
        facts.add(fact)
        facts.given.append((each, fact))
    facts.renew_budgets()
    return facts


def _taken(wanted: Pass[Any], facts: Facts, earlier: Facts) -> object | None:
    """What ``earlier`` has of a pass if all that it read is the same here."""
    if all(kind in earlier and facts[kind] is earlier[kind] for kind in wanted.requires):
        return next((fact for each, fact in earlier.given if each == wanted), None)
    return None
