"""`evaluate`: compare decisions and posteriors with the truth.

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
from typing import Any, NamedTuple

import numpy as np

from deciban.choices import did_you_mean
from deciban.decide.rules import check_loss
from deciban.decide.score import (
    LEVEL,
    Interval,
    ProbabilityScores,
    RankingCurves,
    draw_reliability,
    probability_scores,
    ranking_curves,
    wilson,
)
from deciban.errors import InputError, ParameterError
from deciban.limits import check_memory
from deciban.read import Variable, distinct_texts, object_array, plain, read_labels, read_target
from deciban.ties import first_smallest
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["Baseline", "MeanCost", "Report", "Scores", "evaluate", "mean_cost"]


# Posteriors in single precision sum to 1 only to about so much.
_TOLERANCE = 1e-6

_NONE = "(none)"
_HEADS = ("precision", "recall", "F1", "rows")
_SUMMARY_HEADS = ("", "value", "lowest", "highest", "baseline")
_BESIDE = "display:flex;flex-wrap:wrap;gap:0 2em;align-items:flex-start"

Row = tuple[str, ...]


def evaluate(y_true: Any, y_pred: Any = None, *, posterior: Any = None, labels: Any = None) -> Report:
    r"""Compare decisions, posteriors, or both with the truth.

    Parameters
    ----------
    y_true : array
        The true labels.
    y_pred : array, optional
        The labels that were decided for; None where no decision was made, which counts as a miss. Without them, each
        row is decided for its most probable class.
    posterior : array of shape (n_samples, n_classes), optional
        P(class | row), as `predict_proba` returns them; or `loo_predict_proba`, for rows that the model has learned.
    labels : array, optional
        The classes to report, in this order; all that occur, sorted, when None. With posteriors, the classes of their
        columns: pass ``labels=model.classes_`` where some classes may have no rows.

    Returns
    -------
    Report
        It prints as a table, with confidence intervals. Posteriors add log loss, Brier score, calibration error and
        curves, and in a notebook the reliability diagram.

    Examples
    --------
    >>> print(evaluate(["ham", "ham", "spam", "spam"], ["ham", "ham", "spam", "ham"]))
                      precision  recall       F1      rows
    ham                  0.6667  1.0000   0.8000         2
    spam                 1.0000  0.5000   0.6667         2
    micro average        0.7500  0.7500   0.7500         4
    macro average        0.8333  0.7500   0.7333         4
    <BLANKLINE>
                          value  lowest  highest  baseline
    accuracy             0.7500  0.3006   0.9544    0.5000
    <BLANKLINE>
    truth \ decision        ham    spam
    ham                       2       0
    spam                      1       1
    <BLANKLINE>
    lowest and highest: 95% confidence interval

    >>> report = evaluate(["ham", "spam"], posterior=[[0.9, 0.1], [0.4, 0.6]])
    >>> (
    ...     report.accuracy,
    ...     round(report.probability.log_loss.value, 4),
    ...     round(report.baseline.log_loss, 4),
    ... )
    (1.0, 0.3081, 0.6931)
    """
    if y_pred is None and posterior is None:
        raise InputError("y_pred is None: pass the labels that were decided for, or posterior=model.predict_proba(X).")
    if posterior is None:
        return _report(_compared(y_true, y_pred, labels))
    judged = _judged(y_true, posterior, labels)
    if y_pred is not None:
        compared = _compared(y_true, y_pred, judged.labels)
        return _report(compared, judged)
    return _report(_Compared(judged.labels, judged.labels, judged.y, judged.posterior.argmax(axis=1)), judged)


class MeanCost(NamedTuple):
    """The mean cost of a row that was decided; the class that costs least where all rows are given to it, and its cost.

    `undecided` rows have no cost.
    """

    value: float
    label: Any
    baseline: float
    undecided: int


def mean_cost(report: Report, loss: Any) -> MeanCost:
    """The mean cost of the decisions of a report, by a loss as `NaiveBayes` takes it.

    >>> from deciban import evaluate
    >>> mean_cost(
    ...     evaluate(["ham", "ham", "spam"], ["ham", "spam", "ham"]),
    ...     {"ham": {"spam": 10}, "spam": {"ham": 1}},
    ... )
    MeanCost(value=3.6666666666666665, label='ham', baseline=0.3333333333333333, undecided=0)
    """
    labels = report.classes.tolist()
    costs, classes = check_loss(loss, labels), len(labels)
    decided, rows = report.confusion[:, :classes], report.confusion.sum(axis=1)
    each = rows @ costs / max(int(rows.sum()), 1)
    best = first_smallest(each, scale=float(np.abs(costs).max(initial=0.0)))
    value = float((decided * costs).sum() / max(int(decided.sum()), 1))
    return MeanCost(value, labels[best], float(each[best]), int(report.confusion.sum() - decided.sum()))


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
        for known, scores in zip(self.classes.tolist(), self.scores, strict=True):
            if known == plain(label):
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
        # All parts are aligned together, so that their columns stand below one another.
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
        side = f"{drawn}<p>Dots on the line: the class occurs as often as predicted.</p>"
        return f'<div style="{_BESIDE}"><div>{made}</div><div>{side}</div></div>'

    def _parts(self) -> list[tuple[Row, list[Row]]]:
        """The heads and rows of the scores of the classes, of the whole, and of the confusion matrix."""
        labels, counts = self.classes.tolist(), self.confusion.tolist()
        truth: list[Row] = [(str(label), *map(str, row)) for label, row in zip(labels, counts, strict=True)]
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


class _Compared(NamedTuple):
    """The classes to report, all classes that occur, these first, and codes; no decision has the code after the last.

    `truth` and `decided` are codes in `classes`.
    """

    chosen: list[object]
    classes: list[object]
    truth: AnyArray
    decided: AnyArray


class _Judged(NamedTuple):
    """Posteriors, the labels of their columns, and the code of each row's true class."""

    labels: list[object]
    posterior: Floats
    y: Codes


def _compared(y_true: object, y_pred: object, labels: object) -> _Compared:
    truth, decided = _listed(y_true, "y_true"), _listed(y_pred, "y_pred")
    if labels is not None:
        # Text that spells a number is that number, where the classes to report are numbers.
        known = Variable.of("y_true", _chosen(labels)).known_labels
        truth = [label if label is None else known.typed(label) for label in truth]
    if len(truth) != len(decided):
        raise InputError(f"y_true has {len(truth)} labels, and y_pred {len(decided)}.")
    if not truth:
        raise InputError("there are no labels to compare.")
    if None in truth:
        raise InputError(f"the true label of row {truth.index(None)} is None; only decisions may be.")
    occurring = _sorted({*truth, *decided} - {None})
    chosen = occurring if labels is None else _chosen(labels)
    named = set(chosen)
    # Classes that are not reported are counted all the same: the accuracy is that of all rows.
    classes = [*chosen, *(label for label in occurring if label not in named)]
    code_of = {label: code for code, label in enumerate(classes)} | {None: len(classes)}
    codes = (np.array([code_of[label] for label in rows], dtype=np.int64) for rows in (truth, decided))
    return _Compared(chosen, classes, *codes)


def _judged(y_true: object, posterior: object, labels: object) -> _Judged:
    read = _read_posterior(posterior)
    target = read_target(y_true, len(read))
    if labels is not None:
        target = target.read_as(Variable.of("y_true", _chosen(labels)))
    known = target.classes.labels.tolist()
    used = np.bincount(target.codes, minlength=len(known)) > 0
    present = [label for label, is_used in zip(known, used.tolist(), strict=True) if is_used]
    chosen = present if labels is None else _chosen(labels)
    if len(chosen) != read.shape[1]:
        advice = "Pass labels=model.classes_." if labels is None else "Pass one label for each column."
        raise InputError(f"the posteriors have {read.shape[1]} columns, for {len(chosen)} classes. {advice}")
    code_of = {label: code for code, label in enumerate(chosen)}
    unknown = [label for label in present if label not in code_of]
    if unknown:
        raise InputError(f"y_true has the class {unknown[0]!r}, which is not among the labels of the posteriors.")
    codes = np.array([code_of.get(label, 0) for label in known], dtype=np.int32)
    return _Judged(chosen, read, codes[target.codes])


def _read_posterior(posterior: object) -> Floats:
    try:
        read = np.asarray(posterior, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("posterior must be numbers: P(class | row), rows × classes.") from None
    if read.ndim != 2:
        raise InputError(f"posterior must be rows × classes, not an array of shape {read.shape}.")
    if len(read) == 0:
        raise InputError("there are no posteriors to score.")
    is_valid = (read >= 0.0).all(axis=1) & (np.abs(read.sum(axis=1) - 1.0) <= _TOLERANCE)
    if not is_valid.all():
        row = int(np.argmin(is_valid))
        raise InputError(f"the posteriors of row {row} are {read[row].tolist()}: they must sum to 1, none below 0.")
    return read


def _listed(y: object, name: str) -> list[object]:
    if y is None:
        raise InputError(f"{name} is None: pass the labels.")
    # None is "no decision" here, and would be a missing label to `read_labels`.
    if isinstance(y, list | tuple) and any(label is None for label in y):
        return list(map(plain, y))
    labels: list[object] = read_labels(y).tolist()
    return labels


def _chosen(labels: object) -> list[object]:
    chosen: list[object] = np.asarray(labels).tolist()
    if not chosen or len(set(chosen)) != len(chosen):
        raise ParameterError(f"labels are classes, each once, not {labels!r}.")
    return chosen


def _sorted(labels: set[Any]) -> list[object]:
    try:
        return sorted(labels)
    except TypeError:
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise InputError(f"the labels are of kinds that have no order: {kinds}. Pass labels of one kind.") from None


def _report(compared: _Compared, judged: _Judged | None = None) -> Report:
    """The report on the classes that were chosen."""
    chosen, classes = len(compared.chosen), len(compared.classes)
    check_memory("the confusion matrix", classes, classes + 1, advice="Compare fewer classes.")
    # In 64 bits: codes of 32 would overflow from 46,341 classes on.
    cells = compared.truth.astype(np.int64) * (classes + 1) + compared.decided
    # Truth × decision, with a last column for no decision.
    whole = np.bincount(cells, minlength=classes * (classes + 1)).reshape(classes, -1)
    tp = np.diagonal(whole)[:chosen]
    decided, rows = whole.sum(axis=0)[:chosen], whole.sum(axis=1)[:chosen]
    scores = [_scores(*sums) for sums in zip(tp.tolist(), decided.tolist(), rows.tolist(), strict=True)]
    macro = [float(np.mean([getattr(s, name) for s in scores])) for name in ("precision", "recall", "f1")]
    columns = [*range(chosen), *([classes] if whole[:, -1].any() else [])]
    right = int(np.trace(whole))
    labels = np.asarray(compared.chosen)
    # numpy makes one type of mixed labels, 1 and "a", which would then not be the labels that were passed.
    keeps_types = labels.ndim == 1 and labels.tolist() == compared.chosen
    return Report(
        classes=labels if keeps_types else object_array(compared.chosen),
        confusion=whole[:chosen][:, columns],
        accuracy=float(right / whole.sum()),
        accuracy_interval=wilson(right, int(whole.sum())),
        micro=_scores(int(tp.sum()), int(decided.sum()), int(rows.sum())),
        macro=Scores(macro[0], macro[1], macro[2], int(rows.sum())),
        scores=tuple(scores),
        is_defined=bool(decided.all() and rows.all()),
        baseline=_baseline(compared.classes, whole.sum(axis=1)),
        probability=None if judged is None else probability_scores(judged.posterior, judged.y),
        _judged=None if judged is None else (judged.posterior, judged.y),
    )


def _baseline(classes: list[object], rows: Ints) -> Baseline:
    """The scores of the class shares; `rows` are the rows of each class."""
    shares = rows / rows.sum()
    known = shares[shares > 0]
    halves = 0.5 if len(classes) == 2 else 1.0  # as in `probability_scores`
    brier = halves * (1.0 - float(np.sum(shares * shares)))
    best = int(rows.argmax())
    return Baseline(classes[best], float(shares[best]), abs(float(np.sum(known * np.log(known)))), brier)


def _scores(right: int, decided: int, rows: int) -> Scores:
    """The scores when `right` of the `decided` decisions are right, out of `rows` rows of the class."""
    return Scores(_ratio(right, decided), _ratio(right, rows), _ratio(2 * right, decided + rows), rows)


def _ratio(a: int, b: int) -> float:
    return a / b if b else 0.0
