"""Values are drawn with the probabilities that were asked for, and never one that is impossible."""

import numpy as np
import pytest

from deciban.estimate.distributions.binned import draw_in_bins
from deciban.estimate.distributions.mean_only import draw_counts
from deciban.estimate.drawing import cumulative_ends, draw_codes, draw_states
from deciban.read import Variable

ROWS = 20_000


def rng():
    return np.random.default_rng(0)


def test_states_have_their_shares_in_each_class():
    p = np.array([[0.2, 0.0, 0.8], [0.5, 0.5, 0.0]])
    y = np.arange(ROWS) % 2
    codes = draw_codes(p, y, rng())
    for j in range(2):
        shares = np.bincount(codes[y == j], minlength=3) / (ROWS / 2)
        assert shares == pytest.approx(p[j], abs=0.02)
        assert (shares[p[j] == 0] == 0).all()


def test_ends_are_one_from_the_last_possible_state_on():
    assert cumulative_ends(np.array([[0.1] * 10 + [0.0]]))[0, -2:].tolist() == [1.0, 1.0]


def test_codes_that_are_not_listed_share_the_rest():
    """A coded column of 0 … 9 of which 2 and 5 occurred: the others are as likely as one another."""
    variable = Variable.of_codes("x", 10, np.array([2, 5]))
    drawn = draw_states(variable, np.log([[0.4], [0.2]]), np.zeros(ROWS, dtype=int), rng())
    expected = np.full(10, 0.05)
    expected[[2, 5]] = 0.4, 0.2
    assert np.bincount(drawn, minlength=10) / ROWS == pytest.approx(expected, abs=0.02)


def test_a_variable_without_states_gives_missing_values():
    nothing = Variable("x", np.empty(0, dtype=object), 0)
    assert draw_states(nothing, np.empty((0, 1)), np.zeros(2, dtype=int), rng()).values().tolist() == [None, None]


@pytest.mark.parametrize("cuts", [[], [3.0], [0.0, 1.0, 5.0]])
def test_numbers_lie_in_their_bins(cuts):
    cuts = np.array(cuts)
    bins = np.arange(ROWS) % (len(cuts) + 1)
    drawn = draw_in_bins(cuts, bins, rng())
    assert np.isfinite(drawn).all()
    if len(cuts):
        assert (np.searchsorted(cuts, drawn) == bins).all()


def test_counts_of_any_mean_are_drawn():
    means = np.array([0.0, 2.5, 1e17, 1e300])
    drawn = draw_counts(np.repeat(means, ROWS), rng()).reshape(4, ROWS)
    assert drawn.mean(axis=1) == pytest.approx(means, rel=0.03)
    assert (drawn == np.floor(drawn)).all()
