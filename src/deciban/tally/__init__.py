"""Counting: rows → a Tally, and the kernels that score rows by what was estimated from it."""

from deciban.tally.counting import (
    Sample,
    count_column,
    count_columns,
    count_gaps,
    count_matrix,
    gather_moments,
    sum_columns,
    tally,
)
from deciban.tally.counts import Counts
from deciban.tally.crossed import Crossed
from deciban.tally.faults import raise_fault
from deciban.tally.gapped import Gapped
from deciban.tally.leaving import moments_without_each
from deciban.tally.moments import Moments, Spread
from deciban.tally.sketch import Sketch, sketch_column
from deciban.tally.tally import Part, Tally
from deciban.tally.terms import Terms

__all__ = [
    "Counts",
    "Crossed",
    "Gapped",
    "Moments",
    "Part",
    "Sample",
    "Sketch",
    "Spread",
    "Tally",
    "Terms",
    "count_column",
    "count_columns",
    "count_gaps",
    "count_matrix",
    "gather_moments",
    "moments_without_each",
    "raise_fault",
    "sketch_column",
    "sum_columns",
    "tally",
]
