"""From a file to a fitted model with its scores: choose a model where several are given, fit it on all rows, sum up.

The file may be larger than memory: at most 100,000 rows that are spread over it (20,000 documents) are held, from which
the distributions of the columns are chosen and the scores are computed; all rows are counted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from deciban.engines.files.folders import DocumentFolder
from deciban.engines.files.source import FileSource
from deciban.engines.source import complete_sample
from deciban.errors import InputTypeError, ParameterError
from deciban.models.auto.cross_validation import Selection, cross_validate
from deciban.models.base import BayesClassifier
from deciban.models.parts.calibration import calibrate_left_out
from deciban.models.parts.from_source import SAMPLE, fit_source, split_weight
from deciban.models.summary import FitSummary, spread_rows, summarize_fit
from deciban.models.tables.schema import is_free_text
from deciban.models.text import from_files
from deciban.models.text.text_nb import TextNB
from deciban.read import column_of, read_labels
from deciban.read.making import take_rows
from deciban.suggest import did_you_mean
from deciban.tallies import Tally
from deciban.types import AnyArray

__all__ = ["Fitted", "fit_documents", "fit_table", "fit_tally", "only_text", "with_priors"]

_MOST_COMPARED = 10_000
"""The number of rows that models are compared on."""
_MOST_LOOKED_AT = 10_000
"""The number of rows that show whether a column is free text."""
_FEWEST_COMPARED = 20
"""A single model is not scored on fewer rows."""

Method = Literal["temperature", "isotonic"]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model, its name, how it was chosen (None where it was the only one), and what the fit found."""

    model: Any
    name: str
    selection: Selection | None
    summary: FitSummary


def fit_table(
    models: Mapping[str, Any],
    source: FileSource,
    target: str,
    *,
    sample_weight: str | None = None,
    exclude: Sequence[str] = (),
    calibrate: Method | None = None,
    random_state: int = 0,
) -> Fitted:
    """Fit the model, or the best of several, on all rows of a table in files.

    Parameters
    ----------
    models
        The models to choose from, by name, from simple to complex; see `cross_validate`.
    source
        The files.
    target, sample_weight
        The columns of the classes and of the weights.
    exclude
        Columns that the model leaves out.
    calibrate
        How posteriors are calibrated, by leave-one-out of the rows in memory; None: not at all.
    random_state
        The seed of the cross-validation.
    """
    named = [target, *([] if sample_weight is None else [sample_weight]), *exclude]
    source.check_columns(named)
    if len(set(named)) < len(named):
        twice = next(name for name in named if named.count(name) > 1)
        raise ParameterError(f"column {twice!r} has two roles: target, weight or excluded. Name it once.")
    sample = complete_sample(source, SAMPLE, named[: 1 if sample_weight is None else 2]).drop_columns(list(exclude))
    rows, weights = split_weight(sample, sample_weight)
    models = {name: with_priors(model, rows[target]) for name, model in models.items()}
    name, selection = _chosen(models, rows, target, weights, random_state)
    model = fit_source(models[name], source, target, sample_weight, sample=sample)
    return _summed_up(Fitted(model, name, selection, _NOTHING), rows, target, weights, calibrate)


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
    models: Mapping[str, Any],
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
    if source is not None and all(isinstance(model, TextNB) for model in models.values()):
        rows = complete_sample(source, from_files.SAMPLE, names).select(names)
    else:
        source, rows = None, data.read(names)
    weights = None if sample_weight is None else column_of(sample_weight, rows[sample_weight]).numbers
    if not any(part in str(rows[text].type) for part in ("string", "binary")):
        raise InputTypeError(f"column {text!r} holds {rows[text].type}, not text. Name the column of documents.")
    models = {name: with_priors(model, rows[target]) for name, model in models.items()}
    name, selection = _chosen(models, rows[text], rows[target], weights, random_state)
    if source is not None:
        model = from_files.fit_opened(models[name], source, text=text, target=target, sample_weight=sample_weight)
    else:
        model = models[name].fit(rows[text], rows[target], weights)
    return _summed_up(Fitted(model, name, selection, _NOTHING), rows[text], rows[target], weights, calibrate)


def fit_tally(models: Mapping[str, Any], tally: Any) -> Fitted:
    """Make the model of a tally; it has no rows, so there are no scores."""
    (name, model), *_ = models.items()
    if not isinstance(tally, Tally):
        raise InputTypeError(f"a {type(tally).__name__} is not a tally of a table.")
    made = type(model).from_tally(tally, **model.get_params(deep=False))
    return Fitted(made, name, None, FitSummary(tally.total, None, 0))


def with_priors(model: Any, labels: Any) -> Any:
    """The model with priors that are given by the texts of labels changed to those of the labels themselves."""
    priors = getattr(model, "priors", None)
    if not isinstance(priors, Mapping):
        return model
    known = {str(label): label for label in dict.fromkeys(read_labels(labels).tolist())}
    for name in priors:
        if str(name) not in known:
            raise ParameterError(f"priors names the class {name!r}, which has no rows.{did_you_mean(name, known)}")
    return model.set_params(priors={known[str(name)]: share for name, share in priors.items()})


_NOTHING = FitSummary(0.0, None, 0)


def _chosen(
    models: Mapping[str, Any], X: Any, y: Any, weights: AnyArray | None, random_state: int
) -> tuple[str, Selection | None]:
    """The name of the only model, or of the best one; a model without leave-one-out gets its scores here."""
    only = next(iter(models)) if len(models) == 1 else None
    if only is not None and (isinstance(models[only], BayesClassifier) or len(X) < _FEWEST_COMPARED):
        return only, None
    size = len(X)
    some = spread_rows(size, _MOST_COMPARED)
    own = None if weights is None else np.asarray(weights, dtype=np.float64)[some]
    labels = y if isinstance(y, str) else take_rows(y, some)
    selection = cross_validate(models, take_rows(X, some), labels, sample_weight=own, random_state=random_state)
    return selection.chosen, selection


def _summed_up(fitted: Fitted, X: Any, y: Any, weights: AnyArray | None, calibrate: Method | None) -> Fitted:
    if calibrate is not None:
        if not hasattr(fitted.model, "calibrate"):
            raise ParameterError(f"{type(fitted.model).__name__} has no calibration.")
        calibrate_left_out(fitted.model, X, y, method=calibrate, sample_weight=weights)
    return replace(fitted, summary=summarize_fit(fitted.model, X, y, sample_weight=weights))
