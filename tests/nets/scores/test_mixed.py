"""Scores of categories and numbers: the twin's values, equal for equivalent graphs, and those of tables of one kind."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import DecibanError
from deciban.nets import BIC, ConditionalGaussianBIC, DegenerateGaussianBIC, GaussianBIC
from deciban.nets.graphs.bits import bits
from tests.nets.independence.test_mixed import table_of
from tests.nets.scores.tables import families
from tests.reference import mixed_independence as twin

pytestmark = pytest.mark.usefixtures("each_instruction_set")

SCORES = [ConditionalGaussianBIC, DegenerateGaussianBIC]


def total(scores, dag):
    index = {name: at for at, name in enumerate(scores.names)}
    parents = [(index[node], sum(1 << index[up] for up in dag.parents(node))) for node in dag.nodes]
    return scores.local(parents).sum()


def some(table, names):
    return {name: table[name] for name in names}


@given(st.integers(0, 1000))
def test_a_set_scores_as_its_twin(seed):
    table = some(table_of(seed), "bcdxz")
    names = sorted(table)
    scores = ConditionalGaussianBIC(penalty=1.5).on(table)
    sets = [twin.bic_of_set(table, [names[v] for v in bits(mask)], 1.5) for mask in range(1 << len(names))]
    for child, parents in families(len(names)):
        if names[child] in "bcd" and {names[v] for v in bits(parents)} & {"x", "z"}:
            continue
        wanted = sets[parents | 1 << child] - sets[parents]
        assert scores.local([(child, parents)])[0] == pytest.approx(wanted, rel=1e-7, abs=1e-6)


@given(st.integers(0, 1000))
def test_a_category_with_numbers_as_parents_scores_as_its_twin(seed):
    table = some(table_of(seed), "acdxz")
    scores = ConditionalGaussianBIC(penalty=0.5).on(table)
    for columns in (["x"], ["x", "z"], ["c", "x"], ["c", "d", "z"]):
        mask = sum(1 << scores.names.index(name) for name in columns)
        wanted = twin.bic_of_category(table, "a", columns, 0.5)
        assert scores.local([(0, mask)])[0] == pytest.approx(wanted, rel=1e-6)


@given(st.integers(0, 1000))
def test_equivalent_graphs_have_the_same_score(seed):
    table = some(table_of(seed, 300), "abcxyz")
    scores = DegenerateGaussianBIC().on(table)
    rng = np.random.default_rng(seed)
    names = rng.permutation(list(table)).tolist()
    arrows = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if rng.random() < 0.4]
    dag = db.DAG(arrows, names)
    found = [total(scores, member) for member in list(dag.cpdag().dags())[:6]]
    assert np.ptp(found) < 1e-6 * abs(found[0])


def test_tables_of_one_kind_have_the_scores_of_that_kind():
    table = table_of(2)
    labels, numbers = some(table, "abcd"), some(table, "wxyz")
    wanted = GaussianBIC().on(numbers).local(families(4))
    for score in SCORES:
        np.testing.assert_allclose(score().on(numbers).local(families(4)), wanted, rtol=1e-8)
    np.testing.assert_allclose(
        ConditionalGaussianBIC().on(labels).local(families(4)), BIC().on(labels).local(families(4)), rtol=1e-9
    )


@pytest.mark.parametrize("score", SCORES)
def test_weights_are_numbers_of_rows(score):
    table = some(table_of(4, 400), "abxz")
    weight = np.random.default_rng(0).integers(0, 4, 400)
    repeated = {name: np.repeat(column, weight) for name, column in table.items()}
    weighed = score().on(table, sample_weight=weight).local(families(4))
    np.testing.assert_allclose(weighed, score().on(repeated).local(families(4)), rtol=1e-8)


@pytest.mark.parametrize("score", SCORES)
def test_poor_columns_have_finite_scores_and_copies_gain_nothing(score):
    rng = np.random.default_rng(3)
    x = rng.normal(size=200)
    table = {
        "x": x,
        "copy": 3 * x + 1e6,
        "y": x + rng.normal(size=200),
        "one": np.full(200, "a"),
        "many": np.array([f"s{code}" for code in rng.integers(0, 40, 200)]),
        "zero": np.where(rng.random(200) < 0.95, 0.0, rng.normal(size=200)),
    }
    scores = score().on(table)
    names = sorted(table)
    assert np.isfinite(scores.local(families(len(names)))).all()
    y, at = names.index("y"), {name: 1 << index for index, name in enumerate(names)}
    alone, both = scores.local([(y, at["x"]), (y, at["x"] | at["copy"])])
    assert both < alone
    constant = score().on({**table, "x": np.full(200, 2.5)})  # one value: a category that explains nothing
    assert constant.local([(y, at["x"])])[0] <= constant.local([(y, 0)])[0] + 1e-6
    with pytest.raises(DecibanError, match="missing"):
        score().on({**table, "x": np.where(x > 1, np.nan, x)})


@pytest.mark.parametrize("score", ["cg_bic", "dg_bic"])
def test_the_order_of_rows_and_columns_changes_nothing(score):
    table = some(table_of(7), "abcxyz")
    rng = np.random.default_rng(1)
    order = rng.permutation(len(table["x"]))
    shuffled = {name: table[name][order] for name in "zcxbay"}
    for method in ("ges", "tabu", "exact"):
        one, other = (db.search(rows, score, method=method) for rows in (table, shuffled))
        assert one.graph == other.graph and one.score == pytest.approx(other.score, rel=1e-9)
    assert db.score_graph(one.dag, table, score=score) == pytest.approx(one.score, rel=1e-9)


@pytest.mark.parametrize("score", ["cg_bic", "dg_bic"])
def test_threads_change_nothing(score, any_threads):
    table = some(table_of(9, 500), "abcdxyz")
    found = []
    for threads in (1, 3):
        any_threads(threads)
        result = db.search(table, score)
        found.append((result.graph, result.moves, result.score))
    assert found[0] == found[1]


def test_search_reads_a_mixed_table_with_a_penalty_and_bootstraps():
    table = some(table_of(8), "abcxyz")
    found = db.search(table)
    assert found.criterion == "cg_bic" and "counted as categories: a, b, c" in found.notes
    assert len(db.search(table, penalty=20).cpdag.edges) < len(found.cpdag.edges)
    assert "from 3 draws" in repr(found.bootstrap(3))
    required = db.search(table, knowledge=db.Knowledge(required=[("y", "a")]))
    assert ("y", "a") in required.graph.directed_edges
