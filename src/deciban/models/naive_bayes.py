"""Naive Bayes for a table as it is: mixed columns, missing values, labels that come later.

    P(j | x_1, …, x_p) ∝ P(j)·Π_i P(x_i | j)

where each column has a distribution of its own (Zhu, items 4 to 11).

**Estimates** from a tally are the priors, and the likelihoods of columns, grouped by distribution (`Estimates`).

**Weights** of the columns multiply their log-likelihoods:

    log P(j | x) = log P(j) + Σ_i w_i·log P(x_i | j) + a constant

Naive Bayes counts the evidence of correlated columns several times; weights below 1 correct for it.

=========  ===========================================================================================================
weights    meaning
=========  ===========================================================================================================
"auto"     learned from leave-one-out evidence by the first rows, of `fit` or of the first `partial_fit`
           (`deciban.models.leave_one_out`). What is learned later keeps them: `partial_fit`, `learn_one`,
           `forget`, `decay`, `select`, `save` and `load`; `merge` averages those of both models by the number of rows
           they were learned from; `fit` learns them again. A model that begins with `learn_one` or `from_tally` has no
           rows to learn them from: they are 1, or those of a model that is merged
None       w_i = 1, textbook naive Bayes
"mi"       w_i = I(X_i; C) / mean of I over the columns that are not ignored: 1 on average. Zhang and Sheng (2004), with
           mutual information in place of the gain ratio. The weights follow from the tally, so they change with all
           rows that are learned, merged and forgotten
numbers    by name, 1 for columns that are not named; or in the order of the columns
=========  ===========================================================================================================

**Single rows** (`learn_one`, `predict_one`, `predict_proba_one`): a live counter holds the counts of all rows
(`LiveCounter`). It is made when a single row is first learned or predicted,
and dropped when anything else is learned. After `learn_one` the tally and the estimates are out of date: they are
removed, and made again when they are next used, so a stream of rows that are predicted and learned never estimates the
whole model.

The core has a class for the counts (`LiveRow`): it reads a dict of names to values, adds it to the counts, and sums up
the log-likelihoods of a row from the counts as they are. Columns whose likelihood does not follow from their counts in
a few steps are estimated again when they are first scored after a row was learned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils._param_validation import StrOptions

from deciban.choices import did_you_mean
from deciban.decide import Reject
from deciban.decide.rules import by_blocks
from deciban.errors import ColumnMismatchError, InputError, InputTypeError, ParameterError
from deciban.estimate import (
    Categorical,
    ColumnDistribution,
    Gaussian,
    Ignore,
    Laplace,
    Likelihood,
    Smoothing,
    settle_priors,
)
from deciban.estimate.closed_form import ClosedForm, NamedFormula
from deciban.estimate.distributions.ignore import no_counts
from deciban.estimate.drawing import Drawn, draw_classes
from deciban.estimate.likelihood import Contest, OneValue, times
from deciban.estimate.live import LiveColumn, LiveRow, Setting
from deciban.estimate.missing import (
    association,
    count_column,
    count_parameters,
    estimate_columns,
    examples,
    is_of_column,
    leave_one_out,
    live_column,
)
from deciban.estimate.values import Example, Markers, is_missing
from deciban.explain import DocumentExplanation, Explanation, Nomogram, Scale
from deciban.limits import check_memory
from deciban.models.base import Constraints, Measure, MissingOrAuto, PriorsLike, Rule, Unseen, check_label, words
from deciban.models.exported import SqlClassifier
from deciban.models.leave_one_out import Rows, learn_weights, order_of_rows, with_classes_in
from deciban.models.schema import (
    ColumnPlan,
    Defaults,
    Form,
    Schema,
    check_probabilities,
    check_row,
    check_same_kinds,
    choose_columns,
    judge_columns,
    plan_columns,
    plan_tally,
    table_of_row,
    type_error,
    wanted_columns,
)
from deciban.models.table_classifier import TABLE_CONSTRAINTS, TableClassifier, markers_of
from deciban.read import Matrix, Table, generated_names, plain, read_row, read_table, read_target
from deciban.tallies import Counts, Sample, Tally
from deciban.ties import largest_first
from deciban.turns import turn
from deciban.types import ArrayLike, Codes, Floats
from deciban.units import decibans_from_nats

__all__ = [
    "COLUMN_WEIGHTS",
    "Estimates",
    "LiveCounter",
    "NaiveBayes",
    "follow_counts",
    "form_of_first_row",
    "is_learned",
    "settle_weights",
]


_BLOCK = 1 << 23
"""Rows × columns × classes that are left out at once: 64 MB."""


class Estimates(NamedTuple):
    """log P(class), the weights of the columns, and log P(value | class), multiplied by these weights."""

    prior: Floats
    weights: Floats
    groups: Groups

    @classmethod
    def of(
        cls, tally: Tally, form: Form, *, smoothing: Smoothing, priors: PriorsLike, weights: WeightsLike
    ) -> Estimates:
        """Estimate from the counts of a tally."""
        groups = [
            (estimate_columns(kind, [tally.parts[i] for i in indices], smoothing), indices)
            for kind, indices in form.schema.by_kind().items()
        ]
        prior = settle_priors(priors, tally.class_counts, tally.classes.labels.tolist())
        return cls(prior, np.ones(form.columns), groups).weighted(settle_weights(weights, tally, form))

    def weighted(self, weights: Floats) -> Estimates:
        """The estimates with these weights, of estimates without weights."""
        return Estimates(self.prior, weights, weighted(self.groups, weights))

    def likelihood(self, data: Table) -> Floats:
        """log P(row | class): rows × classes."""
        parts = [likelihood.rows([data.columns[i] for i in indices]) for likelihood, indices in self.groups]
        out = parts[0]
        for part in parts[1:]:
            # In place: the first table belongs to this call alone.
            out += part
        return out

    def explained(self, values: Sequence[object], contest: Contest) -> dict[int, DocumentExplanation]:
        """The explanations of the texts of a row, word by word, by the index of the column; missing ones have none."""
        explanations = {
            index: likelihood.explained(i, values[index], contest)
            for likelihood, indices in self.groups
            for i, index in enumerate(indices)
            if not is_missing(values[index])
        }
        return {index: text for index, text in explanations.items() if isinstance(text, DocumentExplanation)}

    def draw(self, y: Codes, rng: np.random.Generator) -> list[Drawn]:
        """A value of each column for each row, given the classes of the rows."""
        drawn = {
            index: likelihood.draw(i, y, rng) for likelihood, indices in self.groups for i, index in enumerate(indices)
        }
        return [drawn[index] for index in range(len(self.weights))]

    def formulas(self, schema: Schema, markers: Markers, numerals: Collection[str]) -> list[NamedFormula]:
        """The closed forms of the columns that are not ignored; an error that names one without."""
        formulas = {}
        for likelihood, indices in self.groups:
            for i, index in enumerate(indices):
                name, kind = schema.plans[index].name, schema.plans[index].distribution
                formula = likelihood.formula(i)
                if formula is None:
                    raise ParameterError(
                        f"column {name!r} is {type(kind).__name__}(), whose likelihood is not a formula of the value. "
                        "Use another distribution, such as Binned() for numbers, or Ignore()."
                    )
                if not kind.is_ignored:
                    # A query raises no error: a row with a value that is not allowed gets NULL.
                    checked = replace(formula, missing=None) if kind.missing == "error" else formula
                    formulas[index] = NamedFormula(name, checked, markers, name in numerals)
        return [formulas[index] for index in sorted(formulas)]

    def columns(self, data: Table) -> Floats:
        """log P(value | class): rows × columns × classes."""
        out = np.zeros((len(data), len(data.columns), len(self.prior)))
        for likelihood, indices in self.groups:
            out[:, indices] = likelihood.columns([data.columns[i] for i in indices])
        return out


Groups = list[tuple[Likelihood, list[int]]]
"""The likelihood of all columns of one distribution, and the indices of these columns."""

COLUMN_WEIGHTS: list[object] = [StrOptions({"auto", "mi"}), Mapping, "array-like", None]
"""Which values the parameter `weights` takes."""

WeightsLike = str | Mapping[str, float] | ArrayLike | None
"""The same, as a type."""


def weighted(groups: Groups, weights: Floats) -> Groups:
    """Likelihoods of groups of columns, multiplied by the weights of the columns."""
    if (weights == 1.0).all():  # the tables are shared, not copied
        return groups
    return [(likelihood.weighted(weights[indices]), indices) for likelihood, indices in groups]


def settle_weights(given: WeightsLike, tally: Tally, form: Form) -> Floats:
    """The weights of all columns, as numbers."""
    if given is None:
        return np.ones(form.columns)
    if is_learned(given):
        return np.ones(form.columns) if form.weights is None else np.array(form.weights)
    if isinstance(given, str):
        # Zhang and Sheng (2004), with mutual information in place of the gain ratio; ignored columns take no share.
        gains = np.array([association(p.distribution, part) for p, part in zip(form.schema, tally.parts, strict=True)])
        used = np.array([not plan.distribution.is_ignored for plan in form.schema])
        whole = gains[used].sum()
        # Where no column says anything of the class, all weigh the same.
        return gains * used.sum() / whole if whole > 0 else np.ones(len(gains))
    names = form.names or generated_names(form.columns)
    return _checked(_in_order(given, names) if isinstance(given, Mapping) else given, names)


def is_learned(given: object) -> bool:
    """True where the weights are learned from rows."""
    return isinstance(given, str) and given == "auto"


def follow_counts(given: object) -> bool:
    """True where the weights change with the counts."""
    return isinstance(given, str) and given == "mi"


def _in_order(given: Mapping[str, float], names: tuple[str, ...]) -> list[float]:
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ColumnMismatchError(f"weights names {unknown[0]!r}, which is no column.{did_you_mean(unknown[0], names)}")
    return [given.get(name, 1.0) for name in names]


def _checked(given: ArrayLike, names: tuple[str, ...]) -> Floats:
    try:
        weights = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"weights are numbers from 0 up, not {given!r}.") from None
    if weights.shape != (len(names),):
        raise ParameterError(f"weights has the shape {weights.shape}, but there are {len(names)} columns.")
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ParameterError(f"the weight of column {names[i]!r} is {weights[i]}, not a number from 0 up.")
    return weights


_FROM_COUNTS = ("tally_", "class_count_", "class_prior_", "weights_", "_prior", "_estimates", "calibration_")
"""What follows from the counts, and is out of date after `learn_one`."""


Point = tuple[str, float, float]
"""A value as text, its weight in decibans, and how many rows have it."""


def _class_indices(labels: list[object], pair: tuple[object, object]) -> tuple[int, int]:
    wanted = (labels[-1] if pair[0] is None else pair[0], labels[0] if pair[1] is None else pair[1])
    wanted = (plain(wanted[0]), plain(wanted[1]))
    for label in wanted:
        if label not in labels:
            raise ParameterError(f"there is no class {label!r}.{did_you_mean(label, labels)}")
    return labels.index(wanted[0]), labels.index(wanted[1])


def _weight(logs: Sequence[float], j: int, k: int) -> float:
    # Both may be −∞, and their difference is NaN; equal evidence is none.
    return 0.0 if logs[j] == logs[k] else float(decibans_from_nats(logs[j] - logs[k]))


def _strongest(points: Sequence[Point], most: int) -> tuple[tuple[str, float], ...]:
    """The values with the most evidence in all rows together, rows · |weight|, half for each class; in their order."""
    # Infinite weights would take all places, and have none on an axis.
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

    _parameter_constraints: ClassVar[Constraints] = {
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
        # A column that is ignored has the weight 1 of those that were never learned.
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
        labels, prior = self.tally_.classes.labels, self._prior.tolist()
        j, k = _class_indices(labels.tolist(), (label, against))
        scales = []
        for likelihood, columns in self._estimates.groups:
            plans = [self.schema_.plans[column] for column in columns]
            names = [plan.name for plan in plans]
            for i, (plan, column) in enumerate(zip(plans, columns, strict=True)):
                if plan.distribution.is_ignored:
                    continue
                score = likelihood.one(i, names)
                values = examples(plan.distribution, self.tally_.parts[column])
                points = [(text, _weight(score(value), j, k), rows) for text, value, rows in values]
                points += [(text, decibans_from_nats(log), rows) for text, log, rows in likelihood.tokens(i, j, k)]
                scales.append(Scale(plan.name, _strongest(points, limits[1]), _are_numbers(values)))
        scales = largest_first(scales, lambda scale: scale.reach)
        shown = tuple(scales[: limits[0]])
        return Nomogram(labels[j], labels[k], decibans_from_nats(prior[j] - prior[k]), shown, len(scales))

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
        # Weights are learned with the class shares of these rows, even where other priors are given for prediction.
        weights = learn_weights(plain.groups, tally, form, Rows(data, sample), smoothing=smoothing, priors=priors)
        if weights is not None:
            # The number of rows is kept so that `merge` can average weights by it.
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

    def _column_weights(self) -> Mapping[str, object]:
        return self.weights_

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
        # Nothing to take out: no estimate is made again.
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

    def _with_factors(self, plain: Explanation, data: Table, values: list[object]) -> Explanation:
        weighed = plain.with_column_weights(self._estimates.weights.tolist())
        if plain.is_impossible:
            return weighed
        contest = Contest(plain.classes, plain.label, plain.against, np.zeros(len(plain.classes)))
        words = self._estimates.explained(values, contest)
        return weighed.with_words({plain.reasons[i].name: explained for i, explained in words.items()})

    def _left_out_likelihood(self, data: Table, y: Codes, weights: Floats) -> Floats:
        check_memory("leave-one-out", len(data), len(self.classes_), advice="Pass fewer rows.")
        out = np.zeros((len(data), len(self.classes_)))
        for block, _, logs in self._left_out_blocks(data, y, weights):
            # Groups of columns are added one by one, so a table of all columns never exists.
            out[block] += logs.sum(axis=1)
        return out

    def _left_out_columns(self, data: Table, y: Codes, weights: Floats) -> Floats:
        """log P(x_i | class) of learned rows, each as if it had not been learned: rows × columns × classes."""
        check_memory("leave-one-out", *data.shape, len(self.classes_), advice="Pass fewer rows.")
        out = np.zeros((*data.shape, len(self.classes_)))
        for block, indices, logs in self._left_out_blocks(data, y, weights):
            out[block, indices] = logs
        return out

    def _left_out_blocks(self, data: Table, y: Codes, weights: Floats) -> Iterator[tuple[slice, list[int], Floats]]:
        """Some rows, the indices of columns of one kind, and their weighted logs: rows × columns × classes."""
        groups, smoothing = self.schema_.by_kind(), self._settings.smoothing
        # By the widest group, whose table is the largest of those that exist at one time.
        step = max(_BLOCK // (max(map(len, groups.values())) * len(self.classes_)), 1)
        for start in range(0, len(data), step):
            block = slice(start, start + step)
            for kind, indices in groups.items():
                parts = [self.tally_.parts[i] for i in indices]
                columns = [data.columns[i].take(block) for i in indices]
                logs = leave_one_out(kind, parts, columns, (y[block], weights[block]), smoothing)
                yield block, indices, times(self._estimates.weights[indices, None], logs)

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
            # A stream drops the tally with its first row: for the others there is nothing to do.
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
        # The core finds the best class itself; rules, losses and calibrations need the likelihoods here.
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
        # The counts have changed since the weights were computed, which wait until a row is scored.
        if "tally_" not in self.__dict__ and follow_counts(self._settings.weights):
            live.weigh(self._estimates.weights)
        return live

    def _make_live(self) -> LiveCounter:
        setting = Setting("", markers_of(self._settings.na_values), type(self).__name__, len(self.classes_))
        # Kept until anything but single rows is learned (`_drop_stale`).
        self._live = LiveCounter(
            self.tally_, self._form, setting, self._settings.smoothing, self._settings.priors, self._estimates
        )
        return self._live

    def _learn_as_table(self, row: Mapping[str, object], label: object, form: Form) -> None:
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
        rule, loss, reject = self._decider()
        return rule == "map" and loss is None and reject is None  # == on a loss matrix would compare its cells

    @cached_property
    def _labels(self) -> list[object]:
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


class LiveCounter:
    """All counts of a naive Bayes model, ready for more rows of the classes of the tally that it starts with.

    `estimates` are those from the tally, and `priors` the parameter of the model.
    """

    def __init__(
        self, tally: Tally, form: Form, setting: Setting, smoothing: Smoothing, priors: PriorsLike, estimates: Estimates
    ) -> None:
        schema: Schema = form.schema
        self._classes, self._priors, self._dtype = tally.classes, priors, tally.class_counts.dtype
        self._codes = {label: j for j, label in enumerate(tally.classes.labels.tolist())}
        self._labels = tally.classes.known_labels  # finds labels that are equal but of another type, such as 1 and 1.0
        self._is_coded = any(isinstance(part, Counts) and part.variable.is_coded for part in tally.parts)
        self._columns = [
            live_column(plan.distribution, part, setting._replace(name=plan.name), smoothing)
            for plan, part in zip(schema, tally.parts, strict=True)
        ]
        kinds = zip(schema.by_kind().items(), estimates.groups, strict=True)
        groups = [_Group(kind, self._columns, at, smoothing, likelihood) for (kind, at), (likelihood, _) in kinds]
        scorers = {index: group.scorer(i) for group in groups for i, index in enumerate(group.at)}
        names = [column.name for column in self._columns]
        row_columns = [column.row_column(scorers[i]) for i, column in enumerate(self._columns)]
        counts = tally.class_counts.astype(np.float64)
        self.row = LiveRow(names, row_columns, counts, partial(check_row, names=form.allowed(names)))
        self._slow = [group for group in groups if not all(self._columns[i].scores for i in group.at)]
        self._prior = estimates.prior.tolist()
        self.weigh(estimates.weights)

    def code_of(self, label: object) -> int | None:
        """The code of a class; None where the row must be learned as a table. What cannot be a label is an error."""
        try:
            # Most labels are found as they are; `find` also knows 1.0 for 1, and takes longer.
            code = self._codes.get(label)
            code = self._codes.get(self._labels.find(plain(label))) if code is None else code
        except TypeError:
            check_label(label)
            raise
        return None if self._is_coded else code  # a table lists the states of a coded column

    def learn(self, row: dict[str, object], j: int) -> None:
        """Count one row in class j; a row with an error in it is not counted at all."""
        try:
            is_full = self.row.learn(row, j)
        except TypeError as error:
            raise type_error(row, error) from error
        # Settled again when a row is scored, not for each row that is learned.
        self._prior = None
        for group in self._slow:
            group.is_stale = True
        if is_full:  # a column that buffers its values has to count them before the next row
            for column in self._columns:
                column.part()

    def tally(self) -> Tally:
        """The tally of all rows."""
        counts = self.row.class_counts().astype(self._dtype)
        return Tally(self._classes, counts, tuple(column.part() for column in self._columns))

    def weigh(self, weights: Floats) -> None:
        """Use these weights of the columns; columns that do not score by themselves have them in their likelihoods."""
        for group in self._slow:
            group.weights = weights[group.at]
        # Slow columns have the weights in their likelihoods, and the core must not apply them again.
        are_slow = [not column.scores for column in self._columns]
        self.row.set_weights(np.where(are_slow, 1.0, weights))

    def posterior(self, row: dict[str, object]) -> list[float]:
        """P(class | row); the prior where the row is impossible in every class."""
        try:
            return self.row.posterior(row, self._prior or self._settle_prior())
        except TypeError as error:
            raise type_error(row, error) from error

    def best(self, row: dict[str, object]) -> int:
        """The code of the most probable class, the first of equals."""
        try:
            return self.row.best(row, self._prior or self._settle_prior())
        except TypeError as error:
            raise type_error(row, error) from error

    def likelihood(self, row: dict[str, object]) -> list[float]:
        """log P(row | class)."""
        try:
            return self.row.joint(row, [0.0] * len(self._codes))
        except TypeError as error:
            raise type_error(row, error) from error

    def _settle_prior(self) -> list[float] | None:
        """log P(class) from the present counts; None for the core's own, the relative frequencies."""
        if isinstance(self._priors, str) and self._priors == "empirical":
            return None
        self._prior = settle_priors(self._priors, self.row.class_counts(), list(self._codes)).tolist()
        return self._prior


class _Group:
    """Columns of equal distributions, `at` these indices, which are estimated together."""

    weights: Floats

    def __init__(
        self,
        kind: ColumnDistribution,
        columns: Sequence[LiveColumn],
        at: Sequence[int],
        smoothing: Smoothing,
        likelihood: Likelihood,
    ) -> None:
        self.at = list(at)
        self.is_stale = False
        self._kind, self._columns, self._smoothing = kind, [columns[i] for i in at], smoothing
        self._scorers = self._scorers_of(likelihood) if not self._columns[0].scores else []

    def scorer(self, i: int) -> OneValue:
        """A function that scores values of the i-th column."""

        def score(value: object) -> Sequence[float]:
            # Estimated once for all rows learned since the last score, and for all columns of the group.
            if self.is_stale:
                parts = [column.part() for column in self._columns]
                likelihood = estimate_columns(self._kind, parts, self._smoothing)
                self._scorers = self._scorers_of(likelihood.weighted(self.weights))
                self.is_stale = False
            return self._scorers[i](value)

        return score

    def _scorers_of(self, likelihood: Likelihood) -> list[OneValue]:
        names = [column.name for column in self._columns]
        return [likelihood.one(i, names, column.markers) for i, column in enumerate(self._columns)]


def form_of_first_row(row: Mapping[str, object], columns: Any, markers: Markers, defaults: Defaults) -> Form:
    """The columns of the row, and those that `columns` names beside them, with their distributions."""
    given = columns if isinstance(columns, Mapping) else {}
    # The order of the row, then that of `columns`: the same stream has the same columns.
    names = tuple(dict.fromkeys((*row, *given)))
    if not names or not all(isinstance(name, str) for name in names):
        raise InputTypeError(f"the first row names the columns, by text; it names {list(names)}.")
    wanted = wanted_columns(columns, names)
    try:
        plans = [_plan(name, row.get(name), wanted.get(name), markers) for name in names]
    except TypeError as error:
        raise type_error(row, error) from error
    settled = (replace(plan, distribution=defaults.settle(plan.distribution)) for plan in plans)
    return Form(len(names), names, schema=Schema(tuple(settled)))


def _plan(name: str, value: object, wanted: ColumnDistribution | None, markers: Markers) -> ColumnPlan:
    """The plan of a column from its value in the first row."""
    if wanted is not None:
        return ColumnPlan(name, wanted, "as given")
    value = plain(value)
    if is_missing(value) or value in markers:
        raise InputError(
            f"column {name!r} is missing in the first row, so its type is not known. Name its distribution in columns, "
            "or begin with a row that has it."
        )
    if isinstance(value, int | float) and not isinstance(value, bool):
        return ColumnPlan(name, Gaussian(), "a number in the first row")
    return ColumnPlan(name, Categorical(), "a label in the first row")
