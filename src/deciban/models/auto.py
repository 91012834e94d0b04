"""Naive Bayes, models of dependent columns, a discriminant and a forest, compared and combined.

The tallies of the models are the parts of one tally, so all that is learned, merged and forgotten later goes through
all models at once. The sum stays a sum: the evidence of a column is that of all models, weighted.

The models are compared on rows that they have not learned, and combined by the weights that are best there:

    log P(j | x) = log P(j) + Σ_m a_m·log P_m(x | j) + a constant,   a_m ≥ 0

The weights minimize the log loss of the rows, plus 3/2 of the squared distance from equal weights, plus 15 times the
squared distance of their sum from 1. Models that repeat one another share their weight, a model that adds nothing gets
0, and weights that sum to less than 1 correct overconfidence; a sum above 1, which few rows may suggest, needs more of
them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from html import escape
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from sklearn.utils._param_validation import StrOptions

from deciban.choices import did_you_mean
from deciban.decide import Reject, finish
from deciban.errors import ColumnMismatchError, DecibanWarning, ParameterError
from deciban.estimate import settle_priors
from deciban.estimate.column import Margins
from deciban.models.base import Constraints, Rule, Unseen
from deciban.models.discriminant import Discriminant
from deciban.models.families.count_forest import CountForest
from deciban.models.families.kdb import KDB
from deciban.models.leave_one_out import best_weights, order_of_rows, prior_of_rows
from deciban.models.naive_bayes import NaiveBayes
from deciban.models.schema import Form, Schema, check_form
from deciban.models.table_classifier import TABLE_CONSTRAINTS, TableClassifier
from deciban.read import Column, Table, plain
from deciban.storable import require, storable
from deciban.tallies import Sample, Tally
from deciban.types import AnyArray, Codes, Floats

__all__ = ["AutoBayes", "AutoForm", "Candidate", "Comparison", "Scored", "compare"]


_PENALTY, _PENALTY_OF_SUM = 3.0, 30.0
_EXACT = 1e-12  # weights are few; where models agree, a coarser minimum would depend on the order of the rows
_NEGLIGIBLE = 1e-3
_LOWEST = -700.0
_HEAD = ("model", "weight", "log loss", "accuracy", "without it")


@storable
@dataclass(frozen=True)
class Candidate:
    """One model: its scores on rows that it had not learned, and its weight in the combination.

    `without` is the log loss of the others, combined by their own best weights.
    """

    name: str
    log_loss: float
    accuracy: float
    weight: float
    without: float | None = None


@storable
@dataclass(frozen=True)
class Comparison:
    """The models that `AutoBayes` has compared, and how; it prints as a table.

    Attributes
    ----------
    candidates : tuple
        The models: `name`, `log_loss`, `accuracy` and `weight` of each, and the log loss `without` it.
    log_loss, accuracy : float
        The scores of the combination, on the same rows.
    rows : int
        How many rows were scored.
    how : str
        How they were left out of what the models learned.

    Examples
    --------
    >>> import deciban as db
    >>> table = {"sky": ["sun", "rain"] * 20, "wind": ["low", "high", "high", "low"] * 10}
    >>> report = db.AutoBayes().fit(table, ["play", "stay"] * 20).report()
    >>> [candidate.name for candidate in report.candidates], report.rows
    (['NaiveBayes', 'KDB', 'CountForest'], 40)
    """

    candidates: tuple[Candidate, ...]
    log_loss: float
    accuracy: float
    rows: int
    how: str

    def __repr__(self) -> str:
        rows = [_HEAD, *self._rows()]
        first, *others = (max(len(row[i]) for row in rows) for i in range(len(_HEAD)))
        lines = (
            f"{name:<{first}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, others, strict=True))
            for name, *cells in rows
        )
        return "\n".join([*(line.rstrip() for line in lines), "", self.reason])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{cell}</th>" for cell in _HEAD)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self._rows())
        return f"<table><tr>{head}</tr>{body}</table><p>{escape(self.reason)}</p>"

    @property
    def reason(self) -> str:
        """What was chosen, and why."""
        scored = f"Scored on {self.rows:,} rows, {self.how}."
        used = [candidate.name for candidate in self.candidates if candidate.weight > 0]
        if not used:
            return f"{scored} The class priors alone have the least log loss: no model is used."
        if len(used) == 1:
            return f"{scored} {used[0]} alone has the least log loss."
        names = f"{', '.join(used[:-1])} and {used[-1]}"
        return f"{scored} The weighted evidence of {names} together has the least log loss."

    def _rows(self) -> list[tuple[str, ...]]:
        rows = [
            (c.name, f"{c.weight:.2f}", f"{c.log_loss:.4f}", f"{c.accuracy:.4f}", _short(c.without))
            for c in self.candidates
        ]
        return [*rows, ("combined", "", f"{self.log_loss:.4f}", f"{self.accuracy:.4f}", "")]


def _short(log_loss: float | None) -> str:
    return "" if log_loss is None else f"{log_loss:.4f}"


class Scored(NamedTuple):
    """Rows that no model has learned.

    log P(row | class) of each model, models × rows × classes; the log priors, rows × classes; the classes of the rows,
    and their weights.
    """

    logs: Floats
    prior: Floats
    y: Codes
    sample_weight: Floats


def compare(names: Sequence[str], scored: Scored, how: str) -> Comparison:
    """The best weights of the models, and the scores of each, of all, and of all but each."""
    logs, prior, y, sample_weight = scored

    def combined(which: Sequence[int]) -> tuple[Floats, tuple[float, float]]:
        some = scored._replace(logs=logs[list(which)])
        equal = np.full(len(which), 1.0 / len(which))
        weights = _weights(some, equal) if prior.shape[1] > 1 and len(y) else equal
        return weights, _scores(prior + np.einsum("m,mrj->rj", weights, some.logs), y, sample_weight)

    everyone = range(len(names))
    weights, of_all = combined(everyone)
    candidates = []
    for m, name in enumerate(names):
        others = [i for i in everyone if i != m]
        # Without a model of weight 0 nothing changes.
        without = (combined(others)[1][0] if weights[m] > 0 else of_all[0]) if others else None
        candidates.append(Candidate(name, *_scores(prior + logs[m], y, sample_weight), float(weights[m]), without))
    return Comparison(tuple(candidates), *of_all, len(y), how)


def _weights(scored: Scored, center: Floats) -> Floats:
    logs, prior, y, sample_weight = scored
    order = order_of_rows(y, prior.shape[1])
    if order is not None:
        # As for the weights of columns: the same to the last bit, whatever the classes are called.
        logs, prior, y = logs[:, :, order], prior[:, order], np.argsort(order).astype(y.dtype)[y]
    margins, of_prior = (Margins(y, sample_weight, prior.shape[1], count) for count in (len(logs), 1))
    of_prior.add_logs(0, prior)
    for m, of_model in enumerate(logs):
        margins.add_logs(m, of_model)
    weights_of_models = best_weights(
        margins, of_prior, sample_weight, center, penalty=_PENALTY, penalty_of_sum=_PENALTY_OF_SUM, negligible=_EXACT
    )
    return np.where(weights_of_models < _NEGLIGIBLE, 0.0, weights_of_models)


def _scores(joint: Floats, y: Codes, sample_weight: Floats) -> tuple[float, float]:
    """Log loss and accuracy."""
    if not len(y):
        return 0.0, 1.0
    posterior = finish(np.ascontiguousarray(joint), np.zeros(joint.shape[1]), "log_posterior")
    # One row that a model holds impossible must not decide alone: e^−700 is close to the smallest float.
    of_class = np.maximum(posterior[np.arange(len(y)), y], _LOWEST)
    loss = -np.average(of_class, weights=sample_weight)
    return float(loss), float(np.average(posterior.argmax(axis=1) == y, weights=sample_weight))


def _check_auto_form(form: AutoForm) -> None:
    check_form(form)
    require(len(form.models) == len(form.forms) > 0, "a form has no models")
    require(all(isinstance(f, Form) and f.columns == form.columns for f in form.forms), "a model has other columns")
    comparison = form.comparison
    if comparison is None:
        return
    is_list = isinstance(comparison, Comparison) and len(comparison.candidates) == len(form.models)
    require(is_list and all(isinstance(c, Candidate) for c in comparison.candidates), "a comparison is not valid")
    require(all(0 <= c.weight < np.inf for c in comparison.candidates), "weights of models are impossible")


@storable(check=_check_auto_form)
@dataclass(frozen=True)
class AutoForm(Form):
    """The form of the data, the forms of the models, and their comparison."""

    models: tuple[str, ...] = ()
    forms: tuple[Form, ...] = ()
    comparison: Comparison | None = None

    def merged(self, other: Form) -> AutoForm:
        plain = super().merged(other)
        both = replace(self, **{field.name: getattr(plain, field.name) for field in fields(Form)})
        if not isinstance(other, AutoForm):
            return both
        return replace(both, forms=tuple(a.merged(b) for a, b in zip(self.forms, other.forms, strict=True)))

    @property
    def weights_of_models(self) -> tuple[float, ...]:
        """The weight of each model; equal ones where nothing was compared."""
        if self.comparison is None:
            return (1.0 / len(self.models),) * len(self.models)
        return tuple(candidate.weight for candidate in self.comparison.candidates)


class _Trouble(NamedTuple):
    """How much is done: the folds, the members of KDB and trees, and the parents of KDB."""

    folds: int
    members: int
    k: int


_NUMBERS = {5: "five", 10: "ten"}
_EFFORTS = {"fast": _Trouble(5, 16, 3), "default": _Trouble(5, 64, 5), "high": _Trouble(10, 128, 5)}
_MOST_REFITTED, _MOST_SCORED, _SHARE = 5_000, 4_096, 5
# 2⁶⁴ divided by the golden ratio: multiplicative hashing (Knuth, The Art of Computer Programming, 6.4).
_MIXER = np.uint64(0x9E3779B97F4A7C15)


Effort = Literal["fast", "default", "high"]


class AutoBayes(TableClassifier):
    """Naive Bayes and models of dependent columns, compared and combined.

    Parameters
    ----------
    columns : "auto", mapping or Schema
        The distributions of the columns, as in `NaiveBayes`.
    models : "auto" or sequence of str
        The names of the models to compare: "NaiveBayes", "KDB", "FineKDB", which cuts numbers finely, "Discriminant"
        and "CountForest". "auto": those that may add something to this table.
    effort : {"fast", "default", "high"}
        "fast": naive Bayes and a smaller KDB. "high": twice as many members and trees, and ten folds.
    structure : optional
        `structure_` of another model: what it has chosen is then used, so that both can be merged.
    priors : "empirical", "uniform", Smoothing, mapping or array
        The class priors: relative frequencies, equal ones, smoothed frequencies, or probabilities by label or in the
        order of the classes.
    missing : {"auto", "error"}
        "auto": what each model does by default.
    unseen : {"smooth", "ignore", "error"}
        What a label is that did not occur in fit: a label counted 0 times, no evidence, or an error.
    na_values : sequence
        Further values that stand for missing ones, like "?".
    rule : {"map", "ml"}
        How to decide: "map" by the posterior; "ml" by the likelihood alone, without the priors.
    loss : array or mapping, optional
        A matrix, truth × decision, or {truth: {decision: cost}}, where costs that are not named are 0 for the right
        decision and 1 for a wrong one. The decision of least expected loss is taken.
    reject : Reject or float, optional
        A `Reject`, or the posterior below which no decision is made: `predict` then returns None.
    random_state : int, Generator or None
        What the members of `KDB` and the trees are drawn with.

    Attributes
    ----------
    models_ : dict
        The fitted models, by name.
    weights_ : dict
        The weight of each model's evidence, by name.
    structure_ : value
        All that was chosen from the rows of `fit`: distributions, cuts, parents, weights.
    tally_ : Tally
        The counts of all models.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_prior_ : array
        P(class).
    schema_ : Schema
        For each column its name, its distribution in naive Bayes and the reason for it; it prints as a table.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    Notes
    -----
    Tables of up to 5,000 rows are divided into five folds, and the models are fitted five times more. Of larger ones,
    up to 4,096 rows, evenly spread, are left out of all choices and scored, and then counted with the others. `report`
    shows the scores, and what each model adds.

    With "auto", naive Bayes, KDB and CountForest take part; FineKDB where a column has numbers, and Discriminant where
    all have, and none is missing. Where `columns` names distributions, Discriminant and CountForest do not.

    What was chosen from the rows of `fit`, or of the first `partial_fit`, is kept by what is learned later;
    `partial_fit`, `merge` and `forget` change the counts of all models.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> table, grower = load_wine(return_X_y=True, as_frame=True)
    >>> model = AutoBayes().fit(table, grower)
    >>> model.report().reason  # doctest: +ELLIPSIS
    'Scored on 178 rows, in five folds. ...
    """

    _parameter_constraints: ClassVar[Constraints] = {
        **{name: allowed for name, allowed in TABLE_CONSTRAINTS.items() if name != "smoothing"},
        "missing": [StrOptions({"auto", "error"})],
        "models": ["array-like", StrOptions({"auto"})],
        "effort": [StrOptions(set(_EFFORTS))],
        "structure": [AutoForm, None],
    }

    schema_: Schema
    structure_: AutoForm
    models_: dict[str, TableClassifier]
    weights_: dict[str, float]
    _form: AutoForm

    def __init__(
        self,
        columns: Any = "auto",
        *,
        models: Sequence[str] | Literal["auto"] = "auto",
        effort: Effort = "default",
        structure: AutoForm | None = None,
        priors: Any = "empirical",
        missing: Literal["auto", "error"] = "auto",
        unseen: Unseen = "smooth",
        na_values: Sequence[Any] = (),
        rule: Rule = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
        random_state: int | np.random.Generator | None = 0,
    ) -> None:
        self.columns, self.models, self.effort, self.structure = columns, models, effort, structure
        self.priors = priors
        self.missing, self.unseen, self.na_values = missing, unseen, na_values
        self.rule, self.loss, self.reject = rule, loss, reject
        self.random_state = random_state

    def report(self) -> Comparison:
        """Show the scores of the models on rows that they had not learned, what was chosen, and why.

        Returns
        -------
        Comparison
            It prints as a table.

        Raises
        ------
        ParameterError
            Nothing was compared, because `structure` was given.
        """
        self._check_fitted()
        if self._form.comparison is None:
            raise ParameterError("nothing was compared: the structure was given.")
        return self._form.comparison

    # Learning ------------------------------------------------------------------------------------------------------

    def _check_mergeable(self, other: AutoBayes) -> None:
        if self._form.models != other._form.models:
            raise ColumnMismatchError("the two models combine different models.")
        for name, model in self.models_.items():
            model._check_mergeable(other.models_[name])

    def _form_of_sample(self, data: Table, sample: Sample) -> AutoForm:
        if self._settings.structure is not None:
            return self._settings.structure
        models = self._new_models(self._names_of_models(data))
        first, *others = models.values()
        held_out = _held_out(sample)
        if held_out is not None:
            rest = np.flatnonzero(~held_out)
            chosen = data.take(rest), sample.take(rest)
        else:
            chosen = data, sample
        forms = (first._form_of_sample(*chosen), *(_quiet_form(model, *chosen) for model in others))
        plain = replace(self._form_of(data), schema=forms[0].schema)
        common = {field.name: getattr(plain, field.name) for field in fields(plain)}
        return AutoForm(**common, models=tuple(models), forms=forms)

    def _names_of_models(self, data: Table) -> Sequence[str]:
        if self._settings.models != "auto":
            return self._settings.models
        if self._settings.effort == "fast":
            return "NaiveBayes", "KDB"
        has_numbers = any(column.is_numeric for column in data.columns)
        # The distributions of a user may be some that only naive Bayes and KDB have.
        is_free = isinstance(self._settings.columns, str)
        # With missing values a discriminant takes longer than all others together.
        is_complete = all(column.is_numeric and not column.has_missing for column in data.columns)
        takes_part = {"FineKDB": has_numbers, "Discriminant": is_complete and is_free, "CountForest": is_free}
        return [name for name in _MAKERS if takes_part.get(name, True)]

    def _new_models(self, names: Sequence[str]) -> dict[str, TableClassifier]:
        """Models that are not fitted."""
        models = {}
        for name in names:
            if name not in _MAKERS:
                raise ParameterError(f"models has {name!r}, which is no model to compare.{did_you_mean(name, _MAKERS)}")
            models[name] = _MAKERS[name](self._settings)
        if not models:
            raise ParameterError("models is empty: name at least one.")
        return models

    def _count(self, data: Table, sample: Sample, form: Any) -> Tally:
        pairs = zip(self._new_models(form.models).values(), form.forms, strict=True)
        tallies = [model._count(data, sample, of) for model, of in pairs]
        return replace(tallies[0], parts=tuple(part for tally in tallies for part in tally.parts))

    def _learn_beyond_counts(self, tally: Tally, form: Any, data: Table, sample: Sample) -> tuple[AutoForm, None]:
        """The form with what the models learn beyond their counts, and with their weights."""
        if self._settings.structure is not None:
            return form, None
        held_out = _held_out(sample)
        if held_out is not None:
            return self._learn_held_out(form, data, sample, held_out), None
        models = self._new_models(form.models)
        pairs = zip(models.values(), _split(tally, form, models), strict=True)
        forms = tuple(model._learn_beyond_counts(*counted, data, sample)[0] for model, counted in pairs)
        of_rows, rows = _rows_to_score(sample)
        data, of_rows = data.take(rows), of_rows.take(rows)
        logs = self._score_folds(form.models, data, of_rows)
        how = f"in {_NUMBERS[_EFFORTS[self._settings.effort].folds]} folds"
        return replace(form, forms=forms, comparison=self._compared(tally, form, logs, of_rows, how)), None

    def _learn_held_out(self, form: AutoForm, data: Table, sample: Sample, held_out: AnyArray) -> AutoForm:
        """Choose and learn without some rows, and score these."""
        at, rest = np.flatnonzero(held_out), np.flatnonzero(~held_out)
        learned, scored = (data.take(rest), sample.take(rest)), (data.take(at), sample.take(at))
        models = self._new_models(form.models)
        tally = self._count(*learned, form)
        forms, logs = [], []
        for model, counted in zip(models.values(), _split(tally, form, models), strict=True):
            of_model, estimates = model._learn_beyond_counts(*counted, *learned)
            model._adopt(counted[0], of_model, estimates)
            forms.append(of_model)
            logs.append(model._likelihood(scored[0]))
        comparison = self._compared(tally, form, np.stack(logs), scored[1], "which no choice depends on")
        return replace(form, forms=tuple(forms), comparison=comparison)

    def _compared(self, tally: Tally, form: AutoForm, logs: Floats, sample: Sample, how: str) -> Comparison:
        weights = np.ones(len(sample.codes)) if sample.weights is None else sample.weights
        prior = prior_of_rows(self._settings.priors, tally.class_counts, sample.codes, weights)
        return compare(form.models, Scored(logs, prior, sample.codes, weights), how)

    def _score_folds(self, names: Sequence[str], data: Table, sample: Sample) -> Floats:
        """log P(row | class) by models that were fitted on the other folds: models × rows × classes."""
        folds = _EFFORTS[self._settings.effort].folds
        fold = _folds(data, sample.codes, folds)
        logs = np.zeros((len(names), len(data), len(sample.classes)))
        for f in range(folds):
            held_out, rest = np.flatnonzero(fold == f), np.flatnonzero(fold != f)
            if not len(held_out) or not len(rest):
                continue
            learned = data.take(rest), sample.take(rest)
            for m, model in enumerate(self._new_models(names).values()):
                form = _quiet_form(model, *learned)
                tally = model._count(*learned, form)
                model._adopt(tally, *model._learn_beyond_counts(tally, form, *learned))
                logs[m, held_out] = model._likelihood(data.take(held_out))
        return logs

    # Estimating ----------------------------------------------------------------------------------------------------

    def _fitted_models(self, tally: Tally, form: AutoForm) -> dict[str, TableClassifier]:
        models = self._new_models(form.models)
        pairs = zip(models.items(), _split(tally, form, models), strict=True)
        return {name: model._adopt(*counted) for (name, model), counted in pairs}

    def _estimate(self, tally: Tally, form: Any) -> dict[str, object]:
        prior = self._prior_of(tally)
        return {
            "models_": self._fitted_models(tally, form),
            "weights_": dict(zip(form.models, form.weights_of_models, strict=True)),
            "structure_": form,
            "schema_": form.schema,
            "class_count_": tally.class_counts.astype(np.float64),
            "class_prior_": np.exp(prior),
            "_prior": prior,
        }

    def _learned_beside_counts(self) -> dict[str, str]:
        models = ", ".join(f"{name} × {weight:.2f}" for name, weight in self.weights_.items())
        return {**super()._learned_beside_counts(), **({"models": models} if models else {})}

    def _prior_of(self, tally: Tally) -> Floats:
        return settle_priors(self._settings.priors, tally.class_counts, tally.classes.labels.tolist())

    def _accepted(self, tally: Tally) -> Tally:
        return tally

    def _form_of_tally(self, tally: Tally) -> AutoForm:
        if self._settings.structure is None or self._settings.structure.columns != len(self._names_in(tally)):
            raise ParameterError("a tally does not say what was compared. Pass structure=model.structure_.")
        return self._settings.structure

    def _names_in(self, tally: Tally) -> tuple[str, ...]:
        return tuple(dict.fromkeys(tally.names))  # every model counts all columns

    # Scoring -------------------------------------------------------------------------------------------------------

    def _weighted(self, score: Callable[[TableClassifier], Floats], shape: tuple[int, ...]) -> Floats:
        """The sum over the models, weighted."""
        out = np.zeros(shape)
        for name, model in self.models_.items():
            if self.weights_[name] > 0:
                out += self.weights_[name] * score(model)
        return out

    def _likelihood(self, data: Table) -> Floats:
        return self._weighted(lambda model: model._likelihood(data), (len(data), len(self.classes_)))

    def _column_evidence(self, data: Table) -> Floats:
        shape = len(data), self.n_features_in_, len(self.classes_)
        return self._weighted(lambda model: model._column_evidence(data), shape)

    _why_no_joint = "it adds the weighted evidence of several models. Use those in models_"

    def _free_parameters(self) -> int:
        return sum(model._free_parameters() for model in self.models_.values())

    def _left_out_likelihood(self, data: Table, y: Codes, weights: Floats) -> Floats:
        """What was chosen from all rows stays as it is."""
        shape = len(y), len(self.classes_)
        return self._weighted(lambda model: model._left_out_likelihood(data, y, weights), shape)

    def _check_values(self, data: Table) -> None:
        for model in self.models_.values():
            model._check_values(data)


def _quiet_form(model: TableClassifier, data: Table, sample: Sample) -> Form:
    """The form of the rows, without warnings of columns: the first model has warned of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DecibanWarning)
        return model._form_of_sample(data, sample)


def _naive_bayes(settings: AutoBayes) -> NaiveBayes:
    return NaiveBayes(
        settings.columns,
        priors=settings.priors,
        missing=settings.missing,
        unseen=settings.unseen,
        na_values=settings.na_values,
    )


def _kdb(settings: AutoBayes, bins: Literal["few", "many"] = "few") -> KDB:
    effort = _EFFORTS[settings.effort]
    return KDB(
        settings.columns,
        k=effort.k,
        members=effort.members,
        bins=bins,
        priors=settings.priors,
        missing="state" if settings.missing == "auto" else "error",
        unseen=settings.unseen,
        na_values=settings.na_values,
        random_state=settings.random_state,
    )


def _discriminant(settings: AutoBayes) -> Discriminant:
    return Discriminant(
        settings.columns,
        priors=settings.priors,
        missing="skip" if settings.missing == "auto" else "error",
        unseen=settings.unseen,
        na_values=settings.na_values,
    )


def _count_forest(settings: AutoBayes) -> CountForest:
    return CountForest(
        settings.columns,
        n_trees=_EFFORTS[settings.effort].members,
        priors=settings.priors,
        missing="state" if settings.missing == "auto" else "error",
        unseen=settings.unseen,
        na_values=settings.na_values,
        random_state=settings.random_state,
    )


_MAKERS: dict[str, Callable[[AutoBayes], TableClassifier]] = {
    "NaiveBayes": _naive_bayes,
    "KDB": _kdb,
    "FineKDB": lambda settings: _kdb(settings, "many"),
    "Discriminant": _discriminant,
    "CountForest": _count_forest,
}


def _split(tally: Tally, form: AutoForm, models: Mapping[str, TableClassifier]) -> list[tuple[Tally, Form]]:
    """The tally and the form of each model."""
    out, start = [], 0
    for model, of in zip(models.values(), form.forms, strict=True):
        end = start + model._parts_in(of)
        out.append((replace(tally, parts=tally.parts[start:end]), of))
        start = end
    return out


def _held_out(sample: Sample) -> AnyArray | None:
    """True for the rows that are scored and that no choice depends on; None where rows are few, and folds are used."""
    weights = sample.weights
    rows = np.arange(len(sample.codes)) if weights is None else np.flatnonzero(weights)
    if len(rows) <= _MOST_REFITTED:
        return None
    # Spread over the table, which may be sorted; rounded up, so that there are at most so many.
    out = np.zeros(len(sample.codes), dtype=bool)
    out[rows[:: max(_SHARE, -(-len(rows) // _MOST_SCORED))]] = True
    return out


def _rows_to_score(sample: Sample) -> tuple[Sample, AnyArray]:
    """The rows that have a weight; where weights are numbers of equal rows, and few, each row as often as it occurs."""
    rows, weights = np.arange(len(sample.codes)), sample.weights
    if weights is None:
        return sample, rows
    if (weights % 1.0).any() or weights.sum() > _MOST_REFITTED:
        return sample, np.flatnonzero(weights)
    return Sample(sample.classes, sample.codes, sample.counts), np.repeat(rows, weights.astype(np.int64))


def _ranks(column: Column) -> AnyArray:
    """The rank of each value among those of the column."""
    if column.is_numeric:
        return np.unique(column.numbers, return_inverse=True)[1]
    names = np.array([str(plain(state)) for state in column.states.tolist()] + [""])
    return np.unique(names[column.indices], return_inverse=True)[1]  # −1, missing, is the last name


def _folds(data: Table, y: Codes, folds: int) -> AnyArray:
    """The fold of each row: the rows of a class take turns, in an order that follows from their values alone.

    So do the classes, whose own order is that of their names.
    """
    keys = np.zeros(len(y), dtype=np.uint64)
    for column in data.columns:
        # Arrays of uint64 wrap around without a warning, as the hash wants it.
        keys = (keys + _ranks(column).astype(np.uint64) + np.uint64(1)) * _MIXER
        # The product mixes the high bits best: they go into the low ones before the next column.
        keys ^= keys >> np.uint64(29)
    # A sum over rows in any order, so that the names of the classes and the order of the rows change nothing.
    of_class = np.zeros(int(y.max(initial=0)) + 1, dtype=np.uint64)
    np.add.at(of_class, y, keys)
    order = np.lexsort((keys, y, of_class[y]))
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = np.arange(len(y)) % folds
    return fold
