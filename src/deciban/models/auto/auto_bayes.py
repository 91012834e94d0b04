"""A combination of naive Bayes and models beyond it, weighted by how well each predicts rows that it has not learned.

    log P(j | x) = log P(j) + Σ_m a_m·log P_m(x | j) + a constant,   a_m ≥ 0

The weights a_m minimize the log loss of rows that no model has learned. Models that repeat one another share their
weight, one that adds nothing gets 0, and weights that sum to less than 1 correct overconfidence. The sum stays a sum:
the evidence of a column is that of all models, weighted.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar

import numpy as np

from deciban.decide import Reject, finish
from deciban.errors import DecibanWarning, ParameterError
from deciban.estimate import settle_priors
from deciban.estimate.columns.margins import Margins
from deciban.models.auto.form import AutoForm, Candidate, Comparison
from deciban.models.base import BayesClassifier
from deciban.models.form import Form
from deciban.models.nets.aode import AODE
from deciban.models.nets.kdb import KDB
from deciban.models.options import Rule, Unseen
from deciban.models.parts.calibration import calibrate, honest_posterior
from deciban.models.parts.decider import DECIDER_CONSTRAINTS, Decider
from deciban.models.parts.learned_weights import best_weights
from deciban.models.parts.leave_one_out import loo_predict_proba, prior_without_own
from deciban.models.parts.tables import read_marked_row, read_marked_table, tag_table
from deciban.models.tables.naive_bayes import NaiveBayes
from deciban.read import Table
from deciban.tallies import Sample, Tally
from deciban.types import AnyArray, Codes, Floats

__all__ = ["AutoBayes"]

_MAKERS: dict[str, Callable[..., Any]] = {"NaiveBayes": NaiveBayes, "KDB": KDB, "AODE": AODE}
_DEFAULT = ("NaiveBayes", "KDB")
_FOLDS = 5
_MOST_REFITTED = 5_000
_MOST_SCORED = 4_096


class AutoBayes(BayesClassifier):
    """The model to begin with: naive Bayes and models of dependent columns, compared and combined.

    Parameters
    ----------
    columns : the distributions of the columns, "auto" or by name, as in `NaiveBayes`
    models : the names of the models to compare
    priors, unseen, na_values, rule, loss, reject : as in `NaiveBayes`
    random_state : an int, a Generator or None, as in `KDB`
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {**DECIDER_CONSTRAINTS, "models": ["array-like"]}
    missing = "state"

    _form: AutoForm

    def __init__(
        self,
        columns: Any = "auto",
        *,
        models: Sequence[str] = _DEFAULT,
        priors: Any = "empirical",
        unseen: Unseen = "smooth",
        na_values: Sequence[Any] = (),
        rule: Rule = "map",
        loss: Any = None,
        reject: Reject | float | None = None,
        random_state: int | np.random.Generator | None = 0,
    ) -> None:
        self.columns, self.models, self.priors = columns, models, priors
        self.unseen, self.na_values = unseen, na_values
        self.rule, self.loss, self.reject = rule, loss, reject
        self.random_state = random_state

    calibrate = calibrate
    loo_predict_proba = loo_predict_proba
    _honest_posterior = honest_posterior
    _read = read_marked_table
    _read_values = read_marked_row

    def report(self) -> Comparison:
        """What was compared, what was chosen, and why."""
        self._check_fitted()
        assert self._form.comparison is not None
        return self._form.comparison

    # The models ----------------------------------------------------------------------------------------------------

    def _make(self, name: str) -> Any:
        given = {"columns": self.columns, "priors": self.priors, "unseen": self.unseen, "na_values": self.na_values}
        if name == "KDB":
            given["random_state"] = self.random_state
        return _MAKERS[name](**given)

    def _form_of_sample(self, data: Table, sample: Sample) -> AutoForm:
        names = tuple(self.models)
        forms = tuple(self._make(name)._form_of_sample(data, sample) for name in names)
        plain = replace(self._form_of(data), schema=forms[0].schema)
        held = {field.name: getattr(plain, field.name) for field in fields(plain)}
        return AutoForm(**held, models=names, forms=forms)

    def _count(self, data: Table, sample: Sample, form: AutoForm) -> Tally:
        pairs = zip(form.models, form.forms, strict=True)
        tallies = [self._make(name)._count(data, sample, of) for name, of in pairs]
        return replace(tallies[0], parts=tuple(part for tally in tallies for part in tally.parts))

    def _accepted(self, tally: Tally) -> Tally:
        return tally

    def _form_of_tally(self, tally: Tally) -> Form:
        raise ParameterError("a tally does not say which models were compared. Save and load the model instead.")

    def _names_in(self, tally: Tally) -> tuple[str, ...]:
        return tuple(dict.fromkeys(tally.names))

    def _members(self, tally: Tally, form: AutoForm) -> tuple[Any, ...]:
        """The fitted models."""
        out, start = [], 0
        for name, of in zip(form.models, form.forms, strict=True):
            count = of.columns if name == "NaiveBayes" else 1
            own = replace(tally, parts=tally.parts[start : start + count])
            start += count
            out.append(self._make(name)._adopt(own, of))
        return tuple(out)

    def _learn_beyond_counts(self, tally: Tally, form: AutoForm, data: Table, sample: Sample) -> AutoForm:
        """The form with what the models learn, and with their weights."""
        members = self._members(tally, form)
        learned = tuple(member._learn_beyond_counts(member.tally_, member._form, data, sample) for member in members)
        form = replace(form, forms=learned)
        return replace(form, comparison=self._compare(tally, form, data, sample))

    def _compare(self, tally: Tally, form: AutoForm, data: Table, sample: Sample) -> Comparison:
        members = self._members(tally, form)
        held = np.arange(len(data)) if sample.weights is None else np.flatnonzero(sample.weights)
        is_refitted = len(held) <= _MOST_REFITTED
        at = held if is_refitted else held[:: -(-len(held) // _MOST_SCORED)]
        y = sample.codes[at]
        own = np.ones(len(at)) if sample.weights is None else sample.weights[at]
        if is_refitted:
            logs = self._of_folds(form, data.take(at), sample.take(at))
            how = f"in {_FOLDS} folds"
        else:
            some = data.take(at)
            logs = np.stack([member._left_out_likelihood(some, y, own) for member in members])
            how = "each by leave-one-out"
        prior = prior_without_own(self.priors, self._prior_of(tally), tally.class_counts, y, own)
        return _combined(form.models, logs, prior, y, own, how)

    def _of_folds(self, form: AutoForm, data: Table, sample: Sample) -> Floats:
        """log P(row | class) of each model for each row, learned from the other folds: models × rows × classes."""
        logs = np.zeros((len(form.models), len(data), len(sample.classes)))
        fold = _folds(sample.codes, _FOLDS)
        for f in range(_FOLDS):
            inside, outside = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
            if not len(inside) or not len(outside):
                continue
            some, rest = data.take(outside), (data.take(inside), sample.take(inside))
            for m, name in enumerate(form.models):
                model = self._make(name)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", DecibanWarning)
                    of = model._form_of_sample(*rest)
                tally = model._count(*rest, of)
                model._adopt(tally, model._learn_beyond_counts(tally, of, *rest))
                logs[m, outside] = model._likelihood(some)
        return logs

    # Estimating and scoring ----------------------------------------------------------------------------------------

    def _prior_of(self, tally: Tally) -> Floats:
        return settle_priors(self.priors, tally.class_counts, tally.classes.labels.tolist())

    def _estimate(self, tally: Tally, form: AutoForm) -> dict[str, Any]:
        prior = self._prior_of(tally)
        weights = [c.weight for c in form.comparison.candidates] if form.comparison else [1.0] * len(form.models)
        members = self._members(tally, form)
        return {
            "models_": dict(zip(form.models, members, strict=True)),
            "weights_": dict(zip(form.models, weights, strict=True)),
            "class_count_": tally.class_counts.astype(np.float64),
            "class_prior_": np.exp(prior),
            "_prior": prior,
        }

    def _used(self) -> list[tuple[float, Any]]:
        return [(self.weights_[name], model) for name, model in self.models_.items() if self.weights_[name] > 0]

    def _likelihood(self, data: Table) -> Floats:
        out = np.zeros((len(data), len(self.classes_)))
        for weight, model in self._used():
            out += weight * model._likelihood(data)
        return out

    def _column_evidence(self, data: Table) -> Floats:
        out = np.zeros((len(data), self.n_features_in_, len(self.classes_)))
        for weight, model in self._used():
            out += weight * model._column_evidence(data)
        return out

    def _left_out_likelihood(self, data: Table, y: Codes, weights: Floats) -> Floats:
        out = np.zeros((len(y), len(self.classes_)))
        for weight, model in self._used():
            out += weight * model._left_out_likelihood(data, y, weights)
        return out

    def _check_values(self, data: Table) -> None:
        for model in self.models_.values():
            model._check_values(data)

    def _decider(self) -> Decider:
        return Decider(self.rule, self.loss, self.reject)

    def __sklearn_tags__(self) -> Any:
        return tag_table(super().__sklearn_tags__(), self.missing)


def _folds(y: Codes, count: int) -> AnyArray:
    """The fold of each row: the rows of each class take turns."""
    order = np.argsort(y, kind="stable")
    fold = np.empty(len(y), dtype=np.int64)
    fold[order] = np.arange(len(y)) % count
    return fold


def _combined(names: Sequence[str], logs: Floats, prior: Floats, y: Codes, own: Floats, how: str) -> Comparison:
    """The weights of the models, and the scores of each and of all."""
    classes = prior.shape[1]
    if classes < 2:
        return Comparison(tuple(Candidate(name, 0.0, 1.0, 1.0 / len(names)) for name in names), 0.0, 1.0, how, len(y))
    margins, of_prior = Margins(y, own, classes, len(names)), Margins(y, own, classes, 1)
    of_prior.add_logs(0, prior)
    for m, of_model in enumerate(logs):
        margins.add_logs(m, of_model)
    center = np.full(len(names), 1.0 / len(names))
    weights = best_weights(margins, of_prior, own, center)
    weights[weights < 1e-3] = 0.0
    scores = [_score(prior + of_model, y, own) for of_model in logs]
    loss, accuracy = _score(prior + np.einsum("m,mrc->rc", weights, logs), y, own)
    rows = zip(names, scores, weights.tolist(), strict=True)
    return Comparison(tuple(Candidate(n, *s, w) for n, s, w in rows), loss, accuracy, how, len(y))


def _score(joint: Floats, y: Codes, own: Floats) -> tuple[float, float]:
    """Log loss and accuracy."""
    posterior = finish(joint, np.zeros(joint.shape[1]), "log_posterior")
    at = np.arange(len(y))
    loss = -np.average(np.maximum(posterior[at, y], -700.0), weights=own)
    return float(loss), float(np.average(posterior.argmax(axis=1) == y, weights=own))
