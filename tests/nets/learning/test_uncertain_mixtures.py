"""How far the answers of a net of categories and numbers are known: beside nets of one kind, small steps and draws."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError
from deciban.nets import MixedNetwork, Regressions, UncertainDistribution, UncertainMixture, UncertainNormal
from deciban.nets.inference.mixed_queries import MixedQueries
from deciban.nets.learning.grouped import RegressionPosteriors

GRAPH = db.DAG([("sex", "height"), ("sex", "sport"), ("height", "weight"), ("sport", "weight"), ("weight", "ill")])


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    sex, sport = rng.integers(2, size=n), rng.integers(3, size=n)
    height = 165 + 12 * sex + 7 * rng.normal(size=n)
    weight = 60 + 0.7 * (height - 165) - 4 * sport + 6 * rng.normal(size=n)
    ill = rng.random(n) < 0.1 + 0.3 * (weight > 70)
    return {
        "sex": np.array(["f", "m"])[sex].tolist(),
        "sport": np.array(["no", "some", "much"])[sport].tolist(),
        "height": height,
        "weight": weight,
        "ill": np.where(ill, "yes", "no").tolist(),
    }


def fitted(n=300, **settings):
    return db.BayesNet(GRAPH).fit(people(n), cuts={"ill": {"weight": [62.0, 72.0]}}, **settings)


def posteriors(net):
    for node in net.network.numbers:
        moments, table = net.tally_.moments[node], net.network.regressions[node]
        yield node, table, RegressionPosteriors(moments, table, node, shrinkage=net.settings_.shrinkage)


def sizes_of(net, node):
    return net.tally_.categories[node].sum(axis=-1) + len(net.states[node])  # of Laplace's rule


def changed(network, node, table):
    tables, regressions = dict(network.tables), dict(network.regressions)
    (tables if node in network.states else regressions)[node] = table
    return MixedNetwork(network.dag, network.states, tables, regressions, network.cuts)


QUESTIONS = [
    ("sex", {"weight": 80.0}),
    ("sport", {"ill": "yes", "sex": "m"}),
    ("ill", {"height": 170.0, "sport": "some"}),
    ("weight", {}),
    ("weight", {"sex": "m", "ill": "yes"}),
    ("height", {"weight": 75.0, "sport": "much"}),
    ("height", {"ill": "no", "weight": (65.0, None)}),
]


def values_of(answer):
    return answer.as_array() if isinstance(answer, db.nets.Distribution) else np.array([answer.mean, answer.sd])


def errors_of(answer):
    if isinstance(answer, UncertainDistribution):
        return answer.standard_errors
    return np.array([answer.mean_error, answer.sd * answer.log_sd_error])


def small_steps(net, target, evidence):
    """The variance of an answer, from central differences of the exact query in every parameter."""
    network, findings = net.network, MixedQueries(net.network).read(evidence)

    def slope(node, up, down, step):
        answers = [
            values_of(MixedQueries(changed(network, node, table)).posterior(target, findings)) for table in (up, down)
        ]
        return (answers[0] - answers[1]) / (2 * step)

    variance = 0.0
    for node in network.categories:
        table, sizes = network.factors[node], sizes_of(net, node)
        for row in np.ndindex(sizes.shape):
            for state in range(table.shape[-1]):
                moved = [np.array(table), np.array(table)]
                for each, by in zip(moved, (1e-5, -1e-5), strict=True):
                    each[row] *= 1 - by
                    each[(*row, state)] += by
                variance = variance + table[(*row, state)] * slope(node, *moved, 1e-5) ** 2 / (sizes[row] + 1)
    for node, table, posterior in posteriors(net):
        for group in np.ndindex(table.intercepts.shape):
            own = posterior[group]
            mean, scale = own.moments.mean[:-1], np.sqrt(table.variances[group])

            def moved(middle, slopes, log_variance, table=table, group=group, mean=mean):
                parts = [np.array(part) for part in (table.intercepts, table.slopes, table.variances)]
                parts[0][group] += middle - slopes @ mean
                parts[1][group] += slopes
                parts[2][group] *= np.exp(log_variance)
                return Regressions(table.categories, table.numbers, *parts)

            none, step = np.zeros(len(mean)), 1e-4 * scale
            by = slope(node, moved(step, none, 0), moved(-step, none, 0), step)
            variance = variance + own.variance * by**2 / own.moments.weight
            if len(mean):
                spread = np.sqrt(own.moments.cross[0, 0] / own.moments.weight)
                one = np.array([step / spread])
                by = slope(node, moved(0, one, 0), moved(0, -one, 0), one[0])
                variance = variance + own.variance * by**2 / own.moments.cross[0, 0]
            by = slope(node, moved(0, none, 1e-4), moved(0, none, -1e-4), 1e-4)
            variance = variance + 2 * by**2 / own.degrees
    return np.sqrt(variance)


@pytest.mark.parametrize(("target", "evidence"), QUESTIONS)
def test_errors_are_those_of_small_steps_in_every_parameter(target, evidence):
    net = fitted()
    answer = net.query(target, evidence, interval=0.95)
    assert values_of(answer) == pytest.approx(values_of(net.query(target, evidence)))
    assert errors_of(answer) == pytest.approx(small_steps(net, target, evidence), rel=1e-5)


def drawn(net, rng):
    """A net whose tables and regressions are drawn from their posteriors."""
    tables = {}
    for node, table in net.network.factors.items():
        draws = rng.standard_gamma(table * sizes_of(net, node)[..., None])
        tables[node] = draws / draws.sum(axis=-1, keepdims=True)
    regressions = {}
    for node, table, posterior in posteriors(net):
        parts = [np.array(part) for part in (table.intercepts, table.slopes, table.variances)]
        for group in np.ndindex(table.intercepts.shape):
            own = posterior[group]
            noise = own.variance * own.degrees / rng.chisquare(own.degrees)
            slopes = np.sqrt(noise / np.diag(own.moments.cross)[:-1]) * rng.normal(size=table.slopes.shape[-1])
            middle = np.sqrt(noise / own.moments.weight) * rng.normal()
            parts[0][group] += middle - slopes @ own.moments.mean[:-1]
            parts[1][group] += slopes
            parts[2][group] *= noise / own.variance
        regressions[node] = Regressions(table.categories, table.numbers, *parts)
    network = net.network
    return MixedQueries(MixedNetwork(network.dag, network.states, tables, regressions, network.cuts))


def test_drawn_parameters_agree_with_the_intervals():
    net, rng = fitted(1000), np.random.default_rng(1)
    asked = [(target, evidence, MixedQueries(net.network).read(evidence)) for target, evidence in QUESTIONS[::2]]
    draws = [[], [], [], []]
    for _ in range(150):
        queries = drawn(net, rng)
        for (target, _, findings), values in zip(asked, draws, strict=True):
            values.append(values_of(queries.posterior(target, findings)))
    for (target, evidence, _), values in zip(asked, draws, strict=True):
        answer = net.query(target, evidence, interval=0.9)
        # 150 draws know a standard deviation to 6 %.
        assert errors_of(answer) == pytest.approx(np.std(values, axis=0), rel=0.2)
        if isinstance(answer, UncertainDistribution):
            ends = [answer.interval(state) for state in answer]
        else:
            ends = [answer.mean_interval(), answer.sd_interval()]
        low, high = np.array(ends).T
        inside = np.mean((np.array(values) > low) & (np.array(values) < high), axis=0)
        assert inside == pytest.approx(0.9, abs=0.09)


def test_a_part_of_one_kind_has_the_intervals_of_a_net_of_that_kind():
    data, edges = people(200), [("height", "weight"), ("weight", "other")]
    data["other"] = data["weight"] + np.random.default_rng(2).normal(size=200)
    numbers = {node: data[node] for node in ("height", "weight", "other")}
    both = db.BayesNet(db.DAG(edges, [*numbers, "sex"])).fit({**numbers, "sex": data["sex"]})
    alone = db.BayesNet(db.DAG(edges, list(numbers))).fit(numbers)
    for target, evidence in (("height", {}), ("height", {"other": 70.0}), ("other", {"height": 180.0}), ("weight", {})):
        answer, same = (net.query(target, evidence, interval=0.9) for net in (both, alone))
        assert isinstance(answer, UncertainNormal)
        assert errors_of(answer) == pytest.approx(errors_of(same), rel=1e-8)
        assert (*answer.mean_interval(), answer.degrees) == pytest.approx((*same.mean_interval(), same.degrees))
    above = {"weight": (60.0, None)}
    answer, same = (net.query("height", above, interval=0.9) for net in (both, alone))
    assert errors_of(answer) == pytest.approx(errors_of(same), rel=1e-8)
    edges = [("sex", "sport"), ("sport", "ill")]
    states = {node: data[node] for node in ("sex", "sport", "ill")}
    both = db.BayesNet(db.DAG(edges, [*states, "height"])).fit({**states, "height": data["height"]})
    alone = db.BayesNet(edges).fit(states)
    for evidence in ({}, {"ill": "yes"}):
        answer, same = (net.query("sex", evidence, interval=0.9) for net in (both, alone))
        assert answer.standard_errors == pytest.approx(same.standard_errors, rel=1e-10)
        assert answer.interval("f") == pytest.approx(same.interval("f"))
        assert answer.shares("f") == pytest.approx(same.shares("f"))


def test_shares_name_tables_and_regressions():
    shares = fitted().query("sex", {"height": 170.0}, interval=0.95).shares("f")
    assert set(shares) == {"sex", "height"} and sum(shares.values()) == pytest.approx(1)


def test_a_mixture_is_shown_with_its_intervals():
    answer = fitted().query("weight", interval=0.95)
    assert isinstance(answer, UncertainMixture) and answer == fitted().query("weight")
    low, high = answer.mean_interval()
    assert low < answer.mean < high and f"[{low:.6g}, {high:.6g}]" in repr(answer)
    assert answer.mean_interval(level=0.99)[1] > high


def test_what_the_rows_of_a_configuration_do_not_determine_has_no_bounds():
    data = {"sex": ["f"] * 20 + ["m"], "x": [*np.arange(0.25, 20.0), 3.5], "y": [*np.sin(np.arange(20.0)), 1.0]}
    net = db.BayesNet([("sex", "y"), ("x", "y")]).fit(data, shrinkage=0)
    assert net.query("y", {"sex": "m"}, interval=0.95).mean_interval() == (-np.inf, np.inf)
    assert np.isfinite(net.query("y", {"sex": "f"}, interval=0.95).mean_interval()).all()
    unknown = net.query("sex", {"y": 0.5}, interval=0.95)
    assert unknown.interval("f") == (0.0, 1.0) and unknown.shares("f") == {"y": 1.0}
    shrunk = db.BayesNet([("sex", "y"), ("x", "y")]).fit(data)
    assert np.isfinite(shrunk.query("y", {"sex": "m"}, interval=0.95).mean_interval()).all()


def test_an_exact_relation_is_certain():
    x = np.arange(0.25, 20.0)
    net = db.BayesNet([("sex", "x"), ("x", "y")]).fit({"sex": ["f", "m"] * 10, "x": x, "y": 1 + 2 * x})
    answer = net.query("y", {"x": 4.25}, interval=0.95)
    assert answer.mean_interval() == (9.5, 9.5) and answer.sd_interval() == (0.0, 0.0)


def test_intervals_of_mixed_nets_need_complete_rows_and_one_node():
    net = fitted()
    with pytest.raises(ParameterError, match="one node"):
        net.query(["sex", "height"], interval=0.95)
    with pytest.raises(ParameterError, match="between 0 and 1, such as"):
        net.query("height", interval=95)
    data = people(50)
    data["height"][:9] = np.nan
    with pytest.raises(ParameterError, match="too narrow"):
        db.BayesNet([("sex", "height")]).fit(data, missing="em").query("height", interval=0.95)
