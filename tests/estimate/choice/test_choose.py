"""Which cuts and distributions are chosen: the least class log-loss on rows that were left out, ties to the simpler."""

import numpy as np
import pytest

import deciban as db
from deciban.estimate.choice import SomeRows, choose, choose_cuts
from deciban.read import Column
from tests.estimate.choice.test_rows import sample_of

DRAW = np.random.default_rng(5)


def chosen(candidates, x, y):
    rows = SomeRows(sample_of(y))
    return choose(candidates, Column.of_values("x", np.asarray(x, dtype=np.float64)), rows, db.Laplace())


def bands(rows):
    """Numbers whose class alternates along bands, with errors: no single cut separates the classes."""
    x = (np.arange(rows) + 0.5) * 10.0 / rows
    return x, (np.floor(x).astype(int) % 2 ^ (np.arange(rows) % 4 == 0)).tolist()


def test_a_column_in_which_description_length_finds_no_cut_is_cut_by_frequency():
    x, y = bands(400)
    column, sample = Column.of_values("x", x), sample_of(y)
    assert db.Binned(how="mdl").with_fixed_states(column, sample)[0].at == ()
    cut, note = choose_cuts(column, sample)
    assert len(cut.at) == 9
    assert note == "10 bins by 'frequency'"


def test_cuts_by_description_length_stay_where_they_are_best():
    x = np.arange(300.0)
    cut, note = choose_cuts(Column.of_values("x", x), sample_of((x > 170).astype(int).tolist()))
    assert cut.at == (170.5,)
    assert note == "2 bins by 'mdl'"


def test_numbers_that_say_nothing_of_the_class_are_not_cut():
    assert choose_cuts(Column.of_values("x", np.arange(500.0)), sample_of([0, 1] * 250))[0].at == ()


def test_the_settings_of_missing_values_and_smoothing_are_those_of_the_cut():
    x, y = bands(400)
    x[::7] = np.nan
    cut, _ = choose_cuts(Column.of_values("x", x), sample_of(y), missing="state", smoothing=db.Lidstone(0.5))
    assert cut.missing == "state"
    assert cut.smoothing == db.Lidstone(0.5)


@pytest.mark.parametrize("rows", [0, 1, 49])
def test_few_known_numbers_are_cut_by_description_length(rows):
    x = np.full(120, np.nan)
    x[:rows] = np.arange(rows)
    assert choose_cuts(Column.of_values("x", x), sample_of([0, 1] * 60))[1].endswith("'mdl'")


def test_one_class_gives_one_bin():
    assert choose_cuts(Column.of_values("x", np.arange(100.0)), sample_of([0] * 100))[0].at == ()


def test_the_order_of_the_rows_does_not_matter():
    x, y = bands(400)
    order = DRAW.permutation(400)
    shuffled = choose_cuts(Column.of_values("x", x[order]), sample_of(np.array(y)[order].tolist()))
    assert shuffled == choose_cuts(Column.of_values("x", x), sample_of(y))


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
