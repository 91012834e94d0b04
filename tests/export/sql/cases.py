"""Fitted models, and rows for them with missing, unseen and extreme values; used for every database."""

from functools import cache

import numpy as np

import deciban as db
from tests.export.sql.databases import arrow

ROWS = 150
ODD = "o\"d'd näme. x"


def _with_missing(values, rng, share=0.1):
    return [None if rng.random() < share else value for value in values]


def learned():
    """Rows to learn from: columns of every kind, with missing values, and classes that depend on them."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, ROWS)
    normal = rng.normal(size=ROWS) + 1.5 * y
    sky = np.array(["sun", "rain", "it's", ""])[(rng.integers(0, 4, ROWS) + y * (rng.random(ROWS) < 0.5)) % 4]
    columns = {
        "sky": sky.tolist(),
        ODD: [f"näme {k}" for k in rng.integers(0, 30, ROWS)],
        "warm": normal.tolist(),
        "count": rng.poisson(2 + 2 * y).tolist(),
        "spread": rng.negative_binomial(2, 0.5 - 0.1 * y).tolist(),
        "amount": np.exp(normal).tolist(),
        "wait": rng.exponential(1 + y).tolist(),
        "flag": (rng.random(ROWS) < 0.3 + 0.2 * y).tolist(),
        "code": ((rng.integers(0, 5, ROWS) + y) % 6).tolist(),
        "key": (rng.integers(0, 3, ROWS) + y * 2**60).tolist(),
    }
    labels = np.array(["no", "yes", "may'be"])[y].tolist()
    return {name: _with_missing(held, rng) for name, held in columns.items()}, labels


def new_rows():
    """Rows to score: some that were learned, and rows with missing, unseen and extreme values."""
    columns, _ = learned()
    extreme = {
        "sky": ["hail", "", "it's", None, "sun", "SUN", "sun", None],
        ODD: [None, "näme 3", "name 3", None, "näme 3 ", None, "näme 1", None],
        "warm": [1e200, -1e200, 1e-200, None, 40.0, -40.0, float("nan"), None],
        "count": [0, 10**6, 3, None, 40, 1, 0, None],
        "spread": [0, 10**6, 5, None, 300, 1, 0, None],
        "amount": [1e300, 1e-300, 5e-324, None, 1.0, -1.0, 0.0, None],
        "wait": [1e300, 1e-300, 0.0, None, 50.0, -1.0, 5e-324, None],
        "flag": [True, False, None, None, True, False, None, None],
        "code": [7, -3, 2, None, 0, 5, 10**12, None],
        "key": [2**60 + 1, 1, 2**60 + 7, None, 0, -1, 2**61, None],
    }
    return {name: held[:25] + extreme[name] for name, held in columns.items()}


KINDS = {
    "sky": db.Categorical(),
    ODD: db.Categorical(),
    "warm": db.Gaussian(),
    "count": db.Poisson(),
    "spread": db.NegativeBinomial(),
    "amount": db.LogNormal(),
    "wait": db.Exponential(),
    "flag": db.Bernoulli(),
    "code": db.Categorical(),
    "key": db.Categorical(),
}
LABELS = ("sky", ODD, "flag", "code")


def _of(columns, names):
    return {name: columns[name] for name in names}


def _filled(columns):
    """Numbers without missing values, for models that refuse them."""
    return {name: [0 if v is None or v != v or v < 0 else v for v in held] for name, held in columns.items()}


def _naive(**options):
    columns, y = learned()
    return db.NaiveBayes(**{"columns": KINDS, **options}).fit(arrow(columns), y), new_rows()


def _mixed_bins(**options):
    names = ("sky", "warm", "amount", "count")
    kinds = {"warm": db.Binned(how="mdl"), "amount": db.Cut(at=[0.5, 3, 20]), "count": db.Gaussian(tie="class")}
    columns, y = learned()
    model = db.NaiveBayes(kinds, **options).fit(arrow(_of(columns, names)), y)
    rows = _of(new_rows(), names)
    return model, {**rows, "amount": rows["amount"]}


def _tied(tie):
    names = ("warm", "amount", "wait")
    columns, y = learned()
    return db.NaiveBayes(db.Gaussian(tie=tie), weights=None).fit(arrow(_of(columns, names)), y), _of(new_rows(), names)


def _numbers(kind, names, **options):
    columns, y = learned()
    held, rows = _of(columns, names), _of(new_rows(), names)
    if options.get("missing") != "skip":
        held = _filled(held)
        rows = {name: [0.0 if v is None or v != v else v for v in values] for name, values in rows.items()}
    return kind(**options).fit(arrow(held), y), rows


def _counts(kind, **options):
    columns, y = learned()
    names = ("count", "spread", "wait")
    held, rows = _of(columns, names), _of(new_rows(), names)
    if options.get("missing") != "skip":
        held, rows = _filled(held), _filled(rows)
    rows["wait"] = [None if v is None else min(max(v, 0.0), 1e3) for v in rows["wait"]]
    return kind(**options).fit(arrow(held), y), rows


def _shares(**options):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 60)
    columns = {
        "a": np.round(rng.random(60) * 0.5 + 0.5 * y, 1).tolist(),
        "b": (rng.random(60) < 0.5).astype(float).tolist(),
    }
    model = db.BernoulliNB(binarize=None, **options).fit(arrow(columns), y.tolist())
    return model, {"a": [0.0, 1.0, 0.25, 0.5], "b": [1.0, 0.0, 0.5, 1.0]}


def _categorical(**options):
    columns, y = learned()
    rows = _of(new_rows(), LABELS)
    rows["code"] = [None if v is None else abs(v) for v in rows["code"]]
    return db.CategoricalNB(missing="skip", **options).fit(arrow(_of(columns, LABELS)), y), rows


def _coded(kind, **options):
    columns, y = learned()
    names = ("sky", "warm", "count", "flag", "code", "amount")
    return kind(**options).fit(arrow(_of(columns, names)), y), _of(new_rows(), names)


def _calibrated(method, **options):
    columns, y = learned()
    model = db.NaiveBayes(KINDS, **options).fit(arrow(columns), y)
    return model.calibrate(arrow(columns), y, method=method), new_rows()


def _impossible():
    """Without smoothing, some rows have probability 0 in some classes or in all."""
    table = {"a": ["x", "x", "y", "z"], "b": ["u", "v", "v", "w"]}
    model = db.NaiveBayes(smoothing=db.MLE(), weights=None).fit(arrow(table), [0, 0, 1, 2])
    return model, {"a": ["x", "x", "y", "y", "new", None], "b": ["w", "u", "u", "v", "u", "w"]}


def _certain():
    """Without smoothing, ComplementNB gives some classes an infinite weight."""
    table = {"a": [2, 0, 0, 1], "b": [0, 3, 0, 1], "c": [0, 0, 4, 0]}
    model = db.ComplementNB(alpha=0.0).fit(arrow(table), ["p", "q", "r", "r"])
    return model, {"a": [1, 0, 0, 0, 2], "b": [0, 1, 0, 0, 1], "c": [0, 0, 1, 0, 0]}


def _sure(binarize):
    table = {"a": [1.0, 1.0, 0.0, 0.0], "b": [1.0, 0.0, 1.0, 0.0]}
    model = db.BernoulliNB(alpha=0.0, binarize=binarize).fit(arrow(table), [0, 0, 1, 1])
    return model, {"a": [0.0, 1.0, 1.0, 0.0], "b": [1.0, 0.0, 1.0, 0.0]}


LOSS = {"no": {"yes": 5.0, "may'be": 0.5}, "yes": {"no": 2.0}}

CASES = {
    "naive, skip": lambda: _naive(missing="skip", weights=None),
    "naive, state": lambda: _naive(missing="state", weights=None),
    "naive, weights": lambda: _naive(missing="auto", weights="auto"),
    "naive, a weight of 0": lambda: _naive(weights={"sky": 0.0, "warm": 0.0, "wait": 0.5}),
    "naive, ignored labels": lambda: _naive(unseen="ignore", smoothing=db.MLE()),
    "naive, uniform priors": lambda: _naive(priors="uniform", smoothing=db.Jeffreys()),
    "naive, ml": lambda: _naive(rule="ml"),
    "naive, ml with rejection": lambda: _naive(rule="ml", reject=0.9),
    "naive, loss": lambda: _naive(loss=LOSS),
    "naive, loss with rejection": lambda: _naive(loss=LOSS, reject=db.Reject(posterior=0.4, loss=0.6)),
    "naive, rejection": lambda: _naive(reject=0.9),
    "naive, temperature": lambda: _calibrated("temperature"),
    "naive, isotonic": lambda: _calibrated("isotonic"),
    "naive, isotonic with loss": lambda: _calibrated("isotonic", loss=LOSS, reject=0.5),
    "bins": lambda: _mixed_bins(missing="skip"),
    "bins, state": lambda: _mixed_bins(missing="state"),
    **{f"tied by {tie}": lambda tie=tie: _tied(tie) for tie in ("none", "class", "feature", "both")},
    "impossible rows": _impossible,
    "GaussianNB": lambda: _numbers(db.GaussianNB, ("warm", "amount")),
    "GaussianNB, missing": lambda: _numbers(db.GaussianNB, ("warm", "amount"), missing="skip"),
    "MultinomialNB": lambda: _counts(db.MultinomialNB),
    "MultinomialNB, missing": lambda: _counts(db.MultinomialNB, missing="skip", alpha=0.5),
    "ComplementNB": lambda: _counts(db.ComplementNB),
    "ComplementNB, norm": lambda: _counts(db.ComplementNB, norm=True, missing="skip"),
    "ComplementNB, certain": _certain,
    "BernoulliNB": lambda: _numbers(db.BernoulliNB, ("warm", "count"), missing="skip"),
    "BernoulliNB, threshold": lambda: _numbers(db.BernoulliNB, ("warm", "count"), binarize=1.5),
    "BernoulliNB, shares": _shares,
    "BernoulliNB, certain": lambda: _sure(0.0),
    "BernoulliNB, certain shares": lambda: _sure(None),
    "CategoricalNB": _categorical,
    "CategoricalNB, ignored": lambda: _categorical(unseen="ignore", alpha=0.0),
    "CategoricalNB, wide": lambda: _categorical(min_categories=12),
    "TAN": lambda: _coded(db.TAN),
    "TAN, state": lambda: _coded(db.TAN, missing="state"),
    "TAN, ignored": lambda: _coded(db.TAN, unseen="ignore", temperature=1.0, strength=5.0),
    "TAN, loss": lambda: _coded(db.TAN, loss=LOSS, reject=0.5, priors="uniform"),
    "AODE": lambda: _coded(db.AODE),
    "AODE, state": lambda: _coded(db.AODE, missing="state", unseen="ignore"),
    "AODE, paper": lambda: _coded(db.AODE, least=30, weights=None, temperature=1.0, strength=1.0),
    "AODE, none": lambda: _coded(db.AODE, least=1000),
    "AODE, zeros": lambda: _coded(db.AODE, smoothing=db.MLE(), strength=0.0),
}


@cache
def case(name):
    """A fitted model and rows to score."""
    return CASES[name]()
