"""What is drawn, and where."""

import json

import pytest

import deciban as db
from deciban.widget.scene import net_scene
from tests.widget.nets import asia, mixed, wide


@pytest.mark.parametrize("net", [asia(), mixed()], ids=["asia", "mixed"])
def test_every_node_and_edge_is_drawn_once_inside_the_picture(net):
    scene = net_scene(net)
    json.dumps(scene, allow_nan=False)
    assert [scene["names"][node["index"]] for node in scene["nodes"]] == [str(node) for node in net.nodes]
    assert {(scene["names"][e["from"]], scene["names"][e["to"]]) for e in scene["edges"]} == set(net.dag.directed_edges)
    boxes = [(node["x"], node["y"], node["x"] + node["width"], node["y"] + node["height"]) for node in scene["nodes"]]
    for left, top, right, bottom in boxes:
        assert left >= 0 and top >= 0 and right <= scene["width"] and bottom <= scene["height"]
    for i, one in enumerate(boxes):
        for two in boxes[:i]:
            assert one[2] < two[0] or two[2] < one[0] or one[3] < two[1] or two[3] < one[1], "boxes do not overlap"


def test_of_a_large_net_the_nodes_around_one_are_drawn():
    net = wide()
    scene = net_scene(net, centre=200)
    drawn = [node["index"] for node in scene["nodes"]]
    assert drawn == list(range(180, 220)) and len(scene["names"]) == 400
    assert "40 of 400 nodes: n200" in scene["note"]
    assert all(edge["from"] in drawn and edge["to"] in drawn for edge in scene["edges"])


def test_many_states_and_long_names_are_cut():
    states = tuple(f"s{i}" for i in range(30))
    name = "x" * 10_000
    net = db.BayesNet.from_tables(db.DAG([], [name]), {name: states}, {name: [1 / 30] * 30})
    (node,) = net_scene(net)["nodes"]
    assert len(node["shown"]) == 12 and len(node["states"]) == 30
    assert node["width"] < 400
