"""Samples with weights or diagnostics, and estimates from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deciban.mappings import ResultMapping
from deciban.nets.graphs.base import Node
from deciban.nets.network import State
from deciban.types import Floats

__all__ = ["Estimate", "GibbsSample", "WeightedSample"]


@dataclass(frozen=True, eq=False)
class WeightedSample:
    """Rows drawn forward with the observed states fixed, and their likelihood weights.

    Attributes
    ----------
    rows : pyarrow.Table or array
        The rows, as ``BayesNet.sample`` returns them.
    weights : array
        P(observed states | their parents) of each row, normalized to sum to 1.
    log_probability : float
        The logarithm of the mean weight: an estimate of log P(evidence).

    See Also
    --------
    BayesNet.sample_weighted : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet([("rain", "wet")]).fit(
    ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
    ... )
    >>> drawn = net.sample_weighted(1000, {"wet": "yes"}, random_state=0)
    >>> abs(drawn.log_probability - net.log_probability({"wet": "yes"})) < 0.05
    True
    """

    rows: Any
    weights: Floats
    log_probability: float

    @property
    def effective_size(self) -> float:
        """(Σw)² / Σw²: the number of unweighted rows with the same variance (Kong 1992)."""
        return float(1 / (self.weights**2).sum())


@dataclass(frozen=True, eq=False)
class GibbsSample:
    """Rows of several chains, one chain after the other.

    Attributes
    ----------
    rows : pyarrow.Table or array
        The rows, as ``BayesNet.sample`` returns them.
    r_hat : mapping
        Node → R-hat: 1 if the chains agree; above 1.01 they are too short, or stuck.
    effective_size : mapping
        Node → effective sample size: the number of independent rows with the same variance.

    See Also
    --------
    BayesNet.sample_gibbs : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet([("rain", "wet")]).fit(
    ...     {"rain": ["no", "no", "yes"], "wet": ["no", "yes", "yes"]}
    ... )
    >>> drawn = net.sample_gibbs(4000, random_state=0)
    >>> drawn.is_converged, drawn.effective_size["rain"] > 1000
    (True, True)
    """

    rows: Any
    r_hat: Mapping[Node, float]
    effective_size: Mapping[Node, float]

    @property
    def is_converged(self) -> bool:
        """Whether every R-hat is at most 1.01."""
        return all(value <= 1.01 for value in self.r_hat.values())


@dataclass(frozen=True, eq=False)
class Estimate(ResultMapping[State, float]):
    """An estimated distribution: a mapping from states to probabilities, with standard errors.

    Attributes
    ----------
    probabilities : mapping
        State → probability.
    standard_error : mapping
        State → standard error.
    effective_size : float
        The number of unweighted rows with the same variance.

    See Also
    --------
    BayesNet.estimate : Returns it.

    Examples
    --------
    >>> import deciban as db
    >>> net = db.BayesNet(db.DAG(nodes=["coin"])).fit({"coin": ["head", "tail"]})
    >>> found = net.estimate("coin", n=10_000, random_state=0)
    >>> round(found["head"], 2), found.effective_size
    (0.5, 10000.0)
    """

    probabilities: Mapping[State, float]
    standard_error: Mapping[State, float]
    effective_size: float

    @property
    def _values(self) -> Mapping[State, float]:  # type: ignore[override]
        return self.probabilities

    def __str__(self) -> str:
        return "\n".join(f"{state}  {p:.6f} ± {self.standard_error[state]:.6f}" for state, p in self.items())
