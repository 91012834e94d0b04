"""How far the answers of a net of numbers are known: as far as regressions drawn from their posterior agree."""

import numpy as np
import pytest
from scipy import stats

import deciban as db
from deciban.errors import ParameterError, UnfittedError

GRAPH = db.DAG([("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")])


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(5, 2, n)
    b = 1 + 0.5 * a + rng.normal(0, 1, n)
    c = 2 - 0.3 * a + 0.8 * b + rng.normal(0, 0.5, n)
    return {"a": a, "b": b, "c": c, "d": 0.7 * c + rng.normal(0, 1, n)}


def drawn(net, rng):
    """A net whose regressions are drawn from their normal-inverse-gamma posteriors, by hand."""
    parameters = {}
    for node, line in net.parameters.items():
        family, slopes = net.tally_[node], np.array(list(line.coefficients.values()))
        degrees = family.weight - len(slopes) - 1
        variance = line.variance * degrees / rng.chisquare(degrees)
        own = slopes
        if len(slopes):
            own = rng.multivariate_normal(slopes, variance * np.linalg.inv(family.cross[:-1, :-1]))
        middle = family.mean[-1] + rng.normal() * np.sqrt(variance / family.weight)
        coefficients = dict(zip(line.coefficients, own, strict=True))
        parameters[node] = db.LinearGaussian(middle - own @ family.mean[:-1], coefficients, variance)
    return db.GaussianNet.from_parameters(net.dag, parameters)


@pytest.mark.parametrize(
    ("target", "evidence"),
    [("a", {}), ("d", {}), ("d", {"a": 8.0}), ("a", {"d": 1.0, "b": 5.0}), ("b", {"c": 4.0, "d": 0.0})],
)
def test_drawn_regressions_agree_with_the_intervals(target, evidence):
    net, rng = db.GaussianNet(GRAPH).fit(rows(300), variance="unbiased"), np.random.default_rng(1)
    answer = net.query(target, evidence, interval=0.9)
    assert (answer.mean, answer.variance) == (net.query(target, evidence).mean, net.query(target, evidence).variance)
    draws = [drawn(net, rng).query(target, evidence) for _ in range(1500)]
    for (low, high), values in (
        (answer.mean_interval(), [draw.mean for draw in draws]),
        (answer.sd_interval(), [draw.sd for draw in draws]),
    ):
        # To first order, and 0.9 ± 4 standard errors of 1500 draws is 0.03.
        assert np.mean((np.array(values) > low) & (np.array(values) < high)) == pytest.approx(0.9, abs=0.045)
        assert [low, high] == pytest.approx(np.quantile(values, [0.05, 0.95]), abs=0.15 * (high - low))


def test_the_mean_of_a_node_without_parents_has_its_t_interval():
    data = rows(12)
    answer = db.GaussianNet(GRAPH).fit(data).query("a", interval=0.95)
    assert answer.mean_interval() == pytest.approx(stats.t.interval(0.95, 11, data["a"].mean(), stats.sem(data["a"])))
    wider = answer.mean_interval(level=0.99)
    assert wider[0] < answer.mean_interval()[0] and wider[1] > answer.mean_interval()[1]


def test_a_prediction_has_the_interval_of_the_regression_line():
    data = rows(40)
    net = db.GaussianNet([("a", "b")]).fit({"a": data["a"], "b": data["b"]})
    line = stats.linregress(data["a"], data["b"])
    error = np.sqrt(((data["b"] - line.intercept - line.slope * data["a"]) ** 2).sum() / 38)
    deviation = 9.0 - data["a"].mean()
    half = stats.t.ppf(0.975, 38) * error * np.sqrt(1 / 40 + deviation**2 / ((data["a"] - data["a"].mean()) ** 2).sum())
    mean = line.intercept + line.slope * 9.0
    found = net.query("b", {"a": 9.0}, interval=0.95).mean_interval()
    assert found == pytest.approx((mean - half, mean + half))


def test_what_rows_do_not_determine_has_no_bounds():
    data = rows(3)
    answer = db.GaussianNet(GRAPH).fit(data).query("c", interval=0.95)
    assert answer.mean_interval() == (-np.inf, np.inf) and "inf" in repr(answer)
    twice = {"a": np.arange(10.0), "b": 2 * np.arange(10.0), "c": np.random.default_rng(0).normal(size=10)}
    net = db.GaussianNet([("a", "b"), ("a", "c"), ("b", "c")]).fit(twice)
    assert np.isfinite(net.query("c", {"a": 3.0}, interval=0.95).mean_interval()).all()
    cut = net.do({"a": 3.0}).query("c")
    assert np.isfinite(cut.mean)


def test_an_exact_relation_is_certain():
    net = db.GaussianNet([("a", "b")]).fit({"a": np.arange(10.0), "b": 1 + 2 * np.arange(10.0)})
    answer = net.query("b", {"a": 4.0}, interval=0.95)
    assert answer.mean_interval() == pytest.approx((9.0, 9.0)) and answer.sd_interval() == (0.0, 0.0)
    assert net.query("a", {"a": 4.0}, interval=0.95).mean_interval() == (4.0, 4.0)


def test_intervals_need_complete_rows():
    net = db.GaussianNet(GRAPH).fit(rows(20))
    with pytest.raises(ParameterError, match="between 0 and 1, such as"):
        net.query("a", interval=95)
    with pytest.raises(ParameterError, match="one node"):
        net.query(["a", "b"], interval=0.95)
    missing = rows(20) | {"a": np.where(np.arange(20) < 3, np.nan, rows(20)["a"])}
    with pytest.raises(ParameterError, match="too narrow"):
        db.GaussianNet(GRAPH).fit(missing, missing="em").query("a", interval=0.95)
    with pytest.raises(UnfittedError):
        db.GaussianNet.from_parameters(GRAPH, net.parameters).query("a", interval=0.95)


def test_a_net_of_any_table_gives_intervals_of_its_kind():
    data = rows(30)
    net = db.BayesNet(GRAPH).fit(data)
    answer, same = (
        net.query("d", {"a": 6.0}, interval=0.9),
        db.GaussianNet(GRAPH).fit(data).query("d", {"a": 6.0}, interval=0.9),
    )
    assert answer.mean_interval() == pytest.approx(same.mean_interval())
