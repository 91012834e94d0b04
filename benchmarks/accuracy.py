"""Accuracy and log loss of `NaiveBayes()` beside scikit-learn's best naive Bayes, on the same five folds.

The best of scikit-learn's is the candidate of `benchmarks.peers` with the highest accuracy on the very folds that are
reported, so the choice favours scikit-learn; `NaiveBayes()` runs as it comes.

    log loss = −mean log P(true class | row)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

import deciban as db
from benchmarks.machine import describe_machine
from benchmarks.peers import candidates
from benchmarks.report import markdown_table

__all__ = ["TABLES", "Comparison", "compare_accuracy", "render_accuracy"]

TABLES = Path(__file__).resolve().parents[2] / "shared" / "data" / "tables"
_FOLDS, _SEED = 5, 0
_QUICK_ROWS = 1_000


class Source(NamedTuple):
    """A CSV file: its target, the values that stand for missing ones, and columns that are no attributes.

    Empty cells and ``NA`` are missing to pandas already, so they are not named here.
    """

    name: str
    target: str
    markers: tuple[str, ...] = ()
    not_attributes: tuple[str, ...] = ()


SOURCES = (
    Source("adult", "income", ("?",), ("split",)),
    Source("votes", "party", ("?",)),
    Source("mushroom", "class", ("?",)),
    Source("car", "class"),
    Source("soybean", "Class"),
    Source("titanic", "Survived"),
    Source("penguins", "species"),
    Source("spambase", "spam"),
    Source("letter", "letter"),
)
_BUILT_IN = {"digits": load_digits, "wine": load_wine, "breast cancer": load_breast_cancer}

_INTRO = """## Accuracy against scikit-learn's best naive Bayes

Means over {folds} folds (stratified, shuffled, one seed) of `NaiveBayes()` as it comes, with `na_values=["?"]` where
the file writes missing values so. Beside it stands the most accurate on the same folds of scikit-learn's `GaussianNB`,
`CategoricalNB`, `BernoulliNB`, `MultinomialNB`, `ComplementNB`, `KBinsDiscretizer` + `CategoricalNB`, and the pair of
`CategoricalNB` for labels and `GaussianNB` for numbers, as far as each applies, with missing numbers imputed and labels
encoded by encoders that know the whole table's labels. That choice sees the reported folds, so it favours scikit-learn.
No column is left out by hand: titanic keeps its names, tickets and numbers of passengers.

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


class Score(NamedTuple):
    """Means over the folds."""

    accuracy: float
    log_loss: float

    def rounded(self) -> Score:
        """As printed: a lead that the table does not show is none."""
        return Score(round(self.accuracy, 4), round(self.log_loss, 3))


@dataclass(frozen=True)
class Comparison:
    """One data set: our score, and those of all candidates."""

    title: str
    shape: tuple[int, int]
    classes: int
    ours: Score
    peers: dict[str, Score]

    @property
    def best(self) -> str:
        """The most accurate candidate; of equals the one with the lower log loss."""
        return max(self.peers, key=lambda name: (self.peers[name].accuracy, -self.peers[name].log_loss))

    def ranks(self) -> tuple[float, float]:
        """Our rank of two, by accuracy and by log loss, as they are printed: 1, 2, or 1.5 where they are equal."""
        ours, peer = self.ours.rounded(), self.peers[self.best].rounded()
        return _rank(ours.accuracy - peer.accuracy), _rank(peer.log_loss - ours.log_loss)

    def figures(self) -> tuple[str, ...]:
        """The row as text, its name aside."""
        peer = self.peers[self.best]
        size = f"{self.shape[0]:,} × {self.shape[1]}", str(self.classes)
        ranks = tuple(f"{rank:g}" for rank in self.ranks())
        return *size, *_texts(self.ours), *_texts(peer), self.best, *ranks


def compare_accuracy(console: Console, *, is_quick: bool = False) -> list[Comparison]:
    """Score everything on every data set that is there; `is_quick`: only on the small ones."""
    rows = []
    for name, X, y, markers in _read_all():
        if is_quick and len(X) > _QUICK_ROWS:
            continue
        rows.append(_compare(name, X, y, markers))
        _print(rows[-1], console)
    if rows:
        ours, peers = _mean_ranks(rows)
        console.print(f"mean rank, accuracy and log loss: deciban {_pair(ours)}, scikit-learn {_pair(peers)}")
    return rows


def render_accuracy(rows: Sequence[Comparison]) -> str:
    """The section, in Markdown."""
    ours, peers = _mean_ranks(rows)
    missed = [source.name for source in SOURCES if source.name not in {row.title for row in rows}]
    parts = [
        _INTRO.format(folds=_FOLDS, machine=describe_machine()),
        markdown_table(_HEAD, rows),
        "Ranks are deciban's, of two, from the figures as printed: 1 is the better, 1.5 a tie.\n",
        f"Mean rank by accuracy: deciban {ours[0]:.2f}, scikit-learn {peers[0]:.2f}. "
        f"By log loss: deciban {ours[1]:.2f}, scikit-learn {peers[1]:.2f}.\n",
        _losses(rows),
    ]
    return "\n".join([*parts, _ABSENT.format(names=", ".join(missed))] if missed else parts)


def _read_all() -> Iterator[tuple[str, pd.DataFrame, NDArray[Any], tuple[str, ...]]]:
    for source in SOURCES if TABLES.is_dir() else ():
        frame = pd.read_csv(TABLES / f"{source.name}.csv.gz")
        X = frame.drop(columns=[source.target, *source.not_attributes])
        yield source.name, X, np.asarray(frame[source.target], dtype=object).astype(str), source.markers
    for name, load in _BUILT_IN.items():
        X, y = load(return_X_y=True, as_frame=True)
        yield name, X, y.to_numpy(), ()


def _compare(name: str, X: pd.DataFrame, y: NDArray[Any], markers: tuple[str, ...]) -> Comparison:
    marked = X.mask(X.isin(markers)) if markers else X
    ours = _score(lambda: db.NaiveBayes(na_values=markers), X, y)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(Bins whose width|Feature .* is constant|Found unknown categories)")
        peers = {peer: _score(make, marked, y) for peer, make in candidates(marked)}
    return Comparison(name, (len(X), X.shape[1]), len(np.unique(y)), ours, peers)


def _score(make: Callable[[], Any], X: pd.DataFrame, y: NDArray[Any]) -> Score:
    scores = []
    for train, test in StratifiedKFold(_FOLDS, shuffle=True, random_state=_SEED).split(X, y):
        model = make().fit(X.iloc[train], y[train])
        posterior = model.predict_proba(X.iloc[test])
        hits = model.classes_[posterior.argmax(axis=1)] == y[test]
        scores.append((hits.mean(), log_loss(y[test], posterior, labels=model.classes_)))
    return Score(*map(float, np.mean(scores, axis=0)))


def _rank(lead: float) -> float:
    return 1.5 if lead == 0 else 1.0 if lead > 0 else 2.0


def _mean_ranks(rows: Sequence[Comparison]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of deciban and of scikit-learn; each by accuracy and by log loss."""
    ours = np.mean([row.ranks() for row in rows], axis=0)
    return ours, 3.0 - ours


def _losses(rows: Sequence[Comparison]) -> str:
    """What scikit-learn does better, so that nobody has to look for it."""
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
