"""Executes host code as far as values are known, and keeps its launches.

Where a condition is not known both ways are gone, and what they leave differently has no value.
A loop that goes on for longer than is worth while is left, and what it assigned has no value. Ways
that are not taken are gone as well, without consequences, for launches that no other way comes to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Any

from kcc.base.records import dataclass
from kcc.frontend.cuda.host.evaluation import MOST_STEPS, Evaluation
from kcc.frontend.cuda.host.expressions import TooDeepError
from kcc.frontend.cuda.host.nodes import (
    Block,
    Call,
    Do,
    If,
    Launch,
    Leave,
    Loop,
    Member,
    Name,
    Statement,
    Switch,
    Variables,
)
from kcc.frontend.cuda.host.program import Function
from kcc.frontend.cuda.host.syntax import Parser
from kcc.frontend.cuda.host.values import Array, Record, Unknown, Value, truth

MOST_ITERATIONS = 4096
"""Of a loop without calls and launches."""

LOOPS = 8
"""Of the steps that are left one loop takes no more than this part; it is done once at least."""

MOST_ROUNDS = 32
"""Of one with them."""

MOST_CALLS = 24
"""Of functions within each other."""

_ENDS = frozenset({"exit", "_exit", "abort", "terminate", "_Exit", "quick_exit"})


class ExitError(Exception):
    """The program ends."""


@dataclass(slots=True)
class Host(Evaluation):
    """Runs the functions of a program; ``launched`` has what :meth:`note` was given, in order."""

    parsed: dict[int, Block] = field(default_factory=dict[int, Block])
    heavy: dict[int, bool] = field(default_factory=dict[int, bool])
    visited: set[Function] = field(default_factory=set[Function])
    calls: int = 0
    left_maybe: bool = False

    # functions

    def call(
        self, function: Function, arguments: Sequence[Value], template: Mapping[str, Any],
        this: Record | None = None,
    ) -> Value:  # fmt: skip
        """What a function gives for its arguments; Unknown beyond what is worth while."""
        if self.calls >= MOST_CALLS:
            return Unknown()
        self.calls += 1
        self.visited.add(function)
        frame = self.enter(function, arguments, template, this)
        try:
            signal = self.execute(self.body_of(function))
        finally:
            self.leave(frame)
            self.calls -= 1
        if signal is not None and signal[0] == "return" and signal[1] is not None:
            return signal[1]
        return Unknown()

    def body_of(self, function: Function) -> Block:
        """The statements of a function."""
        found = self.parsed.get(id(function))
        if found is None:
            names = frozenset(p.name for p in function.template) | self.types
            try:
                found = Block(Parser(function.body, names).statements())
            except TooDeepError:
                found = Block(())
            self.parsed[id(function)] = found
        return found

    # statements

    def execute(self, statement: Statement) -> tuple[str, Value | None] | None:
        """Do a statement; what it leaves by, with a value that it returns."""
        self.step()
        match statement:
            case Block(statements):
                with self.scope():
                    return self.sequence(statements)
            case Variables(declared):
                for each in declared:
                    self.declare(each)
            case Do(expressions):
                for each in expressions:
                    if (
                        isinstance(each, Call)
                        and isinstance(each.function, Name)
                        and (each.function.text in _ENDS)
                    ):
                        raise ExitError
                    self.value(each)
            case If():
                return self._if(statement)
            case Loop():
                with self.scope():
                    return self._loop(statement)
            case Switch():
                with self.scope():
                    return self._switch(statement)
            case Leave(word, value):
                return word, None if value is None else self.value(value)
        return None

    def sequence(self, statements: Sequence[Statement]) -> tuple[str, Value | None] | None:
        """One after another, until one leaves."""
        for place, each in enumerate(statements):
            signal = self.execute(each)
            if signal is not None:
                self.try_out(statements[place + 1 :])
                return signal
        return None

    def try_out(self, statements: Sequence[Statement]) -> None:
        """Go where the run does not, for launches alone: nothing is changed by it."""
        wanted = [each for each in statements if self.is_heavy(each)]
        if not wanted or self.tried > 3:
            return
        mark = self.mark()
        self.tried += 1
        try:
            with self.scope():
                for each in statements:
                    if self.execute(each) is not None:
                        continue
        except ExitError:
            pass
        finally:
            self.tried -= 1
            self.touched += self.undo(mark)

    def _if(self, statement: If) -> tuple[str, Value | None] | None:
        condition = truth(self.value(statement.condition))
        ways = statement.yes, statement.no
        if condition is not None:
            taken, other = ways if condition else ways[::-1]
            if taken is not None and statement.mentions_count and _ends(taken):
                taken, other = None, None  # what it tells is how the program is called
            if other is not None:
                self.try_out((other,))
            return None if taken is None else self.execute(taken)
        return self._either([w for w in ways if w is not None], all_of_them=ways[1] is not None)

    def _either(
        self, ways: Sequence[Statement], *, all_of_them: bool
    ) -> tuple[str, Value | None] | None:
        """Go all ways from here; what they leave differently, or one of them does not touch, has
        no value then. A way that leaves does not count."""
        signals = list[tuple[str, Value | None]]()
        ends = list[dict[tuple[int, Any], tuple[Any, Any, Value]]]()
        for way in ways:
            mark = self.mark()
            try:
                signal = self.execute(way)
            except ExitError:
                signal = ("exit", None)
            after = self.changes(mark)
            self.undo(mark)
            if signal is None:
                ends.append(after)
            else:
                signals.append(signal)
                self.left_maybe |= signal[0] == "break"
        if not ends and all_of_them:
            if all(each[0] == "exit" for each in signals):
                raise ExitError
            value = signals[0][1] if len({repr(s) for s in signals}) == 1 else Unknown()
            return signals[0][0], value
        if not all_of_them:
            ends.append({})
        for place in {place for own in ends for place in own}:
            holder, key, _ = next(own[place] for own in ends if place in own)
            values = [own[place][2] if place in own else self.held(holder, key) for own in ends]
            same = all(type(v) is type(values[0]) and v == values[0] for v in values)
            self.put(holder, key, values[0] if same else self.forgotten(key))
        return None

    def _range(self, loop: Loop, over: Value) -> tuple[str, Value | None] | None:
        """A ``for`` of all elements."""
        declared = loop.first[0] if loop.first else None
        if not isinstance(over, Array) or not isinstance(declared, Variables):
            self.try_out((loop.body,))
            return None
        limit = MOST_ROUNDS if self.is_heavy(loop.body) else MOST_ITERATIONS
        for element in over.elements[:limit]:
            self.put(self.scopes[-1], declared.declared[0].name, element)
            signal = self.execute(loop.body)
            if signal is not None and signal[0] != "continue":
                return None if signal[0] == "break" else signal
        return None

    def _loop(self, loop: Loop) -> tuple[str, Value | None] | None:
        if loop.over is not None:
            return self._range(loop, self.value(loop.over))
        for each in loop.first:
            self.execute(each)
        mark, before, begun = self.mark(), len(self.touched), self.steps
        allowed = (MOST_STEPS - begun) // LOOPS
        limit = MOST_ROUNDS if self.is_heavy(loop.body) else MOST_ITERATIONS
        done, is_known = 0, True
        while True:
            holds: bool | None = True
            if loop.condition is not None and (done or not loop.body_first):
                holds = truth(self.value(loop.condition))
            if holds is False or (holds is None and done):
                is_known = holds is False
                break
            if done >= limit or (done and self.steps - begun > allowed):
                is_known = False
                break
            left, self.left_maybe = self.left_maybe, False
            signal = self.execute(loop.body)
            maybe, self.left_maybe = self.left_maybe, left
            done += 1
            if signal is not None and signal[0] not in ("break", "continue"):
                return signal
            if signal is not None and signal[0] == "break":
                break
            if maybe or holds is None:
                is_known = False
                break
            for each in loop.step:
                self.value(each)
        if not done:
            self.try_out((loop.body,))
        if not is_known:
            self.forget([*self.changes(mark).values(), *self.touched[before:]])
        return None

    def _switch(self, statement: Switch) -> tuple[str, Value | None] | None:
        value = self.value(statement.value)
        begin: int | None = None
        if not isinstance(value, Unknown):
            for label, place in statement.labels:
                own = None if label is None else self.value(label)
                if (label is None and begin is None) or (own is not None and own == value):
                    begin = place
                    if label is not None:
                        break
            if begin is None:
                self.try_out(statement.statements)
                return None
            self.try_out(statement.statements[:begin])
            signal = self.sequence(statement.statements[begin:])
            return None if signal is not None and signal[0] == "break" else signal
        places = sorted({place for _, place in statement.labels})
        ways = [Block(statement.statements[place:]) for place in places]
        left = self.left_maybe
        changed = list[tuple[Any, Any, Value]]()
        for way in ways:
            mark = self.mark()
            with suppress(ExitError):
                self.execute(way)
            changed += self.undo(mark)
        self.left_maybe = left
        self.forget(changed)
        return None

    def is_heavy(self, statement: Statement) -> bool:
        """Whether a statement launches or calls functions of the program."""
        found = self.heavy.get(id(statement))
        if found is None:
            found = any(isinstance(n, Launch) or self._is_own_call(n) for n in nodes(statement))
            self.heavy[id(statement)] = found
        return found

    def _is_own_call(self, node: Any) -> bool:
        """Whether a node calls a function or method of the program."""
        if not isinstance(node, Call):
            return False
        if isinstance(node.function, Member):
            return any(node.function.name in own for own in self.program.methods.values())
        if not isinstance(node.function, Name):
            return False
        name = node.function.text
        return name in self.program.functions or any(
            name in own for own in self.program.methods.values()
        )


def _ends(statement: Statement) -> bool:
    """Whether a statement ends the function or the program."""
    inner = statement.statements if isinstance(statement, Block) else (statement,)
    for each in inner:
        if isinstance(each, Leave) and each.word in ("return", "throw"):
            return True
        if isinstance(each, Do) and any(
            isinstance(e, Call) and isinstance(e.function, Name) and e.function.text in _ENDS
            for e in each.expressions
        ):
            return True
    return False


def nodes(tree: Any) -> Iterator[Any]:
    """A node and all below it."""
    left: list[Any] = [tree]
    while left:
        each = left.pop()
        yield each
        if isinstance(each, tuple):
            left += each
        elif hasattr(each, "__dataclass_fields__"):
            left += [getattr(each, name) for name in each.__dataclass_fields__]
