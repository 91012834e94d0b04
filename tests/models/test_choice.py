"""What rows decide: the distribution of numbers, whether missing values are evidence, labels that predict nothing."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict

import deciban as db
from deciban.read import MISSING_LABEL

rng = np.random.default_rng(2)
N = 600
Y = np.arange(N) % 2
NOISE = rng.normal(size=N)


def plan_of(x, y=Y, **parameters):
    return db.NaiveBayes(**parameters).fit({"x": x}, y).schema_["x"]


NUMBERS = {
    "normal": (NOISE + 2 * Y, db.Gaussian, "floats; Gaussian: "),
    "two modes": (np.where(Y, rng.choice([-4.0, 4.0], N), 0.0) + NOISE, db.Binned, "floats; "),
    "skewed": (np.exp(2 * NOISE + Y), db.Binned, "floats; "),
    "a spike": (np.where(rng.uniform(size=N) < 0.7, 0.0, np.exp(NOISE + Y)), db.Binned, "floats; "),
    "whole numbers": (np.round(40 * NOISE + 80 * Y), db.Gaussian, "floats; Gaussian: "),
    "waves": (np.arange(N) // 2 + 0.25, db.Binned, "floats; 24 bins of equal frequency: "),
    "codes": (
        rng.permutation(8)[(np.arange(N) + Y) // 2 % 8 // 2 * 2 + Y],
        db.Categorical,
        "whole numbers, 8 distinct; ",
    ),
    "ordered codes": (np.clip(np.round(NOISE + 5 + Y), 0, 15).astype(int), db.Gaussian, "whole numbers, "),
    "two codes": (rng.integers(0, 2, N), db.Categorical, "whole numbers, 2 distinct"),
    "constant": (np.full(N, 3.5), db.Gaussian, "floats"),
    "missing": (np.full(N, np.nan), db.Gaussian, "floats"),
}
WAVES = (np.arange(N) // 50 % 2 ^ (np.arange(N) % 4 == 0)).astype(int)


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_get_the_distribution_that_predicts_best(name):
    x, kind, reason = NUMBERS[name]
    plan = plan_of(x, WAVES if name == "waves" else Y, missing="skip")
    assert type(plan.distribution) is kind
    assert plan.reason.startswith(reason)


def test_the_reason_names_the_loss_of_the_choice_and_of_the_runner_up():
    chosen, other = plan_of(NOISE + 2 * Y).reason.removeprefix("floats; ").split(" nats a row, ")
    assert chosen.startswith("Gaussian: 0.")
    assert float(chosen.split()[-1]) == pytest.approx(float(other.split()[-1]), abs=0.02)  # a simpler one is preferred


def test_a_bimodal_column_does_not_pass_as_normal():
    x = np.where(Y, rng.choice([-4.0, 4.0], N), 0.0) + NOISE
    losses = [
        log_loss(Y, cross_val_predict(model, x[:, None], Y, method="predict_proba"))
        for model in (db.NaiveBayes(), db.NaiveBayes(db.Gaussian(tie="class")))
    ]
    assert losses[0] < 0.35
    assert losses[1] > 0.6


def test_given_distributions_and_few_rows_are_not_compared():
    assert plan_of(np.exp(2 * NOISE), columns={"x": db.Gaussian()}).reason == "as given"
    assert plan_of(np.exp(2 * NOISE[:49]), Y[:49]).reason == "floats"
    assert plan_of(np.exp(2 * NOISE), np.zeros(N)).reason == "floats"


def test_the_choice_is_made_by_the_first_rows_and_kept():
    model = db.NaiveBayes().partial_fit({"x": NOISE + 2 * Y}, Y, classes=[0, 1])
    assert isinstance(model.partial_fit({"x": np.exp(4 * NOISE)}, Y).schema_["x"].distribution, db.Gaussian)


def test_the_order_of_rows_does_not_change_the_choice():
    order = rng.permutation(N)
    x = np.exp(2 * NOISE + Y)
    assert plan_of(x[order], Y[order]) == plan_of(x)


@pytest.mark.parametrize("smoothing", [db.MLE(), db.Jeffreys(), db.MEstimate(2.0, (0.5, 0.5))], ids=repr)
def test_any_smoothing_will_do(smoothing):
    x, known = np.where(rng.uniform(size=N) < 0.3, np.nan, NOISE + Y), np.where(NOISE > 0, "a", "b").astype(object)
    known[::3] = None
    table = {"x": x, "known": known}
    assert np.isfinite(db.NaiveBayes(smoothing=smoothing).fit(table, Y).predict_proba(table)).all()


# Missing values ------------------------------------------------------------------------------------------------------


def test_values_that_are_missing_in_one_class_are_evidence():
    bought = np.where(rng.uniform(size=N) < np.where(Y, 0.8, 0.2), "t", None)
    table = {"bread": bought, "x": np.where(bought == "t", NOISE, np.nan), "price": NOISE}
    model = db.NaiveBayes().fit(table, Y)
    assert model.schema_["bread"].distribution.missing == "state"
    assert "missing as a state: 0." in model.schema_["bread"].reason
    assert MISSING_LABEL in model.tally_.parts[0].variable.labels
    assert model.score(table, Y) > 0.75
    assert model.predict_one({}) == 0
    assert model.predict_one({"bread": "t"}) == 1


def test_the_same_missing_rows_are_counted_once():
    is_missing = rng.uniform(size=N) < np.where(Y, 0.6, 0.3)
    table = {f"x{i}": np.where(is_missing, None, rng.choice(["a", "b"], N)) for i in range(6)}
    counted = [plan.distribution.missing for plan in db.NaiveBayes().fit(table, Y).schema_]
    assert counted.count("state") == 1


def test_values_that_are_missing_at_random_are_skipped():
    x = np.where(np.arange(N) // 2 % 5 == 0, None, np.where(Y ^ (np.arange(N) % 8 == 0), "a", "b"))
    plan = plan_of(x)
    assert plan.distribution.missing == "skip"
    assert "missing skipped: 0." in plan.reason


def test_values_that_are_missing_only_later_are_skipped():
    model = db.NaiveBayes().fit({"x": NOISE + 2 * Y, "y": NOISE}, Y)
    assert model.schema_["x"].distribution.missing == "skip"
    assert not model.evidence({"x": [np.nan], "y": [0.0]}).columns[0, 0].any()


def test_a_given_distribution_may_leave_missing_values_to_the_rows():
    x = np.where(rng.uniform(size=N) < np.where(Y, 0.8, 0.2), NOISE, np.nan)
    assert plan_of(x, columns={"x": db.Gaussian()}).distribution == db.Gaussian(missing="state")
    assert plan_of(x, columns={"x": db.Gaussian(missing="skip")}).distribution == db.Gaussian(missing="skip")
    assert plan_of(x, columns={"x": db.Gaussian()}, missing="skip").distribution == db.Gaussian(missing="skip")


# Labels --------------------------------------------------------------------------------------------------------------


def test_labels_that_hardly_repeat_and_predict_nothing_are_ignored_with_a_note():
    tickets = [f"T{i // 4 * 3 + min(i % 4, 2)}" for i in range(N)]  # three distinct of four
    model = db.NaiveBayes().fit({"ticket": tickets, "x": NOISE + Y}, Y)
    assert isinstance(model.schema_["ticket"].distribution, db.Ignore)
    assert model.schema_["ticket"].reason.startswith("450 distinct labels in 600 rows: ")
    assert model.schema_["ticket"].reason.endswith(" without it")


def test_labels_that_hardly_repeat_are_used_where_they_predict():
    families = [f"F{i // 2}{'ab'[i % 2]}" for i in range(N)]
    y = np.arange(N) // 4 % 2
    tickets = [f"T{i // 4 * 3 + min(i % 4, 2)}" for i in range(N)]
    model = db.NaiveBayes().fit({"ticket": tickets, "family": families[: N // 2] * 2}, y)
    assert isinstance(model.schema_["ticket"].distribution, db.Categorical)


def test_an_only_column_of_labels_stays():
    model = db.NaiveBayes().fit({"ticket": [f"T{i // 4 * 3 + min(i % 4, 2)}" for i in range(N)]}, Y)
    assert not model.schema_["ticket"].distribution.is_ignored


def test_a_schema_is_a_way_to_give_all_columns():
    table = pd.DataFrame({"x": np.exp(2 * NOISE + Y), "sky": np.where(NOISE > 0, "sun", None)})
    first = db.NaiveBayes().fit(table, Y)
    other = db.NaiveBayes(first.schema_).fit(table[:40], Y[:40])
    assert [plan.distribution for plan in other.schema_] == [plan.distribution for plan in first.schema_]
    assert {plan.reason for plan in other.schema_} == {"as given"}
    assert first.merge(other).tally_.total == N + 40
