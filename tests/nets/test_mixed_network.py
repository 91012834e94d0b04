"""A net of categories and numbers that is wrong is refused, and says where it is wrong."""

import pickle

import numpy as np
import pytest

import deciban as db
from deciban.errors import NetworkError, UnknownNodeError, UnseenStateError
from deciban.nets import DAG, MixedNetwork, Network, Regressions
from deciban.nets.mixed_network import bin_names

SEX = {"sex": ("f", "m"), "tall": ("no", "yes")}
GRAPH = DAG([("sex", "height"), ("sex", "tall"), ("height", "tall")], ["sex", "height", "tall"])
TALL = [[[0.9, 0.1], [0.2, 0.8]], [[0.8, 0.2], [0.1, 0.9]]]
TABLES = {"sex": [0.5, 0.5], "tall": TALL}
HEIGHT = Regressions(("sex",), (), [165.0, 178.0], [[], []], [40.0, 50.0])
CUTS = {"tall": {"height": [175.0]}}


def made(tables=TABLES, regressions=HEIGHT, cuts=CUTS, states=SEX):
    return MixedNetwork(GRAPH, states, tables, {"height": regressions}, cuts)


def test_nodes_without_states_are_numbers():
    net = made()
    assert (net.categories, net.numbers) == (("sex", "tall"), ("height",))
    assert net.is_number("height") and not net.is_number("sex")
    assert net.parents["tall"] == ("sex", "height")
    assert repr(net) == "MixedNetwork(3 nodes, 3 arrows: 2 categories, 1 number)"
    with pytest.raises(UnknownNodeError):
        net.is_number("weight")


def test_parameters_are_those_of_tables_and_regressions():
    # sex 1, tall 4 rows of one free probability, height two configurations of an intercept and a variance.
    assert made().n_parameters == 1 + 4 + 2 * 2


def test_a_net_of_categories_is_a_mixed_net_with_axes_in_the_order_of_the_graph():
    dag = DAG([("a", "c"), ("b", "c")], ["a", "b", "c"])
    states = {"a": (0, 1), "b": (0, 1, 2), "c": (0, 1)}
    table = np.random.default_rng(0).dirichlet(np.ones(2), size=(3, 2))
    given = Network(dag, states, {"a": [0.5, 0.5], "b": [0.2, 0.3, 0.5], "c": table}, {"c": ("b", "a")})
    mixed = MixedNetwork.of(given)
    assert mixed.parents["c"] == ("a", "b")
    assert np.array_equal(mixed.tables["c"], table.transpose(1, 0, 2))
    assert mixed.n_parameters == given.n_parameters


def test_states_are_found_in_other_types_and_numbers_have_none():
    net = made(states={"sex": (0, 1), "tall": ("no", "yes")})
    assert net.code("sex", "1") == 1
    with pytest.raises(UnseenStateError, match="its states are: 'no', 'yes'"):
        net.code("tall", "maybe")
    with pytest.raises(NetworkError, match="'height' is a number"):
        net.code("height", 170)


def test_tables_name_the_bin_in_which_a_row_is_wrong():
    wrong = np.array(TALL)
    wrong[1, 0] = [0.5, 0.6]
    with pytest.raises(NetworkError, match=r"sums to 1\.1 given sex=m, height=≤ 175"):
        made({**TABLES, "tall": wrong})


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"cuts": {}}, "there are no cuts of the number 'height' for the table of 'tall'"),
        ({"cuts": {"tall": {"height": [3.0, 2.0]}}}, "increasing numbers"),
        ({"cuts": {"tall": {"height": [np.nan]}}}, "not all finite"),
        ({"cuts": {"tall": {"height": [1.0, 2.0]}}}, r"needs \(2, 3, 2\)"),
        ({"tables": {"sex": [0.5, 0.5]}}, "no table for 'tall'"),
        ({"regressions": Regressions((), (), 1.0, [], 1.0)}, "its parents, the categories first"),
        ({"regressions": Regressions(("sex",), (), [1.0] * 3, [[]] * 3, [1.0] * 3)}, r"they need \(2,\)"),
    ],
)
def test_what_does_not_fit_is_refused(changed, says):
    with pytest.raises(NetworkError, match=says):
        made(**changed)


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ((("a",), (), 1.0, [], 1.0), "an axis for each"),
        (((), ("z",), 1.0, [], 1.0), "1 numeric parents"),
        (((), (), 1.0, [], -1.0), "not negative"),
        (((), (), np.inf, [], 1.0), "intercepts are not all finite"),
        (((), (), "high", [], 1.0), "not an array of numbers"),
    ],
)
def test_regressions_that_are_inconsistent_are_refused(parts, says):
    with pytest.raises(NetworkError, match=says):
        Regressions(*parts)


def test_a_mixed_network_is_equal_to_its_copy_and_cannot_be_written_to():
    net = made()
    assert pickle.loads(pickle.dumps(net)) == net  # noqa: S301
    assert made(cuts={"tall": {"height": [176.0]}}) != net
    assert made(regressions=Regressions(("sex",), (), [165.0, 177.0], [[], []], [40.0, 50.0])) != net
    for array in (net.tables["tall"], net.cuts["tall"]["height"], HEIGHT.intercepts, net.factors["tall"]):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_bins_are_named_by_their_ends():
    assert bin_names(np.array([20.0, 65.0])) == ("≤ 20", "20 to 65", "> 65")
    assert bin_names(np.array([])) == ("any",)


def test_regressions_show_their_configurations():
    assert repr(HEIGHT) == "Regressions(2 configurations of sex, constant)"
    assert repr(Regressions((), ("z",), 1.0, [2.0], 1.0)) == "Regressions(on z)"
    assert db.nets.Regressions is Regressions
