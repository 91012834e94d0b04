"""Rows come from the net's distribution, given evidence or not, and the same ones for the same seed."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chisquare

import deciban as db
from deciban.errors import (
    ImpossibleEvidenceError,
    InputError,
    InputTypeError,
    ParameterError,
    TooLargeError,
    UnknownNodeError,
    UnseenStateError,
)
from tests.nets.sampling.test_conditioned import joint

YES_NO = ("no", "yes")


@pytest.fixture
def sprinkler():
    return db.BayesNet.from_tables(
        [("season", "rain"), ("season", "sprinkler"), ("rain", "wet"), ("sprinkler", "wet")],
        {"season": ("dry", "mild", "wet"), "rain": YES_NO, "sprinkler": YES_NO, "wet": YES_NO},
        {
            "season": [0.3, 0.3, 0.4],
            "rain": [[0.9, 0.1], [0.6, 0.4], [0.3, 0.7]],
            "sprinkler": [[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]],
            "wet": [[[0.95, 0.05], [0.2, 0.8]], [[0.1, 0.9], [0.05, 0.95]]],
        },
        parents={"wet": ("rain", "sprinkler")},
    )


def expected(net, evidence):
    rows, whole = joint(net.network.cards, net.network.families, net.network.factors)
    codes = net.network.evidence_codes(evidence)
    whole = np.where((rows[:, list(codes)] == list(codes.values())).all(axis=1), whole, 0)
    return whole / whole.sum()


def shares(net, codes, weights=None):
    cells = np.ravel_multi_index(tuple(codes.T.astype(np.int64)), net.network.cards)
    return np.bincount(cells, weights, minlength=int(np.prod(net.network.cards)))


@pytest.mark.parametrize("evidence", [None, {"wet": "yes"}, {"wet": "no", "rain": "yes"}, {"season": "dry"}])
def test_exact_rows_pass_a_chi_squared_test(sprinkler, evidence):
    codes = sprinkler.sample(200_000, random_state=7, evidence=evidence, as_="codes")
    wanted, found = expected(sprinkler, evidence), shares(sprinkler, codes)
    assert found[wanted == 0].sum() == 0
    assert chisquare(found[wanted > 0], 200_000 * wanted[wanted > 0]).pvalue > 1e-4


@pytest.mark.parametrize("evidence", [{"wet": "yes"}, {"wet": "no", "rain": "yes"}])
def test_weighted_and_gibbs_rows_have_the_same_distribution(sprinkler, evidence):
    wanted = expected(sprinkler, evidence)
    weighted = sprinkler.sample_weighted(200_000, evidence, random_state=1, as_="codes")
    np.testing.assert_allclose(shares(sprinkler, weighted.rows, weighted.weights), wanted, atol=0.006)
    assert weighted.weights.sum() == pytest.approx(1)
    assert 10_000 < weighted.effective_size < 200_000
    whole = joint(sprinkler.network.cards, sprinkler.network.families, sprinkler.network.factors)[1]
    codes = sprinkler.network.evidence_codes(evidence)
    rows = np.indices(sprinkler.network.cards).reshape(4, -1).T
    p = whole[(rows[:, list(codes)] == list(codes.values())).all(axis=1)].sum()
    assert weighted.log_probability == pytest.approx(np.log(p), abs=0.02)
    gibbs = sprinkler.sample_gibbs(200_000, evidence, random_state=1, as_="codes")
    np.testing.assert_allclose(shares(sprinkler, gibbs.rows) / 200_000, wanted, atol=0.01)
    assert gibbs.is_converged
    assert all(size > 1_000 for size in gibbs.effective_size.values())


def test_rows_of_a_known_net_follow_its_tables(shared_data):
    net = db.read_net(shared_data / "nets" / "alarm.bif.gz")
    codes = net.sample(100_000, random_state=11, as_="codes").astype(np.int64)
    values = []
    for family, table in zip(net.network.families, net.network.factors, strict=True):
        counts = np.zeros(table.shape)
        np.add.at(counts, tuple(codes[:, list(family)].T), 1)
        wanted = counts.sum(axis=-1, keepdims=True) * table
        for row, hoped in zip(counts.reshape(-1, table.shape[-1]), wanted.reshape(-1, table.shape[-1]), strict=True):
            assert row[hoped == 0].sum() == 0
            if hoped[hoped > 0].min(initial=np.inf) >= 5 and (hoped > 0).sum() > 1:
                values.append(chisquare(row[hoped > 0], hoped[hoped > 0]).pvalue)
    assert len(values) > 100
    assert min(values) > 0.05 / len(values) / 10


@pytest.mark.parametrize("seed", range(4))
def test_chains_that_cannot_leave_their_part_are_reported(seed):
    """`either` is `tub` or `lung`: no single step leads from either=no to yes, and both are likely given the X-ray."""
    either = [[[1, 0], [0, 1]], [[0, 1], [0, 1]]]
    net = db.BayesNet.from_tables(
        [("tub", "either"), ("lung", "either"), ("either", "xray")],
        dict.fromkeys(["tub", "lung", "either", "xray"], YES_NO),
        {"tub": [0.99, 0.01], "lung": [0.95, 0.05], "either": either, "xray": [[0.95, 0.05], [0.02, 0.98]]},
        parents={"either": ("tub", "lung")},
    )
    assert net.query("either", {"xray": "yes"})["yes"] > 0.5
    assert not net.sample_gibbs(2_000, {"xray": "yes"}, random_state=seed).is_converged


@pytest.mark.parametrize("method", ["sample", "sample_weighted", "sample_gibbs"])
def test_the_same_seed_gives_the_same_rows_for_any_number_of_threads(sprinkler, any_threads, method):
    drawn = []
    for count in (1, 2, 3):
        any_threads(count)
        found = getattr(sprinkler, method)(10_000, evidence={"wet": "yes"}, random_state=5, as_="codes")
        drawn.append(found if method == "sample" else found.rows)
    assert np.array_equal(drawn[0], drawn[1]) and np.array_equal(drawn[0], drawn[2])
    assert not np.array_equal(
        sprinkler.sample(10_000, random_state=5, as_="codes"), sprinkler.sample(10_000, random_state=6, as_="codes")
    )


def test_more_rows_begin_with_the_same_rows(sprinkler):
    assert sprinkler.sample(5_000, random_state=3).slice(0, 100).equals(sprinkler.sample(100, random_state=3))


def test_rows_are_a_table_that_the_rest_takes(sprinkler):
    rows = sprinkler.sample(20_000, random_state=2)
    assert isinstance(rows, pa.Table)
    assert rows.column_names == list(sprinkler.nodes)
    assert set(rows["rain"].to_pylist()) == set(YES_NO)
    assert list(rows.to_pandas()["season"].cat.categories) == ["dry", "mild", "wet"]
    found = db.discover(rows)
    assert found.graph == sprinkler.dag.cpdag()
    assert db.equivalent(db.search(rows).graph, sprinkler.dag)


def test_states_keep_their_types():
    net = db.BayesNet.from_tables(
        db.DAG(nodes=["a", 2]), {"a": (1, 5), 2: (False, True)}, {"a": [0.5, 0.5], 2: [0.5, 0.5]}
    )
    rows = net.sample(50, random_state=1)
    assert set(rows["a"].to_pylist()) == {1, 5}
    assert set(rows["2"].to_pylist()) == {False, True}
    mixed = db.BayesNet.from_tables(db.DAG(nodes=["a"]), {"a": (1, "x")}, {"a": [0.5, 0.5]})
    with pytest.raises(InputError, match="of several types"):
        mixed.sample(5)
    assert mixed.sample(5, as_="codes").shape == (5, 1)


def test_an_estimate_has_its_error(sprinkler):
    evidence = {"wet": "yes"}
    rows = np.indices(sprinkler.network.cards).reshape(4, -1).T
    place = sprinkler.dag.index("rain")
    exact = expected(sprinkler, evidence)[rows[:, place] == 1].sum()
    misses = []
    for seed in range(40):
        found = sprinkler.estimate("rain", evidence, n=2_000, random_state=seed)
        assert sum(found.values()) == pytest.approx(1)
        misses.append((found["yes"] - exact) / found.standard_error["yes"])
    assert 0.6 < np.std(misses) < 1.5
    assert "±" in str(found) and len(found) == 2


def test_what_cannot_be_drawn_is_told(sprinkler):
    with pytest.raises(UnseenStateError, match="'rain' has no state 'maybe'"):
        sprinkler.sample(1, evidence={"rain": "maybe"})
    with pytest.raises(UnknownNodeError, match="no node 'snow'"):
        sprinkler.estimate("snow")
    with pytest.raises(ParameterError, match="n is at least 0, not -1"):
        sprinkler.sample(-1)
    with pytest.raises(InputTypeError, match=r"n is a whole number, not 1\.5"):
        sprinkler.sample(1.5)
    with pytest.raises(InputTypeError, match="random_state is None, a whole number"):
        sprinkler.sample(1, random_state="seed")
    with pytest.raises(ParameterError, match="as_ is one of 'arrow', 'codes', not 'pandas'"):
        sprinkler.sample(1, as_="pandas")
    with pytest.raises(TooLargeError, match="sample_gibbs"):
        sprinkler.sample(1, evidence={"wet": "yes"}, limit=10)
    assert sprinkler.sample(0).num_rows == 0


@pytest.mark.parametrize("method", ["sample", "sample_weighted", "sample_gibbs"])
def test_impossible_evidence_is_told(method):
    net = db.BayesNet.from_tables([("a", "b")], {"a": YES_NO, "b": YES_NO}, {"a": [1, 0], "b": [[1, 0], [0, 1]]})
    with pytest.raises(ImpossibleEvidenceError, match=r"P\(e\) = 0|probability 0"):
        getattr(net, method)(10, evidence={"b": "yes"})


def test_any_generator_is_taken(sprinkler):
    for state in (None, np.random.default_rng(1), np.random.RandomState(1), np.int64(3)):
        assert sprinkler.sample(3, random_state=state).num_rows == 3
