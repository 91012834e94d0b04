"""Cross-validation on scikit-learn's breast cancer data, compared with scikit-learn's own classifier."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
import sklearn
from rich.console import Console
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB as SklearnGaussianNB

from deciban.cli.show import show_body, show_heading, show_title, simple_table
from deciban.models import GaussianNB
from deciban.types import AnyArray, Floats

__all__ = ["Scores", "cross_validate", "show_cancer", "time_fits"]

_FOLDS = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
_FITS = 201


@dataclass(frozen=True)
class Scores:
    """The posteriors of held-out rows, and their scores."""

    posterior: Floats
    accuracy: float
    log_loss: float
    brier: float


def show_cancer(console: Console) -> None:
    """Show accuracy, log loss, Brier score and the time of a fit, for both classifiers."""
    X, y = load_breast_cancer(return_X_y=True)
    show_title(
        console, "Breast cancer", f"{len(X)} tumours, {X.shape[1]} measurements each: predict malignant or benign"
    )
    show_heading(console, "Ten-fold cross-validation", "cross_val_predict(db.GaussianNB(), X, y, cv=folds, …)")
    models = {"deciban GaussianNB": GaussianNB(), f"scikit-learn {sklearn.__version__} GaussianNB": SklearnGaussianNB()}
    ours, theirs = (cross_validate(model, X, y) for model in models.values())
    seconds = time_fits(list(models.values()), X, y)
    rows = (
        [name, f"{s.accuracy:.4f}", f"{s.log_loss:.4f}", f"{s.brier:.4f}", f"{1000 * t:.2f} ms"]
        for name, s, t in zip(models, (ours, theirs), seconds, strict=True)
    )
    show_body(console, simple_table(["", "accuracy", "log loss", "Brier score", "fit time"], rows))
    difference = np.abs(ours.posterior - theirs.posterior).max()
    show_body(
        console,
        f"\nLargest difference of the posteriors: {difference:.1g}. deciban's fit is\n"
        f"{seconds[1] / seconds[0]:.1f} times as fast (medians of {_FITS} alternating fits).",
    )
    console.print()


def cross_validate(model: Any, X: AnyArray, y: AnyArray) -> Scores:
    """Score the cross-validated posteriors."""
    posterior = cross_val_predict(model, X, y, cv=_FOLDS, method="predict_proba")
    return Scores(
        posterior,
        accuracy_score(y, posterior.argmax(axis=1)),
        log_loss(y, posterior),
        brier_score_loss(y, posterior[:, 1]),
    )


def time_fits(models: list[Any], X: AnyArray, y: AnyArray, fits: int = _FITS) -> list[float]:
    """Return the median time of a fit for each model, in seconds; the fits alternate."""
    for model in models:
        model.fit(X, y)
    durations: list[list[float]] = [[] for _ in models]
    for _ in range(fits):
        for model, times in zip(models, durations, strict=True):
            start = perf_counter()
            model.fit(X, y)
            times.append(perf_counter() - start)
    return [median(times) for times in durations]
