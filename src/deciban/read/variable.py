"""A discrete variable: its name, its states, and the mapping between labels and codes.

Labels are kept sorted, so that the same values give the same variable in whatever order they came. A *coded* variable
is one whose values already are codes 0, 1, 2, …: every code up to the largest is one of its states, as in
scikit-learn's ``CategoricalNB``, even those that never occurred; ``size`` counts them all, ``labels`` may list only
those that did.

Where the user gave the states (``fixed``), or the column's type lists them, as the categories of a frame do
(``declared``), they keep that order, and stay when no row has them; else they are ``found``: the distinct values.

>>> sky = Variable.of("sky", ["rain", "sun", "rain"])
>>> sky.labels.tolist(), sky.encode(np.array(["sun", "hail"], dtype=object)).tolist()
(['rain', 'sun'], [1, 2])
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from deciban.errors import UnseenStateError
from deciban.read.scalar import KnownLabels
from deciban.storable import UNSTORED, ByFields, check_numbers, require, storable
from deciban.types import AnyArray, Codes, Ints

__all__ = [
    "MISSING",
    "Kind",
    "Variable",
    "distinct",
    "distinct_texts",
    "factorize",
    "generated_names",
    "is_narrow",
    "label_array",
    "listed",
    "object_array",
]

_NARROW = 1 << 17
_FARTHEST = 1 << 62
_SHOWN = 12

Kind = Literal["found", "declared", "fixed"]

MISSING = -1
"""The code of a missing value. A value that is not a label has the code ``len(labels)``."""


def _check_variable(variable: Variable) -> None:
    """Labels must be distinct and fit the number of states."""
    labels = variable.labels
    require(isinstance(variable.name, str) and isinstance(variable.is_coded, bool), "a variable has no name")
    require(isinstance(labels, np.ndarray) and labels.ndim == 1, "a variable has no list of labels")
    require(type(variable.size) is int and variable.size >= len(labels), "a variable has more labels than states")
    if variable.is_coded:
        check_numbers(labels, (None,), "codes")
        require(not len(labels) or int(labels[-1]) < variable.size, "a code is too large")
    if labels.dtype.kind == "O":
        require(len(set(labels.tolist())) == len(labels), "a label occurs twice")
    else:
        require(bool((labels[1:] > labels[:-1]).all()), "labels do not ascend")


@storable(check=_check_variable)
@dataclass(frozen=True, eq=False)
class Variable(ByFields):
    """The states of a column, or of a node of a net: labels, how many states there may be, and where they come from.

    Labels are sorted, unless they are fixed or declared. Files hold only variables whose labels were found.
    """

    name: str
    labels: AnyArray
    size: int
    is_coded: bool = False
    kind: Kind = field(default="found", metadata=UNSTORED)

    @classmethod
    def of(cls, name: str, values: Iterable[Any]) -> Variable:
        """Make the variable whose states are the distinct values."""
        labels = distinct(values if isinstance(values, np.ndarray) else object_array(values))
        return cls(name, labels, len(labels))

    @classmethod
    def of_codes(cls, name: str, size: int, labels: Ints | None = None) -> Variable:
        """Make the variable with the states 0 … size − 1; of a wide one, only `labels` are listed."""
        return cls(name, np.arange(size) if labels is None else labels, size, is_coded=True)

    @classmethod
    def of_states(cls, name: Any, states: Iterable[Any], kind: Kind = "found") -> Variable:
        """Make the variable with these states, all different, in this order; they keep their types."""
        labels = object_array(states)
        return cls(name, labels, len(labels), kind=kind)

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Variable):
            return NotImplemented
        return (
            self.name == other.name
            and self.size == other.size
            and self.is_coded == other.is_coded
            and self.kind == other.kind
            and len(self) == len(other)
            and bool(np.all(self.labels == other.labels))
        )

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.labels[:6].tolist()))
        return f"Variable({self.name!r}: {shown}{', …' if len(self) > 6 else ''})"

    @property
    def is_dense(self) -> bool:
        """True when every state is listed and the values are their own codes."""
        return self.is_coded and len(self) == self.size

    def encode(self, values: AnyArray, missing: AnyArray | None = None) -> Codes:
        """Give each value its code: MISSING where `missing`, ``len(self)`` where it is not a label.

        A value of another type than the labels is the label that it stands for (`deciban.read.scalar`).
        """
        if len(self) == 0 or len(values) == 0:
            codes = np.full(len(values), len(self), dtype=np.int32)
        elif self.labels.dtype.kind in "iufb" and values.dtype.kind in "iufb":
            codes = self._encode_numbers(values)
        else:
            states, inverse = factorize(values)
            own = [self.code_of(state) for state in states.tolist()]
            codes = np.array(own, dtype=np.int32)[inverse]
        if missing is not None:
            codes[missing] = MISSING
        return codes

    def _encode_numbers(self, values: AnyArray) -> Codes:
        if is_narrow(self.labels) and values.dtype.kind in "iu" and values.dtype != np.uint64:
            lowest, highest = int(self.labels[0]) - 1, int(self.labels[-1]) + 1  # one more on each side is no label
            code_of = np.full(highest - lowest + 1, len(self), dtype=np.int32)
            code_of[self.labels.astype(np.int64) - lowest] = np.arange(len(self), dtype=np.int32)
            return code_of[np.clip(values.astype(np.int64, copy=False), lowest, highest) - lowest]
        at = np.minimum(np.searchsorted(self.labels, values), len(self) - 1)
        return np.where(self.labels[at] == values, at, len(self)).astype(np.int32)

    def code_of(self, value: Any) -> int:
        """Give one value its code, ``len(self)`` where it is not a label."""
        code = self._codes.get(value)
        if code is None:
            code = self._codes.get(self.known_labels.find(value), len(self))
        return code

    def labels_of(self, values: AnyArray) -> AnyArray:
        """Values of another type than the labels as the labels that they stand for; others stay as they are."""
        kinds = {type(value) for value in values[:1].tolist()} if values.dtype.kind != "O" else {object}
        if kinds <= self.kinds:
            return values
        states, inverse = factorize(values)
        typed = [self.known_labels.typed(state) for state in states.tolist()]
        is_boolean = bool(typed) and set(map(type, typed)) == {bool}
        return (np.array(typed) if is_boolean else label_array(typed))[inverse]

    @cached_property
    def values(self) -> tuple[Any, ...]:
        """The labels, in order."""
        return tuple(self.labels.tolist())

    @cached_property
    def known_labels(self) -> KnownLabels:
        """The labels, among which those of values of other types are found."""
        return KnownLabels(self.labels.tolist())

    @cached_property
    def kinds(self) -> frozenset[type]:
        """The types of the labels."""
        return frozenset(map(type, self.labels.tolist()))

    def union(self, other: Variable) -> Variable:
        """Make the variable that has the states of both; one whose states are fixed takes no others.

        New states come behind declared ones. Found ones are sorted, so that the order of a sum is that of the whole.
        """
        if self is other or self == other:
            return self
        if self.kind != "found" or other.kind != "found":
            return self._with_new_states(other)
        if self.is_dense and other.is_dense:
            return self if self.size >= other.size else other
        labels = distinct(_joined(self.labels, other.labels))
        both_coded = self.is_coded and other.is_coded
        size = max(self.size, other.size) if both_coded else len(labels)
        return Variable(self.name, labels, size, both_coded)

    def _with_new_states(self, other: Variable) -> Variable:
        rank = ("found", "declared", "fixed").index
        first, second = (self, other) if rank(self.kind) >= rank(other.kind) else (other, self)
        known = set(first.values)
        new = [state for state in second.values if state not in known]
        if new and first.kind == "fixed":
            raise UnseenStateError(
                f"{self.name!r} has no state {new[0]!r}; its states were fixed: {listed(first.values)}"
            )
        return Variable.of_states(self.name, (*first.values, *new), first.kind) if new else first

    def read_as(self, known: Variable) -> Variable:
        """Make the variable with the same labels in the type of known ones; those that become equal are one."""
        held = self.labels.tolist()
        typed = [known.known_labels.typed(label) for label in held]
        if all(map(operator.is_, typed, held)):
            return self
        if self.kind != "found":
            return Variable.of_states(self.name, dict.fromkeys(typed), self.kind)
        labels = distinct(label_array(list(dict.fromkeys(typed))))
        if known.is_coded and labels.dtype.kind == "i" and labels[0] >= 0:
            return Variable.of_codes(self.name, int(labels[-1]) + 1, labels)
        return Variable(self.name, labels, len(labels))

    def restricted(self, used: AnyArray) -> Variable:
        """Make the variable that has the used states only."""
        labels = self.labels[used]
        if not self.is_coded:
            return Variable(self.name, labels, len(labels), kind=self.kind)
        size = int(labels[-1]) + 1 if len(labels) else 0
        return Variable.of_codes(self.name, size, None if self.is_dense else labels)

    def with_size(self, size: int) -> Variable:
        """Make the same coded variable with at least `size` states."""
        if size <= self.size:
            return self
        return Variable.of_codes(self.name, size, None if self.is_dense else self.labels)

    @cached_property
    def _codes(self) -> dict[Any, int]:
        return {label: code for code, label in enumerate(self.labels.tolist())}


def _joined(a: AnyArray, b: AnyArray) -> AnyArray:
    """Both arrays, concatenated; labels of different types keep their types."""
    numbers = "iuf"
    alike = a.dtype.kind == b.dtype.kind or (a.dtype.kind in numbers and b.dtype.kind in numbers)
    return np.concatenate([a, b] if alike else [a.astype(object), b.astype(object)])


def generated_names(columns: int) -> tuple[str, ...]:
    """The names of columns that have none: x0, x1 and so on."""
    return tuple(f"x{i}" for i in range(columns))


def distinct_texts(labels: Iterable[Any], text: Callable[[Any], str] = str) -> list[str]:
    """Labels as text, each another one: a text that is also the text of another label stands in quotes.

    >>> distinct_texts([1, "1", "a"])
    ['1', "'1'", 'a']
    """
    held = list(labels)
    texts = [text(label) for label in held]
    many = {shown for shown, count in Counter(texts).items() if count > 1}
    return [repr(label) if shown in many else shown for label, shown in zip(held, texts, strict=True)]


def listed(states: Sequence[Any]) -> str:
    """Some states for a message.

    >>> listed(range(20))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …'
    """
    return ", ".join(map(repr, states[:_SHOWN])) + (", …" if len(states) > _SHOWN else "")


def object_array(values: Iterable[Any]) -> AnyArray:
    """Make a one-dimensional object array of the values, whatever they are (tuples stay tuples)."""
    held = list(values)
    array = np.empty(len(held), dtype=object)
    array[:] = held
    return array


def label_array(labels: list[Any]) -> AnyArray:
    """KnownLabels as a column of a table would hold them: as numbers where all are numbers and stay distinct."""
    if all(type(label) in (int, float) for label in labels):
        numbers = np.array(labels)
        if numbers.dtype.kind in "iuf" and len(np.unique(numbers)) == len(set(labels)):
            return numbers
    return object_array(labels)


def factorize(values: AnyArray) -> tuple[AnyArray, Ints]:
    """Give the distinct values, in no promised order, and for each value the index of its distinct value."""
    if values.dtype.kind != "O":
        states, inverse = np.unique(values, return_inverse=True)
        return states, inverse
    held = values.tolist()
    index = {value: i for i, value in enumerate(dict.fromkeys(held))}
    return object_array(index), np.fromiter(map(index.__getitem__, held), np.int64, len(held))


def is_narrow(integers: AnyArray) -> bool:
    """True for integers that lie so close together, and so near to 0, that a table of them all is small."""
    if integers.dtype.kind not in "iu" or len(integers) == 0:
        return False
    lowest, highest = int(integers.min()), int(integers.max())
    return highest - lowest < _NARROW and lowest > -_FARTHEST and highest < _FARTHEST


def distinct(values: AnyArray) -> AnyArray:
    """Give the distinct values in order; values of several types go type by type."""
    if is_narrow(values):
        lowest = int(values.min())
        found = np.bincount(values.astype(np.int64, copy=False) - lowest) > 0
        return (np.flatnonzero(found) + lowest).astype(values.dtype)
    if values.dtype.kind != "O":
        return np.unique(values)
    states = set(values.tolist())
    try:
        ordered = sorted(states)
    except TypeError:
        ordered = sorted(states, key=lambda v: (type(v).__name__, repr(v) if isinstance(v, tuple) else v))
    return object_array(ordered)
