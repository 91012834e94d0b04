"""The tally: the sufficient statistics of a sample, as one frozen value.

Tallies form a group. ``a + b`` is the tally of both samples, ``a - b`` takes one out again, ``a.scaled(w)`` ages it. So
streaming, merging of shards and exact unlearning are one operation, and a change of the smoothing never counts again.
A class, a label or a token without any rows left is removed; so is a class whose weight is 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, runtime_checkable

import numpy as np

from deciban.choices import counted
from deciban.errors import ColumnMismatchError, NegativeCountError
from deciban.read import Variable
from deciban.tallies.arithmetic import (
    add_to_zero,
    check_factor,
    check_known,
    equal_by_value,
    labelled,
    part_as,
    place_rows,
    subtract,
)
from deciban.tallies.render import tally_html, tally_text
from deciban.types import AnyArray, Ints

__all__ = ["Part", "Tally"]


@runtime_checkable
class Part(Protocol):
    """What a tally keeps of some columns.

    `classes` is the number of classes; `shown` gives the rows of a printed tally: column, state, and a cell a class;
    the first `most` of them where there may be very many. A part of several columns also has `of_columns(kept)`: the
    same statistics of some of them, by index.
    """

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def classes(self) -> int: ...
    @property
    def is_empty(self) -> bool: ...
    def __add__(self, other: Self, /) -> Self: ...
    def __sub__(self, other: Self, /) -> Self: ...
    def scaled(self, factor: float) -> Self: ...
    def reclassed(self, indices: Ints, classes: int) -> Self: ...
    def of_classes(self, kept: AnyArray) -> Self: ...
    def shown(self, most: int) -> Iterator[tuple[str, str, list[Any]]]: ...


@dataclass(frozen=True, eq=False)
class Tally:
    """Class totals, and what was counted of each column within each class.

    Tallies are added, subtracted and scaled: ``a + b`` is the tally of both samples, ``a - b`` takes one out again. It
    prints as a table.

    Attributes
    ----------
    classes : Variable
        The classes: `name` and `labels`.
    class_counts : array
        The number of rows of each class, or their weight.
    parts : tuple
        What was counted of the columns: counts of labels, moments of numbers, sketches.

    See Also
    --------
    tally : Count a table.

    Examples
    --------
    >>> from deciban import tally
    >>> monday = tally({"sky": ["sun", "rain"], "play": ["yes", "no"]}, target="play")
    >>> tuesday = tally({"sky": ["sun"], "play": ["yes"]}, target="play")
    >>> (monday + tuesday).total, (monday + tuesday - monday) == tuesday
    (3, True)
    """

    classes: Variable
    class_counts: AnyArray
    parts: tuple[Any, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(name for part in self.parts for name in part.names)

    @property
    def total(self) -> float | int:
        """The number of rows, or their weight."""
        return self.class_counts.sum().item()

    @property
    def is_empty(self) -> bool:
        """True where nothing was counted."""
        return not self.class_counts.any() and all(part.is_empty for part in self.parts)

    def __add__(self, other: Tally) -> Tally:
        a, b = self._aligned(other)
        parts = tuple(p + q for p, q in zip(a.parts, b.parts, strict=True))
        return Tally(a.classes, a.class_counts + b.class_counts, parts)

    def __sub__(self, other: Tally) -> Tally:
        a, b = self._aligned(other)
        left = subtract(a.class_counts, b.class_counts, lambda at: f"class {a.classes.labels.tolist()[at[0]]!r}")
        parts = tuple(_take(p, q, a.classes) for p, q in zip(a.parts, b.parts, strict=True))
        return Tally(a.classes, left, parts)._trimmed()

    __radd__ = add_to_zero
    __eq__ = equal_by_value

    def __repr__(self) -> str:
        sizes = counted(self.total, "row"), counted(len(self.names), "column"), f"{len(self.classes)} classes"
        return f"Tally({', '.join(sizes)} of {self.classes.name!r})"

    def __str__(self) -> str:
        return tally_text(self)

    def _repr_html_(self) -> str:
        return tally_html(self)

    def scaled(self, factor: float) -> Tally:
        """Weigh the whole sample by a factor, as when it ages.

        Parameters
        ----------
        factor : float
            Not negative.

        Returns
        -------
        Tally
        """
        factor = check_factor(factor)
        return Tally(self.classes, self.class_counts * factor, tuple(p.scaled(factor) for p in self.parts))

    def with_classes(self, classes: Variable) -> Tally:
        """Make the same tally over more classes.

        Parameters
        ----------
        classes : Variable
            Classes that include all of its own.

        Returns
        -------
        Tally
        """
        if classes is self.classes or classes == self.classes:
            return self
        indices = classes.encode(self.classes.labels).astype(np.int64)
        if (indices == len(classes)).any():
            raise ColumnMismatchError(f"the classes {classes!r} do not include {self.classes!r}.")
        counts = place_rows(self.class_counts, indices, len(classes))
        return Tally(classes, counts, tuple(part.reclassed(indices, len(classes)) for part in self.parts))

    def read_as(self, other: Tally) -> Tally:
        """Make the same tally with labels and classes in the types of those of another one, where they differ in type.

        Text that spells a known label, or a number among numbers, is that label or number (`deciban.read.spelling`).

        Parameters
        ----------
        other : Tally
            Counts of the same columns.

        Returns
        -------
        Tally
        """
        self._check_columns(other)
        parts = tuple(part_as(ours, theirs) for ours, theirs in zip(self.parts, other.parts, strict=True))
        classes = self.classes.read_as(other.classes)
        indices = classes.encode(self.classes.labels).astype(np.int64)
        if len(classes) < len(self.classes):
            raise ColumnMismatchError(f"two of the classes {self.classes!r} are one in {other.classes!r}. Rename one.")
        counts = place_rows(self.class_counts, indices, len(classes))
        return Tally(classes, counts, tuple(part.reclassed(indices, len(classes)) for part in parts))

    def _trimmed(self) -> Tally:
        """Remove the classes that have no weight any more, unless that would remove all."""
        used: AnyArray = np.asarray(self.class_counts > 0)
        if used.all() or not used.any():
            return self
        parts = tuple(part.of_classes(used) for part in self.parts)
        return Tally(self.classes.restricted(used), self.class_counts[used], parts)

    def marginal(self, *names: str) -> Tally:
        """Make the tally of some columns only.

        Parameters
        ----------
        *names : str
            The names of the columns.

        Returns
        -------
        Tally
        """
        check_known(names, self.names, "column")
        parts = (_of_names(part, set(names)) for part in self.parts)
        return replace(self, parts=tuple(part for part in parts if part is not None))

    def _check_columns(self, other: Tally) -> None:
        """Refuse a tally that counts other columns, or the same ones in another way; parts compare their names."""
        ours, theirs = ([_counted_as(part) for part in tally.parts] for tally in (self, other))
        if ours == theirs:
            return
        if self.names != other.names:
            raise ColumnMismatchError(f"the tallies count different columns: {self.names} and {other.names}.")
        if len(ours) != len(theirs):
            raise ColumnMismatchError("one tally has a part for each column, the other one for several: count alike.")
        i = next(i for i, kinds in enumerate(zip(ours, theirs, strict=True)) if kinds[0] != kinds[1])
        raise ColumnMismatchError(
            f"column {self.parts[i].names[0]!r} is {ours[i]} in one tally and {theirs[i]} in the other. Count it "
            "alike: with the same type, or by models with columns=first.schema_."
        )

    def _aligned(self, other: Tally) -> tuple[Tally, Tally]:
        self._check_columns(other)
        classes = self.classes.union(other.classes)
        return self.with_classes(classes), other.with_classes(classes)


def _counted_as(part: Any) -> str:
    """How a part counts its columns, in words: `Counts`, or `Counts and missing values`."""
    known = getattr(part, "part", None)
    return type(part).__name__ if known is None else f"{type(known).__name__} and missing values"


def _of_names(part: Any, names: set[str]) -> Any:
    """What the part has counted of the columns with these names; None where it has none of them."""
    kept = [i for i, name in enumerate(part.names) if name in names]
    return None if not kept else part if len(kept) == len(part.names) else part.of_columns(kept)


def _take(part: Any, other: Any, classes: Variable) -> Any:
    """part − other; an error names the class by its label."""
    if hasattr(part, "without"):
        return part.without(other, classes.labels)
    try:
        return part - other
    except NegativeCountError as error:
        raise labelled(error, classes.labels) from None
