"""The quality of decisions, class by class and on average (Manning, Raghavan & Schütze, 8.3 and 13.6).

With tp, fp and fn a class's rows that were found, wrongly given to it, and missed:

    precision = tp / (tp + fp),   recall = tp / (tp + fn),   F1 = 2·tp / (2·tp + fp + fn)

The **macro** average is the mean over classes: each class counts the same. The **micro** average takes these ratios of
the sums over classes: each row counts the same. Where a ratio is 0/0, as the precision of a class that was never
decided for, it is taken as 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from deciban.errors import InputError, ParameterError
from deciban.limits import check_memory
from deciban.read import plain, read_labels
from deciban.read.variable import object_array
from deciban.suggest import did_you_mean
from deciban.types import AnyArray, Ints

__all__ = ["Report", "Scores", "evaluate"]

_NONE = "(none)"
_HEADS = ("precision", "recall", "F1", "rows")


@dataclass(frozen=True)
class Scores:
    """Precision, recall and F1, and the number of rows whose true class this is."""

    precision: float
    recall: float
    f1: float
    rows: int


@dataclass(frozen=True, eq=False)
class Report:
    """The result of `evaluate`; it prints as a table.

    Attributes
    ----------
    classes : the labels
    confusion : how many rows of each class (row) were given to each (column); where some rows were given to no class,
        their number is a last column
    accuracy : the share of all rows that were given to their class
    micro, macro : the averages
    scores : those of each class; ``report["spam"]`` gives those of one
    is_defined : no ratio of a class was 0/0
    """

    classes: AnyArray
    confusion: Ints
    accuracy: float
    micro: Scores
    macro: Scores
    scores: tuple[Scores, ...]
    is_defined: bool

    def __getitem__(self, label: Any) -> Scores:
        """The scores of a class."""
        for held, scores in zip(self.classes.tolist(), self.scores, strict=True):
            if held == plain(label):
                return scores
        raise ParameterError(f"there is no class {label!r}.{did_you_mean(label, self.classes.tolist())}")

    @property
    def decisions(self) -> tuple[str, ...]:
        """The names of the columns of the confusion matrix."""
        names = tuple(str(label) for label in self.classes.tolist())
        return names if self.confusion.shape[1] == len(names) else (*names, _NONE)

    def to_text(self) -> str:
        """The scores, then the confusion matrix."""
        lines = _aligned(("", *_HEADS), self._score_rows())
        notes = [f"accuracy {self.accuracy:.4f}", *([] if self.is_defined else ["0/0 is taken as 0"])]
        truth = [(name, *map(str, row)) for name, row in self._confusion_rows()]
        return "\n".join([*lines, *notes, "", *_aligned(("truth \\ decision", *self.decisions), truth)])

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        truth = [(name, *map(str, row)) for name, row in self._confusion_rows()]
        note = "" if self.is_defined else "; 0/0 is taken as 0"
        return (
            f"{_table(('', *_HEADS), self._score_rows())}<p>accuracy {self.accuracy:.4f}{note}</p>"
            f"{_table(('truth ╲ decision', *self.decisions), truth)}"
        )

    def _score_rows(self) -> list[tuple[str, ...]]:
        named = [*zip(map(str, self.classes.tolist()), self.scores, strict=True)]
        named += [("micro average", self.micro), ("macro average", self.macro)]
        return [(name, f"{s.precision:.4f}", f"{s.recall:.4f}", f"{s.f1:.4f}", str(s.rows)) for name, s in named]

    def _confusion_rows(self) -> list[tuple[str, list[int]]]:
        return [*zip(map(str, self.classes.tolist()), self.confusion.tolist(), strict=True)]


def evaluate(y_true: Any, y_pred: Any, *, labels: Any = None) -> Report:
    r"""Compare decisions with the truth.

    Parameters
    ----------
    y_true : the true labels
    y_pred : the labels that were decided for; None where no decision was made, which counts as a miss
    labels : the classes to report, in this order; all that occur, sorted, when None

    Examples
    --------
    >>> print(evaluate(["ham", "ham", "spam", "spam"], ["ham", "ham", "spam", "ham"]))
                   precision  recall      F1  rows
    ham               0.6667  1.0000  0.8000     2
    spam              1.0000  0.5000  0.6667     2
    micro average     0.7500  0.7500  0.7500     4
    macro average     0.8333  0.7500  0.7333     4
    accuracy 0.7500
    <BLANKLINE>
    truth \ decision  ham  spam
    ham                 2     0
    spam                1     1
    """
    truth, decided = _listed(y_true, "y_true"), _listed(y_pred, "y_pred")
    if len(truth) != len(decided):
        raise InputError(f"y_true has {len(truth)} labels, and y_pred {len(decided)}.")
    if not truth:
        raise InputError("there are no labels to compare.")
    if None in truth:
        raise InputError(f"the true label of row {truth.index(None)} is None; only decisions may be.")
    found = _sorted({*truth, *decided} - {None})
    chosen = found if labels is None else _chosen(labels)
    named = set(chosen)
    classes = [*chosen, *(label for label in found if label not in named)]
    return _report(classes, len(chosen), _counted(truth, decided, classes))


def _listed(y: Any, name: str) -> list[Any]:
    if y is None:
        raise InputError(f"{name} is None: pass the labels.")
    is_rejecting = isinstance(y, list | tuple) and any(label is None for label in y)
    return list(map(plain, y)) if is_rejecting else read_labels(y).tolist()


def _chosen(labels: Any) -> list[Any]:
    chosen = np.asarray(labels).tolist()
    if not chosen or len(set(chosen)) != len(chosen):
        raise ParameterError(f"labels are classes, each once, not {labels!r}.")
    return chosen


def _sorted(labels: set[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise InputError(f"the labels are of kinds that have no order: {kinds}. Pass labels of one kind.") from None


def _counted(truth: list[Any], decided: list[Any], classes: list[Any]) -> Ints:
    """Truth × decision, with a last column for no decision."""
    check_memory("the confusion matrix", len(classes), len(classes) + 1, advice="Compare fewer classes.")
    indices = {label: index for index, label in enumerate(classes)} | {None: len(classes)}
    cells = np.array([indices[t] * (len(classes) + 1) + indices[d] for t, d in zip(truth, decided, strict=True)])
    return np.bincount(cells, minlength=len(classes) * (len(classes) + 1)).reshape(len(classes), -1)


def _report(classes: list[Any], chosen: int, whole: Ints) -> Report:
    """The report on the first `chosen` of the classes."""
    tp = np.diagonal(whole)[:chosen]
    given, there = whole.sum(axis=0)[:chosen], whole.sum(axis=1)[:chosen]
    scores = [_scores(*cells) for cells in zip(tp.tolist(), given.tolist(), there.tolist(), strict=True)]
    macro = [float(np.mean([getattr(s, name) for s in scores])) for name in ("precision", "recall", "f1")]
    columns = [*range(chosen), *([len(classes)] if whole[:, -1].any() else [])]
    return Report(
        classes=_labels(classes[:chosen]),
        confusion=whole[:chosen][:, columns],
        accuracy=float(np.trace(whole) / whole.sum()),
        micro=_scores(int(tp.sum()), int(given.sum()), int(there.sum())),
        macro=Scores(macro[0], macro[1], macro[2], int(there.sum())),
        scores=tuple(scores),
        is_defined=bool(given.all() and there.all()),
    )


def _scores(found: int, given: int, there: int) -> Scores:
    """The scores when `found` of the `given` decisions are right, out of `there` rows of the class."""
    return Scores(_ratio(found, given), _ratio(found, there), _ratio(2 * found, given + there), there)


def _ratio(a: int, b: int) -> float:
    return a / b if b else 0.0


def _labels(classes: list[Any]) -> AnyArray:
    """The labels as an array that keeps their types."""
    read = np.asarray(classes)
    return read if read.ndim == 1 and read.tolist() == classes else object_array(classes)


def _aligned(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[k]) for row in (heads, *rows)) for k in range(len(heads))]
    cells = [
        [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        for row in (heads, *rows)
    ]
    return ["  ".join(row).rstrip() for row in cells]


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>" for name, *cells in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
