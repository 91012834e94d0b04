"""BIC of families of categories and numbers.

Both scores are differences of a function of sets of variables,

    local(v, P) = s(P ∪ v) − s(P),    s(S) = ℓ(S) − ½·log n·d(S)

with the log-likelihood ℓ of the variables in S, and their number of free parameters d; only categories with numbers as
parents are scored in another way by "cg_bic". Where all columns are of one kind they are ``BIC`` of categories and
``GaussianBIC`` of numbers; of mixed families, see the two classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deciban import _core
from deciban.errors import InputError, MissingValueError
from deciban.nets.data.centred import CentredProducts, spreads
from deciban.nets.data.node_rows import Reads
from deciban.nets.data.samples import MixedSample, read_variables, unsigned
from deciban.nets.scores.protocol import ADVICE, CoreScores, check_penalty, check_total

__all__ = ["ConditionalGaussianBIC", "DegenerateGaussianBIC"]


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

    def on(self, data: Any, *, sample_weight: Any = None) -> CoreScores:
        """The score on a table.

        Parameters
        ----------
        data : table or MixedSample
            Categories and numbers without missing values.
        sample_weight : array, optional
            How many rows each row stands for.

        Returns
        -------
        CoreScores
            The local scores.
        """
        sample = _read(data, sample_weight)
        coded, cost = sample.categories, 0.5 * self.penalty * np.log(sample.total)
        store = _core.CodeStore(unsigned(coded.codes), coded.sizes, sample.sample_weight)
        values = np.ascontiguousarray(sample.numbers.values.T)
        scores = _core.cell_scores(store, values, sample.slots, cost)
        return CoreScores(sample.names, sample.total, scores, is_quick=False)  # logistic regressions read all rows


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

    def on(self, data: Any, *, sample_weight: Any = None) -> CoreScores:
        """The score on a table.

        Parameters
        ----------
        data, sample_weight
            As in ``ConditionalGaussianBIC.on``.

        Returns
        -------
        CoreScores
        """
        sample = _read(data, sample_weight)
        columns, starts = sample.embedded()
        products = CentredProducts.of(columns, sample.sample_weight)
        # A category of one state is no variable: its column is constant, and counts for nothing.
        used = np.flatnonzero(products.spread > 0)
        correlation = np.ascontiguousarray(products.correlations()[np.ix_(used, used)])
        log_spread = np.log(products.spread[used]) + np.log(products.scale[used])
        starts, cost = np.searchsorted(used, starts), 0.5 * self.penalty * np.log(sample.total)
        scores = _core.block_scores(correlation, starts, log_spread, sample.total, cost)
        return CoreScores(sample.names, sample.total, scores)


def _read(data: Any, sample_weight: Any) -> MixedSample:
    sample = read_variables(data, "mixed", ADVICE, sample_weight=sample_weight)
    check_total(sample)
    if (sample.categories.codes < 0).any() or not sample.numbers.is_complete:
        raise MissingValueError('a score needs complete rows. Pass missing="drop".')
    spread = spreads(sample.numbers.values, sample.sample_weight)
    for name, deviation in zip(sample.numbers.names, spread, strict=True):
        if deviation <= 1e-12:
            raise InputError(f"column {name!r} is constant: it has no Gaussian. Leave it out.")
    return sample
