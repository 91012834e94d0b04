"""Which column belongs to which node, in every container."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError, GraphError, InputError, InputTypeError
from deciban.nets import GSquared
from deciban.nets.data.node_rows import match_columns, read_all_columns, read_columns


def test_a_column_belongs_to_the_node_of_its_name():
    table = {"b": [1, 2], "a": [3, 4], "other": ["x", "y"]}
    for data in (
        table,
        pd.DataFrame(table),
        [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)],
    ):
        columns, names = read_columns(data, ["a", "b", "lost"])
        assert {node: column.numbers.tolist() for node, column in columns.items()} == {"a": [3, 4], "b": [1, 2]}
        assert names == ("b", "a", "other")


def test_nodes_need_not_be_text():
    assert set(read_columns({1: [0, 1], (2, 3): [1, 0]}, [1, (2, 3)])[0]) == {1, (2, 3)}
    assert set(read_columns(pd.DataFrame({"1": [0, 1]}), [1])[0]) == {1}


def test_columns_without_names_go_by_generated_names_then_indices_then_order():
    rows = np.array([[1, 2], [3, 4]])
    assert read_columns(rows, ["x1", "x0"])[0]["x1"].numbers.tolist() == [2, 4]
    assert read_columns(rows, [1, 0])[0][1].numbers.tolist() == [2, 4]
    assert read_columns(rows, ["b", "a"])[0]["b"].numbers.tolist() == [1, 3]
    with pytest.raises(ColumnMismatchError, match="2 columns without names, and there are 3 nodes"):
        read_columns(rows, ["a", "b", "c"])


def test_what_is_no_table_of_the_nodes_is_said():
    with pytest.raises(ColumnMismatchError, match="column 'snow' is not a node of the net; its nodes are: 'rain'"):
        match_columns(["rain", "snow"], ["rain"], only_nodes=True)
    for twice in (pd.DataFrame([[1, 2]], columns=["a", "a"]), pa.table([[1], [2]], names=["a", "a"])):
        for read in (read_all_columns, lambda data: read_columns(data, ["a"])):
            with pytest.raises(InputError, match="two columns"):
                read(twice)
    for data in (None, "a.csv"):
        with pytest.raises(InputTypeError, match="data is a table"):
            read_all_columns(data)
    with pytest.raises(GraphError, match="no nodes"):
        read_columns({"a": [1]}, [])


@pytest.mark.parametrize("names", [(10, 20, 30), (("a", 1), ("a", 2), ("b", 1)), (0, 1, 2)])
def test_names_that_are_not_text_stay_names(names):
    """Numbers and pairs name columns as well as text does: in graphs, in knowledge, in nets and in errors."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 3))
    values[:, 1] += values[:, 0]
    index = pd.MultiIndex.from_tuples(names) if isinstance(names[0], tuple) else list(names)
    first, second, _ = names
    for table in (pd.DataFrame(values, columns=index), dict(zip(names, values.T, strict=True))):
        known = db.Knowledge(forbidden=[(first, second)])
        for find in (db.search, db.discover):
            assert set(find(table).graph.nodes) == set(names) and find(table).graph.is_adjacent(first, second)
            assert find(table, knowledge=known).graph.directed_edges == ((second, first),)
        assert db.GaussianNet([(first, second)]).fit(table).coefficients[second][first] == pytest.approx(1, abs=0.3)
        cut = {name: column > 0 for name, column in zip(names, values.T, strict=True)}
        frame = pd.DataFrame(np.column_stack(list(cut.values())), columns=index)
        for labels in (cut, frame):
            assert set(db.search(labels).graph.nodes) == set(names)
            assert db.BayesNet([(first, second)]).fit(labels).tables[second].shape == (2, 2)
            assert GSquared(labels).test(first, second).verdict == "dependent"
