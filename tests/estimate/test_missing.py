"""That a number is missing may be what tells the classes apart: by hand, and in all that a model does."""

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import InputError
from deciban.tallies import WithMissing

rng = np.random.default_rng(0)
N = 60
Y = rng.choice(["ill", "well"], N)
TABLE = pd.DataFrame(
    {
        "n": np.where(rng.uniform(size=N) < np.where(Y == "ill", 0.7, 0.1), np.nan, rng.normal(size=N)),
        "count": pd.array(np.where(rng.uniform(size=N) < 0.2, None, rng.poisson(3, N) + 1), dtype="Int64"),
        "wait": np.where(rng.uniform(size=N) < 0.2, np.nan, rng.exponential(size=N) + 0.1),
        "whole": rng.normal(size=N),
    }
)
KINDS = {
    "bernoulli": db.Bernoulli(),
    "binned": db.Binned(),
    "exponential": db.Exponential(),
    "gaussian": db.Gaussian(),
    "kernel": db.Kernel(),
    "log-normal": db.LogNormal(),
    "negative-binomial": db.NegativeBinomial(),
    "poisson": db.Poisson(),
    "tied": db.Gaussian(tie="both"),
}
NORMAL = dict.fromkeys(("n", "wait", "whole"), db.Gaussian())
kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def model_of(kind, **parameters):
    return db.NaiveBayes(NORMAL | {"count": kind}, missing="state", **parameters, weights=None).fit(TABLE, Y)


def test_gaps_by_hand():
    # Class 0: 2 of 3 values known; class 1: 1 of 3. P(missing | 0) = (1 + 1) / (3 + 2), P(missing | 1) = 3 / 5.
    X, y = np.array([[1.0], [3.0], [np.nan], [2.0], [np.nan], [np.nan]]), [0, 0, 0, 1, 1, 1]
    state = db.NaiveBayes(missing="state", weights=None).fit(X, y)
    skip = db.NaiveBayes(missing="skip", weights=None).fit(X, y)
    assert np.exp(state.evidence([[np.nan]]).columns[0, 0]) == pytest.approx([2 / 5, 3 / 5])
    difference = state.evidence([[2.2]]).columns - skip.evidence([[2.2]]).columns
    assert np.exp(difference[0, 0]) == pytest.approx([3 / 5, 2 / 5])
    rough = db.NaiveBayes(missing="state", smoothing=db.MLE(), weights=None).fit(X, y)
    assert np.exp(rough.evidence([[np.nan]]).columns[0, 0]) == pytest.approx([1 / 3, 2 / 3])
    own = db.NaiveBayes(db.Bernoulli(smoothing=db.Jeffreys(), missing="state"), weights=None).fit(X, y)
    assert np.exp(own.evidence([[np.nan]]).columns[0, 0]) == pytest.approx([1.5 / 4, 2.5 / 4])


def test_a_gap_that_fit_never_saw_is_unlikely_but_not_impossible():
    model = db.NaiveBayes(missing="state", weights=None).fit([[1.0], [3.0], [2.0]], [0, 0, 1])
    assert np.exp(model.evidence([[np.nan]]).columns[0, 0]) == pytest.approx([1 / 4, 1 / 3])


@kinds
def test_evidence_single_rows_and_explanations_agree(kind):
    model = model_of(kind)
    evidence = model.evidence(TABLE)
    assert evidence.joint == pytest.approx(model.predict_joint_log_proba(TABLE))
    rows = TABLE.astype(object).where(TABLE.notna(), None).to_dict("records")
    single = np.array([list(model.predict_proba_one(row).values()) for row in rows])
    assert single == pytest.approx(model.predict_proba(TABLE), abs=1e-12)
    assert [model.predict_one(row) for row in rows] == model.predict(TABLE).tolist()
    said = model.explain(rows[0])
    weights = evidence.weights_db(said.label, said.against)[0]
    assert [reason.weight_db for reason in said.reasons] == pytest.approx(weights)


@kinds
def test_forgetting_and_merging(kind):
    whole = model_of(kind)
    half = np.arange(N) < N // 2
    parts = [
        db.NaiveBayes(NORMAL | {"count": kind}, missing="state", weights=None).fit(TABLE[rows], Y[rows])
        for rows in (half, ~half)
    ]
    expected = whole.predict_proba(TABLE)
    forgot = model_of(kind).forget(TABLE[~half], Y[~half])
    assert forgot.predict_proba(TABLE) == pytest.approx(parts[0].predict_proba(TABLE), abs=1e-9)
    assert parts[0].merge(parts[1]).predict_proba(TABLE) == pytest.approx(expected, abs=1e-9)
    aged = model_of(kind).decay(1.0)
    assert aged.tally_.parts[1].presence == pytest.approx(whole.tally_.parts[1].presence / 2)


def test_a_nomogram_weighs_the_gap():
    model = model_of(db.Poisson())
    scales = {scale.name: dict(scale.points) for scale in model.nomogram("ill", "well").scales}
    gap = model.evidence(TABLE[:1].assign(n=np.nan)).weights_db("ill", "well")[0, 0]
    assert scales["n"]["(missing)"] == pytest.approx(gap) and gap > 3
    assert "(missing)" not in scales["whole"]  # no row misses it


def test_a_column_may_be_known_by_its_gaps():
    said, skipped = (db.NaiveBayes(missing=m, weights=None).fit(TABLE, Y).associations() for m in ("state", "skip"))
    assert said["n"] > skipped["n"] and next(iter(said)) == "n"
    chi2 = db.NaiveBayes(db.Bernoulli(), missing="state", weights=None).fit(TABLE, Y).associations("chi2")
    assert chi2["n"] > 5


def test_what_is_an_error_for_known_values_stays_one():
    model = model_of(db.Poisson())
    with pytest.raises(InputError, match="infinity"):
        model.predict(TABLE.assign(n=np.inf))
    with pytest.raises(InputError, match="not a number"):
        model.predict_one({"n": "many"})


def test_a_tally_says_whether_gaps_were_counted():
    counted = model_of(db.Gaussian()).tally_
    again = db.NaiveBayes.from_tally(counted)  # whatever the parameter says
    assert again.schema_["n"].distribution.missing == "state"
    assert again.predict_proba(TABLE) == pytest.approx(model_of(db.Gaussian()).predict_proba(TABLE))
    plain = db.NaiveBayes.from_tally(db.tally(TABLE.assign(y=Y), target="y"), missing="state")
    assert plain.schema_["n"].distribution.missing == "skip"
    assert isinstance(again.partial_fit(TABLE, Y).tally_.parts[0], WithMissing)
