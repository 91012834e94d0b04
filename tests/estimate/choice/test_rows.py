"""The rows on which distributions are compared, and the class log-loss of a column's evidence on them."""

import numpy as np
import pytest

from deciban.estimate.choice import SomeRows
from deciban.read import Column, read_target
from deciban.tallies import Sample


def sample_of(y, weights=None):
    return Sample.of(read_target(list(y), len(y)), None if weights is None else np.asarray(weights, dtype=np.float64))


def test_without_evidence_the_loss_is_that_of_the_shares_of_the_other_rows():
    rows = SomeRows(sample_of("aab"))
    losses = rows.losses(np.zeros((3, 2)))
    # For an a the others are a and b; b is the only row of its class, so nothing could predict it.
    assert losses == pytest.approx([np.log(2), np.log(2), 0.0])
    assert rows.mean(losses) == pytest.approx(2 * np.log(2) / 3)


def test_evidence_is_added_to_the_log_priors():
    rows = SomeRows(sample_of("aabb"))
    evidence = np.log([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8], [0.5, 0.5]])
    shares = np.array([[1 / 3, 2 / 3], [1 / 3, 2 / 3], [2 / 3, 1 / 3], [2 / 3, 1 / 3]])
    joint = np.exp(evidence) * shares
    wanted = -np.log(joint[range(4), [0, 0, 1, 1]] / joint.sum(axis=1))
    assert rows.losses(evidence) == pytest.approx(wanted)


def test_a_row_that_is_impossible_in_every_class_has_the_loss_of_the_priors():
    rows = SomeRows(sample_of("aabb"))
    evidence = np.full((4, 2), -np.inf)
    assert rows.losses(evidence) == pytest.approx(rows.losses(np.zeros((4, 2))))


def test_a_row_that_is_impossible_in_its_own_class_has_an_infinite_loss():
    evidence = np.zeros((4, 2))
    evidence[0, 0] = -np.inf
    assert np.isposinf(SomeRows(sample_of("aabb")).losses(evidence)[0])


def test_weights_count_rows_and_rows_of_weight_0_are_left_out():
    rows = SomeRows(sample_of("aabb", [2, 1, 1, 0]))
    assert rows.take(Column.of_values("x", np.arange(4.0))).numbers.tolist() == [0.0, 1.0, 2.0]
    losses = rows.losses(
        np.zeros((3, 2))
    )  # without the first row the classes weigh 1 and 1, without the second 2 and 1
    assert losses == pytest.approx([2 * np.log(2), np.log(1.5), 0.0])
    assert rows.mean(losses) == pytest.approx(losses.sum() / 4)


def test_many_rows_are_sampled_from_all_parts_and_classes_without_rows_are_left_out():
    y = np.repeat(["a", "b", "c"], [60_000, 40_000, 1])
    rows = SomeRows(sample_of(y), most=1_000)
    taken = rows.take(Column.of_values("x", np.arange(len(y)))).numbers
    assert len(taken) == 1_000
    assert np.diff(taken).min() > 0
    assert np.abs(taken - np.arange(1_000) * 100.0).max() < 102
    assert len(set((taken % 7).tolist())) == 7  # no cycle of the file decides which rows are seen
    assert rows.sample.classes.labels.tolist() == ["a", "b"]
    assert rows.sample.counts.tolist() == [600, 400]
