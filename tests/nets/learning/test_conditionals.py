"""Tables and regressions that can be read: labelled, counted, and with the intervals of a textbook on regression."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import deciban as db
from deciban.errors import ParameterError, UnknownNodeError, UnseenStateError
from deciban.nets import MixedNetwork, Regressions
from deciban.nets.learning.conditionals import ConditionalTable, RegressionTable, regressions_of, table_of
from deciban.nets.learning.mixed import estimate_network
from tests.nets.inference.brute import asia
from tests.nets.learning.test_mixed_tally import counted
from tests.nets.learning.test_mixed_tally import people as people_of

DAYS = {"rain": ["no", "no", "no", "yes"], "wet": ["no", "no", "yes", "yes"]}


def test_a_row_is_found_by_its_states_in_any_form():
    dysp = asia().table("dysp")
    assert dysp.parents == ("either", "bronc") and len(dysp) == 4
    rows = [dysp["yes", "no"], dysp[{"bronc": "no", "either": "yes"}]]
    assert rows[0] == rows[1] and rows[0]["yes"] == 0.7
    assert asia().table("asia")[()]["yes"] == asia().table("asia")[{}]["yes"] == 0.01
    assert asia().table("lung")["yes"]["yes"] == 0.1 == asia().table("lung")[("yes",)]["yes"]
    assert [row["yes"] for row in dysp.values()] == [0.9, 0.7, 0.8, 0.1]
    assert ("yes", "no") in dysp and list(dysp)[1] == ("yes", "no")


def test_states_of_other_types_are_found_too():
    net = db.BayesNet.from_tables([(1, 2)], {1: (0, 1), 2: (False, True)}, {1: [0.5, 0.5], 2: [[0.9, 0.1], [0.2, 0.8]]})
    assert net.table(2)["1"][True] == net.table(2)[np.int64(1)][True] == 0.8


def test_what_is_no_row_is_an_error():
    dysp = asia().table("dysp")
    for key in ("yes", ("yes",), {"bronc": "no"}, ("yes", "no", "no")):
        with pytest.raises(ParameterError, match="a state for each of"):
            dysp[key]
    with pytest.raises(UnseenStateError, match="'maybe'"):
        dysp["yes", "maybe"]
    with pytest.raises(UnknownNodeError, match="Did you mean 'dysp'"):
        asia().table("dyspn")


def test_a_fitted_net_says_in_how_many_rows_it_counted():
    net = db.BayesNet([("rain", "wet")]).fit(DAYS)
    assert net.table("wet").rows.tolist() == [3, 1] and net.table("rain").rows == 4
    assert asia().table("lung").rows is None
    lines = str(net.table("wet")).splitlines()
    assert lines == [
        "P(wet | rain)",
        "rain      no     yes  rows",
        "no    0.6000  0.4000     3",
        "yes   0.3333  0.6667     1",
    ]
    assert str(net.table("rain")).splitlines() == ["P(rain)", "    no     yes  rows", "0.6667  0.3333     4"]


def test_frames_have_a_column_for_each_parent_and_state():
    frame = asia().table("dysp").to_frame()
    assert list(frame.columns) == ["either", "bronc", "yes", "no"] and frame["yes"].tolist() == [0.9, 0.7, 0.8, 0.1]
    assert frame["bronc"].tolist() == ["yes", "no", "yes", "no"]
    assert db.BayesNet([("rain", "wet")]).fit(DAYS).table("wet").to_frame()["rows"].tolist() == [3, 1]
    assert asia().table("asia").to_frame().shape == (1, 2)
    odd = db.BayesNet.from_tables(
        [("rows", "x")], {"rows": ("rows", "x"), "x": ("rows", "x")}, {"rows": [1, 0], "x": [[1, 0], [0, 1]]}
    )
    assert list(odd.table("x").to_frame().columns) == ["rows", "rows_", "x"]


def test_large_tables_are_cut_where_they_are_shown_only():
    dag = db.DAG([(f"p{i}", "x") for i in range(6)])
    states = dict.fromkeys(dag.nodes, ("no", "yes"))
    tables = {node: [0.5, 0.5] for node in dag.nodes} | {"x": np.full((2,) * 7, 0.5)}
    table = db.BayesNet.from_tables(dag, states, tables).table("x")
    assert str(table).endswith("… and 44 more configurations") and "44 more" in table._repr_html_()
    assert len(table.to_frame()) == len(table) == 64


def test_pages_are_escaped_and_shaded_by_probability():
    net = db.BayesNet.from_tables(
        [("<a>", "b")], {"<a>": ("&", "x"), "b": ("<", ">")}, {"<a>": [0.5, 0.5], "b": [[1, 0], [0, 1]]}
    )
    page = net.table("b")._repr_html_()
    assert "<a>" not in page and "&lt;a&gt;" in page and "rgba(43,123,186,0.60)" in page


def test_bins_are_named_and_found_by_a_number_in_them():
    net = MixedNetwork(
        db.DAG([("age", "ill")]),
        {"ill": ("no", "yes")},
        {"ill": [[0.9, 0.1], [0.7, 0.3], [0.2, 0.8]]},
        {"age": Regressions((), (), 40.0, [], 100.0)},
        {"ill": {"age": [20.0, 65.0]}},
    )
    table = table_of(net, "ill")
    assert list(table) == [("≤ 20",), ("20 to 65",), ("> 65",)]
    assert [table[age]["yes"] for age in (20, 20.5, 65.0, 70)] == [0.1, 0.3, 0.3, 0.8]
    assert table["> 65"]["yes"] == table[{"age": 66}]["yes"] == 0.8


@pytest.fixture
def bodies():
    rng = np.random.default_rng(0)
    height, age = rng.normal(170, 10, 60), rng.normal(40, 12, 60)
    return {"height": height, "age": age, "weight": -80 + 0.9 * height + 0.1 * age + rng.normal(0, 4, 60)}


GRAPH = db.DAG([("height", "weight"), ("age", "weight")])


def test_intervals_are_those_of_ordinary_least_squares(bodies):
    table = db.GaussianNet(GRAPH).fit(bodies).table("weight")
    x = np.column_stack([np.ones(60), bodies["height"], bodies["age"]])
    inverse = np.linalg.inv(x.T @ x)
    beta = inverse @ x.T @ bodies["weight"]
    errors = np.sqrt(np.diag(inverse) * ((bodies["weight"] - x @ beta) ** 2).sum() / 57)
    for level in (0.5, 0.95):
        half = stats.t.ppf(0.5 + level / 2, 57) * errors
        found = table.intervals(level=level)
        assert list(found) == ["intercept", "height", "age"]
        assert np.array(list(found.values())) == pytest.approx(np.column_stack([beta - half, beta + half]), rel=1e-9)


def test_the_mean_of_a_node_without_parents_has_its_t_interval(bodies):
    found = db.GaussianNet(GRAPH).fit(bodies).table("age").intervals()["intercept"]
    assert found == pytest.approx(stats.t.interval(0.95, 59, bodies["age"].mean(), stats.sem(bodies["age"])))


def test_equations_are_readable(bodies):
    table = db.GaussianNet.from_parameters(
        GRAPH,
        {
            "height": db.LinearGaussian(170.0, {}, 100.0),
            "age": db.LinearGaussian(40.0),
            "weight": db.LinearGaussian(-80.0, {"height": 0.9, "age": -12345.678}, 16.0),
        },
    ).table("weight")
    assert table.equation() == "weight = -80 + 0.9·height - 12,346·age, sd 4"
    assert repr(table) == f"RegressionTable({table.equation()})" and table[()].coefficients["height"] == 0.9
    assert not table.has_intervals and "intervals" not in str(table)
    with pytest.raises(ParameterError, match="not estimated from complete rows"):
        table.intervals()


def test_undetermined_coefficients_have_no_bounds(bodies):
    twice = bodies | {"age": 2 * bodies["height"]}
    found = db.GaussianNet(GRAPH).fit(twice).table("weight").intervals()
    assert found["height"] == found["age"] == (-np.inf, np.inf) and np.isfinite(found["intercept"]).all()
    constant = db.GaussianNet(GRAPH).fit(bodies | {"age": np.full(60, 3.0)}).table("weight").intervals()
    assert constant["age"] == constant["intercept"] == (-np.inf, np.inf) and np.isfinite(constant["height"]).all()
    few = db.GaussianNet(GRAPH).fit({name: values[:3] for name, values in bodies.items()}).table("weight")
    assert set(few.intervals().values()) == {(-np.inf, np.inf)} and "[-∞, ∞]" in str(few)
    exact = (
        db.GaussianNet([("height", "weight")]).fit({"height": [1.0, 2, 3, 4], "weight": [3.0, 5, 7, 9]}).table("weight")
    )
    assert exact.intervals() == {"intercept": pytest.approx((1, 1)), "height": pytest.approx((2, 2))}


def test_expected_moments_have_no_intervals(bodies):
    missing = bodies | {"age": np.where(np.arange(60) < 5, np.nan, bodies["age"])}
    assert not db.GaussianNet(GRAPH).fit(missing, missing="em").table("weight").has_intervals
    assert db.GaussianNet(GRAPH).fit(missing, missing="skip").table("weight").has_intervals
    assert db.GaussianNet(GRAPH).fit(bodies, missing="em").table("weight").has_intervals


def test_regressions_of_each_configuration():
    regressions = Regressions(("sex",), ("height",), [-90.0, -85.0], [[0.9], [0.95]], [1.0, 4.0])
    table = RegressionTable("weight", [("sex", ("f", "m"))], regressions)
    assert table["m"] == db.LinearGaussian(-85.0, {"height": 0.95}, 4.0) == table[{"sex": "m"}]
    title, *lines = str(table).splitlines()
    assert title == "P(weight | sex, height)"
    assert lines == ["sex=f:  weight = -90 + 0.9·height, sd 1", "sex=m:  weight = -85 + 0.95·height, sd 2"]
    assert repr(table) == "RegressionTable(P(weight | sex, height): 2 regressions)"
    frame = table.to_frame()
    assert frame.to_dict("list") == {"sex": ["f", "m"], "intercept": [-90, -85], "height": [0.9, 0.95], "sd": [1, 2]}
    assert isinstance(frame, pd.DataFrame) and "sex=m" in table._repr_html_()


def test_values_are_not_changed_from_outside():
    table = ConditionalTable("x", [("x", ("a", "b"))], [0.25, 0.75])
    with pytest.raises(ValueError, match="read-only"):
        table.probabilities[0] = 1


@pytest.mark.parametrize("shrinkage", [0.0, 5.0])
def test_regressions_of_configurations_have_the_intervals_of_their_posterior(shrinkage):
    people = people_of(200)
    tally = counted(people)
    network = estimate_network(tally, db.Laplace(), "prior", shrinkage)
    table = regressions_of(network, "weight", tally.moments["weight"], shrinkage=shrinkage)
    everybody = np.column_stack([np.ones(200), people["height"]])
    line = np.linalg.lstsq(everybody, people["weight"], rcond=None)[0]
    left = ((people["weight"] - everybody @ line) ** 2).sum()
    groups = {diet: everybody[people["diet"] == diet] for diet in "abc"}
    lefts = [np.linalg.lstsq(x, people["weight"][people["diet"] == diet], rcond=None)[1] for diet, x in groups.items()]
    within = float(sum(lefts)[0]) / (200 - 6)
    for diet, x in groups.items():
        y = people["weight"][people["diet"] == diet]
        # Rows on the common line, of the weight that the shrinkage gives them.
        strength = shrinkage * within / (left / 200)
        precision = x.T @ x + strength * everybody.T @ everybody / 200
        beta = np.linalg.solve(precision, x.T @ y + strength * everybody.T @ everybody @ line / 200)
        if shrinkage:
            degrees, variance = len(y) + shrinkage, table[diet].variance
        else:
            degrees, variance = len(y) - 2, ((y - x @ beta) ** 2).sum() / (len(y) - 2)
        half = stats.t.ppf(0.975, degrees) * np.sqrt(variance * np.diag(np.linalg.inv(precision)))
        found = np.array(list(table.intervals(diet).values()))
        assert found == pytest.approx(np.column_stack([beta - half, beta + half]), rel=1e-6)
    assert str(table).splitlines()[1].startswith("diet=a:  weight = ") and "rows)" in str(table)


def test_a_configuration_without_rows_has_no_bounds_without_a_prior():
    people = people_of(60)
    people["diet"][people["diet"] == "c"] = "a"
    tally = counted(pd.DataFrame(people).assign(diet=pd.Categorical(people["diet"], ["a", "b", "c"])))
    for shrinkage, is_known in ((0.0, False), (5.0, True)):
        network = estimate_network(tally, db.Laplace(), "prior", shrinkage)
        found = regressions_of(network, "weight", tally.moments["weight"], shrinkage=shrinkage).intervals("c")
        assert np.isfinite(list(found.values())).all() == is_known
    alone = regressions_of(network, "weight")
    assert not alone.has_intervals and alone["a"] == alone[("a",)]


def test_a_net_of_both_kinds_shows_tables_and_regressions():
    people = people_of(200)
    net = db.BayesNet(db.DAG([("diet", "weight"), ("height", "weight"), ("weight", "ill")])).fit(people)
    assert isinstance(net.table("weight"), RegressionTable) and net.table("weight").has_intervals
    assert net.table("weight")["a"] == regressions_of(net.network, "weight")["a"]
    ill = net.table("ill")
    assert ill.rows.sum() == 200 and ill[60.0] == ill[next(iter(ill))]
    given = db.BayesNet.of(net.network)
    assert not given.table("weight").has_intervals and given.table("ill").rows is None
    assert given.table("ill")[60.0] == ill[60.0]
    people["height"][:3] = np.nan
    expected = db.BayesNet(net.dag).fit(people, missing="em")
    assert not expected.table("weight").has_intervals and expected.table("ill").rows is not None
    numbers = db.BayesNet(GRAPH).fit(
        {"height": people["weight"], "age": people["weight"] ** 2, "weight": people["weight"]}
    )
    assert str(numbers.table("height")) == str(db.GaussianNet.from_tally(numbers.tally_).table("height"))
