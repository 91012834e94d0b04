"""Nets: queries in JSON get the answers of the library."""

import pytest

import deciban as db
from deciban.errors import DecibanError
from deciban.serve.adapters import Net, answer_of
from tests.serve.client import net, number_net

MOST = 1000


def ask(body, model=None):
    return Net(model or net()).query(body, MOST)


def test_one_target_has_probabilities_by_state():
    found = ask({"targets": "rain", "evidence": {"wet": "yes"}})
    assert found == {"target": "rain", "probabilities": dict(net().query("rain", {"wet": "yes"}))}


def test_several_targets_have_a_joint_table():
    found = ask({"targets": ["rain", "wet"]})
    assert found["targets"] == ["rain", "wet"]
    table = {tuple(cell["states"]): cell["probability"] for cell in found["probabilities"]}
    assert table == dict(net().query(["rain", "wet"]))


def test_without_targets_all_marginals_are_given():
    found = ask({"evidence": {"wet": "no"}, "targets": None})
    assert found["marginals"]["rain"] == dict(net().marginals({"wet": "no"})["rain"])


def test_actions_are_interventions_and_likelihoods_soft_evidence():
    assert ask({"targets": "rain", "actions": {"wet": "yes"}})["probabilities"]["yes"] == pytest.approx(0.2)
    soft = {"wet": {"yes": 0.9, "no": 0.1}}
    expected = dict(net().query("rain", likelihoods=soft))
    assert ask({"targets": "rain", "likelihoods": soft})["probabilities"] == expected


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "a query is an object"),
        ({"target": "rain"}, "no member 'target'. Did you mean 'targets'"),
        ({"targets": "rian"}, "no node 'rian'. Did you mean 'rain'"),
        ({"targets": []}, "a list of names"),
        ({"targets": [["rain"]]}, "no node"),
        ({"targets": 3}, "a list of names"),
        ({"targets": "rain", "evidence": {"wet": "yess"}}, "Did you mean 'yes'"),
        ({"targets": "rain", "evidence": {"wet": ["yes"]}}, "has no state"),
        ({"targets": "rain", "evidence": "wet"}, "evidence is an object"),
        ({"targets": "rain", "evidence": {"weat": "yes"}}, "Did you mean 'wet'"),
        ({"targets": ["rain", "rain"]}, "rain"),
    ],
)
def test_what_cannot_be_answered_is_said(body, message):
    with pytest.raises(DecibanError, match=message):
        ask(body)


def test_a_joint_table_above_the_limit_is_refused():
    for query in ({"targets": ["rain", "wet"]}, {"query": "P(rain, wet)"}):
        with pytest.raises(DecibanError, match="4 numbers, more than 3"):
            Net(net()).query(query, 3)
    assert Net(net()).query({"query": "P(rain=yes, wet=no)"}, 3)["value"] == pytest.approx(0.04)


def test_a_query_may_be_a_text():
    assert ask({"query": "P(rain | wet=yes)"}) == ask({"targets": "rain", "evidence": {"wet": "yes"}})
    assert ask({"query": "P(rain | do(wet=yes))"})["probabilities"]["yes"] == pytest.approx(0.2)
    assert ask({"query": "rain _||_ wet"}) == {"independent": False}
    assert ask({"query": "argmax P(rain | wet=yes)"})["states"]["rain"] == "yes"
    assert ask({"query": "P(weight | height=180)"}, number_net()).keys() == {"mean", "variance"}
    for wrong in ("P(rain", "P(rian)", "", 3, None, ["P(rain)"]):
        with pytest.raises(DecibanError):
            ask({"query": wrong})
    with pytest.raises(DecibanError, match="not both"):
        ask({"query": "P(rain)", "evidence": {}})


def test_numbers_have_a_mean_and_a_variance():
    found = ask({"targets": "weight", "evidence": {"height": 180}}, number_net())
    expected = number_net().query("weight", {"height": 180})
    assert found == {"mean": expected.mean, "variance": expected.variance}
    both = ask({"targets": ["height", "weight"]}, number_net())
    assert both["covariance"] == number_net().query(["height", "weight"]).covariance.tolist()
    assert ask({"targets": "weight", "actions": {"height": 180}}, number_net())["mean"] == pytest.approx(found["mean"])
    assert set(ask({}, number_net())["marginals"]) == {"height", "weight"}


def test_text_that_spells_a_number_is_that_number():
    asked = [ask({"targets": "weight", "evidence": {"height": value}}, number_net()) for value in (180, "180")]
    assert asked[0] == asked[1]


@pytest.mark.parametrize("wrong", ["tall", True, None, []])
def test_numbers_must_be_numbers(wrong):
    for member in ("evidence", "actions"):
        with pytest.raises(DecibanError, match="not a number"):
            ask({member: {"height": wrong}}, number_net())


def test_tensors_are_the_posteriors_of_each_row():
    adapter = Net(net())
    columns = {"wet": ["yes", "no", None]}
    assert adapter.default_outputs(columns) == ["rain"]
    found = adapter.infer(columns, ["rain"])
    assert found["rain"] == net().predict_proba({"wet": ["yes", "no", None]}, "rain").ravel().tolist()
    numbers = Net(number_net()).infer({"height": [180.0, None]}, ["weight"])["weight"]
    mean = number_net().query("weight").mean
    assert numbers[2] == pytest.approx(mean) and len(numbers) == 4


def test_a_net_describes_its_nodes_and_examples_can_be_asked():
    for model in (net(), number_net()):
        adapter = Net(model)
        assert [node["name"] for node in adapter.describe()["nodes"]] == list(model.dag.nodes)
        assert adapter.query(adapter.example(), MOST)
    assert Net(net()).describe()["nodes"][1] == {"name": "wet", "parents": ["rain"], "states": ["no", "yes"]}


def test_nodes_that_are_not_text_are_named_by_their_text():
    model = db.BayesNet.from_tables([(0, 1)], {0: (0, 1), 1: (0, 1)}, {0: [0.5, 0.5], 1: [[0.9, 0.1], [0.2, 0.8]]})
    assert Net(model).inputs[0].datatype == "INT64"
    assert ask({"targets": "0", "evidence": {"1": 1}}, model)["probabilities"]["1"] == pytest.approx(0.8 / 0.9)


def test_other_answers_of_the_library():
    assert answer_of(True) == {"independent": True} and answer_of(0.25) == {"value": 0.25}
    found = answer_of(net().mpe({"wet": "yes"}))
    assert found["states"] == dict(net().mpe({"wet": "yes"})) and 0 < found["posterior"] <= 1
