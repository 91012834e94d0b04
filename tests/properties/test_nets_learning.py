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
from tests.nets.learning.samples import as_table, mixed_samples, net_samples


def fitted(g, table, rows=slice(None), weights=None, **options):
    weights = None if weights is None else weights[rows]
    return db.BayesNet(g).fit(as_table(table, rows), missing="skip", sample_weight=weights, **options)


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


def moments_of(net):
    """Node → the arrays of its moments; a net of numbers alone has one group each."""
    return {
        node: (np.asarray(moments.weight), moments.mean, moments.cross)
        for node, moments in getattr(net.tally_, "moments", {}).items()
    }


def assert_same_tally(found, expected):
    """Counts are equal, moments up to 1e-12 of the size of the numbers, which are at most 1."""
    if hasattr(expected.tally_, "categories"):
        assert found.tally_.categories == expected.tally_.categories
    elif not moments_of(expected):
        assert found.tally_ == expected.tally_
    ours, theirs = moments_of(found), moments_of(expected)
    for node, arrays in theirs.items():
        for a, b in zip(ours[node], arrays, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def learned(*arguments, **options):
    """The net, or None where some family has no row in which it is whole."""
    try:
        return fitted(*arguments, **options)
    except InputError:
        return None


@given(mixed_samples(), st.integers(0, 99))
@settings(deadline=None)
def test_mixed_nets_merge_stream_and_forget_as_the_whole(sample, at):
    g, columns, weights, options = sample
    first, second = halves(columns, at)
    if not (has_values(columns, first) and has_values(columns, second)):
        return
    whole, one, other = (learned(g, columns, rows, weights, **options) for rows in (slice(None), first, second))
    if whole is None or one is None or other is None:
        return
    part = None if weights is None else weights[second]
    assert_same_tally(fitted(g, columns, first, weights, **options).merge(other), whole)
    rows = as_table(columns, second)
    assert_same_tally(fitted(g, columns, first, weights, **options).partial_fit(rows, sample_weight=part), whole)
    assert_same_tally(fitted(g, columns, slice(None), weights, **options).forget(rows, sample_weight=part), one)


@given(mixed_samples(), st.lists(st.integers(0, 99), max_size=3))
@settings(max_examples=50, deadline=None)
def test_files_give_the_tally_of_a_mixed_table(sample, ends):
    g, columns, weights, options = sample
    whole = learned(g, columns, slice(None), weights, **options)
    if whole is None:
        return
    types = {node: pa.float64() if options["columns"][node] == "number" else pa.int64() for node in g.nodes}
    table = pa.table({str(node): pa.array(column, types[node]) for node, column in as_table(columns).items()})
    if weights is not None:
        table = table.append_column("weights", pa.array(weights, pa.float64()))
    with TemporaryDirectory() as folder:
        write_parts(table, Path(folder), ".parquet", sorted(end % (len(table) + 1) for end in ends))
        name = None if weights is None else "weights"
        found = db.BayesNet(g).fit_files(folder, missing="skip", sample_weight=name, **options)
    assert_same_tally(found, whole)


@given(mixed_samples(has_gaps=False))
@settings(deadline=None)
def test_rows_of_mixed_nets_are_distributions_without_nan(sample):
    g, columns, weights, options = sample
    net = fitted(g, columns, slice(None), weights, **options)
    for table in net.tables.values():
        np.testing.assert_allclose(table.sum(axis=-1), 1, rtol=1e-12)
    for lines in net.regressions.values():
        assert np.isfinite(lines.intercepts).all() and np.isfinite(lines.slopes).all() and (lines.variances >= 0).all()
    assert not np.isnan(net.log_likelihood(as_table(columns)))
