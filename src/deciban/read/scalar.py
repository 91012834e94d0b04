"""Single values: the plain value that a scalar of numpy or Arrow holds, and which values are missing.

>>> (
...     plain(np.int64(3)),
...     plain(np.str_("sun")),
...     plain(np.bool_(True)),
...     plain(np.datetime64("2020-01-02")),
... )
(3, 'sun', True, datetime.date(2020, 1, 2))
>>> is_missing(None), is_missing(float("nan")), is_missing("")
(True, True, False)

Values of another type than the labels: which label a text stands for, and which text a number.

The type of a column may change between fit and prediction: one odd cell makes text of a column of numbers in a CSV
file, JSON may have ``"3"`` for ``3``, missing values make floats of whole numbers. So a value is read by the type of
the labels that are known:

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

>>> known = KnownLabels([1, 2, 3])
>>> known.find("3"), known.find("2.0"), known.find("unknown") is NO_LABEL
(3, 2, True)
>>> KnownLabels(["1", "2"]).find(2.0), KnownLabels([1, "1"]).find("1")
('2', '1')
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = [
    "NO_LABEL",
    "PLAIN",
    "KnownLabels",
    "boolean_of",
    "is_missing",
    "number_of",
    "plain",
    "plain_keys",
    "whole_number",
]


PLAIN = frozenset({str, int, float, bool, bytes, type(None)})
"""The types of values that are plain as they are."""

_NO_VALUE = frozenset({"NAType", "NaTType", "MaskedConstant"})
"""The names of the types of pandas.NA, pandas.NaT and numpy.ma.masked."""


def plain(value: Any) -> Any:
    """The value that a scalar of numpy, Arrow or a masked array holds; None for a null; other values as they are."""
    if type(value) in PLAIN:
        return value
    if type(value).__name__ in _NO_VALUE:
        return None
    if isinstance(value, np.generic):
        return _from_numpy(value)
    if hasattr(value, "as_py"):
        return value.as_py()
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return plain(value[()])
    return value


def plain_keys(given: Mapping[Any, Any]) -> dict[Any, Any]:
    """The same mapping with plain keys."""
    return {plain(key): value for key, value in given.items()}


def is_missing(value: Any) -> bool:
    """True for None, NaN, NaT, pandas.NA, numpy.ma.masked and the nulls of Arrow."""
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


def _from_numpy(value: np.generic) -> Any:
    if isinstance(value, np.datetime64 | np.timedelta64):
        finest = np.datetime_data(value.dtype)[0] in ("ns", "ps", "fs", "as")
        return value.astype(f"{value.dtype.kind}8[us]").item() if finest else value.item()
    return float(value) if isinstance(value, np.floating) else value.item()


NO_LABEL: Any = object()
"""What `KnownLabels.find` returns for a value that stands for no label; None may be one."""

_WHOLE = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_BOOLEANS = {"True": True, "true": True, "TRUE": True, "False": False, "false": False, "FALSE": False}
_LONGEST = 300
"""Python refuses to read whole numbers of thousands of digits."""
_EXACT = 1 << 53
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
    """KnownLabels among which the one is found that a value of another type stands for."""

    def __init__(self, labels: Iterable[Any]) -> None:
        self._own = {label: label for label in labels}
        kinds = set(map(type, self._own))
        self._has_text = any(issubclass(kind, str) for kind in kinds)
        self._has_numbers = any(issubclass(kind, _AS_NUMBERS) for kind in kinds)
        self._moments = [kind for kind in _MOMENTS if kind in kinds]
        self._all_text = self._has_text and not self._has_numbers and not self._moments
        self._spelled: dict[Any, dict[Any, Any]] = {}

    def find(self, value: Any) -> Any:
        """The label that equals a value, or that it stands for; NO_LABEL where there is none."""
        if isinstance(value, str):
            if value in self._own:
                return value
            return NO_LABEL if self._all_text else self._own.get(self._meant_by(value), NO_LABEL)
        found = self._own.get(value, NO_LABEL)
        return found if found is not NO_LABEL or not self._has_text else self._text_of(value)

    def typed(self, value: Any) -> Any:
        """A value that may be a new label, in the type of the labels that are known.

        Text that spells a number is that number where the labels are numbers, and a number is text where all are text.

        >>> (
        ...     KnownLabels([1, 2]).typed("4"),
        ...     KnownLabels(["1", "2"]).typed(4.0),
        ...     KnownLabels([1, 2]).typed("unknown"),
        ... )
        (4, '4', 'unknown')
        """
        found = self.find(value)
        if found is not NO_LABEL:
            return found
        if isinstance(value, str):
            meant = NO_LABEL if self._all_text else self._meant_by(value)
            return value if meant is NO_LABEL or self._in_text(meant) else meant
        return _written(value)[0] if self._all_text and _can_be_text(value) else value

    def _meant_by(self, text: str) -> Any:
        """What a text spells, of the types that the labels have; NO_LABEL where it spells nothing of these."""
        if self._has_numbers:
            boolean = boolean_of(text)
            if boolean is not None:
                return boolean
            whole = whole_number(text)
            number = number_of(text) if whole is None else whole
            if number is not None:
                is_whole = isinstance(number, float) and number.is_integer() and abs(number) <= _EXACT
                return int(number) if is_whole else number
        for kind in self._moments:
            with suppress(ValueError):
                return kind.fromisoformat(text.strip())
        return NO_LABEL

    def _text_of(self, value: Any) -> Any:
        """The text label that a value of another type is written as, or the only one that spells it."""
        if not _can_be_text(value):
            return NO_LABEL
        for text in _written(value):
            if text in self._own:
                return text
        return self._spelled_by(value).get(value, NO_LABEL)

    def _spelled_by(self, value: Any) -> dict[Any, Any]:
        """What each text label spells, of the kind of a value; texts that spell the same are left out."""
        kind = float if isinstance(value, _AS_NUMBERS) else type(value)
        if kind not in self._spelled:
            like = KnownLabels([value])
            found: dict[Any, Any] = {}
            for text in self._own:
                meant = like._meant_by(text) if isinstance(text, str) else NO_LABEL
                if meant is not NO_LABEL:
                    found[meant] = NO_LABEL if meant in found else text
            self._spelled[kind] = found
        return self._spelled[kind]

    def _in_text(self, value: Any) -> bool:
        """True where labels of text spell values like this one, as the text of a value would."""
        return self._has_text and bool(self._spelled_by(value))


def _can_be_text(value: Any) -> bool:
    """True for finite numbers, booleans and moments: what a text may spell."""
    if isinstance(value, float) and not math.isfinite(value):
        return False
    return isinstance(value, (*_AS_NUMBERS, *_MOMENTS))


def _written(value: Any) -> tuple[str, ...]:
    """The texts that a value is written as, by Python, and in CSV and JSON files.

    >>> _written(3), _written(3.0), _written(True), _written(date(2020, 1, 2))
    (('3', '3.0'), ('3', '3.0'), ('True', 'true'), ('2020-01-02',))
    """
    if isinstance(value, bool):
        return str(value), str(value).lower()
    if isinstance(value, int | float | Decimal | Fraction):
        whole = int(value) if -_EXACT <= value <= _EXACT else None
        return (str(whole), str(float(whole))) if whole is not None and whole == value else (str(value),)
    return tuple(dict.fromkeys((str(value), value.isoformat())))
