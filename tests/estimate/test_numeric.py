"""A distribution of a user's own works wherever one of deciban's does: it is asked, and nothing asks what it is."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import deciban as db
from deciban.errors import FileError, InputError, ParameterError
from deciban.estimate import ColumnDistribution, ColumnLikelihood, MomentsDistribution, SketchDistribution, storable
from deciban.estimate.values import numbers_of
from deciban.storable import STORED
from deciban.tallies import Moments, Sketch, Spread, sketch_column

rng = np.random.default_rng(3)
Y = rng.choice(["a", "b"], 60)
X = {
    "tries": np.where(rng.random(60) < 0.1, np.nan, rng.geometric(np.where(Y == "a", 0.6, 0.2)) - 1.0),
    "sky": rng.choice(["sun", "rain"], 60).tolist(),
}


@storable
@dataclass(frozen=True, kw_only=True)
class OwnGeometric(MomentsDistribution):
    def check_numbers(self, name, values):
        if (values < 0).any():
            raise InputError(f"column {name!r} is negative")

    def estimate(self, parts):
        moments = Spread.side_by_side(parts)
        return ProbabilityLikelihood((moments.weight + 1) / (moments.weight * (1 + moments.mean) + 2))


@storable
@dataclass(frozen=True, kw_only=True)
class StrictGeometric(OwnGeometric):
    def check_numbers(self, name, values):
        super().check_numbers(name, values)
        if (values % 1 > 0).any():
            raise InputError(f"column {name!r} has fractions")


@storable
@dataclass(frozen=True, kw_only=True)
class MedianGeometric(SketchDistribution):
    """The same from the sum of a sketch."""

    def estimate(self, parts):
        weight = np.concatenate([part.table.sum(axis=1, keepdims=True) for part in parts], axis=1)
        sums = np.concatenate([part.sums for part in parts], axis=1)
        return ProbabilityLikelihood((weight + 1) / (weight + sums + 2))


@storable
@dataclass(frozen=True, kw_only=True)
class BareGeometric(ColumnDistribution):
    """Nothing but what must be defined."""

    part_type: ClassVar[type] = Sketch

    def count(self, column, sample, owner):
        self.check(column, owner)
        return sketch_column(column.name, numbers_of(column), sample)

    def estimate(self, parts):
        return MedianGeometric().estimate(parts)


class ProbabilityLikelihood(ColumnLikelihood):
    def __init__(self, p):
        self.logs = np.log(p), np.log1p(-p)

    classes = property(lambda self: len(self.logs[0]))

    def column(self, i, values):
        success, failure = self.logs
        return success[:, i] + values[:, None] * failure[:, i]


OWN = [OwnGeometric, MedianGeometric, BareGeometric]


def fitted(kind, **settings):
    return db.NaiveBayes({"tries": kind(**settings)}, weights=None).fit(X, Y)


@pytest.mark.parametrize("missing", ["skip", "state"])
@pytest.mark.parametrize("kind", OWN)
def test_it_predicts_explains_and_is_shown(kind, missing):
    model = fitted(kind, missing=missing)
    assert model.score(X, Y) > 0.6
    row = {"tries": 4.0, "sky": "sun"}
    explanation = model.explain(row)
    posterior = model.predict_proba_one(row)
    odds = 10 * np.log10(posterior["a"] / posterior["b"])
    assert abs(explanation.total_db) == pytest.approx(abs(odds))
    assert {scale.name for scale in model.nomogram().scales} == {"tries", "sky"}
    assert "Geometric" in repr(model.schema_)


@pytest.mark.parametrize("kind", OWN)
def test_it_is_saved_and_loaded(kind, tmp_path, monkeypatch):
    model = fitted(kind, missing="state")
    db.save(model, tmp_path / "model")
    loaded = db.load(tmp_path / "model")
    assert loaded.predict_proba(X).tobytes() == model.predict_proba(X).tobytes() and loaded.tally_ == model.tally_
    monkeypatch.delitem(STORED, kind.__name__)
    with pytest.raises(FileError, match=f"it holds a {kind.__name__}, which is not known here"):
        db.load(tmp_path / "model")


@pytest.mark.parametrize("missing", ["skip", "state"])
@pytest.mark.parametrize("kind", OWN)
def test_it_learns_row_by_row_merges_and_forgets(kind, missing):
    model = fitted(kind, missing=missing)
    rows = [dict(zip(X, row, strict=True)) for row in zip(*X.values(), strict=True)]
    first, rest = ({name: values[part] for name, values in X.items()} for part in (slice(0, 30), slice(30, 60)))
    live = db.NaiveBayes({"tries": kind(missing=missing), "sky": db.Categorical()}, weights=None).fit(first, Y[:30])
    for row, label in zip(rows[30:], Y[30:], strict=True):
        live.learn_one(row, label)
    assert live.predict_proba(X) == pytest.approx(model.predict_proba(X), rel=1e-9)
    assert model.forget(rest, Y[30:]).merge(
        db.NaiveBayes({"tries": kind(missing=missing)}, weights=None).fit(rest, Y[30:])
    ).predict_proba(X) == pytest.approx(live.predict_proba(X), rel=1e-9)


@pytest.mark.parametrize("kind", OWN)
def test_leaving_a_row_out_is_refitting_without_it(kind):
    model = fitted(kind)
    left_out = model.loo_predict_proba(X, Y)
    for i in (0, 7, 31):
        others = np.arange(60) != i
        refit = db.NaiveBayes({"tries": kind(), "sky": db.Categorical()}, weights=None).fit(
            {"tries": X["tries"][others], "sky": np.array(X["sky"])[others].tolist()}, Y[others]
        )
        row = {name: [values[i]] for name, values in X.items()}
        assert left_out[i] == pytest.approx(refit.predict_proba(row)[0], rel=1e-9)


def test_it_is_measured_by_its_moments_or_says_that_it_is_not():
    assert fitted(OwnGeometric).associations()["tries"] > 0
    assert fitted(MedianGeometric).associations()["tries"] == pytest.approx(
        fitted(OwnGeometric).associations()["tries"]
    )
    with pytest.raises(ParameterError, match="BareGeometric has no measure of its information"):
        fitted(BareGeometric).associations()


def test_a_tally_that_does_not_hold_what_it_needs_is_refused():
    tally = fitted(OwnGeometric).tally_
    assert isinstance(tally.parts[0], Moments)
    with pytest.raises(ParameterError, match="cannot be MedianGeometric: the tally holds Moments of it, not Sketch"):
        db.NaiveBayes.from_tally(tally, columns={"tries": MedianGeometric()})
    with pytest.raises(ParameterError, match=r"'tries' is OwnGeometric\(\), but this model counts combinations"):
        db.TAN({"tries": OwnGeometric()}).fit(X, Y)


def test_its_numbers_are_checked():
    with pytest.raises(InputError, match="'tries' is negative"):
        db.NaiveBayes({"tries": OwnGeometric()}, weights=None).fit({"tries": [1.0, -1.0]}, ["a", "b"])


def test_values_that_a_distribution_refuses_are_not_examples():
    """Of a geometric column, the values below 0 and, in small steps, the fractions."""
    for tries in ([0, 1, 0, 2, 0, 7, 3, 9, 4, 6], [0, 0, 0, 0, 0, 0, 0, 0, 1, 1]):
        y = ["a"] * 5 + ["b"] * 5
        model = db.NaiveBayes({"tries": StrictGeometric()}, weights=None).fit({"tries": tries}, y)
        values = [float(value) for value, _ in model.nomogram().scales[0].points]
        assert values and min(values) >= 0 and not any(value % 1 for value in values)
