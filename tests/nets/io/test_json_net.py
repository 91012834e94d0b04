"""JSON says what it is, and where it is wrong."""

import json

import pytest

import deciban as db
from deciban.errors import FileError, NetworkError

NODES = [
    {"name": "rain", "states": [False, True], "parents": [], "table": [0.8, 0.2]},
    {"name": 7, "states": [0, 1], "parents": ["rain"], "table": [[0.9, 0.1], [0.2, 0.8]]},
]


def text(**changes):
    return json.dumps({"format": "deciban net", "version": 1, "nodes": NODES, **changes})


def test_a_net_is_read():
    net = db.BayesNet.from_json(text())
    assert net.states[7] == (0, 1)
    assert net.parents[7] == ("rain",)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ('{\n"a":}', "the text, line 2: this is not valid JSON"),
        ("[" * 100_000, "the text: this JSON cannot be read"),
        ("[1]", 'the text: expected {"format": "deciban net", …}, found \\[1\\]'),
        (text(version=2), "has version 2; this deciban reads version 1"),
        (text(nodes={}), 'expected a list as "nodes", found {}'),
        (text(nodes=[{"name": 1}]), r"nodes\[0\]: expected an object with name, states, parents, table"),
        (text(nodes=[{**NODES[0], "states": "ab"}]), r"nodes\[0\]: states, parents and table are lists"),
        (text(nodes=[{**NODES[0], "name": [1]}]), r"nodes\[0\]: expected a name, found \[1\]"),
        (text(nodes=[NODES[0], NODES[0]]), "the variable 'rain' is defined twice"),
        (text(nodes=[NODES[1]]), "the parent 'rain' of 7 is not a variable of this file"),
        (text(nodes=[{**NODES[0], "table": [0.8, 0.3]}]), "the text: the table of 'rain' has a row that sums to 1.1"),
        (text(nodes=[{**NODES[0], "parents": ["rain"]}]), "the text: .*"),
    ],
)
def test_what_is_wrong_is_named(wrong, says):
    with pytest.raises(FileError, match=says):
        db.BayesNet.from_json(wrong)


def test_a_name_that_json_cannot_hold_is_named():
    net = db.BayesNet.from_tables(db.DAG(nodes=["a"]), {"a": ((1, 2), 3)}, {"a": [0.5, 0.5]})
    with pytest.raises(NetworkError, match=r"JSON cannot represent the name \(1, 2\)"):
        net.to_json()
