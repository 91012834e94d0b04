"""Which node of a net is a category and which a number, what its distribution is, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import overload

from deciban.nets.graphs.graph import Node
from deciban.nets.mixed_network import MixedNetwork, bin_names
from deciban.nets.network import Network
from deciban.read import Variable
from deciban.tallies import rows_as_html, rows_as_text

__all__ = ["NetSchema", "NodePlan", "schema_of"]


@dataclass(frozen=True)
class NodePlan:
    """What a node of a net is, its distribution, and the reason.

    Attributes
    ----------
    node : node
        The name of the node.
    kind : {"category", "number"}
        What it is.
    distribution : str
        Its distribution given its parents, in words.
    reason : str
        Why it is of this kind.

    See Also
    --------
    NetSchema : The plans of all nodes.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet(db.DAG(nodes=["coin"])).fit({"coin": ["head", "tail"]})
    >>> net.schema_["coin"]
    NodePlan(node='coin', kind='category', distribution='table of 2 states', reason='labels')
    """

    node: Node
    kind: str
    distribution: str
    reason: str


class NetSchema(Sequence[NodePlan]):
    """The plans of all nodes of a net: it prints as a table.

    It is the ``schema_`` of a net that was fitted. ``schema["age"]`` is the plan of one node.

    Parameters
    ----------
    plans : sequence of NodePlan
        A plan for each node.

    See Also
    --------
    BayesNet.fit : ``columns=`` sets the kinds of nodes.

    Examples
    --------
    >>> import deciban as db
    >>> people = {"sex": ["f", "f", "m", "m"], "height": [1.61, 1.65, 1.72, 1.83]}
    >>> print(db.BayesNet([("sex", "height")]).fit(people).schema_)
    2 nodes: 1 category, 1 number
    node    kind      distribution                    reason
    sex     category  table of 2 states               labels
    height  number    normal, 2 configurations of sex  4 different numbers
    """

    _HEADS = ("node", "kind", "distribution", "reason")

    def __init__(self, plans: Sequence[NodePlan]) -> None:
        self.plans = tuple(plans)

    @overload
    def __getitem__(self, index: int | Node) -> NodePlan: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[NodePlan, ...]: ...
    def __getitem__(self, index: int | slice | Node) -> NodePlan | tuple[NodePlan, ...]:
        for plan in self.plans:
            if not isinstance(index, slice) and plan.node == index:
                return plan
        if isinstance(index, int | slice):
            return self.plans[index]
        raise KeyError(index)

    def __len__(self) -> int:
        return len(self.plans)

    @property
    def kinds(self) -> dict[Node, str]:
        """The kind of each node, which another net takes as ``columns``."""
        return {plan.node: plan.kind for plan in self.plans}

    def _rows(self) -> list[tuple[str, ...]]:
        return [(str(plan.node), plan.kind, plan.distribution, plan.reason) for plan in self.plans]

    def _title(self) -> str:
        numbers = sum(plan.kind == "number" for plan in self.plans)
        parts = [(len(self.plans) - numbers, "category", "categories"), (numbers, "number", "numbers")]
        kinds = ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in parts if n)
        return f"{len(self.plans)} node{'' if len(self.plans) == 1 else 's'}: {kinds}"

    def __eq__(self, other: object) -> bool:
        return self.plans == other.plans if isinstance(other, NetSchema) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"NetSchema({self._title()})"

    def __str__(self) -> str:
        return rows_as_text(self._title(), self._HEADS, self._rows())

    def _repr_html_(self) -> str:
        return rows_as_html(self._title(), self._HEADS, self._rows())


def schema_of(
    network: Network | MixedNetwork, variables: Mapping[Node, Variable], reasons: Mapping[Node, str]
) -> NetSchema:
    """The plans of a net; where no reason is known, it is read from where the states come from."""
    plans = []
    for node in network.nodes:
        if node in network.states:
            reason = reasons.get(node) or _reason_of(variables[node])
            plans.append(NodePlan(node, "category", _table(network, node), reason))
        else:
            reason = reasons.get(node) or "numbers"
            plans.append(NodePlan(node, "number", _regressions(network, node), reason))
    return NetSchema(plans)


def _reason_of(variable: Variable) -> str:
    if variable.kind == "fixed":
        return "states given"
    if variable.kind == "declared":
        return "states of the column's type"
    is_numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in variable.values)
    return f"{len(variable)} different numbers" if is_numeric else "labels"


def _table(network: Network | MixedNetwork, node: Node) -> str:
    size = f"table of {len(network.states[node])} states"
    cuts = network.cuts[node] if isinstance(network, MixedNetwork) else {}
    bins = ", ".join(f"{up} in {len(bin_names(ends))} bins" for up, ends in cuts.items())
    return f"{size}, {bins}" if bins else size


def _regressions(network: Network | MixedNetwork, node: Node) -> str:
    if not isinstance(network, MixedNetwork):
        return "normal"
    regressions = network.regressions[node]
    words = f"linear on {', '.join(map(str, regressions.numbers))}" if regressions.numbers else "normal"
    if not regressions.categories:
        return words
    return f"{words}, {regressions.intercepts.size} configurations of {', '.join(map(str, regressions.categories))}"
