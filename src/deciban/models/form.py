"""The form of the data that a model was first fitted on, with which later data are compared."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from deciban.choices import did_you_mean
from deciban.errors import ColumnMismatchError, InputTypeError, warn_user
from deciban.read import Column, Matrix, Table, Variable, generated_names, object_array
from deciban.storable import check_names as check_stored_names
from deciban.storable import require, storable

if TYPE_CHECKING:
    from deciban.models.base import BayesClassifier

__all__ = [
    "Form",
    "array_of_row",
    "check_form",
    "check_names",
    "check_row",
    "form_of",
    "is_temperature",
    "table_of_row",
    "type_error",
    "values_of",
]


def check_form(form: Form) -> None:
    """Refuse a form of a file whose names, plans and weights do not fit the number of its columns."""
    require(type(form.columns) is int and form.columns >= 0, "a form has no number of columns")
    check_stored_names(form.names, form.columns)
    is_list = isinstance(form.numerals, tuple) and all(isinstance(name, str) for name in form.numerals)
    require(is_list, "a form's numerals are no names")
    require(form.schema == () or len(form.schema) == form.columns, "a form's plans do not fit its columns")
    require(form.weights is None or len(form.weights) == form.columns, "its columns' weights do not fit")
    require(form.weights is None or all(np.isfinite(w) and w >= 0 for w in form.weights), "weights are impossible")
    require(0 <= form.weighed_rows < np.inf, "weights are learned from an impossible number of rows")
    require(is_temperature(form.temperature), "a temperature is impossible")


def is_temperature(learned: Any) -> bool:
    """Whether a value of a file is a temperature, or None: none was learned."""
    return learned is None or (isinstance(learned, float) and 0 < learned < np.inf)


@storable(check=check_form)
@dataclass(frozen=True)
class Form:
    """What a model stores of the data that it was first fitted on.

    The number of columns, their names, the precision; a schema, where columns have distributions of their own; the
    weights of the columns, where they were learned, and how many rows they were learned from; the temperature of the
    evidence, where it was learned; the column of the target, where it was given by name. `classes` are those that were
    declared by ``partial_fit(classes=…)``: they stay when they have no rows. `numerals` are the columns
    whose text is read as numbers (`deciban.models.table_classifier`).
    """

    columns: int
    names: tuple[str, ...] | None = None
    dtype: type[np.floating[Any]] = np.float64
    schema: Any = ()
    weights: tuple[float, ...] | None = None
    target: str | None = None
    classes: Variable | None = None
    weighed_rows: float = 0.0
    temperature: float | None = None
    numerals: tuple[str, ...] = ()

    def merged(self, other: Form) -> Self:
        """The same form, with the classes and numerals of either model, and the average of the columns' weights."""
        weights, rows = self._merged_weights(other)
        numerals = tuple(dict.fromkeys((*self.numerals, *other.numerals)))
        merged = replace(self, weights=weights, weighed_rows=rows, numerals=numerals)
        if other.classes is None:
            return merged
        return replace(merged, classes=other.classes if self.classes is None else self.classes.union(other.classes))

    def _merged_weights(self, other: Form) -> tuple[tuple[float, ...] | None, float]:
        """The weights of the columns, averaged by the rows they were learned from, and the number of these rows."""
        if self.weights is None or other.weights is None:
            known = other if self.weights is None else self
            return known.weights, known.weighed_rows
        rows = self.weighed_rows + other.weighed_rows
        share = self.weighed_rows / rows if rows > 0 else 0.5
        pairs = zip(self.weights, other.weights, strict=True)
        return tuple(share * mine + (1.0 - share) * theirs for mine, theirs in pairs), rows

    @classmethod
    def of(cls, data: Matrix | Table) -> Form:
        """The form of data that have been read; single precision is kept where a matrix has it."""
        is_single = isinstance(data, Matrix) and data.dtype == np.float32
        columns = data.columns if isinstance(data, Table) else ()
        numerals = tuple(column.name for column in columns if column.is_numeric and column.is_marked)
        return cls(data.shape[1], data.given_names, np.float32 if is_single else np.float64, numerals=numerals)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns, also where the rows had none: x0, x1, …."""
        return self.names or generated_names(self.columns)

    def allowed(self, names: Iterable[str]) -> frozenset[str]:
        """The names that a single row may have: those of the columns, and the target's, which is ignored."""
        return frozenset(names) if self.target is None else frozenset((*names, self.target))


def form_of(model: BayesClassifier) -> Form:
    """The form of a fitted model, for what is built on models."""
    return model._form


Names = tuple[str, ...] | None

_MOST_SHOWN = 5


def check_names(owner: str, known: Names, given: Names) -> None:
    """Compare the names of a model with those of its input; warn where only one of them has names."""
    if known == given:
        return
    if known is None:
        warn_user(f"X has feature names, but {owner} was fitted without feature names")
    elif given is None:
        warn_user(f"X does not have valid feature names, but {owner} was fitted with feature names")
    else:
        raise ColumnMismatchError(_difference(known, given))


def _difference(known: tuple[str, ...], given: tuple[str, ...]) -> str:
    message = "The feature names should match those that were passed during fit.\n"
    unexpected, missing = sorted(set(given) - set(known)), sorted(set(known) - set(given))
    if unexpected:
        message += "Feature names unseen at fit time:\n" + _listed(unexpected)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _listed(missing)
    if not unexpected and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


def _listed(names: list[str]) -> str:
    lines = [f"- {name}\n" for name in names[:_MOST_SHOWN]]
    return "".join(lines) + ("- ...\n" if len(names) > _MOST_SHOWN else "")


def check_row(row: Mapping[str, Any], names: frozenset[str]) -> None:
    """Refuse a row with a column that the model does not have."""
    if not row.keys() <= names:
        unknown = min(map(str, row.keys() - names))
        raise ColumnMismatchError(f"there is no column {unknown!r}.{did_you_mean(unknown, sorted(names))}")


def table_of_row(row: Mapping[str, Any], form: Form, names: tuple[str, ...], markers: Collection[Any] = ()) -> Table:
    """The row as a table of one row; columns that it does not name are missing, and so are markers of missing values.

    `form` says which names the row may have, and `names` are those of the columns.
    """
    check_row(row, form.allowed(names))
    columns = (Column.of_values(name, object_array([row.get(name)])).without(markers) for name in names)
    return Table(tuple(columns), form.names is not None)


def array_of_row(row: Mapping[str, Any], form: Form, names: tuple[str, ...]) -> Any:
    """The row as an array of one row; columns that it does not name are missing."""
    check_row(row, form.allowed(names))
    values = np.empty((1, len(names)), dtype=object)
    values[0, :] = [row.get(name) for name in names]
    return values


def values_of(data: Matrix | Table) -> list[Any]:
    """The values of the first row of a table or a matrix."""
    if isinstance(data, Table):
        return [column.value(0) for column in data.columns]
    return data.dense()[0].tolist()


def type_error(row: Mapping[str, Any], error: TypeError) -> TypeError:
    """The error for a row with a value that cannot be a label; `error` itself where all values can."""
    wrong = [name for name, value in row.items() if not isinstance(value, Hashable)]
    if not wrong:
        return error
    return InputTypeError(f"column {wrong[0]!r} is {row[wrong[0]]!r}, which is neither a number nor a label.")
