"""The full joint table: Optimal Bayes (Mukund, lecture 15; the first two tables of the Bayesian classifiers note).

    P(j | x_1, …, x_p) ∝ #(class = j, x_1, …, x_p)

No independence is assumed, so the counts of a combination say something only where it occurred; for any other
combination the posterior is the prior.

Cells of a joint table: the combinations of values that occurred, as the states of one wide variable.

A combination is a tuple of labels, so a joint table is a `Counts` like any other: it adds, subtracts and scales.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags

from deciban.decide import Reject
from deciban.decide.rules import Decider
from deciban.errors import ParameterError
from deciban.estimate import MLE, Smoothing, empirical_priors, log_probabilities
from deciban.estimate.drawing import Drawn, DrawnLabels, draw_classes, draw_codes
from deciban.limits import check_memory
from deciban.models.base import DECIDER_CONSTRAINTS, BayesClassifier, Constraints, Rule, SkipOrError
from deciban.models.leave_one_out import LeaveOneOut
from deciban.models.schema import Form, table_of_row
from deciban.read import MISSING, KnownLabels, Table, Variable, distinct, generated_names, object_array, read_table
from deciban.tallies import Counts, Sample, Tally, raise_fault, weight_left
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["JointBayes"]


class JointBayes(LeaveOneOut):
    """Optimal Bayes: classify by the counts of the whole row.

    No independence is assumed. A combination of values is evidence only where it occurred; for any other combination
    the posterior is the prior.

    Parameters
    ----------
    smoothing : Smoothing
        How the cells of the joint table are smoothed; `MLE()` counts only what occurred.
    prior_smoothing : Smoothing
        How the class priors are smoothed.
    rule : {"map", "ml"}
        How to decide: "map" by the posterior; "ml" by the likelihood alone, without the priors.
    loss : array or mapping, optional
        A matrix, truth × decision, or {truth: {decision: cost}}, where costs that are not named are 0 for the right
        decision and 1 for a wrong one. The decision of least expected loss is taken.
    reject : Reject or float, optional
        A `Reject`, or the posterior below which no decision is made: `predict` then returns None.
    missing : {"error", "skip"}
        "skip": rows with missing values count for the priors only, and a missing value in a row to be classified is
        summed out.

    Attributes
    ----------
    tally_ : Tally
        The counts of each combination of values in each class.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_log_prior_ : array
        log P(class).
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    NaiveBayes : Assumes that columns are independent given the class.

    Examples
    --------
    >>> table = JointBayes().fit(
    ...     [["m", "b"], ["g", "q"], ["g", "q"], ["g", "q"]], ["t", "t", "t", "f"]
    ... )
    >>> table.predict_proba([["g", "q"]]).round(3).tolist()
    [[0.333, 0.667]]
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **BayesClassifier._parameter_constraints,
        **DECIDER_CONSTRAINTS,
        "smoothing": [Smoothing],
        "prior_smoothing": [Smoothing],
    }

    def __init__(
        self,
        *,
        smoothing: Smoothing = MLE(),
        prior_smoothing: Smoothing = MLE(),
        rule: Rule = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
        missing: SkipOrError = "error",
    ) -> None:
        self.smoothing, self.prior_smoothing, self.missing = smoothing, prior_smoothing, missing
        self.rule, self.loss, self.reject = rule, loss, reject

    def _read(self, X: Any) -> Table:
        return read_table(X)

    def _as_learned(self, data: Table, form: Form | None) -> Table:
        if not self._is_own(form) or len(data.columns) != self.n_features_in_:
            return data
        pairs = zip(data.columns, self._cells.variables, strict=True)
        return replace(data, columns=tuple(column.read_as(variable) for column, variable in pairs))

    def _tally_as_learned(self, tally: Tally) -> Tally:
        ours = [variable.known_labels for variable in self._cells.variables]
        (part,) = tally.parts
        cells = [tuple(map(KnownLabels.typed, ours, cell)) for cell in part.variable.labels.tolist()]
        variable = Variable(part.variable.name, distinct(object_array(cells)), len(set(cells)))
        table = np.zeros((len(part.table), len(variable)), dtype=part.table.dtype)
        np.add.at(table.T, variable.encode(object_array(cells)), part.table.T)
        return replace(tally, parts=(Counts(variable, table),)).read_as(self.tally_)

    def _read_values(self, row: dict[str, object], names: tuple[str, ...]) -> Table:
        return table_of_row(row, self._form, names)

    def _decider(self) -> Decider:
        return Decider(self._settings.rule, self._settings.loss, self._settings.reject)

    def _accepted(self, tally: Tally) -> Tally:
        part = tally.parts[0] if len(tally.parts) == 1 else None
        if not isinstance(part, Counts) or not all(isinstance(label, tuple) for label in part.variable.labels):
            raise ParameterError("JointBayes takes a tally of one joint table.")
        return tally

    def _names_in(self, tally: Tally) -> tuple[str, ...]:
        return generated_names(len(tally.parts[0].variable.labels[0]))

    def _count(self, data: Table, sample: Sample, form: Form) -> Tally:
        return sample.tally(
            count_cells(data, sample, type(self).__name__, missing_allowed=self._settings.missing == "skip")
        )

    def _estimate(self, tally: Tally, form: Form) -> dict[str, object]:
        return {
            "class_count_": tally.class_counts.astype(np.float64),
            "class_log_prior_": (prior := empirical_priors(tally.class_counts, self._settings.prior_smoothing)),
            "_prior": prior,
            "_cells": Cells.of(tally.parts[0], form.columns),
        }

    def _check_values(self, data: Table) -> None:
        for column in data.columns:
            if self._settings.missing == "error" and column.has_missing:
                raise_fault(("missing", column.first_missing(), 0), type(self).__name__, (column.name,))

    def _likelihood(self, data: Table) -> Floats:
        """log P(row | class): of each row's cell, or of all cells that agree with what is known of it."""
        counts, states = self._cells.counts_of(data)
        size = float(self._cells.size)
        pseudo = self._settings.smoothing.pseudocount(self._cells.size, len(self.classes_))
        return log_probabilities(counts, pseudo * states[:, None], self._cells.totals + pseudo * size)

    def _left_out_likelihood(self, data: Table, y: Codes, weights: Floats) -> Floats:
        """Exact: the row is removed from its cell, and a value that no other row has is no state of its column."""
        counts, states = self._cells.counts_of(data)
        own, sizes = self._cells.without_own(data, weights)
        is_own = np.arange(len(self.classes_)) == y[:, None]
        counts = np.where(is_own, weight_left(counts, own[:, None]), counts)
        totals = np.where(is_own, weight_left(self._cells.totals, own[:, None]), self._cells.totals)
        # A smoothing gives its pseudo-count for one number of cells, and few different numbers occur.
        each, indices = np.unique(sizes, return_inverse=True)
        classes = len(self.classes_)
        pseudo = np.array([self._settings.smoothing.pseudocount(int(size), classes) for size in each.tolist()])[indices]
        return log_probabilities(counts, (pseudo * states)[:, None], totals + (pseudo * sizes)[:, None])

    def _joint(self, data: Table) -> Floats:
        return self._scores(data, "joint")

    def _free_parameters(self) -> int:
        """One fewer than cells in each class."""
        return len(self.classes_) * (self._cells.size - 1)

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[Codes, list[Drawn]]:
        y = draw_classes(self._prior, n, rng)
        added = self._settings.smoothing.pseudocount(self._cells.size, len(self.classes_)) * self._cells.size
        columns = zip(self._cells.variables, self._cells.draw(y, added, rng), strict=True)
        return y, [DrawnLabels.of(variable.labels, codes) for variable, codes in columns]

    def _prior_rule(self) -> Smoothing:
        return self._settings.prior_smoothing

    def _column_evidence(self, data: Table) -> Floats:
        """The joint table has one factor for the whole row: its logarithm is divided equally among the columns."""
        whole = self._likelihood(data)[:, None, :]
        return np.repeat(whole / self.n_features_in_, self.n_features_in_, axis=1)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def count_cells(table: Table, sample: Sample, owner: str, *, missing_allowed: bool) -> Counts:
    """Count each class's rows in each cell; rows with a missing value belong to no cell."""
    rows = sample.weighty()
    if rows is not None:
        table, sample = table.take(rows), sample.take(rows)
    variables = tuple(column.variable() for column in table.columns)
    codes = table.codes(variables)
    complete = (codes != MISSING).all(axis=1)
    if not complete.all() and not missing_allowed:
        row, column = np.argwhere(codes == MISSING)[0].tolist()
        raise_fault(("missing", row, column), owner, table.names)
    cells, indices = np.unique(_keys(codes[complete], [len(v) for v in variables]), return_inverse=True)
    _, first = np.unique(indices, return_index=True)
    labels = _tuples(codes[complete][first], variables)
    at = indices + len(cells) * sample.codes[complete].astype(np.int64)
    weights = None if sample.weights is None else sample.weights[complete]
    check_memory("the joint table, classes × cells that occur,", len(sample.classes), len(cells), itemsize=16)
    counts = np.bincount(at, weights, len(cells) * len(sample.classes)).reshape(len(sample.classes), len(cells))
    variable = Variable(" × ".join(table.names), distinct(labels), len(labels))
    order = variable.encode(labels)
    ordered = np.empty_like(counts)
    ordered[:, order] = counts
    return Counts(variable, ordered)


@dataclass(frozen=True)
class Cells:
    """The cells of a tally, coded column by column, and each class's count in each."""

    variables: tuple[Variable, ...]
    codes: Codes
    counts: AnyArray

    @classmethod
    def of(cls, counts: Counts, columns: int) -> Cells:
        """Split the tuples into columns of codes."""
        values = [object_array(label[i] for label in counts.variable.labels.tolist()) for i in range(columns)]
        variables = tuple(Variable.of(f"x{i}", column) for i, column in enumerate(values))
        codes = np.empty((len(counts.variable), columns), dtype=np.int32)
        for i, (variable, column) in enumerate(zip(variables, values, strict=True)):
            codes[:, i] = variable.encode(column)
        return cls(variables, codes, counts.table)

    @property
    def size(self) -> int:
        """The number of combinations that the columns' states could make."""
        return prod(max(len(variable), 1) for variable in self.variables)

    @property
    def totals(self) -> AnyArray:
        return self.counts.sum(axis=1)

    def counts_of(self, table: Table) -> tuple[Floats, Floats]:
        """Each row's counts by class, and the number of cells summed: more than one where a value is missing."""
        codes = table.codes(self.variables)
        known = codes != MISSING
        check_memory("the scores of rows × classes", len(codes), len(self.counts), advice="Pass fewer rows at a time.")
        counts = np.zeros((len(codes), len(self.counts)))
        states = np.ones(len(codes))
        # Rows that miss the same columns are summed together: there are few patterns, and many rows.
        patterns, pattern_of = np.unique(known, axis=0, return_inverse=True)
        for i, pattern in enumerate(patterns):
            rows = np.flatnonzero(pattern_of.ravel() == i)
            counts[rows] = self._marginal_counts(codes[np.ix_(rows, pattern)], pattern)
            states[rows] = prod(len(v) for v, is_known in zip(self.variables, pattern, strict=True) if not is_known)
        return counts, states

    def draw(self, y: Codes, added: float, rng: np.random.Generator) -> Codes:
        """Codes, columns × rows, given the classes of the rows; `added` is the sum of the pseudo-counts.

        A smoothed table is a mixture: of the counts, and of all combinations of states, each as likely.
        """
        if not len(self.codes):
            return np.full((len(self.variables), len(y)), MISSING, dtype=np.int32)
        totals = self.totals.astype(np.float64)
        whole = totals + added
        counted = np.divide(totals, whole, out=np.zeros(len(totals)), where=whole > 0)
        shares = self.counts / np.where(totals > 0, totals, 1.0)[:, None]
        out = self.codes[draw_codes(shares, y, rng)].T.copy()
        # Drawn from the uniform part of the mixture, each column on its own.
        others = np.flatnonzero(rng.random(len(y)) >= counted[y])
        for i, variable in enumerate(self.variables):
            out[i, others] = rng.integers(max(len(variable), 1), size=len(others))
        return out

    def without_own(self, table: Table, weights: Floats) -> tuple[Floats, Floats]:
        """The weight that each row has in its cell, and the number of combinations that remain without the row."""
        codes = table.codes(self.variables)
        own = np.where((codes != MISSING).all(axis=1), weights, 0.0)
        sizes = np.ones(len(codes))
        for i, variable in enumerate(self.variables):
            whole = np.bincount(self.codes[:, i], self.counts.sum(axis=0), len(variable) + 1)
            # A value that only this row has would be no state of its column without the row.
            alone = (own > 0) & (weight_left(whole[codes[:, i]], own) == 0)
            sizes *= np.maximum(len(variable) - alone, 1)
        return own, sizes

    def _marginal_counts(self, rows: Codes, known: AnyArray) -> AnyArray:
        """Counts by class of the cells that agree with each row in the known columns."""
        if not known.any():
            return np.broadcast_to(self.totals, (len(rows), len(self.totals)))
        sizes = [len(v) + 1 for v, is_known in zip(self.variables, known, strict=True) if is_known]
        keys = _keys(np.concatenate([self.codes[:, known], rows]), sizes)
        cells, wanted = keys[: len(self.codes)], keys[len(self.codes) :]
        groups, indices = np.unique(cells, return_inverse=True)
        # The last row is that of combinations that never occurred.
        sums = np.zeros((len(groups) + 1, len(self.counts)))
        np.add.at(sums, indices, self.counts.T)
        at = np.minimum(np.searchsorted(groups, wanted), max(len(groups) - 1, 0))
        occurred = groups[at] == wanted if len(groups) else np.zeros(len(wanted), dtype=bool)
        return sums[np.where(occurred, at, len(groups))]


def _keys(codes: Codes, sizes: list[int]) -> Ints:
    """One number for each row, equal where the rows are equal: mixed radix, renumbered before it can overflow."""
    keys = np.zeros(len(codes), dtype=np.int64)
    room = 1
    for i, size in enumerate(sizes):
        # One bit below the sign of int64 stays free, so that no key can overflow before this is seen.
        if room * (size + 1) >= 1 << 62:
            keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
            room = len(keys) + 1
        keys = keys * (size + 1) + codes[:, i]
        room *= size + 1
    return keys


def _tuples(codes: Codes, variables: tuple[Variable, ...]) -> AnyArray:
    columns = [variable.labels[codes[:, i]].tolist() for i, variable in enumerate(variables)]
    return object_array(zip(*columns, strict=True))
