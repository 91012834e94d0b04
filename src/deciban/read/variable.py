"""A discrete variable: its name, its states, and the mapping between labels and codes; and the values that it reads.

Labels are kept sorted, so that the same values give the same variable in whatever order they came. A *coded* variable
is one whose values already are codes 0, 1, 2, …: every code up to the largest is one of its states, as in
scikit-learn's ``CategoricalNB``, even those that never occurred; ``size`` counts them all, ``labels`` may list only
those that did.

Where the user gave the states (``fixed``), or the column's type lists them, as the categories of a frame do
(``declared``), they keep that order, and stay when no row has them; else they are ``found``: the distinct values.

>>> sky = Variable.of("sky", ["rain", "sun", "rain"])
>>> sky.labels.tolist(), sky.encode(np.array(["sun", "hail"], dtype=object)).tolist()
(['rain', 'sun'], [1, 2])

The type of a column may change between fit and prediction: one odd cell makes text of a column of numbers in a CSV
file, JSON may have ``"3"`` for ``3``, missing values make floats of whole numbers. So a value is read by the type of
the labels that are known (`KnownLabels`):

=============================================  ========================================================================
value                                          the label
=============================================  ========================================================================
equal to a label, as Python compares           that label: 3.0 is 3, True is 1; a text is the same text only
text that is no label                          the label that equals the number, boolean, date or time that it spells:
                                               ``"3"``, ``"3.0"`` and ``" 3 "`` are 3, ``"true"`` and ``"True"`` True
a number, boolean, date or time that is none   the text that it is written as: 3 is ``"3"``, 3.0 too; else the text that
                                               spells it, if there is only one: 3 is ``"03"``, True is ``"TRUE"``
anything else                                  none: it is unseen
=============================================  ========================================================================

As equality comes first, labels 1 and ``"1"`` stay apart in a model that has both.
"""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from deciban.errors import UnseenStateError
from deciban.storable import UNSTORED, ByFields, check_numbers, require, storable
from deciban.types import AnyArray, Codes, Ints

__all__ = [
    "EXACT",
    "MISSING",
    "NO_LABEL",
    "PLAIN",
    "Kind",
    "KnownLabels",
    "Variable",
    "boolean_of",
    "distinct",
    "distinct_texts",
    "factorize",
    "generated_names",
    "is_missing",
    "is_narrow",
    "label_array",
    "listed",
    "moments_of_python",
    "number_of",
    "object_array",
    "plain",
    "plain_keys",
    "whole_number",
]

_NARROW = 1 << 17  # a table of so many int32 codes takes half a megabyte
# Within this, one more on each side, and what came as uint64, fit int64.
_FARTHEST = 1 << 62
_SHOWN = 12

EXACT = 1 << 53
"""Up to this size float64 holds every whole number."""

Kind = Literal["found", "declared", "fixed"]

MISSING = -1
"""The code of a missing value. A value that is not a label has the code ``len(labels)``."""

T = TypeVar("T")


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
        # As `_encode_numbers` needs them, which searches.
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
    def of(cls, name: str, values: Iterable[object]) -> Variable:
        """Make the variable whose states are the distinct values."""
        labels = distinct(values if isinstance(values, np.ndarray) else object_array(values))
        return cls(name, labels, len(labels))

    @classmethod
    def of_codes(cls, name: str, size: int, labels: Ints | None = None) -> Variable:
        """Make the variable with the states 0 … size − 1; of a wide one, only `labels` are listed."""
        return cls(name, np.arange(size) if labels is None else labels, size, is_coded=True)

    @classmethod
    def of_states(cls, name: Any, states: Iterable[object], kind: Kind = "found") -> Variable:
        """Make the variable with these states, all different, in this order; they keep their types."""
        labels = object_array(states)
        return cls(name, labels, len(labels), kind=kind)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.labels[:6].tolist()))
        return f"Variable({self.name!r}: {shown}{', …' if len(self) > 6 else ''})"

    @property
    def is_dense(self) -> bool:
        """True when every state is listed and the values are their own codes."""
        return self.is_coded and len(self) == self.size

    def encode(self, values: AnyArray, missing: AnyArray | None = None) -> Codes:
        """Give each value its code: MISSING where `missing`, ``len(self)`` where it is not a label.

        A value of another type than the labels is the label that it stands for (`KnownLabels`).
        """
        if len(self) == 0 or len(values) == 0:
            codes = np.full(len(values), len(self), dtype=np.int32)
        elif self.labels.dtype.kind in "iufb" and values.dtype.kind in "iufb":
            codes = self._encode_numbers(values)
        else:
            # Each distinct value is looked up once, however many rows have it.
            states, inverse = factorize(values)
            codes = np.array([self.code_of(state) for state in states.tolist()], dtype=np.int32)[inverse]
        if missing is not None:
            codes[missing] = MISSING
        return codes

    def _encode_numbers(self, values: AnyArray) -> Codes:
        # uint64 is left to the search: its upper half does not fit the int64 of the table.
        if is_narrow(self.labels) and values.dtype.kind in "iu" and values.dtype != np.uint64:
            # One more on each side is no label.
            lowest, highest = int(self.labels[0]) - 1, int(self.labels[-1]) + 1
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
        # Numbers of two types become one type; anything else keeps its own, or NumPy would turn numbers into text.
        kinds = {self.labels.dtype.kind, other.labels.dtype.kind}
        is_alike = len(kinds) == 1 or kinds <= set("iuf")
        both = [self.labels, other.labels]
        labels = distinct(np.concatenate(both if is_alike else [held.astype(object) for held in both]))
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
        labels = self.labels.tolist()
        typed = [known.known_labels.typed(label) for label in labels]
        if all(map(operator.is_, typed, labels)):
            return self
        if self.kind != "found":
            return Variable.of_states(self.name, dict.fromkeys(typed), self.kind)
        joined = distinct(label_array(list(dict.fromkeys(typed))))
        if known.is_coded and joined.dtype.kind == "i" and joined[0] >= 0:
            return Variable.of_codes(self.name, int(joined[-1]) + 1, joined)
        return Variable(self.name, joined, len(joined))

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
    def _codes(self) -> dict[Hashable, int]:
        return {label: code for code, label in enumerate(self.labels.tolist())}


def generated_names(columns: int) -> tuple[str, ...]:
    """The names of columns that have none: x0, x1 and so on."""
    return tuple(f"x{i}" for i in range(columns))


def distinct_texts(labels: Iterable[T], text: Callable[[T], str] = str) -> list[str]:
    """Labels as text, each another one: a text that is also the text of another label stands in quotes.

    >>> distinct_texts([1, "1", "a"])
    ['1', "'1'", 'a']
    """
    labels = list(labels)
    texts = [text(label) for label in labels]
    many = {shown for shown, count in Counter(texts).items() if count > 1}
    return [repr(label) if shown in many else shown for label, shown in zip(labels, texts, strict=True)]


def listed(states: Sequence[object]) -> str:
    """Some states for a message.

    >>> listed(range(20))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …'
    """
    return ", ".join(map(repr, states[:_SHOWN])) + (", …" if len(states) > _SHOWN else "")


def object_array(values: Iterable[object]) -> AnyArray:
    """Make a one-dimensional object array of the values, whatever they are (tuples stay tuples)."""
    items = list(values)
    array = np.empty(len(items), dtype=object)
    array[:] = items  # np.array(items) would make a second dimension of tuples
    return array


def label_array(labels: Sequence[object]) -> AnyArray:
    """Labels as a column of a table would hold them: as numbers where all are numbers and stay distinct."""
    if all(type(label) in (int, float) for label in labels):
        numbers = np.array(labels)
        # Whole numbers beside floats may round to the same float64; then they stay objects.
        if numbers.dtype.kind in "iuf" and len(np.unique(numbers)) == len(set(labels)):
            return numbers
    return object_array(labels)


def factorize(values: AnyArray) -> tuple[AnyArray, Ints]:
    """Give the distinct values, in no promised order, and for each value the index of its distinct value."""
    if values.dtype.kind != "O":
        states, inverse = np.unique(values, return_inverse=True)
        return states, inverse
    objects = values.tolist()  # hashed, not sorted: values of several types have no order
    index = {value: i for i, value in enumerate(dict.fromkeys(objects))}
    return object_array(index), np.fromiter(map(index.__getitem__, objects), np.int64, len(objects))


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
        # Linear, where np.unique sorts.
        occurs = np.bincount(values.astype(np.int64, copy=False) - lowest) > 0
        return (np.flatnonzero(occurs) + lowest).astype(values.dtype)
    if values.dtype.kind != "O":
        return np.unique(values)
    states = set(values.tolist())
    try:
        ordered = sorted(states)
    except TypeError:  # tuples by their text, as their items may be of several types, too
        ordered = sorted(states, key=lambda v: (type(v).__name__, repr(v) if isinstance(v, tuple) else v))
    return object_array(ordered)


PLAIN = frozenset({str, int, float, bool, bytes, type(None)})
"""The types of values that are plain as they are."""

_NO_VALUE = frozenset({"NAType", "NaTType", "MaskedConstant"})
"""The names of the types of pandas.NA, pandas.NaT and numpy.ma.masked."""


def plain(value: Any) -> Any:
    """The value that a scalar of numpy, Arrow or a masked array holds; None for a null; other values as they are.

    >>> plain(np.int64(3)), plain(np.str_("sun")), plain(np.bool_(True))
    (3, 'sun', True)
    >>> plain(np.datetime64("2020-01-02"))
    datetime.date(2020, 1, 2)
    """
    if type(value) in PLAIN:  # first, as nearly all values of single rows are
        return value
    if type(value).__name__ in _NO_VALUE:  # by name, so that pandas is not imported
        return None
    if isinstance(value, np.generic):
        if isinstance(value, np.floating):
            return float(value)  # not item(), which leaves a longdouble as it is
        return moments_of_python(value).item() if value.dtype.kind in "mM" else value.item()
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return plain(value[()])
    return value.as_py() if hasattr(value, "as_py") else value


def plain_keys(mapping: Mapping[Any, T]) -> dict[Any, T]:
    """The same mapping with plain keys."""
    return {plain(key): value for key, value in mapping.items()}


def is_missing(value: object) -> bool:
    """True for None, NaN, NaT, pandas.NA, numpy.ma.masked and the nulls of Arrow.

    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    kind = type(value)
    if kind in PLAIN:
        return value is None or value != value
    if kind.__name__ in _NO_VALUE:
        return True
    if hasattr(value, "as_py"):
        return is_missing(value.as_py())
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # arrays compare element by element
        return False


def moments_of_python(values: Any) -> Any:
    """Dates, times and durations of numpy, one or many, in the units that Python's have: finer ones are cut off."""
    # Without this, tolist() and item() make plain integers of nanoseconds.
    is_fine = np.datetime_data(values.dtype)[0] in ("ns", "ps", "fs", "as")
    return values.astype(f"{values.dtype.kind}8[us]") if is_fine else values


NO_LABEL: Any = object()
"""What `KnownLabels.find` returns for a value that stands for no label; None may be one."""

# ASCII digits without underscores: float() and int() would also take "1_000" and the digits of other scripts.
_WHOLE = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_BOOLEANS = {"True": True, "true": True, "TRUE": True, "False": False, "false": False, "FALSE": False}
_LONGEST = 300
"""Python refuses to read whole numbers of thousands of digits."""
_AS_NUMBERS = (bool, int, float, Decimal, Fraction)
_MOMENTS = (datetime, date, time)
"""The types of moments; a datetime is a date, so it comes first."""


def number_of(text: str) -> float | None:
    """The finite number that a text spells; None where it spells none.

    >>> number_of("3"), number_of(" 2.50 "), number_of("1e3"), number_of("007")
    (3.0, 2.5, 1000.0, 7.0)
    >>> number_of("nan"), number_of("1_000"), number_of("3a"), number_of("1e999")
    (None, None, None, None)
    """
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def whole_number(text: str) -> int | None:
    """The whole number that a text spells in digits; None where it spells none.

    >>> whole_number("9007199254740993"), whole_number("3.0")
    (9007199254740993, None)
    """
    return int(text) if _WHOLE.fullmatch(text) and len(text) <= _LONGEST else None


def boolean_of(text: str) -> bool | None:
    """The boolean that a text spells, as Python, JSON or a spreadsheet writes it; None where it spells none.

    >>> boolean_of("True"), boolean_of("false"), boolean_of("yes")
    (True, False, None)
    """
    return _BOOLEANS.get(text.strip())


class KnownLabels:
    """Labels among which the one is found that a value of another type stands for.

    >>> known = KnownLabels([1, 2, 3])
    >>> known.find("3"), known.find("2.0"), known.find("unknown") is NO_LABEL
    (3, 2, True)
    >>> KnownLabels(["1", "2"]).find(2.0), KnownLabels([1, "1"]).find("1")
    ('2', '1')
    """

    def __init__(self, labels: Iterable[Hashable]) -> None:
        self._labels = {label: label for label in labels}
        kinds = set(map(type, self._labels))
        self._has_text = any(issubclass(kind, str) for kind in kinds)
        self._has_numbers = any(issubclass(kind, _AS_NUMBERS) for kind in kinds)
        self._moments = [kind for kind in _MOMENTS if kind in kinds]
        self._all_text = self._has_text and not self._has_numbers and not self._moments
        self._spelled: dict[type, dict[Hashable, object]] = {}

    def find(self, value: Any) -> Any:
        """The label that equals a value, or that it stands for; NO_LABEL where there is none."""
        if isinstance(value, str):
            if value in self._labels:
                return value
            return NO_LABEL if self._all_text else self._labels.get(self._meant_by(value), NO_LABEL)
        label = self._labels.get(value, NO_LABEL)
        if label is not NO_LABEL or not self._has_text or not _can_be_text(value):
            return label
        # As it would be written comes before any other spelling: 3 is "3" even where "03" is a label, too.
        for text in _written(value):
            if text in self._labels:
                return text
        return self._spelled_by(value).get(value, NO_LABEL)

    def typed(self, value: Any) -> Any:
        """A value that may be a new label, in the type of the labels that are known.

        Text that spells a number is that number where the labels are numbers, and a number is text where all are text.

        >>> KnownLabels([1, 2]).typed("4"), KnownLabels(["1", "2"]).typed(4.0)
        (4, '4')
        >>> KnownLabels([1, 2]).typed("unknown")
        'unknown'
        """
        label = self.find(value)
        if label is not NO_LABEL:
            return label
        if isinstance(value, str):
            meant = NO_LABEL if self._all_text else self._meant_by(value)
            # Where labels of text spell such values, a new one stays text, too.
            is_in_text = meant is not NO_LABEL and self._has_text and bool(self._spelled_by(meant))
            return value if meant is NO_LABEL or is_in_text else meant
        return _written(value)[0] if self._all_text and _can_be_text(value) else value

    def _meant_by(self, text: str) -> Any:
        """What a text spells, of the types that the labels have; NO_LABEL where it spells nothing of these."""
        if self._has_numbers:
            boolean = boolean_of(text)
            if boolean is not None:
                return boolean
            # First, as a float rounds whole numbers beyond 2^53.
            whole = whole_number(text)
            number = number_of(text) if whole is None else whole
            if number is not None:
                is_whole = isinstance(number, float) and number.is_integer() and abs(number) <= EXACT
                return int(number) if is_whole else number
        for kind in self._moments:
            with suppress(ValueError):
                return kind.fromisoformat(text.strip())
        return NO_LABEL

    def _spelled_by(self, value: object) -> dict[Hashable, object]:
        """What each text label spells, of the kind of a value; texts that spell the same are left out."""
        kind = float if isinstance(value, _AS_NUMBERS) else type(value)
        if kind not in self._spelled:
            like = KnownLabels([value])  # reads texts as this kind of value
            spelled: dict[Hashable, object] = {}
            for text in self._labels:
                meant = like._meant_by(text) if isinstance(text, str) else NO_LABEL
                if meant is not NO_LABEL:
                    spelled[meant] = NO_LABEL if meant in spelled else text
            self._spelled[kind] = spelled
        return self._spelled[kind]


def _can_be_text(value: object) -> bool:
    """True for finite numbers, booleans and moments: what a text may spell."""
    if isinstance(value, float) and not math.isfinite(value):
        return False
    return isinstance(value, (*_AS_NUMBERS, *_MOMENTS))


def _written(value: Any) -> tuple[str, ...]:
    """The texts that a value is written as, by Python, and in CSV and JSON files.

    >>> _written(3), _written(3.0), _written(True), _written(date(2020, 1, 2))
    (('3', '3.0'), ('3', '3.0'), ('True', 'true'), ('2020-01-02',))
    """
    if isinstance(value, bool):  # a bool is an int, so it comes first
        return str(value), str(value).lower()
    if isinstance(value, int | float | Decimal | Fraction):
        whole = int(value) if -EXACT <= value <= EXACT else None
        return (str(whole), str(float(whole))) if whole is not None and whole == value else (str(value),)
    return tuple(dict.fromkeys((str(value), value.isoformat())))
