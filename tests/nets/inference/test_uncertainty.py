"""How far an answer is known: as far as tables drawn from their posterior agree, and data sets drawn from the truth."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ParameterError, UnfittedError, UnseenStateError
from tests.nets.inference.brute import asia, asked, nets

DAYS = {"rain": ["no"] * 7 + ["yes"] * 3, "wet": ["no"] * 6 + ["yes"] * 4}


def drawn(net, rng, sizes=None):
    """The net with every row of every table drawn from a Dirichlet: its posterior, or without sizes a uniform one."""
    tables = {}
    for index, (node, table) in enumerate(zip(net.nodes, net.network.factors, strict=True)):
        draws = rng.standard_gamma(np.ones(table.shape) if sizes is None else table * sizes[index][..., None])
        tables[node] = draws / draws.sum(axis=-1, keepdims=True)
    return db.BayesNet.of(net.network.with_tables(tables))


def sizes_of(net):
    """Rows and pseudo-counts of Laplace's rule behind each row."""
    return [net.tally_[node].sum(axis=-1) + len(net.states[node]) for node in net.nodes]


QUESTIONS = [
    ("lung", {}),
    ("lung", {"xray": "yes"}),
    ("tub", {"xray": "yes", "dysp": "yes", "smoke": "no"}),
    ("smoke", {"dysp": "yes", "xray": "no"}),
    ("dysp", {"asia": "no", "smoke": "yes"}),
]


@pytest.mark.parametrize(("target", "evidence"), QUESTIONS)
def test_drawn_tables_agree_with_the_interval(target, evidence):
    net = db.BayesNet(asia().dag).fit(asia().sample(5000, random_state=1))
    answer = net.query(target, evidence, interval=0.9)
    rng, sizes = np.random.default_rng(2), sizes_of(net)
    draws = np.array([drawn(net, rng, sizes).query(target, evidence)["yes"] for _ in range(1500)])
    low, high = answer.interval("yes")
    # 0.9 ± 4 standard errors of 1500 draws is 0.03; to first order the interval may be off by a little more.
    assert np.mean((draws > low) & (draws < high)) == pytest.approx(0.9, abs=0.04)
    ends = np.quantile(draws, [0.05, 0.95])
    assert [low, high] == pytest.approx(ends, abs=0.15 * (high - low))


def test_true_answers_are_in_the_interval_as_often_as_it_says():
    # The truth is drawn from the prior that Laplace's rule stands for: every distribution is as probable as any other.
    graph, rng, hits, count = asia(), np.random.default_rng(3), dict.fromkeys(("bronc", "smoke", "dysp"), 0), 200
    for seed in range(count):
        truth = drawn(graph, rng)
        net = db.BayesNet(truth.dag).fit(truth.sample(400, random_state=seed), states=truth.states)
        for node, evidence in (("bronc", {"dysp": "yes"}), ("smoke", {"bronc": "no"}), ("dysp", {"smoke": "yes"})):
            low, high = net.query(node, evidence, interval=0.95).interval("yes")
            hits[node] += low <= truth.query(node, evidence)["yes"] <= high
    # 0.95 ± 3 standard errors of 200 data sets, which is 0.046.
    assert all(0.90 <= hit / count <= 0.99 for hit in hits.values()), hits


@settings(max_examples=60)
@given(st.data())
def test_the_variance_is_that_of_small_steps_in_every_row(data):
    net = data.draw(nets(max_nodes=4))
    evidence, weights = data.draw(asked(net, max_evidence=2))
    free = [node for node in net.nodes if node not in evidence]
    assume(free and net.probability(evidence, likelihoods=weights) > 0)
    target, seed = data.draw(st.sampled_from(free)), data.draw(st.integers(0, 99))
    fitted = db.BayesNet(net.dag).fit(
        net.sample(30, random_state=seed),
        states=net.states,
        smoothing=data.draw(st.sampled_from([db.Laplace(), db.Lidstone(3)])),
    )
    answer = fitted.query(target, evidence, likelihoods=weights, interval=0.95)
    assert answer == fitted.query(target, evidence, likelihoods=weights)
    network, step, variance = fitted.network, 1e-5, np.zeros(len(answer))
    for node, table in zip(fitted.nodes, network.factors, strict=True):
        counts = fitted.tally_[node].sum(axis=-1)
        added = sum(fitted.settings_.smoothing.pseudocounts(table.shape[-1], counts.size) * np.ones(table.shape[-1]))
        for row in np.ndindex(counts.shape):
            for state in range(table.shape[-1]):
                moves = []
                for by in (step, -step):
                    moved = np.array(table)
                    moved[row] *= 1 - by
                    moved[(*row, state)] += by
                    changed = db.BayesNet.of(network.with_tables({node: moved}))
                    moves.append(changed.query(target, evidence, likelihoods=weights).as_array())
                slope = (moves[0] - moves[1]) / (2 * step)
                variance += table[(*row, state)] * slope**2 / (counts[row] + added + 1)
    assert answer.standard_errors**2 == pytest.approx(variance, rel=1e-4, abs=1e-12)
    for state, p in answer.items():
        low, high = answer.interval(state)
        assert 0 <= low <= p <= high <= 1
        assert sum(answer.shares(state).values()) in (0, pytest.approx(1))


def test_one_coin_has_the_variance_of_its_beta_posterior():
    coin = db.BayesNet(db.DAG(nodes=["coin"])).fit({"coin": ["head"] * 30 + ["tail"] * 70})
    answer = coin.query("coin", interval=0.95)
    assert answer.standard_errors == pytest.approx([(31 * 71 / 102**2 / 103) ** 0.5] * 2)
    wider, (low, high) = answer.interval("head", level=0.99), answer.interval("head")
    assert wider[0] < low < 31 / 102 < high < wider[1]
    tails = answer.interval("tail")
    assert (1 - tails[1], 1 - tails[0]) == pytest.approx((low, high))


def test_more_rows_narrow_it_whichever_way_they_come():
    once = db.BayesNet([("rain", "wet")]).fit(DAYS)
    errors = [net.query("rain", {"wet": "yes"}, interval=0.95).standard_errors for net in (
        once,
        db.BayesNet([("rain", "wet")]).fit(DAYS, sample_weight=[4] * 10),
        db.BayesNet([("rain", "wet")]).fit(DAYS).merge(once).merge(once).merge(once),
    )]  # fmt: skip
    assert errors[1] == pytest.approx(errors[2]) and (errors[1] < 0.7 * errors[0]).all()


def test_what_no_estimate_moves_is_certain():
    net = db.BayesNet([("rain", "wet")]).fit({"rain": ["no", "yes"] * 5, "wet": ["no", "yes"] * 5}, smoothing=db.MLE())
    answer = net.query("rain", {"wet": "yes"}, interval=0.95)
    assert answer.interval("yes") == (1.0, 1.0) and answer.shares("yes") == {}
    assert "[1.0000, 1.0000]" in str(answer)


def test_shares_name_the_tables_that_matter():
    net = db.BayesNet([("rain", "wet"), ("wet", "slip")]).fit({**DAYS, "slip": DAYS["wet"]})
    assert set(net.query("rain", interval=0.95).shares("yes")) == {"rain"}
    shares = net.query("rain", {"wet": "yes", "slip": "yes"}, interval=0.95).shares("yes")
    assert set(shares) == {"rain", "wet"} and list(shares.values()) == sorted(shares.values(), reverse=True)


def test_it_is_shown_with_its_intervals():
    answer = db.BayesNet([("rain", "wet")]).fit(DAYS).query("rain", {"wet": "yes"}, interval=0.9)
    lines = ["rain  (90% intervals)", "no   0.3571  [0.1191, 0.6953]", "yes  0.6429  [0.3047, 0.8809]"]
    assert str(answer).splitlines() == lines
    assert "[0.3047, 0.8809]" in answer._repr_html_() and "currentColor" in answer._repr_html_()


def test_intervals_need_counts():
    given = asia()
    with pytest.raises(UnfittedError, match="given, not counted"):
        given.query("lung", interval=0.95)
    net = db.BayesNet([("rain", "wet")]).fit(DAYS)
    with pytest.raises(ParameterError, match="one node"):
        net.query(["rain", "wet"], interval=0.95)
    for level in (0, 1, 95, True, "0.95"):
        with pytest.raises(ParameterError, match="between 0 and 1, such as"):
            net.query("rain", interval=level)
    with pytest.raises(UnseenStateError, match="'hail'"):
        net.query("rain", interval=0.95).interval("hail")
    rows = {"rain": ["no", None, "yes"], "wet": ["no", "yes", "yes"]}
    with pytest.raises(ParameterError, match="too narrow"):
        db.BayesNet([("rain", "wet")]).fit(rows, missing="em").query("rain", interval=0.95)
    assert db.BayesNet([("rain", "wet")]).fit(DAYS, missing="em").query("rain", interval=0.95)
    assert db.BayesNet([("rain", "wet")]).fit(rows, missing="skip").query("rain", interval=0.95)
