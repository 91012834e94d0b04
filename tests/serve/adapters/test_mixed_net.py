"""The service answers for a net of categories and numbers: queries, tensors and descriptions."""

import pytest

import deciban as db
from deciban.errors import InputError, InputTypeError
from deciban.serve.adapters import adapter_of
from tests.nets.test_mixed_net import ARROWS, people

NET = db.BayesNet(ARROWS).fit(people(500))
SERVED = adapter_of(NET)


def test_queries_about_both_kinds():
    sex = SERVED.query({"targets": "sex", "evidence": {"weight": 80}}, 100)
    assert sex["probabilities"]["f"] == pytest.approx(NET.query("sex", {"weight": 80})["f"])
    weight = SERVED.query({"targets": "weight", "evidence": {"ill": "yes"}}, 100)
    assert weight["mean"] == pytest.approx(NET.query("weight", {"ill": "yes"}).mean)
    both = SERVED.query({"targets": ["sex", "weight"]}, 100)
    assert [row["states"] for row in both["probabilities"]] == [["f"], ["m"]]
    numbers = SERVED.query({"targets": ["height", "weight"]}, 100)
    assert numbers["targets"] == ["height", "weight"] and len(numbers["covariance"]) == 2
    assert set(SERVED.query({"evidence": {"sex": "f"}}, 100)["marginals"]) == set(NET.nodes)
    moved = SERVED.query({"targets": "weight", "actions": {"height": 170}}, 100)
    assert moved["mean"] == pytest.approx(NET.do({"height": 170}).query("weight").mean)
    assert SERVED.query({"query": "P(weight > 80)"}, 100)["value"] == pytest.approx(NET.ask("P(weight > 80)"))


def test_bad_queries_are_named():
    with pytest.raises(InputTypeError, match="'weight' is 'heavy', which is not a number"):
        SERVED.query({"targets": "sex", "evidence": {"weight": "heavy"}}, 100)
    with pytest.raises(InputError, match="'weight' is a number"):
        SERVED.query({"targets": "sex", "likelihoods": {"weight": {"a": 1}}}, 100)


def test_tensors_and_descriptions():
    assert [(one.name, one.datatype) for one in SERVED.inputs][:2] == [("sex", "BYTES"), ("height", "FP64")]
    found = SERVED.infer({"weight": [80.0, 60.0], "ill": ["yes", None]}, ["sex", "height"])
    first = NET.query("sex", {"weight": 80.0, "ill": "yes"})
    assert found["sex"][:2] == pytest.approx([first["f"], first["m"]])
    assert found["height"][2] == pytest.approx(NET.query("height", {"weight": 60.0}).mean)
    described = {node["name"]: node.get("states") for node in SERVED.describe()["nodes"]}
    assert described["sex"] == ["f", "m"] and described["height"] is None
    assert SERVED.query_schema()["properties"]["evidence"]["properties"]["height"] == {"type": "number"}
