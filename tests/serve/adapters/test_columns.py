"""Columns: types and examples come from what was learned, so a client sees values that the model knows."""

import deciban as db
from deciban.serve.adapters import columns_of
from tests.serve.client import LABELS, ROWS, number_model, table_model, tree_model


def test_types_and_values_of_a_mixed_table():
    columns = {column.name: column for column in columns_of(table_model())}
    assert {name: column.datatype for name, column in columns.items()} == {
        "sky": "BYTES",
        "warm": "FP64",
        "guests": "INT64",
        "dry": "BOOL",
    }
    assert sorted(columns["sky"].values) == ["rain", "sun"] and columns["sky"].example == "sun"
    assert columns["guests"].values == [1, 2, 3] and columns["guests"].example == 1
    assert columns["sky"].to_json()["distribution"] == "Categorical"


def test_models_of_coded_and_of_plain_columns():
    assert [column.name for column in columns_of(tree_model())] == list(ROWS)
    assert [column.to_json() for column in columns_of(number_model())] == [
        {"name": f"x{i}", "type": "number"} for i in range(3)
    ]


def test_a_column_of_numbers_in_bins_of_a_tree_takes_numbers():
    model = db.TAN(columns={"warm": db.Cut(at=[10, 20])}).fit(ROWS, LABELS)
    warm = next(column for column in columns_of(model) if column.name == "warm")
    assert warm.is_number and warm.values == [10.0, 20.0]


def test_labels_of_a_matrix_are_listed():
    model = db.CategoricalNB().fit([["a", 1], ["b", 2], ["a", 1], ["b", 1]], ["no", "yes", "no", "yes"])
    assert [(column.datatype, column.values, column.example) for column in columns_of(model)] == [
        ("BYTES", ["a", "b"], "a"),
        ("INT64", [1, 2], 1),
    ]
