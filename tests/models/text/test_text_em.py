"""TextEM: every step raises the likelihood, and unlabelled documents teach what labelled ones could not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import DecibanError

rng = np.random.default_rng(1)
TOPICS = np.stack([np.roll(np.repeat([9.0, 1.0], 20), 20 * k) for k in range(2)])
TOPICS /= TOPICS.sum(axis=1, keepdims=True)
Y = np.arange(120) % 2
X = [" ".join(f"w{i}" for i in rng.choice(40, size=8, p=TOPICS[y])) for y in Y]
PARTLY = [int(y) if i < 4 else None for i, y in enumerate(Y)]


@pytest.mark.parametrize("event", ["multinomial", "boolean"])
@given(weight=st.floats(0, 2), alpha=st.floats(0.01, 2), seed=st.integers(0, 3))
def test_no_step_lowers_the_likelihood(event, weight, alpha, seed):
    order = np.random.default_rng(seed).permutation(40)
    labels = [PARTLY[i] if i in (0, 1) else None for i in order]
    base = db.TextNB(event, smoothing=alpha)
    model = db.TextEM(base, unlabelled_weight=weight, tol=0, max_iter=15).fit([X[i] for i in order], labels)
    reached = np.array(model.log_likelihoods_)
    assert (np.diff(reached) >= -1e-9 * np.abs(reached[1:])).all()


def test_unlabelled_documents_help():
    alone = db.TextNB("multinomial").fit(X[:4], Y[:4]).score(X, Y)
    model = db.TextEM(db.TextNB("multinomial")).fit(X, PARTLY)
    assert model.score(X, Y) > alone
    assert model.transduction_[:4].tolist() == Y[:4].tolist()
    assert model.model_.tally_.total == pytest.approx(4 + 0.1 * 116)


def test_without_unlabelled_documents_it_is_the_plain_model():
    plain = db.TextNB("multinomial", smoothing=0.5).fit(X, Y)
    model = db.TextEM(db.TextNB("multinomial", smoothing=0.5)).fit(X, Y.tolist())
    assert model.predict_joint_log_proba(X) == pytest.approx(plain.predict_joint_log_proba(X))


def test_progress_is_shown(capsys):
    steps = []
    db.TextEM(progress=lambda step, value: steps.append((step, value))).fit(X, PARTLY)
    db.TextEM(progress=True, max_iter=2).fit(X, PARTLY)
    assert steps[0][0] == 1
    assert "iteration 2: log-likelihood" in capsys.readouterr().err


def test_minus_one_and_nan_are_no_labels_too():
    found = [db.TextEM().fit(X, [gap if y is None else y for y in PARTLY]) for gap in (None, -1, np.nan)]
    assert all(np.array_equal(found[0].predict(X), other.predict(X)) for other in found)


def test_bad_input_says_so():
    for settings, labels in (
        ({}, [None] * 120),
        ({"unlabelled_weight": -1}, PARTLY),
        ({"model": db.TextNB("bernoulli")}, PARTLY),
        ({}, PARTLY[:5]),
    ):
        with pytest.raises(DecibanError):
            db.TextEM(**settings).fit(X, labels)
