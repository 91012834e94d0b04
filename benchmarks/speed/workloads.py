"""The workloads of the speed table, and the least ratio that is promised for each.

Each workload names a class that both libraries have under the same name, so that a contestant is just a module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal, Protocol, Self

import sklearn.naive_bayes

import deciban
from benchmarks.speed.samples import (
    Sample,
    draw_categories,
    draw_documents,
    draw_images,
    draw_measurements,
    draw_short_rows,
)

__all__ = [
    "CONTESTANTS",
    "OURS",
    "PEER",
    "WORKLOADS",
    "Contestant",
    "Model",
    "Verb",
    "Workload",
    "new_model",
    "task",
    "workload",
]

Contestant = Literal["scikit-learn", "deciban"]
Verb = Literal["fit", "predict", "predict_proba"]

PEER: Contestant = "scikit-learn"
OURS: Contestant = "deciban"
CONTESTANTS: Mapping[Contestant, ModuleType] = {PEER: sklearn.naive_bayes, OURS: deciban}


class Model(Protocol):
    """What the two libraries' classifiers have in common."""

    def fit(self, X: Any, y: Any) -> Self: ...
    def predict(self, X: Any) -> Any: ...
    def predict_proba(self, X: Any) -> Any: ...


@dataclass(frozen=True)
class Workload:
    """A sample, the model that learns it, and the least ratios for what is timed.

    Parameters
    ----------
    name : the name that ``--only`` takes
    title : the title in the tables, for the full sample
    model : the class, under one name in both libraries
    draw : draws the sample, given the share of the rows that is wanted
    at_least : the least ratio of scikit-learn's time to deciban's, for each verb that is timed
    attributes : fitted attributes that must agree
    calls : calls in one round, on one row, for verbs that are too fast to be timed once
    is_dense : whether the promise about memory applies
    """

    name: str
    title: str
    model: str
    draw: Callable[[float], Sample]
    at_least: Mapping[Verb, float]
    attributes: tuple[str, ...]
    calls: int = 1
    is_dense: bool = True

    @property
    def is_one_row(self) -> bool:
        return self.calls > 1


_GAUSSIAN = ("theta_", "var_", "class_prior_")
_DISCRETE = ("feature_log_prob_", "class_log_prior_")
_TERMS = "CSR of 12 M non-zeros, 100,000 terms, 20 classes"


def _text(name: str, model: str) -> Workload:
    at_least: Mapping[Verb, float] = {"fit": 5, "predict": 3}
    return Workload(name, f"{model}, {_TERMS}", model, draw_documents, at_least, _DISCRETE, is_dense=False)


WORKLOADS: tuple[Workload, ...] = (
    Workload(
        "categorical",
        "CategoricalNB, 1,000,000 × 20 int64, 10 values, 5 classes",
        "CategoricalNB",
        draw_categories,
        {"fit": 60, "predict": 20},
        _DISCRETE,
    ),
    Workload(
        "gaussian",
        "GaussianNB, 1,000,000 × 50 float64, 10 classes",
        "GaussianNB",
        draw_measurements,
        {"fit": 25, "predict": 35},
        _GAUSSIAN,
    ),
    _text("multinomial", "MultinomialNB"),
    _text("complement", "ComplementNB"),
    _text("bernoulli", "BernoulliNB"),
    Workload(
        "wide",
        "GaussianNB, 60,000 × 784 float32, 10 classes",
        "GaussianNB",
        draw_images,
        {"fit": 8},
        _GAUSSIAN,
    ),
    Workload(
        "one-row",
        "GaussianNB, one row of 30 features",
        "GaussianNB",
        draw_short_rows,
        {"predict_proba": 5},
        _GAUSSIAN,
        calls=300,
    ),
)


def workload(name: str) -> Workload:
    """The workload of that name."""
    return next(work for work in WORKLOADS if work.name == name)


def new_model(work: Workload, contestant: Contestant) -> Model:
    """An unfitted model with default parameters."""
    model: Model = getattr(CONTESTANTS[contestant], work.model)()
    return model


def task(work: Workload, verb: Verb, contestant: Contestant, sample: Sample) -> Callable[[], object]:
    """The call that is timed; for predictions, the model is fitted before."""
    if verb == "fit":
        return lambda: new_model(work, contestant).fit(*sample)
    method = getattr(new_model(work, contestant).fit(*sample), verb)
    X = sample.X[:1] if work.is_one_row else sample.X
    return lambda: method(X)
