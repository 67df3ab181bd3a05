"""The fast data classes against the standard library's: the same class body under both."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import field
from typing import Any

import pytest

from kcc.base import records

OPTIONS: list[dict[str, bool]] = [
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "eq": False},
    {"frozen": True, "slots": True, "kw_only": True, "repr": False},
    {"frozen": True, "slots": True, "order": True},
    {"frozen": False, "slots": True},
    {"frozen": False, "slots": True, "eq": False},
]


def bodies(decorate: Any) -> tuple[type, type]:
    @decorate
    class Base:
        a: int
        b: str = "b"
        c: list[int] = field(default_factory=list[int])
        d: float = field(default=2.0, compare=False, repr=False)
        e: int = field(init=False, default=5)

        def doubled(self) -> int:
            return 2 * self.a

    @decorate
    class One:
        only: int = 3

        def __repr__(self) -> str:
            return f"<{self.only}>"

    return Base, One


@pytest.fixture(
    params=OPTIONS, ids=lambda options: ", ".join(name for name, on in options.items() if on)
)
def pair(request: pytest.FixtureRequest) -> tuple[Any, Any, dict[str, bool]]:
    options = request.param
    ours = bodies(records.dataclass(**options))
    theirs = bodies(dataclasses.dataclass(**options))
    return ours, theirs, options


def outcome(act: Any) -> Any:
    try:
        return act()
    except (TypeError, AttributeError) as error:
        return type(error), str(error).split(".")[-1]


@pytest.mark.parametrize(
    "values", [{"a": 1}, {"a": 1, "c": [2]}, {"a": 2, "d": 9.0}, {}, {"a": 1, "e": 6}]
)
def test_instances_are_made_shown_and_compared_alike(pair: Any, values: dict[str, Any]) -> None:
    (ours, _), (theirs, _), options = pair
    assert ours.__match_args__ == theirs.__match_args__
    assert [f.name for f in dataclasses.fields(ours)] == [
        f.name for f in dataclasses.fields(theirs)
    ]

    def seen(cls: Any) -> Any:
        made, other = cls(**values), cls(a=1, d=7.0)
        shown = repr(made).split(" at 0x")[0]
        changed = dataclasses.replace(made, b="z")
        return {
            "repr": shown,
            "equal": (made == other, made != other, made == 1),
            "hash": outcome(lambda: hash(made) == hash(other)),
            "order": outcome(lambda: made < other) in (True, False),
            "fields": (made.doubled(), made.e, changed.b),
            "copy": dataclasses.astuple(copy.deepcopy(made)),
            "set": outcome(lambda: setattr(made, "a", 4)),
            "delete": outcome(lambda: delattr(made, "b")),
            "add": outcome(lambda: setattr(made, "unknown", 4)) is None,
        }

    assert outcome(lambda: seen(ours)) == outcome(lambda: seen(theirs))
    if not options.get("kw_only"):
        assert dataclasses.astuple(ours(7, "x")) == dataclasses.astuple(theirs(7, "x"))


def test_what_a_class_writes_itself_stays(pair: Any) -> None:
    (_, ours), (_, theirs), options = pair
    assert repr(ours()) == repr(theirs()) == "<3>"
    assert (ours() == ours()) == (theirs() == theirs()) == options.get("eq", True)


def test_defaults_of_lists_are_not_shared(pair: Any) -> None:
    (ours, _), _, _ = pair
    first, second = ours(a=1), ours(a=1)
    first.c.append(1)
    assert second.c == []


@records.dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0


@records.dataclass(frozen=True, slots=True)
class Named(Point):
    name: str = ""


@records.dataclass(slots=True)
class Checked:
    value: int

    def __post_init__(self) -> None:
        if self.value < 0:
            raise ValueError("below zero")


def test_frozen_instances_are_pickled_and_inherit() -> None:
    point = Named(1, 2, "p")
    assert pickle.loads(pickle.dumps(point)) == point
    assert repr(point) == "Named(x=1, y=2, name='p')"
    assert {Point(1), Point(1, 0)} == {Point(1)}
    assert point != Point(1, 2)
    assert not hasattr(point, "__dict__")


def test_what_follows_the_construction_is_called() -> None:
    assert Checked(1).value == 1
    with pytest.raises(ValueError, match="below zero"):
        Checked(-1)
