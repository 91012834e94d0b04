"""Scores of a graph on categories: how well it explains a sample, less a penalty for its parameters.

With r states of v, q configurations of its parents, and counts n_jk:

    BIC     Σ n_jk·log(n_jk / n_j) − ½·log n·(r − 1)·q      (Schwarz, 1978)
    BDeu    Σ_j log Γ(a/q)/Γ(a/q + n_j) + Σ_jk log Γ(a/qr + n_jk)/Γ(a/qr)      (Heckerman et al., 1995)
    K2      Σ_j log Γ(r)/Γ(r + n_j) + Σ_jk log Γ(1 + n_jk)      (Cooper, Herskovits, 1992)

BIC and BDeu give equivalent graphs the same score; K2 does not. All three are in nats, and higher is better. Every row
counts in every family, n times where its weight is n. ``tests/reference/scores.py`` has the readable twin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np

from deciban import _core
from deciban.errors import MissingValueError, ParameterError
from deciban.estimate.smoothing import Smoothing
from deciban.nets.data.node_rows import Reads
from deciban.nets.data.samples import CodedSample, read_codes, unsigned
from deciban.nets.scores.protocol import ADVICE, CoreScores, check_penalty, check_total
from deciban.storable import storable
from deciban.types import AnyArray, Floats, Ints

__all__ = ["BIC", "K2", "BDeu", "CodeScores"]

Form = Literal["likelihood", "bdeu", "k2"]


@dataclass(frozen=True)
class BIC:
    """The Bayesian information criterion: the log-likelihood, less ½·log n for each free parameter.

        Σ n_jk·log(n_jk / n_j) − ½·log n·(r − 1)·q      (Schwarz, 1978)

    for counts n_jk of r states under q configurations of the parents. Equivalent graphs have the same score.

    Parameters
    ----------
    penalty : float
        What the penalty is multiplied by: above 1 for fewer edges, as among many columns in few rows; 0 for the
        log-likelihood alone.

    See Also
    --------
    BDeu : A marginal likelihood.
    GaussianBIC : The same for numbers.
    search : Takes it as ``score``, also as "bic".

    Examples
    --------
    >>> import deciban as db
    >>> from deciban.nets import BIC
    >>> rows = {"rain": ["no", "yes", "no", "yes"], "wet": ["no", "yes", "no", "yes"]}
    >>> round(db.search(rows, BIC()).score, 3)
    -4.852

    The local scores of wet without parents, and with rain as its parent (variable 0, so bit 0 of the mask):

    >>> BIC().on(rows).local([(1, 0b0), (1, 0b1)]).round(3).tolist()
    [-3.466, -1.386]
    """

    penalty: float = 1.0
    reads: ClassVar[Reads] = "categories"

    def __post_init__(self) -> None:
        check_penalty(self.penalty)

    def on(self, data: Any, *, sample_weight: Any = None) -> CodeScores:
        """The score on a table.

        Parameters
        ----------
        data : table or CodedSample
            Categories without missing values.
        sample_weight : array, optional
            How many rows each row stands for.

        Returns
        -------
        CodeScores
            The local scores.
        """
        sample = read_codes(data, sample_weight=sample_weight, numbers=ADVICE.numbers)
        return CodeScores(sample, "likelihood", penalty=0.5 * self.penalty * np.log(sample.total))


@storable
@dataclass(frozen=True)
class BDeu(Smoothing):
    """The marginal likelihood under Dirichlet priors that share ``ess`` imaginary rows evenly.

        Σ_j log Γ(a/q)/Γ(a/q + n_j) + Σ_jk log Γ(a/qr + n_jk)/Γ(a/qr)      (Heckerman et al., 1995)

    for counts n_jk of r states under q configurations of the parents, and a = ess. Equivalent graphs have the same
    score.

    It is a score, and also a smoothing: the same imaginary rows add ess/(q·r) to each cell of a table of r states and q
    configurations of the parents. In a naive Bayes model the class is the only parent of a column, and q is the number
    of classes.

    Parameters
    ----------
    ess : float
        The equivalent sample size: the number of imaginary rows, above 0.

    See Also
    --------
    K2 : With a uniform prior for every distribution.
    search : Takes it as ``score``, also as "bdeu".
    BayesNet.fit : Takes it as ``smoothing``.

    Examples
    --------
    >>> import deciban as db
    >>> rows = {"rain": ["no", "yes", "no", "yes"], "wet": ["no", "yes", "no", "yes"]}
    >>> round(db.search(rows, db.BDeu(1)).score, 3)
    -5.504
    >>> db.BayesNet([("rain", "wet")]).fit(rows, smoothing=db.BDeu(4)).tables["wet"].round(
    ...     3
    ... ).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """

    ess: float = 10.0
    reads: ClassVar[Reads] = "categories"

    def __post_init__(self) -> None:
        if not (isinstance(self.ess, int | float | np.number) and 0 < self.ess < np.inf):
            raise ParameterError(f"ess is a number of imaginary rows above 0, not {self.ess!r}.")

    def pseudocount(self, states: int, configurations: int = 1) -> float:
        """The number of imaginary rows in each cell of a table.

        Parameters
        ----------
        states : int
            The number of states.
        configurations : int
            The number of configurations of the parents.

        Returns
        -------
        float
            ess / (states · configurations).
        """
        return float(self.ess) / (max(states, 1) * max(configurations, 1))

    def on(self, data: Any, *, sample_weight: Any = None) -> CodeScores:
        """The score on a table.

        Parameters
        ----------
        data, sample_weight
            As in ``BIC.on``.

        Returns
        -------
        CodeScores
        """
        return CodeScores(
            read_codes(data, sample_weight=sample_weight, numbers=ADVICE.numbers), "bdeu", ess=float(self.ess)
        )


@dataclass(frozen=True)
class K2:
    """The marginal likelihood under a uniform prior for every distribution.

        Σ_j log Γ(r)/Γ(r + n_j) + Σ_jk log Γ(1 + n_jk)      (Cooper and Herskovits, 1992)

    for counts n_jk of r states. Equivalent graphs may have different scores.

    See Also
    --------
    BDeu : Gives equivalent graphs the same score.
    search : Takes it as ``score``, also as "k2".

    Examples
    --------
    >>> import deciban as db
    >>> from deciban.nets import K2
    >>> rows = {"rain": ["no", "yes", "no", "yes"], "wet": ["no", "yes", "no", "yes"]}
    >>> round(db.search(rows, K2(), method="hc").score, 3)
    -5.598
    """

    reads: ClassVar[Reads] = "categories"

    def on(self, data: Any, *, sample_weight: Any = None) -> CodeScores:
        """The score on a table.

        Parameters
        ----------
        data, sample_weight
            As in ``BIC.on``.

        Returns
        -------
        CodeScores
        """
        return CodeScores(read_codes(data, sample_weight=sample_weight, numbers=ADVICE.numbers), "k2")


class CodeScores(CoreScores):
    """Local scores of categories: counted in the core, and each family only once.

    Parameters
    ----------
    sample : CodedSample
        Codes without missing values.
    form : {"likelihood", "bdeu", "k2"}
        The function of a family's counts.
    penalty : float
        What each free parameter costs, in nats.
    ess : float
        The imaginary rows of "bdeu".

    Attributes
    ----------
    names : tuple
        The variables.
    sizes : array
        Their numbers of states.
    rows : float
        The number of rows, or their weight.
    in_core
        The scores as a search in the core reads them; each family is counted once.

    See Also
    --------
    LocalScores : What a search needs of local scores.

    Examples
    --------
    >>> from deciban.nets import BIC
    >>> scores = BIC().on(
    ...     {"rain": ["no", "yes", "no", "yes"], "wet": ["no", "yes", "no", "yes"]}
    ... )
    >>> scores.names, scores.sizes.tolist(), scores.local([(1, 0b1)]).round(3).tolist()
    (('rain', 'wet'), [2, 2], [-1.386])
    """

    def __init__(self, sample: CodedSample, form: Form, *, penalty: float = 0.0, ess: float = 0.0) -> None:
        check_total(sample)
        self.sizes = sample.sizes
        self._form, self._penalty, self._ess = form, float(penalty), ess
        self._codes, self._sample_weight = _core_codes(sample), sample.sample_weight
        store = _core.CodeStore(self._codes, sample.sizes, sample.sample_weight)
        super().__init__(sample.names, sample.total, _core.code_scores(store, form, self._penalty, ess))
        self._indices = np.arange(len(sample.names))  # of the variables in the sample

    def reordered(self, order: Ints) -> Self:
        """The same scores with the variables in another order.

        Parameters
        ----------
        order : array of int
            The indices of the variables in the order wanted.

        Returns
        -------
        CodeScores
        """
        other = super().reordered(order)
        other.sizes = self.sizes[order]
        other._indices = self._indices[order]
        return other

    def over_sets(self, most: int) -> tuple[list[Floats], int]:
        """Local scores for all sets of parents: each is a difference of two sums over sets of variables.

        Parameters
        ----------
        most : int
            The largest number of parents.

        Returns
        -------
        list of arrays, int
            For each variable its local score for every set of the others, and the most parents that can be best.
        """
        count = len(self.names)
        most = min(most, self._most_parents(), count - 1)
        sets = np.arange(1 << (count - 1), dtype=np.int64)
        too_many = np.bitwise_count(sets) > most
        configurations = _products(self.sizes)
        joint = self._sums(1.0 if self._form == "k2" else self._ess, most + 1)
        given = {r: self._sums(float(r), most + 1) for r in set(self.sizes.tolist())} if self._form == "k2" else {}
        scores = []
        for child, r in enumerate(self.sizes.tolist()):
            within = given.get(r, joint)
            local = _split(joint, child)[1] - _split(within, child)[0]
            local -= self._penalty * (r - 1) * _split(configurations, child)[0]
            local[too_many] = -np.inf
            scores.append(local)
        return scores, most

    def _sums(self, pseudo: float, most: int) -> Floats:
        form = {"likelihood": "xlogx", "bdeu": "gamma_shared", "k2": "gamma"}[self._form]
        store = _core.CodeStore(self._codes[self._indices], self.sizes, self._sample_weight)
        return _core.subset_sums(store, form, pseudo, most)

    def _most_parents(self) -> int:
        """The number of parents beyond which the penalty exceeds all that parents could explain (de Campos, Ji, 2011).

        With −local(v, ∅) nats to explain at most, a set that costs more than that above the empty one cannot be best.
        """
        if self._form != "likelihood" or self._penalty <= 0:
            return len(self.names)
        alone = self.local([(child, 0) for child in range(len(self.names))])
        # The variables with the fewest states make the cheapest set of each size.
        smallest = np.cumprod(np.sort(self.sizes).astype(np.float64))  # the fewest configurations of 1, 2, … parents
        worth = [
            int(np.searchsorted(self._penalty * (r - 1) * smallest, -score, side="right"))
            for r, score in zip(self.sizes.tolist(), alone.tolist(), strict=True)
            if r > 1
        ]
        return max(worth, default=0)


def _core_codes(sample: CodedSample) -> AnyArray:
    """The codes as the core reads them, without missing values."""
    if sample.codes.min(initial=0) < 0:
        raise MissingValueError('a score needs complete rows. Pass missing="drop" or missing="state".')
    return unsigned(sample.codes)


def _products(sizes: Ints) -> Floats:
    """The product of the sizes in every set."""
    products = np.ones(1)
    for size in sizes.tolist():
        products = np.concatenate([products, products * size])
    return products


def _split(values: Floats, variable: int) -> tuple[Floats, Floats]:
    """The values of the sets without a variable, and of the same sets with it."""
    halves = values.reshape(-1, 2, 1 << variable)
    return halves[:, 0].reshape(-1).copy(), halves[:, 1].reshape(-1).copy()
