"""Columns that learn value by value score after each value what their readable twins compute from all values so far."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.estimate.live import LiveRow, Setting
from deciban.read import Column, Variable
from deciban.tallies import Sample
from tests.reference import rows as reference

SETTING = Setting("x", frozenset(), "the model", 2)
CUTS = {
    "width": reference.cuts_by_width,
    "frequency": reference.cuts_by_frequency,
    "mdl": reference.cuts_by_description,
}
NONE = Sample(Variable.of("y", np.array([0, 1])), np.array([], dtype=np.int32), np.array([0, 0]))

numbers = st.integers(-12, 12).map(lambda n: n / 4)
streams = st.lists(st.tuples(numbers, st.integers(0, 1)), min_size=1, max_size=25)
words = st.lists(st.tuples(st.sampled_from(["sun", "rain", "fog", 3, 3.5]), st.integers(0, 1)), min_size=1, max_size=15)


def scores_of(kind, pairs, wanted):
    """Learn the pairs one by one; after each, compare the scores of all values so far with `wanted(held, value)`."""
    live = kind.live(kind.count(Column.of_values("x", np.array([], dtype=object)), NONE, "the model"), SETTING)
    row = LiveRow(["x"], [live.row_column(lambda _: [0.0, 0.0])], np.zeros(2), lambda _: None)
    held = [[], []]
    for value, label in pairs:
        row.learn({"x": value}, label)
        held[label].append(value)
        for known in {v for of_class in held for v in of_class}:
            expected = wanted(held, known)
            if expected is not None:
                assert row.joint({"x": known}, [0.0, 0.0]) == pytest.approx(expected, rel=1e-11, abs=1e-11)


@settings(max_examples=25)
@given(words)
def test_labels(pairs):
    def wanted(held, value):
        states = {v for of_class in held for v in of_class}
        return [math.log(p) for p in reference.state_probabilities(held, value, states, 1.0)]

    scores_of(db.Categorical(), pairs, wanted)


@settings(max_examples=25)
@given(streams, st.sampled_from([1.0, 10.0]))
def test_normal_columns(pairs, strength):
    def wanted(held, value):
        if not all(held) or all(len(set(of_class)) == 1 for of_class in held):  # the rule for constant columns
            return None
        return reference.normal_logs(held, value, strength)

    scores_of(db.Gaussian(strength=strength), pairs, wanted)


@settings(max_examples=25)
@given(streams, st.sampled_from(list(CUTS)), st.integers(1, 5))
def test_bins(pairs, how, bins):
    def wanted(held, value):
        cuts = CUTS[how](held, bins)
        return [math.log(p) for p in reference.bin_probabilities(held, value, cuts, 1.0)]

    scores_of(db.Binned(how=how, bins=bins), pairs, wanted)


@settings(max_examples=25)
@given(words, st.lists(st.sampled_from([0.0, 0.5, 2.0]), min_size=2, max_size=2))
def test_posteriors_of_two_weighted_columns(pairs, weights):
    labels = [value for value, _ in pairs]
    classes = [label for _, label in pairs]
    held = [[v for v, j in pairs if j == label] for label in (0, 1)]
    if not all(held):
        return
    table = {"a": np.array(labels, dtype=object), "b": np.array(labels[::-1], dtype=object)}
    model = db.NaiveBayes(db.Categorical(), weights=weights).fit(table, classes)
    turned = [[v for v, j in zip(labels[::-1], classes, strict=True) if j == label] for label in (0, 1)]
    states = set(labels)
    for value in states:
        columns = [reference.state_probabilities(h, value, states, 1.0) for h in (held, turned)]
        logs = [[math.log(p) for p in column] for column in columns]
        prior = [len(of_class) / len(labels) for of_class in held]
        found = list(model.predict_proba_one({"a": value, "b": value}).values())
        assert found == pytest.approx(reference.posterior(prior, logs, weights), rel=1e-11)
