"""The kernels of chains compute what their twins do."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deciban import _core
from tests.reference import chains as reference

SIZES = [3, 2, 4]
CHAINS = [(2,), (0, 2), (1, 0, 2), (2, 1)]


@st.composite
def samples(draw, least=1):
    row = st.tuples(*(st.integers(0, size - 1) for size in SIZES), st.integers(0, 2))
    return draw(st.lists(row, min_size=least, max_size=60))


def _ragged(chains):
    starts = np.cumsum([0, *map(len, chains)])
    return starts, np.array([c for chain in chains for c in chain], dtype=np.int32)


def _counts(rows, chain):
    """n(p_1, …, x) in each class, of all combinations."""
    table = {values: [0.0] * 3 for values in product(*(range(SIZES[c]) for c in chain))}
    for row in rows:
        table[tuple(row[c] for c in chain)][row[-1]] += 1
    return table


def _smooth(rows, chains=CHAINS, unit=1.0):
    tables = [_counts(rows, chain) for chain in chains]
    cells = np.array([n for table in tables for n in table.values()])
    return tables, _core.smooth_chains(cells, np.array(SIZES), *_ragged(chains), unit)


def _entries(chain):
    """Level and values of every entry of a chain's tables, in order; the last state is the one that is not known."""
    for level in range(len(chain)):
        columns = (*chain[:level], chain[-1])
        for values in product(*(range(SIZES[c] + 1) for c in columns)):
            yield columns, values


@settings(max_examples=40, deadline=None)
@given(samples(), st.sampled_from([1.0, 0.5]))
def test_smooth_chains(rows, unit):
    tables, (logs, left, strengths) = _smooth(rows, unit=unit)
    at = level_at = 0
    for chain, counts in zip(CHAINS, tables, strict=True):
        found = strengths[level_at : level_at + len(chain)].tolist()
        level_at += len(chain)
        sizes = [SIZES[c] for c in chain]
        assert found == reference.best_strengths(counts, sizes, unit)
        for columns, values in _entries(chain):
            used, of = found[: len(columns)], [SIZES[c] for c in columns]
            level = _summed(counts, len(columns))
            for j in range(3):
                assert logs[at, j] == pytest.approx(reference.entry(level, of, used, values, j), abs=1e-12)
                assert left[at, j] == pytest.approx(reference.entry(level, of, used, values, j, unit), abs=1e-12)
            at += 1
    assert at == len(logs)


def _summed(counts, columns):
    """The counts over the first parents and x only."""
    out = {}
    for key, held in counts.items():
        short = (*key[: columns - 1], key[-1])
        out[short] = [a + b for a, b in zip(out.get(short, [0.0] * 3), held, strict=True)]
    return out


@settings(max_examples=40, deadline=None)
@given(samples(), st.sampled_from(["u1", "u2", "u4"]), st.booleans(), st.integers(0, 2**31))
def test_add_chains(rows, dtype, is_left_out, seed):
    rng = np.random.default_rng(seed)
    codes = np.array([[row[c] for row in rows] for c in range(3)], dtype=dtype)
    y = np.array([row[-1] for row in rows], dtype=np.int32)
    entries = [list(product(*(range(SIZES[c] + 1) for c in chain))) for chain in CHAINS]
    table, left = rng.normal(size=(2, sum(map(len, entries)), 4))
    shares, groups = rng.random(len(CHAINS)), np.array([1, 0, 1, 3], dtype=np.int32)
    more = (left, y) if is_left_out else (None, None)
    found = _core.add_chains(codes, np.array(SIZES), *_ragged(CHAINS), table, *more, shares, groups, 4, 3)
    expected = np.zeros((len(rows), 4, 3))
    start = 0
    for chain, held, share, group in zip(CHAINS, entries, shares, groups, strict=True):
        for r, row in enumerate(rows):
            at = start + held.index(tuple(row[c] for c in chain))
            for j in range(3):
                own = is_left_out and j == row[-1]
                expected[r, group, j] += share * (left if own else table)[at, j]
        start += len(held)
    assert found == pytest.approx(expected, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(samples(), st.booleans())
def test_pair_information(rows, is_weighted):
    codes = np.array([[row[c] for row in rows] for c in range(3)], dtype=np.uint8)
    y, weights = np.array([row[-1] for row in rows], dtype=np.int32), np.ones(len(rows)) if is_weighted else None
    found = _core.pair_information(codes, np.array(SIZES), y, 3, weights)
    for a in range(3):
        own = [[sum(row[a] == v and row[-1] == j for row in rows) for j in range(3)] for v in range(SIZES[a])]
        assert found[a, a] == pytest.approx(reference.mutual_information(own), abs=1e-12)
        for b in set(range(3)) - {a}:
            both = [
                [
                    [sum((row[a], row[b], row[-1]) == (u, v, j) for row in rows) for j in range(3)]
                    for v in range(SIZES[b])
                ]
                for u in range(SIZES[a])
            ]
            assert found[a, b] == pytest.approx(reference.conditional_information(both), abs=1e-12)


def test_rows_with_a_value_that_is_not_known_carry_no_information():
    codes, y = np.array([[0, 1, 2, 2]], dtype=np.uint8), np.array([0, 1, 0, 1], dtype=np.int32)
    assert _core.pair_information(codes, np.array([2]), y, 2, None)[0, 0] == pytest.approx(np.log(2))


@pytest.mark.parametrize(
    ("chain", "code", "match"),
    [([3], 0, "column"), ([], 0, "no column"), ([0], 9, "above")],
    ids=["out", "empty", "code"],
)
def test_what_does_not_fit_is_refused(chain, code, match):
    codes = np.full((3, 1), code, dtype=np.uint8)
    table, one = np.zeros((SIZES[0] + 1, 4)), np.ones(1)
    with pytest.raises(ValueError, match=match):
        _core.add_chains(
            codes, np.array(SIZES), *_ragged([chain]), table, None, None, one, np.zeros(1, dtype=np.int32), 1, 3
        )
