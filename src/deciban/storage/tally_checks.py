"""What must hold of the arrays of a tally that a file holds, before anything computes with them.

A checksum shows that a file is undamaged, not that its contents are valid. So every index, offset and shape is checked
once, when a file is read: code that uses the values then never reads outside an array, and never meets a count that is
negative or not a number. `kinds.py` registers each check with its class.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from deciban.read import Variable
from deciban.tallies import Counts, Crossed, Moments, Part, Sketch, Tally, Terms, WithMissing
from deciban.text import Bag, TokenRules, Vocabulary

__all__ = [
    "check_bag",
    "check_counts",
    "check_crossed",
    "check_ends",
    "check_moments",
    "check_names",
    "check_numbers",
    "check_sketch",
    "check_tally",
    "check_terms",
    "check_variable",
    "check_vocabulary",
    "check_with_missing",
    "require",
]


def require(holds: bool, message: str) -> None:
    """Raise a ValueError with this message where a condition does not hold."""
    if not holds:
        raise ValueError(message)


def check_numbers(values: Any, shape: tuple[int | None, ...], what: str, *, negative: bool = False) -> None:
    """An array of finite numbers of this shape, none below 0 unless `negative`."""
    require(isinstance(values, np.ndarray) and values.dtype.kind in "iuf", f"{what} are not numbers")
    fits = values.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, values.shape, strict=True))
    require(fits, f"{what} have the shape {values.shape}")
    require(bool(np.isfinite(values).all()), f"{what} are not all finite")
    require(negative or not values.size or bool(values.min() >= 0), f"{what} are negative")


def check_ends(ends: Any, last: int, what: str) -> None:
    """Ascending from 0 to `last`."""
    is_list = isinstance(ends, np.ndarray) and ends.dtype == np.int64 and ends.ndim == 1 and len(ends) > 0
    require(is_list and ends[0] == 0 and ends[-1] == last, f"{what} do not fit")
    require(bool((np.diff(ends) >= 0).all()), f"{what} do not ascend")


def check_variable(variable: Variable) -> None:
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
        require(bool((labels[1:] > labels[:-1]).all()), "labels do not ascend")


def check_vocabulary(vocabulary: Vocabulary) -> None:
    """Offsets must lie within the bytes, and the bytes must be UTF-8."""
    held = vocabulary.bytes
    require(isinstance(held, np.ndarray) and held.dtype == np.uint8 and held.ndim == 1, "a vocabulary has no bytes")
    check_ends(vocabulary.offsets, len(held), "a vocabulary's offsets")
    held.tobytes().decode("utf-8", "surrogatepass")
    starts = vocabulary.offsets[:-1][np.diff(vocabulary.offsets) > 0]
    require(bool(((held[starts] & 0xC0) != 0x80).all()), "a token begins within a character")


def check_bag(bag: Bag) -> None:
    """Token ids and class starts must lie within the tables."""
    require(isinstance(bag.name, str) and isinstance(bag.rules, TokenRules | None), "a bag has no name or rules")
    require(type(bag.size) is int and 0 <= bag.size <= 1 << 31, "a bag's size is impossible")
    if bag.vocabulary is None:
        require(bag.size > 1 and bag.size.bit_count() == 1, "a bag has no vocabulary")
    else:
        require(isinstance(bag.vocabulary, Vocabulary) and len(bag.vocabulary) == bag.size, "a vocabulary does not fit")
    indices = bag.indices
    require(
        isinstance(indices, np.ndarray) and indices.dtype == np.uint32 and indices.ndim == 1, "tokens are not integers"
    )
    check_ends(bag.starts, len(indices), "a bag's starts")
    require(not len(indices) or int(indices.max()) < bag.size, "a token is unknown")
    keys = bag.rows * bag.size + indices.astype(np.int64)
    require(len(np.unique(keys)) == len(keys), "a token occurs twice in a class")
    for counts in (bag.occurrences, bag.documents):
        check_numbers(counts, (len(indices),), "counts of tokens")
    require(isinstance(bag.error, int | float) and bag.error >= 0, "a bag's error is impossible")


def check_counts(counts: Counts) -> None:
    """Counts must fit the states of their variable."""
    require(isinstance(counts.variable, Variable), "counts have no variable")
    check_numbers(counts.table, (None, None), "counts")
    require(counts.table.shape[1] in (len(counts.variable), counts.variable.size), "counts do not fit their states")


def check_crossed(crossed: Crossed) -> None:
    """Sets must name existing columns, and cells must fit the states of these."""
    require(all(isinstance(counts, Counts) for counts in crossed.counts), "a part holds something that is not counts")
    check_numbers(crossed.sets, (None, None), "sets of columns", negative=True)
    sets = crossed.sets
    require((sets.dtype.kind == "i" and not sets.size) or bool(((sets >= -1) & (sets < len(crossed.counts))).all()),
             "a set has a column that does not exist")  # fmt: skip
    require(
        bool((np.diff((sets < 0).astype(np.int8), axis=1) >= 0).all()), "a set of columns has −1 before its last column"
    )
    sizes = [len(counts.variable) for counts in crossed.counts]
    cells = sum(prod(sizes[c] for c in row if c >= 0) for row in sets.tolist())
    check_numbers(crossed.cells, (cells, None), "counts of sets")
    require(all(c.table.shape == (crossed.classes, n) for c, n in zip(crossed.counts, sizes, strict=True)),
             "counts do not fit their classes")  # fmt: skip


def check_moments(moments: Moments) -> None:
    """Weights, means and deviations must fit each other."""
    check_numbers(moments.mean, (None, None), "means", negative=True)
    classes, columns = moments.mean.shape
    check_numbers(moments.weight, (classes, None), "weights")
    require(moments.weight.shape[1] in (1, columns), "weights do not fit their columns")
    held = moments.deviation
    require(
        isinstance(held, np.ndarray) and held.dtype.kind == "f" and held.shape == moments.mean.shape,
        "deviations do not fit their means",
    )
    require(not np.isnan(held).any() and not (held < 0).any(), "deviations are negative or not numbers")
    check_names(moments.given_names, columns)


def check_terms(terms: Terms) -> None:
    """Sums and weights must fit each other."""
    check_numbers(terms.sums, (None, None), "sums")
    check_numbers(terms.known, (len(terms.sums), None), "weights")
    require(terms.known.shape[1] in (1, terms.sums.shape[1]), "weights do not fit their terms")
    check_names(terms.given_names, terms.sums.shape[1])


def check_names(names: Any, columns: int) -> None:
    """None, or a name for each column."""
    is_list = isinstance(names, tuple) and len(names) == columns and all(isinstance(name, str) for name in names)
    require(names is None or is_list, "the names do not fit the columns")


def check_sketch(sketch: Sketch) -> None:
    """Values must ascend, with a weight for each class and value."""
    require(isinstance(sketch.name, str) and isinstance(sketch.is_exact, bool), "a sketch has no name")
    check_numbers(sketch.values, (None,), "values", negative=True)
    require(sketch.values.dtype == np.float64 and bool((np.diff(sketch.values) > 0).all()), "values do not ascend")
    check_numbers(sketch.table, (None, len(sketch.values)), "weights of values")
    require(sketch.is_exact == (sketch.dropped is None), "a sketch does not say how wide its buckets are")


def check_with_missing(part: WithMissing) -> None:
    """Missing values must be counted for the classes of the column."""
    require(isinstance(part.part, Part) and not isinstance(part.part, WithMissing), "missing values have no column")
    check_numbers(part.presence, (part.part.classes, 2), "numbers of missing values")


def check_tally(tally: Tally) -> None:
    """All parts must have the classes of the tally."""
    require(isinstance(tally.classes, Variable) and len(tally.classes) > 0, "a tally has no classes")
    is_list = isinstance(tally.parts, tuple) and all(isinstance(part, Part) for part in tally.parts)
    require(is_list, "a tally holds something that it cannot count")
    check_numbers(tally.class_counts, (len(tally.classes),), "the classes' counts")
    fits = all(part.classes == len(tally.classes) for part in tally.parts)
    require(fits, "a column's counts do not have the tally's classes")
