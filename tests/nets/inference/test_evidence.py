"""Evidence is checked when it is read, and errors name what is wrong."""

import pytest

from deciban.errors import InputError, ParameterError, UnknownNodeError, UnseenStateError
from tests.nets.inference.brute import asia


@pytest.mark.parametrize(
    ("ask", "error", "said"),
    [
        (lambda net: net.query("rain"), UnknownNodeError, "no node 'rain'"),
        (lambda net: net.query(["lung", "rain"]), UnknownNodeError, "no node 'rain'"),
        (lambda net: net.query([]), ParameterError, "one or more"),
        (lambda net: net.query(["lung", "lung"]), ParameterError, "different nodes"),
        (
            lambda net: net.query("lung", {"xray": "maybe"}),
            UnseenStateError,
            "no state 'maybe'; its states",
        ),
        (lambda net: net.query("lung", {"snow": "yes"}), UnknownNodeError, "snow"),
        (lambda net: net.query("lung", ["xray"]), InputError, "a mapping such as"),
        (lambda net: net.query("lung", {"lung": "yes"}), ParameterError, "target, but it is also observed to be 'yes'"),
        (lambda net: net.map(["lung", "tub"], {"tub": "no"}), ParameterError, "'tub' is a target"),
        (lambda net: net.query("lung", likelihoods=["xray"]), InputError, "likelihoods are a mapping"),
        (lambda net: net.query("lung", likelihoods={"xray": {"yes": 1}}), ParameterError, "leave out 'no'"),
        (lambda net: net.query("lung", likelihoods={"xray": {"yes": 1, "no": -1}}), ParameterError, "not negative"),
        (lambda net: net.query("lung", likelihoods={"xray": [0, 0]}), ParameterError, "one of them above 0"),
        (lambda net: net.query("lung", likelihoods={"xray": "yes"}), ParameterError, "finite number"),
        (lambda net: net.query("lung", likelihoods={"xray": [1, float("nan")]}), ParameterError, "finite"),
        (lambda net: net.query("lung", likelihoods={"xray": {"maybe": 1, "yes": 1}}), UnseenStateError, "maybe"),
    ],
)
def test_bad_questions_are_one_clear_error(ask, error, said):
    with pytest.raises(error, match=said):
        ask(asia())


def test_likelihoods_are_evidence_from_a_child():
    """A witness who says "yes" is a node of its own that was observed."""
    net = asia()
    heard = net.query("lung", {"smoke": "yes"}, likelihoods={"either": {"yes": 0.98, "no": 0.05}})
    seen = net.query("lung", {"smoke": "yes", "xray": "yes"})
    assert heard["yes"] == pytest.approx(seen["yes"], abs=1e-15)
    listed = net.query("lung", {"smoke": "yes"}, likelihoods={"either": [0.98, 0.05]})
    assert listed == heard


def test_sure_likelihoods_are_hard_evidence():
    net = asia()
    assert net.query("lung", likelihoods={"xray": [1, 0]})["yes"] == pytest.approx(
        net.query("lung", {"xray": "yes"})["yes"]
    )
    assert net.probability(likelihoods={"xray": [1, 0]}) == pytest.approx(net.probability({"xray": "yes"}))
    both = net.probability({"xray": "yes"}, likelihoods={"xray": [0.5, 0.25]})
    assert both == pytest.approx(net.probability({"xray": "yes"}) / 2)
