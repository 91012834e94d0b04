"""Configurations of parents that do not occur in the data are listed."""

import pytest

import deciban as db


@pytest.fixture
def unseen():
    data = {"a": ["x", "y", "z"], "b": [0, 1, 0], "c": ["no", "no", "yes"]}
    return db.BayesNet([("a", "c"), ("b", "c")]).fit(data).unseen_parents_


def test_a_listing_is_a_sequence(unseen):
    assert list(unseen) == ["c"]
    rows = unseen["c"]
    assert list(rows) == [{"a": "x", "b": 1}, {"a": "y", "b": 0}, {"a": "z", "b": 1}]
    assert rows[-1] == {"a": "z", "b": 1}
    assert rows[:2] == [{"a": "x", "b": 1}, {"a": "y", "b": 0}]
    assert repr(rows) == "Configurations(3 of 6 of the parents of 'c' unseen)"
    with pytest.raises(IndexError):
        _ = rows[3]


def test_all_nodes_together(unseen):
    assert (unseen.count, unseen.possible, len(unseen)) == (3, 8, 1)
    assert repr(unseen) == "UnseenConfigurations(3 of 8: c 3)"


def test_many_configurations_are_not_written_out():
    names = [f"x{i}" for i in range(20)]
    data = {name: [0, 1] for name in [*names, "y"]}
    net = db.BayesNet([(name, "y") for name in names]).fit(data)
    assert len(net.unseen_parents_["y"]) == 2**20 - 2
    assert net.unseen_parents_["y"][0] == {**dict.fromkeys(names, 0), "x19": 1}


def test_a_net_that_has_seen_all_says_nothing():
    net = db.BayesNet([("a", "b")]).fit({"a": [0, 1], "b": [0, 1]})
    assert repr(net.unseen_parents_) == "UnseenConfigurations(0 of 3)"
    assert repr(net) == "BayesNet(2 nodes, 1 arrow, 6 table entries)"


def test_a_report_of_many_nodes_is_short():
    names = [f"x{i}" for i in range(30)]
    dag = db.DAG([("a", name) for name in names])
    data = {"a": ["u"], **{name: ["v"] for name in names}}
    report = db.BayesNet(dag).fit(data, states={"a": ["u", "w"]}).report()
    assert "do not occur: 30 of 61" in report
    assert report.endswith("and 10 more nodes")
