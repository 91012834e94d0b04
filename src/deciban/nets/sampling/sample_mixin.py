"""The methods of ``BayesNet`` that draw rows, each a call of a function of its ``Network``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from deciban.nets.graphs.base import Node
from deciban.nets.network import Evidence, Network
from deciban.nets.sampling import draw
from deciban.nets.sampling.draw import RowFormat
from deciban.nets.sampling.samples import Estimate, GibbsSample, WeightedSample
from deciban.read.random_state import RandomState

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
        n : int
            The number of rows.
        random_state : int, numpy.random.Generator or None
            The same int gives the same rows.
        evidence : mapping, optional
            Observed states, such as ``{"rain": "yes"}``.
        as_ : {"arrow", "codes"}
            "arrow": a ``pyarrow.Table`` of labels, which ``fit``, ``discover`` and ``search`` take and whose
            ``to_pandas()`` gives categories; "codes": an array, rows × nodes, of indices into ``states``.
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
        return draw.sample_rows(self.network, n, random_state=random_state, evidence=evidence, as_=as_, limit=limit)

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
        return draw.sample_gibbs(
            self.network, n, evidence, random_state=random_state, chains=chains, burn_in=burn_in, thin=thin, as_=as_
        )

    def estimate(
        self, target: Node, evidence: Evidence | None = None, *, n: int = 100_000, random_state: RandomState = None
    ) -> Estimate:
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
        Estimate
            State → probability, with ``standard_error``.

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
        return draw.estimate_posterior(self.network, target, evidence, n=n, random_state=random_state)
