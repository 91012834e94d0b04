"""Scores of rows with missing values: as by their definition, and the same where no value is missing."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deciban.errors import InputError
from deciban.nets import BIC, K2, BDeu, GaussianBIC
from deciban.nets.data.node_rows import read_rows
from deciban.nets.data.samples import code_rows, number_rows
from deciban.nets.graphs.bits import bits
from deciban.nets.scores.incomplete import IncompleteScores, scores_on
from tests.nets.scores.tables import families, tables
from tests.reference import scores as twin

SCORES = [BIC(), BIC(2.0), BDeu(4), K2()]


def sample_of(table, weights=None):
    columns = {
        name: [None if value is None or value != value else int(value) for value in table[name]] for name in table
    }
    return code_rows(read_rows(columns, sample_weight=weights, missing="skip", choices=("skip",)))


def numbers_of(table, weights=None):
    return number_rows(read_rows(table, sample_weight=weights, missing="skip", choices=("skip",)), labels="")


def by_the_book(score, sizes):
    def value(rows, child, parents, weights):
        if isinstance(score, BDeu):
            return twin.bdeu(rows, sizes, child, parents, score.ess, weights)
        if isinstance(score, K2):
            return twin.k2(rows, sizes, child, parents, weights)
        likelihood = twin.log_likelihood(rows, child, parents, weights)
        return likelihood + score.penalty * (twin.bic(rows, sizes, child, parents, weights) - likelihood)

    return value


@st.composite
def with_gaps(draw):
    """A table of codes in which no column is without any value, and the weights of its rows."""
    table = draw(tables(most_columns=3, most_states=3))
    columns = {}
    for name in table:
        gaps = draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table)))
        kept = draw(st.integers(0, len(table) - 1))
        gaps[kept] = False
        columns[name] = [None if gap else value for value, gap in zip(table[name], gaps, strict=True)]
    weights = draw(st.lists(st.integers(1, 3), min_size=len(table), max_size=len(table)))
    return pd.DataFrame(columns, dtype=object), [float(weight) for weight in weights]


@pytest.mark.parametrize("score", SCORES)
@given(with_gaps())
def test_gains_and_local_scores_are_those_of_the_definition(score, drawn):
    table, weights = drawn
    names = sorted(table.columns)
    sample = sample_of(table, weights)
    scores = IncompleteScores(score, sample)
    rows = [{name: None if row[name] is None else int(row[name]) for name in names} for row in table.to_dict("records")]
    value = by_the_book(score, {name: len(sample.states[name]) for name in names})
    asked = families(len(names))
    found = scores.local(asked)
    for (child, mask), local in zip(asked, found, strict=True):
        parents = [names[p] for p in bits(mask)]
        assert local == pytest.approx(twin.local(rows, value, names[child], parents, weights), rel=1e-9, abs=1e-9)
        for x in range(len(names)):
            if x != child and not mask >> x & 1:
                wanted = twin.gain(rows, value, names[child], names[x], parents, weights)
                assert scores.gains([(child, x, mask)])[0] == pytest.approx(wanted, rel=1e-9, abs=1e-9)


@given(with_gaps())
def test_weights_are_copies_of_rows_and_order_changes_nothing(drawn):
    table, weights = drawn
    copies = table.loc[np.repeat(table.index, np.array(weights, dtype=int))]
    order = np.random.default_rng(0).permutation(len(copies))
    asked = families(len(table.columns))
    found = IncompleteScores(BIC(), sample_of(table, weights)).local(asked)
    again = IncompleteScores(BIC(), sample_of(copies.iloc[order])).local(asked)
    np.testing.assert_allclose(found, again, rtol=1e-9, atol=1e-9)


def test_where_nothing_is_missing_the_score_is_the_plain_one():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(0, 3, (60, 4)), columns=list("abcd"))
    numbers = pd.DataFrame(rng.normal(size=(60, 4)) @ rng.normal(size=(4, 4)), columns=list("abcd"))
    asked = families(4)
    for score, sample in [*((score, sample_of(table)) for score in SCORES), (GaussianBIC(), numbers_of(numbers))]:
        plain = score.on(sample)
        assert type(scores_on(score, sample)) is type(plain)
        scores = IncompleteScores(score, sample)
        np.testing.assert_allclose(scores.local(asked), plain.local(asked), rtol=1e-9)
        reordered = scores.reordered(np.array([2, 0, 3, 1]))
        np.testing.assert_allclose(reordered.local([(0, 0b10)]), plain.local([(2, 0b1)]), rtol=1e-9)


def test_numbers_are_compared_on_common_rows():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 3))
    values[rng.random(values.shape) < 0.2] = np.nan
    scores = IncompleteScores(GaussianBIC(), numbers_of(values))
    kept = values[~np.isnan(values).any(axis=1)]
    both = twin.gaussian_bic(kept, 0, [1, 2]) - twin.gaussian_bic(kept, 0, [1])
    assert scores.gains([(0, 2, 0b10)])[0] == pytest.approx(80 / len(kept) * both)


def test_what_was_never_seen_together_gains_nothing():
    apart = {"a": [0, 1, 0, 1, None, None], "b": [None, None, None, None, 0, 1], "c": [0, 1, 0, 1, 0, 1]}
    assert IncompleteScores(BIC(), sample_of(pd.DataFrame(apart, dtype=object))).gains([(0, 1, 0)])[0] == 0
    numbers = pd.DataFrame({"a": [1.0, 2, 4, 3, np.nan], "b": [2.0, 4, np.nan, np.nan, 7]})
    assert IncompleteScores(GaussianBIC(), numbers_of(numbers)).gains([(0, 1, 0)])[0] == 0


def test_a_few_rows_gain_nothing():
    """Three rows in which two columns agree are no relation, as log 3 is a small penalty."""
    table = pd.DataFrame({"a": [0, 1, 0] + [None] * 97, "b": [0, 1, 0, 1] * 25}, dtype=object)
    assert IncompleteScores(BIC(), sample_of(table)).gains([(0, 1, 0)])[0] == 0
    table = pd.DataFrame({"a": [0, 1] * 20 + [None] * 60, "b": [0, 1] * 50}, dtype=object)
    assert IncompleteScores(BIC(), sample_of(table)).gains([(0, 1, 0)])[0] > 0


def test_a_constant_number_is_said():
    values = np.column_stack([np.ones(20), np.arange(20.0)])
    values[3, 0] = np.nan
    with pytest.raises(InputError, match="'x0' is constant"):
        IncompleteScores(GaussianBIC(), numbers_of(values)).local([(0, 0)])


def test_numbers_that_determine_one_another_give_no_nan():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(50, 1)) @ np.ones((1, 4)) + np.array([0, 0, 0, 1.0]) * rng.normal(size=(50, 1))
    values[:3, 3] = np.nan
    scores = IncompleteScores(GaussianBIC(), numbers_of(values))
    assert not np.isnan(scores.local(families(4))).any()
