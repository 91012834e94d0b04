"""What a Bayes net can be asked.

All answers are exact. They come from sums over products of the net's tables,

    P(targets | e) = Σ Π P(xᵢ | parents of xᵢ) / P(e),

in an order that keeps the products small (``elimination``), over the tables that the question needs (``pruning``).
Evidence is a mapping node → state; ``likelihoods`` say how probable something that was heard is in each state of a node
(``findings``). Evidence that cannot be is an error that says which of it is at odds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp
from typing import Any

from deciban.errors import ParameterError
from deciban.nets.graphs.base import Node
from deciban.nets.inference.distribution import Completion, Distribution, JointDistribution
from deciban.nets.inference.evidence import Findings, Likelihoods, node_places, read_findings
from deciban.nets.inference.independent import independent
from deciban.nets.inference.information import Information, Utility, rank_observations, read_utility
from deciban.nets.inference.queries import best_states, distributions, joint, log_probability, plan_of
from deciban.nets.inference.rows import AskedOfRows
from deciban.nets.inference.sensitivity import Sensitivities, influence_of, influences, read_entry
from deciban.nets.inference.trees.cost import Cost
from deciban.nets.network import Evidence, Network, State

__all__ = ["Asked", "Marginals"]

Marginals = Mapping[Node, Distribution]


class Asked(AskedOfRows):
    """A net that answers questions."""

    takes_sets = True
    """``independent`` takes sets of nodes: see ``markovian_parents``."""

    def query(self, targets: Any, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> Any:
        """P(targets | evidence): a ``Distribution`` for one node, a ``JointDistribution`` for a list of them.

        Only the tables that matter are used: those of ancestors of the targets and of what is known.

        Parameters
        ----------
        targets
            A node, or several; none of them observed.
        evidence
            Node → observed state.
        likelihoods
            Node → {state: how probable what was heard is in this state}.

        Examples
        --------
        >>> from deciban import BayesNet
        >>> net = BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.query("rain", {"wet": "yes"})
        rain
        no   0.3333
        yes  0.6667
        >>> round(net.query(["rain", "wet"])["yes", "yes"], 2)
        0.16
        >>> round(net.query("rain", likelihoods={"wet": {"yes": 0.9, "no": 0.1}})["yes"], 3)
        0.507
        """
        network, findings = self.network, read_findings(self.network, evidence, likelihoods)
        places, is_one = _asked_for(network, targets, findings)
        table = joint(network, places, findings)
        nodes = [network.nodes[place] for place in places]
        if is_one:
            return Distribution(nodes[0], network.states[nodes[0]], table)
        return JointDistribution(nodes, [network.states[node] for node in nodes], table)

    def marginals(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> Marginals:
        """P(node | evidence) for every node at once: a mapping; an observed node is sure of its state."""
        return distributions(self.network, read_findings(self.network, evidence, likelihoods))

    def probability(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> float:
        """P(evidence): 0 where it is impossible; times the likelihoods where there are any."""
        return exp(self.log_probability(evidence, likelihoods=likelihoods))

    def log_probability(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> float:
        """log P(evidence), which does not underflow; −∞ where it is impossible."""
        return log_probability(self.network, read_findings(self.network, evidence, likelihoods))

    def mpe(self, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None) -> Completion:
        """The most probable explanation: argmax P(all other nodes, evidence).

        A mapping of all nodes, the observed ones too, with ``probability`` P(x, e) and ``posterior`` P(x | e). What is
        most probable together need not be what is most probable node by node.
        """
        network = self.network
        findings = read_findings(network, evidence, likelihoods)
        free = [place for place in range(len(network.nodes)) if place not in findings.codes]
        return _completed(network, free, findings)

    def map(
        self, targets: Any, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None
    ) -> Completion:
        """The most probable states of some nodes together, the others summed out: argmax P(targets, evidence).

        Also called marginal MAP. Sums come before maxima, which may take more memory than ``query`` or ``mpe`` would.
        """
        network, findings = self.network, read_findings(self.network, evidence, likelihoods)
        places, _ = _asked_for(network, targets, findings)
        found = _completed(network, places, findings)
        wanted = {network.nodes[place]: found[network.nodes[place]] for place in places}
        return Completion(wanted, found.log_probability, found.log_evidence)

    def independent(self, x: Any, y: Any, given: Any = ()) -> bool:
        """Whether x ⊥ y | given holds in this distribution, up to rounding; each is a node or a set of nodes.

        So a net is a source of independences: ``db.markovian_parents(net, order)``, ``db.is_stable(dag, net)``.
        """
        return independent(self.network, x, y, given)

    def cost(self, targets: Any = None, evidence: Evidence | None = None) -> Cost:
        """What a question would take, before it is asked; of all nodes where no targets are named.

        Nothing is compiled for this. A compiled tree tries more orders than one and may take less.
        """
        network, findings = self.network, read_findings(self.network, evidence, None)
        places = () if targets is None else _asked_for(network, targets, findings)[0]
        return plan_of(network, places, findings).cost(network.nodes)

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
        """What to look at next: the nodes that say most of a target, given what is known.

        Parameters
        ----------
        target
            The node that one would like to know.
        among
            The nodes that could be looked at; all where not given.
        utility, loss
            {decision: {state of the target: what it is worth, or what it costs}}: ranks by what a look is worth.

        Notes
        -----
        I(T; X | e) in bits and decibans, and Σ_x P(x) max_d E[U(d) | x] − max_d E[U(d)]: see ``information``.
        """
        network, findings = self.network, read_findings(self.network, evidence, likelihoods)
        (place,), _ = _asked_for(network, [target], findings)
        places = None if among is None else [network.dag.index(node) for node in among]
        worth = read_utility(network, place, utility, loss)
        return rank_observations(network, place, findings, places, worth)

    def sensitivity(
        self,
        query: Any,
        evidence: Evidence | None = None,
        parameter: Any = None,
        *,
        likelihoods: Likelihoods | None = None,
    ) -> Any:
        """How an answer P(node = state | evidence) changes with an entry of a table.

        Parameters
        ----------
        query
            The node and its state, as ``{"rain": "yes"}`` or ``("rain", "yes")``.
        parameter
            An entry, as ``("wet", "yes", {"rain": "no"})``: gives a ``Sensitivity``. All entries that matter where not
            given, the most influential (the largest derivatives) first: gives ``Sensitivities``. Of a node with two
            states only the entries of the first are listed.
        """
        network, findings = self.network, read_findings(self.network, evidence, likelihoods)
        node, state = _one_state(query)
        (place,), _ = _asked_for(network, [node], findings)
        code = network.code(node, state)
        if parameter is None:
            # Of two states one tells it all: the other's entry is 1 − θ.
            told = influences(network, place, code, findings)
            found = [held for (node, *_, own), held in told if own == 0 or network.cards[node] > 2]
            return Sensitivities(sorted(found, key=lambda sensitivity: -abs(sensitivity.derivative)))
        return influence_of(network, place, code, findings, read_entry(network, parameter))


def _asked_for(network: Network, targets: Any, findings: Findings) -> tuple[tuple[int, ...], bool]:
    """The places of the targets, none of which may be observed, and whether one node was named by itself."""
    places, is_one = node_places(network, targets)
    for place in places:
        if place in findings.codes:
            node = network.nodes[place]
            state = network.states[node][findings.codes[place]]
            raise ParameterError(
                f"{node!r} is asked for, and observed to be {state!r}: take it out of the one or the other"
            )
    return places, is_one


def _completed(network: Network, places: Sequence[int], findings: Findings) -> Completion:
    best = best_states(network, places, findings)
    codes = {**findings.codes, **best.codes}
    states = {network.nodes[place]: network.states[network.nodes[place]][codes[place]] for place in sorted(codes)}
    return Completion(states, best.log_probability, log_probability(network, findings))


def _one_state(query: Any) -> tuple[Node, State]:
    pairs = list(query.items()) if isinstance(query, Mapping) else [query]
    if len(pairs) != 1 or not isinstance(pairs[0], tuple) or len(pairs[0]) != 2:
        raise ParameterError(
            f'sensitivity is asked of one state of one node, such as {{"rain": "yes"}}, not of {query!r}'
        )
    return pairs[0]
