"""The classes whose values a model file may hold, by the name under which they are written.

A model file never runs code that it brings along: reading it makes values of registered classes only. Register a class
of your own, such as a distribution or a smoothing, to save and load models that use it.

A value is written by the fields of its dataclass and made again by calling the class with these fields, so
``__post_init__`` checks what a file says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np

from deciban.errors import ParameterError

__all__ = ["STORED", "ByFields", "Stored", "registered", "storable"]

T = TypeVar("T")
Fields = dict[str, Any]


class Stored(NamedTuple):
    """A registered class; `check` refuses a value that was read."""

    cls: type
    check: Callable[[Any], None] | None = None


STORED: dict[str, Stored] = {}


@overload
def storable(cls: type[T]) -> type[T]: ...
@overload
def storable(*, check: Callable[[Any], None] | None = None) -> Callable[[type[T]], type[T]]: ...
def storable(cls: type[T] | None = None, *, check: Callable[[Any], None] | None = None) -> Any:
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
        if known is not None and _identity(known.cls) != _identity(cls):
            raise ParameterError(f"{known.cls!r} is already registered as {cls.__name__!r}. Choose another name.")
        STORED[cls.__name__] = Stored(cls, check)
        return cls

    return register if cls is None else register(cls)


def registered(base: type[T]) -> list[type[T]]:
    """The registered classes that are subclasses of `base`."""
    return [stored.cls for stored in STORED.values() if issubclass(stored.cls, base)]


def _identity(cls: type) -> tuple[str, str]:
    """Equal for a class and for the same class when its module is loaded again."""
    return cls.__module__, cls.__qualname__


class ByFields:
    """A frozen dataclass that is equal to another, and pickled, by its fields alone.

    Values that travel between processes hold their arrays and nothing else: what they cache is computed again there.
    """

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(_is_equal(value, getattr(other, name)) for name, value in self.__getstate__().items())

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> Fields:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


def _is_equal(a: object, b: object) -> bool:
    return np.array_equal(a, b) if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) else bool(a == b)
