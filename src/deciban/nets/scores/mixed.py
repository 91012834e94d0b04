"""BIC of families of categories and numbers.

Both scores are differences of a function of sets of variables,

    local(v, P) = s(P ∪ v) − s(P),    s(S) = ℓ(S) − ½·log n·d(S)

with the log-likelihood ℓ of the variables in S, and their number of free parameters d; only categories with numbers as
parents are scored in another way by "cg_bic". Where all columns are of one kind they are ``BIC`` of categories and
``GaussianBIC`` of numbers; of mixed families, see the two classes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from deciban import _core
from deciban.errors import InputError, MissingValueError
from deciban.nets.data.centred import CentredProducts
from deciban.nets.data.node_rows import Reads
from deciban.nets.data.samples import MixedSample, read_variables, unsigned
from deciban.nets.graphs.bits import bits
from deciban.nets.scores.protocol import ADVICE, Family, check_penalty, check_total
from deciban.types import Floats, Ints

__all__ = ["ConditionalGaussianBIC", "DegenerateGaussianBIC", "SetScores"]

# The least eigenvalue of correlations that a rounding error could not have made; as in ``gaussian.py``.
_SINGULAR = 1e-11

# Sets at a time whose matrices are in memory.
_BATCH = 1 << 12


@dataclass(frozen=True)
class ConditionalGaussianBIC:
    """BIC of a table of categories and numbers, with the numbers normal in each cell of the categories.

        s(S) = Σ_c n_c·log(n_c / n) − n_c/2·log det(2πe·Σ_c) − ½·log n·d(S)
        local(v, parents) = s(parents, v) − s(parents)

    over the cells c of the categories in a set S of variables, with the covariance Σ_c of its numbers in the cell; d(S)
    are the free parameters: those of a full table of the categories, the means of the cells with rows, and the
    covariances. Cells with few rows share one covariance (Andrews, Ramsey and Cooper 2018). So a number is a regression
    in each configuration of its categorical parents. A category that has numbers among its parents is a logistic
    regression in each configuration of the others:

        local(v, parents) = Σ log P(v | parents) − ½·log n·d

    For these families the difference is no likelihood: it does not sum to 1 over the states, and the best of all graphs
    may then have many arrows from one number to several categories. Equivalent graphs have the same score if they
    differ in arrows between columns of one kind only. Of categories alone it is ``BIC``, of numbers alone
    ``GaussianBIC``.

    Parameters
    ----------
    penalty : float
        What the penalty is multiplied by: above 1 for fewer edges, 0 for the log-likelihood alone.

    See Also
    --------
    DegenerateGaussianBIC : Faster, with fewer parameters.
    ConditionalGaussian : The test.
    search : Takes it as ``score``, also as "cg_bic"; the default for a mixed table.

    Examples
    --------
    >>> import numpy as np
    >>> import deciban as db
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.choice(["f", "m"], 500)
    >>> height = np.where(sex == "m", 178, 165) + rng.normal(0, 7, 500)
    >>> rows = {
    ...     "sex": sex,
    ...     "height": height,
    ...     "weight": height - 100 + rng.normal(0, 8, 500),
    ... }
    >>> db.search(rows, "cg_bic").graph
    CPDAG(height — sex, height — weight)
    """

    penalty: float = 1.0
    reads: ClassVar[Reads] = "mixed"

    def __post_init__(self) -> None:
        check_penalty(self.penalty)

    def on(self, data: Any, *, sample_weight: Any = None) -> SetScores:
        """The score on a table.

        Parameters
        ----------
        data : table or MixedSample
            Categories and numbers without missing values.
        sample_weight : array, optional
            How many rows each row stands for.

        Returns
        -------
        SetScores
            The local scores.
        """
        return _CellScores(read_variables(data, "mixed", ADVICE, sample_weight=sample_weight), self.penalty)


@dataclass(frozen=True)
class DegenerateGaussianBIC:
    """BIC of indicators and numbers, as if all were jointly normal.

        s(S) = −n/2·log det(2πe·Σ_S) − ½·log n·k·(k + 3)/2,    local(v, parents) = s(parents, v) − s(parents)

    with the covariance Σ_S of the k columns of a set S of variables: of a category the indicators of its states but
    one, of a number itself (Andrews, Ramsey and Cooper 2019). Equivalent graphs have the same score, which is computed
    from one matrix of covariances. Of numbers alone it is ``GaussianBIC``.

    Parameters
    ----------
    penalty : float
        What the penalty is multiplied by: above 1 for fewer edges, 0 for the log-likelihood alone.

    See Also
    --------
    ConditionalGaussianBIC : Regressions and variances of their own in each cell.
    DegenerateGaussian : The test.
    search : Takes it as ``score``, also as "dg_bic".

    Examples
    --------
    >>> import numpy as np
    >>> import deciban as db
    >>> rng = np.random.default_rng(0)
    >>> sex = rng.choice(["f", "m"], 500)
    >>> height = np.where(sex == "m", 178, 165) + rng.normal(0, 7, 500)
    >>> db.search({"sex": sex, "height": height}, "dg_bic").graph
    CPDAG(height — sex)
    """

    penalty: float = 1.0
    reads: ClassVar[Reads] = "mixed"

    def __post_init__(self) -> None:
        check_penalty(self.penalty)

    def on(self, data: Any, *, sample_weight: Any = None) -> SetScores:
        """The score on a table.

        Parameters
        ----------
        data, sample_weight
            As in ``ConditionalGaussianBIC.on``.

        Returns
        -------
        SetScores
        """
        return _BlockScores(read_variables(data, "mixed", ADVICE, sample_weight=sample_weight), self.penalty)


class SetScores(ABC):
    """Local scores that are differences of scores of sets of variables, each of which is computed once.

    Parameters
    ----------
    sample : MixedSample
        Categories and numbers without missing values.
    penalty : float
        What the penalty is multiplied by.

    Attributes
    ----------
    names : tuple
        The variables.
    rows : float
        The number of rows, or their weight.

    See Also
    --------
    LocalScores : What a search needs of local scores.
    """

    def __init__(self, sample: MixedSample, penalty: float) -> None:
        check_total(sample)
        if (sample.categories.codes < 0).any() or not sample.numbers.is_complete:
            raise MissingValueError('a score needs complete rows. Pass missing="drop".')
        self.names = sample.names
        self.rows = float(sample.total)
        self._cost = 0.5 * penalty * np.log(self.rows)
        self._order = np.arange(len(sample.names), dtype=np.int64)  # of the variables in the sample
        self._known: dict[int, float] = {0: 0.0}

    @abstractmethod
    def _sets(self, masks: Sequence[int]) -> Floats:
        """The score of each set of variables, as a bit mask."""

    def reordered(self, order: Ints) -> Self:
        """The same scores with the variables in another order.

        Parameters
        ----------
        order : array of int
            The indices of the variables in the order wanted.

        Returns
        -------
        SetScores
        """
        other = copy(self)
        other.names = tuple(self.names[v] for v in order)
        other._order = self._order[order]
        new_bit = {int(old): 1 << new for new, old in enumerate(order)}
        other._known = {sum(new_bit[v] for v in bits(mask)): score for mask, score in self._known.items()}
        return other

    def local(self, families: Sequence[Family]) -> Floats:
        """The local score of each family; new ones are computed, all at once.

        Parameters
        ----------
        families : sequence of pairs
            (index of a variable, its parents as a bit mask).

        Returns
        -------
        array
            In nats, higher is better.
        """
        wanted = dict.fromkeys(mask for child, parents in families for mask in (parents | 1 << child, parents))
        new = [mask for mask in wanted if mask not in self._known]
        if new:
            self._known.update(zip(new, self._sets(new).tolist(), strict=True))
        known = self._known
        return np.array([known[parents | 1 << child] - known[parents] for child, parents in families])


class _CellScores(SetScores):
    """Scores of sets from the moments of the numbers in each cell of the categories."""

    def __init__(self, sample: MixedSample, penalty: float) -> None:
        super().__init__(sample, penalty)
        products = CentredProducts.of(sample.numbers.values, sample.sample_weight)
        _check_constant(sample, products)
        coded = sample.categories
        values = np.ascontiguousarray(sample.numbers.values.T)
        self._store = _core.MixedSets(unsigned(coded.codes), coded.sizes, values, sample.slots, sample.sample_weight)

        self._slots = sample.slots
        self._logistic: dict[Family, float] = {}

    def reordered(self, order: Ints) -> Self:
        other = super().reordered(order)
        other._logistic = {}
        return other

    def local(self, families: Sequence[Family]) -> Floats:
        is_number = self._slots[self._order] < 0
        numbers = sum(1 << v for v in np.flatnonzero(is_number).tolist())
        is_logistic = np.array([not is_number[child] and parents & numbers != 0 for child, parents in families], bool)
        out = np.empty(len(families))
        mixed = [family for family, is_one in zip(families, is_logistic.tolist(), strict=True) if is_one]
        others = [family for family, is_one in zip(families, is_logistic.tolist(), strict=True) if not is_one]
        out[~is_logistic] = super().local(others)
        new = [family for family in dict.fromkeys(mixed) if family not in self._logistic]
        if new:
            children = self._order[[child for child, _ in new]]
            starts, members = self._members([parents for _, parents in new])
            likelihood, parameters = self._store.categories(children, starts, members).T
            scores = likelihood - self._cost * parameters
            self._logistic.update(zip(new, scores.tolist(), strict=True))
        out[is_logistic] = [self._logistic[family] for family in mixed]
        return out

    def _sets(self, masks: Sequence[int]) -> Floats:
        likelihood, parameters = self._store.likelihoods(*self._members(masks)).T
        return likelihood - self._cost * parameters

    def _members(self, masks: Sequence[int]) -> tuple[Ints, Ints]:
        """The starts and the members of sets, in the order of the sample: so are their sums, in whatever search."""
        sets = [np.sort(self._order[list(bits(mask))]) for mask in masks]
        return np.cumsum([0, *map(len, sets)], dtype=np.int64), np.concatenate(sets)


class _BlockScores(SetScores):
    """Scores of sets from one matrix of correlations of indicators and numbers."""

    def __init__(self, sample: MixedSample, penalty: float) -> None:
        super().__init__(sample, penalty)
        columns, self._starts = sample.embedded()
        products = CentredProducts.of(columns, sample.sample_weight)
        _check_constant(sample, CentredProducts.of(sample.numbers.values, sample.sample_weight))
        self._correlation = products.correlations()
        with np.errstate(divide="ignore"):
            spread = np.log(products.spread) + np.log(products.scale)
        # A category of one state is no variable: its column is constant, and counts for nothing.
        self._is_used = products.spread > 0
        self._log_spread = np.where(self._is_used, spread, 0.0)

    def _sets(self, masks: Sequence[int]) -> Floats:
        out = np.empty(len(masks))
        by_size: dict[int, list[tuple[int, Ints]]] = defaultdict(list)
        for at, mask in enumerate(masks):
            # In the order of the sample: then sums are the same whatever the order of a search.
            members = np.sort(self._order[list(bits(mask))])
            columns = np.concatenate([np.arange(self._starts[v], self._starts[v + 1]) for v in members])
            columns = columns[self._is_used[columns]]
            by_size[len(columns)].append((at, columns))
        for size, alike in by_size.items():
            for begin in range(0, len(alike), _BATCH):
                some = alike[begin : begin + _BATCH]
                which = np.array([columns for _, columns in some], dtype=np.intp).reshape(len(some), size)
                out[[at for at, _ in some]] = self._score(which, size)
        return out

    def _score(self, which: Ints, size: int) -> Floats:
        values = np.linalg.eigvalsh(self._correlation[which[:, :, None], which[:, None, :]])
        # Bounded below: a copy of a column would gain without limit.
        log_det = np.log(np.maximum(values, _SINGULAR)).sum(axis=1) + 2 * self._log_spread[which].sum(axis=1)
        likelihood = -0.5 * self.rows * (size * (np.log(2 * np.pi) + 1) + log_det)
        return np.asarray(likelihood - self._cost * size * (size + 3) / 2)


def _check_constant(sample: MixedSample, products: CentredProducts) -> None:
    for name, deviation in zip(sample.numbers.names, products.spread, strict=True):
        if deviation <= 1e-12:
            raise InputError(f"column {name!r} is constant: it has no Gaussian. Leave it out.")
