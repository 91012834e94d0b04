"""What the results of many tables say: mean ranks, their critical difference, and duels of two classifiers.

The mean ranks of two of k classifiers on N tables differ (Demšar 2006, "Statistical comparisons of classifiers over
multiple data sets", after Nemenyi) where they are apart by at least

    q · √(k (k + 1) / 6 N)

where √2 q is the 0.95 quantile of the studentized range of k groups with infinite degrees of freedom.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from scipy.stats import binomtest, rankdata, studentized_range

from benchmarks.accuracy.scores import MEASURES, Measure
from benchmarks.rivals.models import CATBOOST
from benchmarks.rivals.trials import Result

__all__ = ["Duel", "Results", "complete", "critical_difference", "leads", "mean_ranks", "share_of_wins"]

Results = Mapping[str, Mapping[str, Result]]
"""By the name of the table, then of the classifier."""

_LEVEL = 0.05


def complete(results: Results) -> Results:
    """The results of all classifiers but CatBoost on the tables that each of them was fitted to."""
    names = {name for row in results.values() for name in row} - {CATBOOST}
    return {
        table: {name: row[name] for name in row if name in names} for table, row in results.items() if names <= set(row)
    }


def mean_ranks(results: Results, measure: Measure) -> dict[str, float]:
    """The mean rank of each classifier by the figures as printed; 1 is the best, ties share."""
    names = list(next(iter(results.values())))
    sign = -1 if measure.is_more_better else 1
    figures = [
        [sign * round(getattr(row[name], measure.name), measure.digits) for name in names] for row in results.values()
    ]
    return dict(zip(names, rankdata(figures, axis=1).mean(axis=0).tolist(), strict=True))


def critical_difference(classifiers: int, tables: int) -> float:
    """The difference of mean ranks from which two classifiers differ.

    >>> round(critical_difference(5, 30), 3)
    1.114
    """
    q = studentized_range.ppf(1 - _LEVEL, classifiers, inf) / sqrt(2)
    return float(q * sqrt(classifiers * (classifiers + 1) / (6 * tables)))


def leads(results: Results, ours: str, peer: str, measure: Measure) -> list[float]:
    """How much better the first is on each table of both, by the figures as printed."""
    sign = 1 if measure.is_more_better else -1
    pairs = [(row[ours], row[peer]) for row in results.values() if peer in row]
    rounded = [[round(getattr(one, measure.name), measure.digits) for one in pair] for pair in pairs]
    return [round(sign * (first - second), measure.digits) for first, second in rounded]


def share_of_wins(found: Sequence[float]) -> float:
    """The share of the tables on which the first is better; a tie is half of one."""
    return float(np.mean([(lead > 0) + (lead == 0) / 2 for lead in found]))


class Duel(NamedTuple):
    """A classifier against another on the tables of both."""

    title: str
    tables: int
    leads: list[list[float]]
    seconds: float

    @classmethod
    def between(cls, results: Results, ours: str, peer: str) -> Duel:
        both = [row for row in results.values() if peer in row]
        seconds = [sum(row[name].seconds for row in both) for name in (peer, ours)]
        found = [leads(results, ours, peer, measure) for measure in MEASURES]
        return cls(peer, len(both), found, seconds[0] / seconds[1])

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        cells = [_record(found, measure) for found, measure in zip(self.leads, MEASURES, strict=True)]
        return str(self.tables), *cells, f"{self.seconds:.2g}"


def _record(found: Sequence[float], measure: Measure) -> str:
    wins, losses = sum(lead > 0 for lead in found), sum(lead < 0 for lead in found)
    p = binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    return f"{wins} – {losses}, p {'< .001' if p < 0.001 else f'= {p:.3f}'}, {np.mean(found):+.{measure.digits}f}"
