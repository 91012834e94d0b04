"""Scores by name, and scores of one's own by the protocol."""

from typing import get_args

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError
from deciban.nets import BIC, SCORES, CodeScores, Score
from deciban.nets.scores.protocol import scores_over_sets
from deciban.nets.scores.registry import ScoreName, read_score
from tests.nets.discovery.test_discover import sprinkler


class Plain:
    """BIC with no more than the protocol asks for."""

    reads = "categories"

    def on(self, data):
        inner = BIC().on(data)

        class Local:
            names = inner.names

            def local(self, families):
                return inner.local(families)

        return Local()


class Lenient:
    """Half of BIC's penalty."""

    reads = "categories"

    def on(self, data):
        return CodeScores(data, "likelihood", penalty=0.25 * np.log(data.total))


def test_the_names_are_the_registry():
    assert get_args(ScoreName) == ("auto", *SCORES)
    assert all(isinstance(make(), Score) for make in SCORES.values())


@pytest.mark.parametrize("method", ["hc", "tabu", "ges", "exact", "chow_liu"])
def test_the_protocol_is_enough(method):
    data = sprinkler(1_000)
    found, wanted = db.search(data, Plain(), method=method), db.search(data, "bic", method=method)
    assert found.cpdag == wanted.cpdag and found.score == pytest.approx(wanted.score)


def test_sets_are_scored_one_by_one_where_a_score_has_no_faster_way():
    data = sprinkler(300)
    plain, _ = scores_over_sets(Plain().on(data), 3)
    fast, most = scores_over_sets(BIC().on(data), 3)
    for one, other in zip(plain, fast, strict=True):
        known = np.isfinite(other)
        np.testing.assert_allclose(one[known], other[known], rtol=1e-9)
    assert most <= 3


def test_a_smaller_penalty_keeps_more_edges(monkeypatch):
    data = sprinkler(300)
    monkeypatch.setitem(SCORES, "lenient", Lenient)
    few, many = db.search(data, "bic"), db.search(data, "lenient")
    assert many.score > few.score and many.criterion == "lenient"


def test_what_is_no_score_is_said():
    with pytest.raises(ParameterError, match="Did you mean 'bdeu'"):
        read_score("bdue")
    with pytest.raises(ParameterError, match="an object with the attribute reads"):
        read_score(0.5)


def test_weights_that_make_less_than_a_row_are_said():
    with pytest.raises(db.errors.InputError, match=r"sum to 0\.5"):
        BIC().on({"a": [1, 2]}, sample_weight=[0.25, 0.25])
