"""Bayes nets: learn them from data, query them, intervene in them, sample from them, read and write them.

A Bayes net describes a joint distribution by its conditional independences (the graph) and its conditional
probabilities: a table for each category, a linear regression for each number. ``Network`` is the value of a net of
categories, ``MixedNetwork`` that of one with numbers; ``BayesNet`` is the class that learns it and answers from it.
What it learned is one frozen value, a ``NetFit``, and what it answers comes from an object for its kind of network.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from math import exp, prod
from typing import TYPE_CHECKING, Any, Literal, Self, overload

import numpy as np
from numpy.typing import ArrayLike

from deciban import errors  # UnfittedError is looked up when raised: importing it loads scikit-learn
from deciban.choices import counted
from deciban.engines.source import OnBadRow
from deciban.engines.source import Progress as ReadingProgress
from deciban.engines.sql.table import DatabaseTable
from deciban.errors import InputError, InputTypeError, ParameterError, TooLargeError
from deciban.estimate import Laplace
from deciban.estimate.drawing import RandomState
from deciban.extras import need
from deciban.nets import sampling as draw
from deciban.nets.causal.intervention import intervene
from deciban.nets.data.node_rows import read_states
from deciban.nets.data.samples import FitMissing, source_of
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Edge, Node
from deciban.nets.inference.ask import Question, answer_states
from deciban.nets.inference.beliefs import Beliefs, graph_svg, is_quick, plot_graph
from deciban.nets.inference.distribution import Completion, Distribution
from deciban.nets.inference.divergence import (
    MOST_ROWS,
    Divergence,
    check_comparable,
    js_of_logs,
    js_of_tables,
    kl_of_logs,
    kl_of_normals,
    kl_of_tables,
)
from deciban.nets.inference.elimination import Cost
from deciban.nets.inference.evidence import Likelihoods, Targets, read_findings
from deciban.nets.inference.information import (
    ArrowStrengths,
    Information,
    Utility,
    gaussian_strengths,
    information_about,
    table_strengths,
)
from deciban.nets.inference.net_explanation import NetExplanation
from deciban.nets.inference.net_queries import Fill, Impossible, MixedRowQueries, NetQueries, TableQueries
from deciban.nets.inference.sensitivity import Parameter, StateQuery, sensitivity_of
from deciban.nets.io.formats import FormatName, check_text, read_network, write_network
from deciban.nets.io.json_net import read_json, write_json
from deciban.nets.learning.conditionals import ConditionalTable, RegressionTable, regressions_of, table_of
from deciban.nets.learning.cross_validation import CrossValidation, cross_validate
from deciban.nets.learning.families import FamilyTally, Smoothings, UnseenConfigurations, UnseenParents
from deciban.nets.learning.fit import (
    EM,
    SHRINKAGE,
    EMTrace,
    FitSettings,
    FixedStates,
    GaussianFit,
    MixedFit,
    NetFit,
    Progress,
    TableFit,
    linear_parameters,
)
from deciban.nets.learning.fit_table import CutRule, GivenCuts, NodeKinds, fit_table
from deciban.nets.learning.from_source import fit_database, fit_source
from deciban.nets.learning.linear_gaussian import GaussianTally, joint_normal
from deciban.nets.learning.mixed import MixedTally
from deciban.nets.learning.schema import NetSchema
from deciban.nets.mixed_network import MixedNetwork, Regressions
from deciban.nets.mixed_sampling import NumberEstimate, estimate_mixed, sample_mixed, sample_mixed_weighted
from deciban.nets.network import Evidence, Network, State, dag_size, read_dag
from deciban.nets.sampling import Estimate, GibbsSample, RowFormat, WeightedSample
from deciban.read import weighted_sum
from deciban.turns import turn
from deciban.types import AnyArray, Floats

if TYPE_CHECKING:
    from deciban.reports.page import HtmlReport
    from deciban.widget.notebook import NetWidget

__all__ = ["BayesNet", "read_net"]

Marginals = Mapping[Node, Distribution]


class BayesNet:
    """A Bayes net: a joint distribution as a DAG and P(node | parents) for each node.

        P(x₁, …, xₙ) = Π P(xᵢ | parents of xᵢ)

    A category has a table, a number a linear regression for each configuration of its categorical parents. A net is
    made from a graph and learns its tables and regressions by ``fit``, or has its tables given by ``from_tables``;
    ``read_net`` reads one from a file. A notebook draws it with the marginals of its nodes.

    Parameters
    ----------
    dag : DAG or iterable of pairs
        The graph, or its arrows as pairs (parent, child).

    Attributes
    ----------
    tally_ : FamilyTally, GaussianTally or MixedTally
        The counts and moments of all families.
    schema_ : NetSchema
        Which node is a category and which a number, its distribution, and why.
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

    takes_sets = True
    """``independent`` takes sets of nodes: see ``markovian_parents``."""

    _fitted: NetFit | Network | MixedNetwork | None = None
    """What was counted, or the network that was given; None before ``fit``."""

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
        tally: FamilyTally | GaussianTally | MixedTally,
        *,
        smoothing: Smoothings | None = None,
        unseen_parents: UnseenParents = "prior",
        shrinkage: float = SHRINKAGE,
    ) -> Self:
        """A net from counts and moments, without any rows.

        Parameters
        ----------
        tally : FamilyTally, GaussianTally or MixedTally
            The counts of all families, such as ``net.tally_``, or a sum of several.
        smoothing : Smoothing or mapping, optional
            How counts become probabilities, ``Laplace()`` by default; or node → smoothing.
        unseen_parents : {"prior", "uniform", "marginal", "error"}
            The table rows of configurations of parents that do not occur: see ``fit``.
        shrinkage : float
            How many rows the regression over all rows weighs: see ``fit``.

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
        settings = FitSettings(smoothing or Laplace(), unseen_parents, shrinkage=shrinkage)
        if isinstance(tally, GaussianTally):
            return cls(tally.dag)._adopt(GaussianFit(tally))
        return cls(tally.dag)._adopt(
            MixedFit(tally, settings, {}) if isinstance(tally, MixedTally) else TableFit(tally, settings)
        )

    @classmethod
    def of(cls, network: Network | MixedNetwork) -> Self:
        """The net of a ``Network`` or ``MixedNetwork``.

        Parameters
        ----------
        network : Network or MixedNetwork
            A graph with states and tables, and with regressions where it has numbers.

        Returns
        -------
        BayesNet
        """
        net = cls(network.dag)
        net._fitted = network
        return net

    @property
    def network(self) -> Network | MixedNetwork:
        """The graph, the states and the tables, and the regressions of a net with numbers."""
        if self._fitted is None:
            raise errors.UnfittedError(
                "this BayesNet has no tables yet: call fit(data), or make it by BayesNet.from_tables"
            )
        return self._fitted if isinstance(self._fitted, Network | MixedNetwork) else self._fitted.network

    @property
    def _queries(self) -> NetQueries:
        """What answers for this kind of network."""
        network = self.network
        return MixedRowQueries(network) if isinstance(network, MixedNetwork) else TableQueries(network)

    def _of_tables(self, what: str) -> Network:
        """The network of a net of categories; an error for a net with numbers, where `what` is not defined."""
        network = self.network
        if isinstance(network, Network):
            return network
        numbers = ", ".join(map(repr, network.numbers[:4])) + (", …" if len(network.numbers) > 4 else "")
        raise InputError(f"{what} is for nets of categories, and this net has numbers: {numbers}.")

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
        """The states of each category."""
        return self.network.states

    @property
    def tables(self) -> Mapping[Node, Floats]:
        """P(node | parents) for each category: an axis for each of ``parents[node]``, the node's own states last.

        The axis of a numeric parent is that of its bins, whose ends are in ``cuts``.
        """
        return self.network.tables

    @property
    def regressions(self) -> Mapping[Node, Regressions]:
        """P(node | parents) for each number: a linear regression in each configuration of its categorical parents.

        Examples
        --------
        >>> import deciban as db
        >>> people = {"sex": ["f", "f", "m", "m"], "height": [1.61, 1.65, 1.72, 1.83]}
        >>> net = db.BayesNet([("sex", "height")]).fit(people, shrinkage=0)
        >>> net.regressions["height"].intercepts.round(3).tolist()
        [1.63, 1.775]
        """
        network = self.network
        return network.regressions if isinstance(network, MixedNetwork) else {}

    @property
    def cuts(self) -> Mapping[Node, Mapping[Node, Floats]]:
        """For each category with numeric parents the ends of their bins: bin i holds c_i < x ≤ c_(i+1)."""
        network = self.network
        return {node: cuts for node, cuts in network.cuts.items() if cuts} if isinstance(network, MixedNetwork) else {}

    @property
    def parents(self) -> Mapping[Node, tuple[Node, ...]]:
        """The parents of each node, in the order of its table's axes."""
        return self.network.parents

    def table(self, node: Node) -> ConditionalTable | RegressionTable:
        """P(node | parents) as a value that prints: a table with its states, or regressions as equations.

        Parameters
        ----------
        node : node
            The name of a node.

        Returns
        -------
        ConditionalTable or RegressionTable
            A mapping from the configurations of the parents to distributions, or to regressions.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> print(net.table("wet"))
        P(wet | rain)
        rain      no     yes
        no    0.9000  0.1000
        yes   0.2000  0.8000
        >>> net.table("wet")["yes"]
        Distribution(wet: no 0.2000, yes 0.8000)
        """
        network = self.network
        network.dag.index(node)
        if not isinstance(self._fitted, Network | MixedNetwork | None):
            return self._fitted.conditional(node)
        if isinstance(network, MixedNetwork) and network.is_number(node):
            return regressions_of(network, node)
        return table_of(network, node)

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

    def fit(
        self,
        data: Any,
        *,
        smoothing: Smoothings | None = None,
        interventions: Any = None,
        sample_weight: ArrayLike | None = None,
        missing: FitMissing = "error",
        unseen_parents: UnseenParents = "prior",
        states: FixedStates | None = None,
        columns: NodeKinds | None = None,
        cuts: GivenCuts | None = None,
        cut: CutRule = "bins",
        shrinkage: float = SHRINKAGE,
        limit: int | None = None,
        max_iter: int = 200,
        tol: float = 1e-6,
        starts: int = 1,
        random_state: int | np.random.Generator | None = None,
        progress: Progress = False,
    ) -> Self:
        """Estimate every table and regression from the rows of a table; what was learned before is replaced.

        Columns of labels, and of few different numbers, are categories, columns of many different numbers are numbers:
        ``schema_`` shows what each node is, and why. A category with numeric parents has a table of their bins.

        Parameters
        ----------
        data : table
            A frame, a mapping of columns, a list of rows, or any other table. Every node needs a column of its name;
            other columns are ignored.
        smoothing : Smoothing or mapping, optional
            ``Laplace()`` by default, so that no probability is 0: one pseudo-count for each state and configuration of
            the parents. ``MLE()`` for relative frequencies, ``BDeu(ess)`` for an equivalent sample size of ``ess`` for
            each table, or any other smoothing of naive Bayes; or a mapping from nodes to smoothings.
        interventions : column name, mapping or sequence, optional
            Which nodes were set from outside in which rows, as in ``search``: such a row counts in every family but
            that of the node. Not with ``missing="em"``.
        sample_weight : array, optional
            How many rows each row stands for.
        missing : {"error", "skip", "em"}
            "error"; "skip" counts each family in the rows in which it is complete, which is right if values are missing
            completely at random; "em" uses expected counts, and allows hidden nodes: nodes without a column, whose
            states are given.
        unseen_parents : {"prior", "uniform", "marginal", "error"}
            The table rows of configurations of parents that do not occur in the data, which ``unseen_parents_`` lists:
            "prior", the smoothing alone (an error with ``MLE``), "uniform", "marginal" or "error".
        states : mapping, optional
            For some nodes their states in order, or their number n for 0 … n − 1; any other value is then an error. By
            default the states are the categories of the column's type, or else its sorted distinct values.
        columns : mapping, optional
            For some nodes what they are, "category" or "number", such as ``{"age": "number"}``.
        cuts : mapping, optional
            For categories with numeric parents the ends of the bins of these, such as ``{"ill": {"age": [40, 65]}}``.
        cut : {"bins", "error"}
            What is done with other numeric parents of categories: "bins" cuts them where this separates the states best
            (by minimum description length, or four bins of equal frequency where no cut does), "error" refuses them.
        shrinkage : float
            How many rows the regression over all rows weighs in each configuration of a number's categorical parents,
            so that rare configurations have one, too; 0 for least squares.
        limit : int, optional
            The most bytes for the tables, and with "em" for the clique tree; the memory limit
            (``DECIBAN_MEMORY_LIMIT``) by default.
        max_iter, tol : int, float
            Of EM: the most iterations, and the gain in nats per row at which they stop.
        starts : int
            Of EM: how many starting points are tried.
        random_state : int, numpy.random.Generator or None
            Of EM: the seed of the starting points.
        progress : bool or function
            Of EM: True to print each iteration, or a function of an ``EMStep``.

        Returns
        -------
        BayesNet
            The net itself.

        See Also
        --------
        BayesNet.partial_fit : Count more rows.
        BayesNet.fit_files : From files that do not fit into memory.
        BayesNet.fit_sql : From a table in a database.

        Examples
        --------
        >>> import deciban as db
        >>> days = {"rain": ["no", "no", "no", "yes"], "wet": ["no", "no", "yes", "yes"]}
        >>> net = db.BayesNet([("rain", "wet")]).fit(days, smoothing=db.MLE())
        >>> net.tables["wet"].round(3).tolist()
        [[0.667, 0.333], [0.0, 1.0]]

        With missing values:

        >>> net.fit({"rain": ["no", None, "yes"], "wet": ["no", "yes", "yes"]}, missing="em")
        BayesNet(2 nodes, 1 arrow, 6 table entries)

        With numbers:

        >>> people = {"sex": ["f", "f", "m", "m"], "height": [1.61, 1.65, 1.72, 1.83]}
        >>> db.BayesNet([("sex", "height")]).fit(people)
        BayesNet(2 nodes, 1 arrow: 1 category, 1 number)

        With two rows in which the street was sprayed: they say nothing of how rain wets it.

        >>> days["set"] = ["", "", "wet", "wet"]
        >>> net = db.BayesNet([("rain", "wet")]).fit(days, interventions="set")
        >>> net.tally_["wet"].tolist(), net.tally_.actions["wet"].tolist()
        ([[2, 0], [0, 0]], [0, 2])
        """
        with turn(self):
            settings = FitSettings(smoothing or Laplace(), unseen_parents, missing, limit, shrinkage)
            em = EM(max_iter, tol, starts, random_state, progress)
            return self._adopt(
                fit_table(
                    self._dag,
                    data,
                    settings,
                    em,
                    states=states,
                    columns=columns,
                    cuts=cuts,
                    cut=cut,
                    sample_weight=sample_weight,
                    interventions=interventions,
                )
            )

    def fit_files(
        self,
        source: Any,
        *,
        smoothing: Smoothings | None = None,
        sample_weight: str | None = None,
        missing: Literal["error", "skip"] = "error",
        unseen_parents: UnseenParents = "prior",
        states: FixedStates | None = None,
        columns: NodeKinds | None = None,
        cuts: GivenCuts | None = None,
        cut: CutRule = "bins",
        shrinkage: float = SHRINKAGE,
        limit: int | None = None,
        schema: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: ReadingProgress = None,
        on_bad_row: OnBadRow = "error",
        encoding: str | None = None,
        sheet: str | None = None,
        decimal: str | None = None,
    ) -> Self:
        r"""Estimate every table from the rows of files, of which only some are in memory at a time.

        The net is that of ``fit`` on the same rows. Earlier tables and counts are replaced.

        Parameters
        ----------
        source : str, path or list
            The name of a file (CSV or TSV, JSON Lines or arrays, also with .gz or .zst; Parquet; Arrow or Feather;
            Excel), a glob, a folder, or a list of these. Every node needs a column of its name; other columns are
            not read.
        smoothing, unseen_parents, states, columns, cuts, cut, shrinkage, limit
            As in ``fit``.
        sample_weight : str, optional
            The name of a column: how many rows each row stands for.
        missing : {"error", "skip"}
            As in ``fit``; "em", which reads the rows many times, needs a table in memory.
        schema : mapping, optional
            The Arrow types of some columns, such as ``{"zip": "string"}``.
        checkpoint : str or path, optional
            A file that keeps what was counted: the same call continues where an interrupted one ended. It is removed
            at the end.
        progress : bool, function or None
            True for a bar on the standard error, a function of a ``ReadingStep``, or False; None for a bar where the
            standard error is a terminal.
        on_bad_row : {"error", "skip"}
            "skip": rows that cannot be read are left out, and a warning names the first ones.
        encoding : str, optional
            The encoding of CSV and JSON files. None: UTF-8, or UTF-16 or Windows-1252 (Latin-1) where the bytes say so,
            with a warning.
        sheet : str, optional
            The sheet of Excel files; the first one when None.
        decimal : {".", ","}, optional
            The decimal mark of numbers in CSV files. None: found from some rows, with a warning where it is a comma.

        Returns
        -------
        BayesNet
            The net itself.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import deciban as db
        >>> with TemporaryDirectory() as folder:
        ...     _ = Path(folder, "days.csv").write_text("rain,wet\nno,no\nno,yes\nyes,yes\n")
        ...     db.BayesNet([("rain", "wet")]).fit_files(f"{folder}/*.csv").tally_
        FamilyTally(3 rows, 2 families, 6 counts)
        """
        settings = FitSettings(smoothing or Laplace(), unseen_parents, missing, limit, shrinkage)
        rows = source_of(
            source,
            schema=schema,
            checkpoint=checkpoint,
            progress=progress,
            on_bad_row=on_bad_row,
            encoding=encoding,
            sheet=sheet,
            decimal=decimal,
        )
        return self._adopt(
            fit_source(
                self._dag,
                rows,
                settings,
                fixed=read_states(self._dag.nodes, states),
                columns=columns,
                cuts=cuts,
                cut=cut,
                sample_weight=sample_weight,
                has_checkpoint=checkpoint is not None,
            )
        )

    def fit_sql(
        self,
        data: Any,
        query: str | None = None,
        *,
        smoothing: Smoothings | None = None,
        sample_weight: str | None = None,
        missing: Literal["error", "skip"] = "error",
        unseen_parents: UnseenParents = "prior",
        states: FixedStates | None = None,
        columns: NodeKinds | None = None,
        cuts: GivenCuts | None = None,
        shrinkage: float = SHRINKAGE,
        limit: int | None = None,
        dialect: str | None = None,
    ) -> Self:
        """Estimate every table and regression from a table in a database, which counts by itself: no row leaves it.

        Columns of floats and decimals with many different values are numbers. The database sums them and their
        products in doubles around a number near their mean, so regressions agree with ``fit`` to about ten digits.

        Parameters
        ----------
        data, query, dialect
            As in ``tally``: a connection with the name of a table or a SELECT, a DuckDB relation or an Ibis table.
        sample_weight : str, optional
            The name of a column: how many rows each row stands for.
        smoothing, missing, unseen_parents, states, columns, shrinkage, limit
            As in ``fit``; expected counts ("em") need the rows themselves.
        cuts : mapping, optional
            The ends of the bins of the numeric parents of categories, as in ``fit``; here they have to be given.

        Returns
        -------
        BayesNet
            The net itself.

        Examples
        --------
        >>> import sqlite3
        >>> import deciban as db
        >>> connection = sqlite3.connect(":memory:")
        >>> _ = connection.execute("create table days (rain, wet)")
        >>> _ = connection.execute("insert into days values (0, 0), (0, 1), (1, 1)")
        >>> db.BayesNet([("rain", "wet")]).fit_sql(connection, "days").tally_
        FamilyTally(3 rows, 2 families, 6 counts)
        """
        settings = FitSettings(smoothing or Laplace(), unseen_parents, missing, limit, shrinkage)
        table = DatabaseTable.of(data, query, sample_weight=sample_weight, dialect=dialect)
        fixed = read_states(self._dag.nodes, states)
        return self._adopt(fit_database(self._dag, table, settings, fixed=fixed, columns=columns, cuts=cuts))

    def partial_fit(
        self,
        data: Any,
        *,
        interventions: Any = None,
        sample_weight: ArrayLike | None = None,
        smoothing: Smoothings | None = None,
        missing: Literal["error", "skip"] | None = None,
        unseen_parents: UnseenParents | None = None,
        states: FixedStates | None = None,
        columns: NodeKinds | None = None,
        cuts: GivenCuts | None = None,
        cut: CutRule = "bins",
    ) -> Self:
        """Count more rows; new states enlarge the tables.

        What each node is, and the bins of numeric parents, are chosen from the rows of the first call.

        Parameters
        ----------
        data : table
            More rows, with a column for each node.
        interventions : column name, mapping or sequence, optional
            Which nodes were set in which of these rows, as in ``fit``.
        sample_weight : array, optional
            How many rows each row stands for.
        smoothing, missing, unseen_parents
            As in ``fit``; None leaves the setting as it was.
        states, columns, cuts, cut : optional
            As in ``fit``, in the first call only.

        Returns
        -------
        BayesNet
            The net itself, which is that of ``fit`` on all rows.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet([("rain", "wet")])
        >>> for batch in (
        ...     {"rain": ["no"], "wet": ["no"]},
        ...     {"rain": ["no", "yes"], "wet": ["yes", "yes"]},
        ... ):
        ...     _ = net.partial_fit(batch)
        >>> net.tally_.rows
        3
        """
        with turn(self):
            if self._fitted is None:  # not `_counted`: a net of given tables refuses rows, one without tables does not
                return self.fit(
                    data,
                    smoothing=smoothing,
                    interventions=interventions,
                    sample_weight=sample_weight,
                    missing=missing or "error",
                    unseen_parents=unseen_parents or "prior",
                    states=states,
                    columns=columns,
                    cuts=cuts,
                    cut=cut,
                )
            if states is not None or columns is not None or cuts is not None:
                raise ParameterError("states, columns and cuts are fixed by the first call; call fit to start again.")
            fit = self._counted()
            settings = fit.settings.changed(smoothing, unseen_parents, missing)
            return self._adopt(fit.with_rows(data, sample_weight, settings, interventions))

    def merge(self, other: BayesNet) -> Self:
        """Add the counts of another net of the same graph.

        Parameters
        ----------
        other : BayesNet
            A net that was fitted on other rows.

        Returns
        -------
        BayesNet
            The net itself, which is that of ``fit`` on the rows of both.
        """
        with turn(self):
            if not isinstance(other, BayesNet):
                raise InputTypeError(f"a BayesNet can be merged with another BayesNet, not with {other!r}")
            ours, theirs = self._counted(), other._counted()
            if isinstance(ours, TableFit) and isinstance(theirs, TableFit):
                return self._adopt(ours.merged(theirs))
            if isinstance(ours, GaussianFit) and isinstance(theirs, GaussianFit):
                return self._adopt(ours.merged(theirs))
            if isinstance(ours, MixedFit) and isinstance(theirs, MixedFit):
                return self._adopt(ours.merged(theirs))
            raise InputError(
                "the two nets have nodes of different kinds, as schema_ shows: fit the second one with "
                "columns=first.schema_.kinds."
            )

    def forget(self, data: Any, *, interventions: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Remove rows, as if they had never been counted.

        Parameters
        ----------
        data : table
            Rows that were counted.
        interventions : column name, mapping or sequence, optional
            Which nodes were set in which of these rows, as in ``fit``.
        sample_weight : array, optional
            How many rows each row stands for.

        Returns
        -------
        BayesNet
            The net itself.

        Raises
        ------
        NegativeCountError
            If a row was not counted; the net stays as it was.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet([("rain", "wet")]).fit(
        ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
        ... )
        >>> net.forget({"rain": ["no"], "wet": ["yes"]}).tally_.rows
        2
        """
        with turn(self):
            return self._adopt(self._counted().without_rows(data, sample_weight, interventions))

    def smoothed(self, smoothing: Smoothings, *, unseen_parents: UnseenParents | None = None) -> Self:
        """A net with the same counts and another smoothing; nothing is counted again.

        Expected counts (``missing="em"``) stay those of the old smoothing.

        Parameters
        ----------
        smoothing : Smoothing or mapping
            How counts become probabilities; or node → smoothing.
        unseen_parents : str, optional
            As in ``fit``; None leaves it as it was.

        Returns
        -------
        BayesNet
            Another net; this one does not change.
        """
        return copy(self)._adopt(self._counted().smoothed(smoothing, unseen_parents=unseen_parents))

    @property
    def tally_(self) -> FamilyTally | GaussianTally | MixedTally:
        """The counts and moments of all families: a value that adds, subtracts and scales."""
        return self._counted().tally

    @property
    def schema_(self) -> NetSchema:
        """Which node is a category and which a number, its distribution, and why."""
        return self._counted().schema

    @property
    def settings_(self) -> FitSettings:
        """The smoothing and the other settings that turned counts into tables."""
        return self._counted().settings

    @property
    def unseen_parents_(self) -> UnseenConfigurations:
        """The configurations of parents that do not occur in the data."""
        return self._counted().unseen_parents

    @property
    def em_(self) -> EMTrace:
        """The iterations of expectation maximization."""
        trace = None if isinstance(self._fitted, Network | MixedNetwork | None) else self._fitted.trace
        if trace is None:
            raise errors.UnfittedError('this net has not been fitted with missing="em"')
        return trace

    @property
    def log_likelihoods_(self) -> tuple[float, ...]:
        """The log-likelihood of the observed values at the start and after each iteration of EM."""
        return self.em_.log_likelihoods

    def report(self) -> str:
        """The number of rows, the smoothing, and the configurations of parents that do not occur in the data.

        Returns
        -------
        str

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet([("rain", "wet")]).fit(
        ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
        ... )
        >>> print(net.report())
        FamilyTally(3 rows, 2 families, 6 counts)
        smoothing: Laplace()
        configurations of parents that do not occur: 0 of 3 (unseen_parents="prior")
        """
        return self._counted().report()

    def query(
        self,
        targets: Targets,
        evidence: Evidence | None = None,
        *,
        likelihoods: Likelihoods | None = None,
        interval: float | None = None,
    ) -> Any:
        """P(targets | evidence), exactly.

        Only the tables of ancestors of the targets and of the evidence are used.

        Parameters
        ----------
        targets : node or list of nodes
            A node, or several; none of them observed.
        evidence : mapping, optional
            Node → observed state, or number; of a number also an interval (low, high), which is low < x ≤ high.
        likelihoods : mapping, optional
            Uncertain evidence: node → {state: P(observation | state)}.
        interval : float, optional
            The probability, such as 0.95, of an interval around each answer: how far it is known, as the tables were
            estimated from a sample. For one node of a net that was fitted without EM.

        Returns
        -------
        Distribution or JointDistribution
            A ``Distribution`` for one node, a ``JointDistribution`` for a list of nodes. Of a number a ``Normal``, or a
            ``Mixture`` of normals. With ``interval`` an ``UncertainDistribution``, ``UncertainNormal`` or
            ``UncertainMixture``.

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

        How far an answer is known from ten days:

        >>> days = {"rain": ["no"] * 7 + ["yes"] * 3, "wet": ["no"] * 6 + ["yes"] * 4}
        >>> net.fit(days).query("rain", {"wet": "yes"}, interval=0.95)
        UncertainDistribution(rain: no 0.3571 [0.0935, 0.7495], yes 0.6429 [0.2505, 0.9065])
        """
        if interval is not None:
            return self._counted().uncertain(targets, evidence, likelihoods, interval)
        queries = self._queries
        return queries.posterior(targets, queries.read(evidence, likelihoods))

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
        queries = self._queries
        return queries.distributions(queries.read(evidence, likelihoods))

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
        return Beliefs(self.network, self._queries.read(evidence, likelihoods))

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
        queries = self._queries
        return queries.log_probability(queries.read(evidence, likelihoods))

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
        queries = self._queries
        return queries.most_probable_explanation(queries.read(evidence, likelihoods))

    def map(
        self, targets: Targets, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None
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
        queries = self._queries
        return queries.most_probable_states(targets, queries.read(evidence, likelihoods))

    def independent(self, x: Targets, y: Targets, given: Targets = ()) -> bool:
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
        return self._queries.is_independent(x, y, given)

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
        network = self.network
        if isinstance(network, MixedNetwork) and not network.categories:
            return gaussian_strengths(network.dag, joint_normal(network.dag, linear_parameters(network)))
        return table_strengths(self._of_tables("arrow_strengths"))

    def cost(self, targets: Targets | None = None, evidence: Evidence | None = None) -> Cost:
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
        queries = self._queries
        return queries.cost_of(targets, queries.read(evidence))

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
        The information is I(T; X | e). The value of information is

            Σ_x P(x | e) max_d E[U(d) | x, e] − max_d E[U(d) | e]

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
        network = self._of_tables("information")
        findings = read_findings(network, evidence, likelihoods)
        return information_about(network, target, findings, among=among, utility=utility, loss=loss)

    def explain(
        self, query: StateQuery | Node, evidence: Evidence | None = None, *, likelihoods: Likelihoods | None = None
    ) -> NetExplanation:
        """Which finding moved the probability of a state by how many decibans.

        The log-odds of the state against the other states of its node are the sum of those before the evidence and a
        weight for each finding, given the findings before it:

            w_i = 10·log₁₀ P(e_i | s, e₁ … e_(i−1)) / P(e_i | ¬s, e₁ … e_(i−1))

        First comes the finding that moves the log-odds most, then the one that moves them most after it, and so on.

        Parameters
        ----------
        query : mapping, pair or node
            The node and its state, as ``{"rain": "yes"}`` or ``("rain", "yes")``; or a node, for its most probable
            state.
        evidence, likelihoods : mapping, optional
            As in ``BayesNet.query``.

        Returns
        -------
        NetExplanation
            The findings with their weights, in order; also the weight of each alone, and when added to all others.

        See Also
        --------
        BayesNet.information : What to observe next.
        BayesNet.sensitivity : How the answer depends on the tables.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.explain({"rain": "yes"}, {"wet": "yes"})
        NetExplanation(P(rain=yes) = 0.200, then 0.667: +3.01 decibans, most from wet = yes (+9.03))
        """
        queries = self._queries
        return queries.explain(query, queries.read(evidence, likelihoods))

    def sensitivity(
        self,
        query: StateQuery,
        evidence: Evidence | None = None,
        *,
        parameter: Parameter | None = None,
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
        network = self._of_tables("sensitivity")
        return sensitivity_of(network, query, read_findings(network, evidence, likelihoods), parameter)

    def kl_divergence(self, other: BayesNet, *, n: int = 10_000, random_state: RandomState = 0) -> Divergence:
        """How much worse another net predicts the rows of this one: KL(self ‖ other).

            KL(P‖Q) = Σ_x P(x)·log P(x)/Q(x)      (Kullback and Leibler, 1951)

        Exact for nets of categories, by one pass over a clique tree, and for nets of numbers, in closed form; of nets
        with both, a mean over draws from this net.

        Parameters
        ----------
        other : BayesNet
            A net of the same nodes with the same states; its graph may be another.
        n, random_state
            The number of draws where it is estimated, and their seed.

        Returns
        -------
        Divergence
            In nats; ∞ if the other net excludes rows that this one allows. It says whether it is exact.

        See Also
        --------
        BayesNet.js_divergence : Symmetric and bounded.
        compare_graphs : How different the graphs are.

        Examples
        --------
        >>> import deciban as db
        >>> fair, bent = (
        ...     db.BayesNet.from_tables(
        ...         db.DAG(nodes=["coin"]), {"coin": ("head", "tail")}, {"coin": [p, 1 - p]}
        ...     )
        ...     for p in (0.5, 0.25)
        ... )
        >>> fair.kl_divergence(bent), bent.kl_divergence(fair)
        (Divergence(0.143841 nats, exact), Divergence(0.130812 nats, exact))
        """
        p, q = self._compared(other)
        if isinstance(p, Network) and isinstance(q, Network):
            return kl_of_tables(p, q)
        if isinstance(p, MixedNetwork) and isinstance(q, MixedNetwork) and not p.states:
            return kl_of_normals(joint_normal(p.dag, linear_parameters(p)), p, q)
        rows = self.sample(n, random_state=random_state)
        return kl_of_logs(self._queries.row_logs(rows), other._queries.row_logs(rows))

    def js_divergence(self, other: BayesNet, *, n: int = 10_000, random_state: RandomState = 0) -> Divergence:
        """How different two nets are: the Jensen–Shannon divergence, symmetric and at most log 2.

            JS(P, Q) = ½·KL(P‖M) + ½·KL(Q‖M),  M = ½·P + ½·Q      (Lin, 1991)

        Exact for nets of categories with at most 65,536 different rows; else a mean over draws from both nets.

        Parameters
        ----------
        other : BayesNet
            A net of the same nodes with the same states; its graph may be another.
        n, random_state
            The number of draws from each net where it is estimated, and their seed.

        Returns
        -------
        Divergence
            In nats, from 0 to log 2. It says whether it is exact.

        See Also
        --------
        BayesNet.kl_divergence : Not symmetric, and exact for larger nets.

        Examples
        --------
        >>> import deciban as db
        >>> fair, bent = (
        ...     db.BayesNet.from_tables(
        ...         db.DAG(nodes=["coin"]), {"coin": ("head", "tail")}, {"coin": [p, 1 - p]}
        ...     )
        ...     for p in (0.5, 0.25)
        ... )
        >>> fair.js_divergence(bent)
        Divergence(0.0338221 nats, exact)
        """
        p, q = self._compared(other)
        if isinstance(p, Network) and isinstance(q, Network) and prod(p.cards) <= MOST_ROWS:
            return js_of_tables(p, q)
        # One seed for both, so that equal nets draw equal rows and differ by nothing.
        seed = int(np.random.default_rng(random_state).integers(1 << 63))
        logs: list[Floats] = []
        for one, peer in ((self, other), (other, self)):
            rows = one.sample(n, random_state=seed)
            logs += [one._queries.row_logs(rows), peer._queries.row_logs(rows)]
        return js_of_logs(*logs)

    def _compared(self, other: BayesNet) -> tuple[Network | MixedNetwork, Network | MixedNetwork]:
        if not isinstance(other, BayesNet):
            raise InputTypeError(f"other is a Bayes net, not a {type(other).__name__}")
        p, q = self.network, other.network
        check_comparable(p, q)
        return p, q

    @overload
    def log_likelihood(
        self, data: Any, *, sample_weight: ArrayLike | None = ..., per_row: Literal[False] = ...
    ) -> float: ...
    @overload
    def log_likelihood(self, data: Any, *, per_row: Literal[True]) -> Floats: ...
    def log_likelihood(
        self, data: Any, *, sample_weight: ArrayLike | None = None, per_row: bool = False
    ) -> float | Floats:
        """Σ w·log P(row), or log P of each row; missing values are summed out.

        Parameters
        ----------
        data : table
            Rows, which may have missing values. A node without a column is missing in every row.
        sample_weight : array, optional
            How many rows each row stands for.
        per_row : bool
            Whether to return a value for each row instead of the sum.

        Returns
        -------
        float or array
            In nats; an impossible row has −∞.

        Examples
        --------
        >>> import deciban as db
        >>> coin = db.BayesNet.from_tables(
        ...     db.DAG(nodes=["coin"]), {"coin": ("head", "tail")}, {"coin": [0.25, 0.75]}
        ... )
        >>> coin.log_likelihood({"coin": ["head", None]}, per_row=True).round(4).tolist()
        [-1.3863, 0.0]
        """
        logs = self._queries.row_logs(data)
        return logs if per_row else weighted_sum(logs, sample_weight)

    def cross_validate(
        self,
        data: Any,
        k: int = 10,
        *,
        sample_weight: ArrayLike | None = None,
        random_state: int | np.random.Generator | None = 0,
    ) -> CrossValidation:
        """The log loss of rows that are left out, per row and per node, with standard errors.

            loss(row) = −log P(row), with the tables of all rows but those of the row's own fold

        The net is fitted to the rows outside each fold with its own settings, by subtracting the counts of the fold
        from those of all rows. The graph, the states, and the cuts of numeric parents of categories are the same in all
        folds; if the graph was learned from these rows, the loss is somewhat too small.

        Parameters
        ----------
        data : table
            Rows; they replace those that the net was fitted to.
        k : int
            The number of folds, from 2 to the number of rows (leave-one-out).
        sample_weight : array, optional
            How many rows each row stands for.
        random_state : int, numpy.random.Generator or None
            The seed by which rows are assigned to folds.

        Returns
        -------
        CrossValidation

        Raises
        ------
        UnfittedError
            If the net was not fitted.
        ParameterError
            If it was fitted by EM, whose expected counts cannot be subtracted.

        See Also
        --------
        BayesNet.log_likelihood : Of rows with the tables as they are.

        Examples
        --------
        >>> import deciban as db
        >>> rows = {
        ...     "rain": ["no", "no", "yes", "yes"] * 10,
        ...     "wet": ["no", "no", "no", "yes"] * 10,
        ... }
        >>> joined, apart = db.BayesNet([("rain", "wet")]), db.BayesNet(db.DAG(nodes=rows))
        >>> [round(net.fit(rows).cross_validate(rows).log_loss.mean, 3) for net in (joined, apart)]
        [1.112, 1.287]
        """
        return cross_validate(self._counted(), data, k, sample_weight=sample_weight, random_state=random_state)

    def predict_proba(self, data: Any, target: Node, *, impossible: Impossible = "error") -> Floats:
        """P(target | the rest of the row), for each row.

        Parameters
        ----------
        data : table
            Rows, which may have missing values. A column of the target itself is ignored.
        target : node
            The node that is predicted.
        impossible : {"error", "prior"}
            For a row with probability 0: an error, or P(target).

        Returns
        -------
        array, rows × states
            In the order of ``states[target]``.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.predict_proba({"wet": ["yes", None]}, "rain").round(3).tolist()
        [[0.333, 0.667], [0.8, 0.2]]
        >>> net.predict({"wet": ["yes", None]}, "rain").tolist()
        ['yes', 'no']
        """
        return self._queries.row_posteriors(data, target, impossible)

    def predict(self, data: Any, target: Node, *, impossible: Impossible = "error") -> AnyArray:
        """The most probable state of the target in each row; of a number, its mean given the rest of the row.

        Parameters
        ----------
        data, target, impossible
            As in ``predict_proba``.

        Returns
        -------
        array of states, or of numbers
        """
        return self._queries.predicted(data, target, impossible)

    def impute(self, data: Any, method: Fill = "mpe") -> Any:
        """The data with missing values filled in.

        Parameters
        ----------
        data : table
            A frame or a mapping of columns; an array gives an array.
        method : {"mpe", "marginals"}
            "mpe": the missing values of a row get their most probable joint states. "marginals": each missing value
            gets its own most probable state. A missing number gets its mean, with "mpe" given these states, too.

        Returns
        -------
        table
            A table of the same kind; nodes without a column get one.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.impute({"rain": [None, "yes"], "wet": ["yes", None]})
        {'rain': ['yes', 'yes'], 'wet': ['yes', 'yes']}
        """
        return self._queries.filled(data, method)

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
        n : int
            The number of rows.
        random_state : int, numpy.random.Generator or None
            The same int gives the same rows.
        evidence : mapping, optional
            Observed states, such as ``{"rain": "yes"}``.
        as_ : {"arrow", "codes"}
            "arrow": a ``pyarrow.Table`` of labels, which ``fit``, ``discover`` and ``search`` take and whose
            ``to_pandas()`` gives categories; "codes": an array, rows × nodes, of indices into ``states``, and of
            numbers as they are.
        limit : int, optional
            The most bytes for the tables given the evidence; the memory limit (``DECIBAN_MEMORY_LIMIT``) by default.

        Returns
        -------
        pyarrow.Table or array

        See Also
        --------
        BayesNet.sample_weighted : For nets that are too large for exact samples.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> net.sample(4, random_state=0).to_pydict()
        {'rain': ['no', 'yes', 'yes', 'no'], 'wet': ['no', 'no', 'yes', 'no']}
        """
        network = self.network
        if isinstance(network, MixedNetwork):
            return sample_mixed(network, n, random_state=random_state, evidence=evidence, as_=as_)
        return draw.sample_rows(network, n, random_state=random_state, evidence=evidence, as_=as_, limit=limit)

    def sample_weighted(
        self, n: int, evidence: Evidence, *, random_state: RandomState = None, as_: RowFormat = "arrow"
    ) -> WeightedSample:
        """Draw rows with the observed states fixed, each weighted by the probability of the evidence in it.

        It needs no memory beyond the rows, for any net. If the evidence is improbable, few rows have nearly all the
        weight, and ``effective_size`` is small.

        Parameters
        ----------
        n : int
            The number of rows.
        evidence : mapping
            Observed states, such as ``{"rain": "yes"}``.
        random_state : int, numpy.random.Generator or None
            The same int gives the same rows.
        as_ : {"arrow", "codes"}
            The form of the rows: see ``sample``.

        Returns
        -------
        WeightedSample
            The rows and their weights.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet([("rain", "wet")]).fit(
        ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
        ... )
        >>> drawn = net.sample_weighted(1000, {"wet": "yes"}, random_state=0)
        >>> drawn.rows.num_rows, round(drawn.effective_size)
        (1000, 980)
        """
        network = self.network
        if isinstance(network, MixedNetwork):
            return sample_mixed_weighted(network, n, evidence, random_state=random_state, as_=as_)
        return draw.sample_weighted(network, n, evidence, random_state=random_state, as_=as_)

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
        n : int
            The number of rows of all chains; each chain gives n / chains of them, rounded up.
        evidence : mapping, optional
            Observed states, such as ``{"rain": "yes"}``.
        random_state : int, numpy.random.Generator or None
            The same int gives the same rows.
        chains : int
            The number of chains.
        burn_in : int
            The number of steps left out at the start of each chain.
        thin : int
            The number of steps from one row to the next.
        as_ : {"arrow", "codes"}
            The form of the rows: see ``sample``.

        Returns
        -------
        GibbsSample
            The rows, with R-hat and the effective sample size of each node.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet([("rain", "wet")]).fit(
        ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
        ... )
        >>> drawn = net.sample_gibbs(4000, {"wet": "yes"}, random_state=0)
        >>> drawn.rows.num_rows, drawn.is_converged
        (4000, True)
        """
        network = self._of_tables("sample_gibbs")
        return draw.sample_gibbs(
            network, n, evidence, random_state=random_state, chains=chains, burn_in=burn_in, thin=thin, as_=as_
        )

    def estimate(
        self, target: Node, evidence: Evidence | None = None, *, n: int = 100_000, random_state: RandomState = None
    ) -> Estimate | NumberEstimate:
        """P(target | evidence) from weighted rows, for nets that are too large for an exact answer.

        The standard error is that of a ratio of weighted means:

            se² = Σ w² (1[state] − p)² / (Σ w)²

        Parameters
        ----------
        target : node
            The node.
        evidence : mapping, optional
            Observed states, such as ``{"rain": "yes"}``.
        n : int
            The number of rows.
        random_state : int, numpy.random.Generator or None
            The same int gives the same answer.

        Returns
        -------
        Estimate or NumberEstimate
            State → probability, with ``standard_error``; of a number its mean, quantiles and others.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet([("rain", "wet")]).fit(
        ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
        ... )
        >>> print(net.estimate("rain", {"wet": "yes"}, random_state=0))
        no  0.530699 ± 0.001608
        yes  0.469301 ± 0.001608
        """
        network = self.network
        if isinstance(network, MixedNetwork):
            return estimate_mixed(network, target, evidence, n=n, random_state=random_state)
        return draw.estimate_posterior(network, target, evidence, n=n, random_state=random_state)

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
        except errors.UnfittedError:
            return plot_graph(self.dag, ax)

    def widget(
        self,
        evidence: Evidence | None = None,
        *,
        likelihoods: Likelihoods | None = None,
        interventions: Mapping[Any, Any] | None = None,
    ) -> NetWidget:
        """Show the net in a notebook: click a state to observe it, and every bar moves.

        Needs ``pip install deciban[widget]``.

        Parameters
        ----------
        evidence, likelihoods : mapping, optional
            As in ``query``.
        interventions : mapping, optional
            Node → the state or value that it is set to from outside, as in ``do``.

        Returns
        -------
        NetWidget
            Its ``evidence``, ``likelihoods`` and ``interventions`` are what is clicked, and its ``beliefs`` the
            distributions that are shown; other cells can read, set and observe them.

        See Also
        --------
        live_page : The same in a page of its own, which needs no Python.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> widget = net.widget({"wet": "yes"})
        >>> round(widget.beliefs["rain"]["yes"], 4)
        0.6667
        """
        need("anywidget", "widget", "a widget, unlike live_page(),")
        from deciban.widget.notebook import NetWidget  # noqa: PLC0415  a layer above, for those who have the extra

        return NetWidget(self, evidence, likelihoods=likelihoods, interventions=interventions)

    def live_page(self, title: str = "Bayes net") -> HtmlReport:
        """Make a page of its own with the net, which answers clicks as ``widget`` does, without Python.

        Parameters
        ----------
        title : str
            The heading of the page.

        Returns
        -------
        HtmlReport
            A self-contained page: ``save(path)`` writes it, a notebook shows it.

        Raises
        ------
        TooLargeError
            Exact inference needs tables that are too large for a page.
        InputError
            The net has numbers.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.BayesNet.from_tables(
        ...     [("rain", "wet")],
        ...     {"rain": ("no", "yes"), "wet": ("no", "yes")},
        ...     {"rain": [0.8, 0.2], "wet": [[0.9, 0.1], [0.2, 0.8]]},
        ... )
        >>> page = net.live_page("Rain")
        >>> page.title
        'Rain'
        """
        from deciban.widget.page import live_page  # noqa: PLC0415  a layer above

        return live_page(self, title)

    def _repr_html_(self) -> str:
        # The graph alone for a net whose tables are absent, too slow or too large: a notebook shows it unasked.
        try:
            network = self.network
            if is_quick(network):
                return self.beliefs().to_svg()
        except (TooLargeError, errors.UnfittedError):
            pass
        return graph_svg(self.dag)

    def _counted(self) -> NetFit:
        if isinstance(self._fitted, TableFit | GaussianFit | MixedFit):
            return self._fitted
        if self._fitted is not None:
            raise errors.UnfittedError("the tables of this net were given, not counted: fit(data) replaces them.")
        raise errors.UnfittedError("this net has no counts yet: call fit(data)")

    def _adopt(self, fit: NetFit) -> Self:
        _ = fit.network  # made before it is kept: an error, such as of a row without counts, leaves the net as it was
        self._fitted = fit
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesNet):
            return NotImplemented
        if self._fitted is None or other._fitted is None:
            return self._fitted is other._fitted and self._dag == other._dag
        # Of the tables, however they came about: a net that was read from a file equals the one that was fitted.
        return self.network == other.network

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self._fitted is None:
            return f"BayesNet({dag_size(self._dag)}, not fitted)"
        network = self.network
        if isinstance(network, MixedNetwork):
            size = f"{dag_size(self._dag)}: {network.kinds_in_words}"
        else:
            cells = sum(table.size for table in network.tables.values())
            size = f"{dag_size(self._dag)}, {counted(cells, 'table entry', 'table entries')}"
        unseen = 0 if isinstance(self._fitted, Network | MixedNetwork) else self._fitted.unseen_parents.count
        note = f", {counted(unseen, 'unseen configuration')} of parents" if unseen else ""
        return f"BayesNet({size}{note})"


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
