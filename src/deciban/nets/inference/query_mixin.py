"""The methods of ``BayesNet`` that answer questions, each a call of a function of its ``Network``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from math import exp
from typing import Any, Literal, overload

from deciban.errors import TooLargeError, UnfittedError
from deciban.nets.graphs.base import Node
from deciban.nets.graphs.graph import DAG
from deciban.nets.inference.answers import (
    cost_of,
    information_about,
    most_probable_explanation,
    most_probable_states,
    posterior,
    sensitivity_of,
)
from deciban.nets.inference.arrow_strength import ArrowStrengths, table_strengths
from deciban.nets.inference.beliefs import Beliefs, graph_svg, is_quick, plot_graph
from deciban.nets.inference.cases import (
    Fill,
    Impossible,
    fill_in,
    log_likelihoods,
    posteriors,
    read_cases,
)
from deciban.nets.inference.distribution import Completion, Distribution
from deciban.nets.inference.evidence import Findings, Likelihoods, read_findings
from deciban.nets.inference.independent import is_independent
from deciban.nets.inference.information import Information, Utility
from deciban.nets.inference.queries import distributions, log_probability
from deciban.nets.inference.trees.cost import Cost
from deciban.nets.network import Evidence, Network
from deciban.read.variable import object_array
from deciban.read.weights import weighted_sum
from deciban.types import AnyArray, Floats

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

    def arrow_strengths(self) -> ArrowStrengths:
        """How much each parent tells about its child, given the other parents: in bits, the strongest first.

        Examples
        --------
        >>> from deciban import BayesNet
        >>> net = BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> print(net.arrow_strengths())
        rain → wet    0.2755 bits   34.6%
        """
        return table_strengths(self.network)

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

    def cost(self, targets: Any = None, evidence: Evidence | None = None) -> Cost:
        """The memory and time that a query would take; of all marginals if there are no targets.

        Nothing is compiled for this. A compiled clique tree tries several orders and may take less.
        """
        return cost_of(self.network, targets, self._findings(evidence, None))

    def information(
        self,
        target: Node,
        evidence: Evidence | None = None,
        *,
        likelihoods: Likelihoods | None = None,
        among: Iterable[Node] | None = None,
        utility: Utility | None = None,
        loss: Utility | None = None,
    ) -> Information:
        """What to observe next: the nodes ranked by their mutual information with a target, given the evidence.

        Parameters
        ----------
        target
            The node of interest.
        among
            The nodes that could be observed; all by default.
        utility, loss
            {decision: {state of the target: its utility, or its loss}}: ranks by the value of information.

        Notes
        -----
        I(T; X | e) in bits and decibans, and Σ_x P(x) max_d E[U(d) | x] − max_d E[U(d)]: see ``information.py``.
        """
        findings = self._findings(evidence, likelihoods)
        return information_about(self.network, target, findings, among=among, utility=utility, loss=loss)

    def sensitivity(
        self,
        query: Any,
        evidence: Evidence | None = None,
        *,
        parameter: Any = None,
        likelihoods: Likelihoods | None = None,
    ) -> Any:
        """How P(node = state | evidence) changes with an entry of a table.

        Parameters
        ----------
        query
            The node and its state, as ``{"rain": "yes"}`` or ``("rain", "yes")``.
        parameter
            An entry, as ``("wet", "yes", {"rain": "no"})``: gives a ``Sensitivity``. By default all relevant entries,
            the largest derivatives first: gives ``Sensitivities``. Of a node with two states only the entries of the
            first are listed.
        """
        return sensitivity_of(self.network, query, self._findings(evidence, likelihoods), parameter)

    @overload
    def log_likelihood(self, data: Any, *, sample_weight: Any = ..., per_row: Literal[False] = ...) -> float: ...
    @overload
    def log_likelihood(self, data: Any, *, per_row: Literal[True]) -> Floats: ...
    def log_likelihood(self, data: Any, *, sample_weight: Any = None, per_row: bool = False) -> float | Floats:
        """Σ w·log P(row), or log P of each row; missing values are summed out.

        An impossible row has −∞. A node without a column is missing in every row.

        Examples
        --------
        >>> from deciban import BayesNet, DAG
        >>> coin = BayesNet.from_tables(DAG(nodes=["coin"]), {"coin": ("head", "tail")}, {"coin": [0.25, 0.75]})
        >>> coin.log_likelihood({"coin": ["head", None]}, per_row=True).round(4).tolist()
        [-1.3863, 0.0]
        """
        logs = log_likelihoods(self.network, read_cases(self.network, data))
        return logs if per_row else weighted_sum(logs, sample_weight)

    def predict_proba(self, data: Any, target: Node, *, impossible: Impossible = "error") -> Floats:
        """P(target | the rest of the row): rows × states, in the order of ``states[target]``.

        Parameters
        ----------
        data
            Rows, which may have missing values. A column of the target itself is ignored.
        target
            The node that is predicted.
        impossible
            For a row with probability 0: ``"error"``, or ``"prior"``, which predicts P(target).
        """
        codes = read_cases(self.network, data, without=target)
        return posteriors(self.network, codes, self.network.dag.index(target), impossible)

    def predict(self, data: Any, target: Node, *, impossible: Impossible = "error") -> AnyArray:
        """The most probable state of the target in each row: see ``predict_proba``."""
        probabilities = self.predict_proba(data, target, impossible=impossible)
        return object_array(self.network.states[target])[probabilities.argmax(axis=1)]

    def impute(self, data: Any, method: Fill = "mpe") -> Any:
        """The data with missing values filled in, as a table of the same kind; nodes without a column get one.

        Parameters
        ----------
        data
            A frame or a mapping of columns; an array gives an array.
        method
            ``"mpe"``: the missing values of a row get their most probable joint states. ``"marginals"``: each missing
            value gets its own most probable state.

        Examples
        --------
        >>> from deciban import BayesNet
        >>> net = BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.impute({"rain": [None, "yes"], "wet": ["yes", None]})
        {'rain': ['yes', 'yes'], 'wet': ['yes', 'yes']}
        """
        return fill_in(self.network, data, method)

    def _findings(self, evidence: Evidence | None, likelihoods: Likelihoods | None) -> Findings:
        return read_findings(self.network, evidence, likelihoods)
