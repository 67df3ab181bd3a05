"""Data classes of the standard library that are made twenty times as fast.

`dataclasses.dataclass` writes the text of up to nine methods for each class and executes it: half
a millisecond of each class, and a command imports some four hundred. Here the methods that are the
same for all classes are written once, and the one that is not, `__init__`, is made when the class
is first called. What they do, and what `dataclasses` says of such a class (`fields`, `replace`,
`asdict`, pickles), is the standard library's; types are checked as its own.
"""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, fields
from dataclasses import dataclass as standard
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import Field, dataclass
else:

    def dataclass(*, slots: bool, order: bool = False, **asked: bool) -> Any:
        """A decorator as `dataclasses.dataclass`. Classes without slots, or with an order, are made
        by the standard library itself."""
        if order or not slots:
            return standard(slots=slots, order=order, **asked)
        return lambda cls: _made(cls, **asked)


def _made(
    cls: type, *, frozen: bool = False, eq: bool = True, kw_only: bool = False, **asked: bool
) -> type:
    own = set(cls.__dict__)
    decorate: Any = standard(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)
    made = decorate(cls)

    def give(name: str, value: Any) -> None:
        if name not in own:
            setattr(made, name, value)

    give("__init__", _first_call(made, frozen=frozen))
    if asked.get("repr", True):
        give("__repr__", _repr)
    if eq:
        _compare(made, give, frozen=frozen)
    if frozen:
        give("__setattr__", _set)
        give("__delattr__", _delete)
        give("__getstate__", _getstate)
        give("__setstate__", _setstate)
    return made


def _first_call(cls: type, *, frozen: bool) -> Any:
    """An `__init__` that puts the true one in its own place when it is first called."""

    def __init__(self: Any, *arguments: Any, **named: Any) -> None:  # noqa: N807
        init = _init(cls, frozen=frozen)
        cls.__init__ = init
        init(self, *arguments, **named)

    return __init__


def _init(cls: type, *, frozen: bool) -> Any:
    """`__init__` of a class: fields in order, those that are by keyword only last. A frozen
    instance is set through its slots, which is also faster than `object.__setattr__`."""
    names: dict[str, Any] = {"_MISSING": MISSING}
    positional: list[str] = []
    keyword: list[str] = []
    body: list[str] = []
    for each in fields(cls):
        name, value = each.name, each.name
        if each.default is not MISSING:
            names[f"_d_{name}"] = each.default
            default = f"=_d_{name}"
        elif each.default_factory is not MISSING:
            names[f"_f_{name}"] = each.default_factory
            default = "=_MISSING"
            value = f"_f_{name}() if {name} is _MISSING else {name}"
        else:
            default = ""
        if each.init:
            (keyword if each.kw_only else positional).append(name + default)
        elif default:
            value = f"_f_{name}()" if each.default is MISSING else f"_d_{name}"
        else:
            continue
        if frozen:
            names[f"_s_{name}"] = getattr(cls, name).__set__
            body.append(f"_s_{name}(self, {value})")
        else:
            body.append(f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    taken = ["self", *positional, *(["*", *keyword] if keyword else [])]
    exec(f"def __init__({', '.join(taken)}):\n " + "\n ".join(body or ["pass"]), names)
    init = names["__init__"]
    init.__qualname__ = f"{cls.__qualname__}.__init__"
    return init


def _compare(cls: type, give: Any, *, frozen: bool) -> None:
    compared = [each for each in fields(cls) if each.compare]
    values = _values(compared)

    def __eq__(self: Any, other: Any) -> Any:  # noqa: N807
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    give("__eq__", __eq__)
    if not frozen:
        give("__hash__", None)
        return
    hashed = _values(
        [each for each in fields(cls) if (each.compare if each.hash is None else each.hash)]
    )

    def __hash__(self: Any) -> int:  # noqa: N807
        return hash(hashed(self))

    give("__hash__", __hash__)


def _values(chosen: list[Field[Any]]) -> Any:
    """What gives the tuple of these fields of an instance."""
    names = [each.name for each in chosen]
    if len(names) > 1:
        return attrgetter(*names)

    def values(self: Any) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in names)

    return values


@recursive_repr()
def _repr(self: Any) -> str:
    shown = ", ".join(
        f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr
    )
    return f"{self.__class__.__qualname__}({shown})"


def _set(_: Any, name: str, __: Any) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delete(_: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
