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
        """P(targets | evidence): a ``Distribution`` for one node, a ``JointDistribution`` for a list of nodes.

        Only the tables of ancestors of the targets and of the evidence are used.

        Parameters
        ----------
        targets
            A node, or several; none of them observed.
        evidence
            Node → observed state.
        likelihoods
            Uncertain evidence: node → {state: P(observation | state)}.

        Examples
        --------
        >>> from deciban import BayesNet
        >>> net = BayesNet.from_tables(
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
        """P(node | evidence) for every node at once, as a mapping; an observed node has probability 1 in its state."""
        return distributions(self.network, self._findings(evidence, likelihoods))

    def beliefs(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> Beliefs:
        """The marginals of all nodes before and after the evidence: a value that prints, draws and plots itself.

        Examples
        --------
        >>> from deciban import BayesNet
        >>> net = BayesNet.from_tables(
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
        """Draw ``beliefs(evidence)`` with matplotlib, or the graph alone if there are no tables; returns the axes."""
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
        """P(evidence), 0 if it is impossible; the expected product of the likelihoods if there are any."""
        return exp(self.log_probability(evidence, likelihoods=likelihoods))

    def log_probability(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> float:
        """log P(evidence), which does not underflow; −∞ if it is impossible."""
        return log_probability(self.network, self._findings(evidence, likelihoods))

    def mpe(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> Completion:
        """The most probable explanation: argmax P(all other nodes, evidence).

        A mapping of all nodes, the observed ones too, with ``probability`` P(x, e) and ``posterior`` P(x | e). The most
        probable joint states may differ from the most probable state of each node.
        """
        return most_probable_explanation(self.network, self._findings(evidence, likelihoods))

    def map(
        self, targets: Any, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None
    ) -> Completion:
        """The most probable joint states of some nodes, the others summed out: argmax P(targets, evidence).

        Also called marginal MAP. Sums come before maxima, which may take more memory than ``query`` or ``mpe``.
        """
        return most_probable_states(self.network, targets, self._findings(evidence, likelihoods))

    def independent(self, x: Any, y: Any, given: Any = ()) -> bool:
        """Whether x ⊥ y | given holds in this distribution, up to rounding; each is a node or a set of nodes.

        So a net is a source of independences: ``db.markovian_parents(net, order)``, ``db.is_stable(dag, net)``.
        """
        return is_independent(self.network, x, y, given)

    def _findings(self, evidence: Evidence | None, likelihoods: Likelihoods | None) -> Findings:
        return read_findings(self.network, evidence, likelihoods)
