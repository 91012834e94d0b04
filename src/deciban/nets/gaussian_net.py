"""Gaussian nets: Bayes nets of numbers, each a linear function of its parents plus noise.

    x_v = b₀ + Σ_p b_p·x_p + ε_v,    ε_v ~ N(0, s_v²)

Together the variables are normal, with means and covariances that follow parent by parent (Shachter and Kenley, 1989),

    μ_v = b₀ + Σ_p b_p·μ_p,    Cov(v, u) = Σ_p b_p·Cov(p, u),    Var(v) = s_v² + Σ_p b_p·Cov(p, v)

so every query has an exact answer by linear algebra.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, Self, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.engines.progress import Progress as ReadingProgress
from deciban.engines.source import OnBadRow
from deciban.errors import InputTypeError, NetworkError, UnfittedError
from deciban.nets.data.sources import source_of
from deciban.nets.graphs.base import Edge, Node
from deciban.nets.graphs.graph import DAG, dag_size, read_dag
from deciban.nets.inference.arrow_strength import ArrowStrengths, gaussian_strengths
from deciban.nets.inference.ask.answer import answer_gaussian
from deciban.nets.inference.ask.question import Question
from deciban.nets.inference.normal import MultivariateNormal, Normal, finite_number
from deciban.nets.learning.em import EM, EMTrace, Progress, check_exact
from deciban.nets.learning.families import families_of
from deciban.nets.learning.from_source import MomentCounting, tally_source
from deciban.nets.learning.gaussian_em import fit_incomplete_gaussian
from deciban.nets.learning.moments import GaussianTally
from deciban.nets.learning.regression import LinearGaussian, Variance, regress
from deciban.nets.learning.sample import FitMissing, read_number_sample
from deciban.read.random_state import RandomState, read_count
from deciban.types import Floats

__all__ = ["GaussianNet"]


class GaussianNet:
    """A joint normal distribution as a DAG and a linear Gaussian for each node.

    Parameters
    ----------
    dag
        The graph: a ``DAG``, or its arrows as pairs (parent, child).

    Examples
    --------
    >>> net = GaussianNet([("height", "weight")])
    >>> net = net.fit({"height": [150, 160, 170, 180], "weight": [52, 58, 72, 78]})
    >>> net.parameters["weight"]
    LinearGaussian(-86.8 + 0.92·height, sd 1.78885)
    >>> net.query("height", {"weight": 70})
    Normal(mean=170.275, sd=1.91565)
    """

    def __init__(self, dag: DAG | Iterable[Edge]) -> None:
        self.dag = read_dag(dag)
        self._parameters: dict[Node, LinearGaussian] | None = None
        self._tally: GaussianTally | None = None
        self._trace: EMTrace | None = None
        self._missing: FitMissing = "error"
        self._variance: Variance = "ml"

    @classmethod
    def from_parameters(cls, dag: DAG | Iterable[Edge], parameters: Mapping[Any, LinearGaussian]) -> Self:
        """A net with given parameters."""
        net = cls(dag)
        net._parameters = {node: _checked(net.dag, node, parameters) for node in net.nodes}
        return net

    @classmethod
    def from_tally(cls, tally: GaussianTally, *, variance: Variance = "ml") -> Self:
        """A net from moments, without any rows."""
        net = cls(tally.dag)
        net._variance = variance
        return net._adopt(tally, None)

    # Learning ------------------------------------------------------------------------------------------------------

    def fit(
        self,
        data: Any,
        *,
        sample_weight: Any = None,
        missing: FitMissing = "error",
        variance: Variance = "ml",
        max_iter: int = 200,
        tol: float = 1e-6,
        progress: Progress = False,
    ) -> Self:
        """Estimate every node's regression on its parents by least squares.

        Parameters
        ----------
        data
            Any table; every node needs a column of numbers of its name, and other columns are ignored.
        sample_weight
            How many rows each row stands for.
        missing
            ``"error"``; ``"skip"`` uses, for each family, the rows in which it is complete; ``"em"`` uses expected
            moments, with `max_iter`, `tol` (nats per row) and `progress` as in ``BayesNet.fit``.
        variance
            ``"ml"`` divides the residual sum of squares by the number of rows, ``"unbiased"`` by its degrees of
            freedom.
        """
        check_choice("variance", variance, get_args(Variance))
        em = EM(max_iter, tol, 1, None, progress)
        values, weights = self._read(data, sample_weight, missing)
        trace = None
        if missing == "em":
            tally, trace = fit_incomplete_gaussian(
                self.dag, values, weights, lambda t: self._joint(self._regress(t, "ml")), em
            )
        else:
            tally = GaussianTally.of(self.dag, values, weights)
        self._regress(tally, variance)  # an error leaves the net as it was
        self._missing, self._variance = missing, variance
        return self._adopt(tally, trace)

    def fit_files(
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
    ) -> Self:
        """Estimate from the rows of files, of which only some are in memory at a time.

        The result is that of ``fit`` on the same rows. `source`, `sample_weight`, `schema`, `checkpoint`, `progress`
        and `on_bad_row` are those of ``BayesNet.fit_files``, `missing` and `variance` those of ``fit``.
        """
        check_choice("variance", variance, get_args(Variance))
        counting = MomentCounting(self.dag, sample_weight, missing)
        reading = {"schema": schema, "checkpoint": checkpoint, "progress": progress, "on_bad_row": on_bad_row}
        tally = tally_source(source_of(source, **reading), counting)
        self._regress(tally, variance)  # an error leaves the net as it was
        self._missing, self._variance = missing, variance
        return self._adopt(tally, None)

    def partial_fit(self, data: Any, *, sample_weight: Any = None) -> Self:
        """Count more rows; the result is that of fitting all rows at once."""
        if self._tally is None:
            if self._parameters is not None:
                raise UnfittedError("the parameters of this net were given, not estimated: fit(data) replaces them.")
            return self.fit(data, sample_weight=sample_weight)
        return self._adopt(self.tally_ + self._count(data, sample_weight), None)

    def merge(self, other: GaussianNet) -> Self:
        """Add the moments of another net of the same graph."""
        if not isinstance(other, GaussianNet):
            raise InputTypeError(f"a GaussianNet can be merged with another GaussianNet, not with {other!r}")
        check_exact(self._trace)
        check_exact(other._trace)
        return self._adopt(self.tally_ + other.tally_, None)

    def forget(self, data: Any, *, sample_weight: Any = None) -> Self:
        """Remove rows, up to rounding, as if they had never been counted."""
        return self._adopt(self.tally_ - self._count(data, sample_weight), None)

    @property
    def tally_(self) -> GaussianTally:
        """The moments of all families: a value that adds, subtracts and scales."""
        if self._tally is None:
            raise UnfittedError("this GaussianNet has no moments yet: call fit(data)")
        return self._tally

    @property
    def log_likelihoods_(self) -> tuple[float, ...]:
        """The log-likelihood at the start and after each iteration of EM."""
        if self._trace is None:
            raise UnfittedError('this GaussianNet has not been fitted with missing="em"')
        return self._trace.log_likelihoods

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
        >>> net = GaussianNet([("height", "weight")])
        >>> net.fit({"height": [150, 160, 170, 180], "weight": [52, 58, 72, 78]}).n_parameters
        5
        """
        return sum(2 + len(own.coefficients) for own in self.parameters.values())

    @property
    def joint(self) -> MultivariateNormal:
        """The joint distribution of all nodes."""
        return self._joint(self.parameters)

    def arrow_strengths(self) -> ArrowStrengths:
        """How much each parent tells about its child, given the other parents: the strongest first.

        The share is the squared partial correlation.
        """
        return gaussian_strengths(self.dag, self.joint)

    # Queries, samples and interventions -------------------------------------------------------------------------------

    def query(
        self, targets: Node | Sequence[Node], evidence: Mapping[Any, float] | None = None
    ) -> Normal | MultivariateNormal:
        """The distribution of one node, or the joint distribution of several, given observed values."""
        posterior = self.joint.given(_read_evidence(evidence))
        if isinstance(targets, Sequence) and not isinstance(targets, str) and targets not in self.nodes:
            return posterior.marginal(targets)
        return posterior[targets]

    def ask(self, question: str | Question) -> Any:
        """Answer ``P(height | weight=70)``, a distribution, or ``P(height > 180)`` and ``E(height | do(weight=70))``.

        The last two are numbers. See ``BayesNet.ask``.
        """
        return answer_gaussian(self, question)

    def marginals(self, evidence: Mapping[Any, float] | None = None) -> dict[Node, Normal]:
        """The distribution of every node, given observed values."""
        posterior = self.joint.given(_read_evidence(evidence))
        return {node: posterior[node] for node in self.nodes}

    def log_likelihood(self, data: Any, *, sample_weight: Any = None) -> float:
        """Σ w·log density of the rows; missing values and columns are integrated out."""
        sample = read_number_sample(data, self.nodes, sample_weight=sample_weight, missing="skip", may_lack=True)
        densities = self.joint.log_density(sample.values)
        return float(densities.sum() if sample.sample_weight is None else densities @ sample.sample_weight)

    def sample(
        self, n: int, *, random_state: RandomState = None, evidence: Mapping[Any, float] | None = None
    ) -> dict[Node, Floats]:
        """Draw n rows from the joint distribution given the evidence: a column for each node.

        Examples
        --------
        >>> parameters = {"a": LinearGaussian(1.0), "b": LinearGaussian(0.0, {"a": 2.0})}
        >>> net = GaussianNet.from_parameters([("a", "b")], parameters)
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
        """The net after an intervention: the nodes that are set have no parents any more."""
        given = _read_evidence(actions)
        values = {node: LinearGaussian(finite_number(node, given[node], "new value")) for node in given}
        arrows = [(parent, child) for parent, child in self.dag.directed_edges if child not in values]
        for node in values:
            self.dag.index(node)
        return GaussianNet.from_parameters(DAG(arrows, self.nodes), {**self.parameters, **values})

    def __repr__(self) -> str:
        return f"GaussianNet({dag_size(self.dag)}{', not fitted' if self._parameters is None else ''})"

    # -----------------------------------------------------------------------------------------------------------------

    @cached_property
    def _parents(self) -> dict[Node, tuple[Node, ...]]:
        families = zip(self.nodes, families_of(self.dag), strict=True)
        return {node: tuple(self.nodes[parent] for parent in family[:-1]) for node, family in families}

    def _read(self, data: Any, sample_weight: Any, missing: FitMissing) -> tuple[Floats, Floats | None]:
        sample = read_number_sample(data, self.nodes, sample_weight=sample_weight, missing=missing)
        return sample.values, sample.sample_weight

    def _count(self, data: Any, sample_weight: Any) -> GaussianTally:
        check_exact(self._trace)
        return GaussianTally.of(self.dag, *self._read(data, sample_weight, self._missing))

    def _regress(self, tally: GaussianTally, variance: Variance) -> dict[Node, LinearGaussian]:
        return {node: regress(tally[node], self._parents[node], node, variance) for node in self.nodes}

    def _adopt(self, tally: GaussianTally, trace: EMTrace | None) -> Self:
        self._parameters = self._regress(tally, self._variance)
        self._tally, self._trace = tally, trace
        return self

    def _joint(self, parameters: Mapping[Any, LinearGaussian]) -> MultivariateNormal:
        mean = np.zeros(len(self.nodes))
        root = np.zeros((len(self.nodes),) * 2)  # a square root of the covariance: a column for the noise of each node
        for node in self.dag.topological_order():
            own, index = parameters[node], self.dag.index(node)
            parents = [self.dag.index(parent) for parent in own.coefficients]
            slopes = np.array(list(own.coefficients.values()))
            mean[index] = own.intercept + slopes @ mean[parents]
            root[index] = slopes @ root[parents]
            root[index, index] = np.sqrt(own.variance)
        return MultivariateNormal.of_root(self.nodes, mean, root)


def _read_evidence(evidence: Any) -> Mapping[Any, float]:
    if evidence is None:
        return {}
    if not isinstance(evidence, Mapping):
        raise InputTypeError(f'observed values are a mapping such as {{"height": 180}}, not {evidence!r}')
    return evidence


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
