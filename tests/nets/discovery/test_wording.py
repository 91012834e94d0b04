"""What a mark says must be said in words that cannot be taken for more."""

import deciban as db
from tests.nets.discovery.test_discover import sprinkler


def fci(arrows, latent=(), **options):
    return db.discover(db.Oracle(db.DAG(arrows), latent), method="fci", **options)


def test_each_kind_of_edge_is_put_into_words():
    y = fci([("x1", "z"), ("x2", "z"), ("z", "w")])
    assert "It is z → w: no arrowhead at z, so z is a direct or indirect cause of w" in y.explain("w", "z")
    assert "; without a hidden common cause" in y.explain("z", "w") and "(rule 1)" in y.explain("z", "w")
    half = y.explain("x1", "z")
    assert "z is not a cause of x1; x1 is a cause of z, or they have a hidden common cause, or both" in half
    assert "The arrowhead at z: z is a collider between x1 and x2, which are separated without z." in half
    assert y.explain("x1", "x2") == "x1 and x2 are d-separated, so no edge joins them."
    hidden = fci([("a", "x"), ("l", "x"), ("l", "y"), ("b", "y")], ["l"]).explain("x", "y")
    assert "It is x ↔ y: neither is a cause of the other, so they have a hidden common cause." in hidden
    assert "The arrowhead at x" in hidden and "The arrowhead at y" in hidden
    assert "which is not determined" in fci([("a", "b")]).explain("a", "b")


def test_an_arrow_beside_which_a_hidden_cause_may_stand():
    known = db.Knowledge(required=[("a", "b")])
    said = fci([("a", "b")], knowledge=known).explain("a", "b")
    assert "a hidden common cause is possible" in said and "The tail at a comes from background knowledge." in said


def test_the_summary_counts_every_kind():
    found = fci([("a", "x"), ("l", "x"), ("l", "y"), ("b", "y")], ["l"])
    assert repr(found).startswith("Discovery(fci: 4 variables, 0 →, 2 o→, 1 ↔, 0 o—o, ")
    assert "arrows" in repr(db.discover(sprinkler(500)))
    assert "<svg" in found._repr_html_()


def test_data_give_their_p():
    said = db.discover(sprinkler(), method="fci").explain("rain", "wet")
    assert "wet is a collider between rain and sprinkler, which are separated without wet (largest p 0." in said
