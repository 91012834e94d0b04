"""`evaluate`: compare decisions and posteriors with the truth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from deciban.decide.report import Baseline, Report, Scores
from deciban.decide.rules import check_loss
from deciban.decide.score import probability_scores, wilson
from deciban.errors import InputError, ParameterError
from deciban.limits import check_memory
from deciban.read import Variable, object_array, plain, read_labels, read_target
from deciban.ties import first_smallest
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["MeanCost", "evaluate", "mean_cost"]


_TOLERANCE = 1e-6


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


class _Compared(NamedTuple):
    """The classes to report, all classes that occur, these first, and codes; no decision has the code after the last.

    `truth` and `decided` are codes in `classes`.
    """

    chosen: list[Any]
    classes: list[Any]
    truth: AnyArray
    decided: AnyArray


class _Judged(NamedTuple):
    """Posteriors, the labels of their columns, and the code of each row's true class."""

    labels: list[Any]
    posterior: Floats
    y: Codes


def _compared(y_true: Any, y_pred: Any, labels: Any) -> _Compared:
    truth, decided = _listed(y_true, "y_true"), _listed(y_pred, "y_pred")
    if labels is not None:
        truth = _in_type_of(truth, labels)
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
    code_of = {label: code for code, label in enumerate(classes)} | {None: len(classes)}
    codes = (np.array([code_of[label] for label in held], dtype=np.int64) for held in (truth, decided))
    return _Compared(chosen, classes, *codes)


def _judged(y_true: Any, posterior: Any, labels: Any) -> _Judged:
    read = _posterior(posterior)
    target = read_target(y_true, len(read))
    if labels is not None:
        target = target.read_as(Variable.of("y_true", _chosen(labels)))
    found = target.classes.labels.tolist()
    used = np.bincount(target.codes, minlength=len(found)) > 0
    present = [label for label, is_used in zip(found, used.tolist(), strict=True) if is_used]
    chosen = present if labels is None else _chosen(labels)
    if len(chosen) != read.shape[1]:
        advice = "Pass labels=model.classes_." if labels is None else "Pass one label for each column."
        raise InputError(f"the posteriors have {read.shape[1]} columns, for {len(chosen)} classes. {advice}")
    code_of = {label: code for code, label in enumerate(chosen)}
    unknown = [label for label in present if label not in code_of]
    if unknown:
        raise InputError(f"y_true has the class {unknown[0]!r}, which is not among the labels of the posteriors.")
    codes = np.array([code_of.get(label, 0) for label in found], dtype=np.int32)
    return _Judged(chosen, read, codes[target.codes])


def _in_type_of(truth: list[Any], labels: Any) -> list[Any]:
    """True labels in the type of the classes to report: text that spells a number is it, where these are numbers."""
    known = Variable.of("y_true", _chosen(labels)).known_labels
    return [label if label is None else known.typed(label) for label in truth]


def _posterior(posterior: Any) -> Floats:
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


def _counted(compared: _Compared) -> Ints:
    """Truth × decision, with a last column for no decision."""
    classes = len(compared.classes)
    check_memory("the confusion matrix", classes, classes + 1, advice="Compare fewer classes.")
    cells = compared.truth.astype(np.int64) * (classes + 1) + compared.decided
    return np.bincount(cells, minlength=classes * (classes + 1)).reshape(classes, -1)


def _report(compared: _Compared, judged: _Judged | None = None) -> Report:
    """The report on the classes that were chosen."""
    whole, chosen = _counted(compared), len(compared.chosen)
    tp = np.diagonal(whole)[:chosen]
    given, there = whole.sum(axis=0)[:chosen], whole.sum(axis=1)[:chosen]
    scores = [_scores(*cells) for cells in zip(tp.tolist(), given.tolist(), there.tolist(), strict=True)]
    macro = [float(np.mean([getattr(s, name) for s in scores])) for name in ("precision", "recall", "f1")]
    columns = [*range(chosen), *([len(compared.classes)] if whole[:, -1].any() else [])]
    right = int(np.trace(whole))
    return Report(
        classes=_labels(compared.chosen),
        confusion=whole[:chosen][:, columns],
        accuracy=float(right / whole.sum()),
        accuracy_interval=wilson(right, int(whole.sum())),
        micro=_scores(int(tp.sum()), int(given.sum()), int(there.sum())),
        macro=Scores(macro[0], macro[1], macro[2], int(there.sum())),
        scores=tuple(scores),
        is_defined=bool(given.all() and there.all()),
        baseline=_baseline(compared.classes, whole.sum(axis=1)),
        probability=None if judged is None else probability_scores(judged.posterior, judged.y),
        _judged=None if judged is None else (judged.posterior, judged.y),
    )


def _baseline(classes: list[Any], there: Ints) -> Baseline:
    """The scores of the class shares; `there` are the rows of each class."""
    shares = there / there.sum()
    known = shares[shares > 0]
    halves = 0.5 if len(classes) == 2 else 1.0
    brier = halves * (1.0 - float(np.sum(shares * shares)))
    best = int(there.argmax())
    return Baseline(classes[best], float(shares[best]), abs(float(np.sum(known * np.log(known)))), brier)


def _scores(found: int, given: int, there: int) -> Scores:
    """The scores when `found` of the `given` decisions are right, out of `there` rows of the class."""
    return Scores(_ratio(found, given), _ratio(found, there), _ratio(2 * found, given + there), there)


def _ratio(a: int, b: int) -> float:
    return a / b if b else 0.0


def _labels(classes: list[Any]) -> AnyArray:
    """The labels as an array that keeps their types."""
    read = np.asarray(classes)
    return read if read.ndim == 1 and read.tolist() == classes else object_array(classes)


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
