"""Tables, splits and the law of engines: a table gives the same tally wherever its rows are, however it is split."""

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

import deciban as db
from deciban.tallies import Moments

__all__ = ["check_same", "expected", "tables"]

_labels = st.sampled_from(["sun", "rain", "a b", "ö", "o'clock", 'say "x"'])
_reals = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 6))
_rows = st.tuples(
    st.one_of(st.none(), _reals),
    st.one_of(st.none(), st.integers(-5, 5)),
    st.one_of(st.none(), _labels),
    st.one_of(st.none(), st.booleans()),
    st.sampled_from([0.5, 1.0, 2.25]),
    st.sampled_from(["p", "q", "r s"]),
)
_KINDS = {
    "real": pa.float64(),
    "whole": pa.int64(),
    "sky": pa.string(),
    "flag": pa.bool_(),
    "w": pa.float64(),
    "y": pa.string(),
}


@st.composite
def tables(draw):
    """A table with missing values, and the rows at which it is split."""
    offset = draw(st.sampled_from([0.0, 1e9]))  # far from 0, where a square of sums would lose all digits
    rows = draw(st.lists(_rows, min_size=1, max_size=40))
    columns = list(zip(*rows, strict=True))
    columns[0] = [None if value is None else round(value + offset, 6) for value in columns[0]]
    arrays = [pa.array(values, kind) for values, kind in zip(columns, _KINDS.values(), strict=True)]
    ends = draw(st.lists(st.integers(1, len(rows)), max_size=3, unique=True).map(sorted))
    return pa.table(arrays, names=list(_KINDS)), [end for end in ends if end < len(rows)]


def expected(table, weight):
    """The tally of the table in memory."""
    return db.tally(table, target="y", sample_weight=weight)


def check_same(found, wanted):
    """Counts are equal, and moments agree to 1e-9."""
    assert found.names == wanted.names
    assert found.classes.labels.tolist() == wanted.classes.labels.tolist()
    assert np.array_equal(found.class_counts, wanted.class_counts)
    for ours, theirs in zip(found.parts, wanted.parts, strict=True):
        assert type(ours) is type(theirs)
        if not isinstance(ours, Moments):
            assert ours == theirs
            continue
        assert np.array_equal(ours.weight, theirs.weight)
        assert np.allclose(ours.mean, theirs.mean, rtol=1e-9, atol=1e-9)
        assert np.allclose(ours.deviation, theirs.deviation, rtol=1e-9, atol=1e-9)
