"""Scores as the core reads them are those that Python computes, whether the core knows them or asks for them."""

import numpy as np
import pandas as pd
import pytest

from deciban.nets.scores.discrete import BIC, K2, BDeu
from deciban.nets.scores.protocol import CoreScores, core_scores
from tests.nets.scores.tables import families


class Plain:
    """A score of one's own, without anything but what a search needs."""

    def __init__(self, scores):
        self.names, self._scores = scores.names, scores

    def local(self, families):
        return self._scores.local(families)


@pytest.mark.parametrize("score", [BIC(1.5), BDeu(3), K2()])
def test_the_core_asks_python_for_scores_that_it_does_not_have(score):
    table = pd.DataFrame(np.random.default_rng(0).integers(0, 3, (60, 4)))
    scores = score.on(table)
    wanted = scores.local(families(4)).tolist()
    assert CoreScores(scores.names, 60, core_scores(Plain(scores))).local(families(4)).tolist() == wanted
    assert scores.local(families(4)).tolist() == wanted  # from the cache


def test_an_error_in_a_score_of_ones_own_arrives():
    class Broken(Plain):
        def local(self, families):
            raise ZeroDivisionError("no rows")

    broken = Broken(BIC().on({"a": [0, 1], "b": [0, 1]}))
    scores = CoreScores(broken.names, 2, core_scores(broken))
    with pytest.raises(ZeroDivisionError, match="no rows"):
        scores.local(families(2))


def test_scores_in_another_order_are_the_same_ones():
    table = pd.DataFrame(np.random.default_rng(1).integers(0, 3, (60, 4)))
    scores, order = BIC().on(table), np.array([2, 0, 3, 1])
    other = scores.reordered(order)
    assert other.reordered(np.argsort(order)).local(families(4)).tolist() == scores.local(families(4)).tolist()
    assert other.local([(0, 0b1010)])[0] == scores.local([(2, 0b0011)])[0]


@pytest.mark.parametrize("score", [BIC(), BDeu(3), K2()])
@pytest.mark.parametrize("rows", [60, 1000])
def test_scores_of_all_pairs_are_those_of_each(score, rows, each_instruction_set):
    rng = np.random.default_rng(2)
    table = pd.DataFrame({str(i): rng.integers(0, states, rows) for i, states in enumerate([2, 3, 5, 15, 20, 40])})
    pairs, others = score.on(table).in_core.pairs(), score.on(table, sample_weight=np.ones(rows))
    for child in range(6):
        wanted = [0.0 if child == parent else others.local([(child, 1 << parent)])[0] for parent in range(6)]
        np.testing.assert_allclose(pairs[child], wanted, rtol=1e-12)
