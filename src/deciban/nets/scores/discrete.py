"""Scores of a graph: how well it explains a sample, less what it costs to say so.

A score is a sum of local ones, one for each variable and its parents, so a search need only look at what it changes:

    score(G) = Σ_v local(v, parents of v)

With r states of v, q configurations of its parents, and counts n_jk:

    BIC     Σ n_jk·log(n_jk / n_j) − ½·log n·(r − 1)·q      (Schwarz, 1978)
    BDeu    Σ_j log Γ(a/q)/Γ(a/q + n_j) + Σ_jk log Γ(a/qr + n_jk)/Γ(a/qr)      (Heckerman et al., 1995)
    K2      Σ_j log Γ(r)/Γ(r + n_j) + Σ_jk log Γ(1 + n_jk)      (Cooper, Herskovits, 1992)

BIC and BDeu give equivalent graphs the same score; K2 does not. All three are in nats, and higher is better. Every row
counts in every family (``rows.py``), n times where its weight is n. ``scores_reference.py`` has the readable twin.

>>> scores = BIC().on({"rain": ["no", "yes", "no", "yes"], "wet": ["no", "yes", "no", "yes"]})
>>> scores.local([(1, 0b0), (1, 0b1)]).round(3).tolist()  # wet alone; wet with rain as its parent
[-3.466, -1.386]
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from deciban import _core
from deciban.errors import ParameterError
from deciban.estimate.smoothing import Smoothing
from deciban.nets.data.kinds import check_category
from deciban.nets.data.rows import read_rows
from deciban.nets.graphs.bits import bits
from deciban.read import Column
from deciban.storable import storable
from deciban.types import AnyArray, Floats, Ints

__all__ = ["BIC", "K2", "BDeu", "CodeScores", "Family", "LocalScores", "Score"]

Family = tuple[int, int]
"""A variable, and its parents as a mask."""


class LocalScores(Protocol):
    """A score together with a sample. Variables are in the order of their names, so that of columns is irrelevant."""

    @property
    def names(self) -> tuple[str, ...]: ...
    def local(self, families: Sequence[Family]) -> Floats:
        """The local score of each family."""
        ...

    def over_sets(self, most: int) -> tuple[list[Floats], int]:
        """Of each variable, its local score for every set of the others, or −∞ where that cannot be best.

        The sets are in the order of their masks once the variable's own bit is left out. `most` parents are allowed;
        the number of those that can be worth while is given, too.
        """
        ...


class Score(Protocol):
    """A way to score; ``on`` a sample, with weights or none, it gives local scores."""

    def on(self, data: Any, weights: Any = None) -> LocalScores: ...


@dataclass(frozen=True)
class BIC:
    """The log-likelihood, less ½·log n for each free parameter."""

    def on(self, data: Any, weights: Any = None) -> CodeScores:
        sample = Coded.read(data, weights)
        return CodeScores(sample, "likelihood", penalty=0.5 * np.log(sample.rows))


@storable
@dataclass(frozen=True)
class BDeu(Smoothing):
    """The marginal likelihood under Dirichlet priors that share `ess` imaginary rows evenly.

    It is a score, and also a smoothing: the same imaginary rows add ess/(q·r) to each cell of a table of r states and q
    configurations of the parents. In a naive Bayes model the class is the only parent of a column, and q is the number
    of classes.
    """

    ess: float = 10.0

    def __post_init__(self) -> None:
        if not (isinstance(self.ess, int | float | np.number) and 0 < self.ess < np.inf):
            raise ParameterError(f"ess is a number of imaginary rows above 0, not {self.ess!r}.")

    def pseudocount(self, states: int, configurations: int = 1) -> float:
        return float(self.ess) / (max(states, 1) * max(configurations, 1))

    def on(self, data: Any, weights: Any = None) -> CodeScores:
        return CodeScores(Coded.read(data, weights), "bdeu", ess=float(self.ess))


@dataclass(frozen=True)
class K2:
    """The marginal likelihood when every distribution is as likely as any other."""

    def on(self, data: Any, weights: Any = None) -> CodeScores:
        return CodeScores(Coded.read(data, weights), "k2")


@dataclass(frozen=True, eq=False)
class Coded:
    """A sample of categories as narrow codes, variables in name order, and how many rows it stands for."""

    names: tuple[str, ...]
    codes: AnyArray
    sizes: Ints
    rows: float
    weights: Floats | None = None

    @classmethod
    def read(cls, data: Any, weights: Any = None) -> Coded:
        """Read any table; each column becomes categories."""
        sample = read_rows(data, weights)
        columns = sample.columns
        coded = [_categories(column, sample.weights) for column in columns]
        sizes = np.array([size for _, size in coded], dtype=np.int64)
        dtype = np.uint8 if sizes.max() <= 1 << 8 else np.uint16 if sizes.max() <= 1 << 16 else np.uint32
        codes = np.empty((len(columns), len(columns[0])), dtype=dtype)
        for row, (values, _) in zip(codes, coded, strict=True):
            row[:] = values
        return cls(tuple(column.name for column in columns), codes, sizes, sample.total, sample.weights)


class CodeScores:
    """Local scores of categories, counted in the core and kept."""

    def __init__(self, sample: Coded, form: str, *, penalty: float = 0.0, ess: float = 0.0) -> None:
        self.names = sample.names
        self.sizes = sample.sizes
        self.rows = sample.rows
        self._form, self._penalty, self._ess = form, float(penalty), ess
        self._sample = sample
        self._store = _core.CodeStore(sample.codes, sample.sizes, sample.weights)
        self._places = np.arange(len(sample.names), dtype=np.int32)  # of the variables in the store
        self._known: list[dict[int, float]] = [{} for _ in sample.names]

    def reordered(self, order: Ints) -> CodeScores:
        """The same scores with the variables in another order; parents are then counted in that order, too."""
        other = copy(self)
        other.names = tuple(self.names[v] for v in order)
        other.sizes = self.sizes[order]
        other._places = self._places[order]
        new_place = {int(old): new for new, old in enumerate(order)}
        other._known = [
            {
                1 << new_place[mask.bit_length() - 1] if mask else 0: score
                for mask, score in self._known[old].items()
                if mask.bit_count() < 2
            }
            for old in order.tolist()
        ]
        return other

    def local(self, families: Sequence[Family]) -> Floats:
        """The local score of each family; only those that are new are counted, all of them at once."""
        new = [family for family in families if family[1] not in self._known[family[0]]]
        if new:
            for (child, parents), score in zip(new, self._count(new).tolist(), strict=True):
                self._known[child][parents] = score
        return np.array([self._known[child][parents] for child, parents in families])

    def _count(self, families: Sequence[Family]) -> Floats:
        lists = [list(bits(parents)) for _, parents in families]
        starts = np.zeros(len(families) + 1, dtype=np.int64)
        np.cumsum([len(parents) for parents in lists], out=starts[1:])
        children = self._places[[child for child, _ in families]]
        flat = self._places[np.array([parent for parents in lists for parent in parents], dtype=np.intp)]
        return _core.score_families(self._store, children, starts, flat, self._form, self._penalty, self._ess)

    def over_sets(self, most: int) -> tuple[list[Floats], int]:
        """Local scores for all sets of parents: each is a difference of two sums over sets of variables."""
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
        sample = self._sample
        store = _core.CodeStore(sample.codes[self._places], self.sizes, sample.weights)
        return _core.subset_sums(store, form, pseudo, most)

    def _most_parents(self) -> int:
        """The number of parents beyond which the penalty exceeds all that parents could explain (de Campos, Ji, 2011).

        With −local(v, ∅) nats to explain at most, a set that costs more than that above the empty one cannot be best.
        """
        if self._form != "likelihood" or self._penalty <= 0:
            return len(self.names)
        alone = self.local([(child, 0) for child in range(len(self.names))])
        smallest = np.cumprod(np.sort(self.sizes).astype(np.float64))  # the fewest configurations of 1, 2, … parents
        worth = [
            int(np.searchsorted(self._penalty * (r - 1) * smallest, -score, side="right"))
            for r, score in zip(self.sizes.tolist(), alone.tolist(), strict=True)
            if r > 1
        ]
        return max(worth, default=0)


def _categories(column: Column, weights: Floats | None) -> tuple[AnyArray, int]:
    variable = column.variable()
    check_category(column, 'pass score="gaussian_bic"', variable, weights)
    return column.codes(variable), len(variable)


def _products(sizes: Ints) -> Floats:
    """The product of the sizes in every set."""
    products = np.ones(1)
    for size in sizes.tolist():
        products = np.concatenate([products, products * size])
    return products


def _split(values: Floats, variable: int) -> tuple[Floats, Floats]:
    """What belongs to the sets without a variable, and to the same sets with it."""
    halves = values.reshape(-1, 2, 1 << variable)
    return halves[:, 0].reshape(-1).copy(), halves[:, 1].reshape(-1).copy()
