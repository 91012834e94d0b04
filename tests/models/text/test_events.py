"""Scores from counts: what a shortcut for whole counts must not change."""

import numpy as np
import pytest

import deciban as db

DOCUMENTS = ["to be or not to be", "to do is to be", "do be do be do", "not to do"] * 3
LABELS = ["a", "b", "c", "a"] * 3


@pytest.mark.parametrize("alpha", [1.0, 0.01, 3.7])
@pytest.mark.parametrize("event", ["multinomial", "boolean"])
def test_whole_counts_score_as_the_same_counts_in_floats(event, alpha):
    """Weights of 1 make float counts, whose logarithms are taken one by one."""
    ones = np.ones(len(LABELS))
    whole = db.TextNB(event, smoothing=alpha).fit(DOCUMENTS, LABELS)
    floats = db.TextNB(event, smoothing=alpha).fit(DOCUMENTS, LABELS, sample_weight=ones)
    assert np.array_equal(whole._current().model.scores.deltas, floats._current().model.scores.deltas)
    assert np.array_equal(whole.predict_joint_log_proba(DOCUMENTS), floats.predict_joint_log_proba(DOCUMENTS))


def test_a_count_beyond_the_number_of_entries_is_scored():
    """One token many times: a table of all logarithms up to its count would be larger than the counts."""
    model = db.TextNB("multinomial", smoothing=1.0).fit(["go " * 1000, "stop"], ["a", "b"])
    assert model.predict_joint_log_proba(["go"])[0] == pytest.approx(
        [np.log(0.5 * 1001 / 1002), np.log(0.5 / 3)], rel=1e-12
    )
