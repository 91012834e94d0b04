"""A PAG says all that the independences tell, and nothing else: against all MAGs there are."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import NoExtensionError
from deciban.nets import MAG
from tests.nets.mags import classes, common, equivalents, marks_of, matrix_of
from tests.nets.named_graphs import SPRINKLER, random_dag


@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_marks_are_those_on_which_all_equivalent_mags_agree(count):
    for wanted, members in classes(count).values():
        pag = db.PAG.from_marks(matrix_of(wanted, count))
        for marks in members:
            assert db.PAG.of_mag(MAG.from_marks(matrix_of(marks, count))) == pag
        assert pag.is_class() and marks_of(pag.mag()) in members


@pytest.mark.parametrize("seed", range(12))
def test_so_they_are_with_five_nodes(seed):
    rng = np.random.default_rng(seed)
    while True:
        mag = MAG.of_dag(random_dag(rng, 8, 1.4), range(5, 8))
        if 5 <= len(mag.edges) <= 6 and mag.bidirected_edges:
            break
    marks = marks_of(mag)
    pag = db.PAG.of_mag(mag)
    assert marks_of(pag) == common(equivalents(marks, 5)) and pag.is_class()


# Small graphs in which a rule speaks, and the edge that gets a mark by it.
RULES = {
    "R1": ([(1, 0), (2, 0), (0, 3)], (0, 3)),
    "R2": ([(0, 3), (1, 2), (1, 3), (3, 2)], (1, 2)),
    "R3": ([(1, 0), (2, 0), (2, 1), (2, 3), (3, 0)], (2, 0)),
    "R4": ([(0, 3), (1, 2), (1, 3), (3, 2)], (2, 1)),
    "R9": ([(0, 3), (1, 3), (2, 0), (2, 1)], (3, 0)),
    "R10": ([(0, 3), (1, 0), (1, 3), (1, 4), (2, 1), (2, 3), (2, 4), (4, 0)], (3, 1)),
}


@pytest.mark.parametrize("name", RULES)
def test_each_rule_speaks_and_is_right(name):
    arrows, edge = RULES[name]
    dag = db.DAG(arrows)
    found = db.discover(db.Oracle(dag), method="fci")
    assert found.reasons[edge] == name and found.graph.mark(*edge) != "circle"
    assert marks_of(found.graph) == common(equivalents(marks_of(MAG.of_dag(dag)), len(dag.nodes)))


def test_a_cause_by_way_of_another():
    """4 → 1 → 0 makes the tail at 4 of its edge to 0."""
    arrows = [(1, 0), (1, 3), (1, 6), (2, 1), (2, 6), (3, 0), (4, 0), (4, 1), (4, 2), (5, 2), (5, 3)]
    found = db.discover(db.Oracle(db.DAG(arrows)), method="fci")
    assert found.reasons[0, 4] == "R8" and found.graph.mark(0, 4) == "tail"


def test_a_class_without_hidden_causes():
    pag = db.PAG.of_dag(SPRINKLER)
    assert pag.directed_edges == SPRINKLER.cpdag().directed_edges
    assert pag.open_edges == SPRINKLER.cpdag().undirected_edges


def test_visible_arrows_have_no_hidden_cause_beside_them():
    y = db.PAG.of_dag(db.DAG([("x1", "z"), ("x2", "z"), ("z", "w")]))
    assert y.is_visible("z", "w") and not y.is_visible("w", "z") and not y.is_visible("x1", "z")
    assert not db.PAG([("a", "→", "b")]).is_visible("a", "b")
    far = db.PAG([("d", "o→", "c"), ("c", "↔", "a"), ("a", "→", "b"), ("c", "→", "b")])
    assert far.is_visible("a", "b") and far.is_visible("c", "b")


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ([("a", "—", "b")], "selection"),
        ([("a", "o—o", "b"), ("b", "o—o", "c"), ("c", "o—o", "d"), ("d", "o—o", "a")], "new collider"),
        ([("a", "→", "b"), ("b", "→", "c"), ("c", "→", "a")], "there is no MAG: a MAG has no cycle"),
    ],
)
def test_what_stands_for_nothing_says_so(edges, words):
    with pytest.raises(NoExtensionError, match=words):
        db.PAG(edges).mag()
    assert not db.PAG(edges).is_class()


def test_a_mark_more_or_less_is_no_class():
    assert db.PAG([("a", "o—o", "b")]).is_class() and not db.PAG([("a", "o→", "b")]).is_class()
