"""Laws of tallies of rows in some of which nodes were set: a masked tally is a tally."""

import numpy as np
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import InputError
from tests.nets.learning.samples import as_table, mixed_samples, net_samples


@st.composite
def samples(draw, has_numbers=True):
    """A graph, columns, weights, options of ``fit``, the nodes that were set in each row, and where to cut."""
    made = draw(mixed_samples(max_rows=10) if has_numbers else net_samples(max_rows=10))
    g, columns, weights, options = (*made, {})[:4]
    options = options or {"columns": dict.fromkeys(g.nodes, "category")}
    rows = len(next(iter(columns.values())))
    sets = draw(st.lists(st.frozensets(st.sampled_from(g.nodes), max_size=2), min_size=rows, max_size=rows))
    # All states are given, so that a part of the rows has those of the whole.
    categories = [node for node, kind in options["columns"].items() if kind == "category"]
    options = {**options, "columns": {n: k for n, k in options["columns"].items() if k == "number"}}
    options["states"] = {node: [0, 1, 2] for node in categories}
    return g, columns, weights, options, sets, draw(st.integers(0, rows))


def fitted(sample, rows=slice(None)):
    g, columns, weights, options, sets, _ = sample
    part = as_table(columns, rows)
    weighed = None if weights is None else weights[rows]
    try:
        return db.BayesNet(g).fit(part, missing="skip", interventions=sets[rows], sample_weight=weighed, **options)
    except InputError:  # a number without a row that says something of it
        reject()


def batch(sample, rows):
    _, columns, weights, _, sets, _ = sample
    weighed = None if weights is None else weights[rows]
    return as_table(columns, rows), {"interventions": sets[rows], "sample_weight": weighed}


@given(samples(has_numbers=False))
@settings(max_examples=40)
def test_parts_are_the_whole(sample):
    at, rows = sample[-1], len(sample[-2])
    if not 0 < at < rows:
        return
    first, second = slice(0, at), slice(at, rows)
    whole = fitted(sample)
    merged = fitted(sample, first).merge(fitted(sample, second))
    table, options = batch(sample, second)
    assert merged.tally_ == whole.tally_
    assert fitted(sample, first).partial_fit(table, **options).tally_ == whole.tally_
    assert whole.tally_.scaled(2) == whole.tally_ + whole.tally_
    assert whole.forget(table, **options).tally_ == fitted(sample, first).tally_


@given(samples())
@settings(max_examples=40)
def test_each_family_is_that_of_the_rows_in_which_its_node_was_not_set(sample):
    g, _, weights, options, sets, _ = sample
    whole = fitted(sample)
    for node in g.nodes:
        known = [row for row, nodes in enumerate(sets) if node not in nodes]
        if not known:
            continue
        part = {name: [column[row] for row in known] for name, column in sample[1].items()}
        weighed = None if weights is None else weights[known]
        alone = fitted((g, part, weighed, options, [()] * len(known), 0)).tally_[node]
        held = whole.tally_[node]
        assert np.array_equal(held, alone) if isinstance(held, np.ndarray) else held == alone


@given(samples())
@settings(max_examples=15)
def test_without_interventions_nothing_is_masked(sample):
    g, columns, weights, options, sets, _ = sample
    masked = fitted((g, columns, weights, options, [()] * len(sets), 0))
    plain = db.BayesNet(g).fit(columns, missing="skip", sample_weight=weights, **options)
    assert masked.tally_ == plain.tally_
