"""Bayes nets: learn them from data, query them, intervene in them, sample from them, read and write them.

A Bayes net describes a joint distribution by its conditional independences (the graph) and its conditional
probabilities (a table for each node). ``Network`` is the value; ``BayesNet`` is the class that learns it and answers
from it. Its methods, also those of its mixins, call functions of a ``Network``: those of ``learning``, ``inference``,
``sampling``, ``causal`` and ``io``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from deciban.choices import counted
from deciban.errors import UnfittedError
from deciban.estimate import Laplace
from deciban.nets.causal.intervention import intervene
from deciban.nets.graphs.base import Edge, Node
from deciban.nets.graphs.graph import DAG, dag_size, read_dag
from deciban.nets.inference.ask.answer import answer_states
from deciban.nets.inference.ask.question import Question
from deciban.nets.inference.query_mixin import QueryMixin
from deciban.nets.io.formats import FormatName, check_text, read_network, write_network
from deciban.nets.io.json_net import read_json, write_json
from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.fit import FitSettings, TableFit
from deciban.nets.learning.fit_mixin import FitMixin
from deciban.nets.learning.tables import Rule, UnseenParents
from deciban.nets.network import Evidence, Network, State
from deciban.nets.sampling import draw
from deciban.nets.sampling.draw import RowFormat
from deciban.nets.sampling.samples import Estimate, GibbsSample, WeightedSample
from deciban.read.random_state import RandomState
from deciban.types import Floats

__all__ = ["BayesNet", "read_net"]


class BayesNet(FitMixin, QueryMixin):
    """A joint distribution as a DAG and conditional tables.

    Parameters
    ----------
    dag
        The graph: a ``DAG``, or its arrows as pairs (parent, child).

    Examples
    --------
    >>> net = BayesNet.from_tables(
    ...     [("rain", "wet")],
    ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
    ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
    ... )
    >>> net
    BayesNet(2 nodes, 1 arrow, 6 table entries)
    >>> net.query("rain", {"wet": "yes"}), net.do({"wet": "yes"}).dag
    (Distribution(rain: no 0.3333, yes 0.6667), DAG(rain, wet))
    >>> net.sample(5, random_state=0)["rain"].to_pylist()
    ['no', 'yes', 'yes', 'no', 'no']
    >>> found = net.estimate("rain", {"wet": "yes"}, random_state=0)
    >>> abs(found["yes"] - 2 / 3) < 3 * found.standard_error["yes"]
    True
    """

    def __init__(self, dag: DAG | Iterable[Edge]) -> None:
        self._dag = read_dag(dag)

    @classmethod
    def from_tables(
        cls,
        dag: DAG | Iterable[Edge],
        states: Mapping[Any, Iterable[State]],
        tables: Mapping[Any, Any],
        *,
        parents: Mapping[Any, Sequence[Node]] | None = None,
    ) -> Self:
        """A net with given tables; ``Network`` describes their axes."""
        return cls.of(Network(read_dag(dag), states, tables, parents))

    @classmethod
    def from_tally(
        cls,
        tally: FamilyTally,
        *,
        smoothing: Rule | Mapping[Any, Rule] | None = None,
        unseen_parents: UnseenParents = "prior",
    ) -> Self:
        """A net from counts, without any rows."""
        return cls(tally.dag)._adopt(TableFit(tally, FitSettings(smoothing or Laplace(), unseen_parents)))

    @classmethod
    def of(cls, network: Network) -> Self:
        """The net of a ``Network``."""
        net = cls(network.dag)
        net._network = network
        return net

    @property
    def network(self) -> Network:
        """The graph, the states and the tables."""
        if self._network is None:
            raise UnfittedError("this BayesNet has no tables yet: call fit(data), or make it by BayesNet.from_tables")
        return self._network

    @property
    def dag(self) -> DAG:
        """The graph."""
        return self._dag

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes."""
        return self._dag.nodes

    @property
    def states(self) -> Mapping[Node, tuple[State, ...]]:
        """The states of each node."""
        return self.network.states

    @property
    def tables(self) -> Mapping[Node, Floats]:
        """P(node | parents) for each node: an axis for each of ``parents[node]``, the node's own states last."""
        return self.network.tables

    @property
    def parents(self) -> Mapping[Node, tuple[Node, ...]]:
        """The parents of each node, in the order of its table's axes."""
        return self.network.parents

    @property
    def n_parameters(self) -> int:
        """The number of free parameters: Σ (r − 1)·q over the nodes.

        A table has q rows, one for each configuration of the parents, of r probabilities that sum to 1.

        Examples
        --------
        >>> coin = BayesNet.from_tables(
        ...     [("coin", "call")],
        ...     {"coin": ("head", "tail"), "call": ("head", "tail")},
        ...     {"coin": [0.5, 0.5], "call": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> coin.n_parameters
        3
        """
        return self.network.n_parameters

    def do(self, actions: Mapping[Any, State | Mapping[Any, float]]) -> Self:
        """Another net, after an intervention: the nodes that are set have no parents any more.

        ``net.do(a).do(b)`` is ``net.do(a | b)``.

        Parameters
        ----------
        actions
            For each node that is set, its state; or, if it is set at random, the probability of each state, such as
            ``{"treatment": {"drug": 0.5, "placebo": 0.5}}``.
        """
        return self.of(intervene(self.network, actions))

    def ask(self, question: str | Question) -> Any:
        """Answer a question in the notation of the textbooks; docs/how-to/asking.md has its grammar.

        ==========================================  ====================================================
        ``P(lung | xray=yes, do(smoke=no))``        a ``Distribution``; of several nodes a joint table
        ``P(lung=yes, tub=no | xray=yes)``          a number
        ``P(age > 40)``, ``E(age | xray=yes)``      a number, of a node whose states are numbers
        ``argmax P(lung, tub | xray=yes)``          the most probable joint states; of all nodes with ``*``
        ``lung _||_ smoke | bronc``                 whether they are independent in this distribution
        ==========================================  ====================================================

        Interventions come first: ``P(t | e, do(a))`` is ``net.do(a).query(t, e)``. Names and states with spaces or
        punctuation are written in quotes. A ``QuestionError`` points at the character that does not fit.

        Examples
        --------
        >>> net = BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.ask("P(rain | wet=yes)"), round(net.ask("P(rain=yes | do(wet=yes))"), 2)
        (Distribution(rain: no 0.3333, yes 0.6667), 0.2)
        """
        return answer_states(self, question)

    def sample(
        self,
        n: int,
        *,
        random_state: RandomState = None,
        evidence: Evidence | None = None,
        as_: RowFormat = "arrow",
        limit: int | None = None,
    ) -> Any:
        """Draw rows from P(all nodes | evidence), exactly.

        Parameters
        ----------
        n
            The number of rows.
        random_state
            An int, a ``numpy.random.Generator`` or None. The same int gives the same rows.
        evidence
            Observed states, such as ``{"rain": "yes"}``.
        as_
            ``"arrow"``: a ``pyarrow.Table`` of labels, which ``fit``, ``discover`` and ``search`` take and whose
            ``to_pandas()`` gives categories; ``"codes"``: an array, rows × nodes, of indices into ``states``.
        limit
            The most bytes for the tables given the evidence; the memory limit (``DECIBAN_MEMORY_LIMIT``) by default.
        """
        return draw.sample_rows(self.network, n, random_state=random_state, evidence=evidence, as_=as_, limit=limit)

    def sample_weighted(
        self, n: int, evidence: Evidence, *, random_state: RandomState = None, as_: RowFormat = "arrow"
    ) -> WeightedSample:
        """Draw rows with the observed states fixed, each weighted by the probability of the evidence in it.

        It needs no memory beyond the rows, for any net. If the evidence is improbable, few rows have nearly all the
        weight, and ``effective_size`` is small.
        """
        return draw.sample_weighted(self.network, n, evidence, random_state=random_state, as_=as_)

    def sample_gibbs(
        self,
        n: int,
        evidence: Evidence | None = None,
        *,
        random_state: RandomState = None,
        chains: int = 4,
        burn_in: int = 500,
        thin: int = 1,
        as_: RowFormat = "arrow",
    ) -> GibbsSample:
        """Draw rows by Gibbs sampling: each step redraws one node after the other from P(node | all others).

        If tables have zeros, the possible rows may fall into parts with no step between them, and a chain never leaves
        its part. Chains start as far apart as possible, so that ``r_hat`` shows it.

        Parameters
        ----------
        n
            The number of rows of all chains; each chain gives n / chains of them, rounded up.
        chains, burn_in, thin
            The number of chains, of steps left out at the start of each, and of steps from one row to the next.
        evidence, random_state, as_
            See ``sample``.
        """
        return draw.sample_gibbs(
            self.network, n, evidence, random_state=random_state, chains=chains, burn_in=burn_in, thin=thin, as_=as_
        )

    def estimate(
        self, target: Node, evidence: Evidence | None = None, *, n: int = 100_000, random_state: RandomState = None
    ) -> Estimate:
        """P(target | evidence) from n weighted rows, for nets that are too large for an exact answer.

        The standard error is that of a ratio of weighted means:

            se² = Σ w² (1[state] − p)² / (Σ w)²
        """
        return draw.estimate_posterior(self.network, target, evidence, n=n, random_state=random_state)

    def write(self, path: str | os.PathLike[str], *, format: FormatName | None = None) -> None:  # noqa: A002
        """Write the net to a file, atomically; ``db.read_net`` reads the same tables back, bit for bit.

        Parameters
        ----------
        path
            The file: .bif, .xmlbif or .xml, .net (Hugin), .uai, .xdsl (GeNIe) or .json; compressed if it ends in .gz.
            An existing file is replaced.
        format
            ``"bif"``, ``"xmlbif"``, ``"net"``, ``"uai"``, ``"xdsl"`` or ``"json"`` if the suffix does not say it.
        """
        write_network(self.network, path, format)

    def to_json(self) -> str:
        """The net as JSON, which keeps the types of nodes and states."""
        check_text(self.network)
        return write_json(self.network)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The net that ``to_json`` has written."""
        return cls.of(read_json(text, "the text"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesNet):
            return NotImplemented
        return self._dag == other._dag and self._network == other._network

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self._network is None:
            return f"BayesNet({dag_size(self._dag)}, not fitted)"
        cells = counted(sum(table.size for table in self.tables.values()), "table entry", "table entries")
        unseen = 0 if self._fit is None else self._fit.unseen_parents.count
        note = f", {counted(unseen, 'unseen configuration')} of parents" if unseen else ""
        return f"BayesNet({dag_size(self._dag)}, {cells}{note})"


def read_net(path: str | os.PathLike[str], *, format: FormatName | None = None) -> BayesNet:  # noqa: A002
    """Read a Bayes net from a file in one of the formats of ``BayesNet.write``.

    The tables are the doubles of the file. Nodes and states are strings, except in JSON, which keeps their types. A
    malformed file is a ``FileError`` that names the line, what was expected and what was found.
    """
    return BayesNet.of(read_network(path, format))
