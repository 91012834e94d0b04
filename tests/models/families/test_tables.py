"""The tables of a model: columns add up, and left-out rows differ from others in their own class only."""

import numpy as np
import pytest

import deciban as db

rng = np.random.default_rng(0)
Y = rng.integers(0, 3, 200)
TABLE = {"a": rng.integers(0, 4, 200), "b": rng.normal(Y), "c": rng.normal(Y) + rng.normal(size=200)}
MODEL = db.KDB(members=3).fit(TABLE, Y)
TABLES, CODES = MODEL._tables, MODEL._codes(MODEL._features(TABLE))
WEIGHTS = np.array(MODEL.structure_.weights)


def test_the_evidence_of_the_columns_is_that_of_the_row():
    assert TABLES.weigh(CODES).sum(axis=1) == pytest.approx(TABLES.score(CODES), abs=1e-12)


def test_without_themselves_rows_are_less_probable_in_their_own_class():
    y = MODEL.tally_.classes.encode(Y).astype(np.int32)
    levels, _ = TABLES.evidence(CODES, y)
    whole, left = TABLES.score(CODES), np.einsum("rilc,il->rc", levels, WEIGHTS)
    own = np.arange(3) == y[:, None]
    assert (left[own] < whole[own]).all()
    assert left[~own] == pytest.approx(whole[~own], abs=1e-12)
    assert TABLES.score_left_out(CODES, y) == pytest.approx(left, abs=1e-12)


def test_a_model_without_columns_says_nothing():
    model = db.KDB({"a": db.Ignore()}).fit({"a": TABLE["a"]}, Y)
    assert model.predict_proba({"a": [1, 2]}) == pytest.approx(np.tile(np.exp(model._prior), (2, 1)))
