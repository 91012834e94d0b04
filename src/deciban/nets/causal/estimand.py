"""Estimands: the formula that expresses an effect by observational probabilities.

The value of a formula: each term becomes a table with an axis for each of its free variables.

P(a | b) is undefined if P(b) = 0. A factor that is multiplied by 0 does not matter, so

  Σ_z P(y | x, z) P(z)

is defined if every z with P(z) > 0 also occurs with x: this is *positivity*. Undefined cells are NaN within this
module; those that reach a sum are recorded, so that an ``Effect`` can list them.

Where observational probabilities come from: the tables of a net, or counts.

  P(a | b) = P(a, b) / P(b)      or      (n(a, b) + pseudo-count) / (n(b) + their sum)

Rows with a missing value are left out. From counts, P(a | b) has no value where no row has b and no pseudo-count is
added: a guess would look like an estimate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, Protocol, runtime_checkable

import numpy as np

from deciban.errors import InputError, InputTypeError, ParameterError, TooLargeError, UnknownNodeError
from deciban.estimate import MLE, Smoothing
from deciban.nets.causal.effects import Effect
from deciban.nets.causal.terms import (
    HTML,
    LATEX,
    TEXT,
    Probability,
    Product,
    Ratio,
    Style,
    Sum,
    Term,
    mentioned,
    write,
    write_effect,
)
from deciban.nets.data.grouping import distinct_rows
from deciban.nets.data.node_rows import Rows, read_rows
from deciban.nets.data.samples import code_rows
from deciban.nets.graphs.graph import Node
from deciban.nets.inference.evidence import Findings
from deciban.nets.inference.queries import joint
from deciban.nets.network import Network, State, as_network
from deciban.types import AnyArray, Floats

__all__ = ["Estimand", "Evaluation", "NetSource", "check_bootstrap", "read_complete", "read_counts"]


@dataclass(frozen=True)
class Estimand:
    """P(effect | do(cause), given) as sums, products and ratios of observational probabilities.

    It prints as text; a notebook shows it as mathematics.

    Attributes
    ----------
    effect, cause, given : tuple of nodes
        The nodes of the query.
    term : Term
        The formula as a tree.
    order : tuple of nodes
        All nodes of the graph that are observed, those of the query first: the order in which names are written.

    See Also
    --------
    identify : Finds it.
    Effect : Its value.

    Examples
    --------
    >>> import deciban as db
    >>> g = db.DAG([("gene", "smoking"), ("gene", "cancer"), ("smoking", "cancer")])
    >>> estimand = db.identify(g, cause="smoking", effect="cancer").estimand
    >>> print(estimand)
    P(cancer | do(smoking)) = Σ_gene P(cancer | smoking, gene) P(gene)
    >>> sorted(estimand.variables)
    ['cancer', 'gene', 'smoking']
    """

    effect: tuple[Node, ...]
    cause: tuple[Node, ...]
    given: tuple[Node, ...]
    term: Term
    order: tuple[Node, ...]

    @property
    def variables(self) -> frozenset[Node]:
        """The nodes that must be observed to evaluate it."""
        return mentioned(self.term) | frozenset((*self.effect, *self.cause, *self.given))

    @property
    def columns(self) -> tuple[Node, ...]:
        """The same nodes, those of the query first."""
        return tuple(node for node in self.order if node in self.variables)

    @property
    def title(self) -> str:
        """P(effect | do(cause), given)."""
        return write_effect(TEXT, self.effect, self.cause, self.given)

    @property
    def formula(self) -> str:
        """The right-hand side as text."""
        return self._written(TEXT)

    def latex(self) -> str:
        r"""Both sides of the equation as LaTeX mathematics.

        Returns
        -------
        str

        Examples
        --------
        >>> import deciban as db
        >>> print(
        ...     db.identify(db.DAG([("rain", "wet")]), cause="rain", effect="wet").estimand.latex()
        ... )
        P(\mathrm{wet} \mid \mathrm{do}(\mathrm{rain})) = P(\mathrm{wet} \mid \mathrm{rain})
        """
        return f"{write_effect(LATEX, self.effect, self.cause, self.given)} = {self._written(LATEX)}"

    def evaluate(self, source: Any) -> Effect:
        """The exact effect from the observational distribution of a Bayes net.

        Parameters
        ----------
        source : BayesNet or Network
            A net with at least the nodes of ``variables``; all others, also latent ones, are summed out.

        Returns
        -------
        Effect

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> db.identify(net.dag, cause="rain", effect="wet").estimand.evaluate(net)["yes"]
        {'no': 0.2, 'yes': 0.8}
        """
        probabilities = _read_source(source)
        for node in self.variables:
            if node not in probabilities.states:
                raise UnknownNodeError(f"the formula needs {node!r}, which is not a node of the net")
        table, unsupported = self._table(probabilities)
        return self._effect_of(probabilities.states, table, unsupported)

    def estimate(
        self,
        data: Any,
        *,
        smoothing: Smoothing = MLE(),
        sample_weight: Any = None,
        bootstrap: int = 200,
        random_state: int | np.random.Generator | None = 0,
    ) -> Effect:
        """The effect from the counts of a table.

        Parameters
        ----------
        data : table
            A table with a column for each of ``variables``. Rows with a missing value in one of these are dropped.
        smoothing : Smoothing
            How counts become probabilities. By default relative frequencies: the effect is undefined if it needs a cell
            without rows.
        sample_weight : array, optional
            How many rows each row stands for.
        bootstrap : int
            The number of bootstrap samples for the standard errors; 0 for none.
        random_state : int, numpy.random.Generator or None
            The seed of the bootstrap.

        Returns
        -------
        Effect
        """
        check_bootstrap(bootstrap)
        counts = read_counts(data, self.columns, smoothing, sample_weight)
        # Without smoothing, so that a condition without rows is listed although smoothing gives it a probability.
        _, unsupported = self._table(counts.smoothed(MLE()))
        rng = np.random.default_rng(random_state)
        samples = [self._table(counts.drawn(rng))[0] for _ in range(bootstrap)]
        table, _ = self._table(counts)
        return self._effect_of(
            counts.states, table, unsupported, np.array(samples) if samples else None, counts.rows, counts.left_out
        )

    def _effect_of(
        self,
        states: Mapping[Node, tuple[State, ...]],
        table: Floats,
        cells: Unsupported,
        samples: Floats | None = None,
        rows: float | None = None,
        left_out: int = 0,
    ) -> Effect:
        condition = (*self.cause, *self.given)
        of_query = {node: states[node] for node in (*condition, *self.effect)}
        unsupported = tuple(
            {node: states[node][code] for node, code in zip(given, index, strict=True)}
            for given, mask in cells.items()
            for index in np.argwhere(mask).tolist()
        )
        return Effect(
            self.title, self.formula, condition, self.effect, of_query, unsupported, rows, left_out, table, samples
        )

    def _table(self, source: Source) -> tuple[Floats, Unsupported]:
        return Evaluation(source, self.order).table(self.term, (*self.cause, *self.given, *self.effect))

    def _written(self, style: Style) -> str:
        return write(self.term, style, self.order, (*self.effect, *self.cause, *self.given))

    def __str__(self) -> str:
        return f"{self.title} = {self.formula}"

    def __repr__(self) -> str:
        return f"Estimand({self})"

    def _repr_html_(self) -> str:
        return f"{write_effect(HTML, self.effect, self.cause, self.given)} = {self._written(HTML)}"

    def _repr_latex_(self) -> str:
        return f"${self.latex()}$"


def _read_source(source: object) -> Source:
    network = as_network(source)
    if network is not None:
        return NetSource(network)
    if isinstance(source, Source):
        return source
    raise InputTypeError(
        f"an estimand is evaluated on a BayesNet, not on a {type(source).__name__}. From a table, use estimate(data)."
    )


MOST_CELLS = 1 << 27
"""The most cells of a table: 1 GB of doubles."""

Axes = tuple[Node, ...]

Unsupported = dict[Axes, AnyArray]
"""For each P(a | b), the cells of b that are needed and have probability 0: axes b → a mask."""


@runtime_checkable
class Source(Protocol):
    """A source of P(of | given) for observed variables."""

    @property
    def states(self) -> Mapping[Node, tuple[State, ...]]: ...

    def conditional(self, of: Axes, given: Axes) -> Floats:
        """An axis for each variable of ``given``, then for each of ``of``; NaN if ``given`` has probability 0."""
        ...


class Evaluation:
    """Terms as tables, from one source, with axes in one order."""

    def __init__(self, source: Source, order: Sequence[Node]) -> None:
        self._source = source
        self._rank = {node: index for index, node in enumerate(order)}

    def table(self, term: Term, axes: Axes) -> tuple[Floats, Unsupported]:
        """The value of a term, with these axes; constant along those that it does not depend on."""
        unsupported: Unsupported = {}
        axes_of_term, values = self._value(term, unsupported)
        shape = tuple(len(self._source.states[node]) for node in axes)
        return np.broadcast_to(_aligned(axes_of_term, values, axes), shape).copy(), unsupported

    def _value(self, term: Term, unsupported: Unsupported) -> tuple[Axes, Floats]:
        match term:
            case Probability():
                return self._product((term,), unsupported)
            case Product(factors):
                return self._product(factors, unsupported)
            case Sum(over, body):
                axes, values = self._value(body, unsupported)
                summed = tuple(index for index, node in enumerate(axes) if node in over)
                return tuple(node for node in axes if node not in over), values.sum(axis=summed)
            case Ratio(top, bottom):
                return self._ratio(top, bottom, unsupported)

    def _product(self, factors: Sequence[Term], unsupported: Unsupported) -> tuple[Axes, Floats]:
        tables = [
            self._probability(one) if isinstance(one, Probability) else self._value(one, unsupported) for one in factors
        ]
        axes = self._sorted({node for axes_of_table, _ in tables for node in axes_of_table})
        cells = prod(len(self._source.states[node]) for node in axes)
        if cells > MOST_CELLS:
            raise TooLargeError(f"a formula of {len(axes)} variables needs {cells:,} cells, more than {MOST_CELLS:,}")
        parts = [_aligned(axes_of_table, values, axes) for axes_of_table, values in tables]
        out = np.ones((1,) * len(axes))
        is_zero = np.zeros((1,) * len(axes), dtype=bool)
        for part in parts:
            out = out * part
            is_zero = is_zero | (part == 0)
        # 0 · undefined is 0: a condition without rows does not matter where another factor rules it out.
        out = np.where(is_zero, 0.0, out)
        for factor, part in zip(factors, parts, strict=True):
            if isinstance(factor, Probability):
                given, needed = self._undefined(factor, np.isnan(part) & np.isnan(out), axes)
                if needed.any():
                    unsupported[given] = unsupported[given] | needed if given in unsupported else needed
        return axes, out

    def _ratio(self, top: Term, bottom: Term, unsupported: Unsupported) -> tuple[Axes, Floats]:
        top_axes, numerator = self._value(top, unsupported)
        bottom_axes, denominator = self._value(bottom, unsupported)
        axes = self._sorted({*top_axes, *bottom_axes})
        divisor = _aligned(bottom_axes, denominator, axes)
        return axes, _aligned(top_axes, numerator, axes) / np.where(divisor == 0, np.nan, divisor)

    def _probability(self, term: Probability) -> tuple[Axes, Floats]:
        of, given = self._sorted(term.of), self._sorted(term.given)
        return (*given, *of), self._source.conditional(of, given)

    def _undefined(self, term: Probability, undefined: AnyArray, axes: Axes) -> tuple[Axes, AnyArray]:
        """The axes of the condition of a term, and which of its cells some undefined cell needs."""
        others = tuple(index for index, node in enumerate(axes) if node not in term.given)
        return self._sorted(term.given), np.asarray(undefined.any(axis=others))

    def _sorted(self, nodes: set[Node] | frozenset[Node]) -> Axes:
        return tuple(sorted(nodes, key=self._rank.__getitem__))


def _aligned(axes_of_table: Axes, values: Floats, axes: Axes) -> Floats:
    """The table with its axes in the order of ``axes`` and length 1 for the others."""
    transposed = values.transpose([axes_of_table.index(node) for node in axes if node in axes_of_table])
    return transposed[tuple(slice(None) if node in axes_of_table else None for node in axes)]


# The most cells that are counted in a dense table, 8 MB; beyond that, only cells that occur are stored.
_DENSE = 1 << 20


@dataclass(frozen=True, eq=False)
class NetSource:
    """The exact distribution of a Bayes net."""

    network: Network

    @property
    def states(self) -> Mapping[Node, tuple[State, ...]]:
        return self.network.states

    def conditional(self, of: tuple[Node, ...], given: tuple[Node, ...]) -> Floats:
        """P(of | given), from one joint table."""
        table = self._joint((*given, *of))
        whole = table.sum(axis=tuple(range(len(given), table.ndim)), keepdims=True)
        return table / np.where(whole > 0, whole, np.nan)

    def _joint(self, nodes: tuple[Node, ...]) -> Floats:
        if nodes not in self._known:
            self._known[nodes] = joint(self.network, [self.network.dag.index(node) for node in nodes], Findings())
        return self._known[nodes]

    @cached_property
    def _known(self) -> dict[tuple[Node, ...], Floats]:
        return {}


@dataclass(frozen=True, eq=False)
class CountSource:
    """Counts: distinct rows of codes, one column for each of ``states``, and how often each occurs."""

    states: Mapping[Node, tuple[State, ...]]
    codes: AnyArray
    counts: Floats
    smoothing: Smoothing
    left_out: int = 0

    @property
    def rows(self) -> float:
        """The weight of all rows."""
        return float(self.counts.sum())

    def conditional(self, of: tuple[Node, ...], given: tuple[Node, ...]) -> Floats:
        """P(of | given); the states of ``of`` are smoothed together."""
        shape = tuple(len(self.states[node]) for node in (*given, *of))
        index = {node: column for column, node in enumerate(self.states)}
        columns = [index[node] for node in (*given, *of)]
        # First of all: NumPy's own error, where a shape does not fit an int64 or has more than 64 axes, names nothing.
        if prod(shape) > MOST_CELLS:
            raise TooLargeError(f"a table of {', '.join(map(str, (*given, *of)))} has {prod(shape):,} cells, too many")
        cells = np.ravel_multi_index(tuple(self.codes[:, column] for column in columns), shape)
        wide = prod(shape[len(given) :])
        counts = np.bincount(cells, self.counts, minlength=prod(shape)).reshape(-1, wide)
        smoothed = counts + self.smoothing.pseudocounts(wide, len(counts))
        whole = smoothed.sum(axis=1, keepdims=True)
        return (smoothed / np.where(whole > 0, whole, np.nan)).reshape(shape)

    def smoothed(self, smoothing: Smoothing) -> CountSource:
        """The same counts, smoothed by another rule."""
        return replace(self, smoothing=smoothing)

    def drawn(self, rng: np.random.Generator) -> CountSource:
        """As many rows again, drawn from these with replacement."""
        # A multinomial draw of counts is a draw of rows with replacement (Efron 1979), without the rows.
        size = max(round(self.rows), 1)
        return replace(self, counts=rng.multinomial(size, self.counts / self.counts.sum()).astype(np.float64))


def check_bootstrap(bootstrap: Any) -> None:
    """Refuse what is no number of bootstrap samples."""
    if isinstance(bootstrap, bool) or not isinstance(bootstrap, int) or bootstrap < 0:
        raise ParameterError(f"bootstrap is a number of samples, 0 for none, not {bootstrap!r}.")


def read_complete(data: Any, nodes: Iterable[Node], sample_weight: Any = None, may_lack: Collection[Node] = ()) -> Rows:
    """The columns of some nodes; rows with a missing value in one of them are left out."""
    return read_rows(
        data, list(nodes), sample_weight=sample_weight, missing="drop", choices=("drop",), may_lack=may_lack
    )


def read_counts(data: Any, nodes: Iterable[Node], smoothing: Smoothing, sample_weight: Any = None) -> CountSource:
    """Count the columns of some nodes; rows with a missing value in one of them are left out."""
    if not isinstance(smoothing, Smoothing):
        raise InputError(f"smoothing is a rule such as db.MLE() or db.Laplace(), not {smoothing!r}")
    names = list(nodes)
    rows = data if isinstance(data, Rows) else read_complete(data, names, sample_weight)
    sample = code_rows(rows, names, numbers='use db.effect with method="regression"', dtype=np.int64)
    weights = np.ones(len(sample)) if sample.sample_weight is None else sample.sample_weight
    codes, counts = _distinct(sample.codes.T, weights, tuple(sample.sizes.tolist()))
    states = {node: sample.states[node].values for node in names}
    return CountSource(states, codes, counts, smoothing, sample.dropped)


def _distinct(codes: AnyArray, weights: Floats, shape: tuple[int, ...]) -> tuple[AnyArray, Floats]:
    """The distinct rows and the weight of each; as one number for each row where that fits, which is fast to count."""
    if prod(shape) <= _DENSE:
        counts = np.bincount(np.ravel_multi_index(tuple(codes.T), shape), weights, minlength=prod(shape))
        keys = np.flatnonzero(counts)
        return np.column_stack(np.unravel_index(keys, shape)), counts[keys].astype(np.float64)
    # The cell as one number, while it fits an int64.
    if prod(shape) < 1 << 62:
        keys, indices = np.unique(np.ravel_multi_index(tuple(codes.T), shape), return_inverse=True)
        rows: AnyArray = np.column_stack(np.unravel_index(keys, shape))
    else:
        first, indices = distinct_rows(codes)
        rows = codes[first]
    return rows, np.bincount(indices, weights, minlength=len(rows)).astype(np.float64)
