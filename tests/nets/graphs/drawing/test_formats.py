"""What is shown must be the graph, whatever its names hold."""

from xml.etree import ElementTree as ET

import deciban as db
from tests.nets.named_graphs import ASIA, SPRINKLER

NASTY = db.PDAG([('a "b"', "<c> & d")], [("<c> & d", "#e\\f")])


def test_words():
    assert repr(SPRINKLER.cpdag()) == (
        "CPDAG(rain → wet, sprinkler → wet, wet → slippery, rain — season, season — sprinkler)"
    )
    assert repr(db.DAG(nodes=["a", 1])) == "DAG(a, 1)" and repr(db.DAG()) == "DAG()"
    many = db.DAG([(i, i + 1) for i in range(100)])
    assert repr(many).startswith("DAG(101 nodes, 100 edges: 0 → 1, 1 → 2") and repr(many).endswith(", …)")


def test_svg_is_xml_with_every_node_and_edge():
    for g in (SPRINKLER, ASIA, SPRINKLER.cpdag(), NASTY, db.DAG(), db.DAG(nodes=["alone"])):
        root = ET.fromstring(g._repr_html_())  # noqa: S314
        assert {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")} == set(map(str, g.nodes))
        lines = list(root.iter("{http://www.w3.org/2000/svg}polyline"))
        assert sum("marker-end" in line.attrib for line in lines) == len(g.directed_edges)
        assert sum("marker-end" not in line.attrib for line in lines) == len(g.undirected_edges)


def test_a_cycle_is_drawn_too():
    assert db.PDAG([("a", "b"), ("b", "c"), ("c", "a")]).to_svg().count("polyline") == 3


def test_dot():
    assert SPRINKLER.cpdag().to_dot().splitlines()[0] == "digraph {"
    assert "  2 -> 3;" in SPRINKLER.to_dot() and "  0 -> 2 [dir=none];" in SPRINKLER.cpdag().to_dot()
    assert r'[label="a \"b\""]' in NASTY.to_dot() and r'[label="#e\\f"]' in NASTY.to_dot()


def test_mermaid():
    assert SPRINKLER.cpdag().to_mermaid() == (
        'flowchart TD\n  n0["season"]\n  n1["sprinkler"]\n  n2["rain"]\n  n3["wet"]\n  n4["slippery"]\n'
        "  n2 --> n3\n  n1 --> n3\n  n3 --> n4\n  n0 --- n2\n  n0 --- n1\n"
    )
    assert "a #quot;b#quot;" in NASTY.to_mermaid() and "#lt;c#gt;" in NASTY.to_mermaid()
