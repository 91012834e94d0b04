"""The result of `evaluate`: scores of decisions and of posteriors, and the confusion matrix.

With tp, fp and fn a class's rows that were found, wrongly given to it, and missed:

    precision = tp / (tp + fp),   recall = tp / (tp + fn),   F1 = 2·tp / (2·tp + fp + fn)

The **macro** average is the mean over classes: each class counts the same. The **micro** average takes these ratios of
the sums over classes: each row counts the same. Where a ratio is 0/0, as the precision of a class that was never
decided for, it is taken as 0 (Manning, Raghavan & Schütze, 8.3 and 13.6).

The accuracy has Wilson's confidence interval, and the **baseline** beside it: what one gets without any column, by
always deciding for the most frequent class, and by giving every row the shares of the classes as its posterior.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

from deciban.choices import did_you_mean
from deciban.decide.curves import RankingCurves, ranking_curves
from deciban.decide.score import LEVEL, Interval, ProbabilityScores, draw_reliability
from deciban.errors import ParameterError
from deciban.read import distinct_texts, plain
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["Baseline", "Report", "Scores"]

_NONE = "(none)"
_HEADS = ("precision", "recall", "F1", "rows")
_SUMMARY_HEADS = ("", "value", "lowest", "highest", "baseline")
_BESIDE = "display:flex;flex-wrap:wrap;gap:0 2em;align-items:flex-start"

Row = tuple[str, ...]


@dataclass(frozen=True)
class Scores:
    """Precision, recall and F1, and the number of rows whose true class this is."""

    precision: float
    recall: float
    f1: float
    rows: int


@dataclass(frozen=True)
class Baseline:
    """The scores without any column.

    Attributes
    ----------
    label, accuracy : the most frequent class, the first of equals, and its share of the rows
    log_loss, brier : those of the shares of the classes, as the posterior of every row
    """

    label: Any
    accuracy: float
    log_loss: float
    brier: float


@dataclass(frozen=True, eq=False)
class Report:
    """The result of `evaluate`; it prints as a table, beside which a notebook shows the reliability diagram.

    ``report["spam"]`` gives the scores of one class: `precision`, `recall`, `f1` and `rows`.

    Attributes
    ----------
    classes : array
        The labels.
    confusion : array
        How many rows of each class (row) were given to each (column); where some rows were given to no class, their
        number is a last column.
    accuracy : float
        The share of all rows that were given to their class.
    accuracy_interval : Interval
        The same, with Wilson's interval: `value`, `low` and `high`.
    micro, macro : Scores
        The averages.
    scores : tuple of Scores
        Those of each class.
    is_defined : bool
        True where no ratio of a class was 0/0.
    baseline : Baseline
        The scores without any column: `label`, `accuracy`, `log_loss` and `brier`.
    probability : ProbabilityScores or None
        The scores of the posteriors: `log_loss`, `brier`, `calibration_error` and `reliability`; None where none were
        passed.

    Examples
    --------
    >>> from deciban import evaluate
    >>> report = evaluate(["ham", "ham", "spam"], ["ham", "spam", "spam"])
    >>> report["ham"].recall, report.confusion.tolist()
    (0.5, [[1, 1], [0, 1]])
    """

    classes: AnyArray
    confusion: Ints
    accuracy: float
    accuracy_interval: Interval
    micro: Scores
    macro: Scores
    scores: tuple[Scores, ...]
    is_defined: bool
    baseline: Baseline
    probability: ProbabilityScores | None = None
    _judged: tuple[Floats, Codes] | None = None

    def __getitem__(self, label: Any) -> Scores:
        """The scores of a class."""
        for held, scores in zip(self.classes.tolist(), self.scores, strict=True):
            if held == plain(label):
                return scores
        raise ParameterError(f"there is no class {label!r}.{did_you_mean(label, self.classes.tolist())}")

    @property
    def decisions(self) -> tuple[str, ...]:
        """The names of the columns of the confusion matrix."""
        names = tuple(distinct_texts(self.classes.tolist()))
        return names if self.confusion.shape[1] == len(names) else (*names, _NONE)

    @cached_property
    def curves(self) -> dict[Any, RankingCurves]:
        """ROC and precision–recall curves of each class that some rows have and some have not."""
        if self._judged is None:
            raise ParameterError("curves are made from posteriors: evaluate(y, posterior=model.predict_proba(X)).")
        posterior, y = self._judged
        members = ((j, label, y == j) for j, label in enumerate(self.classes.tolist()))
        return {
            label: ranking_curves(posterior[:, j], is_class, label)
            for j, label, is_class in members
            if is_class.any() and not is_class.all()
        }

    def summary(self) -> Iterator[tuple[str, Interval, float | None]]:
        """Iterate over the accuracy and the scores of the posteriors.

        Yields
        ------
        name, interval, baseline : str, Interval, float or None
            The name of the score, its value with the confidence interval, and the score without any column.
        """
        yield "accuracy", self.accuracy_interval, self.baseline.accuracy
        if self.probability is not None:
            yield "log loss", self.probability.log_loss, self.baseline.log_loss
            yield "Brier score", self.probability.brier, self.baseline.brier
            yield "calibration error", self.probability.calibration_error, None

    def to_dict(self) -> dict[str, Any]:
        """Convert the scores to plain values.

        Returns
        -------
        scores : dict
            The scores of the whole, of each class, and the confusion matrix.
        """
        whole = {
            name.replace(" ", "_").lower(): {**interval._asdict(), **({} if base is None else {"baseline": base})}
            for name, interval, base in self.summary()
        }
        of_classes = [
            {"label": label, **vars(scores)} for label, scores in zip(self.classes.tolist(), self.scores, strict=True)
        ]
        return {
            **whole,
            "classes": of_classes,
            "micro": vars(self.micro),
            "macro": vars(self.macro),
            "confusion": self.confusion.tolist(),
        }

    def to_text(self) -> str:
        """Write the scores, then the confusion matrix, as `print` does: one table, with a line between its parts.

        Returns
        -------
        text : str
        """
        parts = [[heads, *rows] for heads, rows in self._parts()]
        lines = iter(_aligned([row for part in parts for row in part]))
        tables = [[next(lines) for _ in part] for part in parts]
        return "\n\n".join("\n".join(table) for table in [*tables, *([self._notes()] if self._notes() else [])])

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        """One table, and beside it the reliability diagram where there are posteriors."""
        width = max(len(heads) for heads, _ in self._parts())
        body = "".join(_html_part(heads, rows, width) for heads, rows in self._parts())
        notes = f"<p>{'; '.join(self._notes())}</p>" if self._notes() else ""
        made = f"<table>{body}</table>{notes}"
        if self.probability is None:
            return made
        drawn = draw_reliability(self.probability.reliability, is_alone=True)
        side = f"{drawn}<p>Dots on the line: as often right as said.</p>"
        return f'<div style="{_BESIDE}"><div>{made}</div><div>{side}</div></div>'

    def _parts(self) -> list[tuple[Row, list[Row]]]:
        """The heads and rows of the scores of the classes, of the whole, and of the confusion matrix."""
        truth: list[Row] = [(name, *map(str, row)) for name, row in self._confusion_rows()]
        return [
            (("", *_HEADS), self._score_rows()),
            (_SUMMARY_HEADS, self._summary_rows()),
            (("truth \\ decision", *self.decisions), truth),
        ]

    def _summary_rows(self) -> list[Row]:
        return [
            (name, *(f"{number:.4f}" for number in interval), "" if base is None else f"{base:.4f}")
            for name, interval, base in self.summary()
        ]

    def _notes(self) -> list[str]:
        notes = [f"lowest and highest: {LEVEL:.0%} confidence interval"]
        return [*notes, *([] if self.is_defined else ["0/0 is taken as 0"])]

    def _score_rows(self) -> list[Row]:
        named = [*zip(map(str, self.classes.tolist()), self.scores, strict=True)]
        named += [("micro average", self.micro), ("macro average", self.macro)]
        return [(name, f"{s.precision:.4f}", f"{s.recall:.4f}", f"{s.f1:.4f}", str(s.rows)) for name, s in named]

    def _confusion_rows(self) -> list[tuple[str, list[int]]]:
        return [*zip(map(str, self.classes.tolist()), self.confusion.tolist(), strict=True)]


def _aligned(rows: list[Row]) -> list[str]:
    """Rows of text in common columns; some rows have fewer cells than others."""
    widths = [max(len(row[k]) for row in rows if k < len(row)) for k in range(max(map(len, rows)))]
    cells = [[row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in rows]
    return ["  ".join(row).rstrip() for row in cells]


def _html_part(heads: Row, rows: list[Row], width: int) -> str:
    """A part of the table: a line of heads and its rows, filled up to the width of the widest part."""
    rest = f'<td colspan="{width - len(heads)}"></td>' if width > len(heads) else ""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}{rest}</tr>"
        for name, *cells in rows
    )
    return f'<tr style="border-bottom:1px solid #8888">{head}{rest}</tr>{body}'
