"""A graph that is written as text and read back is the same graph; a text with a mistake says where it is."""

import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import CycleError, DecibanError, GraphError, GraphTextError, InvalidCPDAGError
from deciban.nets import CPDAG, DAG, MAG, PAG, PDAG
from tests.nets.named_graphs import ASIA, dags

# Names with all that is a mark in one of the languages, with spaces around and none at all.
NAMES = st.lists(
    st.one_of(st.text(alphabet="ab [](){}|:;,\"'\\@<->=.é\n", max_size=6), st.text(max_size=4)), unique=True, min_size=7
).map(lambda names: names[:7])


def named(dag, names):
    return DAG([(names[a], names[b]) for a, b in dag.directed_edges], [names[node] for node in dag.nodes])


@settings(max_examples=300)
@given(dags(), NAMES)
def test_model_strings_are_read_back(dag, names):
    dag = named(dag, names)
    read = DAG.from_string(dag.to_string())
    assert read == dag and read.nodes == dag.nodes


@settings(max_examples=300)
@given(dags(), NAMES)
def test_dagitty_texts_of_every_kind_of_graph_are_read_back(dag, names):
    dag = named(dag, names)
    for graph in (dag, dag.cpdag(), dag.moral(), MAG.of_dag(dag, dag.nodes[:1]), PAG.of_dag(dag, dag.nodes[:1])):
        read = type(graph).from_dagitty(graph.to_dagitty())
        assert read == graph and read.nodes == graph.nodes


@settings(max_examples=300)
@given(st.text(alphabet='AB |:[]"\\{}->@;,=\n', max_size=30))
def test_any_text_is_a_graph_or_an_error_that_says_where(text):
    for read in (DAG.from_string, DAG.from_dagitty, PDAG.from_dagitty, PAG.from_dagitty):
        for tried in (text, f"dag {{ {text} }}"):
            found = None
            try:
                read(tried)
            except DecibanError as error:
                found = error
            assert found is None or isinstance(found, CycleError | GraphTextError)
            assert not isinstance(found, GraphTextError) or (found.text == tried and 0 <= found.position <= len(tried))


def test_bnlearns_own_example():
    assert DAG.from_string("[A][C][F][B|A][D|A:C][E|B:F]") == DAG(
        [("A", "B"), ("A", "D"), ("C", "D"), ("B", "E"), ("F", "E")]
    )
    assert DAG.from_string(" [ A ] [B|A ]\n[C| A : B]").to_string() == "[A][B|A][C|A:B]"
    assert DAG.from_string("") == DAG()


def test_simple_names_are_written_without_quotes():
    assert set(ASIA.to_string()) <= set(string.ascii_lowercase + "[]|:")
    assert '"' not in ASIA.to_dagitty()
    assert DAG([("blood pressure", "x.1")]).to_dagitty() == (
        'dag {\n  "blood pressure"\n  x.1\n  "blood pressure" -> x.1\n}'
    )
    assert DAG([("blood pressure", "x.1")]).to_string() == "[blood pressure][x.1|blood pressure]"


# What dagitty's own tests and manual have.
@pytest.mark.parametrize(
    ("text", "edges"),
    [
        (" dag{ x -> { a b } }", [("x", "a"), ("x", "b")]),
        (" STRICT dag{ x -> m -> a b }", [("m", "a"), ("x", "m")]),
        ("digraph G { xi1 [latent]\nxi1 -> x1\nxi1 -> x3 }\n", [("xi1", "x1"), ("xi1", "x3")]),
        ('dag { bb="0,0,1,1" X [exposure,pos="0.4, 0.0"] Y [ outcome ]; X <- A -> M <- B -> Y X -> Y }', None),
        ("dag { {X V} -> U; S1 <- U; {Y V} -> W; W -> S2}", None),
        ('dag { graph [ranksep="0.5"]; X -> Y [beta=.5] }', [("X", "Y")]),
        ("dag { {a -> b} -> c }", [("a", "b"), ("a", "c"), ("b", "c")]),
        ("dag { a -> b; b <- a; a -> b }", [("a", "b")]),
    ],
)
def test_dagittys_language_is_read(text, edges):
    graph = DAG.from_dagitty(text)
    if edges is not None:
        assert list(graph.directed_edges) == edges
    else:
        assert len(graph.directed_edges) in (5, 6)


def test_dagittys_marks():
    found = PAG.from_dagitty("pag { a @-> b <-@ c; c @-@ d; d --@ e; f <-> g; g -- h; h @-- i }")
    assert set(found.edges) == {
        ("a", "o→", "b"), ("c", "o→", "b"), ("c", "o—o", "d"), ("d", "—o", "e"), ("f", "↔", "g"), ("g", "—", "h"),
        ("i", "—o", "h"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("read", "text", "says", "position"),
    [
        (DAG.from_string, "[A][B|A:C]", "the parent 'C' of 'B' has no bracket", 8),
        (DAG.from_string, "[A][B|A", "expected ':' and another parent, or ']', found the end", 7),
        (DAG.from_string, "[A][A]", "two brackets", 4),
        (DAG.from_string, "[A|A]", "its own parent", 3),
        (DAG.from_string, "[A][B|A:A]", "named twice", 8),
        (DAG.from_string, "A, B", r"expected '\['", 0),
        (DAG.from_string, '[A]["B]', "quote is not closed", 4),
        (DAG.from_string, "[A][B|]", "expected a parent of 'B'", 6),
        (DAG.from_string, "[rain][wet|rian]", "Did you mean 'rain'", 11),
        (DAG.from_dagitty, "A -> B", "expected one of dag", 0),
        (DAG.from_dagitty, "dag { A -> }", "expected the name of a node", 11),
        (DAG.from_dagitty, "dag { A --> B }", "'>' does not belong here", 10),
        (DAG.from_dagitty, "dag { A -> B", "or '}', found the end", 12),
        (DAG.from_dagitty, "dag { A <-> B }", "A ↔ B: read it as a MAG", 8),
        (DAG.from_dagitty, "dag { A -> B; B -> A }", "a second edge", 16),
        (DAG.from_dagitty, "dag { A -> B; A <-> B }", "make that a node", 16),
        (DAG.from_dagitty, "dag { A -> A }", "to itself", 8),
        (DAG.from_dagitty, "dag { A [pos=] }", "the value of the attribute", 13),
        (DAG.from_dagitty, "dag { A } B", "the end of the text", 10),
        (DAG.from_dagitty, "dag " + "{" * 500, "braces within braces", 105),
        (PDAG.from_dagitty, "pdag { A <-> B }", "MAG or PAG", 9),
    ],
)
def test_a_mistake_is_pointed_at(read, text, says, position):
    with pytest.raises(GraphTextError, match=says) as raised:
        read(text)
    assert raised.value.position == position


def test_the_line_of_a_long_text_is_shown():
    lines = [f"  node{number} -> child{number}" for number in range(100)]
    lines[60] = "  node60 => child60"
    with pytest.raises(GraphTextError) as raised:
        DAG.from_dagitty("\n".join(["dag {", *lines, "}"]))
    _, shown, caret = str(raised.value).splitlines()
    assert "(line 62)" in str(raised.value) and shown.strip() == "node60 => child60"
    assert shown[caret.index("^")] == ">"


def test_graphs_of_other_kinds_are_refused_as_ever():
    with pytest.raises(CycleError, match="→"):
        DAG.from_string("[A|B][B|A]")
    with pytest.raises(CycleError, match="→"):
        DAG.from_dagitty("dag { A -> B -> C -> A }")
    with pytest.raises(InvalidCPDAGError):
        CPDAG.from_dagitty("pdag { A -> B }")
    with pytest.raises(GraphError, match="a MAG has arrows"):
        MAG.from_dagitty("mag { A -- B }")
    with pytest.raises(GraphError, match="both written '1'"):
        DAG([(1, "1")]).to_string()
    with pytest.raises(GraphError, match="is a string"):
        DAG.from_string(ASIA)


def test_numbers_are_read_back_as_text():
    assert db.DAG.from_string(DAG([(1, 2)]).to_string()) == DAG([("1", "2")])
