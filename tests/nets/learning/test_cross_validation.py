"""The log loss of left-out rows is that of nets that were fitted without them, for every kind of net."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError, UnfittedError

rng = np.random.default_rng(0)
RAIN = rng.integers(0, 3, 60)
WET = np.where(rng.random(60) < 0.8, RAIN > 0, rng.random(60) < 0.5).astype(int)
HEIGHT = RAIN + rng.normal(size=60)
WEIGHT = HEIGHT - 2 * WET + rng.normal(size=60)
TABLES = {
    "categories": ([("rain", "wet")], {"rain": RAIN, "wet": WET}),
    "numbers": ([("height", "weight")], {"height": HEIGHT, "weight": WEIGHT}),
    "both": (
        [("rain", "wet"), ("rain", "height"), ("height", "weight"), ("wet", "weight")],
        {"rain": RAIN, "wet": WET, "height": HEIGHT, "weight": WEIGHT},
    ),
}


def rows_of(table, which):
    return {name: column[which] for name, column in table.items()}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("weighted", [False, True])
def test_each_fold_is_scored_by_a_net_of_the_other_rows(kind, weighted):
    arrows, table = TABLES[kind]
    weight = np.arange(60) % 3 + 0.5 if weighted else None
    net = db.BayesNet(arrows).fit(table)
    found = net.cross_validate(table, 4, sample_weight=weight, random_state=5)
    order = np.random.default_rng(5).permutation(60)
    wanted = np.empty(60)
    states = {name: sorted(set(map(int, table[name]))) for name in table if name in ("rain", "wet")}
    for fold in range(4):
        inside, outside = order[fold::4], np.setdiff1d(np.arange(60), order[fold::4])
        other = db.BayesNet(arrows)
        other.fit(rows_of(table, outside), states=states, sample_weight=None if weight is None else weight[outside])
        wanted[inside] = -other.log_likelihood(rows_of(table, inside), per_row=True)
    np.testing.assert_allclose(found.losses, wanted, rtol=1e-9)
    assert found.log_loss.mean == pytest.approx(np.average(wanted, weights=weight))
    assert sum(one.mean for one in found.nodes.values()) == pytest.approx(found.log_loss.mean)
    if not weighted:
        assert found.log_loss.standard_error == pytest.approx(wanted.std(ddof=1) / 60**0.5)


def test_a_gaussian_net_keeps_its_variance():
    arrows, table = TABLES["numbers"]
    unbiased = db.GaussianNet(arrows).fit(table, variance="unbiased").cross_validate(table, 3)
    assert unbiased.log_loss.mean != db.GaussianNet(arrows).fit(table).cross_validate(table, 3).log_loss.mean


def test_missing_values_are_summed_out_of_rows_and_left_out_of_families():
    arrows, _ = TABLES["categories"]
    gaps = {"rain": [None if i < 10 else int(v) for i, v in enumerate(RAIN)], "wet": WET}
    net = db.BayesNet(arrows).fit(gaps, missing="skip")
    found = net.cross_validate(gaps, 5)
    assert found.nodes["rain"].rows == found.nodes["wet"].rows == 50 and np.isfinite(found.losses).all()
    with pytest.raises(ParameterError, match='fit the net with missing="skip"'):
        db.BayesNet(arrows).fit(gaps, missing="em").cross_validate(gaps)


def test_an_impossible_row_has_an_infinite_loss():
    rows = {"a": ["x"] * 9 + ["y"]}
    found = db.BayesNet(db.DAG(nodes=["a"])).fit(rows, smoothing=db.MLE()).cross_validate(rows, 10)
    assert found.log_loss.mean == found.log_loss.standard_error == np.inf
    assert "log loss ∞" in repr(found) and "∞" in str(found)


def test_threads_change_nothing(any_threads):
    arrows, table = TABLES["both"]
    net, found = db.BayesNet(arrows).fit(table), []
    for count in (1, 3):
        db.set_threads(count)
        found.append(net.cross_validate(table, 7).losses)
    np.testing.assert_array_equal(*found)


def test_what_is_refused():
    arrows, table = TABLES["categories"]
    with pytest.raises(UnfittedError):
        db.BayesNet(arrows).cross_validate(table)
    net = db.BayesNet(arrows).fit(table)
    for k in (1, 61, 2.5):
        with pytest.raises(ParameterError, match="from 2 to the number of rows"):
            net.cross_validate(table, k)


def test_a_table_of_the_nodes():
    arrows, table = TABLES["categories"]
    found = db.BayesNet(arrows).fit(table).cross_validate(table, 3)
    assert found.to_frame("pyarrow")["node"].to_pylist() == ["rain", "wet"]
    assert "<td>wet</td>" in found._repr_html_()
