"""Exact queries of nets of categories and numbers, against enumeration, integration and exact fractions."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import stats

import deciban as db
from deciban.errors import ImpossibleEvidenceError, InputError, ParameterError, TooLargeError
from deciban.nets import Between, MixedDistribution, MixedNetwork, Mixture, Normal, Regressions
from deciban.nets.inference.mixed_queries import MixedQueries
from tests.reference.mixed import answers, enumerated, random_network


def random_evidence(rng, net, *, all_numbers=False):
    codes = {node: int(rng.integers(net.cards[node])) for node in net.categories if rng.random() < 0.3}
    values = {node: float(rng.normal(0, 2)) for node in net.numbers if all_numbers or rng.random() < 0.5}
    return codes, values


def named(net, codes, values):
    return {**{node: net.states[node][code] for node, code in codes.items()}, **values}


def check_against_enumeration(net, codes, values, tolerance=1e-9):
    queries = MixedQueries(net)
    findings = queries.read(named(net, codes, values))
    log_p, categories, numbers, _ = answers(net, codes, values)
    assert queries.log_probability(findings) == pytest.approx(log_p, rel=tolerance, abs=tolerance)
    found = queries.distributions(findings)
    for node, expected in categories.items():
        assert found[node].as_array() == pytest.approx(expected, abs=tolerance)
        if node not in codes:
            assert queries.posterior(node, findings).as_array() == pytest.approx(expected, abs=tolerance)
    for node, (mean, variance) in numbers.items():
        answer = found[node] if node in values else queries.posterior(node, findings)
        for each in (found[node], answer):
            assert each.mean == pytest.approx(mean, rel=tolerance, abs=tolerance)
            assert each.variance == pytest.approx(variance, rel=tolerance, abs=tolerance)


@pytest.mark.parametrize("seed", range(120))
def test_answers_are_those_of_enumeration(seed):
    rng = np.random.default_rng(seed)
    net = random_network(rng, rng.integers(1, 6), rng.integers(1, 6))
    check_against_enumeration(net, *random_evidence(rng, net))


@pytest.mark.parametrize("seed", range(40))
def test_categories_that_depend_on_observed_numbers_are_exact(seed):
    rng = np.random.default_rng(1000 + seed)
    net = random_network(rng, rng.integers(1, 5), rng.integers(1, 5), cuts=0.6)
    check_against_enumeration(net, *random_evidence(rng, net, all_numbers=True))


def nodes_integrated(low, high, mean=0.0, sd=1.0, panels=24):
    """Points and weights for an integral over a number, between its cuts."""
    x, w = np.polynomial.legendre.leggauss(12)
    ends = np.linspace(max(low, mean - 12 * sd), min(high, mean + 12 * sd), panels + 1)
    points = (ends[:-1, None] + np.diff(ends)[:, None] * (x + 1) / 2).ravel()
    return points, (np.diff(ends)[:, None] / 2 * w).ravel()


def integrated(net, codes, values, node, bounds=(-np.inf, np.inf)):
    """The answers, and the moments of a number that categories depend on, by integration over that number."""
    cuts = sorted({end for of in net.cuts.values() for end in of.get(node, ())})
    ends = [bounds[0], *(cut for cut in cuts if bounds[0] < cut < bounds[1]), bounds[1]]
    total, categories = 0.0, {one: np.zeros(net.cards[one]) for one in net.categories}
    moments = {one: np.zeros(3) for one in net.numbers}
    for low, high in pairwise(ends):
        for z, weight in zip(*nodes_integrated(low, high, 0.0, 3.0), strict=True):
            for chosen, log_p, mean, covariance in enumerated(net, codes, {**values, node: z}):
                p = weight * np.exp(log_p)
                total += p
                for one, code in chosen.items():
                    categories[one][code] += p
                for i, one in enumerate(net.numbers):
                    moments[one] += p * np.array([1, mean[i], covariance[i, i] + mean[i] ** 2])
    numbers = {one: (m[1] / m[0], m[2] / m[0] - (m[1] / m[0]) ** 2) for one, m in moments.items()}
    return np.log(total), {one: p / total for one, p in categories.items()}, numbers


@pytest.fixture
def cut_net():
    """a → z → d → y ← z, with the table of d over the bins of z."""
    return MixedNetwork(
        db.DAG([("a", "z"), ("z", "d"), ("a", "d"), ("d", "y"), ("z", "y")]),
        {"a": (0, 1), "d": ("no", "yes")},
        {"a": [0.3, 0.7], "d": [[[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], [[0.6, 0.4], [0.3, 0.7], [0.05, 0.95]]]},
        {
            "z": Regressions(("a",), (), [-0.5, 1.0], np.empty((2, 0)), [1.0, 2.0]),
            "y": Regressions(("d",), ("z",), [0.0, 1.0], [[0.5], [-1.0]], [0.5, 0.3]),
        },
        {"d": {"z": [-0.4, 0.8]}},
    )


@pytest.mark.parametrize(
    ("codes", "values"), [({}, {}), ({"d": 1}, {}), ({}, {"y": 0.7}), ({"d": 0}, {"y": -1.2}), ({"a": 1}, {"y": 3.0})]
)
def test_a_hidden_number_that_a_category_depends_on_is_integrated_exactly(cut_net, codes, values):
    log_p, categories, numbers = integrated(cut_net, codes, values, "z")
    queries = MixedQueries(cut_net)
    findings = queries.read(named(cut_net, codes, values))
    assert queries.log_probability(findings) == pytest.approx(log_p, abs=1e-9)
    found = queries.distributions(findings)
    for node, expected in categories.items():
        assert found[node].as_array() == pytest.approx(expected, abs=1e-9)
    for node in set(numbers) - set(values):
        assert found[node].mean == pytest.approx(numbers[node][0], abs=1e-9)
        assert found[node].variance == pytest.approx(numbers[node][1], abs=1e-9)


def test_an_interval_is_evidence_of_a_number(cut_net):
    log_p, categories, numbers = integrated(cut_net, {}, {"y": 0.7}, "z", (-0.1, 1.5))
    queries = MixedQueries(cut_net)
    findings = queries.read({"y": 0.7, "z": Between(-0.1, 1.5)})
    assert findings == queries.read({"y": 0.7, "z": (-0.1, 1.5)})
    assert queries.log_probability(findings) == pytest.approx(log_p, abs=1e-9)
    assert queries.posterior("d", findings).as_array() == pytest.approx(categories["d"], abs=1e-9)
    z = queries.posterior("z", findings)
    assert (z.mean, z.variance) == pytest.approx(numbers["z"], abs=1e-9)
    assert z.cdf(-0.1) == 0
    assert z.sf(1.5) == 0


def test_a_number_above_a_bound_is_a_truncated_normal():
    net = MixedNetwork(db.DAG(nodes=["x"]), {}, {}, {"x": Regressions((), (), 1.0, [], 4.0)})
    queries = MixedQueries(net)
    x = queries.posterior("x", queries.read({"x": Between(3, None)}))
    peer = stats.truncnorm(1, np.inf, 1, 2)
    assert isinstance(x, Mixture)
    assert (x.mean, x.variance, x.quantile(0.9)) == pytest.approx((peer.mean(), peer.var(), peer.ppf(0.9)))
    assert np.exp(queries.log_probability(queries.read({"x": Between(3, None)}))) == pytest.approx(stats.norm.sf(1))


def test_two_intervals_in_one_component_are_a_rectangle():
    net = MixedNetwork(
        db.DAG([("x", "y"), ("y", "w")]),
        {},
        {},
        {
            "x": Regressions((), (), 0.0, [], 1.0),
            "y": Regressions((), ("x",), 0.5, [0.8], 0.6),
            "w": Regressions((), ("y",), 0.0, [1.0], 0.2),
        },
    )
    queries = MixedQueries(net)
    findings = queries.read({"x": (0.2, None), "y": (-1.0, 1.0)})
    x, dx = nodes_integrated(0.2, np.inf, panels=8)
    p = dx * stats.norm.pdf(x)
    inner = stats.norm(0.5 + 0.8 * x, np.sqrt(0.6))
    mass = inner.cdf(1.0) - inner.cdf(-1.0)
    assert np.exp(queries.log_probability(findings)) == pytest.approx((p * mass).sum(), rel=1e-9)
    found = queries.distributions(findings)
    assert found["x"].mean == pytest.approx((p * mass * x).sum() / (p * mass).sum(), rel=1e-8)
    mean_y = np.array([stats.norm(0.5 + 0.8 * one, np.sqrt(0.6)).expect(lb=-1, ub=1) for one in x])
    assert found["w"].mean == pytest.approx((p * mean_y).sum() / (p * mass).sum(), rel=1e-7)


def test_likelihoods_weight_the_states():
    rng = np.random.default_rng(5)
    net = random_network(rng, 3, 3)
    queries = MixedQueries(net)
    node = net.categories[0]
    weights = rng.random(net.cards[node])
    values = {net.numbers[0]: 0.3}
    logs = [answers(net, {node: code}, values)[0] for code in range(net.cards[node])]
    findings = queries.read(values, {node: weights})
    assert np.exp(queries.log_probability(findings)) == pytest.approx((np.exp(logs) * weights).sum())
    expected = np.exp(logs) * weights
    assert queries.posterior(node, findings).as_array() == pytest.approx(expected / expected.sum())
    with pytest.raises(ParameterError, match="is a number"):
        queries.read({}, {net.numbers[0]: [1.0]})


@pytest.mark.parametrize("seed", range(10))
def test_joint_distributions_of_both_kinds_are_those_of_enumeration(seed):
    rng = np.random.default_rng(2000 + seed)
    net = random_network(rng, 3, 4)
    codes, values = random_evidence(rng, net)
    codes.pop(net.categories[0], None)
    for node in net.numbers[:2]:
        values.pop(node, None)
    queries = MixedQueries(net)
    findings = queries.read(named(net, codes, values))
    category, x, y = net.categories[0], *net.numbers[:2]
    both = queries.posterior([category, x, y], findings)
    assert isinstance(both, MixedDistribution)
    for code, state in enumerate(net.states[category]):
        _, _, numbers, (_, covariance) = answers(net, {**codes, category: code}, values)
        one = both[(state,)]
        assert one.mean == pytest.approx([numbers[x][0], numbers[y][0]], abs=1e-9)
        at = [net.numbers.index(x), net.numbers.index(y)]
        assert one.covariance == pytest.approx(covariance[np.ix_(at, at)], abs=1e-9)
    _, _, numbers, _ = answers(net, codes, values)
    pair = queries.posterior([y, x], findings)
    assert pair.mean == pytest.approx([numbers[y][0], numbers[x][0]], abs=1e-9)
    assert both.marginal(x).variance == pytest.approx(numbers[x][1], abs=1e-9)


def test_a_mixture_has_the_density_of_its_configurations(cut_net):
    net = random_network(np.random.default_rng(3), 3, 2)
    queries = MixedQueries(net)
    node = net.numbers[-1]
    answer = queries.posterior(node, queries.read({}))
    index = net.numbers.index(node)
    grid = np.linspace(-4, 4, 9)
    expected = sum(
        np.exp(log_p) * stats.norm.pdf(grid, mean[index], np.sqrt(covariance[index, index]))
        for _, log_p, mean, covariance in enumerated(net, {}, {})
    )
    assert answer.pdf(grid) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(10))
def test_the_most_probable_states_are_those_of_enumeration(seed):
    rng = np.random.default_rng(3000 + seed)
    net = random_network(rng, 4, 3)
    codes, values = random_evidence(rng, net)
    queries = MixedQueries(net)
    findings = queries.read(named(net, codes, values))
    rows = list(enumerated(net, codes, values))
    best = max(rows, key=lambda row: row[1])
    found = queries.most_probable_explanation(findings)
    assert dict(found) == {node: net.states[node][code] for node, code in best[0].items()}
    assert found.log_probability == pytest.approx(best[1], abs=1e-9)
    free = [node for node in net.categories if node not in codes][:2]
    if free:
        sums = {}
        for chosen, log_p, _, _ in rows:
            key = tuple(chosen[node] for node in free)
            sums[key] = np.logaddexp(sums.get(key, -np.inf), log_p)
        states = queries.most_probable_states(free, findings)
        assert states.log_probability == pytest.approx(max(sums.values()), abs=1e-9)
    with pytest.raises(ParameterError, match="is a number"):
        queries.most_probable_states(net.numbers[0], queries.read({}))


def fractions_of(net, codes, values):
    """Mean and variance of all numbers given observed ones, and log density, in exact arithmetic."""
    at = {node: i for i, node in enumerate(net.dag.topological_order()) if node in net.regressions}
    order = sorted(at, key=at.get)
    mean, cov = {}, {}
    for node in order:
        own = net.regressions[node]
        row = tuple(codes[c] for c in own.categories)
        slopes = {p: Fraction(float(b)) for p, b in zip(own.numbers, own.slopes[row], strict=True)}
        mean[node] = Fraction(float(own.intercepts[row])) + sum(b * mean[p] for p, b in slopes.items())
        for other in mean:
            if other != node:
                cov[node, other] = cov[other, node] = sum((b * cov[p, other] for p, b in slopes.items()), Fraction(0))
        cov[node, node] = Fraction(float(own.variances[row])) + sum(b * cov[p, node] for p, b in slopes.items())
    log_p = 0.0
    for node, value in values.items():
        v, d = cov[node, node], Fraction(value) - mean[node]
        log_p -= 0.5 * (np.log(2 * np.pi) + np.log(float(v)) + float(d * d / v))
        gain = {other: cov[other, node] / v for other in order}
        old = dict(cov)
        for a, b in product(order, order):
            cov[a, b] = old[a, b] - gain[a] * old[node, b]
        mean = {other: mean[other] + gain[other] * d for other in order}
    return {node: (float(mean[node]), float(cov[node, node])) for node in order}, log_p


@pytest.mark.parametrize("seed", range(40))
def test_variances_from_tiny_to_huge_keep_their_digits(seed):
    rng = np.random.default_rng(4000 + seed)
    net = random_network(rng, 0, 5, density=0.7, variances=(1e-12, 1e12))
    _, values = random_evidence(rng, net)
    expected, log_p = fractions_of(net, {}, values)
    queries = MixedQueries(net)
    findings = queries.read(values)
    assert queries.log_probability(findings) == pytest.approx(log_p, rel=1e-9)
    found = queries.distributions(findings)
    for node in set(net.numbers) - set(values):
        assert found[node].variance == pytest.approx(expected[node][1], rel=1e-9)
        assert found[node].mean == pytest.approx(expected[node][0], rel=1e-9, abs=1e-9 * found[node].sd)


def deterministic_net():
    """x and w are numbers, total = x + w exactly, and copy = 2·total if c, else noise."""
    return MixedNetwork(
        db.DAG([("x", "total"), ("w", "total"), ("total", "copy"), ("c", "copy")]),
        {"c": (0, 1)},
        {"c": [0.5, 0.5]},
        {
            "x": Regressions((), (), 1.0, [], 1.0),
            "w": Regressions((), (), 2.0, [], 3.0),
            "total": Regressions((), ("x", "w"), 0.0, [1.0, 1.0], 0.0),
            "copy": Regressions(("c",), ("total",), [0.0, 0.0], [[2.0], [0.0]], [0.0, 5.0]),
        },
    )


def test_relations_without_noise_are_exact():
    queries = MixedQueries(deterministic_net())
    found = queries.distributions(queries.read({"x": 0.1, "w": 0.2}))
    assert found["total"] == Normal(pytest.approx(0.3), 0.0)
    x = queries.posterior("x", queries.read({"total": 5.0}))
    assert (x.mean, x.variance) == pytest.approx((1.5, 0.75))
    both = queries.posterior(["x", "w"], queries.read({"total": 5.0}))
    assert both.covariance == pytest.approx(np.array([[0.75, -0.75], [-0.75, 0.75]]))


def test_a_value_that_is_certain_in_one_configuration_outweighs_densities():
    queries = MixedQueries(deterministic_net())
    findings = queries.read({"x": 1.0, "w": 2.0, "copy": 6.0})
    assert queries.posterior("c", findings)[0] == 1
    assert queries.log_probability(findings) == pytest.approx(
        np.log(0.5) + stats.norm.logpdf(1, 1, 1) + stats.norm.logpdf(2, 2, np.sqrt(3))
    )
    other = queries.read({"x": 1.0, "w": 2.0, "copy": 6.1})
    assert queries.posterior("c", other)[1] == 1
    assert queries.log_probability(other) == pytest.approx(
        np.log(0.5)
        + stats.norm.logpdf(1, 1, 1)
        + stats.norm.logpdf(2, 2, np.sqrt(3))
        + stats.norm.logpdf(6.1, 0, np.sqrt(5))
    )


def test_evidence_that_contradicts_a_relation_is_refused_by_name():
    queries = MixedQueries(deterministic_net())
    findings = queries.read({"x": 1.0, "w": 2.0, "total": 4.0, "c": 0})
    assert queries.log_probability(findings) == -np.inf
    with pytest.raises(ImpossibleEvidenceError, match="x=1, w=2, total=4 cannot be true together"):
        queries.posterior("copy", findings)
    with pytest.raises(ImpossibleEvidenceError):
        queries.distributions(findings)
    with pytest.raises(ImpossibleEvidenceError):
        queries.posterior("x", queries.read({"w": 2.0, "total": 4.0, "x": Between(3, None)}))
    queries.posterior("x", queries.read({"w": 2.0, "total": 4.0, "x": Between(1, None)}))


def test_impossible_states_are_refused():
    net = MixedNetwork(
        db.DAG([("a", "b"), ("b", "x")]),
        {"a": (0, 1), "b": (0, 1)},
        {"a": [0.5, 0.5], "b": [[1.0, 0.0], [0.5, 0.5]]},
        {"x": Regressions(("b",), (), [0.0, 1.0], np.empty((2, 0)), [1.0, 1.0])},
    )
    queries = MixedQueries(net)
    with pytest.raises(ImpossibleEvidenceError, match="a=0, b=1 cannot be true together"):
        queries.posterior("x", queries.read({"a": 0, "b": 1}))


def test_values_far_from_every_mean_have_a_density_and_no_nan():
    net = MixedNetwork(
        db.DAG([("a", "x"), ("a", "y")]),
        {"a": (0, 1)},
        {"a": [0.5, 0.5]},
        {
            "x": Regressions(("a",), (), [0.0, 1.0], np.empty((2, 0)), [1.0, 1.0]),
            "y": Regressions(("a",), (), [1.0, 0.0], np.empty((2, 0)), [1.0, 1.0]),
        },
    )
    queries = MixedQueries(net)
    # Each alone rules a state out by e^±5000, beyond the smallest double; together they cancel.
    assert queries.posterior("a", queries.read({"x": 5000.0, "y": 5000.0}))[0] == pytest.approx(0.5)
    assert queries.posterior("a", queries.read({"x": 5000.0}))[1] == 1
    assert np.isfinite(queries.log_probability(queries.read({"x": 1e100})))


def test_rows_of_a_table_have_the_answers_of_single_queries():
    rng = np.random.default_rng(7)
    net = random_network(rng, 4, 4)
    queries = MixedQueries(net)
    codes = np.column_stack([rng.integers(-1, net.cards[node], 60) for node in net.categories]).astype(np.int32)
    values = np.where(rng.random((60, 4)) < 0.4, np.nan, rng.normal(0, 2, (60, 4)))
    logs = queries.log_likelihoods(codes, values)
    category, number = net.categories[1], net.numbers[2]
    shares, moments = queries.posteriors(codes, values, category), queries.posteriors(codes, values, number)
    for row in range(60):
        evidence = {node: code for node, code in zip(net.categories, codes[row], strict=True) if code >= 0}
        known = {node: value for node, value in zip(net.numbers, values[row], strict=True) if not np.isnan(value)}
        assert logs[row] == pytest.approx(queries.log_probability(queries.read(named(net, evidence, known))), abs=1e-9)
        without = {node: code for node, code in evidence.items() if node != category}
        one = queries.posterior(category, queries.read(named(net, without, known)))
        assert shares[row] == pytest.approx(one.as_array(), abs=1e-12)
        fewer = {node: value for node, value in known.items() if node != number}
        other = queries.posterior(number, queries.read(named(net, evidence, fewer)))
        assert moments[row] == pytest.approx([other.mean, other.variance], abs=1e-9)


def test_an_impossible_row_is_an_error_or_the_prior():
    net = deterministic_net()
    queries = MixedQueries(net)
    codes = np.array([[0], [0]], dtype=np.int32)
    order = ["x", "total", "w", "copy"]
    columns = {"x": [1.0, 1.0], "w": [2.0, 2.0], "total": [4.0, np.nan], "copy": [6.0, 6.0]}
    assert set(order) == set(net.numbers)
    values = np.column_stack([columns[node] for node in net.numbers])
    assert queries.log_likelihoods(codes, values).tolist()[0] == -np.inf
    with pytest.raises(ImpossibleEvidenceError, match="row 0: "):
        queries.posteriors(codes, values, "c")
    assert queries.posteriors(codes, values, "c", impossible="prior")[0] == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("cuts", [0.0, 0.5])
def test_expected_statistics_are_those_of_enumeration(cuts):
    rng = np.random.default_rng(11)
    net = random_network(rng, 3, 4, cuts=cuts)
    queries = MixedQueries(net)
    n = 25
    codes = np.column_stack([rng.integers(-1, net.cards[node], n) for node in net.categories]).astype(np.int32)
    is_missing = rng.random((n, 4)) < (0.4 if not cuts else 0.0)
    values = np.where(is_missing, np.nan, rng.normal(0, 2, (n, 4)))
    weight = rng.random(n)
    found = queries.expected_statistics(codes, values, weight)
    tables = {node: np.zeros(net.tables[node].shape) for node in net.categories}
    sums = {node: [np.zeros(own.intercepts.shape), {}, {}] for node, own in net.regressions.items()}
    log_likelihood = 0.0
    for row in range(n):
        evidence = {node: int(code) for node, code in zip(net.categories, codes[row], strict=True) if code >= 0}
        known = {node: value for node, value in zip(net.numbers, values[row], strict=True) if not np.isnan(value)}
        rows = list(enumerated(net, evidence, known))
        logs = np.array([log_p for _, log_p, _, _ in rows])
        total = np.logaddexp.reduce(logs)
        log_likelihood += weight[row] * total
        for chosen, log_p, mean, covariance in rows:
            p = weight[row] * np.exp(log_p - total)
            for node in net.categories:
                at = tuple(
                    chosen[one] if one in chosen else int(np.searchsorted(net.cuts[node][one], known[one]))
                    for one in (*net.parents[node], node)
                )
                tables[node][at] += p
            for node, own in net.regressions.items():
                j = tuple(chosen[one] for one in own.categories)
                at = [net.numbers.index(one) for one in (*own.numbers, node)]
                sums[node][0][j] += p
                sums[node][1][j] = sums[node][1].get(j, 0) + p * mean[at]
                second = covariance[np.ix_(at, at)] + np.outer(mean[at], mean[at])
                sums[node][2][j] = sums[node][2].get(j, 0) + p * second
    assert found.log_likelihood == pytest.approx(log_likelihood)
    for node, counts in tables.items():
        assert found.tables[node] == pytest.approx(counts, abs=1e-9)
    for node, (w, first, second) in sums.items():
        moments = found.moments[node]
        assert moments.weight == pytest.approx(w, abs=1e-9)
        for j in first:
            mean = first[j] / w[j]
            assert moments.mean[j] == pytest.approx(mean, abs=1e-8)
            assert moments.scatter[j] == pytest.approx(second[j] - w[j] * np.outer(mean, mean), abs=1e-7)


def test_independence_is_read_from_the_graph_and_from_probabilities():
    net = MixedNetwork(
        db.DAG([("a", "b"), ("b", "x"), ("x", "y")]),
        {"a": (0, 1), "b": (0, 1)},
        {"a": [0.5, 0.5], "b": [[0.4, 0.6], [0.4, 0.6]]},
        {
            "x": Regressions(("b",), (), [0.0, 1.0], np.empty((2, 0)), [1.0, 1.0]),
            "y": Regressions((), ("x",), 0.0, [1.0], 1.0),
        },
    )
    queries = MixedQueries(net)
    assert queries.is_independent("a", "b")
    assert queries.is_independent("b", "y", "x")
    assert not queries.is_independent("b", "y")


def test_a_query_that_is_too_large_is_refused_before_anything_is_computed(monkeypatch):
    n = 24
    arrows = [(f"c{i}", f"x{i}") for i in range(n)] + [(f"x{i}", f"x{i + 1}") for i in range(n - 1)]
    regressions = {
        f"x{i}": Regressions(
            (f"c{i}",), (f"x{i - 1}",) if i else (), [0.0, 1.0], [[0.5]] * 2 if i else [[]] * 2, [1.0] * 2
        )
        for i in range(n)
    }
    categories = {f"c{i}": (0, 1) for i in range(n)}
    net = MixedNetwork(db.DAG(arrows), categories, {node: [0.5, 0.5] for node in categories}, regressions)
    queries = MixedQueries(net)
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", "100000000")
    assert queries.cost_of("x23", queries.read({})).largest > 2**24
    with pytest.raises(TooLargeError, match="estimate"):
        queries.posterior("x23", queries.read({}))
    assert queries.posterior("x3", queries.read({})).mean == pytest.approx(0.5 * (1 + 0.5 + 0.25 + 0.125))
    given = {f"x{i}": 0.0 for i in range(23)}
    assert queries.posterior("x23", queries.read(given)).mean == pytest.approx(0.5)


def test_targets_and_evidence_that_make_no_query_are_refused(cut_net):
    queries = MixedQueries(cut_net)
    with pytest.raises(ParameterError, match="also observed"):
        queries.posterior("y", queries.read({"y": 1.0}))
    for wrong in (np.nan, np.inf, "tall", None):
        with pytest.raises(InputError):
            queries.read({"y": wrong})
    with pytest.raises(ParameterError, match="empty"):
        queries.read({"y": Between(3, 1)})
    with pytest.raises(InputError, match="mapping"):
        queries.read([1])


def test_what_was_compiled_is_no_part_of_the_value(cut_net):
    MixedQueries(cut_net).distributions(MixedQueries(cut_net).read({}))
    again = pickle.loads(pickle.dumps(cut_net))  # noqa: S301
    assert again == cut_net
    assert again._strong_tree is None


def test_missing_values_in_different_parts_of_a_row_are_summed_in_pieces():
    rng = np.random.default_rng(13)
    net = random_network(rng, 6, 6, density=0.25, cuts=0.2)
    queries = MixedQueries(net)
    n = 40
    codes = np.column_stack([rng.integers(0, net.cards[node], n) for node in net.categories]).astype(np.int32)
    codes[rng.random(codes.shape) < 0.25] = -1
    values = np.where(rng.random((n, 6)) < 0.25, np.nan, rng.normal(0, 2, (n, 6)))
    logs = queries.log_likelihoods(codes, values)
    best, best_logs = queries.best_states(codes, values)
    for row in range(n):
        evidence = {node: int(code) for node, code in zip(net.categories, codes[row], strict=True) if code >= 0}
        known = {node: value for node, value in zip(net.numbers, values[row], strict=True) if not np.isnan(value)}
        findings = queries.read(named(net, evidence, known))
        assert logs[row] == pytest.approx(queries.log_probability(findings), abs=1e-9)
        found = queries.most_probable_explanation(findings)
        assert best_logs[row] == pytest.approx(found.log_probability, abs=1e-9)
        assert [net.code(node, found[node]) for node in net.categories] == best[row].tolist()


def test_three_intervals_in_one_component_are_integrated():
    net = MixedNetwork(
        db.DAG([("x", "y"), ("x", "w")]),
        {},
        {},
        {
            "x": Regressions((), (), 0.0, [], 1.0),
            "y": Regressions((), ("x",), 0.0, [1.0], 0.5),
            "w": Regressions((), ("x",), 0.0, [-1.0], 0.5),
        },
    )
    queries = MixedQueries(net)
    findings = queries.read({"x": (0.0, 1.0), "y": (0.5, None), "w": (None, 0.0)})
    x, dx = nodes_integrated(0.0, 1.0)
    p = dx * stats.norm.pdf(x) * stats.norm.sf(0.5, x, np.sqrt(0.5)) * stats.norm.cdf(0.0, -x, np.sqrt(0.5))
    assert np.exp(queries.log_probability(findings)) == pytest.approx(p.sum(), rel=1e-7)
    answer = queries.posterior("x", findings)
    assert answer.mean == pytest.approx((p * x).sum() / p.sum(), rel=1e-7)


@pytest.mark.parametrize("variance", [1.0, 1e-2, 1e-6, 0.0])
def test_rectangles_of_nearly_equal_numbers_are_integrated_between_their_steps(variance):
    regressions = {"x": Regressions((), (), 0.0, [], 1.0), "y": Regressions((), ("x",), 0.0, [-1.0], variance)}
    net = MixedNetwork(db.DAG([("x", "y")]), {}, {}, regressions)
    queries = MixedQueries(net)
    found = np.exp(queries.log_probability(queries.read({"x": (-1.0, None), "y": (None, 0.2)})))
    sd = np.sqrt(variance)
    if sd:
        steps = [-1.0, *(-0.2 + k * sd for k in (-8, -4, 0, 4, 8)), 10.0]
        parts = [nodes_integrated(low, high) for low, high in pairwise(sorted(max(step, -1.0) for step in steps))]
        expected = sum((dx * stats.norm.pdf(x) * stats.norm.cdf(0.2, -x, sd)).sum() for x, dx in parts)
    else:
        expected = stats.norm.sf(-0.2)
    assert found == pytest.approx(expected, rel=1e-9)


def test_a_number_below_one_in_an_interval_has_the_density_of_the_integral():
    regressions = {"x": Regressions((), (), 0.0, [], 1.0), "y": Regressions((), ("x",), 1.0, [-2.0], 0.5)}
    net = MixedNetwork(db.DAG([("x", "y")]), {}, {}, regressions)
    queries = MixedQueries(net)
    answer = queries.posterior("y", queries.read({"x": (0.5, None)}))
    x, dx = nodes_integrated(0.5, np.inf)
    p = dx * stats.norm.pdf(x)
    for y in (-6.0, -2.0, 0.0, 1.0):
        assert answer.pdf(y) == pytest.approx(
            (p * stats.norm.pdf(y, 1 - 2 * x, np.sqrt(0.5))).sum() / p.sum(), rel=1e-8
        )
    assert answer.mean == pytest.approx((p * (1 - 2 * x)).sum() / p.sum(), rel=1e-9)


def test_expected_statistics_of_a_hidden_number_with_bins_are_those_of_integrals(cut_net):
    queries = MixedQueries(cut_net)
    codes = np.array([[-1, 1], [0, -1]], dtype=np.int32)
    values = np.array([[np.nan, 0.7], [np.nan, -1.0]])
    found = queries.expected_statistics(codes, values)
    assert cut_net.categories == ("a", "d")
    assert cut_net.numbers == ("z", "y")
    table, weight, first, second = np.zeros((2, 3, 2)), np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2, 2))
    for (a, d), (_, y) in zip(codes, values, strict=True):
        rows = []
        for low, high in pairwise([-np.inf, -0.4, 0.8, np.inf]):
            for z, dz in zip(*nodes_integrated(low, high, 0.0, 3.0), strict=True):
                known = {node: int(code) for node, code in (("a", a), ("d", d)) if code >= 0}
                rows += [
                    (chosen, dz * np.exp(log_p), z)
                    for chosen, log_p, *_ in enumerated(cut_net, known, {"z": z, "y": y})
                ]
        total = sum(p for _, p, _ in rows)
        for chosen, p, z in rows:
            share, family = p / total, np.array([z, y])
            table[chosen["a"], int(np.searchsorted([-0.4, 0.8], z)), chosen["d"]] += share
            weight[chosen["d"]] += share
            first[chosen["d"]] += share * family
            second[chosen["d"]] += share * np.outer(family, family)
    assert cut_net.parents["d"] == ("a", "z")
    assert found.tables["d"] == pytest.approx(table, abs=1e-9)
    moments = found.moments["y"]
    assert moments.weight == pytest.approx(weight, abs=1e-9)
    mean = first / weight[:, None]
    assert moments.mean == pytest.approx(mean, abs=1e-9)
    centred = second - weight[:, None, None] * mean[:, :, None] * mean[:, None, :]
    assert moments.scatter == pytest.approx(centred, abs=1e-8)


def test_numbers_that_overflow_are_refused_and_never_nan():
    regressions = {
        "x": Regressions((), (), 1e200, [], 1.0),
        "y": Regressions((), ("x",), 0.0, [1e200], 1.0),
        "z": Regressions((), ("x", "y"), 0.0, [-1e200, 1.0], 1.0),
    }
    net = MixedNetwork(db.DAG([("x", "y"), ("x", "z"), ("y", "z")]), {}, {}, regressions)
    queries = MixedQueries(net)
    with pytest.raises(InputError, match="scale the columns"):
        queries.posterior("z", queries.read({}))


def test_the_shape_of_numbers_in_a_rectangle_is_that_of_the_integral():
    net = MixedNetwork(
        db.DAG([("x", "y"), ("y", "w")]),
        {},
        {},
        {
            "x": Regressions((), (), 0.0, [], 1.0),
            "y": Regressions((), ("x",), 0.5, [0.8], 0.6),
            "w": Regressions((), ("y",), 0.0, [1.0], 0.5),
        },
    )
    queries = MixedQueries(net)
    findings = queries.read({"x": (0.2, None), "y": (-1.0, 1.0)})
    (x, dx), (y, dy) = nodes_integrated(0.2, np.inf), nodes_integrated(-1.0, 1.0)
    joint = dx[:, None] * stats.norm.pdf(x)[:, None] * stats.norm.pdf(y, 0.5 + 0.8 * x[:, None], np.sqrt(0.6))
    total = (joint * dy).sum()
    found = {node: queries.posterior(node, findings) for node in net.nodes}
    for value in (0.3, 1.0, 2.0):
        inside = stats.norm(0.5 + 0.8 * value, np.sqrt(0.6))
        expected = stats.norm.pdf(value) * (inside.cdf(1.0) - inside.cdf(-1.0)) / total
        assert found["x"].pdf(value) == pytest.approx(expected, rel=1e-8)
    for value in (-0.9, 0.0, 0.9):
        expected = (dx * stats.norm.pdf(x) * stats.norm.pdf(value, 0.5 + 0.8 * x, np.sqrt(0.6))).sum() / total
        assert found["y"].pdf(value) == pytest.approx(expected, rel=1e-8)
        expected = (joint * dy * stats.norm.pdf(value, y, np.sqrt(0.5))).sum() / total
        assert found["w"].pdf(value) == pytest.approx(expected, rel=1e-8)
    assert found["x"].cdf(0.2) == found["y"].cdf(-1.0) == found["y"].sf(1.0) == 0
    marginals = queries.distributions(findings)
    for node in net.nodes:
        assert (found[node].mean, found[node].variance) == pytest.approx(
            (marginals[node].mean, marginals[node].variance), rel=1e-9
        )
        hidden = queries.tree.pattern((1 << 3) - 1, (), (), findings.bounds).component_of[net.dag.index(node)]
        assert len(hidden.binned) == 2


def test_the_shape_near_a_sharp_edge_keeps_mean_and_variance():
    regressions = {
        "x": Regressions((), (), 0.0, [], 1.0),
        "y": Regressions((), ("x",), 0.0, [1.0], 1e-4),
        "w": Regressions((), ("y",), 0.0, [1.0], 1e-6),
    }
    queries = MixedQueries(MixedNetwork(db.DAG([("x", "y"), ("y", "w")]), {}, {}, regressions))
    findings = queries.read({"x": (0.0, 1.0), "y": (0.5, None)})
    pattern = queries.tree.pattern(0b111, (), (), findings.bounds)
    for node in ("x", "y", "w"):
        answer = queries.posterior(node, findings)
        component = pattern.component_of[queries.network.dag.index(node)]
        _, cases = queries._pattern(0b111, findings)
        exact = component.posterior(cases, [queries.network.dag.index(node)])
        assert answer.mean == pytest.approx(float(exact.means.ravel()[0]), rel=1e-9)
        assert answer.variance == pytest.approx(float(exact.covariances.ravel()[0]), rel=1e-7)


def test_numbers_in_intervals_that_are_independent_are_integrated_one_by_one():
    regressions = {node: Regressions((), (), 0.0, [], 1.0) for node in "abcd"}
    regressions["y"] = Regressions((), tuple("abcd"), 0.0, [1.0, 1.0, 1.0, 1.0], 1.0)
    net = MixedNetwork(db.DAG([(node, "y") for node in "abcd"]), {}, {}, regressions)
    queries = MixedQueries(net)
    findings = queries.read(dict.fromkeys("abcd", Between(0.5, None)))
    assert np.exp(queries.log_probability(findings)) == pytest.approx(stats.norm.sf(0.5) ** 4, rel=1e-12)
    one = stats.truncnorm(0.5, np.inf)
    found = queries.distributions(findings)
    assert found["y"].mean == pytest.approx(4 * one.mean(), rel=1e-9)
    assert found["y"].variance == pytest.approx(1 + 4 * one.var(), rel=1e-9)
    assert found["a"].variance == pytest.approx(one.var(), rel=1e-9)


def test_two_bins_of_one_number_under_two_names_are_exact():
    net = MixedNetwork(
        db.DAG([("x", "z"), ("z", "d"), ("x", "e")]),
        {"d": (0, 1), "e": (0, 1)},
        {"d": [[0.9, 0.1], [0.2, 0.8]], "e": [[0.7, 0.3], [0.1, 0.9]]},
        {"x": Regressions((), (), 0.0, [], 1.0), "z": Regressions((), ("x",), 0.0, [2.0], 0.0)},
        {"d": {"z": [0.0]}, "e": {"x": [0.5]}},
    )
    queries = MixedQueries(net)
    findings = queries.read({"d": 1, "e": 1})
    cdf = stats.norm.cdf
    expected = cdf(0) * 0.1 * 0.3 + (cdf(0.5) - cdf(0)) * 0.8 * 0.3 + (1 - cdf(0.5)) * 0.8 * 0.9
    assert np.exp(queries.log_probability(findings)) == pytest.approx(expected, rel=1e-9)
    found = queries.distributions(findings)
    assert found["z"].mean == pytest.approx(2 * found["x"].mean)
    assert (found["x"].variances > 0).all()
    with pytest.raises(ImpossibleEvidenceError, match="2 < x <= inf, -inf < z <= 3 cannot be true together"):
        queries.distributions(queries.read({"x": Between(2, None), "z": Between(None, 3)}))


def test_threads_share_what_was_compiled(cut_net):
    queries = MixedQueries(cut_net)
    evidence = [{}, {"d": "no"}, {"y": 0.5}, {"a": 0, "y": 1.0}, {"z": 0.1}, {"z": (0, 1)}] * 5
    alone = [MixedQueries(cut_net).log_probability(queries.read(each)) for each in evidence]
    cut_net._strong_tree = None
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda each: queries.log_probability(queries.read(each)), evidence)) == alone


FAR = MixedNetwork(
    db.DAG([("sex", "x"), ("x", "y"), ("sex", "y"), ("y", "c"), ("sex", "d")]),
    {"sex": ("f", "m"), "c": ("lo", "hi"), "d": ("no", "yes")},
    {"sex": [0.5, 0.5], "c": [[0.75, 0.25], [0.25, 0.75]], "d": [[0.5, 0.5], [0.25, 0.75]]},
    {
        "x": Regressions(("sex",), (), [0.0, 1.0], [[], []], [1.0, 2.0]),
        "y": Regressions(("sex",), ("x",), [0.0, 1.0], [[2.0], [2.0]], [1.0, 1.0]),
    },
    {"c": {"y": [1.0]}},
)


@pytest.mark.parametrize(
    ("evidence", "c"),
    [
        ({"x": 1e10, "y": 1e5}, [0.25, 0.75]),
        ({"x": 1e10}, [0.25, 0.75]),
        ({"x": (None, -1e10)}, [0.75, 0.25]),
        ({"x": 1e5, "y": -1e5, "d": "no"}, [0.75, 0.25]),
    ],
)
def test_evidence_far_in_the_tails_leaves_the_digits_of_tables(evidence, c):
    queries = MixedQueries(FAR)
    findings = queries.read(evidence)
    assert queries.posterior("c", findings).as_array() == pytest.approx(c, rel=1e-12)
    assert queries.distributions(findings)["c"].as_array() == pytest.approx(c, rel=1e-12)
    sex = queries.posterior("sex", findings).as_array()
    assert sex == pytest.approx([0.0, 1.0]) if "d" not in evidence or evidence["x"] > 0 else sex.sum() == 1
    assert queries.most_probable_explanation(findings)["c"] == ("lo", "hi")[int(np.argmax(c))]
    assert np.isfinite(queries.log_probability(findings))


@pytest.mark.parametrize("value", [1e300, -1.7e308])
def test_values_that_squares_overflow_for_are_impossible_and_larger_ones_an_error(value):
    net = db.BayesNet.of(FAR)
    for ask in (
        lambda: net.query("c", {"x": value}),
        lambda: net.mpe({"x": value}),
        lambda: net.marginals({"x": value}),
    ):
        with pytest.raises((ImpossibleEvidenceError, InputError), match=r"impossible|no float"):
            ask()
    with pytest.raises((ImpossibleEvidenceError, InputError), match=r"probability 0|no float"):
        net.estimate("sex", {"x": value}, n=100, random_state=0)
    with pytest.raises(InputError, match="finite number"):
        net.query("c", {"x": 10**400})
