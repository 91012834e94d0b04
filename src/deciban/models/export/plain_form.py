"""The closed form of a fitted model as plain lists, texts and numbers, which JSON can hold.

What another language needs to compute posteriors, in the terms of `deciban.models.export.forms` and of
`deciban.estimate.columns.formulas`. JSON has no infinity: it is the text "Infinity" or "-Infinity" here.

    classes, start, prior    the labels as text; what is added to the log-likelihoods; the log priors
    temperature              T, by which the log-likelihood is divided
    calibration              None, {"temperature": T} or {"points": [[x, y] of each class]}
    columns                  for each column its name, "kind" ("labels", "bins", "presence" or "curve") and its numbers
    tree                     None, or for each column its parent (−1 for the root) and its table of logs
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import singledispatch
from typing import Any

import numpy as np

from deciban.decide import Isotonic, Temperature
from deciban.errors import ParameterError
from deciban.estimate.columns.formulas import Bins, Curve, Labels, Presence, StateLogs
from deciban.models.export.forms import NamedFormula, Tree
from deciban.read import MISSING_LABEL

__all__ = ["plain_form", "plain_rows"]


def plain_form(model: Any) -> dict[str, Any]:
    """The closed form of a fitted model; an error where it has none that is a sum or a tree."""
    form = model._closed_form()
    return {
        "classes": [str(label) for label in model.classes_.tolist()],
        "start": _plain(form.start),
        "prior": _plain(form.prior),
        "temperature": form.temperature,
        "calibration": _calibration(model._calibration()),
        "columns": [_column(column) for column in form.columns],
        "tree": _structure(form.structure),
    }


def plain_rows(model: Any, rows: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """The values of rows, by name, as the plain form takes them, in the order of its columns.

    The index of a label, −1 for one that was not seen in fit; 0 or 1 for presence; else a number. None is missing.
    """
    columns = model._closed_form().columns
    return [[_value(held, row.get(held.name)) for held in columns] for row in rows]


def _value(held: NamedFormula, value: Any) -> Any:
    if value is None or value != value or value in held.markers:
        return None
    return _state(getattr(held.formula, "states", None), value)


@singledispatch
def _state(states: Any, value: Any) -> float:  # noqa: ARG001  a number is its own state
    return float(value)


@_state.register
def _(states: Labels, value: Any) -> int:
    labels = list(states.labels)
    return labels.index(value) if value in labels else -1


@_state.register
def _(states: Presence, value: Any) -> int:
    return int(float(value) > states.threshold)


def _column(held: NamedFormula) -> dict[str, Any]:
    return {"name": held.name, **_formula(held.formula)}


@singledispatch
def _formula(formula: Any) -> dict[str, Any]:
    raise ParameterError(f"a likelihood of type {type(formula).__name__} has no plain form.")


@_formula.register
def _(formula: StateLogs) -> dict[str, Any]:
    codes = {"unseen_code": formula.unseen_code, "missing_code": formula.missing_code}
    logs = {"logs": _plain(formula.logs), "unseen": _plain(formula.unseen), "missing": _plain(formula.missing)}
    return {**_states(formula.states), **logs, **codes}


@_formula.register
def _(formula: Curve) -> dict[str, Any]:
    return {"kind": "curve", **{field.name: _plain(getattr(formula, field.name)) for field in fields(formula)}}


@singledispatch
def _states(states: Any) -> dict[str, Any]:
    raise ParameterError(f"states of type {type(states).__name__} have no plain form.")


@_states.register
def _(states: Labels) -> dict[str, Any]:
    shown = [None if label == MISSING_LABEL else str(label) for label in states.labels]
    return {"kind": "labels", "labels": shown}


@_states.register
def _(states: Bins) -> dict[str, Any]:
    return {"kind": "bins", "cuts": _plain(np.asarray(states.cuts, dtype=np.float64))}


@_states.register
def _(states: Presence) -> dict[str, Any]:
    return {"kind": "presence", "threshold": states.threshold}


@singledispatch
def _structure(structure: Any) -> dict[str, Any] | None:
    kind = type(structure).__name__.lower()
    raise ParameterError(f"the model is no sum over its columns, and no tree: it has no plain form ({kind}).")


@_structure.register
def _(structure: None) -> None:  # noqa: ARG001
    return None


@_structure.register
def _(structure: Tree) -> dict[str, Any]:
    columns = [{"column": i, "parent": p, "logs": _plain(structure.logs[i])} for i, p in structure.parents.items()]
    return {"columns": columns}


@singledispatch
def _calibration(calibration: Any) -> dict[str, Any] | None:
    raise ParameterError(f"a calibration by {type(calibration).__name__} has no plain form.")


@_calibration.register
def _(calibration: None) -> None:  # noqa: ARG001
    return None


@_calibration.register
def _(calibration: Temperature) -> dict[str, Any]:
    return {"temperature": calibration.value}


@_calibration.register
def _(calibration: Isotonic) -> dict[str, Any]:
    return {"points": [[_plain(x), _plain(y)] for x, y in calibration.points]}


def _plain(value: Any) -> Any:
    """Numbers and arrays of them as JSON holds them."""
    if isinstance(value, np.ndarray):
        return [_plain(part) for part in value] if value.ndim > 1 else [_plain(number) for number in value.tolist()]
    if isinstance(value, float) and not math.isfinite(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
