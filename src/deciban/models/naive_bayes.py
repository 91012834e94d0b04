"""Naive Bayes for a table as it is: mixed columns, missing values, labels that come later.

    P(j | x_1, …, x_p) ∝ P(j)·Π_i P(x_i | j)

where each column has a distribution of its own (Zhu, items 4 to 11).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from deciban.choices import did_you_mean
from deciban.decide import Reject
from deciban.decide.rules import Decider, by_blocks
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.estimate import Ignore, Laplace, Likelihood, Smoothing
from deciban.estimate.closed_form import ClosedForm
from deciban.estimate.distributions.ignore import no_counts
from deciban.estimate.drawing import Drawn, draw_classes
from deciban.estimate.likelihood import Contest
from deciban.estimate.live import Setting
from deciban.estimate.missing import association, count_column, count_parameters, examples, is_of_column
from deciban.estimate.values import Example
from deciban.explain import Explanation, Nomogram, Scale
from deciban.models.estimates import (
    COLUMN_WEIGHTS,
    Estimates,
    follow_counts,
    is_learned,
    left_out_columns,
    left_out_likelihood,
    settle_weights,
)
from deciban.models.exported import SqlClassifier
from deciban.models.form import Form, table_of_row
from deciban.models.learned_weights import Rows, learn_weights, order_of_rows, with_classes_in
from deciban.models.parameters import Measure, MissingOrAuto, Rule, Unseen, words
from deciban.models.schema import (
    ColumnPlan,
    Schema,
    check_probabilities,
    check_same_kinds,
    choose_columns,
    judge_columns,
    plan_columns,
    plan_tally,
    wanted_columns,
)
from deciban.models.single_rows import LiveCounter, check_label, form_of_first_row
from deciban.models.table_classifier import TABLE_CONSTRAINTS, TableClassifier, markers_of
from deciban.read import Matrix, Table, generated_names, plain, read_row, read_table, read_target
from deciban.tallies import Sample, Tally
from deciban.ties import largest_first
from deciban.turns import turn
from deciban.types import Codes, Floats
from deciban.units import decibans_from_nats

__all__ = ["NaiveBayes"]


_FROM_COUNTS = ("tally_", "class_count_", "class_prior_", "weights_", "_prior", "_estimates", "calibration_")
"""What follows from the counts, and is out of date after `learn_one`."""


Point = tuple[str, float, float]
"""A value as text, its weight in decibans, and how many rows have it."""


def make_nomogram(
    tally: Tally,
    schema: Schema,
    prior: Sequence[float],
    groups: Sequence[tuple[Likelihood, Sequence[int]]],
    pair: tuple[Any, Any],
    limits: tuple[int, int],
) -> Nomogram:
    """Weigh the values of each column for one class against another; columns with the widest range first."""
    j, k = _class_indices(tally.classes.labels.tolist(), pair)
    scales = []
    for likelihood, columns in groups:
        plans = [schema.plans[column] for column in columns]
        names = [plan.name for plan in plans]
        for i, (plan, column) in enumerate(zip(plans, columns, strict=True)):
            if plan.distribution.is_ignored:
                continue
            score = likelihood.one(i, names)
            values = examples(plan.distribution, tally.parts[column])
            points = [(text, _weight(score(value), j, k), rows) for text, value, rows in values]
            points += [(text, decibans_from_nats(log), rows) for text, log, rows in likelihood.tokens(i, j, k)]
            scales.append(Scale(plan.name, _strongest(points, limits[1]), _are_numbers(values)))
    scales = largest_first(scales, lambda scale: scale.reach)
    labels, shown = tally.classes.labels, scales[: limits[0]]
    return Nomogram(labels[j], labels[k], decibans_from_nats(prior[j] - prior[k]), tuple(shown), len(scales))


def _class_indices(labels: list[Any], pair: tuple[Any, Any]) -> tuple[int, int]:
    wanted = (labels[-1] if pair[0] is None else pair[0], labels[0] if pair[1] is None else pair[1])
    wanted = (plain(wanted[0]), plain(wanted[1]))
    for label in wanted:
        if label not in labels:
            raise ParameterError(f"there is no class {label!r}.{did_you_mean(label, labels)}")
    return labels.index(wanted[0]), labels.index(wanted[1])


def _weight(logs: Sequence[float], j: int, k: int) -> float:
    return 0.0 if logs[j] == logs[k] else float(decibans_from_nats(logs[j] - logs[k]))


def _strongest(points: Sequence[Point], most: int) -> tuple[tuple[str, float], ...]:
    """The values with the most evidence in all rows together, rows · |weight|, half for each class; in their order."""
    ranked = largest_first((point for point in points if np.isfinite(point[1])), lambda point: point[2] * abs(point[1]))
    sides = [point for point in ranked if point[1] >= 0], [point for point in ranked if point[1] < 0]
    first = min(len(sides[0]), max(most - len(sides[1]), (most + 1) // 2))
    kept = {*sides[0][:first], *sides[1][: most - first]}
    return tuple((text, weight) for text, weight, rows in points if (text, weight, rows) in kept)


def _are_numbers(values: Sequence[Example]) -> bool:
    """True where the values are numbers, or bins of numbers: then they have an order. A missing one may be last."""
    known = [value for _, value, _ in values if value is not None]
    return bool(known) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)


class NaiveBayes(TableClassifier, SqlClassifier):
    """Naive Bayes for a table of labels, numbers and text, with missing values.

    Parameters
    ----------
    columns : "auto", distribution, mapping or Schema
        "auto": each column's distribution follows from its type and values and, for numbers, from the class log-loss of
        the candidates (`schema_` shows which, and why); identifiers are ignored, with a `DecibanWarning`. A mapping
        from names to distributions overrides it; one distribution is used for all columns; the `schema_` of another
        model gives the same columns, so that the models can be merged.
    smoothing : Smoothing
        Of categorical columns, and of the share of missing values.
    priors : "empirical", "uniform", Smoothing, mapping or array
        The class priors of predictions: relative frequencies, equal ones, smoothed frequencies, or probabilities by
        label or in the order of the classes. Weights are learned with the class frequencies of the rows.
    missing : {"auto", "skip", "state", "error"}
        "skip": a missing value is no evidence. "state": it is evidence, as a label of its own in a categorical column,
        with a probability of its own in others. "auto": of the two, in each column with missing values in the first
        rows, the one with the smaller class log-loss, and "skip" in the others. None, NaN, NaT, pandas.NA and nulls are
        missing.
    unseen : {"smooth", "ignore", "error"}
        What a label is that did not occur in fit: a label counted 0 times, no evidence, or an error.
    na_values : sequence
        Further values that stand for missing ones, like "?". A column of text that holds them and else numbers only is
        read as numbers.
    rule : {"map", "ml"}
        How to decide: "map" by the posterior; "ml" by the likelihood alone, without the priors.
    loss : array or mapping, optional
        A matrix, truth × decision, or {truth: {decision: cost}}, where costs that are not named are 0 for the right
        decision and 1 for a wrong one. The decision of least expected loss is taken.
    reject : Reject or float, optional
        A `Reject`, or the posterior below which no decision is made: `predict` then returns None.
    weights : "auto", "mi", mapping, array or None
        The weights of the columns, in log P(j) + Σ_i w_i·log P(x_i | j). "auto": learned by `fit`, or the first
        `partial_fit`, so that leave-one-out predictions of its rows have the least log loss, and kept by what is
        learned later (see Notes). None: 1 each, textbook naive Bayes. "mi": by mutual information with the class. Or
        numbers from 0 up, by name or in the order of the columns.

    Attributes
    ----------
    tally_ : Tally
        The counts, moments and sketches of the columns in each class.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_prior_ : array
        P(class).
    weights_ : dict
        The weight of each column, by name; 1 where there was nothing to learn weights from.
    schema_ : Schema
        For each column its name, its distribution and the reason for it; it prints as a table.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    AutoBayes : Naive Bayes and a model of dependent columns, compared and combined.
    KDB : Columns that depend on one another.

    Notes
    -----
    Weights are learned from rows, and a tally has none. So `partial_fit`, `learn_one`, `forget`, `decay`, `select`,
    `save` and `load` keep them, `merge` averages those of both models by the rows that they were learned from, and a
    model that begins with `learn_one` or `from_tally` has weights of 1. All else is a function of the counts: with
    ``weights=None`` batches, merged parts and forgotten rows give exactly the model of the rows that remain.

    Examples
    --------
    >>> table = {"sky": ["sun", "sun", "rain", None], "warm": [21.5, 18.0, 9.5, 12.0]}
    >>> model = NaiveBayes().fit(table, ["play", "play", "stay", "stay"])
    >>> model.predict({"sky": ["sun", "hail"], "warm": [20.0, None]}).tolist()
    ['play', 'stay']
    >>> model.schema_
    column  distribution  reason
    sky     Categorical   labels: 2 distinct
    warm    Gaussian      floats
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TABLE_CONSTRAINTS,
        "missing": [words(MissingOrAuto)],
        "weights": COLUMN_WEIGHTS,
    }

    schema_: Schema
    _live: LiveCounter

    def __init__(
        self,
        columns: Any = "auto",
        *,
        smoothing: Smoothing = Laplace(),
        priors: Any = "empirical",
        missing: MissingOrAuto = "auto",
        unseen: Unseen = "smooth",
        na_values: Sequence[Any] = (),
        rule: Rule = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
        weights: Any = "auto",
    ) -> None:
        self.columns = columns
        self.smoothing, self.priors, self.weights = smoothing, priors, weights
        self.missing, self.unseen, self.na_values = missing, unseen, na_values
        self.rule, self.loss, self.reject = rule, loss, reject

    # The columns -----------------------------------------------------------------------------------------------------

    def associations(self, measure: Measure = "mi") -> dict[str, float]:
        """Compute the association of each column with the class, largest first.

        Parameters
        ----------
        measure : {"mi", "chi2", "su"}
            Mutual information in nats, χ², or symmetrical uncertainty.

        Returns
        -------
        associations : dict
            The association of each column, by its name.

        Examples
        --------
        >>> import deciban as db
        >>> days = {"sky": ["sun", "sun", "rain", "rain"], "moon": ["new", "full", "new", "full"]}
        >>> model = db.NaiveBayes().fit(days, ["play", "play", "stay", "stay"])
        >>> {name: round(value, 3) for name, value in model.associations().items()}
        {'sky': 0.693, 'moon': 0.0}
        """
        self._check_fitted()
        pairs = zip(self.schema_, self.tally_.parts, strict=True)
        values = {plan.name: association(plan.distribution, part, measure) for plan, part in pairs}
        return dict(largest_first(values.items(), lambda item: item[1]))

    def select(self, k: int | None = None, measure: Measure = "mi", *, columns: Collection[str] | None = None) -> Self:
        """Make a model of some columns, the others ignored. Nothing is counted again; the columns keep their weights.

        Parameters
        ----------
        k : int, optional
            The number of columns: those with the largest association with the class.
        measure : {"mi", "chi2", "su"}
            The measure of association, as in `associations`.
        columns : collection of str, optional
            Instead of `k`, the names of columns, such as `db.correlation_filter` returns.

        Returns
        -------
        model : a new fitted model
            This one is not changed.

        Examples
        --------
        >>> import deciban as db
        >>> days = {"sky": ["sun", "sun", "rain", "rain"], "moon": ["new", "full", "new", "full"]}
        >>> model = db.NaiveBayes().fit(days, ["play", "play", "stay", "stay"]).select(1)
        >>> [(plan.name, type(plan.distribution).__name__) for plan in model.schema_]
        [('sky', 'Categorical'), ('moon', 'Ignore')]
        """
        if (k is None) == (columns is None):
            raise ParameterError("select takes how many columns, or their names: pass k or columns.")
        self._check_fitted()
        if columns is None:
            kept = list(self.associations(measure))[:k]
        else:
            kept, names = [columns] if isinstance(columns, str) else list(columns), self._names()
            unknown = [name for name in kept if name not in names]
            if unknown:
                raise ColumnMismatchError(f"there is no column {unknown[0]!r}.{did_you_mean(unknown[0], names)}")
        tally, form = self.tally_, self._form
        plans = tuple(p if p.name in kept else ColumnPlan(p.name, Ignore(), "not selected") for p in form.schema)
        parts = tuple(
            part if plan.name in kept else no_counts(plan.name, len(tally.classes))
            for plan, part in zip(form.schema, tally.parts, strict=True)
        )
        weights = form.weights and tuple(w if p.name in kept else 1.0 for p, w in zip(plans, form.weights, strict=True))
        form = replace(form, schema=Schema(plans), weights=weights)
        return clone(self._settings)._adopt(replace(tally, parts=parts), form)

    def nomogram(
        self, label: object = None, against: object = None, *, max_columns: int = 15, max_values: int = 12
    ) -> Nomogram:
        """Show the whole model: the weight of each column's values for one class against another.

        Parameters
        ----------
        label : a class, optional
            The class that weights are for; the last when None.
        against : a class, optional
            The class that it is compared with; the first when None.
        max_columns : int
            The number of columns shown: those whose weights differ most.
        max_values : int
            The number of labels, bins or tokens shown of a column: those with the most evidence in all rows.

        Returns
        -------
        Nomogram
            It prints as a table; a notebook shows it as a picture, which `to_svg` and `plot` draw.

        Examples
        --------
        >>> import deciban as db
        >>> days = {"sky": ["sun", "sun", "rain"], "wind": ["low", "high", "high"]}
        >>> model = db.NaiveBayes(weights=None).fit(days, ["play", "play", "stay"])
        >>> print(model.nomogram("play", "stay"))
        decibans for play against stay; prior +3.0
        sky   rain -4.3, sun +3.5
        wind  high -1.2, low +1.8
        """
        self._check_fitted()
        limits = int(max_columns), int(max_values)
        if min(limits) < 1:
            raise ParameterError(f"max_columns and max_values are at least 1, not {max_columns} and {max_values}.")
        groups = self._estimates.groups
        return make_nomogram(self.tally_, self.schema_, self._prior.tolist(), groups, (label, against), limits)

    # Learning ------------------------------------------------------------------------------------------------------

    def _check_mergeable(self, other: NaiveBayes) -> None:
        check_same_kinds(self.schema_, other.schema_)

    def decay(self, half_life: float, steps: float = 1.0) -> Self:
        """Scale all counts down by age: after `half_life` steps a row counts half as much.

        Parameters
        ----------
        half_life : float
            The number of steps in which the weight of a row is halved, above 0.
        steps : float
            The number of steps since the last call.

        Returns
        -------
        self : the model

        Examples
        --------
        >>> model = NaiveBayes().fit([["sun"], ["rain"]], ["play", "stay"])
        >>> model.decay(half_life=10, steps=10).tally_.total
        1.0
        """
        with turn(self):
            self._check_fitted()
            if not half_life > 0 or not steps >= 0:
                raise ParameterError(f"half_life is above 0 and steps not below, not {half_life} and {steps}.")
            return self._adopt(self.tally_.scaled(0.5 ** (steps / half_life)), self._form)

    def _form_of(self, data: Matrix | Table) -> Form:
        table = data if isinstance(data, Table) else read_table(data.dense(), data.given_names)
        return replace(super()._form_of(data), schema=plan_columns(table, self._settings.columns, self._defaults()))

    def _form_of_sample(self, data: Table, sample: Sample) -> Form:
        form, given = self._form_of(data), wanted_columns(self._settings.columns, data.names)
        judged = judge_columns(form.schema, data, sample, given)
        return replace(form, schema=choose_columns(judged, data, sample, given, self._defaults()))

    def _form_of_tally(self, tally: Tally) -> Form:
        return replace(
            super()._form_of_tally(tally), schema=plan_tally(tally, self._settings.columns, self._defaults())
        )

    def _accepted(self, tally: Tally) -> Tally:
        if not all(is_of_column(part) for part in tally.parts):
            raise ParameterError("NaiveBayes takes a tally with a part for each column, as db.tally makes it.")
        return tally

    def _learn_beyond_counts(
        self, tally: Tally, form: Form, data: Table, sample: Sample
    ) -> tuple[Form, dict[str, object] | None]:
        """The form with weights of the columns that are learned from the first rows."""
        smoothing, priors = self._settings.smoothing, self._settings.priors
        if not is_learned(self._settings.weights) or not tally.total > 0:
            return form, None
        order = order_of_rows(sample.codes, len(tally.classes))
        if order is None:
            plain = Estimates.of(tally, form, smoothing=smoothing, priors=priors, weights=None)
        else:
            tally, sample = with_classes_in(order, tally, sample)
            plain = Estimates.of(tally, form, smoothing=smoothing, priors="empirical", weights=None)
        weights = learn_weights(plain, tally, form, Rows(data, sample), smoothing=smoothing, priors=priors)
        if weights is not None:
            form = replace(form, weights=tuple(weights.tolist()), weighed_rows=float(tally.total))
        if order is not None:  # other priors: these estimates are not those of the model
            return form, None
        return form, self._fitted_attributes(form, plain.weighted(settle_weights(self._settings.weights, tally, form)))

    def _count(self, data: Table, sample: Sample, form: Form) -> Tally:
        owner, pairs = type(self).__name__, zip(form.schema, data.columns, strict=True)
        return sample.tally(*(count_column(plan.distribution, column, sample, owner) for plan, column in pairs))

    # Estimating ----------------------------------------------------------------------------------------------------

    def _estimate(self, tally: Tally, form: Form) -> dict[str, object]:
        return self._fitted_attributes(form, self._estimates_of(tally, form))

    def _fitted_attributes(self, form: Form, estimates: Estimates) -> dict[str, object]:
        return {"schema_": form.schema, "_estimates": estimates, "_prior": estimates.prior}

    def _estimates_of(self, tally: Tally, form: Form) -> Estimates:
        in_use = self._settings
        return Estimates.of(tally, form, smoothing=in_use.smoothing, priors=in_use.priors, weights=in_use.weights)

    @cached_property
    def tally_(self) -> Tally:  # type: ignore[override]
        """The counts of all rows."""
        self._check_fitted()
        return self._live.tally()

    @cached_property
    def _estimates(self) -> Estimates:
        return self._estimates_of(self.tally_, self._form)

    @cached_property
    def _prior(self) -> Floats:  # type: ignore[override]
        return self._estimates.prior

    @cached_property
    def class_prior_(self) -> Floats:
        """P(class)."""
        return np.exp(self._estimates.prior)

    @cached_property
    def class_count_(self) -> Floats:
        """The weight of the rows of each class."""
        return self.tally_.class_counts.astype(np.float64)

    @cached_property
    def weights_(self) -> dict[str, float]:
        """The weight of each column."""
        return dict(zip(self._names(), self._estimates.weights.tolist(), strict=True))

    # Scoring -------------------------------------------------------------------------------------------------------

    def _likelihood(self, data: Table) -> Floats:
        return self._estimates.likelihood(data)

    def _joint(self, data: Table) -> Floats:
        check_probabilities(self.schema_)
        self._check_values(data)
        plain = self._plain_estimates()
        return plain.prior + by_blocks(data, len(self.classes_), plain.likelihood)

    def _free_parameters(self) -> int:
        groups = self.schema_.by_kind().items()
        return sum(count_parameters(kind, [self.tally_.parts[i] for i in indices]) for kind, indices in groups)

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[Codes, list[Drawn]]:
        check_probabilities(self.schema_)
        y = draw_classes(self._prior, n, rng)
        return y, self._plain_estimates().draw(y, rng)

    def _plain_estimates(self) -> Estimates:
        """The estimates without weights of the columns."""
        if (self._estimates.weights == 1.0).all():
            return self._estimates
        return Estimates.of(
            self.tally_, self._form, smoothing=self._settings.smoothing, priors=self._settings.priors, weights=None
        )

    def _closed_form(self) -> ClosedForm:
        columns = self._estimates.formulas(self.schema_, markers_of(self._settings.na_values), self._form.numerals)
        return ClosedForm(self._start(), self._prior, columns, matrix=self._matrix_input())

    def _column_evidence(self, data: Table) -> Floats:
        return self._estimates.columns(data)

    def _with_factors(self, plain: Explanation, data: Table, values: list[Any]) -> Explanation:
        weighed = plain.with_column_weights(self._estimates.weights.tolist())
        if plain.is_impossible:
            return weighed
        contest = Contest(plain.classes, plain.label, plain.against, np.zeros(len(plain.classes)))
        words = self._estimates.explained(values, contest)
        return weighed.with_words({plain.reasons[i].name: explained for i, explained in words.items()})

    def _left_out_likelihood(self, data: Table, y: Codes, weights: Floats) -> Floats:
        rows, weighing = (y, weights), self._estimates.weights
        return left_out_likelihood(data, rows, self.tally_, self._form, self._settings.smoothing, weighing)

    def _left_out_columns(self, data: Table, y: Codes, weights: Floats) -> Floats:
        """log P(x_i | class) of learned rows, each as if it had not been learned: rows × columns × classes."""
        rows, weighing = (y, weights), self._estimates.weights
        return left_out_columns(data, rows, self.tally_, self._form, self._settings.smoothing, weighing)

    # One row -------------------------------------------------------------------------------------------------------

    def learn_one(self, row: Any, label: object) -> Self:
        """Learn one row. The result is that of `partial_fit` with the same rows.

        New classes and labels may come at any time. A model that has learned nothing yet takes its columns from the
        first row, and from `columns`, which may name more: a column without a distribution there is Gaussian where its
        value is a number (int or float), else Categorical.

        Parameters
        ----------
        row : mapping, Series, tuple or array
            One row, in any form that `explain` takes; columns that it does not name are missing. A dict of names to
            values is the fastest form.
        label : a class
            The class of the row.

        Returns
        -------
        self : the model

        Examples
        --------
        >>> from deciban import NaiveBayes
        >>> model = NaiveBayes()
        >>> for sky, play in [("sun", "yes"), ("rain", "no"), ("sun", "yes")]:
        ...     _ = model.learn_one({"sky": sky}, play)
        >>> str(model.predict_one({"sky": "sun"})), model.tally_.total
        ('yes', 3)
        """
        with turn(self):
            state = self.__dict__  # a stream calls this for each row: no attribute lookup that can be spared
            if type(row) is not dict:
                row = self._row_values(row)
            live = state.get("_live")
            if live is None:
                if not self._is_fitted():
                    self._check_parameters()
                    form = form_of_first_row(row, self.columns, markers_of(self.na_values), self._defaults())
                    self._learn_as_table(row, label, form)
                    return self
                live = self._make_live()
            code = live.code_of(label)
            if code is None:
                self._learn_as_table(row, label, state["_form"])
                return self
            live.learn(row, code)
            if "tally_" in state:
                for name in _FROM_COUNTS:
                    state.pop(name, None)
            return self

    def predict_one(self, row: Any) -> Any:
        """Predict the class of one row.

        Parameters
        ----------
        row : mapping, Series, tuple or array
            One row, in any form that `explain` takes. A dict of names to values is the fastest form.

        Returns
        -------
        label : the class, or None
            None where the decision is rejected.
        """
        if type(row) is not dict:
            row = self._row_values(row)
        live = self._live_of()
        if self._decides_by_posterior and self._calibration() is None:
            return self._labels[live.best(row)]
        return self._label_of(self._decide(np.array([live.likelihood(row)])))

    def predict_proba_one(self, row: Any) -> dict[Any, float]:
        """Compute P(class | row) of one row.

        Parameters
        ----------
        row : mapping, Series, tuple or array
            One row, in any form that `explain` takes. A dict of names to values is the fastest form.

        Returns
        -------
        posteriors : dict
            The posterior of each class, by its label.
        """
        if type(row) is not dict:
            row = self._row_values(row)
        posterior = self._live_of().posterior(row)
        calibration = self._calibration()
        if calibration is not None:
            posterior = calibration.apply(np.array([posterior]))[0].tolist()
        return dict(zip(self._labels, posterior, strict=True))

    def _row_values(self, row: Any) -> dict[str, object]:
        return read_row(row, self._names() if self._is_fitted() else None)

    def _live_of(self) -> LiveCounter:
        """The counter, with weights that follow from the present counts."""
        live: LiveCounter | None = self.__dict__.get("_live")
        if live is None:
            self._check_fitted()
            return self._make_live()
        if "tally_" not in self.__dict__ and follow_counts(self._settings.weights):
            live.weigh(self._estimates.weights)
        return live

    def _make_live(self) -> LiveCounter:
        setting = Setting("", markers_of(self._settings.na_values), type(self).__name__, len(self.classes_))
        self._live = LiveCounter(
            self.tally_, self._form, setting, self._settings.smoothing, self._settings.priors, self._estimates
        )
        return self._live

    def _learn_as_table(self, row: Mapping[str, Any], label: object, form: Form) -> None:
        """Learn a row as a table of one row: the first row, and rows of new classes."""
        names = form.names or generated_names(form.columns)
        data = self._as_learned(table_of_row(row, form, names, markers_of(self._settings.na_values)), form)
        check_label(label := plain(label))
        target = read_target([label], 1)
        if self._is_fitted():
            target = target.read_as(self.tally_.classes)
        batch = self._count(data, Sample.of(target), form)
        self._adopt(self.tally_ + batch if self._is_fitted() else batch, form)

    @cached_property
    def _decides_by_posterior(self) -> bool:
        """True where the class with the largest posterior is the decision."""
        return self._decider() == Decider()

    @cached_property
    def _labels(self) -> list[Any]:
        """The classes as values of Python."""
        return list(self.classes_.tolist())

    def _drop_stale(self) -> None:
        super()._drop_stale()
        self.__dict__.pop("_live", None)

    def _is_fitted(self) -> bool:
        return "tally_" in self.__dict__ or "_live" in self.__dict__

    def __getstate__(self) -> dict[str, object]:
        if self._is_fitted():
            self._estimates  # noqa: B018  so that the copy needs no counter
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_live", "_labels")}
