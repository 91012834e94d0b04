"""What is run, by whom, and the least ratio that is promised for it: the rows of the speed table.

Each workload names a class that both libraries have under the same name, so that a contestant is just a module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal, Protocol, Self

import sklearn.naive_bayes

import deciban
from benchmarks.data import (
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
    name : what ``--only`` calls it
    title : what the tables call it, at full scale
    model : the class, under one name in both libraries
    draw : makes the sample, given the part of the rows that is wanted
    at_least : peer's time over deciban's, for each verb that is timed
    attributes : fitted attributes that must agree
    calls : how often a verb is called in one round, on one row, where it is too fast to be timed once
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
    least: Mapping[Verb, float] = {"fit": 5, "predict": 3}
    return Workload(name, f"{model}, {_TERMS}", model, draw_documents, least, _DISCRETE, is_dense=False)


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
        {"fit": 10, "predict": 20},
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
