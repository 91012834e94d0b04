"""The effect of an intervention on the mean of a number, or on the probability of each state, with standard errors.

Every estimate here is linear in a few coefficients θ: the mean of the effect under do(cause = v) is d(v)·θ, so that
the slope, a mean, or the difference between two actions is a product c·θ with one vector c. Its variance is

  c Σ cᵀ,    Σ = Σᵢ wᵢ ψᵢ ψᵢᵀ / W²,    W = Σ wᵢ

with the influence ψᵢ of each row on the coefficients (Hampel, 1974; van der Vaart, "Asymptotic Statistics", 1998,
section 5.3), which does not assume that all rows have the same variance (Huber, 1967; White, 1980).

One function chooses among all methods of estimation, and says beside the estimate what a reader should know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from math import inf, isfinite
from numbers import Real
from typing import Any, Literal

import numpy as np
from scipy.special import stdtrit

from deciban.choices import closest, counted
from deciban.errors import DecibanWarning, InputError, ParameterError, UnseenStateError, warn_user
from deciban.nets.causal.effects import Key
from deciban.nets.causal.mean_estimates import (
    WEAK_F,
    Estimated,
    Means,
    by_aipw,
    by_dml,
    by_front_door,
    by_instruments,
    by_regression,
    in_words,
)
from deciban.nets.causal.measured_rows import MeasuredRows
from deciban.nets.graphs.graph import Node
from deciban.nets.network import State
from deciban.read import plain
from deciban.types import Floats, Ints

__all__ = ["EffectSize", "MeanEffect", "MeanMethod", "estimate_mean"]


@dataclass(frozen=True)
class EffectSize:
    """A number with its standard error.

    Attributes
    ----------
    value : float
        The estimate.
    error : float
        Its standard error.
    df : float
        The degrees of freedom of its interval; infinite for a normal interval.

    See Also
    --------
    MeanEffect : Its slopes, means and differences.

    Examples
    --------
    >>> from deciban.nets import EffectSize
    >>> size = EffectSize(0.5, 0.1)
    >>> size, tuple(round(end, 3) for end in size.interval())
    (EffectSize(0.5 ± 0.1), (0.304, 0.696))
    """

    value: float
    error: float
    df: float = inf

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The confidence interval, value ± t·error, with Student's t for the degrees of freedom.

        Parameters
        ----------
        level : float
            The confidence level, between 0 and 1.

        Returns
        -------
        pair of floats
            The lower and the upper end.
        """
        if not 0 < level < 1:
            raise ParameterError(f"level is a probability between 0 and 1, not {level!r}")
        half = float(stdtrit(self.df, 0.5 + level / 2)) * self.error
        return self.value - half, self.value + half

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.4g} ± {self.error:.2g}"

    def __repr__(self) -> str:
        return f"EffectSize({self})"


@dataclass(frozen=True, eq=False)
class MeanEffect:
    """E[effect | do(cause)], or P(effect | do(cause)), as estimated from numbers and categories.

    Of a numeric cause it is a slope, the change of the mean for one unit more of the cause; of a category, a mean for
    each state. ``difference`` compares two actions in both cases. It prints all of them with 95 % intervals.

    Attributes
    ----------
    cause, effect : node
        The two nodes.
    method : str
        How it was estimated: "regression", "aipw", "dml", "front-door" or "iv".
    formula : str
        The same in words, with the nodes that it uses.
    adjusted : tuple of nodes
        The adjustment set; with "front-door" the mediators.
    instruments : tuple of nodes
        With "iv", the instruments.
    states : tuple or None
        The states of the cause; None if it is a number.
    outcomes : tuple or None
        The states of the effect; None if it is a number.
    rows : float
        The weight of the rows.
    left_out : int
        The number of rows with a missing value.
    notes : tuple of str
        What a reader should know: where positivity fails, weak instruments, columns that others determine.
    first_stage_f : float or None
        With "iv", the F statistic of the instruments in the regression of the cause.

    See Also
    --------
    effect : Returns it.
    Effect : The effect between categories, as a table.

    Examples
    --------
    >>> import deciban as db
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> age = rng.normal(50, 10, 500)
    >>> dose = age / 10 + rng.normal(size=500)
    >>> pressure = 100 + age - 2 * dose + rng.normal(size=500)
    >>> g = db.DAG([("age", "dose"), ("age", "pressure"), ("dose", "pressure")])
    >>> rows = {"age": age, "dose": dose, "pressure": pressure}
    >>> found = db.effect(rows, g, cause="dose", effect="pressure")
    >>> found.slope(), found.difference(7, 5)
    (EffectSize(-2.027 ± 0.048), EffectSize(-4.054 ± 0.096))
    """

    cause: Node
    effect: Node
    method: str
    formula: str
    adjusted: tuple[Node, ...]
    instruments: tuple[Node, ...]
    states: tuple[State, ...] | None
    outcomes: tuple[State, ...] | None
    rows: float
    left_out: int
    notes: tuple[str, ...]
    first_stage_f: float | None = None
    _df: float = field(default=inf, repr=False)
    # Of a numeric cause: the mean of the effect at `_centre`, and the slope. Of a category: the mean for each state.
    _coefficients: Floats = field(default_factory=lambda: np.empty((0, 0)), repr=False)
    _covariances: Floats = field(default_factory=lambda: np.empty((0, 0, 0)), repr=False)
    # The unit of each coefficient (outcomes × p): a variance in units of the data may be too large for a double.
    _scales: Floats = field(default_factory=lambda: np.empty((0, 0)), repr=False)
    _centre: float = field(default=0.0, repr=False)

    @property
    def title(self) -> str:
        """The effect as a formula."""
        return (
            f"E[{self.effect} | do({self.cause})]" if self.outcomes is None else f"P({self.effect} | do({self.cause}))"
        )

    def slope(self, outcome: State = None) -> EffectSize:
        """The change of the mean for one unit more of a numeric cause.

        Parameters
        ----------
        outcome : state, optional
            If the effect is a category, the state whose probability changes.

        Returns
        -------
        EffectSize
        """
        if self.states is not None:
            raise InputError(f"{self.cause!r} is a category, so it has no slope; use difference(state, other)")
        return self._size(np.array([0.0, 1.0]), outcome)

    def mean(self, key: Key, *, outcome: State = None) -> EffectSize:
        """The mean of the effect, or the probability of a state, under an action.

        Parameters
        ----------
        key : state or number
            The value that the cause is set to.
        outcome : state, optional
            If the effect is a category, the state whose probability is wanted.

        Returns
        -------
        EffectSize
        """
        return self._size(self._design(key), outcome)

    def difference(self, key: Key, other: Key, *, outcome: State = None) -> EffectSize:
        """The effect of one action compared with another.

        Parameters
        ----------
        key, other : state or number
            The two values that the cause is set to.
        outcome : state, optional
            If the effect is a category, the state whose probability is compared.

        Returns
        -------
        EffectSize
            The mean under do(key) minus the mean under do(other).
        """
        return self._size(self._design(key) - self._design(other), outcome)

    def to_frame(self, backend: str = "pandas") -> Any:
        """The estimates as a frame.

        Parameters
        ----------
        backend : str
            "pandas", "polars", "pyarrow" or another library that narwhals knows.

        Returns
        -------
        frame
            The columns ``contrast``, ``outcome`` (if the effect is a category), ``estimate``, ``error``, ``low`` and
            ``high``, the ends of the 95 % interval.
        """
        from deciban.read.frame import make_frame  # noqa: PLC0415  brings pyarrow, which takes long to load

        rows = [
            (name, outcome, size) for name, contrast in self._contrasts() for outcome, size in self._sizes(contrast)
        ]
        columns: dict[str, list[object]] = {"contrast": [name for name, _, _ in rows]}
        if self.outcomes is not None:
            columns["outcome"] = [outcome for _, outcome, _ in rows]
        columns["estimate"] = [size.value for _, _, size in rows]
        columns["error"] = [size.error for _, _, size in rows]
        columns["low"] = [size.interval()[0] for _, _, size in rows]
        columns["high"] = [size.interval()[1] for _, _, size in rows]
        return make_frame(columns, backend)

    def _design(self, key: Key) -> Floats:
        """The vector d of the mean d·θ under an action."""
        if isinstance(key, Mapping):
            if set(key) != {self.cause}:
                raise InputError(f"a key has exactly the node {self.cause}: {dict(key)!r}")
            key = key[self.cause]
        if self.states is not None:
            return np.eye(len(self.states))[_code(self.cause, self.states, key)]
        value = plain(key)
        if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
            raise InputError(f"{self.cause!r} is a number; it cannot be set to {key!r}")
        return np.array([1.0, float(value) - self._centre])

    def _size(self, contrast: Floats, outcome: State) -> EffectSize:
        if self.outcomes is None and outcome is not None:
            raise InputError(f"{self.effect!r} is a number; do not pass an outcome")
        if self.outcomes is not None and outcome is None:
            known = ", ".join(map(repr, self.outcomes))
            raise InputError(f"{self.effect!r} is a category; pass one of its states as outcome: {known}")
        return self._one(contrast, 0 if self.outcomes is None else _code(self.effect, self.outcomes, outcome))

    def _one(self, contrast: Floats, index: int) -> EffectSize:
        value = float(contrast @ self._coefficients[:, index])
        scaled = contrast * self._scales[index]
        largest = float(np.abs(scaled).max()) or 1.0
        scaled /= largest
        variance = max(float(scaled @ self._covariances[index] @ scaled), 0.0)
        return EffectSize(value, float(np.sqrt(variance)) * largest, self._df)

    def _sizes(self, contrast: Floats) -> list[tuple[State, EffectSize]]:
        outcomes = (None,) if self.outcomes is None else self.outcomes
        return [(outcome, self._one(contrast, index)) for index, outcome in enumerate(outcomes)]

    def _contrasts(self) -> list[tuple[str, Floats]]:
        if self.states is None:
            return [(f"slope of {self.cause}", np.array([0.0, 1.0]))]
        each = np.eye(len(self.states))
        means = [(f"{self.cause} = {state}", row) for state, row in zip(self.states, each, strict=True)]
        first = self.states[0]
        later = zip(self.states[1:], each[1:], strict=True)
        return [*means, *((f"{state} − {first}", row - each[0]) for state, row in later)]

    def _cells(self) -> list[tuple[str, ...]]:
        heads = ("", *(() if self.outcomes is None else (str(self.effect),)), "estimate", "error", "95% interval")
        rows = [heads]
        for name, contrast in self._contrasts():
            for outcome, size in self._sizes(contrast):
                low, high = size.interval()
                ends = f"{low:.4g} to {high:.4g}"
                shown = () if self.outcomes is None else (str(outcome),)
                rows.append((name, *shown, f"{size.value:.4g}", f"{size.error:.2g}", ends))
        return rows

    def _remarks(self) -> list[str]:
        remarks = list(self.notes)
        if self.left_out:
            remarks.append(f"dropped for missing values: {counted(self.left_out, 'row')}")
        return remarks

    def __str__(self) -> str:
        cells = self._cells()
        widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
        return "\n".join([f"{self.title} {self.formula}", *(line.rstrip() for line in lines), *self._remarks()])

    def __repr__(self) -> str:
        name, contrast = self._contrasts()[-1]
        outcome, size = self._sizes(contrast)[-1]
        of = "" if outcome is None else f" of {outcome}"
        return f"MeanEffect({self.title} {self.formula}: {name}{of} {size}; {self.rows:,g} rows)"

    def _repr_html_(self) -> str:
        head, *rows = self._cells()
        top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        body = "".join(
            f'<tr><th scope="row">{escape(row[0])}</th>{"".join(f"<td>{escape(cell)}</td>" for cell in row[1:])}</tr>'
            for row in rows
        )
        remarks = "".join(f"<p>{escape(remark)}</p>" for remark in self._remarks())
        return f"<p><b>{escape(self.title)}</b> {escape(self.formula)}</p><table><tr>{top}</tr>{body}</table>{remarks}"


def _code(node: Node, states: tuple[State, ...], state: Any) -> int:
    try:
        return states.index(plain(state))
    except ValueError:
        known = ", ".join(map(repr, states))
        raise UnseenStateError(
            f"{node!r} has no state {state!r}; its states are: {known}.{closest(state, states)}"
        ) from None


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
