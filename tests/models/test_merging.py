"""Sums of tallies, models and nets."""

from __future__ import annotations

import pytest

import deciban as db
from deciban.errors import ParameterError
from deciban.models.fitting import merged

A, B = {"x": ["a", "b"], "y": [0, 1]}, {"x": ["b"], "y": [1]}


def test_the_parts_stay_as_they_are():
    models = [db.NaiveBayes(weights=None).fit(part, "y") for part in (A, B)]
    assert merged(models).tally_ == db.NaiveBayes(weights=None).fit({"x": ["a", "b", "b"], "y": [0, 1, 1]}, "y").tally_
    assert [model.tally_.total for model in models] == [2, 1]
    tallies = [db.tally(part, target="y") for part in (A, B)]
    assert merged(tallies) == tallies[0] + tallies[1]
    nets = [db.BayesNet(db.DAG([("x", "y")])).fit(part) for part in (A, A)]
    assert merged(nets).tally_.rows == 4


def test_what_cannot_be_merged_is_an_error():
    with pytest.raises(ParameterError, match="nothing to merge"):
        merged([])
    with pytest.raises(ParameterError, match="a Tally cannot be merged with a NaiveBayes"):
        merged([db.tally(A, target="y"), db.NaiveBayes().fit(A, "y")])
    with pytest.raises(ParameterError, match="cannot be merged: it is no sum"):
        merged([object()])
