"""One BayesNet for any table: categories, numbers, and both, with missing values."""

import pickle
import sqlite3

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import deciban as db
from deciban.errors import ColumnMismatchError, InputError, ParameterError, UnfittedError
from deciban.nets import GaussianTally, MixedNetwork, MixedTally, Network

ARROWS = [("sex", "height"), ("height", "weight"), ("diet", "weight"), ("weight", "ill"), ("sex", "ill")]


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    sex, diet = rng.choice(["f", "m"], n), rng.choice(["a", "b", "c"], n)
    height = np.where(sex == "f", 165.0, 178.0) + rng.normal(size=n) * 7
    weight = np.where(diet == "a", 0.0, 5.0) + 0.9 * height - 90 + rng.normal(size=n) * 5
    ill = np.where(weight + rng.normal(size=n) * 10 > 75, "yes", "no")
    return {"sex": sex, "diet": diet, "height": height, "weight": weight, "ill": ill}


def rows_of(table, kept):
    return {name: values[kept] for name, values in table.items()}


def holed(table, share, seed=1):
    rng = np.random.default_rng(seed)
    out = {}
    for name, values in table.items():
        column = values.astype(object)
        column[rng.random(len(column)) < share] = None
        out[name] = column.tolist()
    return out


@pytest.fixture(scope="module")
def table():
    return people(2000)


@pytest.fixture(scope="module")
def net(table):
    return db.BayesNet(ARROWS).fit(table)


def test_each_node_is_what_its_column_holds(net):
    assert net.schema_.kinds == {
        "sex": "category", "height": "number", "weight": "number", "diet": "category", "ill": "category",
    }  # fmt: skip
    assert net.schema_["sex"].reason == "labels"
    assert net.schema_["weight"].distribution == "linear on height, 3 configurations of diet"
    assert "bins" in net.schema_["ill"].distribution
    assert repr(net.schema_) == "NetSchema(5 nodes: 3 categories, 2 numbers)"
    assert "<table" in net.schema_._repr_html_()
    assert repr(net) == "BayesNet(5 nodes, 5 arrows: 3 categories, 2 numbers)"
    assert isinstance(net.network, MixedNetwork) and isinstance(net.tally_, MixedTally)


def test_tables_of_one_kind_give_what_they_always_gave(table):
    labels = {name: table[name] for name in ("sex", "ill")}
    assert isinstance(db.BayesNet([("sex", "ill")]).fit(labels).network, Network)
    numbers = {name: table[name] for name in ("height", "weight")}
    found = db.BayesNet([("height", "weight")]).fit(numbers)
    assert isinstance(found.tally_, GaussianTally)
    peer = db.GaussianNet([("height", "weight")]).fit(numbers)
    assert found.tally_ == peer.tally_
    assert found.regressions["weight"].slopes.tolist() == [peer.parameters["weight"].coefficients["height"]]
    answer, expected = found.query("weight", {"height": 170}), peer.query("weight", {"height": 170})
    assert answer.mean == pytest.approx(expected.mean) and answer.sd == pytest.approx(expected.sd)


def test_columns_decide(table):
    marks = {"mark": np.arange(60) % 30, "pass": ["no", "yes"] * 30}
    assert db.BayesNet([("pass", "mark")]).fit(marks).schema_["mark"].kind == "category"
    found = db.BayesNet([("pass", "mark")]).fit(marks, columns={"mark": "number"})
    assert found.schema_["mark"] == db.nets.NodePlan("mark", "number", "normal, 2 configurations of pass", "as given")
    with pytest.raises(ParameterError, match="columns names 'marks'"):
        db.BayesNet([("pass", "mark")]).fit(marks, columns={"marks": "number"})
    with pytest.raises(ParameterError, match="category"):
        db.BayesNet([("pass", "mark")]).fit(marks, columns={"mark": "integer"})
    counted = db.BayesNet([("sex", "height")]).fit(rows_of(table, slice(0, 50)), columns={"height": "category"})
    assert len(counted.states["height"]) == 50


def test_whole_numbers_of_few_values_are_numbers_beside_numbers():
    rng = np.random.default_rng(0)
    table = {"age": rng.integers(20, 60, 500), "wage": rng.normal(size=500), "sex": rng.choice(["f", "m"], 500)}
    found = db.BayesNet([("age", "wage"), ("sex", "wage")]).fit(table).schema_
    assert found.kinds == {"age": "number", "wage": "number", "sex": "category"}
    del table["wage"]
    assert db.BayesNet([("age", "sex")]).fit(table).schema_["age"].kind == "category"


def test_whole_numbers_with_missing_values_are_read_as_those_without():
    """A missing value makes pandas read whole numbers as floats."""
    rng = np.random.default_rng(0)
    sex, wage = np.where(rng.random(300) < 0.5, "f", "m"), rng.normal(20, 5, 300)
    whole = rng.integers(18, 60, 300)
    gaps = np.where(rng.random(300) < 0.1, np.nan, whole)
    for age in (whole, gaps):
        table = {"age": age, "sex": sex, "wage": wage}
        net = db.BayesNet([("sex", "wage"), ("age", "wage")]).fit(table, missing="skip")
        assert net.schema_["age"].kind == "number"
        notes = db.search(table, missing="skip").notes
        assert any(note.startswith("read as numbers: age (42 different numbers)") for note in notes)


def test_cuts_are_given_or_found_or_refused(table, net):
    assert 2 <= len(net.cuts["ill"]["weight"]) + 1 <= 8
    given = db.BayesNet(ARROWS).fit(table, cuts={"ill": {"weight": [60, 80]}})
    assert given.cuts["ill"]["weight"].tolist() == [60.0, 80.0]
    assert given.tables["ill"].shape == (2, 3, 2)
    own = given.tables["ill"][0, 1]
    rows = (table["sex"] == "f") & (table["weight"] > 60) & (table["weight"] <= 80)
    assert own[1] == pytest.approx(((table["ill"] == "yes")[rows].sum() + 1) / (rows.sum() + 2))
    with pytest.raises(InputError, match="'ill' is a category, and its parent 'weight' is a number"):
        db.BayesNet(ARROWS).fit(table, cut="error")
    for cuts, says in [
        ({"ill": {"weight": [2, 1]}}, "numbers that rise"),
        ({"ill": {"height": [2]}}, "not a parent of it that is a number"),
        ({"il": {}}, "not a node of the graph"),
        ([1], "cuts is a mapping"),
    ]:
        with pytest.raises(ParameterError, match=says):
            db.BayesNet(ARROWS).fit(table, cuts=cuts)


def test_regressions_agree_with_least_squares(table):
    found = db.BayesNet(ARROWS).fit(table, shrinkage=0).regressions["weight"]
    near = db.BayesNet(ARROWS).fit(table).regressions["weight"]
    for j, diet in enumerate(("a", "b", "c")):
        own = table["diet"] == diet
        line = np.polyfit(table["height"][own], table["weight"][own], 1)
        assert found.slopes[j, 0] == pytest.approx(line[0], rel=1e-9)
        assert found.intercepts[j] == pytest.approx(line[1], rel=1e-9)
        assert near.slopes[j, 0] == pytest.approx(line[0], rel=0.01)


def same(a, b, rtol=1e-12):
    assert a.dag == b.dag and a.states == b.states
    for node, tables in a.tables.items():
        np.testing.assert_allclose(tables, b.tables[node], rtol=rtol)
    for node, line in a.regressions.items():
        np.testing.assert_allclose(line.slopes, b.regressions[node].slopes, rtol=1e-9)
        np.testing.assert_allclose(line.variances, b.regressions[node].variances, rtol=1e-9)


def test_batches_merging_and_forgetting(table, net):
    cuts = net.cuts
    batches = db.BayesNet(ARROWS)
    for part in (slice(0, 700), slice(700, 1500), slice(1500, 2000)):
        batches.partial_fit(rows_of(table, part), cuts=cuts if part.start == 0 else None)
    same(batches, net)
    one = db.BayesNet(ARROWS).fit(rows_of(table, slice(0, 700)), cuts=cuts)
    other = db.BayesNet(ARROWS).fit(rows_of(table, slice(700, 2000)), cuts=cuts)
    same(one.merge(other), net)
    same(batches.forget(rows_of(table, slice(0, 700))), other)
    with pytest.raises(ParameterError, match="fixed by the first call"):
        batches.partial_fit(rows_of(table, slice(0, 5)), cuts=cuts)
    with pytest.raises(ColumnMismatchError, match=r"fit\(data, cuts=first\.cuts\)"):
        one.merge(db.BayesNet(ARROWS).fit(table, cuts={"ill": {"weight": [70]}}))
    labels = {name: values.astype(str) if name == "height" else values for name, values in people(20).items()}
    with pytest.raises(InputError, match=r"columns=first\.schema_\.kinds"):
        one.merge(db.BayesNet(ARROWS).fit(labels, columns={"weight": "category", "height": "category"}))


def test_weights_are_copies_of_rows(table, net):
    few = rows_of(table, slice(0, 300))
    weights = np.arange(300) % 3
    copied = {name: np.repeat(values, weights) for name, values in few.items()}
    same(
        db.BayesNet(ARROWS).fit(few, sample_weight=weights, cuts=net.cuts),
        db.BayesNet(ARROWS).fit(copied, cuts=net.cuts),
    )


def test_missing_values_are_refused_left_out_or_summed_out(table, net):
    gaps = holed(table, 0.1)
    with pytest.raises(InputError, match="missing value"):
        db.BayesNet(ARROWS).fit(gaps)
    skipped = db.BayesNet(ARROWS).fit(gaps, missing="skip", cuts=net.cuts)
    summed = db.BayesNet(ARROWS).fit(gaps, missing="em", cuts=net.cuts)
    assert summed.em_.is_converged
    gains = np.diff(summed.em_.objectives)
    assert (gains > -1e-2).all() and summed.log_likelihoods_[-1] > summed.log_likelihoods_[0]
    for found in (skipped, summed):
        np.testing.assert_allclose(found.regressions["weight"].slopes, net.regressions["weight"].slopes, atol=0.06)
        np.testing.assert_allclose(found.tables["sex"], net.tables["sex"], atol=0.03)
    assert summed.log_likelihood(gaps) == pytest.approx(summed.log_likelihoods_[-1], rel=1e-9)
    assert summed.log_likelihood(gaps) > skipped.log_likelihood(gaps)
    with pytest.raises(ParameterError, match="expectation maximization"):
        summed.partial_fit(table)
    assert db.BayesNet(ARROWS).fit(table, missing="em", cuts=net.cuts).em_.iterations == 0


def test_a_hidden_category_is_found():
    rng = np.random.default_rng(2)
    group = rng.random(600) < 0.4
    table = {
        "x": np.where(group, 6.0, 0.0) + rng.normal(size=600),
        "y": np.where(group, 3.0, 0.0) + rng.normal(size=600),
    }
    found = db.BayesNet([("g", "x"), ("g", "y")]).fit(
        table, missing="em", states={"g": 2}, starts=4, random_state=0, max_iter=500
    )
    assert sorted(found.regressions["x"].intercepts.round(0).tolist()) == [0, 6]
    assert sorted(found.tables["g"].tolist())[0] == pytest.approx(group.mean(), abs=0.03)


def test_a_net_is_equal_to_what_is_saved_read_and_pickled(net, tmp_path):
    db.save(net, tmp_path / "net.deciban")
    again = db.load(tmp_path / "net.deciban")
    assert again == net and again.tally_ == net.tally_ and again.schema_ == net.schema_
    assert again.settings_ == net.settings_
    again.partial_fit(people(10, seed=9))
    assert again != net
    assert pickle.loads(pickle.dumps(net)) == net  # noqa: S301
    db.save(net.tally_, tmp_path / "tally.deciban")
    assert db.load(tmp_path / "tally.deciban") == net.tally_
    net.write(tmp_path / "net.json")
    assert db.read_net(tmp_path / "net.json") == net
    assert db.BayesNet.from_json(net.to_json()) == net
    db.save(db.read_net(tmp_path / "net.json"), tmp_path / "given.deciban")
    assert db.load(tmp_path / "given.deciban") == net
    with pytest.raises(ParameterError, match=r"holds tables only.*\.json"):
        net.write(tmp_path / "net.bif")
    with pytest.raises(UnfittedError, match="were given"):
        _ = db.read_net(tmp_path / "net.json").tally_
    assert db.BayesNet.from_tally(net.tally_) == net


def test_a_number_without_parents_is_saved_after_merging_and_em(table, tmp_path):
    arrows = [("age", "ill"), ("sex", "ill")]
    rng = np.random.default_rng(4)
    rows = {"sex": table["sex"], "ill": table["ill"], "age": rng.normal(40, 9, len(table["sex"]))}
    merged = db.BayesNet(arrows).fit(rows_of(rows, slice(0, 900))).partial_fit(rows_of(rows, slice(900, None)))
    summed = db.BayesNet(arrows).fit(holed(rows, 0.1), missing="em", columns={"age": "number"})
    for fitted in (merged, summed):
        db.save(fitted, tmp_path / "net.deciban")
        assert db.load(tmp_path / "net.deciban") == fitted


def test_numbers_alone_are_saved_and_read_too(table, tmp_path):
    found = db.BayesNet([("height", "weight")]).fit({name: table[name] for name in ("height", "weight")})
    db.save(found, tmp_path / "net.deciban")
    again = db.load(tmp_path / "net.deciban")
    assert type(again) is db.BayesNet and again == found
    found.write(tmp_path / "net.json")
    assert db.read_net(tmp_path / "net.json") == found
    assert pickle.loads(pickle.dumps(found)) == found  # noqa: S301


def test_samples_have_the_distribution_of_the_net(net):
    drawn = net.sample(50_000, random_state=0)
    assert isinstance(drawn, pa.Table) and drawn.column_names == list(net.nodes)
    assert net.sample(50, random_state=0).equals(net.sample(50, random_state=0))
    again = db.BayesNet(ARROWS).fit(drawn, cuts=net.cuts)
    for node, table in net.tables.items():
        seen = again.tally_.categories[node].sum(axis=-1) > 500
        np.testing.assert_allclose(again.tables[node][seen], table[seen], atol=0.05)
    np.testing.assert_allclose(again.regressions["weight"].slopes, net.regressions["weight"].slopes, atol=0.03)
    np.testing.assert_allclose(again.regressions["height"].intercepts, net.regressions["height"].intercepts, rtol=0.01)
    codes = net.sample(10, random_state=0, as_="codes")
    assert codes.shape == (10, 5)
    heights = net.sample(10, random_state=0)["height"].to_numpy()
    assert codes[:, net.nodes.index("height")].tolist() == heights.tolist()


def test_samples_given_evidence():
    table = people(1000)
    net = db.BayesNet([("sex", "height"), ("height", "weight"), ("diet", "weight")]).fit(table)
    drawn = net.sample(20_000, random_state=0, evidence={"weight": 80.0})
    answer = net.query("height", {"weight": 80.0})
    assert drawn["height"].to_numpy().mean() == pytest.approx(answer.mean, abs=0.15)
    assert drawn["height"].to_numpy().std() == pytest.approx(answer.sd, rel=0.03)
    shares = net.query("diet", {"weight": 80.0})
    assert (drawn["diet"].to_numpy() == "a").mean() == pytest.approx(shares["a"], abs=0.015)
    weighted = net.sample_weighted(50_000, {"weight": 80.0}, random_state=0)
    mean = np.average(weighted.rows["height"].to_numpy(), weights=weighted.weights)
    assert mean == pytest.approx(answer.mean, abs=0.3)
    assert weighted.log_probability == pytest.approx(net.log_probability({"weight": 80.0}), abs=0.05)
    assert net.estimate("diet", {"weight": 80.0}, random_state=0)["a"] == pytest.approx(shares["a"], abs=0.02)
    causes = net.sample(100, random_state=0, evidence={"sex": "f"})
    assert set(causes["sex"].to_pylist()) == {"f"}


def test_samples_given_evidence_below_a_cut_number_are_refused(net):
    with pytest.raises(InputError, match="sample_weighted"):
        net.sample(10, evidence={"ill": "yes"})


def test_interventions_set_categories_and_numbers(net):
    made = net.do({"height": 180.0})
    assert made.query("height").mean == 180 and made.query("height").sd == 0
    assert made.query("sex") == net.query("sex")
    assert net.query("sex", {"height": 180.0})["m"] > made.query("sex")["m"]
    lines = net.regressions["weight"]
    shares = np.array([net.query("diet")[state] for state in net.states["diet"]])
    assert made.query("weight").mean == pytest.approx(shares @ (lines.intercepts + 180 * lines.slopes[:, 0]))
    assert net.do({"ill": "yes"}).query("ill")["yes"] == 1
    with pytest.raises(InputError, match="must be a finite number"):
        net.do({"height": "tall"})


def test_likelihoods_are_densities(net, table):
    logs = net.log_likelihood(rows_of(table, slice(0, 20)), per_row=True)
    network = net.network
    for r in range(20):
        sex, diet = network.code("sex", table["sex"][r]), network.code("diet", table["diet"][r])
        height, weight = table["height"][r], table["weight"][r]
        lines = network.regressions["weight"], network.regressions["height"]
        means = lines[0].intercepts[diet] + lines[0].slopes[diet, 0] * height, lines[1].intercepts[sex]
        variances = lines[0].variances[diet], lines[1].variances[sex]
        cut = np.searchsorted(network.cuts["ill"]["weight"], weight)
        expected = (
            np.log(network.tables["sex"][sex])
            + np.log(network.tables["diet"][diet])
            + np.log(network.tables["ill"][sex, cut, network.code("ill", table["ill"][r])])
            - 0.5 * ((weight - means[0]) ** 2 / variances[0] + np.log(2 * np.pi * variances[0]))
            - 0.5 * ((height - means[1]) ** 2 / variances[1] + np.log(2 * np.pi * variances[1]))
        )
        assert logs[r] == pytest.approx(expected, rel=1e-9)
    assert net.log_likelihood(table, sample_weight=np.full(2000, 2.0)) == pytest.approx(2 * net.log_likelihood(table))


def test_predictions_are_states_and_means(net, table):
    rows = rows_of(table, slice(0, 200))
    shares = net.predict_proba({name: values for name, values in rows.items() if name != "sex"}, "sex")
    evidence = {name: values[3] for name, values in rows.items() if name != "sex"}
    answer = net.query("sex", evidence)
    np.testing.assert_allclose(shares[3], [answer["f"], answer["m"]])
    assert net.predict(rows, "sex")[3] == max(answer, key=answer.get)
    means = net.predict({name: values for name, values in rows.items() if name != "height"}, "height")
    other = {name: values[5] for name, values in rows.items() if name != "height"}
    assert means[5] == pytest.approx(net.query("height", other).mean)
    with pytest.raises(InputError, match="'height' is a number"):
        net.predict_proba(rows, "height")


@pytest.mark.parametrize("method", ["mpe", "marginals"])
def test_missing_values_are_filled_in(net, table, method):
    rows = {name: values[:40].astype(object).tolist() for name, values in table.items()}
    rows["sex"][0] = rows["diet"][0] = rows["height"][1] = rows["ill"][2] = rows["weight"][2] = None
    filled = net.impute(rows, method)
    assert all(value is not None for column in filled.values() for value in column)
    evidence = {name: column[0] for name, column in rows.items() if column[0] is not None}
    best = net.mpe(evidence)
    if method == "mpe":
        assert (filled["sex"][0], filled["diet"][0]) == (best["sex"], best["diet"])
    other = {name: column[1] for name, column in rows.items() if column[1] is not None}
    assert filled["height"][1] == pytest.approx(net.query("height", other).mean)
    assert filled["sex"][5] == rows["sex"][5] and filled["weight"][7] == rows["weight"][7]
    del rows["sex"]
    assert len(net.impute(rows, method)["sex"]) == 40


@pytest.mark.parametrize(
    "ask",
    [lambda net: net.information("sex"), lambda net: net.sensitivity({"sex": "f"}), lambda net: net.sample_gibbs(9)],
)
def test_what_is_for_tables_says_so(net, ask):
    with pytest.raises(InputError, match="is for nets of categories, and this net has numbers: 'height', 'weight'"):
        ask(net)


def test_reports(net, tmp_path):
    said = net.report()
    assert "shrinkage: 2 rows" in said and "bins: weight for ill at" in said
    page = db.report(net).html
    assert "linear on height, 3 configurations of diet" in page
    assert net._repr_html_().lstrip().startswith("<svg")


def test_unseen_configurations_are_listed(table):
    few = rows_of(table, (table["diet"] != "c") | (table["sex"] == "f"))
    net = db.BayesNet([("sex", "height"), ("diet", "height")]).fit(few)
    assert net.unseen_parents_["height"][0] == {"sex": "m", "diet": "c"}
    assert "height: 1 of 6, such as sex=m, diet=c" in net.report()


@pytest.mark.parametrize(
    "change",
    [
        {"height": 170.0},  # constant
        {"height": 1e9},
        {"weight": 1e-300},
    ],
)
def test_constant_columns_give_answers(table, change):
    rows = rows_of(table, slice(0, 200))
    rows |= {name: np.full(200, value) for name, value in change.items()}
    net = db.BayesNet(ARROWS).fit(rows, columns={"height": "number", "weight": "number"})
    answer = net.query("weight", {"sex": "f"})
    assert np.isfinite(answer.mean) and np.isfinite(answer.sd)
    assert np.isfinite(net.log_likelihood(rows)) or net.log_likelihood(rows) == np.inf


def test_infinite_and_huge_numbers_are_refused(table):
    for value in (np.inf, -1e200):
        rows = rows_of(table, slice(0, 200))
        rows["height"] = rows["height"].copy()
        rows["height"][3] = value
        with pytest.raises(InputError, match=r"height.*row 3"):
            db.BayesNet(ARROWS).fit(rows)


def test_a_state_that_has_only_missing_numbers(table):
    rows = {name: values[:200].astype(object).tolist() for name, values in table.items()}
    for r in range(200):
        if rows["diet"][r] == "c":
            rows["weight"][r] = None
    net = db.BayesNet(ARROWS).fit(rows, missing="skip")
    pooled = net.regressions["weight"]
    assert np.isfinite(pooled.intercepts).all() and pooled.variances[2] > 0
    assert net.states["diet"] == ("a", "b", "c")


def test_one_row_in_a_configuration_and_numbers_with_three_values():
    table = {"g": ["a"] * 9 + ["b"], "z": [1.5, 2.5, 3.5] * 3 + [9.5], "x": np.arange(10) / 7}
    net = db.BayesNet([("g", "x"), ("z", "x")]).fit(table, columns={"z": "number", "x": "number"})
    line = net.regressions["x"]
    assert np.isfinite(line.slopes).all() and (line.variances > 0).all()


@pytest.fixture
def files(table, tmp_path):
    """The table in three files, of which the first has too few rows to show which columns are numbers."""
    whole = pa.table(table)
    for index, (start, stop) in enumerate([(0, 3), (3, 1200), (1200, 2000)]):
        csv.write_csv(whole.slice(start, stop - start), tmp_path / f"part{index}.csv")
    return tmp_path / "part*.csv"


def test_files_give_the_net_of_the_table(net, files, tmp_path):
    found = db.BayesNet(ARROWS).fit_files(files)
    same(found, net)
    assert found.schema_ == net.schema_
    same(db.BayesNet(ARROWS).fit_files(files, checkpoint=tmp_path / "checkpoint"), net)
    given = db.BayesNet(ARROWS).fit_files(files, cuts={"ill": {"weight": [70]}}, columns={"height": "number"})
    assert given.cuts["ill"]["weight"].tolist() == [70.0]
    with pytest.raises(InputError, match="'ill' is a category, and its parent 'weight' is a number"):
        db.BayesNet(ARROWS).fit_files(files, cut="error")


def test_files_of_numbers_give_a_net_of_numbers(table, files):
    found = db.BayesNet([("height", "weight")]).fit_files(files)
    peer = db.GaussianNet([("height", "weight")]).fit_files(files)
    assert found.tally_ == peer.tally_


def test_files_with_missing_values_and_weights(table, net, tmp_path):
    gaps = holed({**table, "w": np.arange(2000) % 3 + 1}, 0.1)
    gaps["w"] = (np.arange(2000) % 3 + 1).tolist()
    csv.write_csv(pa.table(gaps), tmp_path / "gaps.csv")
    found = db.BayesNet(ARROWS).fit_files(tmp_path / "gaps.csv", missing="skip", sample_weight="w", cuts=net.cuts)
    weights = gaps.pop("w")
    same(found, db.BayesNet(ARROWS).fit(gaps, missing="skip", sample_weight=weights, cuts=net.cuts))


def test_beliefs_and_explanations(net):
    beliefs = net.beliefs({"weight": 90.0})
    assert beliefs["sex"]["m"] == pytest.approx(net.query("sex", {"weight": 90.0})["m"])
    assert "<svg" in beliefs.to_svg()
    assert "weight" in str(net.explain("sex", {"weight": 90.0, "diet": "a"}))


@pytest.mark.parametrize("database", ["duckdb", "sqlite"])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_database_gives_the_net_of_the_table(table, net, database, weighted):
    rows = holed(rows_of(table, slice(0, 500)), 0.1)
    rows["w"] = (np.arange(500) % 3 + 0.5).tolist()
    if database == "duckdb":
        connection = duckdb.connect()
        connection.register("people", pa.table(rows))
    else:
        connection = sqlite3.connect(":memory:")
        connection.execute("create table people (sex text, diet text, height real, weight real, ill text, w real)")
        connection.executemany("insert into people values (?, ?, ?, ?, ?, ?)", zip(*rows.values(), strict=True))
    weights = rows.pop("w") if weighted else None
    rows.pop("w", None)
    expected = db.BayesNet(ARROWS).fit(rows, missing="skip", cuts=net.cuts, sample_weight=weights)
    found = db.BayesNet(ARROWS).fit_sql(
        connection, "people", missing="skip", cuts=net.cuts, sample_weight="w" if weighted else None
    )
    assert found.schema_.kinds == expected.schema_.kinds
    same(found, expected, rtol=1e-9)
    with pytest.raises(InputError, match="a database does not say where to cut"):
        db.BayesNet(ARROWS).fit_sql(connection, "people", missing="skip")
    with pytest.raises(InputError, match="missing values"):
        db.BayesNet(ARROWS).fit_sql(connection, "people", cuts=net.cuts)
    numbers = db.BayesNet([("height", "weight")]).fit_sql(connection, "people", missing="skip")
    peer = db.BayesNet([("height", "weight")]).fit(
        {name: rows[name] for name in ("height", "weight")},
        missing="skip",
        columns=dict.fromkeys(("height", "weight"), "number"),
    )
    assert isinstance(numbers.tally_, GaussianTally)
    np.testing.assert_allclose(numbers.regressions["weight"].slopes, peer.regressions["weight"].slopes, rtol=1e-9)
