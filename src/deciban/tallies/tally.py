"""The tally: the sufficient statistics of a sample, as one frozen value.

Tallies form a group. ``a + b`` is the tally of both samples, ``a - b`` takes one out again, ``a.scaled(w)`` ages it. So
streaming, merging of shards and exact unlearning are one operation, and a change of the smoothing never counts again:

    (a + b) − b = a,    a.scaled(v).scaled(w) = a.scaled(v·w),    (a + b).marginal(n) = a.marginal(n) + b.marginal(n)

A class, a label or a token without any rows left is removed; so is a class whose weight is 0. ``sum(tallies)`` adds
many; ``db.save`` and ``db.load`` take them.

`Tally` counts columns within classes (tables and documents); of each column, or group of columns, it keeps a `Part`.
`FamilyTally` counts the families of a discrete net, `GaussianTally` the moments of the families of a linear Gaussian
net. Counts are added and taken out exactly where they are integers, and never get below zero.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from html import escape
from typing import Any, Self

import numpy as np

from deciban.choices import counted, did_you_mean
from deciban.errors import ColumnMismatchError, NegativeCountError, ParameterError
from deciban.limits import check_memory
from deciban.read import Variable
from deciban.storable import ByFields, check_numbers, require, storable
from deciban.types import AnyArray, Codes, Floats, Ints

__all__ = [
    "ClassTable",
    "Part",
    "SampleTally",
    "ShownRow",
    "Tally",
    "check_factor",
    "check_known",
    "is_same_sample",
    "own_weights",
    "place_columns",
    "place_rows",
    "rows_as_html",
    "rows_as_text",
    "subtract",
    "weight_left",
]

# Weighted sums of the same rows in another order differ by far less of their size, and a row weighs far more of it.
_ROUNDING = 1e-9
_MOST_ROWS = 40

ShownRow = tuple[str, str, Sequence[float | str]]
"""A row of a printed tally: column, state, and a cell for each class."""


class Part(ByFields, ABC):
    """What a tally keeps of some columns: a frozen dataclass.

    `classes` is the number of classes; `shown` gives the rows of a printed tally, the first `most` of them where there
    may be very many.
    """

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]: ...
    @property
    @abstractmethod
    def classes(self) -> int: ...
    @property
    @abstractmethod
    def is_empty(self) -> bool: ...
    @abstractmethod
    def __add__(self, other: Self, /) -> Self: ...
    @abstractmethod
    def __sub__(self, other: Self, /) -> Self: ...
    @abstractmethod
    def scaled(self, factor: float) -> Self: ...
    @abstractmethod
    def reclassed(self, indices: Ints, classes: int) -> Self: ...
    @abstractmethod
    def of_classes(self, kept: AnyArray) -> Self: ...
    @abstractmethod
    def shown(self, most: int) -> Iterator[ShownRow]: ...

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables whose states were counted; none of numbers."""
        return ()

    @property
    def components(self) -> tuple[Part, ...]:
        """The part itself, or the simple parts inside it, without counts of missing values and of sets of columns."""
        return (self,)

    @property
    def counted_as(self) -> str:
        """How the columns were counted, in words."""
        return type(self).__name__

    def of_columns(self, kept: Sequence[int]) -> Part:
        """The same statistics of some of the columns, by index: parts of several columns have this."""
        raise NotImplementedError

    def read_as(self, known: Self) -> Self:
        """The same statistics, of labels in the type of those of another part; numbers have one type."""
        return self

    def without(self, other: Self, labels: AnyArray) -> Self:
        """self − other; an error names the class by its label."""
        try:
            return self - other
        except NegativeCountError as error:
            if error.cell is None:
                raise
            what, index, left = error.cell
            raise NegativeCountError(_message(what, labels.tolist()[index], left)) from None


class ClassTable(Part):
    """A part of a tally that is a table with a row for each class, and a column for each value."""

    table: AnyArray

    @abstractmethod
    def aligned(self, other: Self, /) -> tuple[Self, Self]:
        """Both with columns for the same values."""

    @property
    def classes(self) -> int:
        return len(self.table)

    @property
    def is_empty(self) -> bool:
        return not self.table.any()


class SampleTally:
    """The sufficient statistics of a sample, which can be added; ``sum`` adds many, from 0 on."""

    def read_as(self, known: Self) -> Self:
        """The same counts, of labels in the types of those of another tally; numbers have one type.

        Parameters
        ----------
        known : tally
            The tally whose labels are known.

        Returns
        -------
        tally
        """
        return self

    def __radd__(self, other: int) -> Self:
        return self if type(other) is int and other == 0 else NotImplemented


def _check_tally(tally: Tally) -> None:
    """All parts must have the classes of the tally."""
    require(isinstance(tally.classes, Variable) and len(tally.classes) > 0, "a tally has no classes")
    is_list = isinstance(tally.parts, tuple) and all(isinstance(part, Part) for part in tally.parts)
    require(is_list, "a tally holds something that it cannot count")
    check_numbers(tally.class_counts, (len(tally.classes),), "the classes' counts")
    fits = all(part.classes == len(tally.classes) for part in tally.parts)
    require(fits, "a column's counts do not have the tally's classes")


@storable(check=_check_tally)
@dataclass(frozen=True, eq=False)
class Tally(ByFields, SampleTally):
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
    parts: tuple[Any, ...]  # of `Part`: a model knows of which kinds its own are

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
        parts = tuple(p.without(q, a.classes.labels) for p, q in zip(a.parts, b.parts, strict=True))
        return Tally(a.classes, left, parts)._trimmed()

    def __repr__(self) -> str:
        sizes = counted(self.total, "row"), counted(len(self.names), "column"), f"{len(self.classes)} classes"
        return f"Tally({', '.join(sizes)} of {self.classes.name!r})"

    def __str__(self) -> str:
        """Columns, states and counts in aligned columns."""
        rows, hidden = self._shown()
        lines = [("", "", list(map(str, self.classes.labels.tolist()))), *rows]
        first = max([len(name) for name, _, _ in lines] + [len(self.classes.name)])
        second = max(len(state) for _, state, _ in lines)
        widths = [max(map(len, column)) for column in zip(*(cells for *_, cells in lines), strict=True)]
        shown = [self._title()]
        for name, state, cells in lines:
            numbers = "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
            shown.append(f"{name:<{first}}  {state:<{second}}  {numbers}".rstrip())
        return "\n".join(shown + ([f"… {hidden} more"] if hidden > 0 else []))

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{escape(str(label))}</th>" for label in self.classes.labels.tolist())
        rows, hidden = self._shown()
        body = "".join(
            f"<tr><th>{escape(name)}</th><th>{escape(state)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
            for name, state, cells in rows
        )
        more = f"<p>… {hidden} more</p>" if hidden > 0 else ""
        head = f"<caption>{escape(self._title())}</caption><thead><tr><th></th><th></th>{heads}</tr></thead>"
        return f"<table>{head}<tbody>{body}</tbody></table>{more}"

    def _title(self) -> str:
        rows, classes = "row" if self.total == 1 else "rows", "class" if len(self.classes) == 1 else "classes"
        return f"Tally of {_text(self.total)} {rows}, {len(self.classes)} {classes} of {self.classes.name!r}"

    def _shown(self) -> tuple[list[tuple[str, str, list[str]]], int]:
        """The first rows, that of the class counts before all others, and how many are left out."""
        rows: list[ShownRow] = [("", "rows", self.class_counts.tolist())]
        rows += [row for part in self.parts for row in part.shown(_MOST_ROWS)]
        first = rows[: _MOST_ROWS + 1]
        return [(name, state, list(map(_text, cells))) for name, state, cells in first], len(rows) - len(first)

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

        Text that spells a known label, or a number among numbers, is that label or number (`deciban.read.variable`).

        Parameters
        ----------
        other : Tally
            Counts of the same columns.

        Returns
        -------
        Tally
        """
        self._check_columns(other)
        parts = tuple(ours.read_as(theirs) for ours, theirs in zip(self.parts, other.parts, strict=True))
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
        wanted, parts = set(names), []
        for part in self.parts:
            kept = [i for i, name in enumerate(part.names) if name in wanted]
            if kept:
                parts.append(part if len(kept) == len(part.names) else part.of_columns(kept))
        return replace(self, parts=tuple(parts))

    def _check_columns(self, other: Tally) -> None:
        """Refuse a tally that counts other columns, or the same ones in another way; parts compare their names."""
        ours, theirs = ([part.counted_as for part in tally.parts] for tally in (self, other))
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


def rows_as_text(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A title, and rows of text in aligned columns."""
    lines = [heads, *rows[:_MOST_ROWS]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([title, *shown, *([f"… {len(rows) - _MOST_ROWS} more"] if len(rows) > _MOST_ROWS else [])])


def rows_as_html(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The same as an HTML table."""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows[:_MOST_ROWS])
    more = f"<p>… {len(rows) - _MOST_ROWS} more</p>" if len(rows) > _MOST_ROWS else ""
    return f"<table><caption>{escape(title)}</caption><tr>{head}</tr>{body}</table>{more}"


def _text(cell: float | str) -> str:
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


def is_same_sample(a: Tally, b: Tally) -> bool:
    """True where all counts are equal and all weighted sums and moments are, up to the order of summation.

    >>> from deciban import tally
    >>> whole = tally({"x": [0.1, 0.2, 0.3], "y": [0, 1, 1]}, target="y")
    >>> parts = tally({"x": [0.3, 0.1], "y": [1, 0]}, target="y") + tally(
    ...     {"x": [0.2], "y": [1]}, target="y"
    ... )
    >>> other = tally({"x": [0.1, 0.2, 0.4], "y": [0, 1, 1]}, target="y")
    >>> is_same_sample(whole, parts), is_same_sample(whole, other)
    (True, False)
    """
    try:
        a, b = a._aligned(b)
    except ColumnMismatchError:
        return False
    return _is_same(a.class_counts, b.class_counts) and all(map(_is_same, a.parts, b.parts))


def _is_same(a: object, b: object) -> bool:
    """Compare parts of a tally by their own rule (`is_close`), or else field by field."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return _is_same_array(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_is_same, a, b))
    if hasattr(a, "is_close"):
        return bool(a.is_close(b))
    if a == b or not is_dataclass(a):
        return bool(a == b)
    return all(_is_same(getattr(a, field.name), getattr(b, field.name)) for field in fields(a))


def _is_same_array(a: AnyArray, b: AnyArray) -> bool:
    if a.shape != b.shape:
        return False
    if (a.dtype.kind in "iub" and b.dtype.kind in "iub") or a.dtype.kind not in "iufb":  # counts, and labels
        return bool(np.array_equal(a, b))
    return bool((np.abs(a - b) <= _ROUNDING * np.maximum(np.abs(a), np.abs(b))).all())


def check_factor(factor: float) -> float:
    """The factor by which a tally is scaled, which must be finite and not negative."""
    if not 0 <= factor < np.inf:
        raise ParameterError(f"a tally is scaled by a finite number that is not negative, not {factor}.")
    return float(factor)


def check_known(names: Iterable[object], known: Sequence[object], noun: str) -> None:
    """Refuse a name that is not among the known ones."""
    for name in names:
        if name not in known:
            raise ColumnMismatchError(f"there is no {noun} {name!r}.{did_you_mean(name, known)}")


def place_rows(table: AnyArray, indices: AnyArray, rows: int) -> AnyArray:
    """Put row i of the table at indices[i] of a table of `rows` rows, the others zero."""
    check_memory("the counts of both tallies", rows, *table.shape[1:])
    out = np.zeros((rows, *table.shape[1:]), dtype=table.dtype)
    out[indices] = table
    return out


def place_columns(table: AnyArray, indices: AnyArray, columns: int) -> AnyArray:
    """Put column i of the table at indices[i] of a table of `columns` columns, the others zero."""
    check_memory("the counts of both tallies", table.shape[0], columns)
    out = np.zeros((table.shape[0], columns), dtype=table.dtype)
    out[:, indices] = table
    return out


def subtract(
    a: AnyArray, b: AnyArray, where: Callable[[tuple[int, ...]], str], class_axis: int | None = None
) -> AnyArray:
    """a − b; what rounding alone made negative is 0, a truly negative count an error that says `where`.

    Where one axis is that of the classes, the error also says the class: by its index here, and by its label once the
    tally that knows it has seen the error (`Part.without`).
    """
    left = np.asarray(a - b)
    if left.dtype.kind == "f":  # integers are exact
        noise = _ROUNDING * np.maximum(np.abs(a), np.abs(b))
        left = np.where(np.abs(left) <= noise, 0.0, left)
    if left.size and left.min() < 0:
        at = tuple(int(i) for i in np.unravel_index(int(left.argmin()), left.shape))
        index, negative = None if class_axis is None else at[class_axis], left[at].item()
        error = NegativeCountError(_message(where(at), index, negative))
        error.cell = None if index is None else (where(at), index, negative)
        raise error
    return left


def _message(what: str, label: object, left: float) -> str:
    where = what if label is None else f"{what} in class {label!r}"
    return f"the count of {where} would be {left:g}: what is taken out was never counted."


def weight_left(whole: AnyArray | float, weights: AnyArray | float) -> Floats:
    """whole − weights; 0 where rounding alone would leave something.

    >>> weight_left(np.array([0.3, 2.0]), np.array([0.1 + 0.2, 1.0])).tolist()
    [0.0, 1.0]
    """
    left = np.asarray(whole - weights, dtype=np.float64)
    return np.where(left <= _ROUNDING * np.abs(whole), 0.0, left)


def own_weights(y: Codes, weights: Floats, classes: int) -> Floats:
    """The weight of each row in its own class, 0 in the others: rows × classes."""
    own = np.zeros((len(y), classes))
    own[np.arange(len(y)), y] = weights
    return own
