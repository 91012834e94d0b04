"""Tables are relative frequencies, smoothed as asked; learning more, joining and forgetting are exact."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import deciban as db
from deciban.errors import (
    ColumnMismatchError,
    GraphError,
    InputError,
    InputTypeError,
    MissingValueError,
    NegativeCountError,
    ParameterError,
    TooLargeError,
    UnfittedError,
    UnseenStateError,
)
from tests.nets.learning.samples import DAYS, SPRINKLER, by_hand

RULES = [(db.MLE(), 0), (db.Laplace(), 1), (db.Jeffreys(), 0.5), (db.Lidstone(0.25), 0.25)]
WEATHER = {"rain": ["no", "no", "no", "yes"], "wet": ["no", "no", "yes", "yes"]}


def weather():
    return db.BayesNet([("rain", "wet")])


def entry(net, node, *states):
    codes = [net.network.code(axis, state) for axis, state in zip((*net.parents[node], node), states, strict=True)]
    return net.tables[node][tuple(codes)]


@pytest.mark.parametrize(("rule", "alpha"), RULES)
def test_tables_of_the_sprinkler_by_hand(rule, alpha):
    net = db.BayesNet(SPRINKLER).fit(DAYS, smoothing=rule)
    for node in SPRINKLER.nodes:
        for states, probability in by_hand(node, net.parents[node], alpha).items():
            assert entry(net, node, *states) == float(probability)


def test_laplace_is_the_default():
    assert db.BayesNet(SPRINKLER).fit(DAYS) == db.BayesNet(SPRINKLER).fit(DAYS, smoothing=db.Laplace())


def test_bdeu_shares_its_rows_out():
    net = db.BayesNet(SPRINKLER).fit(DAYS, smoothing=db.BDeu(8))
    assert entry(net, "wet", "on", "no", "yes") == (3 + 8 / 8) / (3 + 8 / 4)
    assert entry(net, "season", "summer") == (5 + 4) / (10 + 8)


def test_bdeu_gives_equivalent_graphs_one_distribution():
    joint = []
    for arrow in [("rain", "wet"), ("wet", "rain")]:
        net = db.BayesNet([arrow]).fit(WEATHER, smoothing=db.BDeu(3))
        table = net.tables[arrow[0]][:, None] * net.tables[arrow[1]]
        joint.append(table if arrow[0] == "rain" else table.T)
    np.testing.assert_allclose(*joint, rtol=1e-15)


def test_rules_node_by_node():
    net = weather().fit(WEATHER, smoothing={"rain": db.MEstimate(2, [0.25, 0.75])})
    assert entry(net, "rain", "yes") == (1 + 2 * 0.75) / (4 + 2)
    assert entry(net, "wet", "yes", "yes") == 2 / 3
    with pytest.raises(ParameterError, match="'wet': prior has 3"):
        weather().fit(WEATHER, smoothing={"wet": db.MEstimate(2, [0.25, 0.5, 0.25])})
    with pytest.raises(ParameterError, match="not a node"):
        weather().fit(WEATHER, smoothing={"snow": db.MLE()})
    with pytest.raises(ParameterError, match="not 1"):
        weather().fit(WEATHER, smoothing=1)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_any_table_will_do_and_other_columns_are_not_read(make):
    table = make({"id": [[1], [2], [3], [4]], **WEATHER})
    assert weather().fit(table) == weather().fit(WEATHER)


def test_rows_may_be_mappings_or_lists():
    rows = [{"rain": a, "wet": b} for a, b in zip(*WEATHER.values(), strict=True)]
    assert weather().fit(rows) == weather().fit(WEATHER)
    lists = [list(row.values()) for row in rows]
    assert db.BayesNet([("x0", "x1")]).fit(lists).tables["x1"].tolist() == weather().fit(rows).tables["wet"].tolist()
    assert db.BayesNet([(0, 1)]).fit(lists).tables[1].tolist() == weather().fit(rows).tables["wet"].tolist()


def test_states_are_sorted_declared_or_given():
    assert weather().fit(WEATHER).states["rain"] == ("no", "yes")
    declared = pd.Categorical(WEATHER["rain"], categories=["yes", "perhaps", "no"])
    assert weather().fit(pd.DataFrame(WEATHER).assign(rain=declared)).states["rain"] == ("yes", "perhaps", "no")
    enum = pl.DataFrame(WEATHER).with_columns(pl.col("rain").cast(pl.Enum(["yes", "no", "never"])))
    assert weather().fit(enum).states["rain"] == ("yes", "no", "never")
    given = weather().fit(WEATHER, states={"rain": ["yes", "no", "hail"]})
    assert given.states["rain"] == ("yes", "no", "hail")
    assert entry(given, "rain", "hail") == 1 / 7


def test_whole_numbers_with_gaps_are_whole_numbers():
    net = weather().fit({"rain": [0.0, 1.0, np.nan], "wet": [True, False, True]}, missing="skip")
    assert net.states == {"rain": (0, 1), "wet": (False, True)}
    assert [type(state) for state in net.states["rain"]] == [int, int]


@pytest.mark.parametrize(
    ("data", "options", "error", "match"),
    [
        ({"rain": [], "wet": []}, {}, InputError, "no rows"),
        (pd.DataFrame({"rain": [], "wet": []}), {}, InputError, "0 sample"),
        ({"rain": ["no"]}, {}, ColumnMismatchError, "no column 'wet'; it has rain"),
        (pd.DataFrame({"snow": ["no"]}), {}, ColumnMismatchError, "2 of the nodes: 'rain', 'wet'; it has snow"),
        ({"rain": ["no"], "wet": ["no", "yes"]}, {}, InputError, "one length"),
        (pd.DataFrame([["a", "b", "c"]], columns=["rain", "rain", "wet"]), {}, InputError, "same name"),
        (pa.table([["a"], ["b"], ["c"]], names=["rain", "rain", "wet"]), {}, InputError, "two columns"),
        ({"rain": ["no", None], "wet": ["no", "no"]}, {}, MissingValueError, r"'rain'.*row 1.*missing=\"skip\""),
        ({"rain": [None, None], "wet": ["no", "no"]}, {"missing": "skip"}, InputError, "every row is missing"),
        ({"rain": ["no"], "wet": ["no"]}, {"states": {"rain": ["yes"]}}, UnseenStateError, r"'no' \(row 0\)"),
        ({"rain": ["no"], "wet": ["no"]}, {"states": {"snow": ["yes"]}}, ParameterError, "not a node"),
        ({"rain": ["no"], "wet": ["no"]}, {"states": {"rain": "yes"}}, ParameterError, "list of values"),
        ({"rain": ["no"], "wet": ["no"]}, {"states": {"rain": ["no", "no"]}}, ParameterError, "different"),
        ({"rain": ["no"], "wet": ["no"]}, {"states": {"rain": 0}}, ParameterError, "0 states"),
        ({"rain": ["no"], "wet": ["no"]}, {"states": ["no"]}, ParameterError, "mapping"),
        ({"rain": ["no"], "wet": ["no"]}, {"missing": "drop"}, ParameterError, "missing is one of"),
        ({"rain": ["no"], "wet": ["no"]}, {"unseen_parents": "skip"}, ParameterError, "unseen_parents is one of"),
        ({"rain": ["no"], "wet": ["no"]}, {"sample_weight": [-1]}, InputError, "Negative"),
        ({"rain": ["no"], "wet": ["no"]}, {"sample_weight": [0]}, InputError, "every weight is 0"),
        ({"rain": "no", "wet": ["no"]}, {}, InputTypeError, "not a list"),
        ({"rain": np.zeros((2, 2)), "wet": ["no", "no"]}, {}, InputError, "2 dimensions"),
        ({"rain": ["no"], "wet": ["no"]}, {"limit": 0}, ParameterError, "limit is a number"),
        (pl.LazyFrame(WEATHER), {}, InputTypeError, "collect"),
        ("weather.csv", {}, InputTypeError, "a table"),
        (None, {}, InputTypeError, "a table"),
    ],
)  # fmt: skip
def test_bad_input_is_named(data, options, error, match):
    with pytest.raises(error, match=match):
        weather().fit(data, **options)


def test_a_graph_without_nodes_is_refused():
    with pytest.raises(GraphError, match="no nodes"):
        db.BayesNet(db.DAG()).fit(WEATHER)


def test_a_few_fractions_are_states():
    assert weather().fit({"rain": [0.5, 1.5] * 3, "wet": ["no"] * 6}).states["rain"] == (0.5, 1.5)


def test_forty_parents_are_refused_before_memory_is_taken():
    parents = [f"x{i}" for i in range(40)]
    data = {name: ["no", "yes"] for name in [*parents, "y"]}
    with pytest.raises(TooLargeError, match=r"48 TiB, more than the limit of 4 GiB: that of 'y'.*40 parents"):
        db.BayesNet([(parent, "y") for parent in parents]).fit(data)
    with pytest.raises(TooLargeError, match="limit of 100 bytes"):
        weather().fit(WEATHER, limit=100)


def test_seventy_parents_of_one_state_have_too_many_axes():
    parents = [f"x{i}" for i in range(70)]
    with pytest.raises(TooLargeError, match="70 parents"):
        db.BayesNet([(parent, "y") for parent in parents]).fit({name: ["no"] for name in [*parents, "y"]})


def test_constant_columns_and_nodes_of_many_states():
    net = weather().fit({"rain": ["no"] * 600, "wet": [f"{i:03}" for i in range(300)] * 2}, smoothing=db.MLE())
    assert net.tables["wet"].shape == (1, 300)
    assert net.tables["rain"].tolist() == [1.0]


def test_unseen_configurations_are_stated():
    net = db.BayesNet(SPRINKLER).fit(DAYS, states={"season": ["summer", "winter", "spring"]})
    assert net.unseen_parents_.count == 2
    assert dict(net.unseen_parents_)["rain"][0] == {"season": "spring"}
    assert net.unseen_parents_["rain"].possible == 3
    assert "do not occur: 2 of" in net.report()
    assert "rain: 1 of 3, such as season=spring" in net.report()
    assert repr(net).endswith("2 unseen configurations of parents)")


def test_maximum_likelihood_says_nothing_of_what_was_never_counted():
    states = {"rain": ["no", "yes", "hail"]}
    with pytest.raises(InputError, match=r"1 of 3 configurations of the parents of 'wet'.*rain=hail.*uniform"):
        weather().fit(WEATHER, smoothing=db.MLE(), states=states)
    net = weather().fit(WEATHER, smoothing=db.MLE(), states=states, unseen_parents="uniform")
    assert net.tables["wet"][2].tolist() == [0.5, 0.5]
    assert net.smoothed(db.Laplace(), unseen_parents="marginal").tables["wet"][2].tolist() == [0.5, 0.5]
    skewed = weather().fit(
        WEATHER | {"wet": ["no"] * 3 + ["yes"]}, smoothing=db.MLE(), states=states, unseen_parents="marginal"
    )
    assert skewed.tables["wet"][2].tolist() == [0.75, 0.25]
    with pytest.raises(InputError, match="do not occur"):
        weather().fit(WEATHER, states=states, unseen_parents="error")


def test_new_states_make_tables_larger():
    net = weather().fit(WEATHER).partial_fit({"rain": ["hail"], "wet": ["yes"]})
    both = {"rain": [*WEATHER["rain"], "hail"], "wet": [*WEATHER["wet"], "yes"]}
    assert net == weather().fit(both)
    fixed = weather().fit(WEATHER, states={"rain": ["no", "yes"]})
    with pytest.raises(UnseenStateError, match="'hail'"):
        fixed.partial_fit({"rain": ["hail"], "wet": ["yes"]})
    with pytest.raises(ParameterError, match="first call"):
        fixed.partial_fit(WEATHER, states={"rain": ["no", "yes"]})


def test_forgetting_leaves_no_trace():
    net = weather().fit(WEATHER).partial_fit({"rain": ["hail"], "wet": ["yes"]})
    assert net.forget({"rain": ["hail"], "wet": ["yes"]}) == weather().fit(WEATHER)
    with pytest.raises(NegativeCountError, match="'rain' = 'hail' would be -1"):
        net.forget({"rain": ["hail"], "wet": ["yes"]})
    with pytest.raises(NegativeCountError, match="'wet' = 'no' given 'rain' = 'yes'"):
        net.forget({"rain": ["yes"], "wet": ["no"]})
    assert net == weather().fit(WEATHER)
    with pytest.raises(InputError, match="no rows"):
        net.forget(WEATHER)


def test_nets_merge_whatever_the_order_of_their_nodes():
    one = db.BayesNet(SPRINKLER).fit(DAYS)
    other = db.BayesNet(db.DAG(SPRINKLER.directed_edges, SPRINKLER.nodes[::-1])).fit(DAYS)
    assert one.merge(other) == db.BayesNet(SPRINKLER).fit({name: column * 2 for name, column in DAYS.items()})
    with pytest.raises(ColumnMismatchError, match="different graphs"):
        one.merge(weather().fit(WEATHER))
    with pytest.raises(InputTypeError, match="another BayesNet"):
        one.merge(DAYS)


def test_skip_counts_each_family_in_its_complete_rows():
    net = weather().fit({"rain": ["no", None, "no"], "wet": ["no", "yes", None]}, missing="skip")
    assert net.tally_["rain"].tolist() == [2]
    assert net.tally_["wet"].tolist() == [[1, 0]]
    assert net.tally_.totals["wet"].tolist() == [1, 1]


def test_a_column_without_values_keeps_the_states_it_was_given():
    net = weather().fit({"rain": [None, None], "wet": ["no", "yes"]}, missing="skip", states={"rain": ["no", "yes"]})
    assert net.tables["rain"].tolist() == [0.5, 0.5]
    assert net.unseen_parents_.count == 3
    more = net.partial_fit({"rain": ["no", "no"], "wet": [None, None]})
    assert more.tally_["rain"].tolist() == [2, 0]


def test_weights_are_repetitions():
    weighted = weather().fit(WEATHER, sample_weight=[1, 2, 0, 3])
    repeated = weather().fit({name: np.repeat(column, [1, 2, 0, 3]) for name, column in WEATHER.items()})
    assert weighted == repeated


def test_a_net_goes_on_from_its_tally():
    net = db.BayesNet(SPRINKLER).fit(DAYS)
    assert db.BayesNet.from_tally(net.tally_) == net
    assert db.BayesNet.from_tally(net.tally_ + net.tally_.scaled(1.0), smoothing=db.MLE()) == net.smoothed(db.MLE())
    with pytest.raises(ParameterError, match="not negative"):
        net.tally_.scaled(-1)


def test_tables_that_were_given_are_not_overwritten_by_a_batch():
    net = db.BayesNet.from_tables([("rain", "wet")], {"rain": "ab", "wet": "ab"}, {"rain": [0, 1], "wet": np.eye(2)})
    for call in (net.partial_fit, net.forget):
        with pytest.raises(UnfittedError, match="were given"):
            call(WEATHER)
    assert net.fit(WEATHER) == weather().partial_fit(WEATHER)
    with pytest.raises(UnfittedError, match="no counts yet"):
        _ = weather().tally_


def test_a_failed_fit_changes_nothing():
    net = weather().fit(WEATHER)
    kept = copy.deepcopy(net)
    for data in ({"rain": ["no"]}, {"rain": ["no", None], "wet": ["no", "no"]}):
        with pytest.raises(InputError):
            net.partial_fit(data)
        with pytest.raises(InputError):
            net.fit(data)
    assert net == kept
    assert net.tally_ == kept.tally_


def test_a_net_is_pickled_with_its_tally():
    net = db.BayesNet(SPRINKLER).fit(DAYS)
    again = pickle.loads(pickle.dumps(net))  # noqa: S301
    assert again == net
    assert again.tally_ == net.tally_
    assert again.partial_fit(DAYS) == net.partial_fit(DAYS)


def test_a_tally_says_what_it_is_and_cannot_be_changed():
    tally = weather().fit(WEATHER).tally_
    assert repr(tally) == "FamilyTally(4 rows, 2 families, 6 counts)"
    assert tally["wet"].tolist() == [[2, 1], [0, 1]]
    with pytest.raises(ValueError, match="read-only"):
        tally["wet"][0, 0] = 7
