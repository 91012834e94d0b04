"""Scores: what a kernel counts is what the books say, and equivalent graphs score the same."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deciban.errors import InputError, InputTypeError, MissingValueError, ParameterError
from deciban.nets.scores.discrete import BIC, K2, BDeu
from deciban.nets.scores.gaussian import GaussianBIC
from tests.nets.named_graphs import all_dags
from tests.nets.scores.tables import by_the_book, families, tables


@settings(max_examples=40, deadline=None)
@given(tables(), st.sampled_from([BIC(), BDeu(10), BDeu(0.1), K2()]))
def test_the_kernel_is_its_twin(table, score):
    wanted = families(table.shape[1])
    expected = [by_the_book(table, score, *family) for family in wanted]
    np.testing.assert_allclose(score.on(table).local(wanted), expected, rtol=1e-10, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(tables(), st.sampled_from([BIC(), BDeu(10), K2()]), st.data())
def test_the_weighted_kernel_is_its_twin(table, score, data):
    size = len(table)
    weights = data.draw(st.lists(st.sampled_from([0.25, 1.0, 2.5, 3.0]), min_size=size, max_size=size))
    weights[0] = 1.0  # together they stand for a row at least
    wanted = families(table.shape[1])
    expected = [by_the_book(table, score, *family, weights) for family in wanted]
    np.testing.assert_allclose(score.on(table, sample_weight=weights).local(wanted), expected, rtol=1e-10, atol=1e-9)


@pytest.mark.parametrize("score", [BIC(), BDeu(10), K2(), GaussianBIC()])
@pytest.mark.parametrize("states", [3, 80])
def test_a_weight_is_a_number_of_rows(score, states):
    """Rows that were counted before they came must score as the rows themselves do; a row of weight 0 is not there."""
    rng = np.random.default_rng(states)
    table = pd.DataFrame({f"v{i}": rng.integers(0, states, 200) for i in range(3)})
    weights = rng.integers(0, 4, 200)
    copies = table.loc[np.repeat(table.index, weights)]
    local, plain = score.on(table, sample_weight=weights), score.on(copies)
    np.testing.assert_allclose(local.local(families(3)), plain.local(families(3)), rtol=1e-9)
    for ours, theirs in zip(local.over_sets(2)[0], plain.over_sets(2)[0], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)


@pytest.mark.parametrize("score", [BIC(), BDeu(10), K2()])
@pytest.mark.parametrize("states", [40, 300, 3000])
def test_sparse_tables_count_as_dense_ones_do(score, states):
    rng = np.random.default_rng(states)
    table = pd.DataFrame({f"v{i}": rng.integers(0, states, 400) for i in range(4)}).astype("category")
    wanted = families(4)
    expected = [by_the_book(table, score, *family) for family in wanted]
    np.testing.assert_allclose(score.on(table).local(wanted), expected, rtol=1e-9)


@pytest.mark.parametrize("score", [BIC(), BDeu(10), K2()])
def test_more_configurations_than_a_number_can_hold(score):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({f"v{i:02}": rng.integers(0, 10, 60) for i in range(25)})
    every = (1 << 25) - 2
    assert score.on(table).local([(0, every)])[0] == pytest.approx(by_the_book(table, score, 0, every), rel=1e-9)


@pytest.mark.parametrize("score", [BIC(), BDeu(10), K2()])
def test_the_order_of_rows_and_columns_changes_no_bit(score):
    rng = np.random.default_rng(1)
    table = pd.DataFrame({f"v{i}": rng.integers(0, 4 + 40 * i, 500) for i in range(4)})
    shuffled = table.sample(frac=1, random_state=0)[["v2", "v0", "v3", "v1"]]
    assert score.on(table).local(families(4)).tolist() == score.on(shuffled).local(families(4)).tolist()


@settings(max_examples=15, deadline=None)
@given(tables(most_columns=4, most_states=3), st.sampled_from([BIC(), BDeu(3)]))
def test_equivalent_graphs_score_the_same(table, score):
    table = table.reindex(columns=[f"v{i}" for i in range(4)], fill_value=0)
    local = score.on(table)
    totals = {}
    for dag in all_dags(4):
        total = local.local(list(enumerate(dag._parent_masks))).sum()
        assert total == pytest.approx(totals.setdefault(dag.cpdag(), total), rel=1e-9, abs=1e-8)


@pytest.mark.parametrize("score", [BIC(), BDeu(10), K2(), GaussianBIC()])
@pytest.mark.parametrize("most", [4, 2])
def test_scores_over_all_sets_are_the_local_ones(score, most):
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.integers(0, 3, (200, 5)), columns=list("abcde"))
    local = score.on(table)
    sets, allowed = local.over_sets(most)
    for child, parents in itertools.product(range(5), range(16)):
        mask = (parents & ((1 << child) - 1)) | (parents >> child << (child + 1))
        if mask.bit_count() <= allowed:
            assert sets[child][parents] == pytest.approx(local.local([(child, mask)])[0], rel=1e-9)
        else:
            assert sets[child][parents] == -np.inf


def test_parents_that_the_penalty_rules_out_would_not_have_been_best():
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.integers(0, 2, (40, 7)))
    table.columns = list("abcdefg")
    local = BIC().on(table)
    _, allowed = local.over_sets(6)
    assert allowed < 6
    for child, mask in families(7):
        if mask.bit_count() > allowed:
            assert local.local([(child, mask)])[0] < local.local([(child, 0)])[0]


@pytest.mark.parametrize(
    ("score", "table", "error", "says"),
    [
        (BIC(), {"a": ["x", None], "b": ["x", "y"]}, MissingValueError, r"column 'a' has a missing value \(row 1\)"),
        (BIC(), {"a": np.linspace(0, 1, 99) ** 2}, InputError, "column 'a' holds 99 different numbers"),
        (GaussianBIC(), {"a": ["x", "y"]}, InputTypeError, "column 'a' holds labels"),
        (GaussianBIC(), {"a": [1.0, 1.0]}, InputError, "column 'a' is constant"),
        (GaussianBIC(), {"a": [1.0, np.nan]}, MissingValueError, "column 'a'"),
        (BIC(), {"a": [1, 2], "b": [1]}, InputError, "not of one length"),
        (BIC(), {}, InputError, "minimum of 1"),
    ],
)
def test_what_cannot_be_scored_is_said(score, table, error, says):
    with pytest.raises(error, match=says):
        score.on(table)


@pytest.mark.parametrize("ess", [0, -1, np.inf, np.nan, "ten"])
def test_imaginary_rows_are_above_zero(ess):
    with pytest.raises(ParameterError, match="ess"):
        BDeu(ess)
