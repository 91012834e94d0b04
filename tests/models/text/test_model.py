"""A text model as estimated: log P(document | class) by hand, and tokens that were never counted say nothing."""

import numpy as np
import pytest

import deciban as db

DOCUMENTS, Y = ["sun sun sea", "rain sea", "rain rain"], ["dry", "wet", "wet"]


def test_the_score_of_a_document_by_hand():
    model = db.TextNB("multinomial", smoothing=1.0).fit(DOCUMENTS, Y)
    joint = model.predict_joint_log_proba(["sun sea hail"])[0]
    assert np.exp(joint) == pytest.approx([1 / 3 * 3 / 6 * 2 / 6, 2 / 3 * 1 / 7 * 2 / 7])


def test_absent_tokens_are_evidence_for_the_bernoulli_event_alone():
    bernoulli = db.TextNB("bernoulli", smoothing=1.0).fit(DOCUMENTS, Y)
    # of one dry document: sun, sea; of two wet ones: rain in both, sea in one
    present = np.array([[2 / 3, 2 / 3, 1 / 3], [1 / 4, 2 / 4, 3 / 4]])
    expected = np.array([1 / 3, 2 / 3]) * np.prod(1 - present, axis=1)
    assert np.exp(bernoulli.predict_joint_log_proba([""])[0]) == pytest.approx(expected)
    multinomial = db.TextNB("multinomial", smoothing=1.0).fit(DOCUMENTS, Y)
    assert multinomial.predict_proba([""])[0] == pytest.approx([1 / 3, 2 / 3])


def test_pruned_tokens_say_nothing():
    model = db.TextNB("multinomial", smoothing=1.0, min_df=2).fit(DOCUMENTS, Y)
    assert set(model.vocabulary_) == {"sea", "rain"}
    assert model.predict_proba(["sun sun"])[0] == pytest.approx([1 / 3, 2 / 3])
