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

    def cost(self, targets: Any = None, evidence: Evidence | None = None) -> Cost:
        """The memory and time that a query would take; of all marginals if there are no targets.

        Nothing is compiled for this. A compiled clique tree tries several orders and may take less.
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
        query
            The node and its state, as ``{"rain": "yes"}`` or ``("rain", "yes")``.
        parameter
            An entry, as ``("wet", "yes", {"rain": "no"})``: gives a ``Sensitivity``. By default all relevant entries,
            the largest derivatives first: gives ``Sensitivities``. Of a node with two states only the entries of the
            first are listed.
        """
        return sensitivity_of(self.network, query, read_findings(self.network, evidence, likelihoods), parameter)
