"""The structure of a net that classifies is the graph that was given: parents and children of the class."""

import pytest

import deciban as db
from deciban.errors import ColumnMismatchError
from deciban.models.families.structures import Families

NAMES = ("season", "sky", "wind", "id")
GRAPH = db.DAG([("season", "play"), ("play", "sky"), ("play", "wind"), ("sky", "wind")])


def test_families_are_those_of_the_graph():
    families = Families.of(GRAPH, NAMES, "play")
    assert families.of_class == (0,)
    assert families.of_columns == ((), (), (1,), ())
    assert families.under_class == (False, True, True, False)
    assert set(families.dag(NAMES).directed_edges) == set(GRAPH.directed_edges)
    assert "id" in families.dag(NAMES).nodes  # a column that the graph does not name stands alone


@pytest.mark.parametrize("target", ["sky", "class"])
def test_nodes_that_are_neither_class_nor_column_are_named(target):
    with pytest.raises(ColumnMismatchError, match="Name its class in target"):
        Families.of(GRAPH, ("season", "wind"), target)
