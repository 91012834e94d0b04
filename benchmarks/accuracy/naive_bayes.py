"""The section `accuracy`: `NaiveBayes()` beside scikit-learn's best naive Bayes, on the same five folds.

The best of scikit-learn's is the candidate of `benchmarks.accuracy.candidates` with the highest accuracy on the very
folds that are reported, so the choice favours scikit-learn; `NaiveBayes()` has its default parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

import deciban as db
from benchmarks.accuracy.candidates import candidates
from benchmarks.accuracy.scores import Score, best_score, cross_validate, quiet_peers
from benchmarks.accuracy.tables import SOURCES, Table, read_tables
from benchmarks.harness.machine import describe_machine
from benchmarks.harness.options import Options
from benchmarks.harness.report import markdown_table

__all__ = ["Comparison", "run"]

_FOLDS = 5

_INTRO = """Means over {folds} folds (stratified, shuffled, one seed) of `NaiveBayes()` with its defaults, and
`na_values=["?"]` where the file writes missing values so. Beside it is the most accurate on the same folds of
scikit-learn's `GaussianNB`, `CategoricalNB`, `BernoulliNB`, `MultinomialNB`, `ComplementNB`, `KBinsDiscretizer` +
`CategoricalNB`, and the pair of `CategoricalNB` for labels and `GaussianNB` for numbers, where each applies, with
missing numbers imputed and labels encoded by encoders that know the whole table's labels. The best is chosen on the
reported folds, which favours scikit-learn. No column is left out by hand: titanic keeps its names, tickets and
passenger numbers.

Run on {machine}.
"""

_HEAD = (
    "data",
    "rows × columns",
    "classes",
    "deciban accuracy",
    "log loss",
    "scikit-learn accuracy",
    "log loss",
    "which",
    "rank: accuracy",
    "log loss",
)
_ABSENT = "Not measured, because `../shared/data/tables` is absent: {names}.\n"


@dataclass(frozen=True)
class Comparison:
    """One data set: deciban's score, and those of all candidates."""

    title: str
    shape: tuple[int, int]
    classes: int
    ours: Score
    peers: dict[str, Score]

    @property
    def best(self) -> str:
        """The most accurate candidate."""
        return best_score(self.peers)

    def ranks(self) -> tuple[float, float]:
        """deciban's rank of two, by accuracy and by log loss as printed: 1, 2, or 1.5 where they are equal."""
        ours, peer = self.ours.rounded(), self.peers[self.best].rounded()
        return _rank(ours.accuracy - peer.accuracy), _rank(peer.log_loss - ours.log_loss)

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        peer = self.peers[self.best]
        size = f"{self.shape[0]:,} × {self.shape[1]}", str(self.classes)
        ranks = tuple(f"{rank:g}" for rank in self.ranks())
        return *size, *_texts(self.ours), *_texts(peer), self.best, *ranks


def run(options: Options) -> str:
    """Score all models on every data set that is there."""
    rows = []
    for table in read_tables(options):
        rows.append(_compare(table))
        _print(rows[-1], options.console)
    ours, peers = _mean_ranks(rows)
    missing = [source.name for source in SOURCES if source.name not in {row.title for row in rows}]
    parts = [
        _INTRO.format(folds=_FOLDS, machine=describe_machine()),
        markdown_table(_HEAD, rows),
        "Ranks are deciban's, of two, from the figures as printed: 1 is the better, 1.5 a tie.\n",
        f"Mean rank by accuracy: deciban {ours[0]:.2f}, scikit-learn {peers[0]:.2f}. "
        f"By log loss: deciban {ours[1]:.2f}, scikit-learn {peers[1]:.2f}.\n",
        _losses(rows),
    ]
    return "\n".join([*parts, _ABSENT.format(names=", ".join(missing))] if missing else parts)


def _compare(table: Table) -> Comparison:
    ours = cross_validate(lambda: db.NaiveBayes(na_values=table.markers), table.X, table.y, _FOLDS)
    with quiet_peers():
        peers = {name: cross_validate(make, table.marked, table.y, _FOLDS) for name, make in candidates(table.marked)}
    return Comparison(table.name, table.X.shape, len(np.unique(table.y)), ours, peers)


def _rank(lead: float) -> float:
    return 1.5 if lead == 0 else 1.0 if lead > 0 else 2.0


def _mean_ranks(rows: Sequence[Comparison]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The mean ranks of deciban and of scikit-learn; each by accuracy and by log loss."""
    ours = np.mean([row.ranks() for row in rows], axis=0)
    return ours, 3.0 - ours


def _losses(rows: Sequence[Comparison]) -> str:
    """The tables on which scikit-learn is better."""
    by_accuracy, by_log_loss = ([row.title for row in rows if row.ranks()[i] == 2.0] for i in (0, 1))
    return (
        f"deciban is less accurate on: {', '.join(by_accuracy) or 'none'}. "
        f"Its log loss is higher on: {', '.join(by_log_loss) or 'none'}.\n"
    )


def _print(row: Comparison, console: Console) -> None:
    console.print(f"[bold]{row.title}[/]: deciban {_pair(row.ours)}")
    for name, score in sorted(row.peers.items(), key=lambda item: -item[1].accuracy):
        console.print(f"  {name}: {_pair(score)}")


def _texts(score: Score) -> tuple[str, str]:
    return f"{score.accuracy:.4f}", f"{score.log_loss:.3f}"


def _pair(values: Sequence[float] | NDArray[np.float64]) -> str:
    return " / ".join(f"{value:.4f}" for value in values)
