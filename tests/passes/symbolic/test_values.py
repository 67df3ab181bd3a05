"""Symbolic values: their normal form, their text, their affine readings and their evaluation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcc.frontend.ir.instructions import Load, Store
from kcc.frontend.ir.opcodes import IntPredicate, Opcode
from kcc.frontend.ir.types import FLOAT, I8, I32, I64, FloatTy, IntTy
from kcc.passes.symbolic import semantics
from kcc.passes.symbolic.affine import affine, lane_stride, unwrapped
from kcc.passes.symbolic.algebra import Algebra
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.evaluate import Evaluator
from kcc.passes.symbolic.expr import Expr, Final, Node, Number, SymbolKind, constant_of
from kcc.passes.symbolic.first_hit import iterations
from kcc.passes.symbolic.folding import fold, wrap
from kcc.passes.symbolic.lanes import all_work_items, one_group, work_items
from kcc.passes.symbolic.nodes import base_of
from kcc.passes.symbolic.ranges import Known
from kcc.passes.symbolic.text import text
from tests.passes.compiled_loops import facts_of, launch


def stored_at(body: str, known: Known | None = None) -> tuple[SymbolicValues, Expr]:
    """The address that the last store of a kernel writes to."""
    values = facts_of(body, known)[SymbolicValues]
    stores = [i for i in values.function.instructions if isinstance(i, Store)]
    return values, values.address(stores[-1], stores[-1].pointer)


ADDRESSES = [
    ("a[get_global_id(0)] = 1;", "4 * get_global_id(0) + a", 4),
    ("int i = get_global_id(0); a[i * n + 3] = 1;", None, None),
    ("a[get_local_id(0) * 8 + get_group_id(0)] = 1;", None, 32),
    ("a[get_group_id(0)] = 1;", "4 * get_group_id(0) + a", 0),
    ("a[a[get_global_id(0)]] = 1;", None, None),
]


@pytest.mark.parametrize(("body", "shown", "stride"), ADDRESSES, ids=[a[0] for a in ADDRESSES])
def test_addresses(body: str, shown: str | None, stride: int | None):
    values, address = stored_at(body)
    if shown is not None:
        assert text(values, address) == shown
    assert lane_stride(values, address) == stride


def test_group_times_size_plus_local_is_the_global_id():
    _, direct = stored_at("a[get_global_id(0)] = 1;", launch())
    values, made = stored_at("a[get_group_id(0) * 32 + get_local_id(0)] = 1;", launch())
    assert text(values, made) == "4 * get_global_id(0) + a"
    assert type(direct) is type(made)


SAME_ARRAY = [
    ("(&a[i] < &a[n])", "i < n"), ("(&a[i] == &a[n])", "i == n"),
    ("((i < n ? &a[i] : &a[n]) - a)", "i < n ? i : n"),
    ("((size_t)(a + i) % 8)", "(i % 2) * 4"), ("((size_t)&a[2 * i + 64] & 7)", "0"),
]  # fmt: skip


@pytest.mark.parametrize(("of_pointers", "of_indices"), SAME_ARRAY)
def test_pointers_into_one_array_are_told_apart_by_their_indices(of_pointers: str, of_indices: str):
    known = Known((64,), (32,), {2: 9})
    found = list[list[int]]()
    for index in (of_pointers, of_indices):
        values, address = stored_at(f"int i = get_local_id(0); a[(int)({index})] = 1;", known)
        base = base_of(address)
        assert base is not None
        offset = values.algebra.subtract(address, base)
        numbers, sure = Evaluator(values, one_group(known)).integers(offset)
        assert np.all(sure)
        found.append(np.ravel(numbers).tolist())
    assert found[0] == found[1]


def test_affine_form():
    known = Known((64, 4), (32, 2), {2: 9})
    values, address = stored_at("a[get_global_id(0) * 3 + get_local_id(1) * n] = 1;", known)
    found = affine(values.algebra, address)
    assert found is not None
    assert found.coefficient(SymbolKind.GLOBAL_ID, 0) == 12
    assert found.coefficient(SymbolKind.LOCAL_ID, 1) == 36
    assert found.coefficient(SymbolKind.LANE) == 0
    values, address = stored_at("a[get_global_id(0) * (long)n] = 1;")
    found = affine(values.algebra, address)
    assert found is not None
    assert found.coefficient(SymbolKind.GLOBAL_ID, 0) is None
    assert text(values, found.symbolic[SymbolKind.GLOBAL_ID, 0]) == "4 * n"


def test_unwrapped_sees_through_conversions_that_may_lose():
    body = "uint i = get_global_id(0) * 8u + m; a[i] = 1;"
    values, address = stored_at(body)
    assert lane_stride(values, address) is None
    assert lane_stride(values, unwrapped(values, address)) == 32


def test_what_addresses_share_is_unwrapped_once(monkeypatch: pytest.MonkeyPatch):
    """Hundreds of accesses of an unrolled kernel are made from the same values."""
    body = "uint i = get_global_id(0) * 8u + m; i = i * i + (i >> 3); a[i] = 1; a[i + 5u] = 2;"
    values = facts_of(body, None)[SymbolicValues]
    stores = [i for i in values.function.instructions if isinstance(i, Store)]
    first, second = (values.address(each, each.pointer) for each in stores)
    rebuilt = values.algebra.rebuilt
    counts = list[int]()
    for address in (first, second):
        seen = list[object]()

        def counted(node: Node, done: dict[Node, Node], seen: list[object] = seen) -> Node:
            seen.append(node)
            return rebuilt(node, done)

        monkeypatch.setattr(values.algebra, "rebuilt", counted)
        unwrapped(values, address)
        counts.append(len(seen))
    assert counts[1] < counts[0] / 2


def test_a_choice_is_gated_by_its_branch():
    body = "int i; if (n > 3) i = 5; else i = get_local_id(0); a[i] = 1;"
    values, address = stored_at(body)
    assert "n <= 3 ? get_local_id(0) : 5" in text(values, address)
    for n, wanted in ((4, 5), (3, 7)):
        known = launch(n=n)
        values, address = stored_at(body, known)
        offset = values.algebra.subtract(address, values.scalar(values.function.arguments[0].ref))
        found, sure = Evaluator(values, one_group(known)).integers(offset)
        assert sure.all()
        assert found[7] == 4 * wanted


def test_values_after_a_loop_are_those_of_its_last_iteration():
    body = "int s = 0; for (int i = 0; i < n; i++) s += i; a[s] = 1;"
    known = launch(n=20)
    values, address = stored_at(body, known)
    offset = values.algebra.subtract(address, values.scalar(values.function.arguments[0].ref))
    found, sure = Evaluator(values, one_group(known)).integers(offset)
    assert sure.all()
    assert (found == 4 * 190).all()


def test_iterations_are_given_from_outside():
    body = "for (int i = 0; i < 9; i++) a[i * i + get_local_id(0)] = 1;"
    values, address = stored_at(body, launch())
    offset = values.algebra.subtract(address, values.scalar(values.function.arguments[0].ref))
    lanes = one_group(values.algebra.known)
    found, sure = Evaluator(values, lanes.at({0: 5})).integers(offset)
    assert sure.all()
    assert found.tolist() == [4 * (25 + lane) for lane in range(32)]
    assert not Evaluator(values, lanes).integers(offset)[1].any()


def test_what_memory_holds_is_not_known_but_named():
    values = facts_of("a[0] = a[n + 1] + 1;")[SymbolicValues]
    (load,) = (i for i in values.function.instructions if isinstance(i, Load))
    (node,) = values.result(load)
    assert text(values, node) == "a[n + 1]"
    assert values.causes(node) == (node,)
    lanes = all_work_items(Known((64,), (32,), {2: 1}))
    assert not Evaluator(values, lanes).integers(node)[1].any()


INDICES = [
    "get_group_id(0) * n - get_local_id(0) + 5 * get_group_id(1)",
    "get_global_id(0) / (get_group_id(1) + 1) + get_local_id(1) % (get_group_id(0) + 2)",
    "get_group_id(0) > get_local_id(0) && get_group_id(1) < n ? get_global_id(1) : n",
    "max((int)get_local_id(1), (int)get_group_id(0) - 1) << (get_group_id(1) & 3)",
    "get_group_id(1) / get_group_id(0) + get_local_id(0)",
]


@pytest.mark.parametrize("index", INDICES)
def test_values_along_axes_are_those_of_rows_one_by_one(index: str):
    known = Known((24, 12), (8, 4), {2: 7})
    values, address = stored_at(f"a[{index}] = 1;", known)
    offset = values.algebra.subtract(address, values.scalar(values.function.arguments[0].ref))
    groups, items = np.divmod(np.arange(24 * 12, dtype=np.int64), 8 * 4)
    found, sure = Evaluator(values, all_work_items(known)).integers(offset)
    wanted, certain = Evaluator(values, work_items(known, groups, items)).integers(offset)
    assert (sure == certain).all()
    assert (found == wanted)[sure].all()
    assert sure.any()


# the algebra


def test_equal_sums_are_one_node():
    algebra = Algebra()
    x, y = (algebra.symbol(SymbolKind.ARGUMENT, n, I32) for n in range(2))
    left = algebra.multiply(algebra.add(x, y), algebra.subtract(x, y))
    right = algebra.subtract(algebra.multiply(x, x), algebra.multiply(y, y))
    assert left is right
    assert algebra.subtract(left, right) is algebra.number(0, I32)


def test_extensions_go_where_nothing_wraps():
    algebra = Algebra(Known((1024,), (64,)))
    gid = algebra.symbol(SymbolKind.GLOBAL_ID, 0, I32)
    wide = algebra.convert(Opcode.SEXT, algebra.scale(gid, 4), I64)
    assert wide is algebra.scale(algebra.symbol(SymbolKind.GLOBAL_ID, 0), 4)
    free = algebra.symbol(SymbolKind.ARGUMENT, 0, I32)
    wide = algebra.convert(Opcode.SEXT, algebra.scale(free, 4), I64)
    assert wide is not algebra.scale(algebra.convert(Opcode.SEXT, free, I64), 4)


def test_paths_that_meet_again_have_no_condition():
    algebra = Algebra()
    p, q = (algebra.symbol(SymbolKind.ARGUMENT, n, I8) for n in range(2))
    c = algebra.compare(IntPredicate.SLT, p, q)
    d = algebra.compare(IntPredicate.EQ, p, q)
    inverse = algebra.negation(c)
    both = [algebra.conjunction([d, c]), algebra.conjunction([d, inverse])]
    assert algebra.disjunction(both) is d
    assert algebra.disjunction([c, inverse]) is algebra.true()


BINARY = [Opcode.UDIV, Opcode.SDIV, Opcode.UREM, Opcode.SREM, Opcode.SHL, Opcode.LSHR, Opcode.ASHR,
          Opcode.AND, Opcode.OR, Opcode.XOR, Opcode.ADD, Opcode.SUB, Opcode.MUL, "smax", "smin",
          "umax", "umin", "power"]  # fmt: skip


@given(
    st.sampled_from(BINARY), st.sampled_from([I8, I32, I64]), st.integers(-(2**63), 2**63 - 1),
    st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9),
)  # fmt: skip
def test_arrays_and_constants_agree(operator: Opcode | str, type_: IntTy, a: int, b: int):
    """What is folded while nodes are made is what evaluation gives."""
    algebra = Algebra()
    numbers = [algebra.number(n, type_) for n in (a, b)]
    made = algebra.operation(operator, type_, numbers)
    arrays = [semantics.constant(n.value, type_) for n in numbers]
    if operator in (Opcode.ADD, Opcode.SUB):
        sign = 1 if operator is Opcode.ADD else -1
        found = semantics.combination([(arrays[0], 1), (arrays[1], sign)], 0, type_.bits)
    else:
        result = semantics.integer(operator, type_.bits, arrays, None)
        assert result is not None
        found, valid = result
        if valid is not None and not valid.all():
            assert not isinstance(made, Number)
            return
    assert isinstance(made, Number)
    assert made.value == wrap(int(found[0]), type_.bits)


@given(st.sampled_from([16, 32, 64]), st.integers(0, 2**64 - 1))
def test_bits_and_bytes_in_reverse_order(bits: int, value: int):
    value %= 1 << bits
    reverse = int(f"{value:0{bits}b}"[::-1], 2)
    swapped = int.from_bytes(value.to_bytes(bits // 8, "little"), "big")
    for operator, wanted in (("bitreverse", reverse), ("bswap", swapped)):
        found = semantics.integer(operator, bits, [semantics.constant(value, IntTy(bits))], None)
        assert found is not None
        assert int(found[0][0]) == wanted


@given(st.integers(-(2**31), 2**31 - 1), st.integers(1, 9), st.integers(0, 40))
def test_repeated_division_is_division_by_a_power(start: int, by: int, times: int):
    value = start
    for _ in range(times):
        folded = fold(Opcode.SDIV, I32, I32, [value, by + 1], None)
        assert folded is not None
        value = folded
    assert fold("sdivpow", I32, I32, [start, by + 1, times], None) == value
    arrays = [semantics.constant(n, I32) for n in (start, by + 1, times)]
    found = semantics.integer("sdivpow", 32, arrays, None)
    assert found is not None
    assert wrap(int(found[0][0]), 32) == value


@given(st.floats(width=32), st.floats(width=32), st.floats(width=32))
def test_fused_multiply_and_add_rounds_once(a: float, b: float, c: float):
    from tests.tracegen.reference_values import fma

    arrays = [np.array([v], np.float32) for v in (a, b, c)]
    with np.errstate(all="ignore"):
        found = semantics.fused(FLOAT, *arrays)[0]
    wanted = np.float32(fma(32, a, b, c))
    assert found == wanted or (np.isnan(found) and np.isnan(wanted))


@pytest.mark.parametrize("type_", [FloatTy(32), FloatTy(64)])
@given(value=st.floats())
def test_conversions_to_integers_saturate(type_: FloatTy, value: float):
    with np.errstate(all="ignore"):
        data = np.array([value]).astype(semantics.DTYPES[type_.bits])
        exact = float(data[0])
        for bits in (8, 32, 64):
            for name, low, high in (
                ("fptosi.sat", -(2 ** (bits - 1)), 2 ** (bits - 1) - 1),
                ("fptoui.sat", 0, 2**bits - 1),
            ):  # fmt: skip
                target = {8: I8, 32: I32, 64: I64}[bits]
                found = semantics.convert(name, type_, target, data)
                assert found is not None
                if np.isnan(exact):
                    wanted = 0
                elif np.isinf(exact):
                    wanted = high if exact > 0 else low
                else:
                    wanted = min(max(int(exact), low), high)
                assert int(found[0]) == wanted & (2**bits - 1)


def test_conditions_of_a_block_after_many_branches_are_found_from_it_alone():
    branches = "".join(f"if (a[{k}] > n) a[{k}] = 1; " for k in range(600))
    values = facts_of(branches)[SymbolicValues]
    last = len(values.function.blocks) - 1
    before = values.paths.condition(last)
    values.paths.forget(range(last + 1))
    assert values.paths.condition(last) is before


INTEGERS = st.integers(-6, 6) | st.integers(-(2**63), 2**63 - 1)


@given(
    predicate=st.sampled_from(IntPredicate),
    bits=st.sampled_from([1, 3, 8, 32, 64]),
    rows=st.lists(st.tuples(INTEGERS, INTEGERS, INTEGERS), min_size=1),
    one=st.booleans(),
)
def test_iterations_of_many_rows_are_those_of_each(
    predicate: IntPredicate, bits: int, rows: list[tuple[int, int, int]], *, one: bool
):
    table = np.array(rows, np.int64).view(np.uint64).T & np.uint64(2**bits - 1)
    operands = [table[0], table[1][:1] if one else table[1], table[2]]
    found = semantics.integer("iterations", bits, operands, predicate)
    assert found is not None
    counts, ends = found
    assert ends is not None
    signed = [semantics.signed(v, bits) for v in np.broadcast_arrays(*operands)]
    wanted = [iterations(predicate, bits, *row) for row in np.stack(signed).T.tolist()]
    pairs = zip(counts.tolist(), ends.tolist(), strict=True)
    assert [k if is_there else None for k, is_there in pairs] == wanted


def test_only_sums_and_numbers_have_a_constant():
    _, address = stored_at("a[get_global_id(0) + 3] = 1;")
    seven = Number(0, I64, 7)
    last = Final(1, I64, 0, seven, seven)
    assert [constant_of(node) for node in (address, seven, last)] == [12, 7, 0]
