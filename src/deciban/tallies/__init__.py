"""Counting: rows → a Tally, and the kernels that score rows by what was estimated from it."""

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
from deciban.tallies.ends import EndCounts
from deciban.tallies.kernels import raise_fault
from deciban.tallies.moments import Moments, Spread, Terms, distinct_rows, moments_without_each
from deciban.tallies.sketch import Sketch, sketch_column
from deciban.tallies.tally import (
    ClassTable,
    Part,
    SampleTally,
    ShownRow,
    Tally,
    check_factor,
    check_known,
    is_same_sample,
    own_weights,
    rows_as_html,
    rows_as_text,
    subtract,
    weight_left,
)

__all__ = [
    "ClassTable",
    "Counts",
    "Crossed",
    "EndCounts",
    "Moments",
    "Part",
    "Sample",
    "SampleTally",
    "ShownRow",
    "Sketch",
    "Spread",
    "Tally",
    "Terms",
    "WithMissing",
    "check_factor",
    "check_known",
    "count_column",
    "count_columns",
    "count_gaps",
    "count_matrix",
    "distinct_rows",
    "gather_moments",
    "is_same_sample",
    "moments_without_each",
    "own_weights",
    "raise_fault",
    "rows_as_html",
    "rows_as_text",
    "sketch_column",
    "subtract",
    "sum_columns",
    "tally_table",
    "weight_left",
]
