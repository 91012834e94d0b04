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
from deciban.nets.graphs.graph import DAG
from deciban.nets.inference.analysis_mixin import AnalysisMixin
from deciban.nets.inference.ask.answer import answer_states
from deciban.nets.inference.ask.question import Question
from deciban.nets.inference.query_mixin import QueryMixin
from deciban.nets.inference.row_mixin import RowMixin
from deciban.nets.io.formats import FormatName, check_text, read_network, write_network
from deciban.nets.io.json_net import read_json, write_json
from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.fit import FitSettings, TableFit
from deciban.nets.learning.fit_mixin import FitMixin
from deciban.nets.learning.tables import Rule, UnseenParents
from deciban.nets.network import Network, State, dag_size, read_dag
from deciban.nets.sampling.sample_mixin import SampleMixin
from deciban.types import Floats

__all__ = ["BayesNet", "read_net"]


class BayesNet(FitMixin, QueryMixin, AnalysisMixin, RowMixin, SampleMixin):
    """A Bayes net: a joint distribution as a DAG and a table P(node | parents) for each node.

        P(x₁, …, xₙ) = Π P(xᵢ | parents of xᵢ)

    A net is made from a graph and learns its tables by ``fit``, or has its tables given by ``from_tables``;
    ``read_net`` reads one from a file. A notebook draws it with the marginals of its nodes.

    Parameters
    ----------
    dag : DAG or iterable of pairs
        The graph, or its arrows as pairs (parent, child).

    Attributes
    ----------
    tally_ : FamilyTally
        The counts of all families.
    settings_ : FitSettings
        The smoothing and the other settings of ``fit``.
    unseen_parents_ : UnseenConfigurations
        The configurations of parents that do not occur in the data.
    em_, log_likelihoods_ : EMTrace, tuple of floats
        After ``fit(missing="em")``: its iterations, and the log-likelihood at the start and after each of them.

    See Also
    --------
    GaussianNet : A net of numbers.
    search : Find the graph from data.
    read_net : Read a net from a file.
    BayesNetClassifier : A net as a classifier.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet.from_tables(
    ...     [("rain", "wet")],
    ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
    ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
    ... )
    >>> net
    BayesNet(2 nodes, 1 arrow, 6 table entries)
    >>> net.query("rain", {"wet": "yes"})
    Distribution(rain: no 0.3333, yes 0.6667)
    >>> net.sample(5, random_state=0)["rain"].to_pylist()
    ['no', 'yes', 'yes', 'no', 'no']
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
        """A net with given tables.

        Parameters
        ----------
        dag : DAG or iterable of pairs
            The graph, or its arrows as pairs (parent, child).
        states : mapping
            Node → its states, in the order of the table's axes.
        tables : mapping
            Node → P(node | parents) as an array: an axis for each parent, the node's own states last. Each row sums to
            1.
        parents : mapping, optional
            Node → the order of its parents' axes; the order of ``dag.nodes`` by default.

        Returns
        -------
        BayesNet

        Raises
        ------
        NetworkError
            If a table is missing, has another shape, or has a row that is not a distribution.
        """
        return cls.of(Network(read_dag(dag), states, tables, parents))

    @classmethod
    def from_tally(
        cls,
        tally: FamilyTally,
        *,
        smoothing: Rule | Mapping[Any, Rule] | None = None,
        unseen_parents: UnseenParents = "prior",
    ) -> Self:
        """A net from counts, without any rows.

        Parameters
        ----------
        tally : FamilyTally
            The counts of all families, such as ``net.tally_``, or a sum of several.
        smoothing : Smoothing or mapping, optional
            How counts become probabilities, ``Laplace()`` by default; or node → smoothing.
        unseen_parents : {"prior", "uniform", "marginal", "error"}
            The table rows of configurations of parents that do not occur: see ``fit``.

        Returns
        -------
        BayesNet

        Examples
        --------
        >>> import deciban as db
        >>> first = db.BayesNet([("rain", "wet")]).fit(
        ...     {"rain": ["no", "yes"], "wet": ["no", "yes"]}
        ... )
        >>> second = db.BayesNet([("rain", "wet")]).fit(
        ...     {"rain": ["no", "no"], "wet": ["no", "yes"]}
        ... )
        >>> db.BayesNet.from_tally(first.tally_ + second.tally_, smoothing=db.MLE()).tables["rain"]
        array([0.75, 0.25])
        """
        return cls(tally.dag)._adopt(TableFit(tally, FitSettings(smoothing or Laplace(), unseen_parents)))

    @classmethod
    def of(cls, network: Network) -> Self:
        """The net of a ``Network``.

        Parameters
        ----------
        network : Network
            A graph with states and tables.

        Returns
        -------
        BayesNet
        """
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
        >>> import deciban as db
        >>> db.BayesNet([("coin", "call")]).fit(
        ...     {"coin": ["head", "tail"], "call": ["head", "tail"]}
        ... ).n_parameters
        3
        """
        return self.network.n_parameters

    def do(self, actions: Mapping[Any, State | Mapping[Any, float]]) -> Self:
        """The net after an intervention: the nodes that are set have no parents any more.

        ``net.do(a).do(b)`` is ``net.do(a | b)``.

        Parameters
        ----------
        actions : mapping
            Node → the state to which it is set; or, if it is set at random, the probability of each state, such as
            ``{"treatment": {"drug": 0.5, "placebo": 0.5}}``.

        Returns
        -------
        BayesNet
            Another net; this one does not change.

        See Also
        --------
        effect : The effect of an intervention, from data and a graph.

        Examples
        --------
        Seeing wet grass is evidence of rain; making the grass wet is not:

        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.query("rain", {"wet": "yes"}), net.do({"wet": "yes"}).query("rain")
        (Distribution(rain: no 0.3333, yes 0.6667), Distribution(rain: no 0.8000, yes 0.2000))
        """
        return self.of(intervene(self.network, actions))

    def ask(self, question: str | Question) -> Any:
        """Answer a question in the notation of the textbooks.

        ==========================================  ====================================================
        ``P(lung | xray=yes, do(smoke=no))``        a ``Distribution``; of several nodes a joint table
        ``P(lung=yes, tub=no | xray=yes)``          a number
        ``P(age > 40)``, ``E(age | xray=yes)``      a number, of a node whose states are numbers
        ``argmax P(lung, tub | xray=yes)``          the most probable joint states; of all nodes with ``*``
        ``lung _||_ smoke | bronc``                 whether they are independent in this distribution
        ==========================================  ====================================================

        Interventions come first: ``P(t | e, do(a))`` is ``net.do(a).query(t, e)``. Names and states with spaces or
        punctuation are written in quotes.

        Parameters
        ----------
        question : str
            The question.

        Returns
        -------
        Distribution, JointDistribution, Completion, float or bool
            As in the table.

        Raises
        ------
        QuestionError
            If the question cannot be read; the message points at the character.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.ask("P(rain | wet=yes)"), round(net.ask("P(rain=yes | do(wet=yes))"), 2)
        (Distribution(rain: no 0.3333, yes 0.6667), 0.2)
        """
        return answer_states(self, question)

    def write(self, path: str | os.PathLike[str], *, format: FormatName | None = None) -> None:  # noqa: A002
        """Write the net to a file, atomically; ``read_net`` reads the same tables back, bit for bit.

        Parameters
        ----------
        path : str or path
            The file: .bif, .xmlbif or .xml, .net (Hugin), .uai, .xdsl (GeNIe) or .json; compressed if it ends in .gz.
            An existing file is replaced.
        format : {"bif", "xmlbif", "net", "uai", "xdsl", "json"}, optional
            The format, if the suffix does not say it.

        See Also
        --------
        save : Keep the counts too, so that the net can go on learning.
        """
        write_network(self.network, path, format)

    def to_json(self) -> str:
        """The net as JSON, which keeps the types of nodes and states.

        Returns
        -------
        str

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet(db.DAG(nodes=["coin"])).fit({"coin": ["head", "tail"]})
        >>> db.BayesNet.from_json(net.to_json()) == net
        True
        """
        check_text(self.network)
        return write_json(self.network)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The net that ``to_json`` has written.

        Parameters
        ----------
        text : str
            The JSON document.

        Returns
        -------
        BayesNet
        """
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
    """Read a Bayes net from a file.

    The tables are the doubles of the file. Nodes and states are strings, except in JSON, which keeps their types.

    Parameters
    ----------
    path : str or path
        The file: .bif, .xmlbif or .xml, .net (Hugin), .uai, .xdsl (GeNIe) or .json; compressed if it ends in .gz.
    format : {"bif", "xmlbif", "net", "uai", "xdsl", "json"}, optional
        The format, if the suffix does not say it.

    Returns
    -------
    BayesNet

    Raises
    ------
    FileError
        If the file is malformed; the message names the line, what was expected and what was found.

    See Also
    --------
    BayesNet.write : Write a net.
    load : Read a model or net with its counts.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import deciban as db
    >>> net = db.BayesNet([("rain", "wet")]).fit({"rain": ["no", "yes"], "wet": ["no", "yes"]})
    >>> with TemporaryDirectory() as folder:
    ...     net.write(Path(folder) / "rain.bif")
    ...     db.read_net(Path(folder) / "rain.bif")
    BayesNet(2 nodes, 1 arrow, 6 table entries)
    """
    return BayesNet.of(read_network(path, format))
