"""Greedy equivalence search makes the steps of its twin, and finds the class of a large sample."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.nets.scores.discrete import BIC, K2, BDeu
from deciban.nets.scores.gaussian import GaussianBIC
from deciban.nets.scores.mixed import ConditionalGaussianBIC, DegenerateGaussianBIC
from deciban.nets.search.climbing import scale_of
from deciban.nets.search.rules import Rules
from deciban.nets.search.search import in_data_order
from tests.nets.named_graphs import SPRINKLER, random_dag
from tests.nets.search.samples import knows, sampled
from tests.reference.equivalence_search import equivalence_search

SCORES = [BIC(0.4), BDeu(5), K2(), GaussianBIC(0.3), ConditionalGaussianBIC(), DegenerateGaussianBIC(0.5)]


class Own:
    """A score of which the core knows nothing."""

    def __init__(self, score):
        self.score, self.reads = score, score.reads

    def on(self, data):
        return OwnScores(self.score.on(data))


class OwnScores:
    def __init__(self, scores):
        self.names, self.local = scores.names, scores.local


def small_table(seed, score):
    """Columns of a kind that the score reads, dependent, in few rows: many steps, and back."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 7))
    if score.reads == "categories":
        table = sampled(random_dag(rng, count, 2), 40, seed)
        table["copy"] = table["0"]  # ties
        return table
    mix = np.triu(rng.normal(size=(count, count)), 1) + np.eye(count)
    values = pd.DataFrame(rng.normal(size=(40, count)) @ mix).rename(columns=str)
    if score.reads == "mixed":
        values["0"] = np.where(values["0"] > 0, "high", "low")
    return values


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(SCORES), st.booleans(), st.sampled_from([None, 1, 2]), st.data())
def test_ges_makes_the_steps_of_its_twin(seed, score, is_own, most, data):
    table = small_table(seed, score)
    scores = in_data_order(score.on(table))
    names = scores.names
    knowledge = None
    if data.draw(st.booleans()):
        order = np.random.default_rng(seed).permutation(names).tolist()
        arrows = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
        required = data.draw(st.lists(st.sampled_from(arrows), max_size=1))
        forbidden = data.draw(st.lists(st.sampled_from(arrows), max_size=4))
        knowledge = knows(required, set(forbidden) - set(required))
    rules = Rules.of(names, knowledge, most)

    def gain(y, x, parents):
        before, after = scores.local([(y, parents), (y, parents | 1 << x)])
        return after - before

    up, free, steps = equivalence_search(gain, scale_of(scores), rules)
    found = db.search(table, Own(score) if is_own else score, knowledge=knowledge, max_parents=most)
    kinds = [(one.kind, one.child, one.parent, set(one.moved)) for one in found.moves]
    assert kinds == [
        (kind, names[y], names[x], {name for i, name in enumerate(names) if part >> i & 1})
        for kind, y, x, part, _ in steps
    ]
    np.testing.assert_allclose([one.gain for one in found.moves], [step.gain for step in steps], rtol=1e-6, atol=1e-7)
    graph = found.graph._reordered(names)
    assert [*graph._parent_masks] == up and [*graph._neighbour_masks] == free


@pytest.mark.parametrize("name", ["bic", "bdeu"])  # K2 scores the graphs of a class differently
def test_ges_finds_the_class_of_a_large_sample(name):
    table = sampled(SPRINKLER, 20000, 3)
    assert db.search(table, name, method="ges").graph == SPRINKLER.cpdag()


def test_threads_change_nothing(any_threads):
    rng = np.random.default_rng(2)
    numbers = pd.DataFrame(rng.normal(size=(100, 30)) @ (np.eye(30) + 0.3 * (rng.random((30, 30)) < 0.1)))
    for table in (numbers, sampled(random_dag(rng, 30, 2), 300, 2)):
        results = []
        for threads in (1, 2, 7):
            any_threads(threads)
            found = db.search(table)
            results.append((found.graph, found.moves, found.score))
        assert results[0] == results[1] == results[2]
