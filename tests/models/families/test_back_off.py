"""Strengths by leave-one-out: the kernel is its twin, they follow from the counts, and two parents have a level."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import deciban as db
from deciban.estimate import Laplace
from deciban.models.families.family_tables import BackOff
from deciban.tallies.kernels import best_strength
from tests.reference.tallies import loo_log_likelihood

pytestmark = pytest.mark.usefixtures("each_instruction_set")

rng = np.random.default_rng(0)
N = 600
Y = rng.integers(0, 2, N)
A = (rng.integers(0, 3, N) + Y) % 4
B = np.where(rng.random(N) < 0.9, A, rng.integers(0, 4, N))  # a copy of a, nearly
E = rng.integers(0, 4, N)  # noise
TABLE = {"a": A.astype(str), "b": B.astype(str), "e": E.astype(str)}


@given(
    counts=hnp.arrays(np.float64, (3, 4, 2), elements=st.integers(0, 6).map(float)),
    prior=hnp.arrays(np.float64, (2, 4, 2), elements=st.floats(0.01, 1.0)),
    groups=hnp.arrays(np.int64, 3, elements=st.integers(0, 1)),
)
def test_the_kernel_finds_the_best_of_a_grid_and_its_likelihood_is_that_of_the_twin(counts, prior, groups):
    strength, likelihood = best_strength(counts, prior, groups)
    of_each = prior[groups]
    assert likelihood == pytest.approx(loo_log_likelihood(counts, of_each, strength), rel=1e-9, abs=1e-9)
    grid = [loo_log_likelihood(counts, of_each, 4.0**power) for power in range(-2, 6)]
    assert 0.0625 <= strength <= 1024.0
    assert likelihood >= max(grid) - 1e-9


def test_a_copy_is_shrunk_less_than_noise():
    """Where a parent says nothing, its table is shrunk to the class's; where it says all, the counts stand."""
    back_off = BackOff(db.TAN().fit(TABLE, Y).tally_.parts[0], Laplace(), "auto")
    assert back_off.level((0,), 1).strength < 10
    assert back_off.level((0,), 2).strength > 100


def test_strengths_follow_from_the_counts_alone():
    """Merged and forgetful models have those of a single fit."""
    first, second = ({name: values[rows] for name, values in TABLE.items()} for rows in (slice(0, 200), slice(200, N)))
    whole = db.TAN(temperature=1.0).fit(TABLE, Y)
    merged = db.TAN(temperature=1.0).fit(first, Y[:200]).merge(db.TAN(temperature=1.0).fit(second, Y[200:]))
    assert merged.predict_proba(TABLE).tobytes() == whole.predict_proba(TABLE).tobytes()
    kept = whole.forget(second, Y[200:]).predict_proba(TABLE)
    assert kept.tobytes() == db.TAN(temperature=1.0).fit(first, Y[:200]).predict_proba(TABLE).tobytes()


def test_two_parents_back_off_to_the_better_of_them():
    part = db.AODE(n=2).fit(TABLE, Y).tally_.parts[0]
    back_off = BackOff(part, Laplace(), "auto")
    level = back_off.level((0, 2), 1)
    assert level.below == (0,)
    pair, one = back_off.table((0, 2), 1), np.exp(back_off.logs((0,), 1))
    whole = pair.sum(axis=2)[:, :, None] + level.strength
    expected = (pair + level.strength * one[:, None, :-1]) / whole
    np.testing.assert_allclose(np.exp(back_off.logs((0, 2), 1)[:, :, :-1]), expected, rtol=1e-12)
    np.testing.assert_allclose(expected.sum(axis=2), 1.0)


def test_a_fixed_strength_shrinks_all_parents_to_the_class():
    back_off = BackOff(db.AODE(n=2).fit(TABLE, Y).tally_.parts[0], Laplace(), 2.0)
    assert back_off.level((0, 1), 2) == back_off.level((0,), 2) == (2.0, (), 0.0)
