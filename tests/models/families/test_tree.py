"""A tree-augmented model: tables by hand, and missing values summed out from the leaves up."""

from itertools import product

import numpy as np
import pytest

import deciban as db

rng = np.random.default_rng(1)
C = rng.integers(0, 2, 200)
A = np.where(rng.random(200) < 0.8, C, 1 - C)
B = np.where(rng.random(200) < 0.7, A, 1 - A)
D = np.where(rng.random(200) < 0.9, B, 1 - B)
TABLE = {name: values.astype(str) for name, values in {"a": A, "b": B, "d": D}.items()}


@pytest.mark.parametrize("gaps", [("a",), ("b",), ("d",), ("a", "d"), ("a", "b", "d")])
def test_missing_values_are_summed_out(gaps):
    model = db.TAN(strength=5.0, temperature=1.0).fit(TABLE, C)
    rows = [dict(zip("abd", states, strict=True)) for states in product("01", repeat=3)]
    whole = np.exp(model.predict_joint_log_proba({name: [row[name] for row in rows] for name in "abd"}))
    for row in rows:
        given = {name: [None if name in gaps else row[name]] for name in "abd"}
        same = [i for i, other in enumerate(rows) if all(name in gaps or other[name] == row[name] for name in "abd")]
        np.testing.assert_allclose(np.exp(model.predict_joint_log_proba(given))[0], whole[same].sum(axis=0), rtol=1e-9)


def test_all_rows_together_have_probability_one():
    model = db.TAN(strength=5.0, temperature=1.0).fit(TABLE, C)
    rows = list(product("01", repeat=3))
    joint = model.predict_joint_log_proba({name: [row[i] for row in rows] for i, name in enumerate("abd")})
    assert np.exp(joint).sum() == pytest.approx(1.0)
