"""Effects on a mean: by least squares (adjustment, the front door, instruments), and by cross-fitting.

**Adjustment.** In a linear model the effect of one unit more of x on the mean of y is the coefficient β of x in the
regression of y on x and an adjustment set z (Pearl, "Causality", 2009, section 5.3). With x̃ and ỹ, what is left of x
and y after the regression on z (Frisch and Waugh, 1933; Lovell, 1963), and residuals e and leverages h,

  β = (Σ wᵢ x̃ᵢ x̃ᵢᵀ)⁻¹ Σ wᵢ x̃ᵢ ỹᵢ        ψᵢ = W (Σ w x̃ x̃ᵀ)⁻¹ x̃ᵢ eᵢ / (1 − hᵢ)

is the influence of row i on β, and Σ wᵢ ψᵢ ψᵢᵀ / W² the covariance that is called HC3 (MacKinnon and White, 1985): it
holds where the variance differs between rows, and is not too small in small samples (Long and Ervin, 2000).

**Front door.** β is a product, the slopes of the mediators on x, times the slopes of y on the mediators given x; its
influence is ψ(a) b + a ψ(b), the delta method.

**Instruments.** With x̂, the fit of x̃ by instruments that are not confounded (two-stage least squares: Theil, 1953),

  β = (Σ w x̂ x̃ᵀ)⁻¹ Σ w x̂ ỹ        ψᵢ = W (Σ w x̂ x̃ᵀ)⁻¹ x̂ᵢ (ỹᵢ − x̃ᵢ β)

which is Wald's ratio (1940), cov(z, y) / cov(z, x), where one instrument has no covariates. The first-stage F compares
the regressions of x with and without the instruments. Below 10 the instruments are weak: the estimate is biased towards
that of least squares, and its interval is too short (Staiger and Stock, 1997).

**Cross-fitting**: augmented inverse-probability weighting, and double machine learning. Both predict from the
adjustment set z, on rows that were not used to fit the prediction, so that flexible predictions do not bias the effect
or its error (Chernozhukov and others, 2018).

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
from deciban.nets.causal.measured_rows import Block, MeasuredRows
from deciban.nets.graphs.graph import Node
from deciban.types import AnyArray, Floats, Ints

__all__ = [
    "FOLDS",
    "WEAK_F",
    "Estimated",
    "Means",
    "by_aipw",
    "by_dml",
    "by_front_door",
    "by_instruments",
    "by_regression",
    "check_varies",
    "in_words",
]

WEAK_F = 10.0
"""The first-stage F below which instruments are weak (Staiger and Stock, 1997)."""

# What rounding leaves of a column that others determine, as a share of its variance; as in the Gaussian score.
_SINGULAR = 1e-11
# Of columns of length 1, the singular values that rounding could have made.
_ROUNDING = 1e-8
# A row with this leverage fits itself: its residual says nothing.
_FITS_ITSELF = 1e-9
# The share of its leverage that is due to the cause, beyond which a slope depends on such a row.
_ALONE = 1e-6


@dataclass(frozen=True, eq=False)
class Estimated:
    """Coefficients (p × outcomes) and, for each outcome, their covariance in the units `scales`."""

    coefficients: Floats
    covariances: Floats
    scales: Floats
    centre: float = 0.0
    df: float = np.inf
    notes: tuple[str, ...] = ()
    first_stage_f: float | None = None


@dataclass(frozen=True, eq=False)
class Means:
    """The cause and the effect as columns of a regression, and what slopes between them say of the means.

    The mean under do(cause = v) is the mean of the effect plus β·(d(v) − mean of d), with the columns d of the cause.
    """

    x: Block
    y: Block
    weight: Floats
    is_number: bool

    @classmethod
    def of(cls, rows: MeasuredRows, cause: Node, effect: Node) -> Means:
        """The two nodes, as columns."""
        return cls(rows.block([cause]), rows.block([effect], every_state=True), rows.weight, rows.is_number(cause))

    def estimated(
        self,
        slopes: Floats,
        influence: Floats,
        df: float,
        notes: tuple[str, ...] = (),
        first_stage_f: float | None = None,
    ) -> Estimated:
        """The means of the effect from the slopes (columns of x × columns of y) and the influence of each row."""
        total = self.weight.sum()
        x_mean = np.average(self.x.values, axis=0, weights=self.weight)
        y_mean = np.average(self.y.values, axis=0, weights=self.weight)
        left = (self.y.values - y_mean) - (self.x.values - x_mean) @ slopes
        if self.is_number:  # the mean at the mean of the cause, and the slope
            has_mean, change = np.array([1.0, 0.0]), np.array([[0.0], [1.0]])
            units = np.array([1.0, 1.0 / self.x.scale[0]])
        else:
            states = self.x.values.shape[1] + 1
            has_mean, change = np.ones(states), np.eye(states)[:, 1:] - x_mean
            units = np.ones(states)
        coefficients = has_mean[:, None] * y_mean + change @ slopes
        covariances = np.empty((len(y_mean), len(units), len(units)))
        for outcome in range(len(y_mean)):
            rows = left[:, outcome, None] * has_mean + influence[:, :, outcome] @ change.T
            rows *= np.sqrt(self.weight)[:, None] / total
            covariances[outcome] = rows.T @ rows
        scale = np.outer(units, self.y.scale)
        coefficients = coefficients * scale + np.outer(has_mean, self.y.centre)
        centre = float(self.x.centre[0]) if self.is_number else 0.0
        return Estimated(coefficients, covariances, scale.T, centre, df, notes, first_stage_f)


def by_regression(rows: MeasuredRows, cause: Node, effect: Node, adjusted: tuple[Node, ...]) -> Estimated:
    """The coefficients of the cause in the regression of the effect on it and an adjustment set."""
    means = Means.of(rows, cause, effect)
    given = _Projection.of(rows, adjusted)
    fit = given.regress(means.x, means.y, f"{effect} on {in_words([cause, *adjusted])}")
    return means.estimated(fit.slopes, fit.influence, fit.df, given.notes)


def by_front_door(rows: MeasuredRows, cause: Node, effect: Node, mediators: tuple[Node, ...]) -> Estimated:
    """The slopes of the mediators on the cause, times those of the effect on the mediators given the cause."""
    for node in mediators:
        if rows.is_constant(node):
            raise InputError(f"the mediator {node!r} has one value in all rows, so no effect through it can be seen.")
    means, between = Means.of(rows, cause, effect), rows.block(mediators)
    first = _Projection.of(rows, ()).regress(means.x, between, f"{in_words(mediators)} on {cause}")
    what = f"{effect} on {in_words([cause, *mediators])}"
    second = _Projection.of(rows, (cause,)).regress(between, means.y, what)
    influence = np.einsum("idq,qm->idm", first.influence, second.slopes)
    influence += np.einsum("dq,iqm->idm", first.slopes, second.influence)
    return means.estimated(first.slopes @ second.slopes, influence, min(first.df, second.df))


def by_instruments(
    rows: MeasuredRows, cause: Node, effect: Node, instruments: tuple[Node, ...], adjusted: tuple[Node, ...]
) -> Estimated:
    """Two-stage least squares."""
    means, given = Means.of(rows, cause, effect), _Projection.of(rows, adjusted)
    x, y, root = given.left_of(means.x.values), given.left_of(means.y.values), np.sqrt(rows.weight)
    z = given.left_of(rows.block(instruments).values)
    moves, sizes, _ = np.linalg.svd(_unit(z), full_matrices=False)
    moves = moves[:, sizes > _ROUNDING]
    columns, causes = moves.shape[1], x.shape[1]
    df, first_df = (rows.total - given.rank - each for each in (causes, columns))
    what = f"{effect} on {cause} by the instruments {in_words(instruments)}"
    _check_rows(min(df, first_df), rows, what)
    _check_left(x, given.spread_of(means.x.values), what, cause, given.nodes)
    if columns < causes:
        raise InputError(
            f"{counted(columns, 'column')} of instruments ({in_words(instruments)}) cannot identify "
            f"{counted(causes, 'column')} of {cause!r}. Put its states into {columns + 1} groups."
        )
    fitted = moves @ (moves.T @ x)
    if np.linalg.svd(fitted / np.sqrt((x**2).sum(axis=0)), compute_uv=False).min() < _ROUNDING:
        raise InputError(f"{in_words(instruments)} and {cause!r} are not correlated, so there is no estimate.")
    with np.errstate(divide="ignore"):  # infinite where the instruments determine the cause
        f = float(((fitted**2).sum(axis=0) / columns / (((x - fitted) ** 2).sum(axis=0) / first_df)).min())
    gram = fitted.T @ x
    slopes = np.asarray(np.linalg.solve(gram, fitted.T @ y), dtype=np.float64)
    left = (y - x @ slopes) / root[:, None]
    reach = np.linalg.solve(gram, fitted.T).T / root[:, None]
    # Σψ² has as many degrees of freedom as rows less coefficients (HC1): leverages of two stages have no such rule.
    influence = rows.total * np.sqrt(rows.total / df) * reach[:, :, None] * left[:, None, :]
    notes = given.notes
    if f < WEAK_F:
        notes = (
            f"weak instruments: the first-stage F is {f:.3g}, below {WEAK_F:g}, so the estimate is biased and its "
            "interval too short",
            *notes,
        )
    return means.estimated(slopes, influence, df, notes, f)


def check_varies(rows: MeasuredRows, cause: Node, adjusted: tuple[Node, ...]) -> None:
    """Refuse a cause of which the regression on an adjustment set leaves nothing."""
    given, x = _Projection.of(rows, adjusted), rows.block([cause]).values
    _check_left(given.left_of(x), given.spread_of(x), str(cause), cause, adjusted)


@dataclass(frozen=True, eq=False)
class _Fit:
    """Slopes (columns of x × columns of y), the influence of each row on them, and degrees of freedom."""

    slopes: Floats
    influence: Floats
    df: float


@dataclass(frozen=True, eq=False)
class _Projection:
    """A constant and the columns of some nodes, as an orthonormal basis of rows that are multiplied by √weight."""

    basis: Floats
    rows: MeasuredRows
    nodes: tuple[Node, ...]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, rows: MeasuredRows, nodes: tuple[Node, ...]) -> _Projection:
        block = rows.block(nodes)
        whole = np.hstack([np.ones((len(rows.weight), 1)), block.values]) * np.sqrt(rows.weight)[:, None]
        basis, sizes, _ = np.linalg.svd(_unit(whole), full_matrices=False)
        is_own = sizes > _ROUNDING * sizes[0]
        lost = whole.shape[1] - int(is_own.sum())
        constant = [node for node in nodes if rows.is_constant(node)]
        empty = sum(rows.is_number(node) for node in constant)  # a category with one state has no columns
        notes = []
        if constant:
            notes.append(f"constant, so without influence: {in_words(constant)}")
        if lost > empty:
            notes.append(
                f"collinear: of the {whole.shape[1] - 1 - empty} columns of {in_words(nodes)}, others "
                f"determine {lost - empty}, which changes nothing in the effect"
            )
        return cls(basis[:, is_own], rows, nodes, tuple(notes))

    @property
    def rank(self) -> int:
        return int(self.basis.shape[1])

    def left_of(self, columns: Floats) -> Floats:
        """What is left of columns after regression, multiplied by √weight."""
        scaled = columns * np.sqrt(self.rows.weight)[:, None]
        for _ in range(2):  # the second time takes out what rounding left in the first
            scaled = scaled - self.basis @ (self.basis.T @ scaled)
        return scaled

    def spread_of(self, columns: Floats) -> Floats:
        """The weighted sum of squares of each column around its mean."""
        around = columns - np.average(columns, axis=0, weights=self.rows.weight)
        return (around**2 * self.rows.weight[:, None]).sum(axis=0)

    def regress(self, x: Block, y: Block, what: str) -> _Fit:
        """The slopes of y on x given the nodes; `what` names the regression in errors."""
        df = self.rows.total - self.rank - x.values.shape[1]
        _check_rows(df, self.rows, what)
        columns, goals = x.values.shape[1], y.values.shape[1]
        check_memory("the influence of each row, rows × slopes,", len(self.rows.weight), columns, goals)
        left, goal = self.left_of(x.values), self.left_of(y.values)
        goal[:, self.spread_of(y.values) == 0] = 0.0  # not what rounding leaves of a constant
        _check_left(left, self.spread_of(x.values), what, x.owners[0], self.nodes)
        gram = left.T @ left
        slopes = np.asarray(np.linalg.solve(gram, left.T @ goal), dtype=np.float64)
        reach = np.linalg.solve(gram, left.T).T
        leverage = ((self.basis**2).sum(axis=1) + (left * reach).sum(axis=1)) / self.rows.weight
        free = 1.0 - leverage
        if (alone := (free <= _FITS_ITSELF) & ((left * reach).sum(axis=1) / self.rows.weight > _ALONE)).any():
            raise InputError(
                f"{counted(int(alone.sum()), 'row')} without another that is like it: in the regression of {what} "
                f"the slope of {x.owners[0]!r} is that of one row, which has no error. Leave out states with one row, "
                "or put them into groups."
            )
        root = np.sqrt(self.rows.weight)[:, None]
        residuals = (goal - left @ slopes) / root
        residuals /= np.where(free > _FITS_ITSELF, free, np.inf)[:, None]
        influence = self.rows.total * (reach / root)[:, :, None] * residuals[:, None, :]
        return _Fit(slopes, influence, df)


def _unit(columns: Floats) -> Floats:
    """The columns, each with length 1, or 0."""
    length = np.sqrt((columns**2).sum(axis=0))
    return columns / np.where(length > 0, length, 1.0)


def _check_rows(df: float, rows: MeasuredRows, what: str) -> None:
    if not df > 0:
        raise InputError(
            f"{counted(rows.total, 'row')} without missing values: too few for a regression of {what}, which leaves "
            f"{df:.6g} degrees of freedom. Adjust for fewer columns, or put categories into groups."
        )


def _check_left(left: Floats, spread: Floats, what: str, node: Node, given: tuple[Node, ...]) -> None:
    """Refuse columns of which regression on others leaves nothing but rounding."""
    sizes = np.linalg.svd(left / np.sqrt(np.where(spread > 0, spread, 1.0)), compute_uv=False)
    if sizes.min() ** 2 < _SINGULAR:
        determined = f"{in_words(given)} determine {node!r}" if given else f"the columns of {node!r} are collinear"
        raise InputError(
            f"{determined}, so no rows with the same values differ in it (positivity fails), and the regression of "
            f"{what} has no unique slopes. Leave out a column that is a copy or a function of others."
        )


def in_words(nodes: list[Node] | tuple[Node, ...]) -> str:
    """The names of nodes; "nothing" of none."""
    return ", ".join(map(str, nodes)) or "nothing"


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
