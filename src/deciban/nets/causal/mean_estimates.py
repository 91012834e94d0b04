"""Effects between numbers and categories: one function for all methods, with what a reader should know beside them."""

from __future__ import annotations

from typing import Literal

import numpy as np

from deciban.choices import counted
from deciban.errors import DecibanWarning, InputError, warn_user
from deciban.nets.causal.cross_fitting import by_aipw, by_dml
from deciban.nets.causal.mean_effect import MeanEffect
from deciban.nets.causal.measured_rows import MeasuredRows
from deciban.nets.causal.regressions import (
    WEAK_F,
    Estimated,
    Means,
    by_front_door,
    by_instruments,
    by_regression,
    in_words,
)
from deciban.nets.graphs.graph import Node
from deciban.types import Floats, Ints

__all__ = ["MeanMethod", "estimate_mean"]

MeanMethod = Literal["no effect", "regression", "aipw", "dml", "front-door", "iv"]
"""How the effect on a mean is estimated."""

_MOST_SHOWN = 3
# Of two samples of the same distribution, a few values of one lie beyond the other.
_MOST_OUTSIDE = 0.05


def estimate_mean(
    rows: MeasuredRows,
    *,
    cause: Node,
    effect: Node,
    method: MeanMethod,
    adjusted: tuple[Node, ...] = (),
    instruments: tuple[Node, ...] = (),
    random_state: int | np.random.Generator | None = 0,
) -> MeanEffect:
    """The effect of one node on another; `adjusted` are the mediators of a front door."""
    if rows.is_constant(cause):
        raise InputError(f"column {cause!r} has one value in all rows, so it has no effect that could be estimated.")
    found = _estimated(rows, cause, effect, method, adjusted, instruments, random_state)
    notes = list(found.notes)
    if found.first_stage_f is not None and found.first_stage_f < WEAK_F:
        warn_user(found.notes[0], DecibanWarning)
    if rows.is_constant(effect):
        notes.insert(0, f"{effect} has one value in all rows")
    if method in ("regression", "aipw"):
        notes += _overlap(rows, cause, adjusted)
    return MeanEffect(
        cause,
        effect,
        method,
        _formula(cause, effect, method, adjusted, instruments),
        adjusted,
        instruments,
        rows.states.get(cause),
        rows.states.get(effect),
        rows.total,
        rows.left_out,
        tuple(notes),
        found.first_stage_f,
        found.df,
        found.coefficients,
        found.covariances,
        found.scales,
        found.centre,
    )


def _estimated(
    rows: MeasuredRows,
    cause: Node,
    effect: Node,
    method: MeanMethod,
    adjusted: tuple[Node, ...],
    instruments: tuple[Node, ...],
    random_state: int | np.random.Generator | None,
) -> Estimated:
    match method:
        case "no effect":
            means = Means.of(rows, cause, effect)
            shape = (means.x.values.shape[1], means.y.values.shape[1])
            return means.estimated(np.zeros(shape), np.zeros((len(rows.weight), *shape)), np.inf)
        case "regression":
            return by_regression(rows, cause, effect, adjusted)
        case "front-door":
            return by_front_door(rows, cause, effect, adjusted)
        case "iv":
            return by_instruments(rows, cause, effect, instruments, adjusted)
        case "aipw":
            if rows.is_number(cause):
                raise InputError(
                    f'{cause!r} is a number, and "aipw" compares the states of a category. Use method="dml".'
                )
            return by_aipw(rows, cause, effect, adjusted, random_state)
        case "dml":
            if not rows.is_number(cause):
                raise InputError(f'{cause!r} is a category, and "dml" is for a numeric cause. Use method="aipw".')
            return by_dml(rows, cause, effect, adjusted, random_state)


def _formula(
    cause: Node, effect: Node, method: MeanMethod, adjusted: tuple[Node, ...], instruments: tuple[Node, ...]
) -> str:
    given = f", adjusted for {in_words(adjusted)}" if adjusted else ""
    match method:
        case "no effect":
            return "without an effect: no directed path leads from cause to effect"
        case "regression":
            return f"by regression of {effect} on {in_words([cause, *adjusted])}"
        case "aipw":
            return f"by augmented inverse-probability weighting{given}"
        case "dml":
            return f"by double machine learning{given}"
        case "front-door":
            return f"by the front door {in_words(adjusted)}, with linear regressions"
    named = f"the instrument{'s' if len(instruments) > 1 else ''} {in_words(instruments)}"
    return f"by two-stage least squares with {named}{given}"


def _overlap(rows: MeasuredRows, cause: Node, adjusted: tuple[Node, ...]) -> list[str]:
    """Where some state of the cause never occurs: there an estimate says what the model extrapolates."""
    if rows.is_number(cause):
        return []
    return [*_empty_strata(rows, cause, adjusted), *_outside(rows, cause, adjusted)]


def _empty_strata(rows: MeasuredRows, cause: Node, adjusted: tuple[Node, ...]) -> list[str]:
    """Combinations of the categories with rows, but none in some state of the cause; the largest first."""
    nodes = tuple(node for node in adjusted if node in rows.codes)
    if not nodes:
        return []
    strata, indices = np.unique(np.column_stack([rows.codes[node] for node in nodes]), axis=0, return_inverse=True)
    states = len(rows.states[cause])
    # Where there are hardly more rows than combinations, most are empty by chance; then each category is looked at.
    if len(nodes) > 1 and len(strata) * states * _MOST_SHOWN > len(rows.weight):
        return [note for node in nodes for note in _empty_strata(rows, cause, (node,))]
    counts: Floats = np.zeros((len(strata), states))
    np.add.at(counts, (indices.ravel(), rows.codes[cause]), rows.weight)
    empty: Ints = np.argwhere(counts == 0)
    order = np.argsort(-counts.sum(axis=1)[empty[:, 0]], kind="stable")
    notes = []
    for stratum, state in empty[order[:_MOST_SHOWN]].tolist():
        pairs = zip(nodes, strata[stratum].tolist(), strict=True)
        where = ", ".join(f"{node} = {rows.states[node][code]}" for node, code in pairs)
        notes.append(
            f"positivity: no row has {cause} = {rows.states[cause][state]} with {where} "
            f"({counted(float(counts[stratum].sum()), 'row')}), so the model extrapolates there"
        )
    if len(empty) > _MOST_SHOWN:
        notes.append(f"positivity: {len(empty) - _MOST_SHOWN} more combinations without rows")
    return notes


def _outside(rows: MeasuredRows, cause: Node, adjusted: tuple[Node, ...]) -> list[str]:
    """Numbers of which some states of the cause have no values as large, or as small, as many rows have."""
    notes = []
    for node in (one for one in adjusted if one in rows.numbers):
        for code, state in enumerate(rows.states[cause]):
            values = rows.numbers[node][rows.codes[cause] == code]
            low, high = float(values.min()), float(values.max())
            is_out = (rows.numbers[node] < low) | (rows.numbers[node] > high)
            share = float(rows.weight[is_out].sum()) / rows.total
            if share > _MOST_OUTSIDE:
                notes.append(
                    f"positivity: with {cause} = {state}, {node} is from {low:.4g} to {high:.4g}; {share:.0%} of the "
                    "rows lie outside, where the model extrapolates"
                )
    return notes
