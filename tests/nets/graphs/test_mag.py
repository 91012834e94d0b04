"""m-separation by its definition, and the MAG of a DAG with hidden nodes: same independences, same causes."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import CycleError, GraphError
from deciban.nets import MAG, m_separated
from tests.nets.mags import all_mags, classes, is_connected, matrix_of
from tests.nets.named_graphs import dags


def test_the_gene_is_hidden():
    gene = db.DAG([("gene", "smoking"), ("gene", "cancer")])
    assert MAG.of_dag(gene, ["gene"]) == MAG([("smoking", "↔", "cancer")])
    assert MAG.of_dag(gene).directed_edges == gene.directed_edges
    both = db.DAG([*gene.directed_edges, ("smoking", "cancer")])
    assert MAG.of_dag(both, ["gene"]) == MAG([("smoking", "→", "cancer")])


def test_a_path_of_causes_joins_what_has_no_arrow():
    # Nothing observed separates x and y: b must be given to shut one path, and opens another.
    dag = db.DAG([("x", "b"), ("b", "y"), ("l", "b"), ("l", "y")])
    assert MAG.of_dag(dag, ["l"]) == MAG([("x", "→", "b"), ("x", "→", "y"), ("b", "→", "y")])


@pytest.mark.parametrize("count", [3, 4])
def test_separation_is_what_the_definition_says(count):
    for marks in itertools.islice(all_mags(count), 0, None, 7 if count == 4 else 1):
        g = MAG.from_marks(matrix_of(marks, count))
        for x, y in itertools.combinations(range(count), 2):
            others = [z for z in range(count) if z not in (x, y)]
            for size in range(len(others) + 1):
                for shut in itertools.combinations(others, size):
                    assert m_separated(g, x, y, shut) != is_connected(marks, x, y, set(shut)), (g, x, y, shut)


def test_all_mags_of_four_nodes_are_accepted_and_nothing_else():
    wanted = {tuple(sorted(marks.items())) for _, members in classes(4).values() for marks in members}
    ends = [("", ""), ("tail", "arrow"), ("arrow", "tail"), ("arrow", "arrow")]
    pairs = list(itertools.combinations(range(4), 2))
    accepted = set()
    for choice in itertools.product(ends, repeat=len(pairs)):
        marks = {}
        for (i, j), (at_i, at_j) in zip(pairs, choice, strict=True):
            if at_i:
                marks[j, i], marks[i, j] = at_i, at_j
        try:
            MAG.from_marks(matrix_of(marks, 4))
        except GraphError:
            continue
        accepted.add(tuple(sorted(marks.items())))
    assert accepted == wanted


@settings(max_examples=60)
@given(dags(3, 7), st.data())
def test_a_mag_has_the_independences_and_the_causes_of_its_dag(dag, data):
    latent = data.draw(st.sets(st.sampled_from(dag.nodes), max_size=2))
    mag = MAG.of_dag(dag, latent)
    mag._check()
    assert set(mag.nodes) == set(dag.nodes) - latent
    for x, y in itertools.combinations(mag.nodes, 2):
        others = [z for z in mag.nodes if z not in (x, y)]
        for size in range(len(others) + 1):
            for shut in itertools.combinations(others, size):
                assert m_separated(mag, x, y, shut) == db.d_separated(dag, x, y, shut)
        assert (x in mag.ancestors(y)) == (x in dag.ancestors(y))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: MAG([("a", "→", "b"), ("b", "→", "c"), ("c", "→", "a")]), CycleError, "no cycle"),
        (lambda: MAG([("a", "→", "b"), ("b", "→", "c"), ("a", "↔", "c")]), GraphError, "not ancestral"),
        (lambda: MAG([("a", "o→", "b")]), GraphError, "a PAG may have"),
        (
            lambda: MAG([("a", "↔", "b"), ("b", "↔", "c"), ("c", "↔", "d"), ("b", "→", "d"), ("c", "→", "a")]),
            GraphError,
            "not maximal: nothing separates",
        ),
        (lambda: m_separated(db.PAG([("a", "o→", "b")]), "a", "b"), GraphError, "has .mag"),
        (lambda: m_separated(MAG([("a", "→", "b")]), "a", "a"), GraphError, "share"),
        (lambda: MAG.of_dag(db.DAG([("a", "b")]), ["q"]), GraphError, "no node 'q'"),
    ],
)
def test_errors_say_what_is_wrong(call, error, words):
    with pytest.raises(error, match=words):
        call()
