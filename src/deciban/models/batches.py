"""Predictions and scores for the rows of batches, so that a table need not fit in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from deciban.choices import closest, did_you_mean
from deciban.decide.evaluation import Report, evaluate
from deciban.errors import ColumnMismatchError, InputError, InputTypeError, ParameterError, surrogate_error
from deciban.models.base import ArrowTable, Classifier, schema_of, target_in_fit
from deciban.read import column_of, plain, read_labels
from deciban.types import AnyArray, Floats

__all__ = [
    "class_named",
    "columns_of",
    "evaluate_batches",
    "forget_batches",
    "in_types_of",
    "is_document_model",
    "labelled_rows",
    "predict_batches",
    "predict_record",
    "row_values",
    "target_of",
]


_TEXT = "text"


def is_document_model(model: Classifier) -> bool:
    """True for a model of documents, whose rows are one column of text."""
    return bool(model.__sklearn_tags__().input_tags.one_d_array)


def columns_of(
    model: Classifier, names: Sequence[str], text: str | None = None, target: str | None = None
) -> str | list[str]:
    """The columns of a table that a model reads: the column of the documents, or those that it was fitted on.

    The column of the documents is the given one, else "text", or the only one besides the target.
    """
    if is_document_model(model):
        rest = [name for name in names if name != (target or _known_target(model))]
        wanted = text or (rest[0] if len(rest) == 1 and _TEXT not in names else _TEXT)
        _check_known([wanted], names, "Name the column of the documents." if text is None else "")
        return wanted
    if text is not None:
        raise _no_documents(model)
    known = getattr(model, "feature_names_in_", None)
    if known is None:
        raise ParameterError("the model was fitted without names of columns, so it cannot read a table by names.")
    _check_known(list(known), names, "The model was fitted on it.")
    return list(known)


def _no_documents(model: Classifier) -> ParameterError:
    return ParameterError(f"a {type(model).__name__} reads columns of a table, not documents: name no column of them.")


def target_of(model: Classifier, names: Sequence[str], target: str | None = None) -> str:
    """The column of the classes: the given one, or that of the fit; "label" for documents."""
    known = _known_target(model)
    if is_document_model(model) and known not in names:
        known = "label"
    wanted = target or known
    if wanted is None:
        raise ParameterError("the model does not know the name of its target: name the column of the classes.")
    _check_known([wanted], names, "")
    return wanted


def _known_target(model: Classifier) -> str | None:
    """The column of the classes in fit, where it was named."""
    target = target_in_fit(model)
    tally = getattr(model, "tally_", None)
    counted = "y" if tally is None else tally.classes.name
    return target if target is not None or counted == "y" else counted


def in_types_of(model: Classifier, source: Any, *, is_labelled: bool = False, target: str | None = None) -> Any:
    """Files whose columns are read in the types that a model had in fit; other sources stay as they are.

    A row cannot be read, then, that has text that spells no number in a column of numbers; or, where the rows
    `is_labelled`, in the column of the target, if the classes are numbers.
    """
    if not hasattr(source, "with_types"):
        return source
    numbers = set() if is_document_model(model) else _columns_of_numbers(model)
    if is_labelled and set(map(type, model.classes_.tolist())) <= {int, float}:
        numbers.add(target_of(model, source.names, target))
    return source.with_types(numbers, set(source.names) - numbers)


def _columns_of_numbers(model: Classifier) -> set[str]:
    schema = schema_of(model)
    if schema:
        return {plan.name for plan in schema if plan.distribution.reads_numbers}
    takes_labels = model.__sklearn_tags__().input_tags.categorical
    return set() if takes_labels else set(map(str, getattr(model, "feature_names_in_", ())))


def class_named(model: Classifier, text: str | None) -> object:
    """The class of a model whose label is written like this; None for None."""
    if text is None:
        return None
    labels = {str(plain(label)): label for label in model.classes_.tolist()}
    if text not in labels:
        raise ParameterError(f"there is no class {text!r}.{did_you_mean(text, labels)}")
    return labels[text]


def labelled_rows(
    model: Classifier, table: ArrowTable, *, target: str | None = None, text: str | None = None
) -> tuple[Any, Any]:
    """The columns of an Arrow table that a model reads, and the classes of its rows."""
    columns = columns_of(model, table.column_names, text, target)
    name = target_of(model, table.column_names, target)
    return table[columns] if isinstance(columns, str) else table.select(columns), table[name]


def predict_batches(
    model: Classifier,
    batches: Iterable[ArrowTable],
    *,
    text: str | None = None,
    keep: Sequence[str] | None = (),
    posteriors: bool = False,
) -> Iterator[ArrowTable]:
    """The predictions for each batch, an Arrow table, as a table.

    Its columns are those to keep, `prediction`, `posterior`, which is P(prediction | row), or that of the best class
    where the decision is rejected, and with `posteriors` P(class | row) of each class, as `p_` with its label. `keep`
    is None for all columns of the input; `text` names the column of the documents, for a model of documents.
    """
    for batch in batches:
        columns = columns_of(model, batch.column_names, text)
        X = batch[columns] if isinstance(columns, str) else batch.select(columns)
        kept = batch.column_names if keep is None else list(keep)
        _check_known(kept, batch.column_names, "")
        yield _with_scores(batch.select(kept), model, X, posteriors=posteriors)


def _with_scores(kept: ArrowTable, model: Classifier, X: Any, *, posteriors: bool) -> ArrowTable:
    posterior = model.predict_proba(X)
    labels = model.predict(X)
    code_of = {label: code for code, label in enumerate(model.classes_.tolist())}
    # None, a rejected decision, has no code: its posterior is that of the best class.
    codes = np.array([code_of.get(label, -1) for label in labels.tolist()], dtype=np.int64)
    chosen = np.where(codes < 0, posterior.argmax(axis=1), codes)
    added: dict[str, Sequence[object] | AnyArray] = {
        "prediction": labels.tolist(),
        "posterior": posterior[np.arange(len(chosen)), chosen],
    }
    if posteriors:
        added |= {f"p_{plain(label)}": posterior[:, code] for label, code in code_of.items()}
    for name, values in added.items():
        # Arrow would take two columns of one name, and no reader could tell them apart.
        if name in kept.column_names:
            raise ParameterError(f"the table has a column {name!r} already: keep other columns.")
        try:
            kept = kept.append_column(name, [values])
        except UnicodeEncodeError as error:
            raise surrogate_error(error) from None
    return kept


def row_values(model: Classifier, row: Any, text: str | None = None) -> Any:
    """A row in the form that `predict_one` and `explain` take: a document, or those values that the model reads.

    A document is a text, or the value of its column; other columns of a row, such as the target, are left out.
    """
    if not is_document_model(model):
        if text is not None:
            raise _no_documents(model)
        if not isinstance(row, Mapping):
            raise InputTypeError(f"a row is an object of names and values, not {row!r}.")
        return _known_values(model, row)
    if isinstance(row, str):
        return row
    if not isinstance(row, Mapping):
        raise InputTypeError(f"a document is a text, or an object with a text, not {row!r}.")
    return row[columns_of(model, list(row), text)]


def _known_values(model: Any, row: Mapping[str, object]) -> dict[str, object]:
    """The values of the model's columns. A name that is close to one of those that are missing is a typing error."""
    names = model._names()
    unknown = [name for name in row if name not in names and name != model._form.target]
    absent = [name for name in names if name not in row]
    for name in unknown:
        # A name that is close to none is another column of the row, such as a key, and is left out.
        if closest(name, absent):
            raise ColumnMismatchError(f"there is no column {name!r}.{closest(name, absent)}")
    if len(absent) == len(names):
        raise ColumnMismatchError(f"the row has none of the model's columns: {', '.join(map(repr, names[:12]))}.")
    return {name: row[name] for name in names if name in row}


def predict_record(
    model: Classifier, row: Any, *, text: str | None = None, keep: Sequence[str] | None = (), posteriors: bool = False
) -> dict[str, object]:
    """The prediction for one row, with the columns of `predict_batches`; columns that it does not name are missing."""
    values = row_values(model, row, text)
    fields = row if isinstance(row, Mapping) else {}
    kept = list(fields) if keep is None else list(keep)
    _check_known(kept, list(fields), "")
    label, beliefs = plain(model.predict_one(values)), model.predict_proba_one(values)
    return {
        **{name: fields[name] for name in kept},
        "prediction": label,
        "posterior": max(beliefs.values()) if label is None else beliefs[label],
        **({f"p_{plain(name)}": p for name, p in beliefs.items()} if posteriors else {}),
    }


def forget_batches(
    model: Classifier,
    batches: Iterable[ArrowTable],
    *,
    target: str | None = None,
    text: str | None = None,
    sample_weight: str | None = None,
) -> None:
    """Remove the labelled rows of batches from a model, as `forget` does.

    The parameters are those of `evaluate_batches`; `sample_weight` is the column of the weights.
    """
    if not hasattr(model, "forget"):
        raise ParameterError(f"a {type(model).__name__} cannot forget rows: it has no counts to subtract them from.")
    for batch in batches:
        X, y = labelled_rows(model, batch, target=target, text=text)
        weights = None if sample_weight is None else _weights(batch, sample_weight)
        model.forget(X, y, sample_weight=weights)


def _weights(batch: ArrowTable, name: str) -> AnyArray:
    _check_known([name], batch.column_names, "")
    return column_of(name, batch[name]).numbers


def evaluate_batches(
    model: Classifier, batches: Iterable[ArrowTable], *, target: str | None = None, text: str | None = None
) -> Report:
    """Compare the predictions for labelled rows with their classes; the posteriors of all rows are held in memory.

    `target` is the column of the classes, that of the fit when None; `text` that of the documents.
    """
    truth: list[object] = []
    decided: list[object] = []
    beliefs: list[Floats] = []
    for batch in batches:
        X, y = labelled_rows(model, batch, target=target, text=text)
        truth += read_labels(y).tolist()
        decided += model.predict(X).tolist()
        beliefs.append(model.predict_proba(X))
    if not truth:
        raise InputError("there are no rows to evaluate.")
    return evaluate(truth, decided, posterior=np.concatenate(beliefs), labels=model.classes_)


def _check_known(wanted: Sequence[str], names: Sequence[str], advice: str) -> None:
    for name in wanted:
        if name not in names:
            hint = did_you_mean(name, names) or (f" {advice}" if advice else "")
            raise ColumnMismatchError(f"the table has no column {name!r}.{hint}")
