"""Gaussian nets: Bayes nets of numbers, each a linear function of its parents plus noise.

    x_v = b₀ + Σ_p b_p·x_p + ε_v,    ε_v ~ N(0, s_v²)

Together the variables are normal, with means and covariances that follow parent by parent (Shachter and Kenley, 1989),

    μ_v = b₀ + Σ_p b_p·μ_p,    Cov(v, u) = Σ_p b_p·Cov(p, u),    Var(v) = s_v² + Σ_p b_p·Cov(p, v)

so every query has an exact answer by linear algebra.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from deciban.errors import InputTypeError, NetworkError, UnfittedError
from deciban.nets.graphs.base import Edge, Node
from deciban.nets.graphs.graph import DAG
from deciban.nets.inference.arrow_strength import ArrowStrengths, gaussian_strengths
from deciban.nets.inference.ask.answer import answer_gaussian
from deciban.nets.inference.ask.question import Question
from deciban.nets.inference.normal import MultivariateNormal, Normal, finite_number
from deciban.nets.learning.gaussian_fit_mixin import GaussianFitMixin
from deciban.nets.learning.moments import GaussianTally
from deciban.nets.learning.regression import LinearGaussian, Variance, joint_normal
from deciban.nets.learning.sample import read_number_sample
from deciban.nets.network import dag_size, read_dag
from deciban.read.random_state import RandomState, read_count
from deciban.types import Floats

__all__ = ["GaussianNet"]


class GaussianNet(GaussianFitMixin):
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
    log_likelihoods_ : tuple of floats
        After ``fit(missing="em")``: the log-likelihood at the start and after each iteration.

    See Also
    --------
    BayesNet : A net of categories.
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

    def __init__(self, dag: DAG | Iterable[Edge]) -> None:
        self.dag = read_dag(dag)

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
        net = cls(dag)
        net._parameters = {node: _checked(net.dag, node, parameters) for node in net.nodes}
        return net

    @classmethod
    def from_tally(cls, tally: GaussianTally, *, variance: Variance = "ml") -> Self:
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
        net = cls(tally.dag)
        net._variance = variance
        return net._adopt(tally, None)

    # The net -------------------------------------------------------------------------------------------------------

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes."""
        return self.dag.nodes

    @property
    def parameters(self) -> Mapping[Node, LinearGaussian]:
        """P(node | parents) for each node."""
        if self._parameters is None:
            raise UnfittedError("this GaussianNet has no parameters yet: call fit(data), or use from_parameters")
        return MappingProxyType(self._parameters)

    @property
    def coefficients(self) -> Mapping[Node, Mapping[Any, float]]:
        """For each node the coefficient of each of its parents."""
        return {node: own.coefficients for node, own in self.parameters.items()}

    @property
    def n_parameters(self) -> int:
        """The number of free parameters: of each node an intercept, a variance and a coefficient for each parent.

        Examples
        --------
        >>> import deciban as db
        >>> net = db.GaussianNet([("height", "weight")])
        >>> net.fit({"height": [150, 160, 170, 180], "weight": [52, 58, 72, 78]}).n_parameters
        5
        """
        return sum(2 + len(own.coefficients) for own in self.parameters.values())

    @property
    def joint(self) -> MultivariateNormal:
        """The joint distribution of all nodes."""
        return joint_normal(self.dag, self.parameters)

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

    # Queries, samples and interventions -------------------------------------------------------------------------------

    def query(
        self, targets: Node | Sequence[Node], evidence: Mapping[Any, float] | None = None
    ) -> Normal | MultivariateNormal:
        """The distribution of one node, or the joint distribution of several, given observed values.

        Parameters
        ----------
        targets : node or sequence of nodes
            The node, or several.
        evidence : mapping, optional
            Node → observed number.

        Returns
        -------
        Normal or MultivariateNormal
            A ``Normal`` for one node, a ``MultivariateNormal`` for a sequence of nodes.

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
        """
        posterior = self.joint.given(_read_evidence(evidence))
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

    def marginals(self, evidence: Mapping[Any, float] | None = None) -> dict[Node, Normal]:
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

    def log_likelihood(self, data: Any, *, sample_weight: Any = None) -> float:
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
        options = {"sample_weight": sample_weight, "missing": "skip", "may_lack": True, "is_later": True}
        sample = read_number_sample(data, self.nodes, **options)
        densities = self.joint.log_density(sample.values)
        return float(densities.sum() if sample.sample_weight is None else densities @ sample.sample_weight)

    def sample(
        self, n: int, *, random_state: RandomState = None, evidence: Mapping[Any, float] | None = None
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
        drawn: dict[Node, Floats] = {}
        for node in self.dag.topological_order():
            own = self.parameters[node]
            drawn[node] = own.intercept + own.sd * rng.standard_normal(n)
            for parent, slope in own.coefficients.items():
                drawn[node] += slope * drawn[parent]
        return {node: drawn[node] for node in self.nodes}

    def do(self, actions: Mapping[Any, float]) -> GaussianNet:
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
        values = {node: _set_to(node, value) for node, value in _read_evidence(actions).items()}
        arrows = [(parent, child) for parent, child in self.dag.directed_edges if child not in values]
        for node in values:
            self.dag.index(node)
        return GaussianNet.from_parameters(DAG(arrows, self.nodes), {**self.parameters, **values})

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GaussianNet):
            return NotImplemented
        own, others = (getattr(net, "_parameters", None) for net in (self, other))
        return bool(self.dag == other.dag and own == others)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"GaussianNet({dag_size(self.dag)}{', not fitted' if self._parameters is None else ''})"


def _read_evidence(evidence: Any) -> Mapping[Any, float]:
    if evidence is None:
        return {}
    if not isinstance(evidence, Mapping):
        raise InputTypeError(f'observed values are a mapping such as {{"height": 180}}, not {evidence!r}')
    return evidence


def _set_to(node: Node, value: object) -> LinearGaussian:
    """The distribution of a node that an intervention sets."""
    return LinearGaussian(finite_number(node, value, "value"))


def _checked(dag: DAG, node: Node, parameters: Mapping[Any, LinearGaussian]) -> LinearGaussian:
    if node not in parameters:
        raise NetworkError(f"there is no LinearGaussian for {node!r}")
    own = parameters[node]
    if set(own.coefficients) != dag.parents(node):
        raise NetworkError(
            f"the parents of {node!r} are {sorted(dag.parents(node), key=str)!r}, not "
            f"{sorted(own.coefficients, key=str)!r}"
        )
    numbers = [own.intercept, *own.coefficients.values(), own.variance]
    if not np.isfinite(numbers).all() or own.variance < 0:
        raise NetworkError(
            f"the LinearGaussian of {node!r} needs finite numbers and a variance that is not negative: {numbers}"
        )
    return own
