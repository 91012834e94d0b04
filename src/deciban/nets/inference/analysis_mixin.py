"""The methods of ``BayesNet`` that analyse it: what to observe, what an answer depends on, what a query costs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from deciban.nets.graphs.base import Node
from deciban.nets.inference.answers import cost_of, information_about, sensitivity_of
from deciban.nets.inference.arrow_strength import ArrowStrengths, table_strengths
from deciban.nets.inference.evidence import Likelihoods, read_findings
from deciban.nets.inference.information import Information, Utility
from deciban.nets.inference.trees.cost import Cost
from deciban.nets.network import Evidence, Network

__all__ = ["AnalysisMixin"]


class AnalysisMixin(ABC):
    """Analyses of the ``network`` of a net."""

    @property
    @abstractmethod
    def network(self) -> Network:
        """The graph, the states and the tables."""

    def arrow_strengths(self) -> ArrowStrengths:
        """How much information each parent has about its child, given the other parents.

            I(P; C | others) = H(C | others) − H(C | P, others)      (Boerlage, 1992)

        It is 0 where the table of the child does not change with the parent, so that the arrow could be left out.

        Returns
        -------
        ArrowStrengths
            (parent, child) → strength in bits, and as a share of the child's uncertainty; the strongest first.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> print(net.arrow_strengths())
        rain → wet    0.2755 bits   34.6%
        """
        return table_strengths(self.network)

    def cost(self, targets: Any = None, evidence: Evidence | None = None) -> Cost:
        """The memory and time that a query would take.

        Nothing is compiled for this. A compiled clique tree tries several orders and may take less.

        Parameters
        ----------
        targets : node or list of nodes, optional
            The nodes of the query; all marginals by default.
        evidence : mapping, optional
            Node → observed state.

        Returns
        -------
        Cost
            The numbers of table entries and bytes, and the nodes of the largest table.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet([("rain", "wet")]).fit(
        ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
        ... )
        >>> net.cost()
        Cost(cliques=2, largest=4, cells=6, bytes=48, largest_clique=('rain', 'wet'), rows_at_a_time=1)
        """
        return cost_of(self.network, targets, read_findings(self.network, evidence, None))

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
        target : node
            The node of interest.
        evidence, likelihoods : mapping, optional
            As in ``BayesNet.query``.
        among : iterable of nodes, optional
            The nodes that could be observed; all by default.
        utility, loss : mapping, optional
            {decision: {state of the target: its utility, or its loss}}: ranks by the value of information.

        Returns
        -------
        Information
            A sequence of observations, the most useful first, with their information in bits and decibans, and with a
            utility or loss the expected gain.

        Notes
        -----
        ----- The information is I(T; X | e). The value of information is Σ_x P(x | e) max_d E[U(d) | x, e] − max_d
        E[U(d) | e].

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> print(
        ...     net.information(
        ...         "rain", loss={"umbrella": {"no": 1, "yes": 1}, "none": {"no": 0, "yes": 10}}
        ...     )
        ... )
        about rain      bits  decibans      gain
        wet           0.2755    0.8292    0.3600
        """
        findings = read_findings(self.network, evidence, likelihoods)
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
        query : mapping or pair
            The node and its state, as ``{"rain": "yes"}`` or ``("rain", "yes")``.
        evidence : mapping, optional
            Node → observed state.
        parameter : tuple, optional
            An entry, as ``("wet", "yes", {"rain": "no"})``: the probability that wet is yes if rain is no. By default
            all relevant entries; of a node with two states only those of the first.
        likelihoods : mapping, optional
            As in ``BayesNet.query``.

        Returns
        -------
        Sensitivity or Sensitivities
            A ``Sensitivity`` for one entry; else ``Sensitivities``, the largest derivatives first.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> print(net.sensitivity({"rain": "yes"}, {"wet": "yes"}))
        entry                    value  derivative  same most probable state
        P(wet=no | rain=no)        0.9      +2.222  [0.8, 1]
        P(rain=no)                 0.8      -1.389  [0, 0.8889]
        P(wet=no | rain=yes)       0.2     -0.2778  [0, 0.6]
        """
        return sensitivity_of(self.network, query, read_findings(self.network, evidence, likelihoods), parameter)
