"""Naive Bayes for a table as it is: mixed columns, missing values, labels that come later.

    P(j | x_1, …, x_p) ∝ P(j)·Π_i P(x_i | j)

where each column has a distribution of its own (Zhu, items 4 to 11).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils._param_validation import StrOptions

from deciban.decide import Reject
from deciban.errors import ParameterError
from deciban.estimate import (
    Laplace,
    Likelihood,
    Smoothing,
    settle_priors,
)
from deciban.estimate.columns.missing import (
    as_counted,
    count_column,
    distribution_of_part,
    estimate_columns,
    is_of_column,
)
from deciban.explain import Nomogram
from deciban.models.base import BayesClassifier
from deciban.models.form import Form
from deciban.models.parts.online import OnlineClassifier
from deciban.models.tables.identifiers import judge_columns
from deciban.models.tables.nomogram import make_nomogram
from deciban.models.tables.schema import (
    ColumnPlan,
    Schema,
    check_same_kinds,
    plan_columns,
    wanted_columns,
)
from deciban.models.tables.selection import Selecting
from deciban.read import Matrix, Table, read_table
from deciban.tallies import Sample, Tally
from deciban.types import Floats

__all__ = ["NaiveBayes"]


class NaiveBayes(Selecting, OnlineClassifier):
    """One naive Bayes model for a mixed, incomplete table.

    Parameters
    ----------
    columns : "auto" picks each column's distribution from its type and values (`schema_` says which, and why), and
        ignores identifiers, with a `DecibanWarning`; a mapping from names to distributions overrides it; one
        distribution is for all columns
    smoothing : of categorical columns, and of how often values are missing
    priors : "empirical"; "uniform"; a Smoothing, for smoothed frequencies; or probabilities, by label or in class order
    missing : "skip": a missing value says nothing; "state": that it is missing is evidence, as a label of its own in a
        categorical column, with a probability of its own in others; or "error". None, NaN, NaT, pandas.NA and nulls
        are missing
    na_values : further values that stand for missing ones, like "?"
    unseen : of a label that fit never saw: "smooth", one counted 0 times; "ignore", no evidence; or "error"
    rule : "map", or "ml", which leaves the priors out
    loss : a matrix, truth × decision, or {truth: {decision: cost}}, where what is not named costs 0 if it is right and
        1 if it is wrong; the decision of least expected loss is taken
    reject : a `Reject`, or the posterior below which no decision is made: `predict` then gives None
    weights : of the columns, in log P(j) + Σ_i w_i·log P(x_i | j): 1 each when None; "mi", by mutual information with
        the class; "wanbia", those that `fit` finds to make log P(y | x) of its rows largest, which what is learned
        later keeps (see `deciban.models.parts.weighing`); or numbers from 0 up, by name or in the order of the columns

    Attributes
    ----------
    weights_ : for each column its weight
    schema_ : for each column its name, its distribution and the reason for it
    tally_, classes_, class_prior_, class_count_, n_features_in_, feature_names_in_

    Examples
    --------
    >>> table = {"sky": ["sun", "sun", "rain", None], "warm": [21.5, 18.0, 9.5, 12.0]}
    >>> model = NaiveBayes().fit(table, ["play", "play", "stay", "stay"])
    >>> model.predict({"sky": ["sun", "hail"], "warm": [20.0, None]}).tolist()
    ['play', 'stay']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineClassifier._parameter_constraints,
        "smoothing": [Smoothing],
        "missing": [StrOptions({"skip", "state", "error"})],
        "unseen": [StrOptions({"smooth", "ignore", "error"})],
    }

    def __init__(
        self,
        columns: Any = "auto",
        *,
        smoothing: Smoothing = Laplace(),
        priors: Any = "empirical",
        missing: str = "skip",
        unseen: str = "smooth",
        na_values: Sequence[Any] = (),
        rule: str = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
        weights: Any = None,
    ) -> None:
        self.columns = columns
        self.smoothing = smoothing
        self.priors = priors
        self.missing = missing
        self.unseen = unseen
        self.na_values = na_values
        self.rule = rule
        self.loss = loss
        self.reject = reject
        self.weights = weights

    # Learning ------------------------------------------------------------------------------------------------------

    def _read(self, X: Any) -> Table:
        table = read_table(X)
        markers = self._markers()
        return replace(table, columns=tuple(column.without(markers) for column in table.columns)) if markers else table

    def _form_of(self, data: Matrix | Table) -> Form:
        table = data if isinstance(data, Table) else read_table(data.dense(), data.given_names)
        return replace(super()._form_of(data), schema=plan_columns(table, self.columns, self._defaults()))

    def _form_of_sample(self, data: Table, sample: Sample) -> Form:
        form = self._form_of(data)
        return replace(form, schema=judge_columns(form.schema, data, sample, wanted_columns(self.columns, data.names)))

    def _count(self, data: Table, sample: Sample, form: Form) -> Tally:
        plans = form.schema
        owner = type(self).__name__
        return sample.tally(
            *(
                count_column(plan.distribution, column, sample, owner)
                for plan, column in zip(plans, data.columns, strict=True)
            )
        )

    def _accepted(self, tally: Tally) -> Tally:
        if not all(is_of_column(part) for part in tally.parts):
            raise ParameterError("NaiveBayes takes a tally with a part for each column, as db.tally makes it.")
        return tally

    def _form_of_tally(self, tally: Tally) -> Form:
        defaults = self._defaults()
        wanted = wanted_columns(self.columns, tally.names)
        parts = dict(zip(tally.names, tally.parts, strict=True))
        kinds = {name: wanted.get(name) or distribution_of_part(part) for name, part in parts.items()}
        plans = (
            ColumnPlan(name, as_counted(defaults.settle(kind), parts[name]), "as the tally counts it")
            for name, kind in kinds.items()
        )
        return replace(super()._form_of_tally(tally), schema=Schema(tuple(plans)))

    def merge(self, other: BayesClassifier) -> Self:
        if isinstance(other, NaiveBayes) and self._is_fitted() and other._is_fitted():
            check_same_kinds(self.schema_, other.schema_)
        return super().merge(other)

    def decay(self, half_life: float, steps: float = 1.0) -> Self:
        """Let what was learned so far age by `steps`: after `half_life` of them it counts for half as much."""
        self._check_fitted()
        if not half_life > 0 or not steps >= 0:
            raise ParameterError(f"half_life is above 0 and steps not below, not {half_life} and {steps}.")
        return self._adopt(self.tally_.scaled(0.5 ** (steps / half_life)), self._form)

    # Estimating ----------------------------------------------------------------------------------------------------

    def _estimate(self, tally: Tally, form: Form) -> dict[str, Any]:
        groups = form.schema.by_kind()
        plain = [
            (estimate_columns(kind, [tally.parts[i] for i in places], self.smoothing), places)
            for kind, places in groups.items()
        ]
        prior = settle_priors(self.priors, tally.class_counts, tally.classes.labels.tolist())
        return {
            "schema_": form.schema,
            "class_count_": tally.class_counts.astype(np.float64),
            "class_prior_": np.exp(prior),
            "_prior": prior,
            **self._weighed(plain, tally, form),
        }

    # Scoring -------------------------------------------------------------------------------------------------------

    def _likelihood(self, data: Table) -> Floats:
        parts = [likelihood.rows([data.columns[i] for i in places]) for likelihood, places in self._groups()]
        out = parts[0]
        for part in parts[1:]:
            out += part
        return out

    def _column_evidence(self, data: Table) -> Floats:
        out = np.zeros((len(data), len(data.columns), len(self.classes_)))
        for likelihood, places in self._groups():
            out[:, places] = likelihood.columns([data.columns[i] for i in places])
        return out

    def _groups(self) -> list[tuple[Likelihood, list[int]]]:
        return self._likelihoods

    def _check_values(self, data: Table) -> None:
        for plan, column in zip(self.schema_, data.columns, strict=True):
            plan.distribution.check(column, type(self).__name__)

    def nomogram(
        self, label: Any = None, against: Any = None, *, max_columns: int = 15, max_values: int = 12
    ) -> Nomogram:
        """The whole model: what each column's values weigh for one class against another.

        Parameters
        ----------
        label, against : the two classes; the last and the first when None
        max_columns : how many columns are shown: those whose weights differ most
        max_values : how many labels, bins or tokens of a column: those that say most in all rows together
        """
        self._check_fitted()
        limits = int(max_columns), int(max_values)
        if min(limits) < 1:
            raise ParameterError(f"max_columns and max_values are at least 1, not {max_columns} and {max_values}.")
        return make_nomogram(self.tally_, self.schema_, self._prior.tolist(), self._groups(), (label, against), limits)
