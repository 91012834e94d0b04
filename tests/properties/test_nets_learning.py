"""Laws of learning tables: a net that merged, learned in batches or forgot is the net of the rows that are left."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import InputError
from tests.engines.files.tables import write_parts
from tests.nets.learning.samples import as_table, net_samples


def fitted(g, columns, rows=slice(None), weights=None):
    weights = None if weights is None else weights[rows]
    return db.BayesNet(g).fit(as_table(columns, rows), missing="skip", sample_weight=weights)


def halves(columns, at):
    count = len(next(iter(columns.values())))
    cut = at % count
    return slice(0, cut), slice(cut, count)


def has_values(columns, rows):
    return all(any(value is not None for value in column[rows]) for column in columns.values())


@given(net_samples(), st.integers(0, 99))
def test_merge_and_batches_are_the_whole(sample, at):
    g, columns, weights = sample
    first, second = halves(columns, at)
    if not (has_values(columns, first) and has_values(columns, second)):
        return
    whole = fitted(g, columns, weights=weights)
    merged = fitted(g, columns, first, weights).merge(fitted(g, columns, second, weights))
    part = None if weights is None else weights[second]
    streamed = fitted(g, columns, first, weights).partial_fit(as_table(columns, second), sample_weight=part)
    assert merged == whole
    assert streamed == whole
    assert merged.tally_ == streamed.tally_ == whole.tally_


@given(net_samples(), st.integers(0, 99))
def test_forgetting_is_never_having_learned(sample, at):
    g, columns, weights = sample
    first, second = halves(columns, at)
    if not has_values(columns, first):
        return
    part = None if weights is None else weights[second]
    left = fitted(g, columns, weights=weights).forget(as_table(columns, second), sample_weight=part)
    assert left.tally_ == fitted(g, columns, first, weights).tally_
    assert left == fitted(g, columns, first, weights)


@given(net_samples(has_gaps=False), st.data())
def test_weights_are_repetitions(sample, data):
    g, columns, _ = sample
    rows = len(next(iter(columns.values())))
    times = data.draw(st.lists(st.integers(1, 3), min_size=rows, max_size=rows))
    repeated = {node: np.repeat(column, times) for node, column in columns.items()}
    assert db.BayesNet(g).fit(columns, sample_weight=times) == db.BayesNet(g).fit(repeated)


@given(net_samples(), st.permutations(range(12)))
def test_row_order_is_irrelevant(sample, order):
    g, columns, _ = sample
    rows = [row for row in order if row < len(next(iter(columns.values())))]
    shuffled = {node: [column[row] for row in rows] for node, column in columns.items()}
    assert fitted(g, shuffled) == fitted(g, columns)


@given(net_samples(), st.sampled_from([db.MLE(), db.Jeffreys(), db.BDeu(2), db.MEstimate(3)]))
def test_smoothing_anew_is_fitting_anew(sample, rule):
    g, columns, weights = sample
    options = {"missing": "skip", "sample_weight": weights, "unseen_parents": "marginal"}
    assert db.BayesNet(g).fit(columns, **options).smoothed(rule) == db.BayesNet(g).fit(
        columns, smoothing=rule, **options
    )


@given(net_samples())
def test_rows_are_distributions_and_maximum_likelihood_never_invents_them(sample):
    g, columns, weights = sample
    net = fitted(g, columns, weights=weights)
    for table in net.tables.values():
        np.testing.assert_allclose(table.sum(axis=-1), 1, rtol=1e-12)
    try:
        exact = net.smoothed(db.MLE())
    except InputError:
        assert net.unseen_parents_.count
    else:
        assert not exact.unseen_parents_.count


@given(net_samples(), st.lists(st.integers(0, 99), max_size=3), st.sampled_from(["parquet", "arrow"]))
@settings(max_examples=50)
def test_files_give_the_tally_of_the_table(sample, ends, suffix):
    """However the rows are split into files, and whatever is missing in some of them."""
    g, columns, weights = sample
    table = pa.table({str(name): pa.array(held, pa.int64()) for name, held in as_table(columns).items()})
    if weights is not None:
        table = table.append_column("weights", pa.array(weights, pa.float64()))
    whole = fitted(g, columns, weights=weights)
    with TemporaryDirectory() as folder:
        write_parts(table, Path(folder), f".{suffix}", sorted(end % (len(table) + 1) for end in ends))
        name = None if weights is None else "weights"
        found = db.BayesNet(g).fit_files(folder, missing="skip", sample_weight=name)
    assert found == whole and found.tally_ == whole.tally_
