"""Launch geometry: what is filled in, what is refused, and where the messages point."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.expressions import Expression, Value, literal
from kcc.base.launch import (
    MAX_GLOBAL_SIZE,
    MAX_LOCAL_SIZE,
    Launch,
    LaunchRequest,
    Origin,
    format_extent,
    resolve_launch,
    whole_number,
)
from kcc.base.launch_language import parse_dimensions, parse_expression


def request(
    global_size: str = "", local_size: str = "", grid: str = "", block: str = ""
) -> LaunchRequest:
    """A request as the command line makes it."""

    def parsed(option: str, text: str) -> tuple[Expression, ...] | None:
        return parse_dimensions(text, Span(option, 1, 1)) if text else None

    return LaunchRequest(
        parsed("--global", global_size),
        parsed("--local", local_size),
        parsed("--grid", grid),
        parsed("--block", block),
    )


def errors(
    asked: LaunchRequest,
    required: tuple[int, int, int] | None = None,
    names: dict[str, Value] | None = None,
) -> list[tuple[str, str, int]]:
    """Code, option and column of each error."""
    with pytest.raises(DiagnosticError) as caught:
        resolve_launch(asked, names or {}, required)
    return [
        (d.code, d.span.file if d.span else "", d.span.column if d.span else 0)
        for d in caught.value.diagnostics
    ]


def sizes(launch: Launch) -> tuple[str, str]:
    """Global and local size as text."""
    return (
        ", ".join(map(format_extent, launch.global_size)),
        ", ".join(map(format_extent, launch.local_size)),
    )


def test_a_full_launch():
    launch = resolve_launch(request("roundup(n, 16), 64", "16, 4"), {"n": 100})
    assert launch.global_size == (112, 64)
    assert launch.local_size == (16, 4)
    assert launch.groups == (7, 16)
    assert launch.work_items == 7168
    assert launch.group_size == 64
    assert not launch.assumed
    assert launch.free_names == frozenset()


@pytest.mark.parametrize(
    ("dimensions", "expected"),
    [
        (1, ("global_size_0", "256")),
        (2, ("global_size_0, global_size_1", "16, 16")),
        (3, ("global_size_0, global_size_1, global_size_2", "16, 16, 1")),
    ],
)
def test_nothing_given(dimensions: int, expected: tuple[str, str]):
    launch = resolve_launch(LaunchRequest(), {}, used_dimensions=dimensions)
    assert sizes(launch) == expected
    assert launch.assumed
    assert (launch.global_origin, launch.local_origin) == (Origin.ASSUMED, Origin.ASSUMED)
    assert launch.work_items is None
    assert launch.groups is None


@pytest.mark.parametrize(
    ("required", "used", "local"),
    [((64, 1, 1), 1, "64"), ((64, 1, 1), 2, "64, 1"), ((8, 4, 2), 1, "8, 4, 2")],
)
def test_the_required_local_size_is_taken(required: tuple[int, int, int], used: int, local: str):
    launch = resolve_launch(LaunchRequest(), {}, required, used)
    assert sizes(launch)[1] == local
    assert launch.local_origin is Origin.REQUIRED
    assert launch.assumed  # the global size is


@pytest.mark.parametrize(
    ("global_size", "local"),
    [
        ("1024", "256"),
        ("1003", "59"),
        ("100", "100"),
        ("48, 50", "16, 10"),
        ("7, 32, 9", "7, 16, 1"),
    ],
)
def test_an_assumed_local_size_divides_a_known_global_size(global_size: str, local: str):
    launch = resolve_launch(request(global_size), {})
    assert sizes(launch) == (global_size, local)
    assert launch.local_origin is Origin.ASSUMED


def test_names_without_a_value_stay():
    launch = resolve_launch(request("n * 2 ** 4, m", "b, 4"), {"m": 8})
    assert sizes(launch) == ("n * 16, 8", "b, 4")
    assert launch.free_names == {"n", "b"}
    assert launch.work_items is None
    assert launch.group_size is None
    assert not launch.assumed


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (request(grid="4", block="64"), ("256", "64")),
        (request(grid="4, 3", block="64"), ("256, 3", "64, 1")),
        (request(grid="4", block="8, 8"), ("32, 8", "8, 8")),
        (request(grid="10"), ("2560", "256")),
        (request(grid="n", block="64"), ("n * 64", "64")),
        (request(global_size="128", block="64"), ("128", "64")),
        (request(grid="2", local_size="64"), ("128", "64")),
    ],
)
def test_the_cuda_spelling(asked: LaunchRequest, expected: tuple[str, str]):
    assert sizes(resolve_launch(asked, {})) == expected


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (request("10.5", "2"), [("K030", "--global", 1)]),
        (request("64, 9 / 2", "2, 2"), [("K030", "--global", 5)]),
        (request("64", "0"), [("K030", "--local", 1)]),
        (request("-64", "1"), [("K030", "--global", 1)]),
        (request("1e300 * 0.5"), [("K033", "--global", 1)]),
        (request("-(2**1000)"), [("K030", "--global", 1)]),
        (request("2**1023, 2**1023, 2**1023", "1,1,1"), [("K033", "--global", 1)]),
        (request("64, 64", "8"), [("K031", "--local", 1)]),
        (request("64", "8, 8"), [("K031", "--local", 1)]),
        (request("100", "64"), [("K032", "--local", 1)]),
        (request("100, 64, 7", "64, 8, 2"), [("K032", "--local", 1), ("K032", "--local", 8)]),
        (request("2048", "2048"), [("K033", "--local", 1)]),
        (request("2048, 2", "1024, 2"), [("K033", "--local", 1)]),
        (request("2**49"), [("K033", "--global", 1)]),
        (request(grid="1, 65536", block="32"), [("K033", "--grid", 4)]),
        (request(grid="2**31", block="32"), [("K033", "--grid", 1)]),
        (request(grid="1", block="1, 1, 128"), [("K033", "--block", 7)]),
        (request("64", grid="4"), [("K035", "--grid", 1)]),
        (request("64", "8", block="4"), [("K035", "--block", 1)]),
        (request("1 // 0"), [("K023", "--global", 1)]),
    ],
)
def test_what_cannot_be_run(asked: LaunchRequest, found: list[tuple[str, str, int]]):
    assert errors(asked) == found


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (request("64", "32"), [("K034", "--local", 1)]),
        (request("64, 4", "64, 4"), [("K034", "--local", 5)]),
        (request("96"), [("K032", "--global", 1)]),
    ],
)
def test_the_required_local_size_is_kept(asked: LaunchRequest, found: list[tuple[str, str, int]]):
    assert errors(asked, (64, 1, 1)) == found


def test_a_launch_has_the_dimensions_that_the_required_size_needs():
    assert errors(request("64"), (8, 8, 1)) == [("K034", "--global", 1)]
    assert errors(request("64", "8"), (8, 8, 1)) == [("K034", "--local", 1)]


def test_hints():
    def only(asked: LaunchRequest) -> Diagnostic:
        with pytest.raises(DiagnosticError) as caught:
            resolve_launch(asked, {})
        return caught.value.diagnostics[0]

    assert only(request("100", "64")).hint == "round the global size up: roundup(100, 64)"
    assert only(request("10 / 4")).message == "a launch size has to be a whole number, not 2.5"


@given(
    st.lists(st.integers(1, 3000), min_size=1, max_size=3),
    st.lists(st.integers(1, 40), min_size=1, max_size=3),
    st.booleans(),
)
def test_what_is_given_back_can_be_run(
    global_size: list[int], local_size: list[int], with_local: bool
):
    asked = LaunchRequest(
        tuple(map(literal, global_size)),
        tuple(map(literal, local_size)) if with_local else None,
    )
    try:
        launch = resolve_launch(asked, {})
    except DiagnosticError:
        assert with_local
        assert (
            len(global_size) != len(local_size)
            or math.prod(local_size) > MAX_LOCAL_SIZE
            or any(whole % part for whole, part in zip(global_size, local_size, strict=True))
        )
        return
    assert launch.global_size == tuple(global_size)
    assert launch.groups is not None
    assert launch.group_size is not None
    assert launch.group_size <= MAX_LOCAL_SIZE
    assert launch.work_items == math.prod(launch.groups) * launch.group_size <= MAX_GLOBAL_SIZE


def test_whole_numbers():
    def whole(text: str) -> int:
        return whole_number(parse_expression(text, Span("--arg", 1, 1)), {"n": 3}, "a count")

    assert whole("n * 4") == 12
    assert whole("4.0") == 4
    assert whole("1e15") == 10**15
    with pytest.raises(DiagnosticError, match="K022"):
        whole("m")
