"""Random expressions and argument values, as the parser would give them."""

from __future__ import annotations

from hypothesis import strategies as st

from kcc.base.arguments import (
    SCALAR_BYTES,
    ArgumentValue,
    Buffer,
    Fill,
    FromFile,
    Image,
    Initialiser,
    Iota,
    Member,
    Random,
    Sampler,
    Scalar,
    Structure,
    Uniform,
)
from kcc.base.expressions import (
    Binary,
    Call,
    Expression,
    Function,
    Name,
    Negation,
    Number,
    Operator,
    argument_counts,
)

NAMES = ("n", "m", "min", "float4", "_x1", "iota", "sampler", "signedness")


def numbers() -> st.SearchStrategy[Number]:
    wholes = st.one_of(st.integers(0, 9), st.integers(0, 2**70))
    reals = st.floats(0, 1e300, allow_nan=False, allow_infinity=False)
    return st.one_of(wholes, reals).map(Number)


def whole_numbers() -> st.SearchStrategy[Number]:
    return st.one_of(st.integers(0, 9), st.integers(0, 2**40)).map(Number)


def names() -> st.SearchStrategy[Name]:
    return st.sampled_from(NAMES).map(Name)


def expressions(leaves: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.recursive(leaves, _compound, max_leaves=12)


def _compound(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    calls = [_calls(function, inner) for function in Function]
    binaries = st.builds(Binary, st.sampled_from(Operator), inner, inner)
    return st.one_of(binaries, inner.map(Negation), *calls)


def _calls(
    function: Function, inner: st.SearchStrategy[Expression]
) -> st.SearchStrategy[Expression]:
    least, most = argument_counts(function)
    arguments = st.lists(inner, min_size=least, max_size=most or 4).map(tuple)
    return arguments.map(lambda given: Call(function, given))


def any_expression() -> st.SearchStrategy[Expression]:
    return expressions(st.one_of(numbers(), names()))


def initialisers() -> st.SearchStrategy[Initialiser | None]:
    inner = any_expression()
    paths = st.text(st.characters(exclude_characters="'"), max_size=8).map(FromFile)
    return st.one_of(
        st.none(),
        st.just(Iota()),
        st.builds(Fill, inner),
        st.builds(Uniform, inner, inner),
        st.builds(Random, inner),
        paths,
    )


def argument_values() -> st.SearchStrategy[ArgumentValue]:
    inner = any_expression()
    scalars = st.sampled_from(sorted(SCALAR_BYTES))
    elements = st.one_of(scalars, st.sampled_from(["float4", "struct node", "node_t"]))
    extents = st.lists(inner, min_size=1, max_size=3).map(tuple)
    orders, types = st.sampled_from(["R", "RGBA"]), st.sampled_from(["FLOAT", "UNORM_INT8"])
    return st.one_of(
        inner.map(Scalar),
        st.builds(Buffer, elements, inner, initialisers()),
        st.builds(Image, orders, types, extents, initialisers()),
        st.builds(
            Sampler,
            st.sampled_from(["none", "clamp", "repeat"]),
            st.sampled_from(["nearest", "linear"]),
            st.booleans(),
        ),
        st.lists(st.builds(Member, elements, inner), min_size=1, max_size=3).map(
            lambda members: Structure(tuple(members))
        ),
    )
