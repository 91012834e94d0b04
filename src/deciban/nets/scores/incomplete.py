r"""Scores of rows with missing values, without filling them in: two families are compared on the rows that both have.

The score of a family on its own complete rows, s, says nothing beside that of another family on other rows, also if
each is divided by its number of rows: the node-average likelihood

    S(G) = Σ_v s(v, parents of v; the rows that have them) / (number of these rows)

differs between two graphs by the sampling error of different rows, of the size 1/√n, so that it is consistent only with
a penalty that decreases more slowly than 1/√n, which hides weak edges (Balov, 2013; Bodewes and Scutari, 2021). A
comparison on common rows has no such error (pairwise deletion: Liu and Constantinou, 2022):

    gain(x → v | P) = n / n_F·[ s(v, P ∪ x; F) − s(v, P; F) ],        F: the rows where v, x and P are known

s has the penalty of n_F rows, so that the sign is that of the score on these rows, and values that are missing
completely at random change what is found only by making rows fewer; the factor makes gains from different rows
comparable. Fewer than 30 rows, and fewer than half of all, gain nothing. Greedy equivalence search needs no more. A
sum of local scores, which other searches need, is

    local(v, ∅) = n / n_v·s(v, ∅; the rows where v is known)
    local(v, P) = min over x ∈ P of [ local(v, P \ x) + gain(x → v | P \ x) ]

so that no parent raises it that does not gain on common rows. Without missing values it is s itself. The smallest of
the sums is taken since their mean, or the node-average likelihood, led to more false edges on samples of the networks
sachs, hailfinder and water. The readable twin is in ``tests/reference/scores.py``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from copy import copy

import numpy as np

from deciban.nets.data.samples import CodedSample, NetSample, NumberSample
from deciban.nets.graphs.bits import bits, mask_of
from deciban.nets.scores.interventional import InterventionalScores
from deciban.nets.scores.protocol import Arrival, Family, LocalScores, Score
from deciban.types import Floats, Ints

__all__ = ["IncompleteScores", "scores_on"]


def scores_on(criterion: Score, sample: NetSample) -> LocalScores:
    """A score on a sample, in which values may be missing, and in some rows of which nodes may have been set."""
    interventions = sample.interventions
    if interventions is None or not interventions.nodes:
        return _on_complete_or_not(criterion, sample)
    parts = []
    for nodes, rows in interventions.by_rows(sample.names):
        part = sample if rows is None else sample.take(rows)
        parts.append((nodes, _on_complete_or_not(criterion, part) if part.total else None))
    return InterventionalScores(sample.names, parts)


def _on_complete_or_not(criterion: Score, sample: NetSample) -> LocalScores:
    return criterion.on(sample) if sample.is_complete else IncompleteScores(criterion, sample)


class IncompleteScores:
    """Any score on rows with missing values: it is asked for parts of the sample that are complete."""

    def __init__(self, criterion: Score, sample: NetSample) -> None:
        self.names = sample.names
        self._criterion, self._sample = criterion, sample
        self._columns = list(range(len(sample.names)))  # of the variables in the sample
        self._gains: dict[Arrival, float] = {}
        self._known: list[dict[int, float]] = [{} for _ in sample.names]

    def reordered(self, order: Ints) -> IncompleteScores:
        """The same scores with the variables in another order."""
        other = copy(self)
        other.names = tuple(self.names[v] for v in order)
        other._columns = [self._columns[v] for v in order]
        other._gains, other._known = {}, [{} for _ in order]
        return other

    def local(self, families: Sequence[Family]) -> Floats:
        """The local score of each family."""
        children = [child for child in dict.fromkeys(child for child, _ in families) if 0 not in self._known[child]]
        alone = self._compare([(child, (0,), 1 << child) for child in children])
        for child, (score,) in zip(children, alone, strict=True):
            self._known[child][0] = score
        steps: dict[Arrival, None] = {}
        for child, parents in families:
            for part in _subsets(parents):
                if part not in self._known[child]:
                    steps |= dict.fromkeys((child, x, part & ~(1 << x)) for x in bits(part))
        gains = dict(zip(steps, self.gains(list(steps)).tolist(), strict=True))
        for child, parents in families:
            scores = self._known[child]
            for part in _subsets(parents):  # smaller sets come first
                if part not in scores:
                    rests = [(x, part & ~(1 << x)) for x in bits(part)]
                    scores[part] = min(scores[rest] + gains[child, x, rest] for x, rest in rests)
        return np.array([self._known[child][parents] for child, parents in families])

    def gains(self, arrivals: Sequence[Arrival]) -> Floats:
        """The gain of each added parent, on the rows where both families are known; 0 where there are none."""
        new = [arrival for arrival in dict.fromkeys(arrivals) if arrival not in self._gains]
        pairs = [(y, (given, given | 1 << x), given | 1 << x | 1 << y) for y, x, given in new]
        for arrival, (before, after) in zip(new, self._compare(pairs), strict=True):
            # Numbers that determine one another score −∞ with and without x.
            self._gains[arrival] = 0.0 if after == before else after - before
        return np.array([self._gains[arrival] for arrival in arrivals])

    def _compare(self, asked: Sequence[tuple[int, tuple[int, ...], int]]) -> list[tuple[float, ...]]:
        """The scores of a child with each of some sets of parents, on the rows where the last set is known."""
        by_rows: dict[int, list[int]] = defaultdict(list)
        for number, (_, _, known) in enumerate(asked):
            by_rows[known].append(number)
        out = [(0.0,) * len(sets) for _, sets, _ in asked]
        for known, numbers in by_rows.items():
            # In the order of the sample, so that sums do not depend on that of the search.
            members = sorted(bits(known), key=self._columns.__getitem__)
            part = self._sample.known([self._columns[member] for member in members])
            if len(members) > 1 and not self._compares(part):
                continue
            place = {member: index for index, member in enumerate(members)}
            families = [
                (place[child], mask_of(place[parent] for parent in bits(parents)))
                for child, sets, _ in map(asked.__getitem__, numbers)
                for parents in sets
            ]
            scores = iter((self._criterion.on(part).local(families) * (self._sample.total / part.total)).tolist())
            for number in numbers:
                out[number] = tuple(next(scores) for _ in asked[number][1])
        return out

    def _compares(self, part: NetSample) -> bool:
        """Whether some rows are enough to compare families, and, among numbers, whether a regression leaves a variance.

        The penalty of a few rows, such as log 3, is no protection from chance.
        """
        if part.total < min(_ENOUGH, self._sample.total / 2) or part.total < 1:
            return False
        if isinstance(part, CodedSample):
            return True
        values = part.values if isinstance(part, NumberSample) else part.numbers.values
        largest = np.abs(values).max(axis=0, initial=0.0)
        return bool(part.total > len(part.names) + 2 and (values.std(axis=0) > _CONSTANT * largest).all())


_ENOUGH = 30
"""Rows that are enough to compare families; of a sample of fewer than twice as many, half of the rows are."""

_CONSTANT = 1e-12
"""Beside the largest value, the deviation of a column of which rounding is all that varies."""


def _subsets(mask: int) -> list[int]:
    """All subsets of a set, each after those that it contains."""
    subsets = [0]
    for member in bits(mask):
        subsets += [subset | 1 << member for subset in subsets]
    return subsets
