"""Best order score search makes the graphs of its twin, and finds the class of a graph that an oracle scores."""

import functools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.nets.data.centred import CentredProducts
from deciban.nets.graphs.bits import bits, mask_of
from deciban.nets.scores.gaussian import GaussianScores
from deciban.nets.scores.mixed import ConditionalGaussianBIC
from deciban.nets.search.boss import _parents_first, boss
from deciban.nets.search.climbing import scale_of
from deciban.nets.search.rules import Rules
from deciban.nets.search.search import in_data_order
from tests.nets.named_graphs import all_dags, dags, random_dag
from tests.nets.search.samples import KINDS, Own, knows, sampled, small_table
from tests.reference.orders import best_order

QUICK = [score for score in KINDS if not isinstance(score, ConditionalGaussianBIC)]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(KINDS), st.booleans(), st.sampled_from([None, 1, 2]), st.data())
def test_boss_finds_the_order_of_its_twin(seed, score, is_own, most, data):
    scores = in_data_order((Own(score) if is_own else score).on(small_table(seed, score)))
    names = scores.names
    order = np.random.default_rng(seed).permutation(names).tolist()
    arrows = st.lists(st.sampled_from([(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]), max_size=3)
    required, forbidden = data.draw(arrows), data.draw(arrows)
    if most == 1:
        required = required[:1]
    rules = Rules.of(names, knows(required, set(forbidden) - set(required)), None if most is None else max(most, 2))

    @functools.cache
    def local(child, parents):
        return float(scores.local([(child, mask_of(parents))])[0])

    found, moves = boss(scores, rules, lambda _: None)
    expected = best_order(
        local,
        _parents_first(range(len(names)), rules.required),
        required=[frozenset(bits(mask)) for mask in rules.required],
        forbidden=[frozenset(bits(mask)) for mask in rules.forbidden],
        most=rules.most,
        scale=scale_of(scores),
    )
    assert [frozenset(bits(mask)) for mask in found] == expected
    assert all(move.gain > 0 for move in moves)


class FromDag:
    """The Gaussian BIC of so many rows of a linear model on a graph that sampling errors do not matter."""

    reads = "numbers"

    def __init__(self, dag):
        self.dag = dag

    def on(self, data):
        names = self.dag.nodes
        rng = np.random.default_rng(len(self.dag.directed_edges))
        weights = np.zeros((len(names), len(names)))
        for parent, child in self.dag.directed_edges:
            weights[names.index(child), names.index(parent)] = rng.uniform(0.6, 1.2) * rng.choice([-1, 1])
        mixing = np.linalg.inv(np.eye(len(names)) - weights)
        rows = 1e9
        return GaussianScores(
            tuple(map(str, names)), CentredProducts(rows, np.ones(len(names)), rows * mixing @ mixing.T)
        )


def named(dag):
    return db.DAG._from_masks(dag._parent_masks, tuple(map(str, dag.nodes)))


def class_by_oracle(dag):
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(3, len(dag.nodes))), columns=list(named(dag).nodes))
    return db.search(table, FromDag(dag), method="boss").graph


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_boss_finds_the_class_of_every_small_graph(count):
    for graph in {dag.cpdag(): None for dag in map(named, all_dags(count))}:
        assert class_by_oracle(graph.extension()) == graph


@settings(max_examples=30, deadline=None)
@given(dags(min_nodes=5, max_nodes=8))
def test_boss_finds_the_class_of_a_graph(dag):
    assert class_by_oracle(dag) == named(dag).cpdag()


def test_boss_is_as_good_as_the_exact_search_on_nearly_all_small_samples():
    equal = 0
    for seed in range(20):
        table = sampled(random_dag(np.random.default_rng(seed), 10, 1.2), 500, seed)
        score = "bic" if seed % 2 else "dg_bic"
        best = db.search(table, score, method="exact").score
        equal += db.search(table, score, method="boss", restarts=20, random_state=0).score >= best - 1e-6
    assert equal >= 19


def test_restarts_never_lower_the_score_and_threads_change_nothing(any_threads):
    table = sampled(random_dag(np.random.default_rng(3), 30, 2), 300, 3)
    results = []
    for threads in (1, 2, 7):
        any_threads(threads)
        found = db.search(table, method="boss", restarts=3, random_state=1)
        results.append((found.graph, found.moves, found.score))
    assert results[0] == results[1] == results[2]
    assert results[0][2] >= db.search(table, method="boss").score


def test_the_moves_say_which_variable_went_where():
    found = db.search(sampled(random_dag(np.random.default_rng(3), 8, 2), 300, 3), method="boss")
    assert {move.kind for move in found.moves} <= {"before", "after", "delete"}
    assert any(f"{move.parent} {move.kind} {move.child} (+" in str(move) for move in found.moves)


@pytest.mark.parametrize("seed", range(4))
def test_auto_scores_at_least_as_high_as_the_methods_that_it_runs(seed):
    table = sampled(random_dag(np.random.default_rng(seed), 20, 2), 300, seed)
    best = db.search(table, method="auto").score
    for method in ("ges", "boss"):
        assert best >= db.search(table, method=method).score - 1e-7


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(QUICK), st.sampled_from([None, 2]), st.booleans())
def test_auto_finds_the_best_graph_of_a_few_variables(seed, score, most, is_told):
    table = small_table(seed, score)
    names = list(table)
    told = knows([tuple(names[:2])]) if is_told and len(names) > 1 else None
    auto, best = (db.search(table, score, method=m, max_parents=most, knowledge=told) for m in ("auto", "exact"))
    assert auto.score == pytest.approx(best.score, rel=1e-9)


def test_auto_is_greedy_where_scores_do_not_add_up():
    table = sampled(random_dag(np.random.default_rng(3), 6, 2), 300, 3)
    gaps = table.mask(np.random.default_rng(2).random(table.shape) < 0.2)
    auto, greedy = (db.search(gaps, method=method, missing="skip") for method in ("auto", "ges"))
    assert auto.graph == greedy.graph and auto.moves == greedy.moves
