"""Leave-one-out says what is too large before it allocates anything."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import TooLargeError


def test_many_rows_times_many_classes_are_refused(monkeypatch):
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", str(1 << 20))
    X, y = {"x": np.arange(2000.0)}, np.arange(2000) % 500
    model = db.NaiveBayes(columns={"x": db.Gaussian()}).fit(X, y)
    with pytest.raises(TooLargeError, match=r"leave-one-out \(2,000 × 500\)"):
        model.loo_predict_proba(X, y)


def test_blocks_of_rows_give_the_same_posteriors(monkeypatch):
    """Many rows are left out block by block, so that many columns and classes need little memory."""
    rng = np.random.default_rng(0)
    X, y = {f"x{i}": rng.integers(3, size=2000) for i in range(8)}, rng.integers(2, size=2000)
    model = db.NaiveBayes(columns=dict.fromkeys(X, db.Categorical()), weights=None).fit(X, y)
    whole = model.loo_predict_proba(X, y)
    monkeypatch.setattr("deciban.models.naive_bayes._BLOCK", 1000)
    assert np.array_equal(model.loo_predict_proba(X, y), whole)
