"""Gaussian nets: Bayes nets of numbers, each a linear function of its parents plus noise.

    x_v = b₀ + Σ_p b_p·x_p + ε_v,    ε_v ~ N(0, s_v²)

Together the variables are normal, with means and covariances that follow parent by parent (Shachter and Kenley, 1989),

    μ_v = b₀ + Σ_p b_p·μ_p,    Cov(v, u) = Σ_p b_p·Cov(p, u),    Var(v) = s_v² + Σ_p b_p·Cov(p, v)

so every query has an exact answer by linear algebra.

``BayesNet`` fits the same net to a table of numbers; ``GaussianNet`` is the name for a net of numbers alone, which
takes every column as numbers, and has answers that only normal distributions have: their joint distribution, and
regressions as ``LinearGaussian``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, Self, cast, get_args

import numpy as np
from numpy.typing import ArrayLike

from deciban import errors  # UnfittedError is looked up when raised: importing it loads scikit-learn
from deciban.choices import check_choice
from deciban.engines.source import OnBadRow, tally_source
from deciban.engines.source import Progress as ReadingProgress
from deciban.errors import InputTypeError, NetworkError
from deciban.estimate.drawing import RandomState, read_count
from deciban.nets.bayesnet import BayesNet
from deciban.nets.causal.intervention import intervene
from deciban.nets.data.samples import FitMissing, read_number_sample, source_of
from deciban.nets.graphs.dag import DAG
from deciban.nets.graphs.graph import Edge, Node
from deciban.nets.inference.ask import Question, answer_gaussian
from deciban.nets.inference.evidence import Between
from deciban.nets.inference.information import ArrowStrengths, gaussian_strengths
from deciban.nets.inference.mixture import Mixture, MultivariateMixture
from deciban.nets.inference.normal import MultivariateNormal, Normal, Numbers, finite_number
from deciban.nets.learning.conditionals import RegressionTable
from deciban.nets.learning.em import fit_incomplete_numbers
from deciban.nets.learning.fit import EM, GaussianFit, Progress, gaussian_network, linear_parameters
from deciban.nets.learning.from_source import MomentCounting
from deciban.nets.learning.linear_gaussian import GaussianTally, LinearGaussian, Variance, joint_normal
from deciban.nets.learning.uncertainty import UncertainMixture, UncertainNormal
from deciban.nets.mixed_network import MixedNetwork
from deciban.nets.network import dag_size, read_dag
from deciban.turns import turn
from deciban.types import Floats

__all__ = ["GaussianNet"]


class GaussianNet(BayesNet):
    """A Bayes net of numbers: each node is a linear function of its parents plus normal noise.

        x_v = b₀ + Σ_p b_p·x_p + ε_v,    ε_v ~ N(0, s_v²)

    Together the nodes are normal, so every query has an exact answer by linear algebra.

    Parameters
    ----------
    dag : DAG or iterable of pairs
        The graph, or its arrows as pairs (parent, child).

    Attributes
    ----------
    dag : DAG
        The graph.
    tally_ : GaussianTally
        The moments of all families.
    em_, log_likelihoods_ : EMTrace, tuple of floats
        After ``fit(missing="em")``: its iterations, and the log-likelihood at the start and after each of them.

    See Also
    --------
    BayesNet : A net of categories, of numbers or of both.
    search : ``score="gaussian_bic"`` finds the graph from data.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.GaussianNet([("height", "weight")])
    >>> net = net.fit({"height": [150, 160, 170, 180], "weight": [52, 58, 72, 78]})
    >>> net.parameters["weight"]
    LinearGaussian(-86.8 + 0.92·height, sd 1.78885)
    >>> net.query("height", {"weight": 70})
    Normal(mean=170.275, sd=1.91565)
    """

    @classmethod
    def from_parameters(cls, dag: DAG | Iterable[Edge], parameters: Mapping[Any, LinearGaussian]) -> Self:
        """A net with given parameters.

        Parameters
        ----------
        dag : DAG or iterable of pairs
            The graph, or its arrows as pairs (parent, child).
        parameters : mapping of LinearGaussian
            Node → its regression on its parents.

        Returns
        -------
        GaussianNet

        Raises
        ------
        NetworkError
            If a node has no regression, or one on other nodes than its parents.

        Examples
        --------
        >>> import deciban as db
        >>> parameters = {
        ...     "a": db.LinearGaussian(1.0, {}, 4.0),
        ...     "b": db.LinearGaussian(0.0, {"a": 2.0}, 9.0),
        ... }
        >>> db.GaussianNet.from_parameters([("a", "b")], parameters).query("b")
        Normal(mean=2, sd=5)
        """
        graph = read_dag(dag)
        return cls.of(gaussian_network(graph, {node: _checked(graph, node, parameters) for node in graph.nodes}))

    @classmethod
    def from_tally(cls, tally: GaussianTally, *, variance: Variance = "ml") -> Self:  # type: ignore[override]
        """A net from moments, without any rows.

        Parameters
        ----------
        tally : GaussianTally
            The moments of all families, such as ``net.tally_``, or a sum of several.
        variance : {"ml", "unbiased"}
            How residual variances are estimated: see ``fit``.

        Returns
        -------
        GaussianNet
        """
        return cls(tally.dag)._adopt(GaussianFit(tally, variance))

    @property
    def network(self) -> MixedNetwork:
        """The graph and the regressions."""
        if self._fitted is None:
            raise errors.UnfittedError("this GaussianNet has no parameters yet: call fit(data), or use from_parameters")
        network = super().network
        if not isinstance(network, MixedNetwork) or network.categories:
            raise NetworkError("a GaussianNet has numbers only; a net with categories is a BayesNet")
        return network

    @property
    def parameters(self) -> Mapping[Node, LinearGaussian]:
        """P(node | parents) for each node."""
        if isinstance(self._fitted, GaussianFit):
            return MappingProxyType(self._fitted.parameters)
        return MappingProxyType(linear_parameters(self.network))

    @property
    def coefficients(self) -> Mapping[Node, Mapping[Node, float]]:
        """For each node the coefficient of each of its parents."""
        return {node: linear.coefficients for node, linear in self.parameters.items()}

    def table(self, node: Node) -> RegressionTable:
        """P(node | parents) as an equation that prints, with intervals of the coefficients where the net was fitted.

        Parameters
        ----------
        node : node
            The name of a node.

        Returns
        -------
        RegressionTable

        Examples
        --------
        >>> import deciban as db
        >>> net = db.GaussianNet([("height", "weight")])
        >>> net = net.fit({"height": [150, 160, 170, 180], "weight": [52, 58, 72, 78]})
        >>> print(net.table("weight"))
        P(weight | height), 95% intervals
        weight = -86.8 + 0.92·height, sd 1.789  (4 rows)
          intercept  -86.8  [-167.3, -6.296]
          height      0.92   [0.4332, 1.407]
        """
        return cast("RegressionTable", super().table(node))

    @property
    def joint(self) -> MultivariateNormal:
        """The joint distribution of all nodes."""
        return joint_normal(self.dag, self.parameters)

    def fit(  # type: ignore[override]
        self,
        data: Any,
        *,
        interventions: Any = None,
        sample_weight: ArrayLike | None = None,
        missing: FitMissing = "error",
        variance: Variance = "ml",
        max_iter: int = 200,
        tol: float = 1e-6,
        progress: Progress = False,
    ) -> Self:
        """Estimate every node's regression on its parents by least squares.

        Parameters
        ----------
        data : table
            Any table; every node needs a column of numbers of its name, and other columns are ignored.
        interventions : column name, mapping or sequence, optional
            Which nodes were set from outside in which rows, as in ``search``: such a row counts in every family but
            that of the node. Not with ``missing="em"``.
        sample_weight : array, optional
            How many rows each row stands for.
        missing : {"error", "skip", "em"}
            "error"; "skip" uses, for each family, the rows in which it is complete; "em" uses expected moments.
        variance : {"ml", "unbiased"}
            "ml" divides the residual sum of squares by the number of rows, "unbiased" by its degrees of freedom.
        max_iter, tol : int, float
            Of EM: the most iterations, and the gain in nats per row at which they stop.
        progress : bool or function
            Of EM: True to print each iteration, or a function of an ``EMStep``.

        Returns
        -------
        GaussianNet
            The net itself.

        Examples
        --------
        >>> import deciban as db
        >>> people = {"height": [150, 160, 170, 180], "weight": [52, 58, 72, 78]}
        >>> db.GaussianNet([("height", "weight")]).fit(people, variance="unbiased").parameters[
        ...     "weight"
        ... ]
        LinearGaussian(-86.8 + 0.92·height, sd 2.52982)
        """
        with turn(self):
            check_choice("variance", variance, get_args(Variance))
            em = EM(max_iter, tol, 1, None, progress)  # one start: no variable is hidden, so nothing is drawn
            sample = read_number_sample(
                data, self.dag.nodes, sample_weight=sample_weight, missing=missing, interventions=interventions
            )
            if missing == "em":
                return self._adopt(fit_incomplete_numbers(self.dag, sample, variance, em))
            tally = GaussianTally.of(self.dag, sample.values, sample.sample_weight, sample.interventions)
            return self._adopt(GaussianFit(tally, variance, missing))

    def fit_files(  # type: ignore[override]
        self,
        source: Any,
        *,
        sample_weight: str | None = None,
        missing: Literal["error", "skip"] = "error",
        variance: Variance = "ml",
        schema: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        progress: ReadingProgress = None,
        on_bad_row: OnBadRow = "error",
        encoding: str | None = None,
        sheet: str | None = None,
        decimal: str | None = None,
    ) -> Self:
        """Estimate from the rows of files, of which only some are in memory at a time.

        The result is that of ``fit`` on the same rows.

        Parameters
        ----------
        source, sample_weight, schema, checkpoint, progress, on_bad_row, encoding, sheet, decimal
            As in ``BayesNet.fit_files``.
        missing, variance
            As in ``fit``, without "em".

        Returns
        -------
        GaussianNet
            The net itself.
        """
        check_choice("variance", variance, get_args(Variance))
        counting = MomentCounting(self.dag, sample_weight, missing)
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
        return self._adopt(GaussianFit(tally_source(rows, counting), variance, missing))

    def partial_fit(  # type: ignore[override]
        self, data: Any, *, interventions: Any = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Count more rows; the result is that of fitting all rows at once.

        Parameters
        ----------
        data : table
            More rows, with a column for each node.
        interventions : column name, mapping or sequence, optional
            Which nodes were set in which of these rows, as in ``fit``.
        sample_weight : array, optional
            How many rows each row stands for.

        Returns
        -------
        GaussianNet
            The net itself.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.GaussianNet([("height", "weight")])
        >>> for batch in (
        ...     {"height": [150, 160], "weight": [52, 58]},
        ...     {"height": [170, 180], "weight": [72, 78]},
        ... ):
        ...     _ = net.partial_fit(batch)
        >>> net.parameters["weight"]
        LinearGaussian(-86.8 + 0.92·height, sd 1.78885)
        """
        with turn(self):
            if self._fitted is None:
                return self.fit(data, interventions=interventions, sample_weight=sample_weight)
            return self._adopt(self._counted().with_rows(data, sample_weight, interventions=interventions))

    def merge(self, other: BayesNet) -> Self:
        """Add the moments of another net of the same graph.

        Parameters
        ----------
        other : GaussianNet
            A net that was fitted on other rows.

        Returns
        -------
        GaussianNet
            The net itself, which is that of ``fit`` on the rows of both.
        """
        if not isinstance(other, GaussianNet):
            raise InputTypeError(f"a GaussianNet can be merged with another GaussianNet, not with {other!r}")
        return super().merge(other)

    @property
    def tally_(self) -> GaussianTally:
        """The moments of all families: a value that adds, subtracts and scales."""
        return self._counted().tally

    def query(  # type: ignore[override]
        self, targets: Node | Sequence[Node], evidence: Numbers | None = None, *, interval: float | None = None
    ) -> Normal | MultivariateNormal | Mixture | MultivariateMixture:
        """The distribution of one node, or the joint distribution of several, given observed values.

        Parameters
        ----------
        targets : node or sequence of nodes
            The node, or several.
        evidence : mapping, optional
            Node → observed number, or the interval in which it lies, such as ``Between(3, None)``.
        interval : float, optional
            The probability, such as 0.95, of intervals of the mean and of the standard deviation: how far they are
            known, as the regressions were estimated from a sample. For one node of a net that was fitted without EM.

        Returns
        -------
        Normal or MultivariateNormal
            A ``Normal`` for one node, a ``MultivariateNormal`` for a sequence of nodes; with ``interval`` an
            ``UncertainNormal``; given an interval of a number a ``Mixture`` or a ``MultivariateMixture``.

        Raises
        ------
        ImpossibleEvidenceError
            If the observed values cannot occur together.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.GaussianNet([("height", "weight")])
        >>> net = net.fit({"height": [150, 160, 170, 180], "weight": [52, 58, 72, 78]})
        >>> net.query("weight", {"height": 175})
        Normal(mean=74.2, sd=1.78885)
        >>> net.query("weight", {"height": 175}, interval=0.95)
        UncertainNormal(mean=74.2 [66.8982, 81.5018], sd=1.78885 [0.671389, 4.76624])
        """
        seen = _read_evidence(evidence)
        if interval is not None:
            known: UncertainNormal | UncertainMixture = super().query(
                targets, _read_evidence(evidence), interval=interval
            )
            return known
        seen = _read_evidence(evidence)
        if any(isinstance(value, Between) for value in seen.values()):
            answer: Normal | MultivariateNormal | Mixture | MultivariateMixture = super().query(targets, seen)
            return answer
        posterior = self.joint.given(seen)
        # A tuple may be the name of a node.
        if isinstance(targets, Sequence) and not isinstance(targets, str) and targets not in self.nodes:
            return posterior.marginal(targets)
        return posterior[targets]

    def ask(self, question: str | Question) -> Any:
        """Answer a question in the notation of the textbooks.

        ``P(height | weight=70)`` is a distribution; ``P(height > 180)`` and ``E(height | do(weight=70))`` are numbers.

        Parameters
        ----------
        question : str
            The question; ``BayesNet.ask`` shows the notation.

        Returns
        -------
        Normal, MultivariateNormal or float

        Raises
        ------
        QuestionError
            If the question cannot be read; the message points at the character.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.GaussianNet([("height", "weight")])
        >>> net = net.fit({"height": [150, 160, 170, 180], "weight": [52, 58, 72, 78]})
        >>> round(net.ask("E(weight | height=175)"), 1), round(net.ask("P(height > 180)"), 3)
        (74.2, 0.09)
        """
        return answer_gaussian(self, question)

    def marginals(self, evidence: Numbers | None = None) -> dict[Node, Normal]:  # type: ignore[override]
        """The distribution of every node, given observed values.

        Parameters
        ----------
        evidence : mapping, optional
            Node → observed number.

        Returns
        -------
        dict of Normal
            Node → distribution; an observed node has variance 0.
        """
        posterior = self.joint.given(_read_evidence(evidence))
        return {node: posterior[node] for node in self.nodes}

    def do(self, actions: Numbers) -> GaussianNet:  # type: ignore[override]
        """The net after an intervention: the nodes that are set have no parents any more.

        Parameters
        ----------
        actions : mapping
            Node → the number to which it is set.

        Returns
        -------
        GaussianNet
            Another net; this one does not change.

        Raises
        ------
        InputError
            If a value is not a finite number.

        Examples
        --------
        >>> import deciban as db
        >>> parameters = {
        ...     "a": db.LinearGaussian(1.0, {}, 4.0),
        ...     "b": db.LinearGaussian(0.0, {"a": 2.0}, 9.0),
        ... }
        >>> net = db.GaussianNet.from_parameters([("a", "b")], parameters)
        >>> net.query("a", {"b": 7}), net.do({"b": 7}).query("a")
        (Normal(mean=2.6, sd=1.2), Normal(mean=1, sd=2))
        """
        values = _read_evidence(actions)
        for node, value in values.items():
            self.dag.index(node)
            finite_number(node, value, "value")
        return self.of(intervene(self.network, values))

    def arrow_strengths(self) -> ArrowStrengths:
        """How much information each parent has about its child, given the other parents.

        Returns
        -------
        ArrowStrengths
            (parent, child) → strength in bits, the strongest first; the share is the squared partial correlation.

        Examples
        --------
        >>> import deciban as db
        >>> parameters = {
        ...     "a": db.LinearGaussian(1.0, {}, 4.0),
        ...     "b": db.LinearGaussian(0.0, {"a": 2.0}, 9.0),
        ... }
        >>> print(db.GaussianNet.from_parameters([("a", "b")], parameters).arrow_strengths())
        a → b    0.7370 bits   64.0%
        """
        return gaussian_strengths(self.dag, self.joint)

    def log_likelihood(self, data: Any, *, sample_weight: ArrayLike | None = None) -> float:  # type: ignore[override]
        """Σ w·log density of the rows; missing values and columns are integrated out.

        Parameters
        ----------
        data : table
            Rows of numbers, which may have missing values.
        sample_weight : array, optional
            How many rows each row stands for.

        Returns
        -------
        float
            In nats.
        """
        sample = read_number_sample(
            data, self.nodes, sample_weight=sample_weight, missing="skip", may_lack=True, is_later=True
        )
        densities = self.joint.log_density(sample.values)
        return float(densities.sum() if sample.sample_weight is None else densities @ sample.sample_weight)

    def sample(  # type: ignore[override]
        self, n: int, *, random_state: RandomState = None, evidence: Numbers | None = None
    ) -> dict[Node, Floats]:
        """Draw rows from the joint distribution given the evidence.

        Parameters
        ----------
        n : int
            The number of rows.
        random_state : int, numpy.random.Generator or None
            The same int gives the same rows.
        evidence : mapping, optional
            Node → observed number.

        Returns
        -------
        dict of arrays
            Node → a column of n numbers.

        Examples
        --------
        >>> import deciban as db
        >>> parameters = {"a": db.LinearGaussian(1.0), "b": db.LinearGaussian(0.0, {"a": 2.0})}
        >>> net = db.GaussianNet.from_parameters([("a", "b")], parameters)
        >>> net.sample(2, random_state=0)["b"].tolist()
        [2.0, 2.0]
        """
        n, rng = read_count(n, "n", 0), np.random.default_rng(random_state)
        if evidence:
            return self.joint.given(_read_evidence(evidence)).sample(n, random_state=rng)
        # Forward, parents before children: without evidence no root of the whole covariance is needed.
        drawn: dict[Node, Floats] = {}
        for node in self.dag.topological_order():
            linear = self.parameters[node]
            drawn[node] = linear.intercept + linear.sd * rng.standard_normal(n)
            for parent, slope in linear.coefficients.items():
                drawn[node] += slope * drawn[parent]
        return {node: drawn[node] for node in self.nodes}

    def _counted(self) -> GaussianFit:
        if isinstance(self._fitted, GaussianFit):
            return self._fitted
        if self._fitted is not None:
            raise errors.UnfittedError("the parameters of this net were given, not estimated: fit(data) replaces them.")
        raise errors.UnfittedError("this GaussianNet has no moments yet: call fit(data)")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GaussianNet):
            return NotImplemented
        if self._fitted is None or other._fitted is None:
            return self._fitted is other._fitted and self.dag == other.dag
        return self.dag == other.dag and self.parameters == other.parameters

    __hash__ = None

    def __repr__(self) -> str:
        return f"GaussianNet({dag_size(self.dag)}{', not fitted' if self._fitted is None else ''})"


def _read_evidence(evidence: Numbers | None) -> Numbers:
    if evidence is None:
        return {}
    if not isinstance(evidence, Mapping):
        raise InputTypeError(f'observed values are a mapping such as {{"height": 180}}, not {evidence!r}')
    return evidence


def _checked(dag: DAG, node: Node, parameters: Mapping[Any, LinearGaussian]) -> LinearGaussian:
    if node not in parameters:
        raise NetworkError(f"there is no LinearGaussian for {node!r}")
    linear = parameters[node]
    if set(linear.coefficients) != dag.parents(node):
        raise NetworkError(
            f"the parents of {node!r} are {sorted(dag.parents(node), key=str)!r}, not "
            f"{sorted(linear.coefficients, key=str)!r}"
        )
    numbers = [linear.intercept, *linear.coefficients.values(), linear.variance]
    if not np.isfinite(numbers).all() or linear.variance < 0:
        raise NetworkError(
            f"the LinearGaussian of {node!r} needs finite numbers and a variance that is not negative: {numbers}"
        )
    return linear
