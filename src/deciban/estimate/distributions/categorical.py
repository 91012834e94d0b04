"""A column that takes one of its states (Zhu, items 5 and 10).

    P(v | j) = (n_jv + a_v) / (n_j + Σ a)

Tables and rows that come one by one are scored from the same counts, the latter as they are now.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import ClassVar, Literal, Self, get_args

import numpy as np

from deciban.choices import check_choice
from deciban.errors import InputError, ParameterError
from deciban.estimate.column import ColumnDistribution, Margins
from deciban.estimate.drawing import Drawn, DrawnLabels, draw_states
from deciban.estimate.likelihood import Labels, Likelihood, OneValue, StateLogs, States, times
from deciban.estimate.live import CoreColumn, LabelColumn, LiveColumn, Setting
from deciban.estimate.smoothing import Laplace, Smoothing, for_each_pair, log_probabilities
from deciban.estimate.values import Example, Markers, is_missing, states_of
from deciban.read import MISSING, MISSING_LABEL, Column, KnownLabels, Variable, distinct, label_array, plain
from deciban.storable import storable
from deciban.tallies import Counts, Sample, count_column, own_weights, raise_fault, weight_left
from deciban.tallies.kernels import aligned, padded, score_table
from deciban.types import AnyArray, Codes, Floats

__all__ = [
    "Categorical",
    "CategoricalLikelihood",
    "Unseen",
    "live_pseudocounts",
    "packed_tables",
    "pseudocounts_without_own",
]


Unseen = Literal["smooth", "ignore", "error"]


@storable
@dataclass(frozen=True, kw_only=True)
class Categorical(ColumnDistribution):
    """A column of labels: text, codes, booleans, dates.

    Parameters
    ----------
    missing : {"skip", "error", "state"}, optional
        What a missing value is: no evidence, an error, or a state of its own. The model's setting when None.
    smoothing : Smoothing, optional
        How counts become probabilities; the model's smoothing when None.
    unseen : {"smooth", "ignore", "error"}, optional
        What a label is that did not occur in fit: a label counted 0 times, no evidence, or an error. The model's
        setting when None.

    Examples
    --------
    >>> from deciban import MLE, NaiveBayes
    >>> model = NaiveBayes({"floor": Categorical(smoothing=MLE())}, weights=None)
    >>> model = model.fit({"floor": [1, 2, 2, 3]}, ["a", "a", "b", "b"])
    >>> model.predict_proba({"floor": [1, 2]}).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """

    smoothing: Smoothing | None = None
    unseen: Unseen | None = None

    part_type: ClassVar[type] = Counts

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.unseen is not None:
            check_choice("unseen", self.unseen, get_args(Unseen))
        if self.smoothing is not None and not isinstance(self.smoothing, Smoothing):
            raise ParameterError(f"smoothing is a rule such as Laplace() or Lidstone(0.5), not {self.smoothing!r}.")

    @classmethod
    def of_part(cls, part: object) -> Self | None:
        return cls() if isinstance(part, Counts) else None

    @property
    def counts_missing(self) -> bool:
        """False: a missing value is one more label."""
        return False

    def as_learned(self, column: Column, variable: Variable | None) -> Column:
        return column if variable is None else column.read_as(variable)

    def count(self, column: Column, sample: Sample, owner: str) -> Counts:
        self.check(column, owner)
        return count_column(self._states(column), sample)

    def estimate(self, parts: Sequence[Counts]) -> CategoricalLikelihood:
        return CategoricalLikelihood(self, tuple(parts))

    def n_parameters(self, parts: Sequence[Counts]) -> int:
        return sum(part.classes * max(part.variable.size - 1, 0) for part in parts)

    def live(self, part: Counts, setting: Setting) -> LiveColumn:
        return LiveCounts(self, part, setting)

    def leave_one_out(
        self, parts: Sequence[Counts], columns: Sequence[Column], y: Codes, sample_weight: Floats
    ) -> Floats:
        """Exact; a label that only the row has is an unseen one (smoothed also where that is an error)."""
        out = np.zeros((len(y), len(columns), parts[0].classes))
        for i, (part, column) in enumerate(zip(parts, columns, strict=True)):
            codes = self._states(column).codes(part.variable)
            known = codes >= 0
            out[known, i] = self._without_own(part.table, codes[known], y[known], sample_weight[known])
        return out

    def add_margins(
        self,
        likelihood: object,
        parts: Sequence[Counts],
        columns: Sequence[Column],
        margins: Margins,
        at: Sequence[int],
    ) -> None:
        """Exact, except that the number of states stays the same unless only the row has the label."""
        rule = self.smoothing or Laplace()
        for index, part, column in zip(at, parts, columns, strict=True):
            codes = self._states(column).codes(part.variable)
            pseudo, added = listed_pseudocounts(rule, part)
            known = np.where(codes < len(pseudo), codes, np.int32(MISSING))
            alone = added_to_others(rule, part) if self.unseen != "ignore" else -1.0
            margins.add_counts(index, known, part.table, pseudo, added=added, added_alone=alone)

    def left_out(self, column: Column, sample: Sample) -> Floats:
        """Leave-one-out, as `leave_one_out`, for rows that were not counted yet; their labels need no order."""
        states, codes = np.unique(column.indices if column.held is None else column.numbers, return_inverse=True)
        is_missing = states == MISSING if column.held is None else np.isnan(states)
        known = np.arange(len(codes)) if self.missing == "state" else np.flatnonzero(~is_missing[codes])
        rows = sample.take(known)
        at = codes[known] * len(sample.classes) + rows.codes
        table = np.bincount(at, rows.weights, len(states) * len(sample.classes)).reshape(len(states), -1)
        # Missing values that are skipped have an index among the states, and no rows.
        used = table.any(axis=1)
        compact = (np.cumsum(used) - 1)[codes[known]]
        out = np.zeros((len(codes), len(sample.classes)))
        counts = table[used].T
        out[known] = for_each_pair(lambda *rows: self._without_own(counts, *rows), compact, rows)
        return out

    def contingency(self, part: Counts) -> AnyArray:
        return part.table

    def examples(self, part: Counts) -> list[Example]:
        return states_of(part)

    def with_fixed_states(self, column: Column, sample: Sample) -> tuple[Self, str]:
        return self, ""

    def variable(self, column: Column) -> Variable:
        return self._states(column).variable()

    @property
    def coding(self) -> str:
        return f"Categorical(missing={self.missing!r})"

    def codes(self, column: Column, variable: Variable, owner: str) -> Codes:
        codes = self._states(column).codes(variable)
        if self.unseen in (None, "smooth"):
            return codes
        is_unseen = codes == len(variable)
        if self.unseen == "error":
            _refuse_unseen(is_unseen, column, owner)
        return np.where(is_unseen, np.int32(MISSING), codes)

    def draw_values(self, codes: Codes, variable: Variable, rng: np.random.Generator) -> Drawn:
        return DrawnLabels.of(variable.labels, codes)

    def states(self, variable: Variable, classes: int) -> StateLogs:
        nothing, labels = np.zeros(classes), variable.labels.tolist()
        missing = None if self.missing == "error" else nothing
        unseen_code = len(labels) + (self.unseen == "ignore")
        missing_code = len(labels) + 1
        if self.missing == "state":
            missing_code = labels.index(MISSING_LABEL) if MISSING_LABEL in labels else unseen_code
        logs, states = np.zeros((len(labels), classes)), Labels(labels, has_missing=MISSING_LABEL in labels)
        codes = {"unseen_code": unseen_code, "missing_code": missing_code}
        return StateLogs(states, logs, nothing, missing, **codes, is_strict=self.unseen == "error")

    def _without_own(self, table: AnyArray, codes: Codes, y: Codes, weights: Floats) -> Floats:
        """(n − w + a) / (N − w + Σa) in the row's own class, (n + a) / (N + Σa) in the others."""
        # One column more, for labels of rows without weight, which were not counted.
        table = np.pad(table, ((0, 0), (0, 1)))
        alone = (weights > 0) & (weight_left(table.sum(axis=0)[codes], weights) == 0)
        own = own_weights(y, weights, len(table))
        states = table.shape[1] - 1 - alone
        smoothing = self.smoothing or Laplace()
        pseudo, added = pseudocounts_without_own(smoothing, codes, alone, table.shape[1] - 1, len(table))
        whole = weight_left(table.sum(axis=1), own) + added[:, None]
        logs = log_probabilities(weight_left(table[:, codes].T, own), pseudo[:, None], whole)
        logs = np.where(whole > 0, logs, -np.log(np.maximum(states, 1))[:, None])
        is_unseen = alone | (codes == table.shape[1] - 1)
        return np.where((is_unseen & (self.unseen == "ignore"))[:, None], 0.0, logs)

    def _states(self, column: Column) -> Column:
        return column.with_missing_state() if self.missing == "state" else column


class CategoricalLikelihood(Likelihood):
    """The tables of several columns, scored by one kernel."""

    def __init__(self, kind: Categorical, parts: tuple[Counts, ...]) -> None:
        self.kind = kind
        self._variables = tuple(part.variable for part in parts)
        self._sizes = np.array([len(part.variable) for part in parts], dtype=np.int64)
        self._starts = np.concatenate([[0], np.cumsum(self._sizes + 2)[:-1]])
        self._classes = parts[0].classes
        self._table = packed_tables(parts, kind.smoothing or Laplace(), kind.unseen or "smooth")

    def weighted(self, weights: Floats) -> CategoricalLikelihood:
        """Weigh the tables themselves, so that scoring is as fast as without weights."""
        made = copy(self)
        # The kernel reads whole vectors, so the new table is aligned as the old one is.
        made._table = aligned(self._table.shape)
        made._table[:] = times(np.repeat(weights, self._sizes + 2)[:, None], self._table)
        return made

    def rows(self, columns: Sequence[Column]) -> Floats:
        zero = np.zeros(self._classes)
        indices, tables = zip(
            *(self._lookup(i, self._as_states(column)) for i, column in enumerate(columns)), strict=True
        )
        table = np.concatenate(tables)
        sizes = np.array([len(of_column) - 2 for of_column in tables], dtype=np.int64)
        joint, _ = score_table(list(indices), zero, table, sizes, "joint", missing_allowed=True, minus_is_missing=True)
        return joint

    def table_of(self, i: int) -> tuple[Variable, Floats]:
        """The states of the i-th column and their logs: states × classes, then an unseen state and a missing value."""
        start, variable = self._starts[i], self._variables[i]
        return variable, self._table[start : start + len(variable) + 2, : self._classes]

    def draw(self, i: int, y: Codes, rng: np.random.Generator) -> Drawn:
        variable, logs = self.table_of(i)
        return draw_states(variable, logs[:-2], y, rng)

    def _lookup(self, i: int, column: Column) -> tuple[Codes, Floats]:
        """Each row's index in a table, and the table, in the order of the column's own states where rows are many."""
        variable, start = self._variables[i], self._starts[i]
        table = self._table[start : start + len(variable) + 2]
        if column.is_numeric or len(column.states) > len(column) or self.kind.unseen == "error":
            return self._column_codes(column, variable), table
        # The table is put in the order of the column's states, so that no row has to be encoded.
        own = variable.encode(column.states)
        return column.indices, table[np.append(own, [len(variable), len(variable) + 1])]

    def columns(self, columns: Sequence[Column]) -> Floats:
        codes, sizes = self._codes(columns), self._sizes
        # The last two rows of a column are those of an unseen label and of a missing value.
        rows = np.where(codes < 0, sizes + 1, np.minimum(codes, sizes))
        return self._table[self._starts + rows][:, :, : self._classes]

    def one(self, i: int, names: Sequence[str], markers: Markers = frozenset()) -> OneValue:
        variable, table = self.table_of(i)
        labels, logs = variable.labels.tolist(), table.tolist()
        of_label = dict(zip(labels, logs, strict=False))
        missing = of_label.get(MISSING_LABEL, logs[-2]) if self.kind.missing == "state" else logs[-1]
        of_label.update(dict.fromkeys((None, *markers), missing))
        unseen = None if self.kind.unseen == "error" else logs[-2]
        return _LabelLogs(of_label, missing, unseen, names[i], variable.known_labels).__getitem__

    def formula(self, i: int) -> StateLogs:
        variable, logs = self.table_of(i)
        labels = variable.labels.tolist()
        is_strict, missing = self.kind.unseen == "error", logs[-1]
        if self.kind.missing == "state":
            missing = logs[labels.index(MISSING_LABEL)] if MISSING_LABEL in labels else None if is_strict else logs[-2]
        known = [k for k, label in enumerate(labels) if label != MISSING_LABEL]
        states = self._formula_states([labels[k] for k in known], has_missing=len(known) < len(labels))
        return StateLogs(states, logs[known], logs[-2], missing, is_strict=is_strict)

    def _formula_states(self, labels: Sequence[object], *, has_missing: bool) -> States:
        return Labels(labels, has_missing=has_missing)

    def _codes(self, columns: Sequence[Column]) -> AnyArray:
        codes = np.empty((len(columns[0]), len(columns)), dtype=np.int32, order="F")
        for i, (column, variable) in enumerate(zip(columns, self._variables, strict=True)):
            codes[:, i] = self._column_codes(self._as_states(column), variable)
        return codes

    def _as_states(self, column: Column) -> Column:
        """The column whose states are looked up."""
        return self.kind._states(column)

    def _column_codes(self, column: Column, variable: Variable) -> Codes:
        codes = column.codes(variable)
        if self.kind.unseen == "error":
            _refuse_unseen(codes == len(variable), column, "the model")
        return codes


def _refuse_unseen(is_unseen: AnyArray, column: Column, owner: str) -> None:
    if is_unseen.any():
        row = int(np.argmax(is_unseen))
        raise_fault(("unseen", row, 0), owner, (column.name,), column.value(row))


class _LabelLogs(dict[object, Sequence[float]]):
    """The log-probabilities of each label, of a missing value and of an unseen label."""

    def __init__(
        self,
        known: dict[object, Sequence[float]],
        missing: Sequence[float],
        unseen: Sequence[float] | None,
        name: str,
        labels: KnownLabels,
    ) -> None:
        super().__init__(known)
        self._missing, self._unseen, self._name, self._labels = missing, unseen, name, labels

    def __missing__(self, value: object) -> Sequence[float]:
        scalar = plain(value)
        if scalar is not value:
            return self[scalar]
        if is_missing(value):
            return self._missing
        label = self._labels.typed(scalar)
        if label in self:
            return self[label]
        if self._unseen is None:
            raise_fault(("unseen", 0, 0), "the model", (self._name,), value)
        return self._unseen


class LiveCounts(CoreColumn):
    """A categorical column: the counts of each label in the classes."""

    core: LabelColumn

    def __init__(self, kind: Categorical, part: Counts, setting: Setting) -> None:
        super().__init__(kind, setting)
        self._base = part
        self._labels: list[object] = part.variable.labels.tolist()
        reader = _LabelReader(self._labels, kind, setting)
        self.core = LabelColumn(
            np.ascontiguousarray(part.table.T, dtype=np.float64), part.variable.size, reader.codes, self._labels,
            live_pseudocounts(self._labels, kind.smoothing, setting), reader.read, reader.look_up,
        )  # fmt: skip

    def part(self) -> Counts:
        base, table = self._base.variable, self.core.counts().astype(self._base.table.dtype)
        if len(self._labels) == len(base) and not base.is_coded:
            return Counts(base, np.ascontiguousarray(table.T))
        # New labels were appended as they came; a tally has them in order.
        labels = label_array(self._labels)
        variable = Variable(self.name, distinct(labels), len(labels))
        ordered = np.zeros((self._classes, len(labels)), dtype=table.dtype)
        ordered[:, variable.encode(labels)] = table.T
        return Counts(variable, ordered)


class _LabelReader:
    """Gives values their codes: `codes` has those of labels and markers, the methods take the other values."""

    def __init__(self, labels: list[object], kind: Categorical, setting: Setting) -> None:
        self.codes: dict[object, int | None] = {label: code for code, label in enumerate(labels)}
        self._labels, self._setting, self._unseen = labels, setting, kind.unseen
        self._missing, self._smoothing = kind.missing, kind.smoothing or Laplace()
        self._known = len(labels), KnownLabels(labels)
        for value in (None, *setting.markers):
            self.codes.pop(value, None)
            if self._missing == "skip":
                self.codes[value] = None

    def read(self, value: object) -> int | tuple[object] | None:
        """The code of a label that is in another form, or of a missing value; a new label as a tuple."""
        label = self._typed(value)
        if label is not value and label in self.codes:
            return self.codes[label]
        if self._setting.is_missing(label):
            if self._missing == "error":
                self._setting.refuse_missing()
            if self._missing != "state":
                return None
            label = MISSING_LABEL
            if label in self.codes:
                return self.codes[label]
        if isinstance(label, float) and math.isinf(label):
            raise InputError(f"Input X contains infinity or a value too large: column {self._setting.name!r}.")
        # An error where a rule is for fewer labels must come before the row is learned, not when it is scored.
        self._smoothing.pseudocounts(len(self._labels) + 1)
        return (label,)

    def look_up(self, value: object) -> int | None:
        """The code of a value that is scored; that after the last one for an unseen label, None for no evidence."""
        label = self._typed(value)
        if label is not value and label in self.codes:
            return self.codes[label]
        unseen = None if self._unseen == "ignore" else len(self._labels)
        if self._setting.is_missing(label):
            return self.codes.get(MISSING_LABEL, unseen) if self._missing == "state" else None
        if self._unseen == "error":
            raise_fault(("unseen", 0, 0), "the model", (self._setting.name,), label)
        return unseen

    def _typed(self, value: object) -> object:
        """The value that a scalar holds, in the type of the labels so far."""
        scalar = plain(value)
        if is_missing(scalar):
            return scalar
        # The core appends new labels to the list; the types of all are looked at again only then.
        if self._known[0] != len(self._labels):
            self._known = len(self._labels), KnownLabels(self._labels)
        label: object = self._known[1].typed(scalar)
        return label


def live_pseudocounts(labels: list[object], rule: Smoothing | None, setting: Setting) -> Callable[[int], Floats]:
    """The pseudo-counts of so many states, in the order of `labels`; a rule has those of sorted labels."""
    smoothing = rule or Laplace()

    def pseudocounts(states: int) -> Floats:
        if smoothing.is_even:
            return np.full(states, smoothing.pseudocount(states, setting.classes) if states else 0.0)
        ordered = label_array(labels)
        return smoothing.pseudocounts(states, setting.classes)[Variable("", distinct(ordered), states).encode(ordered)]

    return pseudocounts


def packed_tables(parts: Sequence[Counts], smoothing: Smoothing, unseen: str) -> Floats:
    """For each column the log-probabilities of its states, then those of an unseen state, then 0 for a missing value.

    An unseen state is one that was counted 0 times; where it is ignored, its row is 0.
    """
    classes = len(parts[0].table)
    out = aligned((sum(len(part.variable) + 2 for part in parts), padded(classes)))
    start = 0
    for part in parts:
        states = len(part.variable)
        out[start : start + states + 1, :classes] = _logs(part, smoothing).T
        if unseen == "ignore":
            out[start + states] = 0.0
        start += states + 2
    return out


def _logs(part: Counts, smoothing: Smoothing) -> Floats:
    """Class × states, and one further state that was never counted."""
    states, size, classes = len(part.variable), part.variable.size, len(part.table)
    listed, added = listed_pseudocounts(smoothing, part)
    # A rule with a prior over the listed labels has no pseudo-count for another one: it gets the least of theirs.
    unseen = smoothing.pseudocount(size, classes) if size != states else listed.min() if states else 0.0
    pseudo = np.append(listed, unseen)
    whole = part.table.sum(axis=1, keepdims=True) + added
    counts = np.zeros((classes, states + 1))
    counts[:, :states] = part.table
    return log_probabilities(counts, pseudo, whole, states=size)


def listed_pseudocounts(smoothing: Smoothing, part: Counts) -> tuple[Floats, float]:
    """The pseudo-counts of the listed states, and the sum over all states."""
    states, size, classes = len(part.variable), part.variable.size, len(part.table)
    if size == states:
        listed = smoothing.pseudocounts(states, classes)
        return listed, float(listed.sum())
    # A coded column of which only some states are listed: all the others count as well.
    each = smoothing.pseudocount(size, classes)
    return np.full(states, each), each * size


def added_to_others(smoothing: Smoothing, part: Counts) -> float:
    """The sum of the pseudo-counts of all states but one."""
    states, classes = len(part.variable), len(part.table)
    if not smoothing.is_even:
        # A prior over the states cannot say which of them is left out, so all are counted.
        return float(smoothing.pseudocounts(states, classes).sum())
    return (states - 1) * smoothing.pseudocount(states - 1, classes) if states > 1 else 0.0


def pseudocounts_without_own(
    smoothing: Smoothing, codes: Codes, alone: AnyArray, states: int, classes: int
) -> tuple[Floats, Floats]:
    """The pseudo-count of each row's state, and the sum over all states, one of them fewer where the row is `alone`.

    A row is alone where no other row has its state; the code `states` is an unseen state.
    """
    listed = smoothing.pseudocounts(states, classes)
    pseudo, added = np.append(listed, listed.min(initial=np.inf))[codes], np.full(len(codes), listed.sum())
    if alone.any():
        fewer = smoothing.pseudocounts(states - 1, classes)
        pseudo[alone], added[alone] = fewer.min() if len(fewer) else 0.0, fewer.sum()
    return pseudo, added
