"""Effects by least squares: adjustment by regression, the front door, and instruments.

In a linear model the effect of one unit more of x on the mean of y is the coefficient β of x in the regression of y on
x and an adjustment set z (Pearl, "Causality", 2009, section 5.3). With x̃ and ỹ, what is left of x and y after the
regression on z (Frisch and Waugh, 1933; Lovell, 1963), and residuals e and leverages h,

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
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from deciban.choices import counted
from deciban.errors import InputError
from deciban.limits import check_memory
from deciban.nets.causal.measured_rows import Block, MeasuredRows
from deciban.nets.graphs.graph import Node
from deciban.types import Floats

__all__ = [
    "WEAK_F", "Estimated", "Means", "by_front_door", "by_instruments", "by_regression", "check_varies", "in_words",
]  # fmt: skip

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
