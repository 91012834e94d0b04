"""A saved net is the same net: it answers the same bits and goes on learning; a bad file gives one clear error."""

from datetime import date
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import FileError, ParameterError, UnfittedError

rng = np.random.default_rng(0)
N = 200
SKY = rng.integers(0, 3, N)
WET = (SKY == 2) ^ (rng.random(N) < 0.2)
DATA = pd.DataFrame(
    {
        "sky": np.array(["sun", "fog", "regen ☔"])[SKY],
        "wet": WET,
        "day": [date(2024, 1, 1 + place) for place in rng.integers(0, 3, N)],
        "mood": pd.Categorical(np.array(["low", "high"])[(WET ^ (rng.random(N) < 0.3)).astype(int)], ["low", "high"]),
    }
)
GAPS = DATA.assign(wet=DATA["wet"].astype(object).where(rng.random(N) < 0.8, None))
ARROWS = [("sky", "wet"), ("day", "mood"), ("wet", "mood")]
FITTED = {
    "plain": {},
    "smoothed": {"smoothing": {"sky": db.MEstimate(2.0), "mood": db.BDeu(5)}, "unseen_parents": "uniform"},
    "weighed": {"sample_weight": rng.uniform(0.5, 2, N), "smoothing": db.Jeffreys()},
    "fixed": {"states": {"sky": ["regen ☔", "fog", "sun"]}, "limit": 1 << 20},
    "skip": {"missing": "skip"},
}
NUMBERS = {"a": rng.normal(size=N), "b": rng.normal(size=N), "c": rng.normal(size=N) * 1e6 + 1e9}


def through_file(net, folder):
    db.save(net, folder / "net.deciban")
    return db.load(folder / "net.deciban")


@pytest.mark.parametrize("name", FITTED)
def test_a_loaded_net_is_the_same_and_goes_on_learning(name, tmp_path):
    settings = FITTED[name]
    data = GAPS if name == "skip" else DATA
    net = db.BayesNet(db.DAG(ARROWS, ["mood", "sky"])).fit(data, **settings)
    loaded = through_file(net, tmp_path)
    same(loaded, net)
    assert loaded.report() == net.report()
    for step in ("partial_fit", "forget"):
        for each in (net, loaded):
            getattr(each, step)(data[:50])
        same(loaded, net)
    other = db.BayesNet.from_tally(net.tally_)
    same(loaded.merge(other), net.merge(other))


def same(a, b):
    assert type(a) is type(b) and a == b and a.nodes == b.nodes
    assert a.tally_ == b.tally_ and a.settings_ == b.settings_
    for node in a.nodes:
        assert a.tables[node].tobytes() == b.tables[node].tobytes()
        assert list(map(type, a.states[node])) == list(map(type, b.states[node]))


def test_a_net_that_climbed_keeps_its_trace_and_still_refuses_more_rows(tmp_path):
    net = db.BayesNet(ARROWS).fit(GAPS, missing="em")
    loaded = through_file(net, tmp_path)
    same(loaded, net)
    assert loaded.em_ == net.em_
    with pytest.raises(ParameterError, match="expectation maximization"):
        loaded.partial_fit(DATA)


def test_given_tables_keep_the_order_of_parents_and_the_types_of_names(tmp_path):
    g = db.DAG([((0, 1), "b"), (3, "b")])
    states = {(0, 1): (True, False), 3: (0, 1, None), "b": ("x", 2.5)}
    table = rng.dirichlet([1, 1], (3, 2))
    tables = {(0, 1): [0.25, 0.75], 3: [0.2, 0.3, 0.5], "b": table}
    net = db.BayesNet.from_tables(g, states, tables, parents={"b": (3, (0, 1))})
    loaded = through_file(net, tmp_path)
    assert loaded == net and loaded.nodes == net.nodes and loaded.parents["b"] == (3, (0, 1))
    assert [type(state) for state in loaded.states[(0, 1)]] == [bool, bool]
    with pytest.raises(UnfittedError, match="were given, not counted"):
        loaded.partial_fit({})


@pytest.mark.parametrize("settings", [{}, {"variance": "unbiased"}, {"missing": "skip"}, {"missing": "em"}], ids=str)
def test_gaussian_nets_are_kept(settings, tmp_path):
    data = NUMBERS | ({"a": np.where(rng.random(N) < 0.1, np.nan, NUMBERS["a"])} if "missing" in settings else {})
    net = db.GaussianNet([("a", "c"), ("b", "c")]).fit(data, **settings)
    loaded = through_file(net, tmp_path)
    assert loaded.parameters == net.parameters and loaded.tally_ == net.tally_ and loaded.dag == net.dag
    if settings.get("missing") == "em":
        assert loaded.log_likelihoods_ == net.log_likelihoods_
        return
    assert loaded.partial_fit(data).parameters == net.partial_fit(data).parameters


def test_given_gaussians_are_kept(tmp_path):
    net = db.GaussianNet.from_parameters(
        [("a", "b")], {"a": db.LinearGaussian(1.0, {}, 2.0), "b": db.LinearGaussian(0.1, {"a": -3.0}, 0.0)}
    )
    assert through_file(net, tmp_path).parameters == net.parameters


def test_what_cannot_be_saved_says_why(tmp_path):
    for net in (db.BayesNet(ARROWS), db.GaussianNet(ARROWS)):
        with pytest.raises(UnfittedError):
            db.save(net, tmp_path / "net")
    parts = db.BayesNet.from_tables([("a", "b")], dict.fromkeys("ab", (Fraction(1, 3),)), {"a": [1.0], "b": [[1.0]]})
    with pytest.raises(ParameterError, match=r"Fraction\(1, 3\), a Fraction, which cannot be written"):
        db.save(parts, tmp_path / "net")
    assert not list(tmp_path.iterdir())


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "net"
    db.save(db.BayesNet(ARROWS).fit(DATA), path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 97):
        raw = bytearray(whole)
        raw[at] ^= 4
        path.write_bytes(raw)
        with pytest.raises(FileError, match=r"damaged|truncated|not a deciban file"):
            db.load(path)
    path.write_bytes(whole[:-1])
    with pytest.raises(FileError, match="truncated"):
        db.load(path)
