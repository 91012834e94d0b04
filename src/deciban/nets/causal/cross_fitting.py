"""Effects by cross-fitting: augmented inverse-probability weighting, and double machine learning.

Both predict from the adjustment set z, on rows that were not used to fit the prediction, so that flexible predictions
do not bias the effect or its error (Chernozhukov and others, 2018).

**A category as cause** (Robins, Rotnitzky and Zhao, 1994): with the mean m_k(z) of y among rows in state k, and the
propensity e_k(z) = P(x = k | z),

  θ_k = Σ wᵢ φᵢ / W        φᵢ = m_k(zᵢ) + [xᵢ = k] (yᵢ − m_k(zᵢ)) / e_k(zᵢ)        ψᵢ = φᵢ − θ_k

is right if one of the two predictions is. A propensity below 1 % is taken as 1 %, and said: where it is near 0,
positivity fails.

**A number as cause**, in the partially linear model y = θ x + g(z) + noise (Robinson, 1988):

  θ = Σ w ṽ ũ / Σ w ṽ²        ũ = y − E[y | z],  ṽ = x − E[x | z]        ψᵢ = ṽᵢ (ũᵢ − θ ṽᵢ) / (Σ w ṽ² / W)

Predictions are sums of cubic splines of the numbers and of effects of the states: ridge regression with a penalty by
leave-one-out for means, multinomial logistic regression for propensities (scikit-learn's).

**Folds** go by the values of rows, not by their order. The states of a cause, and the copies of equal rows, are dealt
evenly; a row of weight 3 is three copies. Few rows are dealt several times, and the estimates averaged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from deciban.choices import counted
from deciban.errors import InputError
from deciban.limits import check_memory
from deciban.nets.causal.measured_rows import MeasuredRows
from deciban.nets.causal.regressions import Estimated, Means, check_varies, in_words
from deciban.nets.graphs.graph import Node
from deciban.types import AnyArray, Floats, Ints

__all__ = ["FOLDS", "by_aipw", "by_dml"]

FOLDS = 5
"""The number of folds."""

# So many rows are dealt in all, up to so many times (Chernozhukov and others 2018, section 3.4).
_DEALT = 5000
_MOST_DEALS = 5

_LEAST_PROPENSITY = 0.01
_KNOTS = 5
# A line is penalized less than the curve around it, by the square: where few rows are, it is followed.
_LINE = 10.0
# Ridge penalties from none to one that leaves only the mean, of columns with variance 1.
_PENALTIES = np.logspace(-3, 5, 17)
# The share of the variance of a cause that must be left beside its prediction.
_LEAST_LEFT = 1e-6
_LITTLE_LEFT = 0.01


def by_aipw(
    rows: MeasuredRows,
    cause: Node,
    effect: Node,
    adjusted: tuple[Node, ...],
    random_state: int | np.random.Generator | None,
) -> Estimated:
    """The mean of the effect for each state of the cause."""
    deals = _Deal.several(rows.codes[cause], rows.weight, random_state)
    return _averaged([_aipw_of(deal, rows, cause, effect, adjusted) for deal in deals])


def _aipw_of(deal: _Deal, rows: MeasuredRows, cause: Node, effect: Node, adjusted: tuple[Node, ...]) -> Estimated:
    states = rows.states[cause]
    x, y = rows.codes[cause][deal.row], rows.block([effect], every_state=True)
    goal, z = y.values[deal.row], _splines(rows, adjusted)[deal.row]
    folds_with = [len(np.unique(deal.fold[x == state])) for state in range(len(states))]
    if min(folds_with) < FOLDS:
        rare = int(np.argmin(folds_with))
        raise InputError(
            f"{cause!r} is {states[rare]!r} in {counted(float(deal.weight[x == rare].sum()), 'row')}: too few for "
            f'{FOLDS} folds. Put states into groups, or pass method="regression".'
        )
    means = np.empty((len(states), *goal.shape))
    propensities = np.empty((len(x), len(states)))
    for train, test in deal.folds():
        propensities[test] = _propensities(z, x, deal.weight, train, test, len(states))
        for state in range(len(states)):
            means[state][test] = _predicted(z, goal, deal.weight, train[x[train] == state], test)
    shares = np.maximum(propensities, _LEAST_PROPENSITY)
    scores = np.empty_like(means)
    for state in range(len(states)):
        is_here = (x == state)[:, None]
        scores[state] = means[state] + np.where(is_here, (goal - means[state]) / shares[:, state, None], 0.0)
    estimates = np.average(scores, axis=1, weights=deal.weight)
    around = (scores - estimates[:, None, :]) * np.sqrt(deal.weight)[None, :, None] / rows.total
    covariances = np.einsum("knm,lnm->mkl", around, around)
    scales = np.broadcast_to(y.scale[:, None], (len(y.scale), len(states)))
    notes = [
        f"positivity: P({cause} = {states[state]} | {in_words(adjusted)}) is below {_LEAST_PROPENSITY:g} in "
        f"{counted(float(deal.weight[low].sum()), 'row')} (least {propensities[low, state].min():.2g}), and is taken "
        f"as {_LEAST_PROPENSITY:g} there"
        for state in range(len(states))
        if (low := propensities[:, state] < _LEAST_PROPENSITY).any()
    ]
    return Estimated(estimates * y.scale + y.centre, covariances, scales, notes=tuple(notes))


def by_dml(
    rows: MeasuredRows,
    cause: Node,
    effect: Node,
    adjusted: tuple[Node, ...],
    random_state: int | np.random.Generator | None,
) -> Estimated:
    """The slope of a numeric cause in the partially linear model."""
    check_varies(rows, cause, adjusted)
    deals = _Deal.several(np.zeros(len(rows.weight), dtype=np.int64), rows.weight, random_state)
    return _averaged([_dml_of(deal, rows, cause, effect, adjusted) for deal in deals])


def _dml_of(deal: _Deal, rows: MeasuredRows, cause: Node, effect: Node, adjusted: tuple[Node, ...]) -> Estimated:
    if len(np.unique(deal.fold)) < FOLDS or rows.total < 2 * FOLDS:
        raise InputError(f'{counted(rows.total, "row")}: too few for {FOLDS} folds. Pass method="regression".')
    means = Means.of(rows.take(deal.row, deal.weight), cause, effect)
    z, x, y = _splines(rows, adjusted)[deal.row], means.x.values.copy(), means.y.values.copy()
    for train, test in deal.folds():
        x[test] -= _predicted(z, means.x.values, deal.weight, train, test)
        y[test] -= _predicted(z, means.y.values, deal.weight, train, test)
    left = float(np.average(x[:, 0] ** 2, weights=deal.weight))
    if left < _LEAST_LEFT:
        raise InputError(
            f"{in_words(adjusted)} determine {cause!r}, so no rows with the same values differ in it (positivity "
            "fails). Leave out a column that is a copy or a function of others."
        )
    slopes = (x.T @ (y * deal.weight[:, None])) / (left * rows.total)
    influence = (x / left)[:, :, None] * (y - x @ slopes)[:, None, :]
    notes: tuple[str, ...] = ()
    if left < _LITTLE_LEFT:
        notes = (f"positivity: {in_words(adjusted)} predict {1 - left:.2%} of the variance of {cause}",)
    return means.estimated(slopes, influence, np.inf, notes)


def _averaged(found: list[Estimated]) -> Estimated:
    """The mean of the estimates of several deals; their variance is that of one, and that between deals."""
    coefficients = np.mean([one.coefficients for one in found], axis=0)
    covariances = np.mean([one.covariances for one in found], axis=0)
    for one in found:
        apart = (one.coefficients - coefficients).T / one.scales
        covariances += apart[:, :, None] * apart[:, None, :] / len(found)
    return replace(found[0], coefficients=coefficients, covariances=covariances)


@dataclass(frozen=True, eq=False)
class _Deal:
    """The copies of rows that each fold has: the index of the row, the fold, and how many copies."""

    row: Ints
    fold: Ints
    weight: Floats

    @classmethod
    def several(cls, strata: Ints, weight: Floats, random_state: int | np.random.Generator | None) -> list[_Deal]:
        """One deal of many rows; of few rows several, as the estimate then depends on how they are dealt."""
        rng = np.random.default_rng(random_state)
        count = int(np.clip(_DEALT / weight.sum(), 1, _MOST_DEALS))
        return [cls.of(strata, weight, rng) for _ in range(count)]

    @classmethod
    def of(cls, strata: Ints, weight: Floats, rng: np.random.Generator) -> _Deal:
        """The copies of each row are dealt in turn, row after row in a random order within each stratum."""
        order = np.concatenate([rng.permutation(np.flatnonzero(strata == one)) for one in np.unique(strata)])
        whole = np.floor(weight[order]).astype(np.int64)
        extra, part = whole % FOLDS, weight[order] - whole
        dealt = extra + (part > 0)
        start = np.cumsum(dealt) - dealt
        steps = np.arange(FOLDS)
        shares = (whole // FOLDS + 0.0)[:, None] + (steps < extra[:, None])
        shares += np.where(steps == extra[:, None], part[:, None], 0.0)
        folds = (start[:, None] + steps) % FOLDS
        index = np.broadcast_to(order[:, None], folds.shape)
        is_there = shares > 0
        return cls(index[is_there], folds[is_there], shares[is_there])

    def folds(self) -> Iterator[tuple[Ints, Ints]]:
        """For each fold the copies to fit on, and those to predict."""
        for one in range(FOLDS):
            yield np.flatnonzero(self.fold != one), np.flatnonzero(self.fold == one)


def _splines(rows: MeasuredRows, nodes: tuple[Node, ...]) -> Floats:
    """Columns to predict from: each number with its cubic splines, and the indicators of states; their means are 0."""
    from sklearn.preprocessing import SplineTransformer  # noqa: PLC0415  scikit-learn takes as long to load as deciban

    width = sum(_KNOTS + 3 if node in rows.numbers else len(rows.states[node]) for node in nodes)
    check_memory("the table of the predictions, rows × columns,", len(rows.weight), width + 1)
    parts = [np.empty((len(rows.weight), 0))]
    for node in nodes:
        if node not in rows.numbers:
            parts.append(rows.block([node]).values)
        elif not rows.is_constant(node):
            values = rows.block([node]).values
            knots = np.unique(_quantiles(values[:, 0], rows.weight))
            if len(knots) < 3:  # so few values that a line tells them apart
                parts.append(values)
            else:
                transformer = SplineTransformer(knots=knots[:, None], extrapolation="constant", include_bias=False)
                parts += [_LINE * values, transformer.fit_transform(values)]
    # Not scaled to the same variance: a spline that few rows reach would then be hardly penalized.
    whole = np.hstack(parts)
    return whole - np.average(whole, axis=0, weights=rows.weight)


def _quantiles(values: Floats, weight: Floats) -> Floats:
    """Knots with as many rows between each and the next; the ends are the least and the largest value."""
    order = np.argsort(values, kind="stable")
    shares = np.cumsum(weight[order]) / weight.sum()
    inner = np.searchsorted(shares, np.arange(1, _KNOTS - 1) / (_KNOTS - 1) - 1e-9)
    return values[order][np.concatenate([[0], inner, [len(values) - 1]])]


def _predicted(z: Floats, y: Floats, weight: Floats, train: Ints, test: Ints) -> Floats:
    """The mean of y given z on the rows of a fold."""
    from sklearn.linear_model import RidgeCV  # noqa: PLC0415

    if not z.shape[1] or (y[train] == y[train[0]]).all():
        return np.broadcast_to(np.average(y[train], axis=0, weights=weight[train]), (len(test), y.shape[1]))
    model = RidgeCV(alphas=_PENALTIES).fit(z[train], y[train], sample_weight=weight[train])
    found: AnyArray = model.predict(z[test])
    return found.reshape(len(test), y.shape[1])


def _propensities(z: Floats, x: Ints, weight: Floats, train: Ints, test: Ints, states: int) -> Floats:
    """P(x | z) on the rows of a fold."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    if not z.shape[1]:
        shares = np.bincount(x[train], weight[train], minlength=states) / weight[train].sum()
        return np.broadcast_to(shares, (len(test), states))
    model = LogisticRegression(max_iter=10_000).fit(z[train], x[train], sample_weight=weight[train])
    found: Floats = model.predict_proba(z[test])
    return found
