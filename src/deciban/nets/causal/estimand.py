"""Estimands: the formula that expresses an effect by observational probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from deciban.errors import InputTypeError, ParameterError, UnknownNodeError
from deciban.estimate import MLE, Smoothing
from deciban.nets.causal.effects import Effect
from deciban.nets.causal.evaluation import Evaluation, Source
from deciban.nets.causal.identification.rendering import HTML, LATEX, TEXT, Style, write, write_effect
from deciban.nets.causal.identification.terms import Term, mentioned
from deciban.nets.causal.source import NetSource, read_counts
from deciban.nets.graphs.base import Node
from deciban.nets.network import State, as_network
from deciban.types import AnyArray, Floats

__all__ = ["Estimand"]


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
        read = _read_source(source)
        for node in self.variables:
            if node not in read.states:
                raise UnknownNodeError(f"the formula needs {node!r}, which is not a node of the net")
        table, cells = self._table(read)
        return self._effect_of(read.states, table, cells)

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
        if isinstance(bootstrap, bool) or not isinstance(bootstrap, int) or bootstrap < 0:
            raise ParameterError(f"bootstrap is a number of samples, 0 for none, not {bootstrap!r}.")
        nodes = [node for node in self.order if node in self.variables]
        counts = read_counts(data, nodes, smoothing, sample_weight)
        _, cells = self._table(counts.smoothed(MLE()))
        rng = np.random.default_rng(random_state)
        samples = [self._table(counts.drawn(rng))[0] for _ in range(bootstrap)]
        table, _ = self._table(counts)
        return self._effect_of(
            counts.states, table, cells, np.array(samples) if samples else None, counts.rows, counts.left_out
        )

    def _effect_of(
        self,
        states: Mapping[Node, tuple[State, ...]],
        table: Floats,
        cells: Mapping[tuple[Node, ...], AnyArray],
        samples: Floats | None = None,
        rows: float | None = None,
        left_out: int = 0,
    ) -> Effect:
        condition = (*self.cause, *self.given)
        own = {node: states[node] for node in (*condition, *self.effect)}
        unsupported = tuple(
            {node: states[node][code] for node, code in zip(given, index, strict=True)}
            for given, mask in cells.items()
            for index in np.argwhere(mask).tolist()
        )
        return Effect(
            self.title, self.formula, condition, self.effect, own, unsupported, rows, left_out, table, samples
        )

    def _table(self, source: Source) -> tuple[Floats, Mapping[tuple[Node, ...], AnyArray]]:
        evaluation = Evaluation(source, self.order)
        table = evaluation.table(self.term, (*self.cause, *self.given, *self.effect))
        return table, evaluation.unsupported

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


def _read_source(source: Any) -> Source:
    network = as_network(source)
    if network is not None:
        return NetSource(network)
    if hasattr(source, "conditional") and hasattr(source, "states"):
        return source
    raise InputTypeError(
        f"an estimand is evaluated on a BayesNet, not on a {type(source).__name__}. From a table, use estimate(data)."
    )
