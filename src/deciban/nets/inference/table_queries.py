"""The answers of a net of categories, by the names under which a net of categories and numbers answers, too.

``BayesNet`` calls these, and those of ``mixed_rows`` for a net with numbers, so that none of its methods asks which of
the two it has.
"""

from __future__ import annotations

from typing import Any, Protocol

from deciban.nets.graphs.graph import Node
from deciban.nets.inference.cases import Fill, Impossible, fill_in, log_likelihoods, posteriors, read_cases
from deciban.nets.inference.distribution import Completion, Distribution
from deciban.nets.inference.elimination import Cost
from deciban.nets.inference.evidence import Findings, Likelihoods, Targets, read_findings
from deciban.nets.inference.net_explanation import NetExplanation, explain_query
from deciban.nets.inference.queries import (
    cost_of,
    distributions,
    is_independent,
    log_probability,
    most_probable_explanation,
    most_probable_states,
    posterior,
)
from deciban.nets.inference.sensitivity import StateQuery
from deciban.nets.network import Evidence, Network
from deciban.read import object_array
from deciban.types import AnyArray, Floats

__all__ = ["NetQueries", "TableQueries"]


class NetQueries(Protocol):
    """What answers for a net; `findings` are what its own ``read`` gives, and answers are those of its kind."""

    def read(self, evidence: Evidence | None, likelihoods: Likelihoods | None = None) -> Any: ...
    def posterior(self, targets: Targets, findings: Any) -> Any: ...
    def distributions(self, findings: Any) -> Any: ...
    def log_probability(self, findings: Any) -> float: ...
    def most_probable_explanation(self, findings: Any) -> Completion: ...
    def most_probable_states(self, targets: Targets, findings: Any) -> Completion: ...
    def cost_of(self, targets: Targets | None, findings: Any) -> Cost: ...
    def is_independent(self, x: Targets, y: Targets, given: Targets = ()) -> bool: ...
    def explain(self, query: StateQuery | Node, findings: Any) -> NetExplanation: ...
    def row_logs(self, data: Any) -> Floats: ...
    def row_posteriors(self, data: Any, target: Node, impossible: Impossible) -> Floats: ...
    def predicted(self, data: Any, target: Node, impossible: Impossible) -> AnyArray: ...
    def filled(self, data: Any, method: Fill) -> Any: ...


class TableQueries:
    """The answers of a net of categories.

    Parameters
    ----------
    network : Network
        The net.
    """

    def __init__(self, network: Network) -> None:
        self.network = network

    def read(self, evidence: Evidence | None, likelihoods: Likelihoods | None = None) -> Findings:
        """Evidence and likelihoods, with the indices of nodes and states."""
        return read_findings(self.network, evidence, likelihoods)

    def posterior(self, targets: Targets, findings: Findings) -> Any:
        """P(targets | e): of one node, or the joint distribution of several."""
        return posterior(self.network, targets, findings)

    def distributions(self, findings: Findings) -> dict[Node, Distribution]:
        """P(node | e) for every node."""
        return distributions(self.network, findings)

    def log_probability(self, findings: Findings) -> float:
        """log P(e); −∞ if the evidence is impossible."""
        return log_probability(self.network, findings)

    def most_probable_explanation(self, findings: Findings) -> Completion:
        """argmax P(all other nodes, e)."""
        return most_probable_explanation(self.network, findings)

    def most_probable_states(self, targets: Targets, findings: Findings) -> Completion:
        """argmax P(targets, e); all other nodes are summed out."""
        return most_probable_states(self.network, targets, findings)

    def cost_of(self, targets: Targets | None, findings: Findings) -> Cost:
        """The memory and time of a query; of all marginals if there are no targets."""
        return cost_of(self.network, targets, findings)

    def explain(self, query: StateQuery | Node, findings: Findings) -> NetExplanation:
        """The weight of each finding in the log-odds of a state."""
        return explain_query(self.network, query, findings)

    def is_independent(self, x: Targets, y: Targets, given: Targets = ()) -> bool:
        """Whether x ⊥ y | given, up to rounding."""
        return is_independent(self.network, x, y, given)

    def row_logs(self, data: Any) -> Floats:
        """log P of each row of a table; missing values are summed out."""
        return log_likelihoods(self.network, read_cases(self.network, data))

    def row_posteriors(self, data: Any, target: Node, impossible: Impossible) -> Floats:
        """P(target | the rest of the row), rows × states."""
        codes = read_cases(self.network, data, without=target)
        return posteriors(self.network, codes, self.network.dag.index(target), impossible)

    def predicted(self, data: Any, target: Node, impossible: Impossible) -> AnyArray:
        """The most probable state of the target in each row."""
        probabilities = self.row_posteriors(data, target, impossible)
        return object_array(self.network.states[target])[probabilities.argmax(axis=1)]

    def filled(self, data: Any, method: Fill) -> Any:
        """The data with every missing value filled in."""
        return fill_in(self.network, data, method)
