"""Expected counts are those of listing every completion."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import TooLargeError
from deciban.nets.data.node_rows import read_states
from deciban.nets.data.samples import read_sample
from deciban.nets.learning.em import ExpectedCounts
from deciban.nets.learning.families import families_of
from tests.nets.learning.samples import net_samples
from tests.reference import learning as reference

pytestmark = pytest.mark.usefixtures("each_instruction_set")


def read(g, columns, weights=None):
    fixed = read_states(g.nodes, dict.fromkeys(g.nodes, 3))
    return read_sample(columns, g.nodes, fixed=fixed, known={}, sample_weight=weights, missing="em")


@settings(max_examples=50)
@given(net_samples(max_rows=6), st.integers(0, 2**32 - 1))
def test_expected_counts_are_those_of_all_completions(drawn, seed):
    g, columns, _ = drawn
    sample = read(g, columns)
    rng, families = np.random.default_rng(seed), families_of(g)
    tables, exact = [], []
    for family in families:
        numbers = rng.integers(1, 9, (3,) * len(family))
        sums = numbers.sum(axis=-1)
        tables.append(numbers / sums[..., None])
        exact.append({at: Fraction(int(numbers[at]), int(sums[at[:-1]])) for at in np.ndindex(numbers.shape)})
    counts, likelihood = ExpectedCounts(g, sample)(tables)
    rows = list(zip(*(columns[node] for node in g.nodes), strict=True))
    for which, table in enumerate(counts):
        twin = reference.expected_family(rows, which, families, exact)
        expected = np.reshape([float(twin.get(at, 0)) for at in np.ndindex(table.shape)], table.shape)
        np.testing.assert_allclose(table, expected, rtol=1e-12, atol=1e-15)
    assert np.isfinite(likelihood)


def test_equal_rows_are_shared_out_once():
    g = db.DAG([("a", "b")])
    columns = {"a": [0, None, 0, 1], "b": [None, 2, None, 1]}
    weighed = ExpectedCounts(g, read(g, columns, [1.0, 2.0, 3.0, 0.0]))
    single = ExpectedCounts(g, read(g, {"a": [0, None], "b": [None, 2]}, [4.0, 2.0]))
    tables = [np.array([0.2, 0.3, 0.5]), np.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [0.6, 0.2, 0.2]])]
    for one, other in zip(weighed(tables)[0], single(tables)[0], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)


def test_too_many_missing_at_once_are_refused():
    hidden = [f"h{i}" for i in range(30)]
    pairs = list(itertools.combinations(hidden, 2))
    graph = db.DAG([(parent, f"{pair}") for pair in pairs for parent in pair])
    columns = {f"{pair}": [0, 1] for pair in pairs}
    with pytest.raises(
        TooLargeError, match=r"the largest of its tables has 1,073,741,824 entries, over h0.* pass fit a larger limit"
    ):
        db.BayesNet(graph).fit(columns, missing="em", states=dict.fromkeys(hidden, 2))


def test_a_hidden_chain_is_the_forward_algorithm():
    steps, rng = 40, np.random.default_rng(0)
    hidden, shown = [f"h{i}" for i in range(steps)], [f"x{i}" for i in range(steps)]
    graph = db.DAG([*itertools.pairwise(hidden), *zip(hidden, shown, strict=True)])
    columns = {name: rng.integers(0, 2, 25).tolist() for name in shown}
    net = db.BayesNet(graph).fit(columns, missing="em", states=dict.fromkeys(hidden, 2), random_state=0, max_iter=3)
    likelihood = 0.0
    for row in range(25):
        ahead = net.tables["h0"] * net.tables["x0"][:, columns["x0"][row]]
        for h, x in zip(hidden[1:], shown[1:], strict=True):
            ahead = ahead @ net.tables[h] * net.tables[x][:, columns[x][row]]
        likelihood += np.log(ahead.sum())
    assert net.log_likelihoods_[-1] == pytest.approx(likelihood, rel=1e-12)
    assert (np.diff(net.em_.objectives) > 0).all()


def test_products_of_many_factors_do_not_vanish():
    names = [f"x{i}" for i in range(700)]
    rng = np.random.default_rng(0)
    columns = {name: rng.integers(0, 10, 20).tolist() for name in names}
    net = db.BayesNet([("class", name) for name in names]).fit(columns, missing="em", states={"class": 2}, max_iter=3)
    assert np.isfinite(net.log_likelihoods_).all()
    assert net.tally_.totals["class"].sum() == pytest.approx(20)
    gone = {name: [*column[:-1], None] for name, column in columns.items()}
    net = db.BayesNet([("class", name) for name in names]).fit(gone, missing="em", states={"class": 2}, max_iter=2)
    assert np.isfinite(net.log_likelihoods_).all()
    assert net.tally_.totals["class"].sum() == pytest.approx(20)
