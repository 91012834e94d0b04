"""The tally: the sufficient statistics of a sample, as one frozen value.

Tallies form a group. ``a + b`` is the tally of both samples, ``a - b`` takes one out again, ``a.scaled(w)`` ages it. So
streaming, merging of shards and exact unlearning are one operation, and a change of the smoothing never counts again.
A class, a label or a token without any rows left is removed; so is a class whose weight is 0.

What every tally can do, whatever it counts.

`Tally` counts columns within classes (tables and documents), `FamilyTally` the families of a discrete net,
`GaussianTally` the moments of the families of a linear Gaussian net. All are frozen values that form a group:

    (a + b) − b = a,    a.scaled(v).scaled(w) = a.scaled(v·w),    (a + b).marginal(n) = a.marginal(n) + b.marginal(n)

``sum(tallies)`` adds many. So streaming, merging, unlearning and ageing are the same operations everywhere.
``db.save`` and ``db.load`` take them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from html import escape
from typing import Any, Self

import numpy as np

from deciban.choices import counted
from deciban.errors import ColumnMismatchError
from deciban.read import Variable
from deciban.storable import ByFields, check_numbers, require, storable
from deciban.tallies.arithmetic import Part, check_factor, check_known, place_rows, subtract
from deciban.types import AnyArray

__all__ = ["SampleTally", "Tally", "is_same_sample", "rows_as_html", "rows_as_text"]


class SampleTally:
    """The sufficient statistics of a sample, which can be added; ``sum`` adds many, from 0 on."""

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
        parts = tuple(p.without(q, a.classes.labels) for p, q in zip(a.parts, b.parts, strict=True))
        return Tally(a.classes, left, parts)._trimmed()

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

        Text that spells a known label, or a number among numbers, is that label or number (`deciban.read.scalar`).

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
        parts = (_of_names(part, set(names)) for part in self.parts)
        return replace(self, parts=tuple(part for part in parts if part is not None))

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


def _of_names(part: Any, names: set[str]) -> Any:
    """What the part has counted of the columns with these names; None where it has none of them."""
    kept = [i for i, name in enumerate(part.names) if name in names]
    return None if not kept else part if len(kept) == len(part.names) else part.of_columns(kept)


_MOST_ROWS = 40

Row = tuple[str, str, list[str]]


def tally_text(tally: Tally) -> str:
    """Columns, states and counts in aligned columns."""
    heads = [str(label) for label in tally.classes.labels.tolist()]
    shown, hidden = _rows(tally)
    first = max([len(r[0]) for r in shown] + [len(tally.classes.name)])
    second = max(len(r[1]) for r in shown)
    width = [max([len(head)] + [len(r[2][j]) for r in shown]) for j, head in enumerate(heads)]
    lines = [_title(tally), _line("", "", heads, first, second, width)]
    lines += [_line(*row, first, second, width) for row in shown]
    return "\n".join(lines + ([f"… {hidden} more"] if hidden > 0 else []))


def tally_html(tally: Tally) -> str:
    """The same as a table."""
    heads = "".join(f"<th>{escape(str(label))}</th>" for label in tally.classes.labels.tolist())
    shown, hidden = _rows(tally)
    body = "".join(
        f"<tr><th>{escape(name)}</th><th>{escape(state)}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for name, state, cells in shown
    )
    more = f"<p>… {hidden} more</p>" if hidden > 0 else ""
    head = f"<caption>{escape(_title(tally))}</caption><thead><tr><th></th><th></th>{heads}</tr></thead>"
    return f"<table>{head}<tbody>{body}</tbody></table>{more}"


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


def _title(tally: Tally) -> str:
    rows, classes = "row" if tally.total == 1 else "rows", "class" if len(tally.classes) == 1 else "classes"
    return f"Tally of {_text(tally.total)} {rows}, {len(tally.classes)} {classes} of {tally.classes.name!r}"


def _rows(tally: Tally) -> tuple[list[Row], int]:
    """The first rows, that of the class counts before all others, and how many are left out."""
    found = [("", "rows", tally.class_counts.tolist())]
    found += [row for part in tally.parts for row in part.shown(_MOST_ROWS)]
    shown = [(name, state, [_text(cell) for cell in cells]) for name, state, cells in found[: _MOST_ROWS + 1]]
    return shown, len(found) - len(shown)


def _line(name: str, state: str, cells: list[str], first: int, second: int, width: list[int]) -> str:
    right = "  ".join(cell.rjust(w) for cell, w in zip(cells, width, strict=True))
    return f"{name:<{first}}  {state:<{second}}  {right}".rstrip()


def _text(cell: Any) -> str:
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)


_ROUNDING = 1e-9


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


def _is_same(a: Any, b: Any) -> bool:
    """Compare parts of a tally by their own rule (`is_close`), or else field by field."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return _is_same_array(a, b)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_is_same, a, b))
    if hasattr(a, "is_close"):
        return bool(a.is_close(b))
    if a == b or not is_dataclass(a):
        return bool(a == b)
    return all(_is_same(getattr(a, field.name), getattr(b, field.name)) for field in fields(a))


def _is_same_array(a: Any, b: Any) -> bool:
    if a.shape != b.shape:
        return False
    if (a.dtype.kind in "iub" and b.dtype.kind in "iub") or a.dtype.kind not in "iufb":
        return bool(np.array_equal(a, b))
    return bool((np.abs(a - b) <= _ROUNDING * np.maximum(np.abs(a), np.abs(b))).all())
