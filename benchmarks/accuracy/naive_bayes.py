"""The section `accuracy`: `NaiveBayes()` beside scikit-learn's best naive Bayes, which is chosen on inner folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.accuracy.candidates import candidates
from benchmarks.accuracy.halves import ABSENT, BOUNDS, describe_halves, missing_tables, record
from benchmarks.accuracy.ours import own_classifiers
from benchmarks.accuracy.scores import MEASURES, Score
from benchmarks.accuracy.tables import HALVES, Table, read_tables
from benchmarks.accuracy.trials import FOLDS, INNER_FOLDS, SEEDS, Choice, Trials
from benchmarks.harness.machine import describe_machine
from benchmarks.harness.options import Options
from benchmarks.harness.report import markdown_table
from benchmarks.harness.results import Findings, Limit, Rate, show

__all__ = ["PARTS", "Comparison", "run"]

PARTS = ("accuracy-peers",)
_ACCURACY, _LOG_LOSS, _ = MEASURES

_INTRO = """`NaiveBayes()` with its defaults, and `na_values=["?"]` where the file writes missing values so, on 24
tables: {folds} stratified, shuffled folds and {seeds} seeds. {halves}

Beside it is the best of scikit-learn's `GaussianNB`, `CategoricalNB`, `BernoulliNB`, `MultinomialNB`, `ComplementNB`,
`KBinsDiscretizer` + `CategoricalNB`, and the pair of `CategoricalNB` for labels and `GaussianNB` for numbers, where
each applies, with missing numbers imputed, and labels encoded by encoders that know the whole table's labels. In each
fold the best is chosen by {inner} inner folds of the training rows: for the accuracy by accuracy, for the log loss and
the calibration error by log loss. So scikit-learn has two models, deciban one. No column is left out by hand: titanic
keeps its names, tickets and passenger numbers.

The log loss is in nats. The calibration error is that of the most probable class, in 15 bins of equal width over all
rows of a seed. Differences that the table does not show are ties.

Run on {machine}.
"""
_HEAD = (
    "rows × columns",
    "classes",
    "deciban accuracy",
    "log loss",
    "calibration error",
    "scikit-learn accuracy",
    "log loss",
    "calibration error",
    "chosen by accuracy",
    "by log loss",
)


class Comparison(NamedTuple):
    """One data set: deciban's score, and scikit-learn's best by accuracy and by log loss."""

    title: str
    shape: tuple[int, int]
    classes: int
    ours: Score
    by_accuracy: Choice
    by_log_loss: Choice

    @property
    def theirs(self) -> Score:
        """Each figure of the candidate that was chosen for it."""
        _, log_loss, calibration_error = self.by_log_loss.score
        return Score(self.by_accuracy.score.accuracy, log_loss, calibration_error)

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        size = f"{self.shape[0]:,} × {self.shape[1]}", str(self.classes)
        chosen = (", ".join(choice.counts) for choice in (self.by_accuracy, self.by_log_loss))
        return *size, *_texts(self.ours), *_texts(self.theirs), *chosen


class Mean(NamedTuple):
    """The last row of a table."""

    ours: Score
    theirs: Score
    title: str = "mean"

    def figures(self) -> tuple[str, ...]:
        """The row as text, without its title."""
        return "", "", *_texts(self.ours), *_texts(self.theirs), "", ""


def run(options: Options) -> str | None:
    """Compare on every table that is there; of the part `accuracy-peers`, only keep scikit-learn's results."""
    if options.parts:
        for half in HALVES:
            for table in read_tables(options, half):
                options.console.print(f"[bold]{table.name}[/]: {_best(Trials(table, options))}", markup=True)
        return None
    rows: dict[str, list[Comparison]] = {half: [] for half in HALVES}
    for half, found in rows.items():
        for table in read_tables(options, half):
            found.append(_compare(table, options))
            show(found[-1], options.console)
    intro = _INTRO.format(
        folds=FOLDS, seeds=len(SEEDS), inner=INNER_FOLDS, halves=describe_halves(), machine=describe_machine()
    )
    missing = missing_tables([row.title for found in rows.values() for row in found])
    return "\n".join([intro, *_tables(rows), *([ABSENT.format(names=", ".join(missing))] if missing else [])])


def _tables(rows: dict[str, list[Comparison]]) -> Iterator[str]:
    """The reporting half first."""
    for half in reversed(rows):
        found = rows[half]
        if found:
            mean = Mean(Score.mean(row.ours for row in found), Score.mean(row.theirs for row in found))
            yield markdown_table((f"{half} half", *_HEAD), [*found, mean])
            yield _verdict(half, found)
        if found and half == "reporting":
            yield Findings(limits=list(_bounds(found))).render(BOUNDS)


def _bounds(rows: Sequence[Comparison]) -> Iterator[Limit | Rate]:
    """What is promised for the reporting half."""
    for measure, at_least in ((_LOG_LOSS, 80), (_ACCURACY, 70)):
        wins = sum(measure.lead(row.ours, row.theirs) > 0 for row in rows)
        title = f"`NaiveBayes()` ahead of scikit-learn's best naive Bayes by {measure.title}"
        yield Rate(title, 100 * wins / len(rows), at_least, "% of the tables")
    mean = Score.mean(row.ours for row in rows)
    yield Limit("`NaiveBayes()`: mean calibration error", mean.calibration_error, 0.06, "")


def _verdict(half: str, rows: Sequence[Comparison]) -> str:
    """Wins, ties and losses by each measure, and the tables that are lost."""
    parts = []
    for measure in MEASURES:
        leads = {row.title: measure.lead(row.ours, row.theirs) for row in rows}
        lost = ", ".join(title for title, lead in leads.items() if lead < 0)
        parts.append(f"{record(list(leads.values()))} by {measure.title}{f' (losses: {lost})' if lost else ''}")
    return f"deciban on the {half} half: {'; '.join(parts)}.\n"


def _compare(table: Table, options: Options) -> Comparison:
    trials = Trials(table, options)
    (ours,) = own_classifiers(table, ("NaiveBayes",))
    return Comparison(table.name, table.X.shape, len(np.unique(table.y)), trials.score(ours), *_best(trials))


def _best(trials: Trials) -> tuple[Choice, Choice]:
    contestants = candidates(trials.table)
    return trials.choose(contestants, _ACCURACY), trials.choose(contestants, _LOG_LOSS)


def _texts(score: Score) -> tuple[str, ...]:
    return tuple(measure.text(value) for measure, value in zip(MEASURES, score, strict=True))
