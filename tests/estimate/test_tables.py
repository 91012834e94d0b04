"""Log-probabilities of labels as they are scored: unseen labels keep a share, missing ones say nothing."""

import numpy as np
import pytest

import deciban as db
from deciban.estimate import packed_tables

PARTS = db.tally({"sky": ["sun", "sun", "rain"], "y": ["a", "a", "b"]}, target="y").parts


def test_states_then_unseen_then_missing():
    table = np.exp(packed_tables(PARTS, db.Laplace(), "smooth"))[:, :2]
    # rain, sun; one pseudo-count for each of the two states; an unseen one has the share of a state counted 0 times
    assert table == pytest.approx(np.array([[1 / 4, 2 / 3], [3 / 4, 1 / 3], [1 / 4, 1 / 3], [1, 1]]))


def test_an_unseen_state_that_is_ignored_says_nothing():
    assert not packed_tables(PARTS, db.Laplace(), "ignore")[2].any()
