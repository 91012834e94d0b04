"""P(node | parents) as a value that can be read: a table of probabilities, or regressions as equations.

The coefficients of a regression that was estimated by least squares have Student's t intervals: with the cross-products
C and means m of the parents in W rows, the residual variance s² and its degrees of freedom d,

    slope_i ± t_d·s·√(C⁻¹)_ii,        intercept ± t_d·s·√(1/W + mᵀ·C⁻¹·m),        d·s²/χ²_d for the variance

They are those of any textbook on regression, and also the posterior of a normal-inverse-gamma prior that says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice, product
from math import prod
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from deciban.choices import counted
from deciban.errors import ParameterError
from deciban.estimate.values import short_number
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.distribution import Distribution
from deciban.nets.learning.grouped import GroupedMoments, RegressionPosteriors
from deciban.nets.learning.linear_gaussian import NO_PART, SINGULAR, CrossMoments, LinearGaussian, RegressionPosterior
from deciban.nets.mixed_network import MixedNetwork, Regressions, bin_names
from deciban.nets.network import Axes, Network, State, code_of_state
from deciban.read import distinct_texts, is_missing
from deciban.types import AnyArray, Floats

__all__ = ["ConditionalTable", "RegressionTable", "regression_of", "regressions_of", "table_of"]

Configuration = tuple[State, ...]
"""A state, or a bin, of each categorical parent, in their order."""

_SHOWN, _EXPLAINED = 20, 6
"""The most rows that are shown, and the most regressions that are shown with the intervals of their coefficients."""


class _Configurations:
    """The configurations of categorical parents: an axis for each, and the bins of those that are numbers."""

    def __init__(self, axes: Axes, cuts: Mapping[Node, Floats] | None = None) -> None:
        self.parents = tuple(parent for parent, _ in axes)
        self.states = tuple(tuple(states) for _, states in axes)
        self._cuts = dict(cuts or {})
        self._codes = [{state: code for code, state in enumerate(states)} for states in self.states]

    def __len__(self) -> int:
        return prod(map(len, self.states))

    def __iter__(self) -> Iterator[Configuration]:
        return product(*self.states)

    def index(self, key: object) -> tuple[int, ...]:
        """The position of a configuration: a mapping, a tuple in the order of the parents, or the state of a parent."""
        if isinstance(key, Mapping):
            if set(key) != set(self.parents):
                raise ParameterError(f"a configuration has a state for each of {self.parents!r}, not {key!r}")
            states: Sequence[Any] = [key[parent] for parent in self.parents]
        elif isinstance(key, tuple) and len(key) == len(self.parents):
            states = key
        elif len(self.parents) == 1:
            states = [key]
        else:
            raise ParameterError(f"a configuration has a state for each of {self.parents!r}, not {key!r}")
        return tuple(self._code(axis, state) for axis, state in enumerate(states))

    def _code(self, axis: int, state: Any) -> int:
        parent = self.parents[axis]
        # Of a number either its bin, which is a text, or a number in it.
        if parent in self._cuts and isinstance(state, int | float | np.number) and not is_missing(state):
            return int(np.searchsorted(self._cuts[parent], state))
        return code_of_state(self._codes[axis], parent, state)

    def in_words(self, configuration: Configuration) -> str:
        return ", ".join(f"{parent}={state}" for parent, state in zip(self.parents, configuration, strict=True))


class ConditionalTable(Mapping[Configuration, Distribution]):
    """P(node | parents) of a category: a mapping from the configurations of its parents to its distributions.

    ``table["no", "off"]`` takes the states in the order of ``parents``, ``table[{"rain": "no", "sprinkler": "off"}]``
    in any; of one parent ``table["no"]``, of none ``table[()]``.

    Parameters
    ----------
    node : node
        The node.
    axes : sequence of pairs
        The name and the states, or bins, of each parent, and those of the node last.
    probabilities : array
        An axis for each of them.
    rows : array, optional
        In how many rows each configuration of the parents was counted.
    cuts : mapping, optional
        Numeric parent → the ends of its bins.

    Attributes
    ----------
    node : node
        The node.
    parents : tuple
        Its parents, in the order of the axes.
    states : tuple
        The states of the node.
    probabilities : array
        P(node | parents), an axis for each parent and the node's own last; read-only.
    rows : array or None
        In how many rows each configuration was counted, in a net that was fitted.

    See Also
    --------
    BayesNet.table : Returns it.
    RegressionTable : Of a number.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet([("rain", "wet")]).fit(
    ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
    ... )
    >>> wet = net.table("wet")
    >>> wet
    ConditionalTable(P(wet | rain): 2 configurations, 2 states)
    >>> wet["yes"]["yes"] == wet[{"rain": "yes"}]["yes"]
    True
    >>> print(wet)
    P(wet | rain)
    rain      no     yes  rows
    no    0.5000  0.5000     2
    yes   0.3333  0.6667     1
    """

    def __init__(
        self,
        node: Node,
        axes: Axes,
        probabilities: ArrayLike,
        *,
        rows: ArrayLike | None = None,
        cuts: Mapping[Node, Floats] | None = None,
    ) -> None:
        self.node = node
        *above, (_, states) = axes
        self.states = tuple(states)
        self._configurations = _Configurations(above, cuts)
        self.parents = self._configurations.parents
        self.probabilities: Floats = np.array(probabilities, dtype=np.float64)
        self.probabilities.flags.writeable = False
        self.rows: AnyArray | None = None if rows is None else np.asarray(rows)

    def __getitem__(self, configuration: Any) -> Distribution:
        return Distribution(self.node, self.states, self.probabilities[self._configurations.index(configuration)])

    def __iter__(self) -> Iterator[Configuration]:
        return iter(self._configurations)

    def __len__(self) -> int:
        return len(self._configurations)

    def to_frame(self, backend: str = "pandas") -> Any:
        """The table as a frame.

        Parameters
        ----------
        backend : str
            "pandas", "polars", "pyarrow" or another library that narwhals knows.

        Returns
        -------
        frame
            A column for each parent and for each state of the node, and ``rows`` in a net that was fitted.
        """
        from deciban.read.frame import make_frame  # noqa: PLC0415  brings pyarrow, which takes long to load

        columns: list[Iterable[object]] = list(zip(*self, strict=True)) if self.parents else []
        columns += list(self.probabilities.reshape(-1, len(self.states)).T)
        columns += [] if self.rows is None else [self.rows.reshape(-1)]
        return make_frame(dict(zip(_different(self._heads()), columns, strict=True)), backend)

    def _heads(self) -> list[str]:
        heads = [*map(str, self.parents), *distinct_texts(self.states)]
        return heads if self.rows is None else [*heads, "rows"]

    def _lines(self) -> Iterator[tuple[list[str], Floats, list[str]]]:
        """Of each configuration its states, its probabilities, and the number of rows."""
        counts = None if self.rows is None else self.rows.reshape(-1)
        table = self.probabilities.reshape(-1, len(self.states))
        for number, configuration in enumerate(islice(self, _SHOWN)):
            rows = [] if counts is None else [short_number(float(counts[number]))]
            yield [*map(str, configuration)], table[number], rows

    @property
    def _more(self) -> str:
        return f"… and {counted(len(self) - _SHOWN, 'more configuration')}" if len(self) > _SHOWN else ""

    def __repr__(self) -> str:
        size = f"{counted(len(self), 'configuration')}, " if self.parents else ""
        return f"ConditionalTable({_formula(self.node, self.parents)}: {size}{counted(len(self.states), 'state')})"

    def __str__(self) -> str:
        body = [[*states, *(f"{p:.4f}" for p in row), *rows] for states, row, rows in self._lines()]
        lines = _aligned([self._heads(), *body], len(self.parents))
        return "\n".join([_formula(self.node, self.parents), *lines, *([self._more] if self._more else [])])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self._heads())
        rows = []
        for states, row, count in self._lines():
            given = "".join(f'<th style="text-align:left;font-weight:normal">{escape(state)}</th>' for state in states)
            # The stronger the shade, the more probable; half transparent, so that it suits light and dark pages.
            cells = "".join(
                f'<td style="text-align:right;background:rgba(43,123,186,{0.6 * p:.2f})">{p:.4f}</td>' for p in row
            )
            counts = "".join(f'<td style="text-align:right;opacity:.7">{number}</td>' for number in count)
            rows.append(f"<tr>{given}{cells}{counts}</tr>")
        more = f"<p>{self._more}</p>" if self._more else ""
        caption = f"<caption>{escape(_formula(self.node, self.parents))}</caption>"
        return f"<table>{caption}<tr>{head}</tr>{''.join(rows)}</table>{more}"


@dataclass(frozen=True)
class Spread:
    """How far the regressions of a node are known: an axis for each of its categorical parents.

    ``errors`` are the standard errors of the intercept and of the slopes, in a last axis, ∞ where the rows do not
    determine them; ``degrees`` are those of freedom, and ``rows`` how many rows each was estimated from.
    """

    errors: Floats
    degrees: Floats
    rows: Floats


def least_squares_spread(moments: CrossMoments) -> Spread:
    """That of one regression by least squares of the last column on the others."""
    own = RegressionPosterior.of(moments)
    return Spread(_errors(moments, own.variance), np.array(max(own.degrees, 0.0)), np.array(moments.weight))


def grouped_spread(moments: GroupedMoments, table: Regressions, node: Node, *, shrinkage: float) -> Spread:
    """That of the regressions in each configuration of categories, which were shrunk towards the one over all rows."""
    groups, columns = moments.weight.shape, moments.mean.shape[-1]
    posteriors = RegressionPosteriors(moments, table, node, shrinkage=shrinkage)
    errors, degrees = np.empty((*groups, columns)), np.empty(groups)
    for group in np.ndindex(groups):
        own = posteriors[group]
        errors[group], degrees[group] = _errors(own.moments, own.variance), max(own.degrees, 0.0)
    return Spread(errors, degrees, moments.weight)


def _errors(moments: CrossMoments, variance: float) -> Floats:
    """The standard errors of the intercept and the slopes of a regression with this residual variance."""
    count = moments.mean.shape[-1]
    if not moments.weight > 0 or np.isinf(variance):
        return np.full(count, np.inf)
    scale = np.sqrt(np.diag(moments.cross)[:-1])
    safe = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(moments.cross[:-1, :-1] / np.outer(safe, safe))
    # ∞ in the directions in which collinear parents do not vary: their slopes are not determined by the rows.
    inverse = np.divide(1.0, values, out=np.full(values.shape, np.inf), where=values > SINGULAR)

    def quadratic(along: Floats) -> float:
        used = np.abs(along) > NO_PART * np.abs(along).max(initial=0.0)
        return float((along[used] ** 2 * inverse[used]).sum())

    forms = [1 / moments.weight + quadratic(vectors.T @ (moments.mean[:-1] / safe))]
    forms += [quadratic(vectors[index]) / safe[index] ** 2 for index in range(count - 1)]
    # 0·∞: an exact relation leaves the slopes of collinear parents undetermined, too.
    return np.array([np.inf if np.isinf(form) else np.sqrt(variance * form) for form in forms])


class RegressionTable(Mapping[Configuration, LinearGaussian]):
    """P(node | parents) of a number: a mapping from the configurations of its categories to its regressions.

    ``print`` shows them as equations, with intervals of the coefficients where the net was fitted by counting. Without
    categorical parents there is one regression, ``table[()]``.

    Parameters
    ----------
    node : node
        The node.
    axes : sequence of pairs
        The name and the states of each categorical parent.
    regressions : Regressions
        The regressions.
    spread : Spread, optional
        How far the coefficients are known.

    Attributes
    ----------
    node : node
        The node.
    parents : tuple
        Its parents: the categories, then the numbers.
    categories, numbers : tuple
        Its categorical and its numeric parents.
    regressions : Regressions
        All regressions as arrays.

    See Also
    --------
    BayesNet.table : Returns it.
    ConditionalTable : Of a category.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.GaussianNet([("height", "weight")])
    >>> weight = net.fit({"height": [150, 160, 170, 180], "weight": [52, 58, 72, 78]}).table(
    ...     "weight"
    ... )
    >>> weight
    RegressionTable(weight = -86.8 + 0.92·height, sd 1.789)
    >>> print(weight)
    P(weight | height), 95% intervals
    weight = -86.8 + 0.92·height, sd 1.789  (4 rows)
      intercept  -86.8  [-167.3, -6.296]
      height      0.92   [0.4332, 1.407]
    """

    def __init__(self, node: Node, axes: Axes, regressions: Regressions, *, spread: Spread | None = None) -> None:
        self.node = node
        self._configurations = _Configurations(axes)
        self.categories, self.numbers = regressions.categories, regressions.numbers
        self.parents = (*self.categories, *self.numbers)
        self.regressions = regressions
        self._spread = spread

    def __getitem__(self, configuration: Any) -> LinearGaussian:
        at = self._configurations.index(configuration)
        slopes = dict(zip(self.numbers, self.regressions.slopes[at].tolist(), strict=True))
        return LinearGaussian(float(self.regressions.intercepts[at]), slopes, float(self.regressions.variances[at]))

    def __iter__(self) -> Iterator[Configuration]:
        return iter(self._configurations)

    def __len__(self) -> int:
        return len(self._configurations)

    @property
    def has_intervals(self) -> bool:
        """Whether it is known how far the coefficients are known: not of given ones, nor after EM."""
        return self._spread is not None

    def intervals(self, configuration: Any = (), *, level: float = 0.95) -> dict[Any, tuple[float, float]]:
        """The t intervals of the coefficients.

        Parameters
        ----------
        configuration : tuple or mapping, optional
            The states of the categorical parents, if there are any.
        level : float
            The probability of an interval.

        Returns
        -------
        dict
            "intercept" and each numeric parent → the lower and the upper end; from −∞ to ∞ where the rows do not
            determine the coefficient.

        Raises
        ------
        ParameterError
            If the regressions were given, or estimated by EM.
        """
        if self._spread is None:
            raise ParameterError(
                f"there are no intervals for {self.node!r}: its regressions were not estimated from complete rows"
            )
        if not 0 < level < 1:
            raise ParameterError(f"level is a probability between 0 and 1, not {level!r}")
        at = self._configurations.index(configuration)
        degrees, errors = float(self._spread.degrees[at]), self._spread.errors[at]
        factor = float(scipy.special.stdtrit(degrees, 0.5 + level / 2)) if degrees > 0 else np.inf
        values = [float(self.regressions.intercepts[at]), *self.regressions.slopes[at].tolist()]
        # 0·∞ where there are no degrees of freedom: nothing is known then, however well the line fits.
        halves = [factor * error if np.isfinite(factor) else np.inf for error in errors.tolist()]
        ends = [(value - half, value + half) for value, half in zip(values, halves, strict=True)]
        return dict(zip(("intercept", *self.numbers), ends, strict=True))

    def equation(self, configuration: Any = ()) -> str:
        """A regression as an equation.

        Parameters
        ----------
        configuration : tuple or mapping, optional
            The states of the categorical parents, if there are any.

        Returns
        -------
        str

        Examples
        --------
        >>> import deciban as db
        >>> net = db.GaussianNet.from_parameters(
        ...     [("a", "b")],
        ...     {"a": db.LinearGaussian(1.0), "b": db.LinearGaussian(0.5, {"a": -2.0}, 9.0)},
        ... )
        >>> net.table("b").equation()
        'b = 0.5 - 2·a, sd 3'
        """
        line = self[configuration]
        terms = "".join(
            f" {'-' if slope < 0 else '+'} {short_number(abs(slope))}·{parent}"
            for parent, slope in line.coefficients.items()
        )
        return f"{self.node} = {short_number(line.intercept)}{terms}, sd {short_number(line.sd)}"

    def to_frame(self, backend: str = "pandas") -> Any:
        """The coefficients as a frame.

        Parameters
        ----------
        backend : str
            "pandas", "polars", "pyarrow" or another library that narwhals knows.

        Returns
        -------
        frame
            A row for each configuration, with a column for each categorical parent, ``intercept``, a column for each
            numeric parent, ``sd``; and ``rows`` in a net that was fitted.
        """
        from deciban.read.frame import make_frame  # noqa: PLC0415  brings pyarrow, which takes long to load

        regressions = self.regressions
        columns: list[Iterable[object]] = list(zip(*self, strict=True)) if self.categories else []
        columns.append(regressions.intercepts.reshape(-1))
        columns += list(regressions.slopes.reshape(-1, len(self.numbers)).T)
        columns.append(np.sqrt(regressions.variances).reshape(-1))
        heads = [*map(str, self.categories), "intercept", *map(str, self.numbers), "sd"]
        if self._spread is not None:
            heads, columns = [*heads, "rows"], [*columns, self._spread.rows.reshape(-1)]
        return make_frame(dict(zip(_different(heads), columns, strict=True)), backend)

    def _lines(self) -> Iterator[tuple[str, str, list[list[str]]]]:
        """Of each configuration its states, its equation with the rows, and its coefficients with their intervals."""
        for configuration in islice(self, _SHOWN):
            words, equation = self._configurations.in_words(configuration), self.equation(configuration)
            if self._spread is None:
                yield words, equation, []
                continue
            rows = float(self._spread.rows[self._configurations.index(configuration)])
            line, coefficients = self[configuration], []
            values = {"intercept": line.intercept, **line.coefficients}
            for name, ends in self.intervals(configuration).items() if len(self) <= _EXPLAINED else ():
                coefficients.append([str(name), short_number(values[name]), f"[{_end(ends[0])}, {_end(ends[1])}]"])
            yield words, f"{equation}  ({counted(rows, 'row')})", coefficients

    @property
    def _title(self) -> str:
        has_intervals = self._spread is not None and len(self) <= _EXPLAINED
        return f"{_formula(self.node, self.parents)}{', 95% intervals' if has_intervals else ''}"

    @property
    def _more(self) -> str:
        return f"… and {counted(len(self) - _SHOWN, 'more configuration')}" if len(self) > _SHOWN else ""

    def __repr__(self) -> str:
        if not self.categories:
            return f"RegressionTable({self.equation()})"
        return f"RegressionTable({_formula(self.node, self.parents)}: {counted(len(self), 'regression')})"

    def __str__(self) -> str:
        lines = [self._title]
        for words, equation, coefficients in self._lines():
            lines.append(f"{words}:  {equation}" if words else equation)
            lines += [f"  {line}" for line in _aligned(coefficients, 1)]
        return "\n".join([*lines, *([self._more] if self._more else [])])

    def _repr_html_(self) -> str:
        rows = []
        for words, equation, coefficients in self._lines():
            heading = f'<th style="text-align:left">{escape(words)}</th>' if words else ""
            shown = "".join(
                f'<div style="opacity:.75">{escape(name)}: {escape(value)} {escape(ends)}</div>'
                for name, value, ends in coefficients
            )
            rows.append(f'<tr>{heading}<td style="text-align:left">{escape(equation)}{shown}</td></tr>')
        more = f"<p>{self._more}</p>" if self._more else ""
        return f"<table><caption>{escape(self._title)}</caption>{''.join(rows)}</table>{more}"


def table_of(network: Network | MixedNetwork, node: Node, *, rows: ArrayLike | None = None) -> ConditionalTable:
    """P(node | parents) of a category, and in how many rows each configuration of its parents was counted."""
    index = network.dag.index(node)
    cuts: Mapping[Node, Floats] = {}
    table: Floats
    if isinstance(network, MixedNetwork):
        cuts, table = network.cuts[node], network.factors[node]
    else:
        table = network.factors[index]
    axes = [
        (parent, bin_names(cuts[parent]) if parent in cuts else network.states[parent])
        for parent in network.parents[node]
    ]
    return ConditionalTable(node, [*axes, (node, network.states[node])], table, rows=rows, cuts=cuts)


def regression_of(node: Node, line: LinearGaussian, moments: CrossMoments | None = None) -> RegressionTable:
    """P(node | parents) of a node with numeric parents only, and how far it is known from these moments."""
    numbers = tuple(line.coefficients)
    slopes = np.array(list(line.coefficients.values()))
    regressions = Regressions((), numbers, np.array(line.intercept), slopes, np.array(line.variance))
    return RegressionTable(node, (), regressions, spread=None if moments is None else least_squares_spread(moments))


def regressions_of(
    network: MixedNetwork, node: Node, moments: GroupedMoments | None = None, *, shrinkage: float = 0.0
) -> RegressionTable:
    """P(node | parents) of a number, and how far it is known from these moments."""
    regressions = network.regressions[node]
    axes = [(category, network.states[category]) for category in regressions.categories]
    spread = None if moments is None else grouped_spread(moments, regressions, node, shrinkage=shrinkage)
    return RegressionTable(node, axes, regressions, spread=spread)


def _formula(node: Node, parents: Sequence[Node]) -> str:
    return f"P({node}{' | ' if parents else ''}{', '.join(map(str, parents))})"


def _end(number: float) -> str:
    return short_number(number) if np.isfinite(number) else f"{'-' if number < 0 else ''}∞"


def _different(names: Sequence[str]) -> list[str]:
    """Names of columns, each another one."""
    out: list[str] = []
    for name in names:
        unique = name
        while unique in out:
            unique += "_"
        out.append(unique)
    return out


def _aligned(rows: Sequence[Sequence[str]], texts: int) -> list[str]:
    """Rows as lines: the first columns to the left, the others, which are numbers, to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place < texts else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
