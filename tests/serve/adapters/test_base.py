"""Values as JSON: labels of any type, numbers that JSON does not have."""

import datetime

import pytest

from deciban.errors import InputError
from deciban.serve.adapters import RowClassifier, Tensor, as_json, as_key, as_number, datatype_of
from tests.serve.client import table_model


def test_labels_keep_their_types_where_json_has_them():
    assert [as_json(v) for v in ("a", 3, 2.5, True, None)] == ["a", 3, 2.5, True, None]
    assert as_json(datetime.date(2020, 1, 2)) == "2020-01-02" and as_json((1, "a")) == "(1, 'a')"
    assert [as_key(v) for v in ("a", 3, True)] == ["a", "3", "true"]


def test_infinite_numbers_are_text():
    assert [as_number(v) for v in (1.5, float("inf"), float("-inf"))] == [1.5, "Infinity", "-Infinity"]


def test_the_type_of_a_tensor_follows_from_its_values():
    kinds = [datatype_of(v) for v in (["a"], [1, 2], [1, 2.5], [True], [1, "a"], [True, 1], [])]
    assert kinds == ["BYTES", "INT64", "FP64", "BOOL", "BYTES", "BYTES", "BYTES"]
    assert Tensor("label", "BYTES", (-1,)).to_json() == {"name": "label", "datatype": "BYTES", "shape": [-1]}


def test_an_unknown_class_names_the_closest():
    adapter = RowClassifier(table_model())
    assert adapter.class_of("play") == "play" and adapter.class_of(None) is None
    with pytest.raises(InputError, match="Did you mean 'stay'"):
        adapter.class_of("sty")
