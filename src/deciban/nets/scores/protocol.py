"""What ``search`` needs of a score; any object that has it can be passed.

A score is a sum of local ones, one for each variable and its parents, so a search computes only what a step changes:

    score(G) = Σ_v local(v, parents of v)

    Score          ``score=``: knows what kind of columns it reads, and ``on`` a sample gives ``LocalScores``
    LocalScores    the local score of each family, a variable and its parents

Beside ``names`` and ``local``, ``LocalScores`` may have more, which makes a search faster:

    in_core             the same scores as the core reads them, ``_core.LocalScores``: a search then stays in the core
    is_quick            whether they are so fast that a search can afford to begin from several orders
    over_sets(most)     all local scores at once, for ``method="exact"``; see ``scores_over_sets``
    reordered(order)    the same scores with the variables in another order

and one method that says more than ``local``:

    gains(arrivals)     what each added parent gains, where it is not the difference of two local scores, as for rows
                        with missing values, which are compared on common rows; see ``incomplete.py``
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from deciban import _core
from deciban.errors import InputError, ParameterError
from deciban.nets.data.node_rows import Reads
from deciban.nets.data.samples import Advice, NetSample
from deciban.nets.graphs.bits import bits, lists_of, mask_of, masks_of
from deciban.nets.graphs.graph import Node
from deciban.types import Floats, Ints

__all__ = [
    "ADVICE",
    "Arrival",
    "CoreScores",
    "Family",
    "LocalScores",
    "Score",
    "check_penalty",
    "check_total",
    "core_scores",
    "gains_of",
    "in_order",
    "scores_over_sets",
]

Family = tuple[int, int]
"""A variable, and its parents as a bit mask: bit i stands for the i-th variable."""

Arrival = tuple[int, int, int]
"""y, x and S: x becomes a parent of y, which has the parents S already."""

ADVICE = Advice(
    categories='pass score="bic"',
    numbers='pass score="gaussian_bic"',
    labels='Pass score="cg_bic", which reads both, leave it out, or bin the columns of numbers and pass score="bdeu".',
)
"""What a user can do with columns that a score does not read."""


class LocalScores(Protocol):
    """A score on a sample: what a search needs of ``score.on(sample)``.

    It may also have ``over_sets(most)``, all local scores at once for ``method="exact"``, and ``reordered(order)``, the
    same scores with the variables in another order; both make a search faster. With ``gains(arrivals)`` it says itself
    what each added parent gains, for ``method="ges"``.

    See Also
    --------
    Score : Makes it.
    CodeScores : Local scores that are counted in the core.

    Examples
    --------
    >>> from deciban.nets import BIC
    >>> scores = BIC().on({"rain": ["no", "yes"], "wet": ["no", "yes"]})
    >>> scores.names, scores.local([(0, 0b0), (0, 0b10)]).shape
    (('rain', 'wet'), (2,))
    """

    @property
    def names(self) -> tuple[Node, ...]:
        """The variables."""
        ...

    def local(self, families: Sequence[Family]) -> Floats:
        """The local score of each family.

        Parameters
        ----------
        families : sequence of pairs
            (index of a variable, its parents as a bit mask: bit i stands for the i-th variable).

        Returns
        -------
        array
            In nats; higher is better.
        """
        ...


@runtime_checkable
class Score(Protocol):
    """What ``search`` needs of a score: any object that has it can be passed as ``score``.

        score(G) = Σ_v local(v, parents of v)

    A score is a sum of local ones, so a search computes only what a step changes.

    See Also
    --------
    BIC : A score of categories.
    SCORES : The scores by name.

    Examples
    --------
    A score is any object with ``reads`` and ``on``:

    >>> import deciban as db
    >>> from deciban.nets import CodeScores, Score
    >>> class LogLikelihood:
    ...     reads = "categories"
    ...
    ...     def on(self, data):
    ...         return CodeScores(data, "likelihood", penalty=0.0)
    >>> isinstance(LogLikelihood(), Score)
    True
    >>> db.search({"a": [0, 0, 1, 1], "b": [0, 1, 1, 1]}, LogLikelihood(), method="hc").graph
    DAG(b → a)
    """

    @property
    def reads(self) -> Reads:
        """The kind of columns: "categories" for a ``CodedSample``, "numbers", "mixed" for a ``MixedSample``."""
        ...

    def on(self, data: Any) -> LocalScores:
        """The score on a sample.

        Parameters
        ----------
        data : CodedSample, NumberSample or MixedSample
            The rows, without missing values.

        Returns
        -------
        LocalScores
        """
        ...


class CoreScores:
    """Local scores that the core computes, each only once.

    Parameters
    ----------
    names : tuple
        The variables.
    rows : float
        The number of rows, or their weight.
    in_core
        The scores as a search in the core reads them.
    is_quick : bool
        Whether a search can afford to begin from several orders.

    See Also
    --------
    LocalScores : What a search needs of local scores.
    """

    def __init__(
        self, names: tuple[Node, ...], rows: float, in_core: _core.LocalScores, *, is_quick: bool = True
    ) -> None:
        self.names, self.rows, self.in_core, self.is_quick = names, float(rows), in_core, is_quick

    def reordered(self, order: Ints) -> Self:
        """The same scores with the variables in another order.

        Parameters
        ----------
        order : array of int
            The indices of the variables in the order wanted.

        Returns
        -------
        CoreScores
            Of the same class.
        """
        other = copy(self)
        other.names = tuple(self.names[v] for v in order)
        other.in_core = self.in_core.reordered(np.asarray(order, dtype=np.int64))
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
        children = np.array([child for child, _ in families], dtype=np.int64)
        return self.in_core.local(children, *lists_of(parents for _, parents in families))


def scores_over_sets(scores: LocalScores, most: int) -> tuple[list[Floats], int]:
    """For each variable its local score for every set of the others, and the most parents that can be best.

    The sets are in the order of their bit masks once the variable's own bit is left out; a set of more than `most`
    parents has −∞.
    """
    if hasattr(scores, "over_sets"):
        return scores.over_sets(most)
    count = len(scores.names)
    sets = np.arange(1 << (count - 1), dtype=np.int64)
    is_allowed = np.bitwise_count(sets) <= most
    out = []
    for child in range(count):
        # The bits of a set of the others, with a gap at the variable's own bit.
        low = (1 << child) - 1
        masks = (sets & low) | (sets & ~low) << 1
        table = np.full(len(sets), -np.inf)
        table[is_allowed] = scores.local([(child, mask) for mask in masks[is_allowed].tolist()])
        out.append(table)
    return out, min(most, count - 1)


def core_scores(scores: LocalScores) -> _core.LocalScores:
    """Local scores as the core reads them; those that it does not have are asked for in Python."""
    if hasattr(scores, "in_core"):
        return scores.in_core

    def local(children: Ints, starts: Ints, parents: Ints) -> Floats:
        families = list(zip(children.tolist(), masks_of((starts, parents)), strict=True))
        return np.asarray(scores.local(families), dtype=np.float64)

    return _core.called_scores(len(scores.names), local)


def gains_of(scores: LocalScores, arrivals: Sequence[Arrival]) -> Floats:
    """What each added parent gains: as the scores say it themselves, or the difference of two local scores."""
    if hasattr(scores, "gains"):
        return scores.gains(arrivals)
    with_x = scores.local([(y, given | 1 << x) for y, x, given in arrivals])
    return with_x - scores.local([(y, given) for y, _, given in arrivals])


def in_order(scores: LocalScores, order: Ints) -> LocalScores:
    """The same scores with the variables in another order."""
    reordered = getattr(scores, "reordered", None)
    return _Reordered(scores, order.tolist()) if reordered is None else reordered(order)


class _Reordered:
    """Local scores with the variables in another order."""

    def __init__(self, scores: LocalScores, order: Sequence[int]) -> None:
        self.names = tuple(scores.names[index] for index in order)
        self._scores, self._order = scores, order

    def local(self, families: Sequence[Family]) -> Floats:
        old = [(self._order[child], mask_of(self._order[up] for up in bits(mask))) for child, mask in families]
        return self._scores.local(old)


def check_penalty(penalty: float) -> None:
    """Refuse a factor of the penalty that is not a number of 0 or more."""
    is_number = isinstance(penalty, int | float | np.number) and not isinstance(penalty, bool)
    if not (is_number and 0 <= penalty < np.inf):
        raise ParameterError(f"penalty is what the penalty is multiplied by, 0 or more; not {penalty!r}.")


def check_total(sample: NetSample) -> None:
    """Refuse sample weights that do not make up one row: the logarithm of n would be negative."""
    if sample.total < 1:
        raise InputError(
            f"the sample weights sum to {sample.total:g}; a weight is a number of rows. Multiply them by the number of "
            "rows."
        )
