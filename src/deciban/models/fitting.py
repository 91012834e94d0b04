"""From a file to a fitted model with its scores: choose a model where several are given, fit it on all rows, sum up.

The file may be larger than memory: at most 100,000 rows that are spread over it (20,000 documents) are held, from which
the distributions of the columns are chosen and the scores are computed; all rows are counted.

**Choosing** among any models is by cross-validation. The rows are divided into folds, each with the classes in the same
shares. Every model is fitted on the others of each fold and predicts the rows of the fold. The log loss of a row is
−log P(its class | row). The model of least mean log loss is the best. The first model in the given order whose log loss
exceeds that of the best by no more than one standard error of this difference is chosen, so models are given from
simple to complex (the one-standard-error rule of Breiman et al. 1984, on paired differences).

**Summing up**: scores of the learned rows by exact leave-one-out, and the strongest columns or tokens. Leave-one-out
subtracts the counts of a row before it is predicted, so nothing is fitted again, and any of the learned rows can be
scored: of a large table, some that are spread over it.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Literal, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from deciban.choices import counted, did_you_mean
from deciban.decide.evaluation import Report, evaluate
from deciban.engines.files.names import DocumentFolder
from deciban.engines.files.source import FileSource
from deciban.engines.source import rows_in_memory
from deciban.errors import InputError, InputTypeError, ParameterError
from deciban.estimate.missing import contingency
from deciban.explain.evidence import Evidence, mean_weights
from deciban.models.base import SAMPLE, BayesClassifier, Classifier, fit_source, split_weight
from deciban.models.leave_one_out import CalibratedClassifier, calibrate_left_out, class_codes, left_out_posterior
from deciban.models.naive_bayes import NaiveBayes
from deciban.models.schema import is_free_text
from deciban.models.table_classifier import known_labels
from deciban.models.text import counting_in_parts as from_files
from deciban.models.text.text_nb import TextNB
from deciban.read import Target, column_of, number_of, read_labels, read_target, split_target, take_rows
from deciban.tallies import SampleTally, Tally
from deciban.ties import exceeds, first_smallest
from deciban.types import AnyArray, ArrayLike, Floats, LabelsLike

__all__ = [
    "FitSummary",
    "Fitted",
    "agreement",
    "column_strengths",
    "cross_validate",
    "fit_documents",
    "fit_table",
    "fit_tally",
    "merged",
    "near_copies",
    "odd_label",
    "only_text",
    "rows_to_score",
    "spread_rows",
    "summarize_fit",
    "with_priors",
]


_MOST_COMPARED = 10_000
"""The number of rows that models are compared on."""
_MOST_LOOKED_AT = 10_000
"""The number of rows that show whether a column is free text."""
_FEWEST_COMPARED = 20
"""A single model is not scored on fewer rows."""

C = TypeVar("C", bound=Classifier)
Method = Literal["temperature", "isotonic"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model, its name, how it was chosen (None where it was the only one), and what the fit found."""

    model: Classifier
    name: str
    selection: Selection | None
    summary: FitSummary


def fit_table(
    models: Mapping[str, BayesClassifier],
    source: FileSource,
    target: str,
    *,
    sample_weight: str | None = None,
    exclude: Sequence[str] = (),
    calibrate: Method | None = None,
    random_state: int = 0,
) -> Fitted:
    """Fit the model, or the best of several, on all rows of a table in files.

    The models are given from simple to complex, as for `cross_validate`. `target`, `sample_weight` and `exclude` are
    names of columns. Posteriors are calibrated, if at all, by leave-one-out of the rows in memory.
    """
    named = [target, *([] if sample_weight is None else [sample_weight]), *exclude]
    source.check_columns(named)
    if len(set(named)) < len(named):
        twice = next(name for name in named if named.count(name) > 1)
        raise ParameterError(f"column {twice!r} has two roles: target, weight or excluded. Name it once.")
    table, is_whole = rows_in_memory(source, SAMPLE, named[: 1 if sample_weight is None else 2])
    table = table.drop_columns(list(exclude))
    rows, weights = split_weight(table, sample_weight)
    models = {name: with_priors(model, rows[target]) for name, model in models.items()}
    name, selection = _chosen(models, rows, target, weights, random_state)
    model = fit_source(models[name], source, target, sample_weight, in_memory=(table, is_whole))
    return _summed_up(model, name, selection, (rows, target, weights), calibrate)


def only_text(source: FileSource, leave_out: Collection[str]) -> str | None:
    """The only other column of a table in files, where it is free text in every row; None where there is none.

    A table of one text and a class is one of documents: a model of documents counts its tokens directly, and finds its
    smoothing and temperature.
    """
    rest = [name for name in source.names if name not in leave_out]
    if len(rest) != 1:
        return None
    column = column_of(rest[0], source.sample(_MOST_LOOKED_AT, rest)[rest[0]])
    return rest[0] if is_free_text(column) and not column.has_missing else None


def fit_documents(
    models: Mapping[str, Classifier],
    data: FileSource | DocumentFolder,
    *,
    text: str = "text",
    target: str = "label",
    sample_weight: str | None = None,
    calibrate: Method | None = None,
    random_state: int = 0,
) -> Fitted:
    """Fit the model, or the best of several, on a column of documents in files, or on documents in a folder.

    The parameters are those of `fit_table`; `text` is the column of the documents. A `TextNB` counts files in pieces;
    the documents of other models and of folders are held in memory.
    """
    names = [name for name in (text, target, sample_weight) if name is not None]
    source = data if isinstance(data, FileSource) else None
    if source is not None:
        source.check_columns(names)
    is_whole = True
    if source is not None and all(isinstance(model, TextNB) for model in models.values()):
        table, is_whole = rows_in_memory(source, from_files.SAMPLE, names)
        rows = table.select(names)
    else:
        # Only TextNB counts a file in pieces.
        source, rows = None, data.read(names)
    weights = None if sample_weight is None else column_of(sample_weight, rows[sample_weight]).numbers
    if not any(part in str(rows[text].type) for part in ("string", "binary")):
        raise InputTypeError(f"column {text!r} holds {rows[text].type}, not text. Name the column of documents.")
    models = {name: with_priors(model, rows[target]) for name, model in models.items()}
    name, selection = _chosen(models, rows[text], rows[target], weights, random_state)
    model = models[name]
    if source is not None and isinstance(model, TextNB):
        in_memory = rows, is_whole
        model = model._fit_opened(source, text=text, target=target, sample_weight=sample_weight, in_memory=in_memory)
    else:
        model = model.fit(rows[text], rows[target], weights)
    return _summed_up(model, name, selection, (rows[text], rows[target], weights), calibrate)


def fit_tally(models: Mapping[str, BayesClassifier], tally: object) -> Fitted:
    """Make the model of a tally; it has no rows, so there are no scores."""
    (name, model), *_ = models.items()
    if not isinstance(tally, Tally):
        raise InputTypeError(f"a {type(tally).__name__} is not a tally of a table.")
    made = type(model).from_tally(tally, **model.get_params(deep=False))
    return Fitted(made, name, None, FitSummary(tally.total, None, 0))


def with_priors(model: C, labels: LabelsLike) -> C:
    """The model with priors that are given by the texts of labels changed to those of the labels themselves."""
    priors = getattr(model, "priors", None)
    if not isinstance(priors, Mapping):
        return model
    known = {str(label): label for label in dict.fromkeys(read_labels(labels).tolist())}
    for name in priors:
        if str(name) not in known:
            raise ParameterError(f"priors names the class {name!r}, which has no rows.{did_you_mean(name, known)}")
    return model.set_params(priors={known[str(name)]: share for name, share in priors.items()})


def _chosen(
    models: Mapping[str, Classifier], X: Any, y: Any, weights: AnyArray | None, random_state: int
) -> tuple[str, Selection | None]:
    """The name of the only model, or of the best one; a model without leave-one-out gets its scores here."""
    only = next(iter(models)) if len(models) == 1 else None
    if only is not None and (isinstance(models[only], BayesClassifier) or len(X) < _FEWEST_COMPARED):
        return only, None
    size = len(X)
    some = spread_rows(size, _MOST_COMPARED)
    some_weights = None if weights is None else np.asarray(weights, dtype=np.float64)[some]
    labels = y if isinstance(y, str) else take_rows(y, some)
    selection = cross_validate(
        models, take_rows(X, some), labels, sample_weight=some_weights, random_state=random_state
    )
    return selection.chosen, selection


def _summed_up(
    model: Classifier,
    name: str,
    selection: Selection | None,
    rows: tuple[Any, Any, AnyArray | None],
    calibrate: Method | None,
) -> Fitted:
    """Calibrate the fitted model, and score it by the rows in memory: columns, labels and weights."""
    X, y, weights = rows
    if calibrate is not None:
        if not isinstance(model, CalibratedClassifier):
            raise ParameterError(f"{type(model).__name__} has no calibration.")
        calibrate_left_out(model, X, y, method=calibrate, sample_weight=weights)
    return Fitted(model, name, selection, summarize_fit(model, X, y, sample_weight=weights))


# Where scikit-learn's log_loss clips, too: one row of probability 0 must not decide alone.
_LEAST = float(np.finfo(np.float64).eps)
_HEAD = ("model", "log loss", "above the best", "accuracy")


@dataclass(frozen=True)
class CrossValidated:
    """The scores of a model on rows that it had not learned.

    `excess` is how much its log loss is above that of the best model, and `error` the standard error of the difference.
    """

    name: str
    log_loss: float
    accuracy: float
    excess: float
    error: float


@dataclass(frozen=True)
class Selection:
    """The models that were compared, in the given order, and the name of the chosen one; it shows itself as a table."""

    candidates: tuple[CrossValidated, ...]
    chosen: str
    rows: int
    folds: int

    @property
    def best(self) -> CrossValidated:
        """The model of least log loss."""
        return self.candidates[first_smallest([candidate.log_loss for candidate in self.candidates])]

    @property
    def reason(self) -> str:
        """What was chosen, and why."""
        if len(self.candidates) == 1:
            return f"{self.chosen} is the only model."
        if self.chosen == self.best.name:
            return f"{self.chosen} is chosen: no simpler model is within one standard error of its log loss."
        return (
            f"{self.chosen} is chosen: it is the simplest model whose log loss is within one standard error of that of "
            f"the best, {self.best.name}."
        )

    def __repr__(self) -> str:
        rows = [_HEAD, *(_cells(candidate) for candidate in self.candidates)]
        first, *others = (max(len(row[i]) for row in rows) for i in range(len(_HEAD)))
        lines = (
            f"{name:<{first}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(cells, others, strict=True))
            for name, *cells in rows
        )
        return "\n".join([f"{counted(self.rows, 'row')} in {counted(self.folds, 'fold')}", *lines, self.reason])


def _cells(candidate: CrossValidated) -> tuple[str, ...]:
    above = "" if candidate.excess == 0 else f"{candidate.excess:.4f} ± {candidate.error:.4f}"
    return candidate.name, f"{candidate.log_loss:.4f}", above, f"{candidate.accuracy:.4f}"


def cross_validate(
    models: Mapping[str, Classifier],
    X: Any,
    y: Any,
    *,
    sample_weight: ArrayLike | None = None,
    folds: int = 5,
    random_state: int | None = 0,
) -> Selection:
    """Compare models by their log loss on rows that they had not learned, and choose one.

    The models are given by name, from simple to complex, and stay as they are; `random_state` divides the rows.

    >>> from sklearn.datasets import load_iris
    >>> from deciban import JointBayes, NaiveBayes
    >>> cross_validate(
    ...     {"naive": NaiveBayes(), "joint": JointBayes()}, *load_iris(return_X_y=True)
    ... ).chosen
    'naive'
    """
    if not models:
        raise ParameterError("there are no models to compare: name at least one.")
    X, y, name = split_target(X, y)
    target = read_target(y, len(y), name)
    present = np.bincount(target.codes, minlength=len(target.classes.labels))
    if folds < 2 or len(target.codes) < 2 * folds or (present > 0).sum() < 2:
        raise InputError(
            f"{counted(len(target.codes), 'row')} of {counted(int((present > 0).sum()), 'class', 'classes')} cannot be "
            f"divided into {folds} folds: choose a model by its name."
        )
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    losses, hits = _scores(models, X, target, weights, _folds(target.codes, folds, random_state))
    return _selected(list(models), losses, hits, weights, folds)


def _folds(codes: AnyArray, folds: int, random_state: int | None) -> list[tuple[AnyArray, AnyArray]]:
    dividing = StratifiedKFold(folds, shuffle=True, random_state=random_state)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of classes with fewer rows than folds
        return [*dividing.split(np.zeros(len(codes)), codes)]


def _scores(
    models: Mapping[str, Classifier],
    X: Any,
    target: Target,
    weights: Floats | None,
    folds: list[tuple[AnyArray, AnyArray]],
) -> tuple[Floats, Floats]:
    """The log loss of each row, and whether its class is predicted: models × rows."""
    labels, codes = target.classes.labels, target.codes
    losses, hits = np.empty((len(models), len(codes))), np.empty((len(models), len(codes)))
    for learned, held_out in folds:
        train, test = take_rows(X, learned), take_rows(X, held_out)
        train_weights = None if weights is None else weights[learned]
        for m, model in enumerate(models.values()):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the fit of the chosen model repeats them
                # A clone for each fold, as the models stay as they are.
                fitted = clone(model).fit(train, labels[codes[learned]], train_weights)
                posterior = fitted.predict_proba(test)
            index_of = {label: i for i, label in enumerate(fitted.classes_.tolist())}
            # A class without a row in the other folds is unknown to the model: its probability is 0.
            indices = np.array([index_of.get(label, -1) for label in labels.tolist()])[codes[held_out]]
            of_class = np.where(indices < 0, 0.0, posterior[np.arange(len(held_out)), indices])
            losses[m, held_out] = -np.log(np.maximum(of_class, _LEAST))
            hits[m, held_out] = posterior.argmax(axis=1) == indices
    return losses, hits


def _selected(names: list[str], losses: Floats, hits: Floats, weights: Floats | None, folds: int) -> Selection:
    means = np.average(losses, axis=1, weights=weights)
    accuracies = np.average(hits, axis=1, weights=weights)
    best = first_smallest(means)
    differences = losses - losses[best]
    excess = means - means[best]
    errors = np.sqrt(np.average((differences - excess[:, None]) ** 2, axis=1, weights=weights) / losses.shape[1])
    columns = (names, means.tolist(), accuracies.tolist(), excess.tolist(), errors.tolist())
    candidates = tuple(CrossValidated(*values) for values in zip(*columns, strict=True))
    # In the given order, simple models first.
    chosen = next(c.name for c in candidates if not exceeds(c.excess, c.error))
    return Selection(candidates, chosen, losses.shape[1], folds)


def merged(parts: Sequence[Any]) -> Any:
    """The sum of tallies, or a model that has learned the rows of all models; the parts stay as they are.

    >>> from deciban import CategoricalNB
    >>> days = [
    ...     CategoricalNB().fit([[sky]], [play])
    ...     for sky, play in (("sun", "yes"), ("rain", "no"))
    ... ]
    >>> merged(days).tally_.total
    2
    """
    if not parts:
        raise ParameterError("there is nothing to merge: name at least one file.")
    kinds = list(dict.fromkeys(type(part).__name__ for part in parts))
    if len(kinds) > 1:
        raise ParameterError(f"a {kinds[0]} cannot be merged with a {kinds[1]}.")
    if isinstance(parts[0], SampleTally):
        return reduce(lambda total, part: total + part.read_as(total), parts)
    if not hasattr(parts[0], "merge"):
        raise ParameterError(f"a {kinds[0]} cannot be merged: it is no sum over rows. Fit it on all of them.")
    # `merge` changes the model that it is called on, so the first one is copied.
    return reduce(lambda model, part: model.merge(part), parts[1:], deepcopy(parts[0]))


_MOST_CELLS = 5_000_000
"""Rows × columns × classes that are scored: a second's work, and 40 MB for each of a few tables."""
_MOST_ROWS = 200_000
_FEWEST_ROWS = 1_000
_MOST_WEIGHED = 2_048
_MOST_CLASSES, _TOKENS = 6, 8
_FEWEST_LABELS = 3
"""Of two labels, one that is odd is as likely a state."""


@dataclass(frozen=True, eq=False)
class FitSummary:
    """What a fit found.

    Attributes
    ----------
    total : the number of rows that were learned, or their weight
    report : the scores of learned rows, each as if it had not been learned; None where the model has no leave-one-out
    scored : how many rows were scored
    strengths : the mean weight of evidence of each column for the class of the row, in decibans, largest first
    tokens : for a model of documents, the strongest tokens of each class against the others, in decibans
    odd_labels : by column, a label that may stand for a missing value: the only one that is punctuation, or no number
    copies : the columns that are not one-to-one with the target, but nearly so, and the share of rows that agree
    """

    total: float
    report: Report | None
    scored: int
    strengths: Mapping[str, float] = field(default_factory=dict)
    tokens: Mapping[str, list[tuple[str, float]]] = field(default_factory=dict)
    copies: Mapping[str, float] = field(default_factory=dict)
    odd_labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def how(self) -> str:
        """How the rows were scored."""
        if self.scored >= self.total:
            return f"exact leave-one-out, {self.scored:,} rows"
        return f"exact leave-one-out, {self.scored:,} rows of {self.total:,.6g}, spread over the table"


def summarize_fit(model: Classifier, X: Any, y: Any, *, sample_weight: ArrayLike | None = None) -> FitSummary:
    """Score rows that a model has learned, or some that are spread over them, and find their evidence for the class.

    `sample_weight` are the weights with which they were learned; each row counts once in the scores.
    """
    X, y, _ = split_target(X, y)
    rows = spread_rows(len(y), rows_to_score(model))
    X, y = take_rows(X, rows), take_rows(y, rows)
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)[rows]
    if not isinstance(model, BayesClassifier):
        return FitSummary(float(len(y)), None, 0, tokens=_tokens(model))
    posterior = left_out_posterior(model, X, y, weights)
    report = evaluate(y, posterior=posterior, labels=model.classes_)
    if isinstance(model, TextNB):
        return FitSummary(model.tally_.total, report, len(rows), tokens=_tokens(model))
    copies = near_copies(model) if isinstance(model, NaiveBayes) else {}
    return FitSummary(
        model.tally_.total,
        report,
        len(rows),
        strengths=column_strengths(model, X, y, weights),
        copies={name: share for name, share in copies.items() if share < 1.0},
        odd_labels=_odd_labels(model),
    )


def odd_label(labels: Sequence[object]) -> str | None:
    """The label that may stand for a missing value: the only one that is punctuation, or the only one of no number.

    >>> (
    ...     odd_label(["sun", "rain", "?"]),
    ...     odd_label(["1", "2", "unknown"]),
    ...     odd_label(["sun", "rain"]),
    ... )
    ('?', 'unknown', None)
    """
    texts = [label for label in labels if isinstance(label, str)]
    if len(texts) < _FEWEST_LABELS or len(texts) < len(labels):
        return None
    marks = [label for label in texts if not any(map(str.isalnum, label))]
    others = [label for label in texts if number_of(label) is None]
    return next((found[0] for found in (marks, others) if len(found) == 1), None)


def _odd_labels(model: BayesClassifier) -> dict[str, str]:
    known = known_labels(model, model._form)
    labels = {name: odd_label(variable.labels.tolist()) for name, variable in known.items() if name in model._names()}
    return {name: label for name, label in labels.items() if label is not None}


def spread_rows(rows: int, most: int) -> AnyArray:
    """The indices of at most so many rows, spread evenly; all where there are fewer.

    >>> spread_rows(10, 4).tolist()
    [0, 3, 6, 9]
    """
    return np.arange(rows) if rows <= most else np.linspace(0, rows - 1, most).round().astype(np.int64)


def rows_to_score(model: Classifier) -> int:
    """How many rows are scored, at most."""
    cells = max(len(model.classes_) * getattr(model, "n_features_in_", 1), 1)
    return int(np.clip(_MOST_CELLS // cells, _FEWEST_ROWS, _MOST_ROWS))


def column_strengths(
    model: BayesClassifier, X: Any, y: Any, sample_weight: Floats | None = None, *, is_learned: bool = True
) -> dict[str, float]:
    """The mean weight of evidence of each column for the class of the row, in decibans, largest first.

    Each of these rows, if `is_learned`, is weighed by naive Bayes as if it had not been: else a column of many labels
    seems strong, whose counts are those of the row itself. Of a large table, some rows that are spread over it.
    """
    some = spread_rows(len(y), _MOST_WEIGHED)
    X, y = take_rows(X, some), take_rows(y, some)
    codes, _ = class_codes(model, X, y, None)
    if not isinstance(model, NaiveBayes) or not is_learned:
        return mean_weights(model.evidence(X), codes)
    weights = np.ones(len(codes)) if sample_weight is None else sample_weight[some]
    columns = model._left_out_columns(model._features(X), codes, weights)
    return mean_weights(Evidence(model.classes_, model._names(), model._prior, columns), codes)


def _tokens(model: Any) -> dict[str, list[tuple[str, float]]]:
    """The strongest tokens of the first classes."""
    labels = model.classes_.tolist()
    if len(labels) < 2:
        return {}
    return {str(label): [*model.top_tokens(label, n=_TOKENS)] for label in labels[:_MOST_CLASSES]}


_OF_ALL, _OF_CLASS = 0.99, 0.95


def near_copies(model: NaiveBayes) -> dict[str, float]:
    """The columns of a fitted `NaiveBayes` that are copies of the target or nearly so, and the share that agrees.

    Each class has a value: its most frequent one. The column is nearly a copy where each of these values also occurs
    most often in its class, and 99 % of all rows and 95 % of the rows of every class have the value of their class.
    """
    pairs = zip(model.schema_, model.tally_.parts, strict=True)
    tables = {plan.name: contingency(plan.distribution, part) for plan, part in pairs}
    shares = {name: agreement(table) for name, table in tables.items() if table is not None}
    return {name: share for name, share in shares.items() if share is not None}


def agreement(table: AnyArray) -> float | None:
    """The share of the rows of a class × value table that agree; None where the column is not nearly a copy.

    >>> (
    ...     agreement(np.array([[990, 10], [0, 1000]])),
    ...     agreement(np.array([[900, 100], [0, 1000]])),
    ... )
    (0.995, None)
    """
    classes, values = table.shape
    rows = table.sum(axis=1)
    if classes < 2 or values < classes or not rows.all():
        return None
    best = table.argmax(axis=1)
    agreeing = table[np.arange(classes), best]
    if (table.argmax(axis=0)[best] != np.arange(classes)).any() or (agreeing < _OF_CLASS * rows).any():
        return None
    share = float(agreeing.sum() / rows.sum())
    return share if share >= _OF_ALL else None
