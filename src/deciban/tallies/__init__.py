"""Counting: rows → a Tally, and the kernels that score rows by what was estimated from it."""

from deciban.tallies.arithmetic import Part
from deciban.tallies.counting import (
    Sample,
    count_column,
    count_columns,
    count_gaps,
    count_matrix,
    gather_moments,
    sum_columns,
    tally_table,
)
from deciban.tallies.counts import Counts, WithMissing
from deciban.tallies.crossed import Crossed
from deciban.tallies.kernels import raise_fault
from deciban.tallies.leave_one_out import moments_without_each
from deciban.tallies.moments import Moments, Spread, Terms
from deciban.tallies.sketch import Sketch, sketch_column
from deciban.tallies.tally import Tally

__all__ = [
    "Counts",
    "Crossed",
    "Moments",
    "Part",
    "Sample",
    "Sketch",
    "Spread",
    "Tally",
    "Terms",
    "WithMissing",
    "count_column",
    "count_columns",
    "count_gaps",
    "count_matrix",
    "gather_moments",
    "moments_without_each",
    "raise_fault",
    "sketch_column",
    "sum_columns",
    "tally_table",
]
