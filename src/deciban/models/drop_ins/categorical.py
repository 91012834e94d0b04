"""Categorical naive Bayes: each column takes one of its states (Mukund, lecture 15; Zhu, items 4 to 10).

P(v | j) = (n_jv + α) / (n_j + α·m),  m the number of states of the column
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from deciban.errors import InputError, ParameterError
from deciban.estimate import Lidstone, log_priors, log_probabilities, packed_tables
from deciban.estimate.columns.drawing import draw_states
from deciban.estimate.columns.formulas import Labels, StateLogs
from deciban.models.base import BayesClassifier
from deciban.models.drop_ins.discrete import COUNT_CONSTRAINTS, check_alpha, prior_rule
from deciban.models.export.forms import ClosedForm, NamedFormula
from deciban.models.export.onnx.export import to_onnx
from deciban.models.export.onnx.scores import categorical_scores
from deciban.models.form import Form
from deciban.models.options import SkipOrError, Unseen, words
from deciban.models.parts.generative import draw_classes, scored_joint
from deciban.models.parts.to_sql import to_sql
from deciban.read import Column, Matrix, Table, container_of, is_frame, read_matrix, read_table
from deciban.read.drawn import Drawn
from deciban.read.objects import EXACT
from deciban.tallies import Counts, Sample, Tally, count_columns, count_matrix
from deciban.tallies.faults import Fault
from deciban.tallies.kernels import Want, score_table
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = ["CategoricalNB"]


class CategoricalNB(BayesClassifier):
    """Categorical naive Bayes: each column has one of its states. A drop-in for ``sklearn.naive_bayes.CategoricalNB``.

    Whole numbers are codes, as in scikit-learn: a column whose largest value is 4 has the states 0 … 4; booleans are
    the codes 0 and 1. Anything else, text, fractions or dates, is a label, and a column has the states that occur.
    Beyond scikit-learn also: categories that were not seen in fit, missing values, huge codes, classes and categories
    that come later, `merge`, `forget`, `evidence` and `explain`.

    Parameters
    ----------
    alpha : float
        The pseudo-count of each state; 1 is Laplace's law, 0 maximum likelihood.
    force_alpha : bool
        Whether an alpha below 1e-10 is used as given.
    fit_prior : bool
        Whether class priors are relative frequencies; uniform when not.
    class_prior : array, optional
        The probabilities of the classes.
    min_categories : int or array of shape (n_features,), optional
        The least number of states of every coded column, or of each.
    missing : {"error", "skip"}
        What a missing value (NaN, None) is: an error, or no evidence.
    unseen : {"smooth", "ignore", "error"}
        What a category is that did not occur in fit: a state counted 0 times, no evidence, or an error.

    Attributes
    ----------
    tally_ : Tally
        The counts of each column's states in each class, from which all other attributes follow.
    classes_ : array
        The labels, sorted.
    class_count_ : array
        The weight of the rows of each class.
    class_log_prior_ : array
        log P(class).
    category_count_ : list of arrays
        For each column, the counts of its states, classes × states.
    feature_log_prob_ : list of arrays
        For each column, log P(state | class), classes × states.
    n_categories_ : array
        The number of states of each column.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array
        The names of the columns, where the rows had names.

    See Also
    --------
    NaiveBayes : For tables with labels, numbers and text.

    Examples
    --------
    >>> model = CategoricalNB().fit([["sun", "hot"], ["rain", "cool"]], ["play", "stay"])
    >>> model.predict([["sun", "cold"]]).tolist()
    ['play']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **BayesClassifier._parameter_constraints,
        **COUNT_CONSTRAINTS,
        "alpha": [Interval(Real, 0, None, closed="left")],
        "min_categories": [None, "array-like", Interval(Integral, 1, None, closed="left")],
        "unseen": [words(Unseen)],
    }

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
        missing: SkipOrError = "error",
        unseen: Unseen = "smooth",
    ) -> None:
        self.alpha, self.force_alpha, self.min_categories = alpha, force_alpha, min_categories
        self.fit_prior, self.class_prior = fit_prior, class_prior
        self.missing, self.unseen = missing, unseen

    to_onnx = to_onnx
    _onnx_scores = categorical_scores

    def _read(self, X: Any) -> Matrix | Table:
        held = container_of(X)
        if hasattr(held, "tocsr") or (isinstance(held, np.ndarray) and (held.dtype.kind in "iufb" or held.ndim != 2)):
            return read_matrix(held)
        table = read_table(held)
        coded = replace(table, columns=tuple(map(_booleans_as_codes, table.columns)))
        if not _has_one_type(coded.columns):
            return coded
        if is_frame(held):
            return read_matrix(held)
        return Matrix(np.column_stack([column.numbers for column in coded.columns]), coded.given_names)

    def _as_learned(self, data: Matrix | Table, form: Form | None) -> Matrix | Table:
        """The columns in the types of the labels that were counted, where one of them differs from these in type."""
        if not self._is_own(form) or data.shape[1] != self.n_features_in_:
            return data
        known = [part.variable for part in self.tally_.parts]
        if isinstance(data, Matrix) and all(variable.labels.dtype.kind in "iuf" for variable in known):
            return data
        columns = tuple(map(Column.read_as, _table(data).columns, known))
        if not _has_one_type(columns):
            return Table(columns, data.given_names is not None)
        return Matrix(np.column_stack([column.numbers for column in columns]), data.given_names)

    def _count(self, data: Matrix | Table, sample: Sample, form: Form) -> Tally:  # noqa: ARG002
        owner, skips = type(self).__name__, self.missing == "skip"
        counts = count_matrix(data, sample, owner, missing_allowed=skips) if isinstance(data, Matrix) else None
        if counts is None:
            counts = count_columns(_table(data), sample, owner, missing_allowed=skips, coded=True)
        return sample.tally(*counts)

    def _accepted(self, tally: Tally) -> Tally:
        if not tally.parts or not all(isinstance(part, Counts) for part in tally.parts):
            raise ParameterError("CategoricalNB takes a tally of counts alone.")
        return tally

    def _least_sizes(self, columns: int) -> Ints:
        if self.min_categories is None:
            return np.zeros(columns, dtype=np.int64)
        least = np.array(self.min_categories)
        if not np.issubdtype(least.dtype, np.signedinteger):
            raise ParameterError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
        if least.shape not in ((), (columns,)):
            raise ParameterError(
                f"'min_categories' should have shape ({columns},) when an array-like is provided. Got {least.shape} "
                "instead."
            )
        return np.broadcast_to(least, columns)

    def _estimate(self, tally: Tally, form: Form) -> dict[str, Any]:
        alpha = check_alpha(self.alpha, form.columns, force=self.force_alpha)
        prior = log_priors(tally.class_counts, self.class_prior, uniform=not self.fit_prior)
        least = self._least_sizes(form.columns)
        parts = tuple(_widened(part, int(size)) for part, size in zip(tally.parts, least, strict=True))
        return {
            "class_log_prior_": prior,
            "n_categories_": np.array([part.variable.size for part in parts], dtype=np.int64),
            "_prior": prior,
            "_parts": parts,
            "_sizes": np.array([len(part.variable) for part in parts], dtype=np.int64),
            "_table": packed_tables(parts, Lidstone(alpha), self.unseen),
        }

    def _scores(self, data: Matrix | Table, want: Want) -> tuple[AnyArray, Fault | None]:
        rules = {"missing_allowed": self.missing == "skip", "unseen_allowed": self.unseen != "error"}
        if isinstance(data, Matrix) and all(part.variable.is_dense for part in self._parts):
            scores, fault = score_table(data.for_kernel(), self._prior, self._table, self._sizes, want, **rules)
            if fault is None or fault[0] not in ("fractional", "wide"):
                return scores, fault
        codes = self._codes(data)
        return score_table(codes, self._prior, self._table, self._sizes, want, minus_is_missing=True, **rules)

    def _codes(self, data: Matrix | Table) -> AnyArray:
        table = _table(data)
        for column, part in zip(table.columns, self._parts, strict=True):
            if part.variable.is_coded and column.is_numeric and np.nanmin(column.numbers, initial=0) < 0:
                raise InputError(f"Negative values in data passed to {type(self).__name__} (input X): {column.name!r}.")
        return table.codes(tuple(part.variable for part in self._parts))

    _joint = scored_joint

    def _prior_rule(self) -> Any:
        return prior_rule(self)

    def _free_parameters(self) -> int:
        return len(self.classes_) * int(np.maximum(self.n_categories_ - 1, 0).sum())

    def _draw(self, n: int, rng: np.random.Generator) -> tuple[Codes, list[Drawn]]:
        y, columns = draw_classes(self, n, rng), []
        for part, end in zip(self._parts, np.cumsum(self._sizes + 2).tolist(), strict=True):
            logs = self._table[end - 2 - len(part.variable) : end - 2, : len(self.classes_)]
            columns.append(draw_states(part.variable, logs, y, rng))
        return y, columns

    def _column_evidence(self, data: Matrix | Table) -> Floats:
        codes, sizes = self._codes(data), self._sizes
        self._check_codes(codes, data)
        rows = np.where(codes < 0, sizes + 1, np.minimum(codes, sizes))  # missing: the last row of a column
        starts = np.concatenate([[0], np.cumsum(sizes + 2)[:-1]])
        return self._table[starts + rows][:, :, : len(self.classes_)]

    to_sql = to_sql

    def _closed_form(self) -> ClosedForm:
        starts = np.concatenate([[0], np.cumsum(self._sizes + 2)])
        columns = []
        for i, part in enumerate(self._parts):
            logs = self._table[starts[i] : starts[i + 1], : len(self.classes_)]
            states = Labels(part.variable.labels.tolist(), part.variable.is_coded)
            unseen = None if self.unseen == "error" else logs[-2]
            formula = StateLogs(states, logs[:-2], unseen, logs[-1] if self.missing == "skip" else None)
            columns.append(NamedFormula(self._names()[i], formula))
        return ClosedForm(self._start(), self._prior, columns)

    def _check_codes(self, codes: AnyArray, data: Matrix | Table) -> None:
        """Refuse missing and unseen values where they are errors."""
        missing = (codes < 0) & (self.missing == "error")
        unseen = (codes >= self._sizes) & (self.unseen == "error")
        if (missing | unseen).any():
            row, column = np.argwhere(missing | unseen)[0].tolist()
            self._raise(("missing" if missing[row, column] else "unseen", row, column), data)

    @cached_property
    def class_count_(self) -> Floats:
        """The weight of the rows of each class."""
        return self.tally_.class_counts.astype(np.float64)

    @cached_property
    def category_count_(self) -> list[Floats]:
        """Class × state counts of each column, every state of a coded column included."""
        return [_widened(part, part.variable.size, dense=True).table.astype(np.float64) for part in self._parts]

    @cached_property
    def feature_log_prob_(self) -> list[Floats]:
        """log P(state | class) of each column, classes × states."""
        alpha = check_alpha(self.alpha, self.n_features_in_, force=self.force_alpha)
        return [log_probabilities(counts, alpha) for counts in self.category_count_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


def _table(data: Matrix | Table) -> Table:
    return data if isinstance(data, Table) else read_table(data.dense(), data.given_names)


def _has_one_type(columns: tuple[Column, ...]) -> bool:
    """True for numbers that one array holds without rounding: floats have no room for whole numbers beyond 2^53."""
    if not all(column.is_numeric for column in columns):
        return False
    if np.result_type(*(column.held.dtype for column in columns if column.held is not None)).kind != "f":
        return True
    return all(column.is_float or np.abs(column.numbers.astype(np.float64)).max() < EXACT for column in columns)


def _booleans_as_codes(column: Column) -> Column:
    if column.is_numeric or not all(isinstance(state, bool | np.bool_) for state in column.states):
        return column
    if not column.has_missing:
        return Column.of_numbers(column.name, column.states.astype(np.int64)[column.indices])
    numbers = np.append(column.states.astype(np.float64), np.nan)[column.indices]
    return Column.of_numbers(column.name, numbers, is_whole=True)


def _widened(part: Counts, size: int, *, dense: bool = False) -> Counts:
    """The counts of a coded column over at least `size` states; `dense` lists every one of them."""
    variable = part.variable
    if not variable.is_coded:
        return part
    wider = variable.with_size(size)
    return part.restated(type(wider).of_codes(wider.name, wider.size) if dense else wider)
