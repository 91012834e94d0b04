"""The audit trail: why an edge is there or not, where it points, and how sure it is."""

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import ParameterError, UnknownNodeError
from deciban.nets import GSquared
from tests.nets.discovery.test_discover import sprinkler
from tests.nets.named_graphs import SPRINKLER


def test_explanations_in_words():
    found = db.discover(sprinkler())
    apart = found.explain("sprinkler", "rain")
    assert apart.startswith("sprinkler and rain are independent given season: G² = ") and "df = 4" in apart
    assert "so no edge joins them" in apart
    assert "because of rain → wet ← sprinkler" in found.explain("rain", "wet")
    assert "Nothing directs it" in found.explain("season", "rain")
    assert "points to slippery" in found.explain("slippery", "wet")
    assert found.separating_set("rain", "sprinkler") == {"season"}
    assert "rain → wet ← sprinkler" in str(found.report())
    with pytest.raises(UnknownNodeError, match="snow"):
        found.explain("snow", "rain")


def test_what_no_test_could_say_is_not_called_independent():
    """A function leaves nothing to test, and three rows say nothing of eight states: that is no independence."""
    rng = np.random.default_rng(0)
    cause = rng.integers(0, 3, 400)
    found = db.discover({"a": cause, "b": cause // 2, "c": (cause // 2 + (rng.random(400) < 0.2)) % 2})
    assert [(one.x, one.y, one.verdict) for one in found.removed] == [("a", "c", "independent")]
    assert found.graph.is_adjacent("b", "c") and found.graph.is_adjacent("a", "b")
    few = {name: rng.integers(0, 8, 60) for name in "xyz"}
    weak = db.discover(few, test=GSquared(like="pcalg"))
    assert {one.verdict for one in weak.removed} == {"none"} and len(weak.removed) == 3
    assert {one.verdict for one in db.discover(few).removed} == {"independent"}


def test_forbidden_edges_say_so():
    known = db.Knowledge(forbidden=[("rain", "wet"), ("wet", "rain")])
    assert "the knowledge forbids it" in db.discover(sprinkler(500), knowledge=known).explain("rain", "wet")


def test_every_pair_is_joined_or_explained():
    found = db.discover(db.Oracle(SPRINKLER))
    joined = found.graph.adjacency()
    pairs = len(found.graph.nodes) * (len(found.graph.nodes) - 1) // 2
    assert len(found.removed) + (joined | joined.T).sum() // 2 == pairs


def test_bootstrap_confidence():
    found = db.discover(sprinkler(4000))
    sure = found.bootstrap(20, random_state=1)
    assert sure.edge("wet", "slippery") == 1.0 and sure.edge("season", "wet") < 0.3
    assert sure.arrow("wet", "slippery") > 0.7 > sure.arrow("slippery", "wet")
    assert sure.edges == found.bootstrap(20, random_state=1).edges
    assert "wet" in repr(sure)


def test_an_oracle_cannot_be_drawn_anew():
    with pytest.raises(ParameterError, match="no rows"):
        db.discover(db.Oracle(SPRINKLER)).bootstrap(3)


def test_missing_values_are_noted_with_the_fewest_rows_of_a_test():
    table = pd.DataFrame(sprinkler(1000)).astype(object)
    table.loc[:99, "rain"] = None
    table.loc[50:249, "season"] = None
    found = db.discover(table, missing="skip")
    note = next(note for note in found.notes if "missing" in note)
    assert note.startswith(
        "missing values: season (20.0%), rain (10.0%); fewest rows of a test that separates a pair: "
    )
    least = min(result.rows for result in found.removed)
    assert f": {least:,.0f} of 1,000 (" in note and note in found._repr_html_()
    assert not any("missing" in note for note in db.discover(sprinkler(1000), missing="skip").notes)
    assert not any("missing" in note for note in db.discover(table, missing="drop").notes)


def test_the_test_of_one_pair_is_that_among_all():
    few = pd.DataFrame(np.random.default_rng(1).integers(0, 8, (60, 4)), columns=list("wzyx"))
    for found in (db.discover(few, test=GSquared(like="pcalg")), db.discover(sprinkler())):
        assert found.removed and all(found.removal(one.y, one.x) == one for one in found.removed)
        assert found.without_verdict == tuple(one for one in found.removed if one.verdict == "none")
