"""The sample clgaussian.test of R's bnlearn, whose true graph is known: regressions agree with plain least squares.

[A][B][C][H][D|A:H][F|B:C][E|B:D][G|A:D:E:F], where A, B, C and F are categories and D, E, G and H numbers.
"""

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import deciban as db

GRAPH = db.DAG.from_string("[A][B][C][H][D|A:H][F|B:C][E|B:D][G|A:D:E:F]")


@pytest.fixture
def rows(shared_data):
    return csv.read_csv(shared_data / "nets" / "clgaussian.test.csv.gz")


def test_nodes_are_what_they_are(rows):
    kinds = db.BayesNet(GRAPH).fit(rows).schema_.kinds
    assert {node for node, kind in kinds.items() if kind == "number"} == set("DEGH")


@pytest.mark.parametrize(
    ("node", "categories", "numbers"), [("D", "A", "H"), ("E", "B", "D"), ("G", "AF", "DE"), ("H", "", "")]
)
def test_regressions_are_those_of_least_squares(rows, node, categories, numbers):
    plain = db.BayesNet(GRAPH).fit(rows, shrinkage=0).regressions[node]
    shrunk = db.BayesNet(GRAPH).fit(rows).regressions[node]
    assert (plain.categories, plain.numbers) == (tuple(categories), tuple(numbers))
    columns = {name: rows[name].to_numpy() for name in rows.column_names}
    states = [sorted(set(columns[name])) for name in categories]
    for index, states_of in zip(np.ndindex(*map(len, states)), product(*states), strict=True):
        own = np.ones(len(rows), dtype=bool)
        for name, state in zip(categories, states_of, strict=True):
            own &= columns[name] == state
        design = np.column_stack([np.ones(own.sum()), *(columns[name][own] for name in numbers)])
        line, left, *_ = np.linalg.lstsq(design, columns[node][own], rcond=None)
        np.testing.assert_allclose([plain.intercepts[index], *plain.slopes[index]], line, rtol=1e-8, atol=1e-9)
        assert plain.variances[index] == pytest.approx(left[0] / own.sum(), rel=1e-9)
        sd = np.sqrt(left[0] / own.sum() * np.diag(np.linalg.inv(design.T @ design)))
        near = np.array([shrunk.intercepts[index], *shrunk.slopes[index]])
        # Two rows of prior among n move an estimate by some 2/√n of its standard error; by more in the rare
        # configurations of G, whose regressions lie far from that over all rows.
        assert (np.abs(near - line) < 10 / np.sqrt(own.sum()) * sd).all()
        # The prior adds two rows of the variance within configurations, which is at most the largest of them.
        added = abs(shrunk.variances[index] - left[0] / own.sum())
        assert added < 0.01 * left[0] / own.sum() + 2 * plain.variances.max() / own.sum()


def test_a_table_in_memory_and_in_batches(rows):
    whole = db.BayesNet(GRAPH).fit(rows)
    batches = db.BayesNet(GRAPH)
    for batch in rows.to_batches(max_chunksize=1500):
        batches.partial_fit(pa.table(batch))
    for node, lines in whole.regressions.items():
        np.testing.assert_allclose(batches.regressions[node].slopes, lines.slopes, rtol=1e-9, atol=1e-12)
    assert batches.tally_.categories == whole.tally_.categories
