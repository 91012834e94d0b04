"""Leave-one-out says what is too large before it allocates anything."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import TooLargeError


def test_many_rows_times_many_classes_are_refused(monkeypatch):
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", str(1 << 20))
    X, y = {"x": np.arange(2000.0)}, np.arange(2000) % 500
    model = db.NaiveBayes(columns={"x": db.Gaussian()}).fit(X, y)
    with pytest.raises(TooLargeError, match=r"leave-one-out \(2,000 × 1 × 500\)"):
        model.loo_predict_proba(X, y)
