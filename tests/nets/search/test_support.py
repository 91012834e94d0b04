"""A net that was drawn by hand: which of its edges do the rows support?"""

import numpy as np
import pytest

from deciban.errors import ColumnMismatchError
from deciban.nets.search.search import edge_support

rng = np.random.default_rng(1)
A = rng.integers(0, 2, 400)
ROWS = {
    "a": A,
    "b": np.where(rng.random(400) < 0.9, A, 1 - A),
    "c": rng.integers(0, 2, 400),
    "name": [f"row {i}" for i in range(400)],
}


def test_edges_of_the_nodes_are_looked_for_and_other_columns_ignored():
    found = edge_support(ROWS, ("c", "b", "a"), reads="categories", n=10)
    assert set(found.nodes) == {"a", "b", "c"} and found.draws == 10
    assert found.edge("a", "b") == 1.0 and found.edge("a", "c") < 0.5


def test_rows_with_a_missing_value_are_left_out():
    holed = {**ROWS, "a": [None, *A[1:].tolist()]}
    assert edge_support(holed, ("a", "b"), reads="categories", n=3).edge("a", "b") == 1.0


def test_numbers_are_read_as_numbers():
    x = rng.normal(size=200)
    found = edge_support({"x": x, "y": x + rng.normal(size=200)}, ("x", "y"), reads="numbers", n=3)
    assert found.edge("x", "y") == 1.0


def test_a_node_without_a_column_is_named():
    with pytest.raises(ColumnMismatchError, match="lung"):
        edge_support(ROWS, ("a", "lung"), reads="categories")
