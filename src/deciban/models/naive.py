"""Naive Bayes for a table as it is: mixed columns, missing values, labels that come later.

    P(j | x_1, …, x_p) ∝ P(j)·Π_i P(x_i | j)

where each column has a distribution of its own (Zhu, items 4 to 11).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import StrOptions

from deciban.decide import NO_DECISION, Reject, finish
from deciban.errors import InputError, ParameterError
from deciban.estimate import (
    Categorical,
    Distribution,
    Gaussian,
    Kernel,
    Laplace,
    Likelihood,
    Smoothing,
    association,
    empirical_priors,
    settle_priors,
)
from deciban.explain import Explanation, Nomogram, explain
from deciban.models.form import Form
from deciban.models.nomogram import make_nomogram
from deciban.models.online import OnlineClassifier
from deciban.models.schema import ColumnPlan, Schema, plan_columns, wanted_columns
from deciban.models.selection import without_columns
from deciban.read import Matrix, Table, read_table, read_target
from deciban.tally import Counts, Moments, Sample, Sketch, Tally
from deciban.types import Codes, Floats

__all__ = ["NaiveBayes"]


class NaiveBayes(OnlineClassifier):
    """One naive Bayes model for a mixed, incomplete table.

    Parameters
    ----------
    columns : "auto" picks each column's distribution from its type and values (`schema_` says which, and why); a
        mapping from names to distributions overrides it; one distribution is for all columns
    smoothing : of categorical columns
    priors : "empirical"; "uniform"; a Smoothing, for smoothed frequencies; or probabilities, by label or in class order
    missing : "skip": a missing value says nothing; "state": of a categorical column it is a state of its own; or
        "error". None, NaN, NaT, pandas.NA and nulls are missing
    na_values : further values that stand for missing ones, like "?"
    unseen : of a label that fit never saw: "smooth", one counted 0 times; "ignore", no evidence; or "error"
    rule : "map", or "ml", which leaves the priors out
    loss : a matrix, truth × decision; the decision of least expected loss is taken
    reject : a `Reject`, or the posterior below which no decision is made: `predict` then gives None

    Attributes
    ----------
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

    # Learning ------------------------------------------------------------------------------------------------------

    def _read(self, X: Any) -> Table:
        table = read_table(X)
        markers = self._markers()
        return replace(table, columns=tuple(column.without(markers) for column in table.columns)) if markers else table

    def _form_of(self, data: Matrix | Table) -> Form:
        table = data if isinstance(data, Table) else read_table(data.dense(), data.given_names)
        return replace(super()._form_of(data), schema=plan_columns(table, self.columns, self._defaults()))

    def _count(self, data: Table, sample: Sample, form: Form) -> Tally:
        plans = form.schema
        owner = type(self).__name__
        return sample.tally(
            *(plan.distribution.count(column, sample, owner) for plan, column in zip(plans, data.columns, strict=True))
        )

    def _accepted(self, tally: Tally) -> Tally:
        if not all(isinstance(part, Counts | Moments | Sketch) and len(part.names) == 1 for part in tally.parts):
            raise ParameterError("NaiveBayes takes a tally with a part for each column, as db.tally makes it.")
        return tally

    def _form_of_tally(self, tally: Tally) -> Form:
        defaults = self._defaults()
        wanted = wanted_columns(self.columns, tally.names)
        kinds = {part.names[0]: wanted.get(part.names[0]) or _usual(part) for part in tally.parts}
        plans = (ColumnPlan(name, defaults.settle(kind), "as the tally counts it") for name, kind in kinds.items())
        return replace(super()._form_of_tally(tally), schema=Schema(tuple(plans)))

    def decay(self, half_life: float, steps: float = 1.0) -> Self:
        """Let what was learned so far age by `steps`: after `half_life` of them it counts for half as much."""
        self._check_fitted()
        if not half_life > 0 or not steps >= 0:
            raise ParameterError(f"half_life is above 0 and steps not below, not {half_life} and {steps}.")
        return self._adopt(self.tally_.scaled(0.5 ** (steps / half_life)), self._form)

    def associations(self, measure: str = "mi") -> dict[str, float]:
        """How much each column says of the class: "mi", "chi2" or "su" (symmetrical uncertainty), most first."""
        self._check_fitted()
        used = [(plan.name, part) for plan, part in zip(self.schema_, self.tally_.parts, strict=True)]
        found = {name: association(part, measure) for name, part in used}
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def select(self, k: int, measure: str = "mi") -> Self:
        """Make a model of the k columns that say most of the class, the others ignored. Nothing is counted again."""
        kept = set(list(self.associations(measure))[:k])
        return clone(self)._adopt(*without_columns(self.tally_, self._form, kept))

    # Estimating ----------------------------------------------------------------------------------------------------

    def _estimate(self, tally: Tally, form: Form) -> dict[str, Any]:
        groups = form.schema.by_kind()
        likelihoods = [(kind.estimate([tally.parts[i] for i in places]), places) for kind, places in groups.items()]
        prior = settle_priors(self.priors, tally.class_counts, tally.classes.labels.tolist())
        return {
            "schema_": form.schema,
            "class_count_": tally.class_counts.astype(np.float64),
            "class_prior_": np.exp(prior),
            "_prior": prior,
            "_likelihoods": likelihoods,
        }

    # Scoring -------------------------------------------------------------------------------------------------------

    def _likelihood(self, data: Table) -> Floats:
        out = np.zeros((len(data), len(self.classes_)))
        for likelihood, places in self._groups():
            out += likelihood.rows([data.columns[i] for i in places])
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

    def loo_predict_proba(self, X: Any, y: Any) -> Floats:
        """P(class | row) of the rows that were learned, each as if it had not been: exact, and without a refit.

        The model must have been fitted on these very rows, without weights. A row's own counts are taken out of its
        class; `calibrate` fits on such posteriors.
        """
        self._check_fitted()
        data = self._read(X)
        self._check_columns(data)
        target = read_target(y, len(data))
        codes = self.tally_.classes.encode(target.classes.labels)[target.codes]
        if len(data) != self.tally_.total or (codes == len(self.classes_)).any():
            raise InputError("leaving one out needs the rows that the model was fitted on, all of them, unweighted.")
        joint = self._prior_without_own(codes)
        for kind, places in self.schema_.by_kind().items():
            parts, columns = [self.tally_.parts[i] for i in places], [data.columns[i] for i in places]
            joint += kind.leave_one_out(parts, columns, codes).sum(axis=1)
        return finish(joint, self._prior, "posterior")

    def _honest_posterior(self, X: Any, y: Any) -> Floats:
        if len(self._read(X)) == self.tally_.total:
            return self.loo_predict_proba(X, y)
        return self.predict_proba(X)

    def _prior_without_own(self, codes: Codes) -> Floats:
        """log priors of each row, from the class counts without it."""
        if not isinstance(self.priors, Smoothing) and self.priors != "empirical":
            return np.tile(self._prior, (len(codes), 1))
        counts = self.tally_.class_counts.astype(np.float64)
        smoothing = self.priors if isinstance(self.priors, Smoothing) else None
        by_class = [empirical_priors(counts - own, smoothing) for own in np.eye(len(counts))]
        return np.array(by_class)[codes]

    def explain(self, row: Any, against: Any = None) -> Explanation:
        """Show the arithmetic of one row's prediction: a mapping of names to values, or a table of one row."""
        row = row.to_dict() if hasattr(row, "to_dict") and getattr(row, "ndim", 0) == 1 else row
        table = {name: [value] for name, value in row.items()} if _is_one_row(row) else row
        data = self._read(table)
        if len(data) != 1:
            raise ParameterError(f"explain takes one row, not {len(data)}.")
        evidence = self.evidence(table)
        if self.rule == "ml":  # then the priors have no say
            evidence = replace(evidence, prior=np.zeros_like(evidence.prior))
        likelihood = evidence.columns.sum(axis=1)
        code = int(self._decide(likelihood)[0])
        label = None if code == NO_DECISION else self.classes_[code]
        values = [column.value(0) for column in data.columns]
        is_impossible = bool(np.isneginf(evidence.joint).all())
        return explain(evidence, values, label, against, is_impossible=is_impossible)

    def nomogram(self, label: Any = None, against: Any = None) -> Nomogram:
        """The whole model: what each column's values weigh for a class against another (the last against the first)."""
        self._check_fitted()
        return make_nomogram(self.tally_, self._prior.tolist(), self._groups(), (label, against))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.string = True
        tags.input_tags.categorical = False
        return tags


def _usual(part: Counts | Moments | Sketch) -> Distribution:
    if isinstance(part, Sketch):
        return Kernel()
    return Categorical() if isinstance(part, Counts) else Gaussian()


def _is_one_row(row: Any) -> bool:
    """True for a mapping of names to single values."""
    if not isinstance(row, Mapping):
        return False
    return all(isinstance(value, str | bytes) or not hasattr(value, "__len__") for value in row.values())
