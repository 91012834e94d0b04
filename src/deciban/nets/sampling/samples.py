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
    rows
        The rows, as ``net.sample`` returns them.
    weights
        P(observed states | their parents) of each row, normalized to sum to 1.
    log_probability
        The logarithm of the mean weight: an estimate of log P(evidence).
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
    rows
        The rows, as ``net.sample`` returns them.
    r_hat
        For each node its R-hat: 1 if the chains agree; above 1.01 they are too short, or stuck.
    effective_size
        For each node its effective sample size: the number of independent rows with the same variance.
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
    """An estimated distribution: state → probability, with its standard errors."""

    probabilities: Mapping[State, float]
    standard_error: Mapping[State, float]
    effective_size: float

    @property
    def _values(self) -> Mapping[State, float]:  # type: ignore[override]
        return self.probabilities

    def __str__(self) -> str:
        return "\n".join(f"{state}  {p:.6f} ± {self.standard_error[state]:.6f}" for state, p in self.items())
