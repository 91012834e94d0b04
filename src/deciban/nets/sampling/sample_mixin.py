"""The methods of ``BayesNet`` that draw rows, each a call of a function of its ``Network``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from deciban.nets.graphs.base import Node
from deciban.nets.network import Evidence, Network
from deciban.nets.sampling import draw
from deciban.nets.sampling.draw import RandomState, RowFormat
from deciban.nets.sampling.samples import Estimate, GibbsSample, WeightedSample

__all__ = ["SampleMixin"]


class SampleMixin(ABC):
    """Rows drawn from the ``network`` of a net."""

    @property
    @abstractmethod
    def network(self) -> Network:
        """The graph, the states and the tables."""

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
        its part. ``r_hat`` shows it if chains started in different parts.

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
