"""The notes' causal graphs ("Bayes Nets"): the sprinkler, smoking and the gene, the admission."""

import deciban as db
from deciban.nets import is_compatible, is_minimal, is_stable, minimal_separator

SPRINKLER = db.DAG([("X1", "X2"), ("X1", "X3"), ("X2", "X4"), ("X3", "X4"), ("X4", "X5")])


def turned(g, a, b):
    return db.DAG([(y, x) if (x, y) == (a, b) else (x, y) for x, y in g.directed_edges])


def test_x5_is_independent_of_x1_given_x4():
    assert db.d_separated(SPRINKLER, "X5", "X1", given="X4")


def test_x1_is_screened_off_from_x4_by_x2_and_x3():
    assert db.markovian_parents(SPRINKLER, ["X1", "X2", "X3", "X4", "X5"])["X4"] == {"X2", "X3"}


def test_smoking_is_independent_of_lung_cancer_given_gene():
    g = db.DAG([("gene", "smoking"), ("gene", "lung cancer")])
    assert db.d_separated(g, "smoking", "lung cancer", given="gene")
    assert not db.d_separated(g, "smoking", "lung cancer")


def test_one_cannot_tell_which_way_smoking_and_cancer_go():
    assert db.equivalent(db.DAG([("smoking", "cancer")]), db.DAG([("cancer", "smoking")]))


def test_admission_is_a_collider():
    g = db.DAG([("GPA", "admission"), ("personality", "admission")])
    assert db.v_structures(g) == (("GPA", "admission", "personality"),)
    assert db.d_separated(g, "GPA", "personality")


def test_which_arrows_of_the_sprinkler_can_be_told():
    assert db.equivalent(SPRINKLER, turned(SPRINKLER, "X1", "X2"))
    assert not db.equivalent(SPRINKLER, turned(SPRINKLER, "X2", "X4"))
    assert not db.equivalent(SPRINKLER, turned(SPRINKLER, "X4", "X5"))
    assert SPRINKLER.cpdag().undirected_edges == (("X1", "X2"), ("X1", "X3"))


def test_the_second_step_of_ic():
    """X3 ⊥ X2 | X1, but not given X4: the arrows meet in X4."""
    assert minimal_separator(SPRINKLER, "X2", "X3") == {"X1"}
    assert not db.d_separated(SPRINKLER, "X2", "X3", given="X4")
    assert db.v_structures(SPRINKLER) == (("X2", "X4", "X3"),)


def test_stable_and_minimal_are_what_the_footnotes_say():
    assert is_stable(SPRINKLER, SPRINKLER) and is_minimal(SPRINKLER, SPRINKLER)
    more = db.DAG([*SPRINKLER.directed_edges, ("X1", "X4")])
    assert is_compatible(more, SPRINKLER) and not is_minimal(more, SPRINKLER)
