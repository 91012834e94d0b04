"""Gaussian nets: regressions from mergeable moments, exact answers from the joint normal."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import (
    ColumnMismatchError,
    ImpossibleEvidenceError,
    InputError,
    InputTypeError,
    MissingValueError,
    NegativeCountError,
    NetworkError,
    ParameterError,
    UnfittedError,
    UnknownNodeError,
)
from deciban.nets import Between, MultivariateNormal, Normal

DAG = db.DAG([("a", "c"), ("b", "c"), ("c", "d")])


def rows(seed, count=40, shift=0.0):
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((2, count)) + shift
    c = 1 + 2 * a - b + 0.5 * rng.standard_normal(count)
    return {"a": a, "b": b, "c": c, "d": 3 - c + rng.standard_normal(count)}


def part(data, where):
    return {name: column[where] for name, column in data.items()}


def assert_close(one, other, tolerance=1e-9):
    for node in one.nodes:
        a, b = one.parameters[node], other.parameters[node]
        np.testing.assert_allclose(a.intercept, b.intercept, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(a.variance, b.variance, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(
            list(a.coefficients.values()), list(b.coefficients.values()), rtol=tolerance, atol=tolerance
        )


def test_regressions_are_those_of_least_squares():
    data = rows(0)
    net = db.GaussianNet(DAG).fit(data)
    design = np.column_stack([np.ones(40), data["a"], data["b"]])
    slopes, left, *_ = np.linalg.lstsq(design, data["c"])
    own = net.parameters["c"]
    np.testing.assert_allclose([own.intercept, own.coefficients["a"], own.coefficients["b"]], slopes, rtol=1e-12)
    assert own.variance == pytest.approx(left[0] / 40, rel=1e-12)
    unbiased = db.GaussianNet(DAG).fit(data, variance="unbiased").parameters["c"]
    assert unbiased.variance == pytest.approx(left[0] / 37, rel=1e-12)
    assert net.coefficients["d"].keys() == {"c"}


def test_large_numbers_with_small_differences_lose_nothing():
    data = rows(1, shift=1e8)
    net = db.GaussianNet(DAG).fit(data)
    assert net.coefficients["c"]["a"] == pytest.approx(2, abs=0.5)
    assert 0.05 < net.parameters["c"].variance < 1


@given(st.integers(0, 10_000), st.integers(1, 39), st.booleans())
def test_batches_merging_and_forgetting(seed, cut, has_weights):
    data = rows(seed)
    weights = np.random.default_rng(seed).integers(1, 4, 40) if has_weights else np.ones(40)
    first, second = slice(0, cut), slice(cut, 40)
    whole = db.GaussianNet(DAG).fit(data, sample_weight=weights)
    head, tail = (db.GaussianNet(DAG).fit(part(data, at), sample_weight=weights[at]) for at in (first, second))
    tally = head.tally_ + tail.tally_
    assert_close(db.GaussianNet.from_tally(tally), whole)
    assert_close(head.merge(tail), whole)
    streamed = db.GaussianNet(DAG).partial_fit(part(data, first), sample_weight=weights[first])
    assert_close(streamed.partial_fit(part(data, second), sample_weight=weights[second]), whole)
    if cut > 6:
        left = streamed.forget(part(data, second), sample_weight=weights[second])
        assert_close(left, db.GaussianNet(DAG).fit(part(data, first), sample_weight=weights[first]), 1e-6)


def test_weights_are_repetitions():
    data, times = rows(4), np.arange(40) % 3
    repeated = {name: np.repeat(column, times) for name, column in data.items()}
    assert_close(db.GaussianNet(DAG).fit(data, sample_weight=times), db.GaussianNet(DAG).fit(repeated))


def test_the_joint_is_that_of_a_large_sample():
    net = db.GaussianNet(DAG).fit(rows(5, 400))
    drawn = np.column_stack(list(net.sample(100_000, random_state=1).values()))
    np.testing.assert_allclose(net.joint.mean, drawn.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(net.joint.covariance, np.cov(drawn.T), rtol=0.05, atol=0.1)


def test_queries_follow_from_the_joint():
    net = db.GaussianNet(DAG).fit(rows(6))
    joint = net.joint
    given_d = joint.given({"d": 1.5})
    assert net.query("a", {"d": 1.5}) == given_d["a"]
    assert net.marginals({"d": 1.5})["d"] == Normal(1.5, 0.0)
    both = net.query(["b", "a"], {"d": 1.5})
    assert isinstance(both, MultivariateNormal)
    assert both.nodes == ("b", "a")
    assert net.query("a") == joint["a"]


def test_doing_is_not_seeing():
    net = db.GaussianNet(DAG).fit(rows(7, 400))
    done = net.do({"c": 2.0})
    assert done.query("a") == net.query("a")
    assert done.query("c") == Normal(2.0, 0.0)
    assert abs(net.query("a", {"c": 2.0}).mean - net.query("a").mean) > 0.1
    assert done.query("d").mean == pytest.approx(net.query("d", {"c": 2.0}).mean)
    with pytest.raises(UnknownNodeError):
        net.do({"z": 1.0})


@pytest.mark.parametrize("value", [[], None, "two", True, np.nan, np.inf, {"low": 1.0}])
def test_a_node_is_set_to_a_number_only(value):
    net = db.GaussianNet(DAG).fit(rows(7))
    with pytest.raises(InputError, match="the value of 'c' must be a finite number, not"):
        net.do({"c": value})


def test_likelihood_of_whole_and_gapped_rows():
    data = rows(8)
    net = db.GaussianNet(DAG).fit(data)
    expected = net.joint.log_density(np.column_stack([data[node] for node in net.nodes])).sum()
    assert net.log_likelihood(data) == pytest.approx(expected)
    assert net.log_likelihood(data, sample_weight=np.full(40, 2.0)) == pytest.approx(2 * expected)
    only = net.log_likelihood({"a": data["a"]})
    assert only == pytest.approx(net.joint.marginal(["a"]).log_density(data["a"][:, None]).sum())


def test_columns_that_determine_others():
    data = rows(9)
    data["d"] = 2 * data["c"] - 1
    net = db.GaussianNet(DAG).fit(data)
    assert net.parameters["d"].variance == 0.0
    assert net.query("d", {"c": 3.0}).mean == pytest.approx(5.0)
    assert net.query("d", {"c": 3.0}).variance == 0.0
    with pytest.raises(ImpossibleEvidenceError):
        net.query("a", {"c": 3.0, "d": 6.0})
    assert net.query("a", {"c": 3.0, "d": 5.0}).mean == pytest.approx(net.query("a", {"c": 3.0}).mean)
    same = {"a": data["a"], "b": 2 * data["a"], "c": data["c"], "d": data["d"]}
    twin = db.GaussianNet(DAG).fit(same)
    predicted = twin.parameters["c"]
    slope = predicted.coefficients["a"] + 2 * predicted.coefficients["b"]
    assert slope == pytest.approx(db.GaussianNet([("a", "c")]).fit(same).coefficients["c"]["a"])


def test_constant_columns():
    net = db.GaussianNet(DAG).fit(rows(10) | {"b": [7] * 40})
    assert net.parameters["b"] == db.LinearGaussian(7.0, {}, 0.0)
    assert net.coefficients["c"]["b"] == 0.0
    one = db.GaussianNet(DAG).fit(part(rows(0), slice(0, 1)))
    assert one.marginals()["c"].variance == 0.0


def test_missing_values_can_be_skipped():
    data = {"a": [1.0, 2.0, None, 4.0], "b": [1.0, 3.0, 5.0, None]}
    net = db.GaussianNet([("a", "b")]).fit(data, missing="skip")
    assert net.parameters["a"].intercept == pytest.approx(7 / 3)
    assert net.coefficients["b"]["a"] == pytest.approx(2.0)


def test_expectation_maximization_climbs_and_recovers():
    data = rows(11, 2_000)
    gapped = {name: np.where(np.random.default_rng(ord(name)).random(2_000) < 0.2, np.nan, column)
              for name, column in data.items()}  # fmt: skip
    steps = []
    net = db.GaussianNet(DAG).fit(gapped, missing="em", tol=1e-8, progress=steps.append)
    assert (np.diff(net.log_likelihoods_) >= -1e-9 * abs(net.log_likelihoods_[0])).all()
    assert len(steps) == len(net.log_likelihoods_)
    assert net.log_likelihood(gapped) == pytest.approx(net.log_likelihoods_[-1], rel=1e-12)
    assert_close(net, db.GaussianNet(DAG).fit(data), 0.1)
    with pytest.raises(ParameterError, match="all rows"):
        net.partial_fit(data)
    with pytest.raises(ParameterError, match="all rows"):
        net.merge(net)


def test_expectation_maximization_without_gaps_is_fitting():
    net = db.GaussianNet(DAG).fit(rows(12), missing="em")
    assert_close(net, db.GaussianNet(DAG).fit(rows(12)), 1e-14)
    assert len(net.log_likelihoods_) == 1
    assert_close(net.partial_fit(rows(13)), db.GaussianNet(DAG).fit(rows(12)).merge(db.GaussianNet(DAG).fit(rows(13))))


def test_rows_without_any_value_change_nothing():
    data = {"a": [1.0, 2.0, 4.0, np.nan], "b": [1.0, 3.0, 5.0, np.nan]}
    net = db.GaussianNet([("a", "b")]).fit(data, missing="em", tol=1e-12, max_iter=2_000)
    assert_close(net, db.GaussianNet([("a", "b")]).fit(part({k: np.array(v) for k, v in data.items()}, slice(3))), 1e-3)


PAIR = [("a", "b")]


@pytest.mark.parametrize(
    ("data", "options", "error", "match"),
    [
        ({"a": [1.0]}, {}, ColumnMismatchError, "'b'"),
        ({"a": [], "b": []}, {}, InputError, "no rows"),
        ({"a": ["x"], "b": [1.0]}, {}, InputTypeError, r"labels such as 'x'.*BayesNet"),
        ({"a": [True, False], "b": [1.0, 2.0]}, {}, InputTypeError, "labels"),
        ({"a": [1.0, np.nan], "b": [1.0, 2.0]}, {}, MissingValueError, "row 1"),
        ({"a": [np.nan, np.nan], "b": [1.0, 2.0]}, {"missing": "em"}, InputError, "every row is missing"),
        ({"a": [np.nan, 1.0], "b": [1.0, np.nan]}, {"missing": "skip"}, InputError, "nothing can be estimated"),
        ({"a": [1e200, 1.0], "b": [1.0, 2.0]}, {}, InputError, "must not exceed"),
        ({"a": [np.inf, 1.0], "b": [1.0, 2.0]}, {}, InputError, "inf"),
        ({"a": [1.0, 2.0], "b": [1.0, 2.0]}, {"variance": "unbiased"}, InputError, "too few"),
        ({"a": [1.0], "b": [1.0]}, {"missing": "ignore"}, ParameterError, "missing is"),
        ({"a": [1.0], "b": [1.0]}, {"sample_weight": [0.0]}, InputError, "every weight is 0"),
        (pd.DataFrame([[1.0, 2.0, 3.0]], columns=["a", "a", "b"]), {}, InputError, "same name"),
    ],
)
def test_bad_input_is_named(data, options, error, match):
    with pytest.raises(error, match=match):
        db.GaussianNet(PAIR).fit(data, **options)


def test_what_is_not_there_is_said():
    net = db.GaussianNet(PAIR)
    assert repr(net) == "GaussianNet(2 nodes, 1 arrow, not fitted)"
    with pytest.raises(UnfittedError, match="no parameters"):
        net.query("a")
    with pytest.raises(UnfittedError, match="no moments yet"):
        _ = net.tally_
    with pytest.raises(InputTypeError, match="from a DAG"):
        db.GaussianNet("a")
    net.fit({"a": [1, 2, 4], "b": [2, 4, 7]})
    with pytest.raises(UnfittedError, match="em"):
        _ = net.log_likelihoods_
    with pytest.raises(UnknownNodeError, match="'z'"):
        net.query("z")
    with pytest.raises(InputTypeError, match="mapping"):
        net.query("a", [("b", 1)])
    with pytest.raises(NegativeCountError, match="cannot be taken out"):
        net.forget({"a": [1, 2, 4, 5], "b": [2, 4, 7, 8]})
    with pytest.raises(NegativeCountError, match="negative"):
        net.forget({"a": [100, -100], "b": [2, 4]})
    with pytest.raises(ColumnMismatchError, match="different graphs"):
        net.merge(db.GaussianNet([("b", "a")]).fit({"a": [1, 2, 4], "b": [2, 4, 7]}))
    with pytest.raises(InputTypeError, match="another GaussianNet"):
        net.merge(None)
    with pytest.raises(ParameterError, match="n is at least 0"):
        net.sample(-1)


def test_given_parameters_are_checked():
    own = {"a": db.LinearGaussian(0.0, {}, 1.0), "b": db.LinearGaussian(1.0, {"a": 2.0}, 0.5)}
    net = db.GaussianNet.from_parameters(PAIR, own)
    assert net.query("b") == Normal(1.0, 4.5)
    with pytest.raises(UnfittedError, match="were given"):
        net.partial_fit({"a": [1.0], "b": [1.0]})
    for wrong, match in (
        ({"a": own["a"]}, "no LinearGaussian"),
        (own | {"b": db.LinearGaussian(1.0)}, "the parents of 'b'"),
        (own | {"a": db.LinearGaussian(0.0, {}, -1.0)}, "variance that is not negative"),
    ):
        with pytest.raises(NetworkError, match=match):
            db.GaussianNet.from_parameters(PAIR, wrong)


def test_a_net_is_pickled_and_its_nodes_may_be_in_any_order():
    net = db.GaussianNet(DAG).fit(rows(14))
    again = pickle.loads(pickle.dumps(net))  # noqa: S301
    assert again.tally_ == net.tally_
    turned = db.GaussianNet(db.DAG(DAG.directed_edges, DAG.nodes[::-1])).fit(rows(15))
    merged = again.merge(turned)
    both = {name: np.concatenate([column, rows(15)[name]]) for name, column in rows(14).items()}
    assert_close(merged, db.GaussianNet(DAG).fit(both))
    assert merged.tally_.scaled(0.5)["c"].weight == 40
    with pytest.raises(ParameterError):
        merged.tally_.scaled(-1)


@pytest.mark.parametrize("offset", [0.0, 1.7e9])
def test_noise_of_a_second_in_a_year_is_seen(offset):
    rng = np.random.default_rng(5)
    start = offset + rng.uniform(0, 3.15e7, 3000)
    end = start + rng.standard_normal(3000)
    own = db.GaussianNet([("start", "end")]).fit({"start": start, "end": end}).parameters["end"]
    around = start - start.mean()  # the regression of end − start, whose variance has no large numbers in it
    left = np.polynomial.Polynomial.fit(around, end - start, 1)
    assert own.sd == pytest.approx((end - start - left(around)).std(), rel=1e-7)
    assert own.coefficients["start"] == pytest.approx(1.0, abs=1e-8)


def test_rows_given_evidence_have_the_distribution_of_the_query():
    parameters = {"a": db.LinearGaussian(1.0, {}, 4.0), "b": db.LinearGaussian(0.0, {"a": 2.0}, 1.0)}
    net = db.GaussianNet.from_parameters([("a", "b")], parameters)
    rows = net.sample(40_000, random_state=0, evidence={"b": 6.0})
    wanted = net.query("a", {"b": 6.0})
    assert (rows["b"] == 6.0).all()
    assert abs(rows["a"].mean() - wanted.mean) < 5 * wanted.sd / 200
    assert rows["a"].std() == pytest.approx(wanted.sd, rel=0.03)


def test_files_give_the_net_of_the_table(tmp_path):
    rng = np.random.default_rng(0)
    height = rng.normal(170, 10, 2_000).round(1)
    table = pa.table({"height": height, "weight": (0.9 * height - 85 + rng.normal(0, 5, 2_000)).round(1)})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=300)
    pa_csv.write_csv(table, tmp_path / "rows.csv")
    want = db.GaussianNet([("height", "weight")]).fit(table, variance="unbiased").parameters["weight"]
    for name in ("rows.parquet", "rows.csv"):
        net = db.GaussianNet([("height", "weight")]).fit_files(tmp_path / name, variance="unbiased")
        found = net.parameters["weight"]
        assert found.intercept == pytest.approx(want.intercept, rel=1e-12)
        assert found.sd == pytest.approx(want.sd, rel=1e-12)
    with pytest.raises(ParameterError, match="call fit"):
        net.fit_files(tmp_path / "rows.csv", missing="em")
    pq.write_table(pa.table({"height": ["x"], "weight": [1.0]}), tmp_path / "labels.parquet")
    with pytest.raises(InputTypeError, match=r"holds labels.*Use deciban\.BayesNet"):
        net.fit_files(tmp_path / "labels.parquet")


def test_free_parameters_are_counted():
    """Two nodes with an intercept and a variance each, and one slope: those of a normal distribution of two numbers."""
    net = db.GaussianNet([("a", "b")])
    with pytest.raises(UnfittedError):
        _ = net.n_parameters
    assert net.fit({"a": [0.0, 1.0, 3.0], "b": [1.0, 0.0, 2.0]}).n_parameters == 2 + 3


def test_a_net_of_numbers_is_equal_to_its_copy():
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=50), "b": rng.normal(size=50)}
    net = db.GaussianNet([("a", "b")])
    for one in (net, db.GaussianNet([("a", "b")]).fit(table)):
        assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301  our own
    assert net != db.GaussianNet([("a", "b")]).fit(table) and net != db.GaussianNet([("b", "a")])


def test_an_interval_is_evidence():
    net = db.GaussianNet.from_parameters(
        [("a", "b")], {"a": db.LinearGaussian(1.0, {}, 4.0), "b": db.LinearGaussian(0.0, {"a": 2.0}, 9.0)}
    )
    answer = net.query("a", {"a": Between(1.0, None)})
    assert answer.mean == pytest.approx(1 + 2 * np.sqrt(2 / np.pi))
    assert net.ask("E(a | a > 1)") == pytest.approx(answer.mean)
    assert net.ask("P(b > 2 | a > 1)") == pytest.approx(0.5 + np.arctan(4 / 3) / np.pi)
