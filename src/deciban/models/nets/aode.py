"""Averaged one-dependence estimators (Webb, Boughton and Wang, 2005).

    P(j, x) = (1/n)·Σ_i P(j)·P(x_i | j)·Π_k P(x_k | x_i, j)

Each of the n models in the mean lets every column depend on the class and on one column, the same for all; no model is
chosen, and nothing is searched. A column has a model in the mean where its value was seen in at least `least` rows;
where no column has, naive Bayes decides. With n = 2 every column of a model depends on two (A2DE: Webb et al., 2012).
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar

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
from deciban.read import Table
from deciban.tallies import Tally
from deciban.tallies.crossed import sets_of_size
from deciban.types import AnyArray, Codes, Floats

__all__ = ["AODE"]


class AODE(CodedClassifier):
    """The mean of all models in which every column depends on the class and one other column.

    Parameters
    ----------
    columns : "auto": labels and small whole numbers are `Categorical`, other numbers are cut by minimum description
        length, once, when the model first sees rows (`schema_` has the cuts; what is learned later falls into the same
        bins); a mapping from names to `Categorical`, `Binned`, `Cut` or `Ignore` overrides it; the `schema_` of another
        model takes over its columns and cuts, so that the two can be merged
    n : on how many columns each model lets the others depend: 1, or 2 for tables of few columns (A2DE)
    least : the rows that a value must have been seen in for its column's model to be in the mean (30 in the paper)
    smoothing : of P(x | class)
    strength : the virtual rows by which P(x | parent, class) falls back on P(x | class)
    priors : "empirical"; "uniform"; a Smoothing; or probabilities, by label or in class order
    missing : "skip": a row counts in the pairs that it has, and what is missing in a row to be classified is summed
        out, which leaves out its factor, and its column's model from the mean; "state"; or "error"
    unseen : of a label that fit never saw: "smooth", one counted 0 times; "ignore", as if missing; or "error"
    na_values : further values that stand for missing ones, like "?"
    rule, loss, reject : how to decide, as in `NaiveBayes`

    Attributes
    ----------
    schema_ : for each column its name, how it is coded, and the reason for it
    tally_ : the counts of all columns and of all pairs of them
    classes_, class_prior_, class_count_, n_features_in_, feature_names_in_

    Notes
    -----
    `evidence` weighs what the models say of a column by how well each explains the row, w_i ∝ P(x | j, model i); what
    the mean adds, −Σ w·log w − log n, belongs to no column and stands beside them as "(averaging)": 0 where all models
    agree, and never below −log n.

    Examples
    --------
    Two switches that turn the lamp on when they differ: each alone says nothing.

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
        n: int = 1,
        least: float = 1,
        smoothing: Smoothing = Laplace(),
        strength: float = 1.0,
        priors: Any = "empirical",
        missing: str = "skip",
        unseen: str = "smooth",
        na_values: Sequence[Any] = (),
        rule: str = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
    ) -> None:
        self.columns = columns
        self.n = n
        self.least = least
        self.smoothing = smoothing
        self.strength = strength
        self.priors = priors
        self.missing = missing
        self.unseen = unseen
        self.na_values = na_values
        self.rule = rule
        self.loss = loss
        self.reject = reject

    def _sets(self, form: Form) -> AnyArray:
        pairs = sets_of_size(form.columns, 2)
        if self.n == 1:
            return pairs
        wide = np.pad(pairs, ((0, 0), (0, 1)), constant_values=-1)
        return np.concatenate([wide, sets_of_size(form.columns, 3)])

    def _made(self, tally: Tally, form: Form) -> dict[str, Any]:  # noqa: ARG002  the counts say it all
        settings = self.smoothing, float(self.strength), float(self.least), self.n
        return {"_tables": Lazy(Averages, tally.parts[0], *settings)}

    def _score_codes(self, codes: Codes) -> Floats:
        averages: Averages = self._tables.get()
        return averages.score(codes)

    def _score_left_out(self, left: LeftOut) -> Floats:
        return average_without(left, float(self.least), self.n)

    def _weigh_codes(self, codes: Codes) -> Floats:
        averages: Averages = self._tables.get()
        return averages.weigh(codes)

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
