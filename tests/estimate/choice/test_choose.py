"""Which cuts and distributions are chosen: the least class log-loss on rows that were left out, ties to the simpler."""

import numpy as np
import pytest

import deciban as db
from deciban.estimate.choice import SomeRows, choose, cut_or_spread
from deciban.read import Column
from tests.estimate.choice.test_rows import sample_of

DRAW = np.random.default_rng(5)


def chosen(candidates, x, y):
    rows = SomeRows(sample_of(y))
    return choose(candidates, Column.of_values("x", np.asarray(x, dtype=np.float64)), rows, db.Laplace())


def cut(x, y, **settings):
    """The bins of a model that counts combinations of values, and how they were found."""
    column, sample = Column.of_values("x", x), sample_of(y)
    found, how = db.Binned(how="mdl", **settings).with_fixed_states(column, sample)
    spread, spread_how = cut_or_spread(found, column, sample)
    return spread, spread_how or how


def bands(rows, count=10):
    """Numbers whose class alternates along bands, with errors: no single cut separates the classes."""
    x = (np.arange(rows) + 0.5) * count / rows
    return x, (np.floor(x).astype(int) % 2 ^ (np.arange(rows) % 4 == 0)).tolist()


def test_a_column_in_which_description_length_finds_no_cut_is_cut_by_frequency():
    x, y = bands(200, 5)
    column, sample = Column.of_values("x", x), sample_of(y)
    assert db.Binned(how="mdl").with_fixed_states(column, sample)[0].at == ()
    found, note = cut(x, y)
    assert len(found.at) == 4
    assert note == "5 bins by 'frequency'"


def test_cuts_by_description_length_stay_where_they_are_best():
    x = np.arange(300.0)
    found, note = cut(x, (x > 170).astype(int).tolist())
    assert found.at == (170.5,)
    assert note == "2 bins by 'mdl'"


def test_numbers_that_say_nothing_of_the_class_are_not_cut():
    assert cut(np.arange(500.0), [0, 1] * 250)[0].at == ()


def test_the_settings_of_missing_values_and_smoothing_are_those_of_the_cut():
    x, y = bands(400)
    x[::7] = np.nan
    found, _ = cut(x, y, missing="state", smoothing=db.Lidstone(0.5))
    assert found.missing == "state"
    assert found.smoothing == db.Lidstone(0.5)


@pytest.mark.parametrize("rows", [0, 1, 49])
def test_few_known_numbers_are_cut_by_description_length(rows):
    x = np.full(120, np.nan)
    x[:rows] = np.arange(rows)
    assert cut(x, [0, 1] * 60)[1].endswith("'mdl'")


def test_one_class_gives_one_bin():
    assert cut(np.arange(100.0), [0] * 100)[0].at == ()


def test_the_order_of_the_rows_does_not_matter():
    x, y = bands(200, 5)
    order = DRAW.permutation(200)
    shuffled = cut(x[order], np.array(y)[order].tolist())
    assert shuffled == cut(x, y)


def test_the_choice_names_the_losses_of_the_best_two():
    x = np.concatenate([DRAW.normal(0, 1, 300), DRAW.normal(2, 1, 300)])
    choice = chosen([db.Gaussian(), db.Binned(how="frequency")], x, [0] * 300 + [1] * 300)
    assert choice.best == 0
    assert choice.other == 1
    assert 0.3 < choice.loss < choice.other_loss < 0.7


def test_close_losses_go_to_the_simpler_candidate():
    x = np.concatenate([DRAW.normal(0, 1, 300), DRAW.normal(2, 1, 300)])
    same = db.Binned(how="frequency")
    assert chosen([same, same], x, [0] * 300 + [1] * 300).best == 0


def test_cuts_that_follow_the_classes_are_scored_on_rows_that_did_not_make_them():
    # A label for every fourth of the rows at random: cuts kept from all rows would look better than they are.
    x, y = np.arange(80.0), DRAW.integers(0, 4, 80).tolist()
    rows = SomeRows(sample_of(y))
    column = Column.of_values("x", x)
    fitted = db.Cut(at=tuple(np.flatnonzero(np.diff(y)) + 0.5), smoothing=db.Lidstone(0.01))
    prior = rows.mean(rows.losses(np.zeros((80, 4))))
    mdl = rows.mean(rows.losses(db.Binned(how="mdl").left_out(column, rows.sample)))
    assert rows.mean(rows.losses(fitted.left_out(column, rows.sample))) < prior <= mdl + 1e-9
