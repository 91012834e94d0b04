"""A classifier as a model of how rows arise: a class is drawn, then the columns given the class (Mukund, lecture 15).

    P(x, j) = P(j)·P(x | j),    P(x) = Σ_j P(j)·P(x | j)

These functions are methods of every classifier. What is learned on top of P(x | j) for better posteriors is not part of
this joint distribution, and is not used here: the weights of columns, temperatures, calibrations, and the `length` of a
text model. A model whose posteriors are not those of a joint distribution refuses, and says why.

A model defines `_free_parameters`, the number of free parameters of P(x | j), `_joint`, which gives log P(x, j) of rows
that were read, and `_draw`, which gives a column for each of its own, given the classes of the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NoReturn, overload

import numpy as np
import scipy

from deciban.errors import ParameterError
from deciban.estimate.columns.drawing import draw_codes
from deciban.estimate.priors import is_estimated
from deciban.limits import check_memory
from deciban.models.parameters import as_fitted
from deciban.models.parts.decider import labels_of
from deciban.read import read_target, split_target
from deciban.read.drawn import drawn_table
from deciban.read.random_state import RandomState, read_count, read_seed
from deciban.read.weights import weighted_sum
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = [
    "draw_classes",
    "drawn_sample",
    "log_likelihood",
    "n_parameters_",
    "read_lengths",
    "sample",
    "scored_joint",
    "without_joint",
]


@property  # type: ignore[misc]
@as_fitted
def n_parameters_(self: Any) -> int:
    """The number of free parameters of P(row, class).

    A distribution over m states has m − 1 of them in each class, a normal column a mean and a variance in each class,
    less what is tied; the priors of J classes have J − 1, or none where they are given or uniform. What is chosen
    before, such as cuts, trees and pseudo-counts, is not counted, nor is what is learned on top for better
    posteriors: weights of columns, temperatures, calibrations.

    Examples
    --------
    Two classes and two columns of three states: naive Bayes has 1 + 2·(2 + 2), the joint table 2·9 − 1.

    >>> from deciban import CategoricalNB, JointBayes
    >>> X, y = [["m", "b"], ["g", "q"], ["h", "s"], ["g", "q"]], ["t", "t", "f", "f"]
    >>> CategoricalNB().fit(X, y).n_parameters_, JointBayes().fit(X, y).n_parameters_
    (9, 17)
    """
    self._check_fitted()
    of_priors = len(self.classes_) - 1 if is_estimated(self._prior_rule()) else 0
    return int(of_priors + self._free_parameters())


@overload
def log_likelihood(
    self: Any, X: Any, y: Any = ..., *, sample_weight: Any = ..., per_row: Literal[False] = ...
) -> float: ...
@overload
def log_likelihood(self: Any, X: Any, y: Any = ..., *, sample_weight: Any = ..., per_row: Literal[True]) -> Floats: ...
def log_likelihood(
    self: Any, X: Any, y: Any = None, *, sample_weight: Any = None, per_row: bool = False
) -> float | Floats:
    """Σ w·log P(row, class), or without `y` Σ w·log P(row), with P(row) = Σ_j P(j)·P(row | j).

    Parameters
    ----------
    X : rows, in any form that `predict` takes
    y : their labels, or the name of the column of X with the labels; a label that was not there in fit has
        probability 0
    sample_weight : how many rows each row stands for
    per_row : whether the logarithm of each row is returned instead of the sum

    Notes
    -----
    The joint distribution is the one that was estimated: weights of columns, temperatures and calibrations, which
    change posteriors, are not used, so it can differ from `predict_joint_log_proba`. A row that is impossible has −∞.
    Missing values are summed out, unless ``missing="state"`` gives them a probability. Columns of numbers have
    densities; a number in a bin has the probability of its bin. Of a row of term counts and of a document it is the
    probability of its known tokens one after the other, given how many there are: that of the counts is larger by the
    multinomial coefficient. A label that was not there in fit has the probability of a label counted 0 times, which
    comes on top of those that sum to 1.

    Examples
    --------
    >>> from deciban import CategoricalNB
    >>> model = CategoricalNB(alpha=0).fit(
    ...     [["sun"], ["sun"], ["rain"], ["rain"]], ["yes", "yes", "yes", "no"]
    ... )
    >>> np.exp(model.log_likelihood([["sun"], ["rain"]], per_row=True)).round(3).tolist()
    [0.5, 0.5]
    >>> np.exp(model.log_likelihood([["sun"], ["rain"]], ["yes", "no"], per_row=True)).round(
    ...     3
    ... ).tolist()
    [0.5, 0.25]
    """
    self._check_fitted()
    X, y, _ = split_target(X, y)
    data = self._features(X)
    self._check_columns(data)
    joint = self._joint(data)
    logs = scipy.special.logsumexp(joint, axis=1) if y is None else _of_labels(self, joint, y)
    return logs if per_row else weighted_sum(logs, sample_weight)


def sample(self: Any, n: int, *, random_state: RandomState = None) -> tuple[Any, AnyArray]:
    """Draw rows with their classes: a class by the priors, then the columns given the class.

    Parameters
    ----------
    n : the number of rows
    random_state : an int, a Generator or None; the same int gives the same rows

    Returns
    -------
    X : an Arrow table, whose columns of labels are dictionaries; an array where the model was fitted without the names
        of columns
    y : the labels

    Notes
    -----
    As in `log_likelihood`, weights of columns, temperatures and calibrations are not used. Numbers in bins are drawn
    evenly within their bin; the first and the last bin are taken to be as wide as their neighbours. A column that is
    ignored has missing values only, and so has one with ``missing="state"`` where it draws them.

    Examples
    --------
    >>> from deciban import CategoricalNB
    >>> model = CategoricalNB(alpha=0).fit(
    ...     {"sky": ["sun", "sun", "rain"]}, ["play", "play", "stay"]
    ... )
    >>> X, y = model.sample(4, random_state=0)
    >>> X["sky"].to_pylist(), y.tolist()
    (['sun', 'rain', 'sun', 'rain'], ['play', 'stay', 'play', 'stay'])
    """
    return drawn_sample(self, n, random_state, self._draw)


def drawn_sample(
    model: Any, n: int, random_state: RandomState, draw: Callable[[int, np.random.Generator], tuple[Codes, Any]]
) -> tuple[Any, AnyArray]:
    """A sample by a function that gives the codes of the classes, and the columns."""
    model._check_fitted()
    rows, rng = read_count(n, "n", 0), np.random.default_rng(read_seed(random_state))
    check_memory("the rows, rows × columns,", rows, model._form.columns, advice="Draw fewer at a time.")
    codes, columns = draw(rows, rng)
    return drawn_table(model._form.names, columns), labels_of(codes, model.classes_)


def draw_classes(model: Any, n: int, rng: np.random.Generator) -> Codes:
    """The codes of n classes, by the priors."""
    return draw_codes(np.exp(model._prior)[None], np.zeros(n, dtype=np.int32), rng)


def read_lengths(n_tokens: Any, rows: int, mean: float) -> Ints:
    """How many tokens each row has: as given, or the mean of the learned rows.

    >>> read_lengths(None, 2, 3.4).tolist(), read_lengths([1, 0], 2, 3.4).tolist()
    ([3, 3], [1, 0])
    """
    given = np.asarray(round(mean) if n_tokens is None else n_tokens)
    if given.dtype.kind not in "iu" or given.shape not in ((), (rows,)) or (given.size and given.min() < 0):
        raise ParameterError(f"n_tokens is a whole number from 0 on, or one for each of {rows} rows, not {n_tokens!r}.")
    return np.broadcast_to(given, rows).astype(np.int64)


def scored_joint(self: Any, data: Any) -> Floats:
    """log P(row, class) of a model whose scores are just that."""
    joint: Floats = self._scores_of(data, "joint")
    return joint


def without_joint(reason: str) -> Callable[..., Any]:
    """A method that refuses, for a model that is not a distribution of rows."""

    def refuse(self: Any, *_: Any) -> NoReturn:
        raise ParameterError(f"{type(self).__name__} is not a distribution of rows and classes: {reason}.")

    return refuse


def _of_labels(model: Any, joint: Floats, y: Any) -> Floats:
    target = read_target(y, len(joint))
    codes = model.tally_.classes.encode(target.classes.labels)[target.codes]
    wide = np.column_stack([joint, np.full(len(joint), -np.inf)])  # the last: labels that were not there in fit
    return wide[np.arange(len(wide)), codes]
