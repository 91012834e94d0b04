"""Searches: what each promises, the same result in whatever order columns come, knowledge held, one clear error."""

from dataclasses import replace
from itertools import permutations, product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import CycleError, DecibanError, MissingValueError, ParameterError
from deciban.nets.graphs.graph import CPDAG, DAG, PDAG
from deciban.nets.scores.discrete import BIC, K2, BDeu
from tests.nets.named_graphs import ASIA, SPRINKLER, all_dags, dags, random_dag, read_structure

METHODS = ["hc", "tabu", "ges", "exact", "chow_liu"]
SCORES = {"bic": BIC(), "bdeu": BDeu(10), "k2": K2()}


def knows(required=(), forbidden=()):
    return SimpleNamespace(required=frozenset(required), forbidden=frozenset(forbidden))


def oracle(dag):
    return SimpleNamespace(dag=dag)


def sampled(dag, rows, seed, flip=0.15):
    """Binary variables: each the parity-free majority of its parents, sometimes flipped."""
    rng = np.random.default_rng(seed)
    values = {}
    for node in dag.topological_order():
        weight = {parent: 1.0 + 0.5 * i for i, parent in enumerate(sorted(dag.parents(node), key=str))}
        total = sum((2.0 * values[parent] - 1) * w for parent, w in weight.items()) + np.zeros(rows)
        values[node] = (rng.random(rows) < np.where(total == 0, 0.5, 1 / (1 + np.exp(-total / flip / 4)))).astype(int)
    return pd.DataFrame({str(node): values[node] for node in dag.nodes})


@pytest.fixture(scope="module")
def sprinkler():
    return sampled(SPRINKLER, 4000, 0)


@pytest.mark.parametrize("name", SCORES)
def test_exact_is_the_best_of_all_graphs(name):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        table = sampled(random_dag(rng, 4, 1.2), 60, seed)
        local = SCORES[name].on(table)
        best = max(float(local.local(list(enumerate(dag.parent_masks))).sum()) for dag in all_dags(4))
        found = db.search(table, name, method="exact")
        assert found.score == pytest.approx(best, abs=1e-8)
        assert local.local(list(enumerate(found.graph.parent_masks))).sum() == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("name", [*SCORES, "gaussian_bic"])
def test_no_search_beats_the_exact_one(name):
    table = sampled(random_dag(np.random.default_rng(1), 7, 1.5), 300, 1)
    best = db.search(table, name, method="exact").score
    for method in METHODS:
        assert db.search(table, name, method=method).score <= best + 1e-7


@pytest.mark.parametrize("method", ["hc", "tabu"])
def test_no_single_change_of_an_arrow_is_better(sprinkler, method):
    result, columns = db.search(sprinkler, "bic", method=method), sorted(sprinkler.columns)
    local, arrows = BIC().on(sprinkler), set(result.graph.directed_edges)

    def score(changed):
        masks = DAG(changed, columns).parent_masks
        return local.local(list(enumerate(masks))).sum()

    best, tried = score(arrows), 0
    for a, b in permutations(columns, 2):
        without = arrows - {(a, b)}
        for changed in [without, without | {(b, a)}] if (a, b) in arrows else [arrows | {(a, b)}]:
            try:
                assert score(changed) <= best + 1e-7
                tried += 1
            except CycleError:
                continue
    assert tried > len(arrows)  # additions and reversals, too


def test_the_moves_add_up_to_the_score(sprinkler):
    for method in ("hc", "tabu", "ges"):
        result = db.search(sprinkler, "bic", method=method)
        empty = BIC().on(sprinkler).local([(child, 0) for child in range(5)]).sum()
        assert empty + sum(move.gain for move in result.moves) == pytest.approx(result.score, abs=1e-5)


@pytest.mark.parametrize("name", ["bic", "bdeu"])  # K2 scores the graphs of a class differently
def test_ges_finds_the_class_of_a_large_sample(name):
    table = sampled(SPRINKLER, 20000, 3)
    assert db.search(table, name, method="ges").graph == SPRINKLER.cpdag()


@settings(max_examples=60, deadline=None)
@given(dags(min_nodes=1, max_nodes=6))
def test_ges_asking_a_graph_gives_its_class(dag):
    assert db.search(oracle(dag), method="ges").graph == dag.cpdag()


@settings(max_examples=8, deadline=None)
@given(st.integers(10, 30), st.sampled_from([0.7, 1.0, 1.4]), st.integers(0, 1000))
def test_ges_asking_a_larger_graph_gives_its_class(count, density, seed):
    dag = random_dag(np.random.default_rng(seed), count, density)
    assert db.search(oracle(dag), method="ges").graph == dag.cpdag()


@pytest.mark.parametrize(
    "name",
    "alarm andes asia barley cancer child diabetes earthquake hailfinder hepar2 insurance mildew munin1 pathfinder "
    "pigs sachs survey water win95pts".split(),
)
def test_ges_asking_a_published_network_gives_its_class(shared_data, name):
    dag = read_structure(shared_data / "nets" / f"{name}.bif.gz")
    assert db.search(oracle(dag), method="ges").graph == dag.cpdag()


def test_what_an_oracle_cannot_answer_is_said():
    with pytest.raises(ParameterError, match="not scores"):
        db.search(oracle(ASIA), method="hc")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", [*SCORES, "gaussian_bic"])
def test_the_order_of_columns_and_rows_changes_nothing(method, name):
    table = sampled(random_dag(np.random.default_rng(5), 8, 1.3), 400, 5)
    table["copy"] = table["3"]  # ties everywhere
    first = db.search(table, name, method=method)
    for seed in range(3):
        columns = np.random.default_rng(seed).permutation(table.columns)
        again = db.search(table[columns].sample(frac=1, random_state=seed), name, method=method)
        assert again.graph == first.graph
        assert again.score == pytest.approx(first.score, rel=1e-12)


@pytest.mark.parametrize("method", ["hc", "tabu", "ges", "exact"])
def test_knowledge_is_held(sprinkler, method):
    knowledge = knows([("slippery", "season"), ("rain", "sprinkler")], [("wet", "rain"), ("season", "wet")])
    graph = db.search(sprinkler, method=method, knowledge=knowledge).graph
    assert set(knowledge.required) <= set(graph.directed_edges)
    possible = {*graph.directed_edges, *graph.undirected_edges, *((b, a) for a, b in graph.undirected_edges)}
    assert not possible & set(knowledge.forbidden)
    if isinstance(graph, PDAG):
        graph.extension()


@pytest.mark.parametrize("method", ["hc", "tabu", "ges", "exact"])
def test_no_arrow_leads_to_an_earlier_tier(sprinkler, method):
    knowledge = SimpleNamespace(required=(), forbidden=(), tiers=(("slippery",), ("wet", "rain"), ("season",)))
    graph = db.search(sprinkler, method=method, knowledge=knowledge).graph
    later = {("wet", "slippery"), ("rain", "slippery"), ("season", "slippery"), ("season", "wet"), ("season", "rain")}
    possible = {*graph.directed_edges, *graph.undirected_edges, *((b, a) for a, b in graph.undirected_edges)}
    assert not possible & later


def test_knowledge_directs_what_a_class_leaves_open(sprinkler):
    free = db.search(sprinkler, method="ges").graph
    assert isinstance(free, CPDAG) and not free.is_directed()
    known = db.search(sprinkler, method="ges", knowledge=knows(forbidden=[("rain", "season")])).graph
    assert ("season", "rain") in known.directed_edges
    assert known.skeleton() == free.skeleton()


@settings(max_examples=25, deadline=None)
@given(dags(min_nodes=3, max_nodes=6), st.data())
def test_true_knowledge_never_changes_the_class(dag, data):
    known = data.draw(st.sets(st.sampled_from(dag.directed_edges))) if dag.directed_edges else set()
    graph = db.search(oracle(dag), method="ges", knowledge=knows(forbidden=[(b, a) for a, b in known])).graph
    assert known <= set(graph.directed_edges)
    assert graph.extension().cpdag() == dag.cpdag()


@pytest.mark.parametrize("method", ["hc", "tabu", "exact"])
@pytest.mark.parametrize("most", [0, 1, 2])
def test_no_one_has_too_many_parents(method, most):
    table = sampled(random_dag(np.random.default_rng(8), 7, 3), 800, 8)
    graph = db.search(table, method=method, max_parents=most).graph
    assert max(mask.bit_count() for mask in graph.parent_masks) <= most


def test_restarts_only_help_and_repeat():
    table = sampled(random_dag(np.random.default_rng(9), 9, 2), 200, 9)
    plain = db.search(table, "bdeu", method="hc")
    again = db.search(table, "bdeu", method="hc", restarts=5, random_state=1)
    assert again.score >= plain.score
    assert again == db.search(table, "bdeu", method="hc", restarts=5, random_state=1)


def test_tabu_is_no_worse_than_climbing():
    for seed in range(5):
        table = sampled(random_dag(np.random.default_rng(seed), 9, 2), 200, seed)
        assert db.search(table, "bic", method="tabu").score >= db.search(table, "bic", method="hc").score - 1e-7


def test_a_tree_is_a_tree_and_the_best_one():
    """By BIC, which is the same for all rootings of a tree, against every tree on five variables."""
    table = sampled(random_dag(np.random.default_rng(4), 5, 1.2), 500, 4)
    tree, local = db.search(table, "bic", method="chow_liu"), BIC().on(table)
    assert len(tree.graph.directed_edges) == 4
    assert max(mask.bit_count() for mask in tree.graph.parent_masks) == 1
    rooted_at_first = [
        parents
        for parents in product([0], *(range(5) for _ in range(4)))
        if all(_reaches_root(parents, node) for node in range(1, 5))
    ]
    assert len(rooted_at_first) == 125  # Cayley: 5³
    scores = [
        local.local([(0, 0), *((child, 1 << parents[child]) for child in range(1, 5))]).sum()
        for parents in rooted_at_first
    ]
    assert tree.score == pytest.approx(max(scores), abs=1e-6)
    assert min(scores) < max(scores) - 1


def _reaches_root(parents, node):
    for _ in range(5):
        node = parents[node] if node else 0
    return node == 0


@pytest.mark.parametrize(("method", "verb"), [("ges", "insert"), ("hc", "add")])
def test_each_step_is_reported(sprinkler, capsys, method, verb):
    seen = []
    result = db.search(sprinkler, method=method, progress=seen.append)
    assert tuple(seen) == result.moves
    db.search(sprinkler, method=method, progress=True)
    assert str(seen[0]) in capsys.readouterr().err
    assert str(seen[0]).startswith(f"{verb} ")


def test_a_result_shows_itself(sprinkler):
    result = db.search(sprinkler, method="ges")
    assert repr(result).startswith("SearchResult(ges: bic = -")
    assert "CPDAG(" in repr(result) and "<svg" in result._repr_html_()


@pytest.mark.parametrize("method", METHODS)
def test_odd_tables_have_a_right_answer(method):
    one_row = pd.DataFrame({"a": ["x"], "b": ["y"], "c": ["x"]})
    if method != "chow_liu":
        assert not db.search(one_row, method=method).graph.skeleton().undirected_edges
    assert db.search(pd.DataFrame({"a": ["x", "y"]}), method=method).graph.nodes == ("a",)
    rng = np.random.default_rng(0)
    wide = pd.DataFrame({"a": rng.integers(0, 300, 5000), "b": rng.integers(0, 300, 5000), "c": ["k"] * 5000})
    wide["d"] = wide["a"] % 3
    graph = db.search(wide, "bic", method=method).graph
    assert graph.is_adjacent("a", "d") and (method == "chow_liu" or not graph.adjacent("c"))
    twins = pd.DataFrame({"a": rng.integers(0, 3, 200)})
    twins["b"] = twins["a"]
    assert db.search(twins, method=method).graph.is_adjacent("a", "b")
    assert db.search(pd.DataFrame(rng.integers(0, 2, (5, 9))), "bdeu", method=method).score < 0


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"method": "magic"}, ParameterError, "method is one of 'hc', 'tabu'"),
        ({"score": "aic"}, ParameterError, r"score is one of 'auto', 'bic'.* not 'aic'. Did you mean 'bic'?"),
        ({"score": 3}, ParameterError, "score is one of 'auto', 'bic'"),
        ({"score": 0.5}, ParameterError, "an object with the attribute reads"),
        ({"max_parents": -1}, ParameterError, "max_parents"),
        ({"restarts": -1}, ParameterError, "restarts"),
        ({"restarts": 2, "method": "ges"}, ParameterError, "does not restart"),
        ({"knowledge": knows([("rain", "snow")])}, ParameterError, "'snow'"),
        ({"knowledge": knows([("rain", "wet")], [("rain", "wet")])}, ParameterError, "both requires and forbids"),
        ({"knowledge": knows([("rain", "wet"), ("wet", "rain")])}, CycleError, "cycle"),
        ({"knowledge": knows([("rain", "rain")])}, ParameterError, "itself"),
        ({"knowledge": knows([("rain", "wet"), ("season", "wet")]), "max_parents": 1}, ParameterError, "requires 2"),
        ({"knowledge": knows([("rain", "wet")]), "method": "chow_liu"}, ParameterError, "takes no knowledge"),
    ],
)
def test_what_makes_no_sense_is_said(sprinkler, arguments, error, says):
    with pytest.raises(error, match=says):
        db.search(sprinkler, **arguments)


def test_too_many_variables_for_an_exact_search_are_said():
    with pytest.raises(ParameterError, match="exact search over 30 variables would hold 128"):
        db.search(pd.DataFrame(np.zeros((3, 30), dtype=int)), method="exact")


@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
@pytest.mark.parametrize("method", METHODS)
def test_weights_are_copies_of_rows(sprinkler, method, score):
    few = sprinkler.head(400)
    weights = np.random.default_rng(0).integers(0, 4, len(few))
    copies = few.loc[np.repeat(few.index, weights)]
    found = db.search(few, score, method=method, sample_weight=weights)
    wanted = db.search(copies, score, method=method)
    assert found.graph == wanted.graph and found.score == pytest.approx(wanted.score, rel=1e-9)


def test_weighted_numbers():
    values = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 3)), columns=list("abc"))
    values["c"] += 2 * values["a"]
    weights = np.tile([0, 1, 2, 1, 3], 10)
    found = db.search(values, "gaussian_bic", sample_weight=weights)
    wanted = db.search(values.loc[np.repeat(values.index, weights)], "gaussian_bic")
    assert found.graph == wanted.graph and found.score == pytest.approx(wanted.score)


@pytest.mark.parametrize("method", METHODS)
def test_rows_with_gaps_can_be_dropped_and_are_counted(sprinkler, method):
    whole = sprinkler.head(500)
    gaps = whole.astype(object).mask(np.random.default_rng(1).random(whole.shape) < 0.02)
    weights = np.arange(500) % 3 + 1.0
    kept = gaps.notna().all(axis=1).to_numpy()
    found = db.search(gaps, method=method, missing="drop", sample_weight=weights)
    wanted = db.search(whole[kept], method=method, sample_weight=weights[kept])
    assert found.graph == wanted.graph and found.score == wanted.score
    assert found.dropped == 500 - kept.sum() > 0 and wanted.dropped == 0
    assert f"{found.dropped} rows with missing values dropped" in repr(found)


def test_a_score_of_ones_own_gets_the_weights():
    class Doubled:
        reads = "categories"

        def on(self, data):
            return BIC().on(replace(data, sample_weight=2 * data.sample_weight))

    table = pd.DataFrame({"a": [0, 1] * 20, "b": [0, 1] * 20})
    assert (
        db.search(table, Doubled(), sample_weight=np.ones(40)).score == db.search(table, "bic", sample_weight=2.0).score
    )


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"sample_weight": [1.0]}, "expected"),
        ({"sample_weight": [1.0, -1.0, 1.0]}, "Negative"),
        ({"sample_weight": [0.0, 0.0, 0.0]}, "every weight is 0"),
        ({"sample_weight": [0.1, 0.1, 0.1]}, "a weight is a number of rows"),
        ({"missing": "skip"}, "missing is one of 'error', 'drop', 'state'"),
    ],
)
def test_weights_that_make_no_sense_are_said(arguments, says):
    with pytest.raises(DecibanError, match=says):
        db.search(pd.DataFrame({"a": [0, 1, 1], "b": [0, 1, 0]}), **arguments)


def test_when_every_row_has_a_gap_that_is_said():
    with pytest.raises(MissingValueError, match="none is left"):
        db.search(pd.DataFrame({"a": ["x", None], "b": [None, "y"]}, dtype=object), missing="drop")
    with pytest.raises(ParameterError, match="no rows to weigh"):
        db.search(db.Oracle(ASIA), method="ges", sample_weight=1.0)


def test_gaps_are_said():
    with pytest.raises(MissingValueError, match="row 2"):
        db.search(pd.DataFrame({"a": ["x", "y", None], "b": ["x", "y", "y"]}))
    with pytest.raises(DecibanError):
        db.search(pd.DataFrame({"a": [None, None], "b": ["x", "y"]}, dtype=object))
