"""A value that is computed when it is first used; a model that only learns never computes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

__all__ = ["Lazy"]

Value = TypeVar("Value")


class Lazy(Generic[Value]):
    """`get()` returns ``make(*arguments)``, computed once; a pickled copy computes it again."""

    def __init__(self, make: Callable[..., Value], *arguments: Any) -> None:
        self._make, self._arguments = make, arguments
        self._held: tuple[Value, ...] = ()

    def hold(self, value: Value) -> None:
        """Take a value that was computed already."""
        self._held = (value,)

    def get(self) -> Value:
        if not self._held:
            self._held = (self._make(*self._arguments),)
        return self._held[0]

    def holding(self, value: Value) -> Lazy[Value]:
        """The same with its value, where that has been computed in another way."""
        self._held = (value,)
        return self

    def __getstate__(self) -> tuple[Any, ...]:
        return self._make, self._arguments

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._make, self._arguments = state
        self._held = ()
