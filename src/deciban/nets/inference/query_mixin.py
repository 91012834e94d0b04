"""The methods of ``BayesNet`` that answer questions, each a call of a function of its ``Network``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from math import exp
from typing import Any

from deciban.errors import TooLargeError, UnfittedError
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.graph import DAG
from deciban.nets.inference.answers import (
    most_probable_explanation,
    most_probable_states,
    posterior,
)
from deciban.nets.inference.beliefs import Beliefs, graph_svg, is_quick, plot_graph
from deciban.nets.inference.distribution import Completion, Distribution
from deciban.nets.inference.evidence import Findings, Likelihoods, read_findings
from deciban.nets.inference.independent import is_independent
from deciban.nets.inference.queries import distributions, log_probability
from deciban.nets.network import Evidence, Network

__all__ = ["Marginals", "QueryMixin"]

Marginals = Mapping[Node, Distribution]


class QueryMixin(ABC):
    """Exact answers from the ``network`` of a net."""

    takes_sets = True
    """``independent`` takes sets of nodes: see ``markovian_parents``."""

    @property
    @abstractmethod
    def network(self) -> Network:
        """The graph, the states and the tables."""

    @property
    @abstractmethod
    def dag(self) -> DAG:
        """The graph."""

    def query(self, targets: Any, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> Any:
        """P(targets | evidence), exactly.

        Only the tables of ancestors of the targets and of the evidence are used.

        Parameters
        ----------
        targets : node or list of nodes
            A node, or several; none of them observed.
        evidence : mapping, optional
            Node → observed state.
        likelihoods : mapping, optional
            Uncertain evidence: node → {state: P(observation | state)}.

        Returns
        -------
        Distribution or JointDistribution
            A ``Distribution`` for one node, a ``JointDistribution`` for a list of nodes.

        Raises
        ------
        ImpossibleEvidenceError
            If the evidence has probability 0; the message names a smallest set of contradicting observations.
        TooLargeError
            If the tables would exceed the memory limit.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.query("rain", {"wet": "yes"})
        Distribution(rain: no 0.3333, yes 0.6667)
        >>> round(net.query(["rain", "wet"])["yes", "yes"], 2)
        0.16
        >>> round(net.query("rain", likelihoods={"wet": {"yes": 0.9, "no": 0.1}})["yes"], 3)
        0.507
        """
        return posterior(self.network, targets, self._findings(evidence, likelihoods))

    def marginals(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> Marginals:
        """P(node | evidence) for every node at once.

        Parameters
        ----------
        evidence, likelihoods : mapping, optional
            As in ``query``.

        Returns
        -------
        mapping of Distribution
            Node → distribution; an observed node has probability 1 in its state.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet([("rain", "wet")]).fit(
        ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
        ... )
        >>> for distribution in net.marginals({"wet": "yes"}).values():
        ...     print(repr(distribution))
        Distribution(rain: no 0.5294, yes 0.4706)
        Distribution(wet: no 0.0000, yes 1.0000)
        """
        return distributions(self.network, self._findings(evidence, likelihoods))

    def beliefs(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> Beliefs:
        """The marginals of all nodes before and after the evidence.

        Parameters
        ----------
        evidence, likelihoods : mapping, optional
            As in ``query``.

        Returns
        -------
        Beliefs
            A mapping that prints, draws and plots itself.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> print(net.beliefs({"wet": "yes"}))
        rain  no 0.800 → 0.333   yes 0.200 → 0.667
        wet   = yes
        """
        return Beliefs(self.network, self._findings(evidence, likelihoods))

    def plot(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None, ax: Any = None) -> Any:
        """Draw ``beliefs(evidence)`` with matplotlib, or the graph alone if there are no tables.

        Parameters
        ----------
        evidence, likelihoods : mapping, optional
            As in ``query``.
        ax : matplotlib axes, optional
            Where to draw; new axes by default.

        Returns
        -------
        matplotlib axes
        """
        try:
            return self.beliefs(evidence, likelihoods=likelihoods).plot(ax)
        except UnfittedError:
            return plot_graph(self.dag, ax)

    def _repr_html_(self) -> str:
        try:
            if is_quick(self.network):
                return self.beliefs().to_svg()
        except (TooLargeError, UnfittedError):
            pass
        return graph_svg(self.dag)

    def probability(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> float:
        """P(evidence).

        Parameters
        ----------
        evidence, likelihoods : mapping, optional
            As in ``query``.

        Returns
        -------
        float
            0 if the evidence is impossible; with likelihoods, their expected product.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet(db.DAG(nodes=["coin"])).fit(
        ...     {"coin": ["head", "tail", "tail"]}, smoothing=db.MLE()
        ... )
        >>> round(net.probability({"coin": "tail"}), 3)
        0.667
        """
        return exp(self.log_probability(evidence, likelihoods=likelihoods))

    def log_probability(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> float:
        """The natural logarithm of P(evidence), which does not underflow.

        Parameters
        ----------
        evidence, likelihoods : mapping, optional
            As in ``query``.

        Returns
        -------
        float
            −∞ if the evidence is impossible.
        """
        return log_probability(self.network, self._findings(evidence, likelihoods))

    def mpe(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> Completion:
        """The most probable explanation: argmax P(all other nodes, evidence).

        The most probable joint states may differ from the most probable state of each node.

        Parameters
        ----------
        evidence, likelihoods : mapping, optional
            As in ``query``.

        Returns
        -------
        Completion
            A mapping of all nodes to states, the observed ones too, with ``probability`` P(x, e) and ``posterior`` P(x
            | e).

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.mpe({"wet": "yes"})
        Completion(rain=yes, wet=yes; probability 0.16, posterior 0.667)
        """
        return most_probable_explanation(self.network, self._findings(evidence, likelihoods))

    def map(
        self, targets: Any, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None
    ) -> Completion:
        """The most probable joint states of some nodes, the others summed out: argmax P(targets, evidence).

        Also called marginal MAP. Sums come before maxima, which may take more memory than ``query`` or ``mpe``.

        Parameters
        ----------
        targets : node or list of nodes
            The nodes; none of them observed.
        evidence, likelihoods : mapping, optional
            As in ``query``.

        Returns
        -------
        Completion
            A mapping of the targets to states, with ``probability`` P(x, e) and ``posterior`` P(x | e).

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.map("rain")
        Completion(rain=no; probability 0.8, posterior 0.8)
        """
        return most_probable_states(self.network, targets, self._findings(evidence, likelihoods))

    def independent(self, x: Any, y: Any, given: Any = ()) -> bool:
        """Whether x ⊥ y | given holds in this distribution, up to rounding.

        So a net is a source of independences: ``markovian_parents(net, order)``, ``is_stable(dag, net)``.

        Parameters
        ----------
        x, y : node or iterable of nodes
            The two sides.
        given : node or iterable of nodes, optional
            The conditioning set.

        Returns
        -------
        bool

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet([("rain", "wet")]).fit(
        ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
        ... )
        >>> net.independent("rain", "wet")
        False
        """
        return is_independent(self.network, x, y, given)

    def _findings(self, evidence: Evidence | None, likelihoods: Likelihoods | None) -> Findings:
        return read_findings(self.network, evidence, likelihoods)
