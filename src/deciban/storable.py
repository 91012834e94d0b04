"""The classes whose values a model file may hold, by the name under which they are written.

A model file never runs code that it brings along: reading it makes values of registered classes only. Register a class
of your own, such as a distribution or a smoothing, to save and load models that use it.

A value is written by the fields of its dataclass and made again by calling the class with these fields, so
``__post_init__`` checks what a file says. A checksum shows that a file is undamaged, not that its contents are valid:
the `check` of a class looks at every index, offset and shape of a value that was read, before anything computes with
it, so that code that uses the value never reads outside an array, and never meets a count that is negative or not a
number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np

from deciban.errors import ParameterError

__all__ = [
    "STORED",
    "UNSTORED",
    "ByFields",
    "Stored",
    "check_ends",
    "check_names",
    "check_numbers",
    "registered",
    "require",
    "storable",
]

T = TypeVar("T")


class Stored(NamedTuple):
    """A registered class; `check` refuses a value that was read."""

    cls: type
    check: Callable[[Any], None] | None = None  # Any: each takes values of its own class


STORED: dict[str, Stored] = {}

UNSTORED = {"is_stored": False}
"""The metadata of a field that files do not hold, because it has its default in every value that is written."""


@overload
def storable(cls: type[T]) -> type[T]: ...
@overload
def storable(*, check: Callable[[T], None] | None = None) -> Callable[[type[T]], type[T]]: ...
def storable(
    cls: type[T] | None = None, *, check: Callable[[T], None] | None = None
) -> type[T] | Callable[[type[T]], type[T]]:
    """Register a dataclass, so that its values can be written to model files and read again.

    Parameters
    ----------
    cls : type
        The class; it is registered under its name, which must not be that of another class.
    check : function, optional
        Called with every value that is read from a file; raises a ValueError where the value is impossible.

    Returns
    -------
    cls : type
        The class itself, so that it can be used as a decorator.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @storable
    ... @dataclass(frozen=True)
    ... class Threshold:
    ...     value: float
    >>> STORED["Threshold"].cls is Threshold
    True
    """

    def register(cls: type[T]) -> type[T]:
        known = STORED.get(cls.__name__)
        # By module and name, not by identity: a module that is loaded again makes the same class anew.
        if known is not None and _identity(known.cls) != _identity(cls):
            raise ParameterError(f"{known.cls!r} is already registered as {cls.__name__!r}. Choose another name.")
        STORED[cls.__name__] = Stored(cls, check)
        return cls

    return register if cls is None else register(cls)


def registered(base: type[T]) -> list[type[T]]:
    """The registered classes that are subclasses of `base`."""
    return [stored.cls for stored in STORED.values() if issubclass(stored.cls, base)]


def _identity(cls: type) -> tuple[str, str]:
    """Where a class is defined."""
    return cls.__module__, cls.__qualname__


def require(holds: bool, message: str) -> None:
    """Raise a ValueError with this message where a condition does not hold."""
    if not holds:
        raise ValueError(message)


def check_numbers(values: object, shape: tuple[int | None, ...], what: str, *, negative: bool = False) -> None:
    """An array of finite numbers of this shape, none below 0 unless `negative`."""
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iuf":
        raise ValueError(f"{what} are not numbers")
    fits = values.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, values.shape, strict=True))
    require(fits, f"{what} have the shape {values.shape}")
    require(bool(np.isfinite(values).all()), f"{what} are not all finite")
    require(negative or not values.size or bool(values.min() >= 0), f"{what} are negative")


def check_ends(ends: object, last: int, what: str) -> None:
    """Ascending from 0 to `last`."""
    is_list = isinstance(ends, np.ndarray) and ends.dtype == np.int64 and ends.ndim == 1 and len(ends) > 0
    if not isinstance(ends, np.ndarray) or not is_list or ends[0] != 0 or ends[-1] != last:
        raise ValueError(f"{what} do not fit")
    require(bool((np.diff(ends) >= 0).all()), f"{what} do not ascend")


def check_names(names: object, columns: int) -> None:
    """None, or a name for each column."""
    is_list = isinstance(names, tuple) and len(names) == columns and all(isinstance(name, str) for name in names)
    require(names is None or is_list, "the names do not fit the columns")


class ByFields:
    """A frozen dataclass that is equal to another, and pickled, by its fields alone.

    Values that travel between processes hold their arrays and nothing else: what they cache is computed again there.
    """

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_is_equal(value, getattr(other, name)) for name, value in self.__getstate__().items())

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


def _is_equal(a: object, b: object) -> bool:
    # The == of arrays is an array, which has no truth value.
    return np.array_equal(a, b) if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) else bool(a == b)
