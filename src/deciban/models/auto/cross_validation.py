"""Choosing among any models by cross-validation.

The rows are divided into folds, each with the classes in the same shares. Every model is fitted on the others of each
fold and predicts the rows of the fold. The log loss of a row is −log P(its class | row).

**The rule**: the model of least mean log loss is the best. The first model in the given order whose log loss exceeds
that of the best by no more than one standard error of this difference is chosen, so models are given from simple to
complex (the one-standard-error rule of Breiman et al. 1984, on paired differences).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from deciban.choices import counted
from deciban.errors import InputError, ParameterError
from deciban.read import read_target, split_target
from deciban.read.making import take_rows
from deciban.read.target import Target
from deciban.ties import exceeds, first_smallest
from deciban.types import AnyArray, Floats

__all__ = ["CrossValidated", "Selection", "cross_validate"]

_LEAST = float(np.finfo(np.float64).eps)
_HEAD = ("model", "log loss", "above the best", "accuracy")


@dataclass(frozen=True)
class CrossValidated:
    """The scores of a model on rows that it had not learned.

    `excess` is how much its log loss is above that of the best model, and `error` the standard error of the difference.
    """

    name: str
    log_loss: float
    accuracy: float
    excess: float
    error: float


@dataclass(frozen=True)
class Selection:
    """The models that were compared, in the given order, and the name of the chosen one; it shows itself as a table."""

    candidates: tuple[CrossValidated, ...]
    chosen: str
    rows: int
    folds: int

    @property
    def best(self) -> CrossValidated:
        """The model of least log loss."""
        return self.candidates[first_smallest([candidate.log_loss for candidate in self.candidates])]

    @property
    def reason(self) -> str:
        """What was chosen, and why."""
        if len(self.candidates) == 1:
            return f"{self.chosen} is the only model."
        if self.chosen == self.best.name:
            return f"{self.chosen} is chosen: no simpler model is within one standard error of its log loss."
        return (
            f"{self.chosen} is chosen: it is the simplest model whose log loss is within one standard error of that of "
            f"the best, {self.best.name}."
        )

    def __repr__(self) -> str:
        rows = [_HEAD, *(_cells(candidate) for candidate in self.candidates)]
        first, *others = (max(len(row[i]) for row in rows) for i in range(len(_HEAD)))
        lines = (
            f"{name:<{first}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, others, strict=True))
            for name, *cells in rows
        )
        return "\n".join([f"{counted(self.rows, 'row')} in {counted(self.folds, 'fold')}", *lines, self.reason])


def _cells(candidate: CrossValidated) -> tuple[str, ...]:
    above = "" if candidate.excess == 0 else f"{candidate.excess:.4f} ± {candidate.error:.4f}"
    return candidate.name, f"{candidate.log_loss:.4f}", above, f"{candidate.accuracy:.4f}"


def cross_validate(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    folds: int = 5,
    random_state: int | None = 0,
) -> Selection:
    """Compare models by their log loss on rows that they had not learned, and choose one.

    Parameters
    ----------
    models
        The models, by name, from simple to complex; they stay as they are.
    X, y
        A table or documents, and the labels or the name of their column.
    sample_weight
        The weights of the rows.
    folds
        The number of parts of the rows.
    random_state
        The seed of the division into folds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from deciban import JointBayes, NaiveBayes
    >>> cross_validate(
    ...     {"naive": NaiveBayes(), "joint": JointBayes()}, *load_iris(return_X_y=True)
    ... ).chosen
    'naive'
    """
    if not models:
        raise ParameterError("there are no models to compare: name at least one.")
    X, y, name = split_target(X, y)
    target = read_target(y, len(y), name)
    present = np.bincount(target.codes, minlength=len(target.classes.labels))
    if folds < 2 or len(target.codes) < 2 * folds or (present > 0).sum() < 2:
        raise InputError(
            f"{counted(len(target.codes), 'row')} of {counted(int((present > 0).sum()), 'class', 'classes')} cannot be "
            f"divided into {folds} folds: choose a model by its name."
        )
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    losses, hits = _scores(models, X, target, weights, _folds(target.codes, folds, random_state))
    return _selected(list(models), losses, hits, weights, folds)


def _folds(codes: AnyArray, folds: int, random_state: int | None) -> list[tuple[AnyArray, AnyArray]]:
    dividing = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes with fewer rows than folds
        return [*dividing.split(np.zeros(len(codes)), codes)]


def _scores(
    models: Mapping[str, Any], X: Any, target: Target, weights: Floats | None, folds: list[tuple[AnyArray, AnyArray]]
) -> tuple[Floats, Floats]:
    """The log loss of each row, and whether its class is predicted: models × rows."""
    labels, codes = target.classes.labels, target.codes
    losses, hits = np.empty((len(models), len(codes))), np.empty((len(models), len(codes)))
    for learned, held_out in folds:
        train, test = take_rows(X, learned), take_rows(X, held_out)
        own = None if weights is None else weights[learned]
        for m, model in enumerate(models.values()):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the fit of the chosen model repeats them
                fitted = clone(model).fit(train, labels[codes[learned]], own)
                posterior = fitted.predict_proba(test)
            index_of = {label: i for i, label in enumerate(fitted.classes_.tolist())}
            indices = np.array([index_of.get(label, -1) for label in labels.tolist()])[codes[held_out]]
            of_class = np.where(indices < 0, 0.0, posterior[np.arange(len(held_out)), indices])
            losses[m, held_out] = -np.log(np.maximum(of_class, _LEAST))
            hits[m, held_out] = posterior.argmax(axis=1) == indices
    return losses, hits


def _selected(names: list[str], losses: Floats, hits: Floats, weights: Floats | None, folds: int) -> Selection:
    means = np.average(losses, axis=1, weights=weights)
    accuracies = np.average(hits, axis=1, weights=weights)
    best = first_smallest(means)
    differences = losses - losses[best]
    excess = means - means[best]
    errors = np.sqrt(np.average((differences - excess[:, None]) ** 2, axis=1, weights=weights) / losses.shape[1])
    columns = (names, means.tolist(), accuracies.tolist(), excess.tolist(), errors.tolist())
    candidates = tuple(CrossValidated(*values) for values in zip(*columns, strict=True))
    chosen = next(c.name for c in candidates if not exceeds(c.excess, c.error))
    return Selection(candidates, chosen, losses.shape[1], folds)
