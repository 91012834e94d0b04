"""Tensors of the Open Inference Protocol: shapes, types and data must fit each other."""

import pytest

from deciban.errors import DecibanError
from deciban.serve.adapters import Tensor
from deciban.serve.limits import Problem
from deciban.serve.routes import columns_of, outputs_of, wanted_outputs

KNOWN = [Tensor("sky", "BYTES", (-1,)), Tensor("warm", "FP64", (-1,))]


def tensor(name="warm", shape=(2,), datatype="FP64", data=(1.5, 2), **more):
    return {"name": name, "shape": list(shape), "datatype": datatype, "data": list(data), **more}


def read(*tensors):
    return columns_of({"inputs": list(tensors)}, KNOWN, 10, 5)


def test_columns_of_shape_n_and_n_by_one():
    assert read(tensor()) == {"warm": [1.5, 2]}
    assert read(tensor(shape=(2, 1), data=([1.5], [2])), tensor("sky", (2,), "BYTES", ("sun", None))) == {
        "warm": [1.5, 2],
        "sky": ["sun", None],
    }


def test_one_tensor_may_hold_all_columns():
    assert read(tensor("input-0", (3, 2), data=(1, 2, 3, 4, 5, 6))) == {"sky": [1, 3, 5], "warm": [2, 4, 6]}
    assert read(tensor("input-0", (2, 2), data=([1, 2], [3, 4]))) == {"sky": [1, 3], "warm": [2, 4]}


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ([], "0 inputs"),
        ([tensor()] * 6, "6 inputs"),
        ([3], "an input is an object with a name"),
        ([tensor("skyy")], "no input 'skyy'. Did you mean 'sky'"),
        ([tensor(), tensor()], "there twice"),
        ([tensor(shape=())], "no shape"),
        ([tensor(shape=(2, 1, 1))], "no shape"),
        ([tensor(shape=(-1,))], "no shape"),
        ([tensor(shape=(True,))], "no shape"),
        ([tensor(shape=(3,))], "has 2 values, and its shape"),
        ([tensor(shape=(0,), data=())], "no rows"),
        ([tensor(datatype="FP128")], "no datatype"),
        ([tensor(datatype=["FP64"])], "no datatype"),
        ([tensor(data=("a", "b"))], "is FP64, and its data have 'a'"),
        ([tensor(data=(True, 1.0))], "is FP64, and its data have 'True'"),
        ([tensor(datatype="INT64", data=(1.5, 1))], "is INT64"),
        ([tensor(datatype="BOOL", data=(1, True))], "is BOOL"),
        ([tensor(data=([[1]], [[2]]))], "its data have"),
        ([tensor(shape=(2, 3), data=range(6))], r"shape \[n, 2\] for all columns"),
        ([tensor(), tensor("sky", (3,), "BYTES", ("a", "b", "c"))], "different numbers of rows"),
        ([{"name": "warm", "shape": [2], "datatype": "FP64"}], "has no data"),
        (
            [{"name": "warm", "shape": [2], "datatype": "FP64", "parameters": {"binary_data_size": 16}}],
            "binary_data=False",
        ),
    ],
)
def test_what_does_not_fit_is_said(tensors, message):
    with pytest.raises(DecibanError, match=message):
        read(*tensors)


def test_rows_above_the_limit_are_too_many():
    with pytest.raises(Problem, match="11 rows are more than the limit of 10") as caught:
        read(tensor(shape=(11,), data=[1] * 11))
    assert caught.value.status == 413


@pytest.mark.parametrize("body", [None, [], {}, {"inputs": {}}, {"inputs": None}])
def test_a_body_without_inputs_is_refused(body):
    with pytest.raises(DecibanError, match="a list of inputs"):
        columns_of(body, KNOWN, 10, 5)


def test_outputs_may_be_chosen():
    assert wanted_outputs({}, KNOWN, ["sky"]) == ["sky"]
    assert wanted_outputs({"outputs": [{"name": "warm", "parameters": {}}]}, KNOWN, ["sky"]) == ["warm"]
    for wrong in ([{"name": "war"}], [3], "warm"):
        with pytest.raises(DecibanError):
            wanted_outputs({"outputs": wrong}, KNOWN, ["sky"])


def test_outputs_have_their_shape():
    known = [Tensor("probabilities", "FP64", (-1, 2)), Tensor("classes", "BYTES", (2,))]
    found = outputs_of({"probabilities": [0.1, 0.9, 0.4, 0.6], "classes": ["a", "b"]}, known)
    assert [one["shape"] for one in found] == [[2, 2], [2]] and found[0]["datatype"] == "FP64"
