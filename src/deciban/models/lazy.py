"""A value that is made when it is first asked for, and not made at all by a model that only learns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Lazy"]


class Lazy:
    """`get()` gives what `make(*arguments)` makes; a copy that goes to another process makes it anew."""

    def __init__(self, make: Callable[..., Any], *arguments: Any) -> None:
        self._make, self._arguments = make, arguments
        self._held: tuple[Any, ...] = ()

    def get(self) -> Any:
        if not self._held:
            self._held = (self._make(*self._arguments),)
        return self._held[0]

    def __getstate__(self) -> tuple[Any, ...]:
        return self._make, self._arguments

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._make, self._arguments = state
        self._held = ()
