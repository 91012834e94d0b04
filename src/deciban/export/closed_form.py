"""A fitted classifier as plain numbers: what another language needs to compute its posteriors.

    log P(j, x) = start_j + (1/T)·log P(x | j) + a constant

A naive Bayes model has a formula for each column, and log P(x | j) is their sum. Models that count combinations of
columns code each column first, and have tables of the coded values: `Tree` for TAN, `Average` for AODE.

The closed form of a fitted model as plain lists, texts and numbers, which JSON can hold.

What another language needs to compute posteriors, in the terms of `deciban.export.closed_form` and of
`deciban.estimate.likelihood`. JSON has no infinity: it is the text "Infinity" or "-Infinity" here.

    classes, start, prior    the labels as text; what is added to the log-likelihoods; the log priors
    temperature              T, by which the log-likelihood is divided
    calibration              None, {"temperature": T} or {"points": [[x, y] of each class]}
    columns                  for each column its name, "kind" ("labels", "bins", "presence" or "curve") and its numbers
    tree                     None, or for each column its parent (−1 for the root) and its table of logs
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from deciban.decide import Isotonic, Temperature
from deciban.errors import ParameterError
from deciban.estimate.likelihood import Bins, Curve, Formula, Labels, Presence, StateLogs
from deciban.read import MISSING_LABEL
from deciban.types import Floats

__all__ = ["Average", "ClosedForm", "NamedFormula", "Parent", "Tree", "plain_form", "plain_rows"]


class NamedFormula(NamedTuple):
    """A column: its name, its formula, the values that stand for missing ones, and whether its text is numbers."""

    name: str
    formula: Formula
    markers: frozenset[Any] = frozenset()
    is_numeral: bool = False


class Tree(NamedTuple):
    """log P(v | parent, class) along a tree: columns index the formulas, parents come before children.

    `parents` has −1 for the root. `logs` are the parent's states and an unseen one × states and an unseen one ×
    classes.
    """

    parents: dict[int, int]
    logs: dict[int, Floats]


class Parent(NamedTuple):
    """One of the averaged models: which states of its column are used, its weight, and the tables of all columns.

    `logs` has for each column, by its index among the formulas, the parent's states × states and an unseen one ×
    classes; at the parent itself the states are those of the parent alone.
    """

    column: int
    is_used: Sequence[bool]
    weight: float
    logs: dict[int, Floats]


class Average(NamedTuple):
    """The weighted mean of the models of all parents, and log P(v | class) where no parent is used."""

    parents: list[Parent]
    alone: dict[int, Floats]


@dataclass(frozen=True, eq=False)
class ClosedForm:
    """All that a fitted model computes posteriors from.

    Attributes
    ----------
    start : what is added to the log-likelihood of each class: usually the log priors
    prior : the log priors, the posterior of a row that no class can have
    columns : of all columns that are used
    structure : how log P(row | class) follows from the columns; None for their sum
    temperature : T above
    """

    start: Floats
    prior: Floats
    columns: list[NamedFormula]
    structure: Tree | Average | None = None
    temperature: float = 1.0


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
