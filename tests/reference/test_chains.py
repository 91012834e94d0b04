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


def _cells(rows, dtype=np.int64):
    tables = [_counts(rows, chain) for chain in CHAINS]
    return tables, np.array([n for table in tables for n in table.values()]).astype(dtype)


def _codes(rows, dtype="u1"):
    return np.array([[row[c] for row in rows] for c in range(3)], dtype=dtype)


def _classes(rows):
    return np.array([row[-1] for row in rows], dtype=np.int32)


def _summed(counts, columns):
    """The counts over the first parents and x only."""
    out = {}
    for key, held in counts.items():
        short = (*key[: columns - 1], key[-1])
        out[short] = [a + b for a, b in zip(out.get(short, [0.0] * 3), held, strict=True)]
    return out


def _log(counts, chain, strengths, row, j, levels, out=0.0):
    """log P of the last of some levels; 0 of none."""
    if not levels:
        return 0.0
    columns = (*chain[: levels - 1], chain[-1])
    sizes, values = [SIZES[c] for c in columns], [row[c] for c in columns]
    return reference.entry(_summed(counts, levels), sizes, strengths[:levels], values, j, out)


@settings(max_examples=30, deadline=None)
@given(samples(), st.sampled_from(["u1", "u2", "u4"]), st.sampled_from([1.0, 0.5]), st.booleans(), st.integers(0, 99))
def test_the_evidence_of_levels_is_that_of_rows_that_were_not_counted(rows, dtype, unit, is_whole, seed):
    rng = np.random.default_rng(seed)
    shares, of_column = rng.random(len(CHAINS)), np.array([2, 2, 0, 1], dtype=np.int32)
    tables, cells = _cells(rows, np.int64 if is_whole else np.float64)
    sizes, depth = np.array(SIZES), 3
    unknown = [*rows[1:], *([SIZES[0] if rng.random() < 0.5 else row[0], row[1], SIZES[2], row[3]] for row in rows[:1])]
    found, strengths = _core.chain_evidence(
        cells, sizes, *_ragged(CHAINS), unit, _codes(unknown, dtype), _classes(unknown), shares, of_column, 3, depth
    )
    expected = np.zeros((len(rows), 3, depth, 3))
    used = np.split(strengths, np.cumsum([len(chain) for chain in CHAINS])[:-1])
    for chain, counts, share, column, of in zip(CHAINS, tables, shares, of_column, used, strict=True):
        assert of.tolist() == reference.best_strengths(counts, [SIZES[c] for c in chain], unit)
        for r, row in enumerate(unknown):
            for j, level in product(range(3), range(len(chain))):
                out = unit if j == row[-1] else 0.0
                this, below = (_log(counts, chain, of.tolist(), row, j, n, out) for n in (level + 1, level))
                expected[r, column, level, j] += share * (this - below)
    assert found == pytest.approx(expected, abs=1e-11)


@settings(max_examples=30, deadline=None)
@given(samples(), st.sampled_from(["u1", "u2", "u4"]), st.integers(0, 99))
def test_combined_levels_are_weighted_sums(rows, dtype, seed):
    rng = np.random.default_rng(seed)
    tables, cells = _cells(rows)
    levels = [len(chain) for chain in CHAINS]
    factors, used = rng.normal(size=sum(levels)), np.array([1, 2, 2, 0])
    sizes, lists = np.array(SIZES), _ragged(CHAINS)
    table, strengths = _core.combine_chains(cells, sizes, *lists, 1.0, None, factors, used)
    again, _ = _core.combine_chains(cells, sizes, *lists, 1.0, strengths, factors, used)
    assert np.array_equal(table, again)
    seen = [*rows, [SIZES[0], 0, 1, 0], [0, SIZES[1], 1, 0], [0, 0, SIZES[2], 0]]
    kept = [(*chain[: count - 1], chain[-1]) for chain, count in zip(CHAINS, used, strict=True) if count]
    groups = np.array([1, 0, 3], dtype=np.int32)
    found = _core.add_chains(_codes(seen, dtype), sizes, *_ragged(kept), table, groups, 4, 3)
    expected = np.zeros((len(seen), 4, 3))
    of_levels = list(np.split(np.arange(sum(levels)), np.cumsum(levels)[:-1]))
    for chain, counts, at, count, group in zip(CHAINS, tables, of_levels, used, [*groups, 0], strict=True):
        for (r, row), j, level in product(enumerate(seen), range(3), range(count)):
            log = _log(counts, chain, strengths[at].tolist(), row, j, level + 1)
            expected[r, group, j] += factors[at[level]] * log
    assert found == pytest.approx(expected, abs=1e-11)


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
    table = np.zeros((SIZES[0] + 1, 4))
    with pytest.raises(ValueError, match=match):
        _core.add_chains(codes, np.array(SIZES), *_ragged([chain]), table, np.zeros(1, dtype=np.int32), 1, 3)
