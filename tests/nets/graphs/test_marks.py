"""A mark that is read, shown or compared wrongly turns a cause into an effect."""

import copy
import pickle
from xml.etree import ElementTree as ET

import networkx as nx
import numpy as np
import pytest

import deciban as db
from deciban.errors import GraphError, UnknownNodeError
from deciban.nets import MAG

ALL = db.PAG(
    [("a", "→", "b"), ("c", "o→", "b"), ("d", "↔", "b"), ("d", "o—o", "e"), ("e", "—", "f"), ("f", "—o", "g")], ["z"]
)
KINDS = {"→": "->", "o→": "o->", "↔": "<->", "o—o": "o-o", "—": "-", "—o": "-o"}


def test_every_kind_of_edge_is_named():
    assert repr(ALL) == "PAG(a → b, c o→ b, b ↔ d, d o—o e, e — f, f —o g, z)"
    assert ALL.nodes[0] == "z" and ALL.directed_edges == (("a", "b"),) and ALL.undirected_edges == (("e", "f"),)
    assert ALL.bidirected_edges == (("b", "d"),) and ALL.half_directed_edges == (("c", "b"),)
    assert ALL.open_edges == (("d", "e"),)
    assert ALL.parents("b") == {"a"} and ALL.children("a") == {"b"} and ALL.neighbours("e") == {"f"}
    assert ALL.adjacent_nodes("b") == {"a", "c", "d"} and ALL.is_adjacent("f", "g") and not ALL.is_adjacent("a", "z")
    assert [ALL.mark("a", "b"), ALL.mark("b", "a"), ALL.mark("b", "c"), ALL.mark("a", "z")] == [
        "arrow",
        "tail",
        "circle",
        None,
    ]
    with pytest.raises(UnknownNodeError, match="'q'"):
        ALL.mark("a", "q")


def test_letters_and_turned_edges_say_the_same():
    plain = [(a, KINDS[kind], b) for a, kind, b in ALL.edges]
    turned = {"→": "←", "o→": "←o", "—o": "o—"}
    assert db.PAG(plain, ALL.nodes) == ALL
    assert db.PAG([(b, turned.get(kind, kind), a) for a, kind, b in ALL.edges], ["z"]) == ALL
    assert db.PAG([("a", "-->", "b"), ("b", "<--", "c"), ("c", "---", "d")]).directed_edges == (("a", "b"), ("c", "b"))


def test_graphs_are_equal_by_nodes_and_marks():
    other = db.PAG(ALL.edges[::-1], ALL.nodes[::-1])
    assert other == ALL and hash(other) == hash(ALL) and len({other, ALL}) == 1
    assert db.PAG([("a", "→", "b")]) != db.PAG([("a", "o→", "b")]) != db.DAG([("a", "b")])
    assert db.PAG([("a", "→", "b")]) != MAG([("a", "→", "b")])
    assert db.PAG(nodes=["a"]) != db.PAG(nodes=["b"])


def test_a_graph_cannot_be_changed_but_copied():
    with pytest.raises(AttributeError, match="make another"):
        ALL.nodes = ()
    for g in (ALL, MAG([("a", "↔", "b")])):
        assert pickle.loads(pickle.dumps(g)) == copy.deepcopy(g) == g  # noqa: S301


def test_matrices_go_out_and_in():
    marks = ALL.marks()
    place = {node: i for i, node in enumerate(ALL.nodes)}
    assert marks[place["a"], place["b"]] == "arrow" and marks[place["b"], place["a"]] == "tail"
    assert db.PAG.from_marks(marks, ALL.nodes) == ALL
    numbers = np.vectorize({"": 0, "circle": 1, "arrow": 2, "tail": 3}.get)(marks)
    assert db.PAG.from_marks(numbers, ALL.nodes) == ALL == db.PAG.from_marks(numbers.astype(float), ALL.nodes)
    assert db.PAG.from_marks([[0, 2], [1, 0]]) == db.PAG([(0, "o→", 1)])
    matrix = ALL.adjacency()
    assert matrix[place["a"], place["b"]] and not matrix[place["b"], place["a"]]
    assert matrix[place["c"], place["b"]] and matrix[place["b"], place["c"]] and not matrix[place["z"]].any()


def test_networkx_gets_the_marks():
    graph = ALL.to_networkx()
    assert isinstance(graph, nx.DiGraph) and set(graph) == set(ALL.nodes)
    assert graph.edges["c", "b"]["mark"] == "arrow" and graph.edges["b", "c"]["mark"] == "circle"


def test_distances_count_pairs_that_are_joined_differently():
    assert db.shd(ALL, ALL) == 0
    other = db.PAG([("a", "o→", "b"), ("c", "o→", "b"), ("d", "↔", "b"), ("d", "o—o", "z")], ALL.nodes)
    assert db.shd(ALL, other) == db.shd(other, ALL) == 5
    assert db.shd(db.PAG([("a", "→", "b")]), db.DAG([("a", "b")])) == 0
    assert db.compare_graphs(db.PAG([("a", "→", "b")]), db.PAG([("a", "o→", "b")])).arrow_precision == 0


def test_words_and_pictures_show_the_marks():
    dot = ALL.to_dot()
    assert (
        "[dir=both, arrowtail=odot, arrowhead=normal]" in dot
        and "[dir=both, arrowtail=normal, arrowhead=normal]" in dot
    )
    assert "[dir=both, arrowtail=odot, arrowhead=odot]" in dot and "[dir=both, arrowtail=none, arrowhead=odot]" in dot
    mermaid = ALL.to_mermaid()
    assert '-->|"o→"|' in mermaid and " <--> " in mermaid and " o--o " in mermaid and " --o " in mermaid
    root = ET.fromstring(ALL._repr_html_())  # noqa: S314
    space = "{http://www.w3.org/2000/svg}"
    lines = list(root.iter(f"{space}polyline"))
    named = {marker.get("id") for marker in root.iter(f"{space}marker")}
    used = [line.get(f"marker-{end}", "none")[5:-1] for line in lines for end in ("start", "end")]
    assert len(lines) == 6 and set(used) - {""} <= named
    counts = {"": 4, "deciban-arrow": 3, "deciban-back": 1, "deciban-ring": 2, "deciban-ring-back": 2}
    assert {name: used.count(name) for name in used} == counts


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: db.PAG([("a", "b")]), "triple such as"),
        (lambda: db.PAG(["a→b"]), "triple such as"),
        (lambda: db.PAG([("a", "=>", "b")]), "no kind of edge"),
        (lambda: db.PAG([("a", "→", "a")]), "to itself"),
        (lambda: db.PAG([("a", "→", "b"), ("b", "o→", "a")]), "two edges between"),
        (lambda: db.PAG(nodes="abc"), "list of names"),
        (lambda: db.PAG([([], "→", "b")]), "hashable"),
        (lambda: db.PAG.from_marks([[0, 2]]), "square"),
        (lambda: db.PAG.from_marks([[0, 2], [0, 0]]), "both of its ends"),
        (lambda: db.PAG.from_marks([[1, 0], [0, 0]]), "both of its ends"),
        (lambda: db.PAG.from_marks([[0, 7], [1, 0]]), "no mark"),
        (lambda: db.PAG.from_marks([["", "head"], ["tail", ""]]), "no mark"),
        (lambda: db.PAG.from_marks([[0, 0], [0, 0]], ["a", "a"]), "different names"),
    ],
)
def test_what_is_no_graph_is_an_error(call, words):
    with pytest.raises(GraphError, match=words):
        call()
