"""Comparing models on rows that they have not learned, and the weights that combine their evidence best.

    log P(j | x) = log P(j) + Σ_m a_m·log P_m(x | j) + a constant,   a_m ≥ 0

The weights minimize the log loss of the rows, plus 3/2 of the squared distance from equal weights. Models that repeat
one another share their weight, a model that adds nothing gets 0, and weights that sum to less than 1 correct
overconfidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from html import escape
from typing import NamedTuple

import numpy as np

from deciban.decide import finish
from deciban.estimate.column import Margins
from deciban.models.form import Form, check_form
from deciban.models.learned_weights import best_weights, order_of_rows
from deciban.storable import require, storable
from deciban.types import Codes, Floats

__all__ = ["AutoForm", "Candidate", "Comparison", "Scored", "compare"]


_PENALTY = 3.0
_NEGLIGIBLE = 1e-3
_LOWEST = -700.0
_HEAD = ("model", "weight", "log loss", "accuracy")


@storable
@dataclass(frozen=True)
class Candidate:
    """One model: its scores on rows that it had not learned, and its weight in the combination."""

    name: str
    log_loss: float
    accuracy: float
    weight: float


@storable
@dataclass(frozen=True)
class Comparison:
    """The models that `AutoBayes` has compared, and how; it prints as a table.

    Attributes
    ----------
    candidates : tuple
        The models: `name`, `log_loss`, `accuracy` and `weight` of each.
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
    (['NaiveBayes', 'KDB'], 40)
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
        return "\n".join([*lines, "", self.reason])

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
        return f"{scored} The weighted evidence of {' and '.join(used)} together has the least log loss."

    def _rows(self) -> list[tuple[str, str, str, str]]:
        rows = [(c.name, f"{c.weight:.2f}", f"{c.log_loss:.4f}", f"{c.accuracy:.4f}") for c in self.candidates]
        return [*rows, ("combined", "", f"{self.log_loss:.4f}", f"{self.accuracy:.4f}")]


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
    """The best weights of the models, and the scores of each and of all."""
    logs, prior, y, sample_weight = scored
    equal = np.full(len(names), 1.0 / len(names))
    weights = _weights(scored, equal) if prior.shape[1] > 1 and len(y) else equal
    scores = (_scores(prior + of_model, y, sample_weight) for of_model in logs)
    candidates = (Candidate(n, *s, w) for n, s, w in zip(names, scores, weights.tolist(), strict=True))
    combined = _scores(prior + np.einsum("m,mrj->rj", weights, logs), y, sample_weight)
    return Comparison(tuple(candidates), *combined, len(y), how)


def _weights(scored: Scored, center: Floats) -> Floats:
    logs, prior, y, sample_weight = scored
    order = order_of_rows(y, prior.shape[1])
    if order is not None:
        logs, prior, y = logs[:, :, order], prior[:, order], np.argsort(order).astype(y.dtype)[y]
    margins, of_prior = (Margins(y, sample_weight, prior.shape[1], count) for count in (len(logs), 1))
    of_prior.add_logs(0, prior)
    for m, of_model in enumerate(logs):
        margins.add_logs(m, of_model)
    found = best_weights(margins, of_prior, sample_weight, center, penalty=_PENALTY)
    return np.where(found < _NEGLIGIBLE, 0.0, found)


def _scores(joint: Floats, y: Codes, sample_weight: Floats) -> tuple[float, float]:
    """Log loss and accuracy."""
    if not len(y):
        return 0.0, 1.0
    posterior = finish(np.ascontiguousarray(joint), np.zeros(joint.shape[1]), "log_posterior")
    own = np.maximum(posterior[np.arange(len(y)), y], _LOWEST)
    loss = -np.average(own, weights=sample_weight)
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
