"""The plain form of a model computes the posteriors of `predict_proba`, and is JSON.

The script of the report computes by it; here it is computed in Python, for each kind of column.
"""

import json
import math

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError
from deciban.reports.classifiers.evidence import plain_form, plain_rows

RNG = np.random.default_rng(0)
Y = RNG.integers(2, size=120)
TABLE = {
    "label": [[None, "a", "b", "c"][k] for k in RNG.integers(4, size=120)],
    "number": RNG.normal(size=120) + Y,
    "bins": RNG.gamma(2.0, size=120) * (1 + Y),
    "count": RNG.poisson(2 + Y).tolist(),
    "flag": RNG.random(120) < 0.3 + 0.3 * Y,
}
KINDS = {
    "label": db.Categorical(),
    "number": db.Gaussian(),
    "bins": db.Binned(),
    "count": db.NegativeBinomial(),
    "flag": db.Bernoulli(),
}


def number(x):
    return float(x) if isinstance(x, str) else x


def curve(c, x, j):
    t = math.log(x) if c["of_log"] else x
    y = number(c["constant"][j])
    for name, amount in (("slope", t), ("complement", 1 - t)):
        y += 0.0 if c[name] is None or amount == 0 else number(c[name][j]) * amount
    if c["half"] is not None:
        y -= number(c["half"][j]) * (t - number(c["mean"][j])) ** 2
    if c["size"] is not None and math.isfinite(number(c["size"][j])):
        size = number(c["size"][j])
        y += c["weight"] * (math.lgamma(t + size) - math.lgamma(size))
    return y


def logs(c, value, classes):
    if value is None:
        return list(map(number, c["missing"]))
    if c["kind"] == "curve":
        return [curve(c, value, j) for j in range(classes)]
    if value == -1:
        return list(map(number, c["unseen"]))
    code = sum(cut < value for cut in c["cuts"]) if c["kind"] == "bins" else value
    return list(map(number, c["logs"][code]))


def posterior(form, row):
    classes = len(form["classes"])
    joint = np.array(list(map(number, form["start"])))
    joint = joint + np.sum([logs(c, v, classes) for c, v in zip(form["columns"], row, strict=True)], axis=0)
    parts = np.exp(joint - joint.max())
    return parts / parts.sum()


@pytest.mark.parametrize("missing", ["skip", "state"])
def test_it_gives_the_posteriors_of_the_model(missing):
    model = db.NaiveBayes(columns=KINDS, missing=missing, weights=None).fit(TABLE, Y)
    form = json.loads(json.dumps(plain_form(model), allow_nan=False))
    rows = [{name: TABLE[name][i] for name in TABLE} for i in range(12)]
    rows.append({**rows[0], "label": "unseen", "number": None})
    for row, plain in zip(rows, plain_rows(model, rows), strict=True):
        expected = list(model.predict_proba_one(row).values())
        assert posterior(form, plain) == pytest.approx(expected, abs=1e-12)


def test_infinities_are_texts():
    model = db.NaiveBayes(smoothing=db.MLE(), weights=None).fit({"x": list("aab")}, [0, 0, 1])
    assert plain_form(model)["columns"][0]["logs"][0] == [0.0, "-Infinity"]


def test_calibrations_and_trees():
    X = {"a": list("ssrrssrr"), "b": list("ddwwddwd")}
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    model = db.NaiveBayes().fit(X, y).calibrate(X, y)
    assert plain_form(model)["calibration"] == {"temperature": model.calibration_.value}
    model.calibrate(X, y, method="isotonic")
    assert len(plain_form(model)["calibration"]["points"]) == 2
    tree = plain_form(db.TAN(root="a").fit(X, y))["tree"]["columns"]
    assert [(node["column"], node["parent"]) for node in tree] == [(0, -1), (1, 0)]


def test_models_that_are_not_one_sum_say_so():
    X = {"a": list("ssrrssrr"), "b": list("ddwwddwd")}
    with pytest.raises(ParameterError, match="no sum over its columns"):
        plain_form(db.AODE().fit(X, [0, 0, 0, 0, 1, 1, 1, 1]))
    with pytest.raises(ParameterError, match="JointBayes has no closed form"):
        plain_form(db.JointBayes().fit(X, [0, 0, 0, 0, 1, 1, 1, 1]))
