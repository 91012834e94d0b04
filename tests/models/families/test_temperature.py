"""The temperature of the evidence, and the weights of averaged models, learned from leave-one-out posteriors."""

import numpy as np
import pytest

import deciban as db
from deciban.decide.calibration import fit_temperature

rng = np.random.default_rng(3)
N = 1_800
Y = rng.integers(0, 2, N)


def flipped(values, share):
    return np.where(rng.random(N) < share, 1 - values, values)


X = flipped(Y, 0.25)
COPIES = {f"x{i}": flipped(X, 0.2).astype(str) for i in range(9)}  # eight views of one piece of evidence
STAR = [("class", name) for name in COPIES]
MODELS = {
    "TAN": db.TAN(),
    "AODE": db.AODE(),
    "A2DE": db.AODE(n=2),
    "net": db.BayesNetClassifier(STAR),
}
models = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)


def fresh(model, **parameters):
    return type(model)(**{**model.get_params(), **parameters})


def halves():
    rows = slice(0, 1_200), slice(1_200, N)
    return ({name: values[part] for name, values in COPIES.items()} for part in rows)


def log_loss(model, table, y):
    return -np.log(model.predict_proba(table)[np.arange(len(y)), y]).mean()


def test_a_temperature_undoes_what_was_raised_to_a_power():
    p = rng.uniform(0.02, 0.98, 4_000)
    y = (rng.random(4_000) < p).astype(np.int64)
    logs = np.log(np.column_stack([1 - p, p]))
    prior = np.full((4_000, 2), np.log(0.5))
    assert fit_temperature(3.0 * logs, prior, y, np.ones(4_000)) == pytest.approx(3.0, rel=0.1)
    assert fit_temperature(logs, prior, y, np.ones(4_000)) == pytest.approx(1.0, rel=0.1)


def test_impossible_rows_and_single_classes_leave_it_at_one():
    impossible = np.full((3, 2), -np.inf)
    assert fit_temperature(impossible, np.zeros((3, 2)), np.zeros(3, np.int64), np.ones(3)) == 1.0
    assert db.TAN().fit({"a": ["x", "y"], "b": ["u", "u"]}, [1, 1]).temperature_ == 1.0


@models
def test_evidence_that_comes_several_times_is_cooled(model):
    """On new rows the log loss is better than that of the textbook's posteriors."""
    train, test = (
        {name: values[rows] for name, values in COPIES.items()} for rows in (slice(0, 1_200), slice(1_200, N))
    )
    plain = {"temperature": 1.0, **({"weights": None} if isinstance(model, db.AODE) else {})}
    learned = fresh(model).fit(train, Y[:1_200])
    assert learned.temperature_ > 1.2
    assert log_loss(learned, test, Y[1_200:]) < log_loss(fresh(model, **plain).fit(train, Y[:1_200]), test, Y[1_200:])


@models
def test_the_evidence_sums_to_the_joint_and_an_explanation_to_the_log_odds(model):
    learned = fresh(model).fit(COPIES, Y)
    some = {name: values[:20] for name, values in COPIES.items()}
    some["x1"] = np.where(np.arange(20) < 5, None, some["x1"])
    assert learned.evidence(some).joint == pytest.approx(learned.predict_joint_log_proba(some), rel=1e-12)
    row = {name: values[3] for name, values in some.items()}
    explained = learned.explain(row)
    odds = learned.predict_proba_one(row)
    found = 10 * np.log10(odds[explained.label] / odds[explained.against])
    assert explained.total_db == pytest.approx(float(found), rel=1e-9)
    assert f")^{1 / learned.temperature_:.3g}" in explained.to_text()


@models
def test_it_is_kept_by_what_learns_or_forgets_and_averaged_by_a_merge(model, tmp_path):
    first, second = (
        {name: values[rows] for name, values in COPIES.items()} for rows in (slice(0, 1_200), slice(1_200, N))
    )
    learned, other = fresh(model).fit(first, Y[:1_200]), fresh(model).fit(second, Y[1_200:])
    heat, cooler = learned.temperature_, other.temperature_
    db.save(learned, tmp_path / "model")
    assert db.load(tmp_path / "model").predict_proba(first).tobytes() == learned.predict_proba(first).tobytes()
    learned.partial_fit(second, Y[1_200:])
    assert learned.temperature_ == heat
    learned.forget(second, Y[1_200:])
    assert learned.temperature_ == heat
    merged = learned.merge(other)
    assert merged.temperature_ == pytest.approx(heat ** (2 / 3) * cooler ** (1 / 3))
    assert fresh(model).partial_fit(first, Y[:1_200], classes=[0, 1]).temperature_ == 1.0


@models
def test_weights_of_rows_are_repetitions(model):
    times = rng.integers(0, 3, N)
    rows = np.repeat(np.arange(N), times)
    weighted = fresh(model).fit(COPIES, Y, sample_weight=times)
    repeated = fresh(model).fit({name: values[rows] for name, values in COPIES.items()}, Y[rows])
    assert weighted.temperature_ == pytest.approx(repeated.temperature_, rel=1e-3)


def test_weights_are_by_name_and_one_where_they_are_not_learned():
    weights = db.AODE().fit(COPIES, Y).weights_
    assert list(weights) == list(COPIES) and len(set(weights.values())) == len(COPIES)
    assert np.prod(list(weights.values())) == pytest.approx(1.0)
    assert set(db.AODE(weights=None).fit(COPIES, Y).weights_.values()) == {1.0}
