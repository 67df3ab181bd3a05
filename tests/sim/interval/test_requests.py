"""What caches see of accesses, against the same written down plainly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kcc.sim.interval.events_native import S_EXECUTED, S_PASSES, WEIGHT_SHIFT
from kcc.sim.interval.facts import Kind
from kcc.sim.interval.requests_native import LOCAL_ATOMIC, make_requests
from kcc.sim.machine.port_native import Port

LINE, SECTOR, BANKS = 128, 32, 32
LANES = 8
COLUMNS = 20

KINDS = (Kind.GLOBAL_LOAD, Kind.GLOBAL_STORE, Kind.GLOBAL_ATOMIC, Kind.LOCAL, LOCAL_ATOMIC,
         Kind.CONSTANT_LOAD)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Access:
    """An execution: which access it is, the lanes, and where they are."""

    number: int
    mask: int
    addresses: tuple[int, ...]

    def of_active(self) -> list[int]:
        return [a for lane, a in enumerate(self.addresses) if self.mask >> lane & 1]


def plain_transactions(
    access: Access, size: int, *, is_atomic: bool, several: int
) -> list[tuple[int, int, int]]:
    """Lines in the order in which lanes come to them, with the sectors touched; atomics count the
    lanes that begin in the line, or the most at one address, or of each sector those or, of
    ``several`` addresses, at least so many."""
    lines = dict[int, int]()
    for low in access.of_active():
        for byte in range(low, low + size):
            lines[byte // LINE] = lines.get(byte // LINE, 0) | 1 << (byte % LINE // SECTOR)
    found = list[tuple[int, int, int]]()
    for line, sectors in lines.items():
        here = [a for a in access.of_active() if a // LINE == line]
        weight = len(here) if several == 0 else max((here.count(a) for a in here), default=0)
        if several > 0:
            parts = [[a for a in here if a // SECTOR == n] for n in {a // SECTOR for a in here}]
            least = (several if len(set(part)) > 1 else 1 for part in parts)
            most = (max(part.count(a) for a in part) for part in parts)
            weight = sum(map(max, least, most))
        found.append((line, sectors, max(weight, 1) if is_atomic else 1))
    return found


def plain_passes(access: Access, size: int, kind: int) -> int:
    """The most words in one bank: distinct ones but for atomics. All distinct words one after
    another for constants."""
    words = [b // 4 for a in access.of_active() for b in range(a, a + size, 4)]
    if kind == Kind.CONSTANT_LOAD:
        return len({a // 4 for a in access.of_active()})
    counted = words if kind == LOCAL_ATOMIC else sorted(set(words))
    banks = [w % BANKS for w in counted]
    return max(banks.count(b) for b in banks)


@st.composite
def executions(draw: st.DrawFn) -> list[Access]:
    """Patterns that come again at other places, as loops have them."""
    patterns = draw(
        st.lists(
            st.tuples(st.integers(1, 2**LANES - 1),
                      st.lists(st.integers(0, 80), min_size=LANES, max_size=LANES)),
            min_size=1, max_size=3,
        )
    )  # fmt: skip
    found = list[Access]()
    for _ in range(draw(st.integers(1, 12))):
        mask, words = draw(st.sampled_from(patterns))
        base = 4 * draw(st.integers(0, 200))
        number = draw(st.integers(0, 1))
        found.append(Access(number, mask, tuple(base + 4 * word for word in words)))
    return found


@settings(deadline=None, max_examples=150)
@given(
    executions(),
    st.sampled_from(KINDS),
    st.sampled_from((4, 8)),
    st.integers(1, 40),
    st.sampled_from((-1, 0, 5)),
)
def test_requests(accesses: list[Access], kind: int, size: int, room: int, several: int):
    count = len(accesses)
    counts, places = np.zeros((1, COLUMNS)), np.zeros((count, 2), np.int64)
    most = LANES * 4
    transactions = np.zeros((most, 2), np.int64)
    row = end = 0
    while row < count:
        pairs = False
        end, row = make_requests(
            np.array([a.mask for a in accesses], np.uint64), np.arange(count + 1),
            np.array([a.number for a in accesses], np.int32),
            np.array([a.addresses for a in accesses]), np.zeros(count, np.int64),
            np.full(2, kind), np.zeros(2, np.int64), np.full(2, size), np.zeros(2, np.bool_),
            np.zeros(2, np.bool_), np.zeros(2, np.bool_), 0, LINE, SECTOR, BANKS, 32, pairs,
            several, most, row, end, counts, places, transactions, Port(),
        )  # fmt: skip
        transactions = np.concatenate([transactions[:end], np.zeros((most + room, 2), np.int64)])
    if kind in (Kind.LOCAL, LOCAL_ATOMIC, Kind.CONSTANT_LOAD):
        assert counts[0, S_EXECUTED] == count
        assert counts[0, S_PASSES] == sum(plain_passes(a, size, kind) for a in accesses)
        assert (places[:, 0] == -1).all()
        return
    for access, (first, number) in zip(accesses, places.tolist(), strict=True):
        own = transactions[first : first + number].tolist()
        low = (1 << WEIGHT_SHIFT) - 1
        found = [(line, packed & low, packed >> WEIGHT_SHIFT) for line, packed in own]
        is_atomic = kind == Kind.GLOBAL_ATOMIC
        assert found == plain_transactions(access, size, is_atomic=is_atomic, several=several)
