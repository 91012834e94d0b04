"""Questions to a net of categories and numbers."""

import pytest

from deciban.nets import DAG, Between, MixedNetwork, Regressions
from deciban.nets.inference.ask import answer_rows, answer_states, parse_question
from deciban.nets.inference.mixed_queries import MixedQueries
from tests.nets.inference.ask.pointing import check_refused

NETWORK = MixedNetwork(
    DAG([("sex", "height"), ("height", "weight")]),
    {"sex": ("f", "m")},
    {"sex": [0.5, 0.5]},
    {
        "height": Regressions(("sex",), (), [165.0, 178.0], [[], []], [40.0, 50.0]),
        "weight": Regressions((), ("height",), -90.0, [0.9], 60.0),
    },
)


class Net:
    """What ``answer_states`` needs of a net."""

    nodes, states = NETWORK.nodes, NETWORK.states
    queries = MixedQueries(NETWORK)

    def query(self, targets, evidence=None):
        return self.queries.posterior(targets, self.queries.read(evidence))

    def map(self, targets, evidence=None):
        return self.queries.most_probable_states(targets, self.queries.read(evidence))

    def ask(self, question):
        return answer_states(self, question)


NET = Net()


def test_a_comparison_of_a_number_is_a_probability():
    height = NET.query("height")
    assert NET.ask("P(height > 180)") == pytest.approx(height.sf(180))
    assert NET.ask("P(height >= 180)") == pytest.approx(height.sf(180))
    assert NET.ask("P(height <= 180 | sex=m)") == pytest.approx(NET.query("height", {"sex": "m"}).cdf(180))


def test_a_comparison_as_a_condition_is_an_interval():
    expected = NET.query("sex", {"height": Between(180, None)})
    assert NET.ask("P(sex | height > 180)").as_array() == pytest.approx(expected.as_array())
    assert NET.ask("P(sex=m | height < 150)") == pytest.approx(NET.query("sex", {"height": (None, 150)})["m"])
    assert NET.ask("E(weight | height > 180)") == NET.query("weight", {"height": (180, None)}).mean


def test_expected_values_and_most_probable_states():
    assert NET.ask("E(height)") == pytest.approx(171.5)
    assert NET.ask("argmax P(sex | weight=90)")["sex"] == "m"


def test_one_value_of_a_number_has_no_probability():
    check_refused(NET, "P(height=180)", 9, "one value of a number has probability 0")
    check_refused(NET, "P(sex | height > tall)", 17, "'height' is compared with a number, not with 'tall'")
    check_refused(NET, "P(sex | height = tall)", 17, "the value of 'height' is a number, not 'tall'")


def test_the_rows_of_an_answer_have_moments_of_numbers():
    def rows(text):
        return answer_rows(parse_question(text), NET.ask(text))

    assert rows("P(height)") == [{"node": "height", "mean": 171.5, "sd": pytest.approx(NET.query("height").sd)}]
    joint = rows("P(sex, height, weight)")
    assert joint[1]["sex"] == "m"
    assert joint[1]["mean of weight"] == pytest.approx(178 * 0.9 - 90)
    assert rows("P(height, weight)")[0]["covariance with weight"] == pytest.approx(0.9 * NET.query("height").variance)
