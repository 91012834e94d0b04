"""Averaged one-dependence estimators (Webb, Boughton and Wang, 2005).

    P(j, x) = (1/n)·Σ_i P(j)·P(x_i | j)·Π_k P(x_k | x_i, j)

In each of the n models of the average, every column depends on the class and on one column, the same for all; there is
no model selection and no search. The model of a column is used where the column's value occurred in at least `least`
rows; where no column has such a value, the model is naive Bayes. With n = 2 every column of a model depends on two
columns (A2DE: Webb et al., 2012).
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils._param_validation import Interval, Options

from deciban.decide import Reject
from deciban.estimate import Laplace, Smoothing
from deciban.explain import Explanation, MeanExplanation
from deciban.models.form import Form
from deciban.models.lazy import Lazy
from deciban.models.nets.averages import Averages, average_without
from deciban.models.nets.coded import CodedClassifier
from deciban.models.nets.leave_one_out import LeftOut
from deciban.models.options import Missing, Rule, Unseen
from deciban.read import Table
from deciban.tallies import Tally
from deciban.tallies.crossed import sets_of_size
from deciban.types import AnyArray, Floats

__all__ = ["AODE"]


class AODE(CodedClassifier):
    """The average of all models in which every column depends on the class and one other column.

    Parameters
    ----------
    columns : "auto": labels and small whole numbers are `Categorical`; other numbers are cut into bins by minimum
        description length, from the first rows (`schema_` has the cuts; rows that are learned later use the same
        bins); a mapping from names to `Categorical`, `Binned`, `Cut` or `Ignore` overrides it; pass the `schema_` of
        another model to use its columns and cuts, so that the two can be merged
    n : the number of columns on which the others depend: 1, or 2 for tables of few columns (A2DE)
    least : the least number of rows with a value for its column's model to be used (30 in the paper)
    smoothing : of P(x | class)
    strength : the number of virtual rows by which P(x | parent, class) is shrunk to P(x | class)
    priors : "empirical"; "uniform"; a Smoothing; or probabilities, by label or in class order
    missing : "skip": a row counts in the pairs of columns that it has, and missing values of a row to be classified are
        summed out, so that their factors and their columns' models are not used; "state"; or "error"
    unseen : a label that was not there in fit: "smooth", a label counted 0 times; "ignore", as if missing; or "error"
    na_values : further values that stand for missing ones, like "?"
    rule, loss, reject : how to decide, as in `NaiveBayes`

    Attributes
    ----------
    schema_ : for each column its name, how it is coded, and the reason for it
    tally_ : the counts of all columns and of all pairs of them
    classes_, class_prior_, class_count_, n_features_in_, feature_names_in_

    Notes
    -----
    `evidence` is the mean of the models' evidence, weighted by how well each explains the row, w_i ∝ P(x | j, model i).
    The part −Σ w·log w − log n, which the averaging adds, belongs to no column and is listed as "(averaging)": 0 where
    all models agree, and never below −log n.

    Examples
    --------
    Two switches that turn the lamp on when they differ: each alone is independent of the lamp.

    >>> rows = [["up", "up"], ["up", "down"], ["down", "up"], ["down", "down"]] * 9
    >>> lamp = ["off", "on", "on", "off"] * 9
    >>> AODE().fit(rows, lamp).predict([["up", "down"], ["down", "down"]]).tolist()
    ['on', 'off']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CodedClassifier._parameter_constraints,
        "n": [Options(int, {1, 2})],
        "least": [Interval(Real, 1, None, closed="left")],
    }

    def __init__(
        self,
        columns: Any = "auto",
        *,
        n: Literal[1, 2] = 1,
        least: float = 1,
        smoothing: Smoothing = Laplace(),
        strength: float = 1.0,
        priors: Any = "empirical",
        missing: Missing = "skip",
        unseen: Unseen = "smooth",
        na_values: Sequence[Any] = (),
        rule: Rule = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
    ) -> None:
        self.columns, self.n, self.least = columns, n, least
        self.smoothing, self.strength, self.priors = smoothing, strength, priors
        self.missing, self.unseen, self.na_values = missing, unseen, na_values
        self.rule, self.loss, self.reject = rule, loss, reject

    def _sets(self, form: Form) -> AnyArray:
        pairs = sets_of_size(form.columns, 2)
        if self.n == 1:
            return pairs
        wide = np.pad(pairs, ((0, 0), (0, 1)), constant_values=-1)
        return np.concatenate([wide, sets_of_size(form.columns, 3)])

    def _made(self, tally: Tally, form: Form) -> dict[str, Any]:  # noqa: ARG002
        settings = self.smoothing, float(self.strength), float(self.least), self.n
        return {"_tables": Lazy(Averages, tally.parts[0], *settings)}

    def _score_left_out(self, left: LeftOut) -> Floats:
        return average_without(left, float(self.least), self.n)

    def _with_factors(self, plain: Explanation, data: Table, values: list[Any]) -> Explanation:
        codes = self._codes(data)
        averages: Averages = self._tables.get()
        names = self._names()
        models = [
            (" and ".join(f"{names[c]} = {values[c]}" for c in columns) or "naive", tuple(logs.tolist()))
            for columns, logs in averages.models(codes)
        ]
        return MeanExplanation.of(plain, models)

    def _remainders(self) -> tuple[str, ...]:
        return ("(averaging)",)
