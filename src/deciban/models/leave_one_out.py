"""Leave-one-out: what a model would predict for each of its own rows if it had not learned it, without a refit.

A tally is a sum over rows, so the counts of one row can be subtracted from it. Calibration uses this, because a model
is too confident of rows that it has learned. A model provides log P(row | class) without each row's own counts
(`_left_out_likelihood`).

**Whether a sample contains learned rows** is judged by how many of its values are new. Among rows that were not
learned, the expected share with a value that the model has not counted is, by the estimate of Good and Turing,

    n_1 / n,    n_1 the number of values that were counted once, n the number of rows.

A sample with far fewer new values contains rows that were learned (Good, 1953).

**Weights of columns** are learned from leave-one-out evidence:

    minimize  −Σ_r log P'(y_r | x_r) + ½ Σ_i (w_i − 1)²  over w_i ≥ 0,
    log P'(j | x_r) = log P'(j) + Σ_i w_i·log P'(x_ri | j) + a constant,

where P' is estimated without row r: exactly from the counts, for bins with the cuts as they are. The priors P'(j) are
the shares of the classes among the other rows, not the priors that are set for prediction. The estimates stay
as they are; at prediction, the evidence from all rows is weighed. This is WANBIA-CLL (Zaidi, Cerquides, Carman and
Webb, 2013, "Alleviating naive Bayes attribute independence assumption by attribute weighting"), except for two changes
of ours. On the counts with the row in them, a column that identifies rows looks perfect, and its weight grows; without
the row, it is no evidence. The penalty shrinks the weights to 1, plain naive Bayes, and keeps them finite where the
classes are separable. The objective is convex, so the minimum is unique.

Weights below 1 correct for evidence that is counted several times, because columns repeat one another; a column that
misleads gets 0. Of all rows up to 8,192 are used, and at most so many that the margins, rows × columns × other classes,
are a fifth of the cells of the table, but from 2²⁰ to 2²³. The table is cut into as many stretches of equal length, and
one row is used at a pseudo-random index of each.

Where columns carry nearly the same evidence, the minimum is flat: adding the classes in another order changes the last
digits of the sums, and with them the third digits of the weights, which changes the posteriors of rows with very large
evidence. So the classes are taken in the order of their first rows, and the weights do not depend on their names.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Self

import numpy as np
import scipy

from deciban.decide import finish, fit_calibration
from deciban.errors import DecibanWarning, InputError, ParameterError, warn_user
from deciban.estimate import Likelihood, Smoothing, empirical_priors
from deciban.estimate.column import Margins
from deciban.estimate.missing import add_margins
from deciban.estimate.smoothing import is_estimated
from deciban.models.base import BayesClassifier, PriorsLike
from deciban.models.schema import Form
from deciban.read import Table, plain, read_target, read_weights, split_target
from deciban.tallies import ClassTable, Sample, Tally, is_same_sample, weight_left
from deciban.types import AnyArray, ArrayLike, Codes, Floats, Ints, LabelsLike

__all__ = [
    "CalibratedClassifier",
    "LeaveOneOut",
    "Rows",
    "best_weights",
    "calibrate_left_out",
    "chosen_rows",
    "class_codes",
    "class_counts_without_own",
    "learn_weights",
    "left_out_posterior",
    "minimize_from",
    "order_of_rows",
    "plain_posterior",
    "prior_of_rows",
    "prior_without_own",
    "warn_of_shared_rows",
    "with_classes_in",
]


class CalibratedClassifier(BayesClassifier):
    """A classifier whose posteriors can be calibrated: `_honest_posterior` returns those to calibrate on."""

    def calibrate(
        self,
        X: Any,
        y: LabelsLike | None,
        *,
        method: Literal["temperature", "isotonic"] = "temperature",
        learned: bool | Literal["auto"] = "auto",
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Fit a calibration, which is then applied to all posteriors. Learning more rows removes it.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            All rows that the model has learned, or rows that it has not learned.
        y : array of shape (n_samples,), or str
            Their labels; or the name of the column of X with the labels.
        method : {"temperature", "isotonic"}
            "temperature": P(c | x)^(1/T), divided by the sum over classes. "isotonic": a monotone function for each
            class, never 0 or 1.
        learned : bool or "auto"
            Whether these are the rows that were learned. True: each row is predicted as if it had not been learned
            (exact leave-one-out). False: they are predicted by the model as it is, which is overconfident on rows that
            it has learned. "auto": True where the tally of these rows equals the model's, in all counts, sums and
            moments, else False. Do not pass a sample of which only some rows were learned; "auto" warns where the
            values show it, which needs a column of many distinct labels or binned numbers.
        sample_weight : array of shape (n_samples,), optional
            The weights of the rows; for learned rows, the weights that they were learned with.

        Returns
        -------
        self : the model
            `calibration_` is the fitted calibration.

        Raises
        ------
        InputError
            `learned` is True, and the rows are not those of `tally_`; or all weights are 0.

        Examples
        --------
        A column and its copy count twice in naive Bayes, so that it is overconfident.

        >>> import deciban as db
        >>> X, y = (
        ...     [["sun", "sun"]] * 4 + [["rain", "rain"]] * 4,
        ...     ["play"] * 3 + ["stay"] + ["play"] + ["stay"] * 3,
        ... )
        >>> model = db.NaiveBayes(weights=None).fit(X, y)
        >>> sure = model.predict_proba([["sun", "sun"]])[0, 0]
        >>> bool(model.calibrate(X, y).predict_proba([["sun", "sun"]])[0, 0] < sure)
        True
        """
        self._check_fitted()
        if learned not in (True, False, "auto"):
            raise ParameterError(f"learned is True, False or 'auto', not {learned!r}.")
        X, y, _ = split_target(X, y)
        codes, weights = class_codes(self, X, y, sample_weight)
        if weights is not None and not weights.any():
            raise InputError("all sample weights are zero: there is nothing to calibrate on.")
        # Uncalibrated, also where the model is calibrated already: no calibration is fitted on top of another.
        posterior = self._honest_posterior(X, y, sample_weight, learned)
        self.calibration_ = fit_calibration(method, posterior, codes, weights)
        return self


class LeaveOneOut(CalibratedClassifier):
    """A classifier that predicts each of its own rows as if it had not learned it (`_left_out_likelihood`)."""

    def loo_predict_proba(self, X: Any, y: LabelsLike | None, *, sample_weight: ArrayLike | None = None) -> Floats:
        """Compute P(class | row) of the learned rows, each as if it had not been learned, without a refit.

        Each row's own counts are subtracted from those of its class.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            The rows that the model was fitted on, all of them.
        y : array of shape (n_samples,), or str
            Their labels; or the name of the column of X with the labels.
        sample_weight : array of shape (n_samples,), optional
            The weights that they were learned with.

        Returns
        -------
        posteriors : array of shape (n_samples, n_classes)
            The leave-one-out posteriors, without any calibration.

        Raises
        ------
        InputError
            The rows are not those of `tally_`.

        Notes
        -----
        The posteriors equal those of a refit, except for what is chosen from all rows: the tree of `TAN`,
        the net of `BayesNetClassifier`, the cuts, strengths and temperatures of these and of `AODE`, the columns'
        weights, the bandwidths of `Kernel` columns, the cuts of `Binned` columns by frequency or description length
        where the column has more than a few values, and of `Text` columns the tokens in use where some are dropped, and
        their α by "loo".

        Examples
        --------
        >>> import deciban as db
        >>> X, y = [["sun"], ["sun"], ["rain"], ["rain"]], ["play", "play", "stay", "stay"]
        >>> model = db.NaiveBayes(weights=None).fit(X, y)
        >>> (
        ...     model.predict_proba(X)[:, 0].round(2).tolist(),
        ...     model.loo_predict_proba(X, y)[:, 0].round(2).tolist(),
        ... )
        ([0.75, 0.75, 0.25, 0.25], [0.57, 0.57, 0.43, 0.43])
        """
        self._check_fitted()
        X, y, _ = split_target(X, y)
        batch = self._tally_of(X, y, sample_weight)
        if not is_same_sample(self.tally_, batch):
            raise InputError(
                "leave-one-out needs the rows that the model was fitted on, all of them, with the weights they had."
            )
        return self._left_out_posterior(X, y, sample_weight)

    def _left_out_posterior(self, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None) -> Floats:
        """The leave-one-out posteriors of rows that are known to be those of the self."""
        codes, given = class_codes(self, X, y, sample_weight)
        weights = np.ones(len(codes)) if given is None else given
        prior = prior_without_own(self._prior_rule(), self._prior, self.tally_.class_counts, codes, weights)
        joint = prior + self._left_out_likelihood(self._features(X), codes, weights)
        impossible = np.isneginf(joint).all(axis=1)
        joint[impossible] = prior[impossible]  # as in predict_proba: evidence against all classes is none
        return finish(joint, self._prior, "posterior")

    def _honest_posterior(
        self, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None, learned: bool | str
    ) -> Floats:
        """Uncalibrated posteriors of rows as if they had not been learned; those of new rows are plain predictions."""
        if learned is True:
            return self.loo_predict_proba(X, y, sample_weight=sample_weight)
        if learned == "auto":
            batch = self._tally_of(X, y, sample_weight)
            if is_same_sample(self.tally_, batch):
                return self._left_out_posterior(X, y, sample_weight)
            warn_of_shared_rows(self.tally_, batch)
        return plain_posterior(self, X)


def left_out_posterior(
    model: BayesClassifier, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None = None
) -> Floats:
    """P(class | row) of learned rows, all of them or some, each as if it had not been learned, and calibrated.

    That the rows were learned is not checked: the counts of a row that was not learned are subtracted all the same.
    """
    model._check_fitted()
    posterior = model._left_out_posterior(X, y, sample_weight)
    calibration = model._calibration()
    return posterior if calibration is None else calibration.apply(posterior)


def class_codes(
    model: BayesClassifier, X: Any, y: LabelsLike | None, sample_weight: ArrayLike | None
) -> tuple[Codes, Floats | None]:
    """The code of each row's class, which must be one of the model's, and the weights of the rows."""
    rows = model._features(X).shape[0]
    target, weights = read_target(y, rows), read_weights(sample_weight, rows)
    codes = model.tally_.classes.encode(target.classes.labels)[target.codes]
    unknown = codes == len(model.classes_)
    if unknown.any():
        label = target.classes.labels[target.codes[unknown][0]]
        raise InputError(f"y has the class {plain(label)!r}, which the model has not learned.")
    return codes, weights


def class_counts_without_own(class_counts: AnyArray, codes: Codes, weights: Floats) -> Floats:
    """The class counts without each row: rows × classes."""
    removed = np.zeros((len(codes), len(class_counts)))
    removed[np.arange(len(codes)), codes] = weights
    return weight_left(class_counts, removed)


def prior_without_own(rule: PriorsLike, prior: Floats, class_counts: AnyArray, codes: Codes, weights: Floats) -> Floats:
    """The log priors of each row, from the class counts without it: rows × classes.

    `prior` are those of all rows, which stay where the `rule` does not depend on the counts.
    """
    # Priors that are given, or uniform, do not depend on any row.
    if not is_estimated(rule):
        return np.tile(prior, (len(codes), 1))
    return prior_of_rows(rule, class_counts, codes, weights)


def prior_of_rows(rule: PriorsLike, class_counts: AnyArray, codes: Codes, weights: Floats) -> Floats:
    """The log priors to learn weights and temperatures with: the class shares among the other rows, rows × classes.

    Priors that are given, or uniform, say how frequent the classes will be in rows to be classified. With them, what is
    learned would compensate for the difference from the shares of the classes in the learned rows.
    """
    counts = class_counts_without_own(class_counts, codes, weights)
    return empirical_priors(counts, rule if isinstance(rule, Smoothing) else None)


def calibrate_left_out(
    model: BayesClassifier,
    X: Any,
    y: LabelsLike | None,
    *,
    method: Literal["temperature", "isotonic"] = "temperature",
    sample_weight: ArrayLike | None = None,
) -> BayesClassifier:
    """Fit a calibration on learned rows, all of them or some that are spread over all, by exact leave-one-out.

    With all rows it is ``model.calibrate(X, y, learned=True)``.
    """
    X, y, _ = split_target(X, y)
    codes, weights = class_codes(model, X, y, sample_weight)
    model.calibration_ = fit_calibration(method, model._left_out_posterior(X, y, sample_weight), codes, weights)
    return model


def plain_posterior(model: BayesClassifier, X: Any) -> Floats:
    """Posteriors without calibration."""
    # A copy: another thread that predicts meanwhile must not find the model without its calibration.
    uncalibrated = copy(model)
    uncalibrated.__dict__.pop("calibration_", None)
    return uncalibrated.predict_proba(X)


_IMPROBABLE = 1e-6
"""A warning that is wrong once in a million calls is worth reading."""


def warn_of_shared_rows(learned: Tally, sample: Tally) -> None:
    """Warn where the column with the most values that occur once has improbably few new values in the sample."""
    columns = [
        (name, _expected_new(counted, given), float(given[counted == 0].sum()))
        for name, counted, given in _columns(learned, sample)
    ]
    # One column, so that the probability of a false warning does not grow with the number of columns.
    name, expected, new = max(columns, key=lambda column: column[1], default=("", 0.0, 0.0))
    # Rare and independent of one another, new values are about Poisson distributed.
    if expected > 0 and scipy.special.pdtr(new, expected) < _IMPROBABLE:
        warn_user(
            f"some of these rows seem to have been learned: column {name!r} has {new:g} values that the model has not "
            f"seen, where about {expected:.0f} are expected in new rows. Calibrate on all learned rows or on new rows "
            "only; learned=False stops this warning.",
            DecibanWarning,
        )


def _expected_new(counted: AnyArray, given: AnyArray) -> float:
    """The expected number of given rows with a new value (Good and Turing); 0 where weights are not whole numbers."""
    whole = float(counted.sum())
    # Values that were counted once are known only where weights are numbers of rows.
    is_counts = whole > 0 and not (counted % 1).any() and not (given % 1).any()
    return float(given.sum()) * float((counted == 1).sum()) / whole if is_counts else 0.0


def _columns(learned: Tally, sample: Tally) -> Iterator[tuple[str, AnyArray, AnyArray]]:
    """For each column of counted values: how often each value was learned, and how often it is in the sample."""
    parts, others = ([one for part in tally.parts for one in part.components] for tally in (learned, sample))
    for part, other in zip(parts, others, strict=True):
        # Moments do not show which values are new.
        if isinstance(part, ClassTable) and isinstance(other, ClassTable):
            a, b = part.aligned(other)
            yield part.names[0], np.asarray(a.table.sum(axis=0)), np.asarray(b.table.sum(axis=0))


# With fewer rows the weights stay 1; of more, some are used.
_FEWEST_ROWS, _MOST_ROWS = 100, 1 << 13
# The margins take 8 to 64 MB, whatever the shape of the table.
_FEWEST_CELLS, _MOST_CELLS = 1 << 20, 1 << 23
# Ten pairs are the usual memory of L-BFGS; 2^−40 of a step no longer changes a weight.
_STEPS, _MEMORY, _HALVES = 200, 10, 40
_FLAT, _NEGLIGIBLE = 1e-9, 1e-5


class Rows(NamedTuple):
    """The rows of a fit: their columns, and their classes and weights."""

    data: Table
    sample: Sample


def learn_weights(
    groups: Sequence[tuple[Likelihood, list[int]]],
    tally: Tally,
    form: Form,
    rows: Rows,
    *,
    smoothing: Smoothing,
    priors: PriorsLike,
) -> Floats | None:
    """The best weights of the columns; None where there is nothing to learn them from.

    `groups` are the likelihoods that were estimated from the tally, without weights, and `rows` are all rows in it.
    There is nothing to learn from where the rows are of one class, where each is the only one of its class, and where
    fewer than 100 rows may be used of a table because it has so many columns and classes.
    """
    classes, columns = len(tally.classes), form.columns
    at = chosen_rows(rows.sample, columns * (classes - 1), columns) if classes > 1 else np.empty(0, dtype=np.int64)
    y = rows.sample.codes[at]
    importance = np.ones(len(at)) if rows.sample.weights is None else rows.sample.weights[at]
    removed = _left_out(rows.sample.weights, importance)
    has_others = weight_left(tally.class_counts[y], removed) > 0
    # Without its only row a class has the probability 0: the loss is infinite, whatever the weights are.
    if not has_others.any():
        return None
    if not has_others.all():
        at, y, importance, removed = at[has_others], y[has_others], importance[has_others], removed[has_others]
    margins, prior = Margins(y, removed, classes, columns), Margins(y, removed, classes, 1)
    prior.add_logs(0, prior_of_rows(priors, tally.class_counts, y, removed))
    data = rows.data.take(at)
    for (kind, indices), (likelihood, _) in zip(form.schema.by_kind().items(), groups, strict=True):
        parts, some = [tally.parts[i] for i in indices], [data.columns[i] for i in indices]
        add_margins(kind, likelihood, parts, some, margins, indices, smoothing)
    return best_weights(margins, prior, importance, np.ones(columns))


def order_of_rows(codes: Codes, classes: int) -> Ints | None:
    """The classes in the order of their first rows, those without rows last; None where that is their order already.

    >>> order_of_rows(np.array([1, 1, 0]), 3).tolist()
    [1, 0, 2]
    """
    first = np.full(classes, len(codes))
    present, at = np.unique(codes, return_index=True)
    first[present] = at
    # Stable: classes without rows, all of which come last, keep their order.
    order = np.argsort(first, kind="stable")
    return None if (order == np.arange(classes)).all() else order


def with_classes_in(order: Ints, tally: Tally, sample: Sample) -> tuple[Tally, Sample]:
    """The same tally and sample with the classes in another order, of what one sums over classes."""
    # The inverse of the permutation: where each class goes.
    index = np.argsort(order)
    classes = replace(tally.classes, labels=tally.classes.labels[order])
    parts = tuple(part.reclassed(index, len(order)) for part in tally.parts)
    codes = index.astype(sample.codes.dtype)[sample.codes]
    return (
        Tally(classes, tally.class_counts[order], parts),
        Sample(classes, codes, sample.counts[order], sample.weights),
    )


def best_weights(
    margins: Margins,
    prior: Margins,
    importance: Floats,
    center: Floats,
    *,
    penalty: float = 1.0,
    penalty_of_sum: float = 0.0,
    negligible: float = _NEGLIGIBLE,
) -> Floats:
    """The minimum of the loss and of half the squared distance from `center`, multiplied by the penalty.

    `penalty_of_sum` is that of half the squared difference between the sums of the weights and of `center`.
    Each weight is measured in units of 1/√(curvature of the loss), which halves the number of steps.
    """
    _, _, curvature = margins.loss(center, prior, importance, with_curvature=True)
    # The penalty is added before the root: a column without information has no curvature.
    unit = 1.0 / np.sqrt(penalty + penalty_of_sum + np.asarray(curvature))

    def objective(scaled: Floats) -> tuple[float, Floats]:
        weights = scaled * unit
        loss, gradient, _ = margins.loss(weights, prior, importance)
        away = weights - center
        of_sum = away.sum()
        added = 0.5 * (penalty * _dot(away, away) + penalty_of_sum * of_sum**2)
        return loss + added, (gradient + penalty * away + penalty_of_sum * of_sum) * unit

    return minimize_from(center / unit, objective, negligible=negligible) * unit


def minimize_from(
    start: Floats, objective: Callable[[Floats], tuple[float, Floats]], *, negligible: float = 1e-7
) -> Floats:
    """Minimize a convex function of numbers from 0 up, given with its gradient, by projected L-BFGS.

    Directions are those of L-BFGS (Nocedal, 1980) among the numbers that are above 0 or should rise; steps are cut off
    at 0 (Bertsekas, 1982). The last step is one that lowers the value by `negligible` of itself or less. scipy's
    L-BFGS-B uses BLAS, whose threads wait for one another on a busy machine.

    >>> minimize_from(
    ...     np.ones(2), lambda x: (x[0] ** 2 + (x[1] - 3) ** 2, 2 * (x - [0, 3]))
    ... ).round(6).tolist()
    [0.0, 3.0]
    """
    x, (value, gradient) = start, objective(start)
    history: deque[tuple[Floats, Floats]] = deque(maxlen=_MEMORY)
    for _ in range(_STEPS):
        free = (x > 0) | (gradient < 0)  # a weight at 0 that would fall stays there
        if not (gradient[free] ** 2).sum() > _FLAT:
            break
        step = _direction(np.where(free, gradient, 0.0), history, free)
        next_point = _search(objective, x, value, gradient, step)
        # No half of the step lowers the value: the minimum, to the last digits.
        if next_point is None:
            break
        new, lower, slope = next_point
        history.append((new - x, slope - gradient))
        is_done = value - lower <= negligible * max(abs(value), 1.0)
        x, value, gradient = new, lower, slope
        if is_done:
            break
    return x


def _direction(gradient: Floats, history: Iterable[tuple[Floats, Floats]], free: AnyArray) -> Floats:
    """−H·gradient, H the inverse Hessian that L-BFGS estimates from the last steps; 0 where not free."""
    pairs = [(np.where(free, s, 0.0), np.where(free, y, 0.0)) for s, y in history]
    # Without curvature along a step, the update would divide by about 0 and leave no direction of descent.
    pairs = [(s, y) for s, y in pairs if _dot(s, y) > _FLAT * _dot(y, y)]
    q, shares = -gradient, []
    for s, y in reversed(pairs):
        shares.append(_dot(s, q) / _dot(s, y))
        q = q - shares[-1] * y
    if pairs:
        s, y = pairs[-1]
        q = q * (_dot(s, y) / _dot(y, y))
    for (s, y), share in zip(pairs, reversed(shares), strict=True):
        q = q + (share - _dot(y, q) / _dot(s, y)) * s
    return q


def _search(
    objective: Callable[[Floats], tuple[float, Floats]], x: Floats, value: float, gradient: Floats, step: Floats
) -> tuple[Floats, float, Floats] | None:
    """The next point, its value and gradient: the whole step, or the first of its halves that lowers the value."""
    for _ in range(_HALVES):
        new = np.maximum(x + step, 0.0)
        lower, slope = objective(new)
        if lower <= value + 1e-4 * _dot(gradient, new - x):  # Armijo's condition, with the usual constant
            return new, lower, slope
        step = step * 0.5
    return None


def _dot(a: Floats, b: Floats) -> float:
    return float((a * b).sum())


def chosen_rows(sample: Sample, cells: int, columns: int) -> AnyArray:
    """The indices of the rows that are used; rows of weight 0 are not.

    `cells` is what one row takes. One row is drawn from each of some stretches of equal length, so that neither a table
    in the order of its classes nor one in which they take turns is sampled unevenly.
    """
    weighty = sample.weighty()
    rows = np.arange(len(sample.codes)) if weighty is None else np.flatnonzero(weighty)
    # A row takes cells of the margins, of which there is a budget (`_FEWEST_CELLS`, `_MOST_CELLS`).
    most = min(max(len(rows) * columns // 5, _FEWEST_CELLS), _MOST_CELLS) // max(cells, 1)
    most = min(most, _MOST_ROWS)
    if len(rows) <= most:
        return rows
    if most < _FEWEST_ROWS:
        return rows[:0]
    within = np.random.Generator(np.random.PCG64(0)).random(most)  # fixed: the same table has the same weights
    return rows[((np.arange(most) + within) * (len(rows) / most)).astype(np.int64)]


def _left_out(weights: Floats | None, importance: Floats) -> Floats:
    """What is left out of the counts for each row.

    Weights that are all whole numbers are numbers of equal rows, of which one is left out; other weights are those of
    single rows.
    """
    is_counts = weights is not None and not (weights % 1.0).any()
    return np.minimum(importance, 1.0) if is_counts else importance
