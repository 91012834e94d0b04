"""Results that are mappings: a value by its key, with attributes and a text of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

__all__ = ["ResultMapping"]

Key = TypeVar("Key")
Value = TypeVar("Value")


class ResultMapping(Mapping[Key, Value]):
    """A mapping of what a subclass keeps in `_values`.

    >>> class Ages(ResultMapping[str, int]):
    ...     _values = {"ann": 41}
    >>> Ages()["ann"], list(Ages()), len(Ages())
    (41, ['ann'], 1)
    """

    _values: Mapping[Key, Value]

    def __getitem__(self, key: Key) -> Value:
        return self._values[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
